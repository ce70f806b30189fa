"""An admin who was a candidate reads and moves nothing of that interview by judging everybody's attempts again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import deadline, rejudge
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.store.interview_models import Interview, Rejudge
from grader.store.models import Package, User
from grader.store.session import write_session
from grader.store.sitting_queries import PlaceOfReader
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_judgement
from tests.services.rejudging import accepted_version
from tests.services.reviewing import END, make_judged

REFUSED: Final = (
    "You are or were a candidate in an interview with this problem, so another admin has to judge everybody's attempts "
    "again; those of any other interview you can judge again from its own page."
)


@dataclass
class Sat:
    """An admin whose own time in an interview is over, and what another admin has begun."""

    packages: Packages
    boss: User
    lead: User
    old: Package
    new: Package
    elsewhere: Interview  # where the boss has no place
    wide: Rejudge

    def create(self, session: Session, user: User, interview: str | None) -> Rejudge:
        return rejudge.create(session, user, interview, self.old.sha256, self.new.sha256, self.packages, END)


DOORS: Final[dict[str, Callable[[Sat, Session], object]]] = {
    "create": lambda sat, session: sat.create(session, sat.boss, None),
    "preview": lambda sat, session: rejudge.preview(session, sat.boss, sat.wide.public_id, 1),
    "apply": lambda sat, session: rejudge.apply(session, sat.boss, sat.wide.public_id, sat.packages, END),
    "undo": lambda sat, session: rejudge.undo(session, sat.boss, sat.wide.public_id, sat.packages, END),
    "again": lambda sat, session: rejudge.judge_again(session, sat.boss, sat.wide.public_id, END),
    "discard": lambda sat, session: rejudge.discard(session, sat.boss, sat.wide.public_id, END),
}


@pytest.fixture
def sat(engine: Engine, packages: Packages, tmp_path: Path) -> Sat:
    lead = make_interviewer(engine, "Lena")
    boss, other = (make_interviewer(engine, name, is_admin=True) for name in ("Boss", "Ada"))
    old, new = (accepted_version(engine, packages, lead, tmp_path / name, statement=f"{name}.\n") for name in "ab")
    theirs, elsewhere = (
        make_interview(engine, packages, lead, problems=(Chosen(old.sha256, "only"),)) for _ in range(2)
    )
    for interview in (theirs, elsewhere):
        make_judged(engine, lead, interview, "Candidate", make_judgement(Verdict.WA))
    (invited,) = make_invitations(engine, lead, theirs, "Somebody")
    own = begin(engine, invited.token, boss, after(1))
    assert own.invitation_id is not None
    deadline.close_one(engine, own.invitation_id, packages, lambda session, row: None, END)
    with write_session(engine) as session:
        wide = rejudge.create(session, other, None, old.sha256, new.sha256, packages, NOON)
    return Sat(packages, boss, lead, old, new, elsewhere, wide)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_to_everybodys_attempts_is_closed(engine: Engine, sat: Sat, door: str) -> None:
    with pytest.raises(PlaceOfReader) as refused, write_session(engine) as session:
        DOORS[door](sat, session)
    assert refused.value.message == REFUSED


def test_another_interviews_attempts_are_open(engine: Engine, sat: Sat) -> None:
    with write_session(engine) as session:
        found = sat.create(session, sat.boss, sat.elsewhere.public_id)
        assert rejudge.preview(session, sat.boss, found.public_id, 1).counts.submissions == 1


def test_who_has_no_place_reads_everybodys(engine: Engine, sat: Sat) -> None:
    admin = make_interviewer(engine, "Otto", is_admin=True)
    with write_session(engine) as session:
        assert rejudge.preview(session, admin, sat.wide.public_id, 1).counts.submissions == 2
