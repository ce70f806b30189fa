"""A call between grader and child: what the grader asks is what the child reads, and no part can be written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.sandbox.calls import call_frame, read_call
from grader.sandbox.wire import LENGTH, Refused, Value, WireError
from tests.sandbox.test_wire import ARRAYS, same

PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text() | st.binary()
ARGUMENTS = st.dictionaries(
    st.text(max_size=9),
    PLAIN
    | ARRAYS
    | st.lists(st.integers(-9, 9), max_size=4)
    | st.dictionaries(st.text(max_size=9), ARRAYS | PLAIN, max_size=4),
    max_size=5,
)
SHARED = np.arange(6.0)


@given(ARGUMENTS)
@example({"last": np.zeros((0, 3))})
@example({"x": np.zeros(3, bool), "y": np.ones((2, 2), np.float16), "n": 2})
@example({"x": SHARED, "y": SHARED, "views": [SHARED[::2], SHARED.reshape(2, 3).T]})
def test_arguments_arrive_by_position(arguments: dict[str, Value]) -> None:
    question = call_frame(b"Q", ["entry", 2], arguments, {})
    head, layouts, arrived = read_call(question)
    assert (question[LENGTH.size : LENGTH.size + 1], head, layouts) == (b"Q", ["entry", 2], [])
    assert same(arrived, list(arguments.values()))


def test_layouts_name_positions() -> None:
    arguments = {"x": np.ones(2), "n": 3, "w": np.ones((2, 2))}
    _, layouts, _ = read_call(call_frame(b"C", ["entry"], arguments, {"w": "fortran", "x": "reversed"}))
    assert layouts == [(2, "fortran"), (0, "reversed")]


@given(ARRAYS)
def test_arrays_are_views_that_cannot_be_written_to(array: Any) -> None:
    _, _, (arrived, (inner,), named) = read_call(
        call_frame(b"T", ["entry", 1], {"x": array, "rows": [array], "by_name": {"a": array}}, {})
    )
    assert [view.flags.writeable for view in (arrived, inner, named["a"])] == [False] * 3


@pytest.mark.parametrize(
    "value",
    [object(), {1}, np.float64(1.0), np.ones(2, complex), np.ones(2, ">f8"), np.ma.ones(2), Refused("none", "")],
    ids=["object", "set", "scalar", "complex", "byte_order", "subclass", "refused"],
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [value], lambda value: {"a": value}])
def test_what_is_not_carried_is_refused(value: Any, wrap: Any) -> None:
    with pytest.raises(WireError, match="not carried"):
        call_frame(b"Q", ["entry", 1], {"x": wrap(value)}, {})
