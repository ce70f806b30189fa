"""An interview's candidates beside each other: faults, scores, submissions, cases that tell nobody apart, likeness."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage
from grader.grading.similar_sources import Similar, similar_sources
from grader.problems.loader import Problem
from grader.services.packages import Packages
from grader.store import cohort_queries as queries
from grader.store.cohort_queries import Behaved, CaseCount, Tried
from grader.store.interview_models import Interview, InterviewProblem

FAULTS_SHOWN: Final = 20
CANDIDATES_SHOWN: Final = 30  # on one page
CASES_SHOWN: Final = 40
RUNS_MIN: Final = 5  # submissions that a case must have seen before anything is said of it
BINS: Final = ("0–9", "10–19", "20–29", "30–39", "40–49", "50–59", "60–69", "70–79", "80–89", "90–99", "100")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Candidate:
    """A candidate, by label and number in the interview, and their attempts' ids by problem."""

    key: int
    number: int
    label: str
    attempts: tuple[str, ...]


@dataclass(frozen=True)
class FaultRow:
    """A fault, and in how many submissions of each candidate it was met."""

    fault: str
    submissions: int
    people: int
    cells: tuple[tuple[int, bool], ...]  # for the candidates of the page: submissions, and whether the last one is


@dataclass(frozen=True)
class Solved:
    """How a problem went."""

    problem: InterviewProblem
    attempts: int  # that were begun
    solved: int
    submissions: float | None  # median up to the first accepted one
    minutes: float | None  # median from the start of the attempt to there


@dataclass(frozen=True)
class DullCase:
    """A case with the same result in every submission."""

    title: str
    name: str
    group: str
    runs: int
    is_passed: bool


@dataclass(frozen=True)
class Cohort:
    """The page."""

    candidates: tuple[Candidate, ...]  # of this page
    all_candidates: int  # who began one of the problems
    attempts: int  # that were begun
    submissions: int
    ours: int
    not_looked_up: int  # submissions that are not compared with known faults yet
    never_looked_up: int  # submissions for which that could not be done
    faults: tuple[FaultRow, ...]
    all_faults: int
    scores: tuple[int, ...]  # attempts by BINS
    median_score: float | None  # per cent
    solved: tuple[Solved, ...]
    dull: tuple[DullCase, ...]
    looked_at: int  # submissions, for dull cases
    pages: int
    unread: tuple[str, ...]  # titles of problems whose packages cannot be read, so that their scores are left out


@dataclass(frozen=True)
class Likeness:
    """Two attempts whose last submissions are written alike."""

    first: tuple[Candidate, str, int]  # with the attempt's id and the submission's number
    second: tuple[Candidate, str, int]
    share: float
    runs: int


