"""Rules about inputs: matrices that hide nothing, items and heads that differ, zeros, memory layouts, dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from grader.grading.case_facts import CaseFacts
from grader.grading.lint_rule import HiddenSet, Rule, array_types, matching, role_of, size
from grader.problems.cases import Array
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType

_OUTPUT_MATRIX: Final = r"w_?o|w_?out|o_weight"
_PROJECTION: Final = r"w_?[qkv]|[qkv]_weight"
_TOKENS: Final = r"x|ctx|q|k"
_NEAR: Final = 0.2  # of an entry from the identity's; of a matrix's norm from its transpose's


def _is_square(matrix: Array) -> bool:
    return matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0


def _is_near_identity(matrix: Array) -> bool:
    return _is_square(matrix) and bool(np.abs(_double(matrix) - np.eye(len(matrix))).max() < _NEAR)


def _is_symmetric(matrix: Array) -> bool:
    value = _double(matrix)
    return bool(np.linalg.norm(value - value.T) <= _NEAR * np.linalg.norm(value))


def _double(array: Array) -> Array:
    return array.astype(np.float64)


def _tells_orientation(matrix: Array) -> bool:
    """Whether a square matrix is told from its transpose and from the identity by value."""
    return _is_square(matrix) and not _is_symmetric(matrix) and not _is_near_identity(matrix)


def _matrices(hidden: HiddenSet, pattern: str) -> dict[str, ArrayType]:
    """Return the matrices of a contract whose name matches."""
    return {name: kind for name, kind in hidden.named(pattern).items() if len(kind.dimensions) == 2}


def _projections_of_one_shape(facts: CaseFacts) -> bool:
    matrices = list(matching(facts, _PROJECTION).values())
    return len({matrix.shape for matrix in matrices}) == 1 and all(map(_tells_orientation, matrices))


def _differ(arrays: Sequence[Array]) -> bool:
    """Whether no two arrays agree."""
    return not any(np.array_equal(one, other) for one, other in combinations(arrays, 2))


def _blocks(facts: CaseFacts, role: str) -> list[Array]:
    """Return the inputs with an axis that a size of this role makes or divides, that size's axis in front.

    Only arrays with something beside that size: lengths of items or slopes of heads have rules of their own.
    """
    found = []
    for name, kind in array_types(facts.entry).items():
        array, count = facts.array(name), size(facts, role)
        for axis, dimension in enumerate(kind.dimensions):
            roles = [role_of(factor) for factor in dimension.factors if isinstance(factor, str)]
            if array is not None and count > 0 and role in roles and not dimension.divisor and not kind.open_front:
                moved = np.moveaxis(array, axis, 0)
                if moved.size > len(moved) or len(moved) > count:
                    found.append(moved.reshape(count, -1))
    return found


def _parts_differ(role: str) -> Callable[[CaseFacts], bool]:
    def holds(facts: CaseFacts) -> bool:
        return size(facts, role) > 1 and all(_differ(list(blocks)) for blocks in _blocks(facts, role))

    return holds


def _has_parts(role: str) -> Callable[[HiddenSet], bool]:
    return lambda hidden: hidden.some(lambda facts: bool(_blocks(facts, role)))


def _filled(arrays: dict[str, Array]) -> list[Array]:
    return [array for array in arrays.values() if array.ndim > 1 and array.size]


def _has_tokens(hidden: HiddenSet) -> bool:
    return bool(hidden.named(_TOKENS))


def _has_zero_token(facts: CaseFacts) -> bool:
    """Whether a token is zero beside others that are not."""
    arrays = [array.reshape(-1, array.shape[-1]) for array in _filled(matching(facts, _TOKENS))]
    return any(array.any() and not array.any(axis=1).all() for array in arrays)


def _first_input(facts: CaseFacts) -> str:
    """Return the first parameter whose memory layout can be told, empty where there is none."""
    return next((name for name in array_types(facts.entry) if _axes(facts, name) > 1), "")


def _name_with_axes(entry: EntrySpec) -> str:
    """Return the first parameter of a contract that has a memory layout."""
    return next(name for name, kind in array_types(entry).items() if _may_be_laid_out(kind))


def _may_be_laid_out(kind: ArrayType) -> bool:
    return len(kind.dimensions) + kind.open_front > 1


def _axes(facts: CaseFacts, name: str) -> int:
    array = facts.array(name)
    return 0 if array is None else array.ndim


def _layout_of(facts: CaseFacts, name: str) -> str:
    return facts.case.layouts.get(name, "c")


def _has_layouts(hidden: HiddenSet) -> bool:
    return any(map(_may_be_laid_out, hidden.arrays.values()))


def _in_layout(name: str, layout: str, words: str) -> Rule:
    return Rule(
        name,
        f"there must be a case whose first input lies {words} in memory: code that assumes an order of memory shows",
        lambda entry: f'add layout {{"{_name_with_axes(entry)}": "{layout}"}} to an ordinary case',
        _has_layouts,
        lambda facts: _layout_of(facts, _first_input(facts)) == layout,
    )


def _all_laid_out(facts: CaseFacts) -> bool:
    names = [name for name in array_types(facts.entry) if _axes(facts, name) > 1]
    return bool(names) and all(_layout_of(facts, name) != "c" for name in names)


def _accepting(facts: CaseFacts, dtype: str) -> list[Array]:
    """Return the inputs that may be of a dtype."""
    arrays = [facts.array(name) for name, dtypes in facts.entry.accepts.items() if dtype in dtypes]
    return [array for array in arrays if array is not None]


def _accepts(hidden: HiddenSet, dtype: str) -> int:
    """Return how many parameters may be of a dtype, beside their contract's own."""
    return sum(dtype in dtypes for dtypes in hidden.entry.accepts.values())


