"""The C library, for system calls that Python does not offer, and what it means when a wall cannot be put up."""

from __future__ import annotations

import ctypes
import os
from typing import Final

libc: Final = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


class LayerMissing(Exception):
    """A required wall cannot be put up here; the text is a sentence for the operator."""


def require(result: int, layer: str, remedy: str) -> int:
    """Return the result of a call; a negative one means that a layer is missing."""
    if result < 0:
        reason = os.strerror(ctypes.get_errno())
        raise LayerMissing(f"The sandbox's {layer} cannot be set up here ({reason}): {remedy}")
    return result
