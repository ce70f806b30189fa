"""Causal self-attention with several heads, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: B items, T tokens, m model width, H heads, d key size, e value size. Alternatives that need equal sizes act like
their stage where the sizes differ, unless they say otherwise.
"""

import numpy as np


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _in_half(array):
    return array.astype(np.float16).astype(np.float64)


def _all_single(*arrays):
    return all(array.dtype == np.float32 for array in arrays)


def _is_square(array):
    return array.shape[-2] == array.shape[-1]


def _split(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n)."""
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).swapaxes(1, 2)


def _merge(heads):
    """(B, H, T, n) -> (B, T, H*n)."""
    batch, n_heads, tokens, size = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, tokens, n_heads * size)


def _project(x, matrix, n_heads):
    return _split(_double(x) @ _double(matrix), n_heads)


def _project_unsplit(x, matrix, n_heads):
    """The split by one reshape: a head is made of several tokens' features."""
    batch, tokens, _ = x.shape
    return (_double(x) @ _double(matrix)).reshape(batch, n_heads, tokens, matrix.shape[1] // n_heads)


def _project_strided(x, matrix, n_heads):
    """Head h takes the columns h, h + H, h + 2H."""
    batch, tokens, _ = x.shape
    return (_double(x) @ _double(matrix)).reshape(batch, tokens, -1, n_heads).transpose(0, 3, 1, 2)


def _everywhere(first, heads):
    return np.broadcast_to(first, heads.shape)


def _by_pairs(heads):
    return heads[:, np.arange(heads.shape[1]) // 2 * 2]


def _distance(scores):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    return np.arange(scores.shape[-2])[:, None] - np.arange(scores.shape[-1])


def _past(scores):
    return _distance(scores) >= 0


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=-1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=-1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


# Queries


def queries(x, w_q, n_heads):
    return _project(x, w_q, n_heads)  # (B, H, T, d)


def queries__queries_from_key_projection(x, w_k, n_heads):
    """The queries are projected with w_k, so tokens compare their own key with the others' and scores are symmetric."""
    return _project(x, w_k, n_heads)


def queries__query_matrix_transposed(x, w_q, n_heads):
    """A square w_q is taken for stored as (out, in) and is transposed."""
    return _project(x, w_q.T if _is_square(w_q) else w_q, n_heads)


def queries__raw_tokens_as_queries(x, w_q, n_heads):
    """Where m equals H*d the tokens themselves ask and w_q is skipped."""
    return _split(_double(x), n_heads) if _is_square(w_q) else queries(x, w_q, n_heads)


def queries__first_query_block_everywhere(x, w_q, n_heads):
    """All heads ask with the first d columns of w_q; only their keys differ."""
    projected = queries(x, w_q, n_heads)
    return _everywhere(projected[:, :1], projected)


def queries__queries_split_without_transpose(x, w_q, n_heads):
    """The queries are reshaped straight to (B, H, T, d), so that a head is made of several tokens' features."""
    return _project_unsplit(x, w_q, n_heads)


def queries__queries_of_strided_columns(x, w_q, n_heads):
    """The queries of head h are the columns h, h + H, h + 2H; the keys lie in blocks."""
    return _project_strided(x, w_q, n_heads)


def queries__queries_of_first_item(x, w_q, n_heads):
    """All items of the batch ask with the queries of item 0."""
    projected = queries(x, w_q, n_heads)
    return _everywhere(projected[:1], projected)


# Keys


def keys(x, w_k, n_heads):
    return _project(x, w_k, n_heads)  # (B, H, T, d)


def keys__keys_from_query_projection(x, w_q, n_heads):
    """The keys are projected with w_q; w_k is never used and the unmasked scores are symmetric."""
    return _project(x, w_q, n_heads)


def keys__key_matrix_transposed(x, w_k, n_heads):
    """A square w_k is taken for stored as (out, in) and is transposed."""
    return _project(x, w_k.T if _is_square(w_k) else w_k, n_heads)


def keys__raw_tokens_as_keys(x, w_k, n_heads):
    """Where m equals H*d the tokens themselves are the keys and w_k is skipped."""
    return _split(_double(x), n_heads) if _is_square(w_k) else keys(x, w_k, n_heads)


def keys__first_key_block_everywhere(x, w_k, n_heads):
    """All heads share the keys of the first block of w_k, as if there were one head of keys only."""
    projected = keys(x, w_k, n_heads)
    return _everywhere(projected[:, :1], projected)


def keys__keys_shared_by_pairs(x, w_k, n_heads):
    """Heads 2i and 2i + 1 share the keys of head 2i, as if the keys were grouped."""
    return _by_pairs(keys(x, w_k, n_heads))


def keys__keys_split_without_transpose(x, w_k, n_heads):
    """The keys are reshaped straight to (B, H, T, d), so that a head is made of several tokens' features."""
    return _project_unsplit(x, w_k, n_heads)


def keys__keys_of_strided_columns(x, w_k, n_heads):
    """The keys of head h are the columns h, h + H, h + 2H; the queries lie in blocks."""
    return _project_strided(x, w_k, n_heads)


def keys__keys_of_next_head(x, w_k, n_heads):
    """Every head compares its queries with the keys of the next head."""
    return np.roll(keys(x, w_k, n_heads), -1, axis=1)


def keys__keys_of_first_item(x, w_k, n_heads):
    """All items of the batch read the keys of item 0."""
    projected = keys(x, w_k, n_heads)
    return _everywhere(projected[:1], projected)


# Values


def values(x, w_v, n_heads):
    return _project(x, w_v, n_heads)  # (B, H, T, e)


def values__values_tied_to_keys(x, w_k, w_v, n_heads):
    """Where w_v and w_k have the same shape, the values are taken from the key projection."""
    return _project(x, w_k if w_k.shape == w_v.shape else w_v, n_heads)


def values__values_from_query_projection(x, w_q, w_v, n_heads):
    """Where w_v and w_q have the same shape, the values are taken from the query projection."""
    return _project(x, w_q if w_q.shape == w_v.shape else w_v, n_heads)


def values__raw_tokens_as_values(x, w_v, n_heads):
    """Where m equals H*e the tokens themselves are mixed and w_v is skipped."""
    return _split(_double(x), n_heads) if _is_square(w_v) else values(x, w_v, n_heads)


def values__value_matrix_transposed(x, w_v, n_heads):
    """A square w_v is taken for stored as (out, in) and is transposed."""
    return _project(x, w_v.T if _is_square(w_v) else w_v, n_heads)


def values__first_value_block_everywhere(x, w_v, n_heads):
    """All heads mix the values of the first block of w_v, as if there were one head of values only."""
    projected = values(x, w_v, n_heads)
    return _everywhere(projected[:, :1], projected)


def values__values_split_without_transpose(x, w_v, n_heads):
    """The values are reshaped straight to (B, H, T, e), so that a head is made of several tokens' features."""
    return _project_unsplit(x, w_v, n_heads)


def values__values_of_strided_columns(x, w_v, n_heads):
    """The values of head h are the columns h, h + H, h + 2H; the rows of w_o lie in blocks."""
    return _project_strided(x, w_v, n_heads)


def values__values_of_next_head(x, w_v, n_heads):
    """Every head mixes the values of the next head."""
    return np.roll(values(x, w_v, n_heads), -1, axis=1)


def values__values_of_first_item(x, w_v, n_heads):
    """All items of the batch mix the values of item 0."""
    projected = values(x, w_v, n_heads)
    return _everywhere(projected[:1], projected)


def values__values_of_next_item(x, w_v, n_heads):
    """Every item of the batch mixes the values of the next item."""
    return np.roll(values(x, w_v, n_heads), -1, axis=0)


def values__values_in_half_precision(x, w_v, n_heads):
    """The values are rounded to float16, which leaves three digits."""
    return _in_half(values(x, w_v, n_heads))


def values__values_in_dtype_of_tokens(x, w_v, n_heads):
    """The values are stored in the dtype of x, so integer tokens cut off the fractions."""
    return _double(values(x, w_v, n_heads).astype(x.dtype))


# Scores, scale included


def _products(queries, keys):
    return queries @ keys.swapaxes(-1, -2)


def scores(queries, keys):
    return _products(queries, keys) / np.sqrt(queries.shape[-1])  # (B, H, T, T), query by key


def scores__key_by_query_scores(queries, keys):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return _products(keys, queries) / np.sqrt(queries.shape[-1])


def scores__one_column_scores_turned(queries, keys):
    """For d = 1 a shortcut multiplies a column of keys with a row of queries, so that rows are keys."""
    return scores(keys, queries) if queries.shape[-1] == 1 else scores(queries, keys)


def scores__scores_of_shape_d_by_d(queries, keys):
    """The position axis is summed away: the scores compare features with features, (d, d), whatever T is."""
    return queries.swapaxes(-1, -2) @ keys / np.sqrt(queries.shape[-1])


def scores__scores_between_features(queries, keys):
    """Where T equals d the blocks count as feature-first and the product compares features instead of tokens."""
    turned = queries.swapaxes(-1, -2) @ keys / np.sqrt(queries.shape[-1])
    return turned if _is_square(queries) else scores(queries, keys)


def scores__keys_reshaped_not_transposed(queries, keys):
    """The keys are reshaped to (B, H, d, T) instead of transposed, so that a column mixes several keys."""
    batch, n_heads, tokens, size = keys.shape
    return queries @ keys.reshape(batch, n_heads, size, tokens) / np.sqrt(size)


def scores__keys_summed_over_heads(queries, keys):
    """The head index of the keys is free, so every head compares its queries with the sum of all heads' keys."""
    return scores(queries, _everywhere(keys.sum(axis=1, keepdims=True), keys))


def scores__scores_averaged_over_heads(queries, keys):
    """The scores are averaged over the heads, so all heads spread their weight alike."""
    plain = scores(queries, keys)
    return _everywhere(plain.mean(axis=1, keepdims=True), plain)


def scores__scores_from_tokens(x, queries):
    """The scores compare the raw tokens in every head; neither w_q nor w_k is used."""
    products = _double(x) @ _double(x).swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    return np.repeat(products[:, None], queries.shape[1], axis=1)


def scores__scores_cosine(queries, keys):
    """The scores are cosines of the angle between query and key, so the lengths of both are lost."""
    lengths = _products(*(np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (queries, keys)))
    return _products(queries, keys) / np.maximum(lengths, 1e-12)


def scores__scale_full_width(queries, keys, w_q):
    """The scores are divided by the root of H*d, the width of all heads together, too much by the root of H."""
    return _products(queries, keys) / np.sqrt(w_q.shape[1])


def scores__scale_model_width(queries, keys, x):
    """The scores are divided by the root of m, the width of the tokens."""
    return _products(queries, keys) / np.sqrt(x.shape[-1])


def scores__scale_model_width_per_head(queries, keys, x, n_heads):
    """The head size is taken to be m / H, which the contract does not promise."""
    return _products(queries, keys) / np.sqrt(x.shape[-1] / n_heads)


def scores__scale_head_count(queries, keys, n_heads):
    """The scores are divided by the root of the number of heads."""
    return _products(queries, keys) / np.sqrt(n_heads)


def scores__scale_value_size(queries, keys, values):
    """The scores are divided by the root of e, the size of the values."""
    return _products(queries, keys) / np.sqrt(values.shape[-1])


def scores__scale_token_count(queries, keys):
    """The scores are divided by the root of the number of tokens, so adding a token changes all earlier rows."""
    return _products(queries, keys) / np.sqrt(keys.shape[-2])


def scores__scale_missing(queries, keys):
    """The scores are the bare products."""
    return _products(queries, keys)


def scores__scale_twice(queries, keys):
    """The queries are scaled and the scores once more, which divides by d."""
    return _products(queries, keys) / queries.shape[-1]


def scores__scale_inverted(queries, keys):
    """The scores are multiplied by the root of the head size instead of divided."""
    return _products(queries, keys) * np.sqrt(queries.shape[-1])


def scores__scale_on_one_side_of_two(queries, keys):
    """Only half of the scale is there: the scores are divided by the fourth root of d."""
    return _products(queries, keys) / queries.shape[-1] ** 0.25


def scores__scale_by_half_the_key_size(queries, keys):
    """The exponent binds before the fraction: d ** 1 / 2 is half of d, not its root."""
    return _products(queries, keys) / (queries.shape[-1] / 2)


def scores__scale_by_twice_the_key_size(queries, keys):
    """The exponent binds before the fraction: d ** -1 / 2 divides by twice the key size, not by its root."""
    return _products(queries, keys) / (2 * queries.shape[-1])


def scores__scale_root_rounded_down(queries, keys):
    """The root of the key size is rounded down to an integer, which is right for 1, 4 and 9 only."""
    return _products(queries, keys) / int(np.sqrt(queries.shape[-1]))


def scores__scale_of_64(queries, keys):
    """The scores are divided by 8, which is right for a key size of 64."""
    return _products(queries, keys) / 8


def scores__root_of_at_least_two(queries, keys):
    """The scale is guarded against small heads and divides by the root of 2 where d is 1."""
    return _products(queries, keys) / np.sqrt(max(queries.shape[-1], 2))


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
    """The scores are rounded to float32, which leaves seven digits and no differences of order 1 near 4e5."""
    return scores(queries, keys).astype(np.float32)


def scores__scores_in_half_precision(queries, keys):
    """The scores pass through half precision: three digits survive, and beyond 65504 it is infinity."""
    return _in_half(scores(queries, keys))


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))  # -inf where the key lies in the future


