"""Self-attention of right-padded items, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: B items, T positions, m model width, H heads, d key size, e value size. `text` is (B, T), True where a position
is no padding; `allowed` is (B, 1, 1, T), or whatever a layer lays over the scores (B, H, T, T) in its place.
Alternatives that need equal sizes act like their stage where the sizes differ, unless they say otherwise.
"""

import numpy as np


def _split(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n)."""
    return projected.reshape(*projected.shape[:2], n_heads, -1).swapaxes(1, 2)


def _unsplit(projected, n_heads):
    """The split by one reshape: a head is made of several positions' features."""
    return projected.reshape(len(projected), n_heads, projected.shape[1], -1)


def _strided(projected, n_heads):
    """Head h takes the columns h, h + H, h + 2H."""
    return projected.reshape(*projected.shape[:2], -1, n_heads).transpose(0, 3, 1, 2)


def _merge(heads):
    """(B, H, T, n) -> (B, T, H*n)."""
    return heads.swapaxes(1, 2).reshape(len(heads), heads.shape[2], -1)


def _is_square(matrix):
    return matrix.shape[0] == matrix.shape[1]


def _turned(matrix):
    return matrix.T if _is_square(matrix) else matrix


def _everywhere(first, heads):
    return np.broadcast_to(first, heads.shape)


def _best(scores, axis=-1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=-1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _open(masked_scores):
    return ~np.isneginf(masked_scores)


def _padded(text):
    """(B, 1, T, 1), True where a query is padding."""
    return ~text[:, None, :, None]


# Queries


def queries(x, w_q, n_heads):
    return _split(x @ w_q, n_heads)  # (B, H, T, d)


def queries__queries_from_key_projection(x, w_k, n_heads):
    """The queries are projected with w_k, so that the scores are symmetric."""
    return _split(x @ w_k, n_heads)


def queries__query_matrix_transposed(x, w_q, n_heads):
    """A square w_q is taken for stored as (out, in) and is transposed."""
    return _split(x @ _turned(w_q), n_heads)


def queries__first_query_block_everywhere(x, w_q, n_heads):
    """All heads ask with the first d columns of w_q."""
    heads = queries(x, w_q, n_heads)
    return _everywhere(heads[:, :1], heads)


def queries__queries_split_without_transpose(x, w_q, n_heads):
    """The queries are reshaped straight to (B, H, T, d), so that a head is made of several positions' features."""
    return _unsplit(x @ w_q, n_heads)


def queries__queries_of_strided_columns(x, w_q, n_heads):
    """The queries of head h are the columns h, h + H, h + 2H; the keys lie in blocks."""
    return _strided(x @ w_q, n_heads)


def queries__queries_of_first_item(x, w_q, n_heads):
    """All items of the batch ask with the queries of item 0."""
    heads = queries(x, w_q, n_heads)
    return _everywhere(heads[:1], heads)


# Keys


def keys(x, w_k, n_heads):
    return _split(x @ w_k, n_heads)  # (B, H, T, d)


def keys__keys_from_query_projection(x, w_q, n_heads):
    """The keys are projected with w_q; w_k is never used."""
    return _split(x @ w_q, n_heads)


def keys__key_matrix_transposed(x, w_k, n_heads):
    """A square w_k is taken for stored as (out, in) and is transposed."""
    return _split(x @ _turned(w_k), n_heads)


def keys__keys_split_without_transpose(x, w_k, n_heads):
    """The keys are reshaped straight to (B, H, T, d), so that a head is made of several positions' features."""
    return _unsplit(x @ w_k, n_heads)


def keys__keys_of_strided_columns(x, w_k, n_heads):
    """The keys of head h are the columns h, h + H, h + 2H; the queries lie in blocks."""
    return _strided(x @ w_k, n_heads)


def keys__keys_of_next_head(x, w_k, n_heads):
    """Every head compares its queries with the keys of the next head."""
    return np.roll(keys(x, w_k, n_heads), -1, axis=1)


def keys__keys_of_first_item(x, w_k, n_heads):
    """All items of the batch read the keys of item 0."""
    heads = keys(x, w_k, n_heads)
    return _everywhere(heads[:1], heads)


# Values


def values(x, w_v, n_heads):
    return _split(x @ w_v, n_heads)  # (B, H, T, e)


def values__values_tied_to_keys(x, w_k, w_v, n_heads):
    """Where w_v and w_k have the same shape, the values are taken from the key projection."""
    return _split(x @ (w_k if w_k.shape == w_v.shape else w_v), n_heads)


def values__value_matrix_transposed(x, w_v, n_heads):
    """A square w_v is taken for stored as (out, in) and is transposed."""
    return _split(x @ _turned(w_v), n_heads)


def values__raw_tokens_as_values(x, w_v, n_heads):
    """Where m equals H*e the tokens themselves are mixed and w_v is skipped."""
    return _split(x if _is_square(w_v) else x @ w_v, n_heads)


def values__values_split_without_transpose(x, w_v, n_heads):
    """The values are reshaped straight to (B, H, T, e), so that a head is made of several positions' features."""
    return _unsplit(x @ w_v, n_heads)


def values__values_of_strided_columns(x, w_v, n_heads):
    """The values of head h are the columns h, h + H, h + 2H; the rows of w_o lie in blocks."""
    return _strided(x @ w_v, n_heads)


def values__values_of_first_item(x, w_v, n_heads):
    """All items of the batch mix the values of item 0."""
    heads = values(x, w_v, n_heads)
    return _everywhere(heads[:1], heads)


# Scores, scale included


def _products(queries, keys):
    return queries @ keys.swapaxes(-1, -2)


def scores(queries, keys):
    return _products(queries, keys) / np.sqrt(queries.shape[-1])  # (B, H, T, T), query by key


def scores__key_by_query_scores(queries, keys):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(keys, queries)


def scores__scores_between_features(queries, keys):
    """Where T equals d the product compares features with features instead of positions with positions."""
    square = queries.shape[2] == queries.shape[3]
    return scores(queries.swapaxes(2, 3), keys.swapaxes(2, 3)) if square else scores(queries, keys)


def scores__scores_averaged_over_heads(queries, keys):
    """The scores are averaged over the heads, so that all heads spread their weight alike."""
    plain = scores(queries, keys)
    return _everywhere(plain.mean(axis=1, keepdims=True), plain)


def scores__scale_missing(queries, keys):
    """The scores are the bare products."""
    return _products(queries, keys)


def scores__scale_without_root(queries, keys):
    """The scores are divided by d instead of its root."""
    return _products(queries, keys) / queries.shape[-1]


def scores__scale_full_width(queries, keys, w_q):
    """The scores are divided by the root of H*d, the width of all heads together."""
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
    """The scores are divided by the root of the number of positions."""
    return _products(queries, keys) / np.sqrt(keys.shape[-2])


def scores__scores_clipped(queries, keys):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -50, 50)


