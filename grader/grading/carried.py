"""Whether a stage that looks wrong only carries what came before it: then the fault is an earlier stage's.

Numbers that agree within the tolerance may still differ by what a later stage makes much of, as small weights do before
large values. The package's own stages, continued from what the submission has, say whether that is so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.grading.compare import is_right
from grader.grading.looks import Look
from grader.grading.reference import Reference
from grader.grading.wrong_outputs import wrong_stages
from grader.problems.cases import Array, Case
from grader.problems.composition import COMPOSED_LIMITS
from grader.problems.stages import StageTree, code_of
from grader.sandbox.exchange import RunEnded
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run


@dataclass(frozen=True, eq=False)
class OwnArrays:
    """What a submission has on one case: the stages that it returned, and those that a trace shows just as they are."""

    case: Case
    returned: tuple[Array, ...]
    stages: Mapping[str, Array]

    @classmethod
    def of(
        cls, tree: StageTree, case: Case, returned: Sequence[Array], reference: Reference, look: Look | None = None
    ) -> OwnArrays:
        """Gather them; of a stage that is there more than once the last one, which is what is used."""
        found = dict(_traced(look, reference.stages[case.name])) if look else {}
        return cls(case, tuple(returned), found | dict(zip(tree.outputs(case.entry), returned, strict=False)))


def _traced(look: Look, right: Mapping[str, Array]) -> list[tuple[str, Array]]:
    rtol, atol = look.seen.observed.tolerance
    found = []
    for name, array in right.items():
        match = look.seen.matches[name]
        if not match.is_right or array.dtype.kind != "f":
            continue
        finite = np.abs(array[np.isfinite(array)])
        bound = atol * float(finite.max(initial=0.0))
        found += [
            (name, mine.astype(array.dtype))
            for mine in map(look.trace.arrays.__getitem__, match.arrays)
            if mine.shape == array.shape and np.allclose(mine, array, rtol, bound, equal_nan=True)
        ]
    return found


def origin(tree: StageTree, stage: str, own: OwnArrays, lane: Lane) -> str | None:
    """Return the stage at fault, of a stage that is told to be wrong on a case.

    It is the stage itself unless the package, continued from the submission's arrays before it, returns what the
    submission returned. Then it is the first one whose array makes the outputs wrong; None where what that one was made
    from is not known, so that it may be carried as well.
    """
    order = tree.needed(own.case.entry)
    before = order[: order.index(stage)] if stage in order else ()
    known = [name for name in before if name in own.stages]
    if not known:
        return stage
    try:
        with lane.run(COMPOSED_LIMITS) as run:
            run.load(code_of(tree.problem).encode(), [], COMPOSED_LIMITS, mode="package")
            outputs = _continued(run, tree, own, known)
            if outputs is None or is_right(own.case, outputs) or not _returns_the_same(tree, own, outputs):
                return stage
            for position, name in enumerate(known):
                outputs = _continued(run, tree, own, known[: position + 1])
                if outputs is None or not is_right(own.case, outputs):
                    made_from = [parent for parent in tree.stages[name].parameters if parent in tree.stages]
                    return name if all(parent in own.stages for parent in made_from) else None
    except RunEnded:
        return stage
    return None


def _returns_the_same(tree: StageTree, own: OwnArrays, outputs: tuple[Array, ...]) -> bool:
    """Whether the outputs that are wrong are those that follow."""
    if len(outputs) != len(own.returned):
        return False
    wrong = wrong_stages(tree.problem, own.case, own.returned)
    rows = zip(tree.outputs(own.case.entry), outputs, own.returned, own.case.bounds, strict=True)
    return bool(wrong) and all(
        made.shape == mine.shape and bool((np.abs(made - mine) <= bound).all())
        for name, made, mine, bound in rows
        if name in wrong
    )


def _continued(run: Run, tree: StageTree, own: OwnArrays, kept: Sequence[str]) -> tuple[Array, ...] | None:
    """Return an entry's outputs with some stages as the submission has them; None where a stage gives no array."""
    values = {name: own.stages[name] for name in kept}
    for name in tree.needed(own.case.entry):
        if name in values:
            continue
        given = {each: values.get(each, own.case.arguments.get(each)) for each in tree.stages[name].parameters}
        made = run.compute(name, given, {})
        if not isinstance(made, np.ndarray):
            return None
        values[name] = made
    return tuple(values[name] for name in tree.outputs(own.case.entry))
