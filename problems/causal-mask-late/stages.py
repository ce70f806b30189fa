"""Wrong versions beside those of the layer: late masks that read what the triangle leaves open, and repairs of them."""

import numpy as np


def _open(masked_scores):
    return np.isfinite(masked_scores)


def masked_scores__own_key_closed_from_third_row(scores):
    """The triangle is strict from the third row on; the first two rows are patched by hand."""
    allowed = _distance(scores) > 0
    allowed[:2] = _past(scores)[:2]
    return _keep(scores, allowed)


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax sees unmasked scores, the triangle is laid over the weights afterwards: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The mask comes after the softmax, rows are divided by their sums again: 0/0 once a future score leads by 745."""
    return _share(_softmax(scores) * _open(masked_scores))


def weights__late_mask_spread_evenly(scores, masked_scores):
    """The mask comes after the softmax; what the forbidden keys had is shared out evenly among the allowed ones."""
    allowed = _open(masked_scores)
    late = _softmax(scores) * allowed
    return np.where(allowed, late + (1 - late.sum(axis=1, keepdims=True)) / allowed.sum(axis=1, keepdims=True), 0)


def weights__late_mask_rest_to_own_key(scores, masked_scores):
    """The mask comes after the softmax; what the forbidden keys had is given to the query's own key."""
    late = _softmax(scores) * _open(masked_scores)
    return late + np.diag(1 - late.sum(axis=1))


def weights__late_mask_scaled_by_count(scores, masked_scores):
    """The mask comes after the softmax; each row is multiplied by T over its number of keys."""
    allowed = _open(masked_scores)
    return _softmax(scores) * allowed * (len(scores) / allowed.sum(axis=1, keepdims=True))


def weights__second_softmax_after_mask(scores, masked_scores):
    """The weights are masked with minus infinity and sent through a second softmax, which makes them nearly even."""
    return _softmax(np.where(_open(masked_scores), _softmax(scores), -np.inf))


def weights__columns_renormalised(scores, masked_scores):
    """The mask comes after the softmax, and the columns instead of the rows are made to sum to 1 again."""
    return _share(_softmax(scores) * _open(masked_scores), axis=0)


def weights__late_mask_epsilon_in_denominator(scores, masked_scores):
    """Rows are divided by their new sums plus 1e-9, so rows that the forbidden keys dominate lose their weight."""
    late = _softmax(scores) * _open(masked_scores)
    return late / (late.sum(axis=1, keepdims=True) + 1e-9)


def weights__late_mask_even_if_empty(scores, masked_scores):
    """Rows that vanish under a late mask become even over the past; the others are divided by their new sums."""
    allowed = _open(masked_scores)
    late = _softmax(scores) * allowed
    return _share(np.where(late.any(axis=1, keepdims=True), late, allowed))


def mixed_values__mix_not_renormalised(scores, masked_scores, values):
    """The returned rows are normalised, but the values are mixed with the rows as the late mask left them."""
    return (_softmax(scores) * _open(masked_scores)) @ values