def cohort(
    session: Session, interview: Interview, problem: InterviewProblem | None, packages: Packages, page: int
) -> Cohort:
    """Return a page of an interview's cohort.

    Args:
        session: asks the database.
        interview: of the one who asks.
        problem: one of its problems; None: all of them.
        packages: knows how many points a problem has.
        page: of candidates, from 1.
    """
    tried = queries.tried_in(session, interview, problem)
    faults = queries.faults_in(session, interview, problem)
    begun = [one for one in tried if one.is_begun]
    everybody = _candidates(session, interview, begun)
    shown = everybody[(page - 1) * CANDIDATES_SHOWN : page * CANDIDATES_SHOWN]
    counts, looked_at = queries.cases_in(session, interview, problem)
    problems = [problem] if problem else interview.problems
    most = _most_points(session, problems, packages)
    shares = _shares(tried, most)
    who = _attempts_of(shown, tried)
    return Cohort(
        candidates=tuple(shown),
        all_candidates=len(everybody),
        attempts=len(begun),
        submissions=sum(one.submissions for one in tried),
        ours=sum(one.ours for one in tried),
        not_looked_up=sum(one.not_looked_up for one in tried),
        never_looked_up=sum(one.never_looked_up for one in tried),
        faults=_fault_rows(faults[:FAULTS_SHOWN], queries.behaved_in(session, list(who)), who, shown),
        all_faults=len(faults),
        scores=_histogram(shares),
        median_score=100 * median(shares) if shares else None,
        solved=tuple(_solved(one, [each for each in begun if each.problem == one.id]) for one in problems),
        dull=_dull(counts, interview),
        looked_at=looked_at,
        pages=-(-len(everybody) // CANDIDATES_SHOWN),
        unread=tuple(one.package.title for one in problems if one.id not in most),
    )


def _attempts_of(shown: Sequence[Candidate], tried: Sequence[Tried]) -> dict[int, int]:
    """Return by attempt the candidate, each told by a key, of those that are shown."""
    here = {candidate.key for candidate in shown}
    return {one.key: one.invitation for one in tried if one.invitation in here}


def _candidates(session: Session, interview: Interview, tried: Sequence[Tried]) -> list[Candidate]:
    """Return who began one of the problems, in the order of invitations."""
    attempts: dict[int, list[str]] = defaultdict(list)
    for one in tried:
        attempts[one.invitation].append(one.public_id)
    invited = queries.candidates_in(session, interview)
    return [
        Candidate(key, number, label, tuple(attempts[key]))
        for number, (key, label) in enumerate(invited, 1)
        if key in attempts
    ]


def _fault_rows(
    faults: Sequence[tuple[str, int, int]],
    behaved: Sequence[Behaved],
    who: Mapping[int, int],
    shown: Sequence[Candidate],
) -> tuple[FaultRow, ...]:
    """Return the faults with a cell for each candidate of the page; `who` names the candidate of an attempt."""
    numbers: Counter[tuple[str, int]] = Counter()
    lasting: set[tuple[str, int]] = set()
    for one in behaved:
        place = one.fault, who[one.attempt]
        numbers[place] += one.submissions
        if one.is_last:
            lasting.add(place)
    return tuple(
        FaultRow(
            fault,
            submissions,
            people,
            tuple((numbers[fault, each.key], (fault, each.key) in lasting) for each in shown),
        )
        for fault, submissions, people in faults
    )


def _most_points(session: Session, problems: Sequence[InterviewProblem], packages: Packages) -> dict[int, float]:
    """Return what there is to get for each problem, without those whose packages cannot be read."""
    most = {}
    for one in problems:
        try:
            most[one.id] = packages.pinned(session, one.package).max_score
        except InvalidPackage as error:
            log.error("the cohort leaves scores out: %s", error.message)
    return most


def _shares(tried: Sequence[Tried], most: Mapping[int, float]) -> list[float]:
    """Return the scores of attempts as shares of what there is to get, where that is known."""
    return [
        one.score / most[one.problem] for one in tried if one.score is not None and most.get(one.problem, 0.0) > 0.0
    ]


def _histogram(shares: Sequence[float]) -> tuple[int, ...]:
    counted = Counter(min(len(BINS) - 1, int(share * 10 + 1e-9)) for share in shares)
    return tuple(counted[number] for number in range(len(BINS)))


def _solved(problem: InterviewProblem, tried: Sequence[Tried]) -> Solved:
    needed = [one.solved_with for one in tried if one.solved_with is not None]
    minutes = [(one.solved_at - one.started_at).total_seconds() / 60 for one in tried if one.solved_at is not None]
    return Solved(
        problem, len(tried), len(needed), median(needed) if needed else None, median(minutes) if minutes else None
    )


def _dull(counts: Sequence[CaseCount], interview: Interview) -> tuple[DullCase, ...]:
    titles = {one.id: one.package.title for one in interview.problems}
    found = [
        DullCase(titles.get(one.problem, ""), one.name, one.group, one.runs, one.passed > 0)
        for one in counts
        if one.runs >= RUNS_MIN and one.passed in (0, one.runs)
    ]
    return tuple(found[:CASES_SHOWN])


def similar(
    session: Session, interview: Interview, problem: InterviewProblem, packages: Packages
) -> tuple[tuple[Likeness, ...], Similar] | None:
    """Return whose last submissions on a problem are written alike; None where its package cannot be read."""
    try:
        loaded: Problem = packages.pinned(session, problem.package)
    except InvalidPackage as error:
        log.error("sources cannot be compared: %s", error.message)
        return None
    tried = {one.key: one for one in queries.tried_in(session, interview, problem)}
    sources = queries.newest_sources(session, interview, problem)
    people = {one.key: one for one in _candidates(session, interview, list(tried.values()))}
    variants = {one.variant for one in tried.values() if one.variant in loaded.spec.variants}
    found = similar_sources(loaded, variants, {key: source for key, _, source, _ in sources})
    ordinals = {key: ordinal for key, ordinal, _, _ in sources}
    pairs = tuple(
        Likeness(
            _side(pair.first, tried, people, ordinals),
            _side(pair.second, tried, people, ordinals),
            pair.share,
            pair.runs,
        )
        for pair in found.pairs
    )
    return pairs, found


def _side(
    key: int, tried: Mapping[int, Tried], people: Mapping[int, Candidate], ordinals: Mapping[int, int]
) -> tuple[Candidate, str, int]:
    return people[tried[key].invitation], tried[key].public_id, ordinals[key]
