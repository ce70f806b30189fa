"""The ways in which one array is another: its axes in another order, neighbours merged, or one cut into several."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def views(array: Floats, target: Floats, tolerance: tuple[float, float]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield each way in which an array is the target with axes permuted and neighbours merged: its axes' groups.

    Where axes are cut in pieces, only the target's own order counts: heads in groups, members beside their tokens.
    """
    shape = [extent for extent in array.shape if extent != 1]
    axes = [axis for axis, extent in enumerate(target.shape) if extent != 1]
    if _is_regrouped(shape, [target.shape[axis] for axis in axes]):
        if _is_close(array.ravel(), target.ravel(), tolerance):
            yield tuple((axis,) for axis in axes)
        return
    for order in permutations(axes):
        groups = _grouped([target.shape[axis] for axis in order], shape)
        if groups is None:
            continue
        turned = target.transpose([*order, *(axis for axis in range(target.ndim) if axis not in order)])
        if _is_close(array.reshape(shape), turned.reshape(shape), tolerance):
            position = iter(order)
            yield tuple(tuple(next(position) for _ in range(count)) for count in groups)


def _is_regrouped(shape: list[int], extents: list[int]) -> bool:
    """Whether a shape has axes of others in pieces: all of them, or some between the first and the last."""
    if len(shape) > len(extents):
        return _grouped(shape, extents) is not None
    ends = len(shape) > 2 and (shape[0], shape[-1]) == (extents[0], extents[-1])
    return ends and sorted(shape) != sorted(extents) and _grouped(extents, shape) is None


def _grouped(extents: list[int], shape: list[int]) -> list[int] | None:
    """Return how many neighbouring extents make up each of `shape`, None where they do not."""
    counts, at = [], 0
    for wanted in shape:
        product = count = 0
        while at < len(extents) and (count == 0 or product < wanted):
            product = product * extents[at] if count else extents[at]
            count += 1
            at += 1
        if product != wanted:
            return None
        counts.append(count)
    return counts if at == len(extents) else None


def _is_close(one: Floats, other: Floats, tolerance: tuple[float, float]) -> bool:
    with np.errstate(all="ignore"):
        finite = np.isfinite(other)
        scale = float(np.abs(other[finite]).max(initial=0.0))
        if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
            return False
        rtol, atol = tolerance
        return bool((np.abs(one[finite] - other[finite]) <= rtol * np.abs(other[finite]) + atol * scale).all())
