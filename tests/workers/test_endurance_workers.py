"""Workers, web processes and the database are killed under load: what was acknowledged is judged, once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import OperationalError

from grader.grading.verdict import Verdict
from grader.store.models import Attempt, CaseResult, GroupResult, Submission
from grader.store.session import read_session
from tests.batch.folders import put, verdicts
from tests.bench.loopback import Candidate, Reply, make_candidates, make_programs
from tests.cli.conftest import command
from tests.cli.running import Command, end_of
from tests.processes import children_of, wait_until
from tests.services.tiny_package import RIGHT, SLUG, WRONG
from tests.store.postgres import crash_and_restart, find_binaries
from tests.web.serving import address, start
from tests.workers.working import Workers

SUBMISSIONS: Final = int(os.environ.get("TEST_ACKNOWLEDGED", "5000"))
CANDIDATES: Final = 16
LIMIT_S: Final = 3000.0
JUDGED_S: Final = 240.0
BATCH_S: Final = 900.0  # after the last kill
__all__ = ["command"]
pytestmark = [pytest.mark.services, pytest.mark.sandbox]
SOURCES: Final = {
    "right": (RIGHT, Verdict.AC),
    "wrong": (WRONG, Verdict.WA),
    "ends": (b"import os\n\n\ndef twice(x):\n    os._exit(0)\n", Verdict.RTE),
    "forks": (b"import os\n\n\ndef twice(x):\n    os.fork()\n", Verdict.RTE),
    "floods": (b"def twice(x):\n    print('x' * (1 << 21))\n    return x * 2\n", Verdict.OLE),
    "hogs": (b"def twice(x):\n    return bytearray(1 << 40)\n", Verdict.MLE),
}
KINDS: Final = (
    "right",
    "wrong",
    "right",
    "ends",
    "right",
    "wrong",
    "forks",
    "right",
    "floods",
    "right",
    "hogs",
    "right",
)
Handed = dict[tuple[str, int], bytes]  # the source by attempt and ordinal


@dataclass
class Kills:
    """What is still to be killed, spread evenly over what is handed in."""

    workers: int
    web: int = 0
    database: int = 0
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.left = ["worker"] * self.workers + ["web"] * self.web + ["database"] * self.database
        random.shuffle(self.left)
        self.number = len(self.left)

    def next(self, share: float) -> str | None:
        """Return what is to be killed once a share of the submissions is handed in."""
        if self.left and share >= (self.number - len(self.left) + 1) / (self.number + 1):
            self.done[self.left[-1]] += 1
            return self.left.pop()
        return None


@dataclass
class Form:
    """The scaled form: a gunicorn with two processes, and two workers, all on one PostgreSQL."""

    web: subprocess.Popen[bytes]
    workers: Workers
    url: str

    def kill(self, what: str) -> None:
        """End one part as a crash does, and have it started again."""
        if what == "worker":
            random.choice([each for each in self.workers.started if each.process.poll() is None]).kill()
            self.workers.start("--jobs=1")
        elif what == "web":  # gunicorn starts another one
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(sorted(children_of(self.web.pid))), signal.SIGKILL)
        else:
            binaries = find_binaries()
            assert binaries
            crash_and_restart(binaries, self.url)


def source_of(who: int, count: int) -> bytes:
    """Return a source that nobody else has; its first line tells its kind."""
    kind = KINDS[count % len(KINDS)]
    return f"# {kind} {who} {count}\n".encode() + SOURCES[kind][0]


def verdict_of(source: bytes) -> Verdict:
    """Return what a source has to get."""
    return SOURCES[source.split()[1].decode()][1]


def acknowledged(reply: Reply) -> int | None:
    """Return which submission of the attempt it is; None when the source was not taken."""
    if reply.status == 303 and "/submissions/" in reply.headers["location"]:
        return int(reply.headers["location"].rsplit("/", 1)[1])
    if reply.status == 202:
        return int(json.loads(reply.body)["number"])
    assert reply.status in (429, 500, 503), reply
    return None


async def hand_in(candidate: Candidate, number: int, handed: Handed, stop: asyncio.Event) -> None:
    """Hand sources in until the end, each different and until it gets an answer; note what was acknowledged."""
    count = 0
    while not stop.is_set():
        source = source_of(number, count)
        try:
            reply = await candidate.submit(source.decode(), f"of-one-form-{number:04}-{count:06}")
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            await candidate.close()
            await asyncio.sleep(0.05)
            continue
        if (ordinal := acknowledged(reply)) is not None:
            handed[(candidate.attempt.rsplit("/", 1)[1], ordinal)] = source
            count += 1
        else:
            await asyncio.sleep(0.1)


async def load(form: Form, candidates: list[Candidate], number: int, kills: Kills) -> Handed:
    """Hand in and kill until there was enough of both."""
    handed: Handed = {}
    stop = asyncio.Event()
    for candidate in candidates:
        await candidate.start(SLUG, "only")
    people = [asyncio.create_task(hand_in(one, each, handed, stop)) for each, one in enumerate(candidates)]
    end = time.monotonic() + LIMIT_S
    while (len(handed) < number or kills.left) and time.monotonic() < end:
        await asyncio.sleep(0.05)
        if what := kills.next(len(handed) / number):
            await asyncio.to_thread(form.kill, what)
    stop.set()
    await asyncio.gather(*people)
    for candidate in candidates:
        await candidate.close()
    return handed


def endure(
    number: int, kills: Kills, workers: Workers, engine: Engine, url: str, folder: Path, problems: Path
) -> Handed:
    """Let the scaled form judge so many submissions; return those that it acknowledged, once nothing waits."""
    web = start(folder / "web", problems, options=["--processes=2"], GRADER_DATABASE_URL=url, GRADER_JUDGING="workers")
    try:
        parts = urlsplit(address(web, folder / "web" / "server.log"))
        for _ in range(2):
            workers.start("--jobs=1")
        assert parts.hostname
        assert parts.port
        candidates = make_candidates(engine, parts.hostname, parts.port, CANDIDATES // 2)
        candidates += make_programs(engine, parts.hostname, parts.port, CANDIDATES // 2)
        began = time.monotonic()
        handed = asyncio.run(load(Form(web, workers, url), candidates, number, kills))
        seconds = time.monotonic() - began
        assert wait_until(lambda: waiting(engine) == 0, JUDGED_S), waiting(engine)
    finally:
        web.send_signal(signal.SIGTERM)
        web.wait(60)
    total = time.monotonic() - began
    print(f"\n{dict(kills.done)} killed, {len(handed)} acknowledged in {seconds:.0f} s, all judged after {total:.0f} s")
    return handed


def waiting(engine: Engine) -> int:
    with contextlib.suppress(OperationalError), read_session(engine) as session:  # it was killed a moment ago
        return session.scalar(select(func.count(Submission.id)).where(Submission.verdict.is_(None))) or 0
    return -1


def require_each_judged_once(engine: Engine, handed: Handed) -> None:
    """Make sure that every acknowledged source is there, with the right verdict and one set of results."""
    with read_session(engine) as session:
        rows = session.execute(
            select(Attempt.public_id, Submission.ordinal, Submission.source, Submission.verdict, Submission.id).join(
                Submission.attempt
            )
        ).all()
        cases = Counter(session.scalars(select(CaseResult.submission_id)))
        groups = Counter(session.scalars(select(GroupResult.submission_id)))
    stored = {(attempt, ordinal): source for attempt, ordinal, source, _, _ in rows}
    assert {key: stored.get(key) for key in handed} == handed
    assert len(set(stored.values())) == len(stored)
    assert [row for row in rows if row.verdict is not verdict_of(row.source)] == []
    assert {cases[row.id] for row in rows} == {4}
    assert {groups[row.id] for row in rows} == {3}


def test_nothing_is_lost_when_workers_die(
    workers: Workers, engine: Engine, postgres_url: str, tmp_path: Path, problems: Path
) -> None:
    kills = Kills(workers=2)
    handed = endure(100, kills, workers, engine, postgres_url, tmp_path, problems)
    assert (len(handed) >= 100, kills.done) == (True, {"worker": 2})
    require_each_judged_once(engine, handed)


@pytest.mark.long
def test_nothing_is_lost_when_anything_dies(
    workers: Workers, engine: Engine, postgres_url: str, tmp_path: Path, problems: Path, command: Command
) -> None:
    """Three fifths come by pages and programs, two fifths by a batch at the same time."""
    batched = {f"c{number:04}": source_of(CANDIDATES, number) for number in range(2 * SUBMISSIONS // 5)}
    for name, source in batched.items():
        put(command.folder / "in", name, source, SLUG)
    options = ["--out", "out", f"--database={postgres_url}"]
    with (command.folder / "batch.log").open("wb") as log:
        batch = command.start("batch", "in", *options, env={"GRADER_PROBLEMS": str(problems)}, stdout=log, stderr=log)
        kills = Kills(workers=20, web=5, database=3)
        number = SUBMISSIONS - len(batched)
        try:
            handed = endure(number, kills, workers, engine, postgres_url, tmp_path, problems)
            began = time.monotonic()
            ended = end_of(batch, seconds=BATCH_S)
        finally:
            batch.kill()
    print(f"the batch ended {time.monotonic() - began:.0f} s later")
    assert (len(handed) >= number, kills.done) == (True, {"worker": 20, "web": 5, "database": 3})
    require_each_judged_once(engine, handed)
    assert ended.code == 0, (command.folder / "batch.log").read_text()
    assert verdicts(command.folder / "out") == {name: verdict_of(source) for name, source in batched.items()}
