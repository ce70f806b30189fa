"""Decoding with a cache as one pass over the text, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: T tokens, d key size, e value size, n chunks. What a cached step does wrong is told here by rows: `_start` says
of each token how many keys the cache held when its chunk came, `_end` how many it held afterwards. `scores` are those
that a step has: keys of later chunks are minus infinity.
"""

import numpy as np

BASE = 10000.0


def _start(chunks):
    """(T,) how many tokens came before each token's chunk."""
    return np.repeat(np.cumsum(chunks) - chunks, chunks)


def _end(chunks):
    """(T,) how many tokens have come with each token's chunk."""
    return np.repeat(np.cumsum(chunks), chunks)


def _count(chunks):
    """(T,) how many tokens each token's chunk has."""
    return np.repeat(chunks, chunks)


def _number(chunks):
    """(T,) which chunk each token came with."""
    return np.repeat(np.arange(len(chunks)), chunks)


def _local(chunks):
    """(T,) the place of each token within its chunk."""
    return np.arange(chunks.sum()) - _start(chunks)


def _turn(x, angles):
    half = x.shape[1] // 2
    first, second = x[:, :half], x[:, half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.hstack([first * cos - second * sin, first * sin + second * cos])


def _turn_neighbours(x, angles):
    turned = np.empty_like(x)
    first, second = x[:, ::2], x[:, 1::2]
    turned[:, ::2] = first * np.cos(angles) - second * np.sin(angles)
    turned[:, 1::2] = first * np.sin(angles) + second * np.cos(angles)
    return turned


def _frequencies(q):
    return BASE ** (-2 * np.arange(q.shape[1] // 2) / q.shape[1])


def _product(queries, keys):
    return queries @ keys.T / np.sqrt(queries.shape[1])


def _key(scores):
    return np.arange(scores.shape[1])


def _past(scores):
    return np.tri(len(scores), dtype=bool)


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=1):
    with np.errstate(invalid="ignore", divide="ignore"):
        return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _open(masked_scores):
    return np.isfinite(masked_scores)


def _in_chunk(scores, chunks):
    """The scores that a step computes: those of all keys up to the end of the row's chunk."""
    return _keep(scores, _key(scores) < _end(chunks)[:, None])


def _by_chunk(chunks, values):
    """The largest of each chunk's values, for each of its tokens."""
    return np.array([values[_number(chunks) == number].max() for number in range(len(chunks))])[_number(chunks)]


# Positions of the tokens


def positions(q):
    return np.arange(len(q)).astype(np.float64)  # (T,)


def positions__positions_restart(chunks):
    """Positions are counted from the beginning of each chunk, so that every step starts at 0 again."""
    return _local(chunks).astype(np.float64)


def positions__positions_of_chunk_start(chunks):
    """All tokens of a chunk have the position of its first one, the length of the cache."""
    return _start(chunks).astype(np.float64)


def positions__positions_of_chunk_end(chunks):
    """All tokens of a chunk have the position of its last one."""
    return _end(chunks) - 1.0


def positions__positions_count_chunks(chunks):
    """The position is the number of the step, so that all tokens of a chunk share it."""
    return _number(chunks).astype(np.float64)


def positions__cache_length_added_twice(chunks):
    """The length of the cache is added twice: once for the chunk and once for its tokens."""
    return 2.0 * _start(chunks) + _local(chunks)


def positions__one_ahead_behind_cache(chunks):
    """Behind a cache positions are one ahead, because the counter has moved before it is read."""
    return _start(chunks) + _local(chunks) + (_start(chunks) > 0).astype(np.float64)


def positions__counted_behind_chunk(chunks):
    """Behind the first chunk positions are counted from the length that the cache has after the step."""
    return np.where(_start(chunks) > 0, _end(chunks), 0) + _local(chunks).astype(np.float64)


def positions__counted_from_chunk_end(chunks):
    """In every step, the first one too, positions are counted from the length that the cache has afterwards."""
    return _end(chunks) + _local(chunks).astype(np.float64)


def positions__one_behind_behind_cache(chunks):
    """Behind a cache positions are one short, so that the border's two tokens share one."""
    return _start(chunks) + _local(chunks) - (_start(chunks) > 0).astype(np.float64)


def positions__offset_of_last_chunk(chunks):
    """The offset is the length of the chunk before, not of all that came before."""
    before = np.concatenate([[0], chunks[:-1]])
    return np.repeat(before, chunks) + _local(chunks).astype(np.float64)


def positions__offset_stays_at_prompt(chunks):
    """The offset is the length of the first chunk in all later steps."""
    return np.where(_number(chunks) > 0, chunks[0], 0) + _local(chunks).astype(np.float64)


def positions__offset_grows_by_one(chunks):
    """Behind the prompt the offset grows by one with each step, however many tokens it has."""
    number = _number(chunks)
    return np.where(number > 0, chunks[0] + number - 1, 0) + _local(chunks).astype(np.float64)


def positions__positions_negative(q):
    """The positions have the wrong sign, so that both sides turn backwards."""
    return -positions(q)


def positions__positions_at_most_31(q):
    """Positions come from a table of 32, whose last one serves all that follow."""
    return np.minimum(positions(q), 31.0)


def positions__positions_in_ring_of_32(q):
    """Positions start again after 32 tokens."""
    return positions(q) % 32


def positions__single_tokens_at_zero(chunks):
    """A chunk of a single token has position 0."""
    return np.where(_count(chunks) == 1, 0, np.arange(chunks.sum())).astype(np.float64)


# Angles of the pairs


def angles(q, positions):
    return positions[:, None] * _frequencies(q)  # (T, d/2)


def angles__exponent_without_two(q, positions):
    """The exponent is i/d instead of 2i/d, so that all pairs but the first turn too fast."""
    return positions[:, None] * np.sqrt(_frequencies(q))


def angles__base_1000(q, positions):
    """The base is 1000 instead of 10000."""
    return positions[:, None] * _frequencies(q) ** 0.75


def angles__exponent_from_one(q, positions):
    """The exponents are counted from 1, so that the first pair turns too slowly as well."""
    return positions[:, None] * _frequencies(q) * BASE ** (-2 / q.shape[1])


def angles__one_angle_for_all_pairs(q, positions):
    """All pairs turn by the position itself."""
    return np.repeat(positions[:, None], q.shape[1] // 2, axis=1)


def angles__frequencies_reversed(q, positions):
    """The last pair turns fastest instead of the first."""
    return positions[:, None] * _frequencies(q)[::-1]


def angles__angles_in_single_precision(q, positions):
    """The angles are rounded to float32."""
    return angles(q, positions).astype(np.float32).astype(np.float64)


# Rotated queries


def queries(q, angles):
    return _turn(q, angles)  # (T, d)


def queries__queries_restart(q, angles, chunks):
    """The queries are counted from the beginning of their chunk; the keys are not."""
    return _turn(q, angles - angles[_start(chunks)])


def queries__queries_at_first_of_chunk(q, angles, chunks):
    """All queries of a chunk are turned by the position of its first token."""
    return _turn(q, angles[_start(chunks)])


def queries__queries_at_last_of_chunk(q, angles, chunks):
    """All queries of a chunk are turned by the position of its last token."""
    return _turn(q, angles[_end(chunks) - 1])


def queries__queries_one_ahead_behind_cache(q, angles, chunks):
    """Behind a cache the queries are one position ahead of their keys."""
    step = _frequencies(q) * (_start(chunks) > 0)[:, None]
    return _turn(q, angles + step)


def queries__queries_behind_chunk(q, angles, chunks):
    """The queries are counted from the length that the cache has after their chunk was added."""
    return _turn(q, angles + _frequencies(q) * _count(chunks)[:, None])


def queries__queries_not_turned(q):
    """The queries are not rotated, so that scores depend on the keys' positions alone."""
    return q


def queries__queries_turned_backwards(q, angles):
    """The queries are turned backwards, so that positions add up instead of cancelling."""
    return _turn(q, -angles)


def queries__queries_turned_twice(q, angles):
    """The queries are turned twice."""
    return _turn(q, 2 * angles)


def queries__queries_paired_as_neighbours(q, angles):
    """The queries' features are paired with their neighbours instead of across the halves."""
    return _turn_neighbours(q, angles)


def queries__queries_of_prompt_not_turned(q, angles, chunks):
    """The queries of the first chunk are not rotated."""
    return np.where((_number(chunks) == 0)[:, None], q, _turn(q, angles))


# Rotated keys


def keys(k, angles):
    return _turn(k, angles)  # (T, d)


def keys__keys_restart(k, angles, chunks):
    """The keys are counted from the beginning of their chunk; the queries are not."""
    return _turn(k, angles - angles[_start(chunks)])


def keys__keys_at_first_of_chunk(k, angles, chunks):
    """All keys of a chunk are turned by the position of its first token."""
    return _turn(k, angles[_start(chunks)])


def keys__keys_at_last_of_chunk(k, angles, chunks):
    """All keys of a chunk are turned by the position of its last token."""
    return _turn(k, angles[_end(chunks) - 1])


def keys__keys_not_turned(k):
    """The keys are not rotated, so that scores depend on the queries' positions alone."""
    return k


def keys__keys_turned_backwards(k, angles):
    """The keys are turned backwards, so that positions add up instead of cancelling."""
    return _turn(k, -angles)


def keys__keys_turned_twice(k, angles):
    """The keys are turned twice."""
    return _turn(k, 2 * angles)


def keys__keys_of_first_chunk_only_turned(k, angles, chunks):
    """The keys of the prompt are rotated, those of later chunks are not."""
    return np.where((_number(chunks) == 0)[:, None], _turn(k, angles), k)


def keys__keys_paired_as_neighbours(k, angles):
    """The keys' features are paired with their neighbours instead of across the halves."""
    return _turn_neighbours(k, angles)


# Scores, scale included


def scores(queries, keys, chunks):
    return _in_chunk(_product(queries, keys), chunks)  # (T, T), query by key; minus infinity for keys of later chunks


def scores__keys_turned_again_each_step(queries, keys, angles, chunks):
    """The whole cache is rotated in every step and kept so, so that a key turns once more with each chunk."""
    number = _number(chunks)
    times = np.maximum(number[:, None] - number, 0)
    rows = [_product(queries[i : i + 1], _turn(keys, times[i][:, None] * angles)) for i in range(len(queries))]
    return _in_chunk(np.vstack(rows), chunks)


def scores__cached_keys_turned_twice(queries, keys, angles, chunks):
    """Keys that are read from the cache are turned a second time; the cache itself keeps them as they were."""
    is_cached = np.arange(len(keys)) < _start(chunks)[:, None]
    return _in_chunk(np.where(is_cached, _product(queries, _turn(keys, angles)), _product(queries, keys)), chunks)


def scores__cached_keys_not_turned(queries, k, keys, chunks):
    """The cache keeps keys as they came, and only the chunk's own keys are rotated."""
    is_cached = np.arange(len(keys)) < _start(chunks)[:, None]
    return _in_chunk(np.where(is_cached, _product(queries, k), _product(queries, keys)), chunks)


def scores__nothing_turned_behind_cache(queries, keys, q, k, chunks):
    """Behind a cache neither the chunk's queries nor its keys are rotated."""
    is_prompt = (_number(chunks) == 0)[:, None]
    return _in_chunk(_product(np.where(is_prompt, queries, q), np.where(is_prompt, keys, k)), chunks)


def scores__scores_key_by_query(queries, keys, chunks):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return _in_chunk(_product(keys, queries), chunks)


def scores__scores_between_features(queries, keys, chunks):
    """Where T equals d the product compares features with features instead of tokens with tokens."""
    square = queries.shape[0] == queries.shape[1]
    return _in_chunk(_product(queries.T, keys.T) if square else _product(queries, keys), chunks)


def scores__scale_missing(queries, keys, chunks):
    """The scores are the bare products."""
    return _in_chunk(queries @ keys.T, chunks)


def scores__scale_without_root(queries, keys, chunks):
    """The scores are divided by d instead of its root."""
    return _in_chunk(queries @ keys.T / queries.shape[1], chunks)


def scores__scale_by_pairs(queries, keys, chunks):
    """The scores are divided by the root of d/2, the number of pairs."""
    return _in_chunk(queries @ keys.T / np.sqrt(queries.shape[1] // 2), chunks)


def scores__scale_by_value_size(queries, keys, v, chunks):
    """The scores are divided by the root of e, the size of the values."""
    return _in_chunk(queries @ keys.T / np.sqrt(v.shape[1]), chunks)


def scores__scale_by_cache_length(queries, keys, chunks):
    """The scores are divided by the root of the number of keys in the cache."""
    return _in_chunk(queries @ keys.T / np.sqrt(_end(chunks))[:, None], chunks)


def scores__scores_clipped(queries, keys, chunks):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return _in_chunk(np.clip(_product(queries, keys), -50, 50), chunks)


def scores__scores_clipped_to_10000(queries, keys, chunks):
    """The scores are clipped to 10000 in size, which makes ties out of different scores beyond."""
    return _in_chunk(np.clip(_product(queries, keys), -1e4, 1e4), chunks)


def scores__scores_in_single_precision(queries, keys, chunks):
    """The scores are rounded to float32, which leaves seven digits."""
    return _in_chunk(_product(queries, keys).astype(np.float32).astype(np.float64), chunks)


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))


def masked_scores__cache_length_ignored(scores, chunks):
    """The triangle starts at the first key of the cache, so that a later chunk reads the beginning of the text only."""
    return _keep(scores, _key(scores) <= _local(chunks)[:, None])


def masked_scores__mask_skipped_with_cache(scores, chunks):
    """Behind a cache nothing is masked, so that the tokens of a chunk read each other's future."""
    allowed = _past(scores) | ((_start(chunks) > 0)[:, None] & (_key(scores) < _end(chunks)[:, None]))
    return _keep(scores, allowed)


def masked_scores__chunks_unmasked(scores):
    """No chunk is masked: every token reads all tokens up to the end of its chunk."""
    return scores + 0.0


def masked_scores__prompt_unmasked(scores, chunks):
    """The first chunk is not masked, the later ones are."""
    allowed = _past(scores) | (_key(scores) < np.where(_number(chunks) == 0, chunks[0], 0)[:, None])
    return _keep(scores, allowed)


def masked_scores__future_open(queries, keys):
    """Nothing is masked, so that every token reads the whole text, chunks to come included."""
    return _product(queries, keys)


def masked_scores__own_chunk_only(scores, chunks):
    """The cache is never read: every token reads its own chunk alone."""
    return _keep(scores, _past(scores) & (_key(scores) >= _start(chunks)[:, None]))


def masked_scores__own_chunk_hidden_behind_cache(scores, chunks):
    """Behind a cache only the cache is read, because the chunk is added after it."""
    bound = np.where(_number(chunks) > 0, _start(chunks), len(scores))
    return _keep(scores, _past(scores) & (_key(scores) < bound[:, None]))


def masked_scores__own_key_hidden_from_single_tokens(scores, chunks):
    """A single token behind the cache does not read itself."""
    single = (_count(chunks) == 1) & (_start(chunks) > 0)
    return _keep(scores, _past(scores) & ~np.diag(single))


def masked_scores__triangle_over_the_oldest_keys(scores, chunks):
    """The chunk's triangle lies over the oldest keys, and all keys behind it are open, later ones of the chunk too."""
    local, key = _local(chunks)[:, None], _key(scores)
    return _keep(scores, (key <= local) | (key >= _count(chunks)[:, None]))


def masked_scores__own_key_closed_behind_cache(scores, chunks):
    """Behind a cache the offset of the mask is one short, so that no token reads itself."""
    bound = np.arange(len(scores)) - (_start(chunks) > 0)
    return _keep(scores, _key(scores) <= bound[:, None])


def masked_scores__next_key_open_behind_cache(scores, chunks):
    """Behind a cache the offset of the mask is one too many, so that each token reads the next one of its chunk."""
    bound = np.arange(len(scores)) + (_start(chunks) > 0)
    return _keep(scores, _key(scores) <= bound[:, None])


def masked_scores__next_key_open_in_chunk(scores):
    """The triangle is one diagonal too wide in every chunk, so that each token reads the next one of its chunk."""
    return _keep(scores, _key(scores) <= np.arange(1, len(scores) + 1)[:, None])


def masked_scores__mask_of_last_offset(scores, chunks):
    """The mask is moved by the length of the chunk before, not by that of the cache."""
    before = np.repeat(np.concatenate([[0], chunks[:-1]]), chunks)
    return _keep(scores, _key(scores) <= (before + _local(chunks))[:, None])


def masked_scores__oldest_key_lost_behind_cache(scores, chunks):
    """Behind a cache the oldest key is missing, as if each step dropped it."""
    return _keep(scores, _past(scores) & (_key(scores) >= (_start(chunks) > 0)[:, None]))


def masked_scores__newest_cached_key_lost(scores, chunks):
    """The newest key of the cache is missing: the slice ends one too early."""
    lost = _key(scores) == _start(chunks)[:, None] - 1
    return _keep(scores, _past(scores) & ~lost)


def masked_scores__last_chunk_cached_only(scores, chunks):
    """The cache holds the chunk before and nothing older."""
    number = _number(chunks)
    return _keep(scores, _past(scores) & (number >= number[:, None] - 1))


def masked_scores__prompt_cached_only(scores, chunks):
    """The cache holds the first chunk and is never extended."""
    number = _number(chunks)
    return _keep(scores, _past(scores) & ((number == number[:, None]) | (number == 0)))


def masked_scores__cache_of_32(scores):
    """The cache holds 32 keys and loses the older ones."""
    return _keep(scores, np.tri(len(scores), dtype=bool) & ~np.tri(len(scores), k=-32, dtype=bool))


def masked_scores__cache_of_four(scores):
    """The cache holds four keys and loses the older ones."""
    return _keep(scores, np.tri(len(scores), dtype=bool) & ~np.tri(len(scores), k=-4, dtype=bool))


def masked_scores__sentinel_1000_added(scores):
    """-1000 is added to later keys of the chunk, which a lead of more survives."""
    return scores - 1e3 * ~_past(scores)


def masked_scores__sentinel_10000_added(scores):
    """-10000 is added to later keys of the chunk, which a lead of more survives."""
    return scores - 1e4 * ~_past(scores)


def masked_scores__fill_minus_10000(scores):
    """Later keys of the chunk are filled with -10000, which lies above the real scores of low rows."""
    return np.where(_past(scores) | np.isneginf(scores), scores, -1e4)


def masked_scores__fill_minus_100000(scores):
    """Later keys of the chunk are filled with -100000, which lies above the real scores of the lowest rows."""
    return np.where(_past(scores) | np.isneginf(scores), scores, -1e5)


def masked_scores__mask_multiplies_scores(scores):
    """The scores of later keys of the chunk are multiplied by 0 and get exp(0)."""
    return np.where(np.isneginf(scores), scores, np.where(_past(scores), scores, 0.0))


def masked_scores__mask_from_zero_scores(scores):
    """A score that is exactly 0 counts as hidden, also that of a zero token."""
    return _keep(scores, _past(scores) & (scores != 0))


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (T, T), every row sums to 1


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys of the chunk, the mask is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The mask is laid over the weights and rows are divided by their sums, which a leading later key makes 0/0."""
    return _share(_softmax(scores) * _open(masked_scores))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum is taken before masking, so that rows underflow that a later key leads by more than 745."""
    return _share(np.exp(masked_scores - _best(scores)))


def weights__maximum_of_chunk(masked_scores, chunks):
    """One maximum is subtracted for a whole chunk, so that rows more than 745 below it are 0/0."""
    return _share(np.exp(masked_scores - _by_chunk(chunks, masked_scores.max(axis=1))[:, None]))


def weights__maximum_of_own_chunk(masked_scores, chunks):
    """The maximum is that of the chunk's own keys, beside which exponentials of a leading cache overflow."""
    own = _keep(masked_scores, _key(masked_scores) >= _start(chunks)[:, None])
    with np.errstate(over="ignore"):
        return _share(np.exp(masked_scores - _best(own)))


def weights__maximum_of_cache(masked_scores, chunks):
    """Behind a cache the maximum is that of the cached keys, beside which a leading key of the chunk overflows."""
    start = _start(chunks)[:, None]
    cached = _keep(masked_scores, (_key(masked_scores) < start) | (start == 0))
    with np.errstate(over="ignore"):
        return _share(np.exp(masked_scores - _best(cached)))


def weights__shift_by_own_score(masked_scores):
    """Each row is shifted by the score of its own key, which another one may lead by more than 709."""
    with np.errstate(over="ignore"):
        return _share(np.exp(masked_scores - np.diagonal(masked_scores)[:, None]))


def weights__shift_by_first_score(masked_scores):
    """Each row is shifted by the score of the first key, which another one may lead by more than 709."""
    with np.errstate(over="ignore"):
        return _share(np.exp(masked_scores - masked_scores[:, :1]))


def weights__shift_by_mean_score(masked_scores):
    """Each row is shifted by the mean of its scores, which the largest may lead by more than 709."""
    allowed = _open(masked_scores)
    mean = np.where(allowed, masked_scores, 0.0).sum(axis=1, keepdims=True) / allowed.sum(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        return _share(np.exp(masked_scores - mean))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 are 0/0."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0.0)))


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores, which overflows above 709 and gives 0/0 below -745."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores))


def weights__softmax_over_queries(masked_scores, chunks):
    """Within each chunk the softmax normalises over the queries: columns sum to 1, rows do not."""
    parts = []
    for number in range(len(chunks)):
        part = masked_scores[_number(chunks) == number]
        best = np.where(np.isfinite(_best(part, axis=0)), _best(part, axis=0), 0.0)
        total = np.exp(part - best).sum(axis=0)
        parts.append(np.exp(part - best) / np.where(total == 0, 1.0, total))
    return np.vstack(parts)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each row had one more key without a value."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__cache_and_chunk_apart(masked_scores, chunks):
    """Cache and chunk have a softmax each, so that the weights of a later row sum to 2."""
    is_cached = _key(masked_scores) < _start(chunks)[:, None]
    own = _softmax(_keep(masked_scores, ~is_cached))
    with np.errstate(invalid="ignore"):
        cached = _softmax(_keep(masked_scores, is_cached))
    return own + np.where((_start(chunks) > 0)[:, None], cached, 0.0)


def weights__shifted_scores_clipped(scores, masked_scores):
    """Shifted scores are clipped at -30, so that later keys of the chunk keep a weight that a large value shows."""
    exponentials = np.exp(np.maximum(masked_scores - _best(masked_scores), -30.0))
    return _share(np.where(np.isneginf(scores), 0.0, exponentials))


def weights__small_weights_dropped(masked_scores):
    """Weights below 1e-9 are set to 0, and what their values bring is lost."""
    shares = _softmax(masked_scores)
    return np.where(shares < 1e-9, 0.0, shares)


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals."""
    return np.round(_softmax(masked_scores), 3)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (T, e)


def mixed_values__keys_as_values(weights, keys, v):
    """Where d equals e the rotated keys are mixed instead of the values."""
    return weights @ (keys if keys.shape == v.shape else v)


def mixed_values__values_turned(weights, angles, v):
    """Where d equals e the values are rotated like the keys."""
    return weights @ (_turn(v, angles) if v.shape[1] == 2 * angles.shape[1] else v)


def mixed_values__mix_over_own_chunk(weights, v, chunks):
    """Weights of the cache are dropped in the mix: only the chunk's own values are added."""
    return np.where(np.arange(len(v)) >= _start(chunks)[:, None], weights, 0.0) @ v


def mixed_values__values_of_newest_chunk_first(weights, v, chunks):
    """Each chunk's values are put before those of the cache, so that weights meet other tokens' values."""
    number = _number(chunks)
    order = np.argsort(-number, kind="stable")
    return np.array([row[: len(seen)] @ v[seen] for row, seen in zip(weights, (order[number[order] <= n] for n in number))])


def mixed_values__values_one_late(weights, v):
    """Each weight meets the value of the token before."""
    return weights @ np.roll(v, 1, axis=0)


def mixed_values__last_row_for_whole_chunk(weights, v, chunks):
    """All tokens of a chunk get the mixed values of its last one."""
    return (weights @ v)[_end(chunks) - 1]


def mixed_values__chunks_joined_backwards(weights, v, chunks):
    """The results of the steps are joined from the last to the first."""
    number = _number(chunks)
    return (weights @ v)[np.argsort(-number, kind="stable")]


def mixed_values__mix_in_half_precision(weights, v):
    """The mixed values are rounded to half precision."""
    return (weights @ v).astype(np.float16).astype(np.float64)