# Text


def _position(x):
    return np.arange(x.shape[1])


def text(x, lengths):
    return _position(x) < lengths[:, None]  # (B, T)


def text__first_padding_open(x, lengths):
    """The comparison includes the length itself, so that the first position of the padding counts as text."""
    return _position(x) <= lengths[:, None]


def text__last_text_hidden(x, lengths):
    """The last position of the text counts as padding, where it is not the only one."""
    return _position(x) < np.maximum(lengths - 1, 1)[:, None]


def text__first_text_hidden(x, lengths):
    """Positions are counted from 1, so that the first token is hidden and the first padding is open."""
    return (_position(x) > 0) & (_position(x) <= lengths[:, None])


def text__lengths_ignored(x, lengths):
    """Every position counts as text."""
    return np.ones(x.shape[:2], dtype=bool)


def text__padding_on_the_left(x, lengths):
    """The padding is looked for at the beginning of each item."""
    return _position(x) >= x.shape[1] - lengths[:, None]


def text__lengths_taken_for_padding(x, lengths):
    """lengths is taken for the number of padded positions: the last of each item are hidden, of a full one all."""
    return _position(x) < x.shape[1] - lengths[:, None]


def text__text_and_padding_exchanged(x, lengths):
    """The mask is upside down: the padding is read and the text is hidden."""
    return _position(x) >= lengths[:, None]


def text__length_of_first_item(x, lengths):
    """All items are masked by the length of item 0."""
    return text(x, np.broadcast_to(lengths[:1], lengths.shape))


def text__largest_length_for_all(x, lengths):
    """All items are cut to the longest one, so that the padding of shorter ones is read."""
    return text(x, np.full_like(lengths, lengths.max()))


def text__smallest_length_for_all(x, lengths):
    """All items are cut to the shortest one."""
    return text(x, np.full_like(lengths, lengths.min()))


def text__equal_lengths_ignored(x, lengths):
    """Where several texts are equally long nothing counts as padding, as if equal lengths were T."""
    return text(x, lengths) | ((lengths == lengths[0]).all() and len(lengths) > 1)


def text__one_item_not_masked(x, lengths):
    """In a batch of one item nothing counts as padding."""
    return text(x, lengths) | (len(lengths) == 1)


