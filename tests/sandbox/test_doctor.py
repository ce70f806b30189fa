"""The doctor's canaries: each denied, by the wall that is meant to, and nothing left of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest
import yaml

from grader.sandbox.doctor import examine, got_through, warm_mib
from grader.sandbox.pool import Lane
from tests.processes import children_of, sandbox_processes, wait_until
from tests.sandbox.asking import ONE, array, ask

pytestmark = pytest.mark.sandbox
WALLS: Final[dict[str, str]] = yaml.safe_load(Path(__file__).with_name("canaries.yaml").read_text())


def test_every_canary_is_denied_by_its_wall(own_lane: Lane) -> None:
    before = sandbox_processes()
    canaries = list(examine(own_lane))
    assert {canary.name: canary.by for canary in canaries} == WALLS
    assert [canary.name for canary in canaries] == list(WALLS)
    assert all(canary.denied for canary in canaries)
    assert array(ask(own_lane, ONE)).tolist() == [1.0]
    own_lane.close()
    # the session's other lanes may have had a child forked ahead meanwhile
    assert wait_until(lambda: sandbox_processes() <= before | {pid for zygote in before for pid in children_of(zygote)})


def test_the_short_form_is_of_each_kind(lane: Lane) -> None:
    assert [canary.name for canary in examine(lane, short=True)] == ["open a file", "fork", "TCP socket"]
    assert got_through(lane) == []


def test_facts_say_what_the_sandbox_is_made_of(lane: Lane) -> None:
    facts = lane.facts()
    assert facts["blas"]["threads"] == 1
    assert facts["uid"] not in (0, None)
    assert {"numpy", "numpy.linalg", "math", "__future__"} <= set(facts["preloaded"])
    assert (facts["weakened"], facts["missing"]) == (False, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what a process uses that hides its memory")
def test_a_child_that_waits_costs_little_memory(lane: Lane) -> None:
    mib = warm_mib(lane)
    assert mib is not None
    assert 0.5 < mib < 8
