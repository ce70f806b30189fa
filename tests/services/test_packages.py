"""Problems come from the folder while the hash agrees, and from the kept archive afterwards."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy import Engine, update

from grader.errors import InvalidPackage, NotFound
from grader.problems.files import read_folder
from grader.problems.loader import load_all
from grader.services import packages as module
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Package
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after
from tests.services.tiny_package import SLUG, write_package


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRESH_S", -1.0)


def test_the_tiny_package_is_valid(problems: Path) -> None:
    load_all(read_folder(problems / SLUG))


def test_a_change_in_the_folder_is_seen(problems: Path, packages: Packages) -> None:
    before = packages.named(SLUG)
    assert packages.named(SLUG) is before
    write_package(problems, statement="Changed.\n")
    assert packages.named(SLUG).statement == "Changed.\n"


def test_a_broken_package_is_logged_once_and_left_out(
    problems: Path, packages: Packages, caplog: pytest.LogCaptureFixture
) -> None:
    write_package(problems, interview="schema: 1\n")
    with caplog.at_level(logging.ERROR):
        assert packages.offered() == []
        assert packages.offered() == []
    assert len(caplog.records) == 1
    with pytest.raises(NotFound):
        packages.named(SLUG)


def test_a_missing_folder_offers_nothing(tmp_path: Path) -> None:
    assert Packages(tmp_path / "nowhere").offered() == []


def test_remembered_once(engine: Engine, packages: Packages) -> None:
    keys = set()
    for minutes in range(2):
        with write_session(engine) as session:
            keys.add(packages.remember(session, packages.named(SLUG), after(minutes)).id)
    assert len(keys) == 1


def test_a_package_inserted_meanwhile_is_found(engine: Engine, packages: Packages) -> None:
    def row() -> Package:
        return Package(sha256="a" * 64, slug=SLUG, title="x", archive=b"", created_at=NOON)

    with write_session(engine) as session:
        first = queries.add_package(session, row())
        assert queries.add_package(session, row()).id == first.id


def test_an_attempt_keeps_its_package_when_the_folder_changes(
    engine: Engine, problems: Path, packages: Packages
) -> None:
    with write_session(engine) as session:
        package = packages.remember(session, packages.named(SLUG), NOON)
    write_package(problems, statement="Changed.\n")
    for reader in (packages, Packages(problems)):
        with read_session(engine) as session:
            pinned = reader.pinned(session, package)
            assert pinned.sha256 == package.sha256
            assert "Repair" in pinned.statement
            assert reader.pinned(session, package) is pinned


def test_a_damaged_archive_is_our_fault(engine: Engine, problems: Path, packages: Packages) -> None:
    with write_session(engine) as session:
        package = packages.remember(session, packages.named(SLUG), NOON)
        other = load_all(read_folder(problems / SLUG)).files
        changed = type(other)(SLUG, {**other.contents, "statement.md": b"other"}).archive()
    write_package(problems, statement="Changed.\n")
    for archive in (b"no archive", changed):
        with write_session(engine) as session:
            session.execute(update(Package).values(archive=archive))
        with read_session(engine) as session, pytest.raises(InvalidPackage):
            Packages(problems).pinned(session, package)


def test_only_the_newest_problems_stay_loaded(
    engine: Engine, problems: Path, packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOADED_MAX", 1)
    rows = []
    for text in ("One.\n", "Two.\n"):
        write_package(problems, statement=text)
        with write_session(engine) as session:
            rows.append(packages.remember(session, packages.named(SLUG), NOON))
    with read_session(engine) as session:
        first = packages.pinned(session, rows[0])
        packages.pinned(session, rows[1])
        assert packages.pinned(session, rows[0]) is not first
