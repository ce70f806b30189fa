"""Self-attention with a checkpoint's tensors, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: B items, T tokens, m model width, H heads, d the size of a head. `projections` are queries, keys and values of
all heads, (3, B, H, T, d). Alternatives that multiply by a matrix as it is stored raise where it is not square, as the
code would; others that need equal sizes act like their stage where the sizes differ.
"""

import numpy as np


def _split(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n)."""
    items, tokens, width = projected.shape
    return projected.reshape(items, tokens, n_heads, width // n_heads).swapaxes(1, 2)


def _merge(heads):
    """(B, H, T, n) -> (B, T, H*n)."""
    items, n_heads, tokens, size = heads.shape
    return heads.swapaxes(1, 2).reshape(items, tokens, n_heads * size)


def _is_square(matrix):
    return matrix.shape[0] == matrix.shape[1]


def _everywhere(first, heads):
    return np.broadcast_to(first, heads.shape)


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


def _in_half(array):
    return array.astype(np.float16).astype(np.float64)


def _linear(x, weight, bias):
    return x @ weight.T + bias


def _as_stored(x, weight, bias):
    return x @ weight + bias


def _only_to_fit(x, weight, bias):
    return x @ (weight if _is_square(weight) else weight.T) + bias


def _reshaped(x, weight, bias):
    return x @ weight.reshape(weight.shape[::-1]) + bias


def _turned(x, weight, bias):
    """The weight is read with both of its axes backwards, after the right transposition."""
    return x @ weight[::-1, ::-1].T + bias


# Queries, keys and values of all heads


def _all(x, layers, n_heads, apply=_linear):
    return np.stack([_split(apply(x, weight, bias), n_heads) for weight, bias in layers])


def projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads)  # (3, B, H, T, d)


def projections__projections_not_transposed(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """Queries, keys and values are made with the matrices as they are stored, (out, in), in place of their transposes."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads, _as_stored)