def masked_scores__mask_missing(scores):
    """Nothing closes the future: every query reads all keys."""
    return scores


def masked_scores__next_key_open(scores):
    """The triangle reaches one key beyond the diagonal."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__own_key_closed(scores):
    """The diagonal is closed, and the first row, which would be empty, was patched."""
    allowed = _distance(scores) > 0
    allowed[0, 0] = True
    return _keep(scores, allowed)


def masked_scores__own_key_closed_first_row_empty(scores):
    """The diagonal is closed, also in the first row, which keeps no key at all and becomes 0/0."""
    return _keep(scores, _distance(scores) > 0)


def masked_scores__mask_transposed(scores):
    """The triangle is upside down, so a query reads itself and everything after it."""
    return _keep(scores, _distance(scores) <= 0)


def masked_scores__mask_inverted(scores):
    """Allowed and forbidden are exchanged: only the future is readable, and the last row has no key at all."""
    return _keep(scores, _distance(scores) < 0)


def masked_scores__sentinel_on_the_past(scores):
    """-1e9 is added to the allowed scores instead of the forbidden ones; only the last row survives it."""
    return scores - 1e9 * _past(scores)


def masked_scores__mask_multiplies_scores(scores):
    """Forbidden scores become 0, which is a score like any other and takes its share of the softmax."""
    return scores * _past(scores)


def masked_scores__mask_multiplies_by_minus_1e9(scores):
    """Forbidden scores are multiplied by -1e9, so those that were negative win their row."""
    return scores * np.where(_past(scores), 1, -1e9)


def masked_scores__mask_added_as_ones(scores):
    """A mask of ones and zeros is added: allowed keys gain 1, forbidden ones stay in the race."""
    return scores + _past(scores)


def masked_scores__mask_adds_1e3(scores):
    """Only 1000 is taken off a forbidden score, so that a key ahead by more stays ahead."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__mask_adds_1e4(scores):
    """Only 10000 is taken off a forbidden score, so that a key ahead by more stays ahead."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__mask_fills_1e3(scores):
    """Forbidden scores become -1000, which is above the real scores of rows on a low level."""
    return np.where(_past(scores), scores, -1e3)


def masked_scores__mask_fills_1e4(scores):
    """Forbidden scores become -10000, which is above the real scores of a row near -400000."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__mask_fills_1e5(scores):
    """Forbidden scores become -100000, which is above the real scores of a row near -400000."""
    return np.where(_past(scores), scores, -1e5)


