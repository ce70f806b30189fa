"""Attention in one pass over blocks of keys, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: t_q queries, t_k keys, d key size, e value size, N blocks. What happens from block to block stands in tables with
a row for each block: the maximum so far, and the factor that shrinks what was summed before.
"""

import numpy as np


def _slices(length, block):
    return [slice(start, min(start + block, length)) for start in range(0, length, block)]


def _block_of(scores, block):
    """(t_k,), the number of each key's block."""
    return np.arange(scores.shape[1]) // block


def _block_maxima(scores, block):
    """(N, t_q), the maximum of each block alone."""
    return np.stack([scores[:, part].max(axis=1) for part in _slices(scores.shape[1], block)])


def _spread(table, scores, block):
    """(t_q, t_k): a table of blocks, (N, t_q), read at each key."""
    return table[_block_of(scores, block)].T


def _before(running_maxima, start=-np.inf):
    """(N, t_q), the maximum that was known before each block."""
    return np.vstack([np.full((1, running_maxima.shape[1]), start), running_maxima[:-1]])


def _collect(parts, factors):
    """Add up the parts of the blocks; before each one, what is there shrinks by its factor."""
    total = np.zeros(parts[0].shape)
    for part, factor in zip(parts, factors):
        total = total * factor.reshape(-1, *[1] * (part.ndim - 1)) + part
    return total


def _sums(exponentials, block):
    return [exponentials[:, part].sum(axis=1) for part in _slices(exponentials.shape[1], block)]


def _mixtures(exponentials, v, block):
    return [exponentials[:, part] @ v[part] for part in _slices(len(v), block)]


def _softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _in_half(array):
    with np.errstate(all="ignore"):
        return array.astype(np.float16).astype(np.float64)


# Scores, scale included


def scores(q, k):
    return q @ k.T / np.sqrt(q.shape[1])  # (t_q, t_k)


def scores__scores_key_by_query(q, k):
    """Where there are as many queries as keys the product is keys times queries."""
    return k @ q.T / np.sqrt(q.shape[1]) if len(q) == len(k) else scores(q, k)


def scores__scores_between_features(q, k):
    """Where queries, keys and features are equally many, features are compared with features."""
    return q.T @ k / np.sqrt(q.shape[1]) if len(q) == len(k) == q.shape[1] else scores(q, k)


def scores__scores_cosine(q, k):
    """The scores are cosines of the angle between query and key."""
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    return q @ k.T / np.maximum(lengths, 1e-12)


def scores__scale_missing(q, k):
    """The products are not divided."""
    return q @ k.T


def scores__scale_without_root(q, k):
    """The products are divided by d instead of its root."""
    return q @ k.T / q.shape[1]


def scores__scale_inverted(q, k):
    """The products are multiplied by the root of d."""
    return q @ k.T * np.sqrt(q.shape[1])


def scores__scale_by_block(q, k, block):
    """The products are divided by the root of the number of keys in a block."""
    return q @ k.T / np.sqrt(block)


def scores__scale_by_keys(q, k):
    """The products are divided by the root of the number of keys."""
    return q @ k.T / np.sqrt(len(k))


def scores__scale_by_value_width(q, k, v):
    """The products are divided by the root of e, the size of the values."""
    return q @ k.T / np.sqrt(v.shape[1])


def scores__causal_mask_added(q, k):
    """Keys behind a query's own number are hidden, although every query reads every key."""
    return np.where(np.tri(len(q), len(k), dtype=bool), scores(q, k), -np.inf)


def scores__zero_keys_hidden(q, k):
    """A key of zeros is taken for padding and hidden, unless there is no other."""
    used = k.any(axis=1)
    return np.where(used | ~used.any(), scores(q, k), -1e30)


def scores__scores_clipped(q, k):
    """The scores are clipped to [-50, 50], which makes ties out of different ones."""
    return np.clip(scores(q, k), -50, 50)


def scores__scores_clipped_at_700(q, k):
    """The scores are clipped to [-700, 700], the range of exp, which makes ties out of different ones."""
    return np.clip(scores(q, k), -700, 700)


def scores__zero_scores_hidden(q, k):
    """A score that is exactly 0 counts as hidden, in rows that have another one."""
    right = scores(q, k)
    return np.where((right == 0) & right.any(axis=1, keepdims=True), -1e30, right)


def scores__scores_in_single_precision(q, k):
    """The scores are rounded to single precision: at levels of thousands they lose most of their digits."""
    return scores(q, k).astype(np.float32).astype(np.float64)


