"""Taking an interview in a real browser: with and without scripts, by the clock, on small screens, by ear."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from grader.services import invitations
from grader.services.packages import Packages
from grader.store.interview_models import Interview, Invitation, ScoreOverride, Shown
from grader.store.models import Attempt, User
from grader.store.session import make_engine, write_session
from tests.services.interviewing import make_interview, make_interviewer, make_invitations
from tests.services.tiny_package import RIGHT, WRONG, write_package
from tests.web import axe
from tests.web.serving import serving
from tests.web.test_followups_browser import SMALL_TARGETS
from tests.web.visits import PASSWORD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]
CONFLICT = "error: Failed to load resource: the server responded with a status of 409 (CONFLICT)"
DONE_MS = 20_000


@dataclass
class House:
    """The service, where interviews are held."""

    address: str
    engine: Engine
    problems: Path

    def link(self, **settings: object) -> str:
        """Return the path of a link to a new interview."""
        lead = make_interviewer(self.engine, f"Lea {secrets.token_hex(4)}")
        interview = make_interview(self.engine, Packages(self.problems), lead, **settings)
        (invited,) = make_invitations(self.engine, lead, interview, "Ines")
        return f"/invitations/{invited.token}"

    def move_ends(self, seconds: float) -> None:
        """Let every time that runs end in so many seconds."""
        with write_session(self.engine) as session:
            running = update(Invitation).where(Invitation.ended_at.is_(None), Invitation.started_at.is_not(None))
            session.execute(running.values(ends_at=datetime.now(UTC) + timedelta(seconds=seconds)))

    def end_early(self, page: Page) -> None:
        """End the time of who is signed in on a page, as who leads the interview does it."""
        with write_session(self.engine) as session:
            lead, place, invitation = self._place(session, page)
            invitations.end_early(session, lead, place, invitation, "The alarm rang.", datetime.now(UTC), is_told=True)

    def extend(self, page: Page, minutes: int) -> None:
        """Give who is signed in on a page more time."""
        with write_session(self.engine) as session:
            lead, place, invitation = self._place(session, page)
            why, at = "The line was down.", datetime.now(UTC)
            invitations.extend(session, lead, place, invitation, str(minutes), why, at, is_confirmed=True)

    def set_score(self, page: Page, score: float) -> None:
        """Set the score of an attempt's page by hand."""
        with write_session(self.engine) as session:
            attempt = session.scalars(select(Attempt).filter_by(public_id=page.url.split("/")[4].split("#")[0])).one()
            fields = {"user_id": attempt.candidate_id, "reason": "Mended aloud.", "created_at": datetime.now(UTC)}
            session.add(ScoreOverride(attempt_id=attempt.id, score=score, **fields))

    def _place(self, session: Session, page: Page) -> tuple[User, str, str]:
        """Return who leads the interview of an attempt's page, its place and the invitation's."""
        attempt = session.scalars(select(Attempt).filter_by(public_id=page.url.split("/")[4].split("#")[0])).one()
        assert attempt.invitation is not None
        interview = attempt.invitation.interview
        return interview.members[0].user, interview.public_id, attempt.invitation.public_id

    def release(self) -> None:
        with write_session(self.engine) as session:
            now = datetime.now(UTC)
            session.execute(update(Interview).values(released_at=now, closes_at=now))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    write_package(folder / "problems")
    with serving(folder / "run", folder / "problems", GRADER_SIGNUP="0") as address:
        engine = make_engine(f"sqlite:///{folder}/run/data/grader.sqlite3")
        yield House(address, engine, folder / "problems")
        engine.dispose()


@pytest.fixture(scope="module")
def base(house: House) -> str:
    return house.address


def accept(page: Page, link: str) -> None:
    """Open a link, make an account that it allows, and accept."""
    page.goto(link)
    page.get_by_role("link", name="Make an account").click()
    page.get_by_label("Name").fill(f"Ines {secrets.token_hex(4)}")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.get_by_role("button", name="This is me, accept").click()
    expect(page.get_by_role("heading", name="Spring round")).to_be_visible()


def start(page: Page) -> None:
    page.get_by_role("button", name="Start the 60 minutes").click()
    page.get_by_role("link", name="Twice as much").click()
    expect(page.get_by_role("heading", name="Twice as much")).to_be_visible()


def submit(visit: Visit, source: bytes) -> None:
    visit.write(source.decode())
    visit.page.get_by_role("button", name="Submit for grading").click()


def test_an_interviews_life(visit: Visit, house: House) -> None:
    page = visit.page
    accept(page, house.link(points=Shown.AT_ONCE, answers=Shown.WHEN_RELEASED, submissions_max=3))
    start(page)
    submit(visit, WRONG)
    expect(page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=DONE_MS)
    page.get_by_role("link", name="Edit and try again").click()
    expect(page.get_by_text("2 of 3 submissions left")).to_be_visible()
    submit(visit, RIGHT)
    expect(page.get_by_role("heading", name="Accepted")).to_be_visible(timeout=DONE_MS)
    page.get_by_role("link", name="To all problems").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("AC")
    page.get_by_role("link", name="End the interview now").click()
    page.get_by_role("button", name="End it for good").click()
    expect(page.get_by_text("Your time is over, and what you handed in is kept.")).to_be_visible()
    page.get_by_role("link", name="Follow-up questions").click()
    page.get_by_label("Your answer").first.fill("It multiplies by three, and two is asked for.")
    page.get_by_role("button", name="Fix my answer").first.click()
    expect(page.get_by_text("It multiplies by three")).to_be_visible()
    expect(page.get_by_text("canary expected one")).to_have_count(0)
    house.release()
    page.reload()
    expect(page.get_by_text("canary expected one")).to_be_visible()


