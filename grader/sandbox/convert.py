"""Turns between Python objects and wire values, inside the child: arguments in, returned objects out.

A returned object is anything a submission can think of, so nothing here calls a method that it may have overridden:
exact types only, and the base classes' own iteration.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.sandbox.wire import MAX_DEPTH, OUTPUT_LIMIT, Refused, Value, array_parts, encode, encode_parts

MANY: Final = 16  # items of a returned container; more are counted, not sent
_CARRIED: Final = frozenset(np.dtype(name).num for name in ("bool", "int64", "float32", "float64"))
_INTEGERS: Final = ("int64", "int8", "int16", "int32", "uint8", "uint16", "uint32")
_GAP: Final = 1  # what stands between the rows of an every_second view
_HEADS: Final = {n: encode([n > 1, n, [None] * n])[:-n] for n in range(1, MANY + 1)}  # before an answer's arrays
_NUMBERS: Final = (int, float, np.float64, np.float32, np.int64, np.int32, np.longdouble)


def copied(value: Value) -> Value:
    """Return a wire value that shares nothing with the given one."""
    if isinstance(value, list):
        return [item.copy() if type(item) is np.ndarray else copied(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value


def is_same(value: Value, before: Value) -> bool:
    """Whether a value as a submission has left it is still what it was, to the byte; its layout may be another.

    An array must be writable still, and the gaps beside an `every_second` view untouched.
    """
    kind = type(before)
    if kind is np.ndarray:
        return (
            type(value) is np.ndarray
            and value.shape == before.shape
            and value.dtype == before.dtype
            and value.flags.writeable
            and value.tobytes() == before.tobytes()
            and (value.base is None or not _gaps_are_touched(value))
        )
    if kind is dict:
        return type(value) is dict and list(value) == list(before) and all(is_same(value[k], before[k]) for k in before)
    if kind is list:
        return type(value) is list and len(value) == len(before) and all(map(is_same, value, before))
    return type(value) is kind and (value == before or (value != value and before != before))


def _gaps_are_touched(array: npt.NDArray[Any]) -> bool:
    wide = array.base
    if type(wide) is not np.ndarray or wide.ndim != array.ndim or not array.ndim or len(wide) != 2 * len(array):
        return False
    return bool((wide[1::2] != _GAP).any())


def with_layout(array: npt.NDArray[Any], layout: str) -> npt.NDArray[Any]:
    """Return a writable array of the same values laid out in memory as a case wants it.

    Args:
        layout: c, fortran, reversed (negative strides on every axis) or every_second (gaps along the first axis).
    """
    if layout == "fortran":
        return array.copy(order="F")
    if layout == "reversed":
        turn = (slice(None, None, -1),) * array.ndim
        return array[turn].copy()[turn]
    if layout == "every_second":
        wide = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
        wide.fill(_GAP)
        wide[::2] = array
        return wide[::2]
    return array


def answer_parts(result: object, outputs: int) -> list[bytes]:
    """Return what an entry returned, encoded: the parts of `returned`, at once for what nearly every entry returns.

    A child encodes each case's answer four times.
    """
    if outputs == 1:
        items: tuple[object, ...] = (result,)
    elif type(result) is tuple and len(result) == outputs:
        items = result
    else:
        return encode_parts(returned(result, outputs))
    parts = [_HEADS[outputs]]
    for item in items:
        if type(item) is not np.ndarray or item.dtype.num not in _CARRIED or not item.dtype.isnative:
            return encode_parts(returned(result, outputs))
        if item.nbytes > OUTPUT_LIMIT or item.ndim > MAX_DEPTH:  # strides of 0 make any shape out of one number
            return encode_parts(returned(result, outputs))
        parts += array_parts(item)
    return parts


def returned(result: object, outputs: int) -> Value:
    """Describe what an entry returned: [is it a sequence, how many items, the items].

    Args:
        outputs: how many the entry's contract names; a list is an array when one is wanted, a container otherwise.
    """
    kind = type(result)
    if outputs == 1:
        if kind is list:
            return [False, 1, [_nested(result)]]
        if issubclass(kind, tuple):
            return [True, tuple.__len__(result), []]  # type: ignore[arg-type]
        return [False, 1, [_plain(result)]]
    items = _items(result, kind)
    if items is None:
        return [False, 1, [_plain(result)]]
    if len(items) > MANY:
        return [True, len(items), []]
    return [True, len(items), [_nested(item) if type(item) is list else _plain(item) for item in items]]


def _items(result: Any, kind: type) -> list[object] | tuple[object, ...] | None:
    if kind is list or kind is tuple:
        return result  # type: ignore[no-any-return]
    if issubclass(kind, tuple) and "_fields" in type.__dict__["__dict__"].__get__(kind):
        return tuple(tuple.__iter__(result))
    return None


def _plain(item: object) -> Value:
    kind = type(item)
    if kind is np.ndarray:
        return _array(item)  # type: ignore[arg-type]
    if item is None:
        return Refused("none", "")
    if issubclass(kind, np.ndarray):
        return Refused("subclass", _name(kind))
    if kind in _NUMBERS or issubclass(kind, bool | np.generic):
        return Refused("scalar", _name(kind))
    return Refused("type", _name(kind))


def _array(array: npt.NDArray[Any]) -> Value:
    dtype = array.dtype
    if not dtype.isnative:
        return Refused("byte_order", dtype.str)
    # sizes first: strides of 0 make any shape out of one number
    if array.nbytes > OUTPUT_LIMIT or array.ndim > MAX_DEPTH:
        return Refused("huge", f"{dtype.name} {array.shape}"[:80])
    if dtype.num in _CARRIED:
        return array
    if dtype == np.longdouble:
        with np.errstate(all="ignore"):
            return array.astype(np.float64)
    if dtype.name in _INTEGERS:
        return array.astype(np.int64)
    return Refused("dtype", dtype.name[:80])


def _nested(rows: object) -> Value:
    """Return nested lists of numbers as an array, of float64 when any number is a float."""
    count = [0]
    if not _all_numbers(rows, count, 0):
        return Refused("list", "")
    with contextlib.suppress(ValueError, OverflowError, TypeError):
        array = np.array(rows)
        if array.dtype.kind in "fiu":
            return array.astype(np.float64)
        if array.dtype.kind == "b":
            return array
    return Refused("ragged", "")


def _all_numbers(rows: object, count: list[int], depth: int) -> bool:
    kind = type(rows)
    if kind is not list and kind is not tuple:
        return kind in _NUMBERS or kind is bool
    count[0] += len(rows)  # type: ignore[arg-type]
    if depth > MAX_DEPTH or count[0] > OUTPUT_LIMIT // 8:
        return False
    return all(_all_numbers(row, count, depth + 1) for row in rows)  # type: ignore[attr-defined]


_type_name: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__


def _name(kind: type) -> str:
    return _type_name(kind)[:80]


def generated(value: object) -> Value:
    """Return what a case generator gave as a wire value: NumPy scalars become numbers, arrays become plain ones."""
    if isinstance(value, np.ndarray):
        return np.array(value, order="C")
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): generated(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [generated(item) for item in value]
    return value
