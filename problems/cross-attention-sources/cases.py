"""Cases of "It copies well and translates badly".

Tq target rows, Tk source rows, m model width, d key size, e value size. Unless a case says otherwise all arrays are
random, the matrices are all different and neither symmetric nor near the identity, scores are of order 1, and no row is
near one-hot.

The hidden set keeps these rules: Tq and Tk equal with other contents and with the same, Tq below and above Tk, each at
1 and beyond 32; all sizes different, all equal, m, d and e at 1, W_O square and not; the first pair again with another
source, another target, other matrices one after the other, and its source in another order; zero rows on both sides, at
both ends; rows at both ends of the graded range, source rows thousands apart, weights of 1e-9 to 1e-7; every memory
layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")
NAMES = ("x", "ctx", "w_q", "w_k", "w_v", "w_o")


def _case(args, layout=None):
    return {"entry": "cross_attention", "args": args, "layout": layout or {}}


def _arguments(rng, Tq, Tk, m, d, e):
    """Ordinary arguments: queries, keys, values and scores of order 1."""
    shapes = {"w_q": (m, d), "w_k": (m, d), "w_v": (m, e), "w_o": (e, m)}
    matrices = {name: rng.normal(size=shape) * 1.2 / np.sqrt(shape[0]) for name, shape in shapes.items()}
    return {"x": rng.normal(size=(Tq, m)), "ctx": rng.normal(size=(Tk, m)), **matrices}


def _add_scores(args, per_target, per_source, slot=0):
    """Add per_target[i] * per_source[j] to the scores; one feature and one column carry it and nothing else."""
    args["x"][:, slot] = per_target
    args["ctx"][:, slot] = per_source
    for name in ("w_q", "w_k", "w_v"):
        args[name][slot] = 0.0
    for name in ("w_q", "w_k"):
        args[name][:, slot] = 0.0
    args["w_q"][slot, slot] = np.sqrt(args["w_q"].shape[1])
    args["w_k"][slot, slot] = 1.0
    return args


def _pair():
    """The arguments of the first case, which others repeat in all but one respect."""
    return _arguments(np.random.default_rng(97), Tq=5, Tk=5, m=7, d=4, e=3)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(NAMES)}


def sample_format(rng):
    """Three words on both sides; every word reads itself and hardly anything before it, and nothing behind it."""
    scores = np.array([[2.0, -2000.0, -3000.0], [-1.0, 2.0, -2500.0], [-2.0, 0.0, 2.0]])
    words = np.eye(3)
    args = {"x": words, "ctx": words.copy(), "w_q": scores * np.sqrt(3), "w_k": np.eye(3)}
    return _case(args | {"w_v": np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]), "w_o": np.eye(2, 3)})


def secret_five_by_five(rng):
    """As many target rows as source rows, with other contents."""
    return _case(_pair())


def secret_one_text_on_both_sides(rng):
    """The same rows on both sides, as far as numbers go; d = e, and keys and values have one shape."""
    args = _arguments(rng, Tq=6, Tk=6, m=5, d=3, e=3)
    return _case(args | {"ctx": args["x"].copy()})


def secret_all_sizes_equal(rng):
    """Tq = Tk = m = d = e = 4: all arrays can be exchanged, and only values tell."""
    return _case(_arguments(rng, Tq=4, Tk=4, m=4, d=4, e=4))


def secret_sizes_differ(rng):
    """All sizes different, fewer target rows than source rows."""
    return _case(_arguments(rng, Tq=3, Tk=7, m=8, d=4, e=6))


def secret_long_source(rng):
    """More source rows than a table of 32 or 64 holds; Tq = m."""
    return _case(_arguments(rng, Tq=5, Tk=70, m=5, d=3, e=2))


def secret_long_target(rng):
    """More target rows than a table of 32 or 64 holds; Tk = d."""
    return _case(_arguments(rng, Tq=70, Tk=4, m=6, d=4, e=2))


def secret_one_target(rng):
    """One target row, as in a step of decoding."""
    return _case(_arguments(rng, Tq=1, Tk=5, m=6, d=3, e=4))


def secret_one_source_row(rng):
    """One source row takes all the weight; e = m."""
    return _case(_arguments(rng, Tq=4, Tk=1, m=5, d=3, e=5))


def secret_other_source(rng):
    """The first pair with another source."""
    return _case(_pair() | {"ctx": rng.normal(size=(5, 7))})


def secret_other_target(rng):
    """The first pair with another target."""
    return _case(_pair() | {"x": rng.normal(size=(5, 7))})


def _other_matrices(*names):
    """The first pair read through other matrices of the same shapes, named in `names`, as in the next block."""
    later = _arguments(np.random.default_rng(2017), Tq=5, Tk=5, m=7, d=4, e=3)
    return _case(_pair() | {name: later[name] for name in names})


def secret_other_key_matrix(rng):
    """The first pair with another key matrix."""
    return _other_matrices("w_k")


def secret_other_value_matrix(rng):
    """The case before with another value matrix."""
    return _other_matrices("w_k", "w_v")


def secret_other_query_matrix(rng):
    """The case before with another query matrix."""
    return _other_matrices("w_k", "w_v", "w_q")


def secret_other_output_matrix(rng):
    """The case before with another output matrix."""
    return _other_matrices("w_k", "w_v", "w_q", "w_o")


def secret_source_reordered(rng):
    """The first pair with the rows of its source in another order."""
    args = _pair()
    return _case(args | {"ctx": args["ctx"][[3, 0, 4, 2, 1]]})


def secret_one_feature(rng):
    """m = 1: all rows are multiples of each other."""
    return _case(_arguments(rng, Tq=4, Tk=3, m=1, d=3, e=2))


def secret_one_column(rng):
    """d = e = 1: no axis may be lost."""
    return _case(_arguments(rng, Tq=3, Tk=5, m=4, d=1, e=1))


def secret_zero_rows(rng):
    """Rows of zeros among the source, at its beginning and its end, and among the target; they are no padding."""
    args = _arguments(rng, Tq=4, Tk=6, m=7, d=5, e=5)
    args["ctx"][[0, 3, 5]] = 0.0
    args["x"][[0, 2]] = 0.0
    return _case(args)


def secret_levels_far_apart(rng):
    """Target rows from one end of the graded range to the other, and at the ends of the range of exp."""
    levels = [-4e5, 999_980.0, 3e3, -999_980.0, 708.5, -743.0, 20.0, 5e5]
    return _case(_add_scores(_arguments(rng, Tq=8, Tk=5, m=6, d=4, e=4), levels, 1.0))


def secret_source_rows_far_apart(rng):
    """Source rows thousands apart for one target row, hardly for another, and in reverse for a third.

    For the first row some trail by 17 and 19: weights of 1e-9 to 1e-7.
    """
    args = _arguments(rng, Tq=4, Tk=9, m=5, d=3, e=4)
    return _case(_add_scores(args, [1.0, 0.0, -1.0, 50.0], [0.0, 900.0, 900.0, -2e3, 0.0, -2e3, 120.0, 883.0, 881.0]))


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _case(_arguments(rng, Tq=4, Tk=6, m=5, d=3, e=4), _in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _case(_arguments(rng, Tq=5, Tk=3, m=6, d=4, e=6), _in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _case(_arguments(rng, Tq=3, Tk=5, m=7, d=6, e=3), _in_turn(2))
