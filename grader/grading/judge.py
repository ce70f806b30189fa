"""Judges one submission: from its bytes to a `Judgement` with its finding."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

from grader.grading.diagnose import diagnose
from grader.grading.judge_run import judge_closely
from grader.grading.verdict import Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane

Depth = Literal["full", "fast"]  # fast leaves the trace out


def judge(problem: Problem, source: bytes, lane: Lane, cache: CaseCache, depth: Depth = "full") -> Judgement:
    """Judge a submission's bytes against every case of a problem, and say what is wrong with it.

    A broken package or a failing sandbox gives JE; only `SandboxUnavailable` (no sandbox at all here) is raised. The
    finding never touches verdict or points.
    """
    started = time.perf_counter()
    judged = judge_closely(problem, source, lane, cache)
    judgement = judged.judgement
    if judgement.verdict in (Verdict.AC, Verdict.CE, Verdict.JE):
        return judgement
    finding = diagnose(problem, source, judged, lane, cache, depth == "full")
    return replace(judgement, finding=finding, total_ms=(time.perf_counter() - started) * 1000)
