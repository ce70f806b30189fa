"""Attempts, deadlines and reveals in any order: nothing counts twice or late, nothing is told early."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import select

from grader.errors import UserError
from grader.grading.verdict import Verdict
from grader.services import (
    attempts,
    candidate_view,
    deadline,
    diagnoses,
    drafts,
    feedback,
    followups,
    hints,
    interviews,
    invitations,
    own_data,
    taking,
)
from grader.services.attempts import AttemptClosed
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.practice_lock import ClosedMeanwhile
from grader.store import queries
from grader.store.interview_models import Interview, Invitation, Shown
from grader.store.models import Attempt, FollowUpAnswer, Submission
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, make_candidate, make_judgement
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, HINTS, NEVER, SLUG, write_package
from tests.store.engines import at_one_address, made_once, upgraded_once

LIMIT: Final = 3
SHOWN: Final = st.sampled_from(list(Shown))
QUESTIONS: Final = [word for word in AFTER_THE_ATTEMPT if "question" in word]
ANSWERS: Final = (*AFTER_THE_ANSWER, *(word for word in AFTER_THE_ATTEMPT if "question" not in word))
SOLVED: Final = ("'AC'", "Verdict.AC", '"AC"')
FAILED: Final = ("'WA'", "Verdict.WA", '"WA"', "wrong_values")


class Template:
    """A database that is made once and copied for each run: migrating takes longer than a run."""

    folder: Path | None = None

    @classmethod
    def copy(cls, to: Path) -> str:
        if cls.folder is None:
            cls.folder = Path(tempfile.mkdtemp(prefix="machine-"))
            write_package(cls.folder / "problems")
        shutil.copy(upgraded_once(), to)
        return at_one_address(to / upgraded_once().name)


class Machine(RuleBasedStateMachine):
    """One candidate, one interview of an hour, and a model of what must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="machine-run-"))
        self.engine = made_once(Template.copy(self.folder))
        assert Template.folder
        self.packages = Packages(Template.folder / "problems")
        self.now, self.counted, self.sources = NOON, 0, 0

    def teardown(self) -> None:
        self.engine.dispose()
        shutil.rmtree(self.folder)

    @initialize(verdicts=SHOWN, points=SHOWN, answers=SHOWN, hint_level=st.integers(0, 3))
    def set_up(self, verdicts: Shown, points: Shown, answers: Shown, hint_level: int) -> None:
        self.lead, self.ada = make_interviewer(self.engine, "Lea"), make_candidate(self.engine, "Ada")
        self.interview = make_interview(
            self.engine,
            self.packages,
            self.lead,
            verdicts=verdicts,
            points=points,
            answers=answers,
            hint_level=hint_level,
            submissions_max=LIMIT,
            closes_at=NOON + timedelta(hours=4),
        )
        (invited,) = make_invitations(self.engine, self.lead, self.interview, "Ada L.")
        with write_session(self.engine) as session:
            taking.accept(session, self.ada, invited.token, NOON)
            self.practice = attempts.start(session, self.ada, self.packages.named(SLUG), "only", self.packages, NOON)

    # what is stored

    def invitation(self) -> Invitation:
        with read_session(self.engine) as session:
            row = session.scalars(select(Invitation)).one()
            assert row.interview
            return row

    def attempt(self) -> Attempt | None:
        with read_session(self.engine) as session:
            return session.scalar(select(Attempt).where(Attempt.invitation_id.is_not(None)))

    def submissions(self) -> list[Submission]:
        with read_session(self.engine) as session:
            statement = select(Submission).join(Submission.attempt).where(Attempt.invitation_id.is_not(None))
            return list(session.scalars(statement.order_by(Submission.ordinal)))

    @property
    def is_started(self) -> bool:
        return self.invitation().started_at is not None

    @property
    def is_running(self) -> bool:
        row = self.invitation()
        return row.ends_at is not None and row.ended_at is None and self.now <= row.ends_at

    def tries(self, act: Callable[[], object], may: bool, refusal: type[UserError] = UserError) -> bool:
        """Do something that is taken exactly when it may be."""
        try:
            act()
        except refusal:
            assert not may
            return False
        assert may
        return True

    # what happens

    @rule(minutes=st.sampled_from([0.0, 0.5, 5.0, 29.0, 60.0, 61.0]))
    def time_passes(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def start(self) -> None:
        before = self.invitation().started_at
        public_id, closes_at = self.invitation().public_id, self.invitation().interview.closes_at

        def act() -> None:
            with write_session(self.engine) as session:
                taking.start(session, self.ada, public_id, self.packages, self.now)

        assert closes_at
        self.tries(act, before is not None or self.now < closes_at)
        assert before is None or self.invitation().started_at == before

    @precondition(lambda self: self.is_started)
    @rule(source=st.sampled_from([b"x = 1\n", b"x = 2\n"]))
    def submit(self, source: bytes) -> None:
        attempt, may = self.attempt(), self.is_running and self.counted < LIMIT
        assert attempt

        def act() -> None:
            with write_session(self.engine) as session:
                attempts.submit(session, self.ada, attempt.public_id, source, self.now)

        self.counted += self.tries(act, may, AttemptClosed)

    @precondition(lambda self: self.is_started)
    @rule()
    def save_a_draft(self) -> None:
        attempt, may = self.attempt(), self.is_running
        assert attempt
        self.sources += 1
        text = f"x = 'draft {self.sources}'\n".encode()

        def act() -> None:
            with write_session(self.engine) as session:
                drafts.save(session, self.ada, attempt.public_id, text, None, self.packages, self.now)

        self.tries(act, may, AttemptClosed)

    @rule(verdict=st.sampled_from([Verdict.AC, Verdict.WA, Verdict.JE]))
    def judge(self, verdict: Verdict) -> None:
        waiting = [row for row in self.submissions() if row.verdict is None]
        if waiting:
            faults = ("thrice",) if verdict is Verdict.WA else ()
            judgement = make_judgement(verdict, faults, "output" if faults else None)
            assert write_result(self.engine, waiting[0].id, judgement, self.now)
            self.counted -= verdict is Verdict.JE and not waiting[0].is_by_clock

    @rule()
    def sweep(self) -> None:
        deadline.close_due(self.engine, self.packages, lambda session, row: None, self.now)
        row = self.invitation()
        assert row.ended_at is not None or row.ends_at is None or self.now <= row.ends_at

    @precondition(lambda self: self.is_started)
    @rule()
    def end(self) -> None:
        with write_session(self.engine) as session:
            taking.end(session, self.ada, self.invitation().public_id, self.packages, self.now)
        assert self.invitation().ended_at is not None
        self.now += timedelta(microseconds=1)  # the last moment itself is in time

    @precondition(lambda self: self.is_started)
    @rule()
    def extend(self) -> None:
        row = self.invitation()
        with write_session(self.engine) as session:
            try:
                ids = (self.interview.public_id, row.public_id)
                invitations.extend(session, self.lead, *ids, "10", "a fire drill", self.now, is_confirmed=True)
            except UserError:
                return
        assert self.is_running

    @rule()
    def release(self) -> None:
        def act() -> None:
            with write_session(self.engine) as session:
                interviews.release(session, self.lead, self.interview.public_id, self.now)

        self.tries(act, not self.is_running)

    @precondition(lambda self: self.is_started)
    @rule(question=st.sampled_from(["first", "second"]))
    def answer(self, question: str) -> None:
        attempt = self.attempt()
        assert attempt
        with read_session(self.engine) as session:
            answered = session.scalars(select(FollowUpAnswer.question_id)).all()
        may = not self.is_running and bool(self.submissions()) and question not in answered

        def act() -> None:
            with write_session(self.engine) as session:
                text = "an own answer that is long enough"
                followups.answer(session, self.ada, attempt.public_id, question, text, self.packages, self.now)

        self.tries(act, may, AttemptClosed)

    @rule()
    def practise(self) -> None:
        may = not self.is_running

        def act() -> None:
            with write_session(self.engine) as session:
                attempts.start(session, self.ada, self.packages.named(SLUG), "only", self.packages, self.now)

        self.tries(act, may, ClosedMeanwhile)

    @precondition(lambda self: bool(self.submissions()))
    @rule()
    def ask_for_a_hint(self) -> None:
        attempt = self.attempt()
        assert attempt

        def act() -> None:
            with write_session(self.engine) as session:
                hints.open_hint(session, self.ada, attempt.public_id, 1, 3, self.packages, self.now)

        self.tries(act, False, AttemptClosed)

    # what holds at every moment

    @invariant()
    def nothing_counts_twice_or_late(self) -> None:
        rows = self.submissions()
        assert [row.ordinal for row in rows] == list(range(1, len(rows) + 1))
        own = [row for row in rows if not row.is_by_clock and row.verdict is not Verdict.JE]
        assert len(own) == self.counted <= LIMIT
        by_clock = [row.created_at for row in rows if row.is_by_clock]
        assert len(by_clock) == len(set(by_clock))

    @invariant()
    def nothing_is_told_early(self) -> None:
        attempt = self.attempt()
        if attempt is None:
            return
        told, shown = self.told(attempt)
        with read_session(self.engine) as session:
            answered = session.scalars(select(FollowUpAnswer.question_id)).all()
        for word in (*HIDDEN, *NEVER):
            assert word not in told
        if not shown.verdict:
            assert not [word for word in (*SOLVED, *FAILED, "thrice", *HINTS) if word in told]
        if not shown.points:
            assert not [word for word in ("100.0, 'max", "40.0", "'score': 100.0", "60.0") if word in told]
        if shown.hint_level < hints.FAULT:
            assert "canary fault" not in told
        if shown.hint_level < hints.SYMPTOM:
            assert "canary symptom" not in told
        if self.is_running:
            assert not [word for word in QUESTIONS if word in told]
        if not shown.answers:
            assert not [word for word in ANSWERS if word in told]
        for question, word in (("first", "canary expected one"), ("second", "canary expected two")):
            assert question in answered or word not in told

    @invariant()
    def answers_wait_for_everybody(self) -> None:
        attempt, row = self.attempt(), self.invitation()
        if attempt is None:
            return
        interview: Interview = row.interview
        shown = feedback.visible(attempt, interview, row, self.now)
        assert interview.closes_at
        others_may_start = self.now < interview.closes_at and interview.released_at is None
        assert not (shown.answers and others_may_start)
        assert shown.content == (self.is_running or not others_may_start)

    def told(self, attempt: Attempt) -> tuple[str, feedback.Feedback]:
        """Return all that pages, lists and exports may use, as one text, and what is open."""
        with read_session(self.engine) as session:
            row, problem = queries.attempt_of(session, self.ada, attempt.public_id), self.packages.named(SLUG)
            shown = feedback.of(session, row, self.now)
            rows = list(queries.submissions_in(session, row))
            views = [
                asdict(
                    candidate_view.view(
                        queries.submission_of(session, self.ada, row.public_id, n.ordinal), problem, shown
                    )
                )
                for n in rows
            ]
            found = followups.follow_ups(session, row, self.packages, shown)
            planted = diagnoses.diagnosis(session, row, problem, shown).planted
            parts = [repr(views), repr(candidate_view.handed_in(rows, shown)), repr(asdict(found)) if found else ""]
        document = "".join(own_data.export(self.engine, self.ada, self.packages, self.now))
        assert json.loads(document)
        return "\n".join([*parts, repr(planted), document]), shown


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=10,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a run takes a second, so shrinking would take minutes
)


def test_questions_that_close_again_with_more_time_are_not_in_ones_own_data() -> None:
    machine = Machine()
    try:
        machine.set_up(answers=Shown.WHEN_RELEASED, hint_level=2, verdicts=Shown.AT_ONCE, points=Shown.WHEN_RELEASED)
        machine.start()
        machine.submit(source=b"x = 1\n")
        machine.end()
        machine.answer(question="first")
        machine.extend()
        assert machine.is_running
        machine.nothing_is_told_early()
    finally:
        machine.teardown()
