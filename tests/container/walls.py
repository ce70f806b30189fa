"""What tells from inside a container what it may."""

from __future__ import annotations

from typing import Final

# tries to write, and to make a namespace; says what came of each
TRIES: Final = """
import ctypes, json, os
told = {}
for folder in ("/", "/opt/grader", "/var/lib/grader", "/etc", "/tmp", "/var/lib/grader/cache", "/var/lib/grader/data"):
    try:
        open(folder + "/tried", "w").close()
        os.unlink(folder + "/tried")
        told[folder] = "writable"
    except OSError as error:
        told[folder] = error.strerror
libc = ctypes.CDLL(None, use_errno=True)
told["namespace"] = "made" if libc.unshare(0x10000000) == 0 else os.strerror(ctypes.get_errno())
print(json.dumps(told))
"""
MAY: Final = {
    **dict.fromkeys(["/", "/opt/grader", "/var/lib/grader", "/etc"], "Read-only file system"),
    **dict.fromkeys(["/tmp", "/var/lib/grader/cache", "/var/lib/grader/data"], "writable"),
    "namespace": "Operation not permitted",
}
# connects to each HOST:PORT that it is given; says what came of each
REACHES: Final = """
import json, socket, sys
told = {}
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
        told[place] = "reached"
    except OSError as error:
        told[place] = error.strerror or str(error)
print(json.dumps(told))
"""
CAPABILITIES: Final = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def status(text: str) -> dict[str, str]:
    """Return the fields of a /proc/PID/status."""
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
