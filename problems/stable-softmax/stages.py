"""Softmax over the last axis, stage by stage, and beside each stage the ways in which it goes wrong.

Where an alternative raises or has another shape, so does the code that it stands for.
"""

import numpy as np


def _double(scores):
    return np.asarray(scores, dtype=np.float64)


def _as_given(scores):
    """As code without a cast computes: float32 stays float32, whose exp ends at 88."""
    return scores if scores.dtype == np.float32 else _double(scores)


def _best(scores, axis=-1):
    return scores.max(axis=axis, keepdims=True)


def _share(exponentials, axis=-1):
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _least_finite(scores, axis=None):
    return np.where(np.isfinite(scores), scores, np.inf).min(axis=axis, keepdims=axis is not None)


# Shifted scores


def shifted(scores):
    return _double(scores) - _best(_double(scores))  # (..., K), 0 at the largest score of each row


def shifted__no_maximum_subtracted(scores):
    """exp is taken of the scores as they are: above 709 it overflows, and rows below -745 are 0/0."""
    return _as_given(scores)


def shifted__one_maximum_for_all_rows(scores):
    """One maximum of the whole array is subtracted, so that rows more than 745 below it are 0/0."""
    return _double(scores) - _double(scores).max()


def shifted__maximum_over_first_axis(scores):
    """The maximum runs over the first axis, so that within a row every score is shifted by another number."""
    return _double(scores) - _best(_double(scores), axis=0)


def shifted__maximum_over_last_two_axes(scores):
    """Rows of one matrix share a maximum, so that rows more than 745 below it are 0/0."""
    double = _double(scores)
    return double - _best(double, axis=tuple(range(double.ndim))[-2:])


def shifted__maximum_without_keepdims(scores):
    """The maxima lose their axis, so that in a square matrix the maximum of row j is subtracted from column j."""
    return _double(scores) - _double(scores).max(axis=-1)


def shifted__maximum_starts_at_zero(scores):
    """The maximum is never below 0, so that rows below -745 are 0/0."""
    return _as_given(scores) - np.maximum(_best(_as_given(scores)), 0)


def shifted__maximum_of_sizes(scores):
    """The largest size is subtracted, whatever its sign, so that rows of negative scores underflow."""
    double = _as_given(scores)
    return double - _best(np.abs(np.where(np.isfinite(double), double, 0)))


def shifted__mean_subtracted(scores):
    """The mean of the finite scores is subtracted: a score that leads it by more than 709 overflows."""
    double = _double(scores)
    return double - double.mean(axis=-1, keepdims=True, where=np.isfinite(double))


def shifted__minimum_subtracted(scores):
    """The smallest finite score of the row is subtracted: a score that leads it by more than 709 overflows."""
    return _double(scores) - _least_finite(_double(scores), axis=-1)


def shifted__first_score_subtracted(scores):
    """The first score of the row is subtracted: a later one that leads by 709 overflows, and a hidden one gives NaN."""
    return _double(scores) - _double(scores)[..., :1]


def shifted__last_score_subtracted(scores):
    """The last score of the row is subtracted: earlier ones that lead by 709 overflow, a hidden one gives NaN."""
    return _double(scores) - _double(scores)[..., -1:]


def shifted__divided_by_maximum(scores):
    """The scores are divided by the row's maximum instead of shifted, which is another distribution."""
    double = _double(scores)
    return double / np.where(_best(double) == 0, 1, _best(double))


def shifted__scores_standardised(scores):
    """The scores of a row are divided by their spread as well, which makes every row alike."""
    double = _double(scores)
    spread = _best(double) - _least_finite(double, axis=-1)
    return (double - _best(double)) / np.where(spread == 0, 1, spread)


def shifted__scores_clipped_at_50(scores):
    """The scores are clipped to [-50, 50], so that larger ones become ties and hidden ones keep some weight."""
    return np.clip(_double(scores), -50, 50)


def shifted__scores_clipped_at_700(scores):
    """The scores are clipped to [-700, 700], so that what lies beyond becomes ties."""
    return np.clip(_as_given(scores), -700, 700)


def shifted__scores_capped_at_700(scores):
    """Scores above 700 are cut to 700, so that larger ones become ties; rows below -745 are 0/0."""
    return np.minimum(_as_given(scores), 700)


