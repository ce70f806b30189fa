"""Judges one submission: from its bytes to a `Judgement` with its finding."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import Literal

from grader.grading.diagnose import Diagnosis, diagnose
from grader.grading.judge_run import Judged, judge_closely
from grader.grading.looks import Look
from grader.grading.verdict import Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane

log = logging.getLogger(__name__)
Depth = Literal["full", "fast"]  # fast leaves the trace out


@dataclass(frozen=True, eq=False)
class Examination:
    """A judgement with all that it was made from: for reports and evidence records."""

    judgement: Judgement
    judged: Judged
    looks: tuple[Look, ...] = ()
    depth: Depth = "full"  # how far it was asked to look


def judge(
    problem: Problem, source: bytes, lane: Lane, cache: CaseCache, depth: Depth = "full", build: bool = True
) -> Judgement:
    """Judge a submission's bytes against every case of a problem, and say what is wrong with it.

    A broken package or a failing sandbox gives JE; only `SandboxUnavailable` (no sandbox at all here) is raised. The
    finding never touches verdict or points.

    Args:
        build: make the package's fault tables where the cache lacks them, which takes a while; without them the
            finding goes by what the submission computes alone.
    """
    return examine(problem, source, lane, cache, depth, build).judgement


def examine(
    problem: Problem, source: bytes, lane: Lane, cache: CaseCache, depth: Depth = "full", build: bool = True
) -> Examination:
    """As `judge`, with what was seen on the way."""
    started = time.perf_counter()
    judged = judge_closely(problem, source, lane, cache)
    if judged.judgement.verdict in (Verdict.AC, Verdict.CE, Verdict.JE):
        return Examination(judged.judgement, judged, depth=depth)
    try:
        found = diagnose(problem, source, judged, lane, cache, depth == "full", build)
    except Exception:  # a fault of ours costs the finding, never the verdict
        log.exception("the finding of a submission for %s failed", problem.slug)
        lane.close()
        found = Diagnosis(replace(judged.judgement.finding, is_looked_up=False))
    total_ms = (time.perf_counter() - started) * 1000
    return Examination(replace(judged.judgement, finding=found.finding, total_ms=total_ms), judged, found.looks, depth)
