"""Numbers that the texts of "Right for short texts and narrow heads" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "half-precision-sums"
CORRECTED = "submissions/accepted/corrected.py"


def answer(source: str, q: Any, k: Any, v: Any) -> Any:
    """Return what a source of the package makes of inputs."""
    attend = runpy.run_path(str(PACKAGE / source))["attention_fp16"]
    with np.errstate(all="ignore"):
        return np.asarray(attend(*(np.asarray(array, dtype=np.float32) for array in (q, k, v))))


def even(source: str, values: Any) -> float:
    """Return what a source answers one query whose keys all weigh the same."""
    values = np.asarray(values, dtype=np.float32)
    return float(answer(source, np.zeros((1, 1)), np.ones((len(values), 1)), values[:, None])[0, 0])


@pytest.mark.parametrize(("dtype", "limit"), [(np.float16, 2048.0), (np.float32, 16777216.0)])
def test_adding_one_stops_at(dtype: type[np.floating[Any]], limit: float) -> None:
    assert float(dtype(limit) + dtype(1)) == limit
    assert float(dtype(limit - 1) + dtype(1)) == limit


def test_bfloat16_has_eight_digits_so_that_it_stops_at_256_and_is_a_16th_apart_near_10() -> None:
    step_at = {number: 2.0 ** (np.floor(np.log2(number)) - 7) for number in (255.0, 256.0, 10.0)}

    assert step_at == {255.0: 1.0, 256.0: 2.0, 10.0: 1 / 16}


def test_4500_ones_add_up_to_2048_though_4500_is_a_half_precision_number() -> None:
    total = np.float16(0)
    for _ in range(4500):
        total += np.float16(1)

    assert [float(total), float(np.float16(4500))] == [2048.0, 4500.0]


def test_256_entries_of_60_overflow_before_they_are_divided() -> None:
    row = np.full((1, 256), 60, dtype=np.float16)
    with np.errstate(over="ignore"):
        score = (row @ row.T / np.float16(16))[0, 0]

    exact = float((row.astype(float) @ row.T.astype(float))[0, 0])
    assert [float(score), exact, exact / 16, 65504 / 16] == [np.inf, 921600.0, 57600.0, 4094.0]


def test_queries_scaled_first_fit_and_neighbours_are_32_apart() -> None:
    row = np.full((1, 256), 60, dtype=np.float16)
    score = (row / np.float16(16) @ row.T)[0, 0]

    assert [float(score), float(np.spacing(np.float16(57600)))] == [57600.0, 32.0]


def test_neighbours_of_10_are_a_128th_apart_which_is_0_4_percent_of_an_exponential() -> None:
    spacing = float(np.spacing(np.float16(10)))

    assert spacing == 2.0**-7
    assert round(100 * float(np.expm1(spacing / 2)), 1) == 0.4


def test_the_end_of_half_precision() -> None:
    assert float(np.finfo(np.float16).max) == 65504.0


@pytest.mark.parametrize("source", [CORRECTED, "starters/second.py"])
def test_equal_values_hide_a_sum_that_stopped(source: str) -> None:
    assert even(source, np.ones(5000)) == 1.0


@pytest.mark.parametrize(
    ("source", "mean"),
    [(CORRECTED, 0.5), ("starters/second.py", 1.0)],  # the sum of the weights stops at 2048, that of the values later
)
def test_values_that_differ_from_end_to_end_show_it(source: str, mean: float) -> None:
    values = np.repeat([0.0, 1.0], [2048, 2048])

    assert even(source, values) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize(("source", "is_nan"), [(CORRECTED, False), ("starters/first.py", True)])
def test_a_wide_head_is_nan_in_half_precision_alone(source: str, is_nan: bool) -> None:
    row = np.full((1, 256), 60.0)

    assert bool(np.isnan(answer(source, row, row, np.ones((1, 1)))[0, 0])) is is_nan


def test_casting_up_turns_one_infinity_into_another() -> None:
    assert float(np.float32(np.float16(np.inf))) == np.inf
