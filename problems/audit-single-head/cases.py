"""Inputs of the cases; a function's name is its case's name, its docstring says what the case is there for.

The sample shows the format only and is blind on purpose: with one token every softmax is 1 and nothing is masked.

In short (T tokens, m model width, d key size, e value size):

* Sizes: one case in which all four differ, then each pair that may agree, T = 1, 2, 3 and 40, everything 1, d far
  above m, and once the statement's largest. Equal sizes let wrong axes run, so W_O is square in some cases and never
  symmetric.
* Earlier calls: equal sizes again, each time with one argument changed below its first row or by less than 1e-4; the
  same tokens with one more, and fewer; the same bytes in other shapes, the same memory in another order, the same sums
  and the same ends. Whatever is kept of earlier calls has to be kept by all of this.
* Causality: a forbidden key that leads by about 738, 743.5, 1600 or 6e4, or trails by 715 to 735; tokens, queries
  and keys that are zero; tokens that come twice.
* Large scores: rows at levels up to 1e6 and at both ends of the range of exp; spreads of 1600 within a row, shared by
  two leading keys; small weights that count. Again in integers and, exactly representable, in single precision.
* dtypes and memory layouts: each argument in each layout, in double and in single precision and, for x, in integers;
  each argument alone in single precision, and two mixtures.

Outside the large-score cases weights and scores are of order 1, far from one-hot. No matrix is near the identity or
symmetric, W_Q, W_K and W_V always differ.
"""

import numpy as np

ENTRY = "single_head_causal"
ARGUMENTS = ("x", "w_q", "w_k", "w_v", "w_o")
LAYOUTS = ("fortran", "reversed", "every_second")


def _matrices(rng, m, d, e):
    """Draw w_q, w_k, w_v, w_o so that queries, keys, values and scores are of order 1."""
    shapes = {"w_q": (m, d), "w_k": (m, d), "w_v": (m, e), "w_o": (e, m)}
    return {name: rng.normal(0, 1.2 / np.sqrt(shape[0]), shape) for name, shape in shapes.items()}


def _case(x, matrices, layout=None):
    return {"entry": ENTRY, "args": {"x": x, **matrices}, "layout": layout or {}}


def _ordinary(rng, t, m, d, e, layout=None):
    return _case(rng.normal(size=(t, m)), _matrices(rng, m, d, e), layout)


def _with_scores(rng, queries, keys, gains, m, d, e, ordinary=1.0):
    """Give query i and key j the score sum over c of gains[c] queries[c][i] keys[c][j], plus differences of order 1.

    The first coordinates of a token are its keys[c], the next ones its queries[c]. They take the first coordinates of
    the projections for themselves; all other coordinates make the ordinary part, whose size is `ordinary`.
    """
    matrices = _matrices(rng, m, d, e)
    queries, keys, n = np.transpose(queries), np.transpose(keys), len(gains)
    x = rng.normal(size=(len(keys), m))
    x[:, :n] = keys
    x[:, n : 2 * n] = queries
    matrices["w_q"] *= ordinary
    for name, row, size in (("w_k", 0, np.ones(n)), ("w_q", n, np.multiply(gains, np.sqrt(d)))):
        matrices[name][:, :n] = 0
        matrices[name][row : row + n, :n] = np.diag(size)
    return _case(x, matrices)


def _with_row_levels(rng, levels, m, d, e, ordinary=1.0):
    """Give row i scores of levels[i] plus differences of order 1. Only w_q is large."""
    levels = np.asarray(levels)
    return _with_scores(rng, [levels / 1e6], [np.ones(len(levels))], [1e6], m, d, e, ordinary)


def _with_two_leaders(rng):
    """Forty tokens in three kinds of rows, in each of which two keys share the weight.

    Tokens are multiples of 1/64, so that their sums are the same in every order.
    """
    position = np.arange(40)
    queries = [position % 3 == kind for kind in range(3)]
    keys = [np.isin(position, pair) for pair in ((21, 30), (0, 12), (33, 35))]
    case = _with_scores(rng, queries, keys, [1600, 1600, 300], m=26, d=5, e=6)
    case["args"]["x"] = np.rint(64 * case["args"]["x"]) / 64
    return case


def _with_leading_key(rng, lead, leader, t, m, d, e):
    """Let key `leader` lead by `lead` in every row before it, where it is forbidden; later rows stay ordinary."""
    position = np.arange(t)
    return _with_scores(rng, [position < leader], [position == leader], [lead], m, d, e)


