"""The bytes between grader and child, both ways, and a strict parser for them.

A frame is ``u32 length | body`` (little endian). A body is one tag byte, the message kind, and one encoded value.
Values: None, bool, int, float, str, bytes, list, mapping with text keys, C-ordered array of a closed dtype table, and
`Refused` (what a submission returned in place of an array). The parser believes nothing: it bounds lengths before it
reads, depth, counts and shapes before it allocates, the number of values as it goes (a frame of tiny ones would keep
it busy for seconds), and wants the exact end. Never pickle, never eval.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FRAME_LIMIT: Final = 65 << 20  # bytes of one frame
OUTPUT_LIMIT: Final = 16 << 20  # bytes of one output; four are the most that an entry has
INPUTS_LIMIT: Final = 16 << 20  # bytes of one case's inputs
PIPE_BYTES: Final = 64 << 10  # that a pipe holds
LENGTH: Final = struct.Struct("<I")
MAX_DEPTH: Final = 8  # of nested lists and mappings, and of array axes
MAX_VALUES: Final = 1 << 16  # of one parsed value, itself and all that it holds
DTYPES: Final = tuple(np.dtype(name) for name in ("bool", "int64", "float16", "float32", "float64"))
_SIZES: Final = tuple(dtype.itemsize for dtype in DTYPES)
_CODES: Final = {dtype.num: code for code, dtype in enumerate(DTYPES)}
_INT: Final = struct.Struct("<q")
_FLOAT: Final = struct.Struct("<d")
_HEADER: Final = struct.Struct("<cBB")  # tag, dtype code, number of axes
_ARRAY, _TEXT, _INTEGER, _MAPPING, _LIST = b"asiml"
_TEXT_HEADER: Final = struct.Struct("<BI")  # tag, length
_SHAPES: Final = tuple(struct.Struct(f"<{axes}Q") for axes in range(MAX_DEPTH + 1))

Value = Any  # a wire value, see the module docstring
Buffer = bytes | mmap.mmap


class WireError(Exception):
    """The bytes are not a value of this format; the text says where it broke."""


@dataclass(frozen=True)
class Refused:
    """What stands in for an output that is no plain array: a kind of the child's closed list and a bounded detail."""

    kind: str
    detail: str


def encode(value: Value) -> bytes:
    """Return the bytes of a wire value; equal values give equal bytes.

    Raises:
        WireError: the value, or a part of it, has a type that is not carried.
    """
    return b"".join(encode_parts(value))


def encode_parts(value: Value) -> list[bytes]:
    """As `encode`, in parts that are not joined yet: large arrays are copied once."""
    parts: list[bytes] = []
    _put(value, parts.append, 0)
    return parts


def frame(kind: bytes, *bodies: bytes) -> bytes:
    """Return a whole frame of a message kind (one byte) and its content, most often encoded values."""
    return b"".join(frame_parts(kind, bodies))


def frame_parts(kind: bytes, bodies: Sequence[bytes]) -> list[bytes]:
    """As `frame`, in parts."""
    return [LENGTH.pack(1 + sum(map(len, bodies))) + kind, *bodies]


