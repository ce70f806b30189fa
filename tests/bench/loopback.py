"""A client that costs little: HTTP/1.1 over loopback, one connection for each candidate, within one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
import urllib.parse
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Engine

from grader.services import accounts, sessions, tokens
from grader.store.session import write_session

TIMEOUT_S: Final = 60.0


@dataclass(frozen=True)
class Reply:
    """A reply, and how long it took."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)
    seconds: float


@dataclass
class Candidate:
    """One signed-in candidate with a connection that is kept."""

    host: str
    port: int
    token: str
    csrf: str = ""
    attempt: str = ""
    repeats_posts: bool = True  # as browsers do when a kept connection turns out to be closed
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, repr=False)

    async def get(self, path: str) -> Reply:
        """Get a page."""
        return await self._exchange("GET", path, b"")

    async def post(self, path: str, **fields: str) -> Reply:
        """Post a form."""
        body = urllib.parse.urlencode({"csrf_token": self.csrf, **fields}).encode()
        return await self._exchange("POST", path, body)

    async def start(self, slug: str, variant: str) -> None:
        """Begin an attempt, with the forms' token."""
        found = re.search(rb'name="csrf_token" value="([^"]+)"', (await self.get("/lesson")).body)
        assert found
        self.csrf = found[1].decode()
        reply = await self.post(f"/problems/{slug}/attempts", variant=variant)
        assert reply.status == 303, reply
        self.attempt = reply.headers["location"]

    async def submit(self, source: str, key: str = "") -> Reply:
        """Hand a source in; with a key it is one submission however often it is sent."""
        return await self.post(f"{self.attempt}/submissions", source=source, form_key=key)

    async def close(self) -> None:
        """Hang up."""
        if self._streams:
            self._streams[1].close()
            with contextlib.suppress(OSError):
                await self._streams[1].wait_closed()
            self._streams = None

    def _headers(self, body: bytes) -> dict[str, str]:
        kind = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        return {"Cookie": f"grader={self.token}", **kind}

    async def _exchange(self, method: str, path: str, body: bytes) -> Reply:
        began = time.perf_counter()
        async with asyncio.timeout(TIMEOUT_S):
            for attempt in range(2):
                is_kept = self._streams is not None
                try:
                    reply = await self._ask(method, path, body)
                    break
                except (OSError, asyncio.IncompleteReadError):
                    await self.close()
                    # a kept connection may have been closed for its age: ask once more
                    if not is_kept or attempt or (body and not self.repeats_posts):
                        raise
        return Reply(reply[0], reply[1], reply[2], time.perf_counter() - began)

    async def _ask(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        fields = {**self._headers(body), **({"Content-Length": len(body)} if body else {})}
        writer.write(
            (head + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n").encode() + body
        )
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            await self.close()
        return int(lines[0].split()[1]), headers, content


@dataclass
class Program(Candidate):
    """One candidate's program: it hands in by the API."""

    _key: dict[str, str] = field(default_factory=dict)

    async def start(self, slug: str, variant: str) -> None:
        """Begin an attempt."""
        reply = await self._post(f"/problems/{slug}/attempts", variant=variant)
        assert reply.status == 200, reply
        self.attempt = f"/attempts/{json.loads(reply.body)['id']}"

    async def submit(self, source: str, key: str = "") -> Reply:
        """Hand a source in; with a key it is one submission however often it is sent."""
        self._key = {"Idempotency-Key": key} if key else {}
        return await self._post(f"{self.attempt}/submissions", source=source)

    async def _post(self, path: str, **values: str) -> Reply:
        return await self._exchange("POST", f"/api/v1{path}", json.dumps(values).encode())

    def _headers(self, body: bytes) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **self._key}


def make_candidates(engine: Engine, host: str, port: int, number: int, prefix: str = "load") -> list[Candidate]:
    """Make users that are signed in."""
    now = datetime.now(UTC)
    made = []
    with write_session(engine) as session:
        for index in range(number):
            user = accounts.add(session, f"{prefix} {index}", "no password", now)
            made.append(Candidate(host, port, sessions.begin(session, user, "", now, is_kept=True)))
    return made


def make_programs(engine: Engine, host: str, port: int, number: int) -> list[Candidate]:
    """Make users whose programs have a token."""
    now = datetime.now(UTC)
    made: list[Candidate] = []
    with write_session(engine) as session:
        for index in range(number):
            user = accounts.add(session, f"program {index}", "no password", now)
            made.append(Program(host, port, tokens.make(session, user, "load", ["practice"], 1, now)[1]))
    return made


def percentile(values: list[float], share: float) -> float:
    """Return a percentile of unsorted values, in milliseconds."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
