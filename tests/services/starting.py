"""A process that starts interviews of one candidate, each time that it is told to; for tests of starts at once.

Run as `python -m tests.services.starting URL PROBLEMS USER`; a line on its input names an invitation, and a line on its
output says whether it was started.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from grader.services import taking
from grader.services.packages import Packages
from grader.services.taking import NotOpen
from grader.store.models import User
from grader.store.session import make_engine, read_session, write_session
from tests.services.made import NOON

STARTED, REFUSED = "started", "refused"


def start(url: str, problems: Path, user: int) -> subprocess.Popen[str]:
    """Start such a process."""
    command = [sys.executable, "-m", "tests.services.starting", url, str(problems), str(user)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)


def main(url: str, problems: str, user: str) -> None:
    """Answer one line after the other, until there is no more."""
    engine, packages = make_engine(url), Packages(Path(problems))
    with read_session(engine) as session:
        candidate = session.get_one(User, int(user))
    for line in sys.stdin:
        try:
            with write_session(engine) as session:
                taking.start(session, candidate, line.strip(), packages, NOON)
        except NotOpen:
            print(REFUSED, flush=True)
        else:
            print(STARTED, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
