"""The two stages, each an entry of its own, and wrong versions of them.

B items, T tokens, H heads, d the size of a head.
"""

import math

import numpy as np

_PAIRS = ((0, 1), (0, 2), (1, 2))


def _double(array):
    return np.asarray(array, dtype=np.float64)


def _check(x, n_heads):
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"A width of {x.shape[-1]} cannot be split into {n_heads} heads.")


def _cut(x, n_heads):
    """(B, T, H*d) -> (B, T, H, d): every head owns a contiguous block of columns."""
    _check(x, n_heads)
    return _double(x).reshape(*x.shape[:2], n_heads, x.shape[-1] // n_heads)


def _sizes(x, n_heads):
    """B, T, H, d of an input of the split."""
    return *x.shape[:2], n_heads, x.shape[-1] // n_heads


def _ascending(array):
    """A view without negative strides, which is another array."""
    return array[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in array.strides)]


def _exchanged(shape, first, second):
    """A shape with two sizes exchanged."""
    sizes = list(shape)
    sizes[first], sizes[second] = sizes[second], sizes[first]
    return tuple(sizes)


def _text_order(count):
    return sorted(range(count), key=str)


def heads(x, n_heads):
    return _cut(x, n_heads).transpose(0, 2, 1, 3)


def heads__split_without_transpose(x, n_heads):
    """The split reshapes straight to (B, H, T, d): a head gets whole rows of a few tokens, not columns of all."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return _double(x).reshape(B, H, T, d)


def heads__strided_split(x, n_heads):
    """Head h takes the columns h, h + H, h + 2H instead of a contiguous block."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return _double(x).reshape(B, T, d, H).transpose(0, 3, 1, 2)


def heads__split_in_fortran_order(x, n_heads):
    """The split reshapes straight to (B, H, T, d) in Fortran order, which counts items first and features last."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return _double(x).reshape((B, H, T, d), order="F")


def heads__split_follows_memory(x, n_heads):
    """The split reads the numbers in the order of memory, which is another one in a Fortran array."""
    _check(x, n_heads)
    return _double(x).reshape(_sizes(x, n_heads), order="A").transpose(0, 2, 1, 3)


def heads__split_turns_negative_strides(x, n_heads):
    """Axes with negative strides are turned round before the split, which reverses their numbers."""
    return heads(_ascending(_double(x)), n_heads)


def heads__split_heads_reversed(x, n_heads):
    """The heads come out last to first."""
    return heads(x, n_heads)[:, ::-1]


def heads__split_heads_sorted_as_text(x, n_heads):
    """The heads come out in the alphabetical order of their numbers, in which 10 and 11 precede 2."""
    found = heads(x, n_heads)
    return found[:, _text_order(n_heads)]


def heads__split_turned_before_reshape(x, n_heads):
    """Tokens and columns change places before the reshape to (B, H, T, d): heads mix tokens with features."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return _double(x).swapaxes(1, 2).reshape(B, H, T, d)


