"""Bytes and values that nobody would send: the grader's readers take them for what they are, or say that they are not.

The short runs are hypothesis's; the long one, a million changed values, is marked `long`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.grading.trace import MalformedTrace, Trace, parsed
from grader.sandbox.exchange import Answer, End, Raised, RunEnded
from grader.sandbox.pool import Lane, Pool
from grader.sandbox.tracing import ARRAYS_MAX, BYTES_MAX, EVENTS_MAX
from grader.sandbox.wire import Refused, Value, WireError, decode, decode_answer, encode
from tests.sandbox.asking import CHANNEL, NOTHING, loaded
from tests.sandbox.test_wire import ARRAYS, VALUES

MILLION: Final = 1_000_000
NO_EVENTS, NO_SHAPES = np.zeros(0, np.int64), np.zeros(0, np.int64)
RETURNED: Final = [True, 1, [np.ones(2)]]
LINES: Final = frozenset({1, 2})


def nbytes(value: Value) -> int:
    """Return how many bytes the arrays of a value hold."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(nbytes, items))


def read(body: bytes) -> bool:
    """Read bytes by every reader; whether they are a value. Nothing but the readers' own errors is raised."""
    try:
        value = decode(body)
    except WireError:
        return False
    assert encode(value) == body, "one value has one form"
    assert nbytes(value) <= len(body)
    for reader, error in READERS:
        try:
            reader(body)
        except error:
            continue
    return True


READERS: Final[tuple[tuple[Callable[[bytes], object], type[Exception]], ...]] = (
    (decode_answer, WireError),
    (lambda body: parsed(decode(body), LINES), MalformedTrace),
)
SEEDS: Final[tuple[Value, ...]] = (
    [True, 2, [np.ones((2, 3)), np.zeros((0, 4), np.float32)]],
    [False, 1, [Refused("dtype", "complex128")]],
    [True, 3, [np.array(1.5), np.array([True, False]), np.array([1, -1])]],
    ["call", "MyError", "ValueError", 3, "text \N{SNOWMAN}", False, [1, 2, 3]],
    {"x": np.ones((2, 2, 2), np.float16), "n": 4, "mask": [1, 2, 3], "more": {"a": None, "b": b"bytes"}},
    [["attend", {"x": "fortran"}, 2], {"x": np.arange(6.0).reshape(2, 3)}],
    [[np.array([0, 1, 0, 0, 1, 0]), ["x"], np.ones(4), np.array([2, 2, 2]), False], RETURNED],
    [float("nan"), -0.0, float("inf"), 2**63 - 1, -(2**63), "", b"", [], {}],
)
TAGS: Final = b"asimlbfnyr\x00\x01\x04\x08\x09\x7f\x80\xff"


