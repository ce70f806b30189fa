"""gunicorn's threaded worker, which gives a thread only to a request that is whole.

The usual one reads heads and bodies in its threads, so that as many half-sent requests as it has threads stop it, and
waits two seconds in its only loop for a client that does not hang up. Here the loop gathers requests and says goodbye,
both without waiting; what takes too long is told so and closed. A thread never waits for a client: it reads the request
from memory alone, and the reply fits into the kernel's buffer.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import time
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from typing import Any, Final

from gunicorn.http.errors import NoMoreData
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn, ThreadWorker

from grader.services.steady_clock import CLOCK
from grader.web.gathering import Gathering, Refused
from grader.web.reception import stamped

REQUEST_S: Final = 5.0  # for a request to come in whole
GOODBYE_S: Final = 2.0  # for a client to read the last reply and hang up
THREAD_S: Final = 5  # a thread's longest wait for a socket, whatever was misjudged before
REPLY_BYTES: Final = 512 << 10  # that the kernel takes at once
GATHERED_BYTES_MAX: Final = 128 << 20  # of all requests that are not whole yet
READ_BYTES: Final = 64 << 10
READS_AT_ONCE: Final = 16  # of one connection, before others have their turn
_TOO_SLOW: Final = Refused("408 Request Timeout", "The request came too slowly; send it again.")
_TOO_MUCH: Final = Refused("503 Service Unavailable", "Too much is sent at once; try again in a few seconds.")


class _Gathered(Unreader):  # type: ignore[misc]
    """What a thread reads of a request: what was gathered, and never the socket."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.unread(data)

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Refuse to wait for more: what came after the stamp is not the request."""
        raise NoMoreData


class Worker(ThreadWorker):  # type: ignore[misc]
    """One loop that gathers, and threads that answer."""

    is_replacement = False  # whether this process has the one of another that ended

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._gathering: dict[TConn, tuple[Gathering, float]] = {}  # with the time by which it is whole
        self._leaving: dict[TConn, float] = {}  # answered for the last time, with the time by which it is closed
        self._gathered_bytes = 0

    def init_process(self) -> None:
        """Tell what loads the application whether others have begun before; gunicorn counts them."""
        type(self).is_replacement = self.age > self.cfg.workers
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        """Wait for the whole request first; every connection with something to say comes by here."""
        if self.cfg.is_ssl:  # decrypting is left to the threads
            super().enqueue_req(conn)
            return
        conn.sock.setblocking(False)
        if not conn.initialized:
            _bound(conn.sock)
        self._gathering[conn] = (Gathering(), time.monotonic() + REQUEST_S)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_more, conn))
        ahead = conn.parser.unreader.take_buffered() if conn.parser else b""
        if not ahead or self._add(conn, ahead):
            self._on_more(conn, conn.sock)

    def is_parent_alive(self) -> bool:
        """Tell whether gunicorn's parent lives; an orphan ends as if it had been told to."""
        if not super().is_parent_alive():
            self.alive = False
        return bool(self.alive)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Take new connections or not; who ends gives the port away at once, so that a successor can have it."""
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                listener.close()

    def finish_request(self, conn: TConn, fs: Future[bool]) -> None:
        """Keep the connection for the next request, or say goodbye without waiting."""
        if not fs.cancelled() and fs.exception() is None and fs.result() is True:
            super().finish_request(conn, fs)
        else:
            self._say_goodbye(conn)

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Answer a request, which is told when it was whole."""
        received_at: datetime | None = getattr(conn, "received_at", None)
        with stamped(received_at):
            return bool(super().handle_request(req, conn))

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        # the rest of a body that was too large is not worth reading
        return bool(not getattr(conn, "is_last", False) and super()._keepalive_after(conn, keepalive))

    def murder_pending(self) -> None:
        """Close what took too long; called once in each turn of the loop."""
        super().murder_pending()
        now = time.monotonic()
        for conn in [conn for conn, (_, deadline) in self._gathering.items() if deadline < now]:
            gathering = self._gathering[conn][0]
            if gathering.is_too_large:
                self._answer(conn)
            elif gathering.data:
                self._refuse(conn, _TOO_SLOW)
            else:
                self._drop(conn)
        for conn in [conn for conn, deadline in self._leaving.items() if deadline < now]:
            self._drop(conn)

    def _on_more(self, conn: TConn, _: socket.socket) -> None:
        for _turn in range(READS_AT_ONCE):
            try:
                more = conn.sock.recv(READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                more = b""
            if not more:
                self._drop(conn)
                return
            if not self._add(conn, more):
                return

    def _add(self, conn: TConn, more: bytes) -> bool:
        """Take more of a request; return whether it still is to be waited for."""
        gathering = self._gathering[conn][0]
        before, expected_continue = len(gathering.data), gathering.expects_continue
        try:
            gathering.add(more)
        except Refused as refused:
            self._gathered_bytes -= before
            self._refuse(conn, refused, is_counted=False)
            return False
        self._gathered_bytes += len(gathering.data) - before
        if gathering.is_whole:
            self._answer(conn)
            return False
        if self._gathered_bytes > GATHERED_BYTES_MAX:
            self._refuse(conn, _TOO_MUCH)
            return False
        if gathering.expects_continue and not expected_continue:
            with contextlib.suppress(OSError):
                conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def _answer(self, conn: TConn) -> None:
        """Give a whole request to a thread."""
        gathering = self._forget(conn)
        conn.init()
        conn.parser.unreader = _Gathered(bytes(gathering.data))
        conn.data_ready = True
        conn.is_last = gathering.is_too_large
        conn.received_at = CLOCK.now()  # before it waits for a thread
        super().enqueue_req(conn)

    def _refuse(self, conn: TConn, refused: Refused, *, is_counted: bool = True) -> None:
        self._forget(conn, is_counted=is_counted)
        body = f"{refused.sentence}\n".encode()
        head = (
            f"HTTP/1.1 {refused.status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Retry-After: 5\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            conn.sock.send(head.encode() + body)
        self._say_goodbye(conn)

    def _forget(self, conn: TConn, *, is_counted: bool = True) -> Gathering:
        gathering, _ = self._gathering.pop(conn)
        if is_counted:
            self._gathered_bytes -= len(gathering.data)
        self.poller.unregister(conn.sock)
        return gathering

    def _say_goodbye(self, conn: TConn) -> None:
        """Tell the client that nothing more comes, and leave it a moment to read: closing at once could cut it off."""
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_goodbye, conn))
        except (OSError, ValueError):
            self._close(conn)
            return
        self._leaving[conn] = time.monotonic() + GOODBYE_S

    def _on_goodbye(self, conn: TConn, _: socket.socket) -> None:
        try:
            if conn.sock.recv(READ_BYTES):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._drop(conn)

    def _drop(self, conn: TConn) -> None:
        """Close a connection that the loop waits for."""
        if conn in self._gathering:
            self._forget(conn)
        else:
            del self._leaving[conn]
            self.poller.unregister(conn.sock)
        self._close(conn)

    def _close(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()


def _bound(connection: socket.socket) -> None:
    """Let no thread wait for a connection without end; the kernel counts, whatever the socket's own timeout says."""
    wait = struct.pack("ll", THREAD_S, 0)
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REPLY_BYTES)
