"""Cases of "Two reshapes that undo each other".

Every secret case says what it is for. B items, T tokens, H heads, d the size of a head, all different unless a case
says otherwise. Numbers are random, so no two places of an array hold the same one: whatever lands in a wrong place
shows. Both entries get the same kinds of cases.

The hidden set keeps these rules: each pair of sizes agrees somewhere, because equal sizes let wrong axes run, and so do
H*d and T, and H*d and B; three agree once (B = H = T); twelve heads; every size at the end of its range, and at 1 as an
extra case only; every memory order; float32, and int64 up to the last integer that float64 holds; two cases of equal
shape, of which the later one is the earlier one's numbers in another order with both ends kept; counts of heads that
cannot be, each in its own way.
"""

import numpy as np

LARGEST = 2**53  # the integers up to here are exact in float64


def _split(x, n_heads, layout="c"):
    return {"entry": "split_heads", "args": {"x": x, "n_heads": n_heads}, "layout": {"x": layout}}


def _merge(h, layout="c"):
    return {"entry": "merge_heads", "args": {"h": h}, "layout": {"h": layout}}


def _split_random(rng, B, T, H, d, layout="c"):
    return _split(rng.normal(size=(B, T, H * d)), H, layout)


def _merge_random(rng, B, T, H, d, layout="c"):
    return _merge(rng.normal(size=(B, H, T, d)), layout)


def _every_magnitude(rng, shape):
    """Numbers from 1e-280 to 1e280, which rounding and clipping change."""
    return rng.normal(size=shape) * 10.0 ** rng.integers(-280, 281, size=shape)


def _refuse(rng, B, T, width, n_heads):
    args = {"x": rng.normal(size=(B, T, width)), "n_heads": n_heads}
    return {"entry": "split_heads", "args": args, "raises": "ValueError"}


def _numbers(shape, shuffled):
    """Eighths, so that their sum is exact; shuffled, all but the first and the last change places."""
    flat = np.random.default_rng(5417).permutation(np.prod(shape)) / 8 - 3
    if shuffled:
        flat[1:-1] = np.random.default_rng(9206).permutation(flat[1:-1])
    return flat.reshape(shape)


def _large_integers(rng, shape):
    """Integers of every size up to 2**53, among them both ends, zeros, and odd ones that float32 and int32 lose."""
    x = rng.integers(-LARGEST, LARGEST, size=shape, dtype=np.int64) >> rng.integers(0, 54, size=shape)
    x.flat[:4] = LARGEST, 1 - LARGEST, -LARGEST, LARGEST - 1
    x.flat[-3:] = 2**31 + 1, 0, 2**24 + 1
    return x


def sample_split(rng):
    """Two items of one token: the format."""
    return _split(np.arange(1.0, 13.0).reshape(2, 1, 6), 3)


def sample_merge(rng):
    """What the split of the other sample returns: the way back."""
    return _merge(np.arange(1.0, 13.0).reshape(2, 3, 1, 2))


def secret_split_sizes_differ(rng):
    """B, T, H, d and H*d are pairwise different, and there are more heads than tokens."""
    return _split(_numbers((2, 3, 20), shuffled=False), 5)


def secret_split_middle_sizes_equal(rng):
    """H = T, and B = d: items taken for features, heads and tokens exchanged only where they differ."""
    return _split_random(rng, B=3, T=4, H=4, d=3)


def secret_split_sizes_equal_in_pairs(rng):
    """H = d, H at its largest, and B = T: the head axis found from the right, items taken for tokens."""
    return _split_random(rng, B=3, T=3, H=16, d=16)


def secret_split_sizes_equal_in_other_pairs(rng):
    """T = d, d at its largest, and B = H: blocks transposed to (d, T), the head axis found from the left."""
    return _split_random(rng, B=3, T=64, H=3, d=64)


def secret_split_three_sizes_equal(rng):
    """B = H = T: three axes in any order have the right shape."""
    return _split_random(rng, B=3, T=3, H=3, d=5)


def secret_split_twelve_heads(rng):
    """Twelve heads, whose names sort otherwise as text, and T at its largest: bounds that small cases do not reach."""
    return _split_random(rng, B=2, T=100, H=12, d=3)


def secret_split_one_item_one_feature(rng):
    """B = d = 1: shortcuts, and code that drops axes."""
    return _split_random(rng, B=1, T=4, H=3, d=1)


def secret_split_one_head(rng):
    """H = 1: nothing to exchange, but an axis to add."""
    return _split_random(rng, B=2, T=4, H=1, d=3)


