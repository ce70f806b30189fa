"""Reads quickly the answers that look like an expected one: all of their bytes but the numbers are known beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.sandbox.wire import encode_parts

Floats = npt.NDArray[np.floating[Any]]
_DTYPES: Final = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass(frozen=True)
class _Layout:
    """Where an answer's numbers are, when all of its outputs have one dtype."""

    dtype: np.dtype[np.floating[Any]]
    size: int  # bytes of the answer
    arrays: tuple[tuple[bytes, int, int], ...]  # what stands before each output's numbers, and where; their count

    @classmethod
    def of(cls, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[np.floating[Any]]) -> _Layout:
        parts = encode_parts([len(shapes) > 1, len(shapes), [np.zeros(shape, dtype) for shape in shapes]])
        *head, first = parts[: 1 - 2 * len(shapes)]
        texts = [b"".join((*head, first)), *parts[len(head) + 2 :: 2]]  # each array's bytes follow its header
        sizes = [len(text) + len(numbers) for text, numbers in zip(texts, parts[len(head) + 1 :: 2], strict=True)]
        places = accumulate(sizes, initial=0)
        return cls(dtype, sum(sizes), tuple(zip(texts, places, map(math.prod, shapes), strict=False)))

    def flat(self, answer: bytes) -> Floats | None:
        """Return the numbers of all outputs one after the other; None where an answer has another form."""
        if len(answer) != self.size:
            return None
        numbers = []
        for header, at, count in self.arrays:
            if not answer.startswith(header, at):
                return None
            numbers.append(np.frombuffer(answer, self.dtype, count, at + len(header)))
        return np.concatenate(numbers)


class AnswerForm:
    """The form of the answers whose outputs are float arrays of given shapes, all of double or of single precision.

    Any eight bytes are a float64 and any four a float32, so that nothing is left to check once the bytes before each
    array are those of the form; answers of another form are for `wire.decode_answer`.
    """

    def __init__(self, outputs: Sequence[npt.NDArray[np.generic]]) -> None:
        """Take the form of an answer with these outputs, one at least."""
        shapes = [output.shape for output in outputs]
        ends = accumulate((output.size for output in outputs), initial=0)
        self._parts = [(start, end, shape) for (start, end), shape in zip(pairwise(ends), shapes, strict=True)]
        is_read = all(output.dtype == np.float64 for output in outputs)
        self._layouts = [_Layout.of(shapes, dtype) for dtype in _DTYPES] if is_read else []

    def flat(self, answer: bytes) -> Floats | None:
        """Return the numbers of all outputs one after the other; None where an answer has another form."""
        for layout in self._layouts:
            if (flat := layout.flat(answer)) is not None:
                return flat
        return None

    def outputs(self, flat: Floats) -> tuple[Floats, ...]:
        """Return the outputs, as views of their numbers."""
        return tuple([flat[start:end].reshape(shape) for start, end, shape in self._parts])
