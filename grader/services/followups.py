"""Follow-up questions: open once the attempt is over, each expected answer only after the candidate's own."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.attention.changes import Changes
from grader.attention.fault_changes import FAULT_CHANGES
from grader.errors import NotFound, UserError
from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec, MultipleChoiceSpec, WrongAnswerSpec
from grader.services import audit
from grader.services.attempts import AttemptClosed
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, FollowUpAnswer, User

ANSWER_MIN: Final = 20  # characters
ANSWER_MAX: Final = 10_000
NO_QUESTION: Final = "There is no such question; the follow-ups page shows all there are."
RATINGS: Final[Mapping[int, str]] = {1: "missed it", 2: "in part", 3: "had it"}


@dataclass(frozen=True)
class Behaved:
    """A submission of the attempt, by its number, and a fault that it behaved like."""

    ordinal: int
    fault: str


@dataclass(frozen=True)
class QuestionView:
    """A question; what is expected is None until the own answer is stored."""

    id: str
    level: str
    question: str
    because: Behaved | None  # of a fault that it is about, which puts it before the others
    own: str | None
    answered_at: datetime | None
    expected: str | None
    rubric: tuple[str, ...]
    rating: int | None  # the candidate's own, one of RATINGS


@dataclass(frozen=True)
class ChoiceView:
    """A multiple-choice question; the right choice and the solution are None until one is taken."""

    id: str
    question: str
    choices: tuple[str, ...]
    taken: int | None
    correct: int | None
    hint: str
    solution: str | None


@dataclass(frozen=True)
class Answers:
    """What opens with the questions."""

    starter: str
    short: str
    full: str
    corrected_source: str
    why_old_tests_passed: str
    wrong_answers: tuple[WrongAnswerSpec, ...]
    lessons: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class FollowUps:
    """Everything that the follow-ups page of an attempt may show."""

    questions: tuple[QuestionView, ...]
    choices: tuple[ChoiceView, ...]
    answers: Answers
    in_lesson: tuple[tuple[str, Changes], ...]  # faults of the attempt, and the changes of the lesson that show them

    @property
    def answered(self) -> int:
        """How many of the open questions have an own answer."""
        return sum(question.own is not None for question in self.questions)

    @property
    def next_open(self) -> str | None:
        """The first question without an own answer."""
        return next((question.id for question in self.questions if question.own is None), None)


def follow_ups(session: Session, attempt: Attempt, problem: Problem) -> FollowUps | None:
    """Return an attempt's follow-ups; None while it is neither solved nor given up."""
    if not attempt.is_over:
        return None
    own = queries.answers_in(session, attempt)
    behaved = [Behaved(ordinal, fault) for ordinal, fault in queries.faults_in(session, attempt)]
    interview = problem.interview
    questions = [_question(question, own.get(question.id), behaved) for question in interview.follow_ups]
    faults = dict.fromkeys([*(one.fault for one in behaved), *problem.spec.variants[attempt.variant].planted])
    return FollowUps(
        questions=tuple(sorted(questions, key=lambda question: question.because is None)),
        choices=tuple(_choice(question, own.get(question.id)) for question in interview.multiple_choice),
        answers=_answers(problem, attempt.variant),
        in_lesson=tuple((fault, FAULT_CHANGES[fault]) for fault in faults if fault in FAULT_CHANGES),
    )


def _answers(problem: Problem, variant: str) -> Answers:
    interview = problem.interview
    return Answers(
        starter=problem.starter(variant),
        short=interview.short_answer,
        full=interview.full_answer,
        corrected_source=problem.files.text(interview.corrected_source),
        why_old_tests_passed=interview.why_old_tests_passed,
        wrong_answers=tuple(interview.wrong_answers),
        lessons=tuple(interview.lessons),
        sources=tuple(interview.sources),
    )


def answer(
    session: Session, candidate: User, public_id: str, question: str, text: str, packages: Packages, now: datetime
) -> None:
    """Store the candidate's own answer, for good: text for a question, the number of a choice for a multiple choice.

    Raises:
        NotFound: there is no such attempt of this candidate, or no such question.
        AttemptClosed: the questions are not open yet, or this one is answered.
        UserError: the answer is too short, too long, or no choice.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if not attempt.is_over:
        raise AttemptClosed("The follow-up questions open when the attempt is solved or given up.")
    if question in queries.answers_in(session, attempt):
        raise AttemptClosed("This question is answered, and an answer stays as it is once the expected one is open.")
    interview = packages.pinned(session, attempt.package).interview
    if question in {item.id for item in interview.follow_ups}:
        text = _own_text(text)
    elif choices := {item.id: len(item.choices) for item in interview.multiple_choice}.get(question):
        text = _own_choice(text, choices)
    else:
        raise NotFound(NO_QUESTION)
    session.add(FollowUpAnswer(attempt_id=attempt.id, question_id=question, text=text, created_at=now))
    audit.record(session, candidate, "attempt.answer", attempt, now, question=question)


def rate(
    session: Session, candidate: User, public_id: str, question: str, rating: str, packages: Packages, now: datetime
) -> None:
    """Keep how near the candidate finds the own answer to the expected one; it may be changed at any time.

    Raises:
        NotFound: there is no such attempt of this candidate, or no such question.
        AttemptClosed: the question has no own answer yet.
        UserError: there is no such rating.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    if question not in {item.id for item in packages.pinned(session, attempt.package).interview.follow_ups}:
        raise NotFound(NO_QUESTION)
    answered = queries.answers_in(session, attempt).get(question)
    if answered is None:
        raise AttemptClosed("Answer this question first; then rate your answer beside the expected one.")
    if rating not in {str(number) for number in RATINGS}:
        raise UserError(f"Rate your answer with one of: {', '.join(RATINGS.values())}.")
    answered.rating, answered.rated_at = int(rating), now
    audit.record(session, candidate, "attempt.rate", attempt, now, question=question, rating=int(rating))


def _own_text(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\0", "\u2400").strip()
    if sum(unicodedata.category(character)[0] in "LNPS" for character in text) < ANSWER_MIN:  # what can be seen
        raise UserError(
            f"Answer in your own words first, with {ANSWER_MIN} characters or more; then the expected answer opens."
        )
    if len(text) > ANSWER_MAX:
        raise UserError(f"The answer has {len(text)} characters; shorten it to {ANSWER_MAX}.")
    return text


def _own_choice(text: str, choices: int) -> str:
    if text not in {str(number) for number in range(choices)}:
        raise UserError("Take one of the choices first.")
    return text


def _question(question: FollowUpSpec, answered: FollowUpAnswer | None, behaved: Sequence[Behaved]) -> QuestionView:
    return QuestionView(
        id=question.id,
        level=question.level,
        question=question.question,
        because=next((one for one in behaved if one.fault in question.unlocked_by), None),
        own=answered.text if answered else None,
        answered_at=answered.created_at if answered else None,
        expected=question.expected_answer if answered else None,
        rubric=tuple(question.rubric) if answered else (),
        rating=answered.rating if answered else None,
    )


def _choice(question: MultipleChoiceSpec, answered: FollowUpAnswer | None) -> ChoiceView:
    return ChoiceView(
        id=question.id,
        question=question.question,
        choices=tuple(question.choices),
        taken=int(answered.text) if answered else None,
        correct=question.correct if answered else None,
        hint=question.hint,
        solution=question.solution if answered else None,
    )
