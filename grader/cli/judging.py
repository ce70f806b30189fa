"""What the judging commands share: the cache with its warnings, and errors of the sandbox as our fault."""

from __future__ import annotations

import sys

from grader.config import Settings
from grader.errors import InvalidPackage, JudgeError
from grader.grading.judge import judge
from grader.grading.verdict import Judgement, Reason
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.visible import visible
from grader.sandbox.doctor import examine
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable


def warn(text: str) -> None:
    """Say something on stderr that stops nothing."""
    print(
        f"grader: {visible(text, keep='')}", file=sys.stderr, flush=True
    )  # not Click's: it would break a progress bar


def cache_for(settings: Settings) -> CaseCache:
    """Return the cache of cases."""
    return CaseCache(settings.cache, warn)


def judge_or_stop(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> Judgement:
    """Judge one submission for a person who waits for it.

    Raises:
        InvalidPackage: the package's cases cannot be made; there is nothing to judge against.
        JudgeError: there is no sandbox here, or it failed twice.
    """
    try:
        judgement = judge(problem, source, lane, cache)
    except SandboxUnavailable as error:
        raise JudgeError(str(error)) from None
    if judgement.failure and judgement.failure.reason is Reason.INVALID_PACKAGE:
        raise InvalidPackage([judgement.failure.detail])
    return judgement


def require_sandbox() -> None:
    """Make sure, by a few live canaries, that the sandbox holds here before anything is judged.

    Raises:
        JudgeError: it cannot be set up, or something got through.
    """
    with Pool(1) as pool, pool.lane() as lane:
        try:
            tried = [canary for canary in examine(lane, short=True) if not canary.denied]
            through = [f"{canary.name}: {canary.by}" for canary in tried]
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
    if through:
        raise JudgeError(f"The sandbox does not hold here ({', '.join(through)}); see grader doctor.")
