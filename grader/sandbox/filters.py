"""The committed seccomp programs, ready to load: one for each policy and architecture.

`build_filters` makes them at development time; nothing but the kernel is needed to use them.
"""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path
from typing import Final, Literal

PolicyName = Literal["zygote", "child"]
POLICY_NAMES: Final[tuple[PolicyName, ...]] = ("zygote", "child")
MACHINES: Final = ("x86_64", "aarch64")
FOLDER: Final = Path(__file__).with_name("filters")
INSTRUCTION_BYTES: Final = 8  # struct sock_filter: u16 code, u8 jt, u8 jf, u32 k
_HERE: Final = platform.machine()


class FilterMissing(Exception):
    """There is no usable filter for this policy and architecture: the sandbox must not start."""


def load(policy: PolicyName, machine: str = _HERE) -> bytes:
    """The seccomp program of `policy` as the bytes of a struct sock_filter array, for `machine` as uname names it.

    Raises:
        FilterMissing: the architecture has no filters, or the installation has lost or cut the file.
    """
    if machine not in MACHINES:
        raise FilterMissing(
            f"There is no system-call filter for {machine!r}; the sandbox runs on {' and '.join(MACHINES)}."
        )
    path = FOLDER / f"{machine}.{policy}.bpf"
    try:
        program = path.read_bytes()
    except OSError as error:
        raise FilterMissing(
            f"The system-call filter {path} cannot be read ({error.strerror}); install again."
        ) from error
    if not program or len(program) % INSTRUCTION_BYTES:
        raise FilterMissing(f"The system-call filter {path} is damaged; install again.")
    return program


def filter_hash(machine: str = _HERE) -> str:
    """Twelve hexadecimal digits that change when a filter of `machine` does.

    Raises:
        FilterMissing: as `load`.
    """
    digest = hashlib.sha256()
    for policy in POLICY_NAMES:
        digest.update(load(policy, machine))
    return digest.hexdigest()[:12]
