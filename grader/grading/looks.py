"""Failing cases as a submission computed them, each beside the reference's stages on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.grading.attention_decide import decide
from grader.grading.attention_trace import Layer, Seen
from grader.grading.compare import is_right, right_outputs
from grader.grading.reference import Reference, tolerance_of
from grader.grading.seen import SeenStages
from grader.grading.stand_ins import StandIns
from grader.grading.trace import Trace, trace_submission
from grader.problems.cases import Array, Case
from grader.problems.loader import Problem
from grader.problems.stages import StageTree
from grader.sandbox.pool import Lane


@dataclass(frozen=True, eq=False)
class Look:
    """One failing case as the submission computed it, beside the reference's stages on it."""

    case: Case
    trace: Trace
    seen: SeenStages

    @property
    def is_right_alone(self) -> bool:
        """Whether the case, which failed among others, is right in a fresh process."""
        returned = self.trace.returned
        if returned is None or len(returned) != len(self.case.expected):
            return False
        kinds = [array.dtype.kind for array in returned] == [array.dtype.kind for array in self.case.expected]
        return kinds and is_right(self.case, returned)

    @property
    def is_blank(self) -> bool:
        """Whether a call that came to its end shows nothing of the contract."""
        return self.trace.returned is not None and not self.trace.has_raised and self.seen.is_blank

    def first_wrong_stage(self, tree: StageTree, reference: Reference, doubted: Collection[str]) -> str | None:
        """Return the first wrong stage that this case shows, None where it cannot be told.

        Args:
            doubted: outputs that are wrong in some case: where they are right they show nothing.
        """
        names = tree.outputs(self.case.entry)
        stand_ins = StandIns(self.seen, {name: stage.parameters for name, stage in tree.stages.items()}, names)
        if isinstance(self.seen, Seen):
            return decide(self.seen, stand_ins)
        returned = self.trace.returned
        if returned is None or len(returned) != len(self.case.expected):
            return None
        wrong = [name for name, right in zip(names, right_outputs(self.case, returned), strict=True) if not right]
        if not wrong:
            return None
        return self.seen.only_candidate(wrong, reference.parents, reference.shown, doubted, stand_ins.has)


def looks_at(
    problem: Problem, source: bytes, chosen: Sequence[Case], reference: Reference, lane: Lane
) -> tuple[Look, ...]:
    """Run failing cases again, and see what the submission computes."""
    looks = []
    for case, trace in trace_submission(problem, source, list(chosen), lane) if chosen else ():
        layer = layer_of(problem, case, reference, trace.returned or ())
        looks.append(Look(case, trace, _seen(case, trace, layer, reference)))
    return tuple(looks)


def layer_of(problem: Problem, case: Case, reference: Reference, returned: Sequence[Array]) -> Layer | None:
    """Return a case as an attention layer, None where its stages are not those of one."""
    names = problem.spec.entries[case.entry].outputs
    return Layer.of(dict(reference.stages[case.name]), case.arguments, dict(zip(names, returned, strict=False)))


def _seen(case: Case, trace: Trace, layer: Layer | None, reference: Reference) -> SeenStages:
    if layer is not None:
        return Seen(layer, trace, tolerance_of(case))
    return SeenStages(trace, reference.stages[case.name], case.arguments, tolerance_of(case))
