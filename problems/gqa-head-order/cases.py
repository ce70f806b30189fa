"""Cases of "The small model agrees, the large one does not".

B items, H query heads, G key heads, T tokens, d key size, e value size. Unless a case says otherwise queries, keys and
values are random, all heads and items differ, scores are of order 1, and no row is near one-hot.

The hidden set keeps these rules: (H, G) = (6, 2), (6, 3), (4, 1), (4, 2), (12, 4), (16, 8), (3, 3) and (1, 1), so that
H/G and G differ in both directions and agree once; keys, values and queries changed one at a time, their numbers and
sums kept; all sizes different, all equal but G, T = G and B = G, because equal sizes let wrong axes run; each size at
1; zero tokens; later keys ahead by 738, 1.2e3 and 6e4; rows, members of a group, groups and items at different levels,
up to both ends of the graded range; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, layout=None):
    return {"entry": "gqa", "args": {"q": q, "k": k, "v": v}, "layout": layout or {}}


def _ordinary(rng, B, H, G, T, d, e, layout=None):
    q, k = 1.3 * rng.normal(size=(B, H, T, d)), 1.3 * rng.normal(size=(B, G, T, d))
    return _case(q, k, rng.normal(size=(B, G, T, e)), layout)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query[b, n, i] * per_key[b, g, j] to the scores; one feature carries nothing else."""
    q, k = case["args"]["q"], case["args"]["k"]
    q[..., slot] = np.sqrt(q.shape[-1]) * per_query
    k[..., slot] = per_key
    return case


def _six_and_two():
    """Ordinary arguments in steps of 1/64, so that their sums are exact in any order."""
    case = _ordinary(np.random.default_rng(62), B=4, H=6, G=2, T=5, d=7, e=8)
    return _case(*(np.rint(64 * array) / 64 for array in case["args"].values()))


def _turned(array):
    """The features in another order, but for the first: shape, corner and sums stay, also the sum of each token."""
    return np.concatenate([array[..., :1], np.roll(array[..., 1:], 1, axis=-1)], axis=-1)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v"))}


def sample_format(rng):
    """Two heads of queries, two of keys, three tokens; what comes later trails by more than a thousand."""
    scores = np.array(
        [
            [[1.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0]],
            [[2.0, -1500.0, -1200.0], [0.0, 1.0, -2000.0], [2.0, 0.0, 1.0]],
        ]
    )
    q = 2 * np.concatenate([scores, np.zeros((2, 3, 1))], axis=2)
    v = np.array([[[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]], [[0.0, 1.0], [3.0, 1.0], [-2.0, 5.0]]])
    return _case(q[None], np.tile(np.eye(3, 4), (1, 2, 1, 1)), v[None])


def secret_six_and_two(rng):
    """Two groups of three; B, H, G, T, d and e are pairwise different."""
    return _six_and_two()


def secret_other_keys(rng):
    """The same queries and values; the keys hold the same numbers in another order."""
    q, k, v = _six_and_two()["args"].values()
    return _case(q, _turned(k), v)


def secret_other_values(rng):
    """The same queries and keys; the values hold the same numbers in another order."""
    q, k, v = _six_and_two()["args"].values()
    return _case(q, k, _turned(v))


def secret_other_queries(rng):
    """The same keys and values; the queries hold the same numbers in another order."""
    q, k, v = _six_and_two()["args"].values()
    return _case(_turned(q), k, v)


def secret_four_and_one(rng):
    """One key head for all queries: nothing to mistake for another, but for the scale."""
    return _ordinary(rng, B=2, H=4, G=1, T=6, d=5, e=3)


def secret_twelve_and_four(rng):
    """Four groups of three, and more than ten query heads: names sorted as text, heads spread evenly."""
    return _ordinary(rng, B=1, H=12, G=4, T=5, d=3, e=2)


def secret_sixteen_and_eight(rng):
    """Both counts of heads at the end of their range, eight groups of two."""
    return _ordinary(rng, B=2, H=16, G=8, T=4, d=3, e=5)


