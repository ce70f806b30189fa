"""Cases of "A batch that changes its shorter items".

B items, H heads, T positions, d key size, e value size. Unless a case says otherwise queries, keys and values are
random, in the padding as well, scores are of order 1, and items and heads differ.

The hidden set keeps these rules: paddings of 0, some, T - 1 and T, alone and side by side; the same arrays with other
paddings, then with other keys, values and queries, one at a time; all sizes different, all equal, twelve heads, T, d
and e at 1, T above 32; zero tokens; padding and later keys ahead by 738, 1.2e3 and 6e4, and by far in rows without a
key; rows, heads and items at levels from one end of the graded range to the other; values of 1e6 in the padding; every
memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, pad, layout=None):
    args = {"q": q, "k": k, "v": v, "pad": np.array(pad, dtype=np.int64)}
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _ordinary(rng, H, T, d, e, pad, layout=None):
    q, k = (1.3 * rng.normal(size=(len(pad), H, T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(len(pad), H, T, e)), pad, layout)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query * per_key to the scores, both broadcast to (B, H, T); one feature carries it and nothing else."""
    args = case["args"]
    args["q"][..., slot] = np.sqrt(args["q"].shape[-1]) * np.asarray(per_query)
    args["k"][..., slot] = per_key
    return case


def _base(pad):
    return _ordinary(np.random.default_rng(61), H=3, T=7, d=4, e=5, pad=pad)


def _changed(*names):
    """The second call with other arrays of these names, which begin with the same number."""
    case, later = _base([3, 0]), _ordinary(np.random.default_rng(62), H=3, T=7, d=4, e=5, pad=[3, 0])
    for name in names:
        later["args"][name].flat[0] = case["args"][name].flat[0]
        case["args"][name] = later["args"][name]
    return case


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "pad"))}


def sample_format(rng):
    """One item, one head, three tokens, no padding; what comes later trails by more than a thousand."""
    scores = np.array([[3.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0]])
    q = np.eye(3)[None, None] * np.sqrt(3)
    return _case(q, scores.T[None, None], np.array([[[[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]]]), [0])


def secret_sizes_differ(rng):
    """All sizes different; one item is not padded, the other has three positions of padding."""
    return _base([0, 3])


def secret_other_padding(rng):
    """The same arrays with the paddings exchanged."""
    return _base([3, 0])


def secret_other_keys(rng):
    """The call before with other keys."""
    return _changed("k")


def secret_other_values(rng):
    """The call before with other values."""
    return _changed("k", "v")


def secret_other_queries(rng):
    """The call before with other queries, as keys and values that are kept are asked again."""
    return _changed("k", "v", "q")


def secret_no_padding(rng):
    """Nothing is padded and no row is empty."""
    return _ordinary(rng, H=2, T=5, d=3, e=4, pad=[0, 0, 0])


def secret_all_but_one(rng):
    """Of one item all positions but the last are padding, of another one is. Padding holds values of 1e6; e = 1."""
    case = _ordinary(rng, H=2, T=6, d=5, e=1, pad=[5, 1, 2])
    case["args"]["v"][0, :, :5] *= 1e6
    return case


def secret_nothing_but_padding(rng):
    """One item has no text at all, beside one that has; d = 1."""
    return _ordinary(rng, H=2, T=4, d=1, e=5, pad=[4, 1])


def secret_one_token(rng):
    """T = 1: text or not."""
    return _ordinary(rng, H=2, T=1, d=3, e=2, pad=[0, 1])


def secret_all_sizes_equal(rng):
    """B = H = T = d = e: any axis can be taken for another."""
    return _ordinary(rng, H=4, T=4, d=4, e=4, pad=[1, 0, 4, 2])


def secret_twelve_heads(rng):
    """More heads than a table of eight; one item."""
    return _ordinary(rng, H=12, T=5, d=2, e=3, pad=[2])


def secret_many_tokens(rng):
    """More than 32 positions, text on both sides of the 32nd."""
    return _ordinary(rng, H=1, T=40, d=5, e=3, pad=[17, 36])


def secret_zero_tokens(rng):
    """Zero queries, keys and values in the text, and a last row of equal scores, which is not empty. d = e."""
    case = _ordinary(rng, H=2, T=7, d=3, e=3, pad=[2, 0])
    for name, positions in (("q", [3, 6]), ("k", [2, 4]), ("v", [4, 6])):
        case["args"][name][:, :, positions] = 0.0
    return case


def secret_padding_ahead_by_1200(rng):
    """A key of the padding leads all of the text by 1200."""
    case = _ordinary(rng, H=2, T=6, d=4, e=3, pad=[2, 3])
    return _add_scores(case, 1200.0, np.arange(6) == 1)


def secret_both_ahead_by_60000(rng):
    """A key of the padding and a later one lead by almost as much as is granted."""
    case = _ordinary(rng, H=2, T=7, d=5, e=4, pad=[3, 1])
    _add_scores(case, 59_980.0 * (np.arange(7) > 4), np.arange(7) == 0)
    return _add_scores(case, 59_980.0 * (np.arange(7) < 5), np.arange(7) == 5, slot=1)


def secret_ahead_at_the_edge_of_exp(rng):
    """Three keys of the padding lead by 735 to 743: allowed exponentials are subnormal, or 0 once they are divided."""
    position = np.arange(8)
    case = _ordinary(rng, H=2, T=8, d=4, e=3, pad=[3, 4])
    case["args"]["q"] *= 0.3
    return _add_scores(case, np.array([[[0.0], [1.0]]]) + np.array([0, 0, 0, 735, 738, 741, 743, 743]), position < 3)


def secret_levels_far_apart(rng):
    """Rows of text and of padding from one end of the graded range to the other."""
    levels = np.array([-4e5, 999_980, 3e3, -999_994, -4e5, -3e4, 709.0, -744, 5e5])
    case = _ordinary(rng, H=2, T=9, d=5, e=4, pad=[2, 0])
    return _add_scores(case, levels, 1.0)


def secret_heads_and_items_far_apart(rng):
    """Each head of each item has its level, thousands apart."""
    levels = np.array([[3e3, -2e3], [0.0, 7e4], [-4e5, 900.0]])[:, :, None]
    return _add_scores(_ordinary(rng, H=2, T=5, d=4, e=3, pad=[1, 0, 3]), levels, 1.0)


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, H=3, T=5, d=4, e=6, pad=[0, 2], layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, H=2, T=6, d=3, e=4, pad=[1, 4, 0], layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first."""
    return _ordinary(rng, H=2, T=4, d=6, e=3, pad=[3, 0, 1], layout=_in_turn(2))
