"""The C library's heap as a zygote leaves it to its children: what they write costs them as few pages as can be.

A page that a child writes to for the first time is copied or cleared for it, which takes longer than most calls of a
submission do. No memory is mapped ahead for a child: it could be used past the limit of its submission.
"""

from __future__ import annotations

from typing import Final

from grader.sandbox.kernel import libc

_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3


def keep_freed_memory() -> None:
    """Have malloc keep what is freed: a child lives for milliseconds, and each page given back is faulted in again."""
    mallopt = getattr(libc, "mallopt", None)  # glibc has it; elsewhere it only costs time
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)
        mallopt(_M_TRIM_THRESHOLD, 128 << 20)
        mallopt(_M_TOP_PAD, 1 << 20)
