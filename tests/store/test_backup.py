"""A copy is made while others write, and put back only while nobody uses the database."""

from __future__ import annotations

import random
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.engine import make_url

from grader.errors import UserError
from grader.store import lock
from grader.store.backup import backup, restore
from grader.store.credential_models import WebSession
from grader.store.migrate import current, upgrade
from grader.store.models import User
from grader.store.session import make_engine, read_session, write_session
from tests.store.rows import NOON, make_candidate, minutes_later


@pytest.fixture
def url(sqlite_url: str) -> str:
    upgrade(sqlite_url)
    return sqlite_url


def add(url: str, *names: str) -> None:
    engine = make_engine(url)
    for name in names:
        with write_session(engine) as session:
            make_candidate(session, name)
    engine.dispose()


def names(url: str) -> list[str]:
    engine = make_engine(url)
    with read_session(engine) as session:
        found = list(session.scalars(select(User.name).order_by(User.id)))
    engine.dispose()
    return found


def at(path: Path) -> str:
    return f"sqlite:///{path}"


def test_a_copy_is_put_back_and_what_was_there_is_kept(url: str, tmp_path: Path) -> None:
    add(url, "Ada")
    backup(url, tmp_path / "copy")
    add(url, "Eve")
    kept = restore(url, tmp_path / "copy")
    assert kept == tmp_path / "grader.sqlite3.before-restore"
    assert (names(url), names(at(kept))) == (["Ada"], ["Ada", "Eve"])
    assert restore(url, kept) == tmp_path / "grader.sqlite3.before-restore-2"
    assert names(url) == ["Ada", "Eve"]


def test_a_copy_is_private_and_one_file(url: str, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    backup(url, tmp_path / "copies" / "copy")
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["copy"]
    assert stat.S_IMODE((tmp_path / "copies" / "copy").stat().st_mode) == 0o600


def test_a_restored_database_is_private(url: str, tmp_path: Path) -> None:
    backup(url, tmp_path / "copy")
    (tmp_path / "copy").chmod(0o644)
    restore(url, tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "grader.sqlite3").stat().st_mode) == 0o600


