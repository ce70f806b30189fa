"""Numbers that the texts of "Worse with every word" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "alibi-slopes"
CORRECTED = "submissions/accepted/corrected.py"
ONE_SERIES = "submissions/wrong_answer/one_series_for_all.py"
NEXT_POWER = "submissions/wrong_answer/next_power_cut.py"
SORTED = "submissions/wrong_answer/slopes_sorted.py"
FROM_ZERO = "submissions/wrong_answer/exponents_from_zero.py"


def bias_of(source: str, n_heads: int, tokens: int) -> Any:
    """Return the bias that a source of the package computes."""
    return runpy.run_path(str(PACKAGE / source))["alibi_bias"](n_heads, tokens)


def exponents_of(source: str, n_heads: int) -> list[float]:
    """Return the logarithms to base 2 of a source's slopes, rounded to six digits."""
    slopes = -bias_of(source, n_heads, 2)[:, 1, 0]
    return [round(float(exponent), 6) for exponent in np.log2(slopes)]


def test_eight_heads_have_a_half_to_a_256th() -> None:
    assert exponents_of(CORRECTED, 8) == [-1, -2, -3, -4, -5, -6, -7, -8]


def test_twelve_heads_begin_like_eight_and_take_every_second_slope_of_sixteen() -> None:
    twelve, eight, sixteen = (exponents_of(CORRECTED, heads) for heads in (12, 8, 16))

    assert twelve == [-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5]
    assert (twelve[:8], twelve[8:]) == (eight, sixteen[0::2][:4])
    assert (round(2**-0.5, 3), round(2**-3.5, 3)) == (0.707, 0.088)


def test_one_series_for_twelve_shares_four_numbers_with_the_model_and_no_place() -> None:
    right, one = exponents_of(CORRECTED, 12), exponents_of(ONE_SERIES, 12)

    assert [number for number, exponent in enumerate(one, 1) if exponent in right] == [3, 6, 9, 12]
    assert [a == b for a, b in zip(one, right, strict=True)] == [False] * 12
    assert (one[0], one[8], one[11]) == (round(-2 / 3, 6), -6.0, -8.0)


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_one_series_is_right_for_powers_of_two(heads: int) -> None:
    assert exponents_of(ONE_SERIES, heads) == exponents_of(CORRECTED, heads)


def test_no_head_of_twelve_keeps_its_slope_when_they_are_sorted() -> None:
    right, tidy = exponents_of(CORRECTED, 12), exponents_of(SORTED, 12)

    assert [a == b for a, b in zip(tidy, right, strict=True)] == [False] * 12
    assert (tidy[0], tidy[1]) == (right[8], right[0])


def test_next_power_cut_ends_at_a_64th_which_two_heads_lie_below() -> None:
    right, cut = exponents_of(CORRECTED, 12), exponents_of(NEXT_POWER, 12)

    assert (cut[0], cut[1], cut[-1]) == (-0.5, -1.0, -6.0)
    assert sum(exponent < cut[-1] for exponent in right) == 2


@pytest.mark.parametrize(("heads", "factor"), [(8, 2.0), (16, 2**0.5)])
def test_exponents_from_zero_enlarge_each_slope_by(heads: int, factor: float) -> None:
    ratio = bias_of(FROM_ZERO, heads, 2)[:, 1, 0] / bias_of(CORRECTED, heads, 2)[:, 1, 0]

    assert ratio == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("heads", [3, 12, 100])
def test_no_two_heads_agree_and_the_flattest_is_a_256th(heads: int) -> None:
    exponents = exponents_of(CORRECTED, heads)

    assert (len(set(exponents)), min(exponents)) == (heads, -8.0)


@pytest.mark.parametrize("source", ["key_position_alone", "distance_from_one"])
def test_weights_of_a_layer_forgive(source: str) -> None:
    scores = np.random.default_rng(8).normal(size=(12, 5, 5))

    def weights(bias: Any) -> Any:
        exponentials = np.exp(scores + bias) * np.tri(5)
        return exponentials / exponentials.sum(axis=-1, keepdims=True)

    wrong = bias_of(f"submissions/wrong_answer/{source}.py", 12, 5)

    assert weights(wrong) == pytest.approx(weights(bias_of(CORRECTED, 12, 5)), rel=1e-12)


def test_slope_of_a_half_is_a_sixteenth_before_the_scale_of_64_features() -> None:
    assert 0.5 / np.sqrt(64) == 1 / 16
