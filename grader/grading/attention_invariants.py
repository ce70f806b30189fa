"""Names the first wrong stage of an attention layer from the returned pair alone, where a relation between them tells.

Weights that are right put the fault behind them; an output that follows from wrong weights puts it at or before them.
Logarithms of weights are scores up to a constant for each row, so that their pattern tells scale, mask and normaliser.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.attention_trace import Layer, is_linear, is_near

Floats = npt.NDArray[np.float64]
_NEAR: Final = 1e-6
_FREE_MIN: Final = 3  # differences within rows that one factor has to explain


def stage_of(layer: Layer) -> str | None:
    """Return the first wrong stage, None where no relation holds that would tell."""
    weights, y = layer.weights, layer.y
    if weights is None or not np.isfinite(weights).all():
        return None
    output_right = is_near(y, layer.stages["output"])
    if is_near(weights, layer.stages["weights"]):
        return None if output_right or y is None else behind_weights(layer, y, layer.stages["weights"])
    if output_right:
        return "weights"
    return _before_weights(layer, weights) if is_near(y, layer.output_of(weights)) else None


def behind_weights(layer: Layer, y: Floats, weights: Floats) -> str | None:
    """Return the stage behind the weights that an output is wrong by, undone step by step through weights as used."""
    if not np.isfinite(y).all():
        return None
    with np.errstate(all="ignore"):
        mixture = weights @ layer.stages["values"]
    if np.isfinite(mixture).all() and is_linear(layer.merged(mixture), y):
        return "output"
    matrix = layer.matrices["w_o"]
    if np.linalg.matrix_rank(matrix) < len(matrix):
        return None
    mixed = y @ np.linalg.pinv(matrix)
    if not np.allclose(mixed @ matrix, y, rtol=_NEAR, atol=_NEAR):
        return None
    items, n_heads, tokens, width = layer.stages["mixed_values"].shape
    heads = mixed.reshape(items, tokens, n_heads, width).transpose(0, 2, 1, 3)
    if np.abs(np.diagonal(weights, axis1=-2, axis2=-1)).min() < 1e-9:
        return None  # the mixture cannot be undone
    try:
        values: Floats = np.linalg.solve(weights, heads).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    return "values" if is_linear(layer.tokens, layer.merged(values)) else "mixed_values"


def _before_weights(layer: Layer, weights: Floats) -> str | None:
    """Say from the pattern of the weights' logarithms what was done to the scores."""
    scores, forbidden = layer.stages["scores"], layer.forbidden
    with np.errstate(all="ignore"):
        logits = np.log(weights)
    seen = np.isfinite(logits)
    sums = weights.sum(axis=-1)
    rows_sum = bool(np.allclose(sums, 1.0, atol=_NEAR))
    follows = _is_constant(logits - scores, seen)
    leaks = bool((weights[forbidden] > 0).any())
    closed = bool((weights[~forbidden] == 0).any())
    if follows and rows_sum:
        return "masked_scores" if leaks or closed else None
    if follows and not leaks:
        return "weights"
    if np.allclose(weights.sum(axis=-2), 1.0, atol=_NEAR):
        return "weights"
    return "scores" if rows_sum and not leaks and _is_scaled(logits, scores, seen) else None


def _is_constant(differences: Floats, seen: npt.NDArray[np.bool_]) -> bool:
    """Whether differences are one number in each row, where they are seen."""
    low = np.where(seen, differences, np.inf).min(axis=-1)
    high = np.where(seen, differences, -np.inf).max(axis=-1)
    usable = np.isfinite(low) & np.isfinite(high)
    return bool(usable.all() and (high - low <= _NEAR * (1.0 + np.abs(low))).all())


def _is_scaled(logits: Floats, scores: Floats, seen: npt.NDArray[np.bool_]) -> bool:
    """Whether logits are a multiple of the scores, up to a constant for each row; two numbers always are."""
    counts = seen.sum(axis=-1, keepdims=True)
    if np.maximum(counts - 1, 0).sum() < _FREE_MIN:
        return False
    mine = np.where(seen, logits, 0.0)
    right = np.where(seen, scores, 0.0)
    mine = np.where(seen, mine - mine.sum(axis=-1, keepdims=True) / counts, 0.0)
    right = np.where(seen, right - right.sum(axis=-1, keepdims=True) / counts, 0.0)
    norm = float((right * right).sum())
    if norm == 0.0:
        return False
    factor = float((mine * right).sum()) / norm
    is_multiple = bool(np.abs(mine - factor * right).max() <= _NEAR * (1.0 + np.abs(mine).max()))
    return is_multiple and bool(np.abs(factor * right).max() > _NEAR)  # an even spread is no multiple of anything
