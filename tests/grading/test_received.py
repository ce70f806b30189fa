"""Answers decoded: quickly where they look as expected, strictly otherwise, and to the same arrays either way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from grader.grading.received import Received
from grader.problems.cases import Case
from grader.sandbox.wire import WireError, decode_answer, encode

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
OUTPUTS = st.lists(
    arrays(np.float64, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4), elements=FLOATS),
    min_size=1,
    max_size=3,
)

PRECISIONS = st.sampled_from([np.dtype(np.float64), np.dtype(np.float32)])


def case_of(expected: list[Any]) -> Case:
    outputs = tuple(np.asarray(array) for array in expected)
    return Case("secret_a", "f", {}, {}, outputs, None, (1e-6, 1e-9), (False,) * len(outputs))


def answer_of(outputs: list[Any]) -> bytes:
    return encode([len(outputs) > 1, len(outputs), [np.asarray(each) for each in outputs]])


def bits(arrays: Any) -> list[tuple[str, tuple[int, ...], bytes]]:
    return [(each.dtype.str, each.shape, each.tobytes()) for each in arrays if isinstance(each, np.ndarray)]


def told(received: Received) -> Any:
    return received.broken or (received.is_sequence, received.count, bits(received.items))


def strictly(data: bytes) -> Any:
    try:
        is_sequence, count, items = decode_answer(data)
    except WireError as error:
        return str(error)
    return is_sequence, count, bits(items)


@given(OUTPUTS, OUTPUTS)
def test_any_answer_is_read_as_the_strict_parser_reads_it(expected: list[Any], returned: list[Any]) -> None:
    data = answer_of(returned)
    received = Received.of(case_of(expected), data)
    assert told(received) == strictly(data)
    assert bits(received.outcome) == bits(returned)


@given(OUTPUTS, PRECISIONS, st.randoms(use_true_random=False))
def test_numbers_of_the_expected_form_are_those_that_came(expected: list[Any], dtype: Any, random: Any) -> None:
    returned = [
        np.frombuffer(random.randbytes(array.size * dtype.itemsize), dtype).reshape(array.shape) for array in expected
    ]
    received = Received.of(case_of(expected), answer_of(returned))
    assert bits(received.items) == bits(returned)
    if not received.is_expected:
        assert received.flat is not None
        assert received.flat.tobytes() == b"".join(array.tobytes() for array in returned)


@given(OUTPUTS, PRECISIONS, st.data())
def test_a_changed_byte_is_read_strictly(expected: list[Any], dtype: Any, data: st.DataObject) -> None:
    with np.errstate(all="ignore"):  # a number beyond single precision
        answer = bytearray(answer_of([array.astype(dtype) for array in expected]))
    at = data.draw(st.integers(0, len(answer) - 1))
    answer[at] = data.draw(st.integers(0, 255))
    received = Received.of(case_of(expected), bytes(answer))
    assert told(received) == strictly(bytes(answer))


OTHER_FORMS: dict[str, list[Any]] = {
    "half precision": [np.ones((2, 3), np.float16)],
    "single precision in another shape": [np.ones((3, 2), np.float32)],
    "transposed": [np.ones((3, 2))],
    "integers of as many bytes": [np.ones((2, 3), np.int64)],
    "two of them": [np.ones((2, 3)), np.ones((2, 3))],
}


def test_two_precisions_are_left_to_the_strict_parser() -> None:
    returned = [np.ones((2, 3), np.float32), np.ones(2)]
    received = Received.of(case_of([np.zeros((2, 3)), np.zeros(2)]), answer_of(returned))
    assert received.flat is None
    assert bits(received.items) == bits(returned)


@pytest.mark.parametrize("returned", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_another_form_is_not_read_as_the_expected_one(returned: list[Any]) -> None:
    received = Received.of(case_of([np.zeros((2, 3))]), answer_of(returned))
    assert received.flat is None
    assert bits(received.items) == bits(returned)
