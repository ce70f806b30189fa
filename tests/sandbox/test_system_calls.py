"""Every system call, made in a locked child by its number: what the policy does not name does nothing.

The child lifts no wall: it reaches ctypes through what NumPy loaded. Calls that would end it are made each in a child
of its own; what those that are allowed may do is held against their arguments.
"""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterator
from types import ModuleType

import pytest

from grader.sandbox.exchange import End, Limits, RunEnded
from grader.sandbox.policy import CHILD, Action
from grader.sandbox.pool import Lane
from tests.sandbox.asking import array, ask, end_of, loaded, question

pytestmark = pytest.mark.sandbox
NUMBERS = range(601)
FOREIGN = 0x4000_0000  # the x32 table, which other numbers name
LIMITS = Limits(5, 10, 256)
# traps of user-space probes: Linux lets them past every filter, and ends or refuses who is not in a probe
PROBES = {335, 336} if platform.machine() == "x86_64" else set()
WAITING = {"read", "futex", "nanosleep", "clock_nanosleep"}  # they may wait, as long as the grader's clock lets them
PATH, BUFFER = "path", "buffer"
ARGUMENTS: tuple[tuple[int | str, ...], ...] = (
    (0, 0, 0, 0, 0, 0),
    (3, BUFFER, 16, 0, 0, 0),
    (4, BUFFER, 0, 0, 0, 0),
    (PATH, 0o102, 0o666, 0, 0, 0),
    (-100, PATH, 0o102, 0o666, 0, 0),
    (PATH, PATH, PATH, 0, 0, 0),
    (2, 1, 0, BUFFER, 16, 0),
    (1, 9, BUFFER, 8, 0, 0),
    (-1, -1, -1, -1, -1, -1),
)
SOURCE = """
import sys
ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
KEPT = {"path": ctypes.create_string_buffer(b"/tmp/left-by-a-call"), "buffer": ctypes.create_string_buffer(4096)}
def word(value):
    return ctypes.c_long(ctypes.addressof(KEPT[value]) if value in KEPT else int(value))
def make(number, arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *map(word, arguments))
    return float(ctypes.get_errno() if result == -1 else 0)
TABLE = @TABLE@
def f(numbers):
    return [[make(number, arguments) for arguments in TABLE] for number in numbers]
"""


@pytest.fixture(scope="module")
def numbers() -> dict[str, int]:
    """This machine's numbers of the calls that the child's policy names."""
    try:
        from grader.sandbox import build_filters
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"calls cannot be numbered: {error}")
    module: ModuleType = build_filters
    found = {call.name: module.number(platform.machine(), call.name) for call in CHILD.calls}
    return {name: number for name, number in found.items() if number is not None}


def source(table: tuple[tuple[int | str, ...], ...] = ARGUMENTS) -> str:
    return SOURCE.replace("@TABLE@", repr(table))


def errors(lane: Lane, wanted: list[int], table: tuple[tuple[int | str, ...], ...] = ARGUMENTS) -> list[list[int]]:
    """Return for each call, and each row of arguments, the error that it ended with; 0 is none."""
    with loaded(lane, source(table), LIMITS) as run:
        rows: list[list[int]] = array(run.ask(question(numbers=wanted))).astype(int).tolist()
        return rows


def test_calls_that_the_policy_does_not_allow_do_nothing(lane: Lane, numbers: dict[str, int]) -> None:
    actions = {numbers[call.name]: call.action for call in CHILD.calls if call.name in numbers}
    others = [number for number in NUMBERS if actions.get(number, Action.EPERM) not in (Action.ALLOW, Action.KILL)]
    asked = [number for number in others if number not in PROBES]
    wanted = {Action.EPERM: errno.EPERM, Action.ENOSYS: errno.ENOSYS}
    assert len(asked) > 450
    found = dict(zip(asked, errors(lane, asked), strict=True))
    expected = {number: [wanted[actions.get(number, Action.EPERM)]] * len(ARGUMENTS) for number in asked}
    assert found == expected
    assert not os.path.exists("/tmp/left-by-a-call")


def killing(numbers: dict[str, int]) -> Iterator[int]:
    yield from (numbers[call.name] for call in CHILD.calls if call.action is Action.KILL and call.name in numbers)
    if platform.machine() == "x86_64":
        yield from (FOREIGN | number for number in (0, 1, 39, 59, 512, 520, 547))


def test_calls_that_attack_end_the_child(lane: Lane, numbers: dict[str, int]) -> None:
    asked = list(killing(numbers))
    assert len(asked) >= 30
    ends = {number: end_of(lane, source(), question(numbers=[number]), LIMITS) for number in asked}
    assert ends == dict.fromkeys(asked, (End.REFUSED, "killed by the system-call filter"))


