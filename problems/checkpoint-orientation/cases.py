"""Cases of "The checkpoint loads without a complaint".

B items, T tokens, m model width, H heads, d the size of a head. Unless a case says otherwise tokens, matrices and
biases are random, so that no matrix is symmetric and no two biases are alike, and scores are of order 1.

The hidden set keeps these rules: square matrices with several heads and with one, H*d above m and below it; the same
arrays with another number of heads, and with any one of them changed, but for k_bias, which weights and y do not show;
biases of zeros, all of them or some; tokens of zeros, which the biases make something of; all sizes different, all
equal, T = H*d = m, each at 1; later keys ahead by 738, 1.2e3 and 6e4; rows, heads and items at different levels, up to
both ends of the graded range; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")
MATRICES = ("q_weight", "k_weight", "v_weight", "o_weight")
BIASES = ("q_bias", "k_bias", "v_bias", "o_bias")


def _case(args, layout=None):
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _arguments(rng, B, T, m, H, d):
    """Ordinary arguments: scores of order 1, so that every query shares its weight among several keys."""
    args = {"x": rng.normal(size=(B, T, m))}
    for name in "qkvo":
        out, into = (m, H * d) if name == "o" else (H * d, m)
        args[f"{name}_weight"] = 1.1 * rng.normal(size=(out, into)) / np.sqrt(into)
        args[f"{name}_bias"] = 0.6 * rng.normal(size=out)
    return args | {"n_heads": H}


def _add_scores(args, level, head_factor, of_keys=False, feature=0, place=0):
    """Add head_factor[h] * level[b, t] to all scores of query t, or of key t.

    One model feature carries the level, feature 1 is the constant 1, and one row of queries and keys holds nothing
    else.
    """
    size = len(args["q_bias"]) // args["n_heads"]
    rows = np.arange(place, len(args["q_bias"]), size)
    args["x"][:, :, feature], args["x"][:, :, 1] = level, 1.0
    for name in ("q", "k", "v"):
        args[f"{name}_weight"][:, feature] = 0.0
    for name in ("q", "k"):
        args[f"{name}_weight"][rows] = 0.0
        args[f"{name}_bias"][rows] = 0.0
    args["q_weight"][rows, 1 if of_keys else feature] = np.sqrt(size) * np.asarray(head_factor)
    args["k_weight"][rows, feature if of_keys else 1] = 1.0
    return args


def _without(args, *names):
    return args | {name: np.zeros(len(args[name])) for name in names}


def _calls():
    """Arguments of ten calls, matrices square; each differs from the one before in one, but for the corner."""
    rng = np.random.default_rng(2424)
    args, later = (_arguments(rng, B=2, T=12, m=12, H=3, d=4) for _ in range(2))
    for name in ("x", *MATRICES, *BIASES):
        later[name].flat[0] = args[name].flat[0]
    later["n_heads"] = 2
    calls = [args]
    for name in ("v_weight", "v_bias", "o_weight", "o_bias", "n_heads", "x", "q_weight", "q_bias", "k_weight"):
        calls.append(calls[-1] | {name: later[name]})
    return calls


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("x", *MATRICES, *BIASES))}


def sample_format(rng):
    """Two heads and three tokens, symmetric matrices; every token keeps to itself."""
    mirrored = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
    v_weight = np.array([[1.0, 2.0, 0.0, 1.0], [2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 3.0, 1.0], [1.0, 0.0, 1.0, 2.0]])
    o_weight = np.array([[0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 2.0, 0.0], [2.0, 1.0, 0.0, 1.0]])
    return _case(
        {
            "x": np.array([[[10.0, 17.5, 30.0, -17.5], [10.0, 17.5, -30.0, 17.5], [-20.0, -35.0, 0.0, 0.0]]]),
            "q_weight": mirrored,
            "q_bias": np.array([1.0, 0.0, -1.0, 0.0]),
            "k_weight": 2 * mirrored,
            "k_bias": np.array([0.0, 1.0, 0.0, 1.0]),
            "v_weight": v_weight,
            "v_bias": np.array([1.0, -1.0, 0.0, 2.0]),
            "o_weight": o_weight,
            "o_bias": np.array([0.0, 1.0, 0.0, -1.0]),
            "n_heads": 2,
        }
    )


def secret_square(rng):
    """H*d = m: all matrices are square, and only values tell them from their transposes; the first of ten calls."""
    return _case(_calls()[0])


def secret_other_matrix(rng):
    """The call before with another projection of values."""
    return _case(_calls()[1])


def secret_other_bias(rng):
    """The call before with another bias of the values."""
    return _case(_calls()[2])


def secret_other_output(rng):
    """The call before with another o_weight."""
    return _case(_calls()[3])


def secret_other_output_bias(rng):
    """The call before with another o_bias."""
    return _case(_calls()[4])


def secret_other_number_of_heads(rng):
    """The arrays of the call before, cut into 2 heads of 6 features instead of 3 of 4."""
    return _case(_calls()[5])


def secret_other_tokens(rng):
    """The call before with other tokens, as a layer is called again and again."""
    return _case(_calls()[6])


def secret_other_query_weight(rng):
    """The call before with another q_weight."""
    return _case(_calls()[7])


def secret_other_query_bias(rng):
    """The call before with another q_bias."""
    return _case(_calls()[8])


def secret_other_key_weight(rng):
    """The call before with another k_weight."""
    return _case(_calls()[9])


def secret_square_single_head(rng):
    """One head, square matrices, biases of zeros: no axis may be lost."""
    return _case(_without(_arguments(rng, B=2, T=5, m=6, H=1, d=6), *BIASES))


def secret_sizes_differ(rng):
    """B, T, m, H, d and H*d are pairwise different, H*d above m."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=3, d=4))


