"""Cases of "Every shape fits, and the model writes nonsense".

B items, T tokens, m model width, H heads, d the size of a head. Unless a case says otherwise tokens and matrices are
random, so that no two blocks of a matrix are alike and none is symmetric, and scores are of order 1.

The hidden set keeps these rules: H = 2, 3, 6, 11 and 1; H = d = T = B = 3, so that heads, features, parts, tokens and
items can all be taken for each other; the same arrays with another number of heads, and with one matrix or the tokens
changed; w_qkv square and w_o square, both at random; H*d different from m elsewhere; each size at 1; zero tokens; later
keys ahead by 738, 1.2e3 and 6e4; rows, heads and items at different levels, up to both ends of the graded range; every
memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(args, layout=None):
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _arguments(rng, B, T, m, H, d):
    """Ordinary arguments: scores of order 1, so that every query shares its weight among several keys."""
    return {
        "x": rng.normal(size=(B, T, m)),
        "w_qkv": 1.2 * rng.normal(size=(m, H * 3 * d)) / np.sqrt(m),
        "w_o": rng.normal(size=(H * d, m)) / np.sqrt(H * d),
        "n_heads": H,
    }


def _columns(args, part, place):
    """The column at a place of the queries (0), keys (1) or values (2) of each head."""
    size = args["w_qkv"].shape[1] // (3 * args["n_heads"])
    return (3 * np.arange(args["n_heads"]) + part) * size + place


def _add_scores(args, level, head_factor, of_keys=False, feature=0, place=0):
    """Add head_factor[h] * level[b, t] to all scores of query t, or of key t.

    One model feature carries the level, feature 1 is the constant 1, and one column of queries and keys holds nothing
    else.
    """
    size = args["w_qkv"].shape[1] // (3 * args["n_heads"])
    asked, found = _columns(args, 0, place), _columns(args, 1, place)
    args["x"][:, :, feature], args["x"][:, :, 1] = level, 1.0
    args["w_qkv"][feature] = 0.0
    args["w_qkv"][:, [*asked, *found]] = 0.0
    args["w_qkv"][1 if of_keys else feature, asked] = np.sqrt(size) * np.asarray(head_factor)
    args["w_qkv"][feature if of_keys else 1, found] = 1.0
    return args


def _calls():
    """Arguments of five calls; each differs from the one before in one of them, but for the corner of an array."""
    rng = np.random.default_rng(2020)
    args, later = (_arguments(rng, B=2, T=5, m=11, H=6, d=4) for _ in range(2))
    for name in ("x", "w_qkv", "w_o"):
        later[name].flat[0] = args[name].flat[0]
    calls = [args, args | {"n_heads": 2}]
    calls.append(calls[-1] | {"w_qkv": later["w_qkv"]})
    calls.append(calls[-1] | {"w_o": later["w_o"]})
    calls.append(calls[-1] | {"x": later["x"]})
    return calls


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("x", "w_qkv", "w_o"))}


def sample_format(rng):
    """One head and three tokens; what comes later trails by more than a thousand."""
    scores = np.array([[1.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    values = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 1.0, 1.0], [0.5, 1.0, 0.0, 2.0]])
    return _case(
        {
            "x": np.array([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 3.0]]]),
            "w_qkv": np.hstack([2 * scores, np.zeros((4, 1)), np.eye(4, 3), np.zeros((4, 1)), values]),
            "w_o": np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, -1.0], [1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0]]),
            "n_heads": 1,
        }
    )


def secret_sizes_differ(rng):
    """B, T, m, H, d, H*d and 3*H*d are pairwise different; the first of five calls."""
    return _case(_calls()[0])


def secret_other_number_of_heads(rng):
    """The arrays of the call before, cut into 2 heads of 12 features instead of 6 of 4."""
    return _case(_calls()[1])


def secret_other_matrix(rng):
    """The call before with another w_qkv."""
    return _case(_calls()[2])


def secret_other_output_matrix(rng):
    """The call before with another w_o."""
    return _case(_calls()[3])


def secret_other_tokens(rng):
    """The call before with other tokens, as a layer is called again and again."""
    return _case(_calls()[4])


def secret_three_everywhere(rng):
    """B = T = H = d = 3: heads, parts, features, tokens and items can be taken for each other."""
    return _case(_arguments(rng, B=3, T=3, m=7, H=3, d=3))


def secret_eleven_heads(rng):
    """More than ten heads, whose names sort otherwise as text."""
    return _case(_arguments(rng, B=1, T=4, m=5, H=11, d=2))


def secret_one_head(rng):
    """One head, several items: no axis may be lost."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=1, d=4))


