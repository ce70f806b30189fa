"""Lives of zygotes and children: one child for one run, and nobody outlives whom they belong to."""

from __future__ import annotations

import os
import queue
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from grader.sandbox.exchange import Limits, RunEnded, SandboxLost
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable
from tests.processes import alive, all_gone, children_of, open_descriptors, wait_until
from tests.sandbox.asking import LOOP, ONE, QUICK, array, ask, loaded, question

pytestmark = pytest.mark.sandbox


def test_child_is_never_used_again(lane: Lane) -> None:
    source = """
        import sys
        import numpy as np
        seen = hasattr(np, "left") or hasattr(sys, "left")
        np.left = sys.left = np.sum = 1
        def f(): return [float(seen)]
    """
    pids = set()
    for _ in range(5):
        with loaded(lane, source) as run:
            pids.add(run.pid)
            assert array(run.ask(question())).tolist() == [0.0]
    assert len(pids) == 5


def test_child_is_gone_after_its_run(lane: Lane) -> None:
    with loaded(lane, LOOP) as run:
        assert alive(run.pid)
        with pytest.raises(RunEnded):
            run.ask(question())
    lane.refill()
    assert all_gone({run.pid})
    assert lane.pid is not None
    assert wait_until(lambda: len(children_of(lane.pid or 0)) == 1), "one child is kept warm, no more"


def test_child_is_gone_when_the_grader_fails_in_between(lane: Lane) -> None:
    with pytest.raises(KeyError), loaded(lane, ONE) as run:
        raise KeyError
    lane.refill()
    assert all_gone({run.pid})
    assert array(ask(lane, ONE)).tolist() == [1.0]


def test_thread_stays_beside_its_child_for_the_run_alone() -> None:
    before = os.sched_getaffinity(0)
    core = min(before)
    lane = Lane(core)
    try:
        with lane.run(QUICK) as run:
            assert os.sched_getaffinity(0) == os.sched_getaffinity(run.pid) == {core}
        with pytest.raises(KeyError), lane.run(QUICK):
            raise KeyError
        assert os.sched_getaffinity(0) == before
    finally:
        lane.close()


def test_nothing_is_asked_of_a_run_in_vain(lane: Lane) -> None:
    for _ in range(3):
        with lane.run(QUICK):
            pass
    assert array(ask(lane, ONE)).tolist() == [1.0]


def test_limits_may_differ_from_run_to_run(lane: Lane) -> None:
    source = "import numpy as np\ndef f(): return np.array([float(np.ones(20 << 20).nbytes >> 20)])\n"
    little, much = Limits(2, 4, 64), Limits(2, 4, 512)
    for limits in (much, little, little, much, QUICK, much, Limits(2, 6, 512), little):
        if limits.memory_mib < 512:
            with pytest.raises(AssertionError, match="MemoryError"):
                array(ask(lane, source, limits=limits))
        else:
            assert array(ask(lane, source, limits=limits)).tolist() == [160.0]


def test_memory_that_is_mapped_ahead_is_within_the_limit(lane: Lane) -> None:
    source = """
        import numpy as np
        def f():
            kept = []
            try:
                while True:
                    kept.append(np.ones(1 << 17))
            except MemoryError:
                return [float(len(kept))]
    """
    (mebibytes,) = array(ask(lane, source, limits=Limits(2, 4, 128)))
    assert 118 <= mebibytes <= 128


def test_preparing_for_other_limits_is_no_error(own_lane: Lane) -> None:
    own_lane.prepare(Limits(1, 1, 100))
    own_lane.prepare(Limits(1, 1, 200))
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


def test_descriptors_do_not_grow(lane: Lane) -> None:
    def judge_some(count: int) -> None:
        for number in range(count):
            source = (ONE, LOOP.replace("while True: pass", "1 / 0"), "import os\ndef f(): os._exit(1)\n")[number % 3]
            with suppress(RunEnded), loaded(lane, source) as run:
                run.ask(question())

    judge_some(6)
    before = open_descriptors()
    judge_some(200)
    assert open_descriptors() == before
    assert lane.pid is not None
    assert wait_until(lambda: len(children_of(lane.pid or 0)) == 1)
    if os.geteuid() == 0:  # only root sees another user's descriptors
        assert len(os.listdir(f"/proc/{lane.pid}/fd")) < 12
    zombies = [path for path in Path("/proc").glob("[0-9]*/stat") if _is_zombie_of(path, lane.pid)]
    assert not zombies


