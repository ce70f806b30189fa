"""Tables for spreadsheets: no cell is a formula, wherever the spreadsheet thinks that a cell begins."""

from __future__ import annotations

import csv
import io
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.report.result import csv_line, safe_cell

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
SEPARATORS: Final = (",", ";", "|", "\t")
texts = st.one_of(st.text(), st.text(alphabet="=+-@\t\r\n;,|'\" aA1\uff1d\u202e\0"))


@pytest.mark.parametrize("separator", SEPARATORS)
@given(cells=st.lists(texts, min_size=1, max_size=5))
@example(cells=["=1+1", "a;=1", "a\n=1", "a,\t-1", " =1", "a|@x", '"=1', '";=1', '|"='])
def test_no_cell_is_a_formula(separator: str, cells: list[str]) -> None:
    line = csv_line(cells)
    for row in csv.reader(io.StringIO(line), delimiter=separator):
        assert not [cell for cell in row if cell.lstrip(" ").startswith(FORMULA)], line


@given(cells=st.lists(texts, min_size=1, max_size=5))
def test_a_line_is_one_line_with_as_many_cells(cells: list[str]) -> None:
    line = csv_line(cells)
    assert line.count("\n") == 1
    (row,) = csv.reader(io.StringIO(line))
    assert row == [safe_cell(cell) for cell in cells]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Ines", "Ines"),
        ("=1", "'=1"),
        (" =1", "' =1"),
        ("a;=1", "a;'=1"),
        ("a, -b", "a,' -b"),
        ("heads-never-mix", "heads-never-mix"),
        ("a = b", "a = b"),
        ("100", "100"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("a\nb", "a\\nb"),
    ],
)
def test_what_is_harmless_stays(text: str, cell: str) -> None:
    assert safe_cell(text) == cell