def _same_but(changed=None, layout=None):
    """Return one and the same ordinary case; of the argument `changed` all rows but the first change places.

    Tokens have two decimals, so that a small change is lost where they are rounded.
    """
    case = _ordinary(np.random.default_rng(2017), t=6, m=7, d=3, e=4, layout=layout)
    case["args"]["x"] = case["args"]["x"].round(2)
    if changed:
        rows = case["args"][changed]
        rows[1:] = np.roll(rows[1:], 1, axis=0)
    return case


def _same_bytes(m):
    """Return the same numbers in the same order for m = 8 or 2; the sizes T, d and e share the rest."""
    rng = np.random.default_rng(2018)
    x, matrices = rng.normal(size=(2, 8)), _matrices(rng, m=8, d=6, e=6)
    shapes = {name: (-1, m) if name == "w_o" else (m, -1) for name in matrices}
    return _case(x.reshape(-1, m), {name: matrix.reshape(shapes[name]) for name, matrix in matrices.items()})


def _layouts(first):
    """Deal the three layouts out to the arguments in turn, beginning with LAYOUTS[first]."""
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(ARGUMENTS)}


def _cast(case, dtype, names=ARGUMENTS):
    case["args"].update({name: case["args"][name].astype(dtype) for name in names})
    return case


def _integer_tokens(rng, first_layout):
    x = rng.integers(-3, 4, (6, 5))
    x[3] = 0
    return _case(x, {name: 0.6 * w for name, w in _matrices(rng, m=5, d=4, e=3).items()}, _layouts(first_layout))


def sample_first_token(rng):
    """The first token of the statement's worked example."""
    matrices = {
        "w_q": np.array([[0.5, 0.5], [-0.5, 0.5]]),
        "w_k": np.array([[2, 0.5], [-0.5, 0.5]]),
        "w_v": np.array([[-1, 2], [0.5, -0.5]]),
        "w_o": np.array([[1, 0.5], [-1, 2]]),
    }
    return _case(np.array([[-2, -0.5]]), matrices)


def secret_all_sizes_differ(rng):
    """T, m, d and e pairwise different, W_O not square: exchanged axes show by shape, every wrong scale by value."""
    return _same_but()


def secret_other_w_v(rng):
    """The case before with another w_v, the only single precision matrix: what is remembered must hold the values."""
    return _cast(_same_but("w_v"), np.float32, ["w_v"])


def secret_other_w_o(rng):
    """The same with another w_o, the only matrix in single precision now."""
    return _cast(_same_but("w_o"), np.float32, ["w_o"])


def secret_tokens_equal_model_width(rng):
    """T = m alone, where x may be transposed: the tokens of the case before and one more, under other matrices."""
    x = np.vstack([_same_but()["args"]["x"], rng.normal(size=(1, 7))])
    return _case(x, _matrices(rng, m=7, d=3, e=4))


def secret_tokens_equal_value_size(rng):
    """T = e alone, where the values may be transposed: the first of the tokens before, under other matrices again."""
    return _case(_same_but()["args"]["x"][:4], _matrices(rng, m=7, d=3, e=4))


def secret_one_token(rng):
    """The sample's token under other matrices in Fortran order: T = 1, m = e, not to be answered from memory."""
    matrices = _matrices(rng, m=2, d=3, e=2)
    return _case(np.array([[-2, -0.5]]), matrices, dict.fromkeys(matrices, "fortran"))


def secret_two_tokens(rng):
    """T below every width, d = e."""
    return _same_bytes(m=8)


def secret_many_features(rng):
    """T a power of two, d = e far above m; each argument has the bytes of the case before, in another shape."""
    return _same_bytes(m=2)


def secret_everything_square(rng):
    """T = m = d = e, with three tokens."""
    return _ordinary(np.random.default_rng(2019), t=3, m=3, d=3, e=3)


def secret_everything_transposed(rng):
    """Each argument of the case before transposed and in Fortran order: other matrices, the same memory."""
    args = secret_everything_square(rng)["args"]
    matrices = {name: args[name].T for name in ARGUMENTS[1:]}
    return _case(args["x"].T, matrices, dict.fromkeys(ARGUMENTS, "fortran"))


def secret_everything_one_wide(rng):
    """m = d = e = 1: no axis of length 1 may be squeezed away, and a single feature still makes scores."""
    case = _ordinary(rng, t=5, m=1, d=1, e=1)
    case["args"].update(w_q=np.array([[0.9]]), w_k=np.array([[-1.2]]), w_o=np.array([[-1.7]]))
    return case


