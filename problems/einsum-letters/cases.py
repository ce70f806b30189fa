"""Cases of "A prompt that answers for its neighbours".

B items, T tokens, m model width, H heads, d key size, e value size. Unless a case says otherwise tokens and matrices
are random, so that items and heads differ, scores are of order 1, and W_O is neither symmetric nor near the identity.

The hidden set keeps these rules: all sizes and widths different; the same call with another second item, with each
matrix exchanged and with another number of heads; one item, eight items, B = H = T, items of zeros among others; every
size at 1 and at its largest; later keys ahead by 735, 1.2e3 and 6e4; rows, heads and items far apart, down to both
ends of the graded range; weights of 1e-8 and 1e-10 behind large values; every argument in every memory layout;
float32, int64 and mixtures.
"""

import numpy as np

MATRICES = ("w_q", "w_k", "w_v", "w_o")
LAYOUTS = ("fortran", "reversed", "every_second")


def _matrices(rng, m, H, d, e):
    shapes = {"w_q": (m, H * d), "w_k": (m, H * d), "w_v": (m, H * e), "w_o": (H * e, m)}
    return {name: rng.normal(size=shape) * 1.2 / np.sqrt(shape[0]) for name, shape in shapes.items()}


def _case(x, matrices, H, layout=None):
    return {"entry": "attention", "args": {"x": x} | matrices | {"n_heads": H}, "layout": layout or {}}


def _ordinary(rng, B, T, m, H, d, e, layout=None):
    return _case(rng.normal(size=(B, T, m)), _matrices(rng, m, H, d, e), H, layout)


def _add_scores(case, per_query, per_key, head_factor, slot=0):
    """Add head_factor[h] * per_query[b, i] * per_key[b, j] to the scores; both are broadcast to (B, T).

    Two features of the tokens and one key column of each head carry the factors and nothing else, not even values.
    """
    args = case["args"]
    asks, answers = 2 * slot, 2 * slot + 1
    args["x"][:, :, asks], args["x"][:, :, answers] = per_query, per_key
    width, heads = args["w_q"].shape[1], args["n_heads"]
    columns = np.arange(slot, width, width // heads)
    for name in ("w_q", "w_k", "w_v"):
        args[name][[asks, answers]] = 0
    for name in ("w_q", "w_k"):
        args[name][:, columns] = 0
    args["w_q"][asks, columns] = np.asarray(head_factor) * np.sqrt(width // heads)
    args["w_k"][answers, columns] = 1
    return case


def _cast(case, dtype, names):
    case["args"] |= {name: case["args"][name].astype(dtype) for name in names}
    return case


def _in_turn(first):
    """Deal the layouts out to the arrays, beginning with LAYOUTS[first]."""
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("x", *MATRICES))}


def sample_format(rng):
    """One item, two heads, three tokens, each of which reads itself only."""
    own = np.hstack([3000.0 * np.eye(3), 4000.0 * np.eye(3)])
    return _case(
        np.eye(3)[None],
        {
            "w_q": own,
            "w_k": np.hstack([np.eye(3), np.eye(3)]),
            "w_v": np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, -1.0, 3.0], [2.0, -1.0, 0.0, 1.0]]),
            "w_o": np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 2.0, 1.0], [1.0, 0.0, 0.0]]),
        },
        2,
    )


def _first():
    return _ordinary(np.random.default_rng(2304), B=2, T=5, m=7, H=3, d=4, e=6)


def secret_sizes_differ(rng):
    """B, T, m, H, d, e, H*d and H*e pairwise different; W_O is not square."""
    return _first()


def secret_second_item_exchanged(rng):
    """The call before with another second item: the first one keeps its answer, the second does not."""
    case = _first()
    case["args"]["x"][1] = rng.normal(size=(5, 7))
    return case


def _with(name, seed):
    """The first call with one other matrix."""
    case = _first()
    case["args"][name] = _matrices(np.random.default_rng(seed), m=7, H=3, d=4, e=6)[name]
    return case


def secret_other_query_matrix(rng):
    """The first call with another W_Q."""
    return _with("w_q", 1)


def secret_other_key_matrix(rng):
    """The first call with another W_K."""
    return _with("w_k", 2)


def secret_other_value_matrix(rng):
    """The first call with another W_V."""
    return _with("w_v", 3)


def secret_other_output_matrix(rng):
    """The first call with another W_O."""
    return _with("w_o", 4)


def secret_other_number_of_heads(rng):
    """The arrays of the first call, cut into two heads."""
    case = _first()
    case["args"]["n_heads"] = 2
    return case


def secret_one_item(rng):
    """B = 1 with several heads: no axis may be lost, and W_O is square."""
    return _ordinary(rng, B=1, T=6, m=8, H=2, d=3, e=4)


def secret_eight_items(rng):
    """B, m, d and e at their largest; m = d = e, and more items than tokens."""
    return _ordinary(rng, B=8, T=4, m=16, H=2, d=16, e=16)


def secret_items_heads_tokens_equal(rng):
    """B = H = T = d = e and m = H*d: any two letters can be exchanged, and only values tell."""
    return _ordinary(rng, B=3, T=3, m=9, H=3, d=3, e=3)


