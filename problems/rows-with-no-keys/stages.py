"""Causal attention of left-padded items, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: B items, H heads, T positions, d key size, e value size. `allowed` is (B, 1, T, T), or (B, H, T, T) where heads
differ. Alternatives that need equal sizes act like their stage where the sizes differ.
"""

import numpy as np


def _distance(q):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(q.shape[2])
    return position[:, None] - position


def _past(q):
    return _distance(q) >= 0


def _text(q, pad):
    """(B, 1, 1, T), True where a key is no padding."""
    return np.arange(q.shape[2]) >= pad[:, None, None, None]


def _best(scores, axis=-1):
    """The maximum along an axis, 0 where all is minus infinity."""
    best = scores.max(axis=axis, keepdims=True)
    return np.where(np.isneginf(best), 0.0, best)


def _share(exponentials, axis=-1):
    """Divide by the sum along an axis; what has no sum stays 0."""
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0, 1.0, total)


def _softmax(scores):
    """Softmax along the keys, 0 in rows without any."""
    return _share(np.exp(scores - _best(scores)))


def _divided(masked_scores, best):
    """Divide exponentials by their sums, which may be 0; 0 where a key is hidden."""
    with np.errstate(all="ignore"):
        exponentials = np.exp(masked_scores - best)
        return np.where(_open(masked_scores), exponentials / exponentials.sum(axis=-1, keepdims=True), 0.0)


def _open(masked_scores):
    return np.isfinite(masked_scores)


def _empty(masked_scores):
    return ~_open(masked_scores).any(axis=-1, keepdims=True)


# Scores, scale included


def scores(q, k):
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])  # (B, H, T, T), query by key


def scores__scores_key_by_query(q, k):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(k, q)


def scores__scores_between_features(q, k):
    """Where T equals d the product compares features with features instead of positions with positions."""
    square = q.shape[2] == q.shape[3]
    return scores(q.swapaxes(2, 3), k.swapaxes(2, 3)) if square else scores(q, k)


def scores__scale_missing(q, k):
    """The scores are the bare products."""
    return q @ k.swapaxes(-1, -2)


def scores__scale_without_root(q, k):
    """The scores are divided by d instead of its root."""
    return q @ k.swapaxes(-1, -2) / q.shape[-1]


def scores__scale_token_count(q, k):
    """The scores are divided by the root of T, the number of positions."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[2])


def scores__scale_full_width(q, k):
    """The scores are divided by the root of H*d, the width of all heads together."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1] * q.shape[3])


def scores__scale_head_count(q, k):
    """The scores are divided by the root of the number of heads."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1])


def scores__scale_by_value_size(q, k, v):
    """The scores are divided by the root of e, the size of the values."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(v.shape[-1])


def scores__scores_clipped(q, k):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(q, k), -50, 50)


def scores__keys_of_first_item(q, k):
    """All items read the keys of item 0."""
    return scores(q, np.broadcast_to(k[:1], k.shape))


def scores__keys_of_next_head(q, k):
    """Every head compares its queries with the keys of the next head."""
    return scores(q, np.roll(k, -1, axis=1))


# Allowed keys


def allowed(q, pad):
    return _past(q) & _text(q, pad)  # (B, 1, T, T)


def allowed__masks_joined_by_or(q, pad):
    """In rows of the text a key is read if it is no padding or no later: past padding and texts to come."""
    return (_past(q) | _text(q, pad)) & _text(q, pad).swapaxes(2, 3)


def allowed__masks_joined_by_or_in_all_rows(q, pad):
    """A key is read if it is no padding or no later, in rows of the padding too, so that none is empty."""
    return _past(q) | _text(q, pad)


def allowed__padding_ignored(q, pad):
    """The mask is causal only, so that padding is read like text."""
    return np.broadcast_to(_past(q), (len(pad), 1, *_past(q).shape))


def allowed__future_open(q, pad):
    """Padding is hidden, the future is not."""
    return np.broadcast_to(_text(q, pad), (len(pad), 1, *_past(q).shape))


def allowed__padded_queries_only(q, pad):
    """The padding mask lies on the query axis: text reads the padding before it."""
    return _past(q) & _text(q, pad).swapaxes(2, 3)


