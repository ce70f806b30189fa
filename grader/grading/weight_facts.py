"""What attention weights show without a single one of them being told: sums of rows and columns, leaks, as counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

SUM_TOLERANCE: Final = 1e-6
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class WeightFacts:
    """How many rows and columns sum to 1, and how many hidden keys still get weight."""

    rows: int
    rows_of_one: int
    columns: int
    columns_of_one: int
    hidden: int  # cells that must be exactly zero
    leaks: int  # those of them that are not
    nonfinite: int

    @property
    def is_off(self) -> bool:
        """Whether anything of it could not be so in a right layer."""
        return self.rows_of_one < self.rows or self.leaks > 0 or self.nonfinite > 0


def weight_facts(weights: npt.NDArray[Any], hidden: Mask | None) -> WeightFacts:
    """Count over (..., queries, keys) weights; `hidden` is (queries, keys), True where a key may not be read."""
    with np.errstate(all="ignore"):
        numbers = weights.astype(np.float64)
        rows, columns = numbers.sum(axis=-1), numbers.sum(axis=-2)
        boards = int(np.prod(weights.shape[:-2]))
        return WeightFacts(
            rows=rows.size,
            rows_of_one=_ones(rows),
            columns=columns.size,
            columns_of_one=_ones(columns),
            hidden=boards * int(hidden.sum()) if hidden is not None else 0,
            leaks=int((numbers[..., hidden] != 0).sum()) if hidden is not None else 0,
            nonfinite=int((~np.isfinite(numbers)).sum()),
        )


def hidden_keys(masked_scores: npt.NDArray[Any]) -> Mask | None:
    """Return where scores are masked, (queries, keys); None where items or heads differ in it."""
    if masked_scores.ndim < 2 or masked_scores.size == 0:
        return None
    hidden = np.isneginf(masked_scores).reshape(-1, *masked_scores.shape[-2:])
    first: Mask = hidden[0]
    return first if bool((hidden == first).all()) else None


def _ones(sums: Floats) -> int:
    return int((np.abs(sums - 1.0) <= SUM_TOLERANCE).sum())
