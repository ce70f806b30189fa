"""What a run is asked and what comes of it, as plain values; and the ways in which it ends early."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from grader.sandbox.calls import call_frame
from grader.sandbox.wire import Value, encode, frame

UNCHANGED: Final = encode(True)  # what an answer ends with whose call left its arguments alone


@dataclass(frozen=True)
class Limits:
    """What a run may use: seconds for one call and for all, MiB beyond the zygote."""

    case_s: float = 2.0
    total_s: float = 10.0
    memory_mib: int = 512

    @property
    def cpu_s(self) -> int:
        """Processor seconds, a wall behind the clock."""
        return int(self.total_s) + 2


class End(StrEnum):
    """Why a run ended before its time, each by its own evidence."""

    TIME = "time_limit"
    OUTPUT = "output_limit"
    CRASH = "crashed"
    REFUSED = "refused_call"
    BAD_ANSWER = "bad_answer"


class RunEnded(Exception):
    """The submission ended its run; `detail` is for the interviewer."""

    def __init__(self, end: End, detail: str) -> None:
        super().__init__(detail)
        self.end = end
        self.detail = detail


class SandboxLost(Exception):
    """The sandbox itself failed (a zygote died, the machine killed a child): our fault, worth another try."""


@dataclass(frozen=True)
class Raised:
    """An exception of the submission, as the child claims it.

    phase is compile, import, call, again, or between (in the child's own code between calls); line is the innermost own
    line (0: none); text must not reach a candidate for a secret case; refused says that the sandbox refused a call;
    unchanged, that the call left its arguments alone.
    """

    phase: str
    name: str
    builtin: str
    line: int
    text: str
    refused: bool
    lines: tuple[int, ...]
    unchanged: bool = True


@dataclass(frozen=True)
class Answer:
    """What both calls of a question returned, as bytes of wire values: [is it a sequence, count, items].

    `again` is the second call's, or the exception that only the second call raised; `unchanged` says whether the
    arguments were the same bytes after each call.
    """

    first: bytes
    again: bytes | Raised
    unchanged: bool


@dataclass(frozen=True)
class Question:
    """One call of an entry, encoded once for all runs, and what most right submissions answer, to the byte.

    `right` is that answer, and `reply` the frames in which it comes, the first of `first` bytes; they never leave the
    grader. An answer of other bytes may be right all the same; that is for the comparison.
    """

    frame: bytes
    right: Answer | None = None
    reply: bytes = b""
    first: int = 0

    @property
    def size(self) -> int:
        """How many bytes the larger of question and right answer has."""
        return max(len(self.frame), len(self.reply))

    @classmethod
    def of(
        cls, entry: str, arguments: dict[str, Value], layouts: dict[str, str], outputs: int, right: bytes = b""
    ) -> Question:
        """Encode a call.

        Args:
            arguments: in the order of the entry's parameters.
            right: the answer that is expected, encoded; empty where there is none, or an error is due.
        """
        asked = call_frame(b"Q", [entry, outputs], arguments, layouts)
        if not right:
            return cls(asked)
        first = frame(b"A", right, UNCHANGED)
        return cls(asked, Answer(right, right, True), first + frame(b"S", UNCHANGED), len(first))

    def is_answered(self, answer: Answer | Raised | None) -> bool:
        """Whether both calls returned what is expected to the byte: nothing is left to compare."""
        return self.right is not None and answer == self.right