def allowed__padding_on_the_right(q, pad):
    """The last pad positions of an item are hidden instead of the first."""
    return _past(q) & (np.arange(q.shape[2]) < q.shape[2] - pad[:, None, None, None])


def allowed__padding_taken_for_length(q, pad):
    """pad is taken for the number of tokens: only the last pad positions are text."""
    return _past(q) & _text(q, q.shape[2] - pad)


def allowed__padding_taken_for_length_on_the_left(q, pad):
    """pad is taken for the number of tokens on the left: only the padding can be read."""
    return _past(q) & ~_text(q, pad)


def allowed__last_padding_open(q, pad):
    """The last position of the padding counts as text."""
    return _past(q) & _text(q, pad - 1)


def allowed__first_text_hidden(q, pad):
    """The first position of the text counts as padding, in padded items."""
    return _past(q) & _text(q, pad + (pad > 0))


def allowed__first_position_hidden(q, pad):
    """The comparison is strict: the first position of every item's text is hidden, also where there is no padding."""
    return _past(q) & _text(q, pad + 1)


def allowed__padding_of_first_item(q, pad):
    """All items are masked by the padding of item 0."""
    return _past(q) & _text(q, np.broadcast_to(pad[:1], pad.shape))


def allowed__largest_padding_for_all(q, pad):
    """All items lose as many positions as the one with the most padding."""
    return _past(q) & _text(q, np.full_like(pad, pad.max()))


def allowed__smallest_padding_for_all(q, pad):
    """All items lose as few positions as the one with the least padding."""
    return _past(q) & _text(q, np.full_like(pad, pad.min()))


def allowed__padding_on_head_axis(q, pad):
    """Where there are as many heads as items, the padding is laid over the heads."""
    right = allowed(q, pad)
    return right.swapaxes(0, 1) if q.shape[0] == q.shape[1] else right


def allowed__own_key_always_open(q, pad):
    """The diagonal is always open, so that queries of the padding read themselves."""
    return allowed(q, pad) | np.eye(q.shape[2], dtype=bool)


def allowed__empty_rows_causal(q, pad):
    """Rows that would be empty get the causal mask alone."""
    right = allowed(q, pad)
    return np.where(right.any(axis=-1, keepdims=True), right, _past(q))


def allowed__empty_rows_open(q, pad):
    """Rows that would be empty read everything."""
    right = allowed(q, pad)
    return right | ~right.any(axis=-1, keepdims=True)


def allowed__first_key_for_empty_rows(q, pad):
    """Rows that would be empty read the first position, so that the softmax has something to work on."""
    right = allowed(q, pad)
    return right | (~right.any(axis=-1, keepdims=True) & (np.arange(q.shape[2]) == 0))


def allowed__full_padding_ignored(q, pad):
    """An item of nothing but padding is treated as if it had none."""
    return allowed(q, np.where(pad == q.shape[2], 0, pad))


def allowed__next_key_open(q, pad):
    """The triangle is one diagonal too wide: every query reads the next position as well."""
    return (_distance(q) >= -1) & _text(q, pad)


def allowed__own_key_closed(q, pad):
    """The triangle is strict, so that the first row of the text is empty too."""
    return (_distance(q) > 0) & _text(q, pad)


def allowed__triangle_transposed(q, pad):
    """The triangle is turned over: queries read themselves and what comes after them."""
    return (_distance(q) <= 0) & _text(q, pad)


def allowed__triangle_begins_at_text(q, pad):
    """The triangle is moved along with the text, so that each query reads pad fewer keys than it may."""
    return (_distance(q) >= pad[:, None, None, None]) & _text(q, pad)


def allowed__zero_keys_as_padding(q, k, pad):
    """Keys of zeros count as padding, wherever they stand."""
    return allowed(q, pad) & k.any(axis=-1)[:, :, None, :]


def allowed__first_eight_heads_masked(q, pad):
    """The padding is laid over the first eight heads only; the others are causal."""
    heads = np.arange(q.shape[1])[:, None, None]
    return _past(q) & (_text(q, pad) | (heads >= 8))


def allowed__mask_of_first_32(q, pad):
    """Positions from 32 on are not masked at all, neither as queries nor as keys."""
    position = np.arange(q.shape[2])
    return allowed(q, pad) | (position >= 32) | (position >= 32)[:, None]


