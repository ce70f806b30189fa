"""Cases of "The longer the text, the larger the error".

t_q queries, t_k keys, d key size, e value size, `block` keys at a time. Unless a case says otherwise queries, keys and
values are random and scores are of order 1, so that every query shares its weight among several keys.

The hidden set keeps these rules: blocks of 1, 2, 3, 4 and 16, one of all keys, one larger than that, last blocks that
are short; the largest score in the first block, in a middle one, in the last one, rising with each key and falling;
leads of 5, of 45, of 1e3 and of 6e4; rows below -745, in the hundreds and from one end of the graded range to the
other, beside each other; all sizes different, all equal, more and fewer queries than keys, one query, one key, one
feature, 100 keys; zero tokens; values of 1e9, and of 1e5 that cancel; one call repeated with each argument exchanged;
every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _case(q, k, v, block, layout=None):
    return {"entry": "stream", "args": {"q": q, "k": k, "v": v, "block": block}, "layout": layout or {}}


def _ordinary(rng, t_q, t_k, d, e, block, layout=None):
    q, k = 1.3 * rng.normal(size=(t_q, d)), 1.3 * rng.normal(size=(t_k, d))
    return _case(q, k, rng.normal(size=(t_k, e)), block, layout)


def _add_scores(case, per_query, per_key, slot=0):
    """Add per_query * per_key to the scores; one feature carries it and nothing else."""
    args = case["args"]
    args["q"][:, slot] = np.sqrt(args["q"].shape[1]) * np.asarray(per_query)
    args["k"][:, slot] = per_key
    return case


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v"))}


def sample_format(rng):
    """Two queries, four keys in blocks of two; what comes first scores highest, and above 0."""
    k = np.array([[3.0, 2.0], [2.0, 3.0], [1.0, 0.0], [0.0, -1.0]])
    return _case(np.array([[1.0, 0.5], [0.5, 1.0]]), k, np.array([[1.0], [2.0], [4.0], [-1.0]]), 2)


def secret_last_block_short(rng):
    """All sizes different; blocks of two, two, two and one."""
    return _ordinary(np.random.default_rng(83), t_q=3, t_k=7, d=4, e=5, block=2)


def _with(rng, name):
    """The first call with other queries, keys or values."""
    case = secret_last_block_short(rng)
    case["args"][name] = rng.normal(size=case["args"][name].shape)
    return case


def secret_other_keys(rng):
    """The first call with other keys."""
    return _with(rng, "k")


def secret_other_queries(rng):
    """The first call with other queries."""
    return _with(rng, "q")


def secret_other_values(rng):
    """The first call with other values."""
    return _with(rng, "v")


def secret_rising_and_falling_by_hundreds(rng):
    """Blocks of one key: a row rises by 500 with each, one falls by 500, one rises by less than 1, one by 40."""
    return _add_scores(_ordinary(rng, t_q=4, t_k=6, d=4, e=3, block=1), [500.0, -500.0, 0.7, 40.0], np.arange(6.0))


def secret_lead_in_late_block(rng):
    """Rows whose best key stands in the first, second or last block of four; leads of 5 to 45 over values of 1e9."""
    case = _ordinary(rng, t_q=4, t_k=10, d=5, e=4, block=4)
    for row, (key, lead) in enumerate(((1, 5.0), (6, 5.0), (9, 5.0), (9, 45.0))):
        _add_scores(case, lead * (np.arange(4) == row), np.arange(10) == key, slot=row)
    case["args"]["v"][[0, 5]] *= 4e8
    return case


def secret_block_beyond_keys(rng):
    """One block that could hold more; all scores lie below 0."""
    return _add_scores(_ordinary(rng, t_q=3, t_k=6, d=4, e=2, block=1000), -9.0, 1.0)


def secret_many_keys(rng):
    """A hundred keys in blocks of 16; the last has four, and the best of all. Values of 1e5 cancel across blocks."""
    case = _ordinary(rng, t_q=2, t_k=100, d=4, e=3, block=16)
    case["args"]["k"][48:96] = case["args"]["k"][:48]
    case["args"]["v"][:96] += np.repeat([1e5, -1e5], 48)[:, None]
    return _add_scores(case, [1.0, 2.0], 3.0 * (np.arange(100) > 95))


def secret_rows_below_range_of_exp(rng):
    """All scores of every row lie below what exp can tell from 0, by little and by thousands."""
    return _add_scores(_ordinary(rng, t_q=4, t_k=5, d=3, e=2, block=2), [-760.0, -2000.0, -9000.0, -40000.0], 1.0)


def secret_hundreds(rng):
    """Rows in the hundreds: where only a sum of exponentials overflows, where they are subnormal, and a fall by 725."""
    case = _add_scores(_ordinary(rng, t_q=5, t_k=9, d=4, e=3, block=4), [708.6, -742.0, 300.0, 709.1, -500.0], 1.0)
    case["args"]["q"][:, 1:] *= 0.1
    return _add_scores(case, [0.0, 0.0, -725.0, 0.0, 0.0], np.arange(9) > 3, slot=1)


def secret_levels_far_apart(rng):
    """Rows from one end of the graded range to the other, in one call."""
    levels = [999_980, -4e5, 3e3, 0.0, -999_980]
    return _add_scores(_ordinary(rng, t_q=5, t_k=6, d=4, e=3, block=4), levels, 1.0)


def secret_leads_of_thousands(rng):
    """In each row two neighbours lead all others by 1500, 6e4 or 900: in the first, a middle or the last block."""
    case = _ordinary(rng, t_q=3, t_k=9, d=5, e=3, block=3)
    for row, (lead, key) in enumerate(((1500.0, 7), (59_980.0, 4), (900.0, 0))):
        position = np.arange(9)
        _add_scores(case, lead * (np.arange(3) == row), (position == key) | (position == key + 1), slot=row)
    return case


def secret_lead_shared_across_blocks(rng):
    """Keys of the first and of the last block lead by 1000 and share the weight; a middle one lies between."""
    case = _ordinary(rng, t_q=3, t_k=8, d=4, e=3, block=2)
    return _add_scores(case, [1000.0, 1500.0, 990.0], np.array([0, 1, 0, 0.4, 0, 0, 1, 1]))


def secret_small_shares_large_values(rng):
    """Keys that trail by 20 to 34 have values of 1e9 and more weight in the answer than in the sum."""
    case = _add_scores(_ordinary(rng, t_q=3, t_k=7, d=4, e=2, block=2), -1.0, np.array([0, 24, 0, 34, 20, 0, 22]))
    case["args"]["v"][[1, 3, 4, 6]] *= 1e9
    return case


def secret_all_sizes_equal(rng):
    """As many queries as keys, features and values, all in one block: any axis can be taken for another."""
    return _ordinary(rng, t_q=4, t_k=4, d=4, e=4, block=4)


def secret_one_query(rng):
    """The step of a decoder."""
    return _ordinary(rng, t_q=1, t_k=6, d=3, e=4, block=4)


def secret_one_key(rng):
    """A single key takes all the weight."""
    return _ordinary(rng, t_q=4, t_k=1, d=3, e=2, block=1)


def secret_one_feature(rng):
    """d = e = 1, as many queries as keys."""
    return _ordinary(rng, t_q=5, t_k=5, d=1, e=1, block=2)


def secret_zero_tokens(rng):
    """Zero queries, keys and values; the scores of zero keys are exactly 0 and others lie below."""
    case = _add_scores(_ordinary(rng, t_q=3, t_k=7, d=3, e=3, block=3), -2.0, 1.0)
    for name, positions in (("q", [1]), ("k", [0, 5]), ("v", [2, 5])):
        case["args"][name][positions] = 0.0
    return case


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, t_q=4, t_k=5, d=3, e=6, block=2, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, t_q=3, t_k=6, d=4, e=2, block=4, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, t_q=5, t_k=4, d=6, e=3, block=3, layout=_in_turn(2))
