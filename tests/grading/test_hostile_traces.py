"""Traces that lie, of a problem with all stages of an attention layer: they cost a finding at most.

A submission that knows that it is traced sends whatever it likes in the recorder's place. It gains no verdict, no
points, none of the grader's time, and carries nothing hidden out.
"""

from __future__ import annotations

import re
import time
from typing import Final

import numpy as np
import pytest

from grader.grading.evidence import record
from grader.grading.evidence_file import read, text_of
from grader.grading.judge import examine, judge
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles, read_folder
from grader.problems.loader import REFERENCE, Problem, load
from grader.report.visible import visible
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
SECONDS: Final = 10.0  # for three traces; an honest one takes milliseconds
FILES: Final = read_folder(DATA / "traced" / "one-head")
TELLING: Final = re.compile(r"line (\d+)")
# right but for the weights of longer inputs; RECORD is what the recorder is made to say, of the arrays in KEPT
SOURCE: Final = """
import sys
import numpy as np
KEPT = {}
def attend(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, np.float64) for a in (x, w_q, w_k, w_v, w_o))
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    KEPT.update(queries=queries, keys=keys, scores=scores, weights=weights)
    if len(x) > 1:
        weights = weights * (1 + np.cos(np.arange(weights.size)).reshape(weights.shape) / 9)
    return weights @ values @ w_o, weights
def told(arrays, events=(), names=("x",)):
    numbers = np.concatenate([np.zeros(0), *(np.ravel(array) for array in arrays)])
    shapes = [part for array in arrays for part in (np.ndim(array), *np.shape(array))]
    return [np.array(events, np.int64), list(names), numbers, np.array(shapes, np.int64), False]
def record(self):
    queries, keys, scores, weights = (KEPT[name] for name in ("queries", "keys", "scores", "weights"))
    return RECORD
sys.modules["grader.sandbox.tracing"].Recorder.record = record
"""
RECORDS: Final = {
    "a line that is a hidden number": (
        "told([queries, keys, scores], [0, int(abs(queries[0, 0]) * 1e15), 0, -1, 2, 0, 1] + "
        "[0, int(abs(queries[0, 0]) * 1e15), 0, -1, 1, 2])"
    ),
    "a negative line": "told([queries, keys], [0, -int(abs(queries[0, 0]) * 1e9), 0, -1, 2, 0, 1])",
    "a line of no code": "told([queries, keys], [0, 1, 0, -1, 2, 0, 1])",
    "names of escapes": "told([queries, keys], [0, 9, 0, -1, 2, 0, 1], ['\\x1b[2J\\u202e</pre><script>'])",
    "thousands of names": "told([queries], [], ['x' * 1000] * 60000)",
    "numbers that are none": "told([queries * np.nan, keys * np.inf, scores * 1e308, weights * 5e-324])",
    "every stage in pieces": "told([row for array in (queries, keys, scores, weights) for row in array])",
    "four thousand single numbers": "told([np.array([number]) for number in np.resize(scores, 4000)])",
    "two thousand numbers without axes": "told([np.array(number) for number in np.resize(scores, 2000)])",
    "thousands of scores in other orders": "told([np.roll(scores, n, (0, 1)) for n in range(1500)])",
    "a million single numbers": "told([np.array([1.0])] * 10**6)",
    "arrays of all sizes": "told([np.resize(queries, n) for n in range(1500)])",
    "arrays of many axes": "told([queries.reshape(queries.shape + (1,) * 6)] * 500)",
    "sixty thousand events": "told([queries, keys], [0, 9, 0, 1, 8, 0, 1, 0, 1, 0, 1, 0, 1] * 60000)",
    "nothing": "None",
    "itself": "[KEPT]",
}


@pytest.fixture(scope="module")
def head() -> Problem:
    """A problem with one head and all of its stages."""
    return load(FILES)


def source_of(attack: str) -> bytes:
    return SOURCE.replace("RECORD\n", f"{attack}\n").encode()


