"""Processes and descriptors as the kernel counts them: what a test may not leave behind."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_BUSY_TICKS = 5  # of processor time: a child that only waits for its work has had less
_ZYGOTE = b"grader.sandbox.zygote"  # in the command line of each zygote and, for they are its forks, of its children


def adopt_orphans() -> None:
    """Have every orphaned descendant become a child of this process, so that none can hide behind process 1."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def adopted_zombies() -> set[int]:
    """Return the ended children of this process that it has adopted: some other process began their session.

    A child that it has started itself is in its own session, or has begun one; whoever started it waits for it.
    """
    fields = {int(path.name): _stat(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    mine = ["Z", str(os.getpid())]
    return {pid for pid, of in fields.items() if of[:2] == mine and int(of[3]) not in (pid, os.getsid(0))}


def reap_orphans() -> None:
    """Have the kernel forget the orphans that were adopted and have ended."""
    for pid in adopted_zombies():
        os.waitpid(pid, 0)


def sandbox_processes() -> set[int]:
    """Return the zygotes and children that descend from this process and still live."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    return {pid for pid in parents if _descends(pid, parents, os.getpid()) and _ZYGOTE in _command(pid)}


def computing_children(seconds: float) -> set[int]:
    """Return the sandbox's children, not its zygotes, that have had the processor for longer than some seconds."""
    found = sandbox_processes()
    return {pid for pid in found if _parent(Path("/proc", str(pid))) in found and _processor_s(pid) > seconds}


def busy_children(pid: int) -> set[int]:
    """Return the sandbox's children below a process that have computed for a while; zygotes do so at their start."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    ours = {each for each in parents if _descends(each, parents, pid) and _ZYGOTE in _command(each)}
    return {each for each in ours if parents[each] in ours and _ticks(each) >= _BUSY_TICKS}


def _ticks(pid: int) -> int:
    """Return how long a process has computed."""
    fields = _stat(Path("/proc", str(pid)))
    return int(fields[11]) if fields else 0


def children_of(pid: int) -> set[int]:
    """Return the living processes whose parent is `pid`."""
    return {
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and _parent(path) == pid and alive(path)
    }


def alive(process: int | Path) -> bool:
    """Whether a process exists and is no zombie."""
    path = process if isinstance(process, Path) else Path("/proc", str(process))
    return _stat(path)[:1] not in ([], ["Z"], ["X"])


def catches(process: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal by now."""
    caught = re.search(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return bool(caught and int(caught[1], 16) >> (number - 1) & 1)


def _stat(path: Path) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; empty when the process is gone."""
    try:
        return (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(path: Path) -> int:
    fields = _stat(path)
    return int(fields[1]) if fields else 0


def _processor_s(pid: int) -> float:
    fields = _stat(Path("/proc", str(pid)))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0  # user's and kernel's


def _descends(pid: int, parents: dict[int, int], ancestor: int) -> bool:
    while pid and pid != ancestor:
        pid = parents.get(pid, 0)
    return pid == ancestor


def _command(pid: int) -> bytes:
    """Return a process's command line; a zombie has none."""
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes()
    except OSError:
        return b""


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Poll until a condition holds; False when it did not within the time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def all_gone(pids: set[int]) -> bool:
    """Whether processes end within some seconds."""
    return wait_until(lambda: not any(map(alive, pids)))


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd")) - 1  # the one that lists them
