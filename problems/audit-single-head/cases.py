"""Inputs of the cases; a function's name is its case's name.

The sample shows the format only and is blind on purpose: with one token every softmax is 1 and nothing is masked.

What each secret case is there for (T tokens, m model width, d key size, e value size):

* all_sizes_differ, same_sizes_other_values: T, m, d, e pairwise different, W_O not square, so axes that are
  exchanged show by shape and every size that may be under the root differs. The two have equal shapes and other
  numbers: they catch caches and buffers that are keyed by shape.
* tokens_equal_key_size: T = d, where a (d, d) score matrix has the right shape.
* square_projections, everything_square: m = d = e, and then T as well. All matrices may be transposed or exchanged
  without an error; W_O is square and not symmetric, so its loss or transposition shows by value only.
* one_token: T = 1, the smallest input, an extra only: softmax and mask cannot be wrong there.
* forty_tokens: longer than any window or table that short examples suggest.
* zero_tokens: scores that are exactly 0 and must not be taken for masked ones.
* future_ahead_by_1200, future_ahead_by_60000: a forbidden key leads every allowed one, the first lead is beyond the
  range of exp, the second beyond a sentinel of -1e4. The later rows may read that key and stay ordinary.
* future_at_the_edge_of_exp: the lead is 743.5, where exp still gives a subnormal number but a weight below it is 0.
* scores_in_the_thousands, rows_near_minus_400000, row_levels_far_apart: within a row the scores differ by
  order 1, the rows' levels lie far from 0 and far apart (up to 9e5).
* integer_tokens, single_precision, fortran_order, reversed_rows, every_second_row: dtypes and memory layouts.

Outside the large-score cases weights and scores are of order 1, far from one-hot. No matrix is near the identity or
symmetric, W_Q, W_K and W_V always differ.
"""

import numpy as np

ENTRY = "single_head_causal"


def _matrices(rng, m, d, e):
    """Draw w_q, w_k, w_v, w_o so that queries, keys, values and scores are of order 1."""
    shapes = {"w_q": (m, d), "w_k": (m, d), "w_v": (m, e), "w_o": (e, m)}
    return {name: rng.normal(0, 1.2 / np.sqrt(shape[0]), shape) for name, shape in shapes.items()}


def _case(x, matrices, layout=None):
    return {"entry": ENTRY, "args": {"x": x, **matrices}, "layout": layout or {}}


def _ordinary(rng, t, m, d, e, layout=None):
    return _case(rng.normal(size=(t, m)), _matrices(rng, m, d, e), layout)


def _with_row_levels(rng, levels, m, d, e):
    """Give row i scores of levels[i] plus differences of order 1.

    The first key coordinate is 1 for every token and the first query coordinate carries the level, so the large part
    is the same for all keys of a row. Tokens and values stay of order 1: only w_q is large.
    """
    matrices = _matrices(rng, m, d, e)
    x = rng.normal(size=(len(levels), m))
    x[:, 0] = 1
    x[:, 1] = np.asarray(levels) / 1e6
    matrices["w_k"][:, 0] = 0
    matrices["w_k"][0, 0] = 1
    matrices["w_q"][:, 0] = 0
    matrices["w_q"][1, 0] = 1e6 * np.sqrt(d)
    return _case(x, matrices)


def _with_leading_key(rng, lead, leader, t, m, d, e):
    """Let key `leader` lead by `lead` in every row before it, where it is forbidden; later rows stay ordinary."""
    matrices = _matrices(rng, m, d, e)
    x = rng.normal(size=(t, m))
    x[:, 0] = np.arange(t) == leader
    x[:, 1] = np.arange(t) < leader
    matrices["w_k"][:, 0] = 0
    matrices["w_k"][0, 0] = 1
    matrices["w_q"][:, 0] = 0
    matrices["w_q"][1, 0] = lead * np.sqrt(d)
    return _case(x, matrices)


