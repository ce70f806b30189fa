"""Cases of a package with inputs varied: a later token exchanged, and logits made larger step by step.

Which arguments hold tokens is read off the contract, which argument scales the logits is found by what the package's
own stages compute: no name is guessed. What is right is the reference's to say, in the sandbox like everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from grader.grading.reference import NUMBERS_MAX, is_ordinary, worth_tracing
from grader.problems.cache import CaseCache
from grader.problems.cases import Case, expect_anew, pack, sizes_of, unpack
from grader.problems.composition import stages_of, trace_cases
from grader.problems.loader import Problem
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType, Dimension
from grader.sandbox.pool import Lane
from grader.sandbox.wire import Buffer, Value, WireError, decode, encode

FACTORS: Final = (1.0, 1e2, 1e4)  # of the logits
TOKENS_WANTED: Final = 4  # with fewer, few rows are there to move
SCORES: Final = "scores"
NOT_CAUSAL: Final = (
    "No token was exchanged: the reference answers no case of ordinary numbers that has an output exactly 0 for the "
    "future."
)
NOT_SCALED: Final = (
    "No logits were made larger: in no case of ordinary numbers does one argument multiply a stage called scores alike."
)


@dataclass(frozen=True, eq=False)
class Perturbed:
    """A case, and the same one with its last token exchanged in the arguments that have tokens."""

    arguments: tuple[str, ...]
    axes: tuple[int | None, ...]  # for each output, the axis of its queries, counted from the end
    last: int  # position of the exchanged token: what queries before it return must stay
    before: Case
    after: Case


@dataclass(frozen=True, eq=False)
class Ladder:
    """A case with one argument multiplied by each of `FACTORS`; rungs that the reference cannot climb are not there."""

    argument: str
    rungs: tuple[tuple[float, Case], ...]


@dataclass(frozen=True, eq=False)
class Varied:
    """What a submission is asked for interviewers, beyond its judging."""

    perturbed: Perturbed | None
    ladder: Ladder | None

    @property
    def cases(self) -> tuple[Case, ...]:
        """All of them, in the order in which they are asked."""
        pair = (self.perturbed.before, self.perturbed.after) if self.perturbed else ()
        return (*pair, *(case for _, case in self.ladder.rungs)) if self.ladder else pair


def varied_cases(problem: Problem, cases: Sequence[Case], lane: Lane, cache: CaseCache) -> Varied:
    """Return a package's varied cases; the first time for a package the reference is asked in the lane's sandbox.

    Raises:
        InvalidPackage: its stages or its reference cannot be run.
    """
    found = cache.kept(problem, "varied", _unpack)
    if found is None:
        usable = [case for case in cases if not case.raises and is_ordinary(case) and _size(case) <= NUMBERS_MAX]
        ordered = sorted(worth_tracing(usable, len(usable)), key=lambda case: _is_short(problem, case))
        found = Varied(_perturbed(problem, ordered, lane), _ladder(problem, ordered, lane, cache))
        cache.keep(problem, "varied", found, _pack)
    return found


def _size(case: Case) -> int:
    return sum(array.size for array in case.expected)


def _causal(entry: EntrySpec) -> tuple[Dimension, Dimension] | None:
    """Return the sizes of queries and keys of an entry's output that must be exactly 0 for the future."""
    kinds = [kind.dimensions[-2:] for name, kind in entry.output_types().items() if name in entry.exact_zeros]
    return (kinds[0][0], kinds[0][1]) if kinds and len(kinds[0]) == 2 else None


def _is_short(problem: Problem, case: Case) -> bool:
    entry = problem.spec.entries[case.entry]
    sizes, causal = sizes_of(entry, case), _causal(entry)
    return causal is not None and any((size.value(sizes) or 0) < TOKENS_WANTED for size in causal)


