"""A review in a real browser: with and without scripts, by keyboard, on paper, on small screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import Engine, select

from grader.grading.verdict import Verdict
from grader.services import accounts
from grader.services.packages import Packages
from grader.services.passwords import Passwords
from grader.store.interview_models import Interview, InterviewMember, Part, ScoreOverride
from grader.store.models import Attempt, FollowUpAnswer, User
from grader.store.session import make_engine, write_session
from tests.services.interviewing import make_interview
from tests.services.made import NOON, after, make_judgement
from tests.services.reviewing import make_judged
from tests.services.tiny_package import write_package
from tests.web import axe
from tests.web.serving import serving
from tests.web.test_followups_browser import SMALL_TARGETS
from tests.web.visits import PASSWORD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]
WA: Final = make_judgement(Verdict.WA, ("thrice",), "output")
A4_PX: Final = 718  # 210 mm less margins of 10 mm
WIDEST: Final = "Math.max(...[...document.querySelectorAll('.page *')].map((one) => one.getBoundingClientRect().right))"
REASON: Final = "The last slip was mended aloud."


@dataclass(frozen=True)
class Round:
    """An interview of the served database, with two candidates of its own for each test."""

    engine: Engine
    packages: Packages
    number: list[int]

    def reviewer(self) -> tuple[str, Interview, list[str]]:
        """Return a new interviewer's name, their interview, and the ids of its two attempts."""
        self.number.append(0)
        name = f"Lena {len(self.number)}"
        with write_session(self.engine) as session:
            user = accounts.add(session, name, Passwords().hash(PASSWORD), NOON, is_interviewer=True)
        interview = make_interview(self.engine, self.packages, user)
        found = []
        for label in ("Ines Okafor", "Tomasz Wrona"):
            attempt = make_judged(self.engine, user, interview, label, WA, make_judgement(Verdict.WA))
            with write_session(self.engine) as session:
                session.add(
                    FollowUpAnswer(attempt_id=attempt.id, question_id="first", text="By two.", created_at=after(5))
                )
            found.append(attempt.public_id)
        return name, interview, found


