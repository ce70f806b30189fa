"""Taking an interview: who accepts, who starts and when, what ends it; each rule at its last and first moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.services import attempts, deadline, drafts, feedback, hints, interviews, invitations, sample_runs, taking
from grader.services.attempts import AttemptClosed
from grader.services.candidate_stage import Stage
from grader.services.drafts import Saved
from grader.services.interview_settings import Chosen
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.practice_lock import ClosedMeanwhile
from grader.services.sessions import hash_of
from grader.services.taking import InvitationEnded, NotOpen, Taking
from grader.store import queries, taking_queries
from grader.store.interview_models import AuditEntry, Interview, Invitation, Shown
from grader.store.models import Attempt, Submission, User
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd
from tests.services.beside import in_turn
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate, make_judgement
from tests.services.tiny_package import RIGHT, SLUG, WRONG

SECOND = timedelta(seconds=1)
END = after(61)  # who starts a minute after noon


@dataclass
class Place:
    """A candidate's place in an interview of an hour, and what they do there."""

    engine: Engine
    packages: Packages
    lead: User
    interview: Interview
    token: str
    ada: User

    def accept(self, who: User | None = None, token: str | None = None, now: datetime = NOON) -> Invitation:
        with write_session(self.engine) as session:
            return taking.accept(session, who or self.ada, token or self.token, now)

    def start(self, now: datetime | None = None) -> Invitation:
        with write_session(self.engine) as session:
            return taking.start(session, self.ada, self.accepted, self.packages, now or after(1))

    @property
    def accepted(self) -> str:
        return self.invitation().public_id

    def invitation(self) -> Invitation:
        with read_session(self.engine) as session:
            return session.scalars(select(Invitation).order_by(Invitation.id).limit(1)).one()

    def begin(self) -> Attempt:
        self.accept()
        self.start()
        return self.attempt()

    def attempt(self) -> Attempt:
        with read_session(self.engine) as session:
            statement = select(Attempt).where(Attempt.invitation_id.is_not(None)).order_by(Attempt.id).limit(1)
            return session.scalars(statement).one()

    def submit(self, source: bytes, now: datetime) -> Submission:
        with write_session(self.engine) as session:
            return attempts.submit(session, self.ada, self.attempt().public_id, source, now)

    def draft(self, text: bytes, now: datetime) -> Saved:
        with write_session(self.engine) as session:
            return drafts.save(session, self.ada, self.attempt().public_id, text, None, self.packages, now)

    def close_due(self, now: datetime) -> list[int]:
        """Close what is due; return the keys of what is then judged."""
        judged: list[int] = []

        def dispatch(session: object, row: object) -> None:
            assert isinstance(row, Submission)
            judged.append(row.ordinal)

        deadline.close_due(self.engine, self.packages, dispatch, now)
        return judged

    def end(self, now: datetime) -> Sequence[Submission]:
        with write_session(self.engine) as session:
            return taking.end(session, self.ada, self.accepted, self.packages, now)[1]

    def extend(self, minutes: int, now: datetime) -> None:
        with write_session(self.engine) as session:
            ids = (self.interview.public_id, self.accepted)
            invitations.extend(session, self.lead, *ids, str(minutes), "a fire drill", now, is_confirmed=True)

    def seen(self, now: datetime) -> Taking:
        with read_session(self.engine) as session:
            found = taking.taking(session, self.ada, self.accepted, now)
            assert found.interview.title
            return found

    def submissions(self) -> list[tuple[int, bytes, datetime, bool]]:
        with read_session(self.engine) as session:
            rows = session.scalars(select(Submission).order_by(Submission.ordinal))
            return [(row.ordinal, row.source, row.created_at, row.is_by_clock) for row in rows]

    def actions(self) -> list[str]:
        with read_session(self.engine) as session:
            found = session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)).all()
        return [action for action in found if action.startswith(("invitation", "attempt"))]


@pytest.fixture
def make_place(engine: Engine, packages: Packages) -> Callable[..., Place]:
    def make(**settings: object) -> Place:
        lead = make_interviewer(engine, "Lea")
        interview = make_interview(engine, packages, lead, **settings)
        (invited,) = make_invitations(engine, lead, interview, "Ada L.")
        return Place(engine, packages, lead, interview, invited.token, make_candidate(engine, "Ada"))

    return make


@pytest.fixture
def place(make_place: Callable[..., Place]) -> Place:
    return make_place()


def test_looking_a_link_up_uses_nothing_up(place: Place) -> None:
    for _ in range(5):
        with read_session(place.engine) as session:
            assert taking.find(session, place.token, None, NOON).user_id is None
    assert place.invitation().accepted_at is None
    assert place.actions() == ["invitation.make"]


