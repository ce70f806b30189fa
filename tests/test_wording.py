"""Counts and times stand in sentences as people say them; no sentence of ours counts any other way."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from grader.wording import all_of, counted, iso_time, part_of, plural, told_time

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
# a word or an ending that is chosen by a count beside the one place that does it, and parts whose verb does not agree
OWN_PLURAL: Final = re.compile(
    r"""["']s["'] if |["'][a-z ]+["'] if [^"'{}%]*(?:==|!=|>) ?1 else ["'][a-z ]+["']"""
    r"""|macro \w+\(count, one"""
    r"""|\} of \{+[^{}]*\}+(?: [a-z]+){0,4} (?:is|are|has|have|was|were|agree|change|fail|pass|sum|wait)s?\b"""
    r"""|\} of \{+[^{}]*\}+ \{+ ?(?:"|plural)"""
)
KNOWN: Final = frozenset(  # names, an irregular plural, another subject, and that place
    {
        "} of {name} has",
        "} of {name} is",
        "} of {candidate} is",
        "'axis' if output.ndim == 1 else 'axes'",
        "} of {counted(len(found), 'case')} every row sums",
        "} of {things} {plural",
    }
)
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


@pytest.mark.parametrize(
    ("part", "whole", "verb", "noun", "said"),
    [
        (1, 168, "is", "number", "1 of 168 numbers is"),
        (2, 168, "is", "number", "2 of 168 numbers are"),
        (0, 168, "is", "number", "0 of 168 numbers are"),
        (1, 1, "is", "number", "1 of 1 number is"),
        (0, 1, "is", "number", "0 of 1 number is"),
        (168, 168, "sums", "row", "168 of 168 rows sum"),
        (1, 3, "sums", "row", "1 of 3 rows sums"),
        (2, 3, "is", "weight of hidden keys", "2 of 3 weights of hidden keys are"),
        (0, 1, "is", "weight of hidden keys", "0 of 1 weight of hidden keys is"),
        (1, 2, "is", "", "1 of 2 is"),
        (2, 2, "waits", "", "2 of 2 wait"),
    ],
)
def test_a_verb_goes_with_the_part_and_a_noun_with_the_whole(
    part: int, whole: int, verb: str, noun: str, said: str
) -> None:
    assert part_of(part, whole, verb, noun) == said


def test_all_of_one_are_not_counted() -> None:
    assert [all_of(number, "sample") for number in (1, 2)] == ["the sample", "all 2 samples"]


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
        own = [match[0] for match in OWN_PLURAL.finditer(text) if match[0] not in KNOWN]
        bare = [match[0] for match in BARE.finditer(text) if not MANY.fullmatch(match[1])]
        found += [f"{path.name}: {part}" for part in own + bare]
    assert found == []