def heads__split_reshaped_before_turn(x, n_heads):
    """The split reshapes straight to (B, H, d, T) and exchanges the last two axes: heads of several tokens, mixed."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return _double(x).reshape(B, H, d, T).swapaxes(2, 3)


def heads__split_fold_order_mixed_up(x, n_heads):
    """Heads are stacked in front of the items and unfolded as if the items came first."""
    _check(x, n_heads)
    B, T, H, d = _sizes(x, n_heads)
    return np.concatenate(np.split(_double(x), H, axis=-1)).reshape(B, H, T, d)


def heads__split_items_taken_for_tokens(x, n_heads):
    """A batch as long as its sequences counts as sequence-first: items and tokens change places."""
    return heads(x.swapaxes(0, 1) if x.shape[0] == x.shape[1] else x, n_heads)


def heads__split_head_axis_found_from_the_left(x, n_heads):
    """The head axis is the first axis of length H, which may be that of the items or of the tokens."""
    cut = _cut(x, n_heads)
    return np.moveaxis(cut, cut.shape.index(n_heads), 1)


def heads__split_head_axis_found_from_the_right(x, n_heads):
    """The head axis is the last axis of length H, which is that of the features where H = d."""
    cut = _cut(x, n_heads)
    return np.moveaxis(cut, 3 - cut.shape[::-1].index(n_heads), 1)


def heads__split_kept_where_sizes_fit(x, n_heads):
    """The head axis is exchanged with the token axis only where their lengths differ."""
    cut = _cut(x, n_heads)
    return cut if cut.shape[1] == cut.shape[2] else cut.transpose(0, 2, 1, 3)


def heads__split_exchanged_until_it_fits(x, n_heads):
    """Two of the first three axes are exchanged on trial until the shape fits; with B = H = T the first trial fits."""
    B, T, H, d = _cut(x, n_heads).shape
    first, second = next(pair for pair in _PAIRS if _exchanged((B, T, H, d), *pair) == (B, H, T, d))
    return _cut(x, n_heads).swapaxes(first, second)


def heads__split_items_taken_for_features(x, n_heads):
    """A batch as large as a head counts as the feature axis: items and features change places."""
    found = heads(x, n_heads)
    return found.swapaxes(0, 3) if found.shape[0] == found.shape[3] else found


def heads__split_square_blocks_turned(x, n_heads):
    """A square block of T tokens and d features is taken for feature-first and transposed."""
    found = heads(x, n_heads)
    return found.swapaxes(2, 3) if found.shape[2] == found.shape[3] else found


def heads__split_features_before_tokens(x, n_heads):
    """The axes are item, head, feature, token: the blocks are transposed."""
    return heads(x, n_heads).swapaxes(2, 3)


def heads__split_heads_before_items(x, n_heads):
    """The axes are head, item, token, feature: the heads come before the items."""
    return heads(x, n_heads).swapaxes(0, 1)


def heads__split_heads_behind_tokens(x, n_heads):
    """The heads stay behind the tokens: (B, T, H, d)."""
    return _cut(x, n_heads)


def heads__split_windows_overlap(x, n_heads):
    """Head h takes d columns from column h on, so that the heads overlap."""
    _check(x, n_heads)
    size = x.shape[-1] // n_heads
    return np.stack([_double(x)[..., h : h + size] for h in range(n_heads)], axis=1)


def heads__split_first_head_everywhere(x, n_heads):
    """Every head gets the columns of head 0."""
    found = heads(x, n_heads)
    return np.repeat(found[:, :1], n_heads, axis=1)


def heads__split_first_item_everywhere(x, n_heads):
    """Every item gets the heads of item 0."""
    found = heads(x, n_heads)
    return np.repeat(found[:1], len(found), axis=0)


def heads__split_tokens_beyond_64_lost(x, n_heads):
    """Only the first 64 tokens are copied, the others stay zero."""
    found = heads(x, n_heads).copy()
    found[:, :, 64:] = 0
    return found


def heads__split_items_beyond_16_lost(x, n_heads):
    """Only the first 16 items are copied, the others stay zero."""
    found = heads(x, n_heads).copy()
    found[16:] = 0
    return found


def heads__split_drops_single_axes(x, n_heads):
    """Axes of length 1 disappear from the heads."""
    return heads(x, n_heads).squeeze()


def heads__split_in_single_precision(x, n_heads):
    """The numbers are rounded to float32, which holds seven digits."""
    return heads(x, n_heads).astype(np.float32).astype(np.float64)


def heads__split_integers_in_32_bits(x, n_heads):
    """Integers are narrowed to 32 bits and wrap around."""
    return heads(x.astype(np.int32) if x.dtype.kind == "i" else x, n_heads)


def heads__split_halves_single_precision(x, n_heads):
    """float32 numbers are rounded to float16, which holds three digits."""
    return heads(x.astype(np.float16) if x.dtype == np.float32 else x, n_heads)


def heads__split_pads_the_width(x, n_heads):
    """A width that the heads do not divide is filled up with columns of zeros instead of refused."""
    if not 1 <= n_heads <= x.shape[-1]:
        raise ValueError("There must be a head, and a column for each.")
    return heads(np.pad(x, [(0, 0), (0, 0), (0, -x.shape[-1] % n_heads)]), n_heads)


def heads__split_drops_left_over_columns(x, n_heads):
    """A call that leaves columns over gets them dropped instead of a ValueError."""
    if not 1 <= n_heads <= x.shape[-1]:
        raise ValueError("There must be a head, and a column for each.")
    return heads(x[..., : x.shape[-1] // n_heads * n_heads], n_heads)


def heads__split_no_more_heads_than_columns(x, n_heads):
    """A call with more heads than columns gets one head for each column instead of a ValueError."""
    return heads(x, min(n_heads, x.shape[-1]))


def heads__split_at_least_one_head(x, n_heads):
    """No heads and fewer are raised to one head instead of refused."""
    return heads(x, max(n_heads, 1))


def heads__split_sign_of_the_count_ignored(x, n_heads):
    """A negative count of heads is taken for a positive one instead of refused."""
    return heads(x, abs(n_heads))


def heads__split_asserts_the_width(x, n_heads):
    """What cannot be split raises an AssertionError instead of a ValueError."""
    assert n_heads >= 1 and x.shape[-1] % n_heads == 0
    return heads(x, n_heads)


def heads__split_divides_by_no_heads(x, n_heads):
    """Zero heads end in the ZeroDivisionError of the remainder instead of a ValueError."""
    x.shape[-1] % n_heads
    return heads(x, n_heads)


def heads__split_refuses_coprime_only(x, n_heads):
    """Heads that share a divisor with the width, as six with nine, are let through and left-over columns dropped."""
    width = x.shape[-1]
    if not 1 <= n_heads <= width or (n_heads > 1 and math.gcd(width, n_heads) == 1):
        raise ValueError("The heads and the width have no common divisor.")
    return heads(x[..., : width // n_heads * n_heads], n_heads)


def heads__split_single_token_not_turned(x, n_heads):
    """One token of one item keeps its axis in front of the heads: (1, 1, H, d)."""
    cut = _cut(x, n_heads)
    return cut if cut.shape[:2] == (1, 1) else cut.transpose(0, 2, 1, 3)


def heads__split_one_item_not_turned(x, n_heads):
    """A batch of one item is reshaped straight to (1, H, T, d), without the exchange of heads and tokens."""
    cut = _cut(x, n_heads)
    B, T, H, d = cut.shape
    return cut.reshape(B, H, T, d) if B == 1 else cut.transpose(0, 2, 1, 3)


def heads__split_single_block_unpacked(x, n_heads):
    """One item that is split into one head comes out as its block, without the two axes in front."""
    found = heads(x, n_heads)
    return found[0, 0] if found.shape[:2] == (1, 1) else found


def heads__split_items_taken_for_columns(x, n_heads):
    """A batch as large as the width counts as the columns: the first and the last axis of x change places."""
    return heads(x.swapaxes(0, 2) if x.shape[0] == x.shape[2] else x, n_heads)


def heads__split_singles_cut_off(x, n_heads):
    """float32 numbers beyond 65504 are cut off there, which is the largest number of half precision."""
    return heads(x.clip(-65504, 65504) if x.dtype == np.float32 else x, n_heads)


def heads__split_count_in_32_bits(x, n_heads):
    """The number of heads is brought to 32 bits, in which one that is too large can come out as a divisor."""
    return heads(x, int(np.array(n_heads).astype(np.int32)))


def heads__split_single_token_unchecked(x, n_heads):
    """The width of a single token is not checked against the heads: a rest of it becomes further heads."""
    B, T, H, d = _sizes(x, max(n_heads, 1))
    fits = T == 1 and 1 <= n_heads <= x.shape[-1] and x.shape[-1] % d == 0
    return _double(x).reshape(B, -1, 1, d) if fits else heads(x, n_heads)


def heads__split_zero_tokens_moved_back(x, n_heads):
    """Tokens of zeros count as padding and are moved behind the others of their item."""
    order = np.argsort(~x.any(axis=2), axis=1, kind="stable")
    return heads(np.take_along_axis(x, order[..., None], axis=1), n_heads)


def heads__split_columns_in_8_bits(x, n_heads):
    """Positions of columns are kept in eight bits, so that column 256 is column 0 again."""
    return heads(x[..., np.arange(x.shape[-1]).astype(np.uint8)], n_heads)


def heads__split_one_column_heads_not_turned(x, n_heads):
    """Heads of one column are reshaped straight to (B, H, T, 1), without the exchange of heads and tokens."""
    cut = _cut(x, n_heads)
    B, T, H, d = cut.shape
    return cut.reshape(B, H, T, d) if d == 1 else cut.transpose(0, 2, 1, 3)


def merged(h):
    B, H, T, d = h.shape
    return _double(h).transpose(0, 2, 1, 3).reshape(B, T, H * d)


def merged__merge_without_transpose(h):
    """The merge reshapes straight to (B, T, H*d): every token gets pieces of other tokens."""
    B, H, T, d = h.shape
    return _double(h).reshape(B, T, H * d)


def merged__strided_merge(h):
    """Head h fills the columns h, h + H, h + 2H instead of a contiguous block."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 2, 3, 1).reshape(B, T, H * d)