def shifted__shift_only_above_709(scores):
    """The maximum is subtracted in rows above 709 only: sums overflow shortly below, and rows below -745 are 0/0."""
    double = _as_given(scores)
    return double - np.where(_best(double) > 709, _best(double), 0)


def shifted__signs_turned(scores):
    """The scores are subtracted from the maximum, so that the smallest one wins and hidden ones overflow."""
    return _best(_double(scores)) - _double(scores)


def shifted__scores_in_single_precision(scores):
    """The scores are rounded to float32, which leaves seven digits."""
    single = _double(scores).astype(np.float32).astype(np.float64)
    return single - _best(single)


def shifted__scores_in_half_precision(scores):
    """The scores are rounded to float16: three digits survive, and beyond 65504 they are infinite."""
    half = _double(scores).astype(np.float16).astype(np.float64)
    return half - _best(half)


def shifted__integers_in_32_bits(scores):
    """Scores are kept as whole numbers, which cuts off their fractions."""
    double = _double(scores)
    return np.trunc(double) - _best(np.trunc(double))


def shifted__hidden_at_minus_100(scores):
    """Hidden scores become -100, which lies above the scores of low rows."""
    double = np.where(np.isneginf(scores), -100.0, _double(scores))
    return double - _best(double)


def shifted__hidden_at_minus_10000(scores):
    """Hidden scores become -10000, which lies above the scores of low rows."""
    double = np.where(np.isneginf(scores), -1e4, _double(scores))
    return double - _best(double)


def shifted__hidden_at_minus_1000000(scores):
    """Hidden scores become -1e6, an end of the range of finite scores, which the lowest rows come near."""
    double = np.where(np.isneginf(scores), -1e6, _double(scores))
    return double - _best(double)


def shifted__hidden_at_zero(scores):
    """Hidden scores become 0, an ordinary score."""
    double = np.where(np.isneginf(scores), 0.0, _double(scores))
    return double - _best(double)


def shifted__hidden_at_smallest(scores):
    """Hidden scores become the smallest finite score of the array, which keeps its weight."""
    double = np.where(np.isneginf(scores), _least_finite(_double(scores)), _double(scores))
    return double - _best(double)


def shifted__zeros_hidden(scores):
    """A score of exactly 0 counts as hidden, unless its row has nothing else."""
    double = np.where(_double(scores) == 0, -np.inf, _double(scores))
    double = np.where(np.isneginf(_best(double)), _double(scores), double)
    return double - _best(double)


# Exponentials


def exponentials(shifted):
    return np.exp(shifted)  # (..., K)


def exponentials__powers_of_two(shifted):
    """The base is 2, which flattens the scores by the factor ln 2."""
    return np.exp2(shifted)


def exponentials__exponents_floored_at_minus_20(shifted):
    """Exponents are floored at -20, so that hidden and far keys keep 2e-9 of the strongest."""
    return np.exp(np.maximum(shifted, -20))


def exponentials__small_exponentials_raised(shifted):
    """1e-6 is added to each exponential, so that no key has the weight 0."""
    return np.exp(shifted) + 1e-6


def exponentials__small_exponentials_dropped(shifted):
    """Exponentials below 1e-4 of the largest are set to 0 as noise."""
    terms = np.exp(shifted)
    return np.where(terms < 1e-4, 0, terms)


def exponentials__exponentials_in_half_precision(shifted):
    """The exponentials are rounded to float16: three digits survive."""
    return np.exp(shifted).astype(np.float16).astype(np.float64)


# Weights


def weights(exponentials):
    return _share(exponentials)  # (..., K), every row sums to 1


def weights__sum_without_keepdims(exponentials):
    """The sums lose their axis: in a square matrix column j is divided by the sum of row j; other shapes raise."""
    return exponentials / exponentials.sum(axis=-1)


def weights__sum_over_first_axis(exponentials):
    """The sum runs over the first axis: columns sum to 1, rows do not."""
    return _share(exponentials, axis=0)


def weights__sum_over_second_axis(exponentials):
    """The sum runs over axis 1, which is the last one of a matrix only."""
    return _share(exponentials, axis=1)


def weights__sum_over_last_but_one_axis(exponentials):
    """The sum runs over the last axis but one, so that keys share out each query."""
    return _share(exponentials, axis=-2)


