"""Cases of "A trained layer reads what a toy layer does not".

T positions, d key size, e value size. Unless a case says otherwise queries, keys, values and biases are random, under
hidden pairs as well, scores and biases are of order 1, and the mask is random: it is no triangle, not symmetric, hides
some positions from themselves and leaves every query a key.

The hidden set keeps these rules: the same arrays with another bias, another mask, other tokens; all sizes different,
all equal, one token, d and e at 1, T above 32; zero tokens and biases of 0; biases that undo what the products say;
hidden keys ahead by 738, 1.2e3 and 6e4, through products and through biases; rows near -4e5 by either, and rows from
one end of the graded range to the other; values of 1e9 under hidden pairs; weights down to 1e-12 behind large values;
every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _mask(rng, T):
    """A random mask that opens some pairs on both sides of the diagonal and at least one in each row."""
    keep = rng.random((T, T)) < 0.6
    keep[np.arange(T), rng.integers(0, T, T)] = True
    return keep


def _case(q, k, v, bias, keep, layout=None):
    args = {"q": q, "k": k, "v": v, "bias": bias, "keep": keep}
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _ordinary(rng, T, d, e, layout=None):
    q, k = (1.3 * rng.normal(size=(T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(T, e)), 1.4 * rng.normal(size=(T, T)), _mask(rng, T), layout)


def _add_products(case, per_query, per_key, slot=0):
    """Add per_query * per_key to the scores through the products; one feature carries it and nothing else."""
    args = case["args"]
    args["q"][:, slot] = np.sqrt(args["q"].shape[1]) * np.asarray(per_query)
    args["k"][:, slot] = per_key
    return case


def _hide_column(case, key, rows=slice(None)):
    """Hide one key from some rows; the next key stays open to all."""
    args = case["args"]
    args["keep"][:, key + 1] = True
    args["keep"][rows, key] = False
    return case


def _base():
    return _ordinary(np.random.default_rng(71), T=6, d=4, e=5)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "bias", "keep"))}


def sample_format(rng):
    """Three tokens, a bias of zeros, small scores; one pair on each side of the diagonal is hidden."""
    keep = np.array([[True, False, True], [True, True, True], [False, True, True]])
    q, k = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, -1.0]]), np.array([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0]])
    return _case(q, k, np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]), np.zeros((3, 3)), keep)


def secret_sizes_differ(rng):
    """T, d and e are different; the first of four calls."""
    return _base()


def secret_other_bias(rng):
    """The call before with the bias turned over: what is kept without it shows, and so does its sum."""
    case = _base()
    case["args"]["bias"] = case["args"]["bias"].T.copy()
    return case


def secret_other_pairs(rng):
    """The first call with another mask, which opens as many pairs."""
    case = _base()
    case["args"]["keep"] = np.roll(case["args"]["keep"], 2, axis=0)
    return case


def secret_other_tokens(rng):
    """The first call's bias and mask with other tokens."""
    case = _ordinary(rng, T=6, d=4, e=5)
    case["args"] |= {name: _base()["args"][name] for name in ("bias", "keep")}
    return case


def secret_bias_against_products(rng):
    """Products favour one key by 900 and another by 40, biases take that back: each part alone decides for it."""
    case = _ordinary(rng, T=7, d=5, e=3)
    _add_products(case, 1.0, np.array([0, 900, 0, 0, 40, 0, -60]))
    case["args"]["bias"] -= np.array([0, 900, 0, 0, 40, 0, -60])
    return case


def secret_zero_tokens(rng):
    """Zero queries, keys and values, biases of 0 beside others, and pairs whose score is exactly 0."""
    case = _ordinary(rng, T=7, d=3, e=4)
    for name, positions in (("q", [1, 4]), ("k", [0, 3]), ("v", [3, 5])):
        case["args"][name][positions] = 0.0
    case["args"]["bias"][:, [0, 2]] = 0.0
    case["args"]["bias"][4] = 0.0
    case["args"]["keep"][:, [0, 5]] = True
    return case


def secret_all_sizes_equal(rng):
    """T = d = e: any array can be taken for another, and features by features have the shape of scores."""
    return _ordinary(rng, T=4, d=4, e=4)