def secret_three_and_three(rng):
    """As many key heads as query heads; H = d."""
    return _ordinary(rng, B=2, H=3, G=3, T=5, d=3, e=4)


def secret_one_and_one(rng):
    """One head of each, one item: no axis may be lost."""
    return _ordinary(rng, B=1, H=1, G=1, T=5, d=4, e=3)


def secret_all_sizes_equal(rng):
    """B = H = T = d = e, G = 2: any axis can be taken for another."""
    return _ordinary(rng, B=4, H=4, G=2, T=4, d=4, e=4)


def secret_six_and_three(rng):
    """Three groups of two: H/G and G are exchanged; T = G, so that key heads and tokens can be exchanged, too."""
    return _ordinary(rng, B=2, H=6, G=3, T=3, d=5, e=4)


def secret_one_token(rng):
    """T = 1: h is the value of the right key head."""
    return _ordinary(rng, B=2, H=6, G=3, T=1, d=4, e=5)


def secret_one_feature(rng):
    """d = e = 1: no axis may be lost."""
    return _ordinary(rng, B=2, H=6, G=2, T=5, d=1, e=1)


def secret_many_tokens(rng):
    """More positions than a table of 32 holds."""
    return _ordinary(rng, B=1, H=4, G=2, T=40, d=5, e=3)


def secret_zero_tokens(rng):
    """Zero queries, keys and values, some of all heads and some of one: a score of exactly 0 hides nothing."""
    case = _ordinary(rng, B=2, H=6, G=2, T=6, d=4, e=3)
    args = case["args"]
    args["q"][:, :, [1, 4]] = 0.0
    args["k"][:, 1, [0, 2]] = 0.0
    args["v"][0, :, 3] = 0.0
    return case


def secret_later_key_ahead_by_1200(rng):
    """A key leads by 1200 or more, also where it may be read."""
    position = np.arange(7)
    factor = np.array([1.0, 1.004, 1.5, 1.0, 0.99, 1.6])[:, None]
    case = _ordinary(rng, B=2, H=6, G=2, T=7, d=5, e=4)
    return _add_scores(case, 1200.0 * factor, position == 5)


def secret_later_key_ahead_by_60000(rng):
    """The last key leads all rows before it by almost as much as is granted."""
    position = np.arange(6)
    case = _ordinary(rng, B=2, H=4, G=2, T=6, d=4, e=3)
    return _add_scores(case, 59_980.0 * (position < 5), position == 5)


def secret_ahead_at_the_edge_of_exp(rng):
    """Three later keys lead by 735 to 743: allowed exponentials are subnormal, or 0 once they are divided."""
    position = np.arange(8)
    case = _ordinary(rng, B=2, H=4, G=2, T=8, d=4, e=3)
    case["args"]["q"] *= 0.3
    return _add_scores(case, np.array([735.0, 738.0, 741.0, 743.0, 743.0, 0.0, 0.0, 0.0]), position > 4)


def secret_rows_far_apart(rng):
    """Rows from one end of the graded range to the other, and near the ends of the range of exp."""
    levels = np.array([-4e5, 999_980, 3e3, -999_994, 20, -3e4, 708.9, -742, 5e5])
    return _add_scores(_ordinary(rng, B=1, H=6, G=3, T=9, d=5, e=4), levels, 1.0)


def secret_heads_and_items_far_apart(rng):
    """Members of a group, groups and items at levels of their own, thousands apart."""
    levels = np.array([[3e3, -2e3, 0.0, 1e3, -4e5, 900.0], [-1e3, 7e4, 2e3, -6e3, 0.0, 1e4]])
    return _add_scores(_ordinary(rng, B=2, H=6, G=2, T=5, d=4, e=3), levels[:, :, None], 1.0)


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, B=2, H=6, G=3, T=5, d=4, e=7, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, B=3, H=4, G=2, T=6, d=5, e=4, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first."""
    return _ordinary(rng, B=2, H=6, G=2, T=4, d=3, e=5, layout=_in_turn(2))
