"""Causal attention with normalised queries and keys, and beside each stage the ways in which it goes wrong.

Sizes: B items, H heads, T positions, d key size, e value size. `rms` is (2, B, H, T, 1), or what broadcasts to it: by
what queries and keys are divided. Alternatives that need equal sizes act like their stage where the sizes differ.
"""

import numpy as np

_CONSTANT = 1e-6


def _both(q, k):
    return np.stack([q, k])  # (2, B, H, T, d)


def _root(mean_squares):
    return np.sqrt(mean_squares + _CONSTANT)


def _over(vectors, *axes):
    """The root of the mean square over some of the axes kind, item, head, position, feature."""
    return _root(np.mean(vectors**2, axis=axes, keepdims=True))


def _everywhere(first, array):
    return np.broadcast_to(first, array.shape)


def _distance(scores):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(scores.shape[-1])
    return position[:, None] - position


def _past(scores):
    return _distance(scores) >= 0


def _best(scores, axis=-1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=-1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


# Root mean squares


def rms(q, k):
    return _over(_both(q, k), 4)  # (2, B, H, T, 1)


def rms__norm_over_heads(q, k):
    """The mean square of a position runs over all heads together: long heads come out long and short ones short."""
    return _over(_both(q, k), 2, 4)


def rms__norm_of_reshaped_heads(q, k):
    """As many features as all heads have are taken by a bare reshape: of several positions of one head."""
    flat = _both(q, k).reshape(2, len(q), q.shape[2], -1)
    return _over(flat, 3)[:, :, None]


def rms__norm_over_tokens(q, k):
    """The mean square of a head runs over all positions together, future ones included."""
    return _over(_both(q, k), 3, 4)


def rms__norm_over_items(q, k):
    """The mean square runs over the batch as well."""
    return _over(_both(q, k), 1, 4)


def rms__norm_over_everything(q, k):
    """One mean square is taken of all queries, and one of all keys."""
    return _over(_both(q, k), 1, 2, 3, 4)


def rms__norm_over_queries_and_keys(q, k):
    """The query and the key of a position share one mean square."""
    return _everywhere(_over(_both(q, k), 0, 4), rms(q, k))


def rms__norm_over_heads_alone(q, k):
    """The mean runs over the heads, feature by feature, instead of over the features."""
    return _over(_both(q, k), 2)


def rms__norm_over_positions_alone(q, k):
    """The mean runs over the positions, feature by feature, instead of over the features."""
    return _over(_both(q, k), 3)


def rms__norm_of_first_head(q, k):
    """All heads are divided by the root mean square of head 0."""
    own = rms(q, k)
    return _everywhere(own[:, :, :1], own)


def rms__norm_of_first_token(q, k):
    """All positions are divided by the root mean square of the first one."""
    own = rms(q, k)
    return _everywhere(own[:, :, :, :1], own)


def rms__norm_of_keys_for_both(q, k):
    """Queries are divided by the root mean square of the key at their position."""
    own = rms(q, k)
    return _everywhere(own[1:], own)


def rms__norm_of_queries_for_both(q, k):
    """Keys are divided by the root mean square of the query at their position."""
    own = rms(q, k)
    return _everywhere(own[:1], own)


def rms__running_mean_square(q, k):
    """The mean square runs over a position and all before it."""
    squares = np.mean(_both(q, k) ** 2, axis=4, keepdims=True)
    return _root(np.cumsum(squares, axis=3) / np.arange(1, q.shape[2] + 1)[:, None])


def rms__not_normalised(q, k):
    """Neither queries nor keys are divided by anything."""
    return np.ones_like(rms(q, k))


def rms__queries_not_normalised(q, k):
    """Only the keys are divided by their root mean square."""
    own = rms(q, k)
    own[0] = 1.0
    return own


def rms__keys_not_normalised(q, k):
    """Only the queries are divided by their root mean square."""
    own = rms(q, k)
    own[1] = 1.0
    return own


def rms__unit_length(q, k):
    """The squares are summed, not averaged: vectors come out with length 1, too short by the root of d."""
    return _root(np.sum(_both(q, k) ** 2, axis=4, keepdims=True))


def rms__divided_by_features_less_one(q, k):
    """The sum of squares is divided by d - 1, as for an estimated variance."""
    return _root(np.sum(_both(q, k) ** 2, axis=4, keepdims=True) / max(q.shape[-1] - 1, 1))


def rms__standard_deviation(q, k):
    """The vectors are divided by their standard deviation, which leaves their mean out of account."""
    return _root(np.var(_both(q, k), axis=4, keepdims=True))


def rms__mean_of_sizes(q, k):
    """The mean of the absolute values is taken instead of the root of the mean square."""
    return np.mean(np.abs(_both(q, k)), axis=4, keepdims=True) + _CONSTANT


def rms__largest_feature(q, k):
    """The vectors are divided by their largest feature."""
    return np.max(np.abs(_both(q, k)), axis=4, keepdims=True) + _CONSTANT


def rms__root_missing(q, k):
    """The vectors are divided by their mean square, without the root: long ones come out short."""
    return np.mean(_both(q, k) ** 2, axis=4, keepdims=True) + _CONSTANT


def rms__constant_missing(q, k):
    """Nothing is added under the root: tiny vectors come out as long as all others, and zeros are 0/0."""
    with np.errstate(all="ignore"):
        return np.sqrt(np.mean(_both(q, k) ** 2, axis=4, keepdims=True))


def rms__constant_outside_the_root(q, k):
    """The constant is added to the root instead of under it, where it is a thousand times less."""
    return np.sqrt(np.mean(_both(q, k) ** 2, axis=4, keepdims=True)) + _CONSTANT


def rms__constant_of_1e5(q, k):
    """The constant is 1e-5."""
    return np.sqrt(np.mean(_both(q, k) ** 2, axis=4, keepdims=True) + 1e-5)


def rms__constant_of_1e8(q, k):
    """The constant is 1e-8."""
    return np.sqrt(np.mean(_both(q, k) ** 2, axis=4, keepdims=True) + 1e-8)


def rms__constant_added_to_sum(q, k):
    """The constant is added to the sum of squares before that is divided by d."""
    return np.sqrt((np.sum(_both(q, k) ** 2, axis=4, keepdims=True) + _CONSTANT) / q.shape[-1])


def rms__constant_as_lower_bound(q, k):
    """The mean square is raised to 1e-6 where it is below, instead of by 1e-6."""
    return np.sqrt(np.maximum(np.mean(_both(q, k) ** 2, axis=4, keepdims=True), _CONSTANT))


def rms__short_vectors_kept(q, k):
    """Vectors whose root mean square is below 1 are not made longer."""
    return np.maximum(rms(q, k), 1.0)


def rms__norms_between_a_thousandth_and_a_thousand(q, k):
    """The root mean squares are clipped to 0.001 and 1000."""
    return np.clip(rms(q, k), 1e-3, 1e3)


def rms__zero_vectors_kept_only(q, k):
    """The constant is used for vectors of zeros alone."""
    squares = np.mean(_both(q, k) ** 2, axis=4, keepdims=True)
    return np.sqrt(np.where(squares == 0, 1.0, squares))


def rms__gains_before_norm(q, k, g_q, g_k):
    """The root mean square is that of the vectors after their gains."""
    return _over(np.stack([q * g_q, k * g_k]), 4)


def rms__gains_in_the_mean_square(q, k, g_q, g_k):
    """The squares are weighted by the sizes of the gains before the mean is taken."""
    return _root(np.mean(np.stack([q**2 * np.abs(g_q), k**2 * np.abs(g_k)]), axis=4, keepdims=True))


def rms__norms_in_half_precision(q, k):
    """The root mean squares are rounded to float16: three digits survive, and above 65504 nothing."""
    with np.errstate(over="ignore"):
        return rms(q, k).astype(np.float16).astype(np.float64)


# Queries


def queries(q, rms, g_q):
    return q / rms[0] * g_q  # (B, H, T, d)


def queries__key_gain_for_queries(q, rms, g_k):
    """The queries are multiplied by the gain of the keys, which so enters squared."""
    return q / rms[0] * g_k


def queries__query_gain_missing(q, rms):
    """The queries have no gain."""
    return q / rms[0]


def queries__query_gain_above_one(q, rms, g_q):
    """The queries are multiplied by 1 plus their gain."""
    return q / rms[0] * (1 + g_q)


def queries__query_gain_reversed(q, rms, g_q):
    """The gain of the queries is read backwards."""
    return q / rms[0] * g_q[::-1]


def queries__query_gain_averaged(q, rms, g_q):
    """All features of the queries are multiplied by the mean gain."""
    return q / rms[0] * g_q.mean()


def queries__query_gain_without_sign(q, rms, g_q):
    """The size of the gain is taken, without its sign."""
    return q / rms[0] * np.abs(g_q)


def queries__query_gain_clipped(q, rms, g_q):
    """The gain of the queries is clipped to [-1000, 1000]."""
    return q / rms[0] * np.clip(g_q, -1e3, 1e3)


def queries__queries_centred(q, rms, g_q):
    """The mean of the features is subtracted from the queries."""
    return (q - q.mean(axis=-1, keepdims=True)) / rms[0] * g_q


def queries__queries_rounded_to_half(q, rms, g_q):
    """The normalised queries are rounded to float16: three digits survive."""
    return (q / rms[0]).astype(np.float16).astype(np.float64) * g_q


# Keys


def keys(k, rms, g_k):
    return k / rms[1] * g_k  # (B, H, T, d)


def keys__query_gain_for_keys(k, rms, g_q):
    """The keys are multiplied by the gain of the queries, which so enters squared; that of the keys is not used."""
    return k / rms[1] * g_q


def keys__key_gain_missing(k, rms):
    """The keys have no gain."""
    return k / rms[1]


def keys__key_gain_above_one(k, rms, g_k):
    """The keys are multiplied by 1 plus their gain."""
    return k / rms[1] * (1 + g_k)


def keys__key_gain_without_sign(k, rms, g_k):
    """The size of the gain is taken, without its sign."""
    return k / rms[1] * np.abs(g_k)


def keys__key_gain_clipped(k, rms, g_k):
    """The gain of the keys is clipped to [-1000, 1000]."""
    return k / rms[1] * np.clip(g_k, -1e3, 1e3)


def keys__keys_have_both_gains(k, rms, g_q, g_k):
    """The keys are multiplied by both gains, and the queries by theirs as well."""
    return k / rms[1] * g_k * g_q


def keys__keys_centred(k, rms, g_k):
    """The mean of the features is subtracted from the keys."""
    return (k - k.mean(axis=-1, keepdims=True)) / rms[1] * g_k


def keys__keys_of_next_head(k, rms, g_k):
    """Every head compares its queries with the keys of the next head."""
    return np.roll(k / rms[1] * g_k, -1, axis=1)


def keys__keys_of_first_item(k, rms, g_k):
    """All items read the keys of item 0."""
    own = np.broadcast_to(k / rms[1] * g_k, k.shape)
    return _everywhere(own[:1], own)


# Scores, scale included


def scores(queries, keys):
    return queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])  # (B, H, T, T), query by key


