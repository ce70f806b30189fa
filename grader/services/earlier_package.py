"""What an attempt has from earlier versions of its package: answers to their questions, points of their rubrics.

Judging again gives an attempt another version. What was written before is told by the version that it was written on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec, MultipleChoiceSpec
from grader.services.packages import Packages
from grader.store.interview_models import Review
from grader.store.models import Attempt, FollowUpAnswer
from grader.store.rejudge_moves import moved_by

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Version:
    """A version of the package, and since when the attempt had it."""

    problem: Problem
    since: datetime


@dataclass(frozen=True)
class EarlierAnswer:
    """An answer to a question that the attempt's package does not have."""

    id: str
    level: str | None  # None: a multiple choice, or of no version that can be read
    question: str | None  # as it was put; None: no version that can be read has it
    text: str
    answered_at: datetime


@dataclass(frozen=True)
class PointsGiven:
    """The points of a review, by the rubric that they were given on."""

    points: tuple[tuple[str, str], ...]  # each a question's id and the rubric's sentence
    offered: int
    is_earlier: bool  # whether the package has another rubric by now


def versions_had(session: Session, attempt: Attempt, packages: Packages) -> tuple[Version, ...]:
    """Return the versions that an attempt has had, as far as they can be read, the one of now first."""
    changes = []
    for rejudge in moved_by(session, attempt):
        changes.append((rejudge.applied_at, rejudge.from_package, rejudge.to_package))
        changes.append((rejudge.undone_at, rejudge.to_package, rejudge.from_package))
    found, package = [], attempt.package
    known = [(at, before, after) for at, before, after in changes if at is not None and at > attempt.started_at]
    for at, before, after in sorted(known, key=lambda change: change[0], reverse=True):
        if after.id == package.id:
            found.append((package, at))
            package = before
    versions = []
    for each, since in [*found, (package, attempt.started_at)]:
        try:
            versions.append(Version(packages.pinned(session, each), since))
        except InvalidPackage as error:
            log.error("an earlier version is left out: %s", error.message)
    return tuple(versions)


def by_time(versions: Sequence[Version], at: datetime) -> Sequence[Version]:
    """Return versions with the one first that the attempt had at a time."""
    then = next((version for version in versions if version.since <= at), versions[-1])
    return [then, *(version for version in versions if version is not then)]


def is_of(problem: Problem, answer: FollowUpAnswer) -> bool:
    """Whether a problem has the question that was answered."""
    return _question_of(problem, answer) is not None


def _question_of(problem: Problem, answer: FollowUpAnswer) -> FollowUpSpec | MultipleChoiceSpec | None:
    """Return an answer's question; a choice is stored as its number, and own words are longer than that."""
    questions: Iterable[FollowUpSpec | MultipleChoiceSpec] = problem.interview.follow_ups
    if answer.is_choice:
        questions = (one for one in problem.interview.multiple_choice if int(answer.text) < len(one.choices))
    return next((one for one in questions if one.id == answer.question_id), None)


def earlier_answers(versions: Sequence[Version], answers: Mapping[str, FollowUpAnswer]) -> tuple[EarlierAnswer, ...]:
    """Return the answers to questions that the newest version does not have, in the order in which they were given."""
    left = [answer for answer in answers.values() if not is_of(versions[0].problem, answer)]
    return tuple(_earlier(versions, answer) for answer in sorted(left, key=lambda answer: answer.created_at))


def _earlier(versions: Sequence[Version], answer: FollowUpAnswer) -> EarlierAnswer:
    asked = (_question_of(version.problem, answer) for version in by_time(versions, answer.created_at))
    question = next((one for one in asked if one is not None), None)
    text, level = answer.text, None
    if isinstance(question, MultipleChoiceSpec):
        text = question.choices[int(answer.text)]
    elif question is not None:
        level = question.level
    return EarlierAnswer(answer.question_id, level, question.question if question else None, text, answer.created_at)


def points_given(versions: Sequence[Version], review: Review) -> PointsGiven:
    """Return a review's points as sentences of the rubric that it was written on."""
    chosen = {(point.question_id, point.position) for point in review.points}
    rubrics = [rubric_of(version.problem) for version in by_time(versions, review.updated_at)]
    # a rejudge takes a while to move every attempt, so the time alone may name the version beside
    rubric = next((one for one in rubrics if chosen <= one.keys()), rubrics[0])
    points = tuple((point[0], sentence) for point, sentence in rubric.items() if point in chosen)
    return PointsGiven(points, len(rubric), rubric != rubric_of(versions[0].problem))


def rubric_of(problem: Problem) -> dict[tuple[str, int], str]:
    """Return every point that the follow-ups of a problem have, by question and position."""
    return {
        (question.id, position): sentence
        for question in problem.interview.follow_ups
        for position, sentence in enumerate(question.rubric)
    }
