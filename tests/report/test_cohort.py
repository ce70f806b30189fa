"""A batch's page and those of its candidates: numbers beside pictures, and nothing untrusted is markup."""

from __future__ import annotations

import re
from typing import Final

import pytest

from grader.report import cohort as cohort_module
from grader.report.candidate_page import candidate_page
from grader.report.cohort import Cohort, cohort_page
from grader.report.result import csv_row
from grader.report.unusable import Unjudged
from tests.report.results import result
from tests.report.test_report import Page
from tests.report.wide import marked, unreachable

EVIL: Final = "<script>alert(1)</script>\" onload='x' \u202e\x1b[31m"
RESULTS: Final = [
    result("ann", "p"),
    result("ann", "q", "WA", 40.0),
    result("bob", "p", "WA", 0.0),
    result(EVIL, "p", "JE", None),
]


def words(page: Page) -> str:
    """Return what stands on a page, word by word."""
    return " ".join(" ".join(page.texts).split())


def page(*values: object, expected: tuple[str, ...] = ()) -> Page:
    """Return the page of a batch."""
    rows = [csv_row(value) for value in values]  # type: ignore[arg-type]
    pages = {row["candidate"]: f"html/{number}.html" for number, row in enumerate(rows)}
    return Page(cohort_page(Cohort(EVIL, rows, ["p", "q"], expected, pages)))


@pytest.mark.parametrize(
    ("weakened", "told"),
    [(0, None), (1, "1 of 4 results was judged without Landlock"), (4, "4 of 4 results were judged without Landlock")],
)
def test_a_weakened_sandbox_has_a_banner(weakened: int, told: str | None) -> None:
    rows = [csv_row(value) for value in RESULTS]
    pages = {row["candidate"]: "html/1.html" for row in rows}
    text = words(Page(cohort_page(Cohort("in", rows, ["p", "q"], (), pages, weakened=weakened))))
    assert ("Weakened sandbox." in text) == bool(told)
    assert told is None or told in text


def test_what_goes_on_to_the_right_says_so() -> None:
    rows = [csv_row(value) for value in RESULTS]
    page = cohort_page(Cohort(EVIL, rows, ["p", "q"], (), {row["candidate"]: "html/1.html" for row in rows}))
    assert unreachable(page) == []
    assert marked(page) == ["Verdicts by problem", "Fault by candidate", "Candidates"]


def test_every_number_stands_in_a_table() -> None:
    text = words(page(*RESULTS, expected=("ann", "zoe")))
    for told in (
        "3 candidates, 4 results",
        "Accepted 1",
        "Wrong answer 2",
        "Judging failed 1",
        "p 1 1 1 50.0",
        "q · 1 · 40.0",
        "softmax-over-queries 2 2",
        "100 % 1",
        "40 to 50 % 1",
        "0 to 10 % 1",
        "zoe",
        "ann 2 Accepted 100 Wrong answer 40 140",
        "bob 3 Wrong answer 0 – 0",
    ):
        assert told in text, told


@pytest.mark.parametrize(
    "made", [page(*RESULTS), Page(candidate_page(EVIL, RESULTS[-1:])), Page(candidate_page(EVIL, RESULTS[1:2]))]
)
def test_a_name_is_no_markup(made: Page) -> None:
    assert made.open == []
    assert "script" not in made.tags
    assert not any(name.startswith("on") for name, _ in made.attributes)
    assert "<script>alert(1)</script>" in words(made)
    assert "\\u202e" in words(made)
    assert "\u202e" not in words(made)


def test_what_cannot_be_judged_is_not_absent() -> None:
    rows, pages = [csv_row(RESULTS[0])], {name: f"html/{number}.html" for number, name in enumerate(("ann", EVIL))}
    unusable = {("ann", "q"): "is a link", (EVIL, ""): EVIL}
    made = Page(cohort_page(Cohort("in", rows, ["p", "q"], ["ann", EVIL, "zoe"], pages, unusable)))
    told = words(made)
    assert "ann q It cannot be judged: it is a link." in told
    assert "Without a submission zoe Candidates" in told
    assert "ann 1 Accepted 100 not judged 100" in told
    assert made.open == []
    assert "script" not in made.tags


def test_what_is_not_judged_yet_is_not_absent() -> None:
    rows, pages = [csv_row(RESULTS[0])], {name: f"html/{number}.html" for number, name in enumerate(("ann", EVIL))}
    waiting = {("ann", "q"), (EVIL, "p")}
    made = Page(cohort_page(Cohort("in", rows, ["p", "q"], ["ann", EVIL, "zoe"], pages, {}, waiting)))
    told = words(made)
    assert "Not judged yet The batch was stopped before these; it goes on with --resume." in told
    assert "Candidate Problem" in told
    assert "Without a submission zoe Candidates" in told
    assert "ann 1 Accepted 100 not judged yet 100" in told
    assert (made.open, "script" in made.tags) == ([], False)


def test_a_candidates_page_tells_what_cannot_be_judged() -> None:
    made = Page(candidate_page("ann", [], [Unjudged("q", EVIL)]))
    assert "q: Not judged It cannot be judged: it <script>" in words(made)
    assert (made.open, "script" in made.tags) == ([], False)


def test_a_candidates_page_tells_what_waits() -> None:
    made = Page(candidate_page("ann", RESULTS[:1], [Unjudged("q")]))
    assert "q: Not judged yet The batch was stopped before it; it is judged once the batch goes on." in words(made)


def test_a_page_fetches_nothing() -> None:
    for made in (page(*RESULTS), Page(candidate_page("ann", RESULTS[:2]))):
        addresses = {value for name, value in made.attributes if name in ("href", "src") and value}
        assert {re.sub(r"[0-9]+", "N", address) for address in addresses if address[0] != "#"} <= {
            "html/N.html",
            "../report.html",
        }


def test_of_many_the_first_are_drawn_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cohort_module, "CANDIDATES_DRAWN", 2)
    text = words(page(*(result(f"c{number}", "p", "WA", 0.0) for number in range(5))))
    assert "Drawn: 1 of 1 fault, 2 of 5 candidates." in text
    assert "softmax-over-queries 5 5" in text


def test_a_batch_without_faults_or_points_has_no_empty_pictures() -> None:
    text = words(page(result("ann", "p", "JE", None)))
    assert "Which fault" not in text
    assert "Points, from" not in text


def test_a_candidates_page_tells_groups_cases_and_finding() -> None:
    text = words(Page(candidate_page("ann", RESULTS[:2])))
    for told in (
        "p: Accepted",
        "q: Wrong answer",
        "It behaves like a fault.",
        "It is wrong.",
        "secret_one WA",
        "40 of 100",
    ):
        assert told in text, told