def _perturbed(problem: Problem, cases: Sequence[Case], lane: Lane) -> Perturbed | None:
    for case in cases:
        entry = problem.spec.entries[case.entry]
        causal = _causal(entry)
        if causal is None:
            continue
        queries, keys = causal
        last = (keys.value(sizes_of(entry, case)) or 0) - 1
        given = dict(_along(entry, keys))
        if last < 1 or not given:
            continue
        arguments = {**case.arguments, **{name: _exchanged(case.arguments[name], axis) for name, axis in given.items()}}
        (after,) = expect_anew(problem, [replace(case, arguments=arguments)], lane)
        if after is not None:
            axes = tuple(_axis(kind, queries) for kind in entry.output_types().values())
            return Perturbed(tuple(given), axes, last, case, after)
    return None


def _along(entry: EntrySpec, tokens: Dimension) -> Iterator[tuple[str, int]]:
    """Yield the arguments of real numbers with one axis of tokens, and that axis counted from the end."""
    for name, kind in entry.parameter_types().items():
        if isinstance(kind, ArrayType) and kind.dtype.startswith("float") and kind.dimensions.count(tokens) == 1:
            yield name, kind.dimensions.index(tokens) - len(kind.dimensions)


def _axis(kind: ArrayType, tokens: Dimension) -> int | None:
    is_there = tokens in kind.dimensions
    return kind.dimensions.index(tokens) - len(kind.dimensions) if is_there else None


def _exchanged(value: Value, axis: int) -> Value:
    """Return an array whose last token is another one, of numbers of the same size."""
    changed = np.moveaxis(value.copy(), axis, 0)
    changed[-1] = 0.5 - 1.25 * changed[-1]
    return np.ascontiguousarray(np.moveaxis(changed, 0, axis))


def _ladder(problem: Problem, cases: Sequence[Case], lane: Lane, cache: CaseCache) -> Ladder | None:
    if SCORES not in problem.spec.stages:
        return None
    tree = stages_of(problem, lane, cache)
    for case in cases:
        if SCORES not in (needed := tree.needed(case.entry)):
            continue
        names = [name for name, value in case.arguments.items() if _is_real(value)]
        asked = [case, *(_scaled(case, name, 2.0) for name in names)]
        plain, *doubled = [
            None if isinstance(outcome, str) else outcome[needed.index(SCORES)]
            for outcome in trace_cases(tree, asked, lane)
        ]
        for name, scores in zip(names, doubled, strict=True):
            if plain is not None and scores is not None and plain.any() and np.array_equal(scores, 2.0 * plain):
                rungs = expect_anew(problem, [_scaled(case, name, factor) for factor in FACTORS], lane)
                climbed = [(factor, rung) for factor, rung in zip(FACTORS, rungs, strict=True) if rung is not None]
                if climbed:
                    return Ladder(name, tuple(climbed))
    return None


def _is_real(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 0


def _scaled(case: Case, name: str, factor: float) -> Case:
    scaled = np.asarray(case.arguments[name] * factor)  # what has no axes would become a NumPy number
    return replace(case, arguments={**case.arguments, name: scaled})


def _pack(varied: Varied) -> bytes:
    perturbed, ladder = varied.perturbed, varied.ladder
    first = perturbed and [
        list(perturbed.arguments),
        list(perturbed.axes),
        perturbed.last,
        pack((perturbed.before, perturbed.after)),
    ]
    second = ladder and [
        ladder.argument,
        [factor for factor, _ in ladder.rungs],
        pack(tuple(case for _, case in ladder.rungs)),
    ]
    return encode([first, second])


def _unpack(data: Buffer) -> Varied:
    try:
        first, second = decode(data)
        perturbed = ladder = None
        if first is not None:
            arguments, axes, last, cases = first
            before, after = unpack(cases)
            perturbed = Perturbed(tuple(arguments), tuple(axes), last, before, after)
        if second is not None:
            argument, factors, cases = second
            ladder = Ladder(argument, tuple(zip(factors, unpack(cases), strict=True)))
        return Varied(perturbed, ladder)
    except (TypeError, ValueError):
        raise WireError("no varied cases") from None
