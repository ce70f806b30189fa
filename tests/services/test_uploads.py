"""Private packages: taken, checked, used, retired; whose they are."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from grader.errors import NotFound, UserError
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.sandbox.pool import Pool
from grader.services import interviewers, interviews, uploads
from grader.services.background import Background
from grader.services.interview_settings import Chosen, UnusableSettings
from grader.services.packages import Packages
from grader.services.uploads import NameTaken, UnusablePackage
from grader.store.interview_models import AuditEntry, PackageCheck, Part
from grader.store.models import Package, User
from grader.store.session import read_session, write_session
from tests.archives import files_of, small_package, zipped
from tests.packages import SHIPPED
from tests.services.interviewing import make_interviewer, make_settings
from tests.services.made import NOON, make_candidate

SOUND = "causal-mask-late"  # of the shipped packages, one that passes its check


@pytest.fixture
def lead(engine: Engine) -> User:
    return make_interviewer(engine, "Lena")


def private(root: Path, statement: str = "Private.\n", **changes: str) -> bytes:
    """Return the archive of a small package that is no public one."""
    return zipped(small_package(root / "private", statement=statement, **changes), "mine")


def upload(engine: Engine, user: User, data: bytes, packages: Packages, name: str = "") -> Package:
    with write_session(engine) as session:
        return uploads.upload(session, user, uploads.read(user, data, name, "mine.zip"), packages, NOON).package


def accept(engine: Engine, package: Package) -> None:
    """Let a package pass as one whose check found nothing."""
    with write_session(engine) as session:
        check = session.scalars(select(PackageCheck).filter_by(package_id=package.id)).one()
        check.checked_at, check.is_accepted, check.report = NOON, True, None


def actions(engine: Engine) -> list[str]:
    with read_session(engine) as session:
        return [entry.action for entry in session.scalars(select(AuditEntry).order_by(AuditEntry.id))]


def test_an_upload_waits_for_its_check(engine: Engine, packages: Packages, lead: User, tmp_path: Path) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    with read_session(engine) as session:
        shown = uploads.shown(session, lead, package.sha256)
        listed, number = uploads.listed(session, lead, 1)
    assert (package.slug, package.title, package.uploaded_by_id) == ("mine", "Twice as much", lead.id)
    assert (shown.check.checked_at, shown.check.is_accepted, shown.report) == (None, False, None)
    assert ([row.package.id for row in listed], number) == ([package.id], 1)
    assert actions(engine)[-1] == "package.upload"


def test_the_same_bytes_are_the_same_package(engine: Engine, packages: Packages, lead: User, tmp_path: Path) -> None:
    first = upload(engine, lead, private(tmp_path), packages)
    assert upload(engine, lead, private(tmp_path), packages).id == first.id
    assert actions(engine).count("package.upload") == 1


def test_other_bytes_under_the_name_are_a_version(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path
) -> None:
    first = upload(engine, lead, private(tmp_path), packages)
    second = upload(engine, lead, private(tmp_path, "Corrected.\n"), packages)
    assert first.sha256 != second.sha256
    accept(engine, first)
    with read_session(engine) as session:
        assert [other.id for other in uploads.shown(session, lead, second.sha256).versions] == [first.id]


def test_what_is_no_package_says_why(engine: Engine, packages: Packages, lead: User, tmp_path: Path) -> None:
    with pytest.raises(UnusablePackage) as refused:
        upload(engine, lead, private(tmp_path, problem="title: [", faults="schema: 2"), packages)
    assert "problem.yaml line" in refused.value.findings[0]
    with pytest.raises(UnusablePackage, match="choose a zip file"):
        upload(engine, lead, b"", packages)
    with pytest.raises(UnusablePackage, match="larger than 3 MiB"):
        upload(engine, lead, b"x" * (3 << 20) + b"x", packages)
    with read_session(engine) as session:
        assert session.scalars(select(Package)).all() == []


def test_names_of_others_are_taken(engine: Engine, packages: Packages, lead: User, tmp_path: Path) -> None:
    with pytest.raises(NameTaken, match="twice is a problem that everybody can practise"):
        upload(engine, lead, private(tmp_path), packages, "twice")
    with pytest.raises(NameTaken, match="Exactly this package"):
        upload(engine, lead, zipped(files_of(tmp_path / "problems" / "twice")), packages, "mine")
    upload(engine, lead, private(tmp_path), packages)
    other = make_interviewer(engine, "Otto")
    with pytest.raises(NameTaken, match="mine is the name of another package"):
        upload(engine, other, private(tmp_path, "Other.\n"), packages)
    with pytest.raises(NameTaken, match="Exactly this package"):
        upload(engine, other, private(tmp_path), packages, "another-name")


def test_packages_are_their_owners(engine: Engine, packages: Packages, lead: User, tmp_path: Path) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    other, candidate = make_interviewer(engine, "Otto"), make_candidate(engine)
    for user in (other, candidate):
        with write_session(engine) as session:
            for ask in (uploads.shown, lambda s, u, h: uploads.download(s, u, h, NOON)):
                with pytest.raises(NotFound):
                    ask(session, user, package.sha256)
            with pytest.raises(NotFound):
                uploads.set_retired(session, user, package.sha256, NOON, is_retired=True)
    with pytest.raises(NotFound):
        upload(engine, candidate, private(tmp_path, "Mine.\n"), packages)
    admin = make_interviewer(engine, "Ada", is_admin=True)
    with read_session(engine) as session:
        assert uploads.shown(session, admin, package.sha256).package.id == package.id


def test_colleagues_in_an_interview_see_its_packages_and_change_none(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path
) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    accept(engine, package)
    settings = make_settings(packages, problems=(Chosen(package.sha256, "only"),))
    other = make_interviewer(engine, "Otto")
    with write_session(engine) as session:
        interview = interviews.create(session, lead, settings, packages, NOON)
        interviewers.set_part(session, lead, interview.public_id, "Otto", Part.REVIEWER, NOON)
    with write_session(engine) as session:
        shown = uploads.shown(session, other, package.sha256)
        assert (shown.is_own, shown.used.interviews, [row.id for row in shown.interviews]) == (False, 1, [interview.id])
        with pytest.raises(NotFound):
            uploads.set_retired(session, other, package.sha256, NOON, is_retired=True)


def test_only_an_accepted_package_that_is_not_retired_can_be_used(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path
) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    settings = make_settings(packages, problems=(Chosen(package.sha256, "only"),))

    def create() -> None:
        with write_session(engine) as session:
            interviews.create(session, lead, settings, packages, NOON)

    with pytest.raises(UnusableSettings):
        create()
    accept(engine, package)
    create()
    with write_session(engine) as session:
        uploads.set_retired(session, lead, package.sha256, NOON, is_retired=True)
    with pytest.raises(UnusableSettings):
        create()
    with write_session(engine) as session:
        uploads.set_retired(session, lead, package.sha256, NOON, is_retired=False)
    create()
    assert [action for action in actions(engine) if action.startswith("package.")] == [
        "package.upload",
        "package.retire",
        "package.restore",
    ]


def test_a_private_package_is_never_offered_for_practice(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path
) -> None:
    accept(engine, upload(engine, lead, private(tmp_path), packages))
    assert [problem.slug for problem in packages.offered()] == ["twice"]
    with pytest.raises(NotFound):
        packages.named("mine")


def test_nobody_has_more_than_so_many(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOADS_MAX", 1)
    upload(engine, lead, private(tmp_path), packages)
    with pytest.raises(UserError, match="You have 1 packages, which is the most"):
        upload(engine, lead, private(tmp_path, "Second.\n"), packages)


def test_an_archive_that_was_downloaded_is_the_same_package(
    engine: Engine, packages: Packages, lead: User, tmp_path: Path
) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    with write_session(engine) as session:
        _, archive = uploads.download(session, lead, package.sha256, NOON)
    assert upload(engine, lead, archive, packages, "mine").id == package.id
    assert actions(engine)[-1] == "package.download"


@pytest.fixture
def background(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages) -> Iterator[Background]:
    background = Background(engine, pool, cache, packages, lambda session, row: None)
    yield background
    background.close()


@pytest.mark.sandbox
def test_a_check_tells_what_is_wrong(
    engine: Engine, packages: Packages, lead: User, background: Background, tmp_path: Path
) -> None:
    package = upload(engine, lead, private(tmp_path), packages)
    assert background.turn()
    assert not background.turn()
    with read_session(engine) as session:
        shown = uploads.shown(session, lead, package.sha256)
    assert shown.report is not None
    assert (shown.check.is_accepted, shown.check.checked_at is None) == (False, False)
    assert len(shown.report.findings) > 3
    assert {source.path for source in shown.report.sources} >= {"submissions/accepted/reference.py"}
    assert actions(engine)[-1] == "package.check"
    with write_session(engine) as session:
        uploads.check_again(session, lead, package.sha256, NOON)
    assert background.turn()
    assert actions(engine)[-2:] == ["package.check-again", "package.check"]


@pytest.mark.sandbox
def test_package_code_runs_in_the_sandbox_alone(
    engine: Engine, packages: Packages, lead: User, background: Background, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    cases = (small_package(tmp_path / "x")["cases.py"]).decode() + f"\nopen({str(marker)!r}, 'w').close()\n"
    package = upload(engine, lead, private(tmp_path, cases=cases), packages)
    assert background.turn()
    assert not marker.exists()
    with read_session(engine) as session:
        report = uploads.shown(session, lead, package.sha256).report
    assert report is not None
    assert any("cases.py" in finding for finding in report.findings)


@pytest.mark.sandbox
def test_a_check_that_breaks_off_says_that_it_is_ours(
    engine: Engine,
    packages: Packages,
    lead: User,
    background: Background,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("grader.services.background.check_package", broken)
    package = upload(engine, lead, private(tmp_path), packages)
    with caplog.at_level(logging.ERROR):
        assert background.turn()
    with read_session(engine) as session:
        report = uploads.shown(session, lead, package.sha256).report
    assert report is not None
    assert report.findings == ("mine: the check broke off on our side (OSError); check it again.",)


@pytest.mark.sandbox
@pytest.mark.long
def test_a_sound_package_is_accepted(engine: Engine, packages: Packages, lead: User, background: Background) -> None:
    contents = dict(read_folder(SHIPPED / SOUND).contents)
    contents["submissions/accepted/another.py"] = contents["submissions/accepted/reference.py"] + b"\n# another\n"
    package = upload(engine, lead, zipped(contents), packages, "mine")
    assert background.turn()
    with read_session(engine) as session:
        shown = uploads.shown(session, lead, package.sha256)
    assert shown.report is not None
    assert shown.report.findings == ()
    assert shown.check.is_accepted