def secret_one_token(rng):
    """T = 1: the only weight is 1."""
    return _case(rng.normal(size=(1, 3)), rng.normal(size=(1, 3)), rng.normal(size=(1, 2)), rng.normal(size=(1, 1)),
                 np.ones((1, 1), dtype=bool))


def secret_one_feature(rng):
    """d = e = 1: axes of length 1 that must stay."""
    return _ordinary(rng, T=5, d=1, e=1)


def secret_many_tokens(rng):
    """More than 32 positions."""
    return _ordinary(rng, T=40, d=3, e=2)


def secret_one_key_or_all(rng):
    """Queries that read one key, its own or another, and queries that read all."""
    case = _ordinary(rng, T=6, d=4, e=3)
    case["args"]["keep"] = np.vstack([np.eye(6, dtype=bool)[[0, 4, 1]], np.ones((3, 6), dtype=bool)])
    return case


def secret_ahead_by_1200(rng):
    """A hidden key leads by 1200 through its products, in all rows but one, in which it is open."""
    case = _hide_column(_ordinary(rng, T=6, d=4, e=3), 2, rows=[0, 1, 2, 3, 5])
    case["args"]["keep"][4, 2] = True
    return _add_products(case, 1200.0, np.arange(6) == 2)


def secret_ahead_by_60000(rng):
    """Hidden keys lead by almost as much as is granted: one through products, one through its bias, some by 8e3."""
    case = _hide_column(_hide_column(_ordinary(rng, T=8, d=5, e=4), 1), 4)
    _add_products(case, 59_980.0 * (np.arange(8) < 3), np.arange(8) == 1)
    case["args"]["bias"][3:6, 4] += 59_980.0
    case["args"]["bias"][6:, 4] += 8_000.0
    return case


def secret_ahead_at_the_edge_of_exp(rng):
    """Three hidden keys lead by 700 to 743: allowed exponentials beside them are subnormal, or 0 once divided."""
    case = _ordinary(rng, T=8, d=4, e=3)
    case["args"]["q"] *= 0.3
    case["args"]["bias"] *= 0.3
    case["args"]["keep"][:, [1, 3, 6]] = False
    case["args"]["keep"][:, 2] = True
    case["args"]["bias"][:, [1, 3, 6]] += np.array([700, 735, 738, 741, 743, 743, 740, 720])[:, None]
    return case


def secret_low_products(rng):
    """Every row lies near -4e5 by its products, with differences of order 1."""
    return _add_products(_ordinary(rng, T=6, d=3, e=4), -4e5 + np.arange(6) * 7, 1.0)


def secret_low_bias(rng):
    """Rows lie near -4e5, -8e4, -2e4 and -3e3 by their biases; allowed keys differ by order 1, hidden ones trail by 50."""
    case = _ordinary(rng, T=6, d=6, e=3)
    case["args"]["bias"] += np.array([-4e5, -2e4, -3e3, -8e4, -2e4, -2e3])[:, None] - 50.0 * ~case["args"]["keep"]
    return case


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other, and 1 above what exp can hold."""
    levels = np.array([-4e5, 999_990, 3e3, -999_991, 0, -3e4, 710.0, -746, 5e5])
    return _add_products(_ordinary(rng, T=9, d=5, e=4), levels, 1.0)


def secret_large_values(rng):
    """Values of 4e8 and more at three keys that are hidden from most rows: a weight of 1e-13 shows."""
    case = _ordinary(rng, T=7, d=4, e=3)
    case["args"]["v"][[1, 3, 6]] *= 4e8
    case["args"]["keep"][:6, [1, 3, 6]] = False
    case["args"]["keep"][:, [0, 2]] = True
    return case


def secret_small_weights(rng):
    """Open keys trail by 18 to 28 and have values of 3e8: whatever cuts weights of 1e-12 off shows in h."""
    case = _ordinary(rng, T=7, d=5, e=3)
    case["args"]["q"] *= 0.3
    case["args"]["bias"] *= 0.3
    trail = np.array([0, 18, 23, 0, 0, 25.5, 28])
    case["args"]["v"] *= np.where(trail > 0, 3e8, 1.0)[:, None]
    case["args"]["keep"][:, [0, 6]] = True
    case["args"]["bias"] -= trail
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=5, d=4, e=6, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, T=6, d=3, e=4, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, T=4, d=6, e=3, layout=_in_turn(2))
