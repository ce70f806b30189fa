"""Causal attention with a sink in each head, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: H heads, T positions, d key size, e value size. `log_denominators` (H, T) is the logarithm of what a row is
divided by, sink included; it is finite whatever the scores are. Alternatives that need equal sizes act like their stage
where the sizes differ.
"""

import numpy as np


def _distance(scores):
    """How far key j lies behind query i: positive in the past, negative in the future."""
    position = np.arange(scores.shape[1])
    return position[:, None] - position


def _past(scores):
    return _distance(scores) >= 0


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=-1):
    return scores.max(axis=axis, keepdims=True)


def _log_sum(scores):
    """(H, T) the logarithm of each row's sum of exponentials."""
    return np.logaddexp.reduce(scores, axis=-1)


def _share(exponentials, axis=-1):
    with np.errstate(invalid="ignore", divide="ignore"):
        return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _open(masked_scores):
    return np.isfinite(masked_scores)


def _with(masked_scores, sink):
    """(H, T) the denominators for other sinks, which broadcast to (H, T)."""
    return np.logaddexp(_log_sum(masked_scores), sink)


def _exp(values):
    with np.errstate(over="ignore"):
        return np.exp(values)


def _quotient(numerator, denominator):
    with np.errstate(all="ignore"):
        return numerator / denominator


def _lost(log_denominators, sink):
    """(H, T, 1) the weight of the sink."""
    return np.exp(sink[:, None] - log_denominators)[..., None]


def _shifted(masked_scores, sink, shift):
    """(H, T, T) the weights when `shift` stands for the maximum of the scores."""
    best = np.maximum(shift, sink[:, None, None])
    exponentials = _exp(masked_scores - best)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + np.exp(sink[:, None, None] - best))


# Scores, scale included


def scores(q, k):
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])  # (H, T, T), query by key


def scores__scores_key_by_query(q, k):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return scores(k, q)


def scores__scores_between_features(q, k):
    """Where T equals d the product compares features with features instead of positions with positions."""
    square = q.shape[1] == q.shape[2]
    return scores(q.swapaxes(1, 2), k.swapaxes(1, 2)) if square else scores(q, k)


def scores__scale_missing(q, k):
    """The scores are the bare products."""
    return q @ k.swapaxes(-1, -2)


def scores__scale_without_root(q, k):
    """The scores are divided by d instead of its root."""
    return q @ k.swapaxes(-1, -2) / q.shape[-1]


def scores__scale_full_width(q, k):
    """The scores are divided by the root of H*d, the width of all heads together."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[0] * q.shape[2])


def scores__scale_head_count(q, k):
    """The scores are divided by the root of the number of heads."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[0])


def scores__scale_by_value_size(q, k, v):
    """The scores are divided by the root of e, the size of the values."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(v.shape[-1])


def scores__scores_clipped(q, k):
    """The scores are clipped to [-50, 50], which makes ties out of different scores."""
    return np.clip(scores(q, k), -50, 50)


def scores__keys_of_next_head(q, k):
    """Every head compares its queries with the keys of the next head."""
    return scores(q, np.roll(k, -1, axis=0))


# Masked scores


def masked_scores(scores):
    return _keep(scores, _past(scores))


def masked_scores__future_open(scores):
    """Nothing is hidden: every query reads the future."""
    return scores + 0.0


def masked_scores__next_key_open(scores):
    """The triangle is one diagonal too wide: every query reads the next position as well."""
    return _keep(scores, _distance(scores) >= -1)


def masked_scores__own_key_closed(scores):
    """The triangle is strict, so that the first row has the sink alone and no row reads itself."""
    return _keep(scores, _distance(scores) > 0)


def masked_scores__triangle_transposed(scores):
    """The triangle is turned over: queries read themselves and what comes after them."""
    return _keep(scores, _distance(scores) <= 0)


def masked_scores__first_key_hidden(scores):
    """The first token is taken for the sink's place, and no query reads it."""
    return _keep(scores, _past(scores) & (np.arange(scores.shape[1]) > 0))


