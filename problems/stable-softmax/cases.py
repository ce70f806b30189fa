"""Cases of "NaN for one model only".

A row is what the axes in front leave: K scores. Unless a case says otherwise scores are random and of order 1, so that
each row shares its weight among several keys.

The hidden set keeps these rules: a square matrix first, in which sums that lost their axis run; the same shape again,
and the same numbers in one row; one to four axes, all different, all equal, of length 1, of 70; levels of 3e3 and
-3e3, 1e4 apart, all near -2e3, near -4e5, at both ends of the graded range and of the range of exp, along each of four
axes; rows that span the range, in floats and in integers; two keys that lead and share the weight; weights down to
1e-8; hidden keys at every place, beside the lowest scores too; zero scores; int64, float32 and every memory layout.
"""

import numpy as np


def _case(scores, layout="c"):
    return {"entry": "softmax", "args": {"scores": scores}, "layout": {"scores": layout}}


def _ordinary(rng, *shape):
    return 1.5 * rng.normal(size=shape)


def _hide(scores, share):
    """Hide the places of a fixed pattern, and never the third key of a row."""
    hidden = np.random.default_rng(88).random(scores.shape) < share
    hidden[..., 2] = False
    return np.where(hidden, -np.inf, scores)


def sample_format(rng):
    """One row of three small scores, as a matrix."""
    return _case(np.array([[0.5, -1.0, 2.0]]))


def secret_square(rng):
    """A square matrix: sums over the wrong axis have the right shape. One score is exactly 0."""
    scores = _ordinary(np.random.default_rng(87), 5, 5)
    scores[1, 3] = 0.0
    return _case(scores)


def secret_square_again(rng):
    """The case before transposed: shape, sum and diagonal stay, so that whatever is kept by them shows."""
    return _case(secret_square(rng)["args"]["scores"].T.copy())


def secret_cube(rng):
    """Three equal axes."""
    return _case(_ordinary(rng, 4, 4, 4))


def secret_not_square(rng):
    """More keys than rows."""
    return _case(_ordinary(rng, 4, 7))


def secret_one_row(rng):
    """A single axis, with the numbers of the square in one row."""
    return _case(secret_square(rng)["args"]["scores"].ravel())


def secret_three_axes(rng):
    """Three axes, all different."""
    return _case(_ordinary(rng, 2, 3, 5))


def secret_four_axes(rng):
    """Four axes, as items, heads, queries and keys have; two of them equal."""
    return _case(_ordinary(rng, 2, 3, 4, 4))


def secret_many_keys(rng):
    """A square of seventy rows and keys, all of which count: no row reads fewer."""
    return _case(_ordinary(rng, 70, 70))


def secret_one_key(rng):
    """K = 1: every weight is 1."""
    return _case(_ordinary(rng, 3, 1))


def secret_square_levels(rng):
    """A square matrix whose rows lie at 3e3, -3e3, 0, 1e4 and 700."""
    return _case(_ordinary(rng, 5, 5) + np.array([3e3, -3e3, 0.0, 1e4, 700.0])[:, None])


def secret_all_near_minus_2000(rng):
    """Every score of every row near -2000, in three axes."""
    return _case(_ordinary(rng, 2, 2, 6) - 2e3)


def secret_levels_far_apart(rng):
    """Items, heads and rows from one end of the graded range to the other, in four axes; one row spans it."""
    levels = np.array([[-4e5, 999_990, -999_990], [5e5, 2e3, -3e4]])
    scores = _ordinary(rng, 2, 3, 2, 4) + levels[:, :, None, None] * np.array([1, -1])[:, None]
    scores[0, 1, 0, 2] -= 1_999_980
    return _case(scores)


def secret_edges_of_exp(rng):
    """Row maxima at which exp is finite and a sum of it is not, and at which exp is subnormal."""
    levels = np.array([708.6, -742, 709.2, -735, 0])
    return _case(0.1 * rng.normal(size=(5, 6)) + levels[:, None])


def secret_two_keys_share_a_lead(rng):
    """Two keys lead the others of their row by 1500 or 900 and share the weight; they come first, late or last."""
    scores = _ordinary(rng, 4, 8)
    for row, pair in enumerate(((0, 3), (2, 6), (6, 7), (3, 4))):
        scores[row, list(pair)] += 900 if row == 1 else 1500
    return _case(scores)


def secret_small_weights(rng):
    """Weights from 1e-4 down to 1e-8 beside two ordinary ones."""
    return _case(np.array([[0.5, -9.0, 0.0, -11.5, -14.0], [-16.0, 3.0, -6.5, -9.0, 2.0]]))


def secret_hidden_keys(rng):
    """Hidden keys at every place, and a row with one key left."""
    scores = _hide(_ordinary(rng, 5, 6), 0.4)
    scores[0, :2], scores[1, -1] = -np.inf, -np.inf
    scores[3, [0, 1, 3, 4, 5]] = -np.inf
    return _case(scores)


def secret_hidden_keys_in_low_rows(rng):
    """Hidden keys in rows near -50, -2000, -1e6 and 3000, in three axes."""
    levels = np.array([[-50.0, -2e3], [-999_990, 3e3]])
    return _case(_hide(_ordinary(rng, 2, 2, 5), 0.4) + levels[..., None])


def secret_integers(rng):
    """Small integers, zeros among them."""
    return _case(rng.integers(-3, 4, (4, 6)))


def secret_large_integers(rng):
    """Integers at levels up to 1e6; a last key lies so far below the first that 8 or 16 bits do not tell them apart."""
    scores = rng.integers(-2, 3, (3, 5)) + np.array([[999_990], [-999_990], [800]])
    scores[0, 4] = scores[0, 0] - 30 * 2**16
    return _case(scores)


def secret_one_integer_key(rng):
    """K = 1 and integers: every weight is 1, and no integer."""
    return _case(rng.integers(-3, 4, (3, 2, 1)))


def secret_single_precision(rng):
    """float32 at levels that it holds exactly, beyond the range of its exp."""
    scores = np.rint(8 * _ordinary(rng, 4, 5)) / 8 + np.array([3e3, -2e3, 0.0, 4e4])[:, None]
    return _case(scores.astype(np.float32))


def secret_fortran(rng):
    """Fortran order, three axes."""
    return _case(_ordinary(rng, 3, 2, 4), "fortran")


def secret_reversed(rng):
    """Every axis backwards."""
    return _case(_ordinary(rng, 3, 5), "reversed")


def secret_every_second(rng):
    """Every second row of a larger array."""
    return _case(_ordinary(rng, 4, 3), "every_second")
