"""The kernel's walls around the zygote and each child: privileges, rlimits, Landlock, system-call filter.

Every function either puts its wall up or raises `LayerMissing`; nothing is best effort. The order matters and is kept
by `lock_zygote` and `lock_child`. Only plain system calls through ctypes are used, so the kernel alone is needed.

One wall may be left out, and only where the operator says so: Landlock, which refuses a second time what the filter
refuses already. Nothing stands behind the filter, the rlimits and the leaving of root, so these are never optional.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
from dataclasses import dataclass
from typing import Final

UNPRIVILEGED_ID: Final = 65533  # uid and gid that a zygote started as root drops to; owns nothing
RULESET: Final = 4  # descriptor; a child's answers take its place
STACK_BYTES: Final = 8 << 20

_MACHINE: Final = platform.machine()
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_SET_MODE_FILTER: Final = 1
_CAPABILITY_VERSION_3: Final = 0x20080522
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
# system-call numbers; the Landlock ones are the same on every architecture
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
_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_RESTRICT_SELF: Final = 446

# rights by the Landlock ABI that brought them: every file right, TCP bind and connect, scopes of signals and sockets
_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_NETWORK_RIGHTS: Final = {4: 0b11}
_SCOPES: Final = {6: 0b11}
_NAMES: Final = {
    2: "moving files between folders",
    3: "truncation",
    4: "TCP",
    5: "device control",
    6: "signals and abstract sockets",
}

_libc: Final = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_locked_libc: Final = ctypes.PyDLL(None, use_errno=True)  # calls that keep the interpreter's lock
_locked_libc.syscall.restype = ctypes.c_long
_kept: Final[list[object]] = []  # what prepared calls point to
_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3


class LayerMissing(Exception):
    """A required wall cannot be put up here; the text is a sentence for the operator."""


@dataclass(frozen=True)
class Walls:
    """The layers that stand, and a sentence for each that was left out because the operator allows it."""

    layers: tuple[str, ...] = ("seccomp", "landlock", "rlimits")
    missing: tuple[str, ...] = ()

    @property
    def have_landlock(self) -> bool:
        """Whether children are to enter a Landlock domain of their own."""
        return "landlock" in self.layers


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def _require(result: int, layer: str, remedy: str) -> int:
    if result < 0:
        reason = os.strerror(ctypes.get_errno())
        raise LayerMissing(f"The sandbox's {layer} cannot be set up here ({reason}): {remedy}")
    return result


def fork() -> int:
    """Fork as the plain system call does, without the hooks that libraries registered with Python and libc.

    Only for a process with one thread, which has no lock to repair: the hooks would touch some 200 pages of a child
    that never uses them, a third of what a child costs.
    """
    pid = int(_locked_libc.syscall(_NUMBERS[_MACHINE]["clone"], int(signal.SIGCHLD), 0, 0, 0, 0))
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


def keep_freed_memory() -> None:
    """Have malloc keep what is freed: a child lives for milliseconds, and each page given back is faulted in again."""
    mallopt = getattr(_libc, "mallopt", None)  # glibc has it; elsewhere it only costs time
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)
        mallopt(_M_TRIM_THRESHOLD, 128 << 20)
        mallopt(_M_TOP_PAD, 1 << 20)


def landlock_abi() -> int:
    """Return the running kernel's Landlock ABI, 0 where there is none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)))


def landlock_lacks(abi: int) -> list[str]:
    """Return what newer ABIs would restrict and this one cannot, in words."""
    return [name for first, name in _NAMES.items() if first > abi]


def _rights(table: dict[int, int], abi: int) -> int:
    return sum(bits for first, bits in table.items() if first <= abi)


def make_ruleset() -> int:
    """Return a Landlock rule set (a file descriptor) that handles every right of this kernel and grants none."""
    abi = landlock_abi()
    if abi < 1:
        raise LayerMissing(
            "The sandbox needs Landlock, which this kernel does not offer: use Linux 5.13 or newer with landlock "
            "among the enabled security modules (boot option lsm=landlock,...)."
        )
    attr = _RulesetAttr(_rights(_FILE_RIGHTS, abi), _rights(_NETWORK_RIGHTS, abi), _rights(_SCOPES, abi))
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    descriptor = int(_libc.syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), 0))
    return _require(
        descriptor, "Landlock rule set", "allow the landlock system calls in the outer container's profile."
    )


def restrict_files(ruleset: int) -> None:
    """Enter a Landlock domain in which no file may be touched."""
    result = int(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0))
    _require(result, "Landlock domain", "allow the landlock system calls in the outer container's profile.")


def load_filter(program: bytes) -> None:
    """Load a system-call filter (an array of struct sock_filter) for this process."""
    buffer = ctypes.create_string_buffer(program, len(program))
    attr = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    number = _NUMBERS[_MACHINE]["seccomp"]
    result = int(_libc.syscall(number, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(attr)))
    _require(result, "system-call filter", "use a kernel with seccomp filters, and allow seccomp in the container.")


def forbid_new_privileges() -> None:
    """No exec may ever raise privileges again; filters and Landlock demand it."""
    result = _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _require(result, "no-new-privileges flag", "use Linux 5.13 or newer.")


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
                "or give it the capabilities SETUID and SETGID."
            ) from None
    header = _CapHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (_CapData * 2)()
    result = int(_libc.syscall(_NUMBERS[_MACHINE]["capset"], ctypes.byref(header), ctypes.byref(nothing)))
    _require(result, "empty capability set", "start the grader as an ordinary user.")
    if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()):
        raise LayerMissing("The sandbox is still root after leaving it: start the grader as an ordinary user.")


def hide_memory() -> None:
    """Refuse ptrace, /proc/PID/mem and core dumps to processes of the same user."""
    _require(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "non-dumpable flag", "use Linux 5.13 or newer.")


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
                f"The sandbox cannot set resource limit {what} here ({error}): raise the hard limits of the service."
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
        ruleset = make_ruleset()
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
            restrict_files(RULESET)
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
        *([((_LANDLOCK_RESTRICT_SELF, RULESET, 0), 0)] if walls.have_landlock else []),
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