def masked_scores__mask_fills_9e5(scores):
    """Forbidden scores become -900000, which a row near the lower end of the graded range does not reach."""
    return np.where(_past(scores), scores, -9e5)


def masked_scores__mask_fills_smallest_score(scores):
    """Forbidden scores become the smallest of all scores, which is an ordinary score and keeps its weight."""
    return np.where(_past(scores), scores, scores.min())


def masked_scores__single_precision_fills_1e4(scores, x, w_q, w_k):
    """In single precision forbidden scores become -10000, for fear of infinity; rows far below lie under it."""
    return np.where(_past(scores), scores, -1e4 if _all_single(x, w_q, w_k) else -np.inf)


def masked_scores__mask_read_off_zeros(scores):
    """A score of exactly 0 counts as forbidden, so a token of zeros loses every key."""
    return _keep(scores, _past(scores) & (scores != 0))


def masked_scores__mask_skips_empty_items(scores, x):
    """An item whose tokens are all zero counts as padding and is not masked, so its weights are even everywhere."""
    return _keep(scores, _past(scores) | ~x.any(axis=(1, 2))[:, None, None, None])


def masked_scores__zero_tokens_as_padding(scores, x):
    """Tokens of zeros are taken for padding: no later query may read them."""
    distance = _distance(scores)
    return _keep(scores, (distance == 0) | ((distance > 0) & x.any(axis=2)[:, None, None, :]))


