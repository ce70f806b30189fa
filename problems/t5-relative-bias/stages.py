"""Causal attention of one head with a bias by buckets of distances, and beside each stage the ways in which it fails.

Sizes: T tokens, d key size, e value size, n numbers in the table. `buckets` says of each pair which number of the table
belongs to it; later keys have bucket 0. Alternatives that need equal sizes act like their stage where the sizes differ.
"""

import numpy as np

_FAR = 32  # from this distance on all keys have the last bucket


def _distance(q):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(len(q))
    return position[:, None] - position


def _past(scores):
    return _distance(scores) >= 0


def _steps(distance, n, half, far=_FAR):
    """How many steps beyond the near distances a distance lies, as a number with fractions."""
    return np.log(np.maximum(distance, half) / half) / np.log(far / half) * (n - half)


def _bucket(distance, n, far=_FAR):
    half = n // 2
    wide = half + _steps(distance, n, half, far).astype(int)
    return np.where(distance < half, np.maximum(distance, 0), np.minimum(wide, n - 1))


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


# Products of queries and keys, without a scale


def products(q, k):
    return q @ k.T  # (T, T), query by key


def products__products_scaled(q, k):
    """The products are divided by the root of d, as in other models; this one was trained without."""
    return q @ k.T / np.sqrt(q.shape[1])


def products__products_divided_by_d(q, k):
    """The products are divided by d."""
    return q @ k.T / q.shape[1]


def products__products_times_root(q, k):
    """The products are multiplied by the root of d, as if a scale had to be undone."""
    return q @ k.T * np.sqrt(q.shape[1])


def products__scale_on_one_side(q, k):
    """The queries are divided by the fourth root of d, one half of a scale that does not belong."""
    return q @ k.T / q.shape[1] ** 0.25


def products__products_scaled_by_tokens(q, k):
    """The products are divided by the root of the number of tokens."""
    return q @ k.T / np.sqrt(len(q))


def products__products_scaled_by_table(q, k, table):
    """The products are divided by the root of the number of buckets."""
    return q @ k.T / np.sqrt(len(table))


def products__products_scaled_by_value_size(q, k, v):
    """The products are divided by the root of e, the size of the values."""
    return q @ k.T / np.sqrt(v.shape[1])


def products__products_scaled_by_eight(q, k):
    """The products are divided by 8, the root of the usual key size."""
    return q @ k.T / 8


def products__products_key_by_query(q, k):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return k @ q.T


def products__products_between_features(q, k):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    return q.T @ k if q.shape[0] == q.shape[1] else q @ k.T


def products__keys_reshaped_not_transposed(q, k):
    """The keys are reshaped to (d, T) instead of transposed, so that a column mixes several keys."""
    return q @ k.reshape(k.shape[::-1])


def products__products_cosine(q, k):
    """The products are cosines of the angle between query and key, so the lengths of both are lost."""
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    return q @ k.T / np.maximum(lengths, 1e-12)


