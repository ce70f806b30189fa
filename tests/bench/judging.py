"""Measures judging against its floor, alternating, in one run; prints one JSON object.

    .venv/bin/python tests/bench/judging.py [PROBLEM]

floor: the same source over the same cases once, in this process. warm: `judge` with a warm lane, which calls each case
twice, in another process, and compares. grade: the whole command. fresh: a new interpreter that runs the floor.
batch: `grader batch --jobs 2` over copies of the source, against the floor in two processes.
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


def floor(source: bytes, cases: tuple[Case, ...]) -> None:
    """Compile, execute and call each case once."""
    namespace: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), namespace)
    for case in cases:
        arguments = dict(case.arguments)
        for name, layout in case.layouts.items():
            arguments[name] = convert.with_layout(arguments[name], layout)
        namespace[case.entry](*arguments.values())


def milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def floor_rate(slug: str, queue: Any) -> None:
    """Count floors per second in this process."""
    problem, cases, source = prepare(slug)
    del problem
    end, count = time.perf_counter() + FLOOR_S, 0
    while time.perf_counter() < end:
        floor(source, cases)
        count += 1
    queue.put(count / FLOOR_S)


def prepare(slug: str) -> tuple[Problem, tuple[Case, ...], bytes]:
    settings = read_settings()
    problem = load_named(slug, settings.problems)
    with Pool(1) as pool, pool.lane() as lane:
        cases = CaseCache(settings.cache).cases(problem, lane)
    return problem, cases, problem.files.contents["submissions/accepted/corrected.py"]


def measure_warm(slug: str) -> dict[str, float]:
    """Alternate floor and warm judging on one core."""
    problem, cases, source = prepare(slug)
    cache = CaseCache(read_settings().cache)
    floors, warms, runs = [], [], []
    with Pool(1) as pool:
        for turn in range(-20, ROUNDS):
            time.sleep(0.03)  # the next child is forked in idle time, as it is for a person
            floor_ms = milliseconds(lambda: floor(source, cases))
            time.sleep(0.03)
            with pool.lane() as lane:
                start = time.perf_counter()
                judgement = judge(problem, source, lane, cache)
                warm_ms = (time.perf_counter() - start) * 1000
            if turn < 0:
                continue
            floors.append(floor_ms)
            warms.append(warm_ms)
            runs.append(judgement.run_ms)
            assert judgement.verdict == "AC"
    return {
        "cases": len(cases),
        "floor_p50_ms": statistics.median(floors),
        "warm_p50_ms": statistics.median(warms),
        "warm_p99_ms": statistics.quantiles(warms, n=100)[98],
        "run_p50_ms": statistics.median(runs),
        "warm_over_floor": statistics.median(w / f for w, f in zip(warms, floors, strict=True)),
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
    queue: Any = multiprocessing.get_context("spawn").Queue()
    processes = [multiprocessing.get_context("spawn").Process(target=floor_rate, args=(slug, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    rate = sum(queue.get() for _ in processes)
    for process in processes:
        process.join()
    grader = str(Path(sys.executable).with_name("grader"))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(BATCH):
            target = Path(folder, "in", f"candidate{number:05d}", f"{slug}.py")
            target.parent.mkdir(parents=True)
            target.write_bytes(source)
        command = [grader, "batch", f"{folder}/in", "--out", f"{folder}/out", "--jobs", "2"]
        took = milliseconds(lambda: subprocess.run(command, check=True, capture_output=True)) / 1000
    return {"floor_throughput_per_s": rate, "throughput_per_s": BATCH / took, "share_of_floor": BATCH / took / rate}


def main() -> None:
    slug = sys.argv[1] if len(sys.argv) > 1 else "heads-never-mix"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    figures = {**measure_warm(slug), **measure_grade(slug), **measure_batch(slug)}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}, indent=2))


if __name__ == "__main__":
    main()