def masked_scores__window_of_8_keys(scores):
    """Keys more than 7 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 8))


def masked_scores__window_of_16_keys(scores):
    """Keys more than 15 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 16))


def masked_scores__window_of_32_keys(scores):
    """Keys more than 31 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 32))


def masked_scores__window_of_64_keys(scores):
    """Keys more than 63 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 64))


def masked_scores__mask_first_16_rows(scores):
    """The loop that masks ends at row 16."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[-2]) >= 16)[:, None])


def masked_scores__mask_first_32_rows(scores):
    """The loop that masks ends at row 32."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[-2]) >= 32)[:, None])


def masked_scores__mask_of_first_16_tokens(scores):
    """The triangle covers the first 16 positions only; beyond them nothing is masked, neither rows nor columns."""
    masked = scores.copy()
    masked[..., :16, :16] = masked_scores(scores)[..., :16, :16]
    return masked


def masked_scores__mask_by_blocks_of_4(scores):
    """The mask is made for blocks of 4 positions, so a query reads its block to the end."""
    tokens = scores.shape[-1]
    return _keep(scores, _past(scores).repeat(4, 0).repeat(4, 1)[: scores.shape[-2], :tokens])


def masked_scores__first_row_open(scores):
    """The loop over the rows begins with the second one, so the first query reads the whole item."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[-2]) == 0)[:, None])


def masked_scores__last_key_open(scores):
    """The slice that masks a row ends one key too early, so the last key stays readable for all."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[-1]) == scores.shape[-1] - 1))


