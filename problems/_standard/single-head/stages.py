"""Causal self-attention with one head, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: T tokens, m model width, d key size, e value size. Alternatives that need equal sizes act like their stage where
the sizes differ, unless they say otherwise.
"""

import numpy as np


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _in_half(array):
    return array.astype(np.float16).astype(np.float64)


def _all_single(*arrays):
    return all(array.dtype == np.float32 for array in arrays)


def _is_square(matrix):
    return matrix.shape[0] == matrix.shape[1]


def _distance(scores):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(scores.shape[1])
    return np.arange(scores.shape[0])[:, None] - position


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


# Queries


def queries(x, w_q):
    return _double(x) @ _double(w_q)  # (T, d)


def queries__queries_from_w_k(x, w_k):
    """The queries are built with the key matrix, which makes the unmasked scores symmetric."""
    return _double(x) @ _double(w_k)


def queries__query_matrix_transposed(x, w_q):
    """A square W_Q is taken for stored as (out, in) and is transposed."""
    return _double(x) @ _double(w_q.T if _is_square(w_q) else w_q)


def queries__tokens_as_queries(x, w_q):
    """Where d equals m the raw tokens ask instead of their query projection."""
    return _double(x) if _is_square(w_q) else queries(x, w_q)


# Keys


def keys(x, w_k):
    return _double(x) @ _double(w_k)  # (T, d)


def keys__keys_from_w_q(x, w_q):
    """The keys are built with the query matrix; W_K is never used and the unmasked scores are symmetric."""
    return _double(x) @ _double(w_q)


def keys__keys_from_w_v(x, w_k, w_v):
    """Where W_V has the shape of W_K the keys are built with W_V."""
    return _double(x) @ _double(w_v if w_v.shape == w_k.shape else w_k)


def keys__key_matrix_transposed(x, w_k):
    """A square W_K is taken for stored as (out, in) and is transposed."""
    return _double(x) @ _double(w_k.T if _is_square(w_k) else w_k)


def keys__tokens_as_keys(x, w_k):
    """Where d equals m the raw tokens are the keys instead of their key projection."""
    return _double(x) if _is_square(w_k) else keys(x, w_k)


# Values


def values(x, w_v):
    return _double(x) @ _double(w_v)  # (T, e)


def values__values_from_w_k(x, w_k, w_v):
    """Where W_K has the shape of W_V the values are built with W_K."""
    return _double(x) @ _double(w_k if w_k.shape == w_v.shape else w_v)


def values__values_from_w_q(x, w_q, w_v):
    """Where W_Q has the shape of W_V the values are built with W_Q."""
    return _double(x) @ _double(w_q if w_q.shape == w_v.shape else w_v)


def values__tokens_as_values(x, w_v):
    """Where e equals m the raw tokens are mixed instead of their value projection."""
    return _double(x) if _is_square(w_v) else values(x, w_v)


def values__value_matrix_transposed(x, w_v):
    """A square W_V is taken for stored as (out, in) and is transposed."""
    return _double(x) @ _double(w_v.T if _is_square(w_v) else w_v)


def values__values_in_half_precision(x, w_v):
    """The values are rounded to half precision: three digits survive, and beyond 65504 it is infinity."""
    return _in_half(values(x, w_v))


def values__values_in_dtype_of_tokens(x, w_v):
    """The values are stored in the dtype of x, so integer tokens cut off the fractions."""
    return _double(values(x, w_v).astype(x.dtype))


# Scores, scale included


def _products(queries, keys):
    return queries @ keys.T


def scores(queries, keys):
    return _products(queries, keys) / np.sqrt(queries.shape[1])  # (T, T), query by key


def scores__scores_key_by_query(queries, keys):
    """The scores are K times Q^T: row i belongs to key i, so each query gets the scores of the wrong pairs."""
    return keys @ queries.T / np.sqrt(queries.shape[1])


def scores__scores_of_shape_d_by_d(queries, keys):
    """The position axis is summed away: the scores compare features with features, (d, d), whatever T is."""
    return queries.T @ keys / np.sqrt(queries.shape[1])


def scores__scores_between_features(queries, keys):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    return queries.T @ keys / np.sqrt(queries.shape[1]) if _is_square(queries) else scores(queries, keys)


def scores__keys_reshaped_not_transposed(queries, keys):
    """The keys are reshaped to (d, T) instead of transposed, so that a column mixes several keys."""
    return queries @ keys.reshape(keys.shape[::-1]) / np.sqrt(queries.shape[1])