def projections__projections_transposed_only_to_fit(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The projections are transposed where the sizes demand it, so that square ones stay as they are stored."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads, _only_to_fit)


def projections__projections_reshaped(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The projections are reshaped to (in, out) instead of transposed, which fits and scrambles them."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads, _reshaped)


def projections__projections_turned_round(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The projections are read with both axes backwards."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads, _turned)


def projections__biases_missing(x, q_weight, k_weight, v_weight, n_heads):
    """Queries, keys and values are made without their biases."""
    return _all(x, ((q_weight, 0.0), (k_weight, 0.0), (v_weight, 0.0)), n_heads)


def projections__biases_exchanged(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """Every projection gets the bias of the next one, in the order of queries, keys and values."""
    return _all(x, ((q_weight, k_bias), (k_weight, v_bias), (v_weight, q_bias)), n_heads)


def projections__biases_subtracted(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The biases of queries, keys and values are subtracted instead of added."""
    return _all(x, ((q_weight, -q_bias), (k_weight, -k_bias), (v_weight, -v_bias)), n_heads)


def projections__biases_skip_zero_tokens(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """Tokens of zeros are taken for padding and get no bias, so that they ask and answer with zeros."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return _all(x, layers, n_heads) * x.any(axis=2)[:, None, :, None]


def projections__queries_values_keys(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The tensors of keys and values are exchanged."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return found[[0, 2, 1]]


def projections__keys_queries_values(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The tensors of queries and keys are exchanged, so that scores are transposed."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return found[[1, 0, 2]]


def projections__values_keys_queries(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The tensors of queries and values are exchanged."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return found[::-1]


def projections__split_without_transpose(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The projected tokens are reshaped straight to (B, H, T, d), so that a head is made of several tokens."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    return np.stack([_linear(x, *layer).reshape(len(x), n_heads, x.shape[1], -1) for layer in layers])


def projections__strided_heads(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """Head h takes the rows h, h + H, h + 2H of the projections; the columns of o_weight lie in blocks."""
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    cut = [_linear(x, *layer).reshape(*x.shape[:2], -1, n_heads) for layer in layers]
    return np.stack(cut).transpose(0, 1, 4, 2, 3)


def projections__heads_in_reverse(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """The heads are counted from the last block of rows to the first."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return found[:, :, ::-1]


def projections__first_head_everywhere(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """All heads get the rows of head 0."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return _everywhere(found[:, :, :1], found)


def projections__first_item_everywhere(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """All items get the projections of item 0."""
    found = projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)
    return _everywhere(found[:, :1], found)


def projections__items_taken_for_tokens(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads):
    """As many items as tokens count as tokens in front, and the two axes change places."""
    x = x.swapaxes(0, 1) if x.shape[0] == x.shape[1] else x
    return projections(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, n_heads)


# Queries


def queries(projections):
    return projections[0]  # (B, H, T, d)


def queries__query_weight_not_transposed(x, q_weight, q_bias, n_heads):
    """q_weight alone is used as it is stored."""
    return _split(_as_stored(x, q_weight, q_bias), n_heads)


def queries__query_bias_missing(projections, q_bias, n_heads):
    """The queries are made without their bias."""
    return projections[0] - _split(np.broadcast_to(q_bias, (1, 1, len(q_bias))), n_heads)


def queries__query_bias_not_scaled(projections, q_bias, n_heads):
    """The queries are divided by the root of d before their bias is added, so that the bias escapes the scale."""
    bias = _split(np.broadcast_to(q_bias, (1, 1, len(q_bias))), n_heads)
    return projections[0] + bias * (np.sqrt(projections.shape[-1]) - 1)


def queries__query_bias_of_keys(projections, q_bias, k_bias, n_heads):
    """The queries get the bias of the keys."""
    return projections[0] + _split(np.broadcast_to(k_bias - q_bias, (1, 1, len(q_bias))), n_heads)


def queries__query_bias_of_first_head(projections, q_bias, n_heads):
    """The queries of all heads get the bias of head 0."""
    bias = _split(np.broadcast_to(q_bias, (1, 1, len(q_bias))), n_heads)
    return projections[0] - bias + bias[:, :1]


def queries__queries_from_keys(projections):
    """The queries are the keys, so that the unmasked scores are symmetric."""
    return projections[1]


def queries__queries_of_next_head(projections):
    """Every head asks with the queries of the next one."""
    return np.roll(projections[0], -1, axis=1)


def queries__raw_tokens_as_queries(x, q_weight, projections, n_heads):
    """Where m equals H*d the tokens themselves ask and q_weight is skipped."""
    return _split(x, n_heads) if _is_square(q_weight) else projections[0]


# Keys


def keys(projections):
    return projections[1]  # (B, H, T, d)


def keys__key_weight_not_transposed(x, k_weight, k_bias, n_heads):
    """k_weight alone is used as it is stored."""
    return _split(_as_stored(x, k_weight, k_bias), n_heads)


def keys__keys_from_queries(projections):
    """The keys are the queries, so that the unmasked scores are symmetric."""
    return projections[0]


def keys__keys_of_next_head(projections):
    """Every head compares its queries with the keys of the next one."""
    return np.roll(projections[1], -1, axis=1)


def keys__keys_of_first_head(projections):
    """All heads share the keys of head 0."""
    return _everywhere(projections[1][:, :1], projections[1])


def keys__keys_of_first_item(projections):
    """All items read the keys of item 0."""
    return _everywhere(projections[1][:1], projections[1])


# Values


def values(projections):
    return projections[2]  # (B, H, T, d)


def values__value_weight_not_transposed(x, v_weight, v_bias, n_heads):
    """v_weight alone is used as it is stored."""
    return _split(_as_stored(x, v_weight, v_bias), n_heads)


def values__value_bias_missing(projections, v_bias, n_heads):
    """The values are made without their bias, so that every output lacks the same vector."""
    return projections[2] - _split(np.broadcast_to(v_bias, (1, 1, len(v_bias))), n_heads)


def values__value_bias_of_queries(projections, q_bias, v_bias, n_heads):
    """The values get the bias of the queries."""
    return projections[2] + _split(np.broadcast_to(q_bias - v_bias, (1, 1, len(v_bias))), n_heads)


def values__value_bias_of_first_head(projections, v_bias, n_heads):
    """The values of all heads get the bias of head 0."""
    bias = _split(np.broadcast_to(v_bias, (1, 1, len(v_bias))), n_heads)
    return projections[2] - bias + bias[:, :1]


def values__value_bias_of_strided_heads(projections, v_bias, n_heads):
    """The bias of the values is cut so that head h gets the entries h, h + H, h + 2H."""
    bias = _split(np.broadcast_to(v_bias, (1, 1, len(v_bias))), n_heads)
    strided = v_bias.reshape(-1, n_heads).T[None, :, None]
    return projections[2] - bias + strided


def values__values_from_queries(projections):
    """The weights mix the queries, the values are never used."""
    return projections[0]


def values__values_of_next_head(projections):
    """Every head mixes the values of the next one."""
    return np.roll(projections[2], -1, axis=1)


def values__values_of_first_item(projections):
    """All items mix the values of item 0."""
    return _everywhere(projections[2][:1], projections[2])


def values__raw_tokens_as_values(x, v_weight, projections, n_heads):
    """Where m equals H*d the tokens themselves are mixed and v_weight is skipped."""
    return _split(x, n_heads) if _is_square(v_weight) else projections[2]


def values__values_in_half_precision(projections):
    """The values are rounded to float16, which leaves three digits."""
    return _in_half(projections[2])


# Scores, scale included


def _products(queries, keys):
    return queries @ keys.swapaxes(-1, -2)


def scores(queries, keys):
    return _products(queries, keys) / np.sqrt(queries.shape[-1])  # (B, H, T, T), query by key


def scores__scores_between_features(queries, keys):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    if queries.shape[-1] != queries.shape[-2]:
        return scores(queries, keys)
    return scores(queries.swapaxes(-1, -2), keys.swapaxes(-1, -2))


def scores__keys_reshaped_not_transposed(queries, keys):
    """The keys are reshaped to (B, H, d, T) instead of transposed, so that a column mixes several keys."""
    items, n_heads, tokens, size = keys.shape
    return queries @ keys.reshape(items, n_heads, size, tokens) / np.sqrt(size)


def scores__keys_summed_over_heads(queries, keys):
    """The head index of the keys is free, so that every head compares with the sum of all heads' keys."""
    return scores(queries, _everywhere(keys.sum(axis=1, keepdims=True), keys))


def scores__scores_averaged_over_heads(queries, keys):
    """The scores are averaged over the heads, which then spread their weight alike."""
    found = scores(queries, keys)
    return _everywhere(found.mean(axis=1, keepdims=True), found)


def scores__scale_full_width(queries, keys, n_heads):
    """The scores are divided by the root of H*d, the width of all heads together."""
    return _products(queries, keys) / np.sqrt(queries.shape[-1] * n_heads)


def scores__scale_model_width(queries, keys, x):
    """The scores are divided by the root of m, the width of the tokens."""
    return _products(queries, keys) / np.sqrt(x.shape[-1])


def scores__scale_model_width_per_head(queries, keys, x, n_heads):
    """The head size is taken to be m / H, which the contract does not promise."""
    return _products(queries, keys) / np.sqrt(x.shape[-1] / n_heads)


def scores__scale_head_count(queries, keys, n_heads):
    """The scores are divided by the root of the number of heads."""
    return _products(queries, keys) / np.sqrt(n_heads)


def scores__scale_token_count(queries, keys):
    """The scores are divided by the root of the number of tokens."""
    return _products(queries, keys) / np.sqrt(keys.shape[-2])


def scores__scale_missing(queries, keys):
    """The scores are the bare products."""
    return _products(queries, keys)


def scores__scale_without_root(queries, keys):
    """The scores are divided by d instead of its root."""
    return _products(queries, keys) / queries.shape[-1]


def scores__scale_inverted(queries, keys):
    """The scores are multiplied by the root of d instead of divided."""
    return _products(queries, keys) * np.sqrt(queries.shape[-1])


def scores__scores_clipped(queries, keys):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(queries, keys), -50, 50)


def scores__scores_in_single_precision(queries, keys):
    """The scores are rounded to float32, which leaves seven digits."""
    return scores(queries, keys).astype(np.float32).astype(np.float64)


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))  # -inf where the key is later than the query


def masked_scores__mask_missing(scores):
    """Nothing closes the future: every query reads all keys."""
    return scores


def masked_scores__next_key_open(scores):
    """The triangle is one diagonal too wide: every query reads the next token as well."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__own_key_closed(scores):
    """No query but the first reads its own key."""
    allowed = _distance(scores) > 0
    allowed[0, 0] = True
    return _keep(scores, allowed)


def masked_scores__mask_transposed(scores):
    """The triangle is upside down: queries read themselves and the tokens after them."""
    return _keep(scores, _distance(scores) <= 0)


def masked_scores__mask_multiplies_scores(scores):
    """Later scores become 0, which is a score like any other and takes its share."""
    return scores * _past(scores)


def masked_scores__mask_added_as_ones(scores):
    """A mask of ones and zeros is added: allowed keys gain 1, later ones stay in the race."""
    return scores + _past(scores)


def masked_scores__sentinel_1000_added(scores):
    """-1000 is added to later scores, which a lead of more survives."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__sentinel_10000_added(scores):
    """-10000 is added to later scores, which a lead of more survives."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__fill_minus_10000(scores):
    """Later scores are filled with -10000, which lies above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__fill_minus_1000000(scores):
    """Later scores are filled with -1000000, the lower end of the graded range, which the lowest rows come near."""
    return np.where(_past(scores), scores, -1e6)


def masked_scores__fill_minus_500000(scores):
    """Later scores are filled with -500000, which a row at the lower end of the graded range does not reach."""
    return np.where(_past(scores), scores, -5e5)


def masked_scores__zero_tokens_as_padding(scores, x):
    """Tokens of zeros count as padding: no later query reads them."""
    distance = _distance(scores)
    return _keep(scores, (distance == 0) | ((distance > 0) & x.any(axis=2)[:, None, None, :]))


def masked_scores__mask_first_head_only(scores):
    """Only head 0 is masked."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) > 0)[:, None, None])


def masked_scores__mask_skips_last_head(scores):
    """The loop over the heads ends one too early, so that the last head is not masked."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) == scores.shape[1] - 1)[:, None, None])


def masked_scores__mask_first_item_only(scores):
    """Only the first item is masked."""
    return _keep(scores, _past(scores) | (np.arange(len(scores)) > 0)[:, None, None, None])


def masked_scores__mask_on_head_axis(scores):
    """Where H equals T the triangle is laid over heads and keys."""
    allowed = _past(scores)
    return _keep(scores, allowed[:, None, :] if scores.shape[1] == len(allowed) else allowed)


def masked_scores__mask_of_first_32(scores):
    """The mask is a table of 32 positions; beyond it nothing is hidden."""
    masked = scores.copy()
    masked[..., :32, :32] = masked_scores(scores)[..., :32, :32]
    return masked


def masked_scores__window_of_16_keys(scores):
    """Keys more than 15 tokens back are closed."""
    return _keep(scores, _past(scores) & (_distance(scores) < 16))


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (B, H, T, T), every row sums to 1


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns sum to 1, rows do not."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=-2)), axis=-2)


def weights__softmax_over_heads(masked_scores):
    """The softmax runs over the heads, which compete for each cell; where all are hidden this is NaN."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__softmax_over_matrix(masked_scores):
    """Queries and keys are normalised together: the whole matrix of a head sums to 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))), axis=(-2, -1))


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709 and is 0/0 in rows below -745."""
    return _share(np.exp(masked_scores))


def weights__maximum_of_matrix(masked_scores):
    """One maximum for each head is subtracted, so that rows more than 745 below it become 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))))


