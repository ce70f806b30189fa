"""Numbers that the texts of "Only the last row is right" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "causal-mask-late"


def weights_of(source: str, scores: list[list[float]]) -> Any:
    """Return the weights that a source of the package computes from these scores."""
    layer = runpy.run_path(str(PACKAGE / source))["single_head_causal"]
    tokens = len(scores)
    identity = np.eye(tokens)
    keys = np.array(scores).T * np.sqrt(tokens)
    return layer(identity, identity, keys, identity, identity)[1]


def test_second_of_four_even_rows_sums_to_one_half_under_a_late_mask() -> None:
    weights = weights_of("starters/first.py", [[0.0] * 4] * 4)

    assert weights.sum(axis=1).tolist() == [0.25, 0.5, 0.75, 1.0]


def test_first_row_of_two_equal_scores_is_half_and_nothing_under_a_late_mask() -> None:
    assert weights_of("starters/first.py", [[0.0] * 2] * 2)[0].tolist() == [0.5, 0.0]


def test_first_of_five_queries_reads_two_keys_under_the_wider_triangle() -> None:
    weights = weights_of("starters/second.py", [[0.0] * 5] * 5)

    assert np.count_nonzero(weights, axis=1).tolist() == [2, 3, 4, 5, 5]


@pytest.mark.parametrize("lead", [746.0, 1200.0])
def test_renormalised_row_is_no_number_once_a_later_key_leads_by_more_than_745(lead: float) -> None:
    with np.errstate(invalid="ignore"):
        weights = weights_of("submissions/wrong_answer/late_mask_renormalised.py", [[0.0, lead], [0.0, 0.0]])

    assert np.isnan(weights[0]).tolist() == [True, True]


def test_corrected_first_row_is_one_and_nothing_whatever_leads() -> None:
    weights = weights_of("submissions/accepted/corrected.py", [[0.0, 1200.0], [0.0, 0.0]])

    assert weights.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_exponentials_are_subnormal_from_about_708_on() -> None:
    tiny = np.finfo(np.float64).tiny

    assert (np.exp(-708.0) > tiny, np.exp(-709.0) > tiny, np.exp(-746.0)) == (True, False, 0.0)


def test_single_precision_exponentials_are_subnormal_from_about_87_on() -> None:
    tiny = np.finfo(np.float32).tiny

    assert (np.exp(np.float32(-87)) > tiny, np.exp(np.float32(-88)) > tiny) == (True, False)
