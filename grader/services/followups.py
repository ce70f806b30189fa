"""Follow-up questions: open once the attempt is over, each expected answer only after the candidate's own.

In an interview the questions open with the end of the candidate's time, where something was handed in; what is expected
opens as the interview was set up, and then after the own answer as well.
"""

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
from grader.problems.schema import FollowUpSpec, InterviewSpec, MultipleChoiceSpec, WrongAnswerSpec
from grader.services import audit, feedback
from grader.services.attempts import AttemptClosed
from grader.services.earlier_package import EarlierAnswer, earlier_answers, versions_had
from grader.services.feedback import Feedback
from grader.services.hints import FAULT
from grader.services.packages import Packages
from grader.services.question_views import (
    Behaved,
    ChoiceView,
    Own,
    QuestionView,
    choice_view,
    digest_of,
    question_view,
)
from grader.store import queries
from grader.store.models import Attempt, FollowUpAnswer, User
from grader.wording import counted

ANSWER_MIN: Final = 20  # characters
ANSWER_MAX: Final = 10_000
NO_QUESTION: Final = "There is no such question; the follow-ups page shows all there are."
_CLOSED: Final = "The follow-up questions open when the attempt is solved or given up."
_CLOSED_IN_INTERVIEW: Final = (
    "The follow-up questions open when your time in the interview is over, where you handed something in."
)
RATINGS: Final[Mapping[int, str]] = {1: "missed it", 2: "in part", 3: "had it"}


class Reworded(UserError):
    """The question is put differently since its page was opened."""

    status = 409


@dataclass(frozen=True)
class Answers:
    """What opens with the questions in practice, and later in an interview."""

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
    earlier: tuple[EarlierAnswer, ...]  # to questions that are not asked any more
    answers: Answers | None  # None: not open
    in_lesson: tuple[tuple[str, Changes], ...]  # faults of the attempt, and the changes of the lesson that show them

    @property
    def answered(self) -> int:
        """How many of the open questions have an own answer."""
        return sum(question.own is not None for question in self.questions)

    @property
    def next_open(self) -> str | None:
        """The first question without an own answer."""
        return next((one.id for one in self.questions if one.own is None and not one.is_blocked), None)


def follow_ups(session: Session, attempt: Attempt, packages: Packages, shown: Feedback) -> FollowUps | None:
    """Return an attempt's follow-ups as its candidate may see them; None while they are closed."""
    if not _are_open(session, attempt, shown):
        return None
    problem, stored = packages.pinned(session, attempt.package), queries.answers_in(session, attempt)
    versions = versions_had(session, attempt, packages) if stored else ()
    # which faults there were is a part of the finding, which may stay closed where answers open
    told = queries.faults_in(session, attempt) if shown.hint_level >= FAULT else []
    behaved = [Behaved(ordinal, fault) for ordinal, fault in told]
    interview = problem.interview
    own = Own(problem, versions, stored)
    questions = [question_view(question, own, behaved, shown) for question in interview.follow_ups]
    earlier = earlier_answers(versions, stored)
    return FollowUps(
        questions=tuple(sorted(questions, key=lambda question: question.because is None)),
        choices=tuple(choice_view(question, own, shown) for question in interview.multiple_choice),
        earlier=tuple(answer for answer in earlier if not answer.is_asked),  # a gone choice is told in its place
        answers=_answers(problem, attempt.variant) if shown.answers else None,
        in_lesson=_in_lesson(problem, attempt.variant, behaved) if shown.answers else (),
    )


def _are_open(session: Session, attempt: Attempt, shown: Feedback) -> bool:
    return shown.questions and (shown.is_practice or queries.last_ordinal(session, attempt) > 0)