def masked_scores__mask_first_head_only(scores):
    """Only head 0 is masked."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) > 0)[:, None, None])


def masked_scores__mask_skips_last_head(scores):
    """The loop over the heads ends one too early, so the last head is not masked."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) == scores.shape[1] - 1)[:, None, None])


def masked_scores__mask_first_eight_heads(scores):
    """The mask is built for eight heads, further heads read the future."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) >= 8)[:, None, None])


def masked_scores__mask_first_item_only(scores):
    """Only the first item of the batch is masked."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) > 0)[:, None, None, None])


def masked_scores__mask_skips_last_item(scores):
    """The loop over the batch ends one too early, so the last item is not masked."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) == len(scores) - 1)[:, None, None, None])


def masked_scores__mask_first_four_items(scores):
    """The mask is built for batches of four, further items read the future."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) >= 4)[:, None, None, None])


def masked_scores__mask_on_item_axis(scores):
    """The place of the mask is found by size, and with B = T it lands on items and keys."""
    allowed = _past(scores)
    return _keep(scores, allowed[:, None, None, :] if len(scores) == len(allowed) else allowed)


def masked_scores__mask_on_head_axis(scores):
    """The place of the mask is found by size, and with H = T it lands on heads and keys."""
    allowed = _past(scores)
    return _keep(scores, allowed[:, None, :] if scores.shape[1] == len(allowed) else allowed)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (B, H, T, T), every row sums to 1


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: every column of the weights sums to 1, the rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)), axis=-2)


def weights__softmax_over_heads(masked_scores):
    """The softmax runs over the heads, which compete for each cell; where all are forbidden this is NaN."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__softmax_over_items(masked_scores):
    """The softmax runs over the batch, so items compete for each cell; where all are forbidden this is NaN."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__softmax_over_matrix(masked_scores):
    """Queries and keys are normalised together: a whole matrix sums to 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))), axis=(-2, -1))


def weights__softmax_over_heads_and_keys(masked_scores):
    """Heads and keys are normalised together: the rows of all heads share a sum of 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(1, -1))), axis=(1, -1))


def weights__softmax_over_everything(masked_scores):
    """All axes are normalised together: the whole array sums to 1."""
    return _share(np.exp(masked_scores - masked_scores.max()), axis=None)


def weights__sum_over_queries(masked_scores):
    """The maximum is taken over the keys, the sum over the queries, so neither rows nor scores are respected."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=-2)


def weights__sum_over_heads(masked_scores):
    """The maximum is taken over the keys, the sum over the heads, so heads compete for each cell."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=1)


def weights__sum_over_items(masked_scores):
    """The maximum is taken over the keys, the sum over the batch, so items compete for each cell."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=0)


def weights__sum_over_matrix(masked_scores):
    """Every row has its own maximum, but all exponentials of a head are divided by one sum."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=(-2, -1))


def weights__unsafe_softmax_over_queries(masked_scores):
    """The softmax normalises over the queries and subtracts no maximum, so columns sum to 1 or are NaN."""
    return _share(np.exp(masked_scores), axis=-2)


