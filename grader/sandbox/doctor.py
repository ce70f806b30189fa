"""Live canaries: harmless versions of what a hostile submission would do, each of which a wall must stop.

The canaries decide whether the sandbox holds, not version numbers. Each runs in a child of its own.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.sandbox.pool import Lane
from grader.sandbox.run import End, Limits, Question, Raised, RunEnded, SandboxLost

ENTRY: Final = "canary"
LIMITS: Final = Limits(case_s=0.5, total_s=2.0, memory_mib=256)
GONE_S: Final = 5.0  # a killed zygote's child must be gone by then
# name, body of the canary: it returns None when it got through, and raises or dies when a wall stopped it
_CANARIES: Final = (
    ("open a file", "open('/etc/hostname')"),
    ("stat a file", "__import__('posix').stat('/')"),
    ("list a folder", "os.listdir('/')"),
    ("write a file", "open('/tmp/canary', 'w')"),
    ("execute a program", "os.execv('/bin/true', ['true'])"),
    ("fork", "os.fork() or os._exit(0)"),
    ("start a thread", "__import__('_thread').start_new_thread(print, ())"),
    ("TCP socket", "socket.socket(socket.AF_INET, socket.SOCK_STREAM)"),
    ("UDP socket", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    ("unix socket", "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)"),
    ("signal the parent", "os.kill(os.getppid(), 0)"),
    ("anonymous file", "os.memfd_create('canary')"),
    ("duplicate a descriptor", "os.dup(3)"),
    ("close the grader's pipes", "os.close(4)"),
    ("4 GiB of zeros", "bytearray(4 << 30)"),
    ("endless loop", "\n    while True: pass"),
    ("flood of prints", "\n    while True: print('x' * 4096)"),
)


@dataclass(frozen=True)
class Canary:
    """One try: whether it was stopped, and by which wall."""

    name: str
    denied: bool
    by: str


def examine(lane: Lane, short: bool = False) -> Iterator[Canary]:
    """Try every canary in turn; the last ones kill the lane's zygote, which restarts at its next use.

    Args:
        short: only the first of each kind, for a start that should not wait.
    """
    chosen = _CANARIES if not short else tuple(c for c in _CANARIES if c[0] in ("open a file", "fork", "TCP socket"))
    for name, body in chosen:
        yield _try(lane, name, body)
    if not short:
        yield _kill_zygote(lane)


def _try(lane: Lane, name: str, body: str) -> Canary:
    source = f"import os, sys\nsocket = sys.modules['socket']\ndef {ENTRY}(x):\n    {body}\n"
    question = Question.of(ENTRY, {"x": 0}, {}, 1)
    try:
        with lane.run(LIMITS) as run:
            loaded = run.load(source.encode(), [ENTRY], LIMITS, mode="package")
            answer = loaded if isinstance(loaded, Raised) else run.ask(question)
    except RunEnded as ended:
        return Canary(name, True, _wall_of_end(ended.end))
    except SandboxLost as error:
        return Canary(name, False, f"the sandbox was lost: {error}")
    if isinstance(answer, Raised):
        return Canary(name, *_wall_of_exception(answer))
    return Canary(name, False, "nothing")


def _wall_of_end(end: End) -> str:
    return {
        End.REFUSED: "seccomp (killed)",
        End.TIME: "the grader's clock",
        End.OUTPUT: "the grader's reader",
    }.get(end, str(end))


def _wall_of_exception(raised: Raised) -> tuple[bool, str]:
    if raised.builtin == "MemoryError":
        return True, "rlimits"
    if raised.refused or raised.builtin == "PermissionError":
        return True, "landlock" if "Errno 13" in raised.text else "seccomp"
    return False, f"an error of its own: {raised.name}"


def _kill_zygote(lane: Lane) -> Canary:
    """Kill the zygote while a child waits: the child must end with it, and the lane must say so and recover."""
    name = "death of the zygote"
    gone = False
    try:
        with lane.run(LIMITS) as run:
            zygote, child = lane.pid, run.pid
            assert zygote is not None
            os.kill(zygote, signal.SIGKILL)
            gone = _is_gone(child)
            run.load(b"", [], LIMITS)
        return Canary(name, False, "a child answered without its zygote")
    except SandboxLost:
        pass
    recovered = _try(lane, name, "open('/etc/hostname')")
    return Canary(name, gone and recovered.denied, "parent-death signal" if gone else "nothing: its child lives on")


def _is_gone(pid: int) -> bool:
    end = time.monotonic() + GONE_S
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.005)
    return False
