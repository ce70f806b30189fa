"""The diagnosis before the repair: which stage a candidate takes for faulty, and what was planted. It costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.problems.loader import Problem
from grader.services import audit, feedback
from grader.services.attempts import AttemptClosed
from grader.services.feedback import Feedback
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, User

UNKNOWN: Final = "unknown"  # what a form sends for "I do not know"
Outcome = Literal["right", "one_of", "wrong", "unknown"]


@dataclass(frozen=True)
class DiagnosisView:
    """A candidate's diagnosis; `planted` and `outcome` are there only where answers are open."""

    is_open: bool
    stages: tuple[str, ...]  # that may be named
    is_given: bool
    own: str | None  # None: not given, or "I do not know"
    planted: tuple[str, ...]  # stages, the earliest first
    outcome: Outcome | None


def diagnosis(session: Session, attempt: Attempt, problem: Problem, shown: Feedback) -> DiagnosisView:
    """Return an attempt's diagnosis as its candidate may see it."""
    planted = planted_stages(problem, attempt.variant) if shown.answers else ()
    is_given = attempt.diagnosed_at is not None
    return DiagnosisView(
        is_open=not is_given and not shown.is_over and queries.last_ordinal(session, attempt) == 0,
        stages=tuple(problem.spec.stages),
        is_given=is_given,
        own=attempt.diagnosed_stage,
        planted=planted,
        outcome=outcome_of(attempt.diagnosed_stage, planted) if is_given and planted else None,
    )


def planted_stages(problem: Problem, variant: str) -> tuple[str, ...]:
    """Return the stages that a variant's planted faults are of, in audit order."""
    stages = {spec.fault: spec.stage for spec in problem.described.values()}
    found = {stages.get(fault) for fault in problem.spec.variants[variant].planted}
    return tuple(stage for stage in problem.spec.stages if stage in found)


def outcome_of(own: str | None, planted: tuple[str, ...]) -> Outcome:
    """Return how a named stage stands to those that were planted, of which there is one at least."""
    if own is None:
        return "unknown"
    if own == planted[0]:
        return "right"
    return "one_of" if own in planted else "wrong"


def diagnose(session: Session, candidate: User, public_id: str, stage: str, packages: Packages, now: datetime) -> None:
    """Store a diagnosis, once, before the first submission.

    Raises:
        NotFound: there is no such attempt of this candidate.
        AttemptClosed: there is a diagnosis or a submission, or the attempt is over.
        UserError: the problem has no such stage.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    problem = packages.pinned(session, attempt.package)
    if not diagnosis(session, attempt, problem, feedback.of(session, attempt, now)).is_open:
        raise AttemptClosed("A diagnosis is given once, before the first submission; this attempt takes none any more.")
    if stage != UNKNOWN and stage not in problem.spec.stages:
        raise UserError("Choose one of the stages, or that you do not know.")
    attempt.diagnosed_stage = None if stage == UNKNOWN else stage
    attempt.diagnosed_at = now
    audit.record(session, candidate, "attempt.diagnose", attempt, now, attempt.interview)
