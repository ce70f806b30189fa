"""A lane of the sandbox: one zygote, and one locked child forked ahead of its submission.

No child serves twice. Nothing outlives the grader: a zygote ends with its control socket, its children by the
parent-death signal. A lane whose zygote died starts a new one at the next use.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from grader.sandbox.exchange import Limits, SandboxLost
from grader.sandbox.run import Run
from grader.sandbox.zygote_protocol import DESCRIPTORS, ENDED, FORKED, REQUEST
from grader.sandbox.zygote_start import start_zygote

START_S: Final = 30.0  # for a zygote to load NumPy on a cold disk
REPLY_S: Final = 10.0
BACK_OFF_S: Final = 0.05  # before a zygote that died is replaced; twice as long after each further death in a row
BACK_OFF_MAX_S: Final = 1.0


class SandboxUnavailable(Exception):
    """The sandbox cannot be set up on this machine; the text is a sentence for the operator."""


class Lane:
    """One zygote and at most one warm child; used by one thread at a time."""

    def __init__(self, core: int | None = None, rehearse: bool = True, allow_weak: bool = False) -> None:
        """Make a lane; nothing starts yet.

        Args:
            core: the processor that the zygote and its children stay on, and a thread while it uses the lane.
            rehearse: a waiting child warms itself; quicker for who waits, but more work for the machine.
            allow_weak: go on without the walls that may be left out, where the machine lacks them; see `jail`.
        """
        self._core = core
        self._rehearse = rehearse
        self._allow_weak = allow_weak
        self.starts = 0  # of zygotes
        self._deaths = 0  # of zygotes, since a child was last ready
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._facts: dict[str, Any] | None = None
        self._pending: list[str] = []  # replies that the zygote owes, in order
        self._warm: tuple[Limits, Run] | None = None
        self._forking: Limits | None = None
        self._last: Limits | None = None
        self._over: list[Run] = []  # runs whose children are still to be killed

    def start(self) -> None:
        """Start the zygote, unless there is one, without waiting for it.

        Raises:
            SandboxUnavailable: this process may start no other, or open nothing more.
        """
        if self._process is not None:
            return
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs, contextlib.ExitStack() as undo:
                undo.enter_context(ours)
                self._process = start_zygote(theirs.fileno(), self._allow_weak)
                undo.pop_all()
                self.starts += 1
        except OSError as error:
            raise SandboxUnavailable(
                f"The sandbox's process cannot be started ({error.strerror}); raise the limits on open files and "
                f"processes, and check that this Python can import NumPy: {sys.executable} -c 'import numpy'"
            ) from None
        ours.settimeout(START_S)
        self._control = ours
        if self._core is not None:
            self._stay(self._process.pid, {self._core})

    @property
    def pid(self) -> int | None:
        """Process id of the zygote, None when there is none."""
        return self._process.pid if self._process else None

    def facts(self) -> dict[str, Any]:
        """Return what the zygote said of its walls; waits for it, starts it when there is none.

        Raises:
            SandboxUnavailable: a required wall is missing here.
        """
        if self._facts is None:
            if self._process is None:
                self._back_off()
                self.start()
            assert self._control is not None
            try:
                message = self._control.recv(1 << 16)
            except OSError:
                message = b""
            if not message:
                self.close()
                raise SandboxUnavailable(
                    "The sandbox's process did not start; check that this Python can import NumPy: "
                    f"{sys.executable} -c 'import numpy'"
                )
            facts: dict[str, Any] = json.loads(message)
            if "error" in facts:
                self.close()
                raise SandboxUnavailable(facts["error"])
            self._require_end()
            self._control.settimeout(REPLY_S)
            self._facts = facts
        return self._facts

    def _require_end(self) -> None:
        """Make sure that this process may kill what it starts: root without its capabilities may not."""
        assert self._process is not None
        try:
            os.kill(self._process.pid, 0)
        except PermissionError:
            self.close()
            raise SandboxUnavailable(
                "The grader cannot end the sandbox's processes here: start it as an ordinary user, "
                "or give it the capabilities SETUID, SETGID and KILL."
            ) from None

    def prepare(self, limits: Limits, is_idle: bool = True) -> None:
        """Have a child forked ahead for these limits, without waiting for it.

        Args:
            is_idle: the machine has time for the child to warm itself.
        """
        self.facts()
        if self._warm is None and self._forking is None:
            self._request(b"F", limits.memory_mib, limits.cpu_s, "forked", self._rehearse and is_idle)
            self._forking = limits

    def _back_off(self) -> None:
        """Give a machine that kills zygotes, for want of memory or processes, a while before the next one starts."""
        if self._deaths:
            time.sleep(min(BACK_OFF_MAX_S, BACK_OFF_S * 2 ** (self._deaths - 1)))

    @contextlib.contextmanager
    def run(self, limits: Limits) -> Iterator[Run]:
        """Give a fresh locked child. Afterwards it gets nothing more to do; `refill` or the next run kills it.

        Killing it at once would make the machine tear it down while the grader still has an answer to give.

        Raises:
            SandboxUnavailable: the sandbox cannot be set up here.
            SandboxLost: it failed this once; the lane starts anew at its next use.
        """
        with self._beside():
            try:
                run = self._take(limits)
                self._over.append(run)
                yield run
            except SandboxLost:
                self._deaths = min(self._deaths + 1, 10)
                self.close()
                raise

    @contextlib.contextmanager
    def _beside(self) -> Iterator[None]:
        """Keep the calling thread on the lane's processor, if it has one.

        Thread and child take turns, and a wake-up across processors takes longer than a short call.
        """
        before = os.sched_getaffinity(0)
        if self._core is not None:
            self._stay(0, {self._core})
        try:
            yield
        finally:
            if self._core is not None:
                self._stay(0, before)

    @staticmethod
    def _stay(who: int, cores: set[int]) -> None:
        with contextlib.suppress(OSError):  # a processor that has been taken from us
            os.sched_setaffinity(who, cores)

    def refill(self, is_idle: bool = True) -> None:
        """Kill the child of the last run and have the next one forked ahead, for the same limits; without waiting."""
        self._bury()
        if self._last is not None and self._facts is not None:  # a zygote that is not up yet would be waited for
            with contextlib.suppress(SandboxLost):
                self.prepare(self._last, is_idle)

    def _take(self, limits: Limits) -> Run:
        self._bury()
        self._last = limits
        wanted = (limits.memory_mib, limits.cpu_s)
        for _ in range(2):
            self.prepare(limits)
            self._settle()
            assert self._warm is not None
            ahead, run = self._warm
            self._warm = None
            if (ahead.memory_mib, ahead.cpu_s) == wanted:
                try:
                    run.wait_ready()
                except SandboxLost:
                    self._dispose(run)
                    raise
                self._deaths = 0
                return run
            self._dispose(run)
        raise AssertionError("a child was forked for other limits than asked")

    def _bury(self) -> None:
        while self._over:
            self._dispose(self._over.pop())

    def _dispose(self, run: Run) -> None:
        if run.close() and self._process is not None:
            with contextlib.suppress(SandboxLost):
                self._request(b"W", 0, run.pid, "ended")

    def _request(self, verb: bytes, mib: int, number: int, reply: str, rehearse: bool = False) -> None:
        try:
            self._open_control().send(REQUEST.pack(verb, rehearse, mib, number))
        except OSError as error:
            self.close()
            raise SandboxLost(f"a zygote is gone: {error}") from None
        self._pending.append(reply)

    def _settle(self) -> list[bytes]:
        """Read every reply that the zygote owes; return those about ended children."""
        ended = []
        while self._pending:
            message, descriptors = self._receive()
            if self._pending.pop(0) == "ended":
                ended.append(message)
            else:
                self._receive_child(message, descriptors)
        return ended

    def _receive_child(self, message: bytes, descriptors: list[int]) -> None:
        if len(descriptors) < DESCRIPTORS:
            for descriptor in descriptors:
                os.close(descriptor)
            self.close()
            raise SandboxLost("the grader cannot open another descriptor: raise its limit on open files")
        assert self._forking is not None
        self._warm = (self._forking, Run(FORKED.unpack(message)[0], descriptors, self._reap))
        self._forking = None

    def _open_control(self) -> socket.socket:
        if self._control is None:
            raise SandboxLost("a lane was closed while it was used")
        return self._control

    def _receive(self) -> tuple[bytes, list[int]]:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._open_control(), 64, DESCRIPTORS)
        except OSError as error:
            self.close()
            raise SandboxLost(f"a zygote does not answer: {error}") from None
        if not message:
            self.close()
            raise SandboxLost("a zygote died")
        return message, descriptors

    def _reap(self, pid: int) -> tuple[int, float]:
        self._request(b"W", 0, pid, "ended")
        status, user, system = ENDED.unpack(self._settle()[-1])
        return status, user + system

    def kill(self) -> None:
        """End the zygote and, with it, whatever it forked; any thread may do so, a run then ends as lost."""
        if (process := self._process) is not None:
            _kill(process)

    def close(self) -> None:
        """End the zygote and whatever it forked; the lane can be used again. Not while another thread uses it."""
        for run in (*self._over, *(self._warm or ())[1:]):
            run.close()
        self._over.clear()
        process, control = self._process, self._control
        self._process = self._control = self._facts = self._warm = self._forking = None
        self._pending = []
        if control is not None:
            control.close()
        if process is not None:
            _kill(process)
            process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a zygote, unless it is gone, or not this process's to kill: then it ends with its control socket."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        process.kill()
