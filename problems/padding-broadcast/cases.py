"""Cases of "A batch that depends on its order".

B items, T positions, m model width, H heads, d key size, e value size. Unless a case says otherwise everything is
random, in the padding as well, scores are of order 1, items and heads differ, and W_O is neither symmetric nor near the
identity.

The hidden set keeps these rules: B = H = T first, then B = T; the same arrays with other lengths, the same lengths with
other tokens, then each matrix and the number of heads alone; lengths of 1, some, T - 1 and T side by side, in rising
and in no order, and equal ones below T; no item full; B = H, T = H = d, four square matrices, every size at 1, twelve
heads, T above 32; zero tokens in the text and in the padding; padding ahead by 738, 1.2e3 and 6e4; rows, heads and
items at levels from one end of the graded range to the other, text keys of one row thousands apart; small weights on
large values; values of 1e6 in the padding; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")
ARRAYS = ("x", "w_q", "w_k", "w_v", "w_o", "lengths")


def _matrix(rng, rows, columns, spread=1.0):
    """A random matrix that turns features of variance 1 into features of variance spread**2."""
    return rng.normal(size=(rows, columns)) * spread / np.sqrt(rows)


def _case(rng, T, m, H, d, e, lengths, layout=None):
    args = {
        "x": rng.normal(size=(len(lengths), T, m)),
        "w_q": _matrix(rng, m, H * d, 1.2),
        "w_k": _matrix(rng, m, H * d, 1.2),
        "w_v": _matrix(rng, m, H * e),
        "w_o": _matrix(rng, H * e, m),
        "n_heads": H,
        "lengths": np.array(lengths, dtype=np.int64),
    }
    return {"entry": "encoder_attention", "args": args, "layout": layout or {}}


def _add_scores(case, per_query, per_key, per_head=1.0, slot=0):
    """Add per_query[b, i] * per_key[b, j] * per_head[h] to the scores: two features carry it and nothing else."""
    args, width = case["args"], case["args"]["w_q"].shape[1]
    asking, asked = 2 * slot, 2 * slot + 1
    places = np.arange(slot, width, width // args["n_heads"])
    args["x"][..., asking], args["x"][..., asked] = per_query, per_key
    for name in ("w_q", "w_k", "w_v"):
        args[name][[asking, asked]] = 0.0
    args["w_q"][:, places] = args["w_k"][:, places] = 0.0
    args["w_q"][asking, places] = np.sqrt(width // args["n_heads"]) * np.asarray(per_head)
    args["w_k"][asked, places] = 1.0
    return case


def _four_by_four(lengths):
    return _case(np.random.default_rng(66), T=4, m=6, H=3, d=5, e=2, lengths=lengths)


def _other_tokens(*names):
    """Four items of other tokens, with other matrices of the same shapes, named in `names`."""
    case = _four_by_four([3, 1, 4, 2])
    case["args"]["x"] = np.random.default_rng(67).normal(size=(4, 4, 6))
    other = _case(np.random.default_rng(68), T=4, m=6, H=3, d=5, e=2, lengths=[3, 1, 4, 2])
    case["args"] |= {name: other["args"][name] for name in names}
    return case


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(ARRAYS)}


def sample_format(rng):
    """One item, two heads, three tokens, no padding, and W_O is the identity."""
    return {
        "entry": "encoder_attention",
        "args": {
            "x": np.array([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 3.0]]]),
            "w_q": np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, -1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]),
            "w_k": np.array([[0.0, 1.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0], [0.0, -1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]),
            "w_v": np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 1.0, 1.0], [0.5, 1.0, 0.0, 2.0]]),
            "w_o": np.eye(4),
            "n_heads": 2,
            "lengths": np.array([3]),
        },
    }


def secret_items_heads_tokens_equal(rng):
    """B = H = T: any axis can be taken for another. The shortest length is 1."""
    return _case(rng, T=3, m=7, H=3, d=4, e=5, lengths=[1, 3, 2])


def secret_four_by_four(rng):
    """B = T: a mask of items by positions has the shape of one of queries by keys."""
    return _four_by_four([2, 4, 1, 3])


def secret_four_by_four_again(rng):
    """The same arrays with other lengths, whose sum is the same."""
    return _four_by_four([3, 1, 4, 2])


def secret_other_tokens(rng):
    """The shapes, matrices and lengths of the case before with other tokens."""
    return _other_tokens()


def secret_other_query_matrix(rng):
    """The case before with another query matrix."""
    return _other_tokens("w_q")


def secret_other_key_matrix(rng):
    """The case before with another key matrix."""
    return _other_tokens("w_q", "w_k")


def secret_other_value_matrix(rng):
    """The case before with another value matrix."""
    return _other_tokens("w_q", "w_k", "w_v")


def secret_other_output_matrix(rng):
    """The case before with another output matrix."""
    return _other_tokens("w_q", "w_k", "w_v", "w_o")


def secret_one_head_of_three(rng):
    """The case before with its columns in one head."""
    case = _other_tokens("w_q", "w_k", "w_v", "w_o")
    case["args"]["n_heads"] = 1
    return case


def secret_sizes_differ(rng):
    """All sizes and their products are different; the longer item comes first."""
    return _case(rng, T=5, m=7, H=3, d=4, e=6, lengths=[5, 2])


def secret_no_item_full(rng):
    """The longest item is shorter than T, and the padding holds values of 1e6, of which no score knows."""
    case = _case(rng, T=6, m=5, H=2, d=3, e=4, lengths=[4, 2, 3])
    padding = np.arange(6) >= case["args"]["lengths"][:, None]
    case["args"]["w_q"][0] = case["args"]["w_k"][0] = 0.0
    case["args"]["x"][padding, 0] = 1e6 * (1.0 + rng.random(padding.sum()))
    return case


def secret_one_item(rng):
    """B = H = 1, padded."""
    return _case(rng, T=6, m=5, H=1, d=4, e=3, lengths=[4])


def secret_one_token(rng):
    """B = T = 1."""
    return _case(rng, T=1, m=5, H=2, d=3, e=4, lengths=[1])


def secret_square(rng):
    """d = e = m/H: all four matrices are square."""
    return _case(rng, T=5, m=12, H=3, d=4, e=4, lengths=[3, 4])


def secret_tokens_heads_key_size_equal(rng):
    """T = H = d."""
    return _case(rng, T=4, m=6, H=4, d=4, e=3, lengths=[2, 4])


def secret_one_feature(rng):
    """m = d = e = 1: products with a single column."""
    return _case(rng, T=5, m=1, H=3, d=1, e=1, lengths=[3, 5])


def secret_twelve_heads(rng):
    """More heads than a table of eight; two texts of one length, which is not T."""
    return _case(rng, T=4, m=5, H=12, d=2, e=3, lengths=[3, 3])


def secret_many_tokens(rng):
    """More than 32 positions, text and padding on both sides of the 32nd."""
    return _case(rng, T=40, m=5, H=2, d=3, e=4, lengths=[9, 37])


def secret_zero_tokens(rng):
    """Tokens of zeros at the beginning, in the middle and at the end of texts, and in some of the padding."""
    case = _case(rng, T=6, m=5, H=3, d=2, e=4, lengths=[3, 5, 6])
    x = case["args"]["x"]
    x[0, [1, 2, 4]] = x[1, [0, 2]] = x[2, 4:] = 0.0
    return case


def secret_padding_ahead_by_1200(rng):
    """A key of the padding leads all of the text by 1200."""
    case = _case(rng, T=5, m=7, H=2, d=4, e=3, lengths=[3, 4, 5])
    return _add_scores(case, 1200.0, [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])


def secret_padding_ahead_by_60000(rng):
    """The first key of the padding leads by almost as much as is granted; rows lie low and high."""
    case = _case(rng, T=6, m=9, H=2, d=5, e=4, lengths=[4, 2])
    _add_scores(case, [3e3, 0.0, -2e3, -4e5, 20.0, 9e4], 1.0, slot=1)
    return _add_scores(case, 59_980.0, np.arange(6) == case["args"]["lengths"][:, None])


def secret_ahead_at_the_edge_of_exp(rng):
    """Keys of the padding lead by 735 to 743: exponentials of the text are subnormal, or 0 once they are divided."""
    case = _case(rng, T=7, m=8, H=2, d=4, e=3, lengths=[4, 5])
    case["args"]["w_q"] *= 0.3
    return _add_scores(case, [735.0, 737, 738, 739, 741, 742, 743], np.arange(7) > 4)


def secret_levels_far_apart(rng):
    """Rows of text and of padding from one end of the graded range to the other."""
    levels = [-4e5, 999_990, 3e3, -999_990, 0.0, -3e4, 709.0, -744, -4e5]
    return _add_scores(_case(rng, T=9, m=8, H=2, d=5, e=4, lengths=[6, 8]), levels, 1.0)


def secret_keys_far_apart(rng):
    """Keys of one text thousands apart; weights down to 1e-12 meet a feature of 1e7, of which no score knows."""
    case = _case(rng, T=7, m=8, H=2, d=5, e=3, lengths=[6, 5])
    _add_scores(case, [1.0, 0.0, -1.0, 0.02, 1.0, 1.0, 2.0], [900.0, -4e3, 875.0, 0.0, 883.0, 876.0, 950.0])
    case["args"]["w_q"][7] = case["args"]["w_k"][7] = 0.0
    case["args"]["x"][:, :, 7] = [1.0, 2.0, 1e7, -1.0, 1.0, 9e6, 3.0]
    return case


def secret_heads_and_items_far_apart(rng):
    """Each head of each item has its level, thousands apart."""
    case = _case(rng, T=5, m=7, H=3, d=4, e=3, lengths=[3, 2, 4])
    return _add_scores(case, np.array([[1.0], [-0.5], [0.1]]), 1.0, per_head=[4e3, -4e5, 9e5])


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _case(rng, T=5, m=7, H=3, d=4, e=2, lengths=[2, 4], layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _case(rng, T=6, m=5, H=2, d=3, e=4, lengths=[1, 5, 4], layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first."""
    return _case(rng, T=4, m=6, H=2, d=5, e=3, lengths=[3, 2, 4], layout=_in_turn(2))
