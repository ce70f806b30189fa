"""Brings a database's tables to a revision; Alembic, configured here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, text

from grader.config import shipped
from grader.errors import UserError
from grader.store import batch_models as batch_models  # their tables belong to the schema
from grader.store import credential_models as credential_models
from grader.store import lock
from grader.store.session import make_engine
from grader.store.sqlite_place import require_file
from grader.wording import counted, plural

_LOCK: Final = 0x67726164  # any fixed number: one migration at a time


def upgrade(url: str, revision: str = "head", scripts: Path | None = None) -> None:
    """Bring the database to a revision, the newest by default; a database that is there already is left alone.

    Raises:
        UserError: the revision is unknown, for example because a newer release has upgraded this database, or the
            SQLite file is another program's.
    """
    with _configured(url, scripts) as config, _clear_errors():
        _require_ours(config.attributes["connection"], url)
        command.upgrade(config, revision)


def downgrade(url: str, revision: str, scripts: Path | None = None) -> None:
    """Take the database back to a revision; `base` removes every table.

    Raises:
        UserError: the revision is unknown, or a server uses the SQLite database.
    """
    held = lock.hold(url)
    try:
        with _configured(url, scripts) as config, _clear_errors():
            command.downgrade(config, revision)
    finally:
        if held is not None:
            held.let_go()


def current(url: str) -> str | None:
    """Return the revision that the database is at, None when it has no tables or is not there, which it stays.

    Raises:
        UserError: its place cannot be used, or what stands there in place of a revision is none.
    """
    file = lock.file_of(url)
    if file is not None:
        require_file(file)
        if not file.exists():
            return None
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            return _revision_of(connection)
    finally:
        engine.dispose()


def revisions() -> frozenset[str]:
    """Return every revision that this release knows."""
    config = Config()
    _set_scripts(config, None)
    return frozenset(script.revision for script in ScriptDirectory.from_config(config).walk_revisions())


def require_newest(url: str, upgrade_by: str = "grader db upgrade") -> None:
    """Make sure that the database is at this release's revision, without changing it.

    Args:
        url: the database's address.
        upgrade_by: the command that brings it there.

    Raises:
        UserError: it is not.
    """
    config = Config()
    _set_scripts(config, None)
    newest, found = ScriptDirectory.from_config(config).get_current_head(), current(url)
    if found == newest:
        return
    told = f"The database is at revision {found or 'none'}, this release needs {newest}"
    if found is None or found in revisions():
        raise UserError(f"{told}; run: {upgrade_by}")
    raise UserError(f"{told}; start the release that has upgraded it.")


def _revision_of(connection: Connection) -> str | None:
    found: tuple[object, ...] = MigrationContext.configure(connection).get_current_heads()
    if not found:
        return None
    if len(found) > 1 or not isinstance(found[0], str):
        raise UserError("The database names no single revision, as every release leaves one; restore a backup.")
    return found[0]


def _require_ours(connection: Connection, url: str) -> None:
    """Refuse a SQLite file in which another program keeps its tables."""
    if connection.dialect.name != "sqlite" or _revision_of(connection) is not None:
        return
    statement = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> :own"
    if connection.execute(text(statement), {"own": "alembic_version"}).scalar_one():
        raise UserError(f"The database {lock.file_of(url)} holds another program's tables; name a file of its own.")


def _set_scripts(config: Config, scripts: Path | None) -> None:
    folder = str(scripts or shipped("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "os")


@contextmanager
def _configured(url: str, scripts: Path | None) -> Iterator[Config]:
    config = Config()
    _set_scripts(config, scripts)
    engine = make_engine(url)
    try:
        # all or nothing: both databases can change tables within a transaction
        with engine.execution_options(writes=True).connect() as connection:
            _let_tables_be_rebuilt(connection)
            with connection.begin():
                _lock(connection)
                config.attributes["connection"] = connection
                yield config
                _check_references(connection)
    finally:
        engine.dispose()


def _let_tables_be_rebuilt(connection: Connection) -> None:
    """Stop SQLite's checks of references: to change a table it is copied and dropped, which rows of others name."""
    if connection.dialect.name == "sqlite":
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("PRAGMA foreign_keys = OFF")  # does nothing within a transaction


def _check_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
        if broken:
            number = len(broken)
            raise UserError(
                f"The database was left as it is: {counted(number, 'row')} {plural(number, 'names')} others "
                f"that are missing (first in the table {broken[0][0]}); restore a backup, or remove those rows."
            )


def _lock(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})


@contextmanager
def _clear_errors() -> Iterator[None]:
    try:
        yield
    except CommandError as error:
        raise UserError(f"The database cannot be migrated: {error}. Check that this is the newest release.") from None