def weights__maximum_over_heads(masked_scores):
    """The maximum of a row is shared by all heads, so that heads far below another become 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(1, -1))))


def weights__maximum_over_items(masked_scores):
    """The maximum of a row is shared by all items, so that items far below another become 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(0, -1))))


def weights__maximum_of_everything(masked_scores):
    """One maximum of the whole array is subtracted, so that rows far below it become 0/0."""
    return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before the mask: a later key that leads by more than 745 leaves 0/0."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum is never below 0, so that rows whose scores all lie below -745 become 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0)))


def weights__shift_by_first_score(masked_scores):
    """Each row is shifted by the score of its first key instead of its maximum: a key that leads it by 709 overflows."""
    return _share(np.exp(masked_scores - masked_scores[..., :1]))


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by its own key's score: an earlier key that leads it by 709 overflows."""
    return _share(np.exp(masked_scores - np.diagonal(masked_scores, axis1=-2, axis2=-1)[..., None]))


def weights__mask_after_softmax(scores):
    """The weights are multiplied by the triangle after the softmax: rows sum to less than 1."""
    return _softmax(scores) * _past(scores)


def weights__late_mask_renormalised(scores):
    """The triangle is laid over the weights and rows are divided by their sums: 0/0 where a later key leads by 745."""
    return _share(_softmax(scores) * _past(scores))


