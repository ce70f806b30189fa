"""Rules about what a query may read, and about positions: masks, lengths, windows, chunks, blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from grader.grading.case_facts import CaseFacts
from grader.grading.lint_rule import HiddenSet, Rule, array_types, lengths, matching, size
from grader.grading.lint_rules_scores import LEAD, scores_of
from grader.problems.cases import Array

_POSITIONS: Final = r"pos|positions|pos_q|pos_k"
_MASKS: Final = ("keep", "mask", "lengths", "live", "allowed")


def _has(*names: str) -> Callable[[HiddenSet], bool]:
    """Return whether the contract has one of these parameters."""
    return lambda hidden: not set(names).isdisjoint(hidden.entry.parameters)


def _has_positions(hidden: HiddenSet) -> bool:
    return _has("pos", "positions", "pos_q", "pos_k")(hidden)


def _number(facts: CaseFacts, name: str) -> int:
    value = facts.arguments.get(name)
    return value if isinstance(value, int) else 0


def _numbers(facts: CaseFacts, name: str) -> list[int]:
    """Return the integers of an input, empty where it is none of integers."""
    value = facts.arguments.get(name)
    array = value if isinstance(value, np.ndarray) else np.asarray(value if isinstance(value, list) else [])
    return [int(item) for item in array.ravel()]


def _longest(facts: CaseFacts) -> int:
    """Return the number of keys: of positions where they are not told apart."""
    return lengths(facts)[-1] if lengths(facts) else 0


def _masked(facts: CaseFacts) -> Array | None:
    """Return where keys may be read, (..., T_q, T_k), by the reference's stages or by a boolean output."""
    scores = scores_of(facts) if "masked_scores" in facts.stages else None
    if scores is not None:
        return scores.allowed if scores.allowed.ndim > 1 else None
    outputs = [array for array in facts.case.expected if array.dtype == bool and array.ndim > 1]
    return outputs[0] if outputs else None


def _hides_future(facts: CaseFacts) -> bool:
    allowed = _masked(facts)
    return allowed is not None and not allowed.all() and not np.triu(allowed, 1).any()


def _is_causal(facts: CaseFacts) -> bool:
    """Whether each query of three or more reads the keys up to its own position and no others."""
    allowed = _masked(facts)
    if allowed is None or allowed.shape[-1] < 3 or allowed.shape[-2] != allowed.shape[-1]:
        return False
    return bool((allowed == np.tri(allowed.shape[-1], dtype=bool)).all())


def _has_empty_row(facts: CaseFacts) -> bool:
    allowed = _masked(facts)
    return allowed is not None and not allowed.any(axis=-1).all()


def _may_have_empty_rows(hidden: HiddenSet) -> bool:
    return _has("pad")(hidden) or (hidden.has("queries", "keys") and hidden.some(_hides_future))


def _reads_itself(hidden: HiddenSet) -> bool:
    """Whether queries and keys are the same positions, and no input says which of them are read."""
    return hidden.has_stage("masked_scores") and _has_one_axis_of_positions(hidden)


def _has_one_axis_of_positions(hidden: HiddenSet) -> bool:
    return hidden.has("tokens") and not _has(*_MASKS)(hidden)


def _left_key_leads(facts: CaseFacts) -> bool:
    """Whether in some row a key before all allowed ones leads them so far that a late mask underflows."""
    scores = scores_of(facts)
    return scores is not None and bool(np.any(scores.early_leads >= LEAD))


def _boolean_masks(facts: CaseFacts) -> list[Array]:
    arrays = [facts.array(name) for name, kind in array_types(facts.entry).items() if kind.dtype == "bool"]
    return [array for array in arrays if array is not None and array.ndim]


def _has_boolean_mask(axes: int) -> Callable[[HiddenSet], bool]:
    return lambda hidden: any(
        kind.dtype == "bool" and len(kind.dimensions) + kind.open_front >= axes for kind in hidden.arrays.values()
    )


def _has_both_values(facts: CaseFacts) -> bool:
    return all(array.any() and not array.all() for array in _boolean_masks(facts))


def _is_no_triangle(mask: Array) -> bool:
    """Whether a mask opens something above the diagonal and closes something on or below it."""
    return bool(np.triu(mask, 1).any() and np.tril(~mask).any())


def _positions_jump(facts: CaseFacts) -> bool:
    arrays = [array for array in matching(facts, _POSITIONS).values() if array.size > 1]
    return bool(arrays) and all(array.ravel()[0] != 0 and np.any(np.diff(array.ravel()) != 1) for array in arrays)


def _chunks_are_uneven(facts: CaseFacts) -> bool:
    chunks = _numbers(facts, "chunks")
    return len(chunks) > 2 and max(chunks[1:]) > 1 and len(set(chunks)) > 1


