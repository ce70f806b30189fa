"""`grader worker` as people run it, and rows for it to judge."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, select, text

from grader.grading.verdict import Verdict
from grader.services.packages import Packages
from grader.store.models import SampleRun, Submission
from grader.store.session import read_session, write_session
from grader.workers.dispatch import Deferring
from tests.packages import CACHE_VARIABLE
from tests.processes import wait_until
from tests.services.made import make_attempt, make_candidate

ROOT: Final = Path(__file__).parents[2]
GRADER: Final = Path(sys.executable).with_name("grader")
START_S: Final = 60.0
END_S: Final = 60.0
SLOW: Final = b"import time\n\n\ndef twice(x):\n    time.sleep(0.4)\n    return x * 2\n"


@dataclass
class Worker:
    """A process of its own."""

    process: subprocess.Popen[bytes]
    alive: Path
    log: Path

    def wait_until_alive(self) -> None:
        """Wait until it takes jobs."""
        wait_until(lambda: self.alive.exists() or self.process.poll() is not None, START_S)
        assert self.alive.exists(), self.log.read_text()

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(END_S)

    def stop(self) -> int:
        """End it as an operator does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(END_S)


@dataclass
class Workers:
    """Starts workers on a database, each with files of its own."""

    url: str
    problems: Path
    folder: Path
    started: list[Worker] = field(default_factory=list)

    def start(self, *options: str, url: str = "", under: Sequence[str] = (), **settings: str) -> Worker:
        """Start one, by the command `under` where there is one, without waiting for it."""
        number = len(self.started)
        alive, log = self.folder / f"alive-{number}", self.folder / f"worker-{number}.log"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GRADER_")},
            "HOME": str(self.folder),
            "GRADER_CACHE": os.environ.get(CACHE_VARIABLE, str(self.folder / "cache")),
            "GRADER_DATA": str(self.folder / "data"),
            "GRADER_PROBLEMS": str(self.problems),
            "GRADER_DATABASE_URL": url or self.url,
            **settings,
        }
        command: list[str | Path] = [*under, GRADER, "worker", "--alive", alive, *options]
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, cwd=ROOT, env=environment)
        self.started.append(Worker(process, alive, log))
        return self.started[-1]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        running = [worker for worker in self.started if worker.process.poll() is None]
        for worker in running:
            worker.process.send_signal(signal.SIGTERM)
        for worker in running:
            worker.process.wait(END_S)


@dataclass
class Queue:
    """Rows and their jobs as a web process stores them."""

    engine: Engine
    url: str
    packages: Packages

    def __post_init__(self) -> None:
        self.attempt = make_attempt(self.engine, self.packages, make_candidate(self.engine))

    def hand_in(self, source: bytes, *, has_job: bool = True) -> int:
        """Store a submission, with its job or without; return its key."""
        with write_session(self.engine) as session:
            number = len(session.scalars(select(Submission.id)).all()) + 1
            row = Submission(attempt_id=self.attempt.id, ordinal=number, source=source, created_at=datetime.now(UTC))
            session.add(row)
            session.flush()
            if has_job:
                Deferring(self.url).dispatch(session, row)
            return row.id

    def run_samples(self, source: bytes) -> int:
        """Store a sample run with its job; return its key."""
        with write_session(self.engine) as session:
            row = SampleRun(attempt_id=self.attempt.id, ordinal=1, source=source, created_at=datetime.now(UTC))
            session.add(row)
            Deferring(self.url).dispatch(session, row)
            return row.id

    def verdict(self, key: int, table: type[Submission] | type[SampleRun] = Submission) -> Verdict | None:
        with read_session(self.engine) as session:
            return session.scalar(select(table.verdict).filter_by(id=key))

    def jobs(self, task: str = "grader.judge") -> list[tuple[str, int]]:
        """Return state and number of attempts of every job that is stored."""
        statement = text("SELECT status::text, attempts FROM procrastinate_jobs WHERE task_name = :task ORDER BY id")
        with read_session(self.engine) as session:
            return [(status, attempts) for status, attempts in session.execute(statement, {"task": task})]

    def is_judged(self, key: int, seconds: float = 30.0) -> bool:
        """Whether a submission gets its verdict in time."""
        return wait_until(lambda: self.verdict(key) is not None, seconds)

    def is_under_way(self) -> bool:
        """Whether a worker begins a job in time."""
        return wait_until(lambda: ("doing", 0) in self.jobs(), 30.0)
