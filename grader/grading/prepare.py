"""Makes ahead, once per version of a package, what judging and findings need: cases, faults, pairs of them, stages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from grader.grading.fault_runs import fault_table
from grader.grading.pair_table import pairs_of, unpack
from grader.grading.reference import reference_of
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane

Borrow = Callable[[], AbstractContextManager[Lane]]


def prepare(problem: Problem, borrow: Borrow, cache: CaseCache, stopped: Callable[[], bool] = lambda: False) -> None:
    """Make whatever the cache does not hold yet; a lane is borrowed for a moment at a time.

    Args:
        stopped: asked between the steps; true ends the work.
    Raises:
        InvalidPackage: the package's code does not do what it should.
        SandboxLost, SandboxUnavailable: nothing can be run.
    """
    with cache.making(problem, stopped):
        _prepare(problem, borrow, cache, stopped)


def _prepare(problem: Problem, borrow: Borrow, cache: CaseCache, stopped: Callable[[], bool]) -> None:
    if stopped():  # while somebody else made it
        return
    with borrow() as lane:
        cases = cache.cases(problem, lane)
    if stopped():
        return
    with borrow() as lane:
        table = fault_table(problem, cases, lane, cache)
    if stopped():
        return
    with borrow() as lane:
        reference_of(problem, cases, lane, cache)
    pairs_of(problem, table, borrow, cache, stopped)


def is_prepared(problem: Problem, cache: CaseCache) -> bool:
    """Whether the cache holds the last thing that `prepare` makes."""
    return cache.kept(problem, "pairs", unpack) is not None