@pytest.mark.parametrize("attack", RECORDS.values(), ids=RECORDS)
def test_forged_record_gains_nothing(
    head: Problem, cache: CaseCache, lane: Lane, attack: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = source_of(attack)
    plain = judge(head, source, lane, cache, "fast")
    zygote, started = lane.pid, time.monotonic()
    found = examine(head, source, lane, cache)
    assert time.monotonic() - started < SECONDS
    assert found.judgement.verdict is plain.verdict is Verdict.WA
    assert (found.judgement.score, found.judgement.cases) == (plain.score, plain.cases)
    assert not caplog.records, caplog.records[0].exc_info
    assert lane.pid == zygote
    sentence = found.judgement.finding.sentence
    assert visible(sentence, keep="") == sentence
    lines = source.decode().splitlines()
    assert all(lines[int(line) - 1].strip() for line in TELLING.findall(sentence)), sentence
    assert read(text_of(record(head, source, found, lane, cache)).encode(), "record").judgement.verdict == "WA"


@pytest.mark.parametrize("padding", ["\n", "#\n", "pass\n"])
def test_line_is_told_only_where_it_says_little(head: Problem, cache: CaseCache, lane: Lane, padding: str) -> None:
    """A line of a long source, or one that holds no code, could stand for a number."""
    attack = "told([queries, keys, scores], [0, 1200, 0, -1, 1, 2, 0, 1200, 0, -1, 2, 0, 1])"
    source = source_of(attack) + padding.encode() * 2000
    sentence = judge(head, source, lane, cache).finding.sentence
    assert sentence.startswith("First wrong stage:")
    assert not TELLING.findall(sentence)


# what the package's own stages say in place of scores, which the next one does not read
LIES: Final = ("np.ones((1,) * 8)", "np.array(1.0)", "np.zeros(0)", "np.full((2, 2), 6e4, np.float16)", "'x'", "x > 0")


@pytest.mark.parametrize("lie", LIES)
def test_stage_that_lies_costs_its_package_the_finding_at_most(
    lane: Lane, lie: str, caplog: pytest.LogCaptureFixture
) -> None:
    problem = load(PackageFiles(FILES.slug, {**FILES.contents, "stages.py": _lying(lie)}))
    zygote = lane.pid
    found = judge(problem, source_of("told([queries, keys])"), lane, CaseCache(None))
    assert found.verdict is Verdict.WA
    assert not caplog.records, caplog.records[0].exc_info
    assert lane.pid == zygote
    assert judge(problem, FILES.contents[REFERENCE], lane, CaseCache(None)).verdict is Verdict.AC


def _lying(lie: str) -> bytes:
    """Return stages of which `scores` tells something else, and the others are what they were."""
    return (
        f"{FILES.contents['stages.py'].decode()}\n_scores, _masked_scores = scores, masked_scores\n"
        f"def scores(queries, x):\n    return {lie}\n"
        "def masked_scores(queries, keys):\n    return _masked_scores(_scores(queries, keys))\n"
    ).encode()


def test_numbers_of_attacks_are_those_of_a_layer(head: Problem, cache: CaseCache, lane: Lane) -> None:
    """The attacks are met by the reader of layers: with an honest recorder a stage is found."""
    source = SOURCE.partition("def told")[0].encode()
    finding = judge(head, source, lane, cache).finding
    assert finding.first_wrong_stage == "weights"
    assert np.all([state in ("ok", "wrong", "inherited", "not_seen") for _, state in finding.stages])


# values of several heads in one line, two numbers exchanged: right in sum, and wrong in each order of four axes
COSTLY: Final = """
def exchanged(array, n):
    array = array.copy()
    at = 1 + n % (array.size - 1)
    array[at], array[-1 - n % 3] = array[-1 - n % 3], array[at]
    return array
def record(self):
    line = KEPT[0].ravel()
    numbers = np.concatenate([exchanged(line, n) for n in range(8000)])
    return [np.zeros(0, np.int64), [], numbers, np.array([1, line.size] * 8000, np.int64), False]
import sys
sys.modules["grader.sandbox.tracing"].Recorder.record = record
KEPT = []
def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, right=multi_head_attention):
    y, weights = right(x, w_q, w_k, w_v, w_o, n_heads)
    KEPT[:] = [split_heads(x @ w_v, n_heads)]
    if x.shape[1] > 1:
        weights = weights * (1 + np.cos(np.arange(weights.size)).reshape(weights.shape) / 9)
        y = merge_heads(weights @ KEPT[0]) @ w_o
    return y, weights
"""


@pytest.mark.long
def test_trace_of_many_large_arrays_costs_little_time(cache: CaseCache, lane: Lane) -> None:
    problem = load(read_folder(SHIPPED / "heads-never-mix"))
    source = problem.files.contents[REFERENCE] + COSTLY.encode()
    judge(problem, source, lane, cache, "fast")
    started = time.monotonic()
    assert judge(problem, source, lane, cache).verdict is Verdict.WA
    assert time.monotonic() - started < SECONDS
