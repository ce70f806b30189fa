"""The linear position bias in three stages, and beside each the ways in which it goes wrong.

H heads, T positions. `slopes` is (H,), `distance` (T, T), query minus key.
"""

import numpy as np


def _power(n_heads):
    """The largest power of two that is not above a number."""
    return 2 ** (n_heads.bit_length() - 1)


def _next_power(n_heads):
    """The smallest power of two that is not below a number."""
    return 2 ** (n_heads - 1).bit_length()


def _series(n):
    """The slopes for a power of two."""
    return 2.0 ** (-8 * np.arange(1, n + 1) / n)


def _first(n_heads):
    return _series(_power(n_heads))


def _extra(n_heads):
    """The slopes beyond the power of two, in the order in which they follow."""
    n = _power(n_heads)
    return _series(2 * n)[0::2][: n_heads - n]


def _joined(first, extra):
    return np.concatenate([first, extra])


# Slopes


def slopes(n_heads):
    return _joined(_first(n_heads), _extra(n_heads))  # (H,)


def slopes__one_series_for_all(n_heads):
    """One geometric series runs through all heads, which is right for powers of two only."""
    return _series(n_heads)


def slopes__exponents_from_zero(n_heads):
    """The exponents begin at 0 instead of 1, so that each series begins with 1."""
    n = _power(n_heads)
    return _joined(2.0 ** (-8 * np.arange(n) / n), 2.0 ** (-4 * np.arange(0, 2 * (n_heads - n), 2) / n))


def slopes__first_exponents_from_zero(n_heads):
    """The first series begins at the exponent 0; the other slopes are right."""
    n = _power(n_heads)
    return _joined(2.0 ** (-8 * np.arange(n) / n), _extra(n_heads))


def slopes__slopes_sorted(n_heads):
    """The slopes are sorted from steep to flat, so that heads are exchanged."""
    return np.sort(slopes(n_heads))[::-1]


def slopes__slopes_sorted_upwards(n_heads):
    """The slopes are sorted from flat to steep, so that heads are exchanged."""
    return np.sort(slopes(n_heads))


def slopes__slopes_reversed(n_heads):
    """The heads are counted from the other end."""
    return slopes(n_heads)[::-1]


def slopes__first_series_reversed(n_heads):
    """The first slopes run from flat to steep; the other slopes stand behind them as they should."""
    return _joined(_first(n_heads)[::-1], _extra(n_heads))


def slopes__next_power_cut(n_heads):
    """The series for the next power of two is cut to the number of heads, so that its flat end is missing."""
    return _series(_next_power(n_heads))[:n_heads]


def slopes__next_power_tail(n_heads):
    """The last slopes of the series for the next power of two are taken, so that its steep end is missing."""
    return _series(_next_power(n_heads))[-n_heads:]


def slopes__double_series_cut(n_heads):
    """The series for twice the power of two is cut, for powers of two as well."""
    return _series(2 * _power(n_heads))[:n_heads]


def slopes__nearest_power(n_heads):
    """The power of two is the nearest one: above half-way the series for the next one is cut."""
    n = 2 ** round(np.log2(n_heads))
    return _series(n)[:n_heads] if n > n_heads else slopes(n_heads)


def slopes__nearer_power(n_heads):
    """The power of two is the one that fewer heads lie away: above the middle the series for the next one is cut."""
    n = _power(n_heads)
    return _series(2 * n)[:n_heads] if n_heads - n > 2 * n - n_heads else slopes(n_heads)


def slopes__logarithm_in_half_precision(n_heads):
    """The power of two comes from logarithms in half precision, of which that of 32 falls short of 5."""
    n = 2 ** int(np.log(np.float16(n_heads)) / np.log(np.float16(2)))
    return _joined(_series(n), _series(2 * n)[0::2][: n_heads - n])


