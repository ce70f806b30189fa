"""Numbers that the texts of "A batch that depends on its order" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "padding-broadcast"
CORRECTED = "submissions/accepted/corrected.py"
WITHOUT_AXES = "starters/first.py"


def weights_of(source: str, tokens: int, lengths: list[int]) -> Any:
    """Return the weights (B, T, T) that a source computes for one head whose scores are all 0."""
    attend = runpy.run_path(str(PACKAGE / source))["encoder_attention"]
    x, one, none = np.ones((len(lengths), tokens, 1)), np.ones((1, 1)), np.zeros((1, 1))
    with np.errstate(invalid="ignore"):
        return attend(x, none, none, one, one, 1, np.array(lengths))[1][:, 0]


@pytest.mark.parametrize(("source", "row"), [(CORRECTED, [1.0, 0.0, 0.0]), (WITHOUT_AXES, [1 / 3, 1 / 3, 1 / 3])])
def test_query_1_of_item_0_of_lengths_1_3_2(source: str, row: list[float]) -> None:
    assert weights_of(source, 3, [1, 3, 2])[0, 1].tolist() == row


def test_mask_without_axes_gives_every_item_the_same_weights() -> None:
    weights = weights_of(WITHOUT_AXES, 3, [1, 3, 2])

    assert weights.tolist() == [[[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 2, 0]]] * 3


@pytest.mark.parametrize(
    ("source", "row"),
    [
        (CORRECTED, [1 / 3, 1 / 3, 1 / 3, 0, 0, 0]),
        ("submissions/wrong_answer/padded_values_zeroed.py", [1 / 6] * 6),
        ("starters/second.py", [1 / 4, 1 / 4, 1 / 4, 1 / 4, 0, 0]),
    ],
)
def test_row_of_a_text_of_three_in_six_positions(source: str, row: list[float]) -> None:
    assert weights_of(source, 6, [3])[0, 0].tolist() == row


def test_ones_that_are_added_leave_padding_a_factor_of_e_behind() -> None:
    row = weights_of("submissions/wrong_answer/mask_added_as_ones.py", 2, [1])[0, 0]

    assert row[0] / row[1] == pytest.approx(np.e, rel=1e-12)


def test_mask_of_items_by_keys_fits_one_item_or_as_many_as_positions() -> None:
    fits = []
    for items, tokens in np.ndindex(5, 5):
        try:
            shape = np.broadcast_shapes((items + 1, tokens + 1), (items + 1, 3, tokens + 1, tokens + 1))
        except ValueError:
            continue
        fits.append((items + 1, tokens + 1, shape[2] == tokens + 1))

    assert [(b, t) for b, t, keeps in fits if keeps] == [(1, t) for t in range(1, 6)] + [(b, b) for b in range(2, 6)]
    assert [(b, t) for b, t, keeps in fits if not keeps] == [(b, 1) for b in range(2, 6)]


def test_share_of_scores_of_text_with_text() -> None:
    needed, computed = 1000**2 + 7 * 100**2, 8 * 1000**2

    assert (needed, computed, round(100 * needed / computed)) == (1_070_000, 8_000_000, 13)
    assert (1000 + 7 * 100) ** 2 == 2_890_000
