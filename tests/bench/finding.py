"""How long the finding takes, beyond judging: python -m tests.bench.finding [--rounds N] [--slowest N] [--of PART]

Over every wrong source of the shipped problems, the sources of tests/data/findings, and the mutants beside this file.
Each source is diagnosed with and without the trace in turn, of several rounds the fastest counts; milliseconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from grader.grading.diagnose import diagnose
from grader.grading.judge_run import judge_closely
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named
from grader.sandbox.pool import Lane, Pool
from tests.packages import DATA, SHIPPED

PROBLEMS: Final = ("audit-single-head", "heads-never-mix", "split-merge-reshape")
MUTANTS: Final[list[dict[str, str]]] = yaml.safe_load(Path(__file__).with_name("mutants.yaml").read_text())


@dataclass(frozen=True)
class Timed:
    """One source, its fastest finding with and without a trace in milliseconds, and what the former went by."""

    source: str
    full: float
    fast: float
    method: str


def sources(problem: Problem) -> Iterator[tuple[str, bytes]]:
    """Yield every source that is diagnosed."""
    for path in problem.files.below("submissions"):
        yield path, problem.files.contents[path]
    for file in sorted((DATA / "findings" / problem.slug).glob("*.py")):
        yield f"findings/{file.name}", file.read_bytes()
    for number, mutant in enumerate(mutant for mutant in MUTANTS if mutant["problem"] == problem.slug):
        text = problem.files.text(f"submissions/accepted/{mutant['source']}.py")
        if mutant["old"] not in text:
            raise ValueError(f"{mutant['source']}: {mutant['old']!r} does not stand in it")
        yield f"mutants/{mutant['source']}_{number}", text.replace(mutant["old"], mutant["new"], 1).encode()


def timed(problem: Problem, name: str, source: bytes, rounds: int, lane: Lane, cache: CaseCache) -> Timed | None:
    """Time one source; None where there is nothing to find."""
    judged = judge_closely(problem, source, lane, cache)
    if judged.judgement.verdict in (Verdict.AC, Verdict.CE, Verdict.JE):
        return None
    best, method = {True: np.inf, False: np.inf}, "none"
    for _ in range(rounds):
        for trace in best:
            started = time.perf_counter()
            found = diagnose(problem, source, judged, lane, cache, trace)
            best[trace] = min(best[trace], (time.perf_counter() - started) * 1000)
            method = found.finding.method if trace else method
    return Timed(f"{problem.slug}/{name}", float(best[True]), float(best[False]), method)


def measured(rounds: int, part: str, cache: CaseCache) -> list[Timed]:
    """Time all sources whose name holds `part`."""
    found = []
    with Pool(1) as pool, pool.lane() as lane:
        for slug in PROBLEMS:
            problem = load_named(slug, SHIPPED)
            for name, source in sources(problem):
                if part in f"{slug}/{name}" and (row := timed(problem, name, source, rounds, lane, cache)):
                    found.append(row)
    return found


def summary(rows: list[Timed]) -> dict[str, Any]:
    """Return the percentiles."""
    columns = {"full": [row.full for row in rows], "fast": [row.fast for row in rows]}
    percentiles = {"p50": 50, "p90": 90, "p99": 99, "max": 100}
    return {"sources": len(rows)} | {
        f"{column}_{name}_ms": round(float(np.percentile(times, at)), 1)
        for column, times in columns.items()
        for name, at in percentiles.items()
    }


def main() -> None:
    """Measure, and print one JSON object; the slowest sources before it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slowest", type=int, default=0)
    parser.add_argument("--of", default="", help="only sources whose name holds this")
    parser.add_argument("--cache", type=Path, help="a folder of mode 0700 that keeps fault tables between runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(given.rounds, given.of, CaseCache(given.cache or Path(folder)))
    for column in ("full", "fast"):
        for row in sorted(rows, key=lambda row: -getattr(row, column))[: given.slowest]:
            print(f"{column} {getattr(row, column):8.1f} ms  {row.method:12} {row.source}")
    print(json.dumps(summary(rows)))


if __name__ == "__main__":
    main()
