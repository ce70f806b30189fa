"""Numbers that the texts of "NaN for one model only" state."""

from __future__ import annotations

import runpy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "stable-softmax"
CORRECTED = "submissions/accepted/corrected.py"


def softmax_of(source: str, scores: Any) -> Any:
    """Return what a source of the package makes of scores."""
    with np.errstate(all="ignore"):
        return runpy.run_path(str(PACKAGE / source))["softmax"](np.asarray(scores))


def fractions(rows: list[list[str]]) -> Any:
    """Return a matrix that is written in fractions."""
    return np.array([[float(Fraction(cell)) for cell in row] for row in rows])


@pytest.mark.parametrize(
    ("source", "weights"),
    [
        (CORRECTED, [["1/4", "3/4"], ["1/2", "1/2"]]),
        ("starters/interview.py", [["1/4", "3/8"], ["1", "1/2"]]),
    ],
)
def test_exponentials_1_3_and_4_4_become(source: str, weights: list[list[str]]) -> None:
    assert softmax_of(source, np.log([[1.0, 3.0], [4.0, 4.0]])) == pytest.approx(fractions(weights), rel=1e-12)


@pytest.mark.parametrize(
    ("axis", "weights"),
    [(0, [["1/5", "3/7"], ["4/5", "4/7"]]), (None, [["1/12", "1/4"], ["1/3", "1/3"]])],
)
def test_exponentials_1_3_and_4_4_divided_by_other_sums(axis: int | None, weights: list[list[str]]) -> None:
    exponentials = np.array([[1.0, 3.0], [4.0, 4.0]])

    assert exponentials / exponentials.sum(axis=axis) == pytest.approx(fractions(weights), rel=1e-12)


def test_exp_ends_between_709_and_710_and_at_minus_746() -> None:
    with np.errstate(over="ignore"):
        found = [np.exp(709.0) < np.inf, np.exp(710.0) < np.inf, np.exp(-745.0) > 0, np.exp(-746.0) > 0]

    assert found == [True, False, True, False]


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 88.72), (np.float16, 11.09)])
def test_exp_of_smaller_types_ends_at(dtype: type[np.floating[Any]], limit: float) -> None:
    assert round(float(np.log(np.float64(np.finfo(dtype).max))), 2) == limit


def test_neighbours_of_1000_are_a_half_apart_in_half_precision() -> None:
    assert float(np.spacing(np.float16(999.0))) == 0.5


def test_replaced_nan_takes_the_weight_of_the_key_that_overflowed() -> None:
    row = [1000.0, 0.0]

    assert softmax_of(CORRECTED, row).tolist() == [1.0, 0.0]
    assert softmax_of("submissions/wrong_answer/overflow_hidden.py", row).tolist() == [0.0, 0.0]


def test_clipping_makes_60_and_80_weigh_the_same() -> None:
    assert softmax_of("submissions/wrong_answer/scores_clipped_at_50.py", [60.0, 80.0]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("shape", "outcome"), [((6,), "right"), ((1, 5), "right"), ((4, 4, 4), "wrong"), ((4, 7), "raises")]
)
def test_a_sum_without_its_axis_is(shape: tuple[int, ...], outcome: str) -> None:
    scores = np.random.default_rng(5).normal(size=shape)
    try:
        agrees = np.allclose(softmax_of("starters/second.py", scores), softmax_of(CORRECTED, scores))
    except ValueError:
        found = "raises"
    else:
        found = "right" if agrees else "wrong"

    assert found == outcome


@pytest.mark.parametrize(("shift", "finite"), [("mean", False), ("1000", True), ("smallest", False), ("0", False)])
def test_only_the_maximum_serves_1000_998_and_a_hidden_key(shift: str, finite: bool) -> None:
    row = np.array([1000.0, 998.0, -np.inf])
    number = {"mean": row.mean(), "1000": 1000.0, "smallest": row.min(), "0": 0.0}[shift]
    with np.errstate(all="ignore"):
        exponentials = np.exp(row - number)
        weights = exponentials / exponentials.sum()

    assert bool(np.isfinite(weights).all()) is finite
