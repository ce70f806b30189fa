"""Cases of "Only the last row is right".

T tokens, m model width, d key size, e value size. Unless a case says otherwise the tokens and matrices are random, so
that scores are of order 1, no weight is near 1, and W_O is neither symmetric nor near the identity.

The hidden set keeps these rules: all sizes different, then T = m = d = e, every size at 1, T at 20 and beyond 128; the
first case again with other tokens and with other matrices one after the other; zero tokens of both signs; later keys
that lead by 738, 743.5, 1.2e3 and 6e4; rows at both ends of the graded range and of the range of exp, far apart and
shared by two keys; weights of 4e-11 behind large values; every argument in every memory layout; float32, int64 and
mixtures.
"""

import numpy as np

ENTRY = "single_head_causal"
MATRICES = ("w_q", "w_k", "w_v", "w_o")
LAYOUTS = ("fortran", "reversed", "every_second")


def _matrices(rng, m, d, e):
    shapes = {"w_q": (m, d), "w_k": (m, d), "w_v": (m, e), "w_o": (e, m)}
    return {name: rng.normal(size=shape) * 1.2 / np.sqrt(shape[0]) for name, shape in shapes.items()}


def _case(x, matrices, layout=None):
    return {"entry": ENTRY, "args": {"x": x} | matrices, "layout": layout or {}}


def _ordinary(rng, T, m, d, e, layout=None):
    return _case(rng.normal(size=(T, m)), _matrices(rng, m, d, e), layout)


def _add_scores(case, gain, per_query, per_key, slot=0, ordinary=1.0):
    """Add gain * per_query[i] * per_key[j] to the score of query i and key j.

    Two features of the tokens and one column of the projections carry the two factors and nothing else; what the other
    columns make of the scores is multiplied by `ordinary`.
    """
    args = case["args"]
    asks, answers = 2 * slot, 2 * slot + 1
    args["x"][:, asks], args["x"][:, answers] = per_query, per_key
    for name in ("w_q", "w_k"):
        args[name][[asks, answers]] = 0
        args[name][:, slot] = 0
    args["w_q"] *= ordinary
    args["w_q"][asks, slot] = gain * np.sqrt(args["w_q"].shape[1])
    args["w_k"][answers, slot] = 1
    return case


def _raise_rows(case, levels, ordinary=1.0):
    """Lift all scores of row i by levels[i], of which the weights know nothing."""
    return _add_scores(case, 1e6, np.asarray(levels) / 1e6, np.ones(len(levels)), ordinary=ordinary)


def _let_key_lead(case, lead, key):
    """Let one key lead in every row before it, where it is forbidden; later rows stay as they are."""
    position = np.arange(len(case["args"]["x"]))
    return _add_scores(case, lead, position < key, position == key)


def _cast(case, dtype, names=("x", *MATRICES)):
    case["args"] |= {name: case["args"][name].astype(dtype) for name in names}
    return case


def _in_turn(first):
    """Deal the layouts out to the arguments, beginning with LAYOUTS[first]."""
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("x", *MATRICES))}


def sample_format(rng):
    """Three tokens; whatever comes later trails by more than a thousand."""
    scores = np.array([[3.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0]])
    return _case(
        np.eye(3),
        {
            "w_q": np.eye(3) * np.sqrt(3),
            "w_k": scores.T,
            "w_v": np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]),
            "w_o": np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0]]),
        },
    )


def secret_sizes_differ(rng):
    """T, m, d and e pairwise different; W_O is not square."""
    return _ordinary(np.random.default_rng(1706), T=6, m=7, d=3, e=4)


def _repeated(*names):
    """The first case with other arrays of the same shapes for the arguments in `names`."""
    later = _ordinary(np.random.default_rng(2017), T=6, m=7, d=3, e=4)["args"]
    args = secret_sizes_differ(None)["args"]
    return {"entry": ENTRY, "args": args | {name: later[name] for name in names}, "layout": {}}


def secret_other_tokens(rng):
    """The first matrices with other tokens."""
    return _repeated("x")


def secret_other_query_matrix(rng):
    """The first tokens with another query matrix."""
    return _repeated("w_q")


def secret_other_key_matrix(rng):
    """The case before with another key matrix."""
    return _repeated("w_q", "w_k")


def secret_other_value_matrix(rng):
    """The case before with another value matrix."""
    return _repeated("w_q", "w_k", "w_v")


def secret_other_output_matrix(rng):
    """The case before with another output matrix."""
    return _repeated("w_q", "w_k", "w_v", "w_o")


def secret_all_sizes_equal(rng):
    """T = m = d = e: exchanged axes and matrices run, and only values tell."""
    return _ordinary(rng, T=5, m=5, d=5, e=5)


def secret_one_token(rng):
    """T = 1: the only key is the query's own. d = e, and m = e."""
    return _ordinary(rng, T=1, m=3, d=3, e=3)


def secret_one_wide(rng):
    """m = d = e = 1: no axis may be lost, and single features make scores."""
    case = _ordinary(rng, T=4, m=1, d=1, e=1)
    case["args"] |= {"w_q": np.array([[0.9]]), "w_k": np.array([[-1.3]]), "w_o": np.array([[-1.7]])}
    return case


def secret_twenty_tokens(rng):
    """Twenty tokens, some of which come twice; m = d, so that the tokens could ask for themselves."""
    case = _ordinary(rng, T=20, m=6, d=6, e=9)
    case["args"]["x"][[9, 17]] = case["args"]["x"][2]
    return case