def test_accepting_binds_the_invitation_once(place: Place) -> None:
    place.accept(now=after(1))
    place.accept(now=after(2))
    assert (place.invitation().user_id, place.invitation().accepted_at) == (place.ada.id, after(1))
    assert place.invitation().started_at is None
    assert place.actions() == ["invitation.make", "invitation.accept"]


def test_a_link_that_is_renewed_while_it_is_accepted_opens_nothing(place: Place) -> None:
    with read_session(place.engine) as session:
        found = taking_queries.invitation_with(session, hash_of(place.token))
    assert found is not None
    with write_session(place.engine) as session:
        invitations.renew(session, place.lead, place.interview.public_id, found.public_id, NOON)
    with write_session(place.engine) as session:
        assert taking_queries.accept_invitation(session, found, place.ada, NOON) is False
    assert place.invitation().user_id is None


def test_what_opens_nothing_is_told_the_same(place: Place) -> None:
    place.accept()
    with pytest.raises(InvitationEnded) as used:
        place.accept(make_candidate(place.engine))
    with pytest.raises(InvitationEnded) as never:
        place.accept(token="x" * 43)
    assert used.value.message == never.value.message
    assert used.value.status == never.value.status == 404


def test_a_revoked_invitation_opens_nothing(place: Place) -> None:
    invitation = place.accept()
    with write_session(place.engine) as session:
        invitations.revoke(session, place.lead, place.interview.public_id, invitation.public_id, after(1))
    with pytest.raises(InvitationEnded):
        place.accept()
    with pytest.raises(NotFound):
        place.start()


def test_a_closed_interview_is_not_accepted(make_place: Callable[..., Place]) -> None:
    place = make_place(closes_at=after(30))
    with pytest.raises(InvitationEnded):
        place.accept(now=after(30))
    place.accept(now=after(30) - SECOND)


def test_nobody_has_two_places_in_an_interview(place: Place) -> None:
    (second,) = make_invitations(place.engine, place.lead, place.interview, "Ada again")
    place.accept()
    with pytest.raises(NotOpen, match="a place in this interview already"):
        place.accept(token=second.token)


def test_a_place_that_was_taken_back_gives_way_to_a_new_link(place: Place) -> None:
    old = place.accept()
    ids = (place.interview.public_id, old.public_id)
    with write_session(place.engine) as session:
        invitations.revoke(session, place.lead, *ids, after(1))
    (second,) = make_invitations(place.engine, place.lead, place.interview, "Ada again")
    new = place.accept(token=second.token, now=after(2))
    with read_session(place.engine) as session:
        assert [found.id for found, _ in taking.own(session, place.ada, after(3))] == [new.id]
        entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).one()
    assert (entry.action, entry.actor, entry.subject, json.loads(entry.detail)) == (
        "invitation.accept",
        place.ada.public_id,
        f"invitation {new.public_id}",
        {"instead_of": old.public_id},
    )
    with write_session(place.engine) as session:
        assert taking.start(session, place.ada, new.public_id, place.packages, after(3)).started_at == after(3)
    with write_session(place.engine) as session:  # and who it was for is somebody else now
        renewed = invitations.renew(session, place.lead, *ids, after(4))
    bob = make_candidate(place.engine)
    assert place.accept(bob, renewed.token, after(5)).user_id == bob.id


def test_who_accepts_while_a_new_link_is_made_is_refused(place: Place) -> None:
    ids = (place.interview.public_id, place.accepted)

    def renew(session: Session) -> None:
        invitations.renew(session, place.lead, *ids, after(1))

    assert in_turn(place.engine, renew, place.accept) == ["InvitationEnded"]
    assert place.invitation().user_id is None


def test_interviewers_are_no_candidates_of_their_own(place: Place) -> None:
    with pytest.raises(NotOpen, match="interview there yourself"):
        place.accept(place.lead)


def test_of_fifty_who_accept_at_once_one_gets_the_place(place: Place) -> None:
    candidates = [make_candidate(place.engine) for _ in range(50)]

    def accept(candidate: User) -> bool:
        try:
            place.accept(candidate)
        except InvitationEnded:
            return False
        return True

    with ThreadPoolExecutor(16) as threads:
        got = list(threads.map(accept, candidates))
    assert got.count(True) == 1
    assert place.invitation().user_id == candidates[got.index(True)].id
    assert place.actions() == ["invitation.make", "invitation.accept"]


