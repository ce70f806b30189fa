"""Numbers that the texts of "The longer the text, the larger the error" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "online-softmax"
CORRECTED = "submissions/accepted/corrected.py"


def answer(source: str, scores: list[float], values: list[float], block: int = 1) -> float:
    """Return what a source of the package gives one query with these scores and values of one feature."""
    stream = runpy.run_path(str(PACKAGE / source))["stream"]
    with np.errstate(all="ignore"):
        h: Any = stream(np.ones((1, 1)), np.array([scores]).T, np.array([values]).T, block)
    return float(np.asarray(h)[0, 0])


@pytest.mark.parametrize(
    ("source", "mixed"),
    [
        (CORRECTED, 2.0),
        ("starters/first.py", 6.0),
        ("starters/interview.py", 6.0),
        ("submissions/wrong_answer/running_sums_not_rescaled.py", 4.0),
        ("submissions/wrong_answer/sums_replaced.py", 0.0),
    ],
)
def test_scores_0_and_ln_3_with_values_8_and_0(source: str, mixed: float) -> None:
    assert answer(source, [0.0, float(np.log(3.0))], [8.0, 0.0]) == pytest.approx(mixed, rel=1e-12)


@pytest.mark.parametrize(
    ("scores", "shows"),
    [
        ([-3.0, -2.0, -1.0], False),
        ([-700.0, -20.0, -1.0], False),
        ([-800.0, -790.0, -780.0], True),
        ([900.0, -800.0, 2.0], False),
        ([-2000.0, -2000.0, -2001.0], True),
    ],
)
def test_a_start_at_0_shows_where_all_scores_lie_below_minus_745(scores: list[float], shows: bool) -> None:
    found = answer("starters/second.py", scores, [1.0, 2.0, 4.0])

    assert bool(np.isnan(found)) is shows
    assert shows or found == pytest.approx(answer(CORRECTED, scores, [1.0, 2.0, 4.0]), rel=1e-12)


def test_sum_of_exponentials_with_minus_1_as_the_largest_is_0_37() -> None:
    assert round(float(np.exp([-700.0, -20.0, -1.0]).sum()), 2) == 0.37


@pytest.mark.parametrize(
    ("source", "mixed"),
    [
        (CORRECTED, 1.0),
        ("submissions/wrong_answer/blocks_averaged.py", 1.5),
        ("submissions/wrong_answer/blocks_averaged_by_length.py", 1.0),
        ("submissions/wrong_answer/blocks_weighted_by_maxima.py", 1.5),
    ],
)
def test_three_equal_keys_with_values_0_0_and_3_in_blocks_of_two(source: str, mixed: float) -> None:
    assert answer(source, [0.0, 0.0, 0.0], [0.0, 0.0, 3.0], block=2) == pytest.approx(mixed, rel=1e-12)


@pytest.mark.parametrize(("scores", "agrees"), [([3.0, 2.0, 1.0], True), ([1.0, 2.0, 3.0], False)])
def test_the_largest_score_first_hides_the_missing_factor(scores: list[float], agrees: bool) -> None:
    wrong, right = (answer(source, scores, [1.0, 2.0, 4.0]) for source in ("starters/first.py", CORRECTED))

    assert bool(np.isclose(wrong, right, rtol=1e-12)) is agrees


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        (CORRECTED, True),
        ("starters/first.py", False),
        ("submissions/wrong_answer/total_not_rescaled.py", False),
        ("submissions/wrong_answer/running_sums_not_rescaled.py", True),
        ("submissions/wrong_answer/epsilon_in_denominator.py", False),
    ],
)
def test_values_of_1_give_1(source: str, is_one: bool) -> None:
    assert bool(np.isclose(answer(source, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]), 1.0, rtol=1e-12)) is is_one


def test_exp_of_8_is_2981_and_22_of_them_leave_half_precision() -> None:
    assert round(float(np.exp(8.0))) == 2981
    assert 21 * np.exp(8.0) < float(np.finfo(np.float16).max) < 22 * np.exp(8.0)
