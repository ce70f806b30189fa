"""Numbers that are told as different look different, and are given with the same care."""

from __future__ import annotations

import math

import pytest

from grader.report.numbers import measured, told_apart


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        (20100.0, 20000.0, ("20100.0", "20000.0")),
        (2e-7, 1e-7, ("2.00000e−07", "1.00000e−07")),
        (0.75, 1.0, ("0.750000", "1.00000")),
        (1.0000004, 1.0, ("1.0000004", "1.0000000")),
        (1e6, 1e6 + 2**-30, ("1000000.000000000", "1000000.000000001")),
        (math.nextafter(0.1, 1), 0.1, ("0.10000000000000002", "0.10000000000000001")),
        (-123456.0, 123456.0, ("−123456", "123456")),
        (-0.0, 0.0, ("0", "0")),
        (0.0, 1e-300, ("0", "1.00000e−300")),
        (math.nan, math.inf, ("NaN", "∞")),
        ("-inf", 2.0, ("−∞", "2.00000")),
    ],
)
def test_numbers_that_differ_look_different(one: float | str, other: float | str, texts: tuple[str, str]) -> None:
    assert told_apart(one, other) == texts


@pytest.mark.parametrize(
    ("value", "text"), [(5.857, "5.86"), (-0.00012345, "−0.000123"), ("inf", "∞"), (0, "0"), (2e-7, "2e−07")]
)
def test_an_error_has_a_few_digits(value: float | str, text: str) -> None:
    assert measured(value, 3) == text
