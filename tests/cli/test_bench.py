"""grader bench: the figures that other programs read, all of one run."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from types import NoneType

import pytest

from grader.batch.bench import Figures
from grader.cli.bench import rows
from tests.cli.running import SLUG, Command
from tests.cli.shapes import deviations

FIGURES = {
    "floor_p50_ms": float,
    "warm_p50_ms": float,
    "warm_p99_ms": float,
    "fresh_p50_ms": float,
    "grade_p50_ms": float,
    "throughput_per_s": float,
    "floor_throughput_per_s": float,
    "pss_mib": (float, NoneType),
    "bubblewrap_p50_ms": (float, NoneType),
    "problem": {SLUG},
    "cases": int,
    "cores": {len(os.sched_getaffinity(0))},
    "load": float,
}


def test_figures_are_printed_as_people_write_them() -> None:
    figures = Figures(
        floor_p50_ms=3.4123,
        warm_p50_ms=8.7,
        warm_p99_ms=13.25,
        fresh_p50_ms=58.1,
        grade_p50_ms=1358.6,
        throughput_per_s=169.4,
        floor_throughput_per_s=1524.2,
        pss_mib=None,
        bubblewrap_p50_ms=None,
        problem=SLUG,
        cases=41,
        cores=2,
        load=0.0,
    )
    told = [
        ("floor: in process, one call each", "3.41 ms", "1"),
        ("fresh Python that loads the source", "58.1 ms", "17"),
        ("judged by a warm lane", "8.7 ms", "2.55"),
        ("the same, 99th percentile", "13.2 ms", "3.88"),
        ("grader grade, the whole command", "1359 ms", "398"),
        ("floor on every core", "1524 /s", "1"),
        ("batch on every core", "169 /s", "0.111"),
    ]
    assert rows(figures) == [*told, ("memory of a child that waits", "only root can read it", "")]
    assert rows(replace(figures, pss_mib=2.512))[-1] == ("memory of a child that waits", "2.51 MiB", "")


@pytest.mark.long
@pytest.mark.sandbox
def test_the_figures_are_one_object(command: Command) -> None:
    ended = command.run("bench", "--rounds", "10", "--json")
    assert ended.code == 0, ended.err
    figures = json.loads(ended.out)
    assert deviations(figures, FIGURES) == []
    assert all(value > 0 for name, value in figures.items() if isinstance(value, float) and name != "load")
    assert figures["floor_p50_ms"] < figures["warm_p50_ms"] <= figures["warm_p99_ms"] < figures["grade_p50_ms"]
    assert figures["throughput_per_s"] < figures["floor_throughput_per_s"]
