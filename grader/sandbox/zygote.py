"""The fork server of one lane: imports NumPy, locks itself, then forks a locked child for each request.

It knows no problem and holds no secret. Requests come over the control socket, eight bytes each:
    F rehearse, address-space MiB, seconds    fork a child; the reply carries its pid and four descriptors:
                                              questions (write), answers (read), prints (read), pidfd
    W pid                                     wait for a killed or ended child; the reply is its status and times
The end of the socket ends the zygote, and with it, by the parent-death signal, every child.
"""

from __future__ import annotations

import gc
import io
import json
import os
import platform
import resource
import socket
import sys
from collections.abc import Callable
from typing import Final

import numpy as np

from grader.sandbox import child, filters, jail, landlock, modules, rehearsal
from grader.sandbox.exception_record import RESERVE_BYTES
from grader.sandbox.heap import prepare_heap
from grader.sandbox.kernel import LayerMissing
from grader.sandbox.zygote_protocol import ENDED, FORKED, REQUEST

CONTROL: Final = 3
MEMORY_MAX_MIB: Final = 4096  # service's maximum for a problem's memory limit


def vm_mib() -> int:
    """Return this process's address space in MiB, rounded up."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    return (pages * resource.getpagesize() >> 20) + 1


class Zygote:
    """Forks children on request; see the module's docstring for the requests."""

    def __init__(self, control: socket.socket, allow_weak: bool) -> None:
        """Load everything that the walls will keep out of reach, then put them up."""
        program = filters.load("zygote")
        self._program = filters.load("child")
        rehearsal.warm_up()
        self._outputs = (child.open_output(1), child.open_output(2))
        self._control = control
        jail.die_first()
        gc.collect()
        ahead = prepare_heap()  # counts as the submission's
        self._base_mib = vm_mib() - -(-ahead >> 20) + (RESERVE_BYTES >> 20)
        self.facts = facts(self._base_mib)
        gc.freeze()
        gc.disable()
        gc.set_threshold(20_000, 20, 100)  # collections are rare in a life of milliseconds
        self._prepared: dict[tuple[tuple[int, int, int], int, int], list[jail.Step]] = {}
        self._walls = jail.lock_zygote(program, (self._base_mib + MEMORY_MAX_MIB) << 20, allow_weak)
        self.facts |= {
            "layers": list(self._walls.layers),
            "weakened": bool(self._walls.missing),
            "missing": list(self._walls.missing),
            "uid": os.geteuid(),
        }
        rehearsal.fill_holes()

    def serve(self) -> Callable[[], None] | None:
        """Answer requests; in a forked child return what it is to do, in the zygote None at the end."""
        while request := self._control.recv(REQUEST.size):
            verb, rehearse, mib, number = REQUEST.unpack(request)
            if verb == b"W":
                _, status, usage = os.wait4(number, 0)
                self._control.send(ENDED.pack(status, usage.ru_utime, usage.ru_stime))
            elif act := self._fork(rehearse, mib, number):
                return act
        return None

    def _fork(self, rehearse: bool, mib: int, seconds: int) -> Callable[[], None] | None:
        questions, answers, prints = os.pipe(), os.pipe(), os.pipe()
        steps = self._steps((questions[0], answers[1], prints[1]), mib, seconds)
        pid = jail.fork()
        if pid == 0:
            return lambda: self._become_child(steps, rehearse)
        pidfd = os.pidfd_open(pid)
        kept = [questions[1], answers[0], prints[0], pidfd]
        socket.send_fds(self._control, [FORKED.pack(pid)], kept)
        for descriptor in (*kept, questions[0], answers[1], prints[1]):
            os.close(descriptor)
        return None

    def _steps(self, pipes: tuple[int, int, int], mib: int, seconds: int) -> list[jail.Step]:
        """Return the calls that lock a child; the pipes have the same numbers each time, so they are made once."""
        key = (pipes, mib, seconds)
        if key not in self._prepared:
            limits = ((self._base_mib + mib) << 20, seconds)
            self._prepared[key] = jail.child_steps(self._program, pipes, limits, self._walls)
        return self._prepared[key]

    def _become_child(self, steps: list[jail.Step], rehearse: bool) -> None:
        jail.lock_child(steps)
        sys.stdout, sys.stderr = self._outputs
        gc.enable()
        if rehearse:
            rehearsal.rehearse(1)
        child.Child(self._outputs, child.ANSWERS).serve()


def blas_facts() -> dict[str, object]:
    """Return who made the linear algebra library, and how many threads there are, itself included: it must be one."""
    built = np.show_config(mode="dicts") or {}
    library = built.get("Build Dependencies", {}).get("blas", {})
    return {
        "vendor": str(library.get("name", "unknown")),
        "version": str(library.get("version", "unknown")),
        "threads": len(os.listdir("/proc/self/task")),
    }


def facts(base_mib: int) -> dict[str, object]:
    """Return what the zygote can say of itself before it is locked, when it can still read files."""
    abi = landlock.running_abi()
    return {
        "layers": [],
        "landlock_abi": abi,
        "landlock_lacks": landlock.lacks(abi),
        "filters": filters.filter_hash(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "address_space_mib": base_mib,
        "blas": blas_facts(),
        "preloaded": sorted(modules.IMPORTABLE),
    }


def main(descriptor: int, allow_weak: bool) -> None:
    """Serve until the grader closes the socket. The first message is the facts as JSON, or why there can be none."""
    sys.stdin = io.StringIO("")  # input() finds the end
    if descriptor != CONTROL:  # a child's own descriptors take the numbers up to 4: they must not be in use
        os.dup2(descriptor, CONTROL, inheritable=False)
        os.close(descriptor)
    control = socket.socket(fileno=CONTROL)
    try:
        zygote = Zygote(control, allow_weak)
    except (LayerMissing, filters.FilterMissing) as error:
        control.send(json.dumps({"error": str(error)}).encode())
        raise SystemExit(1) from None
    control.send(json.dumps(zygote.facts).encode())
    act = zygote.serve()
    if act is not None:
        try:
            act()
        finally:  # whatever happens in a child, it never gets back to the zygote's code
            os._exit(1)
