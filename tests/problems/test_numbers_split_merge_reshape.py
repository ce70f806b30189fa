"""Numbers that the answers of split-merge-reshape state."""

from __future__ import annotations

import numpy as np


def test_one_reshape_of_two_tokens_gives_head_0_the_first_token_cut_in_two() -> None:
    x = np.array([[[1, 2, 3, 4], [5, 6, 7, 8]]])
    assert x.reshape(1, 2, 2, 2)[0, 0].tolist() == [[1, 2], [3, 4]]
    assert x.reshape(1, 2, 2, 2).transpose(0, 2, 1, 3)[0, 0].tolist() == [[1, 2], [5, 6]]
    assert x[0, :, 0::2].tolist() == [[1, 3], [5, 7]]  # strided columns


def test_one_reshape_of_four_tokens_hides_tokens_2_and_3_from_head_0() -> None:
    x = np.repeat(np.arange(4), 6).reshape(1, 4, 6)  # each number is its token's
    wrong = x.reshape(1, 2, 4, 3)[0]
    assert wrong[0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
    assert sorted(set(wrong[1].ravel().tolist())) == [2, 3]


def test_one_assertion_on_the_split_tells_the_two_apart() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    right = x.reshape(1, 4, 2, 3).transpose(0, 2, 1, 3)
    assert right[0, 1, 0, 0] == x[0, 0, 3]
    assert x.reshape(1, 2, 4, 3)[0, 1, 0, 0] != x[0, 0, 3]


def test_two_wrong_steps_undo_each_other() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    assert np.array_equal(x.reshape(1, 2, 4, 3).reshape(1, 4, 6), x)


def test_joining_heads_as_they_lie_fills_the_first_row_from_head_0_alone() -> None:
    heads = np.zeros((1, 2, 4, 3))
    heads[0, 1] = 1.0
    assert heads.reshape(1, 4, 6)[0, 0].tolist() == [0.0] * 6


def test_a_split_can_be_a_view_and_joining_a_head_copies() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    split = x.reshape(1, 4, 2, 3).transpose(0, 2, 1, 3)
    assert np.shares_memory(split, x)
    assert not np.shares_memory(split.reshape(1, 2, 12), x)
