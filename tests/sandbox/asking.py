"""Asks one source one thing, through the sandbox's public doors."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.sandbox.exchange import Answer, End, Limits, Question, Raised, RunEnded
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run
from grader.sandbox.wire import Value, decode_answer

QUICK: Final = Limits(case_s=0.5, total_s=1.5, memory_mib=64)
ONE: Final = "def f(): return [1.0]\n"
LOOP: Final = "def f():\n    while True: pass\n"
NOTHING: Final = Question.of("f", {}, {}, 1)
# what hostile sources begin with: the child's own modules, and frames of any content
CHANNEL: Final = """
import os, struct, sys
wire = sys.modules["grader.sandbox.wire"]
def frame(kind, *values):
    return wire.frame(kind, *map(wire.encode, values))
def send(*frames):
    data = b"".join(frames)
    while data:
        data = data[os.write(4, data):]
def at_the_end(act, read=os.read):
    # do something when the grader asks for the first objects once more
    def hooked(descriptor, size):
        data = read(descriptor, size)
        if data[4:] == b"F":
            act()
        return data
    os.read = hooked
"""


def question(layouts: dict[str, str] | None = None, outputs: int = 1, **arguments: Value) -> Question:
    """Return a call of `f`."""
    return Question.of("f", arguments, layouts or {}, outputs)


@contextmanager
def loaded(lane: Lane, source: str | bytes, limits: Limits = QUICK) -> Iterator[Run]:
    """Give a run whose source is loaded and defines `f`."""
    with lane.run(limits) as run:
        missing = run.load(text(source), ["f"], limits)
        assert missing == [], missing
        yield run


def text(source: str | bytes) -> bytes:
    """Return a source as bytes; a text may be indented as a whole."""
    return source if isinstance(source, bytes) else textwrap.dedent(source).encode()


def ask(lane: Lane, source: str, asked: Question = NOTHING, limits: Limits = QUICK) -> Answer | Raised:
    """Return what a source's `f` answers in a fresh child."""
    with loaded(lane, source, limits) as run:
        return run.ask(asked)


def array(answer: Answer | Raised) -> npt.NDArray[Any]:
    """Return the one array of an answer."""
    assert isinstance(answer, Answer), answer
    _, _, (item,) = decode_answer(answer.first)
    assert isinstance(item, np.ndarray), item
    return item


def raised(answer: Answer | Raised | list[Any]) -> Raised:
    """Return the exception in an answer's place."""
    assert isinstance(answer, Raised), answer
    return answer


def printed(lane: Lane, source: str, asked: Question = NOTHING, limits: Limits = QUICK) -> str:
    """Return what a source printed while `f` was called, twice as ever."""
    with loaded(lane, source, limits) as run:
        answer = run.ask(asked)
        assert isinstance(answer, Answer), answer
        return run.prints.decode()


def end_of(lane: Lane, source: str | bytes, asked: Question = NOTHING, limits: Limits = QUICK) -> tuple[End, str]:
    """Return how a run ended that did not survive being loaded, asked and asked again."""
    try:
        with loaded(lane, source, limits) as run:
            answer = run.ask(asked)
            run.ask_again(1 if isinstance(answer, Answer) else 0)
    except RunEnded as ended:
        return ended.end, ended.detail
    raise AssertionError(f"the run did not end: {answer}")
