"""An attempt that is waited for while it gets another version of its package is met with that, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import (
    attempts,
    deadline,
    diagnoses,
    drafts,
    evidence,
    followups,
    hints,
    reviews,
    sample_runs,
    taking,
)
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.sessions import hash_of
from grader.store import invitation_queries, queries, review_queries, taking_queries
from grader.store.interview_models import Invitation
from grader.store.models import Attempt, EvidenceRecord, FollowUpAnswer, Package, Submission, User
from grader.store.session import read_session, write_session
from tests.services.beside import DONE, in_turn
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.rejudging import accepted_version
from tests.services.reviewing import END, draft, make_judged
from tests.services.tiny_package import RIGHT, SLUG

OWN: Final = "I think that it multiplies by three."
INTERVIEW: Final = """
schema: 1
short_answer: It multiplies by three.
full_answer: It multiplies by three where two is asked for.
corrected_source: submissions/accepted/reference.py
why_old_tests_passed: There were none.
follow_ups:
  - {id: asked, level: L2, question: Asked in the new version alone?, expected_answer: Yes., rubric: [a point]}
wrong_answers:
  - {answer: It is right., rebuttal: It is not.}
"""
NEW: Final = (("asked", 0),)  # a point that the new version alone has


@dataclass
class Desk:
    """Ada's attempts: in practice a fresh one, one with a wrong submission and one that is over; one in an interview.

    Beside them the attempt of somebody whose time is over and whose submission is judged.
    """

    engine: Engine
    packages: Packages
    root: Path

    def set_up(self) -> None:
        engine, packages = self.engine, self.packages
        self.lead, self.ada = make_interviewer(engine, "Lena"), make_candidate(engine, "Ada")
        self.new = accepted_version(engine, packages, self.lead, self.root / "new", interview=INTERVIEW)
        self.fresh = make_attempt(engine, packages, self.ada)
        self.wrong = make_attempt(engine, packages, self.ada, "other")
        made = make_submission(engine, self.ada, self.wrong)
        write_result(engine, made.id, make_judgement(Verdict.WA, ("thrice",), "output"), after(2))
        over = make_candidate(engine, "Eve")
        self.eve, self.over = over, make_attempt(engine, packages, over)
        self.waiting = make_submission(engine, over, self.over)
        with write_session(engine) as session:
            attempts.give_up(session, over, self.over.public_id, after(3))
            session.add(FollowUpAnswer(attempt_id=self.over.id, question_id="rated", text=OWN, created_at=NOON))
        interview = make_interview(engine, packages, self.lead)
        (invited,) = make_invitations(engine, self.lead, interview, "Ada L.")
        self.taken = begin(engine, invited.token, self.ada, NOON)
        with write_session(engine) as session:
            drafts.save(session, self.ada, self.taken.public_id, RIGHT, None, packages, after(1))
        self.judged = make_judged(engine, self.lead, interview, "Ines", make_judgement(Verdict.WA))

    def move(self, session: Session) -> None:
        """Give every attempt the new version, as a rejudge does."""
        session.execute(update(Attempt).values(package_id=self.new.id))

    def place(self) -> Invitation:
        with read_session(self.engine) as session:
            return session.get_one(Invitation, self.taken.invitation_id)


Act = Callable[[Session, Desk], object]
ACTS: Final[dict[str, Act]] = {
    "submit": lambda s, d: attempts.submit(s, d.ada, d.fresh.public_id, RIGHT, after(5)),
    "draft": lambda s, d: drafts.save(s, d.ada, d.fresh.public_id, RIGHT, None, d.packages, after(5)),
    "sample run": lambda s, d: sample_runs.start(s, d.ada, d.fresh.public_id, RIGHT, d.packages, after(5)),
    "give up": lambda s, d: attempts.give_up(s, d.ada, d.fresh.public_id, after(5)),
    "diagnose": lambda s, d: diagnoses.diagnose(s, d.ada, d.fresh.public_id, "output", d.packages, after(5)),
    "hint": lambda s, d: hints.open_hint(s, d.ada, d.wrong.public_id, 1, 2, d.packages, after(5)),
    "answer": lambda s, d: followups.answer(s, d.eve, d.over.public_id, "asked", OWN, d.packages, after(5)),
    "submit in an interview": lambda s, d: attempts.submit(s, d.ada, d.taken.public_id, RIGHT, after(5)),
    "draft in an interview": lambda s, d: drafts.save(s, d.ada, d.taken.public_id, b"x", None, d.packages, after(5)),
    "sample run in an interview": lambda s, d: sample_runs.start(
        s, d.ada, d.taken.public_id, RIGHT, d.packages, after(5)
    ),
    "end": lambda s, d: taking.end(s, d.ada, d.place().public_id, d.packages, after(5)),
    "clock": lambda s, d: deadline.close(s, d.place().id, d.packages, END),
    "claim": lambda s, d: reviews.claim(s, d.lead, d.judged.public_id, END),
    "release": lambda s, d: reviews.release(s, d.lead, d.judged.public_id, END),
    "save": lambda s, d: reviews.save(s, d.lead, d.judged.public_id, draft(points=NEW), 0, d.packages, END),
    "finish": lambda s, d: reviews.finish(s, d.lead, d.judged.public_id, draft(points=NEW), 0, d.packages, END),
    "override": lambda s, d: reviews.override(s, d.lead, d.judged.public_id, 50.0, "mended aloud at once", 0, END),
    "evidence": lambda s, d: evidence.ask(s, d.lead, d.judged.public_id, 1, END),
}


@pytest.fixture
def desk(engine: Engine, packages: Packages, tmp_path: Path) -> Desk:
    desk = Desk(engine, packages, tmp_path)
    desk.set_up()
    return desk


@pytest.mark.parametrize("act", list(ACTS))
def test_what_waited_goes_on_with_the_new_version(desk: Desk, act: str) -> None:
    def call() -> None:
        with write_session(desk.engine) as session:
            ACTS[act](session, desk)

    assert in_turn(desk.engine, desk.move, call) == [DONE]


READERS: Final[dict[str, Callable[[Session, Desk], Package]]] = {
    "own": lambda s, d: queries.attempt_of(s, d.ada, d.fresh.public_id, lock=True).package,
    "of an interview": lambda s, d: queries.attempt_of(s, d.ada, d.taken.public_id, lock=True).package,
    "of an invitation": lambda s, d: taking_queries.attempts_locked(s, d.place().id)[0].package,
    "reviewed": lambda s, d: review_queries.attempt_reviewed(s, d.lead, d.judged.public_id, lock=True).package,
}


@pytest.mark.parametrize("reader", list(READERS))
def test_an_attempt_that_was_known_before_is_read_anew(desk: Desk, reader: str) -> None:
    found: list[int] = []

    def call() -> None:
        with write_session(desk.engine) as session:
            for attempt in session.scalars(select(Attempt)).all():
                assert isinstance(attempt.package, Package)  # each is in the session with the version from before
            found.append(READERS[reader](session, desk).id)

    in_turn(desk.engine, desk.move, call)
    assert found == [desk.new.id]


def test_evidence_is_of_the_new_version(desk: Desk) -> None:
    def call() -> None:
        with write_session(desk.engine) as session:
            evidence.ask(session, desk.lead, desk.judged.public_id, 1, END)

    in_turn(desk.engine, desk.move, call)
    with read_session(desk.engine) as session:
        assert session.scalars(select(EvidenceRecord.package_sha256)).all() == [desk.new.sha256]


def test_a_result_of_the_version_from_before_is_not_written(desk: Desk) -> None:
    written: list[bool] = []
    judged_with = desk.packages.named(SLUG).sha256

    def call() -> None:
        judgement = make_judgement(Verdict.AC)
        written.append(write_result(desk.engine, desk.waiting.id, judgement, after(6), judged_with=judged_with))

    in_turn(desk.engine, desk.move, call)
    assert written == [False]
    with read_session(desk.engine) as session:
        assert session.get_one(Submission, desk.waiting.id).verdict is None


def test_who_is_invited_is_met_with_the_account_that_accepted_meanwhile(desk: Desk) -> None:
    eve: list[User | None] = []
    with read_session(desk.engine) as session:
        interview = session.get_one(Invitation, desk.taken.invitation_id).interview
    (invited,) = make_invitations(desk.engine, desk.lead, interview, "Eve")
    with read_session(desk.engine) as session:
        place = taking_queries.invitation_with(session, hash_of(invited.token))
    assert place is not None

    def call() -> None:
        with write_session(desk.engine) as session:
            eve.append(invitation_queries.invitation_in(session, interview, place.public_id, lock=True).user)

    def accept(session: Session) -> None:
        session.execute(update(Invitation).where(Invitation.id == place.id).values(user_id=desk.eve.id))

    in_turn(desk.engine, accept, call)
    assert [user and user.id for user in eve] == [desk.eve.id]
