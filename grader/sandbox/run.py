"""The grader's side of one run: asks a child, one question at a time, under the grader's own clock.

Everything read here was written by untrusted code. A frame's length is checked before it is read, its content by
`wire`; a byte that comes before its question, a malformed frame or a missing one ends the run.
"""

from __future__ import annotations

import builtins
import contextlib
import fcntl
import os
import select
import signal
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from grader.sandbox.calls import call_frame
from grader.sandbox.clock import Clock
from grader.sandbox.exchange import UNCHANGED, Answer, End, Limits, Question, Raised, RunEnded, SandboxLost
from grader.sandbox.wire import FRAME_LIMIT, LENGTH, PIPE_BYTES, Value, WireError, decode, encode, frame

PRINTS_LIMIT: Final = 1 << 20  # bytes of prints of one run; more is OLE
ROOM_MAX: Final = 1 << 20  # of a pipe; for more a process needs privileges
PRINTS_KEPT: Final = 64 << 10
READY_S: Final = 10.0  # a forked child has its walls up in milliseconds; this long only on a drowning machine
_FLAGS: Final = (encode(False), UNCHANGED)
_SAME: Final = b"S" + _FLAGS[True]  # a second answer as nearly all are
_BUILTIN_ERRORS: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
Mode = Literal["submission", "traced", "package"]


