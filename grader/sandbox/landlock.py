"""The second wall around files, TCP, signals and abstract sockets: a Landlock domain that grants nothing."""

from __future__ import annotations

import ctypes
from typing import Final

from grader.sandbox.kernel import LayerMissing, libc, require

# system-call numbers, the same on every architecture
_CREATE_RULESET: Final = 444
RESTRICT_SELF: Final = 446
_VERSION: Final = 1  # asks for the ABI in place of a rule set

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


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


def running_abi() -> int:
    """Return the running kernel's Landlock ABI, 0 where there is none."""
    return max(0, int(libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def lacks(abi: int) -> list[str]:
    """Return what newer ABIs would restrict and this one cannot, in words."""
    return [name for first, name in _NAMES.items() if first > abi]


def _rights(table: dict[int, int], abi: int) -> int:
    return sum(bits for first, bits in table.items() if first <= abi)


def make_ruleset() -> int:
    """Return a Landlock rule set (a file descriptor) that handles every right of this kernel and grants none."""
    abi = running_abi()
    if abi < 1:
        raise LayerMissing(
            "The sandbox needs Landlock, which this kernel does not offer: use Linux 5.13 or newer with landlock "
            "among the enabled security modules (boot option lsm=landlock,...)."
        )
    attr = _RulesetAttr(_rights(_FILE_RIGHTS, abi), _rights(_NETWORK_RIGHTS, abi), _rights(_SCOPES, abi))
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    descriptor = int(libc.syscall(_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), 0))
    return require(descriptor, "Landlock rule set", "allow the landlock system calls in the outer container's profile.")


def restrict_files(ruleset: int) -> None:
    """Enter a Landlock domain in which no file may be touched."""
    result = int(libc.syscall(RESTRICT_SELF, ruleset, 0))
    require(result, "Landlock domain", "allow the landlock system calls in the outer container's profile.")
