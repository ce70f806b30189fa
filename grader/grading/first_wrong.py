"""The rules that name the first wrong stage where no known fault agrees: what a trace shows, what is returned.

None of them names a stage behind an output that is wrong elsewhere, or one that only carries what came before it: then
the next rule has its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.grading.attention_invariants import stage_of
from grader.grading.attention_trace import STAGES
from grader.grading.carried import OwnArrays, origin
from grader.grading.looks import Look, layer_of
from grader.grading.reference import Reference
from grader.grading.seen import with_ancestors
from grader.grading.trace import TRACES
from grader.grading.verdict import Method
from grader.grading.wrong_outputs import WrongOutputs, wrong_stages
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome
from grader.problems.stages import StageTree, output_stages
from grader.sandbox.pool import Lane


@dataclass(frozen=True, eq=False)
class FirstWrong:
    """A stage that a rule names, and the case that shows it."""

    stage: str
    case: Case
    method: Method
    look: Look | None = None  # None: the returned arrays alone show it
    is_only_one_left: bool = False  # all others are known to be right


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules over the failing cases of one submission."""

    tree: StageTree
    reference: Reference
    wrong: WrongOutputs
    failing: Sequence[Case]
    returned: dict[str, Outcome | None]  # by case
    looks: Sequence[Look]
    lane: Lane

    def first(self) -> FirstWrong | None:
        """Return what the first rule that can tell says."""
        for rule in (self._traced, self._by_invariants, self._by_elimination):
            named = rule()
            found = self._at_fault(named) if named else None
            if found is not None and self.wrong.may_be_first(found.stage):
                return found
        return None

    def _at_fault(self, named: FirstWrong) -> FirstWrong | None:
        """Return what is named, or the earlier stage that it carries; None where that is not known."""
        returned = named.look.trace.returned or () if named.look else self._arrays(named.case)
        own = OwnArrays.of(self.tree, named.case, returned, self.reference, named.look)
        stage = origin(self.tree, named.stage, own, self.lane)
        if stage == named.stage:
            return named
        return FirstWrong(stage, named.case, named.method, named.look) if stage else None

    def _traced(self) -> FirstWrong | None:
        """Go by what failing cases show: the earliest stage that any of them names."""
        seen = [(look.first_wrong_stage(self.tree, self.reference, self.wrong.anywhere), look) for look in self.looks]
        told = [
            FirstWrong(stage, look.case, "trace", look)
            for stage, look in seen
            if stage is not None and self.wrong.may_be_first(stage)
        ]
        plain = [named for named in told if self.wrong.is_plain(named.case)]
        if plain:
            return min(plain, key=lambda named: self.wrong.order.index(named.stage))
        return told[0] if told else None

    def _by_invariants(self) -> FirstWrong | None:
        """Go by what was returned for the failing cases that show most."""
        told = [named for named in self._related() if self.wrong.may_be_first(named.stage)]
        return min(told, key=lambda named: STAGES.index(named.stage), default=None)

    def _related(self) -> Iterator[FirstWrong]:
        for case in self.wrong.telling(self.failing, TRACES):
            layer = layer_of(self.tree.problem, case, self.reference, self._arrays(case))
            if layer is not None and (stage := stage_of(layer)) is not None:
                yield FirstWrong(stage, case, "invariants")

    def _by_elimination(self) -> FirstWrong | None:
        """Name the stage where all stages but one of a wrong output are known to be right."""
        told = set()
        for case in self.failing:
            names = output_stages(self.tree.problem.spec.entries[case.entry], list(self.wrong.order))
            if len(self._arrays(case)) != len(names):
                return None
            wrong = wrong_stages(self.tree.problem, case, self._arrays(case))
            right = with_ancestors([name for name in names if name not in wrong], self.reference.parents)
            told.add(frozenset(with_ancestors(sorted(wrong), self.reference.parents) - right))
        if len(told) != 1 or len(only := next(iter(told))) != 1:
            return None
        case = self.wrong.telling(self.failing, 1)[0]
        return FirstWrong(next(iter(only)), case, "invariants", is_only_one_left=True)

    def _arrays(self, case: Case) -> tuple[Array, ...]:
        outcome = self.returned.get(case.name)
        return () if outcome is None or isinstance(outcome, str) else outcome