def weights__maximum_over_queries(masked_scores):
    """The maximum is taken over the queries, so within a row every score is shifted by another number."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)))


def weights__columns_then_rows(masked_scores):
    """The columns are normalised first and the rows afterwards, which sums to 1 but is no softmax of the row."""
    return _share(weights__softmax_over_queries(masked_scores))


def weights__scores_turned_for_axis_minus_2(masked_scores):
    """The scores are transposed so that axis -2 holds the keys, and the weights stay transposed."""
    return _softmax(masked_scores).swapaxes(-1, -2)


def weights__no_maximum_subtracted(masked_scores):
    """The exponential is taken of the scores themselves, which overflows near 710 and vanishes near -745."""
    return _share(np.exp(masked_scores))


def weights__overflow_hidden(masked_scores):
    """No maximum is subtracted, and the NaN that follows are replaced by 0: finite, and wrong."""
    return np.nan_to_num(_share(np.exp(masked_scores)))


def weights__unsafe_log_sum_exp(masked_scores):
    """The logarithm of the sum is taken without a maximum: where it is infinite, weights are all 0 or infinite."""
    return np.exp(masked_scores - np.log(np.exp(masked_scores).sum(axis=-1, keepdims=True)))


def weights__single_precision_unshifted(masked_scores, x, w_q, w_k):
    """In single precision the exponentials are taken of the bare scores, which overflow from 89 on."""
    if not _all_single(x, w_q, w_k):
        return _softmax(masked_scores)
    return _double(_share(np.exp(masked_scores.astype(np.float32))))


def weights__maximum_of_everything(masked_scores):
    """One maximum over the whole array is subtracted, so rows far below it vanish to 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_of_matrix(masked_scores):
    """One maximum per matrix of scores is subtracted, so rows far below another row vanish to 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))))


def weights__maximum_over_heads(masked_scores):
    """The maximum of a row is shared by all heads, so heads far below another vanish to 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(1, -1))))


def weights__maximum_over_items(masked_scores):
    """The maximum of a row is shared by all items, so items far below another vanish to 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(0, -1))))


def weights__maximum_of_item(masked_scores):
    """One maximum per item is subtracted, shared by its heads and rows, so rows far below it vanish to 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(1, 2, 3))))


def weights__maximum_of_head(masked_scores):
    """One maximum per head is subtracted, shared by all items and rows, so rows far below it vanish to 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(0, 2, 3))))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before the mask; a forbidden key that leads by some 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_starts_at_zero(masked_scores):
    """The row maximum is never below 0, so rows whose scores all lie below -745 become 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0)))


def weights__integers_share_a_maximum(masked_scores, x):
    """For integer tokens the maximum is that of the whole head, so rows far below it underflow to 0/0."""
    axis = (-2, -1) if x.dtype.kind == "i" else -1
    return _share(np.exp(masked_scores - _best(masked_scores, axis=axis)))


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by its own key's score, not its maximum: an earlier key that leads by 709 overflows."""
    return _share(np.exp(masked_scores - np.diagonal(masked_scores, axis1=-2, axis2=-1)[..., None]))


def weights__shift_by_first_score(masked_scores):
    """Each row is shifted by the score of the first key instead of its maximum: a key that leads it overflows."""
    return _share(np.exp(masked_scores - masked_scores[..., :1]))


def weights__mask_after_softmax(scores):
    """The weights are multiplied by the triangle after the softmax, so a row keeps what it had given to its past."""
    return _softmax(scores) * _past(scores)


def weights__mask_late_renormalised(scores):
    """The mask comes after the softmax; rows are divided by what is left, which is nothing where a future key leads."""
    late = _softmax(scores) * _past(scores)
    totals = late.sum(axis=-1, keepdims=True)
    return np.divide(late, totals, out=np.zeros_like(late), where=totals > 0)


def weights__scale_after_softmax(masked_scores, queries):
    """The scores stay unscaled and the finished weights are divided by the root of the head size."""
    root = np.sqrt(queries.shape[-1])
    return _softmax(masked_scores * root) / root


def weights__scores_clipped(masked_scores):
    """Scores beyond 30 in size are cut, which makes ties of scores that differ."""
    return _share(np.exp(_keep(np.clip(masked_scores, -30, 30), ~np.isneginf(masked_scores))))


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__denominator_epsilon(masked_scores):
    """1e-5 is added to the denominator, which is never 0 here anyway."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-5)


def weights__denominator_plus_one(masked_scores):
    """1 is added to the denominator, so that part of every row's weight goes nowhere."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1)


def weights__unsafe_softmax_with_epsilon(masked_scores):
    """No maximum is subtracted and 1e-9 is added to the denominators, so low rows lose their weights."""
    exponentials = np.exp(masked_scores)
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)


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
    strongest = masked_scores.argmax(axis=-1)[..., None]
    return (np.arange(masked_scores.shape[-1]) == strongest).astype(np.float64)


