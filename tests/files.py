"""Special files that tests put where a regular one is expected."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def make_socket(path: Path) -> None:
    """Make a socket that nobody listens at."""
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's path may have 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)
