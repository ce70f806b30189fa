"""Cases of "Attention heads that never mix".

What each secret case is there for. B items, T tokens, m model width, H heads, d key size, e value size; in every case
the matrices are random (so W_O is neither symmetric nor near the identity), all different, and the items differ.

    sizes_differ              B, T, m, H, d, e, H*d and H*e pairwise different, W_O not square, H = 3
    sizes_differ_again        the same shapes, other values: answers kept by shape, buffers used twice
    square                    d = e = m/H, so that all four matrices are square and only values can tell
    square_output             W_O and W_V square while d, e, H*d and m differ
    tokens_equal_key_size     T = d
    batch_heads_tokens_equal  B = H = T
    heads_equal_key_size      H = d
    twelve_heads              H = 12: heads sorted as text change their order
    one_item_one_head         B = H = 1, an extra case for code that drops axes
    one_token                 T = 1, an extra case for shortcuts
    forty_tokens              T = 40: masks, tables and windows of a fixed size
    zero_tokens               tokens of zeros have scores of exactly 0; a mask must not be read off the data
    forbidden_lead_1200       future keys lead by 1.2e3: masks that come late or add too little
    forbidden_lead_60000      the last key leads all rows before it by just under 6e4
    levels_in_thousands       rows of one head thousands apart, keys of a row close together
    levels_far_below          all scores near -4e5, differences of order 1: fills above the scores, clipping, rounding
    heads_items_far_apart     one head and one item far above the others, up to 9e5
    memory_orders             Fortran, reversed and every-second inputs
    single_precision          every input float32
    integer_tokens            x is int64
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


def _reserve_level(args, level):
    """Give two model features a fixed role: 0 carries level[b, t], 1 is the constant 1. Nothing reads 0 yet.

    The first key feature of every head is emptied; the caller connects it. Returns its column in each head.
    """
    args["x"][:, :, 0] = level
    args["x"][:, :, 1] = 1.0
    for name in ("w_q", "w_k", "w_v"):
        args[name][0] = 0.0
    width = args["w_q"].shape[1]
    first = np.arange(0, width, width // args["n_heads"])
    args["w_q"][:, first] = 0.0
    args["w_k"][:, first] = 0.0
    return first


def _raise_rows(args, level, head_factor):
    """Add head_factor[h] * level[b, i] to all scores of row i; the weights do not depend on it."""
    first = _reserve_level(args, level)
    args["w_q"][0, first] = np.asarray(head_factor) * np.sqrt(first[1])
    args["w_k"][1, first] = 1.0


def _raise_keys(args, level, head_factor):
    """Add head_factor[h] * level[b, j] to the score of key j in every row."""
    first = _reserve_level(args, level)
    args["w_q"][1, first] = np.asarray(head_factor) * np.sqrt(first[1])
    args["w_k"][0, first] = 1.0


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
    return _case(_arguments(rng, B=2, T=5, m=7, H=3, d=4, e=6))


def secret_sizes_differ_again(rng):
    return _case(_arguments(rng, B=2, T=5, m=7, H=3, d=4, e=6))


def secret_square(rng):
    return _case(_arguments(rng, B=2, T=7, m=12, H=3, d=4, e=4))


def secret_square_output(rng):
    return _case(_arguments(rng, B=2, T=6, m=12, H=4, d=5, e=3))


def secret_tokens_equal_key_size(rng):
    return _case(_arguments(rng, B=2, T=5, m=9, H=3, d=5, e=4))


def secret_batch_heads_tokens_equal(rng):
    return _case(_arguments(rng, B=3, T=3, m=7, H=3, d=4, e=5))


def secret_heads_equal_key_size(rng):
    return _case(_arguments(rng, B=2, T=5, m=7, H=4, d=4, e=3))


def secret_twelve_heads(rng):
    return _case(_arguments(rng, B=3, T=4, m=7, H=12, d=2, e=5))


def secret_one_item_one_head(rng):
    return _case(_arguments(rng, B=1, T=6, m=7, H=1, d=4, e=5))


def secret_one_token(rng):
    return _case(_arguments(rng, B=3, T=1, m=7, H=4, d=2, e=5))


def secret_forty_tokens(rng):
    return _case(_arguments(rng, B=2, T=40, m=7, H=3, d=4, e=5))


def secret_zero_tokens(rng):
    args = _arguments(rng, B=2, T=6, m=7, H=3, d=4, e=5)
    args["x"][0, [0, 3]] = 0.0
    args["x"][1, 2] = 0.0
    return _case(args)


def secret_forbidden_lead_1200(rng):
    args = _arguments(rng, B=2, T=7, m=9, H=3, d=4, e=5)
    level = np.zeros((2, 7))
    level[0, 6] = level[1, 4] = 1200.0
    _raise_keys(args, level, head_factor=[1.0, 1.1, 1.2])
    return _case(args)


def secret_forbidden_lead_60000(rng):
    args = _arguments(rng, B=2, T=6, m=9, H=3, d=4, e=5)
    level = np.zeros((2, 6))
    level[:, 5] = 59_950.0
    _raise_keys(args, level, head_factor=[1.0, 0.9, 1.0])
    return _case(args)


def secret_levels_in_thousands(rng):
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=4, e=5)
    level = np.array(
        [[3000.0, -2000.0, 900.0, 5000.0, -4000.0, 1500.0], [-1200.0, 4000.0, 7000.0, -900.0, 2500.0, 0.0]]
    )
    _raise_rows(args, level, head_factor=[1.0, -0.8, 1.3])
    return _case(args)


def secret_levels_far_below(rng):
    args = _arguments(rng, B=2, T=5, m=8, H=3, d=4, e=6)
    _raise_rows(args, np.full((2, 5), -4.0e5), head_factor=[1.0, 1.05, 0.98])
    return _case(args)


def secret_heads_items_far_apart(rng):
    args = _arguments(rng, B=2, T=4, m=8, H=3, d=5, e=6)
    _raise_rows(args, np.array([[1.0], [9.0]]) * np.ones((2, 4)), head_factor=[0.0, 2000.0, 1.0e5])
    return _case(args)


def secret_memory_orders(rng):
    layout = {"x": "fortran", "w_q": "every_second", "w_k": "reversed", "w_v": "fortran", "w_o": "fortran"}
    return _case(_arguments(rng, B=2, T=6, m=7, H=3, d=5, e=4), layout)


def secret_single_precision(rng):
    args = _arguments(rng, B=2, T=7, m=8, H=3, d=5, e=4)
    return _case({name: value if name == "n_heads" else value.astype(np.float32) for name, value in args.items()})


def secret_integer_tokens(rng):
    args = _arguments(rng, B=2, T=6, m=8, H=3, d=5, e=4)
    args["x"] = rng.integers(-2, 3, size=(2, 6, 8), dtype=np.int64)
    return _case(args, {"x": "reversed"})