def scores__scores_in_half_precision(q, k):
    """The scores pass through half precision: three digits survive, and beyond 65504 it is infinity."""
    return _in_half(scores(q, k))


# The maximum of each query after each block


def running_maxima(scores, block):
    return np.maximum.accumulate(_block_maxima(scores, block))  # (N, t_q)


def running_maxima__maximum_starts_at_zero(scores, block):
    """The maximum is never below 0: where all scores of a row lie below -745, sum and mixture are both 0."""
    return np.maximum(np.maximum.accumulate(_block_maxima(scores, block)), 0)


def running_maxima__maximum_starts_at_minus_10000(scores, block):
    """The maximum starts at -10000, which is above all scores of a low row: sum and mixture are both 0 there."""
    return np.maximum(np.maximum.accumulate(_block_maxima(scores, block)), -1e4)


def running_maxima__maximum_starts_at_minus_65504(scores, block):
    """The maximum starts at the lowest number of half precision, above all scores of a low row: 0/0 there."""
    return np.maximum(np.maximum.accumulate(_block_maxima(scores, block)), -65504.0)


def running_maxima__maximum_of_block(scores, block):
    """The maximum is that of the block alone: where a block lies 709 below the one before, the factor overflows."""
    return _block_maxima(scores, block)


def running_maxima__maximum_of_first_block(scores, block):
    """The maximum is taken from the first block and kept: a later key that leads it by more than 709 overflows."""
    maxima = _block_maxima(scores, block)
    return np.broadcast_to(maxima[0], maxima.shape)


def running_maxima__maximum_of_block_before(scores, block):
    """Each block is shifted by what was known before it, the first one by its own: a sudden lead overflows."""
    right = running_maxima(scores, block)
    return np.vstack([right[:1], right[:-1]])


def running_maxima__maximum_of_first_key_of_block(scores, block):
    """Only the first key of each block is looked at for the maximum: a lead inside a block overflows."""
    return np.maximum.accumulate(scores[:, ::block].T)


def running_maxima__maximum_of_last_key_of_block(scores, block):
    """Only the last key of each block is looked at for the maximum: a lead inside a block overflows."""
    return np.maximum.accumulate(np.stack([scores[:, part.stop - 1] for part in _slices(scores.shape[1], block)]))


def running_maxima__one_maximum_for_all_rows(scores, block):
    """All queries share one maximum: rows more than 745 below it are 0/0."""
    right = running_maxima(scores, block)
    return np.broadcast_to(right.max(axis=1, keepdims=True), right.shape)


def running_maxima__maximum_of_first_query(scores, block):
    """All queries are shifted by the maximum of the first one: others overflow or are 0/0."""
    right = running_maxima(scores, block)
    return np.broadcast_to(right[:, :1], right.shape)


def running_maxima__maximum_of_sizes(scores, block):
    """The largest size is taken, whatever its sign: rows of negative scores underflow."""
    return running_maxima(np.abs(scores), block)


def running_maxima__minimum_subtracted(scores, block):
    """The smallest score so far is subtracted: a key that leads it by more than 709 overflows."""
    return -running_maxima(-scores, block)


def running_maxima__no_maximum_subtracted(scores, block):
    """Nothing is subtracted: exp overflows above 709, and rows below -745 are 0/0."""
    return np.zeros_like(_block_maxima(scores, block))


def running_maxima__maximum_only_beyond_709(scores, block):
    """Nothing is subtracted while the maximum lies between -709 and 709: sums overflow and subnormals lose digits."""
    right = running_maxima(scores, block)
    return np.where(np.abs(right) > 709, right, 0.0)


def running_maxima__maximum_capped_at_700(scores, block):
    """The maximum is kept between -700 and 700: beyond that exp overflows or rows are 0/0."""
    return np.clip(running_maxima(scores, block), -700, 700)


# Exponentials, each beside the maximum that is known at its block


def exponentials(scores, running_maxima, block):
    return np.exp(scores - _spread(running_maxima, scores, block))  # (t_q, t_k)


def exponentials__beside_maximum_before_block(scores, running_maxima, block):
    """The exponentials are taken beside the old maximum, though sums are rescaled to the new one."""
    before = _before(running_maxima)
    before[0] = running_maxima[0]
    return np.exp(scores - _spread(before, scores, block))


def exponentials__beside_maximum_of_block(scores, running_maxima, block):
    """The exponentials are taken beside the maximum of their block, though sums are rescaled to the running one."""
    return np.exp(scores - _spread(_block_maxima(scores, block), scores, block))


def exponentials__short_block_dropped(scores, running_maxima, block):
    """Keys that do not fill a block are left out; where none is full, all are."""
    used = np.arange(scores.shape[1]) < scores.shape[1] // block * block
    return exponentials(scores, running_maxima, block) * used


