"""Hostile sources: each gets the verdict that its folder names, in bounded time, and harms nobody after it.

Their texts reach no terminal, table, page or log as they are, and what they claim to compute changes no verdict.
"""

from __future__ import annotations

import io
import json
import os
import resource
import time
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grader.grading import evidence, evidence_file
from grader.grading.judge import Examination, examine, judge
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.report import report
from grader.report.result import csv_row, csv_table, json_line, result
from grader.report.terminal import judgement_view
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST
from tests.processes import children_of, open_descriptors, wait_until

pytestmark = pytest.mark.sandbox
HOSTILE = sorted((DATA / "hostile").glob("*/*.py"))
SECONDS = 12.0  # limits of 0.5 and 1.5, and of 1 and 2 for a trace, each up to three times on a machine without time
GROWTH_KIB = 256 << 10  # of the grader's memory, over all of them: frames of 65 MiB come and go
SHARED = ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem")
FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", ".")


def test_hostile_sources_are_found() -> None:
    assert len(HOSTILE) > 350
    assert len({path.stem for path in HOSTILE}) == len(HOSTILE)
    verdicts = {path.parent.name for path in HOSTILE}
    assert verdicts == {verdict.value for verdict in Verdict} - {Verdict.AC.value, Verdict.JE.value}


def left_by(owners: set[int]) -> set[str]:
    """Return the files of some users in folders that anyone may write to, and the kernel's objects of who runs them."""
    files = {str(path) for folder in FOLDERS for path in Path(folder).glob("*") if _owner(path) in owners}
    shared = set()
    for table in SHARED:  # a database server of another test has such objects as well
        head, *rows = Path(table).read_text().splitlines()
        makers = {head.split().index("cuid"), head.split().index("uid")}
        shared |= {row for row in rows if {int(row.split()[column]) for column in makers} & {*owners, os.geteuid()}}
    return files | shared


def _owner(path: Path) -> int:
    try:
        return path.lstat().st_uid
    except OSError:  # of another test that just ended
        return -1


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left(pool: object) -> Iterator[None]:
    """No descriptor, shared object or file of the sandbox's user stays, and the grader's memory does not grow."""
    owners = {65533} if os.geteuid() == 0 else set()  # an ordinary user's own files are no evidence
    before, descriptors = left_by(owners), open_descriptors()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert left_by(owners) <= before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < GROWTH_KIB
    assert wait_until(lambda: open_descriptors() <= descriptors + 4), "of one child that waits"


@pytest.mark.parametrize("source", HOSTILE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_hostile_source_gets_nowhere(
    tiny: Problem, cache: CaseCache, lane: Lane, source: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.cases(tiny, lane)
    zygote = lane.pid
    started = time.monotonic()
    found = examine(tiny, source.read_bytes(), lane, cache)
    judgement = found.judgement
    assert time.monotonic() - started < SECONDS
    detail = judgement.failure.detail if judgement.failure else ""
    assert judgement.verdict == source.parent.name, (judgement.message, detail)
    assert judgement.verdict is not Verdict.AC
    assert judgement.score is not None
    assert judgement.score < tiny.max_score
    assert lane.pid == zygote, "the sandbox is the same one"
    assert judge(tiny, HONEST, lane, cache).verdict is Verdict.AC
    assert wait_until(lambda: len(children_of(lane.pid or 0)) == 1), (
        "only the child that waits for the next one is left"
    )
    assert not caplog.records, "neither the finding nor anything else failed"
    shown_harmlessly(tiny, source.read_bytes(), found, lane, cache)


def shown_harmlessly(problem: Problem, source: bytes, found: Examination, lane: Lane, cache: CaseCache) -> None:
    """A judgement's texts show in every form that it has: no escapes, no markup, no formula, no second line."""
    value = {**result(found.judgement), "candidate": "=anna"}
    line = json_line(value)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line) == value
    assert not hidden_in(value["message"] + value["finding"]["sentence"])
    table = csv_table([csv_row(value)]).splitlines()
    assert len(table) == 2
    assert table[1].startswith("'=anna,")
    assert not hidden_in(on_a_terminal(found))
    if b"\\" in source or b"<" in source:  # others have nothing to say that a page could take for its own
        page = Tags()
        page.feed(report(problem, source, "=\x1b[2J<b>.py", found, cache.cases(problem, lane)))
        assert not page.foreign
        assert not hidden_in("".join(page.texts))
    record = evidence.record(problem, source, found, lane, cache)
    assert evidence_file.read(evidence_file.text_of(record).encode(), "record").judgement.verdict == value["verdict"]


class Tags(HTMLParser):
    """A page's texts, and whatever in it would run or fetch something: the report itself has nothing of the kind."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[tuple[str, object]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag in {"script", "img", "iframe", "link", "object", "b"} or any(name.startswith("on") for name in names):
            self.foreign.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.texts.append(data.replace("\n", "").replace("\t", ""))


def on_a_terminal(found: Examination) -> str:
    """Return what a terminal without colours is sent, newlines aside."""
    console = Console(file=io.StringIO(), force_terminal=True, no_color=True, color_system=None, width=200)
    console.print(judgement_view(found.judgement, "a\x1b[2J.py"))
    file: Any = console.file
    return str(file.getvalue()).replace("\n", "")


def hidden_in(text: str) -> list[str]:
    """Return the characters that do not show: controls, and what turns or hides a text."""
    return [character for character in text if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}]
