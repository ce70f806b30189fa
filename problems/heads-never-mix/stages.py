"""Wrong versions that the layer of several heads does not have: they need large sizes, rare equalities or far tails."""

import numpy as np


def masked_scores__window_of_96_keys(scores):
    """Keys more than 95 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 96))


def masked_scores__trailing_zeros_as_padding(scores, x):
    """Zero tokens at the end of an item count as padding and read themselves only."""
    filled = x.any(axis=2)
    behind = ~np.logical_or.accumulate(filled[:, ::-1], axis=1)[:, ::-1] & filled.any(axis=1)[:, None]
    distance = _distance(scores)
    return _keep(scores, np.where(behind[:, None, :, None], distance == 0, distance >= 0))


def weights__unshifted_where_finite(masked_scores):
    """The maximum is subtracted only in rows whose plain exponentials are not finite, so others lose their digits."""
    with np.errstate(all="ignore"):
        plain = _share(np.exp(masked_scores))
    return np.where(np.isfinite(plain), plain, _softmax(masked_scores))


def weights__mask_late_with_fallback(scores, masked_scores):
    """The mask comes after the softmax; empty rows are done again, rows that almost vanish keep two or three digits."""
    late = np.where(_past(scores), _softmax(scores), 0.0)
    total = late.sum(axis=-1, keepdims=True)
    return np.where(total > 0, late / np.where(total > 0, total, 1.0), _softmax(masked_scores))


def weights__weights_below_epsilon_dropped(masked_scores):
    """Weights below the machine epsilon are set to zero, although a large value behind one of them shows in y."""
    plain = _softmax(masked_scores)
    return np.where(plain < np.finfo(np.float64).eps, 0.0, plain)


def weights__zero_batch_shortcut(masked_scores, x):
    """If all tokens are zero, zeros are returned at once, also as weights."""
    return _softmax(masked_scores) * (1.0 if x.any() else 0.0)


def output__merge_axis_guessed(mixed_values, w_o):
    """The merge finds the head axis by its length, so with e = H heads and features change places."""
    guessed = mixed_values.shape[1] == mixed_values.shape[-1]
    return _merge(mixed_values.swapaxes(1, 3) if guessed else mixed_values) @ _double(w_o)
