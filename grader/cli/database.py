"""What the commands that use the database share: what its driver says becomes one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, OperationalError

from grader.errors import UserError
from grader.store.address import shown_address


@contextmanager
def clear_errors(url: str, remedy: str = "set GRADER_DATABASE_URL to another") -> Iterator[None]:
    """Turn errors of a database that cannot be used into one that says so.

    Args:
        url: the database's address.
        remedy: how another database is named.

    Raises:
        UserError: it cannot be reached, opened or written, or the file is no database.
    """
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise  # a statement that the database refuses is our own mistake
        reason = str(error.orig).strip().partition("\n")[0]
        raise UserError(
            f"The database {shown_address(url)} cannot be used ({reason}); make it usable, or {remedy}."
        ) from None
