"""Rows without a verdict are judged exactly once, whatever fails on the way."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine, delete, select, update

from grader.errors import UserError
from grader.grading.judge import Examination, examine
from grader.grading.verdict import Finding, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.report.sample_outputs import from_json
from grader.sandbox.pool import Pool, SandboxUnavailable
from grader.services import attempts, candidate_view, feedback, judged_rows, judging
from grader.services.judged_rows import write_result
from grader.services.judging import SOON, Judging
from grader.services.load import load
from grader.services.packages import Packages
from grader.services.result_rows import UNJUDGED
from grader.store import queries
from grader.store.models import Attempt, CaseResult, GroupResult, Package, Submission, User
from grader.store.session import read_session, write_session
from tests.processes import computing_children, sandbox_processes, wait_until
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.refusing import refusing_details_of
from tests.services.tiny_package import HIDDEN, RIGHT, SLUG, WRONG, write_package


def verdicts(engine: Engine) -> list[Verdict | None]:
    with read_session(engine) as session:
        return [row.verdict for row in session.query(Submission).order_by(Submission.id)]


@pytest.fixture
def service(engine: Engine, pool: Pool, packages: Packages) -> Iterator[Judging]:
    service = Judging(engine, pool, CaseCache(None), packages)
    yield service
    service.close()


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def test_a_result_is_written_once(engine: Engine, ada: User, attempt: Attempt) -> None:
    key = make_submission(engine, ada, attempt).id
    assert write_result(engine, key, make_judgement(Verdict.WA), after(2))
    assert not write_result(engine, key, make_judgement(Verdict.AC), after(3))
    with read_session(engine) as session:
        row = queries.submission_of(session, ada, attempt.public_id, 1)
        assert (row.verdict, row.score, row.judged_at, len(row.cases), len(row.groups)) == (
            Verdict.WA,
            40.0,
            after(2),
            4,
            3,
        )
        assert row.detail == "canary detail 8642135"
        assert (row.attempt.best_score, row.attempt.solved_at) == (40.0, None)


def test_stage_faults_and_samples_are_kept(engine: Engine, ada: User, attempt: Attempt) -> None:
    finding = Finding("…", "output", ("thrice", "late"), "fingerprint", (), ("It takes three\0.",))
    key = make_submission(engine, ada, attempt).id
    assert write_result(engine, key, replace(make_judgement(Verdict.WA), finding=finding), NOON, "[]")
    with read_session(engine) as session:
        row = queries.submission_of(session, ada, attempt.public_id, 1)
        assert (row.first_wrong_stage, row.sample_outputs) == ("output", "[]")
        assert [(fault.fault, fault.sentence) for fault in row.faults] == [
            ("thrice", "It takes three\u2400."),
            ("late", ""),
        ]


def test_many_writers_of_one_result_write_one(engine: Engine, ada: User, attempt: Attempt) -> None:
    key = make_submission(engine, ada, attempt).id
    written: list[bool] = []
    threads = [
        threading.Thread(target=lambda: written.append(write_result(engine, key, make_judgement(), NOON)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(written) == [False] * 7 + [True]


def test_the_best_score_stays_and_our_fault_never_counts(engine: Engine, ada: User, attempt: Attempt) -> None:
    for minutes, verdict in enumerate((Verdict.JE, Verdict.AC, Verdict.WA, Verdict.AC, Verdict.JE), 1):
        key = make_submission(engine, ada, attempt, minutes=minutes).id
        write_result(engine, key, make_judgement(verdict), after(10))
    with read_session(engine) as session:
        row = queries.attempt_of(session, ada, attempt.public_id)
        assert (row.best_score, row.solved_at) == (100.0, after(2))


def test_the_view_shows_no_secret(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    key = make_submission(engine, ada, attempt).id
    write_result(engine, key, make_judgement(Verdict.WA), NOON)
    with read_session(engine) as session:
        submission = queries.submission_of(session, ada, attempt.public_id, 1)
        shown = feedback.of(session, submission.attempt, after(10))
        view = candidate_view.view(submission, packages.named(SLUG), shown)
    assert not [word for word in (*HIDDEN, "secret_b", "detail") if word in repr(view)]
    assert [[case.label for case in group.cases] for group in view.groups] == [
        ["sample_format"],
        ["1", "2"],
        ["1"],
    ]
    assert [group.passed for group in view.groups] == [1, 1, 1]
    assert [(prints.label, prints.text) for prints in view.prints] == [
        ("while it was imported", "printed at import"),
        ("sample_format", "printed in the sample \\u202e\\x1b[31m\u2400"),
    ]


@pytest.mark.sandbox
def test_submissions_are_judged_after_the_commit(engine: Engine, service: Judging, ada: User, attempt: Attempt) -> None:
    service.start()
    for source in (WRONG, RIGHT, b"x = 1", b"while True print"):
        with write_session(engine) as session:
            service.dispatch(session, attempts.submit(session, ada, attempt.public_id, source, NOON))
    assert wait_until(lambda: None not in verdicts(engine))
    assert verdicts(engine) == [Verdict.WA, Verdict.AC, Verdict.CE, Verdict.CE]


def test_a_rolled_back_submission_is_never_queued(
    engine: Engine, service: Judging, ada: User, attempt: Attempt
) -> None:
    def fail() -> None:
        with write_session(engine) as session:
            service.dispatch(session, attempts.submit(session, ada, attempt.public_id, RIGHT, NOON))
            raise UserError("no")

    with pytest.raises(UserError):
        fail()
    assert service._queue.empty()
    assert verdicts(engine) == []


@pytest.mark.sandbox
def test_rows_without_a_verdict_are_judged_at_start(
    engine: Engine, service: Judging, ada: User, attempt: Attempt
) -> None:
    for source in (RIGHT, WRONG, RIGHT):
        make_submission(engine, ada, attempt, source)
    service.start()
    assert wait_until(lambda: None not in verdicts(engine))
    assert verdicts(engine) == [Verdict.AC, Verdict.WA, Verdict.AC]


@pytest.mark.sandbox
def test_a_verdict_can_be_waited_for(engine: Engine, service: Judging, ada: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        submission = attempts.submit(session, ada, attempt.public_id, WRONG, NOON)
        service.dispatch(session, submission)
    began = time.monotonic()
    service.wait(submission.id, 0.2)
    assert 0.2 <= time.monotonic() - began < 30  # nothing judges yet
    service.start()
    service.wait(submission.id, 60)
    assert verdicts(engine) == [Verdict.WA]
    began = time.monotonic()
    service.wait(submission.id, 60)
    service.wait(submission.id + 1, 60)  # of which nothing is known here
    assert time.monotonic() - began < 30


@pytest.mark.sandbox
def test_a_verdict_whose_turn_comes_late_is_not_waited_for(
    engine: Engine, service: Judging, pool: Pool, ada: User, attempt: Attempt
) -> None:
    before = SOON * pool.size
    keys = []
    for _ in range(before + 1):
        with write_session(engine) as session:
            submission = attempts.submit(session, ada, attempt.public_id, WRONG, NOON)
            service.dispatch(session, submission)
        keys.append(submission.id)
    began = time.monotonic()
    service.wait(keys[-1], 3600)  # nothing judges yet
    assert time.monotonic() - began < 60
    began = time.monotonic()
    service.wait(keys[-2], 0.2)
    assert time.monotonic() - began >= 0.2


@pytest.mark.sandbox
def test_what_came_back_for_the_samples_is_kept(engine: Engine, service: Judging, ada: User, attempt: Attempt) -> None:
    raising = b"def twice(x):\n    return x / 0 if x.size > 2 else [x[0] * 2]\n"
    for source in (RIGHT, WRONG, b"def twice(x):\n    raise KeyError\n", raising, b"def twice(:\n"):
        make_submission(engine, ada, attempt, source)
    service.start()
    assert wait_until(lambda: None not in verdicts(engine))
    with read_session(engine) as session:
        texts = [row.sample_outputs for row in session.query(Submission).order_by(Submission.id)]
    found = [from_json(text or "[]")[0] for text in texts]
    returned = [
        None if each.returned is None else [np.asarray(kept.values).tolist() for kept in each.returned]
        for each in found
    ]
    assert returned == [[[2.0, 4.0]], [[3.0, 6.0]], None, [[2.0]], None]
    assert [each.instead for each in found] == [None, None, "KeyError", None, None]
    assert [each.agrees for each in found] == [True, False, False, False, False]
    assert all("8642135" not in (text or "") for text in texts)


@pytest.mark.sandbox
def test_the_threads_survive_what_judging_throws(
    engine: Engine,
    service: Judging,
    ada: User,
    attempt: Attempt,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def explode(*arguments: object, **named: object) -> None:
        raise MemoryError("canary of ours")

    keys = [make_submission(engine, ada, attempt, RIGHT).id for _ in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(judged_rows, "examine", explode)
        service.start()
        assert wait_until(lambda: None not in verdicts(engine))
    assert verdicts(engine) == [Verdict.JE] * 3
    assert "canary of ours" in caplog.text
    with read_session(engine) as session:
        row = session.get(Submission, keys[0])
        assert row is not None
        assert (row.reason, row.score) == (Reason.JUDGE_ERROR, None)
        assert row.detail == "MemoryError: canary of ours"
        assert row.message is not None
        assert "canary" not in row.message
    with write_session(engine) as session:
        service.dispatch(session, attempts.submit(session, ada, attempt.public_id, RIGHT, NOON))
    assert wait_until(lambda: verdicts(engine)[-1] is Verdict.AC)


@pytest.mark.sandbox
def test_what_fails_by_our_own_fault_is_tried_again(
    engine: Engine, service: Judging, ada: User, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_at_first(*arguments: Any, **named: Any) -> Examination:
        if left:
            raise SandboxUnavailable(left.pop())
        return examine(*arguments, **named)

    left = ["a zygote was killed while it started"] * 2
    monkeypatch.setattr(judged_rows, "examine", fail_at_first)
    make_submission(engine, ada, attempt, RIGHT)
    service.start()
    assert wait_until(lambda: verdicts(engine) == [Verdict.AC])
    assert left == []


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have services that are made from now on look for what was missed, and try again, in a moment."""
    for name in ("SWEEP_S", "AGAIN_S", "AGAIN_MAX_S"):
        monkeypatch.setattr(judging, name, 0.1)


