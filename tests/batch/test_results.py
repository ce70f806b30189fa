"""The folder that a batch writes to: what is kept on --resume, and what a full disk does."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from grader import __version__
from grader.batch.disk import clear_errors
from grader.batch.find import find_submissions
from grader.batch.layout import layout
from grader.batch.results import Results, Wanted
from grader.batch.sources import hash_sources
from grader.batch.submissions import Found
from grader.errors import JudgeError, UserError

PROBLEM: Final = "p"
PACKAGE: Final = "h" * 64
EMPTY: Final[dict[str, Any]] = {"first_wrong_stage": None, "faults": []}


def submissions(folder: Path, names: str) -> Found:
    """Write a submission for each letter, and find them."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / f"{PROBLEM}.py").write_text(f"# {name}\n")
    return find_submissions(folder, layout([PROBLEM]))


def result(candidate: str, **changes: Any) -> dict[str, Any]:
    """Return the result of a letter's submission, as far as the folder reads it."""
    return {
        "schema": 1,
        "candidate": candidate,
        "problem": PROBLEM,
        "verdict": "AC",
        "reason": None,
        "score": 100.0,
        "max_score": 100.0,
        "finding": EMPTY,
        "source_sha256": hashlib.sha256(f"# {candidate}\n".encode()).hexdigest(),
        "package_sha256": PACKAGE,
        "versions": {"grader": __version__},
        **changes,
    }


def wanted_of(found: Found, packages: dict[str, str] | None = None) -> Wanted:
    """Return what holds for submissions as they are now."""
    return Wanted(hash_sources(found.submissions).sha256, {PROBLEM: PACKAGE} if packages is None else packages)


def kept_of(out: Path, found: Found, text: str, packages: dict[str, str] | None = None) -> str:
    """Resume in a folder that holds a text; return whose results stay, after the file was found to hold just those."""
    out.mkdir(exist_ok=True)
    (out / "results.jsonl").write_text(text)
    with Results(out, resume=True) as results:
        finished = results.keep(wanted_of(found, packages))
    kept = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert {(value["candidate"], value["problem"]) for value in kept} == finished
    assert len(kept) == len(finished)
    return "".join(value["candidate"] for value in kept)


def line(candidate: str, **changes: Any) -> str:
    """Return a result's line."""
    return json.dumps(result(candidate, **changes)) + "\n"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        (line("a") + line("b") + line("c"), "abc"),
        (line("c") + line("a"), "ca"),
        (line("a") + line("b")[:-1], "a"),
        (line("a") + line("b")[:-30], "a"),
        (line("a") + "{", "a"),
        (line("a") + "\n\n" + line("b"), "ab"),
        (line("a") + "[1]\nnull\n3\n" + line("b"), "ab"),
        (line("a") + line("a") + line("b"), "ab"),
        (line("a", verdict="JE") + line("b"), "b"),
        (line("a", verdict="JE") + line("a"), "a"),
        (line("a", source_sha256="0" * 64) + line("b"), "b"),
        (line("a", package_sha256="0" * 64) + line("b"), "b"),
        (line("a", schema=2) + line("b"), "b"),
        (line("a", versions={"grader": "0"}) + line("b"), "b"),
        (line("a", versions=None) + line("b"), "b"),
        ("\0" * 4096 + "\n" + line("b"), "b"),
        ('{"candidate": "a", "problem": "p"}\n' + line("b"), "b"),
        (line("z") + line("b"), "b"),
        (line("a", problem="q") + line("b"), "b"),
        (line("a").replace('"a"', '["a"]') + line("b"), "b"),
        ("\xff\xfe\n" + line("b"), "b"),
        ("[" * 100_000 + "\n" + line("b"), "b"),
    ],
    ids=lambda value: str(value)[:12] if len(str(value)) < 5 else "",
)
def test_what_is_kept(tmp_path: Path, text: str, kept: str) -> None:
    assert kept_of(tmp_path / "out", submissions(tmp_path / "in", "abc"), text) == kept


def test_nothing_of_a_package_that_cannot_be_read_is_kept(tmp_path: Path) -> None:
    found = submissions(tmp_path / "in", "a")
    assert kept_of(tmp_path / "out", found, line("a", package_sha256=None), packages={}) == ""


