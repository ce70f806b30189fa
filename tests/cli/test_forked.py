"""A command that is forked cannot be told from one that is started by itself."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.cli.forked import Forks, Request
from tests.cli.running import Command, as_a_user
from tests.processes import all_gone

LOOKS_AT_ITSELF: Final = """
import __main__, json, os, resource, signal, sys, time
streams = (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__)
json.dump({
    "words": sys.argv,
    "folder": os.getcwd(),
    "variables": dict(os.environ),
    "zone": time.tzname,
    "read": sys.stdin.read(),
    "main": [__main__.__file__, __main__.__spec__, __name__],
    "path": [sys.path[0], [each for each in sys.path[1:] if not each.startswith("__editable__")]],
    "flags": tuple(sys.flags),
    "descriptors": [each for each in range(64) if os.path.exists(f"/proc/self/fd/{each}")],
    "leads": [os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), os.umask(0o77)],
    "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "limits": [resource.getrlimit(each) for each in range(resource.RLIMIT_NOFILE + 1)],
    "rights": [line for line in open("/proc/self/status") if line.startswith(("Cap", "Uid", "Gid", "NoNew", "Thr"))],
    "streams": [(each.encoding, each.errors, each.line_buffering, each.isatty(), each.fileno()) for each in streams],
    "of the product": [name for name in sys.modules if name.partition(".")[0] in ("grader", "tests")],
}, sys.stdout)
"""
ENDS: Final = {
    "in order": ("import atexit; atexit.register(print, 'at exit'); print('text', end='')", b""),
    "with a number": ("raise SystemExit(3)", b""),
    "with a text": ("import sys; print('out'); sys.exit('said\\udcff')", b""),
    "with an exception": ("1 / 0", b""),
    "by a signal": ("import os; os.kill(os.getpid(), 15)", b""),
    "at once": ("import os; print('lost'); os._exit(5)", b""),
    "without reading": ("", b"x" * 1_000_000),
    "after reading": ("import sys; print(len(sys.stdin.buffer.read()), '€' * 100_000)", b"x" * 1_000_000),
    "without closing": ("import os; os.close(1); print('text')", b""),
    "with a thread": ("import threading, time; threading.Timer(0.01, print, ['thread']).start()", b""),
    "with a child": ("import os; os.fork() or os._exit(0); os.wait(); print('parent')", b""),
}


@pytest.fixture(scope="module", params=[None, as_a_user], ids=["as we are", "as a user"])
def preexec(request: pytest.FixtureRequest) -> Callable[[], None] | None:
    """What is done before a command."""
    done: Callable[[], None] | None = request.param
    return done


@pytest.fixture(scope="module")
def forks(preexec: Callable[[], None] | None) -> Iterator[Forks]:
    """A process that forks, of this module's own."""
    with Forks(preexec) as forks:
        yield forks


def started(request: Request, stdin: bytes, preexec: Callable[[], None] | None) -> tuple[int, bytes, bytes]:
    """Run a program by itself."""
    size = request.file_size

    def prepare() -> None:
        if preexec is not None:
            preexec()
        if size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = subprocess.run(
        [sys.executable, request.program, *request.arguments],
        cwd=request.folder,
        env=dict(request.variables),
        input=stdin,
        capture_output=True,
        preexec_fn=prepare,
        start_new_session=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("file_size", [None, 10_000])
def test_it_sees_what_it_would_see_by_itself(
    forks: Forks, preexec: Callable[[], None] | None, command: Command, file_size: int | None
) -> None:
    (command.folder / "program").write_text(LOOKS_AT_ITSELF)
    variables = {**command.environment(), "TZ": "Asia/Tokyo", "ODD": os.fsdecode(b"\xff=\n"), "EMPTY": ""}
    words = ["", "two words", os.fsdecode(b"\xff"), "-x"]
    request = Request(str(command.folder / "program"), words, str(command.folder), variables, file_size)
    forked, alone = forks.run(request, "typed €\r\n".encode(), 60), started(request, "typed €\r\n".encode(), preexec)
    seen: dict[str, Any] = json.loads(forked[1])
    assert seen == json.loads(alone[1])
    assert (forked[0], forked[2], seen["descriptors"], seen["of the product"]) == (0, b"", [0, 1, 2], [])


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_as_it_would_end_by_itself(forks: Forks, command: Command, end: str) -> None:
    source, stdin = ENDS[end]
    (command.folder / "program").write_text(source)
    request = Request(str(command.folder / "program"), [], str(command.folder), command.environment())
    code, out, err = started(request, stdin, None)
    forked = forks.run(request, stdin, 60)
    assert (forked[0], forked[1]) == (code, out)
    assert forked[2].splitlines()[-1:] == err.splitlines()[-1:]


def test_one_that_takes_too_long_is_killed_with_its_children(forks: Forks, command: Command) -> None:
    program = command.folder / "program"
    program.write_text("import os, time; os.fork(); open(str(os.getpid()), 'w'); time.sleep(60)")
    with pytest.raises(TimeoutError):
        forks.run(Request(str(program), [], str(command.folder), command.environment()), b"", 0.5)
    pids = {int(path.name) for path in command.folder.iterdir() if path.name.isdigit()}
    assert len(pids) == 2
    assert all_gone(pids)


def test_two_run_side_by_side(forks: Forks, command: Command) -> None:
    os.mkfifo(command.folder / "fifo")
    program = command.folder / "program"
    program.write_text("import sys; print(open('fifo', sys.argv[1]).fileno())")  # waits for the other one
    both = [Request(str(program), [mode], str(command.folder), command.environment()) for mode in "rw"]
    with ThreadPoolExecutor(2) as threads:
        assert [each[0] for each in threads.map(lambda request: forks.run(request, b"", 60), both)] == [0, 0]
