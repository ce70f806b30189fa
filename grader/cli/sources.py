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


def read_source(name: str) -> bytes:
    """Return a submission's bytes as they are.

    Raises:
        UserError: it is missing, no regular file, or cannot be read.
    """
    if name == "-":
        if sys.stdin is None:
            raise UserError("Standard input is closed; name the repaired file, or pipe it in.")
        data = sys.stdin.buffer.read(BYTES_MAX + 1)
    else:
        data = _read(Path(name))
    if len(data) > BYTES_MAX:
        raise UserError(f"{name} is larger than {BYTES_MAX >> 20} MiB; name the repaired file.")
    return data


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.ENXIO:  # a socket, or a device without its hardware
            raise UserError(f"{path} is no regular file; name the repaired file.") from None
        raise UserError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}); name a file.") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            kind = "a folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "no regular file"
            raise UserError(f"{path} is {kind}; name the repaired file.")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(BYTES_MAX + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name another file.") from None
    finally:
        os.close(descriptor)