def scores__scores_from_tokens(x, queries):
    """The scores compare the raw tokens; neither W_Q nor W_K is used."""
    return _double(x) @ _double(x).T / np.sqrt(queries.shape[1])


def scores__scores_cosine(queries, keys):
    """The scores are cosines of the angle between query and key, so the lengths of both are lost."""
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(keys, axis=1)
    return _products(queries, keys) / np.maximum(lengths, 1e-12)


def scores__scale_missing(queries, keys):
    """The scores are not divided by the square root of the key size; the weights are too sharp."""
    return _products(queries, keys)


def scores__scale_by_model_width(queries, keys, x):
    """The scores are divided by the square root of the model width m instead of the key size d."""
    return _products(queries, keys) / np.sqrt(x.shape[1])


def scores__scale_by_tokens(queries, keys):
    """The scores are divided by the square root of the number of tokens instead of the key size."""
    return _products(queries, keys) / np.sqrt(len(keys))


def scores__scale_by_value_width(queries, keys, values):
    """The scores are divided by the square root of the value size e instead of the key size."""
    return _products(queries, keys) / np.sqrt(values.shape[1])


def scores__scale_without_root(queries, keys):
    """The scores are divided by the key size itself, which leaves the weights too flat."""
    return _products(queries, keys) / queries.shape[1]


def scores__scale_inverted(queries, keys):
    """The scores are multiplied by the square root of d instead of divided."""
    return _products(queries, keys) * np.sqrt(queries.shape[1])


def scores__scale_on_one_side_of_two(queries, keys):
    """Only half of the scale is there: the scores are divided by the fourth root of d."""
    return _products(queries, keys) / queries.shape[1] ** 0.25


def scores__scale_by_half_the_key_size(queries, keys):
    """The exponent binds before the fraction: d ** 1 / 2 is half of d, not its root."""
    return _products(queries, keys) / (queries.shape[1] / 2)


def scores__scale_by_twice_the_key_size(queries, keys):
    """The exponent binds before the fraction: d ** -1 / 2 divides by twice the key size, not by its root."""
    return _products(queries, keys) / (2 * queries.shape[1])


def scores__scale_root_rounded_down(queries, keys):
    """The root of the key size is rounded down to an integer, which is right for 1, 4 and 9 only."""
    return _products(queries, keys) / int(np.sqrt(queries.shape[1]))


def scores__scale_of_the_example(queries, keys):
    """The scale is the constant of an example with d = 2."""
    return _products(queries, keys) / np.sqrt(2)


def scores__scale_of_64(queries, keys):
    """The scores are divided by 8, which is right for a key size of 64."""
    return _products(queries, keys) / 8


def scores__key_size_capped(queries, keys):
    """The scale stops growing at d = 64: wider keys are divided by 8 as well."""
    return _products(queries, keys) / np.sqrt(min(queries.shape[1], 64))


def scores__root_of_at_least_two(queries, keys):
    """The scale is guarded against small heads and divides by the root of 2 where d is 1."""
    return _products(queries, keys) / np.sqrt(max(queries.shape[1], 2))


def scores__scores_clipped(queries, keys):
    """The scores are clipped to [-50, 50] to keep exp in range, which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -50, 50)


def scores__scores_clipped_at_700(queries, keys):
    """The scores are clipped to [-700, 700], the range of exp, which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -700, 700)


def scores__scores_capped_at_700(queries, keys):
    """Scores above 700 are cut to 700 to keep exp from overflowing, which makes ties out of different scores."""
    return np.minimum(scores(queries, keys), 700)


def scores__scores_soft_capped(queries, keys):
    """The scores pass through 50 tanh(s / 50), a soft cap that the contract does not have."""
    return 50 * np.tanh(scores(queries, keys) / 50)


def scores__scores_in_single_precision(queries, keys):
    """The scores are rounded to single precision; at levels of thousands the differences lose most of their digits."""
    return scores(queries, keys).astype(np.float32)


def scores__scores_in_half_precision(queries, keys):
    """The scores pass through half precision: three digits survive, and beyond 65504 it is infinity."""
    return _in_half(scores(queries, keys))


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))  # -inf where the key lies in the future


def masked_scores__mask_missing(scores):
    """There is no causal mask: every query reads the whole sequence."""
    return scores


