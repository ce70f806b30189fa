"""Batches that are killed, interrupted, or lose a process: nothing is lost, nothing is judged twice, nothing stays."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

from tests.batch.folders import BANK, ENV, RIGHT, SLUG, WRONG, lines, put, put_many, table, verdicts
from tests.batch.watching import grading_processes, written
from tests.cli.running import Command, end_of
from tests.packages import TINY, edited
from tests.processes import alive, busy_children, wait_until

pytestmark = pytest.mark.sandbox
SLOW: Final = b"import time\ntime.sleep(0.1)\n" + RIGHT
COUNT: Final = 18
INTERRUPTED: Final = "grader: Interrupted; go on with: grader batch 'in put' --out out --jobs=2 --resume"
ARGS: Final = ("batch", "in put", "--out", "out", "--jobs", "2")


@contextmanager
def under_way(command: Command, *args: str, count: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """Start a batch and give it once it has written some results; afterwards none of its processes lives."""
    process = command.start(*(args or ARGS), env=ENV)
    try:
        assert wait_until(lambda: written(command) >= count, 60), process.poll()
        below = grading_processes(process.pid)
        assert below
        yield process
        assert wait_until(lambda: not any(alive(pid) for pid in below), 10)
    finally:
        process.kill()
        process.communicate()


def resumed(command: Command, names: list[str], *, verdict: str = "AC") -> str:
    """Go on to the end; return what is said."""
    ended = command.run(*ARGS, "--resume", env=ENV)
    assert ended.code == 0
    assert verdicts(command.folder / "out") == dict.fromkeys(names, verdict)
    assert [row.split(",")[0] for row in table(command.folder / "out")] == sorted(names)
    return ended.err


def test_kill_9_loses_nothing_that_was_written(command: Command) -> None:
    names = put_many(command.folder / "in put", COUNT, SLOW)
    with under_way(command) as process:
        process.kill()
        process.wait()
    results = command.folder / "out/results.jsonl"
    before = results.read_text()
    results.write_text(before + before.splitlines()[0][:-9])  # as if it had been killed within a line
    assert 0 < before.count("\n") < COUNT
    said = resumed(command, names)
    assert results.read_text().startswith(before)
    assert f"{COUNT} results ({before.count(chr(10))} of them from before): {COUNT} AC; in out\n" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_what_runs_and_says_how_to_go_on(command: Command, number: signal.Signals) -> None:
    names = put_many(command.folder / "in put", COUNT, SLOW)
    (command.folder / "roster.csv").write_text("\n".join(["candidate", *names, "zoe"]))
    with under_way(command, *ARGS, "--roster", "roster.csv", "--format", "csv,html,jsonl") as process:
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # a terminal tells every process of the job
        else:
            process.send_signal(number)
        ended = end_of(process)
    *_, first, summary, last = ended.err.splitlines()
    assert ended.code == 130
    assert first == "grader: Finishing what runs; once more ends at once."
    assert last == INTERRUPTED.replace("--resume", "--roster=roster.csv --format=csv,jsonl,html --resume")
    done = verdicts(command.folder / "out")
    assert 0 < len(done) < len(names)  # although all had been handed out
    waiting = [name for name in names if name not in done]
    assert summary == (
        f"{len(done)} {'result' if len(done) == 1 else 'results'}: {len(done)} AC; "
        f"{len(waiting)} {'submission is' if len(waiting) == 1 else 'submissions are'} not judged yet; in out"
    )
    assert json.loads((command.folder / "out/manifest.json").read_text())["counts"]["verdicts"] is None
    for name, column in (("roster.csv", 1), ("gradebook.csv", 1)):
        rows = [row.split(",") for row in (command.folder / "out" / name).read_text().splitlines()]
        assert [row[0] for row in rows if row[column] == "not_judged_yet"] == waiting
    assert [row.split(",")[0] for row in table(command.folder / "out")] == sorted(done)
    pages = {path.stem: path.read_text() for path in (command.folder / "out/html").iterdir()}
    assert sorted(pages) == sorted(names)
    assert sorted(name for name, text in pages.items() if "Not judged yet" in text) == waiting
    again = shlex.split(last.partition(": grader ")[2])
    assert command.run(*again, env=ENV).code == 0
    assert verdicts(command.folder / "out") == dict.fromkeys(names, "AC")


def patient_bank(folder: Path) -> Path:
    """Return a bank whose only problem lets a submission take its time."""
    bank = folder / "bank"
    shutil.copytree(TINY, bank / SLUG)
    (bank / SLUG / "problem.yaml").write_text(
        edited("problem.yaml", "case_s: 0.5, total_s: 1.5", "case_s: 25, total_s: 25")
    )
    return bank


def said_until(words: str, process: subprocess.Popen[bytes]) -> bool:
    """Read what a command says on stderr until it has said some words; False when it ends without."""
    assert process.stderr is not None
    said = b""
    while words.encode() not in said:
        if not (more := os.read(process.stderr.fileno(), 4096)):
            return False
        said += more
    return True


def test_a_second_interrupt_ends_at_once(command: Command) -> None:
    bank = patient_bank(command.folder)
    put(command.folder / "in put", "a-quick-one", RIGHT)
    put_many(command.folder / "in put", 3, b"while True: pass\n")
    process = command.start(*ARGS, env={"GRADER_PROBLEMS": str(bank)})
    try:
        assert wait_until(lambda: written(command) == 1, 30)
        assert wait_until(lambda: bool(busy_children(process.pid)), 30)  # with an endless one
        below = grading_processes(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        assert said_until("once more ends at once", process)
        assert process.poll() is None
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        ended = end_of(process)
        assert time.monotonic() - started < 30
        assert (ended.code, ended.err.splitlines()[-1]) == (130, INTERRUPTED)
        assert wait_until(lambda: not any(alive(pid) for pid in below), 5)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("after", [0.4, 0.75])
def test_an_interrupt_while_it_starts_is_no_traceback(command: Command, after: float) -> None:
    put_many(command.folder / "in put", COUNT, SLOW)
    process = command.start(*ARGS, env=ENV)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    ended = end_of(process)
    assert ended.code == 130
    assert "Interrupted" in ended.err.splitlines()[-1]


def test_a_grading_process_that_is_killed_costs_no_result(command: Command) -> None:
    names = put_many(command.folder / "in put", COUNT, SLOW)
    with under_way(command) as process:
        for pid in grading_processes(process.pid):
            with suppress(ProcessLookupError):  # the first one's death has ended it
                os.kill(pid, signal.SIGKILL)
        ended = end_of(process)
    assert ended.code == 0
    assert verdicts(command.folder / "out") == dict.fromkeys(names, "AC")
    assert ended.err.splitlines()[-1] == f"{COUNT} results: {COUNT} AC; in out"


def test_a_submission_whose_processes_always_die_is_our_fault(command: Command) -> None:
    bank = patient_bank(command.folder)
    put(command.folder / "in put", "ann", b"import time\ntime.sleep(5)\n" + RIGHT)
    process = command.start(*ARGS, env={"GRADER_PROBLEMS": str(bank)})
    ended = threading.Event()

    def kill() -> None:
        while not ended.wait(0.05):
            for pid in grading_processes(process.pid):
                os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        said = end_of(process)
    finally:
        ended.set()
        killer.join()
    assert said.code == 4
    assert verdicts(command.folder / "out") == {"ann": "JE"}
    assert said.err.splitlines() == [
        f"grader: in put/ann/{SLUG}.py is JE, which is not its fault: a grading process died twice",
        "1 result: 1 JE; in out",
    ]


def test_a_full_disk_is_one_line_and_loses_nothing(command: Command) -> None:
    names = put_many(command.folder / "in put", COUNT)
    assert command.run("grade", SLUG, f"in put/{names[0]}/{SLUG}.py", env=ENV).code == 0  # the cases are in the cache
    ended = command.run(*ARGS, env=ENV, file_size=20_000)
    advice = "make room, then go on with --resume: what is judged is kept."
    said = f"grader: out/results.jsonl cannot be written (File too large); {advice}"
    assert (ended.code, ended.out, ended.line) == (4, "", said)
    before = written(command)
    assert 0 < before < COUNT
    assert f"({before} of them from before)" in resumed(command, names)


@pytest.mark.parametrize("name", ["out", "out/results.jsonl"])
def test_results_that_are_taken_away_stop_it_and_may_be_brought_back(command: Command, name: str) -> None:
    names = put_many(command.folder / "in put", COUNT, SLOW)
    with under_way(command) as process:
        os.rename(command.folder / name, command.folder / "taken away")
        ended = end_of(process)
    assert ended.code == 4
    assert ended.err.splitlines()[-1] == (
        "grader: out/results.jsonl was removed or replaced while results were written to it; bring it back, "
        "then go on with --resume: what is judged is kept."
    )
    assert not (command.folder / name).exists()
    os.rename(command.folder / "taken away", command.folder / name)
    assert 0 < (before := written(command)) < COUNT
    assert f"({before} of them from before)" in resumed(command, names)


def test_only_what_has_changed_is_judged_again(command: Command) -> None:
    bank = command.folder / "bank"
    shutil.copytree(BANK / SLUG, bank / "first")
    shutil.copytree(BANK / SLUG, bank / "second")
    for name in ("ann", "bob"):
        for slug in ("first", "second"):
            put(command.folder / "in put", name, RIGHT, slug)
    env = {"GRADER_PROBLEMS": str(bank)}
    assert command.run(*ARGS, env=env).code == 0
    before = {(line["candidate"], line["problem"]): line for line in lines(command.folder / "out")}
    put(command.folder / "in put", "ann", WRONG, "first")
    statement = bank / "second/statement.md"
    statement.write_text(statement.read_text() + "\nOne more sentence.\n")
    put(command.folder / "in put", "eve", RIGHT, "first")
    ended = command.run(*ARGS, "--resume", env=env)
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "grader: 3 results are put aside in out/dropped.1.jsonl: "
        "of another source, package or grader than now, or of a file that is gone.",
        "5 results (1 of them from before): 4 AC, 1 WA; in out",
    ]
    gone = [json.loads(each) for each in (command.folder / "out/dropped.1.jsonl").read_text().splitlines()]
    assert {(line["candidate"], line["problem"]): line for line in gone} == {
        key: line for key, line in before.items() if key != ("bob", "first")
    }
    after = {(line["candidate"], line["problem"]): line for line in lines(command.folder / "out")}
    assert len(after) == len(lines(command.folder / "out")) == 5
    assert after["bob", "first"] == before["bob", "first"]  # the time that it took as well
    assert after["ann", "first"]["verdict"] == "WA"
    for name in ("ann", "bob"):
        assert after[name, "second"]["package_sha256"] != before[name, "second"]["package_sha256"]
    assert after["eve", "first"]["verdict"] == "AC"


def test_resuming_what_is_finished_judges_nothing(command: Command) -> None:
    names = put_many(command.folder / "in put", 3)
    assert command.run(*ARGS, "--resume", env=ENV).code == 0  # there is nothing to resume yet, which is no error
    before = {path.name: path.read_bytes() for path in (command.folder / "out").iterdir()}
    assert resumed(command, names) == "3 results (3 of them from before): 3 AC; in out\n"
    assert {path.name: path.read_bytes() for path in (command.folder / "out").iterdir()} == before


@pytest.mark.long
def test_memory_does_not_grow_with_the_batch(command: Command) -> None:
    count = 2000
    put_many(command.folder / "in put", count, WRONG)
    process = command.start(*ARGS, env=ENV)
    held = []
    try:
        for share in (0.1, 0.5, 0.95):
            assert wait_until(lambda share=share: written(command) >= share * count, 300)  # type: ignore[misc]
            held.append({pid: rss_mib(pid) for pid in {process.pid, *grading_processes(process.pid)}})
        ended = end_of(process)
    finally:
        process.kill()
    assert ended.code == 0
    assert len(verdicts(command.folder / "out")) == count
    assert held[0].keys() == held[2].keys()
    growth = {pid: held[2][pid] - held[0][pid] for pid in held[0]}
    assert max(growth.values()) < 8, (held, growth)


def rss_mib(pid: int) -> float:
    """Return a process's resident memory."""
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
