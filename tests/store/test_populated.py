"""Migrations of databases that hold rows: up, down and up again, on both databases, with every reference intact."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

import pytest
from sqlalchemy import Column, Engine, MetaData, Table, func, insert, select, types

from grader.store.migrate import current, downgrade, revisions, upgrade
from grader.store.session import make_engine, write_session
from tests.store.rows import NOON, is_ours

FIRST: Final = "0001"
OLDER: Final = sorted(revisions())[-2::-1]  # newest first
_words = count(1)


_reflected: Final[dict[tuple[str, str | None], list[Table]]] = {}


def reflected(engine: Engine) -> list[Table]:
    """Return the tables that there are, those first that others name; a schema is looked at once, for it takes long."""
    url = engine.url.render_as_string(hide_password=False)
    schema = engine.dialect.name, current(url)
    if schema not in _reflected:
        metadata = MetaData()
        metadata.reflect(engine)
        _reflected[schema] = [table for table in metadata.sorted_tables if is_ours(table.name)]
    return _reflected[schema]


def counts(url: str) -> dict[str, int]:
    """Return how many rows each table has."""
    engine = make_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in reflected(engine)
        }
    engine.dispose()
    return found


def fill(url: str) -> None:
    """Put one more row into every table, with every reference set; the database gives the keys."""
    engine = make_engine(url)
    keys: dict[str, Any] = {}
    with write_session(engine) as session:
        for table in reflected(engine):
            row = {column.name: value(column, keys) for column in table.columns if column.name != "id"}
            made = session.connection().execute(insert(table).values(row)).inserted_primary_key
            assert made is not None
            keys[table.name] = made[0]
    engine.dispose()


def value(column: Column[Any], keys: Mapping[str, Any]) -> object:
    """Return a value that a column takes."""
    for reference in column.foreign_keys:
        return keys.get(reference.column.table.name)
    if column.name == "mode":
        return "practice"
    if isinstance(column.type, types.Boolean):
        return False
    if isinstance(column.type, types.Integer):
        return next(_words)
    if isinstance(column.type, types.Numeric | types.Float):
        return 0.5
    if isinstance(column.type, types.DateTime):
        return NOON
    if isinstance(column.type, types.LargeBinary):
        return b"\0bytes"
    longest = getattr(column.type, "length", None) or 20
    return f"{next(_words)}"[:longest]


def broken_references(url: str) -> list[Any]:
    """Return the references that lead nowhere; PostgreSQL lets none come into being."""
    engine = make_engine(url)
    with engine.connect() as connection:
        found = list(connection.exec_driver_sql("PRAGMA foreign_key_check")) if engine.dialect.name == "sqlite" else []
    engine.dispose()
    return found


def renamed(found: dict[str, int]) -> dict[str, int]:
    """Return counts under the names of newer tables."""
    return {"user_account" if name == "candidate" else name: number for name, number in found.items()}


def test_a_database_of_the_first_revision_goes_up_with_its_rows(database_url: str) -> None:
    upgrade(database_url, FIRST)
    fill(database_url)
    fill(database_url)
    before = renamed(counts(database_url))
    assert set(before.values()) == {2}
    upgrade(database_url)
    after = counts(database_url)
    assert {name: after[name] for name in before} == before
    assert broken_references(database_url) == []
    fill(database_url)
    assert set(counts(database_url).values()) <= {1, 3}


@pytest.mark.parametrize(
    # SQLite, which rebuilds each table to change it, has more to lose
    "database_url",
    ["sqlite", pytest.param("postgres", marks=[pytest.mark.services, pytest.mark.long])],
    indirect=True,
)
def test_a_full_database_goes_down_and_up_again_with_what_older_schemas_hold(database_url: str) -> None:
    upgrade(database_url)
    assert OLDER[-1] == FIRST
    for revision in OLDER:  # each time with what the schemas before held
        fill(database_url)
        fill(database_url)
        full = counts(database_url)
        assert min(full.values()) >= 2
        downgrade(database_url, revision)
        older = renamed(counts(database_url))
        assert older == {name: full[name] for name in older}
        assert broken_references(database_url) == []
        fill(database_url)
        fuller = renamed(counts(database_url))
        assert fuller == {name: number + 1 for name, number in older.items()}
        upgrade(database_url)
        after = counts(database_url)
        assert {name: after[name] for name in fuller} == fuller
        assert broken_references(database_url) == []
    downgrade(database_url, "base")
    upgrade(database_url)
    fill(database_url)
    fill(database_url)
    assert set(counts(database_url).values()) == {2}