def weights__sum_over_last_two_axes(exponentials):
    """All weights of a matrix share a sum of 1."""
    return _share(exponentials, axis=tuple(range(exponentials.ndim))[-2:])


def weights__sum_over_everything(exponentials):
    """All weights of the array share a sum of 1."""
    return exponentials / exponentials.sum()


def weights__sum_of_matrix_rows_only(exponentials):
    """The sums get an axis behind the first, which is right for a matrix and no other shape."""
    return exponentials / exponentials.sum(axis=-1)[:, None]


def weights__columns_then_rows(exponentials):
    """The exponentials are normalised over the first axis, then over the keys: rows sum to 1 all the same."""
    return _share(_share(exponentials, axis=0))


def weights__unsafe_overflow_hidden(scores):
    """exp overflows or underflows as it is, and NaN is replaced by 0: such rows lose their weights."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(_share(np.exp(_as_given(scores))))


def weights__unsafe_rows_even(scores):
    """exp overflows or underflows as it is, and rows that became NaN are made even."""
    with np.errstate(all="ignore"):
        plain = _share(np.exp(_as_given(scores)))
    return np.where(np.isnan(plain).any(axis=-1, keepdims=True), 1 / plain.shape[-1], plain)


def weights__unsafe_rows_to_strongest(scores):
    """exp overflows or underflows as it is, and in rows that became NaN the strongest key takes everything."""
    double = _as_given(scores)
    with np.errstate(all="ignore"):
        plain = _share(np.exp(double))
    strongest = np.arange(double.shape[-1]) == double.argmax(axis=-1)[..., None]
    return np.where(np.isnan(plain).any(axis=-1, keepdims=True), strongest, plain)


def weights__unsafe_log_sum_exp(scores):
    """The logarithm of the bare sum is subtracted: it overflows or is minus infinity where exp does."""
    double = _as_given(scores)
    with np.errstate(all="ignore"):
        return np.exp(double - np.log(np.exp(double).sum(axis=-1, keepdims=True)))


def weights__epsilon_in_denominator(exponentials):
    """1e-5 is added to the denominators, so that rows sum to a little less than 1."""
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-5)


def weights__unsafe_with_epsilon(scores):
    """exp is taken of the bare scores and 1e-9 is added to the denominators, so that low rows lose their weights."""
    terms = np.exp(_as_given(scores))
    return terms / (terms.sum(axis=-1, keepdims=True) + 1e-9)


def weights__one_in_denominator(exponentials):
    """1 is added to the denominators, as if each row had one more key."""
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1)


def weights__exponentials_returned(exponentials):
    """The division is missing: the largest weight of every row is 1."""
    return exponentials


def weights__divided_by_length(exponentials):
    """The exponentials are divided by their length as a vector, so that squares sum to 1."""
    return exponentials / np.sqrt((exponentials**2).sum(axis=-1, keepdims=True))


def weights__logarithms_returned(exponentials):
    """The logarithms of the weights are returned, -1e9 for hidden keys."""
    shares = _share(exponentials)
    return np.where(shares > 0, np.log(np.where(shares > 0, shares, 1)), -1e9)


def weights__softmax_twice(exponentials):
    """The weights pass through a second softmax, which makes them nearly even."""
    return _share(np.exp(_share(exponentials)))


def weights__strongest_key_only(scores):
    """The strongest key of each row takes all the weight."""
    double = _double(scores)
    return (np.arange(double.shape[-1]) == double.argmax(axis=-1)[..., None]).astype(np.float64)


def weights__weights_rounded(exponentials):
    """The weights are rounded to three decimals."""
    return np.round(_share(exponentials), 3)


def weights__weights_in_half_precision(exponentials):
    """The weights are rounded to float16: three digits survive."""
    return _share(exponentials).astype(np.float16).astype(np.float64)


def weights__weights_in_dtype_of_scores(exponentials, scores):
    """The weights are stored in an array like the scores, so that integer scores cut them to 0 and 1."""
    return _share(exponentials).astype(scores.dtype)


def weights__running_sums_not_rescaled(scores):
    """The keys are streamed with a running maximum; what was summed before is not rescaled when it grows."""
    double = _double(scores)
    best = np.maximum.accumulate(double, axis=-1)
    with np.errstate(all="ignore"):
        return _share(np.nan_to_num(np.exp(double - best)))
