"""Generates the committed seccomp programs and their listing from the policy; needed at development time only.

    python -m grader.sandbox.build_filters

libseccomp turns names into numbers and conditions into code, for both architectures on either of them.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import hashlib
import tempfile

import pyseccomp

from grader.sandbox.filters import FOLDER, INSTRUCTION_BYTES, MACHINES, POLICY_NAMES
from grader.sandbox.policy import POLICIES, Action, Call, Policy

ARCHITECTURES = {"x86_64": pyseccomp.Arch.X86_64, "aarch64": pyseccomp.Arch.AARCH64}
ACTIONS = {
    Action.ALLOW: pyseccomp.ALLOW,
    Action.EPERM: pyseccomp.ERRNO(errno.EPERM),
    Action.ENOSYS: pyseccomp.ERRNO(errno.ENOSYS),
    Action.KILL: pyseccomp.KILL_PROCESS,
}
NEVER_HEARD_OF = -1  # libseccomp's answer for a name of no architecture; other negative numbers: not of this one
LISTING = "listing.txt"


class UnknownCall(Exception):
    """The policy names a call that neither architecture has."""


def number(machine: str, name: str) -> int | None:
    """The number of a call on `machine`, None where that architecture lacks it.

    Raises:
        UnknownCall: both architectures lack it: a typing error, or libseccomp is too old.
    """
    found = {other: pyseccomp.resolve_syscall(token, name) for other, token in ARCHITECTURES.items()}
    if all(resolved < 0 for resolved in found.values()):
        raise UnknownCall(f"libseccomp knows no system call {name!r} on {' or '.join(MACHINES)}.")
    return found[machine] if found[machine] >= 0 else None


def libseccomp_version() -> str:
    """The version of the library that generates the programs; another one may order instructions differently."""

    class Version(ctypes.Structure):
        _fields_ = (("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("micro", ctypes.c_uint))

    ask = ctypes.CDLL(ctypes.util.find_library("seccomp")).seccomp_version
    ask.restype = ctypes.POINTER(Version)
    version = ask().contents
    return f"{version.major}.{version.minor}.{version.micro}"


def program(policy: Policy, machine: str) -> bytes:
    """The policy compiled for one architecture, as the bytes of a struct sock_filter array."""
    rules = pyseccomp.SyscallFilter(ACTIONS[policy.default])
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    native = pyseccomp.system_arch()
    if ARCHITECTURES[machine] != native:
        rules.add_arch(ARCHITECTURES[machine])
        rules.remove_arch(native)
    for call in policy.calls:
        # libseccomp refuses a rule that only repeats the default
        if number(machine, call.name) is not None and call.action is not policy.default:
            for alternative in call.when or ((),):
                tests = (pyseccomp.Arg(c.index, pyseccomp.MASKED_EQ, c.mask, c.value) for c in alternative)
                rules.add_rule(ACTIONS[call.action], call.name, *tuple(tests))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def artifacts() -> dict[str, bytes]:
    """Every file of the filters' folder by name, freshly generated: the programs and the listing of them all."""
    files = {f"{machine}.{name}.bpf": program(POLICIES[name], machine) for machine in MACHINES for name in POLICY_NAMES}
    files[LISTING] = _listing(files).encode()
    return files


def _listing(programs: dict[str, bytes]) -> str:
    lines = [
        "System-call filters. Generated from policy.py by `python -m grader.sandbox.build_filters`: do not edit.",
        f"libseccomp {libseccomp_version()}",
        "",
        *(
            f"{name:<20} {len(code) // INSTRUCTION_BYTES:>4} instructions  sha256 {hashlib.sha256(code).hexdigest()}"
            for name, code in programs.items()
        ),
    ]
    for name in POLICY_NAMES:
        policy = POLICIES[name]
        head = (
            f"{name}: any other call {policy.default.value}, a foreign architecture or an x32 call {Action.KILL.value}"
        )
        columns = f"{'call':<24} {'x86_64':>6} {'aarch64':>7}  {'action':<7} why [only when]"
        lines += ["", head, columns, *map(_line, policy.calls)]
    return "\n".join(lines) + "\n"


def _line(call: Call) -> str:
    x86_64, aarch64 = ("-" if (found := number(machine, call.name)) is None else found for machine in MACHINES)
    alternatives = " or ".join(" and ".join(map(str, conditions)) for conditions in call.when)
    rule = f" [{alternatives}]" if alternatives else ""
    return f"{call.name:<24} {x86_64:>6} {aarch64:>7}  {call.action.value:<7} {call.why}{rule}"


def main() -> None:
    """Write all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in artifacts().items():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()
