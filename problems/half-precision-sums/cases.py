"""Cases of "Right for short texts and narrow heads".

t_q queries, t_k keys, d key size, e value size. Every entry is a half-precision number, handed over as float32. Unless
a case says otherwise entries are random and scores of order 1 to 10. Where scores are larger, entries lie on a grid, so
that float32 holds every sum of products.

The hidden set keeps these rules: products beyond 65504 whose scores are below it, and scores beyond it; entries and
scores whose half-precision roundings show in the values; 4500 keys of one weight, with values that differ from end to
end; one key ahead of 4500, whose weights are no half-precision numbers or below all of them; sums of values beyond
65504; values of 250 that cancel; many small shares; rows near 40, in the thousands, near -4e5 and 4e5; all sizes
different, all equal, more and fewer queries than keys, one query, one key, one feature; zero tokens; one call repeated
with each argument exchanged; every memory layout.
"""

import numpy as np

LAYOUTS = ("fortran", "reversed", "every_second")


def _kept(array):
    """Round to half precision, as the memory does, and hand over as float32."""
    return np.asarray(array, dtype=np.float64).astype(np.float16).astype(np.float32)


def _case(q, k, v, layout=None):
    args = {"q": _kept(q), "k": _kept(k), "v": _kept(v)}
    return {"entry": "attention_fp16", "args": args, "layout": layout or {}}


def _ordinary(rng, t_q, t_k, d, e, spread=1.6, size=3.0, layout=None):
    """Scores of order spread**2 and values of order `size`."""
    q, k = spread * rng.normal(size=(t_q, d)), spread * rng.normal(size=(t_k, d))
    return _case(q, k, size * rng.normal(size=(t_k, e)), layout)


def _grid(rng, *shape):
    """Multiples of 0.25 of order 1: their products float32 adds up exactly beside products of 1e6."""
    return rng.integers(-5, 6, size=shape) / 4


def _levels(rng, levels, t_k, e):
    """Rows at levels (multiples of 32), with d = 4 and differences on a grid."""
    q, k = _grid(rng, len(levels), 4), _grid(rng, t_k, 4)
    k[:, 0] = 1024.0
    q[:, 0] = np.asarray(levels) / 512.0
    return _case(q, k, 15.0 * rng.normal(size=(t_k, e)))


def _in_turn(first):
    return {name: LAYOUTS[(first + i) % 3] for i, name in enumerate(("q", "k", "v"))}


def sample_format(rng):
    """Two queries, three keys, two features; small whole numbers."""
    return _case([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0], [2.0], [4.0]])


def secret_sizes_differ(rng):
    """All sizes different."""
    return _ordinary(np.random.default_rng(97), t_q=3, t_k=7, d=4, e=5)


def _with(rng, name):
    """The first call with other queries, keys or values."""
    case = secret_sizes_differ(rng)
    case["args"][name] = _kept(1.6 * rng.normal(size=case["args"][name].shape))
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


def secret_large_values(rng):
    """d = 50, scores up to 10, values near 250 and -250 that cancel: three digits are not enough anywhere."""
    case = _ordinary(rng, t_q=4, t_k=12, d=50, e=3, spread=1.5)
    signs = np.where(np.arange(12) % 2 == 0, 250.0, -250.0)[:, None]
    case["args"]["v"] = _kept(signs + 20 * rng.normal(size=(12, 3)))
    return case


def secret_small_shares(rng):
    """One key leads; the exponentials of 300 others lie between 1e-4 and 1e-8 and their values are 300."""
    k = np.concatenate([[18.0], np.linspace(9.0, -0.4, 300)])[:, None]
    v = np.concatenate([[[2.0, -1.0]], np.tile([[300.0, -300.0]], (300, 1)) * rng.uniform(0.5, 1.0, (300, 1))])
    return _case([[1.0], [0.9375]], k, v)


def secret_zero_tokens(rng):
    """Zero queries, keys and values."""
    case = _ordinary(rng, t_q=4, t_k=8, d=3, e=3)
    for name, positions in (("q", [2]), ("k", [1, 6]), ("v", [4, 6])):
        case["args"][name][positions] = 0.0
    return case


def secret_many_equal_keys(rng):
    """4500 keys share the weight evenly; values rise from 1 to 8 in steps along the text, and fall beside that."""
    steps = 1 + np.arange(4500) * 8 // 4500
    return _case([[2.0, 1.0]], np.tile([[1.5, -3.0]], (4500, 1)), np.stack([steps, 10.0 - steps], axis=1))


def secret_many_keys(rng):
    """2000 keys with random scores and values near 100: their sum is beyond 65504."""
    case = _ordinary(rng, t_q=2, t_k=2000, d=4, e=1, spread=0.3)
    case["args"]["v"] = _kept(100.0 + 30.0 * np.sign(rng.normal(size=(2000, 1))))
    return case


def secret_one_key_ahead_of_thousands(rng):
    """One key leads 4500 others: by a half, so that shares are 0.607, and by 17.4 to 18, so that halves would be 0.

    Values differ from end to end in one column, and are near 250 in the other.
    """
    k = np.stack([np.full(4500, 1.0), np.linspace(2.6, 2.0, 4500)], axis=1)
    v = np.stack([20 * np.sin(np.arange(4500) / 400), rng.uniform(200.0, 300.0, 4500)], axis=1)
    k[1700], v[1700] = [1.5, 20.0], [0.5, -0.25]
    root = np.sqrt(2.0)
    return _case([[root, 0.0], [0.0, root]], k, v)


def secret_wide_and_large(rng):
    """d = 256 with entries of 60 and -60: products up to 921600, scores up to 57600, some rows share the weight."""
    k = 60.0 * np.where(rng.random((5, 256)) < 0.5, 1, -1)
    k[3], k[4] = k[0], k[0]
    k[3, 7] *= 59.96875 / 60
    q = np.stack([k[0], k[1], -k[2], k[3]])
    return _case(q, k, 20.0 * rng.normal(size=(5, 2)))


def secret_levels_far_apart(rng):
    """Rows near -4e5 and 4e5, beyond what half precision holds, in the thousands and near 0; keys share the weight."""
    return _levels(rng, [-400_000.0, 1024.0, 0.0, 30_016.0, -960.0, 400_000.0], t_k=7, e=4)


def secret_rows_near_forty(rng):
    """d = 12, rows near 40 and -40, where a root that is off by one part in 4000 shifts the shares."""
    q, k = _grid(rng, 4, 12), _grid(rng, 6, 12)
    q[:, 0], k[:, 0] = [10.0, -10.0, 10.5, -9.5], [13.0, 12.75, 13.25, 13.0, 12.5, 13.25]
    return _case(q, k, 60.0 * rng.normal(size=(6, 3)))


def secret_all_sizes_equal(rng):
    """As many queries as keys, features and values: any axis can be taken for another."""
    return _ordinary(rng, t_q=4, t_k=4, d=4, e=4)


def secret_one_key(rng):
    """A single key takes all the weight."""
    return _ordinary(rng, t_q=4, t_k=1, d=3, e=2)


def secret_layouts(rng):
    """Layouts in turn, Fortran order first."""
    return _ordinary(rng, t_q=4, t_k=5, d=3, e=6, layout=_in_turn(0))


def secret_layouts_turned(rng):
    """Layouts in turn, reversed first."""
    return _ordinary(rng, t_q=3, t_k=6, d=4, e=2, layout=_in_turn(1))


def secret_layouts_turned_again(rng):
    """Layouts in turn, every second row first."""
    return _ordinary(rng, t_q=5, t_k=4, d=6, e=3, layout=_in_turn(2))
