"""A database that takes no details of one submission: what judging finds of it can never be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Engine, text

from grader.store.session import write_session

REFUSED: Final = {
    "sqlite": [
        "create trigger refusing before insert on case_result when new.submission_id = {key} "
        "begin select raise(abort, 'refused'); end"
    ],
    "postgresql": [
        "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
        "create trigger refusing before insert on case_result for each row when (new.submission_id = {key}) "
        "execute function refuse()",
    ],
}
ALLOWED: Final = {"sqlite": ["drop trigger refusing"], "postgresql": ["drop function refuse() cascade"]}


@contextmanager
def refusing_details_of(engine: Engine, key: int) -> Iterator[None]:
    """Have the database refuse them until the block ends; other tests use it afterwards."""

    def execute(statements: list[str]) -> None:
        with write_session(engine) as session:
            for statement in statements:
                session.execute(text(statement.format(key=key)))

    execute(REFUSED[engine.dialect.name])
    try:
        yield
    finally:
        execute(ALLOWED[engine.dialect.name])
