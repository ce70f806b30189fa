"""Cases of "A few points below the benchmark".

B items, H heads, T positions, d key size, e value size. Unless a case says otherwise everything is random, gains are
uneven and of order 1, scores are of order 1, and heads and items differ in length as well as in direction.

The hidden set keeps these rules: heads, tokens and items of length 0.2 to 5 and 1e-4 to 7e4 side by side; a mean
square at 1e-6, below it and 0; features off zero; each of the five arrays changed alone; gains that are zero, negative
and of 1e-7 to 9e6; all sizes different, all equal, each at 1, twelve heads, T above 32; a later key ahead by 738, 1.2e3
and 6e4; rows, heads and items at levels from one end of the graded range to the other, which the gains make, allowed
keys of one row thousands apart; small weights on large values; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")
ARRAYS = ("q", "k", "v", "g_q", "g_k")


def _case(q, k, v, g_q, g_k, layout=None):
    args = {"q": q, "k": k, "v": v, "g_q": g_q, "g_k": g_k}
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _gains(rng, d):
    """Two gains between 0.6 and 1.8 in size, different everywhere, some of them negative."""
    g_q, g_k = rng.uniform(0.6, 1.8, size=(2, d))
    g_k[::3] *= -1.0
    return g_q, g_k


def _ordinary(rng, B, H, T, d, e, layout=None):
    """Vectors whose heads have the lengths 1, 5, 0.2, 1, ... in queries and 0.4, 1, 3, ... in keys."""
    heads, items = np.arange(H)[:, None, None], np.arange(B)[:, None, None, None]
    q, k = rng.normal(size=(2, B, H, T, d))
    q *= np.array([1.0, 5.0, 0.2])[(heads + items) % 3]
    k *= np.array([0.4, 1.0, 3.0])[heads % 3]
    return _case(q, k, rng.normal(size=(B, H, T, e)), *_gains(rng, d), layout)


def _base():
    return _ordinary(np.random.default_rng(133), B=2, H=3, T=5, d=4, e=6)


def _with_levels(rng, B, H, T, d, e, parts):
    """Add scores that nothing else disturbs: for each part (per_query, per_key, gain) a feature of its own.

    It adds per_query * per_key * gain to the scores, both broadcast to (B, H, T) and at most 1. All vectors have a
    mean square of 1, so that the other features add scores of order 1, and the constant moves levels by a millionth.
    """
    case = _case(*rng.normal(size=(2, B, H, T, d)), rng.normal(size=(B, H, T, e)), *_gains(rng, d))
    args, count = case["args"], len(parts)
    for slot, (per_query, per_key, gain) in enumerate(parts):
        args["q"][..., slot], args["k"][..., slot] = per_query, per_key
        args["g_q"][slot], args["g_k"][slot] = np.sqrt(d), gain
    for name in ("q", "k"):
        fixed, free = args[name][..., :count], args[name][..., count:]
        left = d - (fixed**2).sum(axis=-1, keepdims=True)
        free *= np.sqrt(left / (free**2).sum(axis=-1, keepdims=True))
    return case


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(ARRAYS)}


def sample_format(rng):
    """One head, three tokens, equal gains."""
    q = np.array([[[[1.0, 1.0], [2.0, 0.0], [3.0, -1.0]]]])
    k = np.array([[[[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]]])
    return _case(q, k, np.array([[[[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]]]), np.array([1.0, 2.0]), np.array([1.0, 2.0]))


def secret_large_and_small_heads(rng):
    """All sizes different; three heads whose vectors have the lengths 1, 5 and 0.2."""
    return _base()


def _changed(*names):
    """The first case with other arrays, named in `names`; the gain of the keys is zero in one feature."""
    case = _base()
    rng = np.random.default_rng(134)
    other = {"g_q": np.array([0.7, -1.5, 1.2, 0.9]), "g_k": np.array([1.6, 0.8, 0.0, -2.0])}
    other |= {name: rng.normal(size=case["args"][name].shape) for name in ("k", "v", "q")}
    case["args"] |= {name: other[name] for name in names}
    return case


def secret_other_query_gain(rng):
    """The first case with another gain of the queries."""
    return _changed("g_q")


def secret_other_key_gain(rng):
    """The case before with another gain of the keys, which is zero in one feature."""
    return _changed("g_q", "g_k")


def secret_other_keys(rng):
    """The case before with other keys."""
    return _changed("g_q", "g_k", "k")


def secret_other_values(rng):
    """The case before with other values."""
    return _changed("g_q", "g_k", "k", "v")


def secret_other_queries(rng):
    """The case before with other queries."""
    return _changed("g_q", "g_k", "k", "v", "q")


def secret_large_and_small_tokens(rng):
    """Tokens of one head have features from 0.01 to 7e4, some with a common mean; values differ in length."""
    case = _ordinary(rng, B=2, H=2, T=6, d=5, e=3)
    case["args"]["q"][:, :, 2] += 2.0
    case["args"]["k"][:, :, 1:4] -= 1.0
    case["args"]["v"] *= np.array([1.0, 20.0, 0.3, 4.0, 1.0, 0.1])[:, None]
    case["args"]["q"] *= np.array([1.0, 30.0, 0.02, 5e3, 4.0, 0.3])[:, None]
    case["args"]["k"] *= np.array([8.0, 0.05, 1.0, 0.5, 2e4, 3.0])[:, None]
    return case


def secret_tiny_and_zero_tokens(rng):
    """Mean squares of 1e-8 to 1e-4 beside ordinary ones, where the constant tells, and vectors of zeros."""
    case = _ordinary(rng, B=2, H=2, T=7, d=3, e=4)
    q, k = case["args"]["q"], case["args"]["k"]
    q[:, :, [1, 4]] *= 1e-3
    q[:, :, 5] *= 2e-2
    k[:, :, [0, 3]] *= 1e-3
    k[:, :, 4] *= 1e-4
    q[0, :, 2] = q[1, 0, 6] = k[:, 1, 2] = k[0, 0, 1] = 0.0
    return case


def secret_all_sizes_equal(rng):
    """B = H = T = d = e: any axis can be taken for another."""
    return _ordinary(rng, B=4, H=4, T=4, d=4, e=4)


def secret_one_item_one_head(rng):
    """B = H = 1."""
    return _ordinary(rng, B=1, H=1, T=6, d=5, e=3)


def secret_one_token(rng):
    """T = 1."""
    return _ordinary(rng, B=2, H=3, T=1, d=4, e=2)


def secret_one_feature(rng):
    """d = e = 1: of a vector its sign is left, and what the constant takes."""
    case = _ordinary(rng, B=2, H=3, T=5, d=1, e=1)
    case["args"]["q"][:, :, 2] *= 1e-3
    return case


def secret_twelve_heads(rng):
    """More heads than a table of eight."""
    return _ordinary(rng, B=1, H=12, T=4, d=2, e=3)


def secret_many_tokens(rng):
    """More than 32 positions."""
    return _ordinary(rng, B=1, H=2, T=40, d=3, e=4)


def secret_later_key_ahead_by_1200(rng):
    """The last key leads all rows before it by 1200."""
    return _with_levels(rng, B=2, H=2, T=6, d=5, e=3, parts=[(1.0, np.arange(6) == 5, 1200.0)])


def secret_later_key_ahead_by_60000(rng):
    """A later key leads by almost as much as is granted; rows lie low and high."""
    levels = np.array([0.75, -1.0, 0.5, -0.05, 0.2])
    parts = [(1.0, np.arange(5) == 4, 59_950.0), (levels, 1.0, 4e5)]
    return _with_levels(rng, B=2, H=2, T=5, d=7, e=4, parts=parts)


def secret_ahead_at_the_edge_of_exp(rng):
    """Later keys lead by 735 to 743: allowed exponentials are subnormal, or 0 once they are divided."""
    lead = np.array([735, 737, 738, 739, 740, 741, 743, 743]) / 743
    return _with_levels(rng, B=2, H=2, T=8, d=5, e=3, parts=[(lead, np.arange(8) > 5, 743.0)])


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other."""
    levels = np.array([-0.4, 1.0, 0.003, -1.0, 0.0, -0.03, 7.09e-4, -7.44e-4])
    return _with_levels(rng, B=2, H=2, T=8, d=6, e=3, parts=[(levels, 1.0, 999_985.0)])


