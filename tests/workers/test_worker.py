"""`grader worker` on a real PostgreSQL: what is handed in is judged, whoever dies, once."""

from __future__ import annotations

import socket
import time
import urllib.request
from typing import Final

import pytest
from sqlalchemy import Engine, text

from grader import __version__
from grader.grading.verdict import Verdict
from grader.services.packages import Packages
from grader.store.models import SampleRun
from grader.store.session import write_session
from tests.processes import wait_until
from tests.sandbox.test_missing_layers import LANDLOCK, WEAK, weaknesses_in, without
from tests.services.refusing import refusing_details_of
from tests.services.tiny_package import RIGHT, WRONG
from tests.workers.working import SLOW, Queue, Worker, Workers

pytestmark = [pytest.mark.services, pytest.mark.sandbox]
TAKEN_OVER_S: Final = 20.0  # ten seconds, and as many for a loaded machine to judge


@pytest.fixture
def queue(engine: Engine, postgres_url: str, packages: Packages) -> Queue:
    return Queue(engine, postgres_url, packages)


def test_what_is_handed_in_is_judged_and_its_jobs_are_gone(queue: Queue, worker: Worker) -> None:
    keys = [queue.hand_in(source) for source in (RIGHT, WRONG, RIGHT)]
    samples = queue.run_samples(WRONG)
    assert all(queue.is_judged(key) for key in keys)
    assert [queue.verdict(key) for key in keys] == [Verdict.AC, Verdict.WA, Verdict.AC]
    assert wait_until(lambda: queue.verdict(samples, SampleRun) is Verdict.WA, 30)
    assert wait_until(lambda: queue.jobs() == [], 10)


def test_a_worker_counts_what_it_judges(queue: Queue, workers: Workers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    workers.start("--metrics", str(port)).wait_until_alive()
    for key in [queue.hand_in(source) for source in (RIGHT, WRONG, RIGHT)]:
        assert queue.is_judged(key)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
        told = reply.read().decode().splitlines()
    assert {'grader_judged_total{verdict="AC"} 2.0', 'grader_judged_total{verdict="WA"} 1.0'} <= set(told)
    assert {"grader_judging_seconds_count 3.0", "grader_lanes_busy 0.0"} <= set(told)


def test_a_port_in_use_is_told(workers: Workers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        worker = workers.start("--metrics", str(port := taken.getsockname()[1]))
        assert worker.process.wait(60) == 2
    assert worker.log.read_text() == (
        f"grader: 127.0.0.1:{port} cannot be listened at (Address already in use); choose another --metrics.\n"
    )


def test_a_worker_logs_at_its_start_that_a_wall_of_the_sandbox_is_missing(workers: Workers) -> None:
    pytest.importorskip("pyseccomp")
    worker = workers.start(under=without(*LANDLOCK[0]), **WEAK)
    worker.wait_until_alive()
    assert weaknesses_in(worker.log) == [("warning", "grader.cli.worker")]
    assert worker.log.read_text().count("WEAKENED") == 1


def test_a_row_that_lost_its_job_is_judged(queue: Queue, worker: Worker) -> None:
    key = queue.hand_in(RIGHT, has_job=False)
    assert queue.is_judged(key)


def test_a_worker_that_is_told_to_end_finishes_what_is_under_way(queue: Queue, worker: Worker) -> None:
    key = queue.hand_in(SLOW)
    assert queue.is_under_way()
    assert worker.stop() == 0
    assert queue.verdict(key) is Verdict.AC
    assert queue.jobs() == []


@pytest.mark.long
def test_what_a_killed_worker_had_begun_is_taken_over(queue: Queue, worker: Worker, workers: Workers) -> None:
    other = workers.start("--queues", "batch")
    other.wait_until_alive()
    key = queue.hand_in(SLOW)
    assert queue.is_under_way()
    worker.kill()
    began = time.monotonic()
    assert wait_until(lambda: queue.jobs() == [("todo", 1)], TAKEN_OVER_S)
    print(f"put back after {time.monotonic() - began:.1f} s")
    workers.start()
    assert queue.is_judged(key, 60)
    assert queue.verdict(key) is Verdict.AC


@pytest.mark.parametrize(
    ("version", "attempts", "verdict"),
    [
        pytest.param(__version__, 9, Verdict.AC, marks=pytest.mark.long),
        (__version__, 10, Verdict.JE),
        pytest.param("0.0.1", 24, Verdict.AC, marks=pytest.mark.long),  # 15 times it was left
        ("0.0.1", 25, Verdict.JE),
    ],
)
def test_what_ends_its_workers_again_and_again_is_given_up(
    queue: Queue, engine: Engine, workers: Workers, version: str, attempts: int, verdict: Verdict
) -> None:
    key = store_job_of(engine, queue, version, attempts, SLOW)
    workers.start("--queues", "batch").wait_until_alive()
    worker = workers.start()
    assert wait_until(lambda: queue.jobs() == [("doing", attempts)], 30)
    worker.kill()
    assert wait_until(lambda: queue.jobs() == [("todo", attempts + 1)], TAKEN_OVER_S)
    workers.start()
    assert queue.is_judged(key)
    assert queue.verdict(key) is verdict
    assert wait_until(lambda: queue.jobs() == [], 10)


def test_a_result_that_can_never_be_written_is_given_up(queue: Queue, engine: Engine, workers: Workers) -> None:
    key = store_job_of(engine, queue, __version__, 9, RIGHT)
    with refusing_details_of(engine, key):
        workers.start()
        assert queue.is_judged(key)
    assert queue.verdict(key) is Verdict.JE
    assert wait_until(lambda: queue.jobs() == [], 10)


def store_job_of(engine: Engine, queue: Queue, version: str, attempts: int = 0, source: bytes = RIGHT) -> int:
    """Store a submission, with a job as a release stores it that was tried so often; return the submission's key."""
    key = queue.hand_in(source)
    with write_session(engine) as session:
        session.execute(
            text(
                "UPDATE procrastinate_jobs SET attempts = :attempts, args = args || jsonb_build_object('version', "
                "cast(:version AS text))"
            ),
            {"version": version, "attempts": attempts},
        )
    return key


def test_a_job_of_a_newer_release_is_left(queue: Queue, engine: Engine, workers: Workers) -> None:
    key = store_job_of(engine, queue, "99.0", attempts=100)
    worker = workers.start()
    assert wait_until(lambda: queue.jobs() == [("todo", 102)], 60)
    assert queue.verdict(key) is None
    assert "is for release 99.0, this worker is" in worker.log.read_text()


@pytest.mark.parametrize(("attempts", "is_taken"), [(0, False), (15, True)])
def test_a_job_of_an_older_release_is_left_for_a_while(
    queue: Queue, engine: Engine, workers: Workers, attempts: int, is_taken: bool
) -> None:
    key = store_job_of(engine, queue, "0.0.1", attempts)
    workers.start()
    assert wait_until(lambda: queue.jobs() == ([] if is_taken else [("todo", 2)]), 60)
    assert (queue.verdict(key) is Verdict.AC) is is_taken
