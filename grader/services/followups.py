"""Follow-up questions: open once the attempt is over, each expected answer only after the candidate's own."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec, MultipleChoiceSpec, WrongAnswerSpec
from grader.services.attempts import AttemptClosed
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, FollowUpAnswer, User

ANSWER_MIN: Final = 20  # characters
ANSWER_MAX: Final = 10_000


@dataclass(frozen=True)
class QuestionView:
    """A question; what is expected is None until the own answer is stored."""

    id: str
    level: str
    question: str
    chosen: bool  # because a submission of this attempt had a fault that it is about
    own: str | None
    answered_at: datetime | None
    expected: str | None
    rubric: tuple[str, ...]


@dataclass(frozen=True)
class ChoiceView:
    """A multiple-choice question; the right choice, hint and solution are None until one is taken."""

    id: str
    question: str
    choices: tuple[str, ...]
    taken: int | None
    correct: int | None
    hint: str | None
    solution: str | None


@dataclass(frozen=True)
class Answers:
    """What opens with the questions."""

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

    @property
    def answered(self) -> int:
        """How many of the open questions have an own answer."""
        return sum(question.own is not None for question in self.questions)


def follow_ups(session: Session, attempt: Attempt, problem: Problem) -> FollowUps | None:
    """Return an attempt's follow-ups; None while it is neither solved nor given up."""
    if not attempt.is_over:
        return None
    own, faults = queries.answers_in(session, attempt), _faults(queries.judgements_in(session, attempt))
    interview = problem.interview
    questions = [_question(question, own, faults) for question in interview.follow_ups]
    return FollowUps(
        questions=tuple(sorted(questions, key=lambda question: not question.chosen)),
        choices=tuple(_choice(question, own) for question in interview.multiple_choice),
        answers=Answers(
            short=interview.short_answer,
            full=interview.full_answer,
            corrected_source=problem.files.text(interview.corrected_source),
            why_old_tests_passed=interview.why_old_tests_passed,
            wrong_answers=tuple(interview.wrong_answers),
            lessons=tuple(interview.lessons),
            sources=tuple(interview.sources),
        ),
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
        raise NotFound("There is no such question; the follow-ups page shows all there are.")
    session.add(FollowUpAnswer(attempt_id=attempt.id, question_id=question, text=text, created_at=now))
    session.flush()


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


def _question(question: FollowUpSpec, own: Mapping[str, FollowUpAnswer], faults: set[str]) -> QuestionView:
    answered = own.get(question.id)
    return QuestionView(
        id=question.id,
        level=question.level,
        question=question.question,
        chosen=not faults.isdisjoint(question.unlocked_by),
        own=answered.text if answered else None,
        answered_at=answered.created_at if answered else None,
        expected=question.expected_answer if answered else None,
        rubric=tuple(question.rubric) if answered else (),
    )


def _choice(question: MultipleChoiceSpec, own: Mapping[str, FollowUpAnswer]) -> ChoiceView:
    answered = own.get(question.id)
    return ChoiceView(
        id=question.id,
        question=question.question,
        choices=tuple(question.choices),
        taken=int(answered.text) if answered else None,
        correct=question.correct if answered else None,
        hint=question.hint if answered else None,
        solution=question.solution if answered else None,
    )


def _faults(judgements: Iterable[str]) -> set[str]:
    """Return every fault that a submission of the attempt behaved like."""
    return {fault for text in judgements for fault in json.loads(text)["finding"]["faults"]}
