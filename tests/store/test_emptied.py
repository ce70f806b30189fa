"""An emptied database is what a new one is."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.store.emptied import empty
from tests.store.test_populated import counts, fill

pytestmark = pytest.mark.services


def held(url: str) -> dict[str, object]:
    """Return every table's rows, those of the queue too, and where each key begins."""
    engine = make_engine(url)
    with engine.connect() as connection:
        tables = connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).all()
        rows = {name: connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in tables}
        keys = "SELECT sequencename, last_value FROM pg_sequences ORDER BY sequencename"
        found: dict[str, object] = {**rows, "keys": connection.execute(text(keys)).all()}
    engine.dispose()
    return found


def test_an_emptied_database_is_as_after_its_upgrade(postgres_url: str) -> None:
    upgrade(postgres_url)
    new = held(postgres_url)
    fill(postgres_url)
    assert set(counts(postgres_url).values()) == {1}
    empty(postgres_url)
    assert held(postgres_url) == new


def test_whoever_is_connected_does_not_hold_its_rows(postgres_url: str) -> None:
    upgrade(postgres_url)
    engine = make_engine(postgres_url)
    with engine.connect() as forgotten:
        forgotten.execute(text("LOCK TABLE user_account"))
        empty(postgres_url)
        forgotten.invalidate()
    engine.dispose()
