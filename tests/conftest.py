"""Fixtures shared by all tests: one warm pool for a session, what a session may not leave behind, and skips in CI."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest

from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane, Pool
from tests.packages import CACHE_VARIABLE, tiny_attention
from tests.processes import adopt_orphans, reap_orphans, sandbox_processes, wait_until

# examples run in the sandbox of a loaded machine: no single one has a deadline
hypothesis.settings.register_profile("grader", deadline=None, derandomize="CI" in os.environ)  # CI repeats itself
hypothesis.settings.load_profile("grader")


def pytest_collection_finish() -> None:
    """Leave thousands of collected tests out of what each collection of garbage looks through."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Fail the session that leaves a zygote or one of its children behind."""
    adopt_orphans()
    yield
    assert wait_until(lambda: not sandbox_processes(), 3), f"left behind: {sandbox_processes()}"
    reap_orphans()


@pytest.fixture(scope="module", autouse=True)
def no_orphan_stays_a_zombie() -> Iterator[None]:
    """Reap after each module what its sandboxes left to be adopted: whole sessions leave hundreds."""
    yield
    reap_orphans()


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """The session's warm sandbox."""
    with Pool() as pool:
        pool.start()
        yield pool


@pytest.fixture
def lane(pool: Pool) -> Iterator[Lane]:
    """A lane of the warm sandbox, for one test."""
    with pool.lane() as lane:
        yield lane


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is made of packages once in a session, by whichever of its processes is the first to need it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cases"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.environ[CACHE_VARIABLE] = str(folder)  # for the programs that tests start
    return folder


@pytest.fixture(scope="session")
def cache(cache_folder: Path) -> CaseCache:
    """Cases and fault tables of packages."""
    return CaseCache(cache_folder)


@pytest.fixture(scope="session")
def cases_alone(cache_folder: Path) -> CaseCache:
    """Cases of packages without fault tables: no test that makes those reaches this one."""
    folder = cache_folder.with_name("cases_alone")
    folder.mkdir(mode=0o700, exist_ok=True)
    return CaseCache(folder)


@pytest.fixture(scope="session")
def tiny() -> Problem:
    """The package of tests/data that has two entries, a case that raises, and small limits."""
    return tiny_attention()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """With CI=true turn a skip into a failure: CI installs what tests need, so nothing may go untested there."""
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI allows no skips: {reason}"
