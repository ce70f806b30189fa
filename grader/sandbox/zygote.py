"""The fork server of one lane: imports NumPy, locks itself, then forks a locked child for each request.

It knows no problem and holds no secret. Requests come over the control socket, eight bytes each:
    F address-space MiB, processor seconds    fork a child; the reply carries its pid and four descriptors:
                                              questions (write), answers (read), prints (read), pidfd
    W pid                                     wait for a killed or ended child; the reply is its status and times
The end of the socket ends the zygote, and with it, by the parent-death signal, every child.
"""

from __future__ import annotations

import fcntl
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

from grader.sandbox import child, filters, jail, rehearsal
from grader.sandbox.zygote_protocol import ENDED, FORKED, REQUEST

MEMORY_MAX_MIB: Final = 4096  # service's maximum for a problem's memory limit
_ABOVE: Final = 16  # descriptors are moved above this number before they take their places


def vm_mib() -> int:
    """Return this process's address space in MiB, rounded up."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    return (pages * resource.getpagesize() >> 20) + 1


class Zygote:
    """Forks children on request; see the module's docstring for the requests."""

    def __init__(self, control: socket.socket) -> None:
        """Load everything that the walls will keep out of reach, then put them up."""
        program = filters.load("zygote")
        self._program = filters.load("child")
        rehearsal.warm_up()
        self._outputs = (child.open_output(1), child.open_output(2))
        self._control = control
        self._base_mib = vm_mib()
        self.facts = facts(self._base_mib)
        jail.keep_freed_memory()
        gc.collect()
        gc.freeze()
        gc.disable()
        self._ruleset = jail.lock_zygote(program, (self._base_mib + MEMORY_MAX_MIB) << 20)

    def serve(self) -> Callable[[], None] | None:
        """Answer requests; in a forked child return what it is to do, in the zygote None at the end."""
        while request := self._control.recv(REQUEST.size):
            verb, mib, number = REQUEST.unpack(request)
            if verb == b"W":
                _, status, usage = os.wait4(number, 0)
                self._control.send(ENDED.pack(status, usage.ru_utime, usage.ru_stime))
            elif act := self._fork(mib, number):
                return act
        return None

    def _fork(self, mib: int, seconds: int) -> Callable[[], None] | None:
        questions, answers, prints = os.pipe(), os.pipe(), os.pipe()
        parent = os.getpid()
        pid = jail.fork()
        if pid == 0:
            return lambda: self._become_child((questions[0], answers[1], prints[1]), mib, seconds, parent)
        pidfd = os.pidfd_open(pid)
        kept = [questions[1], answers[0], prints[0], pidfd]
        socket.send_fds(self._control, [FORKED.pack(pid)], kept)
        for descriptor in (*kept, questions[0], answers[1], prints[1]):
            os.close(descriptor)
        return None

    def _become_child(self, pipes: tuple[int, int, int], mib: int, seconds: int, parent: int) -> None:
        ruleset, *ends = (fcntl.fcntl(fd, fcntl.F_DUPFD, _ABOVE) for fd in (self._ruleset, *pipes))
        questions, answers, prints = ends
        os.dup2(questions, child.QUESTIONS)
        os.dup2(answers, child.ANSWERS)
        os.dup2(prints, 1)
        os.dup2(prints, 2)
        self._control.detach()
        # everything but 1 to 4 and the rule set goes
        os.close(0)
        os.closerange(child.ANSWERS + 1, ruleset)
        os.closerange(ruleset + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        sys.stdout, sys.stderr = self._outputs
        gc.set_threshold(20_000, 20, 100)  # collections are rare in a life of milliseconds
        gc.enable()
        jail.lock_child(self._program, ruleset, (self._base_mib + mib) << 20, seconds, parent)
        child.Child(self._outputs, child.ANSWERS).serve()


def facts(base_mib: int) -> dict[str, object]:
    """Return what the zygote says of itself once it is locked."""
    abi = jail.landlock_abi()
    return {
        "layers": ["seccomp", "landlock", "rlimits"],
        "landlock_abi": abi,
        "landlock_lacks": jail.landlock_lacks(abi),
        "filters": filters.filter_hash(),
        "uid": jail.UNPRIVILEGED_ID if os.geteuid() == 0 else os.geteuid(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "address_space_mib": base_mib,
    }


def main(descriptor: int) -> None:
    """Serve until the grader closes the socket. The first message is the facts as JSON, or why there can be none."""
    sys.stdin = io.StringIO("")  # input() finds the end
    control = socket.socket(fileno=descriptor)
    try:
        zygote = Zygote(control)
    except (jail.LayerMissing, filters.FilterMissing) as error:
        control.send(json.dumps({"error": str(error)}).encode())
        raise SystemExit(1) from None
    control.send(json.dumps(zygote.facts).encode())
    act = zygote.serve()
    if act is not None:
        try:
            act()
        finally:  # whatever happens in a child, it never gets back to the zygote's code
            os._exit(1)