def test_the_clock_starts_once(place: Place) -> None:
    place.accept()
    first, second = place.start(after(1)), place.start(after(7))
    assert (first.started_at, first.ends_at) == (second.started_at, second.ends_at) == (after(1), END)
    assert place.actions() == ["invitation.make", "invitation.accept", "invitation.start"]


def test_of_many_starts_at_once_one_counts(place: Place) -> None:
    place.accept()
    with ThreadPoolExecutor(8) as threads:
        started = set(threads.map(lambda number: place.start(after(number)).started_at, range(1, 17)))
    assert len(started) == 1
    assert place.actions().count("invitation.start") == 1


def test_there_is_no_problem_before_the_start(place: Place) -> None:
    place.accept()
    found = place.seen(NOON)
    assert (found.stage, found.problems, found.tasks) == (Stage.READY, 1, ())
    with read_session(place.engine) as session:
        assert session.scalars(select(Attempt)).all() == []


def test_a_start_waits_for_the_window(make_place: Callable[..., Place]) -> None:
    place = make_place(opens_at=after(10), closes_at=after(40))
    place.accept()
    assert place.seen(after(9)).stage is Stage.TOO_EARLY
    with pytest.raises(NotOpen, match="opens at 01 Mar 2026 12:10 UTC"):
        place.start(after(10) - SECOND)
    assert place.start(after(10)).ends_at == after(40)  # not an hour: the window closes before


def test_a_window_that_closed_is_missed(make_place: Callable[..., Place]) -> None:
    place = make_place(closes_at=after(40))
    place.accept()
    assert place.seen(after(40)).stage is Stage.MISSED
    with pytest.raises(NotOpen, match="closed"):
        place.start(after(40))


def finish(place: Place, session: Session, end: str) -> None:
    ids = (session, place.lead, place.interview.public_id, after(2))
    interviews.release(*ids) if end == "release" else interviews.archive(*ids, is_archived=True)


@pytest.mark.parametrize("end", ["release", "archive"])
def test_who_asked_for_a_place_before_the_end_and_waited_for_it_gets_none(place: Place, end: str) -> None:
    def hold(session: Session) -> None:
        finish(place, session, end)

    assert in_turn(place.engine, hold, lambda: place.accept(now=after(1))) == ["InvitationEnded"]
    assert place.invitation().user_id is None


@pytest.mark.parametrize("end", ["release", "archive"])
def test_who_asked_to_start_before_the_end_and_waited_for_it_does_not_start(place: Place, end: str) -> None:
    place.accept()

    def hold(session: Session) -> None:
        finish(place, session, end)

    assert in_turn(place.engine, hold, lambda: place.start(after(1))) == ["NotOpen"]
    assert place.invitation().started_at is None
    with read_session(place.engine) as session:
        assert session.scalars(select(Attempt)).all() == []


def test_a_variant_is_drawn_by_lot(make_place: Callable[..., Place], packages: Packages) -> None:
    place = make_place(problems=(Chosen(packages.named(SLUG).sha256),))
    assert place.begin().variant in ("only", "other")


def test_what_came_in_at_the_last_moment_counts(place: Place) -> None:
    place.begin()
    place.submit(WRONG, END)
    with pytest.raises(AttemptClosed, match="time in this interview is over"):
        place.submit(RIGHT, END + timedelta(microseconds=1))
    assert [row[1] for row in place.submissions()] == [WRONG]


def test_what_came_in_time_counts_after_the_clock_has_closed(place: Place) -> None:
    place.begin()
    assert place.close_due(END + SECOND) == []
    place.submit(WRONG, END - SECOND)
    assert place.submissions() == [(1, WRONG, END - SECOND, False)]


def test_every_allowed_submission_and_no_more(make_place: Callable[..., Place]) -> None:
    place = make_place(submissions_max=2)
    place.begin()
    place.submit(WRONG, after(2))
    place.submit(WRONG, after(3))
    with pytest.raises(AttemptClosed, match="Every submission"):
        place.submit(RIGHT, after(4))
    assert place.seen(after(5)).tasks[0].left == 0


def test_our_fault_costs_no_submission(make_place: Callable[..., Place]) -> None:
    place = make_place(submissions_max=1)
    place.begin()
    submission = place.submit(WRONG, after(2))
    write_result(place.engine, submission.id, make_judgement(Verdict.JE), after(3))
    assert place.seen(after(4)).tasks[0].left == 1
    place.submit(RIGHT, after(4))


