"""Judging attempts again with another version of their package: a preview, applied when it is right, undone when not.

The work itself is made in the background (services/rejudge_work.py); here is only asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import NotFound
from grader.services import audit
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.rejudge_versions import (
    NO_VERSION,
    is_usable,
    rejudged_interview,
    require_variants,
    version_of,
)
from grader.store import rejudge_moves as moves
from grader.store import rejudge_queries as queries
from grader.store.held import keep_user
from grader.store.interview_models import Interview, InterviewProblem, Rejudge
from grader.store.models import Package, User
from grader.store.queries import package_of
from grader.store.rejudge_queries import Changed, Counts
from grader.store.sitting_queries import require_no_place, require_not_sat
from grader.store.taking_queries import interviews_locked
from grader.wording import counted, plural

PAGE: Final = 50


class State(StrEnum):
    """Where a rejudge stands."""

    JUDGING = "judging"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    UNDOING = "undoing"
    UNDONE = "undone"


_NO_DISCARD: Final = {  # what there is to do in place of throwing it away
    State.APPLYING: "wait until that is done, then undo it to have the old results again.",
    State.APPLIED: "undo it to have the old results again.",
    State.UNDOING: "it is being undone, and the old results take their place again.",
    State.UNDONE: "it is undone, and the old results count again.",
}


@dataclass(frozen=True)
class Preview:
    """A rejudge as its page shows it."""

    rejudge: Rejudge
    state: State
    counts: Counts
    changed: Sequence[Changed]  # of one page
    pages: int


def create(
    session: Session, user: User, interview: str | None, old: str, new: str, packages: Packages, now: datetime
) -> Rejudge:
    """Have every submission to a version of a package judged with another one, for a preview.

    Args:
        session: stores the rejudge and an item for each submission.
        user: a lead of the interview, or an admin.
        interview: whose attempts; None: everybody's, in practice as well, which is an admin's right.
        old: the hash of the package that they have.
        new: the hash of the one to judge with.
        packages: reads it.
        now: the time.

    Raises:
        NotFound: the user may not do that, there is no such version, or their account is gone.
        SatByReader: the user sits the problem in an interview.
        PlaceOfReader: they ask for everybody's attempts, and have a place in an interview with the problem.
        NotNow: no attempt has the old version, or the new one lacks a variant that an attempt was given.
    """
    keep_user(session, user.id)
    found, before = _chosen(session, user, interview, old)
    after = version_of(session, before, new, packages, now)
    rejudge = Rejudge(
        user_id=user.id,
        from_package_id=before.id,
        to_package_id=after.id,
        interview_id=found.id if found else None,
        created_at=now,
    )
    session.add(rejudge)
    session.flush()
    require_variants(session, queries.variants_in(session, rejudge), after, packages)
    if not queries.add_items(session, rejudge):
        raise NotNow("Nothing was handed in to this version, so there is nothing to judge again.")
    audit.record(session, user, "rejudge.create", rejudge, now, found, old=before.sha256[:12], new=after.sha256[:12])
    return rejudge


def _chosen(session: Session, user: User, interview: str | None, old: str) -> tuple[Interview | None, Package]:
    """Return the interview, None for everybody's attempts, and the package that they have: both the user's to judge."""
    if interview is None and not user.is_admin:
        raise NotFound(NO_VERSION)
    found = rejudged_interview(session, user, interview) if interview is not None else None
    before = package_of(session, old)
    if before is None or (found is not None and all(problem.package_id != before.id for problem in found.problems)):
        raise NotFound(NO_VERSION)
    require_not_sat(session, user, [before])
    if found is None:
        require_no_place(session, user, before)
    return found, before


def preview(session: Session, user: User, public_id: str, page: int) -> Preview:
    """Return how far judging anew is and what it changes.

    Raises:
        NotFound: there is no such rejudge for this user.
    """
    rejudge = queries.rejudge_of(session, user, public_id)
    counts = queries.counts(session, rejudge)
    changed = queries.changed(session, rejudge, (page - 1) * PAGE, PAGE)
    number = queries.number_changed(session, rejudge)
    return Preview(rejudge, state_of(rejudge, counts), counts, changed, max(1, -(-number // PAGE)))


def state_of(rejudge: Rejudge, counts: Counts) -> State:
    """Return where a rejudge stands."""
    if rejudge.undone_at is not None:
        return State.UNDONE
    if rejudge.undo_asked_at is not None:
        return State.UNDOING
    if rejudge.applied_at is not None:
        return State.APPLIED
    if rejudge.apply_asked_at is not None:
        return State.APPLYING
    return State.READY if counts.judged == counts.submissions else State.JUDGING


def apply(session: Session, user: User, public_id: str, packages: Packages, now: datetime) -> None:
    """Have the new results take the place of the old ones; whoever starts from now on gets the new version.

    Args:
        session: stores that it is asked for.
        user: a lead of the interview, or an admin.
        public_id: the rejudge's.
        packages: reads the new version.
        now: the time.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it is not ready, another one is under way, or what it was made from is not as it was at the preview.
    """
    rejudge, state, counts = _locked(session, user, public_id)
    if state is State.JUDGING:
        raise NotNow("The preview is not complete yet; wait until every submission is judged.")
    if state is not State.READY:
        raise NotNow("This was applied before.")
    if counts.ours:
        raise NotNow(f"{counts.ours} could not be judged with the new version; judge those again first.")
    _require_alone(session, rejudge)
    problems = _locked_problems(session, lambda: queries.problems_with(session, rejudge))
    _require_as_previewed(session, rejudge, packages)
    rejudge.apply_asked_at = now
    _move_problems(session, problems, rejudge.to_package_id)
    rejudge.moved_problems = json.dumps([problem.id for problem in problems])
    audit.record(
        session,
        user,
        "rejudge.apply",
        rejudge,
        now,
        rejudge.interview,
        submissions=counts.submissions,
        verdicts=counts.verdicts,
        scores=counts.scores,
    )


def _require_alone(session: Session, rejudge: Rejudge) -> None:
    """Make sure that no other rejudge moves any of the same attempts until this transaction ends.

    Raises:
        NotNow: one does so now.
    """
    moves.lock_versions(session, rejudge)
    other = moves.moving_beside(session, rejudge)
    if other is not None:
        versions = f"from version {other.from_package.sha256[:12]} to {other.to_package.sha256[:12]}"
        done = "applied" if other.undo_asked_at is None else "undone"
        raise NotNow(f"Judging again {versions} is being {done} at this moment; wait until that is done.")


def _require_as_previewed(session: Session, rejudge: Rejudge, packages: Packages) -> None:
    """Make sure that what a preview was made from is still so; what came in since is judged once it is applied.

    Raises:
        NotNow: it is to be previewed again.
    """
    new = rejudge.to_package
    if not is_usable(session, rejudge.from_package, new.sha256, packages):
        raise NotNow(f"Version {new.sha256[:12]} was retired since the preview; preview again with another one.")
    if moved := queries.number_moved_away(session, rejudge):
        raise NotNow(
            f"{counted(moved, 'attempt')} {plural(moved, 'was')} judged again with another version since the preview; "
            "preview again."
        )
    require_variants(session, queries.variants_in(session, rejudge), new, packages)


def undo(session: Session, user: User, public_id: str, packages: Packages, now: datetime) -> None:
    """Have the old results take their place again.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it is not applied, another one is under way or has moved its attempts on, or the old version lacks a
            variant by now.
    """
    rejudge, state, _ = _locked(session, user, public_id)
    if state is not State.APPLIED:
        raise NotNow("Only what is applied can be undone.")
    _require_alone(session, rejudge)
    if moved_on := moves.number_moved_on(session, rejudge):
        raise NotNow(
            f"{moved_on} of the attempts {plural(moved_on, 'was')} judged again later with yet another version; "
            "undo that first."
        )
    found = _locked_problems(session, lambda: moves.problems_by(session, json.loads(rejudge.moved_problems)))
    problems = [problem for problem in found if problem.package_id == rejudge.to_package_id]
    given = {problem.variant for problem in problems if problem.variant is not None}
    require_variants(session, given, rejudge.from_package, packages)
    rejudge.undo_asked_at = now
    _move_problems(session, problems, rejudge.from_package_id)
    audit.record(session, user, "rejudge.undo", rejudge, now, rejudge.interview)


def judge_again(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Have what could not be judged judged once more.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it is applied.
    """
    rejudge, state, _ = _locked(session, user, public_id)
    if state not in (State.READY, State.JUDGING):
        raise NotNow("This is applied; nothing of it is judged again.")
    number = queries.forget_ours(session, rejudge)
    audit.record(session, user, "rejudge.judge-again", rejudge, now, rejudge.interview, submissions=number)