def masked_scores__first_key_hidden_from_others(scores):
    """The first token is taken for a sink, which no query but its own reads."""
    position = np.arange(scores.shape[1])
    return _keep(scores, _past(scores) & ((position > 0) | (position[:, None] == 0)))


def masked_scores__first_key_is_the_sink(scores, sink):
    """The sink takes the place of the first token's scores, and counts once more in the sum."""
    replaced = np.where(np.arange(scores.shape[1]) == 0, sink[:, None, None], scores)
    return _keep(replaced, _past(scores))


def masked_scores__keys_below_sink_hidden(scores, sink):
    """The sink is a threshold: keys that score less are hidden."""
    return _keep(scores, _past(scores) & (scores >= sink[:, None, None]))


def masked_scores__sentinel_1000_added(scores):
    """-1000 is added to hidden scores, which a lead of more survives."""
    return scores + np.where(_past(scores), 0.0, -1e3)


def masked_scores__sentinel_10000_added(scores):
    """-10000 is added to hidden scores, which a lead of more survives."""
    return scores + np.where(_past(scores), 0.0, -1e4)


def masked_scores__fill_minus_10000(scores):
    """Hidden scores are filled with -10000, which lies above the real scores of low rows."""
    return np.where(_past(scores), scores, -1e4)


def masked_scores__fill_minus_500000(scores):
    """Hidden scores are filled with -500000, which lies above the real scores of the lowest rows."""
    return np.where(_past(scores), scores, -5e5)


def masked_scores__mask_multiplies_scores(scores):
    """The scores are multiplied by the mask, so that hidden keys keep the score 0 and get exp(0)."""
    return scores * _past(scores)


def masked_scores__hidden_keys_at_the_sink(scores, sink):
    """Later keys are filled with the sink, so that they take its weight once each."""
    return np.where(_past(scores), scores, sink[:, None, None])


def masked_scores__mask_from_zero_scores(scores):
    """A score that is exactly 0 counts as hidden, also that of a zero token."""
    return _keep(scores, _past(scores) & (scores != 0))


# Logarithms of the denominators


def log_denominators(masked_scores, sink):
    return _with(masked_scores, sink[:, None])  # (H, T)


def log_denominators__sink_not_shifted(masked_scores, sink):
    """The maximum is subtracted from the scores and not from the sink, so that the sink moves with the row."""
    return _with(masked_scores, sink[:, None] + _best(masked_scores)[..., 0])


def log_denominators__sink_ignored(masked_scores):
    """The sink is in no denominator: rows sum to 1 as they did without it."""
    return _log_sum(masked_scores)


def log_denominators__one_behind_the_maximum(masked_scores):
    """1 is added to the sum after the maximum was subtracted: a sink that follows each row's maximum."""
    return _with(masked_scores, _best(masked_scores)[..., 0])


def log_denominators__sinks_of_zero(masked_scores):
    """The sinks are 0 in all heads, whatever was learned."""
    return _with(masked_scores, 0.0)


def log_denominators__mean_of_the_sinks(masked_scores, sink):
    """All heads have the mean of the sinks."""
    return _with(masked_scores, sink.mean())


def log_denominators__largest_sink_for_all(masked_scores, sink):
    """All heads have the largest of the sinks."""
    return _with(masked_scores, sink.max())


def log_denominators__all_sinks_in_each_head(masked_scores, sink):
    """The sinks of all heads are added to each denominator."""
    return _with(masked_scores, np.logaddexp.reduce(sink))


def log_denominators__sink_of_first_head(masked_scores, sink):
    """All heads have the sink of head 0."""
    return _with(masked_scores, sink[0])


def log_denominators__sink_of_next_head(masked_scores, sink):
    """Every head has the sink of the next head."""
    return _with(masked_scores, np.roll(sink, -1)[:, None])