def secret_keys_far_apart(rng):
    """Allowed keys of one row thousands apart; weights down to 1e-12 meet values of millions."""
    levels = np.array([900.0, -4e3, 875.0, 0.0, 883.0, 950.0, 925.0]) / 4e3
    case = _with_levels(rng, B=2, H=2, T=7, d=6, e=3, parts=[(np.array([1, 1, 1, 0.5, 1, 1, 1]), levels, 4e3)])
    case["args"]["v"][:, :, [2, 6], 1] *= 3e6
    return case


def secret_gains_far_apart(rng):
    """Gains of 1e-7 to 9e6, whose products are of order 1."""
    case = _ordinary(rng, B=2, H=2, T=5, d=4, e=3)
    case["args"]["g_q"] *= np.array([5e6, 2e-7, 1.0, 1e4])
    case["args"]["g_k"] *= np.array([2e-7, 5e6, 1.0, 1e-4])
    return case


def secret_heads_and_items_far_apart(rng):
    """Each head of each item has its level, thousands apart."""
    levels = np.array([[0.003, -0.4, 1.0], [-0.002, 0.2, -0.9]])[:, :, None]
    return _with_levels(rng, B=2, H=3, T=5, d=4, e=2, parts=[(levels, 1.0, 999_970.0)])


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, B=2, H=3, T=5, d=4, e=6, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, B=3, H=2, T=6, d=3, e=4, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first."""
    return _ordinary(rng, B=2, H=2, T=4, d=6, e=3, layout=_in_turn(2))
