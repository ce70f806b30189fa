"""Grouped-query attention, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: B items, H query heads, G key heads, r = H/G members of a group, T tokens, d key size, e value size. `key_heads`
says for each query head which key head it reads; `keys` and `values` are laid out for the query heads. Alternatives
that need equal sizes act like their stage where the sizes differ.
"""

import numpy as np


def _members(q, k):
    return q.shape[1] // k.shape[1]


def _grouped(array, key_count):
    """(B, H, ...) -> (B, G, r, ...)."""
    items, heads, *rest = array.shape
    return array.reshape(items, key_count, heads // key_count, *rest)


def _flat(array):
    """(B, G, r, ...) -> (B, H, ...)."""
    items, key_count, members, *rest = array.shape
    return array.reshape(items, key_count * members, *rest)


def _of_group(array, key_count, combine):
    """Give all members of a group what `combine` makes of them."""
    grouped = _grouped(array, key_count)
    return _flat(np.broadcast_to(combine(grouped), grouped.shape))


def _mean_of_members(grouped):
    return grouped.mean(axis=2, keepdims=True)


def _sum_of_members(grouped):
    return grouped.sum(axis=2, keepdims=True)


def _first_member(grouped):
    return grouped[:, :, :1]


def _tiled(array, heads):
    return array[:, np.arange(heads) % array.shape[1]]


def _repeated_in_time(array, heads):
    """Each token r times in a row, then cut into heads: head g r + p holds tokens p T/r to (p + 1) T/r, r times each."""
    items, key_count, tokens, size = array.shape
    return np.repeat(array, heads // key_count, axis=2).reshape(items, heads, tokens, size)


def _heads_and_tokens_exchanged(array):
    return array.swapaxes(1, 2) if array.shape[1] == array.shape[2] else array


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


def _open(masked_scores):
    return np.isfinite(masked_scores)


# Which key head a query head reads


def key_heads(q, k):
    return np.arange(q.shape[1]) // _members(q, k)  # (H,)


def key_heads__key_heads_tiled(q, k):
    """Key heads are handed out in turn, 0, 1, 0, 1, so that a query head reads the keys and values of another group."""
    return np.arange(q.shape[1]) % k.shape[1]


def key_heads__key_heads_reversed(q, k):
    """The groups are handed out last to first."""
    return key_heads(q, k)[::-1]


def key_heads__key_heads_shifted_by_one(q, k):
    """Every group reads the key head of the next one."""
    return (key_heads(q, k) + 1) % k.shape[1]


def key_heads__first_key_head_for_all(q, k):
    """All query heads read key head 0, as if there were only one."""
    return key_heads(q, k) * 0


def key_heads__last_key_head_for_the_rest(q, k):
    """Query head n reads key head n, and those beyond the last key head read the last one."""
    return np.minimum(np.arange(q.shape[1]), k.shape[1] - 1)


def key_heads__first_key_head_for_the_rest(q, k):
    """Query head n reads key head n, and those beyond the last key head read the first one."""
    number = np.arange(q.shape[1])
    return np.where(number < k.shape[1], number, 0)


def key_heads__groups_as_large_as_their_number(q, k):
    """H/G and G are exchanged: groups have G members, and what is left over reads the last key head."""
    return np.minimum(np.arange(q.shape[1]) // k.shape[1], k.shape[1] - 1)


def key_heads__groups_as_large_as_their_number_in_turn(q, k):
    """H/G and G are exchanged: groups have G members, and after the last key head the first one comes again."""
    return np.arange(q.shape[1]) // k.shape[1] % k.shape[1]


def key_heads__groups_of_two(q, k):
    """Groups are pairs, whatever H and G are; what is left over reads the last key head."""
    return np.minimum(np.arange(q.shape[1]) // 2, k.shape[1] - 1)


def key_heads__groups_of_two_in_turn(q, k):
    """Groups are pairs, whatever H and G are; after the last key head the first one comes again."""
    return np.arange(q.shape[1]) // 2 % k.shape[1]


def key_heads__groups_rounded(q, k):
    """The quotient is rounded instead of cut off, so that groups begin half a group early."""
    members = _members(q, k)
    return np.minimum((np.arange(q.shape[1]) + members // 2) // members, k.shape[1] - 1)


def key_heads__heads_spread_evenly(q, k):
    """Query heads are spread evenly from the first key head to the last, so that groups differ in size."""
    return np.rint(np.linspace(0, k.shape[1] - 1, q.shape[1])).astype(np.int64)


def key_heads__counted_from_one(q, k):
    """Query heads are counted from 1: every group begins one head early."""
    return np.minimum((np.arange(q.shape[1]) + 1) // _members(q, k), k.shape[1] - 1)


def key_heads__groups_there_and_back(q, k):
    """Key heads are handed out there and back: 0, 1, 1, 0, 0, 1."""
    count = k.shape[1]
    step = np.arange(q.shape[1]) % (2 * count)
    return np.minimum(step, 2 * count - 1 - step)


def key_heads__query_heads_sorted_as_text(q, k):
    """Query heads are grouped in the alphabetical order of their numbers, in which 10 and 11 precede 2."""
    found = np.empty(q.shape[1], dtype=np.int64)
    found[sorted(range(q.shape[1]), key=str)] = key_heads(q, k)
    return found


def key_heads__four_key_heads_at_most(q, k):
    """Key heads beyond the fourth are cut off, and their groups read the fourth."""
    return np.minimum(key_heads(q, k), 3)


# Keys, one head for each head of queries


def keys(k, key_heads):
    return k[:, key_heads]  # (B, H, T, d)


def keys__keys_alone_tiled(q, k):
    """The keys are handed out in turn and the values in blocks, so that weights and values are of different groups."""
    return _tiled(k, q.shape[1])


def keys__keys_of_first_head(k, key_heads):
    """All query heads compare with key head 0; the values are those of their groups."""
    return k[:, key_heads * 0]


def keys__keys_of_next_group(k, key_heads):
    """Every group compares with the keys of the next one; the values are its own."""
    return k[:, (key_heads + 1) % k.shape[1]]


def keys__keys_averaged(k, key_heads):
    """The key heads are averaged, so that all query heads compare with the same keys."""
    return np.broadcast_to(k.mean(axis=1, keepdims=True), k[:, key_heads].shape)


def keys__keys_summed(k, key_heads):
    """The key heads are added up, so that all query heads compare with the same keys."""
    return np.broadcast_to(k.sum(axis=1, keepdims=True), k[:, key_heads].shape)


def keys__keys_repeated_in_time(q, k):
    """The keys are repeated along the tokens and cut into heads, so that a head holds some tokens several times."""
    return _repeated_in_time(k, q.shape[1])


def keys__keys_of_zeros_for_the_rest(q, k):
    """The key heads are filled up with zeros instead of repeated: most query heads see scores of 0."""
    filled = np.zeros((k.shape[0], q.shape[1], *k.shape[2:]))
    filled[:, : k.shape[1]] = k
    return filled


def keys__keys_of_first_item(k, key_heads):
    """All items read the keys of item 0."""
    return np.broadcast_to(k[:1], k.shape)[:, key_heads]


def keys__key_axes_exchanged(k, key_heads):
    """Where G equals T the keys count as token-first, and heads and tokens change places."""
    return _heads_and_tokens_exchanged(k)[:, key_heads]


def keys__values_as_keys(k, v, key_heads):
    """Where d equals e the values serve as keys as well."""
    return keys(v if v.shape == k.shape else k, key_heads)


# Values, one head for each head of queries


def values(v, key_heads):
    return v[:, key_heads]  # (B, H, T, e)


def values__values_alone_tiled(q, v):
    """The keys are handed out in blocks and the values in turn, so that weights meet the values of another group."""
    return _tiled(v, q.shape[1])


def values__values_of_first_head(v, key_heads):
    """All query heads mix the values of key head 0; the keys are those of their groups."""
    return v[:, key_heads * 0]


def values__values_of_next_group(v, key_heads):
    """Every group mixes the values of the next one; the keys are its own."""
    return v[:, (key_heads + 1) % v.shape[1]]


def values__values_averaged(v, key_heads):
    """The heads of values are averaged, so that all query heads mix the same ones."""
    return np.broadcast_to(v.mean(axis=1, keepdims=True), v[:, key_heads].shape)


def values__values_summed(v, key_heads):
    """The head index of the values is free, so that every query head mixes the sum of all of them."""
    return np.broadcast_to(v.sum(axis=1, keepdims=True), v[:, key_heads].shape)


def values__values_repeated_in_time(q, v):
    """The values are repeated along the tokens and cut into heads, so that a head holds some tokens several times."""
    return _repeated_in_time(v, q.shape[1])


def values__values_shared_out(q, k, v, key_heads):
    """The values are divided by the size of the group that shares them."""
    return values(v, key_heads) / _members(q, k)


def values__values_of_zeros_for_the_rest(q, v):
    """The heads of values are filled up with zeros instead of repeated: most query heads return zeros."""
    filled = np.zeros((v.shape[0], q.shape[1], *v.shape[2:]))
    filled[:, : v.shape[1]] = v
    return filled


def values__values_of_first_item(v, key_heads):
    """All items mix the values of item 0."""
    return np.broadcast_to(v[:1], v.shape)[:, key_heads]


def values__value_axes_exchanged(v, key_heads):
    """Where G equals T the values count as token-first, and heads and tokens change places."""
    return _heads_and_tokens_exchanged(v)[:, key_heads]


def values__keys_as_values(k, v, key_heads):
    """Where d equals e the keys are mixed instead of the values."""
    return values(k if k.shape == v.shape else v, key_heads)


def values__values_in_half_precision(v, key_heads):
    """The values are rounded to float16, which leaves three digits."""
    return values(v, key_heads).astype(np.float16).astype(np.float64)


# Scores, scale included


def _products(q, keys):
    return q @ keys.swapaxes(-1, -2)


def scores(q, keys):
    return _products(q, keys) / np.sqrt(q.shape[-1])  # (B, H, T, T), query by key


def scores__scale_with_group_size(q, k, keys):
    """The root is taken of d times the size of a group, so that rows are too flat wherever key heads are shared."""
    return _products(q, keys) / np.sqrt(q.shape[-1] * _members(q, k))


def scores__scale_with_heads(q, keys):
    """The scores are divided by the root of H*d, the width of all query heads together."""
    return _products(q, keys) / np.sqrt(q.shape[-1] * q.shape[1])


def scores__scale_with_key_heads(q, k, keys):
    """The scores are divided by the root of G*d, the width of all key heads together."""
    return _products(q, keys) / np.sqrt(q.shape[-1] * k.shape[1])


def scores__scale_divided_by_group_size(q, k, keys):
    """The root is taken of d divided by the size of a group, so that rows are too sharp."""
    return _products(q, keys) / np.sqrt(q.shape[-1] / _members(q, k))


def scores__scores_divided_by_group_size(q, k, keys):
    """The scores are divided by the size of a group once more, as if its members shared them."""
    return scores(q, keys) / _members(q, k)


def scores__scale_of_group_size_alone(q, k, keys):
    """The scores are divided by the root of the size of a group; d is forgotten."""
    return _products(q, keys) / np.sqrt(_members(q, k))


def scores__scale_head_count(q, keys):
    """The scores are divided by the root of the number of query heads."""
    return _products(q, keys) / np.sqrt(q.shape[1])


def scores__scale_key_head_count(q, k, keys):
    """The scores are divided by the root of the number of key heads."""
    return _products(q, keys) / np.sqrt(k.shape[1])


def scores__scale_value_size(q, v, keys):
    """The scores are divided by the root of e, the size of the values."""
    return _products(q, keys) / np.sqrt(v.shape[-1])


def scores__scale_token_count(q, keys):
    """The scores are divided by the root of the number of tokens."""
    return _products(q, keys) / np.sqrt(q.shape[-2])


def scores__scale_missing(q, keys):
    """The scores are the bare products."""
    return _products(q, keys)


def scores__scale_without_root(q, keys):
    """The scores are divided by d instead of its root."""
    return _products(q, keys) / q.shape[-1]


def scores__scale_inverted(q, keys):
    """The scores are multiplied by the root of d instead of divided."""
    return _products(q, keys) * np.sqrt(q.shape[-1])


def scores__queries_averaged_in_group(q, k, keys):
    """The queries of a group are averaged, so that its members share one row of scores."""
    return scores(_of_group(q, k.shape[1], _mean_of_members), keys)


def scores__queries_summed_in_group(q, k, keys):
    """The queries of a group are added up, so that its members share one row of scores."""
    return scores(_of_group(q, k.shape[1], _sum_of_members), keys)


def scores__first_query_of_group(q, k, keys):
    """All members of a group ask with the queries of its first one."""
    return scores(_of_group(q, k.shape[1], _first_member), keys)


def scores__key_by_query_scores(q, keys):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(keys, q)


def scores__scores_between_features(q, keys):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    return scores(q.swapaxes(-1, -2), keys.swapaxes(-1, -2)) if q.shape[-1] == q.shape[-2] else scores(q, keys)


def scores__keys_reshaped_not_transposed(q, keys):
    """The keys are reshaped to (B, H, d, T) instead of transposed, so that a column mixes several keys."""
    items, heads, tokens, size = keys.shape
    return q @ keys.reshape(items, heads, size, tokens) / np.sqrt(size)


def scores__keys_summed_over_query_heads(q, keys):
    """The head index of the keys is free, so that every query head compares with the sum over all heads."""
    return scores(q, np.broadcast_to(keys.sum(axis=1, keepdims=True), keys.shape))


def scores__scores_averaged_over_heads(q, keys):
    """The scores are averaged over all query heads, which spread their weight alike."""
    found = scores(q, keys)
    return np.broadcast_to(found.mean(axis=1, keepdims=True), found.shape)


def scores__scores_clipped(q, keys):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(q, keys), -50, 50)


def scores__scores_in_single_precision(q, keys):
    """The scores are rounded to float32, which leaves seven digits."""
    return scores(q, keys).astype(np.float32).astype(np.float64)


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


def masked_scores__mask_of_folded_members(scores, k):
    """The members of a group are folded into one run of r T rows under one triangle, which closes nothing after T."""
    grouped = _grouped(scores, k.shape[1])
    items, count, members, tokens, _ = grouped.shape
    triangle = np.tri(members * tokens, tokens, dtype=bool).reshape(members, tokens, tokens)
    return _flat(_keep(grouped, triangle))


def masked_scores__mask_of_interleaved_members(scores, k):
    """The members of a group are folded token by token into r T rows under one triangle, which opens r times too fast."""
    grouped = _grouped(scores, k.shape[1])
    items, count, members, tokens, _ = grouped.shape
    triangle = np.tri(tokens * members, tokens, dtype=bool).reshape(tokens, members, tokens)
    return _flat(_keep(grouped, triangle.swapaxes(0, 1)))


def masked_scores__mask_for_one_per_group(scores, k):
    """The loop that masks runs over as many heads as there are key heads; further query heads read the future."""
    return _keep(scores, _past(scores) | (np.arange(scores.shape[1]) >= k.shape[1])[:, None, None])


def masked_scores__mask_first_head_only(scores):
    """Only query head 0 is masked."""
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


def masked_scores__mask_on_item_axis(scores):
    """Where B equals T the triangle is laid over items and keys."""
    allowed = _past(scores)
    return _keep(scores, allowed[:, None, None, :] if len(scores) == len(allowed) else allowed)


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


def masked_scores__mask_from_zero_scores(scores):
    """A score that is exactly 0 counts as hidden, also that of a zero token; rows without any other read their own."""
    allowed = _past(scores) & (scores != 0)
    own = np.eye(scores.shape[-1], dtype=bool)
    return _keep(scores, allowed | (~allowed.any(axis=-1, keepdims=True) & own))


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
    """The softmax runs over the query heads, which compete for each cell; where all are hidden this is NaN."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=1)), axis=1)


def weights__softmax_over_group(masked_scores, k):
    """The members of a group share one sum over their keys, so that a row alone sums to less than 1."""
    grouped = _grouped(masked_scores, k.shape[1])
    return _flat(_share(np.exp(grouped - _best(grouped, axis=(2, -1))), axis=(2, -1)))


def weights__softmax_over_matrix(masked_scores):
    """Queries and keys are normalised together: the whole matrix of a head sums to 1."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))), axis=(-2, -1))


def weights__weights_divided_by_group_size(masked_scores, k):
    """The weights are divided by the size of a group, whose members share a sum of 1."""
    return _softmax(masked_scores) * k.shape[1] / masked_scores.shape[1]


def weights__weights_averaged_in_group(masked_scores, k):
    """The weights are averaged over the members of a group, which then read alike."""
    return _of_group(_softmax(masked_scores), k.shape[1], _mean_of_members)


def weights__weights_averaged_over_heads(masked_scores):
    """The weights are averaged over all query heads, which then read alike."""
    shares = _softmax(masked_scores)
    return np.broadcast_to(shares.mean(axis=1, keepdims=True), shares.shape)


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709 and is 0/0 in rows below -745."""
    return _share(np.exp(masked_scores))


def weights__maximum_of_matrix(masked_scores):
    """One maximum for each head is subtracted, so that rows more than 745 below it become 0/0."""
    return _share(np.exp(masked_scores - _best(masked_scores, axis=(-2, -1))))


def weights__maximum_of_group(masked_scores, k):
    """The maximum of a row is shared by the members of its group, so that members far below another become 0/0."""
    grouped = _grouped(masked_scores, k.shape[1])
    return _flat(_share(np.exp(grouped - _best(grouped, axis=(2, -1)))))


def weights__maximum_over_heads(masked_scores):
    """The maximum of a row is shared by all query heads, so that heads far below another become 0/0."""
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


def weights__strongest_key_only(masked_scores):
    """The strongest key of each row takes all the weight."""
    strongest = masked_scores.argmax(axis=-1)[..., None]
    return (np.arange(masked_scores.shape[-1]) == strongest).astype(np.float64)


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every hidden key."""
    return _softmax(_softmax(masked_scores))


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals."""
    return np.round(_softmax(masked_scores), 3)


# Mixed values


def mixed_values(weights, values):
    return weights @ values  # (B, H, T, e)


def mixed_values__weights_transposed_in_mix(weights, values):
    """The values are mixed with the transposed weights, so that every position collects from the future."""
    return weights.swapaxes(-1, -2) @ values


def mixed_values__mix_averaged_in_group(weights, values, k):
    """The mixed values of a group are averaged, and all its members return the mean."""
    return _of_group(weights @ values, k.shape[1], _mean_of_members)


def mixed_values__mix_summed_in_group(weights, values, k):
    """The mixed values of a group are added up, and all its members return the sum."""
    return _of_group(weights @ values, k.shape[1], _sum_of_members)


def mixed_values__first_member_mixes(weights, values, k):
    """All members of a group mix with the weights of its first one; the returned weights are right."""
    return _of_group(weights, k.shape[1], _first_member) @ values


def mixed_values__members_before_groups(weights, values, k):
    """The mixed values come out member by member instead of group by group; the returned weights do not."""
    grouped = _grouped(weights @ values, k.shape[1])
    return _flat(grouped.swapaxes(1, 2))


def mixed_values__heads_reversed_in_mix(weights, values):
    """The mixed values come out with the last head first; the returned weights do not."""
    return (weights @ values)[:, ::-1]


def mixed_values__values_summed_over_query_heads(weights, values):
    """The head index of the laid out values is free, so that every head mixes the sum over all query heads."""
    return weights @ values.sum(axis=1, keepdims=True)


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
    return (weights @ values).astype(np.float16).astype(np.float64)
