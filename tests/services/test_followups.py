"""The gates of the follow-up questions."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.services import attempts, feedback, followups
from grader.services.attempts import AttemptClosed
from grader.services.followups import FollowUps
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.question_views import Behaved
from grader.store import queries
from grader.store.interview_models import Shown
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT

OWN = "I think that it multiplies by three."


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def give_up(engine: Engine, candidate: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        attempts.give_up(session, candidate, attempt.public_id, after(5))


def answer(engine: Engine, packages: Packages, candidate: User, attempt: Attempt, question: str, text: str) -> None:
    with write_session(engine) as session:
        followups.answer(session, candidate, attempt.public_id, question, text, packages, NOON)


def opened(engine: Engine, packages: Packages, candidate: User, attempt: Attempt) -> FollowUps | None:
    with read_session(engine) as session:
        row = queries.attempt_of(session, candidate, attempt.public_id)
        shown = feedback.of(session, row, after(10))
        return followups.follow_ups(session, row, packages, shown)


@pytest.mark.parametrize(("verdict", "is_open"), [(Verdict.WA, False), (Verdict.JE, False), (Verdict.AC, True)])
def test_solving_opens_the_questions(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, verdict: Verdict, is_open: bool
) -> None:
    write_result(engine, make_submission(engine, ada, attempt).id, make_judgement(verdict), NOON)
    assert (opened(engine, packages, ada, attempt) is not None) == is_open


def test_before_that_nothing_is_answered(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    with pytest.raises(AttemptClosed):
        answer(engine, packages, ada, attempt, "first", OWN)
    assert opened(engine, packages, ada, attempt) is None


def test_expected_answers_open_one_by_one(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    before = opened(engine, packages, ada, attempt)
    assert all(word in repr(before) for word in AFTER_THE_ATTEMPT)
    assert not any(word in repr(before) for word in AFTER_THE_ANSWER)
    answer(engine, packages, ada, attempt, "first", f"  {OWN}\r\nReally. ")
    after_one = opened(engine, packages, ada, attempt)
    assert after_one is not None
    assert after_one.answered == 1
    first, second = after_one.questions
    assert (first.own, first.expected, first.rubric) == (f"{OWN}\nReally.", "canary expected one", ("canary rubric",))
    assert (second.own, second.expected) == (None, None)


def test_an_answer_stays(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    answer(engine, packages, ada, attempt, "first", OWN)
    with pytest.raises(AttemptClosed):
        answer(engine, packages, ada, attempt, "first", OWN + " Or not.")
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    assert found.questions[0].own == OWN


@pytest.mark.parametrize("text", ["", "short", " " * 40, "a b c d e f g h i j", "x" * 10_001])
def test_an_answer_has_some_length(engine: Engine, packages: Packages, ada: User, attempt: Attempt, text: str) -> None:
    give_up(engine, ada, attempt)
    with pytest.raises(UserError):
        answer(engine, packages, ada, attempt, "first", text)


def test_a_hint_is_there_before_the_choice(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    choice = found.choices[0]
    assert (choice.taken, choice.correct, choice.hint, choice.solution) == (None, None, "canary hint", None)


def test_a_choice_opens_the_solution(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    for text in ("", "2", "-1", "0 ", "two"):
        with pytest.raises(UserError):
            answer(engine, packages, ada, attempt, "pick", text)
    answer(engine, packages, ada, attempt, "pick", "1")
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    choice = found.choices[0]
    assert (choice.taken, choice.correct, choice.hint, choice.solution) == (1, 0, "canary hint", "canary solution")


def test_unknown_questions_and_other_candidates_are_not_found(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    give_up(engine, ada, attempt)
    with pytest.raises(NotFound):
        answer(engine, packages, ada, attempt, "nosuch", OWN)
    with pytest.raises(NotFound):
        answer(engine, packages, make_candidate(engine, "Eve"), attempt, "first", OWN)


def test_questions_about_a_fault_of_the_attempt_come_first(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    write_result(engine, make_submission(engine, ada, attempt).id, make_judgement(Verdict.WA, ("thrice",)), NOON)
    give_up(engine, ada, attempt)
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    assert [(question.id, question.because) for question in found.questions] == [
        ("second", Behaved(1, "thrice")),
        ("first", None),
    ]


def rate(engine: Engine, packages: Packages, candidate: User, attempt: Attempt, question: str, rating: str) -> None:
    with write_session(engine) as session:
        followups.rate(session, candidate, attempt.public_id, question, rating, packages, NOON)


def test_a_rating_may_be_changed(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    answer(engine, packages, ada, attempt, "first", OWN)
    for rating in ("1", "3"):
        rate(engine, packages, ada, attempt, "first", rating)
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    assert [question.rating for question in found.questions] == [3, None]
    assert found.questions[0].own == OWN


@pytest.mark.parametrize("rating", ["", "0", "4", "-1", "1.0", "had it", "\u0661"])
def test_a_rating_is_one_of_three(engine: Engine, packages: Packages, ada: User, attempt: Attempt, rating: str) -> None:
    give_up(engine, ada, attempt)
    answer(engine, packages, ada, attempt, "first", OWN)
    with pytest.raises(UserError, match="missed it, in part, had it"):
        rate(engine, packages, ada, attempt, "first", rating)


def test_only_an_own_answer_is_rated(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    give_up(engine, ada, attempt)
    with pytest.raises(AttemptClosed, match="Answer this question first"):
        rate(engine, packages, ada, attempt, "first", "3")
    answer(engine, packages, ada, attempt, "first", OWN)
    answer(engine, packages, ada, attempt, "pick", "0")
    for question in ("pick", "nosuch"):
        with pytest.raises(NotFound):
            rate(engine, packages, ada, attempt, question, "3")
    with pytest.raises(NotFound):
        rate(engine, packages, make_candidate(engine, "Eve"), attempt, "first", "3")


def test_where_verdicts_stay_closed_no_question_tells_of_a_fault(engine: Engine, packages: Packages, ada: User) -> None:
    lead = make_interviewer(engine, "Lena")
    shown = {"verdicts": Shown.NEVER, "points": Shown.NEVER, "answers": Shown.AT_ONCE}
    (invited,) = make_invitations(
        engine, lead, make_interview(engine, packages, lead, closes_at=after(8), **shown), "Ada"
    )
    attempt = begin(engine, invited.token, ada, after(1), minutes=6)
    submission = make_submission(engine, ada, attempt, minutes=2)
    write_result(engine, submission.id, make_judgement(Verdict.WA, ("thrice",), "output"), after(3))
    found = opened(engine, packages, ada, attempt)
    assert found is not None
    assert found.answers is not None
    assert [(question.id, question.because) for question in found.questions] == [("first", None), ("second", None)]


MOMENTS: Final = {"while it runs": after(10), "over, and nothing was handed in": after(70)}


@pytest.mark.parametrize("now", MOMENTS.values(), ids=MOMENTS)
@pytest.mark.parametrize("act", ["answer", "rate"])
def test_closed_questions_are_not_found_out_by_asking_for_one(
    engine: Engine, packages: Packages, ada: User, act: str, now: datetime
) -> None:
    lead = make_interviewer(engine, "Lena")
    shown = {"verdicts": Shown.AT_ONCE, "points": Shown.AT_ONCE, "answers": Shown.AT_ONCE}
    interview = make_interview(engine, packages, lead, closes_at=after(65), **shown)
    (invited,) = make_invitations(engine, lead, interview, "Ada L.")
    attempt = begin(engine, invited.token, ada, after(1))
    do, text = (followups.answer, OWN) if act == "answer" else (followups.rate, "2")

    def told(question: str) -> str:
        with write_session(engine) as session, pytest.raises(AttemptClosed) as refused:
            do(session, ada, attempt.public_id, question, text, packages, now)
        return refused.value.message

    assert told("first") == told("pick") == told("nosuch")


def test_the_next_open_question_is_the_first_without_an_answer(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    give_up(engine, ada, attempt)
    following = []
    for question in ("first", "second"):
        answer(engine, packages, ada, attempt, question, OWN)
        found = opened(engine, packages, ada, attempt)
        assert found is not None
        following.append(found.next_open)
    assert following == ["second", None]
