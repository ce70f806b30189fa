"""What the reference computes on the way: its stages on the secret cases that a submission may be traced on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from grader.grading.seen import SeenStages
from grader.grading.stage_match import DOUBLE, SINGLE
from grader.grading.trace import trace_closely
from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case, arrays_of
from grader.problems.composition import stages_of, trace_cases
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from grader.sandbox.wire import Buffer, WireError, decode, encode

NUMBERS_MAX: Final = 40_000  # that a traced case returns
ORDINARY_MAX: Final = 30.0  # size of inputs whose scores are no extremes


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference's stages by case, of each stage the stages that it reads, and which ones right sources show.

    A stage that most accepted sources do not hold as an array, such as a table of blocks, is not missed where a trace
    does not show it.
    """

    parents: Mapping[str, tuple[str, ...]]
    stages: Mapping[str, Mapping[str, Array]]
    shown: frozenset[str] = frozenset()


def reference_of(problem: Problem, cases: Sequence[Case], lane: Lane, cache: CaseCache) -> Reference:
    """Return a package's reference stages; the first time for a package they are computed in the lane's sandbox.

    Raises:
        InvalidPackage: its stages cannot be read.
        SandboxLost: not all that is kept could be seen.
    """
    found = cache.kept(problem, "traces", _unpack)
    if found is None:
        tree = stages_of(problem, lane, cache)
        fitting = [case for case in cases if not case.is_sample and not case.raises and _size(case) <= NUMBERS_MAX]
        stages = {}
        for case, values in zip(fitting, trace_cases(tree, fitting, lane), strict=True):
            if not isinstance(values, str):
                stages[case.name] = dict(zip(tree.needed(case.entry), values, strict=True))
        parents = {
            name: tuple(parameter for parameter in function.parameters if parameter in tree.stages)
            for name, function in tree.stages.items()
        }
        found = Reference(parents, stages, _shown(problem, fitting, stages, lane))
        cache.keep(problem, "traces", found, _pack)
    return found


def _shown(
    problem: Problem, cases: Sequence[Case], stages: Mapping[str, Mapping[str, Array]], lane: Lane
) -> frozenset[str]:
    """Return the stages that a trace of at least half of the accepted sources shows."""
    chosen = {case.entry: case for case in reversed(worth_tracing([c for c in cases if c.name in stages], len(cases)))}
    seen: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for path in problem.files.below("submissions/accepted"):
        source = problem.files.contents[path]
        for case, trace in trace_closely(problem, source, list(chosen.values()), lane):
            found = SeenStages(trace, stages[case.name], case.arguments, tolerance_of(case))
            asked.update(list(stages[case.name]))
            seen.update(name for name in stages[case.name] if found.has(name))
    return frozenset(name for name, count in asked.items() if 2 * seen[name] >= count)


def tolerance_of(case: Case) -> tuple[float, float]:
    """Return how close an array of a trace has to be to a stage."""
    return SINGLE if any(array.dtype == np.float32 for array in arrays_of(case.arguments)) else DOUBLE


def _size(case: Case) -> int:
    return sum(array.size for array in case.expected)


def worth_tracing(cases: Sequence[Case], count: int) -> list[Case]:
    """Return the failing cases that show most: ordinary ones first, sizes that all differ, small.

    Equal sizes make axes ambiguous.
    """

    def order(case: Case) -> tuple[bool, int, int, int]:
        shapes = {tuple(sorted(array.shape)) for array in arrays_of(case.arguments) if array.size > 1}
        ones = sum(1 in shape for shape in shapes)
        extents = {extent for shape in shapes for extent in shape}
        return not is_ordinary(case), ones, len(shapes) - len(extents), _size(case)

    return sorted(cases, key=order)[:count]


def is_ordinary(case: Case) -> bool:
    """Whether a case's numbers tell stages apart: zeros and integers repeat values, extremes drown differences."""
    arrays = [array for array in arrays_of(case.arguments) if array.size > 1]
    return all(
        array.dtype == np.float64 and bool((array != 0).all()) and float(np.abs(array).max()) <= ORDINARY_MAX
        for array in arrays
    )


def _pack(reference: Reference) -> bytes:
    parents = {stage: list(names) for stage, names in reference.parents.items()}
    return encode([parents, {name: dict(stages) for name, stages in reference.stages.items()}, sorted(reference.shown)])


def _unpack(data: Buffer) -> Reference:
    try:
        parents, stages, shown = decode(data)
        found: dict[str, Any] = {name: dict(values) for name, values in stages.items()}
        return Reference({stage: tuple(names) for stage, names in parents.items()}, found, frozenset(shown))
    except (TypeError, ValueError, AttributeError):
        raise WireError("no reference stages") from None
