"""Cases of "Short texts agree, long ones drift".

T tokens, d key size, e value size. Unless a case says otherwise queries, keys and values are random, scores are of
order 1, and no row is near one-hot.

The hidden set keeps these rules: T = 7 with windows of 3, 1, 6, 7 and 50 on the same queries, then other keys, values
and queries one after the other; positions beyond 128 under a window of 140; a window of almost a million, too long
for a table, and 2 in sixteen bits; all sizes different, all equal, each at 1; zero tokens; later keys and keys
that have left the window ahead by 738, 1.2e3 and 6e4, each alone and both; rows at both ends of the graded range;
leaders that enter and leave the window; small weights on large values; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, window, layout=None):
    return {
        "entry": "local_attention",
        "args": {"q": q, "k": k, "v": v, "window": window},
        "layout": layout or {},
    }


def _ordinary(rng, T, d, e, window, layout=None):
    q, k = (1.3 * rng.normal(size=(T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(T, e)), window, layout)


def _add_scores(case, gain, per_query, per_key, slot=0):
    """Add gain * per_query[i] * per_key[j] to the score of query i and key j; one feature carries nothing else."""
    args = case["args"]
    args["q"][:, slot] = gain * np.sqrt(args["q"].shape[1]) * np.asarray(per_query)
    args["k"][:, slot] = per_key
    return case


def _seven(window):
    return _ordinary(np.random.default_rng(71), T=7, d=5, e=4, window=window)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v"))}


def sample_format(rng):
    """Three tokens and a window of three; what comes later trails by more than a thousand."""
    scores = np.array([[3.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0]])
    return _case(np.eye(3) * np.sqrt(3), scores.T, np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]), 3)


def secret_seven_by_three(rng):
    """Zero queries, keys and values of either sign among seven tokens: a score of exactly 0 hides nothing."""
    case = _seven(3)
    for name, rows in (("q", [1, 4]), ("k", [0, 2, 4]), ("v", [3, 4])):
        case["args"][name][rows] = 0.0
    case["args"]["k"][2] *= -1.0
    return case


def secret_seven_by_one(rng):
    """Seven tokens without zeros; every query reads itself."""
    return _seven(1)


def secret_seven_by_six(rng):
    """The same; the window hides one key from one row."""
    return _seven(6)


def secret_seven_by_seven(rng):
    """The same; the window is as long as the text."""
    return _seven(7)


def secret_seven_by_fifty(rng):
    """The same; the window is far longer than the text."""
    return _seven(50)


def secret_many_tokens(rng):
    """More positions than eight bits count, and a window of almost as many."""
    return _ordinary(rng, T=150, d=7, e=2, window=140)


def secret_window_of_a_million(rng):
    """150 tokens; a table of tokens or features by window does not fit into memory. The window is 15 * 2**16 + 2."""
    return _ordinary(rng, T=150, d=40, e=3, window=983_042)


def _changed(*names):
    """Seven tokens and a window of six with other arrays, named in `names`."""
    case, other = _seven(6), _ordinary(np.random.default_rng(72), T=7, d=5, e=4, window=6)
    case["args"] |= {name: other["args"][name] for name in names}
    return case


def secret_other_keys(rng):
    """Seven tokens and a window of six with other keys."""
    return _changed("k")


def secret_other_values(rng):
    """The case before with other values."""
    return _changed("k", "v")


def secret_other_queries(rng):
    """The case before with other queries."""
    return _changed("k", "v", "q")


def secret_all_sizes_equal(rng):
    """T = d = e = 5 and a window of 2: exchanged axes and arrays run, and only values tell."""
    return _ordinary(rng, T=5, d=5, e=5, window=2)


def secret_one_token(rng):
    """T = 1: h is v."""
    return _ordinary(rng, T=1, d=3, e=2, window=2)


def secret_one_feature(rng):
    """d = e = 1: no axis may be lost."""
    return _ordinary(rng, T=6, d=1, e=1, window=3)


def secret_future_ahead(rng):
    """One later key leads by 1200 inside the window of some rows and outside that of others."""
    position = np.arange(8)
    return _add_scores(_ordinary(rng, T=8, d=5, e=3, window=3), 1200, position < 6, position == 6)


def secret_left_ahead_by_1200(rng):
    """One early key leads by 1200 in the rows whose window it has left."""
    position = np.arange(8)
    return _add_scores(_ordinary(rng, T=8, d=5, e=3, window=3), 1200, position > 3, position == 1)


def secret_both_ahead_by_60000(rng):
    """A key left behind and a later one lead by almost as much as is granted."""
    position = np.arange(9)
    case = _add_scores(_ordinary(rng, T=9, d=6, e=4, window=4), 59_980, position > 5, position == 2)
    return _add_scores(case, 59_980, position < 5, position == 5, slot=1)


def secret_ahead_at_the_edge_of_exp(rng):
    """Keys left behind lead so far that the allowed exponentials have few digits left, or none beside a sum of six."""
    position = np.arange(12)
    case = _ordinary(rng, T=12, d=5, e=3, window=3)
    _add_scores(case, 1.0, [0, 0, 0, 30, 40, 700, 738, 735, 730, 0, 0, 0], position == 0)
    return _add_scores(case, 1.0, np.where(position < 9, 0, 730 + position), position < 6, slot=1)


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other, and near the ends of the range of exp."""
    levels = [-999_994, 999_980, 20, -4e5, -3e4, 3e3, 708.9, -742, 5e5]
    return _add_scores(_ordinary(rng, T=9, d=5, e=6, window=4), 1.0, levels, np.ones(9))


def secret_leader_passes_through(rng):
    """Two keys that lead by 900 share the weight while the window holds them; rows before and after are ordinary."""
    position = np.arange(14)
    case = _ordinary(rng, T=14, d=6, e=4, window=5)
    return _add_scores(case, 900, np.ones(14), np.isin(position, (4, 6)))


def secret_small_weights(rng):
    """Keys that trail by 17 to 30 inside the window; the values of some of them are millions."""
    case = _ordinary(rng, T=8, d=5, e=3, window=4)
    case["args"]["v"][[2, 5], 1] *= 4e6
    return _add_scores(case, 1.0, np.ones(8), [0, -17, -25, 0, -18, -26, 0, -30])


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=7, d=6, e=4, window=2, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, T=6, d=4, e=5, window=3, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, T=8, d=3, e=6, window=4, layout=_in_turn(2))