def discard(session: Session, user: User, public_id: str, now: datetime) -> Interview | None:
    """Throw a preview away; return the interview that it was for.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it was applied.
    """
    rejudge, state, _ = _locked(session, user, public_id)
    if state not in (State.READY, State.JUDGING):
        raise NotNow(f"This was applied, so its record stays; {_NO_DISCARD[state]}")
    interview = rejudge.interview
    audit.record(session, user, "rejudge.discard", rejudge, now, interview)
    queries.delete_rejudge(session, rejudge)
    return interview


def _locked(session: Session, user: User, public_id: str) -> tuple[Rejudge, State, Counts]:
    rejudge = queries.rejudge_of(session, user, public_id, lock=True)
    counts = queries.counts(session, rejudge)
    return rejudge, state_of(rejudge, counts), counts


def _locked_problems(session: Session, find: Callable[[], Sequence[InterviewProblem]]) -> Sequence[InterviewProblem]:
    """Return problems of interviews in which nobody starts until this transaction ends."""
    interviews_locked(session, [problem.interview_id for problem in find()])
    return find()  # as they are now


def _move_problems(session: Session, problems: Sequence[InterviewProblem], package_id: int) -> None:
    """Give interviews another version; whose form is open learns that the interview has changed."""
    for interview in interviews_locked(session, [problem.interview_id for problem in problems]):
        interview.version += 1
    for problem in problems:
        problem.package_id = package_id
    session.flush()