def slopes__slopes_of_eight_in_groups(n_heads):
    """Where the number of heads is a multiple of eight, groups of heads share the slopes of eight."""
    return np.repeat(_series(8), n_heads // 8) if n_heads % 8 == 0 else slopes(n_heads)


def slopes__power_strictly_below(n_heads):
    """The power of two lies strictly below the number of heads, so that powers of two are composed as well."""
    n = 2 ** ((n_heads - 1).bit_length() - 1) if n_heads > 1 else 1
    return _joined(_series(n), _series(2 * n)[0::2][: n_heads - n])


def slopes__extra_consecutive(n_heads):
    """The other slopes are the first terms of the series for twice as many, without leaving out every second one."""
    n = _power(n_heads)
    return _joined(_first(n_heads), _series(2 * n)[: n_heads - n])


def slopes__extra_from_the_end(n_heads):
    """The other slopes are the last of every second term, the flat ones, instead of the first."""
    n = _power(n_heads)
    odd = _series(2 * n)[0::2]
    return _joined(_first(n_heads), odd[n - (n_heads - n) :])


def slopes__extra_reversed(n_heads):
    """The other slopes stand in reverse order."""
    return _joined(_first(n_heads), _extra(n_heads)[::-1])


def slopes__extra_in_front(n_heads):
    """The other slopes stand before the first series instead of behind it."""
    return _joined(_extra(n_heads), _first(n_heads))


def slopes__extra_from_first_again(n_heads):
    """The heads beyond the power of two take the slopes of the first heads again."""
    return _joined(_first(n_heads), _first(n_heads)[: n_heads - _power(n_heads)])


def slopes__extra_like_the_last(n_heads):
    """The heads beyond the power of two all take the last slope."""
    return _first(n_heads)[np.minimum(np.arange(n_heads), _power(n_heads) - 1)]


def slopes__extra_continue_the_series(n_heads):
    """The series goes on beyond the power of two, so that the other slopes are flatter than all."""
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / _power(n_heads))


def slopes__extra_of_their_own_number(n_heads):
    """The heads beyond the power of two get a series of their own number."""
    rest = n_heads - _power(n_heads)
    return _joined(_first(n_heads), _series(rest) if rest else [])


def slopes__slopes_split_again(n_heads):
    """The heads beyond the power of two are split like a model of their number, and so on."""
    rest = n_heads - _power(n_heads)
    return _joined(_first(n_heads), slopes__slopes_split_again(rest) if rest else [])


def slopes__extra_between_neighbours(n_heads):
    """The other slopes lie half-way between neighbours of the first series, from its steep end."""
    first = _first(n_heads)
    before = np.concatenate([[1.0], first])
    return _joined(first, ((before[:-1] + first) / 2)[: n_heads - len(first)])


def slopes__slopes_halved_from_head_to_head(n_heads):
    """Each head has half the slope of the one before, which is right for eight heads only."""
    return 2.0 ** -np.arange(1.0, n_heads + 1)


def slopes__slopes_of_eight_repeated(n_heads):
    """The slopes of eight heads are repeated, and cut to the number of heads."""
    return np.resize(_series(8), n_heads)


def slopes__series_to_a_sixteenth(n_heads):
    """The exponents end at 4 instead of 8."""
    return slopes(n_heads) ** 0.5


def slopes__powers_of_e(n_heads):
    """The slopes are powers of e instead of 2."""
    return np.exp(np.log2(slopes(n_heads)))


def slopes__slopes_linear(n_heads):
    """The slopes fall in equal steps from 1 to 1/H."""
    return 1 - np.arange(n_heads) / n_heads


def slopes__slopes_harmonic(n_heads):
    """The slopes are 1, 1/2, 1/3 ..."""
    return 1 / np.arange(1.0, n_heads + 1)


def slopes__one_slope_for_all(n_heads):
    """All heads have the first slope."""
    return np.full(n_heads, slopes(n_heads)[0])


def slopes__single_head_without_slope(n_heads):
    """A single head has no bias."""
    return slopes(n_heads) * (n_heads > 1)


def slopes__single_head_slope_of_one(n_heads):
    """A single head has the slope 1."""
    return slopes(n_heads) if n_heads > 1 else np.ones(1)


def slopes__heads_beyond_32_flat(n_heads):
    """The heads beyond the 32nd have no bias, for the table of slopes ends there."""
    return slopes(n_heads) * (np.arange(n_heads) < 32)


def slopes__heads_beyond_64_flat(n_heads):
    """The heads beyond the 64th have no bias, for the table of slopes ends there."""
    return slopes(n_heads) * (np.arange(n_heads) < 64)


def slopes__heads_sorted_as_text(n_heads):
    """The heads are put in the alphabetical order of their numbers, in which 10 precedes 2."""
    return slopes(n_heads)[sorted(range(n_heads), key=str)]


def slopes__slopes_normalised(n_heads):
    """The slopes are divided by their sum."""
    return slopes(n_heads) / slopes(n_heads).sum()


def slopes__slopes_rounded(n_heads):
    """The slopes are rounded to four decimals, as they are printed."""
    return np.round(slopes(n_heads), 4)


def slopes__slopes_in_half_precision(n_heads):
    """The slopes are stored in half precision, which is exact for even powers of two only."""
    return slopes(n_heads).astype(np.float16).astype(np.float64)


# Distance


def distance(T):
    position = np.arange(float(T))
    return position[:, None] - position  # (T, T), query minus key


def distance__distance_reversed(T):
    """The distance is key minus query: what lies far back is favoured, and the more so the farther."""
    return -distance(T)


