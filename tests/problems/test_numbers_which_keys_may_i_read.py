"""Numbers that the texts of "The single token agrees, the prompt and its chunks do not" state."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from tests.packages import SHIPPED

PACKAGE = SHIPPED / "which-keys-may-i-read"
CORRECTED = "submissions/accepted/corrected.py"
FROM_ZERO = "starters/first.py"


def mask_of(source: str, queries: int, keys: int) -> list[str]:
    """Return the rows of the mask that a source of the package makes, 1 for True."""
    causal_keep: Any = runpy.run_path(str(PACKAGE / source))["causal_keep"]
    return ["".join(map(str, map(int, row))) for row in causal_keep(queries, keys)]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        (CORRECTED, ["1111100", "1111110", "1111111"]),
        (FROM_ZERO, ["1000000", "1100000", "1110000"]),
        ("submissions/wrong_answer/own_key_closed_in_all_rows.py", ["1111000", "1111100", "1111110"]),
        ("submissions/wrong_answer/everything_open.py", ["1111111"] * 3),
    ],
)
def test_chunk_of_three_queries_among_seven_keys(source: str, rows: list[str]) -> None:
    assert mask_of(source, 3, 7) == rows


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        (CORRECTED, ["00", "00", "00", "10", "11"]),
        (FROM_ZERO, ["10", "11", "11", "11", "11"]),
        ("submissions/wrong_answer/newest_query_first.py", ["11", "10", "00", "00", "00"]),
        ("starters/second.py", ["10", "00", "00", "00", "10"]),
    ],
)
def test_five_queries_and_two_keys(source: str, rows: list[str]) -> None:
    assert mask_of(source, 5, 2) == rows


def test_strict_comparison_from_zero_leaves_the_first_of_five_queries_without_a_key() -> None:
    strict = [row < 1 for row in range(5)]
    assert [index for index, is_empty in enumerate(strict) if is_empty] == [0]


def test_one_query_among_hundred_keys_reads_the_first_one_from_the_upper_left_corner() -> None:
    assert mask_of(FROM_ZERO, 1, 100) == ["1" + "0" * 99]
    assert mask_of(CORRECTED, 1, 100) == ["1" * 100]


def test_one_query_and_one_key_hide_every_planted_fault() -> None:
    starters = sorted(path.name for path in (PACKAGE / "starters").glob("*.py"))
    assert [mask_of(f"starters/{name}", 1, 1) for name in starters] == [["1"]] * 3


def test_transposed_triangle_opens_all_seven_keys_for_the_first_query() -> None:
    assert mask_of("submissions/wrong_answer/transposed_triangle.py", 3, 7)[0] == "1111111"


@pytest.mark.parametrize(("queries", "keys"), [(4, 4), (3, 7), (7, 3)])
def test_rows_have_the_number_of_keys_that_the_full_answer_gives(queries: int, keys: int) -> None:
    counts = [row.count("1") for row in mask_of(CORRECTED, queries, keys)]
    assert counts == [min(max(row + 1 + keys - queries, 0), keys) for row in range(queries)]


def test_mask_of_a_chunk_is_the_last_rows_of_the_whole_mask() -> None:
    assert mask_of(CORRECTED, 3, 7) == mask_of(CORRECTED, 7, 7)[-3:]
