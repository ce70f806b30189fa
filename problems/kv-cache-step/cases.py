"""Cases of "The prompt agrees, what is decoded behind it does not".

T tokens, d key size, e value size, n chunks. Unless a case says otherwise queries, keys and values are random and scores
are of order 1.

The hidden set keeps these rules: one text of six tokens cut in five ways, and its queries with other keys; a chunk of
several tokens behind a cache, chunks of one token, one chunk; all sizes different, T = d, d = e, one pair of features,
one token, T above 32; zero tokens; later keys of the same chunk ahead by 738, 1.2e3 and 6e4; rows at both ends of the
graded range, in a chunk and between chunks; leaders in the cache and in the own chunk; weights of 1e-8 and 1e-10
on large values, and the largest value on a later key; every memory layout. Scores are set before the rotation: queries
and keys are turned back by their positions.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _turned(x, direction):
    """Rotate each row by its index, forwards or back."""
    half = x.shape[1] // 2
    angle = direction * np.arange(len(x))[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    return np.hstack([first * np.cos(angle) - second * np.sin(angle), first * np.sin(angle) + second * np.cos(angle)])


def _case(q, k, v, chunks, layout=None):
    args = {"q": q, "k": k, "v": v, "chunks": np.array(chunks, dtype=np.int64)}
    return {"entry": "decode", "args": args, "layout": layout or {}}


def _ordinary(rng, d, e, chunks, layout=None):
    T = sum(chunks)
    q, k = (1.3 * rng.normal(size=(T, d)) for _ in range(2))
    return _case(q, k, rng.normal(size=(T, e)), chunks, layout)


def _with_scores(rng, d, e, chunks, *products):
    """An ordinary case with scores added, each product of (per query, per key) in a feature that holds nothing else."""
    case = _ordinary(rng, d, e, chunks)
    args = case["args"]
    for slot, (per_query, per_key) in enumerate(products):
        args["q"][:, slot] = np.sqrt(d) * np.asarray(per_query)
        args["k"][:, slot] = per_key
    return case | {"args": args | {name: _turned(args[name], -1) for name in ("q", "k")}}


def _six(chunks):
    return _ordinary(np.random.default_rng(151), d=6, e=5, chunks=chunks)


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v", "chunks"))}


def sample_format(rng):
    """A prompt of three tokens in one chunk."""
    q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    k = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, -1.0]])
    return _case(q, k, np.array([[1.0, 0.0], [2.0, -1.0], [4.0, 3.0]]), [3])


def secret_three_two_one(rng):
    """Six tokens: a prompt of three, a chunk of two, one more."""
    return _six([3, 2, 1])


def secret_six_by_one(rng):
    """The same text, token by token."""
    return _six([1, 1, 1, 1, 1, 1])


def secret_one_and_five(rng):
    """The same text; one token, then all others."""
    return _six([1, 5])


def secret_two_and_four(rng):
    """The same text; the second chunk is the longer one."""
    return _six([2, 4])


def secret_six_at_once(rng):
    """The same text in one chunk."""
    return _six([6])


def secret_other_keys(rng):
    """The same queries and chunks again with other keys and values."""
    q = _six([3, 2, 1])["args"]["q"]
    return _case(q, 1.3 * rng.normal(size=(6, 6)), rng.normal(size=(6, 5)), [3, 2, 1])


def secret_sizes_differ(rng):
    """All sizes different, the longest chunk in the middle."""
    return _ordinary(rng, d=4, e=5, chunks=[2, 4, 1])


def secret_one_pair_of_features(rng):
    """d = 2 and e = 1: a single angle a token."""
    return _ordinary(rng, d=2, e=1, chunks=[2, 1, 3, 1])


def secret_one_token(rng):
    """T = 1: h is v."""
    return _ordinary(rng, d=4, e=3, chunks=[1])


def secret_many_tokens(rng):
    """More positions than a table of 32 has, in chunks of very different lengths."""
    return _ordinary(rng, d=8, e=5, chunks=[17, 1, 2, 19, 1])


def secret_zero_tokens(rng):
    """Zero queries, keys and values on both sides of a border: a score of exactly 0 hides nothing."""
    case = _ordinary(rng, d=4, e=4, chunks=[3, 4])
    for name, rows in (("q", [1, 4]), ("k", [0, 2, 5]), ("v", [2, 3])):
        case["args"][name][rows] = 0.0
    return case


def secret_later_key_ahead_by_1200(rng):
    """The last key of the second chunk leads by 1200 in all rows before it."""
    position = np.arange(7)
    return _with_scores(rng, 6, 3, [2, 4, 1], (1200 * (position < 5), position == 5))


def secret_later_key_ahead_by_60000(rng):
    """The last key of each of two chunks leads by almost as much as is granted."""
    position = np.arange(8)
    products = [(59_980 * (position < 2), position == 2), (59_980 * ((position > 2) & (position < 7)), position == 7)]
    return _with_scores(rng, 8, 4, [3, 5], *products)


def secret_ahead_at_the_edge_of_exp(rng):
    """Three later keys of the chunk lead so far that allowed exponentials are subnormal, or 0 once they are divided."""
    leads = [0, 0, 743, 741, 738, 735, 0, 0, 0, 0]
    return _with_scores(rng, 6, 3, [2, 7, 1], (leads, np.arange(10) > 5))


def secret_levels_far_apart(rng):
    """Chunks and rows from one end of the graded range to the other."""
    levels = [-4e5, 4.9e5, 20, -4.9e5, 3e3, -3e4, 709, -744, 2e5]
    return _with_scores(rng, 6, 4, [3, 4, 1, 1], (levels, np.ones(9)))


def secret_leader_in_the_cache(rng):
    """Two keys of the first chunk lead by thousands and share the weight of all rows, until a key of the last leads."""
    position = np.arange(9)
    leads = np.where(np.isin(position, (4, 5, 6)), 4000, 900)
    products = [(leads, np.isin(position, (1, 3))), (3000 * (position > 6), position == 7)]
    return _with_scores(rng, 6, 3, [4, 3, 2], *products)


def secret_small_weights(rng):
    """Weights near 1e-8 and 1e-10 on values so large that h shows what drops them, and a larger value in the future."""
    trail = np.array([20.0, 3.0, 2.0, 20.0, 0.0, 24.0, 22.0, 1.0])
    case = _with_scores(rng, 6, 6, [3, 4, 1], (np.ones(8), trail))
    case["args"]["v"][:, 0] = np.where(trail < 10, 1e7, 1.0)
    case["args"]["v"][6] = [1e9, 4e8, -1e9, 7e8, -3e8, 6e8]
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, d=8, e=4, chunks=[4, 3, 1], layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, d=4, e=4, chunks=[1, 3, 2], layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, d=8, e=6, chunks=[2, 1, 4, 1], layout=_in_turn(2))