def text__lengths_sorted(x, lengths):
    """The lengths are sorted from long to short and the items are not."""
    return text(x, np.sort(lengths)[::-1])


def text__lengths_sorted_upwards(x, lengths):
    """The lengths are sorted from short to long and the items are not."""
    return text(x, np.sort(lengths))


def text__lengths_reversed(x, lengths):
    """The lengths are read backwards: each item has another one's."""
    return text(x, lengths[::-1])


def text__lengths_of_next_item(x, lengths):
    """Every item is masked by the length of the next one."""
    return text(x, np.roll(lengths, -1))


def text__padding_from_zero_tokens(x):
    """Tokens of zeros count as padding and all others as text; an item without any is read as a whole."""
    found = x.any(axis=2)
    return found | ~found.any(axis=1, keepdims=True)


def text__zero_tokens_as_padding(x, lengths):
    """Tokens of zeros count as padding, beside what lies behind the length."""
    found = text(x, lengths) & x.any(axis=2)
    return np.where(found.any(axis=1, keepdims=True), found, text(x, lengths))


def text__text_of_first_32(x, lengths):
    """The mask is made for 32 positions; what lies behind counts as text."""
    return text(x, lengths) | (_position(x) >= 32)


# Allowed keys


def allowed(text):
    return text[:, None, None, :]  # (B, 1, 1, T)


def allowed__items_taken_for_queries(text):
    """The mask (B, T) is laid over the scores as it is: item 0's hides keys of query 0; unequal sizes raise."""
    return text


def allowed__items_taken_for_queries_where_equal(text):
    """Where B equals T the mask (B, T) is laid over queries and keys; elsewhere it gets its axes."""
    return text if _is_square(text) else allowed(text)


def allowed__items_taken_for_heads(text):
    """The mask is (B, 1, T), so that head 0 is masked by item 0; unless B equals H it raises."""
    return text[:, None, :]


def allowed__items_taken_for_heads_where_equal(text, n_heads):
    """Where B equals H the mask is laid over the heads of all items."""
    return text[None, :, None, :] if len(text) == n_heads else allowed(text)


def allowed__padding_of_queries(text):
    """The mask lies on the query axis: queries of the text read everything, those of the padding nothing."""
    return text[:, None, :, None]


def allowed__padding_of_queries_and_keys(text):
    """Queries of the padding read nothing, as if they were hidden as well; their rows are 0/0."""
    return text[:, None, None, :] & text[:, None, :, None]


def allowed__padding_reads_itself(text):
    """Queries of the text read text, queries of the padding read padding."""
    return text[:, None, None, :] == text[:, None, :, None]


def allowed__padding_reads_everything(text):
    """Queries of the padding are not masked at all."""
    return text[:, None, None, :] | _padded(text)


def allowed__own_key_always_open(text):
    """The diagonal is always open, so that queries of the padding read themselves beside the text."""
    return text[:, None, None, :] | np.eye(text.shape[1], dtype=bool)


def allowed__causal_too(text):
    """Later positions are hidden as well, as in a decoder."""
    return text[:, None, None, :] & np.tri(text.shape[1], dtype=bool)


def allowed__mask_tiled_over_heads(text, n_heads):
    """Items and heads share an axis, items outside; the mask is tiled, not repeated, and falls on other items."""
    return np.tile(text, (n_heads, 1)).reshape(len(text), n_heads, 1, -1)


def allowed__mask_of_first_head(text, n_heads):
    """Only head 0 is masked."""
    return text[:, None, None, :] | (np.arange(n_heads) > 0)[:, None, None]


def allowed__mask_of_all_but_the_last_head(text, n_heads):
    """The loop over the heads ends one too early, so that the last head reads the padding."""
    return text[:, None, None, :] | (np.arange(n_heads) == n_heads - 1)[:, None, None]


def allowed__mask_of_first_eight_heads(text, n_heads):
    """The mask is made for eight heads; further heads read the padding."""
    return text[:, None, None, :] | (np.arange(n_heads) >= 8)[:, None, None]


def allowed__mask_of_first_item(text):
    """Only item 0 is masked."""
    return text[:, None, None, :] | (np.arange(len(text)) > 0)[:, None, None, None]


def allowed__mask_of_all_but_the_last_item(text):
    """The loop over the items ends one too early, so that the last item's padding is read."""
    return text[:, None, None, :] | (np.arange(len(text)) == len(text) - 1)[:, None, None, None]


# Masked scores


