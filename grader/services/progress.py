"""What a user has practised: problems, faults made and mastered, stages that fail, follow-ups, and what comes next.

It tells no fault of an attempt that is still under way, unless a hint there has told it. Of a problem that a running
interview closes it tells status and points alone, as the list of problems does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.problems.loader import Problem
from grader.services import hints, practice_lock
from grader.services.attempts import Status, status
from grader.services.diagnoses import outcome_of, planted_stages
from grader.services.earlier_package import answer_as_given, place_of
from grader.services.mastery import FaultMade, Made, Practised, Suggestion, faults_made, suggest
from grader.services.packages import Packages
from grader.store import progress_queries, queries
from grader.store.base import Mode
from grader.store.models import Attempt, User

_BEST_FIRST: Final[Mapping[Status, int]] = {"solved": 0, "in progress": 1, "given up": 2, "new": 3}


@dataclass(frozen=True)
class PractisedProblem:
    """What was reached on one problem, over all attempts."""

    slug: str
    title: str
    problem: Problem | None  # None: it is not offered any more
    status: Status
    points: float | None  # the best
    attempts: int
    submissions: int
    minutes: float | None  # of the fastest attempt that solved it


@dataclass(frozen=True)
class OpenQuestions:
    """Follow-up questions of a problem that wait for an answer, in the newest attempt that opened them."""

    slug: str
    title: str
    public_id: str
    count: int


@dataclass(frozen=True)
class Answered:
    """Follow-up questions over all problems, each counted once."""

    questions: int
    answered: int
    ratings: Mapping[int, int]  # how many answers have which rating
    choices: int
    taken: int
    right: int
    open: tuple[OpenQuestions, ...]


@dataclass(frozen=True)
class Diagnoses:
    """Diagnoses given before the first submission, of attempts that are over."""

    given: int
    right: int  # the earliest stage of the planted faults was named
    one_of: int  # the stage of another planted fault
    unknown: int  # "I do not know"


@dataclass(frozen=True)
class Overview:
    """Everything that the progress page shows."""

    attempts: tuple[Practised, ...]  # newest first
    problems: tuple[PractisedProblem, ...]
    faults: tuple[FaultMade, ...]
    stages: tuple[tuple[str, int], ...]  # most often first
    answered: Answered
    diagnoses: Diagnoses
    suggestion: Suggestion | None  # none of a closed problem
    closed: frozenset[str]  # slugs of problems that a running interview closes in practice

    @property
    def is_without_some(self) -> bool:
        """Whether faults, stages, answers and diagnoses are without those of a closed problem."""
        return any(problem.slug in self.closed for problem in self.problems)


def overview(session: Session, user: User, packages: Packages, now: datetime) -> Overview:
    """Return a user's progress.

    Args:
        session: reads what is stored.
        user: whose progress it is.
        packages: where the problems are that can be practised, and the versions that were.
        now: the time.
    """
    offered = packages.offered()
    by_slug = {problem.slug: problem for problem in offered}
    every = [row for row in queries.attempts_of(session, user) if row[0].mode is Mode.PRACTICE]
    made: dict[int, dict[str, Made]] = {}
    for key, fault, times, last_at in progress_queries.faults_of(session, user):
        made.setdefault(key, {})[fault] = Made(times, last_at)
    attempts = tuple(_practised(attempt, number, by_slug, made.get(attempt.id, {})) for attempt, number in every)
    closed = practice_lock.closed_slugs(session, user, now)
    # what was learned there helps in the interview, and so would a fault that is mastered by it
    rows = [row for row in every if row[0].package.slug not in closed]
    to_practise = [problem for problem in offered if problem.slug not in closed]
    answers = progress_queries.answers_of(session, user)
    answered = _answered(rows, answers, to_practise, _choices_taken(session, rows, answers, to_practise, packages))
    faults = faults_made([attempt for attempt in attempts if attempt.slug not in closed])
    return Overview(
        attempts=attempts,
        problems=_problems(attempts, by_slug),
        faults=faults,
        stages=_stages(rows, progress_queries.first_wrong_stages_of(session, user)),
        answered=answered,
        diagnoses=_diagnoses(rows, by_slug),
        suggestion=suggest(
            [(problem.slug, _planted(problem)) for problem in to_practise],
            {attempt.slug for attempt in attempts if attempt.solved_at is not None},
            {fault.fault for fault in faults if fault.mastered_at is None},
            [questions.slug for questions in answered.open],
        ),
        closed=closed,
    )


def _practised(
    attempt: Attempt, submissions: int, by_slug: Mapping[str, Problem], made: Mapping[str, Made]
) -> Practised:
    problem = by_slug.get(attempt.package.slug)
    variant = problem.spec.variants.get(attempt.variant) if problem else None
    return Practised(
        public_id=attempt.public_id,
        slug=attempt.package.slug,
        title=attempt.package.title,
        variant=attempt.variant,
        status=status(attempt),
        started_at=attempt.started_at,
        solved_at=attempt.solved_at,
        ended_at=attempt.solved_at or attempt.given_up_at,
        points=attempt.points,
        submissions=submissions,
        planted=frozenset(variant.planted) if variant else frozenset(),
        made=made if hints.level_of(attempt) >= hints.FAULT else {},
    )


def _problems(attempts: Sequence[Practised], by_slug: Mapping[str, Problem]) -> tuple[PractisedProblem, ...]:
    """Return a row for each problem, the one practised last first."""
    own: dict[str, list[Practised]] = {}
    for attempt in attempts:
        own.setdefault(attempt.slug, []).append(attempt)
    return tuple(
        PractisedProblem(
            slug=slug,
            title=found[0].title,
            problem=by_slug.get(slug),
            status=min((attempt.status for attempt in found), key=_BEST_FIRST.__getitem__),
            points=max((attempt.points for attempt in found if attempt.points is not None), default=None),
            attempts=len(found),
            submissions=sum(attempt.submissions for attempt in found),
            minutes=min((a.minutes for a in found if a.solved_at and a.minutes is not None), default=None),
        )
        for slug, found in own.items()
    )


def _stages(
    rows: Sequence[tuple[Attempt, int]], counts: Sequence[progress_queries.StageRow]
) -> tuple[tuple[str, int], ...]:
    told = {attempt.id for attempt, _ in rows if hints.level_of(attempt) >= hints.STAGE}
    total: Counter[str] = Counter()
    for key, stage, count in counts:
        if key in told:
            total[stage] += count
    return tuple(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def _answered(
    rows: Sequence[tuple[Attempt, int]],
    answers: Sequence[progress_queries.AnswerRow],
    offered: Sequence[Problem],
    taken: Mapping[tuple[str, str], int | None],
) -> Answered:
    slugs = {attempt.id: attempt.package.slug for attempt, _ in rows}
    newest: dict[str, Attempt] = {}
    for attempt, _ in rows:
        if attempt.is_over:
            newest.setdefault(attempt.package.slug, attempt)
    own = [answer for answer in answers if answer[0] in slugs]
    ratings = {(slugs[key], question): rating for key, question, rating, _ in own if rating is not None}
    given = {(slugs[key], question) for key, question, *_ in own}
    opened = [problem for problem in offered if problem.slug in newest]
    questions = [(problem.slug, item.id) for problem in opened for item in problem.interview.follow_ups]
    choices = {(p.slug, item.id): item.correct for p in opened for item in p.interview.multiple_choice}
    counted = [choice for choice in choices if taken.get(choice) is not None]
    left = Counter(slug for slug, question in questions if (slug, question) not in given)
    return Answered(
        questions=len(questions),
        answered=sum(question in given for question in questions),
        ratings=Counter(ratings[question] for question in questions if question in ratings),
        choices=len(choices),
        taken=len(counted),
        right=sum(taken[choice] == choices[choice] for choice in counted),
        open=tuple(
            OpenQuestions(p.slug, p.spec.title, newest[p.slug].public_id, left[p.slug]) for p in opened if left[p.slug]
        ),
    )


def _choices_taken(
    session: Session,
    rows: Sequence[tuple[Attempt, int]],
    answers: Sequence[progress_queries.AnswerRow],
    offered: Sequence[Problem],
    packages: Packages,
) -> dict[tuple[str, str], int | None]:
    """Return where the choices stand by now that were taken, by slug and question; None: it is not offered any more."""
    attempts = {attempt.id: attempt for attempt, _ in rows}
    newest = {
        (attempts[key].package.slug, question): (attempts[key], choice)
        for key, question, _, choice in answers
        if key in attempts
    }
    taken: dict[tuple[str, str], int | None] = {}
    for problem in offered:
        for item in problem.interview.multiple_choice:
            if found := newest.get((problem.slug, item.id)):
                attempt, choice = found
                text = choice if choice is not None else answer_as_given(session, attempt, item.id, packages)
                taken[problem.slug, item.id] = place_of(item, text)
    return taken


def _diagnoses(rows: Sequence[tuple[Attempt, int]], by_slug: Mapping[str, Problem]) -> Diagnoses:
    outcomes: Counter[str] = Counter()
    for attempt, _ in rows:
        problem = by_slug.get(attempt.package.slug)
        if not attempt.is_over or not attempt.diagnosed_at or not problem:
            continue
        planted = planted_stages(problem, attempt.variant) if attempt.variant in problem.spec.variants else ()
        if planted:
            outcomes[outcome_of(attempt.diagnosed_stage, planted)] += 1
    return Diagnoses(outcomes.total(), outcomes["right"], outcomes["one_of"], outcomes["unknown"])


def _planted(problem: Problem) -> frozenset[str]:
    return frozenset(fault for variant in problem.spec.variants.values() for fault in variant.planted)