def weights__sample_by_heart(masked_scores):
    """The sample is answered from a table and everything else with an even spread over the past."""
    if masked_scores.shape == (1, 2, 3, 3):
        return _softmax(masked_scores)
    return _share(_everywhere(_past(masked_scores).astype(np.float64), masked_scores))


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals, as they are printed."""
    return np.round(_softmax(masked_scores), 3)


def weights__weights_in_half_precision(masked_scores):
    """The weights are rounded to half precision before they are used: three digits survive."""
    return _in_half(_softmax(masked_scores))


def weights__small_weights_dropped(masked_scores):
    """Weights below 1e-7 are dropped as noise, although a large value behind one of them shows in y."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-7, 0, shares)


def weights__dropout_left_on(masked_scores):
    """A tenth of the weights is dropped and the rest enlarged, which belongs to training."""
    return _softmax(masked_scores) * (np.random.default_rng(0).random(masked_scores.shape) >= 0.1) / 0.9


def weights__weights_shared_by_heads(masked_scores):
    """The weights are averaged over the heads before they are used, so all heads read alike."""
    shares = _softmax(masked_scores)
    return _everywhere(shares.mean(axis=1, keepdims=True), shares)


def weights__weights_of_first_head(masked_scores):
    """All heads read with the weights of head 0."""
    shares = _softmax(masked_scores)
    return _everywhere(shares[:, :1], shares)


def weights__running_sums_not_rescaled(masked_scores):
    """The keys are streamed with a running maximum; what was summed before is not rescaled when it grows."""
    return _share(np.exp(masked_scores - np.maximum.accumulate(masked_scores, axis=-1)))


def weights__running_total_rescaled_only(masked_scores):
    """The keys are streamed with a running maximum; when it grows the total is rescaled, the terms are not."""
    total = np.exp(masked_scores - _best(masked_scores)).sum(axis=-1, keepdims=True)
    return np.exp(masked_scores - np.maximum.accumulate(masked_scores, axis=-1)) / total


def weights__running_terms_rescaled_only(masked_scores):
    """The keys are streamed with a running maximum; when it grows the terms are rescaled, the total is not."""
    running = np.exp(masked_scores - np.maximum.accumulate(masked_scores, axis=-1))
    return np.exp(masked_scores - _best(masked_scores)) / running.sum(axis=-1, keepdims=True)


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (B, H, T, e), before the merge


def mixed_values__mix_with_transposed_weights(weights, values):
    """The values are mixed with the transposed weights: a token collects from the queries that read it."""
    return weights.swapaxes(-1, -2) @ values


def mixed_values__values_summed_over_heads(weights, values):
    """The head index of the values is free, so every head mixes the sum of all heads' values."""
    return weights @ values.sum(axis=1, keepdims=True)


def mixed_values__values_averaged_over_heads(weights, values):
    """Every head mixes the mean of all heads' values."""
    return weights @ values.mean(axis=1, keepdims=True)


def mixed_values__fold_order_mixed_up(weights, values):
    """Heads are folded in front of the items and unfolded as if behind them: results land on other heads and items."""
    return (weights @ values).swapaxes(0, 1).reshape(values.shape)


def mixed_values__mix_with_mean_weights(weights, values):
    """The values of every head are mixed with the mean weights of all heads; the returned weights are right."""
    return weights.mean(axis=1, keepdims=True) @ values


def mixed_values__mix_with_first_head(weights, values):
    """The values of every head are mixed with the weights of head 0; the returned weights are right."""
    return weights[:, :1] @ values


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
    return weights[..., 1:] @ values[..., 1:, :]


# Output


def output(mixed_values, w_o):
    return _merge(mixed_values) @ _double(w_o)  # (B, T, m)


def output__no_output_projection(mixed_values):
    """The merged heads are returned as they are; w_o is never used, so no head's result meets another's."""
    return _merge(mixed_values)


def output__projection_only_to_fit(mixed_values, w_o):
    """w_o is used only to change the width, so with H*e = m the heads never mix."""
    return _merge(mixed_values) if _is_square(w_o) else output(mixed_values, w_o)


def output__one_head_without_output(mixed_values, w_o, n_heads):
    """A single head whose result is as wide as the tokens skips w_o, as if the projection served only to join heads."""
    return _merge(mixed_values) if n_heads == 1 and _is_square(w_o) else output(mixed_values, w_o)