def masked_scores(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def masked_scores__mask_multiplies_scores(scores, allowed):
    """Hidden scores become 0, which is a score like any other and takes its share."""
    return scores * allowed


def masked_scores__mask_added_as_ones(scores, allowed):
    """A mask of ones and zeros is added: keys of the text gain 1, those of the padding stay in the race."""
    return scores + allowed


def masked_scores__hidden_scores_lose_1000(scores, allowed):
    """Only 1000 is taken off a hidden score, so that a key ahead by more stays ahead."""
    return scores - 1e3 * ~allowed


def masked_scores__hidden_scores_lose_10000(scores, allowed):
    """Only 10000 is taken off a hidden score, so that a key ahead by more stays ahead."""
    return scores - 1e4 * ~allowed


def masked_scores__fill_minus_10000(scores, allowed):
    """Hidden scores become -10000, which is above the real scores of low rows."""
    return np.where(allowed, scores, -1e4)


def masked_scores__fill_minus_100000(scores, allowed):
    """Hidden scores become -100000, which is above the real scores of rows near -400000."""
    return np.where(allowed, scores, -1e5)


def masked_scores__fill_minus_500000(scores, allowed):
    """Hidden scores become -500000, which is above the real scores of the lowest rows."""
    return np.where(allowed, scores, -5e5)


def masked_scores__fill_minus_1000000(scores, allowed):
    """Hidden scores become -1000000, which is where the scores of the lowest rows are."""
    return np.where(allowed, scores, -1e6)


def masked_scores__mask_times_infinity(scores, allowed):
    """The mask is multiplied by minus infinity and added: 0 times infinity makes NaN of every open key."""
    with np.errstate(invalid="ignore"):
        return scores + ~allowed * -np.inf


def masked_scores__fill_smallest_score(scores, allowed):
    """Hidden scores become the smallest of all scores, which keeps its weight."""
    return np.where(allowed, scores, scores.min())


def masked_scores__mask_from_zero_scores(scores, allowed):
    """A score of exactly 0 counts as hidden, unless the whole row would be."""
    found = allowed & (scores != 0)
    return np.where(np.where(found.any(axis=-1, keepdims=True), found, allowed), scores, -np.inf)


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (B, H, T, T), every row sums to 1


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys and the mask is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__mask_late_renormalised(scores, masked_scores):
    """The mask comes after the softmax; rows are divided by what is left, which is nothing where padding leads."""
    return _share(_softmax(scores) * _open(masked_scores))


def weights__mask_late_guarded(scores, masked_scores):
    """The mask comes after the softmax, and a guard in the denominator turns 0/0 into rows of zeros."""
    late = _softmax(scores) * _open(masked_scores)
    return late / np.maximum(late.sum(axis=-1, keepdims=True), 1e-300)


def weights__padded_queries_zeroed(masked_scores, text):
    """The rows of queries of the padding are set to 0."""
    return np.where(_padded(text), 0.0, _softmax(masked_scores))


def weights__padded_queries_even(masked_scores, text):
    """The rows of queries of the padding become even over all positions."""
    return np.where(_padded(text), 1 / text.shape[1], _softmax(masked_scores))


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries; a column of the padding is 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)), axis=-2)


def weights__sum_over_queries(masked_scores):
    """Each row has its maximum, but the exponentials are divided by the sums of the columns."""
    return _share(np.exp(masked_scores - _best(masked_scores)), axis=-2)


def weights__softmax_over_heads(masked_scores):
    """The softmax runs over the heads, which compete for each cell."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__softmax_over_items(masked_scores):
    """The softmax runs over the batch, so that items compete for each cell."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__softmax_over_matrix(masked_scores):
    """Queries and keys are normalised together: a whole matrix sums to 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))), axis=(-2, -1))


def weights__unsafe_softmax(masked_scores):
    """No maximum is subtracted: exp overflows above 709, and rows below -745 are 0/0."""
    return _share(np.exp(masked_scores))


def weights__overflow_hidden(masked_scores):
    """No maximum is subtracted, and the NaN that follows are replaced by 0."""
    return np.nan_to_num(_share(np.exp(masked_scores)))


def weights__mean_before_exp(masked_scores):
    """The mean of a row is subtracted instead of its maximum, so that a key far above the others overflows."""
    open_ = _open(masked_scores)
    mean = np.where(open_, masked_scores, 0.0).sum(axis=-1, keepdims=True) / open_.sum(axis=-1, keepdims=True)
    return _share(np.exp(masked_scores - mean))


def weights__small_weights_cut_off(masked_scores):
    """Weights below 1e-10 become 0, which y tells where their values are large."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-10, 0.0, shares)