def masked_scores__mask_one_key_too_many(scores):
    """The triangle is one diagonal too wide: every query also reads the next position."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__own_key_closed(scores):
    """The triangle is strict: no query but the first may read its own position."""
    allowed = _distance(scores) > 0
    allowed[0, 0] = True
    return _keep(scores, allowed)


def masked_scores__own_key_closed_first_row_empty(scores):
    """The triangle is strict, also in the first row, which keeps no key at all and becomes 0/0."""
    return _keep(scores, _distance(scores) > 0)


def masked_scores__mask_transposed(scores):
    """The triangle is transposed: queries read themselves and the future, never the past."""
    return _keep(scores, _distance(scores) <= 0)


def masked_scores__mask_inverted(scores):
    """Allowed and forbidden are exchanged: only the future is readable, and the last row has no key at all."""
    return _keep(scores, _distance(scores) < 0)


def masked_scores__sentinel_on_the_past(scores):
    """-1e9 is added to the allowed scores instead of the forbidden ones; only the last row survives it."""
    return scores - 1e9 * _past(scores)


def masked_scores__mask_multiplies_scores(scores):
    """The scores are multiplied by the mask, so forbidden scores become 0 and still receive exp(0)."""
    return scores * _past(scores)


def masked_scores__mask_multiplies_by_minus_1e9(scores):
    """Forbidden scores are multiplied by -1e9, so those that were negative win their row."""
    return scores * np.where(_past(scores), 1, -1e9)


def masked_scores__mask_added_as_ones(scores):
    """A mask of ones and zeros is added: allowed keys gain 1, forbidden ones stay in the race."""
    return scores + _past(scores)


def masked_scores__future_added_as_ones(scores):
    """A mask of ones for the future is added: forbidden keys gain 1."""
    return scores + ~_past(scores)


def masked_scores__sentinel_100_added(scores):
    """-100 is added to forbidden scores, which a forbidden lead above 100 survives."""
    return scores - 100 * ~_past(scores)


def masked_scores__sentinel_1000_added(scores):
    """-1000 is added to forbidden scores, which a forbidden lead above 1000 survives."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__sentinel_10000_added(scores):
    """-10000 is added to forbidden scores, which a forbidden lead above 10000 survives."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__sentinel_by_dtype(scores, x):
    """For float32 tokens the mask adds -1e4, which a forbidden key that leads by more overcomes."""
    return scores - (1e4 if _all_single(x) else 1e9) * ~_past(scores)


def masked_scores__fill_minus_1000(scores):
    """Forbidden scores are replaced by -1000, which is above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e3)


def masked_scores__fill_minus_10000(scores):
    """Forbidden scores are replaced by -10000, which is above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__fill_minus_100000(scores):
    """Forbidden scores are replaced by -100000, which is above the real scores of rows near -400000."""
    return np.where(_past(scores), scores, -1e5)


def masked_scores__fill_minus_900000(scores):
    """Forbidden scores are replaced by -900000, which a row near the lower end of the graded range does not reach."""
    return np.where(_past(scores), scores, -9e5)


def masked_scores__fill_with_smallest_score(scores):
    """Forbidden scores are replaced by the smallest score, which is an ordinary score and keeps its weight."""
    return np.where(_past(scores), scores, scores.min())


def masked_scores__single_precision_fills_1e4(scores, x, w_q, w_k):
    """In single precision forbidden scores become -10000, for fear of infinity; rows far below lie under it."""
    return np.where(_past(scores), scores, -1e4 if _all_single(x, w_q, w_k) else -np.inf)


def masked_scores__mask_from_zero_scores(scores):
    """Every score that is exactly 0 counts as forbidden, also the scores of a zero token."""
    return _keep(scores, _past(scores) & (scores != 0))


def masked_scores__zero_tokens_as_padding(scores, x):
    """Tokens of zeros are taken for padding: no later query may read them."""
    distance = _distance(scores)
    return _keep(scores, (distance == 0) | ((distance > 0) & x.any(axis=1)))


def masked_scores__window_of_8(scores):
    """Each query reads its last 8 keys only, which short inputs never show."""
    return _keep(scores, _past(scores) & (_distance(scores) < 8))


def masked_scores__window_of_16(scores):
    """Each query reads its last 16 keys only, which short inputs never show."""
    return _keep(scores, _past(scores) & (_distance(scores) < 16))


def masked_scores__window_of_32(scores):
    """Each query reads its last 32 keys only, which short inputs never show."""
    return _keep(scores, _past(scores) & (_distance(scores) < 32))


def masked_scores__window_of_64(scores):
    """Each query reads its last 64 keys only, which short inputs never show."""
    return _keep(scores, _past(scores) & (_distance(scores) < 64))


def masked_scores__mask_of_first_16(scores):
    """The triangle covers the first 16 positions only; beyond them nothing is masked."""
    masked = scores.copy()
    masked[:16, :16] = masked_scores(scores)[:16, :16]
    return masked


def masked_scores__rows_open_from_16_on(scores):
    """Only the first 16 queries are masked; those after them read the future."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) >= 16)[:, None])