def changed(body: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return bytes with one to four changes: a byte, a tag, a length, a piece of another value, a cut."""
    data = bytearray(body)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        match rng.randrange(6):
            case 0 if at < len(data):
                data[at] = rng.randrange(256)
            case 1 if at < len(data):
                data[at] = rng.choice(TAGS)
            case 2:
                data[at : at + 4] = rng.choice((0, 1, 2, 255, 1 << 16, 1 << 31, (1 << 32) - 1)).to_bytes(4, "little")
            case 3:
                other = rng.choice(others)
                start = rng.randrange(len(other))
                data[at:at] = other[start : start + rng.randint(1, 40)]
            case 4:
                del data[at : at + rng.randint(1, 8)]
            case _:
                data[at : at + 8] = rng.choice((0, 1, 1 << 20, 1 << 32, 1 << 63)).to_bytes(8, "little")
    return bytes(data)


def fuzz(count: int, seed: int) -> int:
    """Read so many changed values; return how many of them were values still."""
    rng, bodies = random.Random(seed), [encode(value) for value in SEEDS]
    return sum(read(changed(rng.choice(bodies), rng, bodies)) for _ in range(count))


def test_changed_values_are_values_or_wire_errors() -> None:
    assert 200 < fuzz(5_000, 1) < 3_000, "both kinds are met"


@pytest.mark.long
def test_a_million_changed_values_are_values_or_wire_errors() -> None:
    assert fuzz(MILLION, 2) > 10_000


INTEGERS = st.integers(-2, 12) | st.sampled_from([-(2**63), 2**63 - 1, 2**32, 10**6])
VECTORS = st.lists(INTEGERS, max_size=24).map(lambda numbers: np.array(numbers, np.int64))
NUMBERS = st.lists(st.floats(width=64), max_size=12).map(lambda numbers: np.array(numbers, np.float64))


@settings(max_examples=400)
@given(
    st.tuples(
        VECTORS | VALUES,
        st.lists(st.text(max_size=4), max_size=3) | VALUES,
        NUMBERS | ARRAYS,
        VECTORS | ARRAYS,
        st.booleans(),
    ),
    st.just(RETURNED) | VALUES,
)
def test_any_record_of_a_trace_is_one_or_is_malformed(record: tuple[Value, ...], answer: Value) -> None:
    try:
        trace = parsed([list(record), answer], LINES)
    except MalformedTrace:
        return
    assert isinstance(trace, Trace)
    assert sum(array.size for array in trace.arrays) == record[2].size
    assert all(array.dtype == np.float64 for array in trace.arrays)
    assert all(event.line in {0, *LINES} for event in trace.events)
    assert all(-1 <= event.result < len(trace.arrays) for event in trace.events)
    assert trace.operands <= set(range(len(trace.arrays)))


@given(VALUES)
def test_any_value_in_place_of_a_trace_is_malformed(value: Value) -> None:
    with pytest.raises(MalformedTrace):
        parsed(value, LINES)


def ones(count: int) -> Value:
    return np.ones(count, np.int64)


TOO_MUCH: Final[dict[str, list[Value]]] = {
    "arrays of one number": [NO_EVENTS, [], np.ones(ARRAYS_MAX + 1), ones(2 * ARRAYS_MAX + 2), False],
    "arrays of nothing": [NO_EVENTS, [], np.zeros(0), np.tile([1, 0], ARRAYS_MAX + 1), False],
    "arrays without axes": [NO_EVENTS, [], np.ones(ARRAYS_MAX + 1), 0 * ones(ARRAYS_MAX + 1), False],
    "shapes": [NO_EVENTS, [], np.zeros(0), ones(9 * ARRAYS_MAX + 1), False],
    "events": [np.tile([0, 1, 0, -1, 0], EVENTS_MAX + 1), ["x"], np.zeros(0), NO_SHAPES, False],
    "numbers of events": [ones(13 * EVENTS_MAX + 1), ["x"], np.zeros(0), NO_SHAPES, False],
    "numbers": [NO_EVENTS, [], np.zeros(BYTES_MAX // 8 + 1), np.array([1, BYTES_MAX // 8 + 1]), False],
    "numbers in half precision": [NO_EVENTS, [], np.ones(4, np.float16), np.array([1, 4]), False],
    "numbers in single precision": [NO_EVENTS, [], np.ones(4, np.float32), np.array([1, 4]), False],
    "axes": [NO_EVENTS, [], np.ones(1), np.array([9, *[1] * 9]), False],
    "negative axes": [NO_EVENTS, [], np.ones(1), np.array([-1]), False],
    "a product beyond all numbers": [NO_EVENTS, [], np.ones(9), np.array([8, *[9] * 8]), False],
    "numbers of no array": [NO_EVENTS, [], np.ones(5), np.array([1, 4]), False],
    "a result of no array": [np.array([0, 1, 0, 1, 0]), ["x"], np.ones(1), np.array([1, 1]), False],
    "an operand of no array": [np.array([0, 1, 0, 0, 1, -1]), ["x"], np.ones(1), np.array([1, 1]), False],
    "operands without end": [np.array([0, 1, 0, 0, 2**62]), ["x"], np.ones(1), np.array([1, 1]), False],
    "a name of no text": [np.array([0, 1, 1, 0, 0]), ["x"], np.ones(1), np.array([1, 1]), False],
}


@pytest.mark.parametrize("record", TOO_MUCH.values(), ids=TOO_MUCH)
def test_record_that_holds_more_than_a_recorder_keeps_is_malformed(record: list[Value]) -> None:
    with pytest.raises(MalformedTrace):
        parsed([record, RETURNED], LINES)


def test_line_that_is_none_of_the_source_is_not_told() -> None:
    events = np.array([0, 987654321, 0, 0, 0, 0, 2, 0, 0, 0])
    trace = parsed([[events, ["x"], np.ones(1), np.array([1, 1]), False], RETURNED], LINES)
    assert [event.line for event in trace.events] == [0, 2]


# in place of its answer a source sends these bytes, at the point of the protocol that is named
STATES: Final = {
    "import": "send(BYTES)\nos._exit(0)\n",
    "call": "def f():\n    send(BYTES)\n    os._exit(0)\n",
    "again": "def f(calls=[]):\n    if calls:\n        send(BYTES)\n        os._exit(0)\n"
    "    calls.append(0)\n    return [1.0]\n",
    "end": "at_the_end(lambda: (send(BYTES), os._exit(0)))\ndef f(): return [1.0]\n",
}
KINDS: Final = st.sampled_from([b"R", b"L", b"A", b"B", b"S", b"V", b"K", b"X", b"Q", b"\0", b""])
FRAMES: Final = st.builds(
    lambda kind, values, cut, more: (
        (1 + sum(map(len, values)) + more).to_bytes(4, "little") + kind + b"".join(values)[: None if cut else -1]
    ),
    KINDS,
    st.lists(VALUES.map(encode), max_size=3),
    st.booleans(),
    st.sampled_from([0, 0, 0, -1, 1]),
).map(lambda data: data[:4000])


@pytest.mark.sandbox
@pytest.mark.parametrize("state", STATES)
@settings(max_examples=40)
@given(data=st.lists(FRAMES | st.binary(max_size=12), min_size=1, max_size=3).map(b"".join))
def test_any_bytes_at_any_point_end_the_run_or_are_an_answer(pool: Pool, state: str, data: bytes) -> None:
    source = f"{CHANNEL}BYTES = {data!r}\n{STATES[state]}"
    with pool.lane() as lane:
        zygote = lane.pid
        outcome = _outcome_of(lane, source)
        assert outcome in {"raised", "answered", End.BAD_ANSWER, End.TIME}
        assert lane.pid == zygote


def _outcome_of(lane: Lane, source: str) -> str:
    try:
        with loaded(lane, source) as run:
            answer = run.ask(NOTHING)
            if isinstance(answer, Answer):
                decode_answer(answer.first)
            ended = run.ask_again(1 if isinstance(answer, Answer) else 0)
            return "raised" if isinstance(answer, Raised) or isinstance(ended, Raised) else "answered"
    except (RunEnded, WireError) as error:
        return error.end if isinstance(error, RunEnded) else "answered"