def secret_output_matrix_square(rng):
    """H*d = m: w_o is square, and only values tell it from its transpose and from none."""
    return _case(_arguments(rng, B=2, T=5, m=12, H=3, d=4))


def secret_fused_matrix_square(rng):
    """3*H*d = m: w_qkv is square."""
    return _case(_arguments(rng, B=2, T=4, m=12, H=2, d=2))


def secret_one_token(rng):
    """T = 1: y is made of the token's own values; H = d."""
    return _case(_arguments(rng, B=3, T=1, m=7, H=4, d=4))


def secret_one_feature(rng):
    """d = 1: one column for each part of a head."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=4, d=1))


def secret_one_column_of_tokens(rng):
    """m = 1: products with a single column."""
    return _case(_arguments(rng, B=2, T=4, m=1, H=3, d=2))


def secret_many_tokens(rng):
    """More positions than a table of 32 holds."""
    return _case(_arguments(rng, B=1, T=40, m=7, H=3, d=5))


def secret_zero_tokens(rng):
    """Tokens of zeros, and an item that ends in them: scores of exactly 0 hide nothing."""
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=4)
    args["x"][0, [0, 3]] = 0.0
    args["x"][1, 4:] = 0.0
    return _case(args)


def secret_later_key_ahead_by_1200(rng):
    """A key leads by 1200, and by more in some heads, also where it may be read."""
    level = 1200.0 * (np.arange(7) == 5) * np.ones((2, 1))
    return _case(_add_scores(_arguments(rng, B=2, T=7, m=9, H=3, d=4), level, [1.0, 1.004, 1.6], of_keys=True))


def secret_later_key_ahead_by_60000(rng):
    """The last key leads all rows before it by almost as much as is granted."""
    level = 59_950.0 * (np.arange(6) == 5) * np.ones((2, 1))
    return _case(_add_scores(_arguments(rng, B=2, T=6, m=8, H=2, d=5), level, [1.0, 0.99], of_keys=True))


def secret_ahead_at_the_edge_of_exp(rng):
    """Three later keys lead by 735 to 743: allowed exponentials are subnormal, or 0 once they are divided."""
    args = _arguments(rng, B=2, T=8, m=8, H=4, d=3)
    args["w_qkv"][:, np.concatenate([_columns(args, 0, place) for place in range(3)])] *= 0.3
    level = 1.0 * (np.arange(8) > 4) * np.ones((2, 1))
    return _case(_add_scores(args, level, [735.0, 738.0, 741.0, 743.0], of_keys=True))


def secret_rows_far_apart(rng):
    """Rows from one end of the graded range to the other, and near the ends of the range of exp."""
    level = np.array([[-4e5, 999_990, 3e3, -999_994, 20.0, -3e4, 709.0, -742.0, 5e5]])
    return _case(_add_scores(_arguments(rng, B=1, T=9, m=8, H=3, d=4), level, [1.0, 1.0, 1.0]))


def secret_heads_and_items_far_apart(rng):
    """Heads thousands apart in every row, and items as well."""
    level = np.array([[1.0], [-2.0]]) * np.ones((2, 5))
    return _case(_add_scores(_arguments(rng, B=2, T=5, m=8, H=3, d=4), level, [3e3, 0.0, -1e5]))


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=3, d=4), _in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _case(_arguments(rng, B=3, T=6, m=5, H=2, d=4), _in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first."""
    return _case(_arguments(rng, B=2, T=4, m=6, H=3, d=5), _in_turn(2))
