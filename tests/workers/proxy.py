"""Stands between a command and its database, and loses what is said or keeps it to itself."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_NAME: Final = ".s.PGSQL.5432"
_SIZE: Final = 1 << 16


@dataclass
class _Link:
    """One connection through the proxy."""

    near: socket.socket
    far: socket.socket
    is_marked: bool = False  # the transaction whose end is to be lost
    is_mute: bool = False  # its end is on its way; the answer is to be lost

    def cut(self) -> None:
        for end in (self.near, self.far):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@dataclass
class Proxy:
    """A socket in a folder, in front of the server of another folder."""

    server: str  # the address of a database
    folder: Path
    lost: threading.Event = field(default_factory=threading.Event)  # the answer was, or the question
    _statement: bytes = b""
    _is_committed: bool = False
    _flows: threading.Event = field(default_factory=threading.Event)
    links: list[_Link] = field(default_factory=list)  # every connection there was
    _pumps: list[threading.Thread] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The database's address through this proxy."""
        return f"{self.server.partition('?')[0]}?host={self.folder}"

    def lose_commit(self, statement: str, *, is_committed: bool) -> None:
        """Cut the connection at the first COMMIT after a statement: when it is done, or before the server has it."""
        self._statement, self._is_committed = statement.encode(), is_committed

    def freeze(self) -> None:
        """Take whatever comes, and forward nothing."""
        self._flows.clear()

    def go_away(self) -> None:
        """Cut every connection, and take no new one."""
        self.folder.joinpath(_NAME).rename(self.folder / "away")
        for link in self.links:
            link.cut()

    def come_back(self) -> None:
        """Take connections again."""
        self.folder.joinpath("away").rename(self.folder / _NAME)

    def go_on(self) -> None:
        """Forward everything again, also what came meanwhile."""
        self._flows.set()

    def __enter__(self) -> Proxy:
        self.folder.mkdir()
        self._flows.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / _NAME))
        self._listener.listen()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.go_on()
        self._accepting.join()
        for link in self.links:
            link.cut()
        for pump in self._pumps:
            pump.join()
        for link in self.links:
            link.near.close()
            link.far.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(f"{self.server.partition('?host=')[2]}/{_NAME}")
            link = _Link(near, far)
            self.links.append(link)
            for pump in (self._ask, self._answer):
                self._pumps.append(threading.Thread(target=pump, args=[link], daemon=True))
                self._pumps[-1].start()

    def _ask(self, link: _Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.near.recv(_SIZE):
                self._flows.wait()
                link.is_marked |= bool(self._statement) and self._statement in data
                if link.is_marked and b"COMMIT" in data and not self.lost.is_set():
                    self.lost.set()
                    if not self._is_committed:
                        break
                    link.is_mute = True
                link.far.sendall(data)
        link.cut()

    def _answer(self, link: _Link) -> None:
        with contextlib.suppress(OSError):
            while data := link.far.recv(_SIZE):
                self._flows.wait()
                if link.is_mute:
                    break
                link.near.sendall(data)
        link.cut()
