"""Live canaries: harmless versions of what a hostile submission would do, each of which a wall must stop.

The canaries decide whether the sandbox holds, not version numbers. Each runs in a child of its own; the last ones see
to it that nobody is left when a zygote or a grader dies.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.sandbox import canaries
from grader.sandbox.canaries import ENTRY, TRIES
from grader.sandbox.exchange import End, Limits, Question, Raised, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.zygote_start import FIND_PACKAGE, OPTIONS, ROOT

LIMITS: Final = Limits(case_s=0.5, total_s=2.0, memory_mib=256)
GONE_S: Final = 5.0  # a killed zygote's child must be gone by then
ALONE_S: Final = 30.0  # for an interpreter to start on a loaded machine
_OWNED: Final = ("Private_Clean:", "Private_Dirty:")
# a process that has nothing but Landlock: in a child the filter would answer first
_LANDLOCK_ALONE: Final = f"""{FIND_PACKAGE}
from grader.sandbox import jail, landlock
rules = landlock.make_ruleset()
jail.forbid_new_privileges()
landlock.restrict_files(rules)
try:
    open("/")
except OSError as error:
    print(error.errno)
"""
# a grader whose child is in an endless loop
_GRADER: Final = f"""{FIND_PACKAGE}
from grader.sandbox.pool import Pool
from grader.sandbox.exchange import Limits, Question
limits = Limits(60, 60, 64)
with Pool(1, allow_weak=sys.argv[2] == "weak") as pool, pool.lane() as lane, lane.run(limits) as run:
    run.load(b"def f():\\n    while True: pass\\n", ["f"], limits)
    print(lane.pid, run.pid, flush=True)
    run.ask(Question.of("f", {{}}, {{}}, 1))
"""


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

    Raises:
        SandboxUnavailable: there is no sandbox here to be tried.
    """
    facts = lane.facts()
    for one in TRIES:
        if one.is_first or not short:
            yield _try(lane, one.name, one.body)
    if short:
        return
    if "landlock" in facts["layers"]:
        yield _open_behind_landlock()
    yield _kill_zygote(lane)
    yield _kill_grader(facts["weakened"])


def got_through(lane: Lane) -> list[str]:
    """Try the first canary of each kind; return what no wall stopped, in words."""
    return [f"{canary.name}: {canary.by}" for canary in examine(lane, short=True) if not canary.denied]


def warm_mib(lane: Lane) -> float | None:
    """Return what one child that waits adds to the memory in use, in MiB; None where the kernel does not tell us.

    A process that hides its memory hides this too, but not from root.
    """
    try:
        with lane.run(LIMITS) as run, open(f"/proc/{run.pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(_OWNED)) / 1024
    except (OSError, SandboxLost):
        return None


def _try(lane: Lane, name: str, body: str) -> Canary:
    question = Question.of(ENTRY, {"x": 0}, {}, 1)
    try:
        with lane.run(LIMITS) as run:
            source = canaries.source(body, lane.pid or 1)
            loaded = run.load(source, [ENTRY], LIMITS, mode="package")
            answer = loaded if isinstance(loaded, Raised) else run.ask(question)
    except RunEnded as ended:
        return Canary(name, *_wall_of_end(ended))
    except SandboxLost as error:
        return Canary(name, False, f"the sandbox was lost: {error}")
    if isinstance(answer, Raised):
        return Canary(name, *_wall_of_exception(answer))
    return Canary(name, False, "nothing")


def _wall_of_end(ended: RunEnded) -> tuple[bool, str]:
    walls = {
        End.REFUSED: "seccomp (killed)",
        End.TIME: "the grader's clock",
        End.OUTPUT: "the grader's reader",
    }
    return ended.end in walls, walls.get(ended.end, f"an end of its own: {ended.detail}")


def _wall_of_exception(raised: Raised) -> tuple[bool, str]:
    if raised.builtin == "MemoryError":
        return True, "rlimits"
    if raised.refused or raised.builtin == "PermissionError":
        return True, "landlock" if f"Errno {errno.EACCES}]" in raised.text else "seccomp"
    return False, f"an error of its own: {raised.name}"


def _open_behind_landlock() -> Canary:
    """Have a process with no other wall open a folder: the second wall must hold when the first one is gone."""
    command = [sys.executable, *OPTIONS, "-c", _LANDLOCK_ALONE, ROOT]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=ALONE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Canary("open a file without the filter", False, f"it could not be tried ({type(error).__name__})")
    held = ended.stdout.strip() == str(int(errno.EACCES)).encode()
    return Canary("open a file without the filter", held, "landlock" if held else "nothing")


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


def _kill_grader(weakened: bool) -> Canary:
    """Kill a grader in the middle of a call: its zygote and child must end with it."""
    name = "death of the grader"
    command = [sys.executable, *OPTIONS, "-c", _GRADER, ROOT, "weak" if weakened else "whole"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as grader:
        assert grader.stdout is not None
        pids = [int(word) for word in grader.stdout.readline().split()]
        grader.kill()
    if not pids:
        return Canary(name, False, "it could not be tried")
    left = [pid for pid in pids if not _is_gone(pid)]
    return Canary(name, not left, "nothing: a process lives on" if left else "end of the control socket")


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