def scores__gains_missing(q, k, rms):
    """Neither queries nor keys have a gain."""
    return scores(q / rms[0], k / rms[1])


def scores__scores_key_by_query(queries, keys):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(keys, queries)


def scores__scores_between_features(queries, keys):
    """Where T equals d the product compares features with features instead of positions with positions."""
    square = queries.shape[2] == queries.shape[3]
    return scores(queries.swapaxes(2, 3), keys.swapaxes(2, 3)) if square else scores(queries, keys)


def scores__scale_missing(queries, keys):
    """The scores are the bare products, as if the normalisation took the place of the scale."""
    return queries @ keys.swapaxes(-1, -2)


def scores__scale_without_root(queries, keys):
    """The scores are divided by d instead of its root."""
    return queries @ keys.swapaxes(-1, -2) / queries.shape[-1]


def scores__scale_full_width(queries, keys):
    """The scores are divided by the root of H*d, the width of all heads together."""
    return queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[1] * queries.shape[3])


def scores__scale_head_count(queries, keys):
    """The scores are divided by the root of the number of heads."""
    return queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[1])


def scores__scale_by_value_size(queries, keys, v):
    """The scores are divided by the root of e, the size of the values."""
    return queries @ keys.swapaxes(-1, -2) / np.sqrt(v.shape[-1])


