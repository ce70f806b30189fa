"""A real browser on the real service, from the list of problems to the follow-ups, with and without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.web.serving import ROOT
from tests.web.visits import SLOW_MS, TITLE, Visit

PACKAGE: Final = ROOT / "problems" / "heads-never-mix"
WRONG: Final = (PACKAGE / "submissions/wrong_answer/softmax_over_queries.py").read_text()
RIGHT: Final = (PACKAGE / "submissions/accepted/corrected.py").read_text()
OWN: Final = "It mixes the heads, and it leads back to the width of the model."

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]


def test_from_the_list_to_the_last_answer(visit: Visit) -> None:
    page = visit.page
    visit.start()
    visit.write(WRONG)
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_text("right shape and wrong numbers").first).to_be_visible()
    expect(page.get_by_text("secret_")).to_have_count(0)

    page.get_by_role("link", name="Edit and try again").click()
    assert visit.source() == WRONG
    visit.write(RIGHT)
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_role("heading", name="Accepted")).to_be_visible(timeout=SLOW_MS)

    page.get_by_role("link", name="Answer the follow-up questions").click()
    assert "concatenation of all heads" not in page.content()
    page.locator("#a_shape-of-the-output-matrix").fill(OWN)
    question = page.locator("form").filter(has=page.locator("#a_shape-of-the-output-matrix"))
    question.get_by_role("button", name="Fix my answer and open").click()
    expect(page.get_by_text("concatenation of all heads")).to_be_visible()
    expect(page.get_by_text(OWN)).to_be_visible()
    page.locator("form#which-sum-is-one").get_by_role("radio").first.check()
    page.locator("form#which-sum-is-one").get_by_role("button", name="Check").click()
    expect(page.locator("form#which-sum-is-one").get_by_text("Solution")).to_be_visible()
    page.get_by_text("Corrected source").click()
    expect(page.locator("pre.lines")).to_be_visible()

    page.goto("/")
    expect(page.get_by_role("row", name=re.compile(TITLE))).to_contain_text("solved")


def test_giving_up_and_starting_again(visit: Visit) -> None:
    page = visit.page
    first = visit.begin(variant="practice")
    page.get_by_text("Give up").click()
    page.get_by_role("button", name="Give this attempt up").click()
    expect(page.get_by_role("heading", name="Follow-up questions")).to_be_visible()
    page.goto(first)
    page.get_by_role("button", name="Start this variant again").click()
    expect(page.get_by_label("Your source")).to_be_visible()
    assert page.url != first


def test_a_file_is_handed_in(visit: Visit, tmp_path: Path) -> None:
    visit.begin()
    file = tmp_path / "mine.py"
    file.write_bytes(b"\xff\xfe\0")
    visit.page.get_by_text("Hand in a file instead").click()
    visit.page.get_by_label("A Python file").set_input_files(file)
    visit.page.get_by_role("button", name="Submit the file").click()
    expect(visit.page.get_by_role("heading", name="Cannot be run")).to_be_visible(timeout=SLOW_MS)


def test_the_theme_is_chosen_on_every_page(visit: Visit) -> None:
    page = visit.page
    visit.begin()
    address = page.url
    page.get_by_role("button", name="Dark").click()
    assert page.url == address
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(18, 19, 21)")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        ("dark", 1280),
        pytest.param("light", 1280, marks=pytest.mark.long),  # a theme has other colours and no other sizes
        pytest.param("dark", 360, marks=pytest.mark.long),
    ],
)
def test_no_page_is_wider_than_the_screen(chromium: Browser, base: str, scheme: str, width: int) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 740}, color_scheme=scheme)
    page = visit.page
    attempt = visit.begin()
    visit.write("print('x' * 500)\n" + WRONG)
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=SLOW_MS)
    verdict = page.url
    page.goto(attempt)
    page.get_by_text("Give up").click()
    page.get_by_role("button", name="Give this attempt up").click()
    for path in ("/", "/problems/audit-single-head", attempt, verdict, f"{attempt}/follow-ups", "/me"):
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    visit.context.close()
    assert visit.trouble == []
