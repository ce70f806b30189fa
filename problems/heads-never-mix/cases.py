"""Cases of "Attention heads that never mix".

Every secret case says what it is for. B items, T tokens, m model width, H heads, d key size, e value size. Unless a
case says otherwise the matrices are random (so W_O is neither symmetric nor near the identity), all different, the
items differ, and the sizes are such that no two axes can be mistaken for each other.

The hidden set keeps these rules: calls that repeat an earlier one in all but one respect (each matrix, some tokens,
n_heads, B and T exchanged, one token more) and pairs of equal shape; W_O square and not square; every size at 1 and at
its maximum; every coincidence of sizes that tempts (T = d, T = e, B = H = T, B = T, B = m, B = e, H = T = m, H = d,
H = e, m = d, m = e, H*d = T); tokens, the end of an item, an item and a whole batch of zeros, -0.0 among them, and
matrices of zeros; future keys ahead by 735, by 1.2e3 and by 6e4; score levels near -738, in the thousands, near -4e5
and at both ends of the range; weights of 1e-8 and of 1e-17 that y shows; every array in every memory order; float32,
int64 and mixtures of them.
"""

import numpy as np


def _matrix(rng, rows, columns, spread=1.0):
    """Random matrix that turns features of variance 1 into features of variance spread**2."""
    return rng.normal(size=(rows, columns)) * spread / np.sqrt(rows)


def _arguments(rng, B, T, m, H, d, e):
    """Ordinary arguments: scores of order 1, so that every query shares its weight among several keys."""
    return {
        "x": rng.normal(size=(B, T, m)),
        "w_q": _matrix(rng, m, H * d, spread=1.2),
        "w_k": _matrix(rng, m, H * d, spread=1.2),
        "w_v": _matrix(rng, m, H * e),
        "w_o": _matrix(rng, H * e, m),
        "n_heads": H,
    }


def _case(args, layout=None):
    case = {"entry": "multi_head_attention", "args": args}
    if layout is not None:
        case["layout"] = layout
    return case


def _reserve_level(args, level, feature, column):
    """Give two model features a fixed role: `feature` carries level[b, t], 1 is the constant 1. Nothing reads it yet.

    One key column of every head is emptied; the caller connects it. Returns its place in each head.
    """
    args["x"][:, :, feature] = level
    args["x"][:, :, 1] = 1
    for name in ("w_q", "w_k", "w_v"):
        args[name][feature] = 0.0
    width = args["w_q"].shape[1]
    places = np.arange(column, width, width // args["n_heads"])
    args["w_q"][:, places] = 0.0
    args["w_k"][:, places] = 0.0
    return places


def _root_of_key_size(args):
    return np.sqrt(args["w_q"].shape[1] // args["n_heads"])


def _raise_rows(args, level, head_factor, feature=0, column=0):
    """Add head_factor[h] * level[b, i] to all scores of row i; the weights do not depend on it."""
    places = _reserve_level(args, level, feature, column)
    args["w_q"][feature, places] = np.asarray(head_factor) * _root_of_key_size(args)
    args["w_k"][1, places] = 1.0


def _raise_keys(args, level, head_factor, feature=0, column=0):
    """Add head_factor[h] * level[b, j] to the score of key j in every row."""
    places = _reserve_level(args, level, feature, column)
    args["w_q"][1, places] = np.asarray(head_factor) * _root_of_key_size(args)
    args["w_k"][feature, places] = 1.0


def _in_single(args, names=("x", "w_q", "w_k", "w_v", "w_o")):
    return {name: value.astype(np.float32) if name in names else value for name, value in args.items()}


def _exact_arguments(rng, B, T, m, H, e):
    """Arguments whose scores float32 holds exactly at any level: small integers, halves, and a root of d that is 2."""
    args = _arguments(rng, B, T, m, H, d=4, e=e)
    args["x"] = rng.integers(-1, 2, size=(B, T, m)).astype(np.float64)
    for name in ("w_q", "w_k"):
        args[name] = rng.integers(-2, 3, size=args[name].shape) / 2
    return args


def _calls():
    """Arguments of nine calls; each differs from the one before in as little as a stale result needs."""
    rng = np.random.default_rng(3208)
    args, later = (_arguments(rng, B=2, T=5, m=7, H=3, d=4, e=6) for _ in range(2))
    args["x"] = args["x"].round(3)
    calls = [args]
    for name in ("w_q", "w_k", "w_v", "w_o"):
        later[name][0, 0] = args[name][0, 0]
        calls.append(calls[-1] | {name: later[name]})
    tokens = args["x"].copy()
    tokens[1, 2, :4] += [4e-4, -4e-4, -4e-4, 4e-4]
    calls.append(calls[-1] | {"x": tokens})
    calls.append(calls[-1] | {"n_heads": 2})
    turned = tokens.reshape(5, 2, 7)
    calls.append(calls[-1] | {"x": turned})
    longer = np.concatenate([turned, rng.normal(size=(5, 1, 7))], axis=1)
    calls.append(calls[-1] | {"x": longer, "w_k": np.zeros_like(args["w_k"])})
    return calls


def sample_format(rng):
    """Two heads, three tokens; every token keeps to itself and W_O is the identity."""
    # The keys are unit vectors, so these are the scores before the division: row = query.
    head_0 = np.array([[1.0, 0.0, -1.0], [-1000.0, 2.0, 1.0], [-1200.0, -1100.0, 3.0]])
    head_1 = np.array([[2.0, 1.0, 0.0], [-1100.0, 1.0, 2.0], [-1000.0, -1300.0, 1.0]])
    unread = np.zeros((1, 3))
    return _case(
        {
            "x": np.array([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 1.0, 3.0]]]),
            "w_q": np.hstack([np.vstack([head_0, unread]), np.vstack([head_1, unread])]),
            "w_k": np.hstack([np.eye(4, 3), np.eye(4, 3)]),
            "w_v": np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 1.0, 1.0], [0.5, 1.0, 0.0, 2.0]]),
            "w_o": np.eye(4),
            "n_heads": 2,
        }
    )