def log_denominators__sinks_reversed(masked_scores, sink):
    """The sinks are read from the last head to the first."""
    return _with(masked_scores, sink[::-1, None])


def log_denominators__sink_on_query_axis(masked_scores, sink):
    """Where there are as many heads as positions, the sinks are laid over the queries."""
    heads, tokens = masked_scores.shape[:2]
    return _with(masked_scores, sink[None, :] if heads == tokens else sink[:, None])


def log_denominators__sink_of_first_eight_heads(masked_scores, sink):
    """Heads from the ninth on have no sink."""
    return _with(masked_scores, np.where(np.arange(len(sink)) < 8, sink, -np.inf)[:, None])


def log_denominators__sink_scaled(masked_scores, sink, q):
    """The sink is divided by the root of d, as a score of products would be."""
    return _with(masked_scores, sink[:, None] / np.sqrt(q.shape[-1]))


def log_denominators__sink_negated(masked_scores, sink):
    """The sink has the wrong sign, so that heads that learned to be quiet are loudest."""
    return _with(masked_scores, -sink[:, None])


def log_denominators__sink_counted_twice(masked_scores, sink):
    """The sink is counted twice, as if two parts of the keys had brought it along."""
    return _with(masked_scores, sink[:, None] + np.log(2.0))


def log_denominators__sink_counted_by_keys(masked_scores, sink):
    """The sink is counted once for each key that a query reads."""
    return _with(masked_scores, sink[:, None] + np.log(_open(masked_scores).sum(axis=-1)))


def log_denominators__sink_counted_by_tokens(masked_scores, sink):
    """The sink is counted T times in every row, as if it stood beside each key."""
    return _with(masked_scores, sink[:, None] + np.log(masked_scores.shape[1]))


def log_denominators__sink_at_most_maximum(masked_scores, sink):
    """The sink is cut off at the row's maximum, so that it never takes more than half."""
    return _with(masked_scores, np.minimum(sink[:, None], _best(masked_scores)[..., 0]))


def log_denominators__sink_at_most_50(masked_scores, sink):
    """The sink is clipped to 50, for fear of an overflow."""
    return _with(masked_scores, np.minimum(sink, 50.0)[:, None])


def log_denominators__sink_at_least_zero(masked_scores, sink):
    """Negative sinks count as 0."""
    return _with(masked_scores, np.maximum(sink, 0.0)[:, None])


def log_denominators__sink_in_single_precision(masked_scores, sink):
    """The sinks are rounded to float32, which leaves seven digits of those beside large scores."""
    return _with(masked_scores, sink.astype(np.float32).astype(np.float64)[:, None])


def log_denominators__sink_not_in_first_row(masked_scores, sink):
    """The first query, which has a single key, has no sink."""
    first = np.arange(masked_scores.shape[1]) == 0
    return _with(masked_scores, np.where(first, -np.inf, sink[:, None]))


def log_denominators__sink_shifted_by_all_keys(scores, masked_scores, sink):
    """The sink is shifted by the maximum of all keys, hidden ones included; the scores by that of the allowed ones."""
    shift = (_best(scores) - _best(masked_scores))[..., 0]
    return _with(masked_scores, sink[:, None] - shift)


def log_denominators__sink_shifted_by_head(masked_scores, sink):
    """The sink is shifted by the largest score of its head, the scores by those of their rows."""
    shift = masked_scores.max(axis=(1, 2))[:, None] - _best(masked_scores)[..., 0]
    return _with(masked_scores, sink[:, None] - shift)


def log_denominators__sink_divided_by_keys(masked_scores, sink):
    """The sink is divided by the number of keys that a query reads."""
    return _with(masked_scores, sink[:, None] - np.log(_open(masked_scores).sum(axis=-1)))


