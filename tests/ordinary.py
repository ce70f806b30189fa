"""Runs a program as an ordinary user, whoever runs the tests: the sandbox must be the same wall without root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

NOBODY: Final = 65534
ROOT: Final = Path(__file__).parents[1]


def run_as_ordinary_user(command: list[str], seconds: float = 120.0) -> str:
    """Return a program's standard output; it runs in the checkout, without root and with no right to write there."""
    done = subprocess.run([*_prefix(), *command], cwd=ROOT, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _prefix() -> list[str]:
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is missing (Debian, Ubuntu: apt-get install util-linux)")
    prefix = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--bounding-set=-sys_admin"]
    places = (Path(sys.executable), Path(sys.executable).resolve(), ROOT / "grader" / "errors.py")
    if all(map(_may_enter, places)):
        return prefix
    # an interpreter or a checkout below /root: one right to read is left, which the zygote drops as well
    return [*prefix, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


def _may_enter(path: Path) -> bool:
    """Whether every folder above a path lets anyone pass."""
    return all(folder.stat().st_mode & 0o001 for folder in path.parents)