def secret_sizes_differ(rng):
    """B, T, m, H, d, e, H*d and H*e are pairwise different, W_O is not square; the first of nine calls."""
    return _case(_calls()[0])


def secret_square(rng):
    """d = e = m/H: all four matrices are square, only values can tell them and their transposes apart."""
    return _case(_arguments(rng, B=2, T=13, m=12, H=3, d=4, e=4))


def secret_most_items(rng):
    """B, m, d and e at their largest; B is no multiple of 4, 8 or 16."""
    return _case(_arguments(rng, B=30, T=4, m=32, H=3, d=32, e=32))


def secret_other_query_matrix(rng):
    """The call before with another W_Q, whose corner agrees: results kept by tokens, shapes, corners."""
    return _case(_calls()[1])


def secret_other_key_matrix(rng):
    """The call before with another W_K."""
    return _case(_calls()[2])


def secret_other_value_matrix(rng):
    """The call before with another W_V: results kept by what makes the weights."""
    return _case(_calls()[3])


def secret_other_output_matrix(rng):
    """The call before with another W_O."""
    return _case(_calls()[4])


def secret_other_tokens(rng):
    """Some features of one token in the middle differ by 4e-4, their sum does not: keys by corners, sums, rounding."""
    return _case(_calls()[5])


def secret_other_number_of_heads(rng):
    """The arrays of the call before, n_heads = 2: results kept by the arrays alone."""
    return _case(_calls()[6])


def secret_items_and_tokens_exchanged(rng):
    """The bytes of the call before, with B = 5 and T = H = 2: results kept by bytes."""
    return _case(_calls()[7])


def secret_one_token_more(rng):
    """The items of the call before grow by a token and W_K is zeros: keys kept for a prefix that was seen."""
    return _case(_calls()[8])


def secret_tokens_equal_key_size(rng):
    """T = d."""
    return _case(_arguments(rng, B=2, T=5, m=9, H=3, d=5, e=4))


def secret_batch_heads_tokens_equal(rng):
    """B = H = T."""
    return _case(_arguments(rng, B=3, T=3, m=7, H=3, d=4, e=5))


def secret_heads_equal_key_size(rng):
    """H = d, and T = e."""
    return _case(_arguments(rng, B=2, T=5, m=7, H=4, d=4, e=5))


def secret_heads_equal_value_size(rng):
    """H = e with several items; T = 2, and m = d."""
    return _case(_arguments(rng, B=3, T=2, m=6, H=4, d=6, e=4))


def secret_heads_tokens_width_equal(rng):
    """H = T = m, while B differs."""
    return _case(_arguments(rng, B=2, T=5, m=5, H=5, d=4, e=3))


