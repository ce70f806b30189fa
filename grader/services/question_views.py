"""A follow-up question as an attempt's candidate may see it, beside what they answered and to which words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec, MultipleChoiceSpec
from grader.services.earlier_package import Version, as_given, earlier_wording, is_of, place_of
from grader.services.feedback import Feedback
from grader.store.models import FollowUpAnswer


@dataclass(frozen=True)
class Behaved:
    """A submission of the attempt, by its number, and a fault that it behaved like."""

    ordinal: int
    fault: str


@dataclass(frozen=True)
class QuestionView:
    """A question; what is expected is None until the own answer is stored and answers are open."""

    id: str
    level: str
    question: str
    digest: str  # of the question as it is put here
    because: Behaved | None  # of a fault that it is about, which puts it before the others
    own: str | None
    asked: str | None  # the question that was answered, where it read differently
    is_blocked: bool  # whether an answer to another question of this id stands, beside which none is taken
    answered_at: datetime | None
    expected: str | None
    rubric: tuple[str, ...]
    rating: int | None  # the candidate's own, one of followups.RATINGS


@dataclass(frozen=True)
class ChoiceView:
    """A multiple-choice question; right choice and solution are None until one is taken and answers are open."""

    id: str
    question: str
    digest: str  # of question and choices as they are put here
    choices: tuple[str, ...]
    own: str | None  # what the choice that was taken says
    taken: int | None  # its place; None: none is taken, or it is not offered any more
    asked: str | None  # the question that was answered, where it read differently
    is_blocked: bool  # whether an answer to another question of this id stands, beside which none is taken
    correct: int | None
    hint: str | None  # None where answers may never open
    solution: str | None


@dataclass(frozen=True)
class Own:
    """What an attempt's candidate has answered, with the versions of the package that tell what was asked."""

    problem: Problem
    versions: Sequence[Version]
    stored: Mapping[str, FollowUpAnswer]  # by the question's id

    def answer_to(self, question: FollowUpSpec | MultipleChoiceSpec) -> FollowUpAnswer | None:
        """Return the answer to a question of the problem."""
        found = self.stored.get(question.id)
        return found if found is not None and is_of(self.problem, found) else None


def digest_of(question: FollowUpSpec | MultipleChoiceSpec) -> str:
    """Return what tells whether a question is put as it was, and the same choices in the same places."""
    choices = question.choices if isinstance(question, MultipleChoiceSpec) else []
    return hashlib.sha256(json.dumps([question.question, *choices]).encode()).hexdigest()[:16]


def question_view(question: FollowUpSpec, own: Own, behaved: Sequence[Behaved], shown: Feedback) -> QuestionView:
    """Return a question; faults that the attempt behaved like may put it before others."""
    answered = own.answer_to(question)
    is_expected = answered is not None and shown.answers
    return QuestionView(
        id=question.id,
        level=question.level,
        question=question.question,
        digest=digest_of(question),
        because=next((one for one in behaved if one.fault in question.unlocked_by), None),
        own=answered.text if answered else None,
        asked=earlier_wording(question, as_given(own.versions, answered)) if answered else None,
        is_blocked=answered is None and question.id in own.stored,
        answered_at=answered.created_at if answered else None,
        expected=question.expected_answer if is_expected else None,
        rubric=tuple(question.rubric) if is_expected else (),
        rating=answered.rating if answered else None,
    )


def choice_view(question: MultipleChoiceSpec, own: Own, shown: Feedback) -> ChoiceView:
    """Return a multiple-choice question."""
    answered = own.answer_to(question)
    given = as_given(own.versions, answered) if answered else None
    is_expected = given is not None and shown.answers
    return ChoiceView(
        id=question.id,
        question=question.question,
        digest=digest_of(question),
        choices=tuple(question.choices),
        own=given.text if given else None,
        taken=place_of(question, given.text) if given else None,
        asked=earlier_wording(question, given) if given else None,
        is_blocked=given is None and question.id in own.stored,
        correct=question.correct if is_expected else None,
        hint=question.hint if shown.answers else None,
        solution=question.solution if is_expected else None,
    )
