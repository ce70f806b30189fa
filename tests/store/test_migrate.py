"""The migrations build what the models say, on both databases, and take it away again."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from procrastinate.schema import SchemaManager
from sqlalchemy import inspect, select, text
from sqlalchemy.orm import Session

from grader.config import shipped
from grader.errors import UserError
from grader.store.base import Base
from grader.store.migrate import current, downgrade, upgrade
from grader.store.models import Submission
from grader.store.session import make_engine
from tests.store.rows import is_ours, make_attempt, make_candidate, make_package, make_submission


def tables(url: str) -> set[str]:
    engine = make_engine(url)
    try:
        return set(filter(is_ours, inspect(engine).get_table_names()))
    finally:
        engine.dispose()


def everything(url: str) -> set[str]:
    """Return the tables, functions and types that PostgreSQL has beside its own."""
    engine = make_engine(url)
    schema = "current_schema()::regnamespace"
    with engine.connect() as connection:
        found = connection.execute(
            text(
                f"SELECT relname FROM pg_class WHERE relnamespace = {schema} UNION "
                f"SELECT proname FROM pg_proc WHERE pronamespace = {schema} UNION "
                f"SELECT typname FROM pg_type WHERE typnamespace = {schema}"
            )
        )
        names = set(found.scalars())
    engine.dispose()
    return names


def is_compared(name: str | None, kind: str, parents: object) -> bool:
    return kind != "table" or is_ours(str(name))


def test_upgrade_builds_what_the_models_say(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True, "include_name": is_compared}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_constraints_have_the_names_of_the_models(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    inspector = inspect(engine)
    for table in Base.metadata.tables.values():
        found = {unique["name"] for unique in inspector.get_unique_constraints(table.name)}
        found |= {key["name"] for key in inspector.get_foreign_keys(table.name)}
        found.add(inspector.get_pk_constraint(table.name)["name"])
        assert found == {constraint.name for constraint in table.constraints}
    engine.dispose()


def test_upgrade_twice_changes_nothing(database_url: str) -> None:
    upgrade(database_url)
    first = current(database_url)
    upgrade(database_url)
    assert current(database_url) == first is not None


def test_downgrade_to_base_leaves_nothing_and_upgrade_works_again(database_url: str) -> None:
    upgrade(database_url)
    downgrade(database_url, "base")
    assert tables(database_url) == set()
    assert current(database_url) is None
    upgrade(database_url)
    assert tables(database_url) == set(Base.metadata.tables)


def test_findings_without_a_look_are_found_in_what_is_stored(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    stored = [
        '{"finding": {"sentence": "", "looked_up": false}}',
        '{"finding": {"sentence": ""}}',
        r'{"message": "\"looked_up\": false", "finding": {"sentence": ""}}',
        None,
    ]
    with Session(engine) as session, session.begin():
        attempt = make_attempt(session, make_candidate(session), make_package(session))
        for ordinal, judgement in enumerate(stored, 1):
            make_submission(session, attempt, ordinal).judgement = judgement
    downgrade(database_url, "0010")
    upgrade(database_url)
    with Session(engine) as session:
        marks = session.scalars(select(Submission.is_not_looked_up).order_by(Submission.ordinal)).all()
    engine.dispose()
    assert marks == [True, None, None, None]


def test_unknown_revision_is_one_clear_sentence(sqlite_url: str) -> None:
    with pytest.raises(UserError, match=r"cannot be migrated.*newest release"):
        upgrade(sqlite_url, "nosuch")
    assert tables(sqlite_url) == set()


def test_the_folder_of_a_new_database_is_private(tmp_path: Path) -> None:
    upgrade(f"sqlite:///{tmp_path / 'new' / 'grader.sqlite3'}")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.services
def test_downgrade_to_base_leaves_no_function_and_no_type(postgres_url: str) -> None:
    upgrade(postgres_url)
    assert "procrastinate_fetch_job_v2" in everything(postgres_url)
    downgrade(postgres_url, "base")
    assert everything(postgres_url) == {"alembic_version", "_alembic_version", "alembic_version_pkc"}


def test_the_queue_s_tables_are_those_of_the_release_that_is_installed() -> None:
    frozen = shipped("migrations").joinpath("procrastinate.sql").read_text()
    assert frozen.endswith(SchemaManager.get_schema())