def secret_twelve_heads(rng):
    """More than ten heads, whose names sort otherwise as text; queries and keys have biases of zeros."""
    return _case(_without(_arguments(rng, B=1, T=4, m=5, H=12, d=2), "q_bias", "k_bias"))


def secret_all_sizes_equal(rng):
    """B = H = T = d = 3, m = 9: heads, features, tokens and items can be taken for each other."""
    return _case(_arguments(rng, B=3, T=3, m=9, H=3, d=3))


def secret_one_token(rng):
    """T = 1: y is made of the token's own values."""
    return _case(_arguments(rng, B=3, T=1, m=8, H=4, d=2))


def secret_one_feature(rng):
    """d = 1: one row of each projection for a head."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=4, d=1))


def secret_one_column_of_tokens(rng):
    """m = 1: products with a single column; keys and values have biases of zeros."""
    return _case(_without(_arguments(rng, B=2, T=4, m=1, H=3, d=2), "k_bias", "v_bias"))


def secret_many_tokens(rng):
    """More positions than a table of 32 holds; the output has a bias of zeros."""
    return _case(_without(_arguments(rng, B=1, T=40, m=7, H=3, d=5), "o_bias"))


def secret_zero_tokens(rng):
    """Tokens of zeros, which ask and answer with their biases, and an item of nothing else."""
    args = _arguments(rng, B=3, T=6, m=8, H=2, d=5)
    args["x"][0, [0, 3]] = 0.0
    args["x"][1, 4:] = 0.0
    args["x"][2] = 0.0
    return _case(args)


def secret_later_key_ahead_by_1200(rng):
    """A key leads by 1200, and by more in some heads, also where it may be read."""
    level = 1200.0 * (np.arange(7) == 5) * np.ones((2, 1))
    return _case(_add_scores(_arguments(rng, B=2, T=7, m=9, H=3, d=4), level, [1.0, 1.004, 1.6], of_keys=True))


def secret_later_key_ahead_by_60000(rng):
    """The last key leads all rows before it by almost as much as is granted."""
    level = 59_950.0 * (np.arange(6) == 5) * np.ones((2, 1))
    return _case(_add_scores(_arguments(rng, B=2, T=6, m=10, H=2, d=5), level, [1.0, 0.99], of_keys=True))


def secret_ahead_at_the_edge_of_exp(rng):
    """Three later keys lead by 735 to 743: allowed exponentials are subnormal, or 0 once they are divided."""
    args = _arguments(rng, B=2, T=8, m=8, H=4, d=3)
    for name in ("q_weight", "q_bias"):
        args[name] *= 0.3
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
    """Layouts in turn, Fortran order first; H*d differs from m."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=3, d=4), _in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first; all matrices are square."""
    return _case(_arguments(rng, B=3, T=6, m=8, H=2, d=4), _in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second item first; all matrices are square."""
    return _case(_arguments(rng, B=2, T=4, m=10, H=2, d=5), _in_turn(2))
