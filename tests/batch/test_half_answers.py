"""A grading process that dies while it hands its answer over, and a command that is told to end meanwhile."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.batch.folders import ENV, WRONG, put_many, verdicts
from tests.batch.watching import grading_processes, written
from tests.cli.running import Command, end_of
from tests.processes import alive, wait_until

pytestmark = pytest.mark.sandbox
COUNT: Final = 40
TALKATIVE: Final = WRONG.replace(b"def attend(", b"print('x' * 60_000)\n\n\ndef attend(")
ARGS: Final = ("batch", "in", "--out", "out", "--jobs", "2", "--evidence")
WRITE: Final = {"x86_64": "1", "aarch64": "64"}


def is_writing(pid: int) -> bool:
    """Whether a process waits for somebody to read what it writes."""
    try:
        return Path("/proc", str(pid), "syscall").read_text().split()[0] == WRITE[platform.machine()]
    except OSError:
        return False


def stop_while_one_writes(process: subprocess.Popen[bytes]) -> int:
    """Stop a command while a grading process is in the middle of an answer that does not fit its pipe; return which."""
    while True:  # it may have been stopped before it had handed anything over
        process.send_signal(signal.SIGSTOP)
        writing = [pid for pid in grading_processes(process.pid) if wait_until(lambda pid=pid: is_writing(pid), 10)]  # type: ignore[misc]
        if writing:
            return writing[0]
        process.send_signal(signal.SIGCONT)
        assert process.poll() is None


@pytest.fixture
def held(command: Command) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A command that is stopped, and one of its processes that writes; none of them lives afterwards."""
    put_many(command.folder / "in", COUNT, TALKATIVE)
    process = command.start(*ARGS, env=ENV)
    try:
        assert wait_until(lambda: written(command) > 0, 60), process.poll()
        writing = stop_while_one_writes(process)
        below = grading_processes(process.pid)
        yield process, writing
        assert wait_until(lambda: not any(map(alive, below)), 30)
    finally:
        process.kill()
        process.communicate()


def test_what_a_process_could_not_hand_over_is_judged_again(
    command: Command, held: tuple[subprocess.Popen[bytes], int]
) -> None:
    process, writing = held
    os.kill(writing, signal.SIGKILL)
    assert wait_until(lambda: not alive(writing), 30)
    process.send_signal(signal.SIGCONT)
    ended = end_of(process)
    assert (ended.code, ended.err.splitlines()[-1]) == (0, f"{COUNT} results: {COUNT} WA; in out")
    assert len(verdicts(command.folder / "out")) == written(command) == COUNT
    records = list((command.folder / "out/evidence").glob("*/*.json"))
    assert len(records) == COUNT
    assert {json.loads(path.read_bytes())["judgement"]["verdict"] for path in records} == {"WA"}


def test_two_interrupts_end_it_although_half_an_answer_stands_in_a_pipe(
    held: tuple[subprocess.Popen[bytes], int],
) -> None:
    process, writing = held
    os.kill(writing, signal.SIGSTOP)  # the other half never comes
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    assert process.stderr is not None
    said = b""
    while b"once more ends at once" not in said:
        said += os.read(process.stderr.fileno(), 4096) or pytest.fail(said.decode())
    process.send_signal(signal.SIGINT)
    ended = end_of(process)
    assert ended.code == 130
    assert ended.err.splitlines()[-1].startswith("grader: Interrupted; go on with: grader batch in ")