def _put(value: Value, put: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise WireError("nested too deeply")
    kind = type(value)
    if kind is np.ndarray:
        for part in array_parts(value):
            put(part)
    elif kind is str:
        _put_bytes(b"s", value.encode("utf-8", "backslashreplace"), put)
    elif kind is int:
        _put_int(value, put)
    elif kind is list or kind is tuple:
        put(b"l" + LENGTH.pack(len(value)))
        for item in value:
            _put(item, put, depth + 1)
    elif kind is dict:
        put(b"m" + LENGTH.pack(len(value)))
        for key, item in value.items():
            _put_bytes(b"s", key.encode(), put)
            _put(item, put, depth + 1)
    else:
        _put_rare(value, kind, put)


def _put_rare(value: Value, kind: type, put: Any) -> None:
    if value is None:
        put(b"n")
    elif kind is bool:
        put(b"b\x01" if value else b"b\x00")
    elif kind is float:
        put(b"f" + _FLOAT.pack(value))
    elif kind is bytes:
        _put_bytes(b"y", value, put)
    elif kind is Refused:
        put(b"r")
        _put_bytes(b"s", value.kind.encode(), put)
        _put_bytes(b"s", value.detail.encode("utf-8", "backslashreplace"), put)
    else:
        raise WireError(f"a value of type {kind.__name__} is not carried")


def _put_int(value: int, put: Any) -> None:
    try:
        put(b"i" + _INT.pack(value))
    except struct.error:
        raise WireError("an integer beyond 64 bits is not carried") from None


def _put_bytes(tag: bytes, data: bytes, put: Any) -> None:
    put(tag + LENGTH.pack(len(data)))
    put(data)


def array_code(dtype: np.dtype[Any]) -> int:
    """Return a dtype's number on the wire.

    Raises:
        WireError: it is not carried.
    """
    code = _CODES.get(dtype.num)
    if code is None or not dtype.isnative:
        raise WireError(f"arrays of {dtype} are not carried")
    return code


def array_parts(array: npt.NDArray[Any]) -> tuple[bytes, bytes]:
    """Return an array's header and its bytes.

    Raises:
        WireError: its dtype is not carried, or it has too many axes.
    """
    shape = array.shape
    code, axes = array_code(array.dtype), len(shape)
    if axes > MAX_DEPTH:
        raise WireError(f"arrays of {axes} axes are not carried")
    return _HEADER.pack(b"a", code, axes) + _SHAPES[axes].pack(*shape), array.tobytes()


def decode(body: Buffer, offset: int = 0, copy: bool = True) -> Value:
    """Return the one value that fills `body` from `offset` to its end.

    Args:
        copy: False gives arrays that are views of `body`, as it lies in memory, and cannot be written to.

    Raises:
        WireError: anything else.
    """
    reader = Reader(body, offset, copy)
    value = reader.value()
    reader.end()
    return value


def decode_answer(body: bytes) -> tuple[bool, int, list[npt.NDArray[Any] | Refused]]:
    """Return what an entry returned: (is it a sequence, how many items, the items).

    The items of a sequence are left out where it is not what was asked for, otherwise there are as many as counted.

    Raises:
        WireError: the bytes are no such answer.
    """
    value = decode(body)
    if type(value) is not list or [type(part) for part in value] != [bool, int, list]:
        raise WireError("an answer is [sequence, count, items]")
    is_sequence, count, items = value
    if not all(isinstance(item, np.ndarray | Refused) for item in items):
        raise WireError("an answer's items are arrays")
    left_out = is_sequence and not items and count >= 0
    if not (left_out or len(items) == count) or not (is_sequence or count == 1):
        raise WireError("an answer's count is not that of its items")
    return is_sequence, count, items


class Reader:
    """Reads values one after the other from a frame's body, from `at`; each length is checked against what is there."""

    def __init__(self, body: Buffer, offset: int = 0, copy: bool = True) -> None:
        self._body = body
        self._end = len(body)
        self._copy = copy
        self._values = 0
        self.at = offset

    def end(self) -> None:
        """Raise `WireError` unless everything was read."""
        if self.at != self._end:
            raise WireError(f"{self._end - self.at} bytes too many")

    def value(self, depth: int = 0) -> Value:
        """Return the next value."""
        if depth > MAX_DEPTH:
            raise WireError("nested too deeply")
        self._values += 1
        if self._values > MAX_VALUES:
            raise WireError("too many values")
        at = self.at
        if at >= self._end:
            raise WireError("cut short")
        tag = self._body[at]
        if tag == _ARRAY:
            return self._array()
        if tag == _TEXT:
            return self._text()
        self.at = at + 1
        if tag == _INTEGER:
            return self._number(_INT)
        if tag == _MAPPING:
            return self._mapping(depth)
        if tag == _LIST:
            return [self.value(depth + 1) for _ in range(self._count(1))]
        return self._rare(bytes((tag,)))

    def _rare(self, tag: bytes) -> Value:
        if tag == b"b":
            return self._bool()
        if tag == b"f":
            return self._number(_FLOAT)
        if tag == b"n":
            return None
        if tag == b"y":
            return self._take(self._length())
        if tag == b"r":
            return Refused(self._text(), self._text())
        raise WireError(f"unknown tag {tag!r}")

    def _mapping(self, depth: int) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for _ in range(self._count(6)):
            key = self._text()
            if key in mapping:
                raise WireError("a key stands twice")
            mapping[key] = self.value(depth + 1)
        return mapping

    def _take(self, size: int) -> bytes:
        start, stop = self.at, self.at + size
        if stop > self._end:
            raise WireError("cut short")
        self.at = stop
        return self._body[start:stop]

    def _length(self) -> int:
        at = self.at
        if at + 4 > self._end:
            raise WireError("cut short")
        self.at = at + 4
        length: int = LENGTH.unpack_from(self._body, at)[0]
        return length

    def _count(self, smallest: int) -> int:
        """Return a count of items of at least `smallest` bytes each, so that no count outgrows its frame."""
        count = self._length()
        if count * smallest > self._end - self.at:
            raise WireError("a count beyond the frame")
        return count

    def _bool(self) -> bool:
        byte = self._take(1)
        if byte not in (b"\x00", b"\x01"):
            raise WireError("a boolean is 0 or 1")
        return byte == b"\x01"

    def _number(self, form: struct.Struct) -> Any:
        at = self.at
        if at + 8 > self._end:
            raise WireError("cut short")
        self.at = at + 8
        return form.unpack_from(self._body, at)[0]

    def _text(self) -> str:
        """Return a text, from its tag on."""
        at = self.at
        if at + 5 > self._end:
            raise WireError("cut short")
        tag, length = _TEXT_HEADER.unpack_from(self._body, at)
        if tag != _TEXT:
            raise WireError("a key is text")
        stop = at + 5 + length
        if stop > self._end:
            raise WireError("cut short")
        self.at = stop
        try:
            return self._body[at + 5 : stop].decode()
        except UnicodeDecodeError:
            raise WireError("text is not UTF-8") from None

    def _array(self) -> npt.NDArray[Any]:
        """Return an array, from its tag on."""
        body, at = self._body, self.at + _HEADER.size
        if at > self._end:
            raise WireError("cut short")
        _, code, axes = _HEADER.unpack_from(body, self.at)
        if code >= len(DTYPES) or axes > MAX_DEPTH:
            raise WireError("unknown dtype or too many axes")
        start = at + 8 * axes
        if start > self._end:
            raise WireError("cut short")
        dtype, shape = DTYPES[code], _SHAPES[axes].unpack_from(body, at)
        size = _SIZES[code] * math.prod(shape)  # Python's integers do not overflow
        if size > FRAME_LIMIT:
            raise WireError("an array beyond the frame")
        if size == 0:
            _check_empty(shape)
        stop = start + size
        if stop > self._end:
            raise WireError("cut short")
        self.at = stop
        if code == 0 and body[start:stop].strip(b"\x00\x01"):
            raise WireError("a boolean array holds 0 and 1")
        array: npt.NDArray[Any] = np.ndarray(shape, dtype, body, start)
        return array.copy() if self._copy else array  # a copy is aligned and writable, and needs no frame


def _check_empty(shape: Sequence[int]) -> None:
    """An empty array's other extents are bounded by nothing that was read: bound them, and their product, here."""
    if math.prod(extent for extent in shape if extent) > FRAME_LIMIT:
        raise WireError("an array beyond the frame")
