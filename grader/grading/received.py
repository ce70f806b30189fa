"""What one call returned, decoded once: for the comparison, which knows what it expects, and for the finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.sandbox.wire import Refused, WireError, decode_answer

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Received:
    """An answer, decoded.

    `flat` holds the numbers of all outputs one after the other, where their dtypes and shapes are the expected ones;
    `broken` says where the bytes of a malformed answer broke.
    """

    is_sequence: bool
    count: int
    items: Sequence[Array | Refused]
    flat: npt.NDArray[Any] | None = None
    is_expected: bool = False  # to the byte
    broken: str = ""

    @classmethod
    def of(cls, case: Case, data: bytes) -> Received:
        """Decode an answer's bytes; those of exactly the expected outputs are known already."""
        if case.raises is None:
            form, count = case.form, len(case.expected)
            if data == case.answer:
                return cls(count > 1, count, case.expected, is_expected=True)
            flat = form.flat(data)
            if flat is not None:
                return cls(count > 1, count, form.outputs(flat), flat)
        try:
            return cls(*decode_answer(data))
        except WireError as error:
            return cls(False, 0, (), broken=str(error))

    @property
    def outcome(self) -> Outcome:
        """The arrays, or the word for what came in their place."""
        if self.broken:
            return "bad_answer"
        if self.is_expected or self.flat is not None:
            return tuple(self.items)  # type: ignore[arg-type]  # arrays, all of them
        arrays = tuple(item for item in self.items if not isinstance(item, Refused))
        return arrays if len(arrays) == self.count else "wrong_type"