def products__products_clipped(q, k):
    """The products are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(q @ k.T, -50, 50)


def products__products_in_single_precision(q, k):
    """The products are rounded to float32, which leaves seven digits."""
    return (q @ k.T).astype(np.float32).astype(np.float64)


def products__queries_with_themselves(q):
    """The queries meet themselves instead of the keys."""
    return q @ q.T


# Buckets of distances


def buckets(q, table):
    return _bucket(_distance(q), len(table))  # (T, T), query by key


def buckets__constant_bias(q):
    """Distances are counted the other way round, so that all readable keys have bucket 0 and the bias cancels."""
    return np.zeros((len(q), len(q)), dtype=int)


def buckets__distance_one_too_far(q, table):
    """The own key counts as distance 1, so that bucket 0 is never read."""
    return _bucket(_distance(q) + 1, len(table))


def buckets__distance_one_too_near(q, table):
    """The token before counts as distance 0, like the own key."""
    return _bucket(_distance(q) - 1, len(table))


def buckets__distance_clipped(q, table):
    """Distances are clipped to the last bucket instead of put into growing steps."""
    return np.clip(_distance(q), 0, len(table) - 1)


def buckets__distance_clipped_at_half(q, table):
    """All distances beyond the near ones share one bucket, the first of the wide ones."""
    return np.clip(_distance(q), 0, len(table) // 2)


def buckets__far_keys_in_last_bucket(q, table):
    """All distances beyond the near ones share the last bucket."""
    return np.where(_distance(q) < len(table) // 2, np.maximum(_distance(q), 0), len(table) - 1)


def buckets__distance_modulo_table(q, table):
    """Distances beyond the table begin again at its front."""
    return np.maximum(_distance(q), 0) % len(table)


def buckets__steps_up_to_128(q, table):
    """The steps are stretched to a distance of 128, as in the published model, instead of 32."""
    return _bucket(_distance(q), len(table), far=128)


def buckets__steps_up_to_the_text(q, table):
    """The steps are stretched to the number of tokens instead of 32, so that buckets move as the text grows."""
    half = len(table) // 2
    return _bucket(_distance(q), len(table), far=max(len(q), half + 1))


def buckets__steps_rounded(q, table):
    """Steps are rounded to the nearest instead of cut off."""
    n, distance = len(table), _distance(q)
    wide = n // 2 + np.round(_steps(distance, n, n // 2)).astype(int)
    return np.where(distance < n // 2, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__steps_rounded_up(q, table):
    """Steps are rounded up instead of cut off."""
    n, distance = len(table), _distance(q)
    wide = n // 2 + np.ceil(_steps(distance, n, n // 2)).astype(int)
    return np.where(distance < n // 2, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__steps_even(q, table):
    """The far distances are cut into equal steps instead of growing ones."""
    n, distance = len(table), _distance(q)
    half = n // 2
    wide = half + ((distance - half) * (n - half)) // (_FAR - half)
    return np.where(distance < half, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__steps_of_two_for_each_bucket(q, table):
    """The steps double from bucket to bucket, whatever the number of buckets is."""
    n, distance = len(table), _distance(q)
    half = n // 2
    wide = half + np.floor(np.log2(np.maximum(distance, half) / half)).astype(int)
    return np.where(distance < half, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__last_bucket_from_24(q, table):
    """All distances from 24 on have the last bucket, instead of from 32 on."""
    return np.where(_distance(q) < 24, buckets(q, table), len(table) - 1)


def buckets__near_distances_at_most_8(q, table):
    """At most eight distances have a bucket of their own, however long the table is."""
    n, distance = len(table), _distance(q)
    near = min(n // 2, 8)
    wide = near + _steps(distance, n, near).astype(int)
    return np.where(distance < near, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__near_distances_at_least_2(q, table):
    """At least two distances have a bucket of their own, however short the table is."""
    n, distance = len(table), _distance(q)
    near = max(n // 2, 2)
    wide = near + _steps(distance, n, near).astype(int)
    return np.minimum(np.where(distance < near, np.maximum(distance, 0), wide), n - 1)


def buckets__half_of_the_table(q, table):
    """Half of the table is kept for keys behind the query and half for keys before it, as in an encoder."""
    return _bucket(_distance(q), max(len(table) // 2, 2))


def buckets__near_half_only_third(q, table):
    """A third of the buckets is near instead of a half."""
    n, distance = len(table), _distance(q)
    near = max(n // 3, 1)
    wide = near + _steps(distance, n, near).astype(int)
    return np.where(distance < near, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__near_half_rounded_up(q, table):
    """An odd table is halved upwards."""
    n, distance = len(table), _distance(q)
    near = (n + 1) // 2
    wide = near + _steps(distance, n, near).astype(int)
    return np.where(distance < near, np.maximum(distance, 0), np.minimum(wide, n - 1))


def buckets__buckets_from_the_end(q, table):
    """The table is read from its end: the own key has the last bucket."""
    return len(table) - 1 - buckets(q, table)


def buckets__buckets_of_key_positions(q, table):
    """The buckets are those of the keys' positions, not of distances."""
    return np.broadcast_to(_bucket(np.arange(len(q)), len(table)), (len(q), len(q)))


def buckets__buckets_of_last_query(q, table):
    """All queries take the buckets of the last one, as in a step of decoding."""
    return np.broadcast_to(buckets(q, table)[-1:], (len(q), len(q)))