def merged__merge_in_fortran_order(h):
    """The merge reshapes straight to (B, T, H*d) in Fortran order, which counts items first and features last."""
    B, H, T, d = h.shape
    return _double(h).reshape((B, T, H * d), order="F")


def merged__merge_follows_memory(h):
    """The merge turns the axes and reads the numbers in the order of memory, which the turn has not changed."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 2, 1, 3).ravel(order="K").reshape(B, T, H * d)


def merged__merge_turns_negative_strides(h):
    """Axes with negative strides are turned round before the merge, which reverses their numbers."""
    return merged(_ascending(_double(h)))


def merged__merge_heads_reversed(h):
    """The heads are joined last to first."""
    return merged(h[:, ::-1])


def merged__merge_heads_sorted_as_text(h):
    """The heads are joined in the alphabetical order of their numbers, in which 10 and 11 precede 2."""
    return merged(h[:, _text_order(h.shape[1])])


def merged__merge_features_before_tokens(h):
    """Tokens and features are exchanged in place of heads and tokens."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 1, 3, 2).reshape(B, T, H * d)


def merged__merge_features_before_heads(h):
    """The last axis is moved to the front of the heads before the reshape."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 3, 1, 2).reshape(B, T, H * d)


def merged__merge_axes_turned_over(h):
    """Heads and features are exchanged, the tokens stay between them."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 3, 2, 1).reshape(B, T, H * d)


