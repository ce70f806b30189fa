"""Hostile sources: each gets the verdict that its folder names, in bounded time, and harms nobody after it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from grader.grading.judge import judge
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST
from tests.processes import children_of, wait_until

pytestmark = pytest.mark.sandbox
HOSTILE = sorted((DATA / "hostile").glob("*/*.py"))
SECONDS = 5.0  # generous beside limits of 0.5 and 1.5


def test_hostile_sources_are_found() -> None:
    assert len(HOSTILE) > 100
    verdicts = {path.parent.name for path in HOSTILE}
    assert verdicts == {verdict.value for verdict in Verdict} - {Verdict.AC.value, Verdict.JE.value}


@pytest.mark.parametrize("source", HOSTILE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_hostile_source_gets_nowhere(tiny: Problem, cache: CaseCache, lane: Lane, source: Path) -> None:
    cache.cases(tiny, lane)
    zygote = lane.pid
    started = time.monotonic()
    judgement = judge(tiny, source.read_bytes(), lane, cache)
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
