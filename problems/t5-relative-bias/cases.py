"""Cases of "Attention that spreads too wide".

T tokens, d key size, e value size, n numbers in the table. Unless a case says otherwise all arrays are random, the
table is neither constant nor monotone, scores are of order 1, and no row is near one-hot.

The hidden set keeps these rules: distances of all three kinds, with a bucket of their own, in steps, and beyond 32; n
odd, even, 2, 3 and 32; no n for which a border of two buckets falls on a distance that occurs (4 and 16 have such); the
first arrays with another table, other queries, other keys, other values; all sizes different, all equal, each at 1;
zero tokens; later keys ahead by 738, 1.2e3 and 6e4; rows at both ends of the graded range; a table of thousands, and
one that undoes products; weights of 1e-9 to 1e-7; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, table, layout=None):
    return {"entry": "t5_attention", "args": {"q": q, "k": k, "v": v, "table": table}, "layout": layout or {}}


def _ordinary(rng, T, d, e, n, layout=None):
    q, k = (rng.normal(size=(T, d)) * 1.2 / d**0.25 for _ in range(2))
    return _case(q, k, rng.normal(size=(T, e)), rng.normal(size=n), layout)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query[i] * per_key[j] to the score of query i and key j; one feature carries it and nothing else."""
    case["args"]["q"][:, slot] = per_query
    case["args"]["k"][:, slot] = per_key
    return case


def _forty():
    return _ordinary(np.random.default_rng(53), T=40, d=4, e=3, n=8)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "table"))}


def sample_format(rng):
    """Three tokens, one feature, a table of equal numbers; what comes later trails by a thousand."""
    keys = np.array([[0.0], [-1000.0], [-2000.0]])
    return _case(np.ones((3, 1)), keys, np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]), np.full(4, 0.5))


def secret_forty_tokens(rng):
    """Distances with a bucket of their own, in steps, and beyond the last; all sizes different."""
    return _forty()


def _repeated(name):
    """The first arrays, one of which is replaced by another of its shape."""
    later = _ordinary(np.random.default_rng(59), T=40, d=4, e=3, n=8)
    return _case(**(_forty()["args"] | {name: later["args"][name]}))


def secret_other_table(rng):
    """The first arrays with another table of the same length."""
    return _repeated("table")


def secret_other_queries(rng):
    """The first arrays with other queries."""
    return _repeated("q")


def secret_other_keys(rng):
    """The first arrays with other keys."""
    return _repeated("k")


def secret_other_values(rng):
    """The first arrays with other values."""
    return _repeated("v")


def secret_thirty_two_numbers(rng):
    """The longest table: sixteen distances of their own and sixteen steps."""
    return _ordinary(rng, T=36, d=5, e=2, n=32)


def secret_seven_numbers(rng):
    """An odd table, whose halves differ, and the longest text."""
    return _ordinary(rng, T=80, d=3, e=2, n=7)


def secret_three_numbers(rng):
    """A short table: the own key, and two buckets for all others."""
    return _ordinary(rng, T=8, d=4, e=5, n=3)


def secret_all_sizes_equal(rng):
    """T = d = e = n = 6: exchanged axes and arrays run, and only values tell."""
    return _ordinary(rng, T=6, d=6, e=6, n=6)


def secret_one_feature(rng):
    """d = e = 1: no axis may be lost."""
    return _ordinary(rng, T=8, d=1, e=1, n=6)


def secret_one_token(rng):
    """T = 1: h is v."""
    return _ordinary(rng, T=1, d=3, e=2, n=6)


def secret_zero_tokens(rng):
    """Zero queries and keys: products of exactly 0, between which the bias alone decides."""
    case = _ordinary(rng, T=9, d=5, e=4, n=6)
    for name, rows in (("q", [2, 5, 8]), ("k", [0, 3, 4])):
        case["args"][name][rows] = 0.0
    case["args"]["table"][2] = 0.0
    return case


def secret_future_ahead_by_1200(rng):
    """Five later keys lead together: by 1200 for one row, near the end of exp for two others."""
    lead = np.array([1200.0, 744.0, 738.0, 0, 0, 0, 0, 0, 0])
    return _add_scores(_ordinary(rng, T=9, d=5, e=3, n=6), lead, np.arange(9) > 3)


def secret_future_ahead_by_60000(rng):
    """One later key leads by almost as much as is granted."""
    position = np.arange(7)
    return _add_scores(_ordinary(rng, T=7, d=4, e=2, n=10), 59_980.0 * (position < 5), position == 5)


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other, and near the ends of the range of exp."""
    levels = [-4e5, 999_980, 20, -999_980, -3e4, 3e3, 708.5, -742, 5e5]
    return _add_scores(_ordinary(rng, T=9, d=5, e=6, n=6), levels, np.ones(9))


def secret_large_table(rng):
    """A table of thousands, in which two distances share the lead and two trail it by 17 and 18.5."""
    case = _ordinary(rng, T=12, d=4, e=3, n=6)
    case["args"]["table"][:] = [-800.0, 1481.8, 1500.3, 1483.3, 1499.6, -1900.0]
    return case


def secret_table_against_products(rng):
    """Products that lead by 1500 at distance 3 and more, and a table that undoes it."""
    case = _ordinary(rng, T=7, d=5, e=3, n=14)
    case["args"]["table"][:7] += [750.0, 750.0, 750.0, -750.0, -750.0, -750.0, -750.0]
    position = np.arange(7)
    for slot, query in enumerate((5, 6)):
        _add_scores(case, 1500.0 * (position == query), position <= query - 3, slot)
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=7, d=6, e=4, n=2, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, T=6, d=4, e=5, n=7, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, T=8, d=3, e=6, n=6, layout=_in_turn(2))
