"""Numbers that the texts of "A few points below the benchmark" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "qk-norm"
CORRECTED = "submissions/accepted/corrected.py"
OVER_HEADS = "starters/first.py"


def weights_of(source: str, q: Any, k: Any, g_q: Any = None, g_k: Any = None) -> Any:
    """Return the weights (B, H, T, T) that a source computes; gains are 1 where none are given."""
    attend = runpy.run_path(str(PACKAGE / source))["attention"]
    one = np.ones(q.shape[-1])
    return attend(q, k, q, one if g_q is None else g_q, one if g_k is None else g_k)[1]


def difference_of_scores(weights: Any) -> Any:
    """Return by how much key 1 leads key 0 in the second row of each head."""
    return np.log(weights[0, :, 1, 1] / weights[0, :, 1, 0])


def of_lengths(*roots: float) -> Any:
    """Return two tokens (1, H, 2, 2) of orthogonal vectors, with one root mean square for each head."""
    vectors = np.array([[1.0, 1.0], [1.0, -1.0]])
    return np.array(roots)[None, :, None, None] * vectors


def test_common_norm_of_heads_1_5_and_02_multiplies_scores() -> None:
    lengths = of_lengths(1.0, 5.0, 0.2)
    right, common = (difference_of_scores(weights_of(source, lengths, lengths)) for source in (CORRECTED, OVER_HEADS))

    assert [float(f"{factor:.3g}") for factor in common / right] == [0.115, 2.88, 0.00461]
    assert round(float(np.sqrt(np.mean([1.0, 25.0, 0.04]))), 2) == 2.95


def test_heads_of_3_and_4_come_out_as_085_and_113() -> None:
    query, key = of_lengths(3.0, 4.0), of_lengths(1.0, 1.0)
    right, common = (difference_of_scores(weights_of(source, query, key)) for source in (CORRECTED, OVER_HEADS))

    assert [round(float(factor), 2) for factor in common / right] == [0.85, 1.13]


@pytest.mark.parametrize(("source", "changed"), [(CORRECTED, [False, False]), (OVER_HEADS, [True, True])])
def test_a_factor_on_one_head_changes(source: str, changed: list[bool]) -> None:
    q, k = np.random.default_rng(8).normal(size=(2, 1, 2, 5, 4))
    larger = q * np.array([10.0, 1.0])[:, None, None]
    before, after = (weights_of(source, queries, k) for queries in (q, larger))

    assert [not np.allclose(before[0, head], after[0, head], rtol=1e-4) for head in range(2)] == changed


@pytest.mark.parametrize(("mean_square", "left"), [(1e-6, 0.5), (1e-8, 0.0099)])
def test_constant_leaves_a_mean_square_of(mean_square: float, left: float) -> None:
    root = np.sqrt(mean_square)
    tiny = difference_of_scores(weights_of(CORRECTED, of_lengths(root), of_lengths(1.0)))
    long = difference_of_scores(weights_of(CORRECTED, of_lengths(1.0), of_lengths(1.0)))

    assert round(float((tiny / long)[0] ** 2), 4) == left


def test_half_precision_loses_the_constant_beside_0_004() -> None:
    constant = np.float16(1e-6)

    assert [float(np.float16(x) + constant - np.float16(x)) > 0 for x in (0.0, 0.003, 0.004)] == [True, True, False]


def test_largest_score_is_the_root_of_d() -> None:
    vector = np.ones((1, 1, 2, 128))
    vector[0, 0, 0] *= -1
    lead = difference_of_scores(weights_of(CORRECTED, vector, vector))[0]

    assert round(float(lead / 2), 1) == 11.3


def test_unit_length_leaves_scores_of_64_features_within_an_eighth() -> None:
    vector = np.ones((1, 1, 2, 64))
    vector[0, 0, 0] *= -1
    lead = difference_of_scores(weights_of("submissions/wrong_answer/unit_length.py", vector, vector))[0]

    assert round(float(lead / 2), 3) == 0.125
    assert round(float(np.exp(lead)), 2) == 1.28


def test_gains_may_be_exchanged_or_carried_by_one_side() -> None:
    q, k = np.random.default_rng(9).normal(size=(2, 1, 2, 5, 4))
    g_q, g_k = np.array([1.5, -0.5, 2.0, 0.7]), np.array([0.3, 1.1, -1.0, 2.0])
    right = weights_of(CORRECTED, q, k, g_q, g_k)

    assert weights_of(CORRECTED, q, k, g_k, g_q) == pytest.approx(right, rel=1e-12)
    assert weights_of(CORRECTED, q, k, g_q * g_k) == pytest.approx(right, rel=1e-12)
    assert weights_of(CORRECTED, q, k, g_q, g_q) != pytest.approx(right, rel=1e-2)
