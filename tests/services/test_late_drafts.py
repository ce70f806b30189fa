"""A draft that was received before the end and saved behind it is not lost, on SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import attempts, deadline, drafts, invitations, taking
from grader.services.attempts import AttemptClosed
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.store.held import held
from grader.store.interview_models import AuditEntry, Interview, Invitation
from grader.store.models import Attempt, Submission, User
from grader.store.session import read_session, write_session
from tests.services.beside import DONE, in_turn
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate, make_judgement
from tests.services.tiny_package import SLUG


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name(name).read_text())
    return found


CASES: Final = cases("late_drafts.yaml")
OVER_ENDS: Final = cases("drafts_over_ends.yaml")
MINUTES: Final = 10
BEHIND: Final = after(MINUTES) + timedelta(seconds=1)


@dataclass
class Room:
    """Ada takes an interview with one problem, from noon on."""

    engine: Engine
    packages: Packages
    lead: User
    interview: Interview
    ada: User
    attempt: Attempt

    def bytes_of(self, text: str) -> bytes:
        return self.packages.named(SLUG).starter("only").encode() if text == "STARTER" else text.encode()

    def draft(self, text: str, minute: float) -> None:
        with write_session(self.engine) as session:
            args = self.attempt.public_id, self.bytes_of(text), None, self.packages, after(minute)
            saved = drafts.save(session, self.ada, *args)
            self.judged += [saved.late.ordinal] if saved.late else []

    def submit(self, text: str, minute: float) -> None:
        with write_session(self.engine) as session:
            attempts.submit(session, self.ada, self.attempt.public_id, text.encode(), after(minute))

    def close(self, now: datetime = BEHIND) -> None:
        with write_session(self.engine) as session:
            assert self.attempt.invitation_id is not None
            deadline.close(session, self.attempt.invitation_id, self.packages, now)

    def clock(self, minute: float) -> None:
        self.close(after(minute))
        assert self.place().ended_at

    def lead_ends(self, now: datetime) -> None:
        with write_session(self.engine) as session:
            ids = self.interview.public_id, self.place().public_id
            invitations.end_early(session, self.lead, *ids, "Because.", now, is_told=False)

    def candidate_ends(self, now: datetime) -> None:
        with write_session(self.engine) as session:
            taking.end(session, self.ada, self.place().public_id, self.packages, now)

    def more(self, minutes: int, now: datetime) -> None:
        with write_session(self.engine) as session:
            ids = self.interview.public_id, self.place().public_id
            invitations.extend(session, self.lead, *ids, str(minutes), "a fire drill", now, is_confirmed=True)

    def do(self, act: str, *rest: Any) -> None:
        """Do one act of drafts_over_ends.yaml."""
        *text, minute = rest
        match act:
            case "lead":
                self.lead_ends(after(minute))
                self.clock(minute)
            case "candidate":
                self.candidate_ends(after(minute))
            case "more":
                self.more(10, after(minute))
            case _:
                getattr(self, act)(*text, minute)

    def editor(self) -> str:
        with read_session(self.engine) as session:
            attempt = session.get_one(Attempt, self.attempt.id)
            return drafts.editable_source(session, attempt, self.packages.named(SLUG))

    def hold(self, session: Session) -> None:
        held(session, Attempt, Attempt.id == self.attempt.id)

    def place(self) -> Invitation:
        with read_session(self.engine) as session:
            return session.get_one(Invitation, self.attempt.invitation_id)

    def write(self, row: Submission, source: str, verdict: Verdict = Verdict.WA) -> bool:
        """Write what came of judging a source as a judging thread does."""
        judged_with = self.packages.named(SLUG).sha256
        judgement = replace(make_judgement(verdict), source_sha256=hashlib.sha256(source.encode()).hexdigest())
        return write_result(self.engine, row.id, judgement, BEHIND, judged_with=judged_with)

    def rows(self) -> list[Submission]:
        with read_session(self.engine) as session:
            return list(session.scalars(select(Submission).order_by(Submission.ordinal)))

    def sources(self) -> list[list[str]]:
        with read_session(self.engine) as session:
            rows = session.scalars(select(Submission).order_by(Submission.ordinal)).all()
            assert [row.ordinal for row in rows] == list(range(1, len(rows) + 1))
            return [[row.source.decode(), "clock" if row.is_by_clock else "own"] for row in rows]

    def __post_init__(self) -> None:
        self.judged: list[int] = []  # the late ones


@pytest.fixture
def room(engine: Engine, packages: Packages) -> Room:
    lead, ada = make_interviewer(engine, "Lena"), make_candidate(engine, "Ada")
    interview = make_interview(engine, packages, lead, submissions_max=2)
    (invited,) = make_invitations(engine, lead, interview, "Ada L.")
    return Room(engine, packages, lead, interview, ada, begin(engine, invited.token, ada, NOON, MINUTES))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_last_draft_in_time_is_handed_in(room: Room, case: dict[str, Any]) -> None:
    for act, text, minute in case["before"]:
        getattr(room, act)(text, minute)
    room.close()
    if case.get("judged"):
        assert room.write(room.rows()[-1], "old")
    room.draft(*case["late"])
    assert room.sources() == case["then"]
    assert len(room.judged) == (case["then"][-1] == ["new", "clock"])


def test_who_waits_behind_the_clock_is_not_too_late(room: Room) -> None:
    room.draft("old", 3)
    assert in_turn(room.engine, room.hold, room.close, lambda: room.draft("new", 9)) == [DONE, DONE]
    assert room.sources() == [["new", "clock"]]
    with read_session(room.engine) as session:
        assert session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)).all()[-1] == "attempt.late-draft"


def test_a_verdict_of_the_older_draft_is_not_written_for_the_newer_one(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    written: list[bool] = []
    (row,) = room.rows()
    calls = lambda: room.draft("new", 9), lambda: written.append(room.write(row, "old"))
    assert in_turn(room.engine, room.hold, *calls) == [DONE, DONE]
    assert written == [False]
    assert room.write(row, "new", Verdict.AC)
    assert [each.verdict for each in room.rows()] == [Verdict.AC]


def test_a_verdict_that_was_faster_stays_with_its_draft(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    (row,) = room.rows()
    calls = lambda: room.write(row, "old"), lambda: room.draft("new", 9)
    assert in_turn(room.engine, room.hold, *calls) == [DONE, DONE]
    assert [each.verdict for each in room.rows()] == [Verdict.WA, None]
    assert room.sources() == [["old", "clock"], ["new", "clock"]]


def test_of_several_late_ones_the_newest_counts(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    room.write(room.rows()[0], "old")
    for text, minute in [("first", 7), ("third", 9), ("second", 8)]:
        room.draft(text, minute)
    assert room.sources() == [["old", "clock"], ["third", "clock"]]


def test_after_the_end_it_is_too_late(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    with pytest.raises(AttemptClosed):
        room.draft("new", MINUTES + 0.001)
    assert room.sources() == [["old", "clock"]]


@pytest.mark.parametrize("by_lead", [True, False])
def test_after_an_early_end_the_draft_of_that_moment_counts(room: Room, by_lead: bool) -> None:
    room.draft("old", 3)
    (room.lead_ends if by_lead else room.candidate_ends)(after(5))
    room.close()
    with pytest.raises(AttemptClosed):
        room.draft("later", 6)
    room.draft("waited", 4.9)
    assert room.sources() == [["waited", "clock"]]


def test_more_time_that_was_faster_makes_it_a_draft_again(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    calls = lambda: room.more(5, BEHIND), lambda: room.draft("new", 9)
    assert in_turn(room.engine, room.hold, *calls) == [DONE, DONE]
    assert room.sources() == [["old", "clock"]]


@pytest.mark.parametrize("case", OVER_ENDS, ids=[case["name"] for case in OVER_ENDS])
def test_a_draft_in_time_is_handed_in_at_the_end_that_counts(room: Room, case: dict[str, Any]) -> None:
    for act in case["acts"]:
        room.do(*act)
    if "editor" in case:
        assert room.editor() == case["editor"]
    for act in case["last"]:
        room.do(*act)
    assert room.sources() == case["then"]


def test_a_submission_that_waited_stands_after_the_clock_s(room: Room) -> None:
    room.draft("old", 3)
    room.close()
    room.submit("new", 9)
    room.draft("newer", 9.5)
    assert room.sources() == [["newer", "clock"], ["new", "own"]]
