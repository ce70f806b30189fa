"""Local attention of one head, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: T tokens, d key size, e value size. `in_window` says of each pair whether the key has not yet left the query's
window, the future included; `masked_scores` closes the future as well. Alternatives that need equal sizes act like
their stage where the sizes differ.
"""

import numpy as np


def _distance(q):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(len(q))
    return position[:, None] - position


def _past(scores):
    return _distance(scores) >= 0


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _open(masked_scores):
    return np.isfinite(masked_scores)


# Scores, scale included


def scores(q, k):
    return q @ k.T / np.sqrt(q.shape[1])  # (T, T), query by key


def scores__scores_key_by_query(q, k):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(k, q)


def scores__scores_between_features(q, k):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    return scores(q.T, k.T) if q.shape[0] == q.shape[1] else scores(q, k)


def scores__scale_missing(q, k):
    """The scores are the bare products."""
    return q @ k.T


def scores__scale_without_root(q, k):
    """The scores are divided by d instead of its root."""
    return q @ k.T / q.shape[1]


def scores__scale_by_window(q, k, window):
    """The scores are divided by the root of the window, which is no size of theirs."""
    return q @ k.T / np.sqrt(window)


def scores__scale_by_tokens(q, k):
    """The scores are divided by the root of the number of tokens."""
    return q @ k.T / np.sqrt(len(q))


def scores__scale_by_value_size(q, k, v):
    """The scores are divided by the root of e, the size of the values."""
    return q @ k.T / np.sqrt(v.shape[1])


def scores__scores_clipped(q, k):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(q, k), -50, 50)


def scores__scores_in_single_precision(q, k):
    """The scores are rounded to float32, which leaves seven digits."""
    return scores(q, k).astype(np.float32).astype(np.float64)


def scores__scores_divided_by_distance(q, k):
    """The scores fade with the distance, as if the window had a soft edge."""
    return scores(q, k) / (1 + np.abs(_distance(q)))


# Keys that have not left the window


def in_window(q, window):
    return _distance(q) < window  # (T, T), query by key; later keys have not left it either


def in_window__window_one_too_wide(q, window):
    """The window keeps one key too many: the query's own key and `window` keys before it."""
    return _distance(q) <= window


def in_window__window_one_too_narrow(q, window):
    """The window keeps one key too few, but always the query's own."""
    return _distance(q) < max(window - 1, 1)


def in_window__window_ignored(q, window):
    """The window is never used: every query reads its whole past."""
    return np.ones((len(q), len(q)), dtype=bool)


def in_window__window_of_one_ignored(q, window):
    """A window of 1 is taken for none, so that every query reads its whole past."""
    return in_window(q, window if window > 1 else len(q))


def in_window__window_in_blocks(q, window):
    """The text is cut into blocks of `window` tokens, and no query reads across a border."""
    block = np.arange(len(q)) // window
    return block[:, None] == block


def in_window__window_of_two_blocks(q, window):
    """A query reads its own block of `window` tokens and the whole block before it."""
    block = np.arange(len(q)) // window
    return block[:, None] - block <= 1


def in_window__window_halved(q, window):
    """The window is shared out to both sides of the query, so that it looks back half as far."""
    return _distance(q) <= window // 2


def in_window__window_doubled(q, window):
    """The window looks back twice as far."""
    return _distance(q) < 2 * window


def in_window__window_stands_still(q, window):
    """The last `window` keys of the text are open to all queries, and each query's own: the window does not slide."""
    distance = _distance(q)
    return (np.arange(len(q)) >= len(q) - window) | (distance <= 0)


def in_window__window_of_first_keys(q, window):
    """The first `window` keys are open to all queries, and each query's own: the window does not slide."""
    return (np.arange(len(q)) < window) | (_distance(q) <= 0)


def in_window__window_dilated(q, window):
    """Every second key is read, so that the window reaches twice as far back."""
    distance = _distance(q)
    return (distance < 2 * window) & ((distance % 2 == 0) | (distance < 0))


