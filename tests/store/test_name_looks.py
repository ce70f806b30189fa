"""Names that were given before look-alikes were refused all stay, and the release before goes on working."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, text

from grader.store.migrate import downgrade, upgrade
from grader.store.session import make_engine, write_session

BEFORE: Final = "0004"
# name, key, and the look that it is given
OLD: Final = [
    ("ABC", "abc", "abc"),
    ("\u0410\u0412\u0421", "\u0430\u0432\u0441", None),  # Cyrillic: the first has the look
    ("\uff21bc", "\uff41bc", None),
    ("\u0410da", "\u0430da", "ada"),
    ("former user x", "\x01x", None),
    ("\ufdfa" * 60, "\ufdfa" * 60, None),  # longer than any new name can be
]
INSERT: Final = (
    "INSERT INTO user_account (public_id, name, name_key, is_interviewer, is_admin, epoch, created_at) "
    "VALUES (:public_id, :name, :name_key, false, false, 1, '2026-03-01 12:00:00+00:00')"
)


def add_as_before(engine: Engine, name: str, name_key: str) -> None:
    """Add an account as the release before does."""
    with write_session(engine) as session:
        session.execute(text(INSERT), {"public_id": f"id{hash(name_key) % 10**9}", "name": name, "name_key": name_key})


def looks(engine: Engine) -> list[tuple[str, str, str | None]]:
    statement = "SELECT name, name_key, name_look FROM user_account ORDER BY id"
    with engine.connect() as connection:
        return [(row.name, row.name_key, row.name_look) for row in connection.execute(text(statement))]


def test_every_old_account_stays_and_the_first_has_the_look(database_url: str) -> None:
    upgrade(database_url, BEFORE)
    engine = make_engine(database_url)
    for name, key, _ in OLD:
        add_as_before(engine, name, key)
    upgrade(database_url)
    assert looks(engine) == OLD
    downgrade(database_url, BEFORE)
    upgrade(database_url)
    assert looks(engine) == OLD
    engine.dispose()


def test_the_release_before_adds_accounts_beside_this_one(database_url: str) -> None:
    upgrade(database_url)
    engine = make_engine(database_url)
    for name in ("one", "two"):
        add_as_before(engine, name, name)
    assert looks(engine) == [("one", "one", None), ("two", "two", None)]
    engine.dispose()
