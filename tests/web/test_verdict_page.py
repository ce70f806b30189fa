"""The verdict's page in a real browser: waiting without a jump, hints by keyboard and without scripts, axe."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.web import axe
from tests.web.serving import ROOT
from tests.web.visits import SLOW_MS, Visit

PACKAGE: Final = ROOT / "problems" / "heads-never-mix"
WRONG: Final = (PACKAGE / "submissions/wrong_answer/softmax_over_queries.py").read_text()
RIGHT: Final = (PACKAGE / "submissions/accepted/corrected.py").read_text()
RAISES: Final = WRONG.replace("    return", "    1 / 0\n    return", 1)
# long enough that the page is seen while it waits
SLOWLY: Final = "import time\ntime.sleep(1.5)\n"
PLACES: Final = (
    ".verdict",
    ".finding",
    ".next",
    "#groups",
    ".groups",
    ".groups tr:nth-child(4)",
    ".groups tr:last-child",
)
BOXES: Final = """places => places.map(place => {
  const box = document.querySelector(place).getBoundingClientRect();
  return [place, box.x, box.y, box.width, box.height];
})"""
SHIFTS: Final = """() => {
  window.shifted = [];
  new PerformanceObserver(list => list.getEntries().forEach(each => window.shifted.push(each.value)))
    .observe({ type: "layout-shift", buffered: false });
}"""

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]


def submit(visit: Visit, source: str, heading: str | None = None) -> None:
    """Hand a source in from the attempt's page and, with a heading, wait for it."""
    visit.write(source)
    visit.page.get_by_role("button", name="Submit for grading").click()
    if heading:
        expect(visit.page.get_by_role("heading", level=1, name=heading)).to_be_visible(timeout=SLOW_MS)


def boxes(page: Page) -> Any:
    return page.evaluate(BOXES, list(PLACES))


@pytest.mark.parametrize(
    ("source", "heading", "width"),
    [
        (WRONG, "Wrong answer", 360),
        (WRONG, "Wrong answer", 1024),
        (RIGHT, "Accepted", 360),
        (RAISES, "Run-time error", 360),
        pytest.param(RIGHT, "Accepted", 1024, marks=pytest.mark.long),
        pytest.param(RAISES, "Run-time error", 1024, marks=pytest.mark.long),
    ],
)
def test_nothing_moves_when_the_verdict_comes(
    chromium: Browser, base: str, source: str, heading: str, width: int
) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 800}, timezone_id="Asia/Tokyo")
    page = visit.page
    visit.begin()
    submit(visit, SLOWLY + source, "Grading")
    address, before = page.url, boxes(page)
    page.evaluate(SHIFTS)
    expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible(timeout=SLOW_MS)
    assert boxes(page) == before
    assert sum(page.evaluate("window.shifted")) < 0.01
    assert page.url == address
    expect(page).to_have_title(f"{heading}, submission 1 · grader")
    expect(page.get_by_role("status")).to_have_text(f"{heading}, submission 1")
    expect(page.locator("#verdict time").first).to_contain_text("GMT+9")  # times came in the reader's zone
    visit.context.close()
    assert visit.trouble == []


def test_the_page_stops_asking_once_it_knows(scripted: Visit) -> None:
    page = scripted.page
    asked: list[str] = []
    scripted.begin()
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/verdict") else None)
    submit(scripted, WRONG, "Wrong answer")
    known = len(asked)
    page.wait_for_timeout(2500)  # two polls would fit
    assert len(asked) == known


def test_whoever_is_signed_out_meanwhile_is_asked_to_sign_in(scripted: Visit) -> None:
    page = scripted.page
    scripted.begin()
    submit(scripted, SLOWLY + WRONG, "Grading")
    page.context.clear_cookies()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=SLOW_MS)


def test_a_server_that_is_away_for_a_moment_is_asked_again(scripted: Visit) -> None:
    page = scripted.page
    failures = [0]

    def fail_twice(route: Route) -> None:
        failures[0] += 1
        if failures[0] <= 2:
            route.fulfill(status=503, body="away")
        else:
            route.continue_()

    scripted.begin()
    page.route(re.compile("/verdict$"), fail_twice)
    submit(scripted, SLOWLY + WRONG, "Wrong answer")
    assert failures[0] >= 3
    assert all("503" in line for line in scripted.trouble)
    scripted.trouble.clear()


def test_a_hint_opens_for_its_price(visit: Visit) -> None:
    page = visit.page
    visit.begin()
    submit(visit, WRONG, "Wrong answer")
    hints = page.get_by_role("region", name="Hints")
    expect(hints).not_to_contain_text("Hint 2, what to look at")
    page.get_by_role("button", name="Open hint 2 for 5 points").press("Enter")
    expect(hints).to_contain_text("Hint 2, what to look at")
    expect(page.get_by_role("button", name="Open hint 2")).to_have_count(0)
    page.get_by_role("link", name="Edit and try again").click()
    submit(visit, RIGHT, "Accepted")
    expect(page.get_by_text("Your points so far: 95, 100 less 5 for hints.")).to_be_visible()
    expect(page.get_by_text("100 points more than before.")).to_be_visible()


def test_a_diagnosis_comes_first_and_is_told_at_the_end(visit: Visit) -> None:
    page = visit.page
    visit.begin(variant="practice")
    page.get_by_text("Name the faulty stage first").click()
    page.get_by_label("Where does it go wrong first?").select_option("weights")
    page.get_by_role("button", name="Keep my diagnosis").click()
    expect(page.get_by_text("Your diagnosis: weights.")).to_be_visible()
    submit(visit, RIGHT, "Accepted")
    told = page.get_by_role("region", name="Looking back")
    expect(told).to_contain_text("one of 3")
    expect(told).to_contain_text("scores, weights, output")
    expect(told).to_contain_text("the smallest accepted repair changes")


def test_axe_finds_nothing(scripted: Visit) -> None:
    page = scripted.page
    attempt = scripted.begin()
    for source, heading in (
        (SLOWLY + WRONG, "Grading"),
        (WRONG, "Wrong answer"),
        (RAISES, "Run-time error"),
        ("def f(:\n", "Cannot be run"),
        (RIGHT, "Accepted"),
    ):
        page.goto(attempt)
        submit(scripted, source, heading)
        axe.check(page)
        if heading == "Wrong answer":
            page.get_by_role("button", name="Open hint 2").click()
            axe.check(page)


def test_htmx_evaluates_and_keeps_nothing(scripted: Visit) -> None:
    page = scripted.page
    scripted.begin()
    submit(scripted, SLOWLY + WRONG, "Grading")
    settings = page.evaluate("JSON.stringify(htmx.config)")
    wanted = ("allowEval", "allowScriptTags", "includeIndicatorStyles", "historyEnabled")
    assert [json.loads(settings)[name] for name in wanted] == [False] * 4
    assert page.evaluate("htmx.version") == "2.0.11"
