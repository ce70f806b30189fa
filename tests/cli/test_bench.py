"""grader bench: the figures that other programs read, all of one run."""

from __future__ import annotations

import json
import os
from types import NoneType

import pytest

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
