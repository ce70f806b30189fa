"""Batches killed at random moments, over and over, and on a full disk: nothing is lost, nothing is different."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.batch.folders import ENV, RIGHT, WRONG, lines, put
from tests.cli.running import Command
from tests.packages import DATA
from tests.processes import sandbox_processes, wait_until

pytestmark = [pytest.mark.sandbox, pytest.mark.long]
COUNT: Final = 1000
KILLS: Final = 50
START_S: Final = 2.5  # within this a batch finds, hashes and reads what is finished; longer on a busy machine
WORK_S: Final = 0.5  # of judging before a kill
HOSTILE: Final = [*DATA.glob("hostile/CE/*.py"), *DATA.glob("hostile/RTE/*.py"), *DATA.glob("hostile/WA/*.py")]
FRAMES: Final = b"os.write(4"
OPTIONS: Final = ("--finding", "fast", "--jobs", "2", "--format", "csv,html,junit,gradescope")


def mixed(folder: Path) -> None:
    """Write right and wrong submissions, hostile ones that end quickly, and a quarter of duplicates.

    Not those that send frames of their own: to which case they get is a race of theirs.
    """
    sources = [source for path in sorted(HOSTILE) if FRAMES not in (source := path.read_bytes())]
    assert len(sources) > 250
    while len(sources) < COUNT * 3 // 4:
        sources.append((RIGHT, WRONG)[len(sources) % 2] + f"# {len(sources)}\n".encode())
    chosen = random.Random(1)
    sources += chosen.choices(sources, k=COUNT - len(sources))
    chosen.shuffle(sources)
    for number, source in enumerate(sources):
        put(folder, f"c{number:04}", source)


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines that are whole."""
    if not path.exists():
        return []
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def without_times(out: Path) -> dict[str, dict[str, Any]]:
    """Return the results by candidate, apart from how long they took; each is there once."""
    found = {line["candidate"]: {**line, "timing": None} for line in lines(out)}
    assert len(found) == len(lines(out))
    return found


def killed(command: Command, moment: random.Random, after_start: bool) -> int:
    """Start a batch, kill it somewhere, and return how many lines it has added."""
    path = command.folder / "killed/results.jsonl"
    before = whole_lines(path)
    process = command.start("batch", "in", "--out", "killed", *OPTIONS, "--resume", env=ENV)
    try:
        if after_start:
            wait_until(lambda: len(whole_lines(path)) > len(before) or process.poll() is not None, 60)
        time.sleep(moment.uniform(0, WORK_S if after_start else START_S))
        process.kill()
    finally:
        process.communicate()
    assert wait_until(lambda: not sandbox_processes(), 20)
    after = whole_lines(path)
    assert after[: len(before)] == before  # what was finished stays as it was, and is not judged again
    return len(after) - len(before)


def test_after_fifty_kills_the_results_are_those_of_an_undisturbed_run(command: Command) -> None:
    mixed(command.folder / "in")
    ended = command.run("batch", "in", "--out", "whole", *OPTIONS, env=ENV)
    assert ended.code == 0, ended.err
    moment = random.Random(time.time_ns())
    added = [killed(command, moment, after_start=number % 3 > 0) for number in range(KILLS)]
    ended = command.run("batch", "in", "--out", "killed", *OPTIONS, "--resume", env=ENV)
    assert ended.code == 0, ended.err
    told = f"{sum(count > 0 for count in added)} of {KILLS} kills came while results were written: {added}"
    print(told, ended.err.splitlines()[-1])
    assert sum(count > 0 for count in added) > 5, told
    whole, result = command.folder / "whole", command.folder / "killed"
    for name in ("results.csv", "gradebook.csv", "junit.xml", "report.html", "manifest.json"):
        assert (result / name).read_bytes() == (whole / name).read_bytes(), name
    assert without_times(result) == without_times(whole)
    assert {str(path.relative_to(result)) for path in result.rglob("*")} == {
        str(path.relative_to(whole)) for path in whole.rglob("*")
    }


@pytest.fixture
def small_disk(command: Command) -> Iterator[Path]:
    """A file system of 512 KiB."""
    place = command.folder / "disk"
    place.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_full_is_told_and_the_batch_goes_on_once_there_is_room(
    command: Command, small_disk: Path
) -> None:
    for number in range(200):
        put(command.folder / "in", f"c{number:03}", (RIGHT, WRONG)[number % 2] + f"# {number}\n".encode())
    (small_disk / "other").write_bytes(bytes(300 << 10))
    args = ("batch", "in", "--out", small_disk / "out", "--jobs", "2")
    ended = command.run(*args, env=ENV)
    assert (ended.code, ended.out) == (4, "")
    path = small_disk / "out/results.jsonl"
    advice = "make room, then go on with --resume: what is judged is kept."
    assert ended.err.splitlines()[-1] == f"grader: {path} cannot be written (No space left on device); {advice}"
    before = whole_lines(path)
    assert 0 < len(before) < 200
    again = command.run(*args, "--resume", env=ENV)
    assert again.code == 4  # it is full still
    assert whole_lines(path) == before
    (small_disk / "other").unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    ended = command.run(*args, "--resume", env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines()[-1] == (
        f"200 results ({len(before)} of them from before): 100 AC, 100 WA; in {small_disk / 'out'}"
    )
    assert whole_lines(path)[: len(before)] == before
    assert command.run("batch", "in", "--out", "whole", env=ENV).code == 0
    for name in ("results.csv", "gradebook.csv"):
        assert (small_disk / "out" / name).read_bytes() == (command.folder / "whole" / name).read_bytes()