def secret_one_token(rng):
    """T = 1: shortcuts."""
    return _case(_arguments(rng, B=3, T=1, m=7, H=4, d=2, e=5))


def secret_one_item_one_head(rng):
    """B = H = 1: code that drops axes."""
    return _case(_arguments(rng, B=1, T=6, m=7, H=1, d=4, e=5))


def secret_one_head_square(rng):
    """One head, several items, W_V and W_O m by m: the layer whose W_O is easiest to forget or to turn over."""
    return _case(_arguments(rng, B=2, T=5, m=6, H=1, d=4, e=6))


def secret_one_feature(rng):
    """m = 1 and e = 1: products with a single column."""
    return _case(_arguments(rng, B=2, T=5, m=1, H=3, d=4, e=1))


def secret_sixteen_heads(rng):
    """H at its largest, beyond heads sorted as text; one key column for each head (d = 1); and B = e."""
    return _case(_arguments(rng, B=2, T=4, m=5, H=16, d=1, e=2))


def secret_forty_tokens(rng):
    """Masks, tables and windows of a fixed size."""
    return _case(_arguments(rng, B=2, T=40, m=7, H=3, d=4, e=5))


def secret_forty_tokens_again(rng):
    """The shapes of forty_tokens: buffers that long sequences share. W_Q is zeros, the tokens are not."""
    args = _arguments(rng, B=2, T=40, m=7, H=3, d=4, e=5)
    args["w_q"][:] = 0.0
    return _case(args)


def secret_most_tokens(rng):
    """T at its largest, heads of 25 columns (H*d = H*e = T): bounds that 40 tokens and 6 columns do not reach."""
    return _case(_arguments(rng, B=2, T=100, m=10, H=4, d=25, e=25))


def secret_zero_tokens(rng):
    """Tokens of zeros, an end of zeros and an item of zeros: scores of exactly 0 are no mask, no padding; B = m."""
    args = _arguments(rng, B=6, T=5, m=6, H=3, d=4, e=2)
    args["x"][0, [0, 3]] = 0.0
    args["x"][0, 3, ::2] = -0.0
    args["x"][1, 2] = 0.0
    args["x"][2, 3:] = 0.0
    args["x"][4] = 0.0
    return _case(args)


def secret_all_zero(rng):
    """x is zero throughout, the weights are even over the past all the same."""
    args = _arguments(rng, B=2, T=4, m=7, H=3, d=5, e=6)
    args["x"][:] = 0.0
    args["x"][:, 2] = -0.0
    return _case(args)


def secret_forbidden_lead_735(rng):
    """Future keys lead by 735, where exp keeps two or three digits, and by 1.2e3: masks that come late."""
    args = _arguments(rng, B=2, T=7, m=9, H=3, d=4, e=5)
    level = np.zeros((2, 7))
    level[0, 6], level[1, 4] = 735.0, 1200.0
    _raise_keys(args, level, head_factor=[1.0, 1.004, 1.6])
    return _case(args)


def secret_forbidden_lead_60000(rng):
    """The last key leads all rows before it by just under 6e4."""
    args = _arguments(rng, B=2, T=6, m=9, H=3, d=4, e=5)
    level = np.zeros((2, 6))
    level[:, 5] = 59_950.0
    _raise_keys(args, level, head_factor=[1.0, 0.9, 1.0])
    return _case(args)


def secret_levels_in_thousands(rng):
    """Rows of one head thousands apart, keys of a row close together; one row near -738, where exp keeps few digits."""
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=4, e=5)
    level = np.array(
        [[3000.0, -2000.0, 900.0, 5000.0, -4000.0, 1500.0], [-1200.0, 4000.0, 7000.0, -900.0, 2500.0, -738.0]]
    )
    _raise_rows(args, level, head_factor=[1.0, -0.8, 1.3])
    return _case(args)


def secret_levels_far_below(rng):
    """All scores near -4e5, differences of order 1: fills above the scores, clipping, rounding."""
    args = _arguments(rng, B=2, T=5, m=8, H=3, d=4, e=6)
    _raise_rows(args, np.full((2, 5), -4.0e5), head_factor=[1.0, 1.05, 0.98])
    return _case(args)


def secret_heads_items_far_apart(rng):
    """One head near -9.8e5 in one item and near 9.8e5 in the other, differences of order 1: both ends of the range."""
    args = _arguments(rng, B=2, T=4, m=8, H=3, d=5, e=6)
    _raise_rows(args, np.array([[-9.8], [9.8]]) * np.ones((2, 4)), head_factor=[0.0, 2000.0, 1.0e5])
    return _case(args)