@pytest.mark.parametrize("late", [False, True])
def test_drafts_and_sample_runs_follow_the_clock(place: Place, late: bool) -> None:
    attempt, now = place.begin(), END + (SECOND if late else -SECOND)

    def run() -> None:
        with write_session(place.engine) as session:
            sample_runs.start(session, place.ada, attempt.public_id, WRONG, place.packages, now)

    for act in (run, lambda: place.draft(WRONG, now)):
        if late:
            with pytest.raises(AttemptClosed):
                act()
        else:
            act()


def test_the_clock_hands_a_draft_in_once(place: Place) -> None:
    place.begin()
    place.submit(WRONG, after(2))
    place.draft(RIGHT, after(3))
    assert place.close_due(END) == []
    assert place.close_due(END + SECOND) == [2]
    assert place.close_due(END + 2 * SECOND) == []
    assert place.submissions() == [(1, WRONG, after(2), False), (2, RIGHT, END, True)]
    assert place.invitation().ended_at == END
    assert place.actions()[-1] == "invitation.close"


def test_of_many_that_close_at_once_one_hands_in(place: Place) -> None:
    place.begin()
    place.draft(RIGHT, after(3))
    with ThreadPoolExecutor(8) as threads:
        handed_in = list(threads.map(lambda _: place.close_due(END + SECOND), range(16)))
    assert sorted(handed_in) == [[]] * 15 + [[1]]
    assert [row[1:] for row in place.submissions()] == [(RIGHT, END, True)]


def test_a_draft_that_says_nothing_new_is_not_handed_in(place: Place) -> None:
    place.begin()
    place.draft(b"def twice(x):\n    return x * 3  # starter only\n", after(2))
    assert place.close_due(END + SECOND) == []
    assert place.submissions() == []


@pytest.mark.parametrize("emptied", [b"", b" \n\t\n", b"\xef\xbb\xbf\n"])
def test_an_emptied_editor_is_not_handed_in(place: Place, emptied: bytes) -> None:
    place.begin()
    place.submit(RIGHT, after(2))
    place.draft(emptied, after(3))
    assert place.close_due(END + SECOND) == []
    assert place.submissions() == [(1, RIGHT, after(2), False)]


def test_a_draft_from_before_the_last_submission_is_not_handed_in(place: Place) -> None:
    place.begin()
    place.draft(WRONG, after(2))
    place.submit(RIGHT, after(3))
    assert place.close_due(END + SECOND) == []


def test_the_clock_goes_by_the_limit_too(make_place: Callable[..., Place]) -> None:
    place = make_place(submissions_max=1)
    place.begin()
    place.submit(WRONG, after(2))
    place.draft(RIGHT, after(3))
    assert place.close_due(END + SECOND) == []


def test_who_ends_it_second_has_not_ended_it(place: Place) -> None:
    place.begin()
    with write_session(place.engine) as session:
        ids = (place.interview.public_id, place.accepted)
        invitations.end_early(session, place.lead, *ids, "Left the room.", after(5), is_told=False)
    place.end(after(6))
    with read_session(place.engine) as session:
        assert session.scalars(select(EarlyEnd.reason)).all() == ["Left the room."]
    assert place.actions()[-1] == "invitation.close"


def test_ending_early_hands_the_draft_in(place: Place) -> None:
    place.begin()
    place.draft(RIGHT, after(3))
    assert [submission.ordinal for submission in place.end(after(5))] == [1]
    assert place.end(after(6)) == ()
    assert place.submissions() == [(1, RIGHT, after(5), True)]
    with pytest.raises(AttemptClosed):
        place.submit(WRONG, after(6))
    assert place.seen(after(6)).stage is Stage.OVER
    assert place.actions()[-1] == "invitation.end"


def test_nothing_ends_before_it_starts(place: Place) -> None:
    place.accept()
    with pytest.raises(NotOpen):
        place.end(after(1))


def test_more_time_moves_the_end(place: Place) -> None:
    place.begin()
    place.extend(10, after(30))
    assert place.close_due(END + SECOND) == []
    assert place.seen(END).seconds_left == 600
    place.submit(WRONG, END + timedelta(minutes=10))


def test_more_time_opens_an_end_again(place: Place) -> None:
    place.begin()
    place.draft(RIGHT, after(3))
    place.close_due(END + SECOND)
    place.extend(10, after(70))
    place.submit(WRONG, after(75))
    place.draft(RIGHT + b"# more\n", after(76))
    assert place.close_due(after(80) + SECOND) == [3]
    assert [row[3] for row in place.submissions()] == [True, False, True]