def merged__merge_fold_order_mixed_up(h):
    """Items and heads are folded with the items first and unfolded as if the heads came first."""
    B, H, T, d = h.shape
    return np.concatenate(np.split(_double(h).reshape(B * H, T, d), H), axis=-1)


def merged__merge_items_taken_for_tokens(h):
    """A batch as long as its sequences counts as sequence-first: items and tokens change places."""
    return merged(h.swapaxes(0, 2) if h.shape[0] == h.shape[2] else h)


def merged__merge_longer_axis_is_tokens(h):
    """The longer of the two middle axes counts as the tokens, so more heads than tokens are read the wrong way."""
    return merged(h.swapaxes(1, 2) if h.shape[1] > h.shape[2] else h)


def merged__merge_kept_where_sizes_fit(h):
    """The head axis is exchanged with the token axis only where their lengths differ."""
    return merged(h.swapaxes(1, 2) if h.shape[1] == h.shape[2] else h)


def merged__merge_exchanged_until_it_fits(h):
    """Two of the first three axes are exchanged on trial until the shape fits; with B = H = T the first trial fits."""
    B, H, T, d = h.shape
    first, second = next(pair for pair in _PAIRS if _exchanged(h.shape, *pair) == (B, T, H, d))
    return _double(h).swapaxes(first, second).reshape(B, T, H * d)


def merged__merge_items_taken_for_features(h):
    """A batch as large as a head counts as the feature axis: items and features change places."""
    return merged(h.swapaxes(0, 3) if h.shape[0] == h.shape[3] else h)


def merged__merge_square_blocks_turned(h):
    """A square block of T tokens and d features is taken for feature-first and transposed."""
    return merged(h.swapaxes(2, 3) if h.shape[2] == h.shape[3] else h)


def merged__merge_equal_heads_and_features_exchanged(h):
    """As many heads as features count as heads in the last place, and the two axes change places."""
    return merged(h.swapaxes(1, 3) if h.shape[1] == h.shape[3] else h)


def merged__merge_heads_before_items_guessed(h):
    """As many items as heads count as heads in front of the items, and the two axes change places."""
    return merged(h.swapaxes(0, 1) if h.shape[0] == h.shape[1] else h)


def merged__merge_sizes_misnamed(h):
    """The axes are turned, but the sizes are those before the turn: (B, H, T*d)."""
    B, H, T, d = h.shape
    return _double(h).transpose(0, 2, 1, 3).reshape(B, H, T * d)