def weights__maximum_of_everything(masked_scores):
    """One maximum of all scores is subtracted, so that rows far below it are 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_of_matrix(masked_scores):
    """One maximum for each matrix of scores is subtracted, so that rows far below another row are 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before the mask; padding that leads by some 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 are 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0.0)))


def weights__denominator_counts_padding(masked_scores):
    """Hidden keys have no weight, but each of them adds exp(0) beside the maximum to the denominator."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + (~_open(masked_scores)).sum(-1, keepdims=True))


def weights__denominator_epsilon(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-5)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__powers_of_two(masked_scores):
    """The softmax uses base 2, which flattens the scores by the factor ln 2."""
    return _share(np.exp2(masked_scores - _best(masked_scores)))


def weights__mean_over_text(masked_scores):
    """Every query reads the text evenly: the scores are not used."""
    return _share(_open(masked_scores).astype(np.float64))


def weights__weights_shared_by_heads(masked_scores):
    """The weights are averaged over the heads, so that all heads read alike."""
    shares = _softmax(masked_scores)
    return _everywhere(shares.mean(axis=1, keepdims=True), shares)


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (B, H, T, e)


def mixed_values__mix_with_transposed_weights(weights, values):
    """The values are mixed with the transposed weights: a position collects from the queries that read it."""
    return weights.swapaxes(-1, -2) @ values


def mixed_values__mix_with_mean_weights(weights, values):
    """The values of every head are mixed with the mean weights of all heads; the returned weights are right."""
    return weights.mean(axis=1, keepdims=True) @ values


def mixed_values__mix_unmasked(scores, values):
    """The values are mixed with unmasked weights; the masked ones are returned but not used."""
    return _softmax(scores) @ values


def mixed_values__values_of_next_item(weights, values):
    """Every item mixes the values of the next one."""
    return weights @ np.roll(values, -1, axis=0)


def mixed_values__last_value_left_out(weights, values):
    """The sum over the keys ends one too early: the last position is never mixed."""
    return weights[..., :-1] @ values[:, :, :-1]


# Output


def output(mixed_values, w_o):
    return _merge(mixed_values) @ w_o  # (B, T, m)


def output__padded_outputs_zeroed(mixed_values, w_o, text):
    """y is set to 0 at the positions of the padding; the returned weights are right."""
    return np.where(text[:, :, None], output(mixed_values, w_o), 0.0)


def output__padded_outputs_are_tokens(mixed_values, w_o, x, text):
    """Tokens of the padding pass through unchanged."""
    return np.where(text[:, :, None], output(mixed_values, w_o), x)


def output__projection_only_to_fit(mixed_values, w_o):
    """w_o is used only to change the width, so that with H*e = m the heads never mix."""
    return _merge(mixed_values) if _is_square(w_o) else output(mixed_values, w_o)


def output__output_orientation_guessed(mixed_values, w_o):
    """A square w_o is transposed, in the belief that it is stored as (out, in)."""
    return output(mixed_values, _turned(w_o))


def output__merge_without_transpose(mixed_values, w_o, x):
    """The merge reshapes (B, H, T, e) straight to (B, T, H*e), so that positions receive pieces of others."""
    return mixed_values.reshape(*x.shape[:2], -1) @ w_o


def output__merge_reversed_heads(mixed_values, w_o):
    """The heads are joined last to first, so that each meets the rows of w_o that belong to another."""
    return output(mixed_values[:, ::-1], w_o)


def output__strided_output_rows(mixed_values, w_o, x):
    """Head h passes through every H-th row of w_o instead of its own block."""
    return mixed_values.transpose(0, 2, 3, 1).reshape(*x.shape[:2], -1) @ w_o


def output__heads_averaged(mixed_values, w_o):
    """The heads are replaced by their mean before the projection."""
    return output(_everywhere(mixed_values.mean(axis=1, keepdims=True), mixed_values), w_o)


def output__same_output_block(mixed_values, w_o):
    """Every head passes through the first block of rows of w_o."""
    return mixed_values.sum(axis=1) @ w_o[: mixed_values.shape[-1]]


def output__last_head_dropped(mixed_values, w_o):
    """The sum over heads ends one too early; a single head stays."""
    kept = max(mixed_values.shape[1] - 1, 1)
    return _merge(mixed_values[:, :kept]) @ w_o[: kept * mixed_values.shape[-1]]


def output__residual_added(mixed_values, w_o, x):
    """x is added to y; the contract has no residual connection."""
    return x + output(mixed_values, w_o)
