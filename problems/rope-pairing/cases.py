"""Cases of "The first word is right".

T tokens, d features. Unless a case says otherwise features are random, positions do not start at 0 and jump, and the
axes in front differ from T and d.

The hidden set keeps these rules: d of 2, 4, 6, 8 and 64; calls that repeat an earlier one but for `x`, for d, or for
the order of two positions between the first and the last; positions in order and in none, several times the same, from
0 on, beyond 512, 2048, 4096, 65536; T of 1, of 40, equal to d, to the axis before it, to all; none to three axes in
front; zero features and a zero token; float32 at a far position; every memory layout.
"""

import numpy as np


def _case(x, pos, layout="c"):
    layouts = {"x": layout, "pos": layout} if layout != "c" else {}
    return {"entry": "rope", "args": {"x": x, "pos": np.array(pos, dtype=np.int64)}, "layout": layouts}


def _four_features():
    return np.random.default_rng(104).normal(size=(2, 4, 4))


def sample_format(rng):
    """Three tokens of two features."""
    return _case(np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]]), [0, 1, 3])


def secret_four_features(rng):
    """Two pairs, at positions 5, 0, 40 and 1000."""
    return _case(_four_features(), [5, 0, 40, 1000])


def secret_four_features_again(rng):
    """The case before with other features, some of them zero, one token too."""
    x = rng.normal(size=(2, 4, 4))
    x[0, 0, 1:] = x[1, 2] = 0.0
    return _case(x, [5, 0, 40, 1000])


def secret_other_positions(rng):
    """The features of the first case with its second and third position exchanged."""
    return _case(_four_features(), [5, 40, 0, 1000])


def secret_six_features(rng):
    """Three pairs, at the positions of a step that goes on from a cache."""
    return _case(rng.normal(size=(2, 5, 6)), [3, 4, 5, 6, 7])


def secret_eight_features(rng):
    """Four pairs, at the positions of the first case."""
    return _case(rng.normal(size=(2, 4, 8)), [5, 0, 40, 1000])


def secret_many_features(rng):
    """32 pairs, from one that turns fast to one that hardly turns."""
    return _case(rng.normal(size=(3, 64)), [1000, 31, 2])


def secret_two_features(rng):
    """One pair; features of 300."""
    return _case(300 * rng.normal(size=(3, 5, 2)), [9, 2, 30, 1, 700])


def secret_positions_repeat(rng):
    """Three texts in one row: positions start at 0 three times. d = 10."""
    return _case(rng.normal(size=(2, 6, 10)), [0, 1, 2, 0, 1, 0])


def secret_far_positions(rng):
    """Positions near and beyond the ends of usual tables, to the end of what is granted."""
    return _case(rng.normal(size=(2, 7, 8)), [511, 513, 2049, 4100, 65_537, 99_999, 100_000])


def secret_many_tokens(rng):
    """40 tokens from position 0 on."""
    return _case(rng.normal(size=(2, 40, 6)), np.arange(40))


def secret_one_token(rng):
    """A step of a decoder: one token."""
    return _case(rng.normal(size=(2, 3, 1, 6)), [17])


def secret_no_axis_in_front(rng):
    """Tokens and features alone."""
    return _case(rng.normal(size=(5, 8)), [8, 3, 90, 4, 61])


def secret_tokens_equal_features(rng):
    """T = d: the two axes can be exchanged."""
    return _case(rng.normal(size=(6, 6)), [4, 2, 19, 7, 40, 3])


def secret_all_axes_equal(rng):
    """All four axes are 4 long."""
    return _case(rng.normal(size=(4, 4, 4, 4)), [6, 3, 25, 110])


def secret_four_axes(rng):
    """Items, heads, tokens and features, all different; more tokens than features."""
    return _case(rng.normal(size=(2, 3, 7, 4)), [2, 50, 3, 11, 4, 81, 5])


def secret_fortran(rng):
    """Fortran order."""
    return _case(rng.normal(size=(2, 3, 4)), [7, 1, 33], "fortran")


def secret_reversed(rng):
    """Every axis backwards."""
    return _case(rng.normal(size=(3, 4, 6)), [21, 5, 6, 2], "reversed")


def secret_every_second(rng):
    """Every second row of a larger array."""
    return _case(rng.normal(size=(3, 5, 8)), [2, 90, 14, 15, 3], "every_second")


def secret_single_precision(rng):
    """float32, also at positions at which its angles would be wrong."""
    return _case(rng.normal(size=(2, 4, 6)).astype(np.float32), [3, 99_991, 70_001, 12])
