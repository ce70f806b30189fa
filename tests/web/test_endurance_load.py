"""The service under load, by the same measurements as the bench: what it must hold on an otherwise idle machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest

from tests.bench import serving as bench
from tests.packages import SHIPPED
from tests.web.serving import serving

SOAK_S: Final = 15 * 60.0
pytestmark = [pytest.mark.long, pytest.mark.sandbox]


def measured(folder: Path, measure: Callable[[bench.Service], Coroutine[Any, Any, dict[str, Any]]]) -> dict[str, Any]:
    """Run one measurement on a service of its own, whose tables are prepared."""

    async def run(service: bench.Service) -> dict[str, Any]:
        await bench.warm_up(service)
        found = await measure(service)
        await bench.hang_up(service)
        return found

    with serving(folder, SHIPPED, GRADER_METRICS_TOKEN=bench.TOKEN) as base:
        found = asyncio.run(run(bench.Service(base, folder)))
    print(f"\n{found}")
    return found


def test_a_verdict_comes_with_the_first_poll(tmp_path: Path) -> None:
    found = measured(tmp_path, bench.idle)
    assert found["verdict_p50_ms"] <= 150
    assert found["in_first_poll"] >= 0.95


def test_thirty_submissions_a_second_are_taken(tmp_path: Path) -> None:
    found = measured(tmp_path, lambda service: bench.rate(service, 30, 120))
    assert found["accepted_p99_ms"] <= 250
    assert set(found["statuses"]) <= {303, 503}


def test_a_burst_is_taken_or_told_when_to_come_back(tmp_path: Path) -> None:
    found = measured(tmp_path, bench.burst)
    assert found["accepted_or_told_when"] == found["number"] == 300


def test_who_waits_is_answered_at_once(tmp_path: Path) -> None:
    found = measured(tmp_path, bench.polls)
    assert found["p99_ms"] <= 150
    assert found["polls"] >= 8000


def test_nothing_grows(tmp_path: Path) -> None:
    found = measured(tmp_path, lambda service: bench.soak(service, SOAK_S))
    early, last = found["samples"][3], found["samples"][-1]
    assert last["rss_mib"] <= early["rss_mib"] * 1.1
    assert last["fds"] <= early["fds"] + 5
    assert last["processes"] <= early["processes"] + 2
    assert last["zygotes_started"] == early["zygotes_started"]