def masked_scores__rows_open_from_32_on(scores):
    """Only the first 32 queries are masked; those after them read the future."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) >= 32)[:, None])


def masked_scores__first_row_open(scores):
    """The loop over the rows begins with the second one, so the first query reads the whole sequence."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) == 0)[:, None])


def masked_scores__last_key_open(scores):
    """The slice that masks a row ends one key too early, so the last key stays readable for all."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) == scores.shape[1] - 1))


def masked_scores__mask_by_blocks_of_4(scores):
    """The mask is made for blocks of 4 positions, so a query reads its block to the end."""
    return _keep(scores, _past(scores) | _past(scores).repeat(4, 0).repeat(4, 1)[: len(scores), : scores.shape[1]])


def masked_scores__int8_positions(scores):
    """The positions are counted in eight bits: from the 129th token on they are negative and the mask is turned."""
    position = np.arange(len(scores)).astype(np.int8)
    return _keep(scores, position[:, None] >= position)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (T, T), every row sums to 1


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns of the weights sum to 1, rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__sum_over_queries(masked_scores):
    """The maximum is taken over the keys, the sum over the queries, so neither rows nor scores are respected."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=0)


def weights__maximum_over_queries(masked_scores):
    """The maximum is taken over the queries, so within a row every score is shifted by another number."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)))


def weights__softmax_over_everything(masked_scores):
    """All weights of the matrix share a sum of 1."""
    return _share(np.exp(masked_scores - masked_scores.max()), axis=None)


def weights__sum_over_everything(masked_scores):
    """Every row has its own maximum, but all exponentials of the matrix are divided by one sum."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=None)


def weights__unsafe_softmax_over_queries(masked_scores):
    """The softmax normalises over the queries and subtracts no maximum, so columns sum to 1 or are NaN."""
    return _share(np.exp(masked_scores), axis=0)


def weights__columns_then_rows(masked_scores):
    """The exponentials are normalised over the queries first, over the keys afterwards: rows sum to 1 all the same."""
    return _share(_share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0))


def weights__weights_transposed(masked_scores):
    """The weights are turned over: rows are keys, and every position collects from the future."""
    return _softmax(masked_scores).T


def weights__sum_without_keepdims(masked_scores):
    """The sum loses its axis, so column j is divided by the sum of row j."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / exponentials.sum(axis=1)


def weights__maximum_without_keepdims(masked_scores):
    """The row maxima lose their axis, so the maximum of row j is subtracted from column j."""
    return _share(np.exp(masked_scores - masked_scores.max(axis=1)))


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows to inf/inf above about 709 and is 0/0 in rows below about -745."""
    return _share(np.exp(masked_scores))


def weights__unsafe_softmax_nan_to_num(masked_scores):
    """exp still overflows or underflows; the NaN are replaced by 0 afterwards, so affected rows lose their weights."""
    return np.nan_to_num(_share(np.exp(masked_scores)))


def weights__unsafe_log_sum_exp(masked_scores):
    """The logarithm of the sum is taken without a maximum: where it is infinite, weights are all 0 or infinite."""
    return np.exp(masked_scores - np.log(np.exp(masked_scores).sum(axis=1, keepdims=True)))


def weights__single_precision_unshifted(masked_scores, x, w_q, w_k):
    """In single precision the exponentials are taken of the bare scores, which overflow from 89 on."""
    if not _all_single(x, w_q, w_k):
        return _softmax(masked_scores)
    return _double(_share(np.exp(masked_scores.astype(np.float32))))


def weights__one_maximum_for_all_rows(masked_scores):
    """One maximum of the whole matrix is subtracted, so rows more than 745 below it become 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__integers_share_a_maximum(masked_scores, x):
    """For integer tokens one maximum of the whole matrix is subtracted, so rows far below it become 0/0."""
    best = masked_scores.max() if x.dtype.kind == "i" else _best(masked_scores)
    return _share(np.exp(masked_scores - best))


def weights__maximum_starts_at_zero(masked_scores):
    """The row maximum is never below 0, so rows whose scores all lie below -745 become 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0)))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum of each row is taken before masking: a forbidden key that leads by more than 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by its own key's score, not its maximum: an earlier key that leads by 709 overflows."""
    return _share(np.exp(masked_scores - np.diagonal(masked_scores)[:, None]))


