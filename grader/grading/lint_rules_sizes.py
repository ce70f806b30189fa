"""Rules about sizes: all different once, equal where that tempts, one, many, and the same shapes twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Final

import numpy as np

from grader.grading.case_facts import CaseFacts
from grader.grading.lint_rule import (
    HiddenSet,
    Rule,
    array_types,
    extents,
    factors_of,
    lengths,
    named_dimensions,
    role_of,
    size,
)
from grader.problems.schema import EntrySpec
from grader.problems.shapes import Dimension

MANY_TOKENS: Final = 33  # beyond tables of 16 and 32
MANY_HEADS: Final = 11  # heads sorted as text change their order
# sizes that a reader can follow, by role; those that meet another one are raised
_SIZES: Final = {
    "items": 2,
    "tokens": 5,
    "queries": 3,
    "keys": 7,
    "model width": 7,
    "heads": 3,
    "key heads": 2,
    "key size": 4,
    "value size": 6,
}
_SIZE_MAX: Final = 100


def _equal(*roles: str) -> Callable[[CaseFacts], bool]:
    """Return whether a case's sizes of these roles agree and are more than 1."""

    def holds(facts: CaseFacts) -> bool:
        sizes = {size(facts, role) for role in roles}
        return len(sizes) == 1 and min(sizes) > 1

    return holds


def _one(name: str, role: str, letter: str, why: str) -> Rule:
    """Return the rule that a size must be 1 in some case."""
    return Rule(
        name,
        f"there must be a case with {letter} = 1: {why}",
        f"add a case with {letter} = 1 and other sizes above 1",
        lambda hidden: hidden.has(role) and not (role == "key size" and _is_rotated(hidden)),
        lambda facts: size(facts, role) == 1,
    )


def _is_rotated(hidden: HiddenSet) -> bool:
    """Whether the contract has positions, which turn pairs of features: their number is even."""
    return any(name in ("pos", "positions", "chunks") for name in hidden.entry.parameters)


def _all_differ(facts: CaseFacts) -> bool:
    found = extents(facts)
    return len(set(found)) == len(found) and min(found, default=0) > 1


def _different_sizes(entry: EntrySpec) -> str:
    """Return an order that gives each size of a contract a number, so that all of them and their products differ."""
    dimensions = named_dimensions(entry)
    names = list(dict.fromkeys(name for dimension in dimensions for name in factors_of(dimension)))
    roles = {role for name in names if (role := role_of(name))}
    sizes: dict[str, int] = {}
    for name in names:
        step = _step(role_of(name), roles)
        sizes[name] = _SIZES.get(role_of(name) or "", 3) // step * step or step
        while not _are_apart(dimensions, sizes) and sizes[name] < _SIZE_MAX:
            sizes[name] += step
    return f"add a case such as {', '.join(names)} = {', '.join(str(sizes[name]) for name in names)}"


def _step(role: str | None, roles: Set[str]) -> int:
    """Return what a size is a multiple of: heads share key heads, a width is cut into heads, features make pairs."""
    match role:
        case "heads" if "key heads" in roles:
            return 6
        case "model width" if "heads" in roles and "key size" not in roles:
            return 3
        case "key size":
            return 2
    return 1


def _are_apart(dimensions: Sequence[Dimension], sizes: dict[str, int]) -> bool:
    """Whether the sizes, and the dimensions that they make, are all different and above 1."""
    products = [dimension.value(sizes) for dimension in dimensions if str(dimension) not in sizes]
    found = [*sizes.values(), *(value for value in products if value is not None)]
    return len(set(found)) == len(found) and min(found) > 1


def _open_arrays(facts: CaseFacts) -> list[tuple[int, ...]]:
    """Return the shapes of inputs that may have any number of axes in front."""
    arrays = [facts.array(name) for name, kind in array_types(facts.entry).items() if kind.open_front]
    return [array.shape for array in arrays if array is not None]


def _has_open_axes(hidden: HiddenSet) -> bool:
    return any(kind.open_front for kind in hidden.arrays.values())


