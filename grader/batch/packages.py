"""Prepares a batch's packages before its processes start, so that each thing is made once and not by all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from grader.errors import InvalidPackage
from grader.grading.prepare import is_prepared, prepare
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable

PATIENCE_S: Final = 2.0


def prepare_packages(
    root: Path,
    problems: Sequence[str],
    cache: CaseCache,
    jobs: int,
    tell: Callable[[str], None],
    allow_weak: bool = False,
) -> None:
    """Make what judging and findings need of each problem's package, as far as it is not kept from before.

    A broken package is passed over: its submissions say what is wrong.

    Args:
        tell: is given a sentence when the work takes long.
        allow_weak: as for `Lane`.
    """
    wanted = [problem for slug in problems if (problem := _loaded(root, slug)) and not is_prepared(problem, cache)]
    if not wanted:
        return
    names = ", ".join(problem.slug for problem in wanted)
    text = f"Preparing {names}, {_once(len(wanted))}."
    notice = threading.Timer(PATIENCE_S, tell, [text])
    notice.start()
    try:
        _prepare_all(wanted, cache, jobs, allow_weak)
    finally:
        notice.cancel()


def _once(packages: int) -> str:
    if packages == 1:
        return "once for this version of the package: up to half a minute"
    return "once for these versions of the packages: up to half a minute each"


def broken_packages(
    root: Path, slugs: Collection[str], cache: CaseCache, allow_weak: bool = False, others_judge: bool = False
) -> frozenset[str]:
    """Return the problems that nothing can be judged against, as far as this machine can tell.

    The package cannot be loaded, or its cases cannot be made: by a fault of its own, or because no sandbox runs here.

    Args:
        allow_weak: as for `Lane`.
        others_judge: this machine need have no sandbox; without one, what can be loaded is for others to try.
    """
    problems = {slug: _loaded(root, slug) for slug in slugs}
    broken = {slug for slug, problem in problems.items() if problem is None}
    if len(broken) < len(problems):
        with Pool(1, allow_weak) as pool, pool.lane() as lane:
            loaded = [problem for problem in problems.values() if problem]
            broken |= {problem.slug for problem in loaded if not _has_cases(problem, lane, cache, others_judge)}
    return frozenset(broken)


def _has_cases(problem: Problem, lane: Lane, cache: CaseCache, unless_tried: bool) -> bool:
    try:
        cache.cases(problem, lane)
    except (InvalidPackage, SandboxLost):
        return False
    except SandboxUnavailable:
        return unless_tried
    return True


def _prepare_all(wanted: Sequence[Problem], cache: CaseCache, jobs: int, allow_weak: bool) -> None:
    with Pool(min(jobs, len(wanted)), allow_weak) as pool, ThreadPoolExecutor(pool.size) as executor:
        list(executor.map(lambda problem: _prepare(problem, pool, cache), wanted))


def _loaded(root: Path, slug: str) -> Problem | None:
    try:
        return load(read_folder(root / slug))
    except InvalidPackage:
        return None


def _prepare(problem: Problem, pool: Pool, cache: CaseCache) -> None:
    try:
        prepare(problem, pool.lane, cache)
    except (InvalidPackage, SandboxLost, SandboxUnavailable):
        return