def weights__shift_by_first_score(masked_scores):
    """Each row is shifted by the score of the first key instead of its maximum: a key that leads it overflows."""
    return _share(np.exp(masked_scores - masked_scores[:, :1]))


def weights__shift_only_if_needed(masked_scores):
    """The maximum is subtracted only above 709 and below -745: near these limits sums overflow or lose digits."""
    best = _best(masked_scores)
    return _share(np.exp(masked_scores - np.where((best > 709) | (best < -745), best, 0)))


def weights__mask_after_softmax(scores):
    """The softmax sees unmasked scores, the future is erased afterwards: all rows but the last sum to less than 1."""
    return _softmax(scores) * _past(scores)


def weights__late_mask_renormalised(scores):
    """The mask comes after the softmax, rows are divided by their sums again: 0/0 once a future score leads by 745."""
    return _share(_softmax(scores) * _past(scores))


def weights__late_mask_renormalised_guarded(scores):
    """The mask comes after the softmax, rows are renormalised, and a guard turns 0/0 into rows of zeros."""
    late = _softmax(scores) * _past(scores)
    return late / np.maximum(late.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def weights__late_mask_renormalised_unless_zero(scores, masked_scores):
    """The mask comes after exp; only rows whose allowed exponentials are all 0 are computed again."""
    late = np.exp(scores - _best(scores)) * _past(scores)
    return _share(np.where(late.any(axis=1, keepdims=True), late, np.exp(masked_scores - _best(masked_scores))))


def weights__scale_after_softmax(masked_scores, queries):
    """The scores are not scaled, the weights are: rows sum to one over the root of d."""
    root = np.sqrt(queries.shape[1])
    return _softmax(masked_scores * root) / root


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-5)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each row had one more key without a value."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1)


def weights__unsafe_softmax_with_epsilon(masked_scores):
    """No maximum is subtracted and 1e-9 is added to the denominators, so low rows lose their weights."""
    exponentials = np.exp(masked_scores)
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-9)


def weights__exponent_floor_of_20(masked_scores):
    """Exponents are floored at -20 after masking, so forbidden and weak keys keep at least 2e-9 of the strongest."""
    return _share(np.exp(np.maximum(masked_scores - _best(masked_scores), -20)))


def weights__powers_of_two(masked_scores):
    """The softmax uses base 2, which flattens the scores by the factor ln 2."""
    return _share(np.exp2(masked_scores - _best(masked_scores)))


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every masked key."""
    return _softmax(_softmax(masked_scores))


def weights__strongest_key_only(masked_scores):
    """The strongest key of each row takes all the weight, as if the softmax were a maximum."""
    return (np.arange(masked_scores.shape[1]) == masked_scores.argmax(axis=1)[:, None]).astype(np.float64)


def weights__even_weights(scores):
    """The weights are even over the past; the scores are never used."""
    return _share(_past(scores).astype(np.float64))


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals, as they are printed."""
    return np.round(_softmax(masked_scores), 3)


def weights__weights_in_half_precision(masked_scores):
    """The weights are rounded to half precision before they are used: three digits survive."""
    return _in_half(_softmax(masked_scores))


def weights__small_weights_dropped(masked_scores):
    """Weights below 1e-7 are set to 0 as noise."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-7, 0, shares)


def weights__flat_rows_uniform(masked_scores):
    """A row whose scores differ by less than 1e-3 is taken for uniform."""
    readable = np.isfinite(masked_scores)
    spread = _best(masked_scores) - np.where(readable, masked_scores, np.inf).min(axis=1, keepdims=True)
    return _share(np.where(readable & (spread < 1e-3), 1, np.exp(masked_scores - _best(masked_scores))))


def weights__equal_tokens_share_a_row(masked_scores, x):
    """A token that occurred before takes over the weights of its first occurrence, with that position's mask."""
    shares, first = _softmax(masked_scores), {}
    rows = [first.setdefault(token.tobytes(), i) if token.any() else i for i, token in enumerate(x)]
    return shares[rows]


