"""Untrusted text at a terminal or in a table: every character shows, and nothing acts."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.report.result import CSV_COLUMNS, csv_row, csv_table
from grader.report.visible import visible

HOSTILE: Final = st.text(st.characters(codec=None, min_codepoint=0)) | st.text(
    "=+-@\t\r\n\x1b\u202e,\"'; a\\", max_size=8
)
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
HIDDEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with ünïcödé ✓ 漢字", "plain, with ünïcödé ✓ 漢字"),
        ("", ""),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("of another\r\nsystem", "of another\nsystem"),
        ("over\rwritten", "over\\rwritten"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31mred", "\\x9b31mred"),
        ("\x1b]0;title\a", "\\x1b]0;title\\x07"),
        ("back\b\b", "back\\x08\\x08"),
        ("NUL\0", "NUL\\x00"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("zero\u200bwidth\u2066", "zero\\u200bwidth\\u2066"),
        ("\ufeffmark", "\\ufeffmark"),
        ("line\u2028separator", "line\\u2028separator"),
        ("lone \ud800", "lone \\ud800"),
        ("private \ue000", "private \\ue000"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("filled \u3164\u115f\u1160\uffa0", "filled \\u3164\\u115f\\u1160\\uffa0"),
        ("joined \u034f, empty \u2800", "joined \\u034f, empty \\u2800"),
        ("a heart \u2764\ufe0f", "a heart \u2764\ufe0f"),
        ("family \U0001f468\u200d\U0001f469\u200d\U0001f467!", "family \U0001f468\u200d\U0001f469\u200d\U0001f467!"),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308"),
        ("\U0001f9d1\U0001f3fd\u200d\u2695\ufe0f", "\U0001f9d1\U0001f3fd\u200d\u2695\ufe0f"),
        ("a\u200db", "a\\u200db"),
        ("\U0001f468\u200d", "\U0001f468\\u200d"),
        ("\U0001f468\u200d\u200d\U0001f469", "\U0001f468\\u200d\\u200d\U0001f469"),
        ("\U0001f468\u200da", "\U0001f468\\u200da"),
        ("\U0001f468\u200d\U0001faff", "\U0001f468\\u200d\\U0001faff"),  # not assigned yet
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(HOSTILE)
@example("\ud83d")
def test_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)
    shown = re.sub(
        "(?<=[\U0001f000-\U0001faff\u2190-\u2bff\ufe0f])\u200d(?=[\U0001f000-\U0001faff\u2190-\u2bff])", "", shown
    )
    assert [
        character for character in shown if unicodedata.category(character) in HIDDEN and character not in "\n\t"
    ] == []
    assert visible(shown) == shown
    shown.encode()  # surrogates are gone


@given(HOSTILE)
def test_one_line_is_one_line(text: str) -> None:
    assert visible(text, keep="").splitlines() in ([], [visible(text, keep="")])


def row(candidate: str, **changes: str) -> dict[str, str]:
    """Return a table's row."""
    return {**dict.fromkeys(CSV_COLUMNS, ""), "candidate": candidate, "problem": "p", **changes}


@given(st.lists(HOSTILE, max_size=4))
@example(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", 'a"b,c\nd', " =1"])
def test_a_table_keeps_its_shape_and_holds_no_formula(names: list[str]) -> None:
    table = csv_table([row(name, verdict="AC") for name in names])
    read = list(csv.reader(io.StringIO(table)))
    assert read[0] == list(CSV_COLUMNS)
    assert [len(cells) for cells in read] == [len(CSV_COLUMNS)] * (len(names) + 1)
    assert table.count("\n") == len(names) + 1  # one line each, so that line tools read it as well
    for cells in read[1:]:
        assert not cells[0].startswith(FORMULA)
        assert visible(cells[0], keep="") == cells[0]
    table.encode()


@given(st.lists(st.tuples(HOSTILE, st.sampled_from(["p", "q"])), max_size=6, unique=True), st.randoms())
def test_a_table_is_the_same_in_whatever_order_results_come(keys: list[tuple[str, str]], random: object) -> None:
    rows = [row(candidate, problem=problem) for candidate, problem in keys]
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert csv_table(rows) == csv_table(shuffled)


def test_columns_of_a_result() -> None:
    value = {
        "candidate": "ann",
        "problem": "p",
        "verdict": "WA",
        "reason": "wrong_values",
        "score": 37.5,
        "max_score": 100.0,
        "finding": {"first_wrong_stage": "weights", "faults": ["one", "two"]},
        "source_sha256": "s",
        "package_sha256": "h",
    }
    assert list(csv_row(value)) == list(CSV_COLUMNS)
    assert list(csv_row(value).values()) == [
        "ann",
        "p",
        "WA",
        "wrong_values",
        "37.5",
        "100",
        "weights",
        "one two",
        "s",
        "h",
    ]
    none = {**value, "reason": None, "score": None, "max_score": None}
    none["finding"] = {"first_wrong_stage": None, "faults": []}
    assert list(csv_row(none).values()) == ["ann", "p", "WA", "", "", "", "", "", "s", "h"]


def test_escapes_never_begin_like_a_formula() -> None:
    assert not any(re.match(r"[=+\-@\t\r]", visible(chr(code), keep="")) for code in range(32))
