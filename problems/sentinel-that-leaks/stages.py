"""Attention with a bias and a mask of pairs, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: T positions, d key size, e value size. `keep` is never a stage: it is given. Alternatives that need equal sizes
act like their stage where the sizes differ.
"""

import numpy as np


def _root(q):
    return np.sqrt(q.shape[1])


def _keep(scores, allowed):
    return np.where(allowed, scores, -np.inf)


def _best(scores, axis=1):
    """The maximum along an axis, 0 where all is minus infinity."""
    best = scores.max(axis=axis, keepdims=True)
    return np.where(np.isneginf(best), 0.0, best)


def _share(exponentials, axis=1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _softmax(scores):
    return _share(np.exp(scores - _best(scores)))


def _open(masked_scores):
    return np.isfinite(masked_scores)


def _distance(keep):
    position = np.arange(len(keep))
    return position[:, None] - position


# Products of queries and keys, scale included


def scaled_products(q, k):
    return q @ k.T / _root(q)  # (T, T), query by key


def scaled_products__scores_key_by_query(q, k):
    """The product is keys times queries, so rows are keys and columns are queries."""
    return k @ q.T / _root(q)


def scaled_products__scores_between_features(q, k):
    """Where T equals d the product compares features with features instead of positions with positions."""
    return q.T @ k / _root(q) if q.shape[0] == q.shape[1] else scaled_products(q, k)


def scaled_products__scores_cosine(q, k):
    """The products are cosines of the angle between query and key, so the lengths of both are lost."""
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    return q @ k.T / np.maximum(lengths, 1e-12)


def scaled_products__scale_missing(q, k):
    """The products are not divided."""
    return q @ k.T


def scaled_products__scale_without_root(q, k):
    """The products are divided by d instead of its root."""
    return q @ k.T / q.shape[1]


def scaled_products__scale_inverted(q, k):
    """The products are multiplied by the root of d."""
    return q @ k.T * _root(q)


def scaled_products__scale_on_one_side_of_two(q, k):
    """The products are divided by the fourth root of d, half of the scale."""
    return q @ k.T / np.sqrt(_root(q))


def scaled_products__scale_by_tokens(q, k):
    """The products are divided by the root of the number of positions."""
    return q @ k.T / np.sqrt(len(q))


def scaled_products__scale_by_value_width(q, k, v):
    """The products are divided by the root of e, the size of the values."""
    return q @ k.T / np.sqrt(v.shape[1])


def scaled_products__scale_of_64(q, k):
    """The products are divided by 8, which is right for a key size of 64."""
    return q @ k.T / 8


def scaled_products__scores_clipped(q, k):
    """The products are clipped to [-50, 50], which makes ties out of different ones before the bias is added."""
    return np.clip(scaled_products(q, k), -50, 50)


# Scores, bias included


def scores(scaled_products, bias):
    return scaled_products + bias  # (T, T)


def scores__bias_before_scale(scaled_products, q, bias):
    """The bias is added before the division and shrinks by the root of d with the products."""
    return scaled_products + bias / _root(q)


def scores__bias_ignored(scaled_products):
    """The bias is never added."""
    return scaled_products


def scores__scale_missing_and_bias_scaled(scaled_products, q, bias):
    """The products are left whole and the bias alone is divided by the root of d."""
    return scaled_products * _root(q) + bias / _root(q)


def scores__bias_divided_by_key_size(scaled_products, q, bias):
    """The bias is divided by d: it passed through the scale twice."""
    return scaled_products + bias / q.shape[1]


def scores__scaled_twice(scaled_products, q, bias):
    """The sum is divided by the root of d once more, after the products have been."""
    return (scaled_products + bias) / _root(q)


def scores__bias_times_root(scaled_products, q, bias):
    """The bias is multiplied by the root of d, as if something later would divide it."""
    return scaled_products + bias * _root(q)


def scores__bias_transposed(scaled_products, bias):
    """The bias is turned over: each pair gets that of the opposite direction."""
    return scaled_products + bias.T


def scores__bias_symmetric(scaled_products, bias):
    """Both directions of a pair get the mean of their biases."""
    return scaled_products + (bias + bias.T) / 2


def scores__bias_subtracted(scaled_products, bias):
    """The bias is subtracted, as if it were a penalty."""
    return scaled_products - bias


def scores__bias_multiplied(scaled_products, bias):
    """The products are multiplied by the bias."""
    return scaled_products * bias


def scores__bias_as_a_gain(scaled_products, bias):
    """The products are multiplied by 1 + bias, so that a bias of 0 changes nothing and others scale."""
    return scaled_products * (1 + bias)


def scores__bias_of_first_row(scaled_products, bias):
    """Every query gets the biases of the first one."""
    return scaled_products + bias[0]


def scores__bias_negative_only(scaled_products, bias):
    """Positive biases are cut to 0, as if a bias could only take away."""
    return scaled_products + np.minimum(bias, 0)


def scores__bias_clipped_at_50(scaled_products, bias):
    """Biases are clipped to [-50, 50]."""
    return scaled_products + np.clip(bias, -50, 50)


def scores__bias_below_the_diagonal(scaled_products, bias):
    """Only pairs with an earlier key, or the own one, get their bias."""
    return scaled_products + np.tril(bias)


def scores__bias_off_the_diagonal(scaled_products, bias):
    """The bias of a position with itself is left out."""
    return scaled_products + bias - np.diag(np.diagonal(bias))


def scores__bias_where_products_are_not_zero(scaled_products, bias):
    """Pairs whose product is exactly 0 get no bias."""
    return scaled_products + np.where(scaled_products == 0, 0, bias)


def scores__sum_clipped(scaled_products, bias):
    """The scores are clipped to [-700, 700], the range of exp, which makes ties out of different ones."""
    return np.clip(scaled_products + bias, -700, 700)


def scores__scores_in_single_precision(scaled_products, bias):
    """The scores are rounded to single precision: at levels of thousands they lose most of their digits."""
    return (scaled_products + bias).astype(np.float32).astype(np.float64)


def scores__scores_in_half_precision(scaled_products, bias):
    """The scores pass through half precision: three digits survive, and beyond 65504 it is infinity."""
    with np.errstate(all="ignore"):
        return (scaled_products + bias).astype(np.float16).astype(np.float64)


# Masked scores


def masked_scores(scores, keep):
    return _keep(scores, keep)  # -inf where the pair is hidden


def masked_scores__fill_minus_10000(scores, keep):
    """Hidden scores are replaced by -10000, which lies above the real scores of low rows."""
    return np.where(keep, scores, -1e4)


def masked_scores__fill_minus_1000(scores, keep):
    """Hidden scores are replaced by -1000, which lies above the real scores of low rows."""
    return np.where(keep, scores, -1e3)


def masked_scores__fill_minus_100000(scores, keep):
    """Hidden scores are replaced by -100000, which lies above the real scores of rows near -400000."""
    return np.where(keep, scores, -1e5)


def masked_scores__fill_minus_65504(scores, keep):
    """Hidden scores are replaced by the lowest number of half precision, which lies above rows near -80000."""
    return np.where(keep, scores, -65504.0)


def masked_scores__fill_minus_900000(scores, keep):
    """Hidden scores are replaced by -900000, which the lowest rows of the graded range do not reach."""
    return np.where(keep, scores, -9e5)


def masked_scores__fill_minus_1000000(scores, keep):
    """Hidden scores are replaced by -1000000, beside which rows at the lower end of the graded range leave a share."""
    return np.where(keep, scores, -1e6)


def masked_scores__fill_with_smallest_score(scores, keep):
    """Hidden scores are replaced by the smallest score, which is an ordinary one and keeps its weight."""
    return np.where(keep, scores, scores.min())


def masked_scores__fill_30_below_the_smallest(scores, keep):
    """Hidden scores are put 30 below the smallest one, which leaves them a weight of 1e-13 that large values show."""
    return np.where(keep, scores, scores.min() - 30)


def masked_scores__fill_minus_twice_the_largest(scores, keep):
    """Hidden scores become minus twice the largest size of a score, which is far below only where scores are large."""
    return np.where(keep, scores, -2 * np.abs(scores).max() - 1)


def masked_scores__fill_30_below_its_row(scores, keep):
    """Hidden scores are put 30 below the smallest allowed one of their row: a weight of 1e-13 is left."""
    low = np.where(keep, scores, np.inf).min(axis=1, keepdims=True)
    return np.where(keep, scores, low - 30)


def masked_scores__sentinel_100_added(scores, keep):
    """-100 is added to hidden scores, which a lead of more survives."""
    return scores - 100 * ~keep


def masked_scores__sentinel_1000_added(scores, keep):
    """-1000 is added to hidden scores, which a lead of more survives."""
    return scores - 1e3 * ~keep


def masked_scores__sentinel_10000_added(scores, keep):
    """-10000 is added to hidden scores, which a lead of more survives."""
    return scores - 1e4 * ~keep


def masked_scores__sentinel_as_bias(scaled_products, scores, keep):
    """Hidden pairs get a bias of -10000 instead of their own, which products that lead by more survive."""
    return np.where(keep, scores, scaled_products - 1e4)


def masked_scores__sentinel_through_the_scale(scores, q, keep):
    """A sentinel of -10000 is divided by the root of d before it is added to hidden scores."""
    return scores - 1e4 / _root(q) * ~keep


def masked_scores__mask_missing(scores):
    """The mask is never used: every query reads all keys."""
    return scores


def masked_scores__mask_inverted(scores, keep):
    """Open and hidden are exchanged; rows that read all keys have none left."""
    return _keep(scores, ~keep)


def masked_scores__mask_transposed(scores, keep):
    """The mask is turned over: the pair (j, i) decides about (i, j), and some rows have no key left."""
    return _keep(scores, keep.T)


def masked_scores__mask_of_either_direction(scores, keep):
    """A pair is open if either direction of it is."""
    return _keep(scores, keep | keep.T)


def masked_scores__own_key_always_open(scores, keep):
    """Every position reads itself, whatever the mask says."""
    return _keep(scores, keep | np.eye(len(keep), dtype=bool))


def masked_scores__mask_of_first_row(scores, keep):
    """The first row of the mask is taken for all queries, as if keys were padding."""
    return _keep(scores, np.broadcast_to(keep[0], keep.shape))


def masked_scores__triangle_instead_of_mask(scores, keep):
    """The mask is replaced by a causal triangle."""
    return _keep(scores, _distance(keep) >= 0)


def masked_scores__triangle_where_it_leaves_a_key(scores, keep):
    """A causal triangle is laid over the mask, except in rows that it would empty."""
    both = keep & (_distance(keep) >= 0)
    return _keep(scores, np.where(both.any(axis=1, keepdims=True), both, keep))


def masked_scores__triangle_over_mask(scores, keep):
    """A causal triangle is laid over the mask; rows that have only later keys are empty."""
    return _keep(scores, keep & (_distance(keep) >= 0))


def masked_scores__hidden_below_the_diagonal_open(scores, keep):
    """Only pairs with a later key are hidden: what the mask closes in the past stays open."""
    return _keep(scores, keep | (_distance(keep) >= 0))


def masked_scores__mask_multiplies_scores(scores, keep):
    """The scores are multiplied by the mask, so that hidden keys keep the score 0 and get exp(0)."""
    return scores * keep


def masked_scores__mask_multiplies_by_minus_1e9(scores, keep):
    """Hidden scores are multiplied by -1e9, so that those that were negative win their row."""
    return scores * np.where(keep, 1, -1e9)


def masked_scores__mask_added_as_ones(scores, keep):
    """A mask of ones and zeros is added: open keys gain 1, hidden ones stay in the race."""
    return scores + keep


def masked_scores__hidden_bias_zeroed(scaled_products, scores, keep):
    """Hidden pairs lose their bias and keep their products."""
    return np.where(keep, scores, scaled_products)


def masked_scores__products_zeroed_bias_kept(scores, bias, keep):
    """Hidden pairs lose their products and keep their bias."""
    return np.where(keep, scores, bias)


def masked_scores__mask_from_zero_scores(scores, keep):
    """A score that is exactly 0 counts as hidden too."""
    return _keep(scores, keep & (scores != 0))


def masked_scores__zero_bias_hidden(scores, bias, keep):
    """A bias that is exactly 0 counts as hidden, in rows that have another one."""
    both = keep & (bias != 0)
    return _keep(scores, np.where(both.any(axis=1, keepdims=True), both, keep))


def masked_scores__low_scores_hidden(scores, keep):
    """Scores below -100000 count as hidden, in rows that have others and in rows that have none."""
    return _keep(scores, keep & (scores > -1e5))


def masked_scores__mask_of_first_32(scores, keep):
    """Positions from 32 on are not masked, neither as queries nor as keys."""
    position = np.arange(len(keep))
    return _keep(scores, keep | (position >= 32) | (position >= 32)[:, None])


# Weights


def weights(masked_scores):
    return _softmax(masked_scores)  # (T, T), every row sums to 1


def weights__mask_after_softmax(scores, masked_scores):
    """The softmax runs over all keys and the mask is laid over the weights: rows sum to less than 1."""
    return _softmax(scores) * _open(masked_scores)


def weights__late_mask_renormalised(scores, masked_scores):
    """The mask is laid over the weights and rows are divided by their sums: 0/0 once a hidden key leads by 745."""
    with np.errstate(all="ignore"):
        return _share(_softmax(scores) * _open(masked_scores))


def weights__late_mask_renormalised_guarded(scores, masked_scores):
    """The mask is laid over the weights, rows are renormalised, and rows that hidden keys dominate become zeros."""
    late = _softmax(scores) * _open(masked_scores)
    return late / np.maximum(late.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def weights__late_mask_renormalised_unless_zero(scores, masked_scores):
    """The mask comes after exp; only rows whose allowed exponentials are all 0 are computed again."""
    late = np.exp(scores - _best(scores)) * _open(masked_scores)
    return _share(np.where(late.any(axis=1, keepdims=True), late, np.exp(masked_scores - _best(masked_scores))))


def weights__maximum_before_mask(scores, masked_scores):
    """The maximum of each row is taken before masking: a hidden key that leads by more than 745 leaves 0/0."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores - _best(scores)))


def weights__unsafe_softmax(masked_scores):
    """exp is taken of the raw scores: it overflows above 709 and is 0/0 in rows below -745."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores))


def weights__unsafe_softmax_nan_to_num(masked_scores):
    """exp overflows or underflows and the NaN are replaced by 0, so that affected rows lose their weights."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(_share(np.exp(masked_scores)))


def weights__one_maximum_for_all_rows(masked_scores):
    """One maximum of the whole matrix is subtracted, so that rows more than 745 below it become 0/0."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores - masked_scores.max()))


def weights__maximum_starts_at_zero(masked_scores):
    """The maximum of a row is never below 0, so that rows below -745 become 0/0."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores - np.maximum(_best(masked_scores), 0)))


def weights__softmax_over_queries(masked_scores):
    """The softmax normalises over the queries: columns sum to 1, rows do not, and a key that nobody reads is 0/0."""
    with np.errstate(all="ignore"):
        return _share(np.exp(masked_scores - _best(masked_scores, axis=0)), axis=0)


def weights__sum_without_keepdims(masked_scores):
    """The sums lose their axis, so that column j is divided by the sum of row j."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / exponentials.sum(axis=1)


def weights__softmax_over_everything(masked_scores):
    """All weights of the matrix share a sum of 1."""
    return _share(np.exp(masked_scores - masked_scores.max()), axis=None)


def weights__bias_after_softmax(scaled_products, masked_scores, bias):
    """The softmax sees the products alone; the bias is added to the weights."""
    return _softmax(_keep(scaled_products, _open(masked_scores))) + np.where(_open(masked_scores), bias, 0)


def weights__bias_as_factor_of_weights(scaled_products, masked_scores, bias):
    """The softmax sees the products alone; its weights are multiplied by exp(bias) and not normalised again."""
    with np.errstate(all="ignore"):
        return _softmax(_keep(scaled_products, _open(masked_scores))) * np.exp(np.where(_open(masked_scores), bias, 0))


def weights__product_of_two_softmaxes(scaled_products, masked_scores, bias):
    """Products and biases have a softmax each, whose product is divided by its sum: 0/0 where they are far apart."""
    shares = [_softmax(_keep(part, _open(masked_scores))) for part in (scaled_products, bias)]
    with np.errstate(all="ignore"):
        return _share(shares[0] * shares[1])


def weights__softmax_twice(masked_scores):
    """The weights pass through a second softmax, which gives exp(0) to every hidden key."""
    return _softmax(_softmax(masked_scores))


def weights__exponent_floor_of_30(masked_scores):
    """Exponents are floored at -30, so that hidden keys keep a weight of 1e-13 that large values show."""
    return _share(np.exp(np.maximum(masked_scores - _best(masked_scores), -30)))


def weights__small_weights_cut_off(masked_scores):
    """Weights below 1e-10 are set to 0, which takes part of h away where a large value stands behind them."""
    weights = _softmax(masked_scores)
    return np.where(weights < 1e-10, 0, weights)


def weights__epsilon_in_denominator(masked_scores):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1e-5)


def weights__one_in_denominator(masked_scores):
    """1 is added to the denominators, as if each row had one more key without a value."""
    exponentials = np.exp(masked_scores - _best(masked_scores))
    return exponentials / (exponentials.sum(axis=1, keepdims=True) + 1)


def weights__exponentials_as_weights(masked_scores):
    """The division by the row sums is missing."""
    return np.exp(masked_scores - _best(masked_scores))


def weights__powers_of_two(masked_scores):
    """The softmax uses base 2, which flattens the scores by the factor ln 2."""
    return _share(np.exp2(masked_scores - _best(masked_scores)))


def weights__strongest_key_only(masked_scores):
    """The strongest key of each row takes all the weight, as if the softmax were a maximum."""
    return (np.arange(masked_scores.shape[1]) == masked_scores.argmax(axis=1)[:, None]).astype(np.float64)


def weights__even_weights(masked_scores):
    """The weights are even over the keys that may be read; the scores are never used."""
    return _share(_open(masked_scores).astype(np.float64))


def weights__weights_rounded(masked_scores):
    """The weights are rounded to three decimals, as they are printed."""
    return np.round(_softmax(masked_scores), 3)


# Mixed values


def mixed_values(weights, v):
    return weights @ v  # (T, e)


def mixed_values__weights_transposed_in_mix(weights, v):
    """The values are mixed with the transposed weights."""
    return weights.T @ v


def mixed_values__keys_as_values(weights, k, v):
    """Where d equals e the keys are mixed instead of the values."""
    return weights @ (k if k.shape == v.shape else v)


def mixed_values__mix_unmasked(scores, v):
    """The values are mixed with unmasked weights; the masked ones are returned and not used."""
    return _softmax(scores) @ v


def mixed_values__mix_without_bias(scaled_products, masked_scores, v):
    """The values are mixed with weights of the products alone; those with the bias are returned and not used."""
    return _softmax(_keep(scaled_products, _open(masked_scores))) @ v


def mixed_values__scores_in_mix(masked_scores, v):
    """The values are mixed with the scores of the open pairs instead of the weights."""
    return np.where(_open(masked_scores), masked_scores, 0) @ v


def mixed_values__own_value_left_out(weights, v):
    """Every position leaves its own value out of the mixture."""
    return (weights - np.diag(np.diagonal(weights))) @ v


def mixed_values__own_value_added(weights, v):
    """Every position's own value is added to the mixture, as a residual connection would do."""
    return weights @ v + v


def mixed_values__mix_in_half_precision(weights, v):
    """The mixed values are rounded to half precision: three digits survive, and beyond 65504 it is infinity."""
    with np.errstate(all="ignore"):
        return (weights @ v).astype(np.float16).astype(np.float64)
