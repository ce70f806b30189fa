"""A deadline on the real service: what is whole in time counts, however long it waits; what is not is late."""

from __future__ import annotations

import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from sqlalchemy import Engine, select, update

from grader.services.packages import Packages
from grader.store.interview_models import Interview, Invitation
from grader.store.models import Submission
from grader.store.session import make_engine, read_session, write_session
from tests.processes import wait_until
from tests.services.interviewing import make_interview, make_interviewer, make_invitations
from tests.services.tiny_package import write_package
from tests.web.serving import serving
from tests.web.visitor import Visitor

pytestmark = pytest.mark.sandbox
MANY = 24  # several times as many as the service has threads


@dataclass
class Service:
    """The running service and its database."""

    base: str
    engine: Engine
    problems: Path

    def begin(self, name: str) -> Taking:
        """Let a new visitor start an interview."""
        lead = make_interviewer(self.engine, f"Lead of {name}")
        interview = make_interview(self.engine, Packages(self.problems), lead, submissions_max=100)
        (invited,) = make_invitations(self.engine, lead, interview, name)
        visitor = Visitor(self.base)
        visitor.open(f"/invitations/{invited.token}")
        page, _ = visitor.open("/invitation", accept="1")
        found = re.search(r'href="(/attempts/(\w+))"', visitor.open(f"{page}/start", start="1")[1])
        assert found
        return Taking(self, visitor, page.rsplit("/", 1)[-1], found[1])


@dataclass
class Taking:
    """A visitor who is taking an interview."""

    service: Service
    visitor: Visitor
    invitation: str
    attempt: str

    def ends_in(self, seconds: float) -> float:
        """Move the end; return it by this process's monotonic clock."""
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        end = time.monotonic() + seconds
        with write_session(self.service.engine) as session:
            statement = update(Invitation).where(Invitation.public_id == self.invitation)
            session.execute(statement.values(ends_at=moment))
        return end

    def request(self, source: str, door: str = "submissions") -> bytes:
        """Return a whole request that hands a source in, or saves it as a draft."""
        token = re.search(r'name="csrf_token" value="([^"]+)"', self.visitor.open(self.attempt)[1])
        assert token
        body = f"csrf_token={quote(token[1])}&source={quote(source)}".encode()
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.visitor.jar)
        return (
            f"POST {self.attempt}/{door} HTTP/1.1\r\nHost: {urlsplit(self.service.base).netloc}\r\n"
            f"Cookie: {cookies}\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def connect(self) -> socket.socket:
        parts = urlsplit(self.service.base)
        return socket.create_connection((str(parts.hostname), parts.port or 0), timeout=30)

    def sources(self) -> list[tuple[bytes, bool]]:
        with read_session(self.service.engine) as session:
            rows = session.scalars(
                select(Submission)
                .join(Submission.attempt)
                .where(Submission.attempt.has(public_id=self.attempt.rsplit("/", 1)[-1]))
                .order_by(Submission.ordinal)
            )
            return [(row.source, row.is_by_clock) for row in rows]


def status(connection: socket.socket) -> int:
    """Return the status of the reply."""
    received = b""
    while data := connection.recv(1 << 16):
        received += data
    return int(received.split(b" ", 2)[1])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("deadline")
    write_package(folder / "problems")
    with serving(folder / "run", folder / "problems") as base:
        engine = make_engine(f"sqlite:///{folder}/run/data/grader.sqlite3")
        yield Service(base, engine, folder / "problems")
        engine.dispose()


@pytest.mark.parametrize(("name", "padding"), [("Dora", b""), ("Zora", b"0" * 40)])
def test_what_dribbles_across_the_deadline_is_late(service: Service, name: str, padding: bytes) -> None:
    taking = service.begin(name)
    whole = taking.request("x = 'dribbled'\n").replace(b"Content-Length: ", b"Content-Length: " + padding)
    end = taking.ends_in(1.0)
    with taking.connect() as connection:
        connection.sendall(whole[:-5])
        for place in range(-5, 0):
            connection.sendall(whole[place:][:1])
            time.sleep(0.3)
        assert time.monotonic() > end
        assert status(connection) == 409
    assert taking.sources() == []


def test_what_is_whole_in_time_counts_behind_a_lock_and_a_queue(service: Service) -> None:
    taking = service.begin("Hugo")
    requests = [taking.request(f"x = {number}\n") for number in range(MANY)]
    late = taking.request("x = 'late'\n")
    end = taking.ends_in(1.5)
    lock = sqlite3.connect(str(service.engine.url.database), isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    connections = []
    for request in requests:
        connections.append(taking.connect())
        connections[-1].sendall(request)
    assert time.monotonic() < end - 0.2
    time.sleep(end + 0.2 - time.monotonic())
    connections.append(taking.connect())
    connections[-1].sendall(late)
    time.sleep(end + 1.5 - time.monotonic())
    lock.execute("ROLLBACK")
    lock.close()
    statuses = [status(connection) for connection in connections]
    for connection in connections:
        connection.close()
    assert statuses == [303] * MANY + [409]
    assert len(taking.sources()) == MANY


def test_a_draft_that_is_whole_in_time_is_handed_in_behind_a_lock(service: Service) -> None:
    taking = service.begin("Last")
    taking.visitor.open(f"{taking.attempt}/draft", source="x = 'older'\n", seen="", page="1")
    request = taking.request("x = 'newer'\n", "draft")
    end = taking.ends_in(1.0)
    lock = sqlite3.connect(str(service.engine.url.database), isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    with taking.connect() as connection:
        connection.sendall(request)
        assert time.monotonic() < end - 0.2
        time.sleep(end + 1.5 - time.monotonic())  # the clock waits as well now
        lock.execute("ROLLBACK")
        lock.close()
        assert status(connection) == 204
    assert wait_until(lambda: taking.sources()[-1:] == [(b"x = 'newer'\n", True)], 30)


def test_the_clock_hands_in_what_nobody_asks_for(service: Service) -> None:
    taking = service.begin("Cleo")
    taking.visitor.open(f"{taking.attempt}/draft", source="x = 'left behind'\n", seen="", page="1")
    taking.ends_in(0.5)
    assert wait_until(lambda: taking.sources() == [(b"x = 'left behind'\n", True)], 10)
    with read_session(service.engine) as session:
        statement = select(Invitation).join(Interview).where(Invitation.public_id == taking.invitation)
        row = session.scalars(statement).one()
        assert row.ended_at == row.ends_at