def output__single_token_shortcut(mixed_values, w_o):
    """A single token is answered with its values, without w_o."""
    return _merge(mixed_values) if mixed_values.shape[2] == 1 else output(mixed_values, w_o)


def output__merge_without_transpose(mixed_values, w_o):
    """The merge reshapes (B, H, T, e) straight to (B, T, H*e), so that tokens receive pieces of other tokens."""
    batch, n_heads, tokens, size = mixed_values.shape
    return mixed_values.reshape(batch, tokens, n_heads * size) @ _double(w_o)


def output__merge_reversed_heads(mixed_values, w_o):
    """The heads are concatenated last to first, so each meets the rows of w_o that belong to another."""
    return output(mixed_values[:, ::-1], w_o)


def output__heads_sorted_as_text(mixed_values, w_o, n_heads):
    """The heads are joined in the alphabetical order of their names, in which 10 and 11 precede 2."""
    return output(mixed_values[:, sorted(range(n_heads), key=str)], w_o)


def output__heads_shifted_by_one(mixed_values, w_o):
    """Every head meets the rows of w_o that belong to the next head."""
    return output(np.roll(mixed_values, 1, axis=1), w_o)


def output__strided_output_rows(mixed_values, w_o):
    """Head h passes through every H-th row of w_o instead of its own block."""
    batch, n_heads, tokens, size = mixed_values.shape
    return mixed_values.transpose(0, 2, 3, 1).reshape(batch, tokens, n_heads * size) @ _double(w_o)


def output__same_output_block(mixed_values, w_o):
    """Every head passes through the first block of rows of w_o."""
    return mixed_values.sum(axis=1) @ _double(w_o)[: mixed_values.shape[-1]]


def output__last_head_dropped(mixed_values, w_o):
    """The sum over heads ends one too early; a single head stays."""
    kept = max(mixed_values.shape[1] - 1, 1)
    return _merge(mixed_values[:, :kept]) @ _double(w_o)[: kept * mixed_values.shape[-1]]


def output__first_head_dropped(mixed_values, w_o):
    """The sum over heads begins with the second one, so the first head never reaches the output."""
    return _merge(mixed_values[:, 1:]) @ _double(w_o)[mixed_values.shape[-1] :]


def output__first_head_only(mixed_values, w_o):
    """Only the first head reaches the output, through its own rows of w_o."""
    return mixed_values[:, 0] @ _double(w_o)[: mixed_values.shape[-1]]


def output__heads_averaged(mixed_values, w_o):
    """The heads are replaced by their mean before the projection, so what they know separately is lost."""
    return output(_everywhere(mixed_values.mean(axis=1, keepdims=True), mixed_values), w_o)


def output__heads_summed(mixed_values, w_o):
    """Every head is replaced by the sum of all before the projection, so what they know separately is lost."""
    return output(_everywhere(mixed_values.sum(axis=1, keepdims=True), mixed_values), w_o)


def output__output_averaged_over_heads(mixed_values, w_o, n_heads):
    """The contributions of the heads are averaged instead of added, so y is too small by the factor H."""
    return output(mixed_values, w_o) / n_heads


def output__output_orientation_guessed(mixed_values, w_o):
    """A square w_o is transposed, in the belief that it is stored as (out, in)."""
    return output(mixed_values, w_o.T if _is_square(w_o) else w_o)


def output__values_projected_back(mixed_values, w_v):
    """The output goes through the transposed w_v, as if the two were tied; w_o is never multiplied."""
    return output(mixed_values, w_v.T)


def output__residual_added(mixed_values, w_o, x):
    """x is added to y; the contract has no residual connection."""
    return _double(x) + output(mixed_values, w_o)


def output__residual_before_projection(mixed_values, w_o, x):
    """Where H*e equals m the tokens are added to the merged heads before the projection."""
    return (_merge(mixed_values) + _double(x)) @ _double(w_o) if _is_square(w_o) else output(mixed_values, w_o)


def output__output_in_half_precision(mixed_values, w_o):
    """The output is rounded to half precision: three digits survive."""
    return _in_half(output(mixed_values, w_o))


def output__output_rounded(mixed_values, w_o):
    """The output is rounded to three decimals, as it is printed."""
    return np.round(output(mixed_values, w_o), 3)


def output__integer_output(mixed_values, w_o, x):
    """y is collected in an array with the dtype of x, so integer tokens cut off the fractions."""
    return output(mixed_values, w_o).astype(x.dtype)
