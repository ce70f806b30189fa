"""Processes of the service are killed at random under load: what was acknowledged is there, judged once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import func, select

from grader.grading.verdict import Verdict
from grader.store.migrate import upgrade
from grader.store.models import Attempt, CaseResult, GroupResult, Submission
from grader.store.session import make_engine, read_session
from tests.bench.loopback import Candidate, make_candidates
from tests.processes import alive, children_of, sandbox_processes, wait_until
from tests.services.tiny_package import RIGHT, SLUG, WRONG, write_package
from tests.web.serving import start

KILLS: Final = int(os.environ.get("TEST_KILLS", "60"))
ACKNOWLEDGED: Final = int(os.environ.get("TEST_ACKNOWLEDGED", "5000"))
CANDIDATES: Final = 60
LIMIT_S: Final = 1500.0
Handed = dict[tuple[str, int], bytes]  # the source by attempt and ordinal


class Supervisor:
    """Keeps the service running, and kills parts of it."""

    def __init__(self, folder: Path, problems: Path) -> None:
        self.folder, self.problems = folder, problems
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.process = self._start()
        self.kills: Counter[str] = Counter()

    def _start(self) -> subprocess.Popen[bytes]:
        return start(self.folder, self.problems, options=[f"--port={self.port}"])

    def kill_something(self) -> None:
        """Kill a web process, its parent or a zygote."""
        workers = children_of(self.process.pid)
        zygotes = {pid for worker in workers for pid in children_of(worker)}
        target = random.choices(["worker", "parent", "zygote"], [4, 2, 4])[0]
        victims = {"worker": workers, "parent": {self.process.pid}, "zygote": zygotes}[target]
        if victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(sorted(victims)), signal.SIGKILL)
                self.kills[target] += 1

    def restart_what_ended(self) -> None:
        """Start the service anew where nobody else does; at once it may fail, for its orphan still has the port."""
        if self.process.poll() is not None:
            self.process = self._start()

    def stop(self) -> None:
        """End the service as an operator does."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


async def hand_in(candidate: Candidate, number: int, handed: Handed, stop: asyncio.Event) -> None:
    """Hand sources in until the end, each different; note what was acknowledged."""
    count = 0
    while not stop.is_set():
        count += 1
        source = (RIGHT if count % 3 else WRONG) + f"# {number} {count}\n".encode()
        try:
            reply = await candidate.submit(source.decode())
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            await candidate.close()
            await asyncio.sleep(0.05)
            continue
        if reply.status == 303:
            ordinal = int(reply.headers["location"].rsplit("/", 1)[1])
            handed[(candidate.attempt.rsplit("/", 1)[1], ordinal)] = source
        else:
            assert reply.status in (429, 503), reply
            await asyncio.sleep(float(reply.headers["retry-after"]))


async def started(candidates: list[Candidate]) -> None:
    """Give each candidate an attempt."""
    for candidate in candidates:
        await candidate.start(SLUG, "only")


async def load(supervisor: Supervisor, candidates: list[Candidate]) -> Handed:
    """Hand in and kill until there was enough of both."""
    handed: Handed = {}
    stop = asyncio.Event()
    await started(candidates)
    for candidate in candidates:
        candidate.repeats_posts = False  # what is sent twice may be stored twice
    people = [asyncio.create_task(hand_in(one, number, handed, stop)) for number, one in enumerate(candidates)]
    end = time.monotonic() + LIMIT_S
    next_kill = 0.0
    while (supervisor.kills.total() < KILLS or len(handed) < ACKNOWLEDGED) and time.monotonic() < end:
        await asyncio.sleep(0.2)
        supervisor.restart_what_ended()
        if time.monotonic() >= next_kill:
            supervisor.kill_something()
            longest_s = 6.0 if supervisor.kills.total() < KILLS else 20.0
            next_kill = time.monotonic() + random.uniform(0.2, longest_s)
    stop.set()
    await asyncio.gather(*people)
    for candidate in candidates:
        await candidate.close()
    return handed


def answers(port: int) -> bool:
    """Whether the service takes connections."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@pytest.mark.long
@pytest.mark.sandbox
def test_nothing_that_was_acknowledged_is_lost_or_judged_twice(tmp_path: Path) -> None:
    write_package(tmp_path / "problems")
    url = f"sqlite:///{tmp_path / 'run' / 'data' / 'grader.sqlite3'}"
    upgrade(url)
    engine = make_engine(url)
    supervisor = Supervisor(tmp_path / "run", tmp_path / "problems")
    try:
        assert wait_until(lambda: answers(supervisor.port), 60)
        candidates = make_candidates(engine, "127.0.0.1", supervisor.port, CANDIDATES)
        began = time.monotonic()
        handed = asyncio.run(load(supervisor, candidates))
        seconds = time.monotonic() - began

        def waiting() -> int:
            with read_session(engine) as session:
                return session.scalar(select(func.count(Submission.id)).where(Submission.verdict.is_(None))) or 0

        def all_is_judged() -> bool:
            supervisor.restart_what_ended()
            return waiting() == 0

        assert wait_until(all_is_judged, 240), waiting()
    finally:
        supervisor.stop()
    print(f"\n{dict(supervisor.kills)} kills, {len(handed)} acknowledged in {seconds:.0f} s")
    with read_session(engine) as session:
        rows = session.execute(
            select(Attempt.public_id, Submission.ordinal, Submission.source, Submission.verdict, Submission.id).join(
                Submission.attempt
            )
        ).all()
        cases = Counter(session.scalars(select(CaseResult.submission_id)))
        groups = Counter(session.scalars(select(GroupResult.submission_id)))
    engine.dispose()
    stored = {(attempt, ordinal): source for attempt, ordinal, source, _, _ in rows}
    assert {key: stored.get(key) for key in handed} == handed
    assert len(set(stored.values())) == len(stored)  # no source twice: none was asked for again and stored again
    expected = {RIGHT[:30]: Verdict.AC, WRONG[:30]: Verdict.WA}
    assert {verdict for *_, verdict, _ in rows} == set(expected.values())
    assert all(verdict is expected[source[:30]] for _, _, source, verdict, _ in rows)
    assert {cases[key] for *_, key in rows} == {4}
    assert {groups[key] for *_, key in rows} == {3}
    assert supervisor.kills.total() >= KILLS
    assert len(handed) >= ACKNOWLEDGED
    assert wait_until(lambda: not sandbox_processes() and not alive(supervisor.process.pid), 20)