def secret_small_weights_matter(rng):
    """Weights near 1e-8 and, in item 1, near 1e-17 on values so large that y shows them: pruning, late division."""
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=4, e=5)
    args["w_q"] *= 0.4
    level = np.array([[20.0, 3.0, 2.0, 20.0, 1.0, 4.0], [0.5, 39.0, 39.5, 1.5, 2.0, 39.0]])
    _raise_keys(args, level, head_factor=[1.0, 1.0, 1.02])
    args["x"][:, :, 2] = np.where(level < 10, [[1e5], [1e12]], 0.0)
    args["w_q"][2] = args["w_k"][2] = 0.0
    return _case(args)


def secret_memory_orders(rng):
    """With the next case and integer_tokens: every array in Fortran order, reversed, and with gaps between rows."""
    layout = {"x": "fortran", "w_q": "every_second", "w_k": "reversed", "w_v": "fortran", "w_o": "fortran"}
    return _case(_arguments(rng, B=2, T=6, m=7, H=3, d=5, e=4), layout)


def secret_memory_orders_turned(rng):
    """The memory orders of the case before, moved on by one."""
    layout = {"x": "every_second", "w_q": "reversed", "w_k": "fortran", "w_v": "reversed", "w_o": "every_second"}
    return _case(_arguments(rng, B=2, T=5, m=7, H=4, d=3, e=6), layout)


def secret_single_precision_levels(rng):
    """float32, rows between -800 and 600, and a forbidden lead of 1.2e3: overflow and underflow come early there."""
    args = _exact_arguments(rng, B=2, T=6, m=9, H=3, e=5)
    row_level = [[150.0, -200.0, 400.0, -160.0, 300.0, -250.0], [-400.0, 170.0, 0.0, 250.0, -155.0, 200.0]]
    _raise_rows(args, np.array(row_level), head_factor=[1.0, -1.5, 2.0])
    lead = np.zeros((2, 6))
    lead[0, 5] = lead[1, 4] = 1200.0
    _raise_keys(args, lead, head_factor=[1.0, 1.0, 1.5], feature=2, column=1)
    return _case(_in_single(args))


def secret_single_precision_far_below(rng):
    """float32, all scores near -3e5 and -4e5, which it holds exactly: fills for single precision alone."""
    args = _exact_arguments(rng, B=2, T=5, m=8, H=3, e=6)
    _raise_rows(args, np.full((2, 5), -4.0e5), head_factor=[1.0, 0.75, 1.0])
    return _case(_in_single(args))


def secret_single_precision_tokens(rng):
    """x and W_V float32, the other matrices float64; H*d = m while H*e is not."""
    return _case(_in_single(_arguments(rng, B=2, T=5, m=12, H=3, d=4, e=6), names=("x", "w_v")))


def secret_integer_tokens(rng):
    """x int64, the matrices float64; the third arrangement of memory orders."""
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=5, e=4)
    args["x"] = rng.integers(-2, 3, size=(2, 6, 8), dtype=np.int64)
    layout = {"x": "reversed", "w_q": "fortran", "w_k": "every_second", "w_v": "every_second", "w_o": "reversed"}
    return _case(args, layout)


def secret_integer_tokens_single_precision(rng):
    """x int64, W_Q and W_O float32, the other matrices float64."""
    args = _arguments(rng, B=2, T=5, m=7, H=3, d=2, e=4)
    args["x"] = rng.integers(-2, 3, size=(2, 5, 7), dtype=np.int64)
    return _case(_in_single(args, names=("w_q", "w_o")))


def secret_large_integers(rng):
    """x int64 up to 1e5, which no narrower type than int32 holds; rows of one head thousands apart."""
    args = _arguments(rng, B=2, T=5, m=9, H=3, d=4, e=6)
    args["x"] = rng.integers(-100_000, 100_001, size=(2, 5, 9), dtype=np.int64)
    args["x"][:, :, 6:] //= 400
    for name in ("w_q", "w_k", "w_v"):
        args[name][:6] *= 2e-5
        args[name][6:] *= 8e-3
    level = np.array([[60_000, -40_000, 18_000, 100_000, -80_000], [-24_000, 80_000, 99_000, -18_000, 50_000]])
    _raise_rows(args, level, head_factor=[0.05, -0.04, 0.07])
    return _case(args)