def log_denominators__gate_of_the_maximum(masked_scores, sink):
    """What the sink takes is computed against the row's largest score instead of its log-sum-exp."""
    best = _best(masked_scores)[..., 0]
    return _log_sum(masked_scores) + np.logaddexp(0.0, sink[:, None] - best)


def log_denominators__gate_of_wrong_sign(masked_scores, sink):
    """The keys get what the sink should take, and the sink what is theirs."""
    total = _log_sum(masked_scores)
    return total + np.logaddexp(0.0, total - sink[:, None])


def log_denominators__gate_of_unmasked_sum(scores, masked_scores, sink):
    """What the sink takes is computed from all keys, hidden ones included."""
    return _log_sum(masked_scores) + np.logaddexp(0.0, sink[:, None] - _log_sum(scores))


def log_denominators__gate_of_last_row(masked_scores, sink):
    """What the sink takes of the last row is taken of all rows of its head."""
    total = _log_sum(masked_scores)
    return total + np.logaddexp(0.0, sink[:, None] - total[:, -1:])


def log_denominators__log_sum_of_base_two(masked_scores, sink):
    """The log-sum-exp is one of base 2 when it meets the sink."""
    total = _log_sum(masked_scores)
    return total + np.logaddexp(0.0, sink[:, None] - total / np.log(2))


def log_denominators__low_sinks_ignored(masked_scores, sink):
    """A sink that lies more than ten below the largest score of a row is left out of the row."""
    low = sink[:, None] < _best(masked_scores)[..., 0] - 10
    return _with(masked_scores, np.where(low, -np.inf, sink[:, None]))


def log_denominators__no_sink_where_it_is_zero(masked_scores, sink):
    """A sink of 0 is taken for none."""
    return _with(masked_scores, np.where(sink == 0, -np.inf, sink)[:, None])


def log_denominators__no_sink_where_all_are_zero(masked_scores, sink):
    """Sinks that are all 0 are taken for none."""
    return _with(masked_scores, np.where(sink.any(), sink, -np.inf)[:, None])


# Weights


def weights(masked_scores, log_denominators):
    return np.exp(masked_scores - log_denominators[..., None])  # (H, T, T), rows sum to less than 1


def weights__sink_without_exp(masked_scores, sink):
    """The sink itself is added to the shifted sum instead of its exponential."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + sink[:, None, None])


def weights__sink_in_maximum_only(masked_scores, sink):
    """The sink takes part in the maximum and not in the sum: rows sum to 1, or are 0/0 where the sink leads by far."""
    return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), sink[:, None, None])))


def weights__gated_by_sink(masked_scores, sink):
    """Rows of a plain softmax are multiplied by a gate that is the sink's alone and knows nothing of the scores."""
    return _softmax(masked_scores) * np.exp(-np.logaddexp(0.0, sink))[:, None, None]


def weights__each_key_against_sink(masked_scores, sink):
    """Each key competes with the sink alone: a logistic function instead of a softmax."""
    return np.exp(-np.logaddexp(0.0, sink[:, None, None] - masked_scores))


def weights__sink_subtracted(masked_scores, log_denominators, sink):
    """The sink's weight is taken from each key of a plain softmax, and what falls below 0 is cut off."""
    return np.maximum(_softmax(masked_scores) - _lost(log_denominators, sink), 0.0)


def weights__sink_weight_on_first_key(masked_scores, log_denominators, sink):
    """What the sink takes is given to the first token."""
    first = np.arange(masked_scores.shape[1]) == 0
    return weights(masked_scores, log_denominators) + _lost(log_denominators, sink) * first


def weights__sink_weight_on_own_key(masked_scores, log_denominators, sink):
    """What the sink takes is given to the query's own token."""
    own = _distance(masked_scores) == 0
    return weights(masked_scores, log_denominators) + _lost(log_denominators, sink) * own