@pytest.mark.parametrize("number", sorted(PROBES))
def test_traps_of_probes_end_the_child_or_fail(lane: Lane, number: int) -> None:
    """They are let past the filter by the kernel itself, and are of no use outside of a probe."""
    try:
        assert set(errors(lane, [number])[0]) <= {errno.EPERM, errno.ENXIO}
    except RunEnded as ended:
        assert (ended.end, ended.detail) == (End.CRASH, "killed by SIGILL")  # noqa: PT017 - either is right


def test_call_of_another_architecture_is_no_way_in(lane: Lane) -> None:
    """The gate of 32-bit programs, found within the interpreter's own code: it ends the child, whatever it asks for."""
    attack = """
    import sys
    ctypes = sys.modules["ctypes"]
    def gate():
        for name in ("PyImport_ImportModule", "PyArg_Parse", "Py_Main", "_PyEval_EvalFrameDefault", "PyObject_Str"):
            start = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value & ~4095
            at = ctypes.string_at(start, 1 << 18).find(b"\\xcd\\x80")
            if at >= 0:
                return start + at
    def f():
        found = gate()
        return [float(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double)(found)(1.0) if found else -1.0)]
    """
    try:
        answered = array(ask(lane, attack, limits=LIMITS)).tolist()
    except RunEnded as ended:
        assert ended.end in (End.REFUSED, End.CRASH)  # noqa: PT017 - a kernel without the gate crashes it
    else:
        assert answered == [-1.0], "there is no such gate in this interpreter"


# what allowed calls must not be able to do: (call, arguments)
CONDITIONS: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "read from 0": ("read", (0, BUFFER, 1)),
    "read from prints": ("read", (1, BUFFER, 1)),
    "read from answers": ("read", (4, BUFFER, 1)),
    "read from a descriptor beyond 32 bits": ("read", ((1 << 32) + 3, BUFFER, 1)),
    "write to 0": ("write", (0, BUFFER, 1)),
    "write to questions": ("write", (3, BUFFER, 1)),
    "write to 5": ("write", (5, BUFFER, 1)),
    "write parts to questions": ("writev", (3, BUFFER, 1)),
    "map executable memory": ("mmap", (0, 4096, 7, 0x22, -1, 0)),
    "map shared memory": ("mmap", (0, 4096, 3, 0x21, -1, 0)),
    "map shared and checked memory": ("mmap", (0, 4096, 3, 0x23, -1, 0)),
    "map a descriptor": ("mmap", (0, 4096, 1, 0x02, 3, 0)),
    "map growing memory": ("mmap", (0, 4096, 3, 0x122, -1, 0)),
    "map locked memory": ("mmap", (0, 4096, 3, 0x2022, -1, 0)),
    "map huge pages": ("mmap", (0, 1 << 21, 3, 0x40022, -1, 0)),
    "make the heap executable": ("mprotect", (BUFFER, 4096, 7)),
    "make nothing executable": ("mprotect", (0, 0, 4)),
}


@pytest.mark.parametrize(("name", "arguments"), CONDITIONS.values(), ids=CONDITIONS)
def test_allowed_call_is_refused_with_other_arguments(
    lane: Lane, numbers: dict[str, int], name: str, arguments: tuple[int | str, ...]
) -> None:
    assert errors(lane, [numbers[name]], (arguments,)) == [[errno.EPERM]]


def test_allowed_calls_harm_nobody_but_their_child(lane: Lane, numbers: dict[str, int]) -> None:
    """With whatever arguments: the child answers, or ends by itself, and the next one is as it should be."""
    zygote = lane.pid
    allowed = [call.name for call in CHILD.calls if call.action is Action.ALLOW and call.name in numbers]
    asked = [name for name in allowed if name not in WAITING]
    assert len(asked) >= 25
    ends: dict[str, End | None] = dict.fromkeys(asked)
    for name in asked:
        try:
            errors(lane, [numbers[name]])
        except RunEnded as ended:
            ends[name] = ended.end
    assert set(ends.values()) <= {None, End.CRASH, End.BAD_ANSWER}, ends
    assert array(ask(lane, "def f(): return [1.0]")).tolist() == [1.0]
    assert lane.pid == zygote


def test_loaded_child_has_the_memory_that_it_is_given(lane: Lane, numbers: dict[str, int]) -> None:
    """More than the limit cannot be had, by any call that maps."""
    assert errors(lane, [numbers["mmap"]], ((0, 1 << 30, 3, 0x22, -1, 0),)) == [[errno.ENOMEM]]
    assert errors(lane, [numbers["mremap"]], ((BUFFER, 4096, 1 << 30, 1, 0, 0),))[0][0] in (errno.ENOMEM, errno.EINVAL)