def scores__scores_normalised(queries, keys):
    """The scores of a row are divided by the root of their mean square, those of the future included."""
    plain = scores(queries, keys)
    return plain / _root(np.mean(plain**2, axis=-1, keepdims=True))


def scores__scores_normalised_instead(q, k, g_q, g_k):
    """Queries and keys have their gains alone; the scores of a row are divided by the root of their mean square."""
    plain = scores(q * g_q, k * g_k)
    return plain / _root(np.mean(plain**2, axis=-1, keepdims=True))


def scores__cosines(queries, keys):
    """The scores are cosines of the angles between queries and keys after their gains."""
    lengths = (np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (queries, keys))
    asking, asked = (np.maximum(length, 1e-12) for length in lengths)
    return (queries / asking) @ (keys / asked).swapaxes(-1, -2)


def scores__scores_soft_capped(queries, keys):
    """The scores pass through 50 tanh(s / 50), a soft cap that the contract does not have."""
    return 50 * np.tanh(scores(queries, keys) / 50)


def scores__scores_clipped(queries, keys):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -50, 50)


# Masked scores


def masked_scores(scores):
    return np.where(_past(scores), scores, -np.inf)


def masked_scores__mask_missing(scores):
    """Nothing closes the future: every query reads all keys."""
    return scores


