"""A process that makes something of a package until it is killed; for tests of who waits for whom."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import load


def main(package: str, folder: str) -> None:
    """Say "making" once nobody else can, and go on for ever."""
    with CaseCache(Path(folder)).making(load(read_folder(Path(package)))):
        print("making", flush=True)
        time.sleep(3600)


if __name__ == "__main__":
    main(*sys.argv[1:])
