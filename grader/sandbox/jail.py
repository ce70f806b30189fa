"""The kernel's walls around the zygote and each child: privileges, rlimits, Landlock, system-call filter.

Every function either puts its wall up or raises `LayerMissing`; nothing is best effort. The order matters and is kept
by `lock_zygote` and `lock_child`. Only plain system calls through ctypes are used, so the kernel alone is needed.

One wall may be left out, and only where the operator says so: Landlock, which refuses a second time what the filter
refuses already. Nothing stands behind the filter, the rlimits and the leaving of root, so these are never optional.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import resource
import signal
from dataclasses import dataclass
from typing import Final

from grader.sandbox import landlock
from grader.sandbox.kernel import LayerMissing, libc, require

UNPRIVILEGED_ID: Final = 65533  # uid and gid that a zygote started as root drops to; owns nothing
RULESET: Final = 4  # descriptor; a child's answers take its place
STACK_BYTES: Final = 8 << 20

_MACHINE: Final = platform.machine()
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_SET_MODE_FILTER: Final = 1
_CAPABILITY_VERSION_3: Final = 0x20080522
# system-call numbers
_NUMBERS: Final = {
    "x86_64": {
        "capset": 126, "clone": 56, "close": 3, "close_range": 436, "dup3": 292, "getppid": 110, "prctl": 157,
        "prlimit64": 302, "seccomp": 317,
    },
    "aarch64": {
        "capset": 91, "clone": 220, "close": 57, "close_range": 436, "dup3": 24, "getppid": 173, "prctl": 167,
        "prlimit64": 261, "seccomp": 277,
    },
}  # fmt: skip
_LIMITS: Final = {  # what a person calls them
    resource.RLIMIT_AS: "address space",
    resource.RLIMIT_CORE: "core file size",
    resource.RLIMIT_FSIZE: "file size",
    resource.RLIMIT_MEMLOCK: "locked memory",
    resource.RLIMIT_MSGQUEUE: "message queues",
    resource.RLIMIT_STACK: "stack size",
}
_locked_libc: Final = ctypes.PyDLL(None, use_errno=True)  # calls that keep the interpreter's lock
_locked_libc.syscall.restype = ctypes.c_long
_kept: Final[list[object]] = []  # what prepared calls point to


@dataclass(frozen=True)
class Walls:
    """The layers that stand, and a sentence for each that was left out because the operator allows it."""

    layers: tuple[str, ...] = ("seccomp", "landlock", "rlimits")
    missing: tuple[str, ...] = ()

    @property
    def have_landlock(self) -> bool:
        """Whether children are to enter a Landlock domain of their own."""
        return "landlock" in self.layers


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def fork() -> int:
    """Fork as the plain system call does, without the hooks that libraries registered with Python and libc.

    Only for a process with one thread, which has no lock to repair: the hooks would touch some 200 pages of a child
    that never uses them, a third of what a child costs.
    """
    pid = int(_locked_libc.syscall(_NUMBERS[_MACHINE]["clone"], int(signal.SIGCHLD), 0, 0, 0, 0))
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


def load_filter(program: bytes) -> None:
    """Load a system-call filter (an array of struct sock_filter) for this process."""
    buffer = ctypes.create_string_buffer(program, len(program))
    attr = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    number = _NUMBERS[_MACHINE]["seccomp"]
    result = int(libc.syscall(number, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(attr)))
    require(result, "system-call filter", "use a kernel with seccomp filters, and allow seccomp in the container.")


def forbid_new_privileges() -> None:
    """No exec may ever raise privileges again; filters and Landlock demand it."""
    result = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    require(result, "no-new-privileges flag", "use Linux 5.13 or newer.")


def drop_privileges() -> None:
    """Leave root for good, and every capability; as an ordinary user drop what capabilities there are."""
    if os.geteuid() == 0 or os.getuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(UNPRIVILEGED_ID, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
            os.setresuid(UNPRIVILEGED_ID, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
        except OSError as error:
            raise LayerMissing(
                f"The sandbox cannot leave root here ({error.strerror}): start the grader as an ordinary user, "
                "or give it the capabilities SETUID, SETGID and KILL."
            ) from None
    header = _CapHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (_CapData * 2)()
    result = int(libc.syscall(_NUMBERS[_MACHINE]["capset"], ctypes.byref(header), ctypes.byref(nothing)))
    require(result, "empty capability set", "start the grader as an ordinary user.")
    if 0 in (os.getuid(), os.geteuid()):
        raise LayerMissing("The sandbox is still root after leaving it: start the grader as an ordinary user.")
    if 0 in (os.getgid(), os.getegid()):
        raise LayerMissing("The sandbox is in root's group: start the grader as a user whose group is not 0.")


def die_first() -> None:
    """When memory runs out have the kernel end this process and its children before the grader, which can tell of it.

    A container's limit may be below what all lanes together may use. An aid, no wall: where /proc is read-only the
    kernel chooses.
    """
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def hide_memory() -> None:
    """Refuse ptrace, /proc/PID/mem and core dumps to processes of the same user."""
    require(libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "non-dumpable flag", "use Linux 5.13 or newer.")


def set_limits(limits: dict[int, tuple[int, int]]) -> None:
    """Set (soft, hard) resource limits, none of them above what is allowed already."""
    for what, (soft, hard) in limits.items():
        try:
            ceiling = resource.getrlimit(what)[1]
            if ceiling != resource.RLIM_INFINITY:
                soft, hard = min(soft, ceiling), min(hard, ceiling)
            resource.setrlimit(what, (soft, hard))
        except (OSError, ValueError) as error:
            raise LayerMissing(
                f"The sandbox cannot set the resource limit on {_LIMITS[what]} here ({error}): "
                "raise the hard limits of the service."
            ) from None


def lock_zygote(program: bytes, address_space: int, allow_weak: bool = False) -> Walls:
    """Lock the calling process, which will fork the children; their rule set is kept as descriptor `RULESET`.

    Args:
        program: the zygote's system-call filter.
        address_space: bytes that the zygote and any child may map at most.
        allow_weak: go on without Landlock where it cannot be had.
    """
    walls = Walls()
    try:
        ruleset = landlock.make_ruleset()
    except LayerMissing as error:
        walls = _without_landlock(error, allow_weak)
        ruleset = os.open(os.devnull, os.O_RDONLY)  # keeps the number taken: a child's pipes must lie above it
    if ruleset != RULESET:
        os.dup2(ruleset, RULESET, inheritable=False)
        os.close(ruleset)
    set_limits(
        {
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_FSIZE: (0, 0),
            resource.RLIMIT_MEMLOCK: (0, 0),
            resource.RLIMIT_MSGQUEUE: (0, 0),
            resource.RLIMIT_STACK: (STACK_BYTES, STACK_BYTES),
            resource.RLIMIT_AS: (address_space, address_space),
        }
    )
    drop_privileges()
    forbid_new_privileges()
    hide_memory()
    if walls.have_landlock:
        try:
            landlock.restrict_files(RULESET)
        except LayerMissing as error:
            walls = _without_landlock(error, allow_weak)
    load_filter(program)
    return walls


def _without_landlock(error: LayerMissing, allow_weak: bool) -> Walls:
    if not allow_weak:
        raise error
    return Walls(tuple(layer for layer in Walls.layers if layer != "landlock"), (str(error),))


Step = tuple[tuple[object, ...], int | None]  # a system call with its arguments, and the result that it must have


def child_steps(program: bytes, pipes: tuple[int, int, int], limits: tuple[int, int], walls: Walls) -> list[Step]:
    """Prepare the system calls that lock a forked child for good, for `lock_child` to make after the fork.

    Whatever is made here costs a child nothing; each object that it would touch itself costs it a page.

    Args:
        program: the child's system-call filter.
        pipes: descriptors that become 3 (questions), 4 (answers), and 1 and 2 (prints); all above 4.
        limits: bytes of address space, and seconds of processor time, a second wall behind the grader's clock.
        walls: those of the zygote; a child has the same.
    """
    call = _NUMBERS[_MACHINE]
    questions, answers, prints = pipes
    address_space, cpu = limits
    buffer = ctypes.create_string_buffer(program, len(program))
    attr = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    _kept.extend((buffer, attr))
    wanted = {
        resource.RLIMIT_AS: (address_space, address_space),
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_NOFILE: (5, 5),
    }
    return [
        *(((call["prlimit64"], 0, what, _rlimit(what, limit), None), 0) for what, limit in wanted.items()),
        ((call["prctl"], _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0), 0),
        ((call["getppid"],), os.getpid()),  # otherwise the zygote died before the line above
        *([((landlock.RESTRICT_SELF, RULESET, 0), 0)] if walls.have_landlock else []),
        ((call["dup3"], questions, 3, 0), 3),
        ((call["dup3"], answers, 4, 0), 4),
        ((call["dup3"], prints, 1, 0), 1),
        ((call["dup3"], prints, 2, 0), 2),
        ((call["close_range"], 5, (1 << 31) - 1, 0), 0),
        ((call["close"], 0), 0),
        ((call["seccomp"], _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(attr)), 0),
    ]


def _rlimit(what: int, limit: tuple[int, int]) -> object:
    ceiling = resource.getrlimit(what)[1]
    bounded = [min(value, ceiling) if ceiling != resource.RLIM_INFINITY else value for value in limit]
    pair = (ctypes.c_uint64 * 2)(*bounded)
    _kept.append(pair)
    return ctypes.byref(pair)


def lock_child(steps: list[Step]) -> None:
    """Make the prepared calls, in a forked child; one that fails ends it before it has said that it is ready."""
    for arguments, expected in steps:
        if _locked_libc.syscall(*arguments) != expected:
            os._exit(1)
