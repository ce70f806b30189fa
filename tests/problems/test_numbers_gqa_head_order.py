"""Numbers that the texts of "The small model agrees, the large one does not" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "gqa-head-order"
CORRECTED = "submissions/accepted/corrected.py"
TILED = "starters/first.py"
SCALED = "starters/second.py"


def attend(source: str, *arguments: Any) -> Any:
    """Return the outputs of a source of the package."""
    return runpy.run_path(str(PACKAGE / source))["gqa"](*arguments)


def read_by(source: str, heads: int, key_heads: int) -> list[int]:
    """Return which key head each query head reads: all values of key head g are g."""
    values = np.zeros((1, key_heads, 2, 1)) + np.arange(key_heads)[:, None, None]
    h = attend(source, np.zeros((1, heads, 2, 1)), np.zeros((1, key_heads, 2, 1)), values)[0]
    return [round(float(number)) for number in h[0, :, 1, 0]]


@pytest.mark.parametrize(
    ("source", "heads", "key_heads", "expected"),
    [
        (CORRECTED, 4, 2, [0, 0, 1, 1]),
        (TILED, 4, 2, [0, 1, 0, 1]),
        (CORRECTED, 6, 2, [0, 0, 0, 1, 1, 1]),
        (TILED, 6, 2, [0, 1, 0, 1, 0, 1]),
        (CORRECTED, 3, 3, [0, 1, 2]),
        (TILED, 3, 3, [0, 1, 2]),
        (TILED, 3, 1, [0, 0, 0]),
    ],
)
def test_key_heads_that_are_read(source: str, heads: int, key_heads: int, expected: list[int]) -> None:
    assert read_by(source, heads, key_heads) == expected


def test_four_of_six_heads_agree_by_luck() -> None:
    right, tiled = read_by(CORRECTED, 6, 2), read_by(TILED, 6, 2)

    assert [n for n in range(6) if right[n] == tiled[n]] == [0, 2, 3, 5]


def test_query_head_seven_of_twelve_reads_key_head_two() -> None:
    by_number = read_by("submissions/wrong_answer/groups_as_large_as_their_number.py", 12, 4)

    assert (read_by(CORRECTED, 12, 4)[7], read_by(TILED, 12, 4)[7], by_number[7]) == (2, 3, 1)


@pytest.mark.parametrize(("heads", "key_heads", "factor"), [(4, 1, 2.0), (8, 2, 2.0), (3, 3, 1.0), (9, 1, 3.0)])
def test_group_size_under_the_root_shrinks_scores_by_its_root(heads: int, key_heads: int, factor: float) -> None:
    q, k = np.ones((1, heads, 2, 1)), np.zeros((1, key_heads, 2, 1))
    k[:, :, 1] = 1.0
    right, scaled = (np.log(attend(source, q, k, k)[1][0, 0, 1]) for source in (CORRECTED, SCALED))

    assert (right[1] - right[0]) / (scaled[1] - scaled[0]) == pytest.approx(factor)


@pytest.mark.parametrize(("heads", "key_heads", "same"), [(64, 8, True), (4, 2, True), (6, 2, False), (6, 3, False)])
def test_exchanged_counts_agree_where_a_group_is_as_large_as_their_number(
    heads: int, key_heads: int, same: bool
) -> None:
    exchanged = "submissions/wrong_answer/groups_as_large_as_their_number.py"

    assert (read_by(exchanged, heads, key_heads) == read_by(CORRECTED, heads, key_heads)) is same
