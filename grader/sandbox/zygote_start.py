"""Starts a zygote: a fresh interpreter with an environment of exactly what is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = str(Path(__file__).resolve().parents[2])
# the package is found where this module was; the folder leaves the path before anything else is imported
FIND_PACKAGE: Final = "import sys; sys.path.insert(0, sys.argv[1]); import grader; del sys.path[0]\n"
OPTIONS: Final = ("-s", "-P", "-B")
ENVIRONMENT: Final = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
_PROGRAM: Final = (
    f"{FIND_PACKAGE}from grader.sandbox.heap import reserve_arenas; reserve_arenas()\n"
    "from grader.sandbox.zygote import main; main(int(sys.argv[2]), allow_weak=sys.argv[3] == 'weak')"
)


def start_zygote(control: int, allow_weak: bool) -> subprocess.Popen[bytes]:
    """Start a zygote that takes its requests from the descriptor `control`.

    Raises:
        OSError: this process may start no other.
    """
    return subprocess.Popen(
        [sys.executable, *OPTIONS, "-c", _PROGRAM, ROOT, str(control), "weak" if allow_weak else "whole"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        pass_fds=[control],
        cwd="/",
        start_new_session=True,  # Ctrl-C in a terminal is the grader's to handle
    )
