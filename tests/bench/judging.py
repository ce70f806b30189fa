"""Measures judging against its floor, alternating, in one run; prints one JSON object.

    .venv/bin/python tests/bench/judging.py [PROBLEM]

floor: the same source over the same cases in this process, each called once. same calls: each called twice with fresh
arguments, as judging does, still in this process and compared with nothing. warm: `judge` with a warm lane. grade: the
whole command. fresh: a new interpreter that loads the source. batch: `grader batch --jobs 2` over copies of the source,
against floor and same calls in two processes.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.config import read_settings
from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.loader import Problem, load_named
from grader.sandbox import convert
from grader.sandbox.pool import Pool

ROUNDS = 200
BATCH = 2000
FLOOR_S = 4.0
IDLE_S = 0.03


def floor(source: bytes, cases: tuple[Case, ...], calls: int = 1) -> None:
    """Compile, execute and call each case, with fresh arguments when it is called more than once."""
    namespace: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), namespace)
    for case in cases:
        for _ in range(calls):
            arguments = dict(case.arguments) if calls == 1 else convert.copied(case.arguments)
            for name, layout in case.layouts.items():
                arguments[name] = convert.with_layout(arguments[name], layout)
            namespace[case.entry](*arguments.values())


def milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def floor_rate(slug: str, calls: int, queue: Any) -> None:
    """Count floors per second in this process."""
    _, cases, source = prepare(slug)
    end, count = time.perf_counter() + FLOOR_S, 0
    while time.perf_counter() < end:
        floor(source, cases, calls)
        count += 1
    queue.put(count / FLOOR_S)


def floor_rate_on_two(slug: str, calls: int) -> float:
    """Return the floors per second of two processes."""
    context = multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    processes = [context.Process(target=floor_rate, args=(slug, calls, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    rate: float = sum(queue.get() for _ in processes)
    for process in processes:
        process.join()
    return rate


def prepare(slug: str) -> tuple[Problem, tuple[Case, ...], bytes]:
    settings = read_settings()
    problem = load_named(slug, settings.problems)
    with Pool(1) as pool, pool.lane() as lane:
        cases = CaseCache(settings.cache).cases(problem, lane)
    return problem, cases, problem.files.contents["submissions/accepted/corrected.py"]


def measure_warm(slug: str) -> dict[str, float]:
    """Alternate floor, same calls and warm judging."""
    problem, cases, source = prepare(slug)
    cache = CaseCache(read_settings().cache)
    floors, sames, warms, runs = [], [], [], []
    with Pool(1) as pool:
        for turn in range(-20, ROUNDS):
            time.sleep(IDLE_S)  # the next child is forked in idle time, as it is for a person
            floors.append(milliseconds(lambda: floor(source, cases)))
            time.sleep(IDLE_S)
            sames.append(milliseconds(lambda: floor(source, cases, calls=2)))
            time.sleep(IDLE_S)
            with pool.lane() as lane:
                start = time.perf_counter()
                judgement = judge(problem, source, lane, cache)
                warms.append((time.perf_counter() - start) * 1000)
            runs.append(judgement.run_ms)
            if turn < 0:
                for figures in (floors, sames, warms, runs):
                    figures.clear()
    return {
        "cases": len(cases),
        "floor_p50_ms": statistics.median(floors),
        "same_calls_p50_ms": statistics.median(sames),
        "warm_p50_ms": statistics.median(warms),
        "warm_p99_ms": statistics.quantiles(warms, n=100)[98],
        "run_p50_ms": statistics.median(runs),
        "warm_over_floor": statistics.median(w / f for w, f in zip(warms, floors, strict=True)),
        "warm_over_same_calls": statistics.median(w / s for w, s in zip(warms, sames, strict=True)),
    }


def measure_grade(slug: str) -> dict[str, float]:
    """Time whole processes: the command, and a fresh interpreter with NumPy."""
    grader = str(Path(sys.executable).with_name("grader"))
    with tempfile.NamedTemporaryFile(suffix=".py") as file:
        file.write(prepare(slug)[2])
        file.flush()
        grades, fresh = [], []
        for _ in range(15):
            command = [grader, "grade", slug, file.name, "--json"]
            grades.append(milliseconds(lambda c=command: subprocess.run(c, check=True, capture_output=True)))  # type: ignore[misc]
            command = [sys.executable, "-c", f"exec(open({file.name!r}).read())"]
            fresh.append(milliseconds(lambda c=command: subprocess.run(c, check=True)))  # type: ignore[misc]
    return {"grade_p50_ms": statistics.median(grades[2:]), "fresh_p50_ms": statistics.median(fresh[2:])}


def measure_batch(slug: str) -> dict[str, float]:
    """Compare a batch's throughput with the floor's on two cores."""
    source = prepare(slug)[2]
    rate, same_rate = floor_rate_on_two(slug, 1), floor_rate_on_two(slug, 2)
    grader = str(Path(sys.executable).with_name("grader"))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(BATCH):
            target = Path(folder, "in", f"candidate{number:05d}", f"{slug}.py")
            target.parent.mkdir(parents=True)
            target.write_bytes(source)
        command = [grader, "batch", f"{folder}/in", "--out", f"{folder}/out", "--jobs", "2"]
        took = milliseconds(lambda: subprocess.run(command, check=True, capture_output=True)) / 1000
    return {
        "floor_throughput_per_s": rate,
        "same_calls_throughput_per_s": same_rate,
        "throughput_per_s": BATCH / took,
        "share_of_floor": BATCH / took / rate,
        "share_of_same_calls": BATCH / took / same_rate,
    }


def main() -> None:
    slug = sys.argv[1] if len(sys.argv) > 1 else "heads-never-mix"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    figures = {**measure_warm(slug), **measure_grade(slug), **measure_batch(slug)}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}, indent=2))


if __name__ == "__main__":
    main()
