"""Records what a rewritten source computes: every value that may be an array, and what made it.

This runs in the child, beside the submission: what it says is a claim, bounded here for the child's sake and checked
again by the grader.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.sandbox.wire import Value

EVENTS_MAX: Final = 60_000
ARRAYS_MAX: Final = 8192  # the grader looks at each, some tenths of a millisecond
OPERANDS_MAX: Final = 8  # of one event
BYTES_MAX: Final = 24 << 20  # of all recorded arrays, as float64
ARRAY_BYTES_MAX: Final = 1 << 20
ITEMS_MAX: Final = 400  # assignments to items that are recorded; later ones show when the array is used
LIST_MAX: Final = 64  # items of a list that is looked at
OPERATIONS: Final = ("bin", "call", "item", "name", "list", "return", "raised")
BIN, CALL, ITEM, NAME, LIST, RETURN, RAISED = range(len(OPERATIONS))
HOOK: Final = "__grader_{}__"
OPERATORS: Final[tuple[tuple[type[ast.operator], Callable[[Any, Any], Any]], ...]] = (
    (ast.Add, operator.add), (ast.Sub, operator.sub), (ast.Mult, operator.mul), (ast.Div, operator.truediv),
    (ast.FloorDiv, operator.floordiv), (ast.Mod, operator.mod), (ast.Pow, operator.pow), (ast.MatMult, operator.matmul),
    (ast.BitAnd, operator.and_), (ast.BitOr, operator.or_), (ast.BitXor, operator.xor),
    (ast.LShift, operator.lshift), (ast.RShift, operator.rshift),
)  # fmt: skip


class Recorder:
    """Keeps what was seen: each array once by its content, and the events that made or used it."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._events: list[int] = []
        self._count = 0
        self._names: dict[str, int] = {}
        self._known: dict[tuple[tuple[int, ...], int], int] = {}
        self._arrays: list[npt.NDArray[np.float64]] = []
        self._bytes = 0
        self._items = 0
        self._has_raised = False
        self.is_cut = False

    def hooks(self) -> dict[str, Callable[..., Any]]:
        """Return what a rewritten source calls, by name."""
        functions = (self.bin, self.call, self.method, self.value, self.item, self.attribute)
        return {HOOK.format(function.__name__): function for function in functions}

    def bin(self, which: int, line: int, left: Any, right: Any) -> Any:
        """Compute a binary operation."""
        try:
            result = OPERATORS[which][1](left, right)
        except Exception:
            self._raised(line, "", (left, right))
            raise
        self._event(BIN, line, OPERATORS[which][0].__name__, result, (left, right))
        return result

    def call(self, line: int, function: Any, /, *args: Any, **named: Any) -> Any:
        """Call a function; whatever its own arguments are named."""
        return self._called(line, function, _name_of(function), None, args, named)

    def method(self, line: int, receiver: Any, name: str) -> Callable[..., Any]:
        """Return what calls an attribute of something: a method, or a function of a module.

        The attribute is looked up before the arguments are computed, as Python does.
        """
        function = getattr(receiver, name)
        owner = receiver if issubclass(type(receiver), np.ndarray | list) else None
        return lambda *args, **named: self._called(line, function, name, owner, args, named)

    def _called(self, line: int, function: Any, name: str, owner: Any, args: tuple[Any, ...], named: Any) -> Any:
        used = (*(() if owner is None else (owner,)), *args, *named.values())
        try:
            result = function(*args, **named)
        except Exception:
            self._raised(line, str(name), used)
            raise
        if result is None and used:  # it worked on its first argument
            self._event(CALL, line, str(name), used[0], used[1:])
        else:
            self._event(CALL, line, str(name), result, used)
        return result

    def value(self, kind: int, line: int, name: str, value: Any) -> Any:
        """See a value that was made some other way."""
        self._event(kind, line, name, value, ())
        return value

    def item(self, line: int, name: str, value: Any) -> None:
        """See an array of which an item was assigned."""
        self._items += 1
        if self._items <= ITEMS_MAX:
            self._event(NAME, line, name, value, ())

    def attribute(self, line: int, name: str, owner: Any) -> None:
        """See an attribute that was assigned, if the object simply holds it: reading it otherwise would run code."""
        try:
            value = dict.get(object.__getattribute__(owner, "__dict__"), name)
        except Exception:
            return
        self._event(NAME, line, name, value, ())

    def _raised(self, line: int, name: str, used: tuple[Any, ...]) -> None:
        if not self._has_raised:
            self._has_raised = True
            self._event(RAISED, line, name, None, used)

    def _event(self, kind: int, line: int, name: str, result: Any, used: tuple[Any, ...]) -> None:
        if self.is_cut or type(result) in (int, str, bool):
            return
        try:
            found = self._see(result)
            operands = [number for item in used[:OPERANDS_MAX] if (number := self._see(item)) >= 0]
            if found < 0 and not operands:
                return
            number = self._names.setdefault(name[:60], len(self._names))
            self._events += (kind, line, number, found, len(operands), *operands)
            self._count += 1
            self.is_cut = self.is_cut or self._count >= EVENTS_MAX
        except Exception:
            self.is_cut = True  # objects that cannot be looked at: what was seen so far stays

    def _see(self, value: Any) -> int:
        """Return the number of a value's content, -1 when it is none that is recorded."""
        array = _as_array(value)
        if array is None or array.nbytes > ARRAY_BYTES_MAX or not array.size:
            return -1
        key = (array.shape, hash(array.tobytes()))
        number = self._known.get(key)
        if number is None:
            self._bytes += array.nbytes
            if self._bytes > BYTES_MAX or len(self._arrays) >= ARRAYS_MAX:
                self.is_cut = True
                return -1
            number = self._known[key] = len(self._arrays)
            self._arrays.append(array)
        return number

    def record(self) -> Value:
        """Return everything in few values: [events, names, numbers of all arrays, their shapes, was it cut short].

        An event is kind, line, number of its name, number of its result's array (-1: none), count and numbers of its
        operands' arrays; a shape is its length and extents.
        """
        numbers = np.concatenate([np.zeros(0), *(array.ravel() for array in self._arrays)])
        shapes = [part for array in self._arrays for part in (array.ndim, *array.shape)]
        return [
            np.array(self._events, np.int64),
            list(self._names),
            numbers,
            np.array(shapes, np.int64),
            self.is_cut,
        ]


def _name_of(function: Any) -> str:
    try:
        return str(function.__name__)
    except Exception:  # an object that answers for all its attributes
        return ""


def _as_array(value: Any) -> npt.NDArray[np.float64] | None:
    """Return a copy of numbers as float64: of an array, a float, or a short list of such; None for anything else."""
    kind = type(value)
    if kind is float or kind is np.float64:
        return np.array(value, np.float64)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub" or value.ndim > 6:
            return None
        return np.array(np.ma.getdata(value), np.float64, order="C")
    if (kind is list or kind is tuple) and 0 < len(value) <= LIST_MAX:
        first = type(value[0])
        if first is float or first is np.float64 or issubclass(first, np.ndarray) or first is list:
            return _stacked(value)
    if isinstance(value, np.floating):
        return np.array(value, np.float64)
    return None


def _stacked(items: Any) -> npt.NDArray[np.float64] | None:
    parts = [item if type(item) in (float, int, np.float64) else _as_array(item) for item in items]
    if any(part is None for part in parts) or len({np.shape(part) for part in parts if part is not None}) != 1:
        return None
    return np.array(parts, np.float64)
