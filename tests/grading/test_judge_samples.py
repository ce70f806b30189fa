"""The samples alone are judged by the path of the submissions; secret cases are never asked."""

from __future__ import annotations

import pytest

from grader.grading.judge import judge
from grader.grading.judge_samples import judge_samples
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.lane import Lane

pytestmark = pytest.mark.sandbox
# it counts its calls and prints the count; every case is called twice
COUNTS = b"""
import numpy as np
calls = 0
def {entry}(*args, **kwargs):
    global calls
    calls += 1
    print(calls)
    raise KeyError("mine")
"""


def test_the_results_are_those_of_the_whole_judgement(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    source = tiny.files.contents["submissions/accepted/reference.py"]
    whole = judge(tiny, source, lane, cache)
    samples = judge_samples(tiny, source, lane, cache)
    assert samples.results == tuple(case for case in whole.cases if case.visibility == "sample")
    assert [case.is_sample for case in samples.cases] == [True] * len(samples.results)
    assert len(samples.outcomes) == len(samples.results) > 0
    assert samples.failure is None


def test_no_other_case_is_asked(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    first = next(iter(tiny.spec.entries))
    samples = judge_samples(tiny, COUNTS.replace(b"{entry}", first.encode()), lane, cache)
    own = [result for case, result in zip(samples.cases, samples.results, strict=True) if case.entry == first]
    assert [result.prints for result in own] == [f"{number}\n" for number in range(1, len(own) + 1)]
    assert {result.verdict for result in own} == {Verdict.RTE}
    assert samples.failure is not None
