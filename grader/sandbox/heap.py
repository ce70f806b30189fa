"""The C library's heap as a zygote leaves it to its children: what they write costs them as few pages as can be.

A page that a child writes to for the first time is copied or cleared for it, which takes longer than most calls of a
submission do. So a child's memory comes from an unused end of the heap, not from holes between what the zygote keeps,
and most of that end lies on huge pages, where one fault does the work of 512. The zygote's own memory lies on huge
pages as well, for a fork and an exit go through every page that a process has.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

from grader.sandbox.kernel import libc

SMALL_BYTES: Final = 384 << 10  # of the unused end, on ordinary pages: what a child that waits has need of
HUGE_BYTES: Final = 16 << 20  # of it on huge pages; address space alone until they are written to
MAPPED_BYTES: Final = 32 << 20  # from this size on malloc maps a block for itself
_HUGE_PAGE: Final = 2 << 20
_HOLE_MAX: Final = 64 << 10  # larger holes are filled in parts; trying a size writes that far into the unused end
_HOLE_MIN: Final = 24
_EACH_SIZE_KEPT: Final = 1032  # up to here malloc keeps what is freed by its exact size
_SIZE_STEP: Final = 16
_ARENAS: Final = 14  # of the object allocator: what the imports take
_ARENA_BYTES: Final = 1 << 20
_OBJECT_BYTES: Final = 512  # the largest that the object allocator takes
_MADV_HUGEPAGE: Final = 14
_MADV_COLLAPSE: Final = 25
_M_TRIM_THRESHOLD: Final = -1
_M_TOP_PAD: Final = -2
_M_MMAP_THRESHOLD: Final = -3
_reserved: list[bytes] = []


def reserve_arenas() -> None:
    """Have the object allocator's memory lie in one piece; before anything large is imported.

    Otherwise libraries are mapped between its arenas, and no huge page finds room. A few objects in each keep it.
    """
    many = [bytes(_OBJECT_BYTES - sys.getsizeof(b"")) for _ in range(_ARENAS * _ARENA_BYTES // _OBJECT_BYTES)]
    _reserved.extend(many[:: _ARENA_BYTES // _OBJECT_BYTES // 2])


def prepare_heap() -> int:
    """Keep what is freed, gather the pages, fill the holes, and put huge pages behind the end.

    Where malloc is another, it does nothing.

    Returns:
        how many bytes of address space are mapped ahead for a child: they are part of what its submission may use.
    """
    if getattr(libc, "mallopt", None) is None:  # glibc has it; elsewhere it only costs time
        return 0
    libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
    libc.malloc_trim(0)
    _gather_pages()
    _keep_freed_memory()
    end = _unused_end()
    if not end:
        return 0
    _fill_holes(end)
    huge = -(-(end + _HOLE_MAX + SMALL_BYTES) // _HUGE_PAGE) * _HUGE_PAGE
    libc.malloc(ctypes.c_size_t(huge - SMALL_BYTES - end))  # never freed, never written
    _unused_end()
    libc.madvise(ctypes.c_void_p(huge), ctypes.c_size_t(HUGE_BYTES), _MADV_HUGEPAGE)  # refused, they are ordinary ones
    return max(0, int(libc.sbrk(0) or 0) - (huge - SMALL_BYTES))


def _gather_pages() -> None:
    """Put what the zygote has written on huge pages.

    A child that writes there still gets a copy of an ordinary page alone. Linux before 6.1 refuses; nothing changes.
    """
    with open("/proc/self/maps") as file:
        places = [line.split()[0].split("-") for line in file if " rw-p " in line and "/" not in line]
    for first, last in places:
        start, stop = -(-int(first, 16) // _HUGE_PAGE) * _HUGE_PAGE, int(last, 16) - _HUGE_PAGE + 1
        for place in range(start, stop, _HUGE_PAGE):
            libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(_HUGE_PAGE), _MADV_COLLAPSE)


def _keep_freed_memory() -> None:
    """Have malloc keep what is freed: a child lives for milliseconds, and each page given back is faulted in again."""
    libc.mallopt(_M_MMAP_THRESHOLD, MAPPED_BYTES)
    libc.mallopt(_M_TRIM_THRESHOLD, 128 << 20)
    libc.mallopt(_M_TOP_PAD, 1 << 20)


def _unused_end() -> int:
    """Return where the heap's unused end begins, once it is long enough for the huge pages and what lies before."""
    place = int(libc.malloc(ctypes.c_size_t(HUGE_BYTES + 2 * _HUGE_PAGE)) or 0)
    libc.free(ctypes.c_void_p(place))
    return place


def _fill_holes(end: int) -> None:
    """Occupy what is free before `end`, for good."""
    size = _HOLE_MAX
    while size >= _HOLE_MIN:
        place = int(libc.malloc(ctypes.c_size_t(size)) or 0)
        if not 0 < place < end:
            libc.free(ctypes.c_void_p(place))
            size = size * 3 // 4 if size > _EACH_SIZE_KEPT else size - _SIZE_STEP
