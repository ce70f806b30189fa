"""Whoever deletes an account reads before what is under way and what becomes of it."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update

from grader.services import interviewers
from grader.services.packages import Packages
from grader.store.interview_models import Interview, Part
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.service import now
from tests.services.interviewing import make_interview, make_interviewer, make_invitations
from tests.web.browsing import PASSWORD, Browser
from tests.web.room import Room
from tests.web.test_interviews import browse_as
from tests.web.test_taking import accept


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    return Room(app, engine, problems, ada)


def told(browser: Browser, path: str = "/me") -> list[str]:
    """Return the sentences of a page's warning."""
    page = browser.text(path).partition('<div class="callout warn">')[2].partition("</div></div>")[0]
    return [html.unescape(item) for item in re.findall(r"<li>(.*?)</li>", page)]


def test_a_candidate_reads_that_nobody_can_go_on(room: Room) -> None:
    (sentence,) = told(room.ada)
    assert sentence == (
        "“Spring round” is being taken under this account. Its time ends then; what its editors hold is handed in, "
        "and all of it stays with the interviewers."
    )
    room.ada.post(f"{room.taking}/end")
    assert told(room.ada) == []


def test_what_is_accepted_and_not_started_is_told(room: Room, engine: Engine, problems: Path) -> None:
    other = make_interviewer(engine, "Olga")
    (invited,) = make_invitations(engine, other, make_interview(engine, Packages(problems), other), "Ada")
    accept(room.ada, invited.token)
    assert [sentence.partition(".")[0] for sentence in told(room.ada)] == [
        "“Spring round” is being taken under this account",
        "“Spring round” is accepted and not started",
    ]


def test_who_leads_alone_reads_that_nobody_will_lead(room: Room, engine: Engine) -> None:
    (sentence,) = told(room.lena)
    assert sentence.startswith("“Spring round” is open, with 1 candidate under way, and nobody else leads it.")
    make_interviewer(engine, "Olga")
    with write_session(engine) as session:
        lead = session.scalars(select(User).filter_by(name="Lena")).one()
        interviewers.set_part(session, lead, room.interview.public_id, "Olga", Part.LEAD, now())
    (sentence,) = told(room.lena)
    assert sentence.startswith("“Spring round” is open, with 1 candidate under way. It goes on with its other lead;")


@pytest.mark.parametrize(
    ("leads", "told_so"),
    [
        (0, ", and nobody leads it."),
        (1, ". It goes on with its lead; reviews"),
        (2, ". It goes on with its leads; reviews"),
    ],
)
def test_a_reviewer_reads_who_leads_it(room: Room, app: Flask, engine: Engine, leads: int, told_so: str) -> None:
    rita = browse_as(app, engine, "Rita", is_interviewer=True)
    make_interviewer(engine, "Olga")
    with write_session(engine) as session:
        lead = session.scalars(select(User).filter_by(name="Lena")).one()
        interviewers.set_part(session, lead, room.interview.public_id, "Rita", Part.REVIEWER, now())
        if leads == 2:
            interviewers.set_part(session, lead, room.interview.public_id, "Olga", Part.LEAD, now())
        lead.is_interviewer = leads > 0
    (sentence,) = told(rita)
    assert sentence.startswith(f"“Spring round” is open, with 1 candidate under way{told_so}")


@pytest.mark.parametrize("field", ["archived_at", "released_at", "closes_at"])
def test_an_interview_that_is_over_is_none_of_it(room: Room, engine: Engine, field: str) -> None:
    with write_session(engine) as session:
        session.execute(update(Interview).values({field: now() - timedelta(minutes=1)}))
    assert told(room.lena) == []


def test_an_admin_reads_it_before_rights_are_taken(room: Room, app: Flask, engine: Engine) -> None:
    admin = browse_as(app, engine, "Root", is_interviewer=False, is_admin=True)
    with read_session(engine) as session:
        lena = session.scalars(select(User.public_id).filter_by(name="Lena")).one()
    assert told(admin, f"/admin/users/{lena}") == told(room.lena)


def test_interviewers_read_that_an_account_is_deleted(room: Room, engine: Engine) -> None:
    room.ada.post("/me/delete", password=PASSWORD)
    page = room.lena.text(f"/interviews/{room.interview.public_id}")
    assert "account deleted" in page