def weights__late_mask_guarded(scores):
    """The triangle is laid over the weights, and a guard turns 0/0 into rows of zeros."""
    late = _softmax(scores) * _past(scores)
    return late / np.maximum(late.sum(axis=-1, keepdims=True), np.finfo(float).tiny)


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-5)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each row had one more key without a value."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing: the largest weight of every row is 1."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every hidden key."""
    return _softmax(_softmax(masked_scores))


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals."""
    return np.round(_softmax(masked_scores), 3)


def weights__weights_averaged_over_heads(masked_scores):
    """The weights are averaged over the heads, which then read alike."""
    shares = _softmax(masked_scores)
    return _everywhere(shares.mean(axis=1, keepdims=True), shares)


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (B, H, T, d), before the merge


def mixed_values__weights_transposed_in_mix(weights, values):
    """The values are mixed with the transposed weights, so that every position collects from the future."""
    return weights.swapaxes(-1, -2) @ values


def mixed_values__values_summed_over_heads(weights, values):
    """The head index of the values is free, so that every head mixes the sum of all heads' values."""
    return weights @ values.sum(axis=1, keepdims=True)


def mixed_values__keys_mixed(weights, keys):
    """The weights mix the keys instead of the values."""
    return weights @ keys


def mixed_values__mix_with_mean_weights(weights, values):
    """The values are mixed with the mean weights of all heads; the returned weights are right."""
    return weights.mean(axis=1, keepdims=True) @ values