@pytest.mark.sandbox
@pytest.mark.usefixtures("hurried")
def test_a_result_that_could_not_be_written_is_judged_again(
    engine: Engine,
    service: Judging,
    ada: User,
    attempt: Attempt,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failed = threading.Event()

    def refuse(*arguments: object) -> bool:
        failed.set()
        monkeypatch.setattr(judging, "write_result", write_result)
        raise OSError("disk full")

    monkeypatch.setattr(judging, "write_result", refuse)
    make_submission(engine, ada, attempt, RIGHT)
    with caplog.at_level(logging.ERROR):
        service.start()
        assert wait_until(lambda: verdicts(engine) == [Verdict.AC])
    assert failed.is_set()


@pytest.mark.sandbox
@pytest.mark.usefixtures("hurried")
def test_a_result_that_can_never_be_written_is_given_up_as_our_fault(
    engine: Engine, service: Judging, ada: User, attempt: Attempt
) -> None:
    with refusing_details_of(engine, make_submission(engine, ada, attempt, RIGHT).id):
        service.start()
        assert wait_until(lambda: verdicts(engine) == [Verdict.JE], 60)
        make_submission(engine, ada, attempt, RIGHT)
        assert wait_until(lambda: verdicts(engine) == [Verdict.JE, Verdict.AC], 60)
    with read_session(engine) as session:
        row = queries.submission_of(session, ada, attempt.public_id, 1)
        assert (row.reason, row.score, load(session, after(60), NOON).waiting) == (Reason.JUDGE_ERROR, None, 0)


@pytest.mark.sandbox
def test_a_package_that_is_gone_or_broken_is_our_fault(
    engine: Engine, service: Judging, problems: Path, ada: User, attempt: Attempt
) -> None:
    write_package(problems, statement="Changed.\n")
    service._packages._offered.clear()
    with write_session(engine) as session:
        session.execute(update(Package).values(archive=b"damaged"))
    make_submission(engine, ada, attempt, RIGHT)
    service.start()
    assert wait_until(lambda: verdicts(engine) == [Verdict.JE])
    with read_session(engine) as session:
        row = queries.submission_of(session, ada, attempt.public_id, 1)
        assert (row.reason, row.score) == (Reason.INVALID_PACKAGE, None)


class Stream:
    """Submissions without a pause: for each that is judged the next one is handed in."""

    def __init__(self, engine: Engine, ada: User, attempt: Attempt, most: int) -> None:
        self._engine, self._ada, self._attempt, self._left = engine, ada, attempt, most
        self._lock = threading.Lock()
        self.service: Judging

    @property
    def is_over(self) -> bool:
        return self._left <= 0

    def judged(self, verdict: Verdict, seconds: float) -> None:
        with self._lock:
            self._left -= 1
            if not self.is_over:
                self.hand_in()

    def hand_in(self) -> int:
        with write_session(self._engine) as session:
            submission = attempts.submit(session, self._ada, self._attempt.public_id, RIGHT, NOON)
            self.service.dispatch(session, submission)
        return submission.id


@pytest.mark.sandbox
@pytest.mark.usefixtures("hurried")
def test_a_result_that_could_not_be_written_is_judged_again_while_others_come_without_a_pause(
    engine: Engine, pool: Pool, packages: Packages, ada: User, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_once(engine: Engine, key: int, *arguments: Any) -> bool:
        if key == lost and not refused:
            refused.append(key)
            raise OSError("disk full")
        return write_result(engine, key, *arguments)

    refused: list[int] = []
    stream = Stream(engine, ada, attempt, 400)
    stream.service = Judging(engine, pool, CaseCache(None), packages, stream.judged)
    monkeypatch.setattr(judging, "write_result", refuse_once)
    lost = stream.hand_in()
    for _ in range(2 * pool.size):  # no thread has nothing to do
        stream.hand_in()
    stream.service.start()
    assert wait_until(lambda: bool(refused) and (verdicts(engine)[0] is not None or stream.is_over), 60)
    was_over = stream.is_over
    stream.service.close()
    assert (verdicts(engine)[0], was_over) == (Verdict.AC, False)


@pytest.mark.sandbox
def test_what_loses_its_result_before_its_judging_has_ended_is_judged_again_at_once(
    engine: Engine, pool: Pool, packages: Packages, ada: User, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_at_first(verdict: Verdict, seconds: float) -> None:
        judged.append(verdict)
        if len(judged) > 1:
            return
        with write_session(engine) as session:  # as when its attempt is moved to another version of the package
            for table in (CaseResult, GroupResult):
                session.execute(delete(table))
            session.execute(update(Submission).values(**UNJUDGED))
            service.dispatch(session, session.scalars(select(Submission)).one())

    judged: list[Verdict] = []
    monkeypatch.setattr(judging, "SWEEP_S", 3600.0)
    service = Judging(engine, pool, CaseCache(None), packages, lose_at_first)
    key = make_submission(engine, ada, attempt, RIGHT).id
    service.start()
    assert wait_until(lambda: len(judged) == 2)
    service.wait(key, 60)
    service.close()
    assert (judged, verdicts(engine)) == ([Verdict.AC] * 2, [Verdict.AC])


@pytest.mark.sandbox
def test_closing_keeps_what_is_not_judged_for_the_next_start(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_over() -> bool:
        """Take the sandbox away, as it goes when a service stops, until nothing is judged any more."""
        for pid in sandbox_processes() - others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not any(thread.is_alive() for thread in service._threads)

    endless = b"def twice(x):\n    while True: pass\n"
    for _ in range(4):
        make_submission(engine, ada, attempt, endless)
    monkeypatch.setattr(judging, "STOP_S", 0.0)  # what is under way is not waited for
    others = sandbox_processes()
    with Pool(1) as pool:
        service = Judging(engine, pool, CaseCache(None), packages)
        service.start()
        assert wait_until(lambda: bool(computing_children(0.3) - others), 60)
        service.close()
        assert wait_until(is_over, 60)
    assert verdicts(engine) == [None] * 4
