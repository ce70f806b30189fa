"""What one submission costs each part of the scaled form: web process, database, worker.

    .venv/bin/python -m tests.bench.scaled [--submissions 1500] [--per-s 15]

PostgreSQL, a gunicorn of two processes and two workers of one lane, all on this machine, with the load beside them.
Submissions come at a steady rate that leaves every part some rest; each part's processor time is read from the kernel
before and after, with that of the children it has waited for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy import Engine, func, select, text

from grader.store.migrate import upgrade
from grader.store.models import Submission
from grader.store.session import make_engine, read_session
from tests.bench.loopback import Candidate, make_candidates, percentile
from tests.bench.serving import SLUG, SOURCES, VARIANT
from tests.processes import children_of
from tests.store.postgres import find_binaries, running_server
from tests.web.serving import ROOT, address, start
from tests.workers.working import Workers

CANDIDATES: Final = 120
TICKS: Final = os.sysconf("SC_CLK_TCK")
JUDGED_S: Final = 600.0


@dataclass(frozen=True)
class Parts:
    """The running form."""

    web: int
    workers: list[int]
    database: int
    engine: Engine
    base: str

    def cpu(self) -> dict[str, float]:
        """Return the processor seconds that each part has used."""
        while True:
            with contextlib.suppress(FileNotFoundError):  # a child ended meanwhile, and counts for its parent now
                return {
                    "web": _cpu(self.web),
                    "worker": sum(map(_cpu, self.workers)),
                    "database": _cpu(self.database),
                }

    def waiting(self) -> int:
        with read_session(self.engine) as session:
            return session.scalar(select(func.count(Submission.id)).where(Submission.verdict.is_(None))) or 0


def _cpu(pid: int) -> float:
    """Return the processor seconds of a process, its living descendants, and the children that they waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / TICKS
    return own + sum(map(_cpu, children_of(pid)))


@contextmanager
def running(folder: Path) -> Iterator[Parts]:
    """Run the scaled form until the block ends."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL is not installed here (Debian: apt-get install postgresql).")
    problems = folder / "problems"  # this one alone, so that nothing else is prepared meanwhile
    for name in (SLUG, "_standard"):
        shutil.copytree(ROOT / "problems" / name, problems / name)
    with running_server(binaries) as url:
        upgrade(url)
        engine = make_engine(url)
        with engine.connect() as connection:
            backend: int = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        database = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
        options = ["--processes=2"]
        web = start(folder / "web", problems, options=options, GRADER_DATABASE_URL=url, GRADER_JUDGING="workers")
        try:
            base = address(web, folder / "web" / "server.log")
            with Workers(url, problems, folder) as workers:
                for _ in range(2):
                    workers.start("--jobs=1").wait_until_alive()
                yield Parts(web.pid, [each.process.pid for each in workers.started], database, engine, base)
        finally:
            web.send_signal(signal.SIGTERM)
            try:
                web.wait(60)
            except subprocess.TimeoutExpired:
                web.kill()
            engine.dispose()


def until(condition: Callable[[], bool], seconds: float = JUDGED_S) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("the form did not come to rest")
        time.sleep(0.05)


def settle(parts: Parts) -> None:
    """Wait until nothing is judged and nothing is prepared: two seconds in which the workers use next to nothing."""
    quiet = 0
    while quiet < 4:
        before = parts.cpu()["worker"]
        time.sleep(0.5)
        quiet = quiet + 1 if parts.cpu()["worker"] - before < 0.1 else 0


async def hand_in(candidates: list[Candidate], number: int, per_s: float) -> list[float]:
    """Hand so many in at a steady rate; return how long each took to be accepted."""
    times = []
    start_at = time.perf_counter() + 0.1
    people, sources = itertools.cycle(candidates), itertools.cycle(SOURCES)

    async def one(candidate: Candidate, source: str, due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        reply = await candidate.submit(source)
        assert reply.status == 303, reply
        times.append(reply.seconds)

    await asyncio.gather(*(one(next(people), next(sources), start_at + i / per_s) for i in range(number)))
    return times


def measure(parts: Parts, number: int, per_s: float) -> dict[str, Any]:
    """Return the figures."""
    found = urlsplit(parts.base)
    assert found.hostname
    assert found.port
    candidates = make_candidates(parts.engine, found.hostname, found.port, CANDIDATES)

    async def run() -> dict[str, Any]:
        for candidate in candidates:
            await candidate.start(SLUG, VARIANT)
        await hand_in(candidates, 2, per_s)
        await asyncio.to_thread(until, lambda: parts.waiting() == 0)
        await asyncio.to_thread(settle, parts)
        before, began = parts.cpu(), time.perf_counter()
        times = await hand_in(candidates, number, per_s)
        await asyncio.to_thread(until, lambda: parts.waiting() == 0)
        seconds = time.perf_counter() - began
        used = {name: 1000 * (value - before[name]) / number for name, value in parts.cpu().items()}
        for candidate in candidates:
            await candidate.close()
        with parts.engine.connect() as connection:
            size: int = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        return {
            "submissions": number,
            "seconds": seconds,
            "cpu_ms": used,
            "accepted_p50_ms": percentile(times, 0.5),
            "accepted_p99_ms": percentile(times, 0.99),
            "database_kib_each": size / 1024 / number,
        }

    return asyncio.run(run())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="measures the scaled form")
    parser.add_argument("--submissions", type=int, default=1500)
    parser.add_argument("--per-s", type=float, default=15.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as folder, running(Path(folder)) as parts:
        print(json.dumps(measure(parts, options.submissions, options.per_s), indent=2))


if __name__ == "__main__":
    main()
