"""A process with many threads that hand sources in at once, each time that it is told to; for tests of limits.

Run as `python -m tests.services.submitting URL USER ATTEMPT THREADS`; a line on its input starts a round, and a line on
its output says how many sources were taken and how many refused.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine

from grader.services import attempts
from grader.services.attempts import AttemptClosed
from grader.store.models import User
from grader.store.session import make_engine, read_session, write_session
from tests.services.made import after


def submit(engine: Engine, candidate: User, attempt: str, source: bytes, now: datetime) -> bool:
    """Hand a source in; return whether it was taken."""
    try:
        with write_session(engine) as session:
            attempts.submit(session, candidate, attempt, source, now)
    except AttemptClosed:
        return False
    return True


def start(url: str, user: int, attempt: str, threads: int) -> subprocess.Popen[str]:
    """Start such a process."""
    command = [sys.executable, "-m", "tests.services.submitting", url, str(user), attempt, str(threads)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)


def main(url: str, user: str, attempt: str, threads: str) -> None:
    """Answer one line after the other, until there is no more."""
    engine, number = make_engine(url), int(threads)
    with read_session(engine) as session:
        candidate = session.get_one(User, int(user))
    with ThreadPoolExecutor(number) as pool:
        for _ in sys.stdin:
            barrier = threading.Barrier(number)

            def one(place: int, barrier: threading.Barrier = barrier) -> bool:
                barrier.wait()
                return submit(engine, candidate, attempt, f"x = {place}\n".encode(), after(2))

            taken = list(pool.map(one, range(number)))
            print(taken.count(True), taken.count(False), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