class Run:
    """One child and its pipes. Made by `pool.Lane`, which kills and reaps the child afterwards."""

    def __init__(self, pid: int, descriptors: Sequence[int], reap: Callable[[int], tuple[int, float]]) -> None:
        self.pid = pid
        self.prints = bytearray()  # as far as kept; the reader may take them out
        self._descriptors = descriptors
        self._questions, self._answers, self._prints, self._pidfd = descriptors
        self._reap = reap
        self._room = PIPE_BYTES  # of a pipe
        self._reaped = False
        self._closed = False
        self._printed = 0
        self._chunks: list[bytes] = []  # of answers that were read and not taken
        self._size = 0  # of them together
        self._wanted = LENGTH.size  # so many make the next frame whole, as far as is known
        self._limits = Limits()
        self._clock = Clock(pid)
        self._end = float("inf")  # by that clock
        os.set_blocking(self._questions, False)
        self._poll = select.poll()
        self._poll.register(self._prints, select.POLLIN)  # first: they were written before their answer
        self._poll.register(self._answers, select.POLLIN)

    def wait_ready(self) -> None:
        """Wait until the child says that every wall is up.

        Raises:
            SandboxLost: it does not.
        """
        try:
            if self._receive(self._deadline(READY_S)) == b"R":
                return
            problem = "a child began with something else than ready"
        except RunEnded as error:
            problem = f"a child was not ready: {error.detail}"
        raise SandboxLost(problem)

    def load(
        self, source: bytes, entries: Sequence[str], limits: Limits, mode: Mode = "submission"
    ) -> list[str] | Raised:
        """Load a source and start the clock; return the entries that are missing from it.

        Args:
            mode: a package's source may import all loaded modules, and any function of it may be called; a traced
                one is rewritten so that it can tell what it computes.
        """
        self._limits = limits
        self._clock.start(limits.total_s)
        self._end = self._clock.now() + limits.total_s
        self._ask(frame(b"H", encode([source, list(entries), mode])))
        missing = self._reply((b"L",), self._value)
        if isinstance(missing, Raised):
            return missing
        if not isinstance(missing, list) or not all(type(name) is str and name in entries for name in missing):
            raise RunEnded(End.BAD_ANSWER, "the list of missing entries is malformed")
        return missing

    def ask(self, question: Question) -> Answer | Raised:
        """Have an entry called twice with the same arguments."""
        if question.size > self._room:
            self._make_room(question.size)
        self._ask(question.frame)
        deadline = self._deadline(self._limits.case_s)
        if question.right is not None and self._comes(question, deadline):
            self._chunks, self._size = [], 0
            return question.right
        first = self._reply((b"A",), bytes, deadline)
        if isinstance(first, Raised):
            return first
        answer, unchanged = self._flagged(first)
        second = self._reply((b"S", b"B"), bytes)
        if isinstance(second, Raised):
            return Answer(answer, second, unchanged)
        if second == _SAME:
            return Answer(answer, answer, unchanged)
        again, unchanged_again = self._flagged(second)
        if second.startswith(b"S"):
            if again:
                raise RunEnded(End.BAD_ANSWER, "an answer where it should be said that it is the same")
            again = answer
        return Answer(answer, again, unchanged and unchanged_again)

    def _comes(self, question: Question, deadline: float) -> bool:
        """Whether the right reply comes, to the byte; waits no longer than for its first answer."""
        seen = 0
        while seen < question.first:
            known = len(self._chunks)
            self._wait(deadline)
            for chunk in self._chunks[known:]:
                if not question.reply.startswith(chunk, seen):
                    return False
                seen += len(chunk)
        return seen == len(question.reply)

    @staticmethod
    def _flagged(body: bytes) -> tuple[bytes, bool]:
        """Return a body's answer and the flag behind it, whether the arguments are unchanged."""
        if not body.endswith(_FLAGS):
            raise RunEnded(End.BAD_ANSWER, "an answer does not say whether its arguments are unchanged")
        return body[1 : -len(_FLAGS[0])], body.endswith(_FLAGS[1])

    def generate(self, function: str, seed: int) -> Value | Raised:
        """Call a package's case generator with numpy's default generator of a seed."""
        self._ask(frame(b"G", encode([function, seed])))
        return self._reply((b"V",), self._value)

    def compute(self, function: str, arguments: dict[str, Value], layouts: dict[str, str]) -> Value | Raised:
        """Call a package's function once; `arguments` are in the order of its parameters."""
        self._ask(call_frame(b"C", [function], arguments, layouts))
        return self._reply((b"V",), self._value)

    def trace(self, entry: str, arguments: dict[str, Value], layouts: dict[str, str], outputs: int) -> Value | Raised:
        """Call an entry of a traced source once; return what it says that it computed, and what it returned."""
        self._ask(call_frame(b"T", [entry, outputs], arguments, layouts))
        return self._reply((b"V",), self._value)

    def seconds_left(self) -> float:
        """Return how much of the total time is left, by the grader's clock."""
        return self._end - self._clock.now()

    def ask_again(self, count: int) -> list[bool] | Raised:
        """Ask of each of the `count` answered questions whether what it returned, twice, is the same bytes still."""
        self._ask(frame(b"F"))
        unchanged = self._reply((b"K",), self._value)
        if isinstance(unchanged, Raised):
            return unchanged
        if not isinstance(unchanged, list) or [type(flag) for flag in unchanged] != [bool] * count:
            raise RunEnded(End.BAD_ANSWER, "what is said of earlier results is malformed")
        return unchanged

    @staticmethod
    def _value(body: bytes) -> Value:
        return decode(body, 1)

    @staticmethod
    def _parsed(parse: Callable[[], Any]) -> Any:
        try:
            return parse()
        except WireError as error:
            raise RunEnded(End.BAD_ANSWER, f"malformed answer: {error}") from None

    def _reply(self, kinds: tuple[bytes, ...], read: Callable[[bytes], Any], deadline: float = 0.0) -> Any:
        body = self._receive(deadline)
        if body.startswith(kinds):
            return body if read is bytes else self._parsed(lambda: read(body))
        if body.startswith(b"X"):
            return self._raised(body)
        raise RunEnded(End.BAD_ANSWER, f"frame {body[:1]!r} where {kinds[0]!r} was due")

    def _raised(self, body: bytes) -> Raised:
        value = self._parsed(lambda: decode(body, 1))
        types = (str, str, str, int, str, bool, list, bool)
        if not (isinstance(value, list) and len(value) == 8 and all(map(isinstance, value, types))):
            raise RunEnded(End.BAD_ANSWER, "an exception's record is malformed")
        phase, name, builtin, line, text, refused, lines, unchanged = value
        if builtin not in _BUILTIN_ERRORS or not all(type(number) is int for number in (line, *lines)):
            raise RunEnded(End.BAD_ANSWER, "an exception's record is malformed")
        return Raised(phase[:20], name[:80], builtin[:80], line, text[:2000], refused, tuple(lines[:20]), unchanged)

    def _ask(self, question: bytes) -> None:
        """Send a frame, once it is sure that nothing came before it."""
        if self._closed:
            raise SandboxLost("the lane was closed during a run")
        for descriptor, _ in self._poll.poll(0):
            self._read_from(descriptor)
        if self._size:
            raise RunEnded(End.BAD_ANSWER, "bytes that came before their question")
        left: bytes | memoryview = question
        deadline = 0.0
        while left:
            try:
                written = os.write(self._questions, left)
            except BlockingIOError:
                deadline = deadline or self._deadline(self._limits.case_s)
                self._wait_writable(deadline)
            except BrokenPipeError:
                raise self._ended() from None
            else:
                left = memoryview(left)[written:] if written < len(left) else b""

    def _deadline(self, seconds: float) -> float:
        return min(self._end, self._clock.now() + seconds)

    def _wait_writable(self, deadline: float) -> None:
        writable = select.poll()
        for descriptor, events in ((self._questions, select.POLLOUT), (self._prints, select.POLLIN)):
            writable.register(descriptor, events)
        for descriptor, events in writable.poll(self._milliseconds(deadline)):
            if descriptor == self._prints and events & select.POLLIN:
                self._read_from(descriptor)
            elif events & (select.POLLERR | select.POLLHUP):
                raise self._ended()

    def _receive(self, deadline: float = 0.0) -> bytes:
        """Return the next frame's body, or raise how the run ended; without a deadline it has the time of one call."""
        while self._size < self._wanted or (body := self._framed()) is None:
            deadline = deadline or self._deadline(self._limits.case_s)
            self._wait(deadline)
        return body

    def _make_room(self, size: int) -> None:
        """Let the pipes hold so much, where the machine allows it: each filling is a turn of grader and child more."""
        self._room = min(size, ROOM_MAX)
        for descriptor in (self._questions, self._answers):
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, self._room)

    def _wait(self, deadline: float) -> None:
        """Read what comes next, prints or a part of an answer."""
        for descriptor, _ in self._poll.poll(self._milliseconds(deadline)):
            self._read_from(descriptor)

    def _framed(self) -> bytes | None:
        """Take the next frame's body from what was read, as much as is wanted; None until it is whole."""
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        length = LENGTH.unpack_from(data)[0]
        if not 1 <= length <= FRAME_LIMIT:
            raise RunEnded(End.BAD_ANSWER, f"a frame of {length} bytes")
        end = LENGTH.size + length
        if len(data) < end:
            self._chunks, self._wanted = [data], end
            return None
        self._chunks, self._size, self._wanted = [data[end:]] if len(data) > end else [], len(data) - end, LENGTH.size
        return data[LENGTH.size : end]

    def _milliseconds(self, deadline: float) -> float:
        left = deadline - self._clock.now()
        if left <= 0:
            self._clock.set_back()
            left = deadline - self._clock.now()
        if left <= 0:
            raise RunEnded(End.TIME, "the grader's clock ran out")
        return left * 1000 + 1

    def _read_from(self, descriptor: int) -> None:
        data = os.read(descriptor, self._room)
        if descriptor == self._answers:
            if not data:
                raise self._ended()
            self._chunks.append(data)
            self._size += len(data)
        elif data:
            self._keep_prints(data)
        else:
            self._poll.unregister(descriptor)

    def _keep_prints(self, data: bytes) -> None:
        self._printed += len(data)
        self.prints += data[: max(0, PRINTS_KEPT - self._printed + len(data))]
        if self._printed > PRINTS_LIMIT:
            raise RunEnded(End.OUTPUT, f"more than {PRINTS_LIMIT} bytes of prints")

    def _ended(self) -> Exception:
        """Say from its exit status why a child is gone; the status is evidence of how it ended, never of success."""
        status, cpu = self._finish()
        self._drain_prints()
        if not os.WIFSIGNALED(status):
            return RunEnded(
                End.BAD_ANSWER, f"the process ended by itself with status {os.waitstatus_to_exitcode(status)}"
            )
        number = os.WTERMSIG(status)
        if number == signal.SIGSYS:
            return RunEnded(End.REFUSED, "killed by the system-call filter")
        if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu >= self._limits.cpu_s):
            return RunEnded(End.TIME, "the processor-time limit was reached")
        if number == signal.SIGKILL:
            return SandboxLost("a child was killed from outside")
        return RunEnded(End.CRASH, f"killed by {signal.Signals(number).name}")

    def _drain_prints(self) -> None:
        os.set_blocking(self._prints, False)
        try:
            while data := os.read(self._prints, PIPE_BYTES):
                self._keep_prints(data)
        except (BlockingIOError, RunEnded):
            return

    def _finish(self) -> tuple[int, float]:
        """Kill the child if it still lives; return its wait status and processor seconds."""
        self._kill()
        self._reaped = True
        return self._reap(self.pid)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # its zygote died, and it with it
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> bool:
        """Kill the child and close its pipes; return whether it still has to be reaped."""
        self._closed = True
        if not self._reaped:
            self._kill()
        for descriptor in self._descriptors:
            os.close(descriptor)
        return not self._reaped
