"""What is kept of a package while the sandbox fails: nothing that lacks a source; a verdict is given all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from grader.grading.check import check_package
from grader.grading.fault_runs import fault_table
from grader.grading.fault_table import FaultTable
from grader.grading.judge import judge
from grader.grading.reference import reference_of
from grader.grading.verdict import Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.exchange import Limits, SandboxLost
from grader.sandbox.pool import Lane, Pool
from grader.sandbox.run import Mode, Run

pytestmark = pytest.mark.sandbox
LOST = "submissions/wrong_answer/mask_missing.py"
Losing = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def losing(tiny: Problem, monkeypatch: pytest.MonkeyPatch) -> Losing:
    """What makes every run of one of the package's sources be lost, to be judged ("submission") or "traced"."""

    @contextmanager
    def losing(path: str, lost: str = "submission") -> Iterator[None]:
        plain = Run.load

        def load(run: Run, source: bytes, entries: list[str], limits: Limits, mode: Mode = "submission") -> object:
            if (source, mode) == (tiny.files.contents[path], lost):
                raise SandboxLost("a child was killed from outside")
            return plain(run, source, entries, limits, mode)

        with monkeypatch.context() as patched:
            patched.setattr(Run, "load", load)
            yield

    return losing


def origins(table: FaultTable) -> list[str]:
    return [row.origin for row in table.rows]


def judged(problem: Problem, lane: Lane, cache: CaseCache) -> Judgement:
    return judge(problem, problem.files.contents["submissions/wrong_answer/scale_missing.py"], lane, cache)


def test_a_table_that_lacks_a_source_is_made_again(tiny: Problem, lane: Lane, losing: Losing) -> None:
    cache = CaseCache(None)
    cases = cache.cases(tiny, lane)
    with (
        losing(LOST),
        pytest.raises(SandboxLost, match=rf"^{LOST} could not be judged: a child was killed from outside$"),
    ):
        fault_table(tiny, cases, lane, cache)
    assert LOST in origins(fault_table(tiny, cases, lane, cache))


def test_a_submission_is_judged_while_the_table_cannot_be_made(tiny: Problem, lane: Lane, losing: Losing) -> None:
    cache = CaseCache(None)
    with losing(LOST):
        meanwhile = judged(tiny, lane, cache)
    assert (meanwhile.verdict, meanwhile.finding.is_looked_up, meanwhile.finding.faults) == (Verdict.WA, False, ())
    afterwards = judged(tiny, lane, cache)
    assert (afterwards.score, afterwards.cases) == (meanwhile.score, meanwhile.cases)
    assert (afterwards.finding.is_looked_up, afterwards.finding.faults) == (True, ("scale-missing",))


def test_a_check_that_lost_a_source_says_so_and_keeps_nothing_made_without_it(
    tiny: Problem, pool: Pool, losing: Losing
) -> None:
    cache = CaseCache(None)
    with losing(LOST):
        meanwhile = check_package(tiny.files, pool, cache, lambda done, of: None)
    assert [*meanwhile.findings] == [f"{tiny.slug}/{LOST}: gets JE (judge_error); run the check again."]
    with pool.lane() as lane:
        assert LOST in origins(fault_table(tiny, cache.cases(tiny, lane), lane, cache))
    assert check_package(tiny.files, pool, cache, lambda done, of: None).findings == ()


def test_stages_that_an_accepted_source_was_not_seen_to_show_are_looked_for_again(
    tiny: Problem, lane: Lane, losing: Losing
) -> None:
    cache = CaseCache(None)
    cases = cache.cases(tiny, lane)
    with losing("submissions/accepted/corrected.py", "traced"), pytest.raises(SandboxLost):
        reference_of(tiny, cases, lane, cache)
    assert reference_of(tiny, cases, lane, cache).shown == reference_of(tiny, cases, lane, CaseCache(None)).shown