def _is_zombie_of(path: Path, parent: int) -> bool:
    try:
        state, father = path.read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return False
    return state == "Z" and int(father) == parent


def test_lanes_work_side_by_side() -> None:
    with Pool(2) as pool:
        pool.start()
        results: queue.Queue[float] = queue.Queue()

        def work(number: int) -> None:
            for _ in range(10):
                with pool.lane() as lane:
                    results.put(array(ask(lane, f"def f(): return [{number}.0]\n", limits=Limits(5, 5, 64)))[0])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results.queue) == sorted([0.0, 1.0, 2.0, 3.0] * 10)


def test_lane_comes_back_after_an_error() -> None:
    with Pool(1) as pool:
        for _ in range(3):
            with pytest.raises(KeyError), pool.lane():
                raise KeyError
        with pool.lane() as lane:
            assert array(ask(lane, ONE)).tolist() == [1.0]


def test_pool_has_a_lane_for_each_core() -> None:
    assert Pool().size == len(os.sched_getaffinity(0))


def test_facts_name_the_walls(lane: Lane) -> None:
    facts = lane.facts()
    assert facts["layers"] == ["seccomp", "landlock", "rlimits"]
    assert facts["landlock_abi"] >= 1


@contextmanager
def spare_descriptors(count: int) -> Iterator[None]:
    """Let this process open so many more descriptors, no matter which numbers are free."""
    with ExitStack() as stack:
        while (last := stack.enter_context(open(os.devnull)).fileno()) + 1 < open_descriptors():
            pass  # fill the gaps
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (last + 1 + count, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("count", range(6))
def test_running_out_of_descriptors_is_told_and_survived(own_lane: Lane, count: int) -> None:
    own_lane.facts()
    before = open_descriptors()
    with spare_descriptors(count), nullcontext() if count >= 4 else pytest.raises(SandboxLost, match="open files"):
        assert array(ask(own_lane, ONE)).tolist() == [1.0]
    with spare_descriptors(count), suppress(SandboxLost, SandboxUnavailable):  # there may be no zygote to begin with
        ask(own_lane, ONE)
    assert open_descriptors() <= before + 4, "what a warm child needs"
    assert array(ask(own_lane, ONE)).tolist() == [1.0]


def test_zygote_that_cannot_be_started_is_told(own_lane: Lane) -> None:
    before = open_descriptors()
    for count in range(8):
        told = pytest.raises((SandboxUnavailable, SandboxLost), match=r"raise (the|its) limit|import NumPy")
        with spare_descriptors(count), told if count < 3 else suppress(SandboxUnavailable, SandboxLost):
            ask(own_lane, ONE)
        own_lane.close()
        assert open_descriptors() == before


def test_python_without_numpy_is_told(own_lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SandboxUnavailable, match=r"check that this Python can import NumPy: /bin/false -c"):
        ask(own_lane, ONE)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(SandboxUnavailable, match=r"check that this Python can import NumPy: /nowhere/python -c"):
        ask(own_lane, ONE)


class Interrupted(Exception):
    """What a signal's handler raises."""


def interrupt(number: int, frame: object) -> None:
    raise Interrupted


def start_and_be_interrupted(pool: Pool) -> None:
    with pool.lane() as lane:
        lane.start()
        os.kill(lane.pid or 0, signal.SIGSTOP)  # it does not come up
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with lane.run(QUICK):
                pass
        finally:
            lane.kill()


def test_a_lane_is_given_back_when_its_start_is_interrupted() -> None:
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Pool(1) as pool:
            with pytest.raises(Interrupted):
                start_and_be_interrupted(pool)
            assert pool.busy == 0
    finally:
        signal.signal(signal.SIGALRM, before)
