"""What a process makes once for all its tests: an upgraded database, and the engine of an address."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import Engine

from grader.store.migrate import upgrade
from grader.store.session import BUSY_S, make_engine

made_once = cache(make_engine)


@contextmanager
def kept_engine(url: str, busy_s: float = BUSY_S) -> Iterator[Engine]:
    """Give the engine of an address: what it compiled for one test serves the next.

    So do a server's connections, unless a test left one open. Those to a file end: the next test has another file.
    """
    engine = made_once(url, busy_s)
    yield engine
    if engine.dialect.name == "sqlite" or engine.pool.checkedout():  # type: ignore[attr-defined]
        engine.dispose()


def at_one_address(file: Path, place: Path | None = None) -> str:
    """Return an address of a test's own SQLite file that is the same for every test with this place."""
    place = place or upgraded_once().with_name("standing")
    place.unlink(missing_ok=True)
    place.symlink_to(file.parent, target_is_directory=True)
    return f"sqlite:///{place / file.name}"


@cache
def upgraded_once() -> Path:
    """Return an upgraded SQLite database, to be copied."""
    folder = Path(tempfile.mkdtemp(prefix="upgraded-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    upgrade(f"sqlite:///{folder}/grader.sqlite3")
    return folder / "grader.sqlite3"
