"""Questions about uploaded packages: whose they are, how they stand, where they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, exists, func, or_, select, true, update
from sqlalchemy.orm import Session, contains_eager, joinedload, undefer

from grader.errors import NotFound
from grader.store.held import held
from grader.store.interview_models import Interview, InterviewMember, InterviewProblem, PackageCheck
from grader.store.models import Attempt, Package, User
from grader.store.sitting_queries import has_place, require_not_sat

USES_SHOWN: Final = 100
VERSIONS_MAX: Final = 1000
_NO_PACKAGE: Final = "There is no such package, or it is not yours; the list of packages shows your own."


@dataclass(frozen=True)
class Used:
    """How often a package is used."""

    interviews: int = 0
    attempts: int = 0


def check_of(session: Session, user: User, sha256: str, *, own: bool = False, lock: bool = False) -> PackageCheck:
    """Return how an uploaded package stands, with the package.

    Args:
        session: asks the database.
        user: who asks: may see own uploads, and those of interviews that they are an interviewer of; admins all.
        sha256: the package's hash.
        own: whether seeing is not enough: it has to be the user's own, or the user an admin.
        lock: whether no other transaction may change the row until this one ends.

    Raises:
        NotFound: there is none, or none for this user.
        SatByReader: they sit its problem in an interview.
    """
    statement = (
        select(PackageCheck)
        .join(PackageCheck.package)
        .where(Package.sha256 == sha256, _may(user, own=own))
        .options(contains_eager(PackageCheck.package), undefer(PackageCheck.report))
    )
    if lock:
        package = select(Package.id).where(Package.sha256 == sha256).scalar_subquery()
        held(session, PackageCheck, PackageCheck.package_id == package)
    found = session.scalar(statement.execution_options(populate_existing=lock))
    if found is None:
        raise NotFound(_NO_PACKAGE)
    require_not_sat(session, user, [found.package])
    return found


def _may(user: User, *, own: bool) -> ColumnElement[bool]:
    if user.is_admin:
        return true()
    is_own = Package.uploaded_by_id == user.id
    if own:
        return is_own
    is_used = exists().where(
        InterviewProblem.package_id == Package.id,
        Interview.id == InterviewProblem.interview_id,
        InterviewMember.interview_id == Interview.id,
        InterviewMember.user_id == user.id,
        ~has_place(user),
    )
    return or_(is_own, is_used)


def checks_of(session: Session, user: User, offset: int, limit: int) -> Sequence[PackageCheck]:
    """Return the uploaded packages that a user may see, by name, the newest version of each first."""
    statement = (
        select(PackageCheck)
        .join(PackageCheck.package)
        .where(_may(user, own=False))
        .options(contains_eager(PackageCheck.package))
        .order_by(Package.slug, Package.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return session.scalars(statement).all()


def number_of_checks(session: Session, user: User) -> int:
    """Return how many uploaded packages a user may see."""
    statement = select(func.count(PackageCheck.id)).join(PackageCheck.package).where(_may(user, own=False))
    return session.scalar(statement) or 0


def number_uploaded(session: Session, user: User) -> int:
    """Return how many packages a user has uploaded."""
    return session.scalar(select(func.count(Package.id)).filter_by(uploaded_by_id=user.id)) or 0


def newest_of(session: Session, slug: str) -> Package | None:
    """Return the newest version of a package that the database knows."""
    return session.scalar(select(Package).filter_by(slug=slug).order_by(Package.id.desc()).limit(1))


def used(session: Session, packages: Sequence[Package]) -> dict[int, Used]:
    """Return how often packages are used, by their keys."""
    interviews = (
        select(func.count(func.distinct(InterviewProblem.interview_id)))
        .where(InterviewProblem.package_id == Package.id)
        .scalar_subquery()
    )
    attempts = select(func.count(Attempt.id)).where(Attempt.package_id == Package.id).scalar_subquery()
    statement = select(Package.id, interviews, attempts).where(Package.id.in_([package.id for package in packages]))
    return {key: Used(*numbers) for key, *numbers in session.execute(statement)}


def interviews_with(session: Session, user: User, package: Package) -> Sequence[Interview]:
    """Return the interviews with a package that a user may read, newest first."""
    statement = (
        select(Interview)
        .where(exists().where(InterviewProblem.interview_id == Interview.id, InterviewProblem.package_id == package.id))
        .where(~has_place(user))
        .order_by(Interview.id.desc())
        .limit(USES_SHOWN)
    )
    if not user.is_admin:
        statement = statement.where(
            exists().where(InterviewMember.interview_id == Interview.id, InterviewMember.user_id == user.id)
        )
    return session.scalars(statement).all()


def uploader(session: Session, package: Package) -> User | None:
    """Return who uploaded a package; None: it is from the folder."""
    return session.get(User, package.uploaded_by_id) if package.uploaded_by_id is not None else None


def usable_versions(session: Session, slugs: Sequence[str]) -> Sequence[Package]:
    """Return the versions of packages that attempts can be judged with, newest first.

    Of uploaded ones these are those that were accepted and not retired.
    """
    statement = (
        select(Package)
        .outerjoin(PackageCheck, PackageCheck.package_id == Package.id)
        .where(Package.slug.in_(slugs), or_(Package.uploaded_by_id.is_(None), is_usable()))
        .order_by(Package.id.desc())
        .limit(VERSIONS_MAX)
    )
    return session.scalars(statement).all()


def with_attempts(session: Session) -> Sequence[Package]:
    """Return the packages that attempts have, by name, newest version first."""
    statement = (
        select(Package)
        .where(exists().where(Attempt.package_id == Package.id))
        .order_by(Package.slug, Package.id.desc())
        .limit(VERSIONS_MAX)
    )
    return session.scalars(statement).all()


def retired_among(session: Session, packages: Sequence[Package]) -> Package | None:
    """Return one of some packages that was uploaded and cannot be used any more."""
    statement = (
        select(Package)
        .join(PackageCheck, PackageCheck.package_id == Package.id)
        .where(Package.id.in_([package.id for package in packages]), ~is_usable())
        .order_by(Package.id)
        .limit(1)
    )
    return session.scalar(statement)


def is_usable() -> ColumnElement[bool]:
    """Return the condition under which a joined check lets its package be used."""
    return PackageCheck.is_accepted & PackageCheck.retired_at.is_(None)


def unchecked(session: Session) -> Sequence[int]:
    """Return the keys of the checks that wait, oldest first."""
    return session.scalars(
        select(PackageCheck.id).where(PackageCheck.checked_at.is_(None)).order_by(PackageCheck.id)
    ).all()


def in_use(session: Session) -> Sequence[Package]:
    """Return the uploaded packages that submissions may still be handed in for."""
    statement = select(Package).join(PackageCheck, PackageCheck.package_id == Package.id).where(is_usable())
    return session.scalars(statement.order_by(Package.id.desc())).all()


def check_to_make(session: Session, key: int) -> PackageCheck | None:
    """Return a check that waits, with its package; None when it is made."""
    statement = select(PackageCheck).filter_by(id=key, checked_at=None).options(joinedload(PackageCheck.package))
    return session.scalar(statement)


def set_check(session: Session, key: int, **values: object) -> bool:
    """Write into a check that is not made yet; return whether it was written."""
    statement = update(PackageCheck).where(PackageCheck.id == key, PackageCheck.checked_at.is_(None)).values(values)
    changed: int = session.connection().execute(statement).rowcount
    return changed == 1