def secret_largest_sizes(rng):
    """T, m and d at the statement's limits, e next to it: windows, tables, blocks, int8 positions, time and memory."""
    return _ordinary(rng, t=200, m=50, d=100, e=49)


def secret_zero_tokens(rng):
    """Scores that are exactly 0 are no masked ones: zero tokens first, in between (of -0) and last; m = d but not e."""
    case = _ordinary(rng, t=6, m=5, d=5, e=3)
    case["args"]["x"][[0, 2, 5]] = [[0.0], [-0.0], [0.0]]
    return case


def secret_nothing_but_zero_tokens(rng):
    """All tokens are zero, in integers: rows are uniform, y is 0, and a floating point array even so."""
    case = _ordinary(rng, t=4, m=3, d=2, e=5)
    case["args"]["x"][:] = 0
    return _cast(case, np.int64, ["x"])


def secret_repeated_tokens(rng):
    """Equal tokens at different positions; a zero query and a zero key whose tokens are not zero.

    m = d = e and not T: all matrices may be transposed or exchanged, W_O shows by value only.
    """
    case = _ordinary(rng, t=8, m=6, d=6, e=6)
    args = case["args"]
    args["x"][[4, 5]] = args["x"][1]
    args["x"][2] = [1, 0, 0, 0, 0, 0]
    args["w_q"][0] = 0
    args["x"][3] = [0, 2, 0, 0, 0, 0]
    args["w_k"][1] = 0
    return case


def secret_future_trails(rng):
    """Two forbidden keys trail by 715 and 735: exp does not make them 0, the mask must; T = d alone."""
    position = np.arange(8)
    trail = -715.0 * (position == 5) - 735 * (position == 6)
    return _with_scores(rng, [position < 5], [trail / 735], [735], m=6, d=8, e=5)


def secret_future_ahead_by_60000(rng):
    """The lead is beyond a sentinel of -1e4, and of -5e5 before the scale; it stays within the statement's limit."""
    return _with_leading_key(rng, lead=59_980, leader=4, t=6, m=7, d=98, e=4)


def secret_future_at_the_edge_of_exp(rng):
    """What underflow leaves over must not pass for weights.

    Token 0 scores itself 0 and all eight later keys 743.5: exp is still above 0, its share of the sum is not. In rows
    1 to 5 key 6 leads by 738, so that the exponentials of the allowed keys are subnormal and have lost their digits.
    """
    position = np.arange(9)
    middle = (position > 0) & (position < 6)
    queries = [position == 0, middle, position > 0]
    keys = [position > 0, position == 6, rng.normal(size=9)]
    return _with_scores(rng, queries, keys, [743.5, 738, 1], m=7, d=4, e=5, ordinary=0)


def secret_rows_near_minus_a_million(rng):
    """All rows at the lower limit of the statement, far below the usual fills; before the scale ten times as far."""
    return _with_row_levels(rng, -999_960 + rng.uniform(-20, 20, 6), m=5, d=100, e=4)


def secret_row_levels_far_apart(rng):
    """Rows up to both limits of the statement, where a maximum, a fill or a clip for all rows cannot be right."""
    return _with_row_levels(rng, [-3e4, 999_980, 20, -999_980, -2e4, 700, -60, 5e5, -5e5], m=7, d=5, e=6)


def secret_rows_at_the_edges_of_exp(rng):
    """Row maxima where exp is finite but a sum of it is not, and where exp is subnormal: a shift is always due."""
    levels = [0.0, -742, 708.9, -735, 708.7, -715, 708.8, -740, 709.2]
    return _with_row_levels(rng, levels, m=6, d=3, e=4, ordinary=0.1)


def secret_two_leaders_far_above(rng):
    """Rows with a spread of 1600 or 300 in which two keys share the weight; their leaders come late, or first.

    Row kinds take turns. Kind 0: keys 21 and 30 lead by 1600; kind 1: keys 0 and 12 do; kind 2: keys 33 and 35 lead
    by 300. So the first key, the own key, the key before, the smallest, mean or median score are no shifts in place
    of the maximum, and sums over blocks of keys have to be rescaled when a late key takes the lead.
    """
    return _with_two_leaders(np.random.default_rng(2020))


def secret_two_leaders_elsewhere(rng):
    """The same rows again, all but the three at each end in reverse: sums, ends and a shortened print stay the same."""
    case = _with_two_leaders(np.random.default_rng(2020))
    case["args"]["x"][3:-3] = case["args"]["x"][3:-3][::-1].copy()
    return case


