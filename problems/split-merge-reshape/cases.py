"""Cases of "Two reshapes that undo each other".

Every secret case says what it is for. B items, T tokens, H heads, d the size of a head. Where no two places of an array
hold the same number, whatever lands in a wrong place shows. Both entries get the same kinds of cases.

The hidden set keeps these rules: each pair of sizes agrees somewhere, because equal sizes let wrong axes run, and so do
H*d and T, and H*d and B; all four agree once; every size at the end of its range, and so the width and the count of
numbers; every size at 1 as an extra case only, alone and with others; each dtype in each memory order that is not C;
int64 up to the last integer that float64 holds; numbers of every magnitude, zero tokens, equal items.

What is kept of earlier calls shows for the likely keys of a cache: the numbers of sizes_differ come back with another
number of heads, in another shape, as the same block of memory read in Fortran order, and changed in the twelfth digit;
the integers come with the float64 numbers of the same bits. Seven results of the merge have one shape.

Counts of heads that cannot be come in the middle, each in its own way, and a merge follows: widths and counts that were
right before are refused in another pair, what is refused with one width is right with the next, and what was refused
once is refused again. Two counts are beyond 32 bits, where nothing may be reserved or counted up for them.
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


def _refuse(x, n_heads, layout="c"):
    return {**_split(x, n_heads, layout), "raises": "ValueError"}


def _numbers():
    """Return 144 eighths, whose sum is exact in any order."""
    return np.random.default_rng(5417).permutation(144) / 8 - 3


def _integers(count):
    """Return integers of every size, among them both ends and odd ones that float32 and int32 lose.

    Their number is a multiple of 3. No negative one is nearer to 0 than -2**52 - 1: their bits are finite float64
    numbers, the tiniest and the largest.
    """
    rng = np.random.default_rng(7703)
    x = rng.integers(0, LARGEST, count) >> rng.integers(0, 54, count)
    x[::3] = -rng.integers(LARGEST // 2 + 1, LARGEST, count // 3)
    x[:4] = LARGEST, 1 - LARGEST, -LARGEST, LARGEST - 1
    x[-4:] = 2**31 + 1, -1 - LARGEST // 2, 1, 2**24 + 1
    return x


def _every_magnitude(rng, shape):
    """Numbers of both signs from 5e-324 to 1e300, which rounding, clipping and arithmetic change."""
    x = rng.choice([-1.0, 1.0], shape) * rng.uniform(1, 9, shape) * 10.0 ** rng.integers(-320, 300, shape)
    x.flat[1:4] = 5e-324, -3e-305, 1e16 + 2
    return x


def _every_single_magnitude(rng, shape):
    """float32 numbers from 0.01 to 3e38; all items are equal."""
    item = rng.choice([-1.0, 1.0], shape[1:]) * rng.uniform(1, 3.4, shape[1:]) * 10.0 ** rng.integers(-2, 39, shape[1:])
    item.flat[0] = 3.3e38  # twice that is none
    return np.repeat(item[None], shape[0], axis=0).astype(np.float32)


def _singles(rng, shape):
    return rng.normal(size=shape).astype(np.float32)


def _small_integers(rng, shape):
    """Return integers from 1 on, each once."""
    return rng.permutation(np.prod(shape)).reshape(shape) + 1


def _with_zero_tokens(x):
    """Make a token in the middle and the last two of an item zero, and let both items begin with the same token."""
    x[1, 5] = 0
    x[0, -2:] = 0
    x[1, 0] = x[0, 0]
    return x


def sample_split(rng):
    """Two items of one token: the format."""
    return _split(np.arange(1.0, 13.0).reshape(2, 1, 6), 3)


def sample_merge(rng):
    """What the split of the other sample returns: the way back."""
    return _merge(np.arange(1.0, 13.0).reshape(2, 3, 1, 2))


def secret_split_sizes_differ(rng):
    """B, T, H, d and H*d are pairwise different, and there are more heads than tokens."""
    return _split(_numbers().reshape(2, 3, 24), 6)


def secret_split_other_numbers(rng):
    """sizes_differ once more, changed beyond what is printed: answers kept, buffers used again."""
    return _split(_numbers().reshape(2, 3, 24) * (1 + 2**-40), 6)


def secret_split_sizes_equal_in_pairs(rng):
    """H = d and B = T = H*d: the head axis found from the right, items taken for tokens or for columns."""
    return _split_random(rng, B=9, T=9, H=3, d=3)


def secret_split_sizes_equal_in_other_pairs(rng):
    """T = d, d at its largest, and B = H: blocks transposed to (d, T), the head axis found from the left. Zeros."""
    return _split(_with_zero_tokens(rng.normal(size=(2, 64, 128))), 2)


def secret_split_all_sizes_equal(rng):
    """B = H = T = d: axes in any order have the right shape. Numbers of every magnitude."""
    return _split(_every_magnitude(rng, (3, 3, 9)), 3)


def secret_split_most_numbers(rng):
    """100000 numbers, T and H at their largest, and d = 1. The names of 20 heads sort otherwise as text."""
    return _split_random(rng, B=50, T=100, H=20, d=1)


def secret_split_one_item(rng):
    """B = 1, with tokens and heads to exchange: shortcuts, and code that drops axes. int64, reversed."""
    return _split(_small_integers(rng, (1, 4, 15)), 5, "reversed")


def secret_split_one_token(rng):
    """T = 1, all else at its largest, 1280 columns: bounds, and what is made for each column. float32 with gaps."""
    return _split(_singles(rng, (64, 1, 1280)), 20, "every_second")


def secret_split_one_item_one_token(rng):
    """B = T = d = 1: the shape of a step of decoding, with small numbers."""
    return _split(rng.normal(size=(1, 1, 6)) * 1e-4, 6)


def secret_split_one_column(rng):
    """H = d = 1: nothing to do but to add an axis. int64, with gaps."""
    return _split(_small_integers(rng, (2, 3, 1)), 1, "every_second")


def secret_split_one_item_one_head(rng):
    """B = H = 1, several tokens. float32, reversed."""
    return _split(_singles(rng, (1, 5, 3)), 1, "reversed")


def secret_split_one_head(rng):
    """H = 1: nothing to exchange, but an axis to add. The numbers of sizes_differ, the last before a merge."""
    return _split(_numbers().reshape(2, 3, 24), 1)


def secret_merge_sizes_differ(rng):
    """All sizes differ; merged, it has the shape of the split just before, and the numbers in another order."""
    return _merge(_numbers().reshape(2, 6, 3, 4))


def secret_merge_other_numbers(rng):
    """sizes_differ once more, changed beyond what is printed: answers kept, buffers used again."""
    return _merge(_numbers().reshape(2, 6, 3, 4) * (1 + 2**-40))


def secret_merge_sizes_equal_in_pairs(rng):
    """H = d and B = T = H*d. int64, reversed."""
    return _merge(_small_integers(rng, (9, 3, 9, 3)), "reversed")


def secret_merge_sizes_equal_in_other_pairs(rng):
    """T = d, d at its largest, and B = H. Zero tokens."""
    x = _with_zero_tokens(rng.normal(size=(2, 64, 128)))
    return _merge(x.reshape(2, 64, 2, 64).swapaxes(1, 2))


def secret_merge_all_sizes_equal(rng):
    """B = H = T = d."""
    return _merge_random(rng, B=3, T=3, H=3, d=3)


def secret_merge_most_numbers(rng):
    """100000 numbers, T and H at their largest, and d = 1."""
    return _merge_random(rng, B=50, T=100, H=20, d=1)


def secret_merge_one_item_one_head(rng):
    """B = H = 1, several tokens. float32, reversed."""
    return _merge(_singles(rng, (1, 1, 5, 3)), "reversed")


def secret_merge_one_head(rng):
    """H = 1. The bytes of sizes_differ."""
    return _merge(_numbers().reshape(2, 1, 3, 24))


def secret_merge_one_token(rng):
    """T = 1, all else at its largest, 1280 columns. float32 with gaps."""
    return _merge(_singles(rng, (64, 20, 1, 64)), "every_second")


def secret_merge_one_item_one_token(rng):
    """B = T = 1, small numbers, in Fortran order: with T = 1 the exchange leaves that order as it is."""
    return _merge(rng.normal(size=(1, 3, 1, 2)) * 1e-4, "fortran")


def secret_merge_one_column(rng):
    """H = d = 1, several items and tokens. int64, with gaps."""
    return _merge(_small_integers(rng, (2, 1, 3, 1)), "every_second")


def secret_refuse_left_over_columns(rng):
    """Seven columns for six heads; B = T = 6 lets reshapes with a -1 run through with more of them. float32."""
    return _refuse(_singles(rng, (6, 6, 7)), 6)


def secret_refuse_common_divisor(rng):
    """Nine columns for six heads, which share the divisor 3; nine columns were right for three heads."""
    return _refuse(rng.normal(size=(2, 3, 9)), 6, "reversed")


def secret_refuse_left_over_again(rng):
    """Seven columns for six heads once more: a check that is made once. One token of int64: checks left out for it."""
    return _refuse(rng.integers(-9, 10, size=(2, 1, 7)), 6, "reversed")


def secret_refuse_more_heads_than_columns(rng):
    """One column for 257 heads: a multiple of the width, and 1 in eight bits. float32."""
    return _refuse(_singles(rng, (2, 3, 1)), 257)


def secret_refuse_count_beyond_32_bits(rng):
    """Six columns for 2**32 + 3 heads: three in 32 bits, and too many for an array, a list or a loop."""
    return _refuse(rng.normal(size=(2, 3, 6)), 2**32 + 3, "fortran")


def secret_refuse_no_heads(rng):
    """Zero heads: a ValueError, not the ZeroDivisionError of the remainder."""
    return _refuse(rng.normal(size=(2, 3, 4)), 0)


def secret_refuse_minus_one_head(rng):
    """-1 divides everything, and is no count of heads: neither one head nor a request to find the number."""
    return _refuse(rng.normal(size=(2, 3, 6)), -1)


def secret_refuse_minus_the_width(rng):
    """-2 divides two columns, and is even. float32."""
    return _refuse(_singles(rng, (2, 3, 2)), -2, "every_second")


def secret_refuse_negative_with_rest(rng):
    """3 - 2**32 is negative, leaves a rest, and is three in 32 bits. int64."""
    return _refuse(rng.integers(-9, 10, size=(2, 3, 6)), 3 - 2**32, "fortran")


def secret_split_single_precision(rng):
    """float32 of every magnitude in Fortran order, before float64. B = d, H a multiple of T; items are equal."""
    return _split(_every_single_magnitude(rng, (4, 2, 32)), 8, "fortran")


def secret_split_integers(rng):
    """int64 that neither float32 nor int32 holds, in Fortran order: the dtype. T = H*d; a third of 2**53 is rounded."""
    return _split(_integers(648).reshape(2, 18, 18), 3, "fortran")


def secret_split_fortran(rng):
    """The block of memory of sizes_differ, read in Fortran order: the same shape, sum and ends, another array."""
    return _split(_numbers().reshape(2, 3, 24, order="F"), 6, "fortran")


def secret_split_reversed(rng):
    """Negative strides on every axis, in float64. H = T, B = d; the bytes of sizes_differ in another shape."""
    return _split(_numbers().reshape(2, 6, 12), 6, "reversed")


def secret_split_every_second(rng):
    """Items with gaps between them: strides that are assumed. The bits of integers: the tiniest and largest numbers."""
    return _split(_integers(648).view(np.float64).reshape(2, 18, 18), 3, "every_second")


def secret_merge_single_precision(rng):
    """float32 of every magnitude in Fortran order, before float64. B = 1, H a multiple of T."""
    return _merge(_every_single_magnitude(rng, (1, 8, 2, 4)), "fortran")


def secret_merge_integers(rng):
    """int64 that neither float32 nor int32 holds, in Fortran order, in the shape of sizes_differ."""
    return _merge(_integers(144).reshape(2, 6, 3, 4), "fortran")


def secret_merge_fortran(rng):
    """The block of memory of sizes_differ, read in Fortran order."""
    return _merge(_numbers().reshape(2, 6, 3, 4, order="F"), "fortran")


def secret_merge_reversed(rng):
    """Negative strides on every axis. H = T, B = d; the bytes of sizes_differ in another shape."""
    return _merge(_numbers().reshape(2, 6, 6, 2), "reversed")


def secret_merge_every_second(rng):
    """Items with gaps between them: the bits of integers, which are the tiniest and largest numbers."""
    return _merge(_integers(144).view(np.float64).reshape(2, 6, 3, 4), "every_second")