def test_an_interview_has_nothing_of_practice(place: Place) -> None:
    attempt = place.begin()
    place.submit(WRONG, after(2))
    with write_session(place.engine) as session, pytest.raises(AttemptClosed, match="not given up"):
        attempts.give_up(session, place.ada, attempt.public_id, after(3))
    with write_session(place.engine) as session, pytest.raises(AttemptClosed, match="no hints to open"):
        hints.open_hint(session, place.ada, attempt.public_id, 1, 2, place.packages, after(3))
    with read_session(place.engine) as session:
        assert attempts.progress(session, place.ada) == {}


def practice(place: Place, now: datetime) -> Attempt:
    with write_session(place.engine) as session:
        return attempts.start(session, place.ada, place.packages.named(SLUG), "only", place.packages, now)


def test_practice_is_closed_while_the_time_runs(place: Place) -> None:
    before = practice(place, NOON)
    place.begin()
    for act in (
        lambda session, now: attempts.start(
            session, place.ada, place.packages.named(SLUG), "other", place.packages, now
        ),
        lambda session, now: attempts.start(
            session, place.ada, place.packages.named(SLUG), "nosuch", place.packages, now
        ),
        lambda session, now: attempts.submit(session, place.ada, before.public_id, RIGHT, now),
        lambda session, now: attempts.give_up(session, place.ada, before.public_id, now),
    ):
        with write_session(place.engine) as session, pytest.raises(ClosedMeanwhile):
            act(session, after(2))
    assert practice(place, END + SECOND).id == before.id


def test_practice_stays_open_where_the_interview_says_so(make_place: Callable[..., Place]) -> None:
    place = make_place(locks_practice=False)
    place.begin()
    assert practice(place, after(2)).invitation_id is None


@pytest.mark.parametrize("is_locking", [True, False])
def test_an_earlier_interview_tells_nothing_of_what_a_later_one_closes(place: Place, is_locking: bool) -> None:
    earlier = place.begin()
    place.submit(RIGHT, after(2))
    place.end(after(3))
    later = make_interview(place.engine, place.packages, place.lead, locks_practice=is_locking)
    (invited,) = make_invitations(place.engine, place.lead, later, "Ada L.")
    begin(place.engine, invited.token, place.ada, after(4))

    def shown(now: datetime) -> bool:
        with read_session(place.engine) as session:
            attempt = queries.attempt_of(session, place.ada, earlier.public_id)
            return feedback.of(session, attempt, now).questions

    if is_locking:
        with pytest.raises(ClosedMeanwhile, match="elsewhere it is closed until your time there is over"):
            shown(after(5))
    else:
        assert shown(after(5))
    assert shown(after(65))


@pytest.mark.parametrize("is_locking", [True, False])
def test_an_earlier_interviews_page_tells_nothing_of_it_either(
    make_place: Callable[..., Place], is_locking: bool
) -> None:
    place = make_place(verdicts=Shown.AT_ONCE, points=Shown.AT_ONCE)
    attempt = place.begin()
    submission = place.submit(RIGHT, after(2))
    write_result(place.engine, submission.id, make_judgement(Verdict.AC), after(2))
    place.end(after(3))
    later = make_interview(place.engine, place.packages, place.lead, locks_practice=is_locking)
    (invited,) = make_invitations(place.engine, place.lead, later, "Ada L.")
    begin(place.engine, invited.token, place.ada, after(4))

    def told(now: datetime) -> tuple[bool, float | None, Verdict | None]:
        with read_session(place.engine) as session:
            (task,) = taking.taking(session, place.ada, place.accepted, now).tasks
            assert task.attempt.id == attempt.id
            assert task.last is not None
            return task.shown.questions, task.points, task.last.verdict

    assert told(after(65)) == (True, 100.0, Verdict.AC)
    assert told(after(5)) == ((False, None, None) if is_locking else told(after(65)))


def test_practice_stays_open_for_others(place: Place) -> None:
    place.begin()
    other = make_candidate(place.engine)
    with write_session(place.engine) as session:
        attempts.start(session, other, place.packages.named(SLUG), "only", place.packages, after(2))


def test_another_candidate_has_no_way_in(place: Place) -> None:
    attempt = place.begin()
    eve = make_candidate(place.engine)
    for act in (
        lambda session: taking.start(session, eve, place.accepted, place.packages, after(2)),
        lambda session: taking.end(session, eve, place.accepted, place.packages, after(2)),
        lambda session: taking.taking(session, eve, place.accepted, after(2)),
        lambda session: attempts.submit(session, eve, attempt.public_id, RIGHT, after(2)),
    ):
        with write_session(place.engine) as session, pytest.raises(NotFound):
            act(session)


def test_errors_say_what_to_do() -> None:
    assert issubclass(InvitationEnded, UserError)
    assert "sign in" in InvitationEnded().message