def _are_mixed(facts: CaseFacts) -> bool:
    kinds = {array.dtype.name for array in _accepting(facts, "float32")}
    return kinds >= {"float32", "float64"} or kinds >= {"float32", "int64"}


def _vectors(facts: CaseFacts) -> list[Array]:
    """Return the one-dimensional floating point inputs: gains, sinks, biases, tables."""
    kinds = array_types(facts.entry).items()
    arrays = [facts.array(name) for name, kind in kinds if _is_vector(kind)]
    return [array for array in arrays if array is not None]


def _is_vector(kind: ArrayType) -> bool:
    return kind.dtype.startswith("float") and len(kind.dimensions) == 1 and not kind.open_front


def _are_uneven(facts: CaseFacts) -> bool:
    vectors = _vectors(facts)
    uneven = all(len(np.unique(v)) > 1 and not np.array_equal(v, v[::-1]) for v in vectors)
    return bool(vectors) and uneven and _differ(vectors)


def _biases_vary(facts: CaseFacts) -> bool:
    biases = _filled(matching(facts, r".*bias.*"))
    return bool(biases) and all(np.isfinite(bias).all() and bool(np.ptp(bias, axis=-1).max() > 0.1) for bias in biases)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "output-matrix-square",
        "there must be a case with a square W_O that is neither symmetric nor near the identity, so that only values "
        "tell it from its transpose and from none",
        "add a case of sizes that make W_O square, with a random W_O",
        lambda hidden: bool(_matrices(hidden, _OUTPUT_MATRIX)),
        lambda facts: any(_tells_orientation(w) and len(w) > 1 for w in matching(facts, _OUTPUT_MATRIX).values()),
    ),
    Rule(
        "output-matrix-not-square",
        "there must be a case with a W_O that is not square, so that shapes show what happens to it",
        "add a case in which the two sides of W_O differ",
        lambda hidden: any(
            str(kind.dimensions[0]) != str(kind.dimensions[1]) for kind in _matrices(hidden, _OUTPUT_MATRIX).values()
        ),
        lambda facts: any(not _is_square(w) for w in matching(facts, _OUTPUT_MATRIX).values()),
    ),
    Rule(
        "output-matrix-never-identity",
        "no W_O may be near the identity",
        "draw every W_O at random, and where it is 1 by 1 choose a number away from 1",
        lambda hidden: bool(_matrices(hidden, _OUTPUT_MATRIX)),
        lambda facts: not any(map(_is_near_identity, matching(facts, _OUTPUT_MATRIX).values())),
        minimum=None,
    ),
    Rule(
        "projections-of-one-shape",
        "there must be a case in which all projections have one square shape and none is symmetric: values alone tell "
        "which is used where, and which way round",
        "add a case with d = e = m, divided by H where there are heads, and random projections",
        lambda hidden: len(_matrices(hidden, _PROJECTION)) > 1,
        lambda facts: _projections_of_one_shape(facts) and _differ(list(matching(facts, _PROJECTION).values())),
    ),
    Rule(
        "projections-differ",
        "no two projections of a case may be equal",
        "draw each projection anew",
        lambda hidden: len(_matrices(hidden, _PROJECTION)) > 1,
        lambda facts: _differ(list(matching(facts, _PROJECTION).values())),
        minimum=None,
    ),
    Rule(
        "items-differ",
        "there must be a case with several items, no two of them equal",
        "add a case with B = 2 and random items",
        _has_parts("items"),
        _parts_differ("items"),
    ),
    Rule(
        "heads-differ",
        "there must be a case with several heads, no two of them equal in any input",
        "add a case with H = 3 and random inputs",
        _has_parts("heads"),
        _parts_differ("heads"),
    ),
    Rule(
        "zero-token",
        "there must be a case with a token of zeros among others: a score of exactly 0 is no mask",
        "set a token of an ordinary case to 0",
        lambda hidden: hidden.has_stage("scores") and _has_tokens(hidden),
        _has_zero_token,
        stages=("scores",),
        concerns=_has_tokens,
    ),
    _in_layout("layout-fortran", "fortran", "in Fortran order"),
    _in_layout("layout-reversed", "reversed", "reversed"),
    _in_layout("layout-every-second", "every_second", "as every second row of a larger array"),
    Rule(
        "layouts-of-all-inputs",
        "there must be a case in which no array of two axes or more lies in C order",
        "give every array of an ordinary case a layout: fortran, reversed or every_second",
        lambda hidden: sum(map(_may_be_laid_out, hidden.arrays.values())) > 1,
        _all_laid_out,
    ),
    Rule(
        "single-precision",
        "there must be a case in which every input that may be float32 is",
        "cast the inputs of an ordinary case to float32",
        lambda hidden: _accepts(hidden, "float32") > 0,
        lambda facts: all(array.dtype == np.float32 for array in _accepting(facts, "float32")),
    ),
    Rule(
        "mixed-precision",
        "there must be a case in which some inputs are float32 and others are not, where each may be",
        "cast the first input of an ordinary case to float32",
        lambda hidden: _accepts(hidden, "float32") > 1,
        _are_mixed,
    ),
    Rule(
        "integers",
        "there must be a case with int64 inputs, where the contract takes them",
        "add a case with small random integers",
        lambda hidden: _accepts(hidden, "int64") > 0,
        lambda facts: any(array.dtype == np.int64 for array in _accepting(facts, "int64")),
    ),
    Rule(
        "vectors-uneven",
        "there must be a case in which no vector (gain, sink, bias, table) is constant or reads the same backwards, "
        "and no two are equal",
        "draw the vectors of an ordinary case at random",
        lambda hidden: any(map(_is_vector, hidden.arrays.values())),
        _are_uneven,
    ),
    Rule(
        "bias-varies",
        "there must be a case whose biases are finite and vary within a row: 0 and -inf survive any scale",
        "draw a bias of order 1 at random",
        lambda hidden: any(len(kind.dimensions) > 1 for kind in hidden.named(r".*bias.*").values()),
        _biases_vary,
    ),
)
