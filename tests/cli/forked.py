"""Runs `grader` commands in forks of one process that has imported their libraries, and nothing of the product.

Of what a command costs half is the interpreter's start and its libraries, which are the same each time. Everything
else is as if the command had been started by itself: session, folder, variables, streams, the program that was
installed, its imports of the product, its end. What the interpreter or a library reads at its start is not seen here.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

LOCALE: Final = {"LANG": "C.UTF-8"}
AT_START: Final = ("PYTHON", "LC_", "LANG", "LD_", "OPENBLAS_")  # variables of which forks see what this process had
_LIBRARIES: Final = (
    *("alembic.command", "alembic.config", "click", "flask", "jinja2", "markdown_it", "numpy", "prometheus_client"),
    *("psycopg", "pydantic", "rich.console", "rich.table", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm"),
    *("sqlalchemy.dialects.sqlite", "yaml", "multiprocessing.connection", "urllib.request", "zipfile"),
)
_REQUEST_BYTES: Final = 1 << 17
_NUMBER_BYTES: Final = 8


@dataclass(frozen=True)
class Request:
    """One run of a Python program: its words, folder and variables, and how many bytes a file of its may have."""

    program: str
    arguments: Sequence[str]
    folder: str
    variables: Mapping[str, str]
    file_size: int | None = None


class Forks:
    """The process that forks, seen from the tests; it ends with the one that made it."""

    def __init__(self, preexec: Callable[[], None] | None = None) -> None:
        """Start it; `preexec` is called before, and what it does holds for every program."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env={"PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1", **LOCALE},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                preexec_fn=preexec,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Let it end."""
        self._socket.close()
        self._process.wait()

    def run(self, request: Request, stdin: bytes, seconds: float) -> tuple[int, bytes, bytes]:
        """Return a program's exit code, and what it wrote to each of its streams.

        Raises:
            TimeoutError: it took longer, and has been killed.
        """
        with ExitStack() as ours, ThreadPoolExecutor(4) as threads:
            theirs, feed = os.pipe()
            pipes = [os.pipe() for _ in range(3)]
            reading = [ours.enter_context(open(end, "rb", buffering=0)) for end, _ in pipes]
            self._send(request, [theirs, *(end for _, end in pipes)])
            pid = _number(reading[-1].read(_NUMBER_BYTES))
            try:
                threads.submit(_write, feed, stdin)
                told = [threads.submit(each.readall) for each in reading]
                if wait(told, seconds).not_done:
                    raise TimeoutError(f"{request.arguments} took more than {seconds} s")
            except BaseException:
                os.killpg(pid, signal.SIGKILL)
                raise
            out, err, code = (each.result() for each in told)
        return _number(code), out, err

    def _send(self, request: Request, descriptors: list[int]) -> None:
        """Hand a program and its streams over."""
        try:
            socket.send_fds(self._socket, [json.dumps(asdict(request)).encode()], descriptors)
        finally:
            for each in descriptors:
                os.close(each)


def _write(descriptor: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(descriptor, "wb", buffering=0) as stream:
        while data:
            data = data[stream.write(data) :]


def _number(data: bytes) -> int:
    assert len(data) == _NUMBER_BYTES, "the process that forks has ended"
    return int.from_bytes(data, "big", signed=True)


def _tell(descriptor: int, number: int) -> None:
    with suppress(BrokenPipeError):  # whoever asked has given up
        os.write(descriptor, number.to_bytes(_NUMBER_BYTES, "big", signed=True))


def _next_fork(requests: socket.socket) -> Request | None:
    """Fork for each request; in a fork return the request, and None where nobody can ask any more."""
    running: dict[int, tuple[int, int]] = {}  # what tells of a program's end: its process, and whom to tell
    while True:
        polled = select.poll()
        for each in (requests.fileno(), *running):
            polled.register(each, select.POLLIN)
        for ready, _ in polled.poll():
            if ready in running:
                pid, told = running.pop(ready)
                _tell(told, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                os.close(told)
                os.close(ready)
                continue
            data, descriptors, _, _ = socket.recv_fds(requests, _REQUEST_BYTES, 4)
            if not data:
                return None
            if (pid := os.fork()) == 0:
                for number in range(3):
                    os.dup2(descriptors[number], number)
                return Request(**json.loads(data))
            _tell(descriptors[3], pid)
            running[os.pidfd_open(pid)] = pid, descriptors[3]
            for each in descriptors[:3]:
                os.close(each)


def _become(request: Request) -> None:
    """Make of a fork what a new process of the program is before its first line."""
    os.setsid()
    os.chdir(request.folder)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(request.variables)
    time.tzset()
    if request.file_size is not None:  # a disk that is full
        resource.setrlimit(resource.RLIMIT_FSIZE, (request.file_size, request.file_size))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = io.TextIOWrapper(
            open(number, "wb" if number else "rb", closefd=False),  # noqa: SIM115 - for the whole run
            encoding="utf-8",
            errors="backslashreplace" if name == "stderr" else "surrogateescape",
            newline="\n",
            line_buffering=name == "stderr",
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = [request.program, *request.arguments]
    sys.path[0] = str(Path(request.program).parent)


def main() -> None:
    """Serve whoever holds the other end of a socket; in a fork, run its program."""
    requests = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = str(Path(sys.executable).parent)  # not where this file lies
    for library in _LIBRARIES:
        importlib.import_module(library)
    gc.collect()
    gc.freeze()  # so that collections copy no pages
    request = _next_fork(requests)
    requests.detach()
    if request is not None:
        _become(request)
        runpy.run_path(request.program, run_name="__main__")


if __name__ == "__main__":
    main()