def test_a_file_that_is_there_is_replaced_only_by_force(url: str, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    target.write_text("mine")
    with pytest.raises(UserError, match=r"exists already; .*--force"):
        backup(url, target)
    assert target.read_text() == "mine"
    backup(url, target, force=True)
    assert current(at(target)) == current(url)


def test_a_copy_made_while_others_write_is_of_one_moment(url: str, tmp_path: Path) -> None:
    stop = threading.Event()
    engine = make_engine(url)

    def write_pairs() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with write_session(engine) as session:
                make_candidate(session, f"{number} left {'x' * 40}")
                make_candidate(session, f"{number} right")

    writers = [threading.Thread(target=write_pairs, daemon=True)]
    add(url, *[f"filler {number}" for number in range(50)])
    for writer in writers:
        writer.start()
    for number in range(20):
        backup(url, tmp_path / f"copy-{number}")
    stop.set()
    for writer in writers:
        writer.join()
    engine.dispose()
    counts = [len(names(at(tmp_path / f"copy-{number}"))) for number in range(20)]
    assert all(count % 2 == 0 for count in counts)
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_a_database_in_use_is_not_replaced(url: str, tmp_path: Path) -> None:
    backup(url, tmp_path / "copy")
    add(url, "Ada")
    held = lock.hold(url)
    assert held is not None
    with pytest.raises(lock.InUse, match=r"A server uses the database .*; stop it first\."):
        restore(url, tmp_path / "copy")
    assert names(url) == ["Ada"]
    held.let_go()
    restore(url, tmp_path / "copy")
    assert names(url) == []


def test_one_process_has_a_database(url: str) -> None:
    first = lock.hold(url)
    with pytest.raises(lock.InUse):
        lock.hold(url, wait_s=0.3)
    assert first is not None
    timer = threading.Timer(0.2, first.let_go)
    timer.start()
    second = lock.hold(url, wait_s=20)
    assert second is not None
    second.let_go()
    timer.join()


@pytest.fixture
def older(url: str, tmp_path: Path) -> Path:
    """A copy of a database of the first revision."""
    backup(url, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    return tmp_path / "copy"


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE something (x)")


def damaged(path: Path, seed: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4000] = random.Random(seed).randbytes(4000)
    path.write_bytes(content)


def test_a_newer_database_is_refused(url: str, older: Path) -> None:
    with pytest.raises(UserError, match=r"is of a revision that this release does not know \(9999\)"):
        restore(url, older)
    assert current(url) != "9999"


def test_a_file_that_is_no_copy_is_refused(url: str, tmp_path: Path) -> None:
    add(url, "Ada")
    before = (tmp_path / "grader.sqlite3").read_bytes()
    text, other, broken = tmp_path / "text", tmp_path / "other", tmp_path / "broken"
    text.write_text("nothing of the kind " * 100)
    foreign(other)
    backup(url, broken)
    damaged(broken)
    for file in (text, other, broken, tmp_path / "grader.sqlite3"):
        with pytest.raises(UserError) as refused:
            restore(url, file)
        assert refused.value.message.count("\n") == 0
    assert (tmp_path / "grader.sqlite3").read_bytes() == before
    assert not list(tmp_path.glob("*before-restore*"))


@pytest.mark.parametrize("seed", range(20))  # what SQLite tells of half of them is no UTF-8, for it quotes the file
def test_a_damaged_copy_is_refused(url: str, tmp_path: Path, seed: int) -> None:
    copy = tmp_path / "copy"
    backup(url, copy)
    damaged(copy, seed)
    with pytest.raises(UserError, match=r"is damaged \(.+\)|cannot be read as a database of the grader \(.+\)"):
        restore(url, copy)
    assert names(url) == []


def test_sessions_do_not_come_back(url: str, tmp_path: Path) -> None:
    engine = make_engine(url)
    with write_session(engine) as session:
        user = make_candidate(session)
        session.add(
            WebSession(
                token_sha256="a" * 64,
                user_id=user.id,
                epoch=1,
                device="",
                created_at=NOON,
                seen_at=NOON,
                expires_at=minutes_later(60),
            )
        )
    engine.dispose()
    backup(url, tmp_path / "copy")
    restore(url, tmp_path / "copy")
    with read_session(engine) as session:
        assert (session.query(User).count(), session.query(WebSession).count()) == (1, 0)
    engine.dispose()


def test_a_damaged_database_is_replaced_and_kept(url: str, tmp_path: Path) -> None:
    add(url, "Ada")
    backup(url, tmp_path / "copy")
    (tmp_path / "grader.sqlite3").write_bytes(b"damaged" * 1000)
    kept = restore(url, tmp_path / "copy")
    assert names(url) == ["Ada"]
    assert kept is not None
    assert kept.read_bytes().startswith(b"damaged")


def test_a_full_place_leaves_nothing_half(url: str) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        backup(url, Path("/proc/nowhere/copy"))


def test_there_is_nothing_to_copy_before_the_first_start(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no database at"):
        backup(at(tmp_path / "none"), tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def dumped(postgres_url: str, tmp_path: Path) -> Path:
    upgrade(postgres_url)
    add(postgres_url, "Ada")
    backup(postgres_url, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.services
@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_postgres_is_copied_by_its_own_program(dumped: Path) -> None:
    assert dumped.read_bytes().startswith(b"PGDMP")
    assert stat.S_IMODE(dumped.stat().st_mode) == 0o600


@pytest.fixture
def oddly_named(postgres_server: str) -> Iterator[str]:
    """The address of a database whose name, owner and password have to be quoted."""
    url = make_url(postgres_server)
    name, owner, password = "a 'name' + 50 %", "o'wner d+d/e@f", "p@ss w/o:%r=d\\'"
    engine = make_engine(postgres_server).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'CREATE ROLE "{owner}" LOGIN SUPERUSER')
        connection.exec_driver_sql(f'CREATE DATABASE "{name.replace("%", "%%")}"')
    yield url.set(database=name, username=owner, password=password).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.exec_driver_sql(f'DROP DATABASE "{name.replace("%", "%%")}" WITH (FORCE)')
        connection.exec_driver_sql(f'DROP ROLE "{owner}"')
    engine.dispose()


@pytest.mark.services
@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_names_that_have_to_be_quoted_are_copied(oddly_named: str, tmp_path: Path) -> None:
    upgrade(oddly_named)
    backup(oddly_named, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes().startswith(b"PGDMP")


@pytest.mark.services
def test_without_pg_dump_the_message_says_what_to_install(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="pg_dump, which is not installed here; install"):
        backup(postgres_url, tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.services
def test_postgres_is_put_back_by_its_own_program(postgres_url: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="use pg_restore"):
        restore(postgres_url, tmp_path / "copy")