def secret_many_tokens(rng):
    """More positions than 8 bits count, d at its largest and e = m: windows, tables, blocks, capped sizes."""
    return _ordinary(rng, T=150, m=8, d=100, e=8)


def secret_zero_tokens(rng):
    """Zero tokens first, between and last, of either sign: a score of exactly 0 hides nothing."""
    case = _ordinary(rng, T=7, m=5, d=5, e=3)
    case["args"]["x"][[0, 3, 6]] = [[0.0], [-0.0], [0.0]]
    return case


def secret_forbidden_ahead_by_1200(rng):
    """One later key leads all rows before it by about 1200."""
    return _let_key_lead(_ordinary(rng, T=7, m=8, d=5, e=3), lead=1200, key=5)


def secret_forbidden_ahead_by_60000(rng):
    """One later key leads by almost as much as is granted: beyond sentinels of -1e4, also of those before the scale."""
    return _let_key_lead(_ordinary(rng, T=6, m=7, d=64, e=5), lead=59_980, key=4)


def secret_forbidden_at_the_edge_of_exp(rng):
    """Allowed exponentials that are subnormal beside a later key's, and later keys whose sum is not subnormal.

    Token 0 trails eight later keys by 743.5; rows 1 to 5 trail key 6 by 738.
    """
    position = np.arange(9)
    case = _add_scores(_ordinary(rng, T=9, m=7, d=4, e=5), 743.5, position == 0, position > 0, ordinary=0)
    _add_scores(case, 738, (position > 0) & (position < 6), position == 6, slot=1)
    return _add_scores(case, 1, position > 0, rng.normal(size=9), slot=2)


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other, where nothing shared by all rows can be subtracted."""
    levels = [-3e4, 999_980, 20, -999_980, -2e3, 3e3, 700, -60, 5e5]
    return _raise_rows(_ordinary(rng, T=9, m=7, d=5, e=6), levels)


def secret_levels_at_the_edges_of_exp(rng):
    """Row maxima at which exp is finite and a sum of it is not, and at which exp is subnormal."""
    levels = [0.0, -742, 708.9, -735, 708.7, -715, 708.8, -740, 709.2]
    return _raise_rows(_ordinary(rng, T=9, m=6, d=3, e=4), levels, ordinary=0.1)


def secret_two_keys_share_a_lead(rng):
    """Seventy tokens in three kinds of rows, in each of which two keys lead by 1000 or 300 and share the weight.

    The leaders come first, late and last, so that the first, the own or any other fixed key is no maximum, and what
    was summed before they came has to be rescaled.
    """
    position = np.arange(70)
    case = _ordinary(rng, T=70, m=9, d=5, e=6)
    for kind, (pair, lead) in enumerate((((41, 60), 1000), ((0, 12), 1000), ((66, 68), 300))):
        _add_scores(case, lead, position % 3 == kind, np.isin(position, pair), slot=kind)
    return case


def secret_small_weights(rng):
    """Weights from 4e-11 to 1e-6 on values around 1e5, and a row whose scores differ by less than 1e-3."""
    trail = np.array([0, -16, -18.5, -22, -14, 0, -20, -24])
    case = _add_scores(_ordinary(rng, T=8, m=6, d=3, e=4), 24, np.ones(8), trail / 24, ordinary=0.3)
    args = case["args"]
    args["w_v"][1] *= 1e5
    args["x"][5] *= 1e-3
    args["x"][5, 0] = 0
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=7, m=6, d=5, e=4, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first; d = e."""
    return _ordinary(rng, T=6, m=4, d=5, e=5, layout=_in_turn(1))


def secret_integer_tokens(rng):
    """Small integers, every second row first; one matrix is float32."""
    case = _ordinary(rng, T=7, m=5, d=4, e=3, layout=_in_turn(2))
    case["args"]["x"] = rng.integers(-2, 3, (7, 5))
    case["args"]["w_q"] *= 0.6
    return _cast(case, np.float32, ["w_o"])


def secret_large_integers(rng):
    """Integers beyond 16 bits, in levels of rows up to 8e5 and in keys and values; a later key leads by 1000."""
    position = np.arange(8)
    sizes = np.array([200, -40_000, 99_990, 130, -70_000, 300, -129, 33_000])
    case = _add_scores(_ordinary(rng, T=8, m=7, d=5, e=4), 8, sizes, np.ones(8), slot=1)
    _add_scores(case, 1000, position < 5, position == 5)
    args = case["args"]
    args["w_v"][2] = 0
    args["x"][:, 4:] = rng.integers(-2, 3, (8, 3))
    args["w_q"][4:] *= 0.5
    args["x"][:, 6] = [66_000, -99_000, 150, -41_000, 88_000, 260, 37_000, -72_000]
    for name in ("w_q", "w_k", "w_v"):
        args[name][6] /= 5e4
    return _cast(case, np.int64, ["x"])


def secret_single_precision_levels(rng):
    """Rows near -4e5 and 4e5 and a later key ahead by 5e4 in float32.

    Tokens and projections are halves and the root of d is 2: every score is a float32 number.
    """
    position = np.arange(8)
    case = _let_key_lead(_ordinary(rng, T=8, m=7, d=4, e=5), lead=5e4, key=5)
    _add_scores(case, 4e5, np.array([-2, 1, 2, -1, 0, -2, 2, 1]) / 2, np.ones(len(position)), slot=1)
    for name in ("x", "w_q", "w_k"):
        case["args"][name] = np.rint(2 * case["args"][name]) / 2
    return _cast(case, np.float32)