def _maximum_is_late(facts: CaseFacts) -> bool:
    """Whether in some row a later block holds a score above all of the first block's."""
    scores, block = scores_of(facts), _number(facts, "block")
    if scores is None or block < 1 or scores.masked.shape[-1] <= block:
        return False
    first, later = scores.masked[..., :block].max(axis=-1), scores.masked[..., block:].max(axis=-1)
    return bool(np.any((later > first + 1) & np.isfinite(first)))


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "causal-case",
        "there must be a causal case of three tokens or more: self-attention is causal unless the statement says "
        "otherwise",
        "hide the future in the reference and add a case of 5 tokens",
        _reads_itself,
        _is_causal,
        stages=("masked_scores",),
        concerns=_has_one_axis_of_positions,
    ),
    Rule(
        "empty-rows",
        "there must be a case with a row that may read no key, for the statement says what becomes of it",
        "add a case in which padding or the triangle closes every key of a row",
        _may_have_empty_rows,
        _has_empty_row,
    ),
    Rule(
        "lengths-differ",
        "there must be a case whose items have different lengths, one of them below T",
        "add a case with lengths 2 and 5 for T = 5",
        _has("lengths"),
        lambda facts: len(set(_numbers(facts, "lengths"))) > 1,
    ),
    Rule(
        "length-one",
        "there must be a case with an item of length 1",
        "set one of the lengths to 1",
        _has("lengths"),
        lambda facts: 1 in _numbers(facts, "lengths") and _longest(facts) > 1,
    ),
    Rule(
        "length-full",
        "there must be a case with an item without padding beside padded ones",
        "set one of the lengths to T",
        _has("lengths"),
        lambda facts: _longest(facts) in _numbers(facts, "lengths") and len(set(_numbers(facts, "lengths"))) > 1,
    ),
    Rule(
        "pad-differs",
        "there must be a case whose items are padded differently, one of them not at all",
        "add a case with pad 0 and 2",
        _has("pad"),
        lambda facts: 0 in _numbers(facts, "pad") and len(set(_numbers(facts, "pad"))) > 1,
    ),
    Rule(
        "pad-all-but-one",
        "there must be a case with an item of which all positions but the last are padding",
        "set one of the pads to T - 1",
        _has("pad"),
        lambda facts: _longest(facts) > 2 and _longest(facts) - 1 in _numbers(facts, "pad"),
    ),
    Rule(
        "window-inside",
        "there must be a case with a window of more than one position and T at least two above it",
        "add a case with T = 7 and a window of 3",
        _has("window"),
        lambda facts: 1 < _number(facts, "window") <= _longest(facts) - 2,
    ),
    Rule(
        "window-one",
        "there must be a case with a window of 1",
        "add a case with T = 5 and a window of 1",
        _has("window"),
        lambda facts: _number(facts, "window") == 1 < _longest(facts),
    ),
    Rule(
        "window-beyond",
        "there must be a case with a window longer than the sequence",
        "add a case with T = 5 and a window of 50",
        _has("window"),
        lambda facts: _number(facts, "window") > _longest(facts) > 1,
    ),
    Rule(
        "window-left-key-ahead",
        "there must be a case in which a key that has left the window leads the allowed ones of its row by 1200: a "
        "window that is cut out after the softmax underflows there",
        "add a case in which the score of a key before the window is 1200 above the rest, beside that with a later key",
        lambda hidden: _has("window")(hidden) and hidden.has_stage("scores", "masked_scores"),
        _left_key_leads,
        stages=("scores", "masked_scores"),
        concerns=_has("window"),
    ),
    Rule(
        "mask-both-values",
        "there must be a case whose boolean masks hold both values: a constant one changes nothing",
        "draw the masks at random",
        _has_boolean_mask(1),
        _has_both_values,
    ),
    Rule(
        "mask-no-triangle",
        "there must be a case whose masks open keys above the diagonal and close some below it",
        "draw the masks at random instead of making triangles",
        _has_boolean_mask(2),
        lambda facts: all(_is_no_triangle(mask) for mask in _boolean_masks(facts) if mask.ndim > 1),
    ),
    Rule(
        "positions-jump",
        "there must be a case whose positions do not start at 0 and do not rise by 1",
        "add a case with positions 5, 0, 1000",
        _has_positions,
        _positions_jump,
    ),
    Rule(
        "several-pairs",
        "there must be a case with a key size of 4 or more: with one pair of features every pairing is the same",
        "add a case with d = 6",
        lambda hidden: hidden.has("key size") and (_has_positions(hidden) or _has("chunks")(hidden)),
        lambda facts: size(facts, "key size") >= 4,
    ),
    Rule(
        "chunks-uneven",
        "there must be a case of three chunks or more, not all equal, a later one of several tokens",
        "add a case with chunks 3, 2, 1",
        _has("chunks"),
        _chunks_are_uneven,
    ),
    Rule(
        "chunks-of-one",
        "there must be a case in which every chunk is a single token",
        "add a case with chunks 1, 1, 1, 1",
        _has("chunks"),
        lambda facts: len(_numbers(facts, "chunks")) > 2 and set(_numbers(facts, "chunks")) == {1},
    ),
    Rule(
        "one-chunk",
        "there must be a case in which one chunk holds all tokens",
        "add a case with a single chunk of 6",
        _has("chunks"),
        lambda facts: len(_numbers(facts, "chunks")) == 1 < _longest(facts),
    ),
    Rule(
        "block-left-over",
        "there must be a case of several blocks of which the last is not full",
        "add a case with 7 keys and blocks of 2",
        _has("block"),
        lambda facts: 1 < _number(facts, "block") < _longest(facts) and _longest(facts) % _number(facts, "block") != 0,
    ),
    Rule(
        "maximum-in-late-block",
        "there must be a case in which a later block holds the largest score of a row: sums need rescaling",
        "add a case whose last key leads by 5",
        _has("block"),
        _maximum_is_late,
    ),
)