def in_window__first_key_always_open(q, window):
    """The first key never leaves the window, as if it were a sink."""
    return in_window(q, window) | (np.arange(len(q)) == 0)


def in_window__last_row_unlimited(q, window):
    """The last query reads its whole past, as if it were decoded from the full cache."""
    return in_window(q, window) | (np.arange(len(q)) == len(q) - 1)[:, None]


def in_window__window_from_second_row(q, window):
    """The window slides one row late, so that all rows from the window on read one key too many but the last."""
    distance = _distance(q)
    last = (np.arange(len(q)) == len(q) - 1)[:, None]
    return np.where(last, distance < window, distance <= window)


def in_window__window_at_most_16(q, window):
    """Windows above 16 are cut to 16, the size of a table."""
    return in_window(q, min(window, 16))


def in_window__window_at_most_32(q, window):
    """Windows above 32 are cut to 32, the size of a table."""
    return in_window(q, min(window, 32))


def in_window__positions_in_eight_bits(q, window):
    """Positions are counted in eight bits: from token 128 on they are negative, and distances wrap around."""
    position = np.arange(len(q)).astype(np.int8)
    return (position[:, None] - position).astype(np.int64) < window


def in_window__window_in_sixteen_bits(q, window):
    """The window is cut to sixteen bits: one of 65538 is one of 2."""
    return in_window(q, window % 65_536 or 1)


