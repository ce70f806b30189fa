"""Numbers that the texts of "Every shape fits, and the model writes nonsense" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "fused-qkv-order"
CORRECTED = "submissions/accepted/corrected.py"
BLOCKS = "starters/first.py"
PLAIN_MERGE = "starters/second.py"


def attend(source: str, *arguments: Any) -> Any:
    """Return the outputs of a source of the package."""
    return runpy.run_path(str(PACKAGE / source))["attention"](*arguments)


def arguments_of(heads: int, size: int, tokens: int) -> list[Any]:
    """Return random arguments for one item, whose w_o is not square."""
    rng = np.random.default_rng(7)
    width = heads * size + 1
    shapes = ((1, tokens, width), (width, 3 * heads * size), (heads * size, width))
    return [*(rng.normal(size=shape) for shape in shapes), heads]


def value_columns(source: str, heads: int, size: int) -> list[list[int]]:
    """Return for each head the columns of w_qkv that make its values: one token reads itself, column c holds c."""
    w_qkv = np.arange(3.0 * heads * size)[None]
    y = attend(source, np.ones((1, 1, 1)), w_qkv, np.eye(heads * size), heads)[0]
    return [[round(float(column)) for column in block] for block in y.reshape(heads, size)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [(CORRECTED, [[2], [5], [8], [11]]), (BLOCKS, [[8], [9], [10], [11]])],
)
def test_columns_of_the_values_of_four_heads(source: str, expected: list[list[int]]) -> None:
    assert value_columns(source, 4, 1) == expected


def test_columns_of_heads_with_eight_features() -> None:
    right, blocks = value_columns(CORRECTED, 4, 8), value_columns(BLOCKS, 4, 8)

    assert (right[2], right[0]) == ([*range(64, 72)], [*range(16, 24)])
    assert blocks[2] == [*range(80, 88)]  # so that its keys are 48 to 55


@pytest.mark.parametrize(
    ("heads", "places"),
    [
        (1, [(0, 0), (0, 1), (0, 2)]),
        (3, [(0, 0), (1, 1), (2, 2)]),
        (4, [(0, 0), (3, 2)]),
        (5, [(0, 0), (2, 1), (4, 2)]),
    ],
)
def test_blocks_that_both_layouts_have_at_one_place(heads: int, places: list[tuple[int, int]]) -> None:
    found = [(h, s) for h in range(heads) for s in range(3) if 3 * h + s == s * heads + h]

    assert found == places == [(h, s) for h in range(heads) for s in range(3) if 2 * h == s * (heads - 1)]


@pytest.mark.parametrize(("source", "rows"), [(CORRECTED, [5]), (PLAIN_MERGE, [1, 2, 4, 5])])
def test_rows_of_y_that_change_with_the_last_of_six_tokens(source: str, rows: list[int]) -> None:
    """The plain merge of four heads puts token 5 of the heads into the rows (6 h + 5) // 4."""
    x, *rest = arguments_of(heads=4, size=2, tokens=6)
    changed = x.copy()
    changed[0, -1] += 1.0
    difference = np.abs(attend(source, x, *rest)[0] - attend(source, changed, *rest)[0])[0].max(axis=1)

    assert np.flatnonzero(difference > 1e-9).tolist() == rows


def test_first_row_of_a_plain_merge_is_made_of_the_first_tokens_of_head_0() -> None:
    heads, tokens = 4, 6
    numbers = np.arange(heads * tokens).reshape(1, heads, tokens, 1)

    assert numbers.reshape(1, tokens, heads)[0, 0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("heads", "tokens", "seen"),
    [(1, 6, (False, False)), (4, 1, (True, False)), (4, 6, (True, True)), (3, 6, (True, True))],
)
def test_which_sizes_show_which_fault(heads: int, tokens: int, seen: tuple[bool, bool]) -> None:
    arguments = arguments_of(heads, 4, tokens)
    right = attend(CORRECTED, *arguments)[0]

    assert tuple(not np.allclose(attend(source, *arguments)[0], right) for source in (BLOCKS, PLAIN_MERGE)) == seen


def test_the_identity_for_w_o_hides_neither_fault() -> None:
    x, w_qkv, _, heads = arguments_of(heads=4, size=2, tokens=6)
    right, *wrong = (attend(source, x, w_qkv, np.eye(8), heads)[0] for source in (CORRECTED, BLOCKS, PLAIN_MERGE))

    assert [bool(np.allclose(y, right)) for y in wrong] == [False, False]
