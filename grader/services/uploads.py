"""Private packages: uploaded by interviewers, checked before anybody uses them, versions under one name, retired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage, NotFound, UserError
from grader.grading.check_report import Report, unpack
from grader.problems.loader import Problem, load_all
from grader.problems.uploads import read_upload
from grader.services import audit
from grader.services.packages import Packages
from grader.store import package_queries as queries
from grader.store.held import keep_user
from grader.store.interview_models import Interview, PackageCheck
from grader.store.models import Package, User
from grader.store.package_queries import Used
from grader.store.queries import add_package, archive_of, package_of

ARCHIVE_BYTES_MAX: Final = 3 << 20
UPLOADS_MAX: Final = 200  # of one interviewer
PAGE: Final = 50


class UnusablePackage(UserError):
    """What was uploaded is no package; every finding says what to change."""

    status = 422

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__(findings[0])
        self.findings = tuple(findings)


class NameTaken(UserError):
    """The problem's name is that of another package."""

    status = 409


@dataclass(frozen=True)
class Listed:
    """An uploaded package as the list shows it."""

    package: Package
    check: PackageCheck
    used: Used


@dataclass(frozen=True)
class Shown:
    """An uploaded package with everything that is known of it."""

    check: PackageCheck
    report: Report | None  # None: it is not checked yet
    uploader: User | None
    used: Used
    interviews: Sequence[Interview]  # those that the reader may read
    versions: Sequence[Package]  # others that can be used, newest first
    is_own: bool  # then the reader may retire it

    @property
    def package(self) -> Package:
        """What was uploaded."""
        return self.check.package


def require_uploader(user: User) -> None:
    """Make sure that a user may have packages.

    Raises:
        NotFound: neither interviewer nor admin.
    """
    if not (user.is_interviewer or user.is_admin):
        raise NotFound("There is no such page for you; an admin can give you an interviewer's rights.")


@dataclass(frozen=True)
class Read:
    """An archive that was read as a package."""

    problem: Problem
    archive: bytes  # as it is stored
    sent_bytes: int


def read(user: User, data: bytes, name: str, file_name: str) -> Read:
    """Read an archive as a package: a moment's work, for which nobody should hold the database.

    Raises:
        NotFound: the user may not have packages.
        UnusablePackage: it is no package.
    """
    require_uploader(user)
    if not data:
        raise UnusablePackage(["There is no archive in this request; choose a zip file."])
    if len(data) > ARCHIVE_BYTES_MAX:
        raise UnusablePackage(
            [f"The archive is larger than {ARCHIVE_BYTES_MAX >> 20} MiB; leave out what is not needed."]
        )
    try:
        problem = load_all(read_upload(data, name.strip(), file_name))
    except InvalidPackage as error:
        raise UnusablePackage(error.findings) from None
    return Read(problem, problem.files.archive(), len(data))


def upload(session: Session, user: User, sent: Read, packages: Packages, now: datetime) -> PackageCheck:
    """Store a package, which waits to be checked then; the same bytes again are the same package.

    Raises:
        NotFound: the user may not have packages, or their account is gone.
        NameTaken: a public problem or somebody else's package has this name, or these bytes another one.
        UserError: the user has too many.
    """
    require_uploader(user)
    problem = sent.problem
    keep_user(session, user.id)
    known = package_of(session, problem.sha256)
    if known is not None and known.uploaded_by_id == user.id and known.slug == problem.slug:
        return queries.check_of(session, user, problem.sha256)
    if known is not None or any(problem.sha256 == offered.sha256 for offered in packages.offered()):
        raise NameTaken("Exactly this package is here already, under another name or another person's; change it.")
    _check_name(session, user, problem.slug, packages)
    if queries.number_uploaded(session, user) >= UPLOADS_MAX:
        raise UserError(f"You have {UPLOADS_MAX} packages, which is the most; ask an admin.")
    package = add_package(
        session,
        Package(
            sha256=problem.sha256,
            slug=problem.slug,
            title=problem.spec.title,
            archive=sent.archive,
            created_at=now,
            uploaded_by_id=user.id,
        ),
    )
    check = PackageCheck(package=package)
    session.add(check)
    audit.record(session, user, "package.upload", _subject(package), now, slug=package.slug, bytes=sent.sent_bytes)
    return check


def _check_name(session: Session, user: User, slug: str, packages: Packages) -> None:
    if any(problem.slug == slug for problem in packages.offered()):
        raise NameTaken(f"{slug} is a problem that everybody can practise; give a private package another name.")
    newest = queries.newest_of(session, slug)
    if newest is not None and newest.uploaded_by_id != user.id:
        raise NameTaken(f"{slug} is the name of another package; choose another one.")


def _subject(package: Package) -> str:
    return f"package {package.sha256[:12]}"


def listed(session: Session, user: User, page: int) -> tuple[Sequence[Listed], int]:
    """Return a page of the packages that a user may see, and how many there are."""
    require_uploader(user)
    checks = queries.checks_of(session, user, (page - 1) * PAGE, PAGE)
    used = queries.used(session, [check.package for check in checks])
    return [Listed(check.package, check, used[check.package_id]) for check in checks], queries.number_of_checks(
        session, user
    )


def shown(session: Session, user: User, sha256: str) -> Shown:
    """Return an uploaded package with what its check found and where it is used.

    Raises:
        NotFound: there is none, or none for this user.
    """
    require_uploader(user)
    check = queries.check_of(session, user, sha256)
    package = check.package
    return Shown(
        check=check,
        report=None if check.report is None else unpack(check.report.encode()),
        uploader=queries.uploader(session, package),
        used=queries.used(session, [package])[package.id],
        interviews=queries.interviews_with(session, user, package),
        versions=[other for other in queries.usable_versions(session, [package.slug]) if other.id != package.id],
        is_own=user.is_admin or package.uploaded_by_id == user.id,
    )


def set_retired(session: Session, user: User, sha256: str, now: datetime, *, is_retired: bool) -> None:
    """Retire a package, so that no interview takes it any more, or take it back; where it is used it stays.

    Raises:
        NotFound: it is none of the user's.
    """
    require_uploader(user)
    check = queries.check_of(session, user, sha256, own=True, lock=True)
    check.retired_at = now if is_retired else None
    action = "package.retire" if is_retired else "package.restore"
    audit.record(session, user, action, _subject(check.package), now, slug=check.package.slug)


def check_again(session: Session, user: User, sha256: str, now: datetime) -> None:
    """Have a package that was not accepted checked once more.

    Raises:
        NotFound: it is none of the user's.
    """
    require_uploader(user)
    check = queries.check_of(session, user, sha256, own=True, lock=True)
    if check.checked_at is None or check.is_accepted:
        return
    check.checked_at, check.report, check.done, check.total = None, None, 0, 0
    audit.record(session, user, "package.check-again", _subject(check.package), now, slug=check.package.slug)


def download(session: Session, user: User, sha256: str, now: datetime) -> tuple[Package, bytes]:
    """Return an uploaded package's archive, from which the same package can be uploaded again.

    Raises:
        NotFound: there is none, or none for this user.
    """
    require_uploader(user)
    package = queries.check_of(session, user, sha256).package
    archive = archive_of(session, sha256)
    assert archive is not None  # the row holds it
    audit.record(session, user, "package.download", _subject(package), now, slug=package.slug)
    return package, archive