def weights__sink_weight_spread(masked_scores, log_denominators, sink):
    """What the sink takes is spread evenly over the keys that a query reads."""
    even = _share(_open(masked_scores).astype(np.float64))
    return weights(masked_scores, log_denominators) + _lost(log_denominators, sink) * even


def weights__mask_after_softmax(scores, masked_scores, sink):
    """The softmax runs over all keys and the sink, the mask is laid over the weights."""
    return np.exp(scores - _with(scores, sink[:, None])[..., None]) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores, sink):
    """The mask is laid over plain weights, rows are divided by their sums, and the sink is mixed in: 0/0 under a lead."""
    kept = np.exp(-np.logaddexp(0.0, sink[:, None] - _log_sum(masked_scores)))[..., None]
    return _share(_softmax(scores) * _open(masked_scores)) * kept


def weights__maximum_before_mask(scores, masked_scores, sink):
    """The maximum is that of all keys and the sink, hidden ones included, and dominated rows underflow."""
    best = np.maximum(_best(scores), sink[:, None, None])
    exponentials = np.exp(masked_scores - best)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + np.exp(sink[:, None, None] - best))


def weights__maximum_of_head(masked_scores, sink):
    """One maximum a head is subtracted from scores and sink, so that rows more than 745 below it are 0 or 0/0."""
    best = np.maximum(masked_scores.max(axis=(1, 2)), sink)[:, None, None]
    exponentials = np.exp(masked_scores - best)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + np.exp(sink[:, None, None] - best))


def weights__one_maximum_for_all(masked_scores, sink):
    """One maximum of all scores and sinks is subtracted, so that heads more than 745 below it are 0/0."""
    best = max(masked_scores.max(), sink.max())
    exponentials = np.exp(masked_scores - best)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + np.exp(sink[:, None, None] - best))


def weights__maximum_starts_at_zero(masked_scores, sink):
    """The maximum is never below 0, so that rows below -745 are 0/0 beside a low sink."""
    best = np.maximum(np.maximum(_best(masked_scores), sink[:, None, None]), 0.0)
    exponentials = np.exp(masked_scores - best)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + np.exp(sink[:, None, None] - best))


def weights__shift_by_own_score(masked_scores, sink):
    """Rows are shifted by the own score or the sink, the larger one; another key may lead both by more than 709."""
    return _shifted(masked_scores, sink, np.diagonal(masked_scores, axis1=1, axis2=2)[..., None])


def weights__shift_by_first_score(masked_scores, sink):
    """Rows are shifted by the first score or the sink, whichever is larger; a key may lead both by more than 709."""
    return _shifted(masked_scores, sink, masked_scores[..., :1])


def weights__shift_by_mean_score(masked_scores, sink):
    """Rows are shifted by their mean score or the sink, whichever is larger; a key may lead both by more than 709."""
    total = np.where(_open(masked_scores), masked_scores, 0.0).sum(axis=-1, keepdims=True)
    return _shifted(masked_scores, sink, total / _open(masked_scores).sum(axis=-1, keepdims=True))


def weights__unsafe_softmax(masked_scores, sink):
    """exp is taken of scores and sinks as they are, which overflows above 709 and gives 0/0 far below."""
    exponentials = _exp(masked_scores)
    return _quotient(exponentials, exponentials.sum(axis=-1, keepdims=True) + _exp(sink)[:, None, None])


def weights__unsafe_softmax_in_single_precision(masked_scores, sink):
    """exp is taken of scores and sinks as they are and kept in float32, which overflows above 88."""
    with np.errstate(all="ignore"):
        exponentials, lost = np.exp(masked_scores).astype(np.float32), np.exp(sink).astype(np.float32)
        shares = exponentials / (exponentials.sum(axis=-1, keepdims=True) + lost[:, None, None])
    return shares.astype(np.float64)


