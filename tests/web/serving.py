"""The whole service as people run it: `grader serve` on a free port, with its own data."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.packages import CACHE_VARIABLE, some_shipped

ROOT: Final = Path(__file__).parents[2]
START_S: Final = 90.0  # on a machine that many tests share


@contextmanager
def serving(
    data: Path,
    problems: Path | None = None,
    stop: signal.Signals = signal.SIGTERM,
    preexec: Callable[[], None] | None = None,
    options: Sequence[str] = (),
    under: Sequence[str] = (),
    **settings: str,
) -> Iterator[str]:
    """Run the service until the block ends; give its address. What it writes is in `data/server.log`.

    Unless a folder of packages is named, it offers some of those that are shipped.
    """
    process = start(data, problems or some_shipped(data / "bank"), preexec, options, under, **settings)
    try:
        yield address(process, data / "server.log")
    finally:
        process.send_signal(stop)
        process.wait(30)


def start(
    data: Path,
    problems: Path,
    preexec: Callable[[], None] | None = None,
    options: Sequence[str] = (),
    under: Sequence[str] = (),
    **settings: str,
) -> subprocess.Popen[bytes]:
    """Start the service, by the command `under` where there is one, without waiting for it."""
    data.mkdir(parents=True, exist_ok=True)
    log = data / "server.log"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GRADER_")},
        "HOME": str(data),  # gunicorn keeps a socket below it
        "GRADER_DATA": str(data / "data"),
        "GRADER_CACHE": os.environ.get(CACHE_VARIABLE, str(data / "cache")),
        "GRADER_PROBLEMS": str(problems),
        **settings,
    }
    command = [*under, str(Path(sys.executable).with_name("grader")), "serve", "--port=0", *options]
    with log.open("ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, cwd=ROOT, env=environment, preexec_fn=preexec)


def address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until the service answers; return its address."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.findall(r"The grader is at (http://127\.0\.0\.1:\d+)/", log.read_text()):
            try:
                with urllib.request.urlopen(f"{found[-1]}/healthz", timeout=5) as reply:
                    if reply.read() == b"ok":
                        return str(found[-1])
            except (urllib.error.URLError, OSError):
                pass
        time.sleep(0.05)
    raise AssertionError(f"the service did not start:\n{log.read_text()}")
