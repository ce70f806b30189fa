"""What came back for samples survives its JSON, within bounds, and is told in numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.report.observed import observed
from grader.report.sample_outputs import NUMBERS_MAX, Kept, SampleOutputs, from_json, to_json

EYE = np.eye(2)
LATE = np.array([[0.75, 0.25], [0.5, 0.5]])


def kept(values: Any, dtype: str = "float64") -> Kept:
    array = np.array(values, dtype)
    return Kept(dtype, array.shape, array)


def sample(*returned: Kept, instead: str | None = None, **changes: Any) -> SampleOutputs:
    made = SampleOutputs(
        case="sample_format",
        entry="head",
        names=("y", "weights"),
        expected=(kept([1.0, 2.0]), kept([[1.0, 0.0], [0.5, 0.5]])),
        zeros=(False, True),
        tolerance=(1e-6, 1e-9),
        raises=None,
        returned=returned if returned else None,
        instead=instead,
    )
    return replace(made, **changes)


def again(made: SampleOutputs) -> SampleOutputs:
    (read,) = from_json(to_json([made]))
    return read


@pytest.mark.parametrize(
    "array",
    [
        kept([0.1, -0.0, np.nan, np.inf, -np.inf, 5e-324]),
        kept([[1, -2]], "int64"),
        kept([True, False], "bool"),
        kept([0.1, np.nan], "float32"),
        kept([0.1], "float16"),
        kept([]),
        kept(3.0),
        kept(np.zeros((3, 0, 2))),
    ],
)
def test_arrays_survive(array: Kept) -> None:
    (read,) = again(sample(array)).returned or ()
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    assert read.values is not None
    assert read.values.dtype == array.dtype
    np.testing.assert_array_equal(read.values, array.values)


def test_all_else_survives() -> None:
    made = again(sample(instead="ValueError", raises="ValueError"))
    plain = ("case", "entry", "names", "zeros", "tolerance", "raises", "returned", "instead")
    assert [getattr(made, name) for name in plain] == [
        "sample_format",
        "head",
        ("y", "weights"),
        (False, True),
        (1e-6, 1e-9),
        "ValueError",
        None,
        "ValueError",
    ]


@pytest.mark.parametrize(("count", "is_kept"), [(NUMBERS_MAX, True), (NUMBERS_MAX + 1, False)])
def test_of_a_large_array_the_shape_is_kept(count: int, is_kept: bool) -> None:
    text = to_json([sample(kept(np.full(count, 0.1)))])
    (read,) = from_json(text)[0].returned or ()
    assert (read.shape, read.values is not None) == ((count,), is_kept)
    assert json.loads(text)[0]["returned"][0]["shape"] == [count]


@pytest.mark.parametrize(
    ("returned", "agrees"),
    [
        ((kept([1.0, 2.0]), kept([[1.0, 0.0], [0.5, 0.5]])), True),
        ((kept([1.0, 2.0 + 1e-7]), kept([[1.0, 0.0], [0.5, 0.5]])), True),
        ((kept([1.0, 2.0]), kept([[1.0, 1e-12], [0.5, 0.5]])), False),  # must be exactly zero
        ((kept([1.0, np.nan]), kept([[1.0, 0.0], [0.5, 0.5]])), False),
        ((kept([1.0]), kept([[1.0, 0.0], [0.5, 0.5]])), False),
        ((kept([1.0, 2.0]), kept([[1.0]])), False),
        ((kept([1.0, 2.0]), kept(1.0)), False),
        ((kept([1.0, 2.0]),), False),
        ((), False),
    ],
)
def test_agreement_is_that_of_judging(returned: tuple[Kept, ...], agrees: bool) -> None:
    assert sample(*returned).agrees is agrees


@pytest.mark.parametrize(
    ("made", "sentences"),
    [
        (
            sample(kept([1.0, 2.0]), kept([[0.75, 0.25], [0.5, 0.5]])),
            [
                "y: all 2 numbers agree on the sample.",
                "weights: 2 of 4 numbers are off on the sample, most of all [0, 0]: 0.750000 in place of 1.00000.",
                "2 of 2 row sums of the weights are 1; they run from 1.000 to 1.000.",
                "0 of 1 weight of hidden keys is exactly 0.",
            ],
        ),
        (
            sample(kept([1.0, 2.0]), kept([[0.5, 0.0], [0.5, np.nan]])),
            [
                "y: all 2 numbers agree on the sample.",
                "weights: 2 of 4 numbers are off on the sample, most of all [1, 1]: NaN in place of 0.500000.",
                "0 of 2 row sums of the weights are 1; they run from 0.500 to 0.500.",
                "1 of 2 column sums is 1; they run from 1.000 to 1.000.",
                "1 of 1 weight of hidden keys is exactly 0.",
                "1 of 4 weights is not finite.",
            ],
        ),
        (
            sample(kept([1.0]), kept(1.0)),
            [
                "y: shape (1,) on the sample where (2,) is expected.",
                "weights: shape () on the sample where (2, 2) is expected.",
            ],
        ),
        (
            sample(Kept("float64", (2,), None), Kept("float64", (2, 2), None)),
            ["y: too many numbers to be kept.", "weights: too many numbers to be kept."],
        ),
        (sample(kept(1.0)), ["Results that came back for the sample: 1; expected: 2."]),
        (sample(instead="ZeroDivisionError"), ["ZeroDivisionError was raised on the sample."]),
        (sample(instead="wrong_type"), ["Something else than plain arrays of numbers came back on the sample."]),
        (sample(), []),
        (sample(raises="ValueError"), []),
    ],
)
def test_what_is_observed_is_numbers(made: SampleOutputs, sentences: list[str]) -> None:
    assert list(observed([made])) == sentences


def test_several_samples_are_told_apart() -> None:
    made = [sample(instead="ValueError"), replace(sample(instead="KeyError"), case="sample_more")]
    assert observed(made) == (
        "sample_format: ValueError was raised on the sample.",
        "sample_more: KeyError was raised on the sample.",
    )