def in_window__window_scaled_to_text(q, window):
    """The window is cut to half the text, so that long windows hide something of the past."""
    return in_window(q, max(min(window, len(q) // 2), 1))


def in_window__window_as_long_as_text_ignored(q, window):
    """A window of at least T - 1 is taken for none, one too early."""
    return in_window(q, window if window < len(q) - 1 else len(q))


# Masked scores


def masked_scores(scores, in_window):
    return _keep(scores, in_window & _past(scores))


def masked_scores__future_inside_window(scores, in_window):
    """The window reaches to both sides, so that later keys inside it are read."""
    return _keep(scores, in_window & in_window.T)


def masked_scores__mask_missing(scores, in_window):
    """Keys that have left the window are hidden, later ones are not."""
    return _keep(scores, in_window)


def masked_scores__next_key_open(scores, in_window):
    """The triangle is one diagonal too wide: every query reads the next token as well."""
    return _keep(scores, in_window & (_distance(scores) >= -1))


def masked_scores__own_key_closed(scores, in_window):
    """No query but those that would read nothing reads its own key."""
    allowed = in_window & (_distance(scores) > 0)
    return _keep(scores, allowed | (~allowed.any(axis=1, keepdims=True) & np.eye(len(scores), dtype=bool)))


def masked_scores__mask_transposed(scores, in_window):
    """The band is turned over: queries read themselves and the tokens after them."""
    return _keep(scores, (in_window & _past(scores)).T)


def masked_scores__window_or_past(scores, in_window):
    """Window and triangle are combined with or, so that nothing is hidden."""
    return _keep(scores, in_window | _past(scores))


def masked_scores__mask_multiplies_scores(scores, in_window):
    """The scores are multiplied by the mask, so that hidden keys keep the score 0 and get exp(0)."""
    return scores * (in_window & _past(scores))


def masked_scores__mask_added_as_ones(scores, in_window):
    """A mask of ones and zeros is added: allowed keys gain 1, hidden ones stay in the race."""
    return scores + (in_window & _past(scores))


def masked_scores__window_multiplies_scores(scores, in_window):
    """The future is hidden, but keys that have left the window only get the score 0."""
    return _keep(scores * in_window, _past(scores))


def masked_scores__sentinel_1000_added(scores, in_window):
    """-1000 is added to hidden scores, which a lead of more survives."""
    return scores - 1e3 * ~(in_window & _past(scores))


def masked_scores__sentinel_10000_added(scores, in_window):
    """-10000 is added to hidden scores, which a lead of more survives."""
    return scores - 1e4 * ~(in_window & _past(scores))


def masked_scores__window_sentinel_10000_added(scores, in_window):
    """The future is minus infinity, but keys that have left the window lose 10000 only."""
    return _keep(scores, _past(scores)) - 1e4 * ~in_window


def masked_scores__fill_minus_10000(scores, in_window):
    """Hidden scores are filled with -10000, which lies above the real scores of low rows."""
    return np.where(in_window & _past(scores), scores, -1e4)


def masked_scores__fill_minus_100000(scores, in_window):
    """Hidden scores are filled with -100000, which lies above the real scores of rows near -400000."""
    return np.where(in_window & _past(scores), scores, -1e5)


def masked_scores__fill_minus_1000000(scores, in_window):
    """Hidden scores are filled with -1000000, which is where the real scores of the lowest rows are."""
    return np.where(in_window & _past(scores), scores, -1e6)


def masked_scores__fill_with_smallest_score(scores, in_window):
    """Hidden scores are filled with the smallest score, which is an ordinary score and keeps its weight."""
    return np.where(in_window & _past(scores), scores, scores.min())


def masked_scores__mask_from_zero_scores(scores, in_window):
    """A score that is exactly 0 counts as hidden, also that of a zero token; rows without any other read their own."""
    allowed = in_window & _past(scores) & (scores != 0)
    return _keep(scores, allowed | (~allowed.any(axis=1, keepdims=True) & np.eye(len(scores), dtype=bool)))


def masked_scores__first_row_open(scores, in_window):
    """The first query is not masked and reads the whole text."""
    return _keep(scores, (in_window & _past(scores)) | (np.arange(len(scores)) == 0)[:, None])


def masked_scores__unmasked_if_window_covers_text(scores, in_window, window):
    """A window of T or more skips the mask altogether, so that the future is read."""
    return scores if window >= len(scores) else masked_scores(scores, in_window)


def masked_scores__unmasked_if_window_exceeds_text(scores, in_window, window):
    """A window of more than T skips the mask altogether, so that the future is read."""
    return scores if window > len(scores) else masked_scores(scores, in_window)


def masked_scores__distances_in_sixteen_bits(scores, window):
    """Distances wrap at 65536, so that a longer window holds the future as well."""
    return _keep(scores, _distance(scores) % 65_536 < window)


def masked_scores__mask_of_first_32(scores, in_window):
    """The mask is a table of 32 positions; beyond it nothing is hidden."""
    masked = scores.copy()
    masked[:32, :32] = masked_scores(scores, in_window)[:32, :32]
    return masked


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (T, T), every row sums to 1


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys, the band is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The band is laid over the weights and rows are divided by their sums: 0/0 where a hidden key leads by 745."""
    return _share(_softmax(scores) * _open(masked_scores))


def weights__window_after_softmax(scores, masked_scores):
    """The future is hidden before the softmax, the window is cut out afterwards: later rows sum to less than 1."""
    return _softmax(_keep(scores, _past(scores))) * _open(masked_scores)


def weights__late_window_renormalised(scores, masked_scores):
    """The window is cut out of causal weights and rows are divided by their sums: 0/0 where a key left behind leads."""
    return _share(weights__window_after_softmax(scores, masked_scores))


def weights__late_mask_guarded(scores, masked_scores):
    """The band is laid over the weights, rows are renormalised, and a guard turns 0/0 into rows of zeros."""
    late = _softmax(scores) * _open(masked_scores)
    return late / np.maximum(late.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def weights__late_window_guarded(scores, masked_scores):
    """The window is cut out of causal weights, rows are renormalised, and a guard turns 0/0 into rows of zeros."""
    late = weights__window_after_softmax(scores, masked_scores)
    return late / np.maximum(late.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def weights__late_window_nan_to_num(scores, masked_scores):
    """The window is cut out of causal weights, rows are renormalised, and NaN becomes 0: such rows weigh nothing."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(weights__late_window_renormalised(scores, masked_scores))


def weights__exponentials_overflow_under_band(scores, masked_scores):
    """Exponentials are multiplied by the band: a hidden lead above 709 is infinity times 0."""
    return _share(np.exp(scores - _best(masked_scores)) * _open(masked_scores))


def weights__sums_by_subtraction(scores, masked_scores):
    """The row's sum is a difference of two running sums, which keeps no digit where the key left behind was large."""
    past = _keep(scores, _past(scores))
    exponentials = np.exp(past - _best(past))
    before = np.where(_open(masked_scores) | ~_past(scores), 0, exponentials)
    total = exponentials.sum(axis=1, keepdims=True) - before.sum(axis=1, keepdims=True)
    return exponentials * _open(masked_scores) / total


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns sum to 1, rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__softmax_over_everything(masked_scores):
    """All weights of the matrix share a sum of 1."""
    return _share(np.exp(masked_scores - masked_scores.max()), axis=None)


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709 and is 0/0 in rows below -745."""
    return _share(np.exp(masked_scores))


def weights__one_maximum_for_all_rows(masked_scores):
    """One maximum of the whole matrix is subtracted, so that rows more than 745 below it become 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum of each row is taken before masking: a hidden key that leads by more than 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_before_window(scores, masked_scores):
    """The maximum is taken over the whole past: a key left behind that leads by more than 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(_keep(scores, _past(scores)))))


def weights__largest_maximum_so_far(masked_scores):
    """The maximum of a row is never below that of an earlier one: rows far below a leader that has left are 0/0."""
    return _share(np.exp(masked_scores - np.maximum.accumulate(_best(masked_scores), axis=0)))


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by its own key's score: an earlier key that leads it by 709 overflows."""
    return _share(np.exp(masked_scores - np.diagonal(masked_scores)[:, None]))


def weights__divided_by_window(masked_scores, window):
    """Exponentials are divided by their mean over the window instead of their sum."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials * min(window, len(masked_scores)) / exponentials.sum(axis=1, keepdims=True)


def weights__even_over_window(masked_scores):
    """All keys of the window weigh the same; the scores are never used."""
    return _share(_open(masked_scores).astype(np.float64))


def weights__strongest_key_only(masked_scores):
    """The strongest key of each row takes all the weight."""
    return (np.arange(len(masked_scores)) == masked_scores.argmax(axis=1)[:, None]).astype(np.float64)


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-5)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each row had one more key without a value."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every hidden key."""
    return _softmax(_softmax(masked_scores))


def weights__small_weights_cut_off(masked_scores):
    """Weights below 1e-10 become 0, which h tells where their values are large."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-10, 0.0, shares)


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals."""
    return np.round(_softmax(masked_scores), 3)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (T, e)


def mixed_values__weights_transposed_in_mix(weights, v):
    """The values are mixed with the transposed weights, so that every position collects from the future."""
    return weights.T @ v


def mixed_values__keys_as_values(weights, k, v):
    """Where d equals e the keys are mixed instead of the values."""
    return weights @ (k if k.shape == v.shape else v)


def mixed_values__mix_without_window(scores, v):
    """The values are mixed with causal weights of the whole past; the windowed ones are returned and not used."""
    return _softmax(_keep(scores, _past(scores))) @ v


def mixed_values__mix_unmasked(scores, v):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return _softmax(scores) @ v


def mixed_values__mix_not_normalised(masked_scores, v):
    """The values are mixed with the exponentials; the normalised weights are returned and not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ v


def mixed_values__own_value_left_out(weights, v):
    """The slice of the values ends one too early, so that every position leaves its own value out."""
    return np.tril(weights, -1) @ v


def mixed_values__values_one_late(weights, v):
    """The slice of the values begins one too late: each weight meets the value of the token before."""
    return weights @ np.roll(v, 1, axis=0)


def mixed_values__mix_in_half_precision(weights, v):
    """The mixed values are rounded to half precision."""
    return (weights @ v).astype(np.float16).astype(np.float64)