def _running_best(masked_scores, block=1):
    """For each key the row's maximum over its own and all earlier blocks of keys."""
    last = masked_scores.shape[1] - 1
    ends = np.minimum(np.arange(last + 1) // block * block + block - 1, last)
    return np.maximum.accumulate(masked_scores, axis=1)[:, ends]


def weights__running_sums_not_rescaled(masked_scores):
    """The keys are streamed with a running maximum; what was summed before is not rescaled when it grows."""
    return _share(np.exp(masked_scores - _running_best(masked_scores)))


def weights__running_total_rescaled_only(masked_scores):
    """The keys are streamed with a running maximum; when it grows the total is rescaled, the terms are not."""
    total = np.exp(masked_scores - _best(masked_scores)).sum(axis=1, keepdims=True)
    return np.exp(masked_scores - _running_best(masked_scores)) / total


def weights__running_terms_rescaled_only(masked_scores):
    """The keys are streamed with a running maximum; when it grows the terms are rescaled, the total is not."""
    total = np.exp(masked_scores - _running_best(masked_scores)).sum(axis=1, keepdims=True)
    return np.exp(masked_scores - _best(masked_scores)) / total


def weights__blocks_not_rescaled(masked_scores):
    """The sum is collected over blocks of 64 keys and rescaled when the maximum grows, earlier terms are not."""
    total = np.exp(masked_scores - _best(masked_scores)).sum(axis=1, keepdims=True)
    return np.exp(masked_scores - _running_best(masked_scores, block=64)) / total


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (T, e)


def mixed_values__weights_transposed_in_mix(weights, values):
    """The values are mixed with the transposed weights, so every position collects from the future."""
    return weights.T @ values


def mixed_values__mix_not_normalised(masked_scores, values):
    """The values are mixed with the exponentials; the normalised weights are returned but not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ values


def mixed_values__mix_unmasked(scores, values):
    """The values are mixed with unmasked weights; the masked ones are returned but not used."""
    return _softmax(scores) @ values


def mixed_values__scores_in_mix(scores, values):
    """The values are mixed with the scores of the past instead of the weights."""
    return (scores * _past(scores)) @ values


def mixed_values__mix_in_half_precision(weights, values):
    """The mixed values are rounded to half precision: three digits survive."""
    return _in_half(weights @ values)


def mixed_values__mix_in_dtype_of_tokens(weights, values, x):
    """The mixed values are collected in an array with the dtype of x, so integer tokens cut off the fractions."""
    return _double((weights @ values).astype(x.dtype))


def mixed_values__own_value_left_out(weights, values):
    """The sum over the keys ends one too early, so every position leaves its own value out."""
    return np.tril(weights, -1) @ values


def mixed_values__first_value_left_out(weights, values):
    """The sum over the keys begins with the second one, so nobody reads the first value."""
    return weights[:, 1:] @ values[1:]


# Output


def output(mixed_values, w_o):
    return mixed_values @ _double(w_o)  # (T, m)


def output__no_output_projection(mixed_values):
    """The mixed values are returned as the output; W_O is never multiplied."""
    return mixed_values


def output__projection_only_if_widths_differ(mixed_values, w_o):
    """W_O is multiplied only where it changes the width; for e = m the mixed values are returned."""
    return mixed_values if _is_square(w_o) else output(mixed_values, w_o)


def output__projection_transposed(mixed_values, w_o):
    """A square W_O is multiplied transposed."""
    return output(mixed_values, w_o.T if _is_square(w_o) else w_o)


def output__values_projected_back(mixed_values, w_v):
    """The output goes through the transposed W_V, as if the two were tied; W_O is never multiplied."""
    return output(mixed_values, w_v.T)


def output__single_token_shortcut(mixed_values, w_o):
    """A single token is answered with its values, without W_O."""
    return mixed_values if len(mixed_values) == 1 else output(mixed_values, w_o)


def output__residual_added(mixed_values, w_o, x):
    """The tokens are added to the output, as a surrounding block would do."""
    return _double(x) + output(mixed_values, w_o)


def output__residual_before_projection(mixed_values, w_o, x):
    """Where e equals m the tokens are added to the mixed values before the projection."""
    return output(mixed_values + _double(x) if _is_square(w_o) else mixed_values, w_o)


def output__output_in_half_precision(mixed_values, w_o):
    """The output is rounded to half precision: three digits survive."""
    return _in_half(output(mixed_values, w_o))


def output__output_rounded(mixed_values, w_o):
    """The output is rounded to three decimals, as it is printed."""
    return np.round(output(mixed_values, w_o), 3)


def output__output_buffer_like_tokens(mixed_values, w_o, x):
    """The output is stored in an array like x, so integer tokens truncate it."""
    return output(mixed_values, w_o).astype(x.dtype)
