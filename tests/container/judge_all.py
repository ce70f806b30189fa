"""Judges the test data's and the shipped packages' sources and tells what came of each: run inside and outside alike.

A program: `python -m tests.container.judge_all NAME...`. A name is that of a file below tests/data, for the small
package, or SLUG/FOLDER/FILE of a shipped package's submissions. Prints one JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path

from grader.config import shipped
from grader.grading.judge import judge
from grader.grading.verdict import Judgement
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from grader.sandbox.pool import Lane
from tests.packages import DATA, tiny_attention
from tests.processes import wait_until

WRITABLE = ("/tmp", "/dev/shm", "/dev/mqueue")
GONE_S = 10.0  # that whoever has ended may still be listed
OWN = ("hostile/", "submissions/")


def main(names: list[str]) -> None:
    """Judge, end the sandbox, and see what is left of it."""
    started = time.monotonic()
    lane, cache = Lane(), CaseCache(None)
    problems = {"": tiny_attention()}
    verdicts = {name: _told(_judge(name, problems, lane, cache)) for name in names}
    facts = lane.facts()
    lane.close()
    wait_until(lambda: not _processes(), GONE_S)
    told = {
        "uid": os.getuid(),
        "sandbox": facts["uid"],
        "layers": facts["layers"],
        "landlock_abi": facts["landlock_abi"],
        "python": facts["python"],
        "numpy": facts["numpy"],
        "verdicts": verdicts,
        "processes": _processes(),
        "files": [str(path) for folder in WRITABLE for path in Path(folder).glob("*")],
        "seconds": time.monotonic() - started,
    }
    print(json.dumps(told))


def _judge(name: str, problems: dict[str, Problem], lane: Lane, cache: CaseCache) -> Judgement:
    if name.startswith(OWN):
        return judge(problems[""], (DATA / name).read_bytes(), lane, cache)
    slug, _, rest = name.partition("/")
    folder = shipped("problems") / slug
    if slug not in problems:
        problems[slug] = load(read_folder(folder))
    return judge(problems[slug], (folder / "submissions" / rest).read_bytes(), lane, cache)


def _told(judgement: Judgement) -> list[str]:
    return [judgement.verdict.value, judgement.reason.value if judgement.reason else ""]


def _processes() -> list[str]:
    """Return the command lines of everybody else who lives here, the first process of a container aside."""
    commands = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and path.name not in ("1", str(os.getpid())):
            with contextlib.suppress(OSError):  # it ended meanwhile
                commands.append((path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return commands


if __name__ == "__main__":
    main(sys.argv[1:])