def masked_scores__next_key_open(scores):
    """The triangle reaches one key beyond the diagonal."""
    return np.where(_distance(scores) >= -1, scores, -np.inf)


def masked_scores__own_key_closed(scores):
    """The diagonal is closed, but for the first row, which would be empty."""
    allowed = _distance(scores) > 0
    allowed[0, 0] = True
    return np.where(allowed, scores, -np.inf)


def masked_scores__mask_transposed(scores):
    """The triangle is upside down, so that a query reads itself and everything after it."""
    return np.where(_distance(scores) <= 0, scores, -np.inf)


def masked_scores__mask_multiplies_scores(scores):
    """Forbidden scores become 0, which is a score like any other."""
    return scores * _past(scores)


def masked_scores__forbidden_scores_lose_1000(scores):
    """Only 1000 is taken off a forbidden score, so that a key ahead by more stays ahead."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__forbidden_scores_lose_10000(scores):
    """Only 10000 is taken off a forbidden score, so that a key ahead by more stays ahead."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__fill_minus_10000(scores):
    """Forbidden scores become -10000, which is above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__fill_minus_100000(scores):
    """Forbidden scores become -100000, which is above the real scores of rows near -400000."""
    return np.where(_past(scores), scores, -1e5)


def masked_scores__fill_minus_500000(scores):
    """Forbidden scores become -500000, which is above the real scores of the lowest rows."""
    return np.where(_past(scores), scores, -5e5)


def masked_scores__fill_minus_1000000(scores):
    """Forbidden scores become -1000000, which is where the scores of the lowest rows are."""
    return np.where(_past(scores), scores, -1e6)


def masked_scores__mask_of_first_head(scores):
    """Only head 0 is masked."""
    return np.where(_past(scores) | (np.arange(scores.shape[1]) > 0)[:, None, None], scores, -np.inf)


def masked_scores__mask_from_zero_scores(scores):
    """A score of exactly 0 counts as forbidden, unless the whole row would be."""
    found = _past(scores) & (scores != 0)
    return np.where(np.where(found.any(axis=-1, keepdims=True), found, _past(scores)), scores, -np.inf)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (B, H, T, T), every row sums to 1


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns sum to 1, rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)), axis=-2)


def weights__softmax_over_heads(masked_scores):
    """The softmax runs over the heads, which compete for each cell; where all are forbidden this is NaN."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__softmax_over_matrix(masked_scores):
    """Queries and keys are normalised together: a whole matrix sums to 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))), axis=(-2, -1))


def weights__unsafe_softmax(masked_scores):
    """No maximum is subtracted, as if normalised vectors could not give large scores: exp overflows above 709."""
    return _share(np.exp(masked_scores))


def weights__mean_before_exp(masked_scores):
    """The mean of a row is subtracted instead of its maximum, so that a key far above the others overflows."""
    allowed = ~np.isneginf(masked_scores)
    mean = np.where(allowed, masked_scores, 0.0).sum(axis=-1, keepdims=True) / allowed.sum(axis=-1, keepdims=True)
    return _share(np.exp(masked_scores - mean))


def weights__bound_before_exp(masked_scores, q, g_q, g_k):
    """The largest score that the gains admit is subtracted instead of a row's maximum: low rows are 0/0."""
    return _share(np.exp(masked_scores - np.sqrt(q.shape[-1]) * np.abs(g_q * g_k).max()))


