"""The quick reading of answers: what it reads is what the strict parser reads, to the byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grader.sandbox.answer_form import AnswerForm
from grader.sandbox.wire import WireError, decode_answer, encode

EXPECTED: list[list[npt.NDArray[Any]]] = [
    [np.arange(6.0).reshape(2, 3)],
    [np.arange(6.0).reshape(2, 3), np.arange(2.0)],
    [np.zeros((0, 3)), np.arange(4.0).reshape(1, 2, 2), np.array(7.5)],
    [np.zeros((0, 3)), np.zeros((2, 0))],
]


def answer(outputs: list[npt.NDArray[Any]]) -> bytes:
    return encode([len(outputs) > 1, len(outputs), outputs])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda outputs: str([output.shape for output in outputs]))
def test_numbers_and_precision_are_those_that_came(expected: list[npt.NDArray[Any]], dtype: type[Any]) -> None:
    sent = [np.asarray((output + 0.25).astype(dtype)) for output in expected]
    form = AnswerForm(expected)
    flat = form.flat(answer(sent))
    assert flat is not None
    came = form.outputs(flat)
    assert [(array.dtype, array.shape, array.tobytes()) for array in came] == [
        (array.dtype, array.shape, array.tobytes()) for array in sent
    ]


@pytest.mark.parametrize(
    "sent",
    [
        [np.zeros((3, 2)), np.zeros(2)],
        [np.zeros((2, 3)), np.zeros(2, np.float32)],
        [np.zeros((2, 3), np.int64), np.zeros(2, np.int64)],
        [np.zeros((2, 3), np.float16), np.zeros(2, np.float16)],
        [np.zeros((2, 3))],
        [np.zeros((2, 3)), np.zeros(2), np.zeros(2)],
    ],
    ids=["other shape", "two precisions", "integers", "half precision", "one too few", "one too many"],
)
def test_another_form_is_left_to_the_strict_parser(sent: list[npt.NDArray[Any]]) -> None:
    assert AnswerForm(EXPECTED[1]).flat(answer(sent)) is None


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_changed_byte_is_read_differently(dtype: type[Any]) -> None:
    form = AnswerForm(EXPECTED[1])
    right = answer([output.astype(dtype) for output in EXPECTED[1]])
    for place in range(len(right)):
        for change in (1, 4, 128):
            changed = right[:place] + bytes([right[place] ^ change]) + right[place + 1 :]
            flat = form.flat(changed)
            if flat is not None:
                came = [(array.dtype, array.shape, array.tobytes()) for array in form.outputs(flat)]
                _, _, strict = decode_answer(changed)
                assert came == [(array.dtype, array.shape, array.tobytes()) for array in strict]  # type: ignore[union-attr]
            else:
                try:
                    _, _, strict = decode_answer(changed)
                except WireError:
                    continue
                assert [array.dtype for array in strict] != [dtype] * 2 or [a.shape for a in strict] != [(2, 3), (2,)]  # type: ignore[union-attr]