def _in_lesson(problem: Problem, variant: str, behaved: Sequence[Behaved]) -> tuple[tuple[str, Changes], ...]:
    faults = dict.fromkeys([*(one.fault for one in behaved), *problem.spec.variants[variant].planted])
    return tuple((fault, FAULT_CHANGES[fault]) for fault in faults if fault in FAULT_CHANGES)


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
    session: Session,
    candidate: User,
    public_id: str,
    question: str,
    text: str,
    packages: Packages,
    now: datetime,
    *,
    digest: str | None = None,
) -> None:
    """Store the candidate's own answer, for good: text for a question, the number of a choice for a multiple choice.

    Args:
        session: stores it.
        candidate: whose attempt it is.
        public_id: the attempt's.
        question: the question's id.
        text: the answer.
        packages: knows the questions.
        now: the time.
        digest: of the question as the candidate has read it; None: they do not say.

    Raises:
        NotFound: there is no such attempt of this candidate, or no such question.
        AttemptClosed: the questions are not open yet, or this one is answered.
        Reworded: the question or its choices read differently by now.
        UserError: the answer is too short, too long, or no choice.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    shown = feedback.of(session, attempt, now)
    if not _are_open(session, attempt, shown):
        raise AttemptClosed(_CLOSED if attempt.invitation_id is None else _CLOSED_IN_INTERVIEW)
    if question in queries.answers_in(session, attempt):
        raise AttemptClosed("This question is answered, and an answer stays as it is once it is fixed.")
    asked = _asked(packages.pinned(session, attempt.package).interview, question, digest)
    stored = FollowUpAnswer(attempt_id=attempt.id, question_id=question, question=asked.question, created_at=now)
    stored.text, stored.choice = _answered(asked, text, shown)
    session.add(stored)
    audit.record(session, candidate, "attempt.answer", attempt, now, attempt.interview, question=question)


def _asked(interview: InterviewSpec, question: str, digest: str | None) -> FollowUpSpec | MultipleChoiceSpec:
    """Return the question of an id, which must read as it did for who answers it."""
    questions: list[FollowUpSpec | MultipleChoiceSpec] = [*interview.follow_ups, *interview.multiple_choice]
    asked = next((one for one in questions if one.id == question), None)
    if asked is None:
        raise NotFound(NO_QUESTION)
    if digest is not None and digest != digest_of(asked):
        raise Reworded("This question was reworded after the page was opened: read it again, then fix your answer.")
    return asked


def _answered(asked: FollowUpSpec | MultipleChoiceSpec, text: str, shown: Feedback) -> tuple[str, str | None]:
    """Return an answer as it is stored, and what the choice that it is says."""
    if isinstance(asked, MultipleChoiceSpec):
        number = _own_choice(text, len(asked.choices))
        return number, asked.choices[int(number)]
    return _own_text(text, shown), None


def rate(
    session: Session, candidate: User, public_id: str, question: str, rating: str, packages: Packages, now: datetime
) -> None:
    """Keep how near the candidate finds the own answer to the expected one; it may be changed at any time.

    Raises:
        NotFound: there is no such attempt of this candidate, or no such question.
        AttemptClosed: the expected answers are not open, or the question has no own answer yet.
        UserError: there is no such rating.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    shown = feedback.of(session, attempt, now)
    if (
        not _are_open(session, attempt, shown) or not shown.answers
    ):  # nor is which questions there are, so this is first
        raise AttemptClosed("An answer is rated beside the expected one, which is not open.")
    if question not in {item.id for item in packages.pinned(session, attempt.package).interview.follow_ups}:
        raise NotFound(NO_QUESTION)
    answered = queries.answers_in(session, attempt).get(question)
    if answered is None:
        raise AttemptClosed("Answer this question first; then rate your answer beside the expected one.")
    if rating not in {str(number) for number in RATINGS}:
        raise UserError(f"Rate your answer with one of: {', '.join(RATINGS.values())}.")
    answered.rating, answered.rated_at = int(rating), now
    interview, number = attempt.interview, int(rating)
    audit.record(session, candidate, "attempt.rate", attempt, now, interview, question=question, rating=number)


def _own_text(text: str, shown: Feedback) -> str:
    text = text.replace("\r\n", "\n").replace("\0", "\u2400").strip()
    if sum(unicodedata.category(character)[0] in "LNPS" for character in text) < ANSWER_MIN:  # what can be seen
        then = "first, with {}; then the expected answer opens." if shown.answers else "with {}; then it can be fixed."
        raise UserError(f"Answer in your own words {then.format(f'{ANSWER_MIN} characters or more')}")
    if len(text) > ANSWER_MAX:
        raise UserError(f"The answer has {counted(len(text), 'character')}; shorten it to {ANSWER_MAX}.")
    return text


def _own_choice(text: str, choices: int) -> str:
    if text not in {str(number) for number in range(choices)}:
        raise UserError("Take one of the choices first.")
    return text
