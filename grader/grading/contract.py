"""Which reasons say that the contract is broken: these name themselves, and hide what would be compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from grader.grading.verdict import Reason, Verdict

CONTRACT: Final = frozenset(
    {
        Reason.WRONG_CONTAINER,
        Reason.WRONG_COUNT,
        Reason.WRONG_TYPE,
        Reason.MUTATED_INPUT,
        Reason.NOT_REPEATABLE,
        Reason.RESULT_CHANGED,
        Reason.WRONG_ARITY,
        Reason.IMPORT_ERROR,
        Reason.REFUSED_CALL,
        Reason.MISSING_ENTRY,
    }
)


def is_compared(verdict: Verdict | None, reasons: Iterable[Reason | None]) -> bool:
    """Whether anything of a submission can be compared: with the reference, and with what known faults return.

    Args:
        verdict: None while it waits.
        reasons: why its cases fail; None for one that does not, or was not reached.
    """
    if verdict in (None, Verdict.CE, Verdict.JE):
        return False
    return verdict is Verdict.AC or any(reason is not None and reason not in CONTRACT for reason in reasons)
