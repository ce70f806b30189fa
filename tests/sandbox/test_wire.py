"""The bytes between grader and child: what goes in comes out, and nothing malformed gets further than `WireError`."""

from __future__ import annotations

import struct
import tracemalloc
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.sandbox.wire import (
    DTYPES,
    FRAME_LIMIT,
    MAX_DEPTH,
    MAX_VALUES,
    Reader,
    Refused,
    Value,
    WireError,
    decode,
    decode_answer,
    encode,
    frame,
)

ARRAYS = hnp.arrays(
    st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4), elements=None
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text()
    | st.binary()
    | st.builds(Refused, st.text(max_size=9), st.text(max_size=9))
)
VALUES = st.recursive(
    SCALARS | ARRAYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
).filter(lambda value: depth(value) <= MAX_DEPTH)


def depth(value: Value) -> int:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + max(map(depth, items)) if items else int(isinstance(value, list | dict))


def same(left: Any, right: Any) -> bool:
    """Whether two wire values are of the same types and bits, NaNs included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return bool((left.dtype, left.shape, left.tobytes()) == (right.dtype, right.shape, right.tobytes()))
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, float):
        return struct.pack("<d", left) == struct.pack("<d", right)
    return bool(left == right)


@given(VALUES)
def test_value_comes_back(value: Value) -> None:
    assert same(decode(encode(value)), value)


@given(VALUES, VALUES, st.binary(max_size=5))
def test_reader_takes_values_one_after_the_other(first: Value, second: Value, before: bytes) -> None:
    reader = Reader(before + encode(first) + encode(second), len(before))
    assert same(reader.value(), first)
    assert same(reader.value(), second)
    reader.end()


@given(ARRAYS)
def test_array_arrives_writable_aligned_and_ordered(array: Any) -> None:
    arrived = decode(b"x" + encode(array), 1)
    assert arrived.flags.writeable
    assert arrived.flags.aligned
    assert arrived.flags.c_contiguous


@pytest.mark.parametrize("turn", [np.asfortranarray, lambda a: a[::-1, ::2], lambda a: a.T, np.ascontiguousarray])
def test_layout_in_memory_changes_no_byte(turn: Any) -> None:
    array = turn(np.arange(24.0).reshape(4, 6))
    assert encode(array) == encode(np.array(array.tolist()))


def test_tuple_travels_as_a_list() -> None:
    assert decode(encode((1, (2, 3)))) == [1, [2, 3]]


def test_frame_is_length_kind_and_bodies() -> None:
    assert frame(b"A", b"xy", b"z") == b"\x04\x00\x00\x00Axyz"


class Odd(float):
    """A subclass of what is carried is not carried."""


NOT_CARRIED = {
    "object": object(),
    "set": {1},
    "complex": 1j,
    "numpy scalar": np.float64(1.0),
    "subclass": Odd(1.0),
    "array subclass": np.ma.masked_array([1.0]),
    "object array": np.array([None]),
    "complex array": np.array([1j]),
    "uint8 array": np.array([1], np.uint8),
    "structured array": np.zeros(1, [("a", "f8")]),
    "big endian array": np.array([1.0], ">f8"),
    "text array": np.array(["a"]),
    "nine axes": np.zeros((1,) * 9),
    "int of 65 bits": 2**63,
    "nested": [[[[[[[[[[]]]]]]]]]],
}


@pytest.mark.parametrize("value", NOT_CARRIED.values(), ids=NOT_CARRIED)
def test_other_value_is_not_encoded(value: object) -> None:
    with pytest.raises(WireError):
        encode(value)
    with pytest.raises(WireError):
        encode({"key": [value]})


def u32(number: int) -> bytes:
    return struct.pack("<I", number)


def array_head(code: int, *shape: int, axes: int | None = None) -> bytes:
    return b"a" + struct.pack(f"<BB{len(shape)}Q", code, len(shape) if axes is None else axes, *shape)


TEXT = b"s" + u32(1) + b"k"
MALFORMED = {
    "nothing": (b"", "cut short"),
    "unknown tag": (b"z", "unknown tag b'z'"),
    "pickle": (b"\x80\x04N.", "unknown tag b'\\x80'"),
    "trailing byte": (b"nn", "1 bytes too many"),
    "trailing bytes after an array": (encode(np.zeros(2)) + b"\0" * 8, "8 bytes too many"),
    "cut int": (b"i\0\0", "cut short"),
    "cut float": (b"f" + b"\0" * 7, "cut short"),
    "cut bool": (b"b", "cut short"),
    "bool of two": (b"b\x02", "a boolean is 0 or 1"),
    "bool of 255": (b"b\xff", "a boolean is 0 or 1"),
    "text without length": (b"s\1\0", "cut short"),
    "text beyond the end": (b"s" + u32(2) + b"a", "cut short"),
    "text of 4 GiB": (b"s" + u32(2**32 - 1), "cut short"),
    "bytes of 4 GiB": (b"y" + u32(2**32 - 1), "cut short"),
    "text of bad UTF-8": (b"s" + u32(2) + b"\xc3\x28", "text is not UTF-8"),
    "text of a lone surrogate": (b"s" + u32(3) + b"\xed\xa0\x80", "text is not UTF-8"),
    "overlong NUL": (b"s" + u32(2) + b"\xc0\x80", "text is not UTF-8"),
    "list of 4 G items": (b"l" + u32(2**32 - 1) + b"n" * 99, "a count beyond the frame"),
    "list with one missing": (b"l" + u32(3) + b"nn", "a count beyond the frame"),
    "list with a cut item": (b"l" + u32(2) + b"ni", "cut short"),
    "mapping of 4 G items": (b"m" + u32(2**32 - 1) + b"n" * 99, "a count beyond the frame"),
    "mapping with an int for a key": (b"m" + u32(1) + b"i" + b"\0" * 8, "a key is text"),
    "mapping with a bad key": (b"m" + u32(1) + b"s" + u32(1) + b"\xff" + b"n", "text is not UTF-8"),
    "mapping without the value": (b"m" + u32(1) + b"s" + u32(2) + b"kk", "cut short"),
    "mapping with a key twice": (b"m" + u32(2) + (TEXT + b"n") * 2, "a key stands twice"),
    "nine lists": (b"l\1\0\0\0" * 9 + b"n", "nested too deeply"),
    "a million lists": (b"l\1\0\0\0" * 1_000_000, "nested too deeply"),
    "a million mappings": ((b"m" + u32(1) + TEXT) * 1_000_000, "nested too deeply"),
    "refused without text": (b"rnn" + b"n" * 4, "a key is text"),
    "refused with one text": (b"r" + TEXT, "cut short"),
    "array without a header": (b"a", "cut short"),
    "array of dtype 5": (array_head(5, 1), "unknown dtype or too many axes"),
    "array of dtype 255": (array_head(255, 1), "unknown dtype or too many axes"),
    "array of nine axes": (array_head(4, *[1] * 9), "unknown dtype or too many axes"),
    "array of 255 axes": (array_head(4, axes=255), "unknown dtype or too many axes"),
    "array with a cut shape": (array_head(4, 1, axes=2), "cut short"),
    "array without its data": (array_head(4, 3), "cut short"),
    "array one byte short": (encode(np.zeros(3))[:-1], "cut short"),
    "array of 2**60": (array_head(4, 2**60), "an array beyond the frame"),
    "array of 2**63": (array_head(0, 2**63), "an array beyond the frame"),
    "shape whose product is 0 in 64 bits": (array_head(4, 2**32, 2**32), "an array beyond the frame"),
    "shape whose product is small in 64 bits": (array_head(0, 2**33, 2**31 + 1), "an array beyond the frame"),
    "eight axes of 2**64 - 1": (array_head(4, *[2**64 - 1] * 8), "an array beyond the frame"),
    "empty, and 2**60 beside": (array_head(4, 0, 2**60), "an array beyond the frame"),
    "2**60, and empty beside": (array_head(4, 2**60, 0), "an array beyond the frame"),
    "empty, and 2**64 - 1 beside": (array_head(4, 0, 2**64 - 1), "an array beyond the frame"),
    "empty, and large products beside": (array_head(4, 0, *[2**26] * 7), "an array beyond the frame"),
    "array larger than a frame": (array_head(4, FRAME_LIMIT // 8 + 1), "an array beyond the frame"),
    "bools of 2": (array_head(0, 2) + b"\1\2", "a boolean array holds 0 and 1"),
    "bools of 255 inside": (array_head(0, 3) + b"\1\xff\1", "a boolean array holds 0 and 1"),
    "too many nothings": (b"l" + u32(MAX_VALUES) + b"n" * MAX_VALUES, "too many values"),
    "too many empty lists": (b"l" + u32(MAX_VALUES) + encode([]) * MAX_VALUES, "too many values"),
    "too many arrays": (b"l" + u32(MAX_VALUES) + encode(np.array(True)) * MAX_VALUES, "too many values"),
}


@pytest.mark.parametrize(("body", "problem"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_bytes_are_a_wire_error(body: bytes, problem: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(WireError) as caught:
            decode(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value) == problem
    assert peak < 24 * MAX_VALUES * 8  # of the many arrays; the others need kilobytes


def test_as_many_values_as_allowed_are_read() -> None:
    assert len(decode(encode([None] * (MAX_VALUES - 1)))) == MAX_VALUES - 1


def test_frame_full_of_tiny_values_is_given_up_soon() -> None:
    body = b"l" + u32(FRAME_LIMIT - 16) + b"n" * (FRAME_LIMIT - 16)
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match="too many values"):
            decode(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 * MAX_VALUES  # of what was read until then; all of it would be hundreds of megabytes


@given(st.binary(max_size=200))
@example(b"m\0\0\0\0")
def test_any_bytes_are_a_value_or_a_wire_error(body: bytes) -> None:
    try:
        value = decode(body)
    except WireError:
        return
    assert encode(value) == body, "one value has one form"


@given(VALUES, st.data())
def test_changed_bytes_are_a_value_or_a_wire_error(value: Value, data: st.DataObject) -> None:
    body = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(body)))
        change = data.draw(st.sampled_from(["set", "insert", "delete", "cut"]))
        byte = data.draw(st.integers(0, 255))
        match change:
            case "set" if position < len(body):
                body[position] = byte
            case "insert":
                body.insert(position, byte)
            case "delete":
                del body[position : position + 1]
            case "cut":
                del body[position:]
    try:
        again = decode(bytes(body))
    except WireError:
        return
    assert encode(again) == bytes(body)


ANSWERS = {
    "one array": [False, 1, [np.zeros(2)]],
    "a refused one": [False, 1, [Refused("none", "")]],
    "two arrays": [True, 2, [np.zeros(2), np.zeros(1)]],
    "an empty tuple": [True, 0, []],
    "a tuple that was not asked for": [True, 2, []],
    "a tuple of very many": [True, 10**9, []],
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_answer_is_read(answer: list[Any]) -> None:
    assert same(list(decode_answer(encode(answer))), answer)


NO_ANSWERS = {
    "none": None,
    "a number": 1,
    "a mapping": {"a": 1},
    "an empty list": [],
    "two parts": [True, 0],
    "four parts": [True, 0, [], []],
    "an int for a bool": [1, 1, [np.zeros(1)]],
    "a bool for an int": [True, True, [np.zeros(1)]],
    "an array for a bool": [np.zeros(2, bool), 1, [np.zeros(1)]],
    "a mapping for the items": [True, 0, {}],
    "text among the items": [True, 1, ["text"]],
    "lists among the items": [True, 1, [[]]],
    "a negative count": [True, -1, []],
    "a negative count and an item": [True, -1, [np.zeros(1)]],
    "fewer items than counted": [True, 3, [np.zeros(1)]],
    "more items than counted": [True, 1, [np.zeros(1), np.zeros(1)]],
    "no sequence and no item": [False, 0, []],
    "no sequence, one counted and no item": [False, 1, []],
    "no sequence and two items": [False, 2, [np.zeros(1), np.zeros(1)]],
}


@pytest.mark.parametrize("answer", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_value_that_is_no_answer_is_a_wire_error(answer: Value) -> None:
    with pytest.raises(WireError):
        decode_answer(encode(answer))