def secret_split_one_token(rng):
    """T = 1, and B at its largest, which is H*d as well: bounds for the batch, items taken for columns."""
    return _split_random(rng, B=64, T=1, H=2, d=32)


def secret_split_other_numbers(rng):
    """Shape, sum, first and last number of sizes_differ: answers kept, buffers used again. The last before a merge."""
    return _split(_numbers((2, 3, 20), shuffled=True), 5)


def secret_merge_sizes_differ(rng):
    """All sizes differ; merged, it has the shape of the split just before, whose numbers are others."""
    return _merge(_numbers((2, 5, 3, 4), shuffled=False))


def secret_merge_middle_sizes_equal(rng):
    """H = T, and B = d."""
    return _merge_random(rng, B=3, T=4, H=4, d=3)


def secret_merge_sizes_equal_in_pairs(rng):
    """H = d, H at its largest, and B = T."""
    return _merge_random(rng, B=3, T=3, H=16, d=16)


def secret_merge_sizes_equal_in_other_pairs(rng):
    """T = d, d at its largest, and B = H."""
    return _merge_random(rng, B=3, T=64, H=3, d=64)


def secret_merge_three_sizes_equal(rng):
    """B = H = T."""
    return _merge_random(rng, B=3, T=3, H=3, d=5)


def secret_merge_twelve_heads(rng):
    """Twelve heads, and T at its largest."""
    return _merge_random(rng, B=2, T=100, H=12, d=3)


def secret_merge_one_item_one_feature(rng):
    """B = d = 1."""
    return _merge_random(rng, B=1, T=4, H=3, d=1)


def secret_merge_one_head(rng):
    """H = 1."""
    return _merge_random(rng, B=2, T=4, H=1, d=3)


def secret_merge_one_token(rng):
    """T = 1, and B at its largest."""
    return _merge_random(rng, B=64, T=1, H=2, d=32)


def secret_merge_other_numbers(rng):
    """The shape, sum and ends of sizes_differ: answers kept, buffers used again."""
    return _merge(_numbers((2, 5, 3, 4), shuffled=True))


def secret_split_integers(rng):
    """int64 that neither float32 nor int32 holds, in Fortran order: the dtype, and reshapes that follow the memory."""
    return _split(_large_integers(rng, (2, 3, 20)), 4, "fortran")


def secret_split_reversed(rng):
    """Negative strides on every axis, in float64: a conversion would straighten them out. H*d = T, a multiple of H."""
    return _split_random(rng, B=2, T=12, H=3, d=4, layout="reversed")


def secret_split_every_second(rng):
    """Items with gaps between them: strides that are assumed. Numbers of every magnitude; H and d multiples of T."""
    return _split(_every_magnitude(rng, (3, 4, 96)), 8, "every_second")


def secret_split_single_precision(rng):
    """float32, in Fortran order too, for code that straightens integers out."""
    return _split(rng.normal(size=(2, 4, 15)).astype(np.float32), 3, "fortran")


def secret_merge_integers(rng):
    """Large int64 in Fortran order."""
    return _merge(_large_integers(rng, (2, 4, 3, 5)), "fortran")


def secret_merge_reversed(rng):
    """Negative strides on every axis; H*d = T."""
    return _merge_random(rng, B=2, T=12, H=3, d=4, layout="reversed")


def secret_merge_every_second(rng):
    """Items with gaps between them. Numbers of every magnitude; H and d multiples of T."""
    return _merge(_every_magnitude(rng, (3, 8, 4, 12)), "every_second")


def secret_merge_single_precision(rng):
    """float32, in Fortran order too."""
    return _merge(rng.normal(size=(2, 3, 4, 5)).astype(np.float32), "fortran")


def secret_refuse_left_over_columns(rng):
    """Eight columns for three heads; B = T = 3 lets reshapes with a -1 run through with fewer items or tokens."""
    return _refuse(rng, B=3, T=3, width=8, n_heads=3)


def secret_refuse_more_heads_than_columns(rng):
    """Three columns for five heads: none is left for each."""
    return _refuse(rng, B=2, T=4, width=3, n_heads=5)


def secret_refuse_no_heads(rng):
    """Zero heads: a ValueError, not the ZeroDivisionError of the remainder."""
    return _refuse(rng, B=2, T=3, width=4, n_heads=0)


def secret_refuse_negative_heads(rng):
    """-1 divides everything, and is no count of heads: neither one head nor a request to find the number."""
    return _refuse(rng, B=2, T=3, width=6, n_heads=-1)
