"""Numbers that the answers of audit-single-head state."""

from __future__ import annotations

import numpy as np


def late_mask(lead: float) -> tuple[float, float]:
    """Return the two weights of a row whose forbidden key leads by so much: masked after the softmax, divided again."""
    scores = np.array([0.0, 0.0, lead])
    with np.errstate(all="ignore"):
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        weights[2] = 0.0
        first, second, _ = weights / weights.sum()
    return float(first), float(second)


def test_dividing_again_ends_when_a_forbidden_key_leads_by_about_745() -> None:
    assert late_mask(30.0) == (0.5, 0.5)
    assert late_mask(744.0) == (0.5, 0.5)
    assert np.isnan(late_mask(746.0)).all()


def test_shortly_before_that_the_weights_are_subnormal() -> None:
    assert 0 < np.exp(-744.0) < np.finfo(np.float64).tiny
    assert np.exp(-708.0) > np.finfo(np.float64).tiny


def test_exp_overflows_above_about_709_and_is_0_below_745() -> None:
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(709.0))
        assert np.isposinf(np.exp(710.0))
    assert np.exp(-745.0) > 0
    assert np.exp(-746.0) == 0


def test_with_one_token_every_softmax_is_1() -> None:
    for axis in (-1, -2):
        weights = np.exp(np.array([[7.0]]))
        assert (weights / weights.sum(axis=axis, keepdims=True)).tolist() == [[1.0]]
