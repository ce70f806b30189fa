"""Cases of "Heads that have learned to be quiet stay loud".

H heads, T positions, d key size, e value size. Unless a case says otherwise queries, keys and values are random, scores
are of order 1, heads differ, and sinks lie between -2 and 3.

The hidden set keeps these rules: the same arrays with other sinks, the same queries and sinks with other keys; sinks of
order 1, of 300 and -300, and of 900 beside scores of order 1 and beside scores as large; some eight to twenty away
from their rows, one of them 0, all of them 0; sinks next to rows at every level; all sizes different, all equal, twelve
heads, sizes of 1, T above 32; zero tokens; later keys ahead by 738, 1.2e3 and 6e4; rows and heads at levels from one
end of the graded range to the other, keys of a row 1700 apart; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, sink, layout=None):
    args = {"q": q, "k": k, "v": v, "sink": np.array(sink, dtype=np.float64)}
    return {"entry": "attention", "args": args, "layout": layout or {}}


def _ordinary(rng, T, d, e, sink, layout=None):
    H = len(sink)
    q, k = (1.3 * rng.normal(size=(H, T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(H, T, e)), sink, layout)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query * per_key to the scores, both broadcast to (H, T); one feature carries it and nothing else."""
    args = case["args"]
    args["q"][..., slot] = np.sqrt(args["q"].shape[-1]) * np.asarray(per_query)
    args["k"][..., slot] = per_key
    return case


def _base(sink):
    return _ordinary(np.random.default_rng(221), T=7, d=4, e=5, sink=sink)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "sink"))}


def sample_format(rng):
    """One head, three tokens; the sink lies 2000 below everything that may be read, and later keys lie lower still."""
    scores = np.array([[3.0, -2000.0, -3000.0], [1.0, 2.0, -2500.0], [0.0, 1.0, -1.0]])
    q = np.eye(3)[None] * np.sqrt(3)
    return _case(q, scores.T[None], np.array([[[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]]), [-2000.0])


def secret_sizes_differ(rng):
    """All sizes different; three heads with sinks of order 1."""
    return _base([0.5, -2.0, 3.0])


def secret_other_sinks(rng):
    """The same arrays with other sinks, one of them 0."""
    return _base([1.5, 0.0, -1.0])


def secret_other_keys(rng):
    """The same queries and sinks again with other keys and values."""
    case = _base([1.5, 0.0, -1.0])
    case["args"] |= {"k": 1.3 * rng.normal(size=(3, 7, 4)), "v": rng.normal(size=(3, 7, 5))}
    return case


def secret_sinks_of_hundreds(rng):
    """Sinks of 300, 900 and their opposites; rows that they silence, rows that share, rows and keys that drown them."""
    levels = np.array(
        [
            [300.0, 299, 0, 302, -300],
            [-299.0, -301, 0, 300, -300],
            [0.0, 899, 901, 1900, 900],
            [720.0, 0, 1500, 719, 721],
            [0.0, -899, -901, -1600, -900],
        ]
    )
    case = _add_scores(_ordinary(rng, T=5, d=6, e=4, sink=[300.0, -300, 900, 720, -900]), levels, 1.0)
    leads, leaders = np.zeros((5, 5)), np.zeros((5, 5))
    leads[1, 2:4] = leads[4, 3] = 1700.0
    leaders[1, 2] = leaders[4, 0] = 1.0
    return _add_scores(case, leads, leaders, slot=1)


def secret_sinks_beside_levels(rng):
    """Five heads, each far from the others, each with a sink among its scores."""
    levels = np.array([3e3, -2e3, -4e5, 9e5, 60.0])
    case = _ordinary(rng, T=6, d=4, e=3, sink=levels + [0.47, 2.03, -1.01, 1.03, 2.97])
    return _add_scores(case, levels[:, None], 1.0)


def secret_sinks_a_dozen_away(rng):
    """Sinks that take some millionths, and sinks that leave as little or less, with values that show it."""
    case = _ordinary(rng, T=6, d=5, e=4, sink=[-8.0, -10.0, 14.0, 19.0])
    case["args"]["v"] *= np.array([1, 1, 1e6, 1e9])[:, None, None] / 4
    return case


def secret_all_sizes_equal(rng):
    """H = T = d = e: any axis can be taken for another."""
    return _ordinary(rng, T=4, d=4, e=4, sink=[1.0, -1.5, 2.5, 0.2])


def secret_twelve_heads(rng):
    """More heads than a table of eight."""
    return _ordinary(rng, T=5, d=2, e=3, sink=np.linspace(-2, 3, 12) ** 3 / 8)


def secret_many_tokens(rng):
    """More than 32 positions."""
    return _ordinary(rng, T=40, d=5, e=3, sink=[2.0, 4.0])


def secret_one_token(rng):
    """T = 1: the token shares with the sink."""
    return _ordinary(rng, T=1, d=3, e=2, sink=[0.7, -0.4])


def secret_one_head_one_feature(rng):
    """H = d = e = 1: no axis may be lost. The only sink is 0."""
    return _ordinary(rng, T=6, d=1, e=1, sink=[0.0])


def secret_zero_tokens(rng):
    """Zero queries, keys and values: a score of exactly 0 hides nothing. d = e."""
    case = _ordinary(rng, T=7, d=3, e=3, sink=[0.9, -0.6])
    for name, positions in (("q", [3, 6]), ("k", [0, 2, 4]), ("v", [0, 4, 6])):
        case["args"][name][:, positions] = 0.0
    return case


def secret_later_key_ahead_by_1200(rng):
    """One later key leads by 1200, over allowed keys and sink."""
    position = np.arange(6)
    return _add_scores(_ordinary(rng, T=6, d=4, e=3, sink=[1.0, -0.5]), 1200.0 * (position < 4), position == 4)


def secret_later_key_ahead_by_60000(rng):
    """Two later keys lead by almost as much as is granted."""
    position = np.arange(7)
    case = _ordinary(rng, T=7, d=5, e=4, sink=[0.3, 1.6])
    _add_scores(case, 59_980.0 * (position < 3), position == 3)
    return _add_scores(case, 59_980.0 * ((position > 3) & (position < 6)), position == 6, slot=1)


def secret_ahead_at_the_edge_of_exp(rng):
    """A later key leads so far that allowed exponentials are subnormal, or 0 once they are divided."""
    case = _ordinary(rng, T=7, d=4, e=3, sink=[0.4, 2.0])
    case["args"]["q"] *= 0.3
    return _add_scores(case, [743.0, 741, 738, 735, 700, 0, 0], np.arange(7) == 5)


def secret_rows_far_apart(rng):
    """Rows from one end of the graded range to the other, each head's sink near one of them."""
    levels = np.array([-4e5, 999_980, 3e3, -999_980, -3e4, 1e3, -2e3, 5e5, 3e3])
    case = _ordinary(rng, T=9, d=5, e=4, sink=[3_001.0, -29_999.0, -999_979.0])
    return _add_scores(case, levels, 1.0)


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, T=5, d=4, e=6, sink=[0.5, 2.0, -1.0], layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, T=6, d=3, e=4, sink=[2.2, -0.3], layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second head first."""
    return _ordinary(rng, T=4, d=6, e=3, sink=[0.1, 1.1, -2.0, 3.0], layout=_in_turn(2))
