"""Who has a SQLite database in use: one web process, or the command that replaces the file."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from grader.errors import UserError
from grader.store.address import read_address
from grader.store.sqlite_place import require_folder

_POLL_S: Final = 0.1


class InUse(UserError):
    """Another process has the database."""


class Hold:
    """Keeps others away until it is let go or the process ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def let_go(self) -> None:
        """Let others have the database."""
        os.close(self._descriptor)


def hold(url: str, wait_s: float = 0.0) -> Hold | None:
    """Take a SQLite database for this process; None for a database that many processes may serve.

    Args:
        url: the database's address.
        wait_s: how long another process may take to let go, for example a server that is just ending.

    Raises:
        InUse: another process has it.
        UserError: the folder cannot be used, or the file beside the database cannot be made.
    """
    database = file_of(url)
    if database is None:
        return None
    require_folder(database)
    beside = database.with_name(f"{database.name}.lock")
    try:
        beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(beside, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UserError(f"The file {beside} cannot be made ({error.strerror}); choose another place.") from None
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return Hold(descriptor)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise InUse(f"A server uses the database {database}; stop it first.") from None
        time.sleep(_POLL_S)


def file_of(url: str) -> Path | None:
    """Return the file of a SQLite database, None for another kind."""
    parsed = read_address(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database:
        return None
    return Path(parsed.database).absolute()