def buckets__far_keys_in_first_bucket(q, table):
    """Keys at a distance of 32 and more have bucket 0, as if they were not there."""
    return np.where(_distance(q) < _FAR, buckets(q, table), 0)


def buckets__last_bucket_never_read(q, table):
    """The last bucket is never read, for indices end one too early."""
    return np.minimum(buckets(q, table), len(table) - 2)


# Scores, bias included


def scores(products, buckets, table):
    return products + table[buckets]  # (T, T)


def scores__bias_scaled_too(products, buckets, table, q):
    """Products and bias are divided by the root of d together."""
    return (products + table[buckets]) / np.sqrt(q.shape[1])


def scores__bias_alone_scaled(products, buckets, table, q):
    """The bias is divided by the root of d, the products are not."""
    return products + table[buckets] / np.sqrt(q.shape[1])


def scores__bias_subtracted(products, buckets, table):
    """The bias is subtracted, as if it were a penalty for distance."""
    return products - table[buckets]


def scores__bias_added_twice(products, buckets, table):
    """The bias is added twice."""
    return products + 2 * table[buckets]


def scores__bias_multiplies_products(products, buckets, table):
    """The products are multiplied by the bias."""
    return products * table[buckets]


def scores__bias_and_one_multiply_products(products, buckets, table):
    """The products are multiplied by 1 plus the bias."""
    return products * (1 + table[buckets])


def scores__bias_never_positive(products, buckets, table):
    """Positive numbers of the table are cut to 0, as if the bias could only be a penalty."""
    return products + np.minimum(table, 0)[buckets]


def scores__bias_by_size(products, buckets, table):
    """The sign of the table is thrown away and the bias subtracted."""
    return products - np.abs(table)[buckets]


def scores__table_sorted(products, buckets, table):
    """The table is sorted downwards, in the belief that a bias falls with the distance."""
    return products + np.sort(table)[::-1][buckets]


def scores__bias_grows_with_bucket(products, buckets, table):
    """The table's first number is a slope of the bucket, as in another model."""
    return products - table[0] * buckets


def scores__bias_in_half_precision(products, buckets, table):
    """The table is rounded to half precision."""
    return products + table.astype(np.float16).astype(np.float64)[buckets]


def scores__products_left_out(buckets, table):
    """The products are left out: position alone decides."""
    return table[buckets]


def scores__table_clipped(products, buckets, table):
    """The table is clipped to [-100, 100]."""
    return products + np.clip(table, -100, 100)[buckets]


def scores__table_clipped_at_1000(products, buckets, table):
    """The table is clipped to [-1000, 1000], which makes ties of larger numbers."""
    return products + np.clip(table, -1000, 1000)[buckets]


def scores__bias_only_without_own_key(products, buckets, table):
    """The own key has no bias."""
    return products + np.where(np.eye(len(products), dtype=bool), 0, table[buckets])


def scores__bias_from_zero_products(products, buckets, table):
    """Products of exactly 0 get no bias, for they are taken for hidden."""
    return products + np.where(products == 0, 0, table[buckets])


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))


def masked_scores__mask_missing(scores):
    """There is no causal mask: every query reads the whole text."""
    return scores


def masked_scores__next_key_open(scores):
    """The triangle is one diagonal too wide: every query reads the next token as well."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__own_key_closed(scores):
    """The triangle is strict: no query but the first reads its own key."""
    allowed = _distance(scores) > 0
    allowed[0, 0] = True
    return _keep(scores, allowed)


def masked_scores__mask_transposed(scores):
    """The triangle is turned over: queries read themselves and the tokens after them."""
    return _keep(scores, _past(scores).T)


def masked_scores__mask_multiplies_scores(scores):
    """The scores are multiplied by the mask, so that later keys keep the score 0 and get exp(0)."""
    return scores * _past(scores)


def masked_scores__window_of_32(scores):
    """Keys at a distance of 32 and more are hidden, in the belief that the buckets end there."""
    return _keep(scores, _past(scores) & (_distance(scores) < _FAR))


def masked_scores__window_of_64(scores):
    """Keys at a distance of 64 and more are hidden, the size of a cache."""
    return _keep(scores, _past(scores) & (_distance(scores) < 64))


def masked_scores__window_of_the_table(scores, table):
    """Keys at a distance of n and more are hidden, in the belief that the table ends there."""
    return _keep(scores, _past(scores) & (_distance(scores) < len(table)))


def masked_scores__sentinel_1000_added(scores):
    """-1000 is added to the scores of later keys, which a lead of more survives."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__sentinel_10000_added(scores):
    """-10000 is added to the scores of later keys, which a lead of more survives."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__fill_minus_10000(scores):
    """Later keys are filled with -10000, which lies above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__fill_minus_100000(scores):
    """Later keys are filled with -100000, which lies above the real scores of rows near -400000."""
    return np.where(_past(scores), scores, -1e5)


