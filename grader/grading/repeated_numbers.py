"""Numbers that stand several times in a stage: a running maximum stays from block to block, many a factor is 1.

Where such a number of a piece belongs cannot be told by its value. The piece may be a slice of the stage; otherwise it
has to come as often as it stands in the stage, and a piece of nothing else proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Repeats:
    """Which numbers of a stage are alike, and how often each has been found.

    Args:
        target: the stage.
        order: the places of its numbers, smallest first.
        tolerance: how near numbers are that are alike: relative, and absolute.
    """

    def __init__(self, target: Floats, order: Places, tolerance: tuple[float, float]) -> None:
        self._target = target
        self._tolerance = tolerance
        numbers = target.ravel()[order]
        with np.errstate(all="ignore"):
            is_new = ~(np.diff(numbers) <= self._bounds(numbers[1:]))
        alike = np.cumsum(np.concatenate([np.zeros(min(1, numbers.size), bool), is_new]))
        self._alike = np.empty(target.size, np.int64)  # by place, the number of those that are alike
        self._alike[order] = alike
        self._often = np.bincount(alike)
        self._found = np.zeros_like(self._often)
        self._sliced = np.zeros(target.shape, bool)

    def _bounds(self, numbers: Floats) -> Floats:
        bounds: Floats = self._tolerance[0] * np.abs(numbers) + self._tolerance[1]
        return bounds

    def are(self, places: Places) -> Mask:
        """Return which of some places hold a number that stands elsewhere as well."""
        found: Mask = self._often[self._alike[places]] > 1
        return found

    def note(self, places: Places) -> None:
        """Count the numbers of a piece as found."""
        np.add.at(self._found, self._alike[places], 1)

    def is_slice(self, piece: Floats) -> bool:
        """Return whether a piece is the stage at some of its axes' positions, and note all places where it is."""
        found = False
        for turned, sliced in self._turned(piece.squeeze().ndim):
            extents = turned.shape[turned.ndim - piece.squeeze().ndim :]
            if extents == piece.squeeze().shape and extents != turned.shape:
                with np.errstate(all="ignore"):
                    is_near = (turned == piece.squeeze()) | (np.abs(turned - piece.squeeze()) <= self._bounds(turned))
                is_like = is_near.all(axis=tuple(range(turned.ndim - len(extents), turned.ndim)), keepdims=True)
                sliced |= is_like
                found |= bool(is_like.any())
        return found

    def _turned(self, ndim: int) -> Iterator[tuple[Any, Any]]:
        """Yield the stage, and the places that are noted, with each choice of axes for a piece at the end."""
        axes = [axis for axis, extent in enumerate(self._target.shape) if extent != 1]
        for kept in combinations(axes, ndim):
            order = [axis for axis in range(self._target.ndim) if axis not in kept] + list(kept)
            yield self._target.transpose(order), self._sliced.transpose(order)

    @property
    def covered(self) -> Mask:
        """The places of slices, and those whose number was found as often as it stands elsewhere in the stage."""
        sliced = self._sliced.ravel()
        left = self._often - np.bincount(self._alike[sliced], minlength=self._often.size)
        found: Mask = sliced | (self._found >= left)[self._alike]
        return found