def weights__small_weights_cut_off(masked_scores):
    """Weights below 1e-10 become 0, which h tells where their values are large."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-10, 0.0, shares)


def weights__mask_late_guarded(scores):
    """The mask comes after the softmax, and a guard in the denominator turns 0/0 into rows of zeros."""
    late = _softmax(scores) * _past(scores)
    return late / np.maximum(late.sum(axis=-1, keepdims=True), 1e-300)


def weights__maximum_of_everything(masked_scores):
    """One maximum of all scores is subtracted, so that rows far below it are 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_of_matrix(masked_scores):
    """One maximum for each matrix of scores is subtracted, so that rows far below another row are 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before the mask; a forbidden key that leads by some 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 are 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0.0)))


def weights__mask_after_softmax(scores):
    """The weights are multiplied by the triangle after the softmax: rows sum to less than 1."""
    return _softmax(scores) * _past(scores)


def weights__mask_late_renormalised(scores):
    """The mask comes after the softmax; rows are divided by what is left, which is nothing where the future leads."""
    return _share(_softmax(scores) * _past(scores))


def weights__denominator_plus_one(masked_scores):
    """1 is added to the denominator, so that part of every row's weight goes nowhere."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__powers_of_two(masked_scores):
    """The softmax uses base 2, which flattens the scores by the factor ln 2."""
    return _share(np.exp2(masked_scores - _best(masked_scores)))


def weights__weights_shared_by_heads(masked_scores):
    """The weights are averaged over the heads, so that all heads read alike."""
    shares = _softmax(masked_scores)
    return _everywhere(shares.mean(axis=1, keepdims=True), shares)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (B, H, T, e)


def mixed_values__values_normalised(weights, v):
    """The values are divided by their root mean square as well."""
    return weights @ (v / _root(np.mean(v**2, axis=-1, keepdims=True)))


def mixed_values__mixed_values_normalised(weights, v):
    """The mixed values are divided by their root mean square."""
    mixed = weights @ v
    return mixed / _root(np.mean(mixed**2, axis=-1, keepdims=True))


def mixed_values__mix_with_transposed_weights(weights, v):
    """The values are mixed with the transposed weights: a position collects from the queries that read it."""
    return weights.swapaxes(-1, -2) @ v


def mixed_values__values_of_next_head(weights, v):
    """Every head mixes the values of the next head."""
    return weights @ np.roll(v, -1, axis=1)


def mixed_values__values_of_first_item(weights, v):
    """All items mix the values of item 0."""
    return weights @ _everywhere(v[:1], v)


def mixed_values__mix_with_mean_weights(weights, v):
    """The values of every head are mixed with the mean weights of all heads; the returned weights are right."""
    return weights.mean(axis=1, keepdims=True) @ v


def mixed_values__mix_unmasked(scores, v):
    """The values are mixed with unmasked weights; the masked ones are returned but not used."""
    return _softmax(scores) @ v
