"""Numbers that the texts of "A batch that changes its shorter items" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "rows-with-no-keys"


def weights_of(source: str, tokens: int, pad: int) -> Any:
    """Return the weights (T, T) that a source of the package computes for one item whose scores are all 0."""
    attend = runpy.run_path(str(PACKAGE / source))["attention"]
    zeros = np.zeros((1, 1, tokens, 1))
    with np.errstate(invalid="ignore"):
        return attend(zeros, zeros, zeros, np.array([pad]))[1][0, 0]


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("starters/second.py", [0.25, 0.25, 0.25, 0.25]),
        ("submissions/wrong_answer/lowest_number_filled.py", [0.25, 0.25, 0.25, 0.25]),
        ("submissions/wrong_answer/own_key_always_open.py", [1.0, 0.0, 0.0, 0.0]),
        ("submissions/accepted/corrected.py", [0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_first_row_of_four_positions_two_of_them_padding(source: str, row: list[float]) -> None:
    assert weights_of(source, 4, 2)[0].tolist() == row


def test_first_row_is_no_number_under_minus_infinity_alone() -> None:
    weights = weights_of("submissions/wrong_answer/empty_rows_nan.py", 4, 2)

    assert np.isnan(weights).all(axis=1).tolist() == [True, True, False, False]


def test_position_4_of_six_reads_three_keys_behind_two_of_padding() -> None:
    weights = weights_of("submissions/accepted/corrected.py", 6, 2)

    assert np.flatnonzero(weights[4]).tolist() == [2, 3, 4]


def test_rows_of_text_sum_to_one_and_rows_of_padding_to_nothing() -> None:
    weights = weights_of("submissions/accepted/corrected.py", 4, 2)

    assert weights.sum(axis=1).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_text_reads_padding_of_the_past_and_texts_to_come_where_masks_are_joined_by_or() -> None:
    weights = weights_of("starters/first.py", 6, 2)

    assert [np.flatnonzero(row).tolist() for row in weights] == [[], [], *[[0, 1, 2, 3, 4, 5]] * 4]


def test_a_sentinel_shifts_a_row_without_a_key_and_changes_nothing_else() -> None:
    attend = runpy.run_path(str(PACKAGE / "starters/second.py"))["attention"]
    q, k = np.ones((1, 1, 2, 1)), np.log([[[[1.0], [3.0]]]])
    weights = attend(q, k, k, np.array([2]))[1][0, 0]

    assert weights == pytest.approx(np.array([[0.25, 0.75]] * 2), rel=1e-6)
