"""What the progress page knows: attempts, faults that may be told, stages, answers, diagnoses; in few queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import Engine, event, update

from grader.grading.verdict import Finding, Verdict
from grader.services import attempts, diagnoses, followups, progress
from grader.services.judged_rows import write_result
from grader.services.mastery import Suggestion
from grader.services.packages import Packages
from grader.services.progress import Overview
from grader.store.base import Mode
from grader.store.models import Attempt, FollowUpAnswer, Submission, SubmissionFault, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import SLUG

OWN = "I think that it multiplies by three."


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


def overview(engine: Engine, packages: Packages, user: User) -> Overview:
    with read_session(engine) as session:
        return progress.overview(session, user, packages, NOON)


def judged(
    engine: Engine, user: User, attempt: Attempt, verdict: Verdict, minutes: float = 1, fault: str = "thrice"
) -> None:
    submission = make_submission(engine, user, attempt, minutes=minutes)
    is_wrong = verdict is Verdict.WA
    finding = Finding("…", first_wrong_stage="output" if is_wrong else None, faults=(fault,) if is_wrong else ())
    assert write_result(engine, submission.id, replace(make_judgement(verdict), finding=finding), after(minutes))


def give_up(engine: Engine, user: User, attempt: Attempt, minutes: float) -> None:
    with write_session(engine) as session:
        attempts.give_up(session, user, attempt.public_id, after(minutes))


def answer(engine: Engine, packages: Packages, user: User, attempt: Attempt, question: str, text: str) -> None:
    with write_session(engine) as session:
        followups.answer(session, user, attempt.public_id, question, text, packages, NOON)


def test_who_has_not_started_is_led_to_the_easiest_problem(engine: Engine, packages: Packages, ada: User) -> None:
    found = overview(engine, packages, ada)
    assert (found.attempts, found.problems, found.faults, found.stages) == ((), (), (), ())
    assert found.suggestion == Suggestion("next", SLUG)


def test_attempts_and_problems(engine: Engine, packages: Packages, ada: User) -> None:
    first = make_attempt(engine, packages, ada)
    judged(engine, ada, first, Verdict.WA)
    give_up(engine, ada, first, 7)
    second = make_attempt(engine, packages, ada)
    judged(engine, ada, second, Verdict.WA, 2)
    judged(engine, ada, second, Verdict.AC, 12.5)
    other = make_attempt(engine, packages, ada, "other")
    found = overview(engine, packages, ada)
    assert [(a.public_id, a.variant, a.status, a.points, a.submissions, a.minutes) for a in found.attempts] == [
        (other.public_id, "other", "in progress", None, 0, None),
        (second.public_id, "only", "solved", 100.0, 2, 12.5),
        (first.public_id, "only", "given up", 40.0, 1, 7.0),
    ]
    (row,) = found.problems
    assert (row.slug, row.status, row.points, row.attempts, row.submissions, row.minutes) == (
        SLUG,
        "solved",
        100.0,
        3,
        3,
        12.5,
    )


def test_points_are_less_by_hints(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.WA)
    with write_session(engine) as session:
        session.execute(update(Attempt).values(hint_cost=15.0))
    found = overview(engine, packages, ada)
    assert (found.attempts[0].points, found.problems[0].points) == (25.0, 25.0)


def test_a_fault_is_told_once_the_attempt_is_over_or_a_hint_has_told_it(
    engine: Engine, packages: Packages, ada: User
) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.WA)
    told = []
    for level in (1, 2, 3):
        with write_session(engine) as session:
            session.execute(update(Attempt).values(hint_level=level))
        told.append([fault.fault for fault in overview(engine, packages, ada).faults])
    with write_session(engine) as session:
        session.execute(update(Attempt).values(hint_level=1))
    give_up(engine, ada, attempt, 7)
    told.append([fault.fault for fault in overview(engine, packages, ada).faults])
    assert told == [[], [], ["thrice"], ["thrice"]]


def test_a_fault_under_way_changes_no_suggestion(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.WA)
    assert overview(engine, packages, ada).suggestion == Suggestion("next", SLUG)
    give_up(engine, ada, attempt, 7)
    assert overview(engine, packages, ada).suggestion == Suggestion("fault", SLUG)


def test_a_fault_is_made_and_mastered(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.WA, 1)
    judged(engine, ada, attempt, Verdict.WA, 2)
    judged(engine, ada, attempt, Verdict.AC, 3)
    (fault,) = overview(engine, packages, ada).faults
    assert (fault.fault, fault.times, fault.titles) == ("thrice", 2, ("Twice as much",))
    assert (fault.last_at, fault.mastered_at) == (after(2), after(3))


def test_what_is_tried_out_after_solving_is_no_fault(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.AC, 3)
    judged(engine, ada, attempt, Verdict.WA, 4)
    found = overview(engine, packages, ada)
    assert (found.faults, found.stages) == ((), ())


def test_stages_are_counted_over_all_attempts(engine: Engine, packages: Packages, ada: User) -> None:
    for variant in ("only", "other"):
        attempt = make_attempt(engine, packages, ada, variant)
        judged(engine, ada, attempt, Verdict.WA, 1)
        judged(engine, ada, attempt, Verdict.WA, 2)
    assert overview(engine, packages, ada).stages == (("output", 4),)


def test_answers_ratings_and_choices(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    assert overview(engine, packages, ada).answered.questions == 0
    give_up(engine, ada, attempt, 7)
    answer(engine, packages, ada, attempt, "first", OWN)
    answer(engine, packages, ada, attempt, "pick", "1")
    with write_session(engine) as session:
        followups.rate(session, ada, attempt.public_id, "first", "2", packages, NOON)
    answered = overview(engine, packages, ada).answered
    assert (answered.questions, answered.answered, dict(answered.ratings)) == (2, 1, {2: 1})
    assert (answered.choices, answered.taken, answered.right) == (1, 1, 0)
    assert [(left.slug, left.public_id, left.count) for left in answered.open] == [(SLUG, attempt.public_id, 1)]


def test_a_question_counts_once_over_all_attempts(engine: Engine, packages: Packages, ada: User) -> None:
    made = []
    for question in ("first", "second"):
        attempt = make_attempt(engine, packages, ada)
        give_up(engine, ada, attempt, 7)
        answer(engine, packages, ada, attempt, question, OWN)
        made.append(attempt)
    answered = overview(engine, packages, ada).answered
    assert (answered.questions, answered.answered, answered.open) == (2, 2, ())


def test_all_solved_leads_to_the_open_questions_and_then_nowhere(engine: Engine, packages: Packages, ada: User) -> None:
    attempt = make_attempt(engine, packages, ada)
    judged(engine, ada, attempt, Verdict.AC)
    assert overview(engine, packages, ada).suggestion == Suggestion("follow_ups", SLUG)
    for question in ("first", "second"):
        answer(engine, packages, ada, attempt, question, OWN)
    assert overview(engine, packages, ada).suggestion is None


def test_diagnoses_count_when_the_attempt_is_over(engine: Engine, packages: Packages, ada: User) -> None:
    for variant, stage in (("only", "output"), ("other", diagnoses.UNKNOWN)):
        attempt = make_attempt(engine, packages, ada, variant)
        with write_session(engine) as session:
            diagnoses.diagnose(session, ada, attempt.public_id, stage, packages, NOON)
        assert overview(engine, packages, ada).diagnoses.given == (0 if variant == "only" else 1)
        give_up(engine, ada, attempt, 7)
    found = overview(engine, packages, ada).diagnoses
    assert (found.given, found.right, found.one_of, found.unknown) == (2, 1, 0, 1)


def test_interviews_and_other_users_do_not_count(engine: Engine, packages: Packages, ada: User) -> None:
    eve = make_candidate(engine)
    for user in (eve, ada):
        attempt = make_attempt(engine, packages, user)
        judged(engine, user, attempt, Verdict.WA)
        give_up(engine, user, attempt, 7)
        answer(engine, packages, user, attempt, "first", OWN)
    with write_session(engine) as session:
        session.execute(update(Attempt).where(Attempt.candidate_id == ada.id).values(mode=Mode.INTERVIEW))
    found = overview(engine, packages, ada)
    assert (found.attempts, found.faults, found.stages, found.answered.questions) == ((), (), (), 0)
    assert len(overview(engine, packages, eve).faults) == 1


def test_of_a_problem_that_an_interview_closes_status_and_points_are_left(
    engine: Engine, packages: Packages, ada: User
) -> None:
    attempt = make_attempt(engine, packages, ada)
    with write_session(engine) as session:
        diagnoses.diagnose(session, ada, attempt.public_id, "output", packages, NOON)
    judged(engine, ada, attempt, Verdict.WA)
    give_up(engine, ada, attempt, 7)
    answer(engine, packages, ada, attempt, "pick", "1")
    before = overview(engine, packages, ada)
    lead = make_interviewer(engine, "Lena")
    (invited,) = make_invitations(engine, lead, make_interview(engine, packages, lead), "Ada L.")
    begin(engine, invited.token, ada, NOON)
    found = overview(engine, packages, ada)
    assert found.problems == before.problems
    assert (found.faults, found.stages, found.diagnoses.given, found.suggestion) == ((), (), 0, None)
    assert (found.answered.questions, found.answered.choices, found.answered.open) == (0, 0, ())
    assert (before.is_without_some, found.is_without_some) == (False, True)


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """Collect what is asked of the database."""
    asked: list[str] = []

    def listen(connection: object, cursor: object, statement: str, *rest: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", listen)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", listen)


def test_two_hundred_attempts_take_as_many_queries_as_one(engine: Engine, packages: Packages, ada: User) -> None:
    counts = []
    for number in (1, 199):
        with write_session(engine) as session:
            package = packages.remember(session, packages.named(SLUG), NOON)
            for _ in range(number):
                attempt = Attempt(
                    candidate_id=ada.id,
                    package_id=package.id,
                    variant="only",
                    mode=Mode.PRACTICE,
                    started_at=NOON,
                    given_up_at=after(5),
                )
                submission = Submission(
                    attempt=attempt,
                    ordinal=1,
                    source=b"",
                    created_at=after(1),
                    first_wrong_stage="output",
                    faults=[SubmissionFault(position=0, fault="thrice", sentence="")],
                )
                session.add(submission)
                session.flush()
                session.add(FollowUpAnswer(attempt_id=attempt.id, question_id="first", text=OWN, created_at=NOON))
        with statements(engine) as asked:
            found = overview(engine, packages, ada)
        counts.append(len([statement for statement in asked if statement.startswith("SELECT")]))
    assert len(found.attempts) == 200
    assert (found.stages, found.faults[0].times, found.answered.answered) == ((("output", 200),), 200, 1)
    assert counts == [5, 5]
