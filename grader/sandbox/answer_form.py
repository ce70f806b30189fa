"""Reads quickly the answers that look like an expected one: all of their bytes but the numbers are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.sandbox.wire import encode_parts

Floats = npt.NDArray[np.float64]


class AnswerForm:
    """The form of the answers whose outputs are float64 arrays of given shapes.

    Any eight bytes are a float64, so that nothing is left to check once the bytes before each array are those of the
    form; answers of another form are for `wire.decode_answer`.
    """

    def __init__(self, outputs: Sequence[npt.NDArray[np.generic]]) -> None:
        """Take the form of an answer with these outputs, one at least."""
        parts = encode_parts([len(outputs) > 1, len(outputs), list(outputs)])
        *head, first = parts[: 1 - 2 * len(outputs)]
        headers = [b"".join((*head, first)), *parts[len(head) + 2 :: 2]]  # each array's bytes follow its header
        self._is_read = all(output.dtype == np.float64 for output in outputs)
        self._size = sum(map(len, parts))
        self._shapes = [output.shape for output in outputs]
        self._counts = [output.size for output in outputs]
        self._ends = [0, *accumulate(self._counts)]
        self._headers, at = [], 0
        for header, output in zip(headers, outputs, strict=True):
            self._headers.append((header, at))
            at += len(header) + output.nbytes

    def flat(self, answer: bytes) -> Floats | None:
        """Return the numbers of all outputs one after the other; None where an answer has another form."""
        if len(answer) != self._size or not self._is_read:
            return None
        if not all(answer.startswith(header, at) for header, at in self._headers):
            return None
        places = zip(self._headers, self._counts, strict=True)
        return np.concatenate(
            [np.frombuffer(answer, np.float64, count, at + len(header)) for (header, at), count in places]
        )

    def outputs(self, flat: Floats) -> tuple[Floats, ...]:
        """Return the outputs, as views of their numbers."""
        return tuple(part.reshape(shape) for part, shape in zip(self.parts(flat), self._shapes, strict=True))

    def parts(self, flat: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Return each output's share of something that goes along with their numbers."""
        return [flat[start:end] for start, end in pairwise(self._ends)]
