"""Numbers that the texts of "A trained layer reads what a toy layer does not" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "sentinel-that-leaks"
CORRECTED = "submissions/accepted/corrected.py"


def weights_of(source: str, bias: Any, keep: Any = True, d: int = 1) -> Any:
    """Return the weights that a source of the package computes where queries are zeros and the bias is all there is."""
    bias = np.atleast_2d(np.asarray(bias, dtype=np.float64))
    bias, keep = np.broadcast_to(bias, (bias.shape[1],) * 2).copy(), np.broadcast_to(keep, (bias.shape[1],) * 2).copy()
    zeros = np.zeros((len(bias), d))
    return runpy.run_path(str(PACKAGE / source))["attention"](zeros, zeros, zeros, bias, keep)[1]


@pytest.mark.parametrize(
    ("source", "keep", "row"),
    [
        (CORRECTED, [True, False, True], [0.88, 0.0, 0.12]),
        ("starters/second.py", [True, False, True], [0.0, 1.0, 0.0]),
        (CORRECTED, [True, True, True], [0.26, 0.71, 0.04]),
    ],
)
def test_a_row_near_minus_400000_whose_second_key_is_hidden(source: str, keep: list[bool], row: list[float]) -> None:
    assert weights_of(source, [-400001.0, -400000.0, -400003.0], keep)[0].round(2).tolist() == row


def test_both_real_keys_underflow_beside_the_fill() -> None:
    row = weights_of("starters/second.py", [-400001.0, -400000.0, -400003.0], [True, False, True])[0]

    assert row.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("source", "ratio"), [(CORRECTED, 2981.0), ("starters/first.py", 2.7)])
def test_a_bias_of_8_with_a_key_size_of_64_lifts_a_weight(source: str, ratio: float) -> None:
    row = weights_of(source, [8.0, 0.0], d=64)[0]

    assert round(row[0] / row[1], 0 if ratio > 100 else 1) == ratio


@pytest.mark.parametrize(
    ("bias", "shows"),
    [
        (np.where(np.tri(5, dtype=bool), 0.0, -np.inf), False),
        (np.full((5, 5), 3.0), False),
        (-2.0 * np.abs(np.subtract.outer(np.arange(5), np.arange(5))), True),
        (np.repeat(np.arange(5.0)[:, None], 5, axis=1), False),
    ],
)
def test_a_divided_bias_shows_where_it_varies_within_a_row(bias: Any, shows: bool) -> None:
    agree = np.allclose(weights_of("starters/first.py", bias, d=16), weights_of(CORRECTED, bias, d=16))

    assert agree is not shows


def test_exp_ends_at_minus_746_and_minus_10000_is_zero_beside_small_scores() -> None:
    assert [np.exp(-745.0) > 0, np.exp(-746.0) > 0, np.exp(-10000.0) > 0] == [True, False, False]


def test_a_hidden_weight_30_below_is_1e_minus_13_and_shows_in_a_value_of_1e9() -> None:
    assert float(f"{np.exp(-30.0):.0e}") == 9e-14
    assert float(f"{np.exp(-30.0) * 1e9:.0e}") == 9e-5


def test_half_precision_ends_at_65504_and_1e9_is_infinite() -> None:
    with np.errstate(over="ignore"):
        assert [float(np.finfo(np.float16).max), float(np.float16(1e9))] == [65504.0, np.inf]


def test_the_lowest_half_overflows_when_a_score_of_minus_16_is_added() -> None:
    with np.errstate(over="ignore"):
        sums = [float(np.finfo(np.float16).min + np.float16(score)) for score in (-15.0, -16.0)]

    assert sums == [-65504.0, -np.inf]


def test_added_1e9_leaves_seven_digits_after_the_point() -> None:
    assert float(f"{np.spacing(1e9):.1e}") == 1.2e-7


@pytest.mark.parametrize(
    ("source", "bias", "leaks"),
    [
        ("fill_minus_10000", [-400000.0, 0.0], True),
        ("sentinel_10000_added", [-400000.0, -400000.0], False),
        ("fill_minus_10000", [0.0, 50000.0], False),
        ("sentinel_10000_added", [0.0, 50000.0], True),
    ],
)
def test_filled_and_added_sentinels_leak_on_different_inputs(source: str, bias: list[float], leaks: bool) -> None:
    weights = weights_of(f"submissions/wrong_answer/{source}.py", bias, [True, False])

    assert weights[0].tolist() == ([0.0, 1.0] if leaks else [1.0, 0.0])


def test_single_precision_near_400000_is_0_03_apart() -> None:
    assert round(float(np.spacing(np.float32(400000.0))), 2) == 0.03
