"""Checks a package by judging its own sources: each must get the verdict that its folder names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Final

from grader.errors import InvalidPackage
from grader.grading.judge import judge
from grader.grading.verdict import Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles
from grader.problems.loader import Problem, load_all
from grader.sandbox.pool import Pool

FOLDERS: Final = {
    "accepted": Verdict.AC,
    "wrong_answer": Verdict.WA,
    "run_time_error": Verdict.RTE,
    "time_limit_exceeded": Verdict.TLE,
}


@dataclass(frozen=True)
class SourceVerdict:
    """What one of the package's sources got; `expected` None: anything but AC (a starter)."""

    path: str
    expected: Verdict | None
    judgement: Judgement

    @property
    def is_right(self) -> bool:
        """Whether the verdict is the one that the folder names."""
        verdict = self.judgement.verdict
        return verdict is self.expected if self.expected else verdict not in (Verdict.AC, Verdict.JE)


@dataclass(frozen=True)
class Report:
    """All that checking found in a package."""

    slug: str
    findings: tuple[str, ...]
    sources: tuple[SourceVerdict, ...] = ()


def expected_verdicts(problem: Problem) -> dict[str, Verdict | None]:
    """Return every source of a package with the verdict that it must get."""
    expected: dict[str, Verdict | None] = {
        path: verdict for folder, verdict in FOLDERS.items() for path in problem.files.below(f"submissions/{folder}")
    }
    expected.update({variant.starter: None for variant in problem.spec.variants.values()})
    return expected


def check_package(files: PackageFiles, pool: Pool, cache: CaseCache, done: Callable[[int, int], None]) -> Report:
    """Judge every source of a package and return all findings.

    Args:
        done: called with how many sources are judged, of how many.
    """
    try:
        problem = load_all(files)
        with pool.lane() as lane:
            cache.cases(problem, lane)
    except InvalidPackage as error:
        return Report(files.slug, error.findings)
    expected = expected_verdicts(problem)
    sources = []
    for number, source in enumerate(_judge_all(problem, expected, pool, cache), 1):
        sources.append(source)
        done(number, len(expected))
    sources.sort(key=lambda source: list(expected).index(source.path))
    findings = [*_missing_folders(problem), *(_finding(problem, source) for source in sources if not source.is_right)]
    return Report(problem.slug, tuple(findings), tuple(sources))


def _judge_all(
    problem: Problem, expected: dict[str, Verdict | None], pool: Pool, cache: CaseCache
) -> Iterator[SourceVerdict]:
    def judge_next(path: str) -> SourceVerdict:
        with pool.lane() as lane:
            return SourceVerdict(path, expected[path], judge(problem, problem.files.contents[path], lane, cache))

    with ThreadPoolExecutor(pool.size) as executor:
        for future in as_completed([executor.submit(judge_next, path) for path in expected]):
            yield future.result()


def _missing_folders(problem: Problem) -> list[str]:
    if problem.files.below("submissions/wrong_answer"):
        return []
    return [f"{problem.slug}/submissions/wrong_answer: there is no wrong source; add one for each planted fault."]


def _finding(problem: Problem, source: SourceVerdict) -> str:
    judgement = source.judgement
    got = f"{judgement.verdict} ({judgement.reason})" if judgement.reason else judgement.verdict
    first = next((case for case in judgement.cases if case.failure), None)
    where = f" at {first.name}: {first.failure.detail or first.failure.message}" if first and first.failure else ""
    if source.expected is None:
        return f"{problem.slug}/{source.path}: this starter gets {got}; plant its faults so that a secret case fails."
    if source.expected is Verdict.AC:
        return f"{problem.slug}/{source.path}: gets {got}{where}; correct the source, or the cases that refuse it."
    if judgement.verdict is Verdict.AC:
        return f"{problem.slug}/{source.path}: is accepted; add a secret case that its fault fails."
    return f"{problem.slug}/{source.path}: gets {got}, its folder says {source.expected}; move it{where}."
