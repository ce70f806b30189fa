"""What the judging commands share: the cache with its warnings, and errors of the sandbox as our fault."""

from __future__ import annotations

import sys
from collections.abc import Callable

from grader.config import Settings
from grader.errors import InvalidPackage, JudgeError
from grader.grading import judge
from grader.grading.judge import Depth, Examination
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.visible import visible
from grader.report.weakened import weakness
from grader.sandbox.doctor import got_through
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable


def warn(text: str) -> None:
    """Say something on stderr that stops nothing."""
    print(
        f"grader: {visible(text, keep='')}", file=sys.stderr, flush=True
    )  # not Click's: it would break a progress bar


def cache_for(settings: Settings) -> CaseCache:
    """Return the cache of cases."""
    return CaseCache(settings.cache, warn)


def examine_or_stop(
    problem: Problem, source: bytes, lane: Lane, cache: CaseCache, depth: Depth = "full"
) -> Examination:
    """Judge one submission for a person who waits for it; a weakened sandbox is told on stderr.

    Raises:
        InvalidPackage: the package's cases cannot be made; there is nothing to judge against.
        JudgeError: there is no sandbox here.
    """
    try:
        examination = judge.examine(problem, source, lane, cache, depth)
    except SandboxUnavailable as error:
        raise JudgeError(str(error)) from None
    failure = examination.judgement.failure
    if failure and failure.reason is Reason.INVALID_PACKAGE:
        raise InvalidPackage([failure.detail])
    if examination.judgement.sandbox.weakened:
        warn(weakness(lane.facts()["missing"]))
    return examination


def warn_if_weakened(pool: Pool) -> None:
    """Say on stderr, where it was so, that what a pool has run was run by a weakened sandbox.

    Raises:
        SandboxUnavailable: a sandbox that had been lost cannot be set up again.
    """
    if pool.zygotes_started:
        with pool.lane() as lane:
            if lane.facts()["weakened"]:
                warn(weakness(lane.facts()["missing"]))


def require_sandbox(settings: Settings, tell: Callable[[str], None] = warn) -> None:
    """Make sure, by a few live canaries, that the sandbox holds here before anything is judged.

    Args:
        settings: whether it may be weakened.
        tell: is told when it is.

    Raises:
        JudgeError: it cannot be set up, or something got through.
    """
    with Pool(1, settings.allow_weak_sandbox) as pool, pool.lane() as lane:
        try:
            through = got_through(lane)
            if lane.facts()["weakened"]:
                tell(weakness(lane.facts()["missing"]))
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
    if through:
        raise JudgeError(f"The sandbox does not hold here ({', '.join(through)}); see grader doctor.")
