"""The rotation in four stages, and beside each stage the ways in which it goes wrong.

Sizes: T tokens, d features, d/2 pairs. `partners` is (d/2, 2): which features a pair consists of.
"""

import numpy as np


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _pairs(x):
    return np.arange(x.shape[-1] // 2)


# Frequencies


def frequencies(x):
    return 10000.0 ** (-2 * _pairs(x) / x.shape[-1])  # (d/2), radians per position


def frequencies__exponent_without_two(x):
    """The exponent of pair i is i/d instead of 2i/d, so that the slowest pair turns a hundred times too fast."""
    return 10000.0 ** (-_pairs(x) / x.shape[-1])


def frequencies__exponent_with_four(x):
    """The exponent of pair i is 2i over d/2, the number of pairs, so that frequencies fall twice as fast."""
    return 10000.0 ** (-4 * _pairs(x) / x.shape[-1])


def frequencies__exponents_to_one(x):
    """The exponents are spread evenly from 0 to 1, both ends included."""
    return 10000.0 ** -np.linspace(0, 1, len(_pairs(x)))


def frequencies__pairs_counted_from_one(x):
    """The pairs are counted from 1, so that the fastest one turns by less than 1 radian per position."""
    return 10000.0 ** (-2 * (_pairs(x) + 1) / x.shape[-1])


def frequencies__exponent_positive(x):
    """The minus of the exponent is missing: later pairs turn faster instead of slower."""
    return 10000.0 ** (2 * _pairs(x) / x.shape[-1])


def frequencies__frequencies_reversed(x):
    """The frequencies are in reverse order: the last pair turns fastest."""
    return frequencies(x)[::-1]


def frequencies__frequencies_all_one(x):
    """All pairs turn by 1 radian per position."""
    return np.ones(len(_pairs(x)))


def frequencies__integer_exponents(x):
    """The exponents are cut to whole tenths."""
    return 10000.0 ** (-np.floor(20 * _pairs(x) / x.shape[-1]) / 10)


def frequencies__base_of_1000(x):
    """The base is 1000."""
    return 1000.0 ** (-2 * _pairs(x) / x.shape[-1])


def frequencies__base_of_500000(x):
    """The base is 500000, that of another model."""
    return 500000.0 ** (-2 * _pairs(x) / x.shape[-1])


def frequencies__frequencies_in_turns(x):
    """The frequencies are turns per position instead of radians: they are multiplied by 2 pi."""
    return 2 * np.pi * frequencies(x)


def frequencies__frequencies_in_single_precision(x):
    """The frequencies are float32, which is wrong by a ten-millionth, and by far positions times that."""
    return _double(frequencies(x).astype(np.float32))


def frequencies__frequencies_in_precision_of_x(x):
    """The frequencies have the dtype of x: for float32 far positions meet an error of a ten-millionth each."""
    return _double(frequencies(x).astype(x.dtype))


def frequencies__frequencies_in_half_precision(x):
    """The frequencies are float16: three digits survive."""
    return _double(frequencies(x).astype(np.float16))


def frequencies__slow_half_still(x):
    """The slower half of the pairs does not turn, as where only part of a head is rotated."""
    return np.where(_pairs(x) < (len(_pairs(x)) + 1) // 2, frequencies(x), 0.0)


def frequencies__last_pair_still(x):
    """The last pair does not turn, where there are several."""
    return np.where((_pairs(x) == 0) | (_pairs(x) < len(_pairs(x)) - 1), frequencies(x), 0.0)


def frequencies__frequencies_for_64_features(x):
    """The frequencies are those of a table for 64 features, whatever d is."""
    return 10000.0 ** (-2 * _pairs(x) / 64)


def frequencies__frequencies_for_128_features(x):
    """The frequencies are those of a table for 128 features, whatever d is."""
    return 10000.0 ** (-2 * _pairs(x) / 128)


def frequencies__frequencies_stretched_by_four(x):
    """The frequencies are divided by 4, as where a model is stretched to longer texts."""
    return frequencies(x) / 4


# Angles


def angles(frequencies, pos):
    return pos[:, None] * frequencies  # (T, d/2)


def _places(pos):
    return np.arange(len(pos))


def angles__places_as_positions(frequencies, pos):
    """The places in the array, 0 to T - 1, are taken for the positions."""
    return angles(frequencies, _places(pos))


def angles__positions_from_the_first(frequencies, pos):
    """The first position is subtracted from all of them."""
    return angles(frequencies, pos - pos[0])


def angles__positions_from_the_smallest(frequencies, pos):
    """The smallest position is subtracted from all of them."""
    return angles(frequencies, pos - pos.min())


def angles__places_from_the_first(frequencies, pos):
    """The first position is right, and the others count on from it."""
    return angles(frequencies, pos[0] + _places(pos))


def angles__places_where_first_is_zero(frequencies, pos):
    """Positions that begin with 0 are taken for the places in the array."""
    return angles(frequencies, pos if pos[0] else _places(pos))


def angles__places_up_to_the_last(frequencies, pos):
    """The last position is right, and the others count back from it."""
    return angles(frequencies, pos[-1] - _places(pos)[::-1])


def angles__positions_from_one(frequencies, pos):
    """The positions are counted from 1, so that position 0 turns as well."""
    return angles(frequencies, pos + 1)


def angles__positions_from_minus_one(frequencies, pos):
    """The positions are one too low."""
    return angles(frequencies, pos - 1)


def angles__positions_sorted(frequencies, pos):
    """The positions are sorted and the tokens are not."""
    return angles(frequencies, np.sort(pos))


def angles__positions_reversed(frequencies, pos):
    """The positions are read backwards."""
    return angles(frequencies, pos[::-1])


def angles__first_position_for_all(frequencies, pos):
    """All tokens are turned by the first position."""
    return angles(frequencies, np.full_like(pos, pos[0]))


def angles__last_position_for_all(frequencies, pos):
    """All tokens are turned by the last position."""
    return angles(frequencies, np.full_like(pos, pos[-1]))



def angles__opposite_rotation(frequencies, pos):
    """All pairs are turned the other way: the sign of the sine belongs to the other feature."""
    return angles(frequencies, -pos)


def angles__rotated_twice(frequencies, pos):
    """The angles are doubled, as where the rotation is applied twice."""
    return angles(frequencies, 2 * pos)


def angles__angles_halved(frequencies, pos):
    """The angles are halved."""
    return angles(frequencies, pos / 2)


def angles__angles_in_degrees(frequencies, pos):
    """The angles are taken for degrees and converted to radians."""
    return np.deg2rad(angles(frequencies, pos))


def angles__positions_end_at_512(frequencies, pos):
    """Positions beyond a table of 512 take its last row."""
    return angles(frequencies, np.minimum(pos, 511))


def angles__positions_end_at_4096(frequencies, pos):
    """Positions beyond a table of 4096 take its last row."""
    return angles(frequencies, np.minimum(pos, 4095))


def angles__positions_end_at_65536(frequencies, pos):
    """Positions beyond a table of 65536 take its last row."""
    return angles(frequencies, np.minimum(pos, 65_535))


def angles__positions_wrap_at_65536(frequencies, pos):
    """The positions pass through uint16, which starts anew behind 65535."""
    return angles(frequencies, pos % 65_536)


def angles__positions_wrap_at_2048(frequencies, pos):
    """Positions start anew behind a table of 2048."""
    return angles(frequencies, pos % 2048)


def angles__positions_in_16_bits(frequencies, pos):
    """The positions pass through int16, which holds them up to 32767."""
    return angles(frequencies, pos.astype(np.int16))


def angles__positions_in_half_precision(frequencies, pos):
    """The positions pass through float16, which holds whole numbers up to 2048 only, and none above 65504."""
    with np.errstate(over="ignore", invalid="ignore"):
        return angles(frequencies, _double(pos.astype(np.float16)))


def angles__angles_modulo_half_a_turn(frequencies, pos):
    """The angles are reduced modulo pi instead of 2 pi, so that every other half turn is lost."""
    return angles(frequencies, pos) % np.pi


def angles__angles_modulo_a_rounded_turn(frequencies, pos):
    """The angles are reduced modulo 6.2832, which far positions meet thousands of times."""
    return angles(frequencies, pos) % 6.2832


def angles__angles_modulo_a_turn_of_nine_digits(frequencies, pos):
    """The angles are reduced modulo 6.2831853, which far positions meet thousands of times."""
    return angles(frequencies, pos) % 6.2831853


def angles__angles_in_single_precision(frequencies, pos):
    """The angles are float32, which leaves two digits behind the point at far positions."""
    return _double(angles(frequencies, pos).astype(np.float32))


def angles__angles_in_precision_of_x(frequencies, pos, x):
    """The angles have the dtype of x: for float32 they are wrong at far positions."""
    return _double(angles(frequencies, pos).astype(x.dtype))


def angles__positions_over_number_of_tokens(frequencies, pos):
    """The positions are divided by the number of tokens."""
    return angles(frequencies, pos / len(pos))


# Partners


def partners(x):
    return np.stack([_pairs(x), _pairs(x) + x.shape[-1] // 2], axis=1)  # (d/2, 2)


def partners__neighbours_paired(x):
    """The features 2i and 2i + 1 are a pair, instead of i and i + d/2."""
    return np.arange(x.shape[-1]).reshape(-1, 2)


def partners__ends_paired(x):
    """The first feature is paired with the last one, the second with the last but one."""
    return np.stack([_pairs(x), x.shape[-1] - 1 - _pairs(x)], axis=1)



def partners__next_in_second_half(x):
    """The partner lies one place too far, cyclically, in the second half."""
    return np.stack([_pairs(x), np.roll(_pairs(x), -1) + x.shape[-1] // 2], axis=1)


# Rotated features


def _turn(x, angles, partners, back=None):
    """Turn the features of each pair, and write them where they stood, or where `back` says."""
    x, back = _double(x), partners if back is None else back
    first, second = x[..., partners[:, 0]], x[..., partners[:, 1]]
    rotated = np.empty_like(x)
    rotated[..., back[:, 0]] = first * np.cos(angles) - second * np.sin(angles)
    rotated[..., back[:, 1]] = first * np.sin(angles) + second * np.cos(angles)
    return rotated


def _mixed(x, angles, partners, of_first, of_second):
    """Combine first and second features of each pair by two functions of (first, second, cos, sin)."""
    x = _double(x)
    first, second = x[..., partners[:, 0]], x[..., partners[:, 1]]
    rotated = np.empty_like(x)
    rotated[..., partners[:, 0]] = of_first(first, second, np.cos(angles), np.sin(angles))
    rotated[..., partners[:, 1]] = of_second(first, second, np.cos(angles), np.sin(angles))
    return rotated


def _add(x, angles, partners, sign):
    """x times cos plus its partner, with a sign for each half, times sin; angles are (T, d), feature by feature."""
    x = _double(x)
    other = np.empty_like(x)
    other[..., partners[:, 0]], other[..., partners[:, 1]] = sign * x[..., partners[:, 1]], x[..., partners[:, 0]]
    return x * np.cos(angles) + other * np.sin(angles)


def rotated(x, angles, partners):
    return _turn(x, angles, partners)  # (..., T, d)


def rotated__angles_interleaved(x, angles, partners):
    """Each angle stands twice in a row while the pairs lie in halves: the two features of a pair turn differently."""
    return _add(x, np.repeat(angles, 2, axis=1), partners, -1)


def rotated__neighbours_with_tiled_angles(x, angles):
    """Neighbours are turned by angles that are laid out for halves."""
    return _add(x, np.tile(angles, 2), partners__neighbours_paired(x), -1)


def rotated__results_interleaved(x, angles, partners):
    """The halves are paired, and the results are written as neighbours."""
    return _turn(x, angles, partners, partners__neighbours_paired(x))


def rotated__halves_exchanged_in_results(x, angles, partners):
    """The two halves of the result stand in each other's place."""
    return _turn(x, angles, partners, partners[:, ::-1])


def rotated__neighbours_written_as_halves(x, angles, partners):
    """Neighbours are paired, and the results are written as halves."""
    return _turn(x, angles, partners__neighbours_paired(x), partners)


def rotated__second_from_rotated_first(x, angles, partners):
    """The first feature is overwritten before the second one is computed from it."""
    return _mixed(
        x, angles, partners, lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: (a * c - b * s) * s + b * c
    )


def rotated__minus_missing(x, angles, partners):
    """Both sines are added: lengths are not kept."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c + b * s, lambda a, b, c, s: a * s + b * c)


def rotated__minus_twice(x, angles, partners):
    """Both sines are subtracted: lengths are not kept."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: b * c - a * s)


def rotated__sine_and_cosine_exchanged(x, angles, partners):
    """Sine and cosine are exchanged, so that position 0 already turns by a quarter."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * s - b * c, lambda a, b, c, s: a * c + b * s)


def rotated__reflected(x, angles, partners):
    """The pairs are reflected instead of turned: lengths are kept, position 0 negates the second half."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c + b * s, lambda a, b, c, s: a * s - b * c)


def rotated__second_mirrored(x, angles, partners):
    """The second feature subtracts its own cosine, so that position 0 negates the second half."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: a * s - b * c)


def rotated__own_features_only(x, angles, partners):
    """Each feature is multiplied by the cosine alone."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c, lambda a, b, c, s: b * c)


def rotated__halves_scaled(x, angles, partners):
    """The first half is multiplied by cosines and the second half by sines; no feature meets its partner."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c, lambda a, b, c, s: b * s)


def rotated__waves_added(x, angles, partners):
    """Cosines and sines are added to the features, as in an absolute encoding."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a + c, lambda a, b, c, s: b + s)


def rotated__sines_and_cosines_added(x, angles, partners):
    """Sines are added to the first half and cosines to the second, as in an absolute encoding."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a + s, lambda a, b, c, s: b + c)


def rotated__first_half_of_features_only(x, angles, partners):
    """The first half of the result is right, the second half is left as it was."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: b)


def rotated__first_token_still(x, angles, partners):
    """The first token is not turned, whatever its position is."""
    right = rotated(x, angles, partners)
    right[..., 0, :] = x[..., 0, :]
    return right


def rotated__last_token_still(x, angles, partners):
    """The loop over the tokens ends one too early, so that the last one is not turned."""
    right = rotated(x, angles, partners)
    right[..., -1, :] = x[..., -1, :]
    return right


def rotated__tokens_on_first_axis_where_equal(x, angles, partners):
    """Where the first axis is as long as T, the positions are laid over it."""
    if x.ndim < 3 or len(x) != x.shape[-2]:
        return rotated(x, angles, partners)
    return np.moveaxis(rotated(np.moveaxis(x, 0, -2), angles, partners), -2, 0)


def rotated__tokens_before_heads_where_equal(x, angles, partners):
    """Where the axis before the tokens is as long as T, the positions are laid over it."""
    if x.ndim < 3 or x.shape[-3] != x.shape[-2]:
        return rotated(x, angles, partners)
    return rotated(x.swapaxes(-3, -2), angles, partners).swapaxes(-3, -2)


def rotated__first_item_only(x, angles, partners):
    """Only the first entry of the first of three or more axes is turned."""
    right = rotated(x, angles, partners)
    if x.ndim > 2:
        right[1:] = x[1:]
    return right


def rotated__length_normalised(x, angles, partners):
    """The rotated vectors are brought to length 1."""
    right = rotated(x, angles, partners)
    return right / np.maximum(np.linalg.norm(right, axis=-1, keepdims=True), 1e-12)


def rotated__scaled_by_root_of_features(x, angles, partners):
    """The result is divided by the root of d, which belongs to the scores."""
    return rotated(x, angles, partners) / np.sqrt(x.shape[-1])


def rotated__added_to_features(x, angles, partners):
    """The rotated features are added to the features."""
    return x + rotated(x, angles, partners)


def rotated__sines_in_single_precision(x, angles, partners):
    """Sines and cosines are rounded to float32, also for features in double precision."""
    first, second = _double(x)[..., partners[:, 0]], _double(x)[..., partners[:, 1]]
    cos, sin = (_double(wave(angles).astype(np.float32)) for wave in (np.cos, np.sin))
    rotated = np.empty(x.shape)
    rotated[..., partners[:, 0]], rotated[..., partners[:, 1]] = first * cos - second * sin, first * sin + second * cos
    return rotated


def rotated__in_single_precision(x, angles, partners):
    """Features, sines and cosines are rounded to float32 before they are multiplied."""
    first, second = (x[..., partners[:, side]].astype(np.float32) for side in (0, 1))
    cos, sin = (wave(angles).astype(np.float32) for wave in (np.cos, np.sin))
    rotated = np.empty(x.shape)
    rotated[..., partners[:, 0]], rotated[..., partners[:, 1]] = first * cos - second * sin, first * sin + second * cos
    return rotated


def rotated__second_has_no_sine(x, angles, partners):
    """The first feature gains from the second one, the second from nothing."""
    return _mixed(x, angles, partners, lambda a, b, c, s: a * c - b * s, lambda a, b, c, s: b * c)


def rotated__in_half_precision(x, angles, partners):
    """The result is rounded to float16: three digits survive."""
    return _double(rotated(x, angles, partners).astype(np.float16))


def rotated__rounded(x, angles, partners):
    """The result is rounded to four decimals."""
    return np.round(rotated(x, angles, partners), 4)
