"""Numbers that the texts of "Short texts agree, long ones drift" state."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "sliding-window"
CORRECTED = "submissions/accepted/corrected.py"


def keys_read(source: str, tokens: int, window: int) -> list[list[int]]:
    """Return the keys that each query reads in a source of the package, all scores being 0."""
    attend: Any = runpy.run_path(str(PACKAGE / source))["local_attention"]
    zeros = np.zeros((tokens, 1))
    weights = attend(zeros, zeros, zeros, window)[1]
    return [np.flatnonzero(row).tolist() for row in weights]


def test_query_6_reads_4_5_and_6_under_a_window_of_three() -> None:
    assert keys_read(CORRECTED, 7, 3)[6] == [4, 5, 6]


def test_last_of_ten_reads_four_keys_under_a_window_of_four() -> None:
    assert keys_read(CORRECTED, 10, 4)[9] == [6, 7, 8, 9]


def test_last_of_ten_reads_two_keys_in_blocks_of_four() -> None:
    assert keys_read("submissions/wrong_answer/window_in_blocks.py", 10, 4)[9] == [8, 9]


@pytest.mark.parametrize(("tokens", "window"), [(7, 1), (7, 3), (7, 6), (7, 7), (40, 9)])
def test_rows_and_pairs_are_counted_by_the_formulas(tokens: int, window: int) -> None:
    counts = [len(keys) for keys in keys_read(CORRECTED, tokens, window)]

    assert counts == [min(i + 1, window) for i in range(tokens)]
    assert sum(counts) == tokens * window - window * (window - 1) // 2


def test_six_tokens_are_the_first_to_tell_a_window_of_five_from_one_of_six() -> None:
    differ = [tokens for tokens in range(1, 9) if keys_read(CORRECTED, tokens, 5) != keys_read(CORRECTED, tokens, 6)]

    assert differ == [6, 7, 8]


def test_inclusive_bound_is_blind_up_to_the_window() -> None:
    wide = "starters/first.py"
    differ = [tokens for tokens in range(1, 7) if keys_read(wide, tokens, 4) != keys_read(CORRECTED, tokens, 4)]

    assert differ == [5, 6]


def test_absolute_distance_reads_as_far_ahead_as_back() -> None:
    assert keys_read("starters/interview.py", 7, 2)[3] == [1, 2, 3, 4, 5]


def test_a_key_that_leads_by_37_leaves_nothing_of_one_in_a_sum() -> None:
    assert [np.exp(lead) + 1.0 - np.exp(lead) for lead in (0.0, 37.5)] == [1.0, 0.0]
    assert round(float(np.log(2.0**53)), 1) == 36.7
