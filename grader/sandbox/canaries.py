"""Harmless versions of what a hostile submission would do: each returns when it got through, and raises or dies if not.

Bodies of a function of the source that `source` makes; `libc` is the C library, `call` raises when it returned -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ENTRY: Final = "canary"


@dataclass(frozen=True)
class Try:
    """One try: the name it is told by, and a function's body."""

    name: str
    body: str
    is_first: bool = False  # of its kind: tried whenever something starts to judge


TRIES: Final = (
    Try("open a file", "open('/etc/hostname')", is_first=True),
    Try("stat a file", "posix.stat('/')"),
    Try("list a folder", "os.listdir('/')"),
    Try("write a file", "open('/tmp/canary', 'w')"),
    Try("execute a program", "os.execv('/bin/true', ['true'])"),
    Try("fork", "os.fork() or os._exit(0)", is_first=True),
    Try("start a thread", "_thread.start_new_thread(print, ())"),
    Try("TCP socket", "socket.socket(socket.AF_INET, socket.SOCK_STREAM)", is_first=True),
    Try("UDP socket", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    Try("unix socket", "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect('/run/canary')"),
    Try("abstract socket", "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).bind('\\0canary')"),
    Try("signal the parent", "os.kill(PARENT, 0)"),
    Try("trace the parent", "call(libc.ptrace(16, PARENT, None, None))"),
    Try("anonymous file", "os.memfd_create('canary')"),
    Try("shared memory", "call(libc.mmap(None, 4096, 3, 0x21, -1, 0))"),
    Try("executable memory", "call(libc.mmap(None, 4096, 7, 0x22, -1, 0))"),
    Try("duplicate a descriptor", "os.dup(3)"),
    Try("close the grader's pipes", "os.close(4)"),
    Try("4 GiB of zeros", "bytearray(4 << 30)"),
    Try("endless loop", "\n    while True: pass"),
    Try("flood of prints", "\n    while True: print('x' * 4096)"),
)
_SOURCE: Final = """
import os, sys
posix, socket, ctypes, _thread = (sys.modules[name] for name in ("posix", "socket", "ctypes", "_thread"))
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.ptrace.restype = ctypes.c_long

def call(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def ENTRY(x):
    BODY
"""


def source(body: str, parent: int) -> bytes:
    """Return the source whose entry tries it; the parent's process id is told, for a child cannot ask for it."""
    return _SOURCE.replace("ENTRY", ENTRY).replace("BODY", body).replace("PARENT", str(parent)).encode()
