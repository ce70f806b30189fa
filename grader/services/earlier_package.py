"""What an attempt has from earlier versions of its package: answers to their questions, points of their rubrics.

Judging again gives an attempt another version. What was written before is told by the version that it was written on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.problems.loader import Problem
from grader.problems.schema import FollowUpSpec, MultipleChoiceSpec
from grader.services.packages import Packages
from grader.store import queries
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
    """An answer as it was given, whatever the attempt's package asks by now."""

    id: str
    level: str | None  # None: a multiple choice, or of no version that can be read
    question: str | None  # as it was put; None: no version that can be read has it
    text: str  # own words, or what the choice says
    answered_at: datetime
    is_asked: bool  # whether the package of now has the question: then it has no such choice any more


@dataclass(frozen=True)
class PointsGiven:
    """The points of a review, by the rubric that they were given on."""

    points: tuple[tuple[str, str], ...]  # each a question's id and the rubric's sentence
    offered: int
    is_earlier: bool  # whether the package has another rubric by now


@dataclass(frozen=True)
class Ticked:
    """Points that a form had ticked in the rubric that it showed, each told by its sentence."""

    sentences: tuple[str, ...]
    places: tuple[str, ...]  # of those that the rubric of now has, as a form of now names them
    left: Mapping[str, str]  # sentences of the others, by the name under which a form of now goes on with them


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
    """Whether a problem has the question that was answered, in whatever words."""
    return any(question.id == answer.question_id for question in _of_its_kind(problem, answer))


def _of_its_kind(problem: Problem, answer: FollowUpAnswer) -> Sequence[FollowUpSpec | MultipleChoiceSpec]:
    return problem.interview.multiple_choice if answer.is_choice else problem.interview.follow_ups


def as_given(versions: Sequence[Version], answer: FollowUpAnswer) -> EarlierAnswer:
    """Return an answer as it was given.

    What is not stored with it is told by the version of its time: an earlier release stored a choice's number alone.
    """
    question = next(_questions_of(versions, answer), None)
    asked, text, level = answer.question, answer.choice, None
    if question is not None:
        asked = asked or question.question
    if isinstance(question, MultipleChoiceSpec):
        text = text or question.choices[int(answer.text)]
    elif question is not None:
        level = question.level
    is_asked = bool(versions) and is_of(versions[0].problem, answer)
    return EarlierAnswer(answer.question_id, level, asked, text or answer.text, answer.created_at, is_asked)


def answer_as_given(session: Session, attempt: Attempt, question: str, packages: Packages) -> str:
    """Return what an attempt's answer to a question said, which has one."""
    answer = queries.answers_in(session, attempt)[question]
    return as_given(versions_had(session, attempt, packages), answer).text


def _questions_of(versions: Sequence[Version], answer: FollowUpAnswer) -> Iterator[FollowUpSpec | MultipleChoiceSpec]:
    """Give what versions have for an answer's question, that of its time first; a number alone has to be a choice's."""
    for version in by_time(versions, answer.created_at) if versions else ():
        for question in _of_its_kind(version.problem, answer):
            choices = question.choices if isinstance(question, MultipleChoiceSpec) and answer.choice is None else None
            if question.id == answer.question_id and (choices is None or int(answer.text) < len(choices)):
                yield question


def earlier_wording(question: FollowUpSpec | MultipleChoiceSpec, given: EarlierAnswer) -> str | None:
    """Return the question that was answered where it reads differently by now; None: it does not, or is not known."""
    return None if given.question is None or is_same(given.question, question.question) else given.question


def place_of(question: MultipleChoiceSpec, taken: str) -> int | None:
    """Return where a choice that says what the one that was taken said stands by now, from 0; None where it is gone."""
    return next((place for place, choice in enumerate(question.choices) if is_same(choice, taken)), None)


def is_same(text: str, other: str) -> bool:
    """Whether two texts of packages say the same; how their lines are broken says nothing."""
    return text.split() == other.split()


def earlier_answers(versions: Sequence[Version], answers: Mapping[str, FollowUpAnswer]) -> tuple[EarlierAnswer, ...]:
    """Return the answers that have no place in the newest version, in the order in which they were given.

    It has no such question, or not the choice that was taken.
    """
    given = [as_given(versions, answer) for answer in sorted(answers.values(), key=lambda one: one.created_at)]
    choices = {question.id: question for question in versions[0].problem.interview.multiple_choice} if versions else {}
    return tuple(
        one
        for one in given
        if not one.is_asked
        or (answers[one.id].is_choice and one.id in choices and place_of(choices[one.id], one.text) is None)
    )


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


def ticked(versions: Sequence[Version], package: str, points: Sequence[str], left: Sequence[str] = ()) -> Ticked:
    """Return what a form had ticked, by the rubric of the package that it was made for.

    Args:
        versions: that the attempt has had, the one of now first.
        package: the hash of the form's; empty: the one of now.
        points: as the form names them; what its rubric does not have is left out.
        left: what the form went on with from rubrics of before, as `Ticked.left` names it.
    """
    now = {sentence: _name_of(point) for point, sentence in _told_apart(versions[0].problem).items()}
    sent: dict[str, list[str]] = {}  # by the hash of the package that it was ticked on
    for name in left:
        earlier, _, point = name.partition("/")
        sent.setdefault(earlier, []).append(point)
    sent.setdefault(package or versions[0].problem.sha256, []).extend(points)
    shown = {
        f"{sha256}/{name}": told
        for sha256, names in sent.items()
        for name, told in _told_by(versions, sha256, names).items()
    }
    return Ticked(
        sentences=tuple(sentence for _, sentence in shown.values()),
        places=tuple(now[told] for told in shown.values() if told in now),
        left={name: told[1] for name, told in shown.items() if told not in now},
    )


def _told_by(versions: Sequence[Version], sha256: str, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return points of one version's rubric by their names, each with its question."""
    problem = next((version.problem for version in versions if version.problem.sha256 == sha256), None)
    if problem is None:  # a version that cannot be read
        return {name: (name, f"{name}, of a version that cannot be read") for name in names}
    return {_name_of(point): told for point, told in _told_apart(problem).items() if _name_of(point) in names}


def _told_apart(problem: Problem) -> dict[tuple[str, int], tuple[str, str]]:
    """Return the points of a rubric, each with its question: another one's may say the same."""
    return {point: (point[0], sentence) for point, sentence in rubric_of(problem).items()}


def _name_of(point: tuple[str, int]) -> str:
    return f"{point[0]}:{point[1]}"
