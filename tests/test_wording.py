"""Counts and times stand in sentences as people say them; no sentence of ours counts any other way."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from grader.wording import counted, iso_time, plural, told_time

GRADER: Final = Path(__file__).parents[1] / "grader"
NOUNS: Final = [
    "attempt",
    "browser",
    "byte",
    "candidate",
    "case",
    "character",
    "column",
    "core",
    "day",
    "fault",
    "file",
    "finding",
    "hour",
    "interview",
    "line",
    "minute",
    "number",
    "point",
    "problem",
    "question",
    "result",
    "review",
    "row",
    "rule",
    "run",
    "second",
    "session",
    "source",
    "stage",
    "submission",
    "token",
    "user",
]
BEFORE: Final = ["more", "secret", "hidden", "judged", "distinct", "new", "wrong"]
# what is always more than one: bounds that are written in capitals, and a few that are known
BARE: Final = re.compile(rf"\{{+ ?([^{{}}]*?) ?\}}+(?:</\w+>)? (?:(?:{'|'.join(BEFORE)}) )?(?:{'|'.join(NOUNS)})s\b")
OWN_PLURAL: Final = re.compile(r"""["']s["'] if """)
MANY: Final = re.compile(
    r"[A-Z_]+(_MAX|_MIN|_LENGTH|LIMIT|SHOWN)?|[A-Z_]+ >> 20|CHECK_S / 60:g"
    r"|label_length|most|name|matrices_max|shortest|longest"
)


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "minute", "0 minutes"),
        (1, "minute", "1 minute"),
        (2, "minute", "2 minutes"),
        (1.0, "point", "1 point"),
        (0.5, "point", "0.5 points"),
        (100.0, "point", "100 points"),
        ("1", "point", "1 point"),
        ("–", "point", "– points"),
        (1, "secret case", "1 secret case"),
        (3, "secret case", "3 secret cases"),
    ],
)
def test_a_count_agrees_with_its_noun(number: float | str, noun: str, said: str) -> None:
    assert counted(number, noun) == said


def test_verbs_agree_too() -> None:
    assert [plural(number, "is") for number in (0, 1, 2)] == ["are", "is", "are"]


def test_times_have_year_and_zone() -> None:
    noon = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
    said = [told_time(noon), told_time(noon, exact=True), iso_time(noon)]
    assert said == ["01 Mar 2026 12:00 UTC", "01 Mar 2026 12:00:05 UTC", "2026-03-01T12:00:05Z"]


@pytest.mark.parametrize("ending", ["html", "py"])
def test_no_sentence_counts_on_its_own(ending: str) -> None:
    files = sorted((GRADER / "web" / "templates").glob("*.html")) if ending == "html" else sorted(GRADER.rglob("*.py"))
    files = [path for path in files if path.parent.name != "sandbox"]  # it says nothing to people
    assert files
    found = []
    for path in files:
        text = path.read_text()
        own = [match[0] for match in OWN_PLURAL.finditer(text)]
        bare = [match[0] for match in BARE.finditer(text) if not MANY.fullmatch(match[1])]
        found += [f"{path.name}: {part}" for part in own + bare]
    assert found == []
