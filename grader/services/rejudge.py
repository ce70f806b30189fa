"""Judging attempts again with another version of their package: a preview, applied when it is right, undone when not.

The work itself is made in the background (services/rejudge_work.py); here is only asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage, NotFound, UserError
from grader.services import audit
from grader.services.packages import Packages
from grader.store import interview_queries, package_queries
from grader.store import rejudge_moves as moves
from grader.store import rejudge_queries as queries
from grader.store.interview_models import Interview, InterviewProblem, Part, Rejudge
from grader.store.models import Package, User
from grader.store.queries import package_of
from grader.store.rejudge_queries import Changed, Counts
from grader.store.sitting_queries import require_none_sat, require_not_sat
from grader.wording import plural

PAGE: Final = 50
_NO_VERSION: Final = "There is no such version of this problem that can be used; choose one from the page."


class State(StrEnum):
    """Where a rejudge stands."""

    JUDGING = "judging"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    UNDOING = "undoing"
    UNDONE = "undone"


class NotNow(UserError):
    """The rejudge is in no state for this."""

    status = 409


@dataclass(frozen=True)
class Version:
    """A version of a package that attempts can be judged with."""

    sha256: str
    created_at: datetime | None  # when the database got it; None: it is in the folder alone


@dataclass(frozen=True)
class Choice:
    """A package that attempts have, with the other versions that they could be judged with."""

    package: Package
    versions: Sequence[Version]


@dataclass(frozen=True)
class Preview:
    """A rejudge as its page shows it."""

    rejudge: Rejudge
    state: State
    counts: Counts
    changed: Sequence[Changed]  # of one page
    pages: int


def choices(session: Session, user: User, public_id: str, packages: Packages) -> Sequence[Choice]:
    """Return the packages of an interview with the versions that there are besides.

    Raises:
        NotFound: the user leads no such interview.
        SatByReader: they sit one of its problems in another one.
    """
    interview = _interview(session, user, public_id)
    return _choices(session, [problem.package for problem in interview.problems], packages)


def choices_everywhere(session: Session, packages: Packages) -> Sequence[Choice]:
    """Return the packages that anybody's attempts have, as far as there are other versions of them."""
    return [choice for choice in _choices(session, package_queries.with_attempts(session), packages) if choice.versions]


def _choices(session: Session, used: Sequence[Package], packages: Packages) -> list[Choice]:
    stored = package_queries.usable_versions(session, [package.slug for package in used])
    offered = {problem.slug: problem.sha256 for problem in packages.offered()}
    found = []
    for package in used:
        newest = offered.get(package.slug)
        own = {newest: Version(newest, None)} if newest else {}
        own |= {each.sha256: Version(each.sha256, each.created_at) for each in stored if each.slug == package.slug}
        found.append(Choice(package, [version for version in own.values() if version.sha256 != package.sha256]))
    return found


def _interview(session: Session, user: User, public_id: str) -> Interview:
    found = interview_queries.interview_of(session, user, public_id, None if user.is_admin else Part.LEAD)
    require_none_sat(session, user, found)
    return found


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
        NotFound: the user may not do that, or there is no such version.
        SatByReader: the user sits the problem in an interview.
        NotNow: no attempt has the old version, or the new one lacks a variant that an attempt was given.
    """
    if interview is None and not user.is_admin:
        raise NotFound(_NO_VERSION)
    found = _interview(session, user, interview) if interview is not None else None
    before = package_of(session, old)
    if before is None or (found is not None and all(problem.package_id != before.id for problem in found.problems)):
        raise NotFound(_NO_VERSION)
    require_not_sat(session, user, [before])
    after = _version(session, before, new, packages, now)
    rejudge = Rejudge(
        user_id=user.id,
        from_package_id=before.id,
        to_package_id=after.id,
        interview_id=found.id if found else None,
        created_at=now,
    )
    session.add(rejudge)
    session.flush()
    _check_variants(session, rejudge, after, packages)
    if not queries.add_items(session, rejudge):
        raise NotNow("Nothing was handed in to this version, so there is nothing to judge again.")
    audit.record(session, user, "rejudge.create", rejudge, now, found, old=before.sha256[:12], new=after.sha256[:12])
    return rejudge


def _version(session: Session, package: Package, sha256: str, packages: Packages, now: datetime) -> Package:
    """Return another version of a package; one that is in the folder alone is stored."""
    (choice,) = _choices(session, [package], packages)
    if all(version.sha256 != sha256 for version in choice.versions):
        raise NotFound(_NO_VERSION)
    if stored := package_of(session, sha256):
        return stored
    return packages.remember(session, packages.named(package.slug), now)


def _check_variants(session: Session, rejudge: Rejudge, package: Package, packages: Packages) -> None:
    try:
        variants = packages.pinned(session, package).spec.variants
    except InvalidPackage as error:
        raise NotNow(f"The new version cannot be used: {error.message}") from None
    if missing := queries.variants_in(session, rejudge) - set(variants):
        raise NotNow(
            f"Attempts were given the variant {sorted(missing)[0]}, which the new version lacks; keep it in there."
        )


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


def apply(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Have the new results take the place of the old ones; whoever starts from now on gets the new version.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it is not ready.
    """
    rejudge, state, counts = _locked(session, user, public_id)
    if state is State.JUDGING:
        raise NotNow("The preview is not complete yet; wait until every submission is judged.")
    if state is not State.READY:
        raise NotNow("This was applied before.")
    if counts.ours:
        raise NotNow(f"{counts.ours} could not be judged with the new version; judge those again first.")
    rejudge.apply_asked_at = now
    problems = queries.problems_with(session, rejudge)
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


def undo(session: Session, user: User, public_id: str, now: datetime) -> None:
    """Have the old results take their place again.

    Raises:
        NotFound: there is no such rejudge for this user.
        NotNow: it is not applied, or a later one has moved its attempts on.
    """
    rejudge, state, _ = _locked(session, user, public_id)
    if state is not State.APPLIED:
        raise NotNow("Only what is applied can be undone.")
    if moved_on := moves.number_moved_on(session, rejudge):
        raise NotNow(
            f"{moved_on} of the attempts {plural(moved_on, 'was')} judged again later with yet another version; "
            "undo that first."
        )
    rejudge.undo_asked_at = now
    problems = moves.problems_by(session, json.loads(rejudge.moved_problems))
    _move_problems(
        session, [each for each in problems if each.package_id == rejudge.to_package_id], rejudge.from_package_id
    )
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
        raise NotNow("This was applied, so its record stays; undo it to have the old results again.")
    interview = rejudge.interview
    audit.record(session, user, "rejudge.discard", rejudge, now, interview)
    queries.delete_rejudge(session, rejudge)
    return interview


def _locked(session: Session, user: User, public_id: str) -> tuple[Rejudge, State, Counts]:
    rejudge = queries.rejudge_of(session, user, public_id, lock=True)
    counts = queries.counts(session, rejudge)
    return rejudge, state_of(rejudge, counts), counts


def _move_problems(session: Session, problems: Sequence[InterviewProblem], package_id: int) -> None:
    """Give interviews another version; whose form is open learns that the interview has changed."""
    for interview in moves.interviews_locked(session, [problem.interview_id for problem in problems]):
        interview.version += 1
    for problem in problems:
        problem.package_id = package_id
    session.flush()