def test_a_verdict_that_is_asked_for_again_is_not_kept(tmp_path: Path) -> None:
    found = submissions(tmp_path / "in", "abc")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/results.jsonl").write_text(line("a") + line("b", verdict="TLE") + line("c", verdict="WA"))
    with Results(tmp_path / "out", resume=True) as results:
        assert results.keep(replace(wanted_of(found), again=frozenset({"JE", "TLE"}))) == {("a", "p"), ("c", "p")}


def test_a_file_that_is_kept_whole_is_not_written_again(tmp_path: Path) -> None:
    found = submissions(tmp_path / "in", "ab")
    (tmp_path / "out").mkdir()
    path = tmp_path / "out/results.jsonl"
    path.write_text(line("a") + line("b"))
    before = path.stat().st_ino
    with Results(tmp_path / "out", resume=True) as results:
        results.keep(wanted_of(found))
    assert path.stat().st_ino == before


def test_a_submission_that_is_now_a_link_is_not_kept(tmp_path: Path) -> None:
    found = submissions(tmp_path / "in", "ab")
    (tmp_path / "in/a/p.py").rename(tmp_path / "moved.py")
    (tmp_path / "in/a/p.py").symlink_to(tmp_path / "moved.py")
    assert kept_of(tmp_path / "out", found, line("a") + line("b")) == "b"


def test_results_are_there_line_by_line(tmp_path: Path) -> None:
    with Results(tmp_path, resume=False) as results:
        for number, name in enumerate("cab", 1):
            results.add(result(name))
            assert (tmp_path / "results.jsonl").read_text().count("\n") == number


def test_two_batches_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with Results(tmp_path, resume=False), pytest.raises(UserError, match="Another batch writes to"):
        Results(tmp_path, resume=True)
    with Results(tmp_path, resume=True):
        pass


@contextmanager
def files_of(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EDQUOT, "(Disk quota exceeded); make room"),
        (errno.EROFS, "(Read-only file system); make it writable"),
        (errno.EIO, "(Input/output error); see to it"),
    ],
)
def test_what_is_to_be_done_follows_from_what_the_disk_says(number: int, advice: str) -> None:
    with pytest.raises(JudgeError) as caught, clear_errors(Path("results.csv")):
        raise OSError(number, os.strerror(number))
    assert caught.value.message == f"results.csv cannot be written {advice}"


def test_a_full_disk_loses_no_line_that_was_written(tmp_path: Path) -> None:
    names = "abcdefghij"
    found = submissions(tmp_path / "in", names)
    size = len(line("a")) * 7 // 2
    with files_of(size), Results(tmp_path / "out", resume=False) as results:
        for name in names[:3]:
            results.add(result(name))
        with pytest.raises(JudgeError, match=r"results\.jsonl cannot be written \(File too large\); make room"):
            results.add(result(names[3]))
    descriptors = len(os.listdir("/proc/self/fd"))
    with Results(tmp_path / "out", resume=True) as results:
        finished = results.keep(wanted_of(found))
        assert finished == {(name, PROBLEM) for name in names[:3]}
        for name in names[3:]:
            results.add(result(name))
        results.finish()
    written = (tmp_path / "out/results.jsonl").read_text().splitlines()
    assert [json.loads(each)["candidate"] for each in written] == list(names)
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_a_full_disk_leaves_earlier_files_whole(tmp_path: Path) -> None:
    with Results(tmp_path / "out", resume=False) as results:
        for name in "abc":
            results.add(result(name))
        results.finish()
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    fewer = wanted_of(submissions(tmp_path / "fewer", "ab"))
    unwritable = pytest.raises(JudgeError, match=r"results\.jsonl cannot be written")
    with files_of(10), Results(tmp_path / "out", resume=True) as results, unwritable:
        results.keep(fewer)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_names_that_differ_stay_different(tmp_path: Path) -> None:
    names = [b"\xff", b"\\xff", b"\\\\xff", b"\xc3\xbf", b"a\\", b"a"]
    for name in names:
        (tmp_path / os.fsdecode(name)).mkdir()
        (tmp_path / os.fsdecode(name) / f"{PROBLEM}.py").touch()
    found = find_submissions(tmp_path, layout([PROBLEM]))
    assert len({submission.key for submission in found.submissions}) == len(names)
    assert all(submission.candidate.encode() for submission in found.submissions)