def exponentials__short_last_block_dropped(scores, running_maxima, block):
    """A last block that is not full is left out, unless it is the only one."""
    full = max(scores.shape[1] // block * block, min(block, scores.shape[1]))
    return exponentials(scores, running_maxima, block) * (np.arange(scores.shape[1]) < full)


def exponentials__last_block_dropped(scores, running_maxima, block):
    """The loop ends one block too early, unless there is one only."""
    number = _block_of(scores, block)
    return exponentials(scores, running_maxima, block) * ((number < number[-1]) | (number[-1] == 0))


def exponentials__first_block_dropped(scores, running_maxima, block):
    """The first block sets the maximum and is never summed, unless it is the only one."""
    number = _block_of(scores, block)
    return exponentials(scores, running_maxima, block) * ((number > 0) | (number[-1] == 0))


def exponentials__two_blocks_only(scores, running_maxima, block):
    """Only the first two blocks are read."""
    return exponentials(scores, running_maxima, block) * (_block_of(scores, block) < 2)


def exponentials__border_keys_twice(scores, running_maxima, block):
    """Each block reaches one key into the next, so that keys at borders count twice."""
    number = _block_of(scores, block)
    first = (np.arange(scores.shape[1]) % block == 0) & (number > 0)
    return exponentials(scores, running_maxima, block) * (1 + first)


def exponentials__last_block_moved_back(scores, running_maxima, block):
    """A short last block is moved back until it is full, so that the keys it then shares with others count twice."""
    length = scores.shape[1]
    key = np.arange(length)
    shared = (key >= length - block) & (key < (length - 1) // block * block)
    return exponentials(scores, running_maxima, block) * (1 + shared)


def exponentials__last_key_of_block_lost(scores, running_maxima, block):
    """Each full block of two keys or more loses its last one."""
    last = (np.arange(scores.shape[1]) % block == block - 1) & (block > 1)
    return exponentials(scores, running_maxima, block) * ~last


def exponentials__powers_of_two(scores, running_maxima, block):
    """The exponentials are powers of 2, while the factors are powers of e."""
    return np.exp2(scores - _spread(running_maxima, scores, block))


def exponentials__exponent_floor_of_30(scores, running_maxima, block):
    """Exponents are floored at -30, so that keys far behind keep a share."""
    return np.exp(np.maximum(scores - _spread(running_maxima, scores, block), -30))


def exponentials__small_shares_dropped(scores, running_maxima, block):
    """Exponentials below 1e-7 are set to 0 as noise."""
    right = exponentials(scores, running_maxima, block)
    return np.where(right < 1e-7, 0.0, right)


def exponentials__exponentials_in_half_precision(scores, running_maxima, block):
    """The exponentials are rounded to half precision: three digits survive."""
    return _in_half(exponentials(scores, running_maxima, block))


def exponentials__weights_of_block(scores, running_maxima, block):
    """The exponentials of a block are divided by their sum before they are added up, so every block has mass 1."""
    return np.hstack([_softmax(scores[:, part]) for part in _slices(scores.shape[1], block)])


# Factors: what was summed before a block is multiplied by its factor


def factors(running_maxima):
    return np.exp(_before(running_maxima) - running_maxima)  # (N, t_q), 0 for the first block


def factors__running_sums_not_rescaled(running_maxima):
    """Neither the sum nor the mixture is rescaled when the maximum grows."""
    return np.ones_like(running_maxima)


def factors__factors_inverted(running_maxima):
    """The exponent has the wrong sign: what was summed before grows when it should shrink."""
    with np.errstate(all="ignore"):
        right = factors(running_maxima)
        return np.vstack([right[:1], np.exp(running_maxima[1:] - running_maxima[:-1])])


def factors__factors_squared(running_maxima):
    """What was summed before is rescaled twice."""
    return factors(running_maxima) ** 2


def factors__factors_floored(running_maxima):
    """The exponent of a factor is cut at -30, so that what was summed before a large rise keeps a share of 1e-13."""
    right = factors(running_maxima)
    return np.vstack([right[:1], np.maximum(right[1:], np.exp(-30.0))])


def factors__factors_in_base_two(running_maxima):
    """The factors are powers of 2, while the exponentials are powers of e."""
    return np.exp2(_before(running_maxima) - running_maxima)


def factors__factors_without_exp(running_maxima):
    """The factor is the ratio of the maxima, as if they were no logarithms."""
    with np.errstate(all="ignore"):
        right = factors(running_maxima)
        return np.vstack([right[:1], running_maxima[:-1] / running_maxima[1:]])


def factors__factor_of_first_query(running_maxima):
    """All queries are rescaled by the factor of the first one."""
    right = factors(running_maxima)
    return np.broadcast_to(right[:, :1], right.shape)


def factors__factor_of_largest_rise(running_maxima):
    """All queries are rescaled as the one whose maximum has risen most."""
    right = factors(running_maxima)
    return np.broadcast_to(right.min(axis=1, keepdims=True), right.shape)


def factors__factors_from_maximum_of_block(running_maxima, scores, block):
    """The factor compares with the maximum of the block, not the new running one, and grows where that is lower."""
    with np.errstate(all="ignore"):
        return np.exp(_before(running_maxima) - _block_maxima(scores, block))


def factors__sums_replaced(running_maxima):
    """The sums of a block replace those before them: only the last block counts."""
    return np.zeros_like(running_maxima)


def factors__factor_of_block_before(running_maxima):
    """Each block rescales by the factor of the one before: what stands before the second block is lost."""
    right = factors(running_maxima)
    return np.vstack([right[:1], right[:-1]])


def factors__rescaled_only_where_all_rise(running_maxima):
    """Sums are rescaled only at blocks in which the maximum of every query grows."""
    right = factors(running_maxima)
    return np.where((running_maxima > _before(running_maxima)).all(axis=1, keepdims=True), right, 1.0)


def factors__second_block_not_rescaling(running_maxima):
    """Rescaling begins with the third block, as if the first two had one maximum."""
    right = factors(running_maxima)
    right[1:2] = 1
    return right


def factors__sums_replaced_when_maximum_grows(running_maxima):
    """Where the maximum grows what was summed before is dropped, as if it were always negligible."""
    return (_before(running_maxima) == running_maxima).astype(np.float64)


def factors__rescaled_only_above_8(running_maxima):
    """Sums are rescaled only where the maximum grows by more than 8; smaller rises are ignored in the sums."""
    right = factors(running_maxima)
    return np.where(right < np.exp(-8.0), right, 1.0)


# The sum of each query, beside its last maximum


def totals(exponentials, factors, block):
    return _collect(_sums(exponentials, block), factors)  # (t_q,)


def totals__total_not_rescaled(exponentials, factors, block):
    """The mixture is rescaled when the maximum grows, the sum is not."""
    return _collect(_sums(exponentials, block), np.ones_like(factors))


def totals__total_rescaled_late(exponentials, factors, block):
    """The sum is rescaled after the block has been added, so that the block shrinks as well."""
    total = np.zeros(len(exponentials))
    for part, factor in zip(_sums(exponentials, block), factors):
        total = (total + part) * factor
    return total


def totals__total_of_last_block(exponentials, factors, block):
    """The sum is that of the last block alone."""
    return _sums(exponentials, block)[-1]


def totals__total_of_means(exponentials, factors, block):
    """Each block adds the mean of its exponentials to the sum."""
    return _collect([exponentials[:, part].mean(axis=1) for part in _slices(exponentials.shape[1], block)], factors)


def totals__total_over_all_queries(exponentials, factors, block):
    """The sum runs over all queries as well."""
    right = totals(exponentials, factors, block)
    return np.full_like(right, right.sum())


def totals__zero_keys_fill_last_block(running_maxima, exponentials, factors, block):
    """A short last block is filled with keys of zeros, whose score of 0 counts in the sum."""
    missing = -exponentials.shape[1] % block
    with np.errstate(all="ignore"):
        return totals(exponentials, factors, block) + missing * np.exp(-running_maxima[-1])


def totals__one_in_denominator(exponentials, factors, block):
    """The sum starts at 1 beside the last maximum, as if each query had one more key without a value."""
    return totals(exponentials, factors, block) + 1


def totals__epsilon_in_denominator(exponentials, factors, block):
    """1e-5 is added to the sums."""
    return totals(exponentials, factors, block) + 1e-5


def totals__total_in_half_precision(exponentials, factors, block):
    """The sum is rounded to half precision: three digits survive."""
    return _in_half(totals(exponentials, factors, block))


# The mixture of each query, beside its last maximum and not yet divided


def accumulated(exponentials, factors, v, block):
    return _collect(_mixtures(exponentials, v, block), factors)  # (t_q, e)


def accumulated__accumulator_not_rescaled(exponentials, factors, v, block):
    """The sum is rescaled when the maximum grows, the mixture is not: early values count for too much."""
    return _collect(_mixtures(exponentials, v, block), np.ones_like(factors))


def accumulated__accumulator_rescaled_late(exponentials, factors, v, block):
    """The mixture is rescaled after the block has been added, so that the block shrinks as well."""
    total = np.zeros((len(exponentials), v.shape[1]))
    for part, factor in zip(_mixtures(exponentials, v, block), factors):
        total = (total + part) * factor[:, None]
    return total


def accumulated__accumulator_factor_inverted(exponentials, factors, v, block):
    """The mixture grows when it should shrink, the sum shrinks."""
    with np.errstate(all="ignore"):
        turned = np.vstack([factors[:1], 1 / factors[1:]])
        return _collect(_mixtures(exponentials, v, block), turned)


def accumulated__accumulator_factor_squared(exponentials, factors, v, block):
    """The mixture is rescaled twice, the sum once."""
    return _collect(_mixtures(exponentials, v, block), factors**2)


def accumulated__accumulator_of_last_block(exponentials, factors, v, block):
    """The mixture of a block replaces those before it, while the sum runs over all."""
    return _mixtures(exponentials, v, block)[-1]


def accumulated__values_of_first_block(exponentials, factors, v, block):
    """Every block mixes the values of the first one."""
    parts = _slices(len(v), block)
    mixtures = [exponentials[:, part] @ v[: part.stop - part.start] for part in parts]
    return _collect(mixtures, factors)


def accumulated__values_backwards(exponentials, factors, v, block):
    """The values are taken from the end on while keys come from the beginning."""
    return _collect(_mixtures(exponentials, v[::-1], block), factors)


def accumulated__keys_as_values(exponentials, factors, k, v, block):
    """Where d equals e the keys are mixed instead of the values."""
    return _collect(_mixtures(exponentials, k if k.shape == v.shape else v, block), factors)


def accumulated__accumulator_in_half_precision(exponentials, factors, v, block):
    """The mixture is rounded to half precision: three digits survive, and beyond 65504 it is infinity."""
    return _in_half(accumulated(exponentials, factors, v, block))


# Mixed values


def mixed_values(totals, accumulated):
    return accumulated / totals[:, None]  # (t_q, e)


def mixed_values__not_normalised(accumulated):
    """The mixture is never divided by the sum."""
    return accumulated


def mixed_values__divided_in_every_block(exponentials, factors, v, block):
    """The mixture is divided by the sum so far in every block, and what was divided before is divided again."""
    mixed, total = np.zeros((len(exponentials), v.shape[1])), np.zeros(len(exponentials))
    for part, weight, factor in zip(_mixtures(exponentials, v, block), _sums(exponentials, block), factors):
        total = total * factor + weight
        mixed = (mixed * factor[:, None] + part) / total[:, None]
    return mixed


def mixed_values__blocks_averaged(scores, v, block):
    """Each block is answered by itself and the answers are averaged, as if all blocks had the same mass."""
    return np.mean([_softmax(scores[:, part]) @ v[part] for part in _slices(len(v), block)], axis=0)


def mixed_values__blocks_averaged_by_length(scores, v, block):
    """Each block is answered by itself and the answers are averaged, weighted by the numbers of keys."""
    parts = _slices(len(v), block)
    answers = [(part.stop - part.start) * (_softmax(scores[:, part]) @ v[part]) for part in parts]
    return np.sum(answers, axis=0) / len(v)


def mixed_values__blocks_weighted_by_maxima(scores, v, block):
    """Each block is answered by itself; the answers are weighted by exp of the maxima, without the blocks' sums."""
    shares = _softmax(_block_maxima(scores, block).T)
    answers = [_softmax(scores[:, part]) @ v[part] for part in _slices(len(v), block)]
    return np.sum([share[:, None] * answer for share, answer in zip(shares.T, answers)], axis=0)


def mixed_values__block_of_the_maximum_only(scores, v, block):
    """Each query is answered by the block that holds its largest score."""
    best = _block_maxima(scores, block).argmax(axis=0)
    answers = np.stack([_softmax(scores[:, part]) @ v[part] for part in _slices(len(v), block)])
    return answers[best, np.arange(len(scores))]


def mixed_values__mean_value(scores, v):
    """The mean of all values is returned; the scores are never used."""
    return np.broadcast_to(v.mean(axis=0), (len(scores), v.shape[1]))


def mixed_values__value_of_best_key(scores, v):
    """Each query gets the value of its best key, as if the softmax were a maximum."""
    return v[scores.argmax(axis=1)]


def mixed_values__result_rounded(totals, accumulated):
    """The result is rounded to three decimals, as it is printed."""
    return np.round(accumulated / totals[:, None], 3)
