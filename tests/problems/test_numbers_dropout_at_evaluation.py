"""Numbers that the texts of "The same prompt, asked twice" state."""

from __future__ import annotations

import runpy
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "dropout-at-evaluation"
CORRECTED = "submissions/accepted/corrected.py"
RENORMALISED = "submissions/wrong_answer/rows_renormalised_guarded.py"


def mixing(source: str, row: list[float], live: list[bool], rate: float, training: bool = True) -> list[float]:
    """Return what a source of the package multiplies the values by, for one row of weights."""
    attention: Any = runpy.run_path(str(PACKAGE / source))["attention"]
    count = len(row)
    ones = np.ones((count, 1))
    pattern = np.tile(live, (count, 1))
    h = attention(ones, np.log(row)[:, None], np.eye(count), pattern, np.array(rate), np.array(training))[0]
    return [round(float(number), 12) for number in h[0]]


def average(source: str, row: list[float], rate: float) -> list[float]:
    """Return the mean of what multiplies the values over all patterns, each as likely as the rate makes it."""
    total = np.zeros(len(row))
    for live in product([True, False], repeat=len(row)):
        chance = np.prod([1 - rate if alive else rate for alive in live])
        total += chance * np.array(mixing(source, row, list(live), rate))
    return [round(float(number), 9) for number in total]


@pytest.mark.parametrize(("rate", "ratio"), [("1/2", 1), ("1/5", 4), ("1/10", 9)])
def test_wrong_factor_is_too_large_by(rate: str, ratio: int) -> None:
    p = Fraction(rate)

    assert (1 / p) / (1 / (1 - p)) == (1 - p) / p == ratio


@pytest.mark.parametrize(
    ("source", "factor"),
    [(CORRECTED, Fraction(10, 9)), ("submissions/wrong_answer/survivors_over_rate.py", Fraction(10))],
)
def test_factor_at_a_tenth(source: str, factor: Fraction) -> None:
    assert mixing(source, [0.5, 0.5], [True, True], 0.1) == [round(float(factor / 2), 12)] * 2


def test_row_of_three_with_the_second_dropped_at_a_fifth() -> None:
    row = mixing(CORRECTED, [0.5, 0.3, 0.2], [True, False, True], 0.2)

    assert (row, sum(row)) == ([0.625, 0.0, 0.25], 0.875)


def test_row_of_three_with_all_alive_at_a_fifth_sums_to_more_than_1() -> None:
    assert round(sum(mixing(CORRECTED, [0.5, 0.3, 0.2], [True] * 3, 0.2)), 12) == 1.25


@pytest.mark.parametrize(("source", "expected"), [(CORRECTED, [0.75, 0.25]), (RENORMALISED, [0.4375, 0.3125])])
def test_average_of_two_keys_over_the_patterns_at_one_half(source: str, expected: list[float]) -> None:
    assert average(source, [0.75, 0.25], 0.5) == expected


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5])
def test_average_of_dropout_is_the_weight(rate: float) -> None:
    assert average(CORRECTED, [0.5, 0.3, 0.2], rate) == [0.5, 0.3, 0.2]


def test_pattern_and_rate_do_nothing_at_evaluation() -> None:
    assert mixing(CORRECTED, [0.5, 0.3, 0.2], [False, True, False], 0.9, training=False) == [0.5, 0.3, 0.2]


@pytest.mark.parametrize("source", ["starters/interview.py", CORRECTED])
def test_unit_test_of_the_story_cannot_tell(source: str) -> None:
    assert mixing(source, [0.5, 0.3, 0.2], [True, False, True], 0.5) == [1.0, 0.0, 0.4]
