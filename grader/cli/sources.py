"""Reads what a person names as a submission: a regular file, or standard input as '-'."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Final

from grader.errors import UserError

BYTES_MAX: Final = 64 << 20  # what can be read is judged (over 1 MiB is CE); beyond this nobody means it


def read_source(name: str, *, wanted: str = "the repaired file", bytes_max: int = BYTES_MAX) -> bytes:
    """Return a submission's bytes as they are.

    Args:
        wanted: what to name instead, in the sentence of an error.
        bytes_max: the most that anybody means to hand in.

    Raises:
        UserError: it is missing, no regular file, or cannot be read.
    """
    if name == "-":
        if sys.stdin is None:
            raise UserError(f"Standard input is closed; name {wanted}, or pipe it in.")
        data = sys.stdin.buffer.read(bytes_max + 1)
    else:
        data = _read(Path(name), wanted, bytes_max)
    if len(data) > bytes_max:
        limit = f"{bytes_max >> 20} MiB" if bytes_max >= 1 << 20 else f"{bytes_max >> 10} KiB"
        raise UserError(f"{name} is larger than {limit}; name {wanted}.")
    return data


def _read(path: Path, wanted: str, bytes_max: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENXIO:  # a socket, or a device without its hardware
            raise UserError(f"{path} is no regular file; name {wanted}.") from None
        raise UserError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}); name a file.") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            kind = "a folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "no regular file"
            raise UserError(f"{path} is {kind}; name {wanted}.")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(bytes_max + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name another file.") from None
    finally:
        os.close(descriptor)
