"""The attempt page and the problem list in a real browser: editor, drafts, sample runs, keys, filters."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests.packages import SOME
from tests.web import axe
from tests.web.serving import ROOT
from tests.web.visits import PASSWORD, SLOW_MS, TITLE, Visit

PACKAGE: Final = ROOT / "problems" / "heads-never-mix"
WRONG: Final = (PACKAGE / "submissions/wrong_answer/softmax_over_queries.py").read_text()
TENTH_TOO_MUCH: Final = WRONG.replace("@ w_o, weights", "@ w_o * 1.1, weights")
PRINTS: Final = WRONG.replace("    return merge_heads", "    print('sums', weights.sum())\n    return merge_heads")
RAISES: Final = "import numpy as np\n\n\ndef multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):\n    return x[7]\n"

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]


def run_samples(visit: Visit, source: str) -> None:
    visit.write(source)
    visit.page.get_by_role("button", name="Run samples").click()
    expect(visit.page.get_by_text("Secret cases were not run.")).to_be_visible(timeout=SLOW_MS)


def test_a_draft_is_saved_and_loaded_again(scripted: Visit) -> None:
    attempt = scripted.begin()
    scripted.write("draft = 1\n")
    expect(scripted.page.get_by_text(re.compile("^Draft saved"))).to_be_visible()
    scripted.page.goto(attempt)
    assert scripted.source() == "draft = 1\n"
    expect(scripted.page.get_by_label("Your source")).to_contain_text("draft = 1")


def test_a_draft_is_saved_by_a_button_where_there_are_no_scripts(chromium: Browser, base: str) -> None:
    visit = Visit(chromium, base, java_script_enabled=False)
    visit.begin()
    visit.write("draft = 2\n")
    visit.page.get_by_role("button", name="Save draft").click()
    expect(visit.page.get_by_text(re.compile("^Draft of"))).to_be_visible()
    assert visit.source() == "draft = 2\n"
    visit.context.close()


def test_the_newest_of_two_tabs_wins_and_says_so(scripted: Visit) -> None:
    attempt = scripted.begin()
    other = scripted.context.new_page()
    other.goto(attempt)
    scripted.write("first = 1\n")
    expect(scripted.page.get_by_text(re.compile("^Draft saved"))).to_be_visible()
    other.get_by_label("Your source").click()
    other.keyboard.press("Control+Home")
    other.keyboard.type("second")
    expect(other.get_by_text("it replaced one from another tab")).to_be_visible()
    scripted.page.goto(attempt)
    assert scripted.source().startswith("second")


def test_a_submission_comes_back_in_place_of_an_older_draft(visit: Visit) -> None:
    attempt = visit.begin()
    visit.write("handed = 'in'\n")
    visit.page.get_by_role("button", name="Submit for grading").click()
    expect(visit.page.get_by_role("heading", name="Cannot be run")).to_be_visible(timeout=SLOW_MS)
    visit.page.goto(attempt)
    assert visit.source() == "handed = 'in'\n"


def test_a_draft_is_saved_while_somebody_types_on(scripted: Visit) -> None:
    scripted.begin()
    page = scripted.page
    page.clock.install()
    page.reload()
    page.locator(".cm-content").click()
    drafts: list[str] = []
    page.on("request", lambda request: drafts.append(request.url) if request.url.endswith("/draft") else None)
    for _ in range(9):
        page.keyboard.type("x")
        page.clock.run_for(1000)
    assert drafts == []
    with page.expect_response(re.compile("/draft$")) as reply:
        for _ in range(2):
            page.keyboard.type("x")
            page.clock.run_for(1000)
    assert reply.value.status == 204


def test_what_was_typed_last_is_kept_when_the_page_goes_out_of_sight(scripted: Visit) -> None:
    scripted.begin()
    page = scripted.page
    scripted.write("hidden = 1\n")
    with page.expect_response(re.compile("/draft$")) as reply:
        page.evaluate(
            "() => { Object.defineProperty(document, 'visibilityState', {value: 'hidden'});"
            " document.dispatchEvent(new Event('visibilitychange')); }"
        )
    assert reply.value.status == 204


def test_what_was_typed_last_is_kept_when_the_page_is_left(scripted: Visit) -> None:
    attempt = scripted.begin()
    scripted.write("left = 1\n")
    scripted.page.get_by_role("link", name="Lesson").click()
    expect(scripted.page.get_by_role("heading", level=1)).to_contain_text("Read a layer")
    scripted.page.goto(attempt)
    assert scripted.source() == "left = 1\n"


def sign_in_again(visit: Visit, name: str, attempt: str) -> None:
    visit.page.goto("/sign-in")
    visit.page.get_by_label("Name").fill(name)
    visit.page.get_by_label("Password").fill(PASSWORD)
    visit.page.get_by_role("button", name="Sign in").click()
    expect(visit.page.get_by_role("link", name=name)).to_be_visible()
    visit.page.goto(attempt)
    # drafts of somebody who is signed out are answered with a redirect, which the page does not follow, and a source
    # by a page that hands it back
    visit.trouble[:] = [line for line in visit.trouble if "ERR_FAILED" not in line and "403" not in line]


def test_what_was_sent_while_signed_out_is_offered_and_taken_back(scripted: Visit) -> None:
    attempt = scripted.begin()
    page = scripted.page
    name = page.locator("header a.me").inner_text()
    starter = scripted.source()
    scripted.context.clear_cookies()
    scripted.write("lost = 0\n")
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_label("Your source")).to_have_count(0)
    sign_in_again(scripted, name, attempt)
    assert scripted.source() == starter
    page.get_by_role("button", name="Take it back").click()
    assert scripted.source() == "lost = 0\n"
    expect(page.get_by_text(re.compile("^Draft saved"))).to_be_visible()
    page.goto(attempt)
    assert scripted.source() == "lost = 0\n"
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_what_was_offered_is_left_out(scripted: Visit) -> None:
    attempt = scripted.begin()
    page = scripted.page
    name = page.locator("header a.me").inner_text()
    starter = scripted.source()
    scripted.context.clear_cookies()
    scripted.write("lost = 0\n")
    expect(page.get_by_text("Draft not saved")).to_be_visible()
    sign_in_again(scripted, name, attempt)
    page.get_by_role("button", name="Leave it out").click()
    page.goto(attempt)
    assert scripted.source() == starter
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_what_was_stored_is_not_offered_again(scripted: Visit) -> None:
    attempt = scripted.begin()
    page = scripted.page
    scripted.write("handed = 'in'\n")
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_role("heading", name="Cannot be run")).to_be_visible(timeout=SLOW_MS)
    other = scripted.context.new_page()
    other.goto(attempt)
    other.get_by_label("Your source").click()
    other.keyboard.type("newer")
    expect(other.get_by_text(re.compile("^Draft saved"))).to_be_visible()
    page.goto(attempt)
    assert "newer" in scripted.source()
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_the_reset_is_undone(scripted: Visit) -> None:
    scripted.begin()
    starter = scripted.source()
    scripted.write("mine = 1\n")
    scripted.page.get_by_role("button", name="Reset to starter").click()
    assert scripted.source() == starter
    scripted.page.get_by_role("button", name="Undo the reset").click()
    assert scripted.source() == "mine = 1\n"
    expect(scripted.page.get_by_role("button", name="Reset to starter")).to_be_visible()


def test_the_reset_without_scripts_keeps_the_text(chromium: Browser, base: str) -> None:
    visit = Visit(chromium, base, java_script_enabled=False)
    visit.begin()
    starter = visit.source()
    visit.write("mine = 1\n")
    visit.page.get_by_role("button", name="Save draft").click()
    visit.page.get_by_role("link", name="Reset to starter").click()
    assert visit.source() == starter
    visit.page.get_by_role("link", name="back to your text").click()
    assert visit.source() == "mine = 1\n"
    visit.context.close()


def test_values_stand_beside_the_expected_ones(visit: Visit) -> None:
    visit.begin()
    run_samples(visit, TENTH_TOO_MUCH)
    page = visit.page
    expect(page.get_by_text("The sample does not agree")).to_be_visible()
    expect(page.get_by_text("10 of 12 numbers off")).to_be_visible()
    expect(page.get_by_role("row", name="[0, 1, 2] 3.3000000000000003 3.0")).to_be_visible()
    expect(page.get_by_text("every number agrees")).to_be_visible()
    expect(page.get_by_text("secret_")).to_have_count(0)
    assert ("/sample-runs/1" in page.url) == (page.get_by_role("link", name="Back to the editor").count() == 1)


def test_the_way_back_from_a_run_leads_to_what_was_run(visit: Visit) -> None:
    visit.begin()
    run_samples(visit, "mine = 1\n")
    if not visit.has_scripts:
        visit.page.get_by_text("What was run").click()
        expect(visit.page.get_by_text("mine = 1")).to_be_visible()
        visit.page.get_by_role("link", name="Back to the editor").click()
    assert visit.source() == "mine = 1\n"


def test_a_run_is_no_other_tab_of_its_own_draft(scripted: Visit) -> None:
    scripted.begin()
    run_samples(scripted, "first = 1\n")
    scripted.write("second = 2\n")
    expect(scripted.page.locator("#draft")).to_have_text(re.compile("^Not saved yet"))
    expect(scripted.page.locator("#draft")).to_have_text(re.compile("^Draft saved [^;]*$"))


def test_a_sample_that_agrees_decides_nothing(visit: Visit) -> None:
    visit.begin()
    run_samples(visit, PRINTS)
    expect(visit.page.get_by_text("The sample agrees")).to_be_visible()
    expect(visit.page.get_by_text("sums 6.0\nsums 6.0")).to_be_visible()
    expect(visit.page.get_by_text(re.compile("all passed", re.IGNORECASE))).to_have_count(0)


def test_an_exception_is_shown_with_its_text_and_line(visit: Visit) -> None:
    visit.begin()
    run_samples(visit, RAISES)
    expect(
        visit.page.get_by_text(re.compile(r"IndexError \(index 7 is out of bounds.*in line 5")).first
    ).to_be_visible()


def test_the_last_run_is_there_when_the_page_is_opened_again(scripted: Visit) -> None:
    attempt = scripted.begin()
    run_samples(scripted, PRINTS)
    scripted.page.goto(attempt)
    expect(scripted.page.get_by_role("heading", name="Last sample run")).to_be_visible()
    scripted.page.get_by_role("link", name="run 1").click()
    expect(scripted.page.get_by_role("heading", name="Sample run 1")).to_be_visible()


def test_keys_of_the_editor(scripted: Visit) -> None:
    page = scripted.page
    scripted.begin()
    scripted.write("")
    page.keyboard.type("def f():\nreturn 1")
    assert scripted.source() == "def f():\n    return 1"
    page.keyboard.press("Tab")
    assert scripted.source() == "def f():\n    return 1    "
    page.keyboard.press("Shift+Tab")
    assert scripted.source() == "def f():\nreturn 1    "
    page.keyboard.press("Control+a")
    page.keyboard.type("x")
    assert scripted.source() == "x"
    page.keyboard.press("Control+z")
    assert scripted.source().startswith("def f():")
    page.keyboard.press("Control+f")
    expect(page.get_by_placeholder("Find")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your source")).to_be_focused()


def test_escape_and_then_tab_leave_the_editor(scripted: Visit) -> None:
    page = scripted.page
    scripted.begin()
    expect(page.locator(".cm-content")).to_be_visible()  # until then it is a plain textarea
    page.get_by_label("Your source").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Tab leaves the editor now.")).to_be_attached()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run samples")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("Your source")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Reset to starter")).to_be_focused()


def test_control_enter_submits_and_control_quote_runs(scripted: Visit) -> None:
    scripted.begin()
    scripted.write(PRINTS)
    scripted.page.keyboard.press("Control+'")
    expect(scripted.page.get_by_text("The sample agrees")).to_be_visible(timeout=SLOW_MS)
    scripted.page.get_by_label("Your source").click()
    scripted.page.keyboard.press("Control+Enter")
    expect(scripted.page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=SLOW_MS)


def test_nothing_moves_while_the_page_loads(scripted: Visit) -> None:
    attempt = scripted.begin()
    scripted.page.add_init_script(
        "window.shift = 0;"
        "new PerformanceObserver(list => list.getEntries().forEach(entry => { shift += entry.value }))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    scripted.page.goto(attempt)
    expect(scripted.page.locator(".cm-content")).to_be_visible()
    assert scripted.page.evaluate("new Promise(done => setTimeout(() => done(shift), 500))") < 0.02


def test_the_statement_is_printed_without_the_editor(scripted: Visit) -> None:
    scripted.begin()
    scripted.page.emulate_media(media="print")
    expect(scripted.page.get_by_role("heading", name="What is graded")).to_be_visible()
    expect(scripted.page.get_by_label("Your source")).to_be_hidden()


def test_the_editor_is_a_link_away_on_a_small_screen(chromium: Browser, base: str) -> None:
    visit = Visit(chromium, base, viewport={"width": 360, "height": 740})
    visit.begin()
    visit.page.get_by_role("link", name="To the editor").click()
    expect(visit.page.get_by_label("Your source")).to_be_in_viewport()
    visit.page.get_by_label("Your source").click()
    visit.page.keyboard.press("Control+End")
    assert visit.page.locator(".editor").evaluate("editor => editor.scrollLeft + editor.firstChild.offsetWidth") <= 328
    visit.context.close()


def test_the_list_is_filtered_with_a_form(visit: Visit) -> None:
    visit.join()
    page = visit.page
    page.goto("/")
    page.get_by_role("checkbox", name="L2 Mid").check()
    page.get_by_role("search").get_by_label("Set").select_option("several-heads")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("link", name="Two reshapes that undo each other")).to_be_visible()
    page.get_by_role("link", name="Without L2").click()
    expect(page.get_by_role("row").nth(2)).to_contain_text(TITLE)
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_role("row")).to_have_count(1 + len(SOME))


def test_axe_finds_nothing(scripted: Visit) -> None:
    attempt = scripted.begin()
    run_samples(scripted, TENTH_TOO_MUCH)
    scripted.page.get_by_label("Your source").click()
    scripted.page.keyboard.press("Control+f")
    axe.check(scripted.page)
    pages = ("/", "/?level=L2&set=several-heads", "/?q=nothing", "/problems/heads-never-mix")
    for path in (f"{attempt}/samples", f"{attempt}/sample-runs/1", *pages):
        scripted.page.goto(path)
        axe.check(scripted.page)


@pytest.mark.parametrize("width", [360, 1024])
def test_no_page_is_wider_than_the_screen(chromium: Browser, base: str, width: int) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 740})
    attempt = visit.begin()
    run_samples(visit, TENTH_TOO_MUCH)
    for path in (attempt, f"{attempt}/sample-runs/1", f"{attempt}/samples", "/?level=L2&q=two+words", "/?q=nothing"):
        visit.page.goto(path)
        visit.page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, path
    visit.context.close()
