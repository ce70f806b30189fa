"""What the returned arrays alone prove of the first wrong stage: it is not behind the earliest output that is wrong.

An output that is wrong in one failing case is wrong, whatever it is in others: where weights are 0 and 1 whatever the
scores are, or where there is one token, many a wrong stage gives the right numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grader.grading.compare import right_outputs
from grader.grading.contract import CONTRACT
from grader.grading.reference import Reference, is_ordinary, worth_tracing
from grader.grading.seen import with_ancestors
from grader.grading.verdict import CaseResult
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.problems.stages import output_stages


@dataclass(frozen=True, eq=False)
class WrongOutputs:
    """Of each failing case that was compared, the stages that its wrong outputs are."""

    order: tuple[str, ...]  # of the package's stages
    by_case: Mapping[str, frozenset[str]]
    reference: Reference

    @classmethod
    def of(
        cls,
        problem: Problem,
        cases: Sequence[Case],
        results: Sequence[CaseResult],
        outcomes: Sequence[Outcome | None],
        reference: Reference,
    ) -> WrongOutputs:
        """Compare what came back; a broken contract hides what was computed, so such cases prove nothing."""
        failing = {result.name for result in results if result.failure and result.failure.reason not in CONTRACT}
        found = {
            case.name: wrong_stages(problem, case, outcome)
            for case, outcome in zip(cases, outcomes, strict=False)
            if case.name in failing
        }
        return cls(tuple(problem.spec.stages), {name: wrong for name, wrong in found.items() if wrong}, reference)

    @cached_property
    def anywhere(self) -> frozenset[str]:
        """The outputs that are wrong in some case."""
        return frozenset().union(*self.by_case.values())

    @cached_property
    def earliest(self) -> str | None:
        """The first of them in the order of stages."""
        return min(self.anywhere, key=self.order.index, default=None)

    def may_be_first(self, stage: str) -> bool:
        """Whether a stage can be the first wrong one: the earliest wrong output, what it comes from, or one before.

        A stage before it that it does not come from can be wrong as well, where another wrong output comes from it.
        """
        if self.earliest is None:
            return True
        is_before = self.order.index(stage) <= self.order.index(self.earliest)
        return is_before and stage in with_ancestors(sorted(self.anywhere), self.reference.parents)

    def telling(self, failing: Sequence[Case], count: int) -> list[Case]:
        """Return the failing cases that show most: those in which the earliest wrong output is wrong come first."""

        def order(case: Case) -> tuple[bool, bool]:
            return self.earliest not in self.by_case.get(case.name, ()), self._is_degenerate(case)

        return sorted(worth_tracing(failing, len(failing)), key=order)[:count]

    def is_plain(self, case: Case) -> bool:
        """Whether numbers of a case tell stages apart, and every stage depends on what it is made of."""
        return is_ordinary(case) and not self._is_degenerate(case)

    def _is_degenerate(self, case: Case) -> bool:
        """Whether a stage holds nothing but 0 and 1: one key for each query, one token, a bias of nothing."""
        numbers = [array for array in self.reference.stages.get(case.name, {}).values() if array.dtype.kind == "f"]
        finite = [array[np.isfinite(array)] for array in numbers]
        return any(array.size > 0 and bool(np.isin(array, (0.0, 1.0)).all()) for array in finite)


def wrong_stages(problem: Problem, case: Case, outcome: Outcome | Sequence[Array] | None) -> frozenset[str]:
    """Return the stages that a case's wrong outputs are; none where other things than its outputs came back."""
    if case.raises is not None or outcome is None or isinstance(outcome, str) or len(outcome) != len(case.expected):
        return frozenset()
    names = output_stages(problem.spec.entries[case.entry], problem.spec.stages)
    right = right_outputs(case, tuple(outcome))
    return frozenset(name for name, is_right in zip(names, right, strict=True) if not is_right)
