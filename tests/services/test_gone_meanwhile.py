"""Who is deleted while something is stored that names them: it is refused, and nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from grader.services import accounts, interviewers, interviews, invitations, rejudge, reviews, uploads
from grader.services.packages import Packages
from grader.store.interview_models import Interview, InterviewMember, Invitation, Part, Rejudge, ScoreOverride
from grader.store.models import Attempt, Package, User
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd, Extension
from tests.archives import small_package, zipped
from tests.services.beside import in_turn
from tests.services.interviewing import make_interviewer, make_settings
from tests.services.made import NOON, after, make_judgement
from tests.services.reviewing import END, make_judged, make_led
from tests.services.tiny_package import SLUG, write_package


@dataclass
class Office:
    """Lena leads an interview with an attempt that is over; Bob may interview and Root administers, named nowhere."""

    engine: Engine
    packages: Packages  # with a newer version of the problem than the attempt has
    old: str
    archive: bytes
    lead: User
    interview: Interview
    attempt: Attempt
    people: dict[str, User]

    @property
    def ids(self) -> tuple[str, str]:
        """The interview's and the candidate's."""
        with read_session(self.engine) as session:
            return self.interview.public_id, session.get_one(Invitation, self.attempt.invitation_id).public_id

    def stored(self) -> list[int]:
        """Return how much there is of everything that names who makes it."""
        with read_session(self.engine) as session:
            tables = Interview, InterviewMember, Package, Rejudge, ScoreOverride, Extension, EarlyEnd
            return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


Act = Callable[[Session, Office, User], object]
ACTS: Final[dict[str, tuple[str, Act, str]]] = {  # who goes meanwhile, what is done, and what refuses it
    "make them an interviewer": (
        "Bob",
        lambda s, o, bob: interviewers.set_part(s, o.lead, o.interview.public_id, "Bob", Part.REVIEWER, NOON),
        "UserError",
    ),
    "set an interview up": (
        "Bob",
        lambda s, o, bob: interviews.create(s, bob, make_settings(o.packages), o.packages, NOON),
        "NotFound",
    ),
    "upload": (
        "Bob",
        lambda s, o, bob: uploads.upload(s, bob, uploads.read(bob, o.archive, "mine", "mine.zip"), o.packages, NOON),
        "NotFound",
    ),
    "set a score": (
        "Root",
        lambda s, o, root: reviews.override(s, root, o.attempt.public_id, 72.0, "Mostly right.", 0, END),
        "NotFound",
    ),
    "give time": (
        "Lena",
        lambda s, o, lena: invitations.extend(s, lena, *o.ids, "5", "Because.", END, is_confirmed=True),
        "NotFound",
    ),
    "end their time": (
        "Lena",
        lambda s, o, lena: invitations.end_early(s, lena, *o.ids, "Because.", after(5), is_told=False),
        "NotFound",
    ),
    "judge anew": (
        "Root",
        lambda s, o, root: rejudge.create(s, root, None, o.old, o.packages.named(SLUG).sha256, o.packages, NOON),
        "NotFound",
    ),
}


@pytest.fixture
def office(engine: Engine, packages: Packages, problems: Path, tmp_path: Path) -> Office:
    lead, interview = make_led(engine, packages)
    attempt = make_judged(engine, lead, interview, "Ines", make_judgement())
    make_interviewer(engine, "Ruth", is_admin=True)  # stays
    people = {"Bob": make_interviewer(engine, "Bob"), "Root": make_interviewer(engine, "Root", is_admin=True)}
    people["Lena"] = lead
    archive = zipped(small_package(tmp_path / "private", statement="Private.\n"), "mine")
    old = packages.named(SLUG).sha256
    write_package(problems, statement="Changed.\n")
    return Office(engine, Packages(problems), old, archive, lead, interview, attempt, people)


@pytest.mark.parametrize("name", ACTS)
def test_nothing_is_stored_that_names_who_is_gone(office: Office, name: str) -> None:
    who, act, refused = ACTS[name]
    user, before = office.people[who], office.stored()

    def call() -> None:
        with write_session(office.engine) as session:
            act(session, office, user)

    outcomes = in_turn(office.engine, lambda session: accounts.remove(session, user, NOON), call)
    assert outcomes == [refused]
    assert office.stored() == before
