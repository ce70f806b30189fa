"""Attention from half-precision inputs, stage by stage, and beside each stage the ways in which it goes wrong.

Sizes: t_q queries, t_k keys, d key size, e value size. The stages themselves are computed in double precision; an
alternative that stands for a narrower type computes with that type, in the order in which a loop would.
"""

import numpy as np


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _half(array):
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(np.float16)


def _single(array):
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(np.float32)


def _in_half(array):
    return _double(_half(array))


def _to_eight_bits(array):
    """Round to bfloat16: the range of single precision, eight binary digits."""
    bits = np.ascontiguousarray(_single(array)).view(np.uint32)
    return _double(((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32))


def _root(q):
    return np.sqrt(q.shape[1])


def _shifted(scores):
    with np.errstate(all="ignore"):
        return scores - scores.max(axis=1, keepdims=True)


def _running(parts, dtype):
    """Add up parts (t_k, ...) one after the other; every sum is rounded to a type."""
    total = np.zeros(parts.shape[1:], dtype=dtype)
    with np.errstate(all="ignore"):
        for part in parts:
            total += part
    return _double(total)


def _running_total(exponentials, dtype=np.float16):
    return _running(_single(exponentials).T[:, :, None], dtype)  # (t_q, 1)


def _running_mixture(exponentials, v, dtype=np.float16):
    return _running(_single(exponentials).T[:, :, None] * _single(v)[:, None], dtype)  # (t_q, e)


def _total(exponentials):
    return exponentials.sum(axis=1, keepdims=True)


def _mixture(exponentials, v):
    return exponentials @ _double(v)


# Scores, scale included


def scores(q, k):
    return _double(q) @ _double(k).T / _root(q)  # (t_q, t_k)


def scores__scores_in_half_precision(q, k):
    """Product and scale are computed in half precision: three digits survive, products beyond 65504 are infinite."""
    with np.errstate(all="ignore"):
        return _double(_half(q) @ _half(k).T * q.shape[1] ** -0.5)


def scores__product_in_half_precision(q, k):
    """The product is of half precision and is converted before it is scaled: its digits and its range are gone."""
    with np.errstate(all="ignore"):
        return _double(_half(q) @ _half(k).T) * q.shape[1] ** -0.5


def scores__queries_scaled_in_half_precision(q, k):
    """The queries are scaled first, in half precision, so that products overflow later and are still rounded."""
    with np.errstate(all="ignore"):
        return _double((_half(q) * q.shape[1] ** -0.5) @ _half(k).T)


def scores__scaled_queries_rounded(q, k):
    """The queries are scaled and rounded to half precision; the product is wide."""
    return _in_half(_single(q) * _single(q.shape[1] ** -0.5)) @ _double(k).T


def scores__both_sides_scaled_in_half_precision(q, k):
    """Queries and keys are each multiplied by the fourth root of 1/d in half precision, and so is their product."""
    with np.errstate(all="ignore"):
        return _double((_half(q) * q.shape[1] ** -0.25) @ (_half(k) * q.shape[1] ** -0.25).T)


def scores__scores_rounded(q, k):
    """Product and scale are wide, and the scores are kept in half precision."""
    return _in_half(scores(q, k))


def scores__product_capped(q, k):
    """The product is of half precision and its infinities are replaced by 65504, which makes ties."""
    with np.errstate(all="ignore"):
        product = np.nan_to_num(_half(q) @ _half(k).T)
        return _double(product * q.shape[1] ** -0.5)


def scores__scores_in_eight_bits(q, k):
    """The scores are kept in bfloat16: the range is that of single precision, two digits survive."""
    return _to_eight_bits(scores(q, k))


def scores__scale_in_half_precision(q, k):
    """The product is wide and the scale is a half-precision number: scores are off by one part in 4000."""
    return _double(q) @ _double(k).T * _in_half(q.shape[1] ** -0.5)


def scores__scale_missing(q, k):
    """The products are not divided."""
    return _double(q) @ _double(k).T


def scores__scale_without_root(q, k):
    """The products are divided by d instead of its root."""
    return _double(q) @ _double(k).T / q.shape[1]


def scores__key_size_capped(q, k):
    """The scale stops growing at d = 64: wider heads are divided by 8 as well."""
    return _double(q) @ _double(k).T / np.sqrt(min(q.shape[1], 64))


def scores__zero_scores_hidden(q, k):
    """A score that is exactly 0 counts as hidden, in rows that have another one."""
    right = scores(q, k)
    return np.where((right == 0) & right.any(axis=1, keepdims=True), -1e30, right)


def scores__scale_by_keys(q, k):
    """The products are divided by the root of the number of keys."""
    return _double(q) @ _double(k).T / np.sqrt(len(k))


def scores__scale_by_value_width(q, k, v):
    """The products are divided by the root of e, the size of the values."""
    return _double(q) @ _double(k).T / np.sqrt(v.shape[1])


def scores__scores_clipped(q, k):
    """The scores are clipped to [-50, 50], which makes ties out of different ones."""
    return np.clip(scores(q, k), -50, 50)


def scores__scores_clipped_at_11(q, k):
    """The scores are clipped to [-11, 11], the range of exp in half precision, which makes ties."""
    return np.clip(scores(q, k), -11, 11)


def scores__scores_clipped_at_65504(q, k):
    """The scores are clipped to the range of half precision, which makes ties of what lies beyond."""
    return np.clip(scores(q, k), -65504, 65504)


def scores__entries_in_eight_bits(q, k):
    """Queries and keys are rounded to bfloat16, which has fewer digits than the numbers that are kept."""
    return _to_eight_bits(q) @ _to_eight_bits(k).T / _root(q)


def scores__scores_key_by_query(q, k):
    """Where there are as many queries as keys the product is keys times queries."""
    return scores(k, q) if len(q) == len(k) else scores(q, k)


def scores__scores_between_features(q, k):
    """Where queries, keys and features are equally many, features are compared with features."""
    return scores(q.T, k.T) if len(q) == len(k) == q.shape[1] else scores(q, k)


# Exponentials, beside the largest score of each query


def exponentials(scores):
    return np.exp(_shifted(scores))  # (t_q, t_k)


def exponentials__exponentials_in_half_precision(scores):
    """The exponentials are kept in half precision: three digits survive, and what lies below 3e-8 is 0."""
    return _in_half(np.exp(_shifted(scores)))


def exponentials__exp_in_half_precision(scores):
    """The differences to the maximum are rounded to half precision before exp, and so is what it returns."""
    with np.errstate(all="ignore"):
        return _double(np.exp(_half(_shifted(scores))))


def exponentials__differences_in_half_precision(scores):
    """The differences to the maximum are rounded to half precision before exp."""
    with np.errstate(all="ignore"):
        return np.exp(_in_half(_shifted(scores)))


def exponentials__small_exponentials_dropped(scores):
    """Exponentials below 6.1e-5, the smallest normal number of half precision, are set to 0."""
    right = np.exp(_shifted(scores))
    return np.where(right < 2.0**-14, 0.0, right)


def exponentials__exponentials_below_half_precision_dropped(scores):
    """Exponentials below 6e-8, the smallest number of half precision, are set to 0, where thousands of them count."""
    right = np.exp(_shifted(scores))
    return np.where(right < 2.0**-24, 0.0, right)


def exponentials__base_two_before_maximum(scores):
    """Scores pass into base 2 before the maximum is subtracted, which rounds large ones in single precision."""
    scaled = _single(scores) * np.float32(np.log2(np.e))
    return _double(np.exp2(_shifted(scaled)))


def exponentials__exponent_floor_of_9(scores):
    """Exponents are floored at -9, so that keys far behind keep a share of 1e-4."""
    return np.exp(np.maximum(_shifted(scores), -9))


def exponentials__no_maximum_subtracted(scores):
    """exp is taken of the scores themselves, in single precision: it overflows at 89 and is 0 below -104."""
    with np.errstate(all="ignore"):
        return _double(np.exp(_single(scores)))


def exponentials__maximum_starts_at_zero(scores):
    """The maximum of a row is never below 0, so that rows below -104 are 0/0."""
    with np.errstate(all="ignore"):
        return _double(np.exp(_single(scores - np.maximum(scores.max(axis=1, keepdims=True), 0))))


def exponentials__maximum_starts_at_minus_65504(scores):
    """The maximum starts at the lowest number of half precision, so that rows below it are 0/0."""
    return np.exp(scores - np.maximum(scores.max(axis=1, keepdims=True), -65504.0))


def exponentials__one_maximum_for_all_rows(scores):
    """All queries share one maximum, so that rows more than 104 below it are 0/0."""
    with np.errstate(all="ignore"):
        return _double(np.exp(_single(scores - scores.max())))


def exponentials__powers_of_two(scores):
    """The exponentials are powers of 2, which flattens the scores by the factor ln 2."""
    return np.exp2(_shifted(scores))


def exponentials__exponentials_in_eight_bits(scores):
    """The exponentials are kept in bfloat16: two digits survive."""
    return _to_eight_bits(np.exp(_shifted(scores)))


# Sums: of the exponentials in column 0, of exponentials times values in the others


def sums(exponentials, v):
    return np.hstack([_total(exponentials), _mixture(exponentials, v)])  # (t_q, 1 + e)


def sums__sums_in_half_precision(exponentials, v):
    """Both running sums are of half precision: at 2048 they stop growing by 1, long before that digits are lost."""
    return np.hstack([_running_total(exponentials), _running_mixture(exponentials, v)])


def sums__total_in_half_precision(exponentials, v):
    """The running sum of the exponentials is of half precision and stops growing; that of the mixture is wide."""
    return np.hstack([_running_total(exponentials), _mixture(exponentials, v)])


def sums__mixture_in_half_precision(exponentials, v):
    """The running mixture is of half precision and stops growing; the sum of the exponentials is wide."""
    return np.hstack([_total(exponentials), _running_mixture(exponentials, v)])


def sums__sums_rounded(exponentials, v):
    """The sums are wide and rounded to half precision at the end: three digits, and infinite beyond 65504."""
    return _in_half(np.hstack([_total(exponentials), _mixture(exponentials, v)]))


def sums__mixture_rounded(exponentials, v):
    """The mixture is rounded to half precision before it is divided: three digits, and infinite beyond 65504."""
    return np.hstack([_total(exponentials), _in_half(_mixture(exponentials, v))])


def sums__terms_in_half_precision(exponentials, v):
    """Exponentials times values are of half precision, their sums are wide."""
    with np.errstate(all="ignore"):
        terms = _half(_single(exponentials))[:, :, None] * _half(v)
    return np.hstack([_total(exponentials), _double(terms).sum(axis=1)])


def sums__two_running_sums(exponentials, v):
    """The keys are summed in two halves, each in half precision: each stops as the single sum did, only later."""
    middle = exponentials.shape[1] // 2
    parts = [(exponentials[:, :middle], v[:middle]), (exponentials[:, middle:], v[middle:])]
    totals = sum(_running_total(part) for part, _ in parts)
    return np.hstack([totals, sum(_running_mixture(part, values) for part, values in parts)])


def sums__sums_in_eight_bits(exponentials, v):
    """The sums are rounded to bfloat16 at the end: two digits survive."""
    return _to_eight_bits(np.hstack([_total(exponentials), _mixture(exponentials, v)]))


def sums__sums_stop_at_2048_keys(exponentials, v):
    """Only the first 2048 keys are read, so that sums stay where half precision counts in ones."""
    return sums(exponentials[:, :2048], v[:2048])


def sums__first_4096_keys_only(exponentials, v):
    """Only the first 4096 keys are read, as many as a table holds."""
    return sums(exponentials[:, :4096], v[:4096])


def sums__values_in_eight_bits(exponentials, v):
    """The values are rounded to bfloat16, which has fewer digits than the numbers that are kept."""
    return np.hstack([_total(exponentials), exponentials @ _to_eight_bits(v)])


def sums__values_as_integers(exponentials, v):
    """The values are cut to whole numbers."""
    return np.hstack([_total(exponentials), exponentials @ np.trunc(_double(v))])


def sums__one_in_denominator(exponentials, v):
    """1 is added to the sum of the exponentials, as if each query had one more key without a value."""
    return np.hstack([_total(exponentials) + 1, _mixture(exponentials, v)])


def sums__epsilon_in_denominator(exponentials, v):
    """1e-3 is added to the sum of the exponentials."""
    return np.hstack([_total(exponentials) + 1e-3, _mixture(exponentials, v)])


def sums__total_over_all_queries(exponentials, v):
    """The sum of the exponentials runs over the queries as well."""
    return np.hstack([np.full_like(_total(exponentials), exponentials.sum()), _mixture(exponentials, v)])


def sums__number_of_keys_for_total(exponentials, v):
    """The number of keys takes the place of the sum of the exponentials."""
    count = np.full_like(_total(exponentials), exponentials.shape[1])
    return np.hstack([count, _mixture(exponentials, v)])


def sums__values_backwards(exponentials, v):
    """The values are taken from the end on while keys come from the beginning."""
    return sums(exponentials, v[::-1])


def sums__last_key_left_out(exponentials, v):
    """The loop ends one key too early, unless there is one only."""
    count = max(len(v) - 1, 1)
    return sums(exponentials[:, :count], v[:count])


def sums__keys_as_values(exponentials, k, v):
    """Where d equals e the keys are mixed instead of the values."""
    return sums(exponentials, k if k.shape == v.shape else v)


# Mixed values


def mixed_values(sums):
    with np.errstate(all="ignore"):
        return sums[:, 1:] / sums[:, :1]  # (t_q, e)


def mixed_values__result_rounded(sums):
    """The result is rounded to half precision before it is handed over as single precision."""
    return _in_half(mixed_values(sums))


def mixed_values__reciprocal_in_half_precision(sums):
    """The mixture is multiplied by one over the sum, which is rounded to half precision."""
    with np.errstate(all="ignore"):
        return sums[:, 1:] * _in_half(1 / sums[:, :1])


def mixed_values__result_in_eight_bits(sums):
    """The result is rounded to bfloat16: two digits survive."""
    return _to_eight_bits(mixed_values(sums))


def mixed_values__result_in_two_decimals(sums):
    """The result is rounded to two decimals, as it is printed."""
    return np.round(mixed_values(sums), 2)


def mixed_values__not_normalised(sums):
    """The mixture is never divided by the sum."""
    return sums[:, 1:]


def mixed_values__weights_in_half_precision(exponentials, v, sums):
    """The weights are divided first and kept in half precision: 1/4500 has three digits, and values cancel."""
    with np.errstate(all="ignore"):
        return _in_half(exponentials / sums[:, :1]) @ _double(v)


def mixed_values__value_of_best_key(exponentials, v):
    """Each query gets the value of its best key, as if the softmax were a maximum."""
    return _double(v)[exponentials.argmax(axis=1)]


def mixed_values__mean_value(exponentials, v):
    """The mean of all values is returned; the scores are never used."""
    return np.broadcast_to(_double(v).mean(axis=0), (len(exponentials), v.shape[1]))