@pytest.fixture(scope="module")
def round_(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[tuple[str, Round]]:
    data, root = tmp_path_factory.mktemp("service"), tmp_path_factory.mktemp("problems")
    interview = (write_package(root) / "interview.yaml").read_text()
    write_package(root, interview=interview.replace("[canary rubric]", "[names the factor, names the test]"))
    with serving(data, root) as address:
        engine = make_engine(f"sqlite:///{Path(data)}/data/grader.sqlite3")
        yield address, Round(engine, Packages(root), [])
        engine.dispose()


@pytest.fixture(scope="module")
def base(round_: tuple[str, Round]) -> str:
    return round_[0]


@pytest.fixture
def stage(round_: tuple[str, Round]) -> Round:
    return round_[1]


def sign_in(page: Page, name: str) -> None:
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def test_from_the_queue_to_the_last_decision(visit: Visit, stage: Round) -> None:
    page = visit.page
    name, interview, _ = stage.reviewer()
    sign_in(page, name)
    page.get_by_role("link", name="Reviews", exact=True).click()
    page.get_by_role("link", name="Ines Okafor").click()
    expect(page.get_by_text("Review 1 of 2")).to_be_visible()
    page.get_by_role("button", name="Claim this attempt").click()
    page.get_by_label("names the factor").check()
    page.get_by_label("Forward").check()
    page.get_by_label("Shared note").fill("Calm under the clock.")
    page.get_by_label("Private note").fill("Ask for the scale.")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    expect(page.get_by_label("names the factor")).to_be_checked()
    expect(page.get_by_label("Shared note")).to_have_value("Calm under the clock.")

    page.get_by_text("Override the automatic score").click()
    page.get_by_role("textbox", name="Score").fill("55")
    page.get_by_label("Reason").fill(REASON)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Set the score").click()
    expect(page.get_by_text("55 of 100")).to_be_visible()
    expect(page.get_by_text("40 of 100", exact=True).first).to_be_visible()

    page.get_by_role("button", name="Finish and open the next").click()
    expect(page.get_by_role("heading", name="Tomasz Wrona")).to_be_visible()
    page.get_by_label("Decline").check()
    page.get_by_role("button", name="Finish the review").click()
    expect(page.get_by_text("The review is finished.")).to_be_visible()
    page.goto(f"/interviews/{interview.public_id}/cohort")
    expect(page.get_by_role("heading", name="Which fault, in whose submissions")).to_be_visible()


def test_the_evidence_is_made_while_the_page_waits(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    page.get_by_label("Shared note").fill("typed while it is made")
    page.goto(f"/reviews/{attempt}")
    page.get_by_role("button", name="Make the evidence record").click()
    expect(page.get_by_role("link", name="Download the record")).to_be_visible(timeout=60_000)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert download.value.suggested_filename == f"evidence-{attempt}-2.json"


def test_a_draft_saves_itself_and_knows_when_another_window_was_faster(
    chromium: Browser, base: str, stage: Round
) -> None:
    visit = Visit(chromium, base)
    page = visit.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    other = visit.context.new_page()
    other.goto(f"/reviews/{attempt}")
    page.get_by_label("Shared note").fill("from the first window")
    page.get_by_label("names the test").check()
    expect(page.locator("[data-said]")).to_contain_text("Saved")
    expect(page.locator("[data-given]")).to_have_text("1")
    page.get_by_label("Shared note").fill("once more")
    page.get_by_label("Shared note").press("Tab")
    other.get_by_label("Shared note").fill("from the second window")
    expect(other.locator("[data-said]")).to_contain_text("a newer version is stored")
    page.reload()
    expect(page.get_by_label("names the test")).to_be_checked()
    visit.context.close()
    assert all("412" in line for line in visit.trouble)


def forget_refusals(visit: Visit) -> None:
    """Leave out what a browser notes of every reply that is none, or that it did not get."""
    visit.trouble[:] = [
        line for line in visit.trouble if "Failed to load resource" not in line and "DISCONNECTED" not in line
    ]


def test_what_was_ticked_and_typed_last_is_stored_before_a_key_or_a_link_goes_on(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (first, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{first}")
    page.get_by_role("heading", name="canary question one?").scroll_into_view_if_needed()
    page.keyboard.press("1")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Tomasz Wrona")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_label("names the factor")).to_be_checked()
    page.get_by_label("Shared note").fill("the last words")
    page.get_by_role("button", name="Claim this attempt").click()
    expect(page.get_by_role("button", name="Release your claim")).to_be_visible()
    expect(page.get_by_label("Shared note")).to_have_value("the last words")
    page.get_by_label("Shared note").fill("the very last words")
    page.get_by_role("link", name="Reviews", exact=True).first.click()
    page.get_by_role("link", name="Ines Okafor").click()
    expect(page.get_by_label("Shared note")).to_have_value("the very last words")
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_what_was_typed_last_is_stored_when_the_page_is_left(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    page.get_by_label("Private note").fill("the last words")
    page.goto("/lesson")
    page.goto(f"/reviews/{attempt}")
    expect(page.get_by_label("Private note")).to_have_value("the last words")
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_what_was_typed_last_is_stored_when_the_page_goes_out_of_sight(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    page.get_by_label("Private note").fill("the last words")
    with page.expect_response(re.compile("/draft")) as reply:
        page.evaluate(
            "() => { Object.defineProperty(document, 'visibilityState', {value: 'hidden'});"
            " document.dispatchEvent(new Event('visibilitychange')); }"
        )
    assert reply.value.status == 204


def test_what_could_not_be_stored_is_offered_and_taken_back(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    scripted.context.clear_cookies()
    page.get_by_label("names the test").check()
    page.get_by_label("Unsure").check()
    page.get_by_label("Shared note").fill("typed while signed out")
    expect(page.locator("[data-said]")).to_contain_text("you are signed out")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("[data-said]")).to_be_in_viewport()
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_label("What you sent as shared note")).to_have_value("typed while signed out")
    forget_refusals(scripted)
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    expect(page.get_by_label("Shared note")).to_have_value("")
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_label("Shared note")).to_have_value("typed while signed out")
    expect(page.locator("[data-said]")).to_contain_text("Saved")
    page.reload()
    expect(page.get_by_label("Unsure")).to_be_checked()
    expect(page.get_by_label("names the test")).to_be_checked()
    expect(page.get_by_label("Shared note")).to_have_value("typed while signed out")
    expect(page.get_by_role("button", name="Take it back")).to_have_count(0)


def test_the_page_says_why_it_does_not_save(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (attempt, other) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    scripted.send("/sign-in", name=name, password=PASSWORD)
    page.get_by_label("Shared note").fill("of a session that was exchanged")
    expect(page.locator("[data-said]")).to_contain_text("Nothing was changed. Go back, reload the page")
    page.goto(f"/reviews/{other}")
    scripted.context.set_offline(True)
    page.get_by_label("Shared note").fill("without a network")
    expect(page.locator("[data-said]")).to_contain_text("the server does not answer")
    scripted.context.set_offline(False)
    page.get_by_label("Shared note").press_sequentially("!")
    expect(page.locator("[data-said]")).to_contain_text("Saved")
    forget_refusals(scripted)


def test_single_keys_go_on_and_tick_until_they_are_switched_off(scripted: Visit, stage: Round) -> None:
    page = scripted.page
    name, _, (first, second) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{first}")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Tomasz Wrona")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Ines Okafor")).to_be_visible()
    page.get_by_role("heading", name="canary question one?").scroll_into_view_if_needed()
    page.keyboard.press("2")
    expect(page.get_by_label("names the test")).to_be_checked()
    page.keyboard.press("n")
    expect(page.get_by_label("Shared note")).to_be_focused()
    page.keyboard.type("j2")
    expect(page.get_by_label("Shared note")).to_have_value("j2")
    expect(page.get_by_label("names the test")).to_be_checked()
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_role("button", name="Keys are off")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.get_by_label("names the factor")).not_to_be_checked()
    assert second not in page.url


def test_what_only_scripts_can_do_is_shown_by_them(visit: Visit, stage: Round, scripts: bool) -> None:
    page = visit.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    expect(page.get_by_role("heading", name="Your review")).to_be_visible()
    for only in (page.get_by_role("heading", name="Keyboard"), page.get_by_role("button", name="Print")):
        expect(only).to_have_count(1 if scripts else 0)


def test_names_are_hidden_by_a_switch(visit: Visit, stage: Round) -> None:
    page = visit.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    page.get_by_role("button", name="Hide names").click()
    expect(page.get_by_role("heading", name="Candidate 1")).to_be_visible()
    assert "Okafor" not in page.content()
    page.get_by_role("button", name="Names are hidden").click()
    expect(page.get_by_role("heading", name="Ines Okafor")).to_be_visible()


def test_paper_has_no_controls_and_no_private_notes(visit: Visit, stage: Round) -> None:
    page = visit.page
    name, _, (attempt, _) = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/reviews/{attempt}")
    page.get_by_label("Forward").check()
    page.get_by_label("Shared note").fill("printed")
    page.get_by_label("Private note").fill("canary of mine")
    page.get_by_role("button", name="Finish and open the next").click()
    expect(page.get_by_role("heading", name="Tomasz Wrona")).to_be_visible()
    page.goto(f"/reviews/{attempt}?show=all")
    expect(page.get_by_text("canary of mine")).to_be_visible()
    inside = page.get_by_text("For interviewers: do not hand it to the candidate.", exact=True)
    expect(inside).to_be_hidden()
    page.emulate_media(media="print")
    expect(inside).to_be_visible()
    expect(page.get_by_text("canary of mine")).to_be_hidden()
    for text in ("printed", "By two.", "canary expected one", "Forward"):
        expect(page.get_by_text(text, exact=True).first).to_be_visible()
    for role in ("button", "navigation"):
        expect(page.get_by_role(role)).to_have_count(0)


@pytest.mark.parametrize("number", [7, 20])
def test_the_cohorts_tables_fit_on_a_sheet(visit: Visit, stage: Round, number: int) -> None:
    page = visit.page
    name, interview, _ = stage.reviewer()
    sign_in(page, name)
    faults = tuple(f"own-key-closed-first-row-empty-{each}" for each in range(number))
    with write_session(stage.engine) as session:
        lead = session.scalars(select(User).filter_by(name=name)).one()
    for label in ("Bartholomew Featherstonehaugh", "Yi"):
        make_judged(stage.engine, lead, interview, label, make_judgement(Verdict.WA, faults, "output"))
    page.set_viewport_size({"width": A4_PX, "height": 1000})
    page.goto(f"/interviews/{interview.public_id}/cohort")
    page.emulate_media(media="print")
    assert page.evaluate(WIDEST) <= A4_PX


@pytest.mark.parametrize(("width", "is_cut"), [(390, True), (1440, False)])
def test_a_map_that_is_cut_says_that_it_goes_on(
    chromium: Browser, base: str, stage: Round, width: int, is_cut: bool
) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 740})
    page = visit.page
    name, interview, _ = stage.reviewer()
    sign_in(page, name)
    page.goto(f"/interviews/{interview.public_id}/cohort")
    expect(page.get_by_text("The map goes on to the right.")).to_have_count(int(is_cut))
    page.set_viewport_size({"width": 1830 - width, "height": 740})
    expect(page.get_by_text("The map goes on to the right.")).to_have_count(int(not is_cut))
    visit.context.close()
    assert visit.trouble == []


def test_without_scripts_a_narrow_page_says_that_a_map_goes_on(chromium: Browser, base: str, stage: Round) -> None:
    visit = Visit(chromium, base, viewport={"width": 390, "height": 740}, java_script_enabled=False)
    name, interview, _ = stage.reviewer()
    sign_in(visit.page, name)
    visit.page.goto(f"/interviews/{interview.public_id}/cohort")
    expect(visit.page.get_by_text("The map goes on to the right.")).to_be_visible()
    visit.context.close()


@pytest.mark.parametrize(
    "width", [360, pytest.param(1024, marks=pytest.mark.long), pytest.param(1440, marks=pytest.mark.long)]
)
def test_pages_fit_and_axe_finds_nothing(chromium: Browser, base: str, stage: Round, width: int) -> None:
    visit = Visit(chromium, base, viewport={"width": width, "height": 740})
    page = visit.page
    name, interview, (attempt, other) = stage.reviewer()
    with write_session(stage.engine) as session:
        colleague = accounts.add(session, f"Rita of {name}", None, NOON, is_interviewer=True)
        session.add(InterviewMember(interview_id=interview.id, user_id=colleague.id, part=Part.REVIEWER))
        key = select(Attempt.id).filter_by(public_id=attempt)
        by_hand = {"score": 60.5, "reason": "It was mended aloud.", "created_at": NOON, "user_id": colleague.id}
        session.add(ScoreOverride(attempt_id=session.scalars(key).one(), **by_hand))
    sign_in(page, name)
    page.goto(f"/reviews/{other}")
    page.get_by_label("Unsure").check()
    page.get_by_role("button", name="Finish the review").or_(
        page.get_by_role("button", name="Finish and open the next")
    ).click()
    expect(page.get_by_role("status").first).to_be_visible()
    cohort = f"/interviews/{interview.public_id}/cohort"
    overview = f"/interviews/{interview.public_id}"
    paths = [
        overview,
        f"{overview}/exports",
        f"{overview}/audit",
        "/reviews",
        "/reviews?show=all&verdict=JE",
        f"/reviews/{attempt}",
        f"/reviews/{other}?show=all",
    ]
    for path in [*paths, f"/reviews/{attempt}?submission=1&compare=fix", cohort, f"{cohort}/similar"]:
        page.goto(path)
        axe.check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        small = page.evaluate(SMALL_TARGETS)
        assert width > 360 or small == [], path
    visit.context.close()
    assert visit.trouble == []