def masked_scores__mask_from_zero_products(scores, products):
    """A product that is exactly 0 counts as hidden; rows without any other read their own key."""
    allowed = _past(scores) & (products != 0)
    return _keep(scores, allowed | (~allowed.any(axis=1, keepdims=True) & np.eye(len(scores), dtype=bool)))


def masked_scores__first_row_open(scores):
    """The first query is not masked and reads the whole text."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) == 0)[:, None])


def masked_scores__mask_of_first_32(scores):
    """The mask is a table of 32 positions; beyond it nothing is hidden."""
    masked = scores.copy()
    masked[:32, :32] = masked_scores(scores)[:32, :32]
    return masked


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (T, T), every row sums to 1


def weights__bias_after_softmax(products, masked_scores, buckets, table):
    """The bias is added to finished weights, so that rows no longer sum to 1."""
    past = np.isfinite(masked_scores)
    return _softmax(_keep(products, past)) + np.where(past, table[buckets], 0)


def weights__bias_as_late_factor(products, masked_scores, buckets, table):
    """Finished weights are multiplied by exp of the bias; rows no longer sum to 1."""
    past = np.isfinite(masked_scores)
    return _softmax(_keep(products, past)) * np.exp(table[buckets])


def weights__late_factor_renormalised(products, masked_scores, buckets, table):
    """Finished weights are multiplied by exp of the bias and rows renormalised: what has underflowed stays lost."""
    return _share(weights__bias_as_late_factor(products, masked_scores, buckets, table))


def weights__maximum_before_bias(products, masked_scores):
    """The maximum is that of the products, before the bias: exp overflows or underflows where the two disagree."""
    return _share(np.exp(masked_scores - _best(_keep(products, np.isfinite(masked_scores)))))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum of each row is taken before masking: a later key that leads by more than 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys, the triangle is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * np.isfinite(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The triangle is laid over the weights and rows are divided by their sums: 0/0 where a later key leads by 745."""
    return _share(_softmax(scores) * np.isfinite(masked_scores))


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


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by its own key's score: an earlier key that leads it by 709 overflows."""
    return _share(np.exp(masked_scores - np.diagonal(masked_scores)[:, None]))


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-5)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every hidden key."""
    return _softmax(_softmax(masked_scores))


def weights__strongest_key_only(masked_scores):
    """The strongest key of each row takes all the weight."""
    return (np.arange(len(masked_scores)) == masked_scores.argmax(axis=1)[:, None]).astype(np.float64)


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


def mixed_values__mix_without_bias(products, masked_scores, v):
    """The values are mixed with weights without a bias; those with it are returned and not used."""
    return _softmax(_keep(products, np.isfinite(masked_scores))) @ v


def mixed_values__mix_unmasked(scores, v):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return _softmax(scores) @ v


def mixed_values__mix_not_normalised(masked_scores, v):
    """The values are mixed with the exponentials; the normalised weights are returned and not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ v


def mixed_values__bias_on_values(weights, v, buckets, table):
    """The bias is added to the weights in the mix, as if values had positions too."""
    return (weights + np.where(_past(weights), table[buckets], 0)) @ v


def mixed_values__own_value_left_out(weights, v):
    """The slice of the values ends one too early, so that every position leaves its own value out."""
    return np.tril(weights, -1) @ v


def mixed_values__mix_in_half_precision(weights, v):
    """The mixed values are rounded to half precision."""
    return (weights @ v).astype(np.float16).astype(np.float64)
