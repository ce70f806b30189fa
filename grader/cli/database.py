"""What the commands that use the database share: what its driver says becomes one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DatabaseError, OperationalError

from grader.errors import UserError
from grader.store.address import shown_address
from grader.store.sqlite_file import remedy_of

# serialization_failure, deadlock_detected, lock_not_available
_OTHERS_FIRST: Final = frozenset({"40001", "40P01", "55P03"})


@contextmanager
def clear_errors(url: str, remedy: str = "set GRADER_DATABASE_URL to another") -> Iterator[None]:
    """Turn errors of a database that cannot be used into one that says so.

    Args:
        url: the database's address.
        remedy: how another database is named.

    Raises:
        UserError: it cannot be reached, opened or written, the file is no database, or others were at work on the same.
    """
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise  # a statement that the database refuses is our own mistake
        if _is_others_turn(error):
            raise UserError(
                f"Somebody else was at work on the same in the database {shown_address(url)}, so nothing was changed; "
                "run the command again."
            ) from None
        reason = str(error.orig).strip().partition("\n")[0]
        first = remedy_of(error.orig) or "make it usable"
        raise UserError(f"The database {shown_address(url)} cannot be used ({reason}); {first}, or {remedy}.") from None


def _is_others_turn(error: DatabaseError) -> bool:
    """Whether a database works, but had to refuse a transaction in favour of another one."""
    code, name = (getattr(error.orig, attribute, None) for attribute in ("sqlstate", "sqlite_errorname"))
    return code in _OTHERS_FIRST or str(name).startswith("SQLITE_BUSY")
