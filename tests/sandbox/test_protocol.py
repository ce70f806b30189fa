"""Frames that are malformed, early, missing or very large, at every point of the protocol."""

from __future__ import annotations

import pytest

from grader.sandbox.exchange import Answer, End, Limits
from grader.sandbox.pool import Lane
from grader.sandbox.wire import FRAME_LIMIT
from tests.sandbox.asking import CHANNEL, array, ask, end_of, loaded, question

pytestmark = pytest.mark.sandbox

ANSWERED = "frame(b'A', [False, 1, [np.ones(1)]], True)"
AGAIN = "frame(b'B', [False, 1, [np.ones(1)]], True)"
BAD_ANSWERS = {
    # before the source is loaded
    "exit at import": ("os._exit(0)", "def f(): pass", "the process ended by itself with status 0"),
    "garbage at import": ("send(b'garbage!')", "def f(): pass", "a frame of 1651663207 bytes"),
    "an answer at import": (f"send({ANSWERED})", "def f(): pass", "frame b'A' where b'L' was due"),
    "an answer behind a forged load": (
        f"send(frame(b'L', []), {ANSWERED})",
        "def f(): pass",
        "bytes that came before their question",
    ),
    "a forged load without a list": (
        "send(frame(b'L', 1))",
        "def f(): pass",
        "the list of missing entries is malformed",
    ),
    "a forged load of arrays": (
        "send(frame(b'L', [np.ones(2)]))",
        "def f(): pass",
        "the list of missing entries is malformed",
    ),
    "a forged load of other names": (
        "send(frame(b'L', ['g']))",
        "def f(): pass",
        "the list of missing entries is malformed",
    ),
    "a frame of nothing": ("send(b'\\0\\0\\0\\0')", "def f(): pass", "a frame of 0 bytes"),
    "a frame of 4 GiB": ("send(b'\\xff\\xff\\xff\\xff')", "def f(): pass", "a frame of 4294967295 bytes"),
    # in place of an answer
    "exit in a call": ("", "def f(): os._exit(0)", "the process ended by itself with status 0"),
    "exit with a status": ("", "def f(): os._exit(77)", "the process ended by itself with status 77"),
    "a verdict in words": ("", 'def f(): os.write(4, b\'{"verdict": "AC"}\')', "a frame of 1702240891 bytes"),
    "a second ready": ("", "def f(): send(frame(b'R'))", "frame b'R' where b'A' was due"),
    "the second answer first": ("", f"def f(): send({AGAIN})", "frame b'B' where b'A' was due"),
    "an answer and no second one": (
        "",
        f"def f(): send({ANSWERED}, {ANSWERED})",
        "frame b'A' where b'S' was due",
    ),
    "an exception that is none": ("", "def f(): send(frame(b'X', 1))", "an exception's record is malformed"),
    "an exception of no class": (
        "",
        "def f(): send(frame(b'X', ['call', 'E', 'Nonsense', 1, '', False, [], True]))",
        "an exception's record is malformed",
    ),
    "an exception at line True": (
        "",
        "def f(): send(frame(b'X', ['call', 'E', 'KeyError', True, '', False, [], True]))",
        "an exception's record is malformed",
    ),
    "an exception in lines of text": (
        "",
        "def f(): send(frame(b'X', ['call', 'E', 'KeyError', 1, '', False, ['2'], True]))",
        "an exception's record is malformed",
    ),
    "an answer without its flag": (
        "",
        "def f(): send(frame(b'A', [False, 1, [np.ones(1)]], 1))",
        "an answer does not say whether its arguments are unchanged",
    ),
    # after an answer
    "two more answers": (
        "",
        f"def f(): send({ANSWERED}, {AGAIN}, {ANSWERED})",
        "bytes that came before their question",
    ),
    "one more byte": ("", f"def f(): send({ANSWERED}, {AGAIN}, b'\\0')", "bytes that came before their question"),
    "exit after the answers": (
        "",
        f"def f():\n    send({ANSWERED}, {AGAIN})\n    os._exit(0)",
        "the process ended by itself with status 0",
    ),
    # when asked once more
    "the end at once": (
        "at_the_end(lambda: send(frame(b'Z')))",
        "def f(): return [1.0]",
        "frame b'Z' where b'K' was due",
    ),
    "an answer too many": (
        "at_the_end(lambda: send(frame(b'K', [True, True])))",
        "def f(): return [1.0]",
        "what is said of earlier results is malformed",
    ),
    "rubbish for the end": (
        "at_the_end(lambda: send(frame(b'X', 1)))",
        "def f(): return [1.0]",
        "an exception's record is malformed",
    ),
    "exit at the end": (
        "at_the_end(lambda: os._exit(3))",
        "def f(): return [1.0]",
        "the process ended by itself with status 3",
    ),
}


@pytest.mark.parametrize(("first", "entry", "detail"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_malformed_early_or_missing_frame_ends_the_run(lane: Lane, first: str, entry: str, detail: str) -> None:
    source = f"{CHANNEL}import numpy as np\n{first}\n{entry}\n"
    assert end_of(lane, source) == (End.BAD_ANSWER, detail)


def test_answer_larger_than_a_frame_ends_the_run(lane: Lane) -> None:
    limits = Limits(5, 5, 1024)
    source = f"{CHANNEL}def f(): send((1 + {FRAME_LIMIT}).to_bytes(4, 'little') + b'A')\n"
    assert end_of(lane, source, limits=limits) == (End.BAD_ANSWER, f"a frame of {FRAME_LIMIT + 1} bytes")


def test_answer_as_large_as_a_frame_is_read(lane: Lane) -> None:
    size = FRAME_LIMIT - 200
    body = f"b'y', ({size}).to_bytes(4, 'little'), bytes({size})"
    source = f"{CHANNEL}def f(): send(wire.frame(b'A', {body}, b'b', b'\\1'), frame(b'S', True))\n"
    answer = ask(lane, source, limits=Limits(5, 5, 1024))
    assert isinstance(answer, Answer)
    assert len(answer.first) == size + 5


def test_question_larger_than_a_pipe_arrives_while_prints_flow(lane: Lane) -> None:
    source = "def f(x, n):\n    print('x' * 200_000)\n    return x\n"
    big = question(x=list(range(50_000)), n=1)
    with loaded(lane, source, Limits(5, 5, 256)) as run:
        for _ in range(2):
            assert array(run.ask(big)).shape == (50_000,)


def test_child_that_does_not_read_ends_by_the_clock(lane: Lane) -> None:
    source = f"{CHANNEL}\nsend(frame(b'L', []))\nwhile True: pass\ndef f(): pass\n"
    assert end_of(lane, source, question(x=b"x" * 3_000_000))[0] is End.TIME


def test_child_that_dies_before_a_large_question_is_noticed(lane: Lane) -> None:
    source = f"{CHANNEL}\nsend(frame(b'L', []))\nos._exit(5)\ndef f(): pass\n"
    end, detail = end_of(lane, source, question(x=b"x" * 3_000_000))
    assert (end, detail) == (End.BAD_ANSWER, "the process ended by itself with status 5")
