"""Ends of zygotes and children: nobody outlives whom they belong to, and a lane starts anew."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from grader.sandbox.exchange import Limits, RunEnded, SandboxLost
from grader.sandbox.lane import BACK_OFF_S
from grader.sandbox.pool import Lane, Pool
from tests.ordinary import ROOT
from tests.processes import alive, all_gone, children_of, open_descriptors, sandbox_processes, wait_until
from tests.sandbox.asking import LOOP, ONE, QUICK, array, ask, loaded, question

pytestmark = pytest.mark.sandbox


def pids_of(lane: Lane) -> set[int]:
    assert lane.pid
    return {lane.pid} | children_of(lane.pid)


def test_nobody_is_left_after_close(own_lane: Lane) -> None:
    assert array(ask(own_lane, ONE)).tolist() == [1.0]
    own_lane.prepare(QUICK)
    assert wait_until(lambda: len(pids_of(own_lane)) == 3)  # zygote, the child that answered, the one forked ahead
    pids = pids_of(own_lane)
    before = open_descriptors()
    own_lane.close()
    assert all_gone(pids)
    assert open_descriptors() < before
    own_lane.close()  # twice is once
    assert own_lane.pid is None


def test_lane_can_be_used_again_after_close(own_lane: Lane) -> None:
    for _ in range(2):
        assert array(ask(own_lane, ONE)).tolist() == [1.0]
        own_lane.close()


def test_closing_at_any_moment_leaves_nobody(own_lane: Lane) -> None:
    own_lane.start()
    starting = pids_of(own_lane)
    own_lane.close()
    assert all_gone(starting)
    own_lane.prepare(QUICK)  # the fork is under way
    forking = pids_of(own_lane)
    own_lane.close()
    assert all_gone(forking)
    before = open_descriptors()
    with suppress(RunEnded, SandboxLost), loaded(own_lane, LOOP) as run:
        running = pids_of(own_lane) | {run.pid}
        own_lane.close()
        run.ask(question())
    assert all_gone(running)
    assert open_descriptors() == before


def test_zygote_that_is_killed_takes_its_children_along(own_lane: Lane) -> None:
    pids: set[int] = set()

    def kill_zygote() -> None:
        with loaded(own_lane, LOOP) as run:
            pids.update(pids_of(own_lane), {run.pid})
            os.kill(own_lane.pid or 0, signal.SIGKILL)
            run.ask(question())

    with pytest.raises(SandboxLost):
        kill_zygote()
    assert all_gone(pids)
    assert own_lane.pid is None
    assert array(ask(own_lane, ONE)).tolist() == [1.0], "the lane starts anew"


def test_zygote_that_is_killed_between_runs_is_replaced(own_lane: Lane) -> None:
    ask(own_lane, ONE)
    pids = pids_of(own_lane)
    assert own_lane.pid is not None
    os.kill(own_lane.pid, signal.SIGKILL)
    assert all_gone(pids)
    with suppress(SandboxLost):  # told once at most
        ask(own_lane, ONE)
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


def test_zygotes_that_die_in_a_row_are_replaced_more_and_more_slowly(own_lane: Lane) -> None:
    started = time.monotonic()
    for _ in range(4):
        own_lane.facts()
        assert own_lane.pid is not None
        os.kill(own_lane.pid, signal.SIGKILL)
        with pytest.raises(SandboxLost):
            ask(own_lane, ONE)
    assert time.monotonic() - started >= (1 + 2 + 4) * BACK_OFF_S
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


def test_zygote_that_stops_is_given_up(own_lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.sandbox.lane.REPLY_S", 0.3)
    ask(own_lane, ONE)
    pids = pids_of(own_lane)
    assert own_lane.pid is not None
    os.kill(own_lane.pid, signal.SIGSTOP)

    def ask_often() -> None:
        for _ in range(3):  # the warm child may answer once
            ask(own_lane, ONE)

    with pytest.raises(SandboxLost, match="does not answer"):
        ask_often()
    assert all_gone(pids)
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


def test_warm_child_that_is_killed_costs_one_try_at_most(own_lane: Lane) -> None:
    with loaded(own_lane, ONE) as run:
        pass
    own_lane.refill()
    assert all_gone({run.pid})
    assert wait_until(lambda: len(children_of(own_lane.pid or 0)) == 1)
    (warm,) = children_of(own_lane.pid or 0)
    os.kill(warm, signal.SIGKILL)
    with suppress(SandboxLost):
        ask(own_lane, ONE)
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


GRADER = """
import sys, time
from grader.sandbox.pool import Pool
from grader.sandbox.exchange import Limits
limits = Limits(60, 60, 64)
with Pool(1) as pool, pool.lane() as lane, lane.run(limits) as run:
    run.load(b"def f():\\n    while True: pass\\n", ["f"], limits)
    print(lane.pid, run.pid, flush=True)
    if "--asks" in sys.argv:
        from grader.sandbox.exchange import Question
        run.ask(Question.of("f", {}, {}, 1))
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("arguments", [[], ["--asks"]], ids=["idle", "in a call"])
def test_nobody_outlives_the_grader(number: signal.Signals, arguments: list[str]) -> None:
    before = sandbox_processes()
    command = [sys.executable, "-c", GRADER, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as grader:
        assert grader.stdout is not None
        pids = {int(word) for word in grader.stdout.readline().split()}
        assert len(pids) == 2
        assert all(map(alive, pids))
        grader.send_signal(number)
        assert all_gone(pids)
    assert wait_until(lambda: sandbox_processes() <= before)


def test_closing_a_pool_ends_runs_of_other_threads() -> None:
    pool = Pool(1)
    outcomes: queue.Queue[type[BaseException]] = queue.Queue()
    running = threading.Event()

    def run_long() -> None:
        try:
            with pool.lane() as lane, loaded(lane, LOOP, Limits(60, 60, 64)) as run:
                running.set()
                run.ask(question())
        except (SandboxLost, RunEnded) as error:
            outcomes.put(type(error))

    thread = threading.Thread(target=run_long)
    thread.start()
    assert running.wait(30)
    pool.close()
    thread.join(20)
    assert not thread.is_alive()
    assert list(outcomes.queue) == [SandboxLost]
    pool.close()


def test_the_sandbox_dies_before_the_grader_when_memory_runs_out(own_lane: Lane) -> None:
    own_lane.prepare(QUICK)
    assert own_lane.facts()
    adjusted = {int(Path("/proc", str(pid), "oom_score_adj").read_text()) for pid in pids_of(own_lane)}
    assert adjusted == {1000}
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000