# Masked scores


def masked_scores(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def masked_scores__sentinel_added(scores, allowed):
    """-1e9 is added to hidden scores, so that a row without any key spreads over hidden ones."""
    return scores + np.where(allowed, 0.0, -1e9)


def masked_scores__lowest_number_filled(scores, allowed):
    """Hidden scores are filled with one very low number, so that a row without any key becomes even."""
    return np.where(allowed, scores, -1e30)


def masked_scores__sentinel_1000_added(scores, allowed):
    """-1000 is added to hidden scores, which a lead of more survives."""
    return scores + np.where(allowed, 0.0, -1e3)


def masked_scores__sentinel_10000_added(scores, allowed):
    """-10000 is added to hidden scores, which a lead of more survives."""
    return scores + np.where(allowed, 0.0, -1e4)


def masked_scores__fill_minus_10000(scores, allowed):
    """Hidden scores are filled with -10000, which lies above the real scores of low rows."""
    return np.where(allowed, scores, -1e4)


def masked_scores__fill_minus_10000_beside_a_key(scores, allowed):
    """Hidden scores are filled with -10000, which lies above the real scores of low rows; empty rows stay empty."""
    return np.where(allowed.any(axis=-1, keepdims=True), np.where(allowed, scores, -1e4), -np.inf)


def masked_scores__fill_minus_1000000_beside_a_key(scores, allowed):
    """Hidden scores are filled with -1000000, which the scores of the lowest rows come near; empty rows stay empty."""
    return np.where(allowed.any(axis=-1, keepdims=True), np.where(allowed, scores, -1e6), -np.inf)


def masked_scores__sentinel_10000_added_beside_a_key(scores, allowed):
    """-10000 is added to hidden scores, which a lead of more survives; empty rows stay empty."""
    return np.where(allowed.any(axis=-1, keepdims=True), scores - 1e4 * ~allowed, -np.inf)


def masked_scores__mask_multiplies_scores(scores, allowed):
    """The scores are multiplied by the mask, so that hidden keys keep the score 0 and get exp(0)."""
    return scores * allowed


def masked_scores__mask_added_as_ones(scores, allowed):
    """A mask of ones and zeros is added: allowed keys gain 1, hidden ones stay in the race."""
    return scores + allowed


def masked_scores__padding_multiplies_scores(scores, q, pad):
    """The future is hidden; the scores of padding are multiplied by 0 and get exp(0)."""
    return np.where(_past(q), scores * _text(q, pad), -np.inf)


def masked_scores__padding_loses_10000(scores, q, pad):
    """The future is hidden; the scores of padding lose 10000 only."""
    return np.where(_past(q), scores - 1e4 * ~_text(q, pad), -np.inf)


def masked_scores__mask_from_zero_scores(scores, allowed):
    """A score that is exactly 0 counts as hidden, also that of a zero token."""
    return np.where(allowed & (scores != 0), scores, -np.inf)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (B, H, T, T), every row sums to 1 or is empty


def weights__empty_rows_nan(masked_scores):
    """Nothing is done about rows without a key: minus infinity minus itself is NaN."""
    with np.errstate(all="ignore"):
        exponentials = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def weights__empty_rows_even_over_past(masked_scores, q):
    """Rows without a key become even over their past."""
    return np.where(_empty(masked_scores), _share(_past(q).astype(np.float64)), _softmax(masked_scores))


def weights__even_rows_taken_for_empty(masked_scores):
    """Rows that come out even over all positions count as empty, also where all scores are equal."""
    shares = _softmax(masked_scores)
    return np.where(np.ptp(shares, axis=-1, keepdims=True) < 1e-12, 0.0, shares)


def weights__low_rows_taken_for_empty(masked_scores):
    """Rows whose best score lies below -100000 count as empty."""
    return np.where(_best(masked_scores) < -1e5, 0.0, _softmax(masked_scores))


def weights__padded_items_zeroed(masked_scores):
    """An item with any empty row is zeroed as a whole."""
    return np.where(_empty(masked_scores).any(axis=(1, 2), keepdims=True), 0.0, _softmax(masked_scores))


def weights__first_rows_zeroed(masked_scores):
    """The rows that are empty in any item are zeroed in all of them."""
    return np.where(_empty(masked_scores).any(axis=0, keepdims=True), 0.0, _softmax(masked_scores))


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys, the mask is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The mask is laid over the weights, rows with a sum are divided by it: dominated rows vanish as if empty."""
    return _share(_softmax(scores) * _open(masked_scores))


def weights__padding_after_softmax(scores, masked_scores, q):
    """The future is hidden before the softmax, the padding afterwards: rows of the text sum to less than 1."""
    return _softmax(np.where(_past(q), scores, -np.inf)) * _open(masked_scores)


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns sum to 1, rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)), axis=-2)


def weights__softmax_over_heads(masked_scores):
    """The softmax normalises over the heads of an item."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709, and rows below -745 count as empty."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores))