def sample_first_token(rng):
    """The first token of the statement's worked example."""
    matrices = {
        "w_q": np.array([[0.5, 0.5], [-0.5, 0.5]]),
        "w_k": np.array([[2, 0.5], [-0.5, 0.5]]),
        "w_v": np.array([[-1, 2], [0.5, -0.5]]),
        "w_o": np.array([[1, 0.5], [-1, 2]]),
    }
    return _case(np.array([[-2, -0.5]]), matrices)


def secret_all_sizes_differ(rng):
    return _ordinary(rng, t=5, m=7, d=3, e=4)


def secret_same_sizes_other_values(rng):
    return _ordinary(rng, t=5, m=7, d=3, e=4)


def secret_tokens_equal_key_size(rng):
    return _ordinary(rng, t=5, m=6, d=5, e=3)


def secret_square_projections(rng):
    return _ordinary(rng, t=6, m=4, d=4, e=4)


def secret_everything_square(rng):
    return _ordinary(rng, t=5, m=5, d=5, e=5)


def secret_one_token(rng):
    return _ordinary(rng, t=1, m=3, d=2, e=4)


def secret_forty_tokens(rng):
    return _ordinary(rng, t=40, m=9, d=6, e=5)


def secret_zero_tokens(rng):
    case = _ordinary(rng, t=6, m=5, d=4, e=3)
    case["args"]["x"][[0, 2, 5]] = 0
    return case


def secret_future_ahead_by_1200(rng):
    return _with_leading_key(rng, lead=1.2e3, leader=5, t=7, m=6, d=4, e=5)


def secret_future_ahead_by_60000(rng):
    # A little less than the limit that the statement grants: the ordinary part of the scores comes on top.
    return _with_leading_key(rng, lead=59_980, leader=4, t=6, m=7, d=5, e=4)


def secret_future_at_the_edge_of_exp(rng):
    """Token 0 scores itself 0 and each of the eight later keys 743.5, everything else is ordinary."""
    m, d, e = 6, 3, 5
    matrices = _matrices(rng, m, d, e)
    x = rng.normal(size=(9, m))
    x[:, 0] = np.arange(9) > 0
    x[:, 1] = np.arange(9) == 0
    x[0, 2:] = 0
    matrices["w_k"][:, 0] = 0
    matrices["w_k"][0, 0] = 1
    matrices["w_q"][:, 0] = 0
    matrices["w_q"][1] = 0
    matrices["w_q"][1, 0] = 743.5 * np.sqrt(d)
    return _case(x, matrices)


def secret_scores_in_the_thousands(rng):
    return _with_row_levels(rng, [900, 3000, -2500, 1500, -4000, 4000, 2000], m=6, d=4, e=3)


def secret_rows_near_minus_400000(rng):
    return _with_row_levels(rng, -4e5 + rng.uniform(-50, 50, 6), m=5, d=3, e=4)


def secret_row_levels_far_apart(rng):
    return _with_row_levels(rng, [-3e4, 9e5, 20, -9e5, -2e4, 700, -60, 5e4], m=7, d=5, e=6)


def secret_integer_tokens(rng):
    x = rng.integers(-3, 4, (6, 5))
    x[3] = 0
    return _case(x, {name: 0.6 * w for name, w in _matrices(rng, m=5, d=4, e=3).items()})


def secret_single_precision(rng):
    case = _ordinary(rng, t=7, m=6, d=4, e=5)
    case["args"] = {name: value.astype(np.float32) for name, value in case["args"].items()}
    return case


def secret_fortran_order(rng):
    layout = dict.fromkeys(("x", "w_q", "w_k", "w_v", "w_o"), "fortran")
    return _ordinary(rng, t=6, m=5, d=3, e=4, layout=layout)


def secret_reversed_rows(rng):
    return _ordinary(rng, t=7, m=5, d=4, e=6, layout=dict.fromkeys(("x", "w_k", "w_o"), "reversed"))


def secret_every_second_row(rng):
    return _ordinary(rng, t=6, m=7, d=4, e=3, layout=dict.fromkeys(("x", "w_q", "w_v"), "every_second"))