def merged__merge_heads_left_apart(h):
    """The axes are turned and never joined: (B, T, H, d)."""
    return _double(h).transpose(0, 2, 1, 3)


def merged__merge_heads_added(h):
    """The heads are added up instead of placed side by side."""
    return _double(h).sum(axis=1)


def merged__merge_heads_averaged(h):
    """Every block of columns holds the mean of all heads."""
    return merged(np.repeat(_double(h).mean(axis=1, keepdims=True), h.shape[1], axis=1))


def merged__merge_first_head_everywhere(h):
    """Every block of columns holds head 0."""
    return merged(np.repeat(h[:, :1], h.shape[1], axis=1))


def merged__merge_last_head_lost(h):
    """The last head is never copied, its columns stay zero."""
    found = merged(h).copy()
    found[..., -h.shape[-1] :] = 0
    return found


def merged__merge_first_item_everywhere(h):
    """Every item gets the heads of item 0."""
    return merged(np.repeat(h[:1], len(h), axis=0))


def merged__merge_tokens_beyond_64_lost(h):
    """Only the first 64 tokens are copied, the others stay zero."""
    found = merged(h).copy()
    found[:, 64:] = 0
    return found


def merged__merge_items_beyond_16_lost(h):
    """Only the first 16 items are copied, the others stay zero."""
    found = merged(h).copy()
    found[16:] = 0
    return found


def merged__merge_drops_single_axes(h):
    """Axes of length 1 disappear from the merged array."""
    return merged(h).squeeze()


def merged__merge_in_single_precision(h):
    """The numbers are rounded to float32, which holds seven digits."""
    return merged(h).astype(np.float32).astype(np.float64)


def merged__merge_integers_in_32_bits(h):
    """Integers are narrowed to 32 bits and wrap around."""
    return merged(h.astype(np.int32) if h.dtype.kind == "i" else h)


def merged__merge_halves_single_precision(h):
    """float32 numbers are rounded to float16, which holds three digits."""
    return merged(h.astype(np.float16) if h.dtype == np.float32 else h)


def merged__merge_single_block_unpacked(h):
    """One item with one head comes out as its block (T, d): two axes, where three are wanted."""
    return _double(h)[0, 0] if h.shape[:2] == (1, 1) else merged(h)


def merged__merge_one_column_unpacked(h):
    """A single column comes out without its axis."""
    found = merged(h)
    return found[..., 0] if found.shape[-1] == 1 else found


def merged__merge_one_item_not_turned(h):
    """A batch of one item is reshaped straight to (1, T, H*d), without the exchange of heads and tokens."""
    B, H, T, d = h.shape
    return _double(h).reshape(B, T, H * d) if B == 1 else merged(h)


def merged__merge_items_taken_for_columns(h):
    """A batch as large as the merged width counts as the columns: the first and the last axis change places."""
    found = merged(h)
    return found.swapaxes(0, 2) if found.shape[0] == found.shape[2] else found


def merged__merge_zero_tokens_moved_back(h):
    """Tokens of zeros count as padding and are moved behind the others of their item."""
    found = merged(h)
    order = np.argsort(~found.any(axis=2), axis=1, kind="stable")
    return np.take_along_axis(found, order[..., None], axis=1)


def merged__merge_small_numbers_in_single_precision(h):
    """Where all numbers are small they are rounded to float32, which holds seven digits of them."""
    return merged(h.astype(np.float32) if np.abs(_double(h)).max() < 1e-2 else h)


def merged__merge_columns_in_8_bits(h):
    """Positions of columns are kept in eight bits, so that column 256 is column 0 again."""
    found = merged(h)
    return found[..., np.arange(found.shape[-1]).astype(np.uint8)]


def merged__merge_features_beyond_32_lost(h):
    """Only the first 32 features of each head are copied, the others stay zero."""
    h = _double(h).copy()
    h[..., 32:] = 0
    return merged(h)


def merged__merge_one_column_heads_not_turned(h):
    """Heads of one column are reshaped straight to (B, T, H), without the exchange of heads and tokens."""
    B, H, T, d = h.shape
    return _double(h).reshape(B, T, H) if d == 1 else merged(h)