def weights__softmax_over_queries(masked_scores, sink):
    """The sums, to which the sink is added, run over the queries instead of the keys."""
    total = np.logaddexp(np.logaddexp.reduce(masked_scores, axis=1), sink[:, None])
    return np.exp(masked_scores - total[:, None, :])


def weights__softmax_over_heads(masked_scores, sink):
    """The sums, to which the sinks are added, run over the heads."""
    total = np.logaddexp.reduce(masked_scores, axis=0, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.exp(masked_scores - np.logaddexp(total, sink[:, None, None])))


def weights__one_more_in_denominator(masked_scores, log_denominators):
    """1 is added to the denominators beside the sink."""
    return np.exp(masked_scores - np.logaddexp(log_denominators, 0.0)[..., None])


def weights__weights_averaged_over_heads(masked_scores, log_denominators):
    """The weights are averaged over the heads."""
    shares = weights(masked_scores, log_denominators)
    return np.broadcast_to(shares.mean(axis=0, keepdims=True), shares.shape)


def weights__leading_sink_takes_all(masked_scores, log_denominators, sink):
    """Where the sink leads all scores of a row by more than ten, the row is set to 0."""
    quiet = sink[:, None, None] > _best(masked_scores) + 10
    return np.where(quiet, 0.0, weights(masked_scores, log_denominators))


def weights__small_weights_dropped(masked_scores, log_denominators):
    """Weights below 1e-6 are set to 0, and what their values bring is lost."""
    shares = weights(masked_scores, log_denominators)
    return np.where(shares < 1e-6, 0.0, shares)


def weights__weights_rounded(masked_scores, log_denominators):
    """The weights are rounded to three decimals."""
    return np.round(weights(masked_scores, log_denominators), 3)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (H, T, e)


def mixed_values__sink_left_out_of_mix(masked_scores, v):
    """The mixed values are divided by the sum of the keys alone, so that the output has no sink; the weights have it."""
    return _softmax(masked_scores) @ v


def mixed_values__sink_twice_in_mix(weights, log_denominators, sink, v):
    """The mixed values are scaled by what the sink leaves, although their weights have been already."""
    return weights @ v * (1 - _lost(log_denominators, sink))


def mixed_values__sink_reads_first_value(weights, log_denominators, sink, v):
    """What the sink takes is mixed from the first token's value."""
    return weights @ v + _lost(log_denominators, sink) * v[:, :1]


def mixed_values__sink_reads_own_value(weights, log_denominators, sink, v):
    """What the sink takes is mixed from the query's own value."""
    return weights @ v + _lost(log_denominators, sink) * v


def mixed_values__sink_reads_mean_value(weights, log_denominators, sink, v):
    """What the sink takes is mixed from the mean of all values."""
    return weights @ v + _lost(log_denominators, sink) * v.mean(axis=1, keepdims=True)


def mixed_values__sink_reads_ones(weights, log_denominators, sink, v):
    """The sink has a value of ones."""
    return weights @ v + _lost(log_denominators, sink)


def mixed_values__weights_transposed_in_mix(weights, v):
    """The values are mixed with the transposed weights."""
    return weights.swapaxes(-1, -2) @ v


def mixed_values__keys_as_values(weights, k, v):
    """Where d equals e the keys are mixed instead of the values."""
    return weights @ (k if k.shape == v.shape else v)


def mixed_values__mix_unmasked(scores, sink, v):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return np.exp(scores - _with(scores, sink[:, None])[..., None]) @ v


def mixed_values__mix_not_divided(masked_scores, v):
    """The values are mixed with the exponentials; the divided weights are returned and not used."""
    return np.exp(masked_scores - _best(masked_scores)) @ v


def mixed_values__values_of_next_head(weights, v):
    """Every head mixes the values of the next head."""
    return weights @ np.roll(v, -1, axis=0)


def mixed_values__mix_in_half_precision(weights, v):
    """The mixed values are rounded to half precision."""
    return (weights @ v).astype(np.float16).astype(np.float64)
