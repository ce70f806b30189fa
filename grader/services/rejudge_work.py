"""What rejudging does in the background: submissions judged for the preview, attempts moved and moved back.

Attempts are moved a few at a time, each few in one transaction. An attempt that was moved is not found again, so a
second worker, or one that goes on after another died, changes nothing twice. What was handed in after the preview has
no new result; it loses its old one and is judged as if it came in now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Engine, update
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane
from grader.services import audit
from grader.services.judged_rows import Graded, judge_source, pinned
from grader.services.judging import Dispatch
from grader.services.packages import Packages
from grader.services.result_rows import UNJUDGED, ResultRows, add_beside
from grader.store import rejudge_moves as queries
from grader.store.interview_models import Rejudge, RejudgeItem
from grader.store.models import Attempt, Submission
from grader.store.session import read_session, write_session

CHUNK: Final = 20  # attempts of one transaction


def judge_item(engine: Engine, key: int, lane: Lane, cache: CaseCache, packages: Packages) -> Graded | None:
    """Judge a submission with the new version; None when that is done or not wanted any more."""
    with read_session(engine) as session:
        found = queries.item_to_judge(session, key)
        if found is None:
            return None
        _, rejudge, source = found
        problem = pinned(session, rejudge.to_package, source, packages, what := f"item {key} of a rejudge")
    if isinstance(problem, Graded):
        return problem
    return judge_source(problem, source, lane, cache, what, build=True)


def write_item(engine: Engine, key: int, graded: Graded, now: datetime) -> bool:
    """Write a new result beside the submission's own; return whether it was written, once and by nobody else."""
    judgement = graded.judgement
    rows = ResultRows.of(judgement, now, graded.sample_outputs).to_json()
    with write_session(engine) as session:
        values = {"verdict": judgement.verdict, "reason": judgement.reason, "score": judgement.score, "new_rows": rows}
        return queries.set_item(session, key, **values)


def move(engine: Engine, key: int, dispatch: Dispatch, now: datetime) -> bool:
    """Move a few attempts of a rejudge that is applied or undone; return whether there may be more."""
    with write_session(engine) as session:
        rejudge = queries.rejudge_locked(session, key)
        if rejudge is None:
            return False
        if rejudge.undo_asked_at is not None:
            return rejudge.undone_at is None and _restore(session, rejudge, dispatch, now)
        return (
            rejudge.apply_asked_at is not None
            and rejudge.applied_at is None
            and _apply(session, rejudge, dispatch, now)
        )


def _apply(session: Session, rejudge: Rejudge, dispatch: Dispatch, now: datetime) -> bool:
    picked = queries.attempts_to_move(session, rejudge, CHUNK)
    if not picked:
        rejudge.applied_at = now
        audit.record(session, None, "rejudge.applied", rejudge, now, rejudge.interview)
        return False
    if not (attempts := queries.attempts_locked(session, picked, rejudge.from_package_id)):
        return True
    submissions = queries.submissions_of(session, attempts)
    items = queries.items_of(session, rejudge, submissions)
    new: dict[int, ResultRows | None] = {}
    for submission in submissions:
        item = items.get(submission.id)
        if item is not None and item.new_rows is not None:
            item.old_rows = ResultRows.stored(submission).to_json()
            item.old_verdict, item.old_score = submission.verdict, submission.score
            new[submission.id] = ResultRows.from_json(item.new_rows)
        elif submission.verdict is not None:
            new[submission.id] = None
    queries.set_moved(session, rejudge, attempts, is_moved=True)
    _replace(session, attempts, rejudge.to_package_id, submissions, new, dispatch)
    return True


def _restore(session: Session, rejudge: Rejudge, dispatch: Dispatch, now: datetime) -> bool:
    picked = queries.attempts_to_restore(session, rejudge, CHUNK)
    if not picked:
        rejudge.undone_at = now
        audit.record(session, None, "rejudge.undone", rejudge, now, rejudge.interview)
        return False
    if not (attempts := queries.attempts_locked(session, picked, rejudge.to_package_id)):
        return True
    submissions = queries.submissions_of(session, attempts)
    items = queries.items_of(session, rejudge, submissions)
    old: dict[int, ResultRows | None] = {}
    for submission in submissions:
        kept = _kept(items.get(submission.id))
        if kept is not None:
            old[submission.id] = kept
        elif submission.verdict is not None:
            old[submission.id] = None
    queries.set_moved(session, rejudge, attempts, is_moved=False)
    _replace(session, attempts, rejudge.from_package_id, submissions, old, dispatch)
    return True


def _kept(item: RejudgeItem | None) -> ResultRows | None:
    """Return what a submission had before; None where it had no verdict."""
    if item is None or item.old_rows is None:
        return None
    rows = ResultRows.from_json(item.old_rows)
    return None if rows.submission["verdict"] is None else rows


def _replace(
    session: Session,
    attempts: Sequence[int],
    package_id: int,
    submissions: Sequence[Submission],
    results: Mapping[int, ResultRows | None],
    dispatch: Dispatch,
) -> None:
    """Give attempts a package and submissions other results; those with None wait to be judged again."""
    if results:
        queries.delete_beside(session, list(results))
        values: list[dict[str, Any]] = [
            {"id": key, **(rows.submission if rows else UNJUDGED)} for key, rows in results.items()
        ]
        session.execute(update(Submission), values)
        add_beside(session, {key: rows for key, rows in results.items() if rows})
    now: dict[int, list[_Reached]] = {key: [] for key in attempts}
    for submission in submissions:
        reached = _reached(submission, results)
        now[submission.attempt_id].append(reached)
        if reached.verdict is None:
            dispatch(session, submission)
    for attempt in queries.attempts_with(session, attempts):
        attempt.package_id = package_id
        _recount(attempt, now[attempt.id])


@dataclass(frozen=True)
class _Reached:
    """What counts of a submission."""

    handed_in: datetime
    verdict: Verdict | None
    score: float | None


def _reached(submission: Submission, results: Mapping[int, ResultRows | None]) -> _Reached:
    if submission.id not in results:
        return _Reached(submission.created_at, submission.verdict, submission.score)
    rows = results[submission.id]
    if rows is None:
        return _Reached(submission.created_at, None, None)
    return _Reached(submission.created_at, Verdict(rows.submission["verdict"]), rows.submission["score"])


def _recount(attempt: Attempt, submissions: Sequence[_Reached]) -> None:
    """Let what an attempt has reached follow from its submissions."""
    attempt.best_score = max((each.score for each in submissions if each.score is not None), default=None)
    attempt.solved_at = min((each.handed_in for each in submissions if each.verdict is Verdict.AC), default=None)