def secret_zero_items(rng):
    """Items of zeros beside others, and tokens of zeros of either sign: a score of exactly 0 hides nothing. H = d."""
    case = _ordinary(rng, B=4, T=6, m=5, H=2, d=2, e=3)
    x = case["args"]["x"]
    x[1] = 0.0
    x[2, [0, 3]] = [[0.0], [-0.0]]
    x[3, 4:] = 0.0
    return case


def secret_one_token(rng):
    """T = 1: the only key is the query's own. W_O is square."""
    return _ordinary(rng, B=3, T=1, m=8, H=4, d=3, e=2)


def secret_one_head(rng):
    """H = 1 with several items; W_V and W_O are square, and T = d."""
    return _ordinary(rng, B=2, T=4, m=6, H=1, d=4, e=6)


def secret_one_feature(rng):
    """m = e = 1: products with a single column."""
    return _ordinary(rng, B=2, T=5, m=1, H=3, d=2, e=1)


def secret_twelve_heads(rng):
    """More heads than ten, one key column each."""
    return _ordinary(rng, B=2, T=4, m=5, H=12, d=1, e=2)


def secret_many_tokens(rng):
    """T at its largest."""
    return _ordinary(rng, B=2, T=80, m=8, H=2, d=7, e=3)


def secret_forbidden_ahead_by_1200(rng):
    """Later keys lead by 735, where exp keeps two or three digits, in one item and by 1.2e3 in the other."""
    case = _ordinary(rng, B=2, T=7, m=9, H=3, d=5, e=4)
    lead = np.zeros((2, 7))
    lead[0, 6], lead[1, 4] = 735.0, 1200.0
    return _add_scores(case, 1.0, lead, [1.0, 1.004, 1.5])


def secret_forbidden_ahead_by_60000(rng):
    """The last key leads all rows before it by almost as much as is granted."""
    case = _ordinary(rng, B=2, T=6, m=8, H=3, d=4, e=5)
    return _add_scores(case, 1.0, 59_950.0 * (np.arange(6) == 5), [1.0, 0.95, 1.0])


def secret_levels_in_thousands(rng):
    """Rows of one head thousands apart, keys of a row close together, and rows near the lower edge of exp."""
    level = [[3000.0, -2000.0, 900.0, 5000.0, -4000.0, 708.0], [-1200.0, 4000.0, 7000.0, -900.0, 2500.0, -738.0]]
    return _add_scores(_ordinary(rng, B=2, T=6, m=9, H=3, d=4, e=5), level, 1.0, [1.0, -0.8, 1.3])


def secret_heads_and_items_far_apart(rng):
    """One head at both ends of the graded range, in one item each; another one thousands away from the rest."""
    case = _ordinary(rng, B=2, T=4, m=8, H=3, d=5, e=6)
    return _add_scores(case, [[-9.8], [9.8]], 1.0, [0.0, 2000.0, 1e5])


def secret_small_weights(rng):
    """Weights near 1e-8 and, in item 1, near 1e-10 on values so large that y shows whatever drops or rounds them."""
    case = _ordinary(rng, B=2, T=6, m=8, H=3, d=4, e=5)
    case["args"]["w_q"] *= 0.4
    trail = np.array([[20.0, 3.0, 2.0, 20.0, 1.0, 4.0], [0.5, 24.0, 23.5, 1.5, 2.0, 24.0]])
    _add_scores(case, 1.0, trail, [1.0, 1.0, 1.02])
    case["args"]["x"][:, :, 2] = np.where(trail < 10, [[1e5], [1e7]], 0.0)
    case["args"]["w_q"][2] = case["args"]["w_k"][2] = 0.0
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, B=3, T=5, m=6, H=2, d=4, e=5, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first; x and W_V are float32."""
    return _cast(_ordinary(rng, B=2, T=6, m=7, H=4, d=3, e=2, layout=_in_turn(1)), np.float32, ("x", "w_v"))


def secret_integer_tokens(rng):
    """x int64, every second item first; rows of one head thousands apart; integers up to 1e5, in the values too."""
    case = _ordinary(rng, B=2, T=6, m=8, H=3, d=5, e=4, layout=_in_turn(2))
    args = case["args"]
    args["x"] = rng.integers(-2, 3, size=(2, 6, 8)).astype(np.float64)
    args["x"][:, :, 2] = rng.integers(33_000, 100_001, size=(2, 6)) * rng.choice([-1, 1], size=(2, 6))
    args["w_q"][2] = args["w_k"][2] = 0.0
    level = [[60_000, -40_000, 18_000, 100_000, -80_000, 0], [-24_000, 80_000, 99_000, -18_000, 50_000, 7]]
    _add_scores(case, level, 1.0, [0.05, -0.04, 0.07])
    return _cast(case, np.int64, ("x",))


def secret_single_precision(rng):
    """All float32, every score exact there: rows between -800 and 600 in one item, near -4e5 in the other."""
    case = _ordinary(rng, B=2, T=6, m=9, H=3, d=4, e=5)
    level = [[150.0, -200.0, 400.0, -160.0, 300.0, -250.0], [-4e5] * 6]
    _add_scores(case, level, 1.0, [1.0, -2.0 / 4, 2.0])
    args = case["args"]
    args["x"][:, :, 2:] = rng.integers(-1, 2, size=(2, 6, 7))
    for name in ("w_q", "w_k"):
        args[name][2:] = np.rint(2 * args[name][2:]) / 2
    return _cast(case, np.float32, ("x", *MATRICES))