def secret_small_weights_count(rng):
    """Weights from 4e-11 to 1e-6 on values around 1e5, and one row whose scores differ by less than 1e-3."""
    trail = np.array([0, -16, -18.5, -22, -14, 0, -20, -24])
    case = _with_scores(rng, [np.ones(8)], [trail / 24], [24], m=6, d=3, e=4, ordinary=0.3)
    args = case["args"]
    args["w_v"][0] *= 1e5
    args["x"][5] *= 1e-3
    args["x"][5, 1] = 0
    return case


def secret_layouts_other_x(rng):
    """Layouts dealt out in turn, Fortran order first; the later tokens differ from known ones by 3e-5."""
    case = _same_but(layout=_layouts(0))
    case["args"]["x"][1:] += 3e-5
    return case


def secret_layouts_other_w_q(rng):
    """The same tokens, reversed axes first, with another w_q, the only one in single precision."""
    return _cast(_same_but("w_q", _layouts(1)), np.float32, ["w_q"])


def secret_layouts_other_w_k(rng):
    """The same, every second row first, with another w_k, the only one in single precision."""
    return _cast(_same_but("w_k", _layouts(2)), np.float32, ["w_k"])


def secret_integers_in_fortran_order(rng):
    """Integer tokens, double precision matrices: nothing may be computed in, or returned as, integers."""
    return _integer_tokens(rng, 0)


def secret_integers_reversed(rng):
    """Integer tokens with single precision matrices."""
    return _cast(_integer_tokens(rng, 1), np.float32, ARGUMENTS[1:])


def secret_integers_every_second_row(rng):
    """Integer tokens in the remaining layout; w_k and w_o in single precision, w_q and w_v in double."""
    return _cast(_integer_tokens(rng, 2), np.float32, ["w_k", "w_o"])


def secret_large_integers(rng):
    """Integers beyond 8 and 16 bits, row levels up to 8e5 and a forbidden key that leads by 3000."""
    position = np.arange(8)
    sizes = [200, -40_000, 99_990, 130, -70_000, 300, -129, 33_000]
    keys, queries = [np.ones(8), position == 5], [sizes, position < 5]
    case = _with_scores(rng, queries, keys, [8, 3000], m=7, d=5, e=4, ordinary=0.6)
    for name in ("w_q", "w_k", "w_v"):
        case["args"][name][2, 2 if name != "w_v" else 0 :] *= 1e-5  # the sizes count as levels, not as features
    case["args"]["x"] = np.rint(case["args"]["x"]).astype(np.int64)
    return case


def secret_single_precision_one(rng):
    """Single precision throughout, layouts in turn; the root of 3 is no number of half precision."""
    return _cast(_ordinary(rng, t=7, m=6, d=3, e=5, layout=_layouts(0)), np.float32)


def secret_single_precision_two(rng):
    """The same shapes again: buffers and caches kept for float32 show."""
    return _cast(_ordinary(rng, t=7, m=6, d=3, e=5, layout=_layouts(1)), np.float32)


def secret_single_precision_three(rng):
    """The third layout of each argument."""
    return _cast(_ordinary(rng, t=7, m=6, d=3, e=5, layout=_layouts(2)), np.float32)


def secret_single_precision_far_levels(rng):
    """Rows near -4e5 and 4e5 and a forbidden key ahead by 5e4 in single precision.

    Tokens and projections are multiples of 1/2 and the root of d is 2, so every score is a float32 number exactly and
    a solution that works in single precision loses nothing before the softmax.
    """
    position = np.arange(8)
    levels = np.array([-2, 1, 2, -1, 0, -2, 2, 1]) / 2
    case = _with_scores(rng, [levels, position < 5], [np.ones(8), position == 5], [4e5, 5e4], m=7, d=4, e=5)
    for name in ("x", "w_q", "w_k"):
        case["args"][name] = np.rint(2 * case["args"][name]) / 2
    return _cast(case, np.float32)


def secret_only_tokens_in_single_precision(rng):
    """float32 tokens, float64 matrices."""
    return _cast(_ordinary(rng, t=6, m=5, d=3, e=4), np.float32, ["x"])


def secret_tokens_and_two_matrices_in_single_precision(rng):
    """float32 tokens, w_q and w_v; float64 w_k and w_o: the two factors of each product may differ."""
    return _cast(_ordinary(rng, t=5, m=6, d=4, e=3), np.float32, ["x", "w_q", "w_v"])
