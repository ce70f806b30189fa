"""Cases of "The same prompt, asked twice".

T tokens, d key size, e value size. Unless a case says otherwise queries, keys and values are random, scores are of
order 1, each weight survives with a chance of 0.7, whatever the rate is, and patterns are neither symmetric nor
triangles.

The hidden set keeps these rules: one call repeated with each argument exchanged, so that what is kept without it
shows; rates of 0, 0.2, 0.5 and more in both modes; patterns that keep everything, nothing, and nothing of a row; all
sizes different, all equal, each at 1, each at its largest; zero tokens; rows at both ends of the graded range; dropped
keys that lead by 1.2e3 and more; weights down to 1e-11 behind large values; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, live, rate, training, layout=None):
    args = {"q": q, "k": k, "v": v, "live": live, "rate": np.array(float(rate)), "training": np.array(training)}
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _ordinary(rng, T, d, e, rate, training, layout=None):
    q, k = (1.3 * rng.normal(size=(T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(T, e)), rng.random((T, T)) < 0.7, rate, training, layout)


def _first(rate, training):
    """The same arrays for several calls; every row and column of the pattern has both values."""
    return _ordinary(np.random.default_rng(1904), T=6, d=3, e=4, rate=rate, training=training)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query[i] * per_key[j] to the score of query i and key j; one feature carries it and nothing else."""
    args = case["args"]
    args["q"][:, slot] = np.sqrt(args["q"].shape[1]) * np.asarray(per_query)
    args["k"][:, slot] = per_key
    return case


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "live"))}


def sample_format(rng):
    """Three tokens, a training step at a rate of one half."""
    return _case(
        np.array([[1.0, 0.0], [0.0, 2.0], [1.0, -1.0]]),
        np.array([[1.0, 1.0], [0.0, -1.0], [2.0, 0.0]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]]),
        np.array([[True, True, False], [True, True, True], [False, True, True]]),
        0.5,
        True,
    )


def secret_train_at_a_fifth(rng):
    """All sizes different; one weight in five would be dropped."""
    return _first(0.2, True)


def secret_train_other_rate(rng):
    """The same call at a rate of 0.9."""
    return _first(0.9, True)


def secret_train_other_pattern(rng):
    """The same call with another pattern."""
    case = _first(0.2, True)
    case["args"]["live"] = rng.random((6, 6)) < 0.5
    return case


def _with(name, seed):
    """The first call with other queries, keys or values."""
    case = _first(0.2, True)
    case["args"][name] = np.random.default_rng(seed).normal(size=case["args"][name].shape)
    return case


def secret_train_other_queries(rng):
    """The first call with other queries."""
    return _with("q", 1)


def secret_train_other_keys(rng):
    """The first call with other keys."""
    return _with("k", 2)


def secret_train_other_values(rng):
    """The first call with other values."""
    return _with("v", 3)


def secret_train_at_a_half(rng):
    """The rate of the unit test, where 1 - rate is the rate; other arrays of the same shapes."""
    return _ordinary(rng, T=6, d=3, e=4, rate=0.5, training=True)


def secret_train_at_zero(rng):
    """A rate of 0 and a pattern that drops weights all the same."""
    return _ordinary(rng, T=5, d=4, e=3, rate=0.0, training=True)


def secret_train_all_alive(rng):
    """A rate of 0.3 and a pattern that drops nothing."""
    case = _ordinary(rng, T=4, d=3, e=5, rate=0.3, training=True)
    case["args"]["live"][:] = True
    return case


def secret_train_none_alive(rng):
    """A pattern that drops everything: h is 0."""
    case = _ordinary(rng, T=4, d=2, e=3, rate=0.4, training=True)
    case["args"]["live"][:] = False
    return case


def secret_train_rows_without_survivors(rng):
    """One row without survivors, one with a single one, one with all."""
    case = _ordinary(rng, T=6, d=5, e=3, rate=0.1, training=True)
    live = case["args"]["live"]
    live[1], live[3], live[4] = False, np.arange(6) == 2, True
    return case


def secret_evaluate_at_a_fifth(rng):
    """The first call with training off."""
    return _first(0.2, False)


def secret_evaluate_at_zero(rng):
    """Training off at a rate of 0, with a pattern that would drop weights."""
    return _ordinary(rng, T=5, d=4, e=3, rate=0.0, training=False)


def secret_all_sizes_equal(rng):
    """T = d = e: exchanged axes and arrays run, and only values tell."""
    return _ordinary(rng, T=5, d=5, e=5, rate=0.25, training=True)


def secret_one_token(rng):
    """T = 1, training off: the only weight is 1."""
    return _ordinary(rng, T=1, d=3, e=2, rate=0.6, training=False)


def secret_one_feature(rng):
    """d = e = 1: no axis may be lost."""
    return _ordinary(rng, T=4, d=1, e=1, rate=0.7, training=True)


def secret_many_tokens(rng):
    """T, d and e at their largest."""
    return _ordinary(rng, T=64, d=32, e=32, rate=0.1, training=True)


def secret_zero_tokens(rng):
    """Zero queries, keys and values: a score or a value of 0 is not dropped."""
    case = _ordinary(rng, T=7, d=3, e=3, rate=0.2, training=True)
    for name, rows in (("q", [1, 4]), ("k", [0, 2, 4]), ("v", [3])):
        case["args"][name][rows] = 0.0
    return case


def secret_levels_far_apart(rng):
    """Training off; rows from one end of the graded range to the other, and near the ends of the range of exp."""
    levels = [-4e5, 999_980, 20, -999_980, 3e3, 708.9, -742, 5e5]
    return _add_scores(_ordinary(rng, T=8, d=5, e=6, rate=0.4, training=False), levels, 1.0)


def secret_dropped_keys_ahead(rng):
    """Two keys lead all rows, by 1200 and by 6e4; in some rows one of them is dropped, in others both or none."""
    position = np.arange(7)
    case = _ordinary(rng, T=7, d=4, e=5, rate=0.2, training=True)
    _add_scores(case, np.where(position < 4, 1200.0, 60_000.0), np.isin(position, (2, 5)))
    live = case["args"]["live"]
    live[:, 2] = [True, False, False, True, True, False, True]
    live[:, 5] = [False, True, False, True, False, False, True]
    return case


def secret_small_weights(rng):
    """Weights from 1e-11 to 1e-8 on values of 1e7: whatever drops or rounds them shows in h."""
    case = _ordinary(rng, T=6, d=3, e=4, rate=0.35, training=True)
    case["args"]["q"] *= 0.4
    trail = np.array([0.0, -18.0, -23.5, 0.0, -17.5, -22.0])
    case["args"]["v"] *= np.where(trail < 0, 1e7, 1.0)[:, None]
    return _add_scores(case, 1.0, trail)


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=6, d=5, e=3, rate=0.2, training=True, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, T=5, d=3, e=6, rate=0.3, training=True, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first; training off."""
    return _ordinary(rng, T=7, d=4, e=3, rate=0.1, training=False, layout=_in_turn(2))
