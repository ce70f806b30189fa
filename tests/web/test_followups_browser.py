"""Follow-ups and progress in a real browser: with and without scripts, by keyboard, on paper, on small screens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.services.tiny_package import SLUG, write_package
from tests.web import axe
from tests.web.serving import serving
from tests.web.visits import Visit

OWN: Final = "It multiplies by three,\nand it should multiply by two."
LONG: Final = "a_name_that_is_much_longer_than_a_line_of_a_telephone_is_wide = 1"
# what is to be touched and is lower than a finger; links in a sentence and links that cover their row apart
SMALL_TARGETS: Final = """[...document.querySelectorAll("main :is(a:not(.main), button, summary, label.opt)")]
    .filter((element) => !element.closest("p:not(.row)"))
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 40)
    .map((element) => element.textContent)"""

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[str]:
    root = tmp_path_factory.mktemp("problems")
    interview = (write_package(root) / "interview.yaml").read_text()
    write_package(root, interview=interview.replace("canary full", f"'`{LONG}`'").replace("canary short", LONG))
    with serving(tmp_path_factory.mktemp("service"), root) as address:
        yield address


def give_up(visit: Visit) -> str:
    """Give a new user's first attempt up; return the address of its follow-ups."""
    visit.begin(SLUG, "only")
    visit.page.get_by_text("Give up").click()
    visit.page.get_by_role("button", name="Give this attempt up").click()
    expect(visit.page.get_by_role("heading", name="Follow-up questions")).to_be_visible()
    return visit.page.url


def own_answer(page: Page, number: int) -> None:
    page.get_by_label("Your answer").nth(number).fill(OWN)
    page.get_by_role("button", name="Fix my answer and open").nth(number).click()


def test_answer_rate_and_check(visit: Visit) -> None:
    page = visit.page
    give_up(visit)
    own_answer(page, 0)
    expect(page.get_by_text("canary expected one")).to_be_visible()
    page.get_by_role("button", name="In part").click()
    expect(page.get_by_role("button", name="In part")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Had it").click()
    expect(page.get_by_role("button", name="Had it")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="In part")).to_have_attribute("aria-pressed", "false")

    page.get_by_text("Hint", exact=True).click()
    expect(page.get_by_text("canary hint")).to_be_visible()
    page.get_by_label("three").check()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("canary solution")).to_be_visible()
    page.get_by_text("“It is fine”").click()
    expect(page.get_by_text("canary rebuttal")).to_be_visible()

    page.get_by_role("link", name="My progress").click()
    expect(page.get_by_role("row", name="Questions answered")).to_contain_text("1 of 2")
    page.get_by_role("link", name="Twice as much, 1 question not answered").click()
    expect(page.get_by_role("heading", name="Follow-up questions")).to_be_visible()


def test_an_answer_that_is_too_short_is_not_lost(chromium: Browser, base: str, scripts: bool) -> None:
    visit = Visit(chromium, base, java_script_enabled=scripts)
    page = visit.page
    give_up(visit)
    page.get_by_label("Your answer").first.evaluate("area => area.removeAttribute('minlength')")
    page.get_by_label("Your answer").first.fill("too short")
    page.get_by_role("button", name="Fix my answer and open").first.click()
    expect(page.get_by_role("alert")).to_contain_text("20 characters or more")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(page.get_by_label("Your answer").first).to_have_value("too short")
    visit.context.close()
    (refusal,) = visit.trouble  # which a browser notes of any such reply
    assert "400" in refusal


def test_what_is_being_written_survives_another_answer_and_a_reload(scripted: Visit) -> None:
    page = scripted.page
    follow_ups = give_up(scripted)
    draft = "A draft of the second answer."
    page.get_by_label("Your answer").nth(1).fill(draft)
    own_answer(page, 0)
    expect(page.get_by_label("Your answer")).to_have_value(draft)
    page.goto("/")
    page.goto(follow_ups)
    expect(page.get_by_label("Your answer")).to_have_value(draft)
    assert page.evaluate("Object.keys(localStorage)") == []  # which outlives the tab
    page.get_by_role("button", name="Fix my answer and open").click()
    expect(page.get_by_text("canary expected two")).to_be_visible()
    assert page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('answer:'))") == []


def test_the_index_and_the_rating_work_by_keyboard(scripted: Visit) -> None:
    page = scripted.page
    give_up(scripted)
    own_answer(page, 0)
    page.get_by_role("link", name="Question 2, your turn").press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "a_second"
    page.get_by_role("button", name="Missed it").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="In part")).to_have_attribute("aria-pressed", "true")


def test_paper_has_every_fold_open_and_no_controls(visit: Visit) -> None:
    page = visit.page
    give_up(visit)
    own_answer(page, 0)
    page.get_by_role("button", name="Had it").click()
    expect(page.get_by_role("button", name="Had it")).to_have_attribute("aria-pressed", "true")
    page.emulate_media(media="print")
    for text in ("canary expected one", "canary rebuttal", "canary old tests", "Own rating: had it."):
        expect(page.get_by_text(text)).to_be_visible()
        height = page.get_by_text(text).evaluate("element => element.getBoundingClientRect().height")
        assert height > 0, text
    for name in ("Fix my answer and open", "Had it", "Check", "Sign out"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


@pytest.mark.parametrize(
    "width", [360, pytest.param(1024, marks=pytest.mark.long), pytest.param(1440, marks=pytest.mark.long)]
)
def test_pages_fit_and_axe_finds_nothing(chromium: Browser, base: str, width: int) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 740})
    page = visit.page
    visit.sign_up()
    page.goto("/progress")
    expect(page.get_by_role("heading", name="Nothing practised yet")).to_be_visible()
    axe.check(page)
    page.goto(f"/problems/{SLUG}/quiz")
    axe.check(page)
    page.goto(f"/problems/{SLUG}")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Give up").click()
    page.get_by_role("button", name="Give this attempt up").click()
    own_answer(page, 0)
    for path in (page.url, "/progress"):
        page.goto(path)
        axe.check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        small = page.evaluate(SMALL_TARGETS)
        assert width > 360 or small == []
    visit.context.close()
    assert visit.trouble == []
