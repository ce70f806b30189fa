"""The `grader` command as people run it: a process of its own, with its own home and few other variables.

What only ends is forked (see forked.py); what is watched, stopped or looked at by a terminal starts by itself.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.cli.forked import AT_START, Forks, Request

ROOT: Final = Path(__file__).parents[2]
PROBLEMS: Final = ROOT / "problems"
GRADER: Final = str(Path(sys.executable).with_name("grader"))
SLUG: Final = "heads-never-mix"
REFERENCE: Final = PROBLEMS / SLUG / "submissions/accepted/reference.py"
WRONG: Final = PROBLEMS / SLUG / "submissions/wrong_answer/softmax_over_queries.py"
TIMEOUT_S: Final = 120
ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PR_CAPBSET_DROP: Final = 24
_READS_ANYTHING: Final = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The only line on stderr."""
        assert self.err.count("\n") == 1, self.err
        return self.err.rstrip("\n")


@dataclass(frozen=True)
class Command:
    """Runs `grader` in one folder, with that folder's home and a cache."""

    folder: Path
    cache: Path

    def environment(self, changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
        """Return the variables of a run; a change to None takes one away."""
        wanted = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder / "home"),
            "GRADER_CACHE": str(self.cache),
            **(changes or {}),
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def start(
        self, *args: str | Path, env: Mapping[str, str | None] | None = None, **more: Any
    ) -> subprocess.Popen[bytes]:
        """Start a command without waiting for it; in a session of its own, as a shell's job is."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        options: dict[str, Any] = {"cwd": self.folder, "start_new_session": True, **pipes, **more}
        process: subprocess.Popen[bytes]
        process = subprocess.Popen([GRADER, *(os.fspath(arg) for arg in args)], env=self.environment(env), **options)
        return process

    def run(
        self,
        *args: str | Path,
        stdin: bytes = b"",
        env: Mapping[str, str | None] | None = None,
        preexec: Callable[[], None] | None = None,
        file_size: int | None = None,
    ) -> Ended:
        """Run a command to its end; with a size no file grows beyond it: a disk that is full."""
        if preexec in _SHARED and not any(name.startswith(AT_START) for name in env or ()):
            words = [os.fspath(arg) for arg in args]
            request = Request(GRADER, words, str(self.folder), self.environment(env), file_size)
            return _ended(*_forks(preexec).run(request, stdin, TIMEOUT_S))
        assert file_size is None
        with self.start(*args, env=env, stdin=subprocess.PIPE, preexec_fn=preexec) as process:
            return end_of(process, stdin)


def end_of(process: subprocess.Popen[bytes], stdin: bytes | None = None, seconds: float = TIMEOUT_S) -> Ended:
    """Wait for a command's end."""
    try:
        out, err = process.communicate(stdin, seconds)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return _ended(process.returncode, out or b"", err or b"")


def _ended(code: int, out: bytes, err: bytes) -> Ended:
    """Return how a command ended; whatever happens there is no traceback, and in a pipe no escape code."""
    ended = Ended(code, out.decode(), err.decode())
    for text in (ended.out, ended.err):
        assert "Traceback" not in text, text
        assert "\x1b" not in text, text
        assert "\r" not in text, text
    return ended


def terminal(command: Command, columns: int, *args: str | Path, env: Mapping[str, str | None] | None = None) -> str:
    """Return what a command shows at a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = command.start(*args, env={"TERM": "xterm-256color", **(env or {})}, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
    except OSError:  # the terminal's other side is closed
        pass
    os.close(ours)
    process.wait(60)
    return shown.decode().replace("\r\n", "\n")


def as_a_user() -> None:
    """Take root's right to read and write anything away; to be called between fork and exec."""
    if os.geteuid() == 0:
        for capability in _READS_ANYTHING:
            if ctypes.CDLL(None, use_errno=True).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "prctl")


_SHARED: Final = (None, as_a_user)  # what is done before a command, and by a process whose forks need it no more
_forks: Final = cache(Forks)