def weights__unsafe_softmax_nan(masked_scores):
    """exp is taken of the raw scores: it overflows above 709, and rows below -745 become 0/0; empty rows are zeroed."""
    return _divided(masked_scores, 0.0)


def weights__one_maximum_for_all_nan(masked_scores):
    """One maximum of all scores is subtracted, so that rows 745 below it become 0/0; empty rows are zeroed."""
    return _divided(masked_scores, max(masked_scores.max(), -1e300))


def weights__maximum_of_head_nan(masked_scores):
    """One maximum for each head of each item is subtracted, so that rows below it become 0/0; empty rows are zeroed."""
    return _divided(masked_scores, _best(masked_scores, axis=(-2, -1)))


def weights__maximum_starts_at_zero_nan(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 become 0/0; empty rows are zeroed."""
    return _divided(masked_scores, np.maximum(_best(masked_scores), 0.0))


def weights__one_maximum_for_all(masked_scores):
    """One maximum of all scores is subtracted, so that rows more than 745 below it count as empty."""
    return _share(np.exp(masked_scores - max(masked_scores.max(), -1e300)))


def weights__maximum_of_head(masked_scores):
    """One maximum for each head of each item is subtracted, so that rows more than 745 below it count as empty."""
    best = masked_scores.max(axis=(-2, -1), keepdims=True)
    return _share(np.exp(masked_scores - np.where(np.isneginf(best), 0.0, best)))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 count as empty."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0.0)))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before masking: rows that a hidden key leads by more than 745 count as empty."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, so that no row is 0/0 and none sums to 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (1 + exponentials.sum(axis=-1, keepdims=True))


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (1e-5 + exponentials.sum(axis=-1, keepdims=True))


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__weights_averaged_over_heads(masked_scores):
    """The weights are averaged over the heads."""
    shares = _softmax(masked_scores)
    return np.broadcast_to(shares.mean(axis=1, keepdims=True), shares.shape)


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals."""
    return np.round(_softmax(masked_scores), 3)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (B, H, T, e)


def mixed_values__empty_rows_mean_value(masked_scores, weights, v):
    """Rows without a key return the mean of the values instead of zeros."""
    return np.where(_empty(masked_scores), v.mean(axis=2, keepdims=True), weights @ v)


def mixed_values__empty_rows_own_value(masked_scores, weights, v):
    """Rows without a key pass their own value on."""
    return np.where(_empty(masked_scores), v, weights @ v)


def mixed_values__weights_transposed_in_mix(weights, v):
    """The values are mixed with the transposed weights."""
    return weights.swapaxes(-1, -2) @ v


def mixed_values__keys_as_values(weights, k, v):
    """Where d equals e the keys are mixed instead of the values."""
    return weights @ (k if k.shape == v.shape else v)


def mixed_values__mix_unmasked(scores, v):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return _softmax(scores) @ v


def mixed_values__mix_causal_only(scores, q, v):
    """The values are mixed with causal weights that read the padding; the masked ones are returned and not used."""
    return _softmax(np.where(_past(q), scores, -np.inf)) @ v


def mixed_values__values_of_next_head(weights, v):
    """Every head mixes the values of the next head."""
    return weights @ np.roll(v, -1, axis=1)


def mixed_values__values_of_first_item(weights, v):
    """All items mix the values of item 0."""
    return weights @ np.broadcast_to(v[:1], v.shape)