def distance__distance_absolute(T):
    """The distance has no sign, as in a model that reads both ways: the future gets a negative bias too."""
    return np.abs(distance(T))


def distance__future_at_distance_zero(T):
    """The future has the distance 0."""
    return np.maximum(distance(T), 0)


def distance__past_at_distance_zero(T):
    """The past has the distance 0, and only the future has a bias."""
    return np.minimum(distance(T), 0)


def distance__distance_from_one(T):
    """The own key has the distance 1; each row is moved by a constant."""
    return distance(T) + 1


def distance__key_position_alone(T):
    """The bias counts the key's position and not the query's; each row is moved by a constant."""
    return np.broadcast_to(-np.arange(float(T)), (T, T))


def distance__query_position_alone(T):
    """The bias counts the query's position and not the key's, so that it is constant along each row."""
    return np.broadcast_to(np.arange(float(T))[:, None], (T, T))


def distance__distance_to_last_query(T):
    """The distance is that to the last query for all rows, as in a step of decoding."""
    return np.broadcast_to(T - 1 - np.arange(float(T)), (T, T))


def distance__distance_in_eight_bits(T):
    """Positions are counted in eight bits: from the 129th on they are negative."""
    position = np.arange(T).astype(np.int8).astype(np.float64)
    return position[:, None] - position


def distance__distance_at_most_64(T):
    """Distances are cut at 64, so that all keys beyond count alike."""
    return np.clip(distance(T), -64, 64)


def distance__distance_at_most_128(T):
    """Distances are cut at 128, so that all keys beyond count alike."""
    return np.clip(distance(T), -128, 128)


def distance__distance_logarithmic(T):
    """Distances grow with their logarithm."""
    return np.sign(distance(T)) * np.log1p(np.abs(distance(T)))


def distance__distance_squared(T):
    """Distances are squared, their sign kept."""
    return distance(T) * np.abs(distance(T))


def distance__distance_relative_to_length(T):
    """Distances are divided by the number of tokens, so that a longer text has a flatter bias."""
    return distance(T) / T


def distance__distance_of_one_step(T):
    """Every key of the past has the distance 1, every one of the future -1."""
    return np.sign(distance(T))


# Bias


def bias(slopes, distance):
    return -slopes[:, None, None] * distance  # (H, T, T)


def bias__future_minus_infinity(slopes, distance):
    """The future is hidden with minus infinity, which is the layer's job."""
    return np.where(distance < 0, -np.inf, bias(slopes, distance))


def bias__future_minus_1e9(slopes, distance):
    """The future is hidden with -1e9, which is the layer's job."""
    return np.where(distance < 0, -1e9, bias(slopes, distance))


def bias__heads_behind(slopes, distance):
    """The axis of heads stands last."""
    return -distance[:, :, None] * slopes


def bias__heads_on_query_axis_if_equal(slopes, distance):
    """Where there are as many heads as tokens the slopes are laid along the queries."""
    if len(slopes) != len(distance):
        return bias(slopes, distance)
    return np.broadcast_to(-slopes[:, None] * distance, (len(slopes), *distance.shape))


def bias__heads_on_key_axis_if_equal(slopes, distance):
    """Where there are as many heads as tokens the slopes are laid along the keys."""
    if len(slopes) != len(distance):
        return bias(slopes, distance)
    return np.broadcast_to(-slopes * distance, (len(slopes), *distance.shape))


def bias__bias_as_factor(slopes, distance):
    """The bias is exp of what it should be, a factor for weights instead of a summand for scores."""
    return np.exp(bias(slopes, distance))


def bias__slope_divides(slopes, distance):
    """The distance is divided by the slope instead of multiplied."""
    return -distance / slopes[:, None, None]


def bias__bias_of_mean_slope(slopes, distance):
    """All heads have the bias of the mean slope."""
    return bias(np.full(len(slopes), slopes.mean()), distance)


def bias__bias_scaled_by_root_of_heads(slopes, distance):
    """The bias is divided by the root of the number of heads."""
    return bias(slopes, distance) / np.sqrt(len(slopes))


def bias__bias_without_heads(slopes, distance):
    """The bias of the first head is returned for all, without an axis of heads."""
    return -slopes[0] * distance


def bias__bias_rounded(slopes, distance):
    """The bias is rounded to three decimals."""
    return np.round(bias(slopes, distance), 3)


def bias__bias_in_half_precision(slopes, distance):
    """The bias is stored in half precision: three digits survive."""
    return bias(slopes, distance).astype(np.float16).astype(np.float64)


def bias__bias_with_query_first(slopes, distance):
    """The axes are query, head, key."""
    return bias(slopes, distance).swapaxes(0, 1)
