"""Numbers that the answers of heads-never-mix state."""

from __future__ import annotations

import numpy as np


def causal_weights(axis: int) -> np.ndarray:
    """Return the weights of one head with five tokens, normalised along an axis."""
    scores = np.where(np.tri(5, dtype=bool), np.random.default_rng(7).normal(size=(5, 5)), -np.inf)
    weights = np.exp(scores)
    return np.asarray(weights / weights.sum(axis=axis, keepdims=True))


def test_over_the_keys_rows_sum_to_1_and_columns_to_anything() -> None:
    weights = causal_weights(-1)
    assert np.allclose(weights.sum(axis=-1), 1.0)
    assert weights.sum(axis=-2).max() > 1.3
    assert weights.sum(axis=-2).min() < 0.5


def test_over_the_queries_columns_sum_to_1_and_the_last_key_keeps_weight_1() -> None:
    weights = causal_weights(-2)
    assert np.allclose(weights.sum(axis=-2), 1.0)
    assert weights[4, 4] == 1.0
    assert weights[0, 0] < 1.0  # the first token can read itself alone, so its right weight is 1


def test_each_block_of_rows_reads_one_head() -> None:
    heads, size = 3, 2
    merged = np.arange(1.0, 1 + heads * size)
    w_o = np.random.default_rng(1).normal(size=(heads * size, 4))
    parts = [merged[h * size : (h + 1) * size] @ w_o[h * size : (h + 1) * size] for h in range(heads)]
    assert np.allclose(sum(parts), merged @ w_o)


def test_a_wrong_width_under_the_root_raises_ratios_to_the_power_of_one_over_the_root_of_the_heads() -> None:
    heads, size = 4, 3
    products = np.array([1.3, -0.4])
    right, wrong = np.exp(products / np.sqrt(size)), np.exp(products / np.sqrt(heads * size))
    assert np.isclose(wrong[0] / wrong[1], (right[0] / right[1]) ** (1 / np.sqrt(heads)))
