"""How fast the service takes submissions, answers who waits, and what it does when there are too many.

    .venv/bin/python -m tests.bench.serving [--only idle,rate,burst,polls,soak] [--rate 30] [--seconds 120] [--json]

It starts `grader serve` with its own data, makes signed-in users in the database, and measures over loopback from a
process of its own. Client and service share the machine, so the figures are the service's at worst.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from grader.store.session import make_engine
from tests.bench.loopback import Candidate, make_candidates, percentile
from tests.processes import children_of
from tests.web.serving import ROOT, serving

SLUG: Final = "heads-never-mix"
VARIANT: Final = "interview"
SOURCES: Final = [
    path.read_text()
    for folder in ("accepted", "wrong_answer")
    for path in sorted((ROOT / "problems" / SLUG / "submissions" / folder).glob("*.py"))[:6]
]
SLOW: Final = "import time\n\n\ndef multi_head_attention(*arguments):\n    time.sleep(60)\n"
TOKEN: Final = "figures-of-the-bench"
USERS: Final = 300


class Service:
    """The service under load."""

    def __init__(self, base: str, folder: Path) -> None:
        parts = urlsplit(base)
        assert parts.hostname
        assert parts.port
        self.base, self.host, self.port = base, parts.hostname, parts.port
        self.engine = make_engine(f"sqlite:///{folder / 'data' / 'grader.sqlite3'}")
        self.candidates: list[Candidate] = []

    async def candidates_started(self, number: int) -> list[Candidate]:
        """Return signed-in candidates with an attempt each."""
        if missing := number - len(self.candidates):
            made = make_candidates(self.engine, self.host, self.port, max(0, missing), f"load {len(self.candidates)}")
            for candidate in made:
                await candidate.start(SLUG, VARIANT)
            self.candidates += made
        return self.candidates[:number]

    def figures(self) -> dict[str, float]:
        """Return the service's own figures."""
        request = urllib.request.Request(f"{self.base}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            lines = [line for line in reply.read().decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    async def settle(self) -> None:
        """Wait until the tables that are prepared behind the first requests are made."""
        quiet = 0
        while quiet < 8:
            await asyncio.sleep(0.25)
            quiet = 0 if self.figures()["grader_lanes_busy"] else quiet + 1

    async def drain(self) -> float:
        """Wait until nothing waits to be judged; return for how long."""
        began = time.perf_counter()
        while self.figures()["grader_waiting"] > 0:
            await asyncio.sleep(0.2)
        return time.perf_counter() - began


async def idle(service: Service, rounds: int = 100) -> dict[str, Any]:
    """One candidate hands in, reads the page, and asks once: how long from the click to the verdict."""
    (candidate,) = await service.candidates_started(1)
    times, pages, first, accepted = [], [], 0, []
    for _, source in zip(range(rounds), itertools.cycle(SOURCES), strict=False):
        began = time.perf_counter()
        reply = await candidate.submit(source)
        assert reply.status == 303, reply
        accepted.append(reply.seconds)
        page = reply.headers["location"]
        shown = await candidate.get(page)
        assert shown.status == 200, shown
        pages.append(shown.seconds)
        has_verdict = b"/verdict" not in shown.body  # else the page asks for it
        asked = 0
        while not has_verdict:
            answer = await candidate.get(f"{page}/verdict")
            assert answer.status in (200, 204), answer
            has_verdict = answer.status == 200
            asked += 1
        times.append(time.perf_counter() - began)
        first += asked <= 1
        await asyncio.sleep(0.05)
    return {
        "verdict_p50_ms": percentile(times, 0.5),
        "verdict_p99_ms": percentile(times, 0.99),
        "in_first_poll": first / rounds,
        "page_p50_ms": percentile(pages, 0.5),
        "accepted_p50_ms": percentile(accepted, 0.5),
    }


async def rate(service: Service, per_s: float, seconds: float) -> dict[str, Any]:
    """Submissions come at a fixed rate, whatever the replies say; the time counts from when each was due."""
    candidates = await service.candidates_started(USERS)
    await service.drain()
    times: list[float] = []
    statuses: Counter[int] = Counter()

    async def hand_in(candidate: Candidate, source: str, due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        reply = await candidate.submit(source)
        statuses[reply.status] += 1
        if reply.status in (429, 503):
            assert reply.headers["retry-after"]
        times.append(time.perf_counter() - due)

    start = time.perf_counter() + 0.5
    number = int(per_s * seconds)
    people, sources = itertools.cycle(candidates), itertools.cycle(SOURCES)
    await asyncio.gather(*(hand_in(next(people), next(sources), start + index / per_s) for index in range(number)))
    waiting = service.figures()["grader_waiting"]
    return {
        "per_s": per_s,
        "seconds": seconds,
        "accepted_p50_ms": percentile(times, 0.5),
        "accepted_p99_ms": percentile(times, 0.99),
        "worst_ms": percentile(times, 1.0),
        "statuses": dict(statuses),
        "left_waiting": waiting,
        "drained_s": await service.drain(),
    }


async def burst(service: Service, number: int = USERS) -> dict[str, Any]:
    """Many hand in within one second."""
    candidates = await service.candidates_started(number)
    await service.drain()
    began = time.perf_counter()

    async def hand_in(candidate: Candidate, source: str) -> tuple[int, bool, float]:
        await asyncio.sleep(random.random())
        reply = await candidate.submit(source)
        return reply.status, "retry-after" in reply.headers, reply.seconds

    sources = itertools.cycle(SOURCES)
    replies = await asyncio.gather(*(hand_in(candidate, next(sources)) for candidate in candidates))
    told = sum(status == 303 or has_header for status, has_header, _ in replies)
    return {
        "number": number,
        "accepted": sum(status == 303 for status, _, _ in replies),
        "accepted_or_told_when": told,
        "p50_ms": percentile([seconds for _, _, seconds in replies], 0.5),
        "p99_ms": percentile([seconds for _, _, seconds in replies], 0.99),
        "answered_s": time.perf_counter() - began,
        "drained_s": await service.drain(),
    }


async def polls(service: Service, number: int = USERS, seconds: float = 30.0) -> dict[str, Any]:
    """Many candidates ask once a second for a verdict that does not come yet; who has it hands in again."""
    candidates = await service.candidates_started(number)
    await service.drain()
    pages = {}
    for candidate in candidates:
        pages[candidate.token] = await _slow_page(candidate)
    times: list[float] = []
    statuses: Counter[int] = Counter()
    start = time.perf_counter()

    async def ask(candidate: Candidate) -> None:
        due = start + random.random()
        while due < start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            reply = await candidate.get(f"{pages[candidate.token]}/verdict")
            statuses[reply.status] += 1
            times.append(time.perf_counter() - due)
            if reply.status == 200:  # a page asks no more once it has its verdict
                pages[candidate.token] = await _slow_page(candidate)
            due = max(due + 1.0, time.perf_counter())

    await asyncio.gather(*map(ask, candidates))
    return {
        "candidates": number,
        "polls": len(times),
        "p50_ms": percentile(times, 0.5),
        "p99_ms": percentile(times, 0.99),
        "worst_ms": percentile(times, 1.0),
        "statuses": dict(statuses),
    }


async def _slow_page(candidate: Candidate) -> str:
    """Hand in what takes its time; return the page that waits for it."""
    reply = await candidate.submit(SLOW)
    assert reply.status == 303, reply
    return reply.headers["location"]


async def soak(service: Service, seconds: float, per_s: float = 5.0) -> dict[str, Any]:
    """Keep handing in; memory, descriptors and processes at the beginning and at the end."""
    candidates = await service.candidates_started(60)
    samples: list[dict[str, float]] = []
    end = time.perf_counter() + seconds
    people, sources = itertools.cycle(candidates), itertools.cycle(SOURCES)
    handed_in = 0
    next_sample = 0.0
    while (now := time.perf_counter()) < end:
        if now >= next_sample:
            samples.append(_sample(service))
            next_sample = now + seconds / 15
        candidate = next(people)
        reply = await candidate.submit(next(sources))
        handed_in += reply.status == 303
        if reply.status == 303:
            await candidate.get(reply.headers["location"])
            await candidate.get(f"{reply.headers['location']}/verdict")
        await asyncio.sleep(max(0.0, now + 1 / per_s - time.perf_counter()))
    await service.drain()
    samples.append(_sample(service))
    return {"seconds": seconds, "handed_in": handed_in, "samples": samples}


def _sample(service: Service) -> dict[str, float]:
    found = service.figures()
    return {
        "rss_mib": found["process_resident_memory_bytes"] / 2**20,
        "fds": found["process_open_fds"],
        "zygotes_started": found["grader_zygotes_started_total"],
        "processes": float(len(_descendants())),
    }


def _descendants() -> set[int]:
    found: set[int] = set()
    todo = [os.getpid()]
    while todo:
        below = children_of(todo.pop()) - found
        found |= below
        todo += below
    return found


async def measure(service: Service, only: Sequence[str], per_s: float, seconds: float) -> dict[str, Any]:
    """Run the measurements that were asked for, one after the other."""
    found: dict[str, Any] = {}
    await warm_up(service)
    for name in only:
        match name:
            case "idle":
                found[name] = await idle(service)
            case "rate":
                found[name] = await rate(service, per_s, seconds)
            case "burst":
                found[name] = await burst(service)
            case "polls":
                found[name] = await polls(service)
            case "soak":
                found[name] = await soak(service, seconds)
            case _:
                raise SystemExit(f"there is no measurement {name}")
        print(name, json.dumps(found[name]), file=sys.stderr, flush=True)
    await hang_up(service)
    return found


async def warm_up(service: Service) -> None:
    """Have a submission judged, and the tables made that later ones need."""
    await (await service.candidates_started(1))[0].submit(SOURCES[0])
    await service.drain()
    await service.settle()


async def hang_up(service: Service) -> None:
    """Close every connection."""
    for candidate in service.candidates:
        await candidate.close()
    service.engine.dispose()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="measures the service over loopback")
    parser.add_argument("--only", default="idle,rate,burst,polls")
    parser.add_argument("--rate", type=float, default=30.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--threads", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as folder:
        data = Path(folder)
        threads = [f"--threads={options.threads}"]
        with serving(data, ROOT / "problems", options=threads, GRADER_METRICS_TOKEN=TOKEN) as base:
            service = Service(base, data)
            try:
                found = asyncio.run(measure(service, options.only.split(","), options.rate, options.seconds))
            except AssertionError:
                said = (data / "server.log").read_text().splitlines()
                print(*[line for line in said if '"level": "error"' in line][-3:], sep="\n", file=sys.stderr)
                raise
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