def mixed_values__mix_unmasked(scores, values):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return _softmax(scores) @ values


def mixed_values__mix_not_normalised(masked_scores, values):
    """The values are mixed with the exponentials; the normalised weights are returned and not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ values


def mixed_values__own_value_left_out(weights, values):
    """The slice of the values ends one too early, so that every position leaves its own value out."""
    return np.tril(weights, -1) @ values


def mixed_values__fold_order_mixed_up(weights, values):
    """Heads are folded in front of the items and unfolded as if behind them: results land on other heads and items."""
    return (weights @ values).swapaxes(0, 1).reshape(values.shape)


def mixed_values__mix_in_half_precision(weights, values):
    """The mixed values are rounded to half precision."""
    return _in_half(weights @ values)


# Output


def output(mixed_values, o_weight, o_bias):
    return _linear(_merge(mixed_values), o_weight, o_bias)  # (B, T, m)


def output__output_not_transposed(mixed_values, o_weight, o_bias):
    """The merged heads are multiplied by o_weight as it is stored, (out, in), in place of its transpose."""
    return _as_stored(_merge(mixed_values), o_weight, o_bias)


def output__output_transposed_only_to_fit(mixed_values, o_weight, o_bias):
    """o_weight is transposed where the sizes demand it, so that a square one stays as it is stored."""
    return _only_to_fit(_merge(mixed_values), o_weight, o_bias)


def output__output_reshaped(mixed_values, o_weight, o_bias):
    """o_weight is reshaped to (in, out) instead of transposed, which fits and scrambles it."""
    return _reshaped(_merge(mixed_values), o_weight, o_bias)


def output__output_bias_missing(mixed_values, o_weight):
    """y lacks o_bias."""
    return _linear(_merge(mixed_values), o_weight, 0.0)


def output__output_bias_for_each_head(mixed_values, o_weight, o_bias, n_heads):
    """o_bias is added by every head, so that it counts H times."""
    return _linear(_merge(mixed_values), o_weight, n_heads * o_bias)


def output__output_bias_shared_out(mixed_values, o_weight, o_bias, n_heads):
    """o_bias is divided by the number of heads."""
    return _linear(_merge(mixed_values), o_weight, o_bias / n_heads)


def output__output_bias_before_projection(mixed_values, o_weight, o_bias):
    """Where H*d equals m o_bias is added to the merged heads instead of to y."""
    merged = _merge(mixed_values)
    return (merged + o_bias) @ o_weight.T if _is_square(o_weight) else _linear(merged, o_weight, o_bias)


def output__output_bias_of_values(mixed_values, o_weight, o_bias, v_bias):
    """Where H*d equals m the bias of the values is added to y in place of o_bias."""
    return _linear(_merge(mixed_values), o_weight, v_bias if _is_square(o_weight) else o_bias)


def output__no_output_projection(mixed_values, o_weight, o_bias):
    """Where H*d equals m the merged heads are returned as they are."""
    merged = _merge(mixed_values)
    return merged if _is_square(o_weight) else _linear(merged, o_weight, o_bias)


def output__merge_without_transpose(mixed_values, o_weight, o_bias):
    """The merge reshapes (B, H, T, d) straight to (B, T, H*d), so that tokens receive pieces of other tokens."""
    items, n_heads, tokens, size = mixed_values.shape
    return _linear(mixed_values.reshape(items, tokens, n_heads * size), o_weight, o_bias)


def output__strided_output_columns(mixed_values, o_weight, o_bias):
    """Head h meets every H-th column of o_weight instead of its own block."""
    items, n_heads, tokens, size = mixed_values.shape
    return _linear(mixed_values.transpose(0, 2, 3, 1).reshape(items, tokens, n_heads * size), o_weight, o_bias)


def output__merge_reversed_heads(mixed_values, o_weight, o_bias):
    """The heads are joined last to first, so that each meets the columns of another."""
    return output(mixed_values[:, ::-1], o_weight, o_bias)


def output__merged_heads_sorted_as_text(mixed_values, o_weight, o_bias):
    """The heads are joined in the alphabetical order of their numbers, in which 10 and 11 precede 2."""
    return output(mixed_values[:, sorted(range(mixed_values.shape[1]), key=str)], o_weight, o_bias)


def output__merge_axes_turned_over(mixed_values, o_weight, o_bias):
    """Where H equals d heads and features change places in the merge."""
    is_equal = mixed_values.shape[1] == mixed_values.shape[3]
    return output(mixed_values.swapaxes(1, 3) if is_equal else mixed_values, o_weight, o_bias)


def output__last_head_dropped(mixed_values, o_weight, o_bias):
    """The sum over the heads ends one too early; a single head stays."""
    kept = max(mixed_values.shape[1] - 1, 1)
    return _linear(_merge(mixed_values[:, :kept]), o_weight[:, : kept * mixed_values.shape[-1]], o_bias)


def output__heads_averaged(mixed_values, o_weight, o_bias):
    """The heads are replaced by their mean before the projection."""
    return output(_everywhere(mixed_values.mean(axis=1, keepdims=True), mixed_values), o_weight, o_bias)


def output__value_weight_as_output(mixed_values, v_weight, o_bias):
    """The output goes through v_weight the other way, as if the two were tied; o_weight is never used."""
    return _merge(mixed_values) @ v_weight + o_bias


def output__residual_added(mixed_values, o_weight, o_bias, x):
    """x is added to y; the contract has no residual connection."""
    return x + output(mixed_values, o_weight, o_bias)


def output__output_in_half_precision(mixed_values, o_weight, o_bias):
    """The output is rounded to half precision."""
    return _in_half(output(mixed_values, o_weight, o_bias))