def test_a_verdict_that_comes_later(visit: Visit, house: House) -> None:
    page = visit.page
    accept(page, house.link(verdicts=Shown.AFTER_END, points=Shown.NEVER))
    start(page)
    submit(visit, WRONG)
    expect(page.get_by_role("heading", name="Handed in")).to_be_visible()
    expect(page.get_by_text("Its verdict shows when your time is over.")).to_be_visible()
    address = page.url
    house.move_ends(-1)
    page.goto(address)
    expect(page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=DONE_MS)
    expect(page.get_by_text("of 100 points")).to_have_count(0)


def test_time_runs_out_on_an_open_page(scripted: Visit, house: House) -> None:
    page = scripted.page
    accept(page, house.link(verdicts=Shown.NEVER))
    start(page)
    house.move_ends(6)
    page.reload()
    expect(page.locator(".clock .b")).to_have_text(re.compile(r"00:0\d"))
    scripted.write("x = 'the last words'\n")
    expect(page.get_by_text("Your time is over; what you handed in is kept.")).to_be_visible(timeout=DONE_MS)
    expect(page.get_by_text("the draft, at the end")).to_be_visible()
    page.get_by_role("link", name="#1").click()
    expect(page.get_by_text("the last words")).to_be_visible()


def test_an_open_page_asks_for_the_time_and_follows_it(scripted: Visit, house: House) -> None:
    page = scripted.page
    accept(page, house.link())
    start(page)
    page.clock.install()
    page.reload()
    expect(page.locator(".clock .b")).to_have_text(re.compile(r"(60:00|59:\d\d)"))
    house.extend(page, 10)
    with page.expect_response("**/time-left"):
        page.clock.run_for(60_000)  # milliseconds
    expect(page.locator(".clock .b")).to_have_text(re.compile(r"(70:00|69:\d\d)"))
    expect(page.locator("#time-said")).to_have_text(re.compile("^Your time was changed: it ends .*[.]$"))


def test_an_open_page_says_that_the_time_was_ended_and_keeps_what_is_typed(scripted: Visit, house: House) -> None:
    page = scripted.page
    accept(page, house.link())
    start(page)
    house.end_early(page)
    scripted.write("x = 'typed after the end'\n")  # its draft is refused
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("Your time in this interview is over.", timeout=DONE_MS)
    expect(notice).to_contain_text("an interviewer ended your time. The reason: The alarm rang.")
    expect(page.locator(".clock")).to_contain_text("ended ")
    expect(page.get_by_role("button", name="Submit for grading")).to_be_disabled()
    expect(page.get_by_role("button", name="Run samples")).to_be_disabled()
    page.locator(".cm-content").click()
    page.keyboard.insert_text("more")
    assert scripted.source() == "x = 'typed after the end'\n"
    axe.check(page)
    notice.get_by_role("link", name="To the interview's page").click()
    expect(page.get_by_text("Your time is over, and what you handed in is kept.")).to_be_visible()
    scripted.trouble = [line for line in scripted.trouble if line != CONFLICT]


def test_the_interviews_own_page_follows_an_early_end(scripted: Visit, house: House) -> None:
    page = scripted.page
    accept(page, house.link())
    interview = page.url
    start(page)
    other = scripted.context.new_page()
    other.clock.install()
    other.goto(interview)
    house.end_early(page)
    other.clock.run_for(60_000)  # milliseconds
    expect(other.get_by_text("Your time is over, and what you handed in is kept.")).to_be_visible()


def test_what_is_sent_too_late_stays_readable(visit: Visit, house: House, scripts: bool) -> None:
    page = visit.page
    accept(page, house.link())
    start(page)
    visit.write("x = 'too late'\n")
    house.move_ends(-1)
    page.get_by_role("button", name="Submit for grading").click()
    expect(page.get_by_role("alert")).to_contain_text("Your time in this interview is over")
    page.get_by_text("What you sent").click()
    expect(page.get_by_text("too late")).to_be_visible()
    visit.trouble = [line for line in visit.trouble if line != CONFLICT]


def test_every_page_at_three_widths(scripted: Visit, house: House) -> None:
    page = scripted.page
    link = house.link(points=Shown.AT_ONCE, hint_level=2)

    def look() -> None:
        for width in (360, 1024, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (page.url, width)
            if width == 360:
                assert page.evaluate(SMALL_TARGETS) == [], page.url
        axe.check(page)

    page.goto(link)
    look()
    accept(page, link)
    interview = page.url
    look()
    start(page)
    attempt = page.url
    look()
    submit(scripted, WRONG)
    expect(page.get_by_role("heading", name="Wrong answer")).to_be_visible(timeout=DONE_MS)
    look()
    page.goto(interview)
    look()
    page.get_by_role("link", name="End the interview now").click()
    look()
    page.get_by_role("button", name="End it for good").click()
    look()
    for address in (attempt, f"{attempt}/follow-ups", f"{house.address}/taking"):
        page.goto(address)
        look()
    page.goto(attempt)
    house.set_score(page, 60.5)
    house.release()
    for address in (interview, attempt, f"{attempt}/submissions/1"):
        page.goto(address)
        expect(page.get_by_text("60.5")).to_be_visible()
        look()
