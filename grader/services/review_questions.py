"""The follow-up questions of a review's page, each beside the answer, the question that was answered and the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec
from grader.services.earlier_package import PointsGiven, Version, as_given, earlier_wording, is_of
from grader.store.models import FollowUpAnswer


@dataclass(frozen=True)
class QuestionShown:
    """A follow-up question beside the candidate's answer, with the points that were found in it."""

    id: str
    level: str
    question: str
    expected: str
    rubric: tuple[str, ...]
    answer: FollowUpAnswer | None
    asked: str | None  # the question that was answered, where it read differently
    given: frozenset[int]  # positions in the rubric, of the own review's points as far as the rubric has them


def questions_shown(
    problem: Problem, versions: Sequence[Version], answers: Mapping[str, FollowUpAnswer], own: PointsGiven | None
) -> tuple[QuestionShown, ...]:
    """Return a problem's questions with their answers.

    Args:
        problem: the attempt's, as it is judged by now.
        versions: of its package that the attempt has had, the one of now first.
        answers: by the question's id.
        own: the points of the reader's own review.
    """
    own_answers = {key: answer for key, answer in answers.items() if is_of(problem, answer)}
    return tuple(_question(spec, own_answers.get(spec.id), versions, own) for spec in problem.interview.follow_ups)


def _question(
    spec: FollowUpSpec, answer: FollowUpAnswer | None, versions: Sequence[Version], own: PointsGiven | None
) -> QuestionShown:
    points = own.points if own else ()
    return QuestionShown(
        id=spec.id,
        level=spec.level,
        question=spec.question,
        expected=spec.expected_answer,
        rubric=tuple(spec.rubric),
        answer=answer,
        asked=earlier_wording(spec, as_given(versions, answer)) if answer else None,
        given=frozenset(position for position, sentence in enumerate(spec.rubric) if (spec.id, sentence) in points),
    )