def _have_one_shape(one: CaseFacts, other: CaseFacts) -> bool:
    """Whether two cases' arrays have the same shapes, their integers the same values, and some array other values."""
    changed = False
    for name, value in one.arguments.items():
        array, again = one.array(name), other.array(name)
        if array is None or again is None:
            if value != other.arguments[name]:
                return False
        elif array.shape != again.shape:
            return False
        else:
            changed = changed or not np.array_equal(array, again)
    return changed


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "sizes-differ",
        "there must be a case in which all sizes and their products are different and above 1, so that no wrong axis "
        "passes for the right one",
        _different_sizes,
        lambda hidden: len(hidden.dimensions) > 1,
        _all_differ,
    ),
    Rule(
        "axes-differ",
        "there must be a case whose array has two axes or more, all different and above 1",
        "add a case with an array of shape (4, 3, 5)",
        _has_open_axes,
        lambda facts: any(1 < len(shape) == len(set(shape)) and min(shape) > 1 for shape in _open_arrays(facts)),
    ),
    Rule(
        "axes-equal",
        "there must be a case whose last two axes agree: a sum over the wrong one then has the right shape",
        "add a case with an array of shape (4, 4)",
        lambda hidden: _has_open_axes(hidden) and len(hidden.dimensions) == 1,
        lambda facts: any(len(shape) > 1 and shape[-1] == shape[-2] > 1 for shape in _open_arrays(facts)),
    ),
    Rule(
        "axes-vary",
        "the number of axes must vary where the contract leaves it open",
        "add a case with one axis more in front",
        _has_open_axes,
        lambda facts: bool(_open_arrays(facts)),
        minimum=2,
        peer=lambda one, other: [*map(len, _open_arrays(one))] != [*map(len, _open_arrays(other))],
    ),
    Rule(
        "tokens-equal-key-size",
        "there must be a case with T = d: scores of features by features then have the right shape",
        "add a case with T = d = 5",
        lambda hidden: hidden.has("tokens", "key size"),
        _equal("tokens", "key size"),
    ),
    Rule(
        "items-heads-tokens-equal",
        "there must be a case with B = H = T, in which any of these axes can be taken for another",
        "add a case with B = H = T = 3",
        lambda hidden: hidden.has("items", "heads", "tokens"),
        _equal("items", "heads", "tokens"),
    ),
    Rule(
        "items-equal-tokens",
        "there must be a case with B = T, in which items can be taken for tokens",
        "add a case with B = T = 4",
        lambda hidden: hidden.has("items", "tokens") and not hidden.has("heads"),
        _equal("items", "tokens"),
    ),
    Rule(
        "heads-equal-tokens",
        "there must be a case with H = T, in which heads can be taken for tokens",
        "add a case with H = T = 4",
        lambda hidden: hidden.has("heads", "tokens") and not hidden.has("items"),
        _equal("heads", "tokens"),
    ),
    Rule(
        "heads-equal-key-size",
        "there must be a case with H = d: heads and features can be exchanged, and so can the roots of both",
        "add a case with H = d = 4",
        lambda hidden: hidden.has("heads", "key size"),
        _equal("heads", "key size"),
    ),
    Rule(
        "key-size-equal-value-size",
        "there must be a case with d = e, in which keys can be mixed in place of values",
        "add a case with d = e = 4",
        lambda hidden: hidden.has("key size", "value size"),
        _equal("key size", "value size"),
    ),
    Rule(
        "queries-equal-keys",
        "there must be a case with as many queries as keys: one can be taken for the other",
        "add a case with 4 queries and 4 keys",
        lambda hidden: hidden.has("queries", "keys"),
        _equal("queries", "keys"),
    ),
    Rule(
        "fewer-queries",
        "there must be a case with fewer queries than keys, and more queries than one",
        "add a case with 3 queries and 7 keys",
        lambda hidden: hidden.has("queries", "keys"),
        lambda facts: 1 < size(facts, "queries") < size(facts, "keys"),
    ),
    Rule(
        "more-queries",
        "there must be a case with more queries than keys, and more keys than one",
        "add a case with 5 queries and 2 keys",
        lambda hidden: hidden.has("queries", "keys"),
        lambda facts: size(facts, "queries") > size(facts, "keys") > 1,
    ),
    _one("one-item", "items", "B", "an axis of length 1 must not be dropped"),
    _one("one-token", "tokens", "T", "a single token reads itself"),
    _one("one-query", "queries", "T_q", "the step of a decoder"),
    _one("one-key", "keys", "T_k", "a single key takes all the weight"),
    _one("one-head", "heads", "H", "an axis of length 1 must not be dropped"),
    _one("one-key-head", "key heads", "G", "every query head then shares the one key head"),
    _one("model-width-one", "model width", "m", "products with a single column"),
    _one("key-size-one", "key size", "d", "a single feature still makes scores"),
    _one("value-size-one", "value size", "e", "an axis of length 1 must not be dropped"),
    Rule(
        "odd-heads",
        "there must be a case with an odd number of heads above 1: slopes, halves and powers of two do not fit it",
        "add a case with H = 3",
        lambda hidden: hidden.has("heads"),
        lambda facts: size(facts, "heads") > 1 and size(facts, "heads") % 2 == 1,
    ),
    Rule(
        "many-heads",
        f"there must be a case with {MANY_HEADS} heads or more: sorted as text they change their order",
        "add a case with H = 12",
        lambda hidden: hidden.has("heads"),
        lambda facts: size(facts, "heads") >= MANY_HEADS,
    ),
    Rule(
        "grouped-heads",
        "there must be a case with 1 < G < H and H/G other than G: repeated and tiled key heads are the same otherwise",
        "add a case with H = 6 and G = 2",
        lambda hidden: hidden.has("heads", "key heads"),
        lambda facts: 1 < size(facts, "key heads") < size(facts, "heads") != size(facts, "key heads") ** 2,
    ),
    Rule(
        "many-tokens",
        f"there must be a case with {MANY_TOKENS} positions or more, beyond tables of a fixed size",
        "add a case with 40 positions",
        lambda hidden: hidden.has("tokens") or hidden.has("keys"),
        lambda facts: max(lengths(facts), default=0) >= MANY_TOKENS,
    ),
    Rule(
        "few-tokens",
        "there must be a case with 3 to 9 positions, whose faults a reader can follow",
        "add a case with 5 positions",
        lambda hidden: hidden.has("tokens") or hidden.has("keys"),
        lambda facts: 3 <= max(lengths(facts), default=0) <= 9,
    ),
    Rule(
        "equal-shapes",
        "there must be two cases of equal shapes with other values: what is kept of earlier calls shows",
        "add a case with the shapes of another one and other values",
        lambda hidden: bool(hidden.arrays),
        lambda facts: bool(facts.arrays),
        minimum=2,
        peer=_have_one_shape,
    ),
)
