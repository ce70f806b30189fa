"""Clients that are slow, silent or greedy take no thread from others."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from grader.web.worker import REQUEST_S
from tests.services.tiny_package import write_package
from tests.web.serving import serving
from tests.web.test_gathering import REFUSED

HEAD = b"POST /theme HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nContent-Type: text/plain\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
MANY = 24  # several times as many as the service has threads
pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    folder = tmp_path_factory.mktemp("worker")
    write_package(folder / "problems")
    with serving(folder / "run", folder / "problems") as base:
        parts = urlsplit(base)
        assert parts.hostname
        assert parts.port
        yield parts.hostname, parts.port


@contextlib.contextmanager
def connections(place: tuple[str, int], number: int) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(place, timeout=20)) for _ in range(number)]


def reply(connection: socket.socket) -> bytes:
    """Return everything until the service hangs up."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while data := connection.recv(1 << 16):
            received += data
    return received


def seconds_of_health(place: tuple[str, int]) -> float:
    began = time.monotonic()
    with connections(place, 1) as (connection,):
        connection.sendall(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert reply(connection).endswith(b"\r\n\r\nok")
    return time.monotonic() - began


@pytest.mark.parametrize(
    "beginning",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET / HT", id="half-a-line"),
        pytest.param(HEAD[:60], id="half-a-head"),
        pytest.param(HEAD, id="no-body"),
        pytest.param(HEAD + b"x" * 500, id="half-a-body"),
        pytest.param(HEALTH.replace(b"1.1", b"1.0"), id="answered-and-not-hung-up"),
        pytest.param(HEAD.replace(b"1000", b"99999999"), id="too-large-and-silent"),
        pytest.param(HEAD.replace(b"1000", b"9" * 30), id="vast-and-silent"),
        pytest.param(HEAD.replace(b"1000", b"1000".zfill(40)) + b"x", id="zeros-before-the-length"),
        pytest.param(HEAD.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked"), id="chunked"),
    ],
)
def test_many_that_stop_halfway_hold_nobody_up(place: tuple[str, int], beginning: bytes) -> None:
    with connections(place, MANY) as waiting:
        for connection in waiting:
            connection.sendall(beginning)
        assert max(seconds_of_health(place) for _ in range(3)) < 1


def test_who_sends_too_slowly_is_told_and_cut_off(place: tuple[str, int]) -> None:
    began = time.monotonic()
    with connections(place, 1) as (connection,):
        connection.sendall(HEAD)
        received = b""
        connection.settimeout(0.3)
        while time.monotonic() - began < REQUEST_S + 5 and not received:
            with contextlib.suppress(BrokenPipeError):
                connection.sendall(b"x")  # a byte now and then does not help
            with contextlib.suppress(TimeoutError):
                received += connection.recv(1000)
    assert received.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert received.endswith(b"The request came too slowly; send it again.\n")
    assert REQUEST_S <= time.monotonic() - began < REQUEST_S + 4


def test_a_connection_without_a_word_is_closed_without_one(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        assert reply(connection) == b""


def test_a_body_without_a_length_is_refused(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(HEAD.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked") + b"5\r\nabcde\r\n")
        assert reply(connection).startswith(b"HTTP/1.1 411 Length Required\r\n")


@pytest.mark.parametrize(("head", "status"), REFUSED)
def test_a_head_that_has_no_clear_end_is_refused_before_its_body(
    place: tuple[str, int], head: bytes, status: int
) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(b"POST /theme HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\nx")
        assert reply(connection).startswith(b"HTTP/1.1 %d " % status)


def test_a_body_that_is_too_large_gets_its_page(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(HEAD.replace(b"1000", b"5000000") + b"x" * 5_000_000)
        received = reply(connection)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"That is too much at once" in received


def test_requests_sent_at_once_are_all_answered(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(HEALTH * 5 + HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert reply(connection).count(b"HTTP/1.1 200 OK\r\n") == 6


def test_a_connection_serves_request_after_request(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        for _ in range(20):
            for byte in (HEALTH[:10], HEALTH[10:]):
                connection.sendall(byte)
            received = b""
            while not received.endswith(b"ok"):
                received += connection.recv(1 << 16)


def test_who_waits_for_a_word_before_the_body_gets_it(place: tuple[str, int]) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(HEAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
        assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"x" * 1000)
        received = b""
        while b"\r\n\r\n<!doctype html>" not in received:
            received += connection.recv(1 << 16)
    assert b"HTTP/1.1 400 BAD REQUEST" in received


def test_who_does_not_read_holds_nobody_up(place: tuple[str, int]) -> None:
    page = b"GET /static/katex.css HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40
    with connections(place, MANY) as waiting:
        for connection in waiting:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(page.replace(b"katex", b"grader"))
        assert seconds_of_health(place) < 12


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 70 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 9000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 40000, 431),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345", 400),
    ],
)
def test_heads_are_bounded(place: tuple[str, int], request_bytes: bytes, status: int) -> None:
    with connections(place, 1) as (connection,):
        connection.sendall(request_bytes)
        assert reply(connection).startswith(b"HTTP/1.1 %d " % status)
