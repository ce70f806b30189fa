"""A call as the grader asks it of a child: a plan, and behind it the numbers of all arrays.

Only the grader writes it and only a child reads it, one interpreter's both: so the plan goes by `marshal`, which reads
it in one step, and the child's arrays are views of the frame. What a child writes is never read so; see `wire`.
"""

from __future__ import annotations

import marshal
from typing import Final

import numpy as np

from grader.sandbox.wire import DTYPES, LENGTH, Value, WireError, array_code, frame

BODY: Final = LENGTH.size + 1  # where a frame's content begins, behind its length and kind
_PLAN: Final = BODY + LENGTH.size
_PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})
Layouts = list[tuple[int, str]]  # an argument's position, and how it lies in memory


def call_frame(kind: bytes, head: list[Value], arguments: dict[str, Value], layouts: dict[str, str]) -> bytes:
    """Encode a call; arguments go by position, for a child has no need of their names.

    Args:
        layouts: by name, of those that are laid out in memory otherwise than C does.

    Raises:
        WireError: an argument, or a part of it, has a type that is not carried.
    """
    names = list(arguments)
    places = [(names.index(name), layout) for name, layout in layouts.items()]
    numbers = bytearray()
    plan = marshal.dumps((head, places, [_planned(value, numbers) for value in arguments.values()]))
    return frame(kind, LENGTH.pack(len(plan)), plan, bytes(numbers))


def _planned(value: Value, numbers: bytearray) -> Value:
    """Return a value with (dtype, shape, place) for each array, whose numbers join the others."""
    kind = type(value)
    if kind is np.ndarray:
        place = len(numbers)
        numbers += value.tobytes()
        return array_code(value.dtype), value.shape, place
    if kind is list or kind is tuple:
        return [_planned(item, numbers) for item in value]
    if kind is dict:
        return {name: _planned(item, numbers) for name, item in value.items()}
    if kind not in _PLAIN:
        raise WireError(f"a value of type {kind.__name__} is not carried")
    return value


def read_call(question: bytes) -> tuple[list[Value], Layouts, list[Value]]:
    """Return a call's head, layouts and arguments, whose arrays are views of the frame that cannot be written to."""
    numbers = _PLAN + LENGTH.unpack_from(question, BODY)[0]
    head, layouts, plan = marshal.loads(question[_PLAN:numbers])  # noqa: S302 - only the grader writes to a child
    return head, layouts, [_placed(item, question, numbers) for item in plan]


def _placed(plan: Value, question: bytes, numbers: int) -> Value:
    kind = type(plan)
    if kind is tuple:
        code, shape, place = plan
        return np.ndarray(shape, DTYPES[code], question, numbers + place)
    if kind is list:
        return [_placed(item, question, numbers) for item in plan]
    if kind is dict:
        return {name: _placed(item, question, numbers) for name, item in plan.items()}
    return plan
