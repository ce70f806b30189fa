"""Findings that were made before known faults could be looked up say so, and are made again; verdicts stay."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Engine, select, update

from grader.errors import InvalidPackage
from grader.grading.prepare import is_prepared, prepare
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Pool
from grader.services import attempts, candidate_view, feedback, findings, hints, uploads
from grader.services.background import FINDING_TRIES, Background
from grader.services.judged_rows import judge_row, write_result
from grader.services.packages import Packages
from grader.store import finding_queries, queries
from grader.store.interview_models import PackageCheck
from grader.store.models import Attempt, Package, Submission, SubmissionFault, User
from grader.store.session import read_session, write_session
from tests.archives import files_of, zipped
from tests.packages import TINY
from tests.services.interviewing import make_interviewer
from tests.services.made import NOON, after, make_candidate

pytestmark = pytest.mark.sandbox
MASK_MISSING = (TINY / "submissions/wrong_answer/mask_missing.py").read_bytes() + b"\n# mine\n"
SCALE_MISSING = (TINY / "submissions/wrong_answer/scale_missing.py").read_bytes() + b"\n# mine\n"
NOT_LOOKED_UP = "First wrong stage: masked scores. Known faults were not looked up."
FOUND = "First wrong stage: masked scores. It behaves like mask-missing: every query reads every key."


@dataclass
class Bench:
    """Ada's attempt at a small package with stages, and a service that has nothing ready of it."""

    engine: Engine
    pool: Pool
    cache: CaseCache
    packages: Packages
    ada: User
    attempt: Attempt
    background: Background

    def hand_in(self, source: bytes = MASK_MISSING) -> int:
        with write_session(self.engine) as session:
            submission = attempts.submit(session, self.ada, self.attempt.public_id, source, after(1))
        return submission.id

    def judge(self, key: int) -> None:
        """Judge a source as a candidate waits for it: without making what findings need."""
        with self.pool.lane() as lane:
            graded = judge_row(self.engine, key, lane, self.cache, self.packages)
        assert graded is not None
        assert write_result(self.engine, key, graded.judgement, after(2), graded.sample_outputs)

    def row(self, key: int) -> tuple[Any, ...]:
        """Return what is stored of a submission but for its finding."""
        with read_session(self.engine) as session:
            row = session.get_one(Submission, key)
            result = json.loads(row.judgement or "")
            del result["finding"]
            cases = [(case.name, case.verdict, case.prints) for case in row.cases]
            best = row.attempt.best_score, row.attempt.solved_at
            return row.verdict, row.reason, row.score, row.message, row.judged_at, result, cases, best

    def finding(self, key: int) -> dict[str, Any]:
        with read_session(self.engine) as session:
            found: dict[str, Any] = json.loads(session.get_one(Submission, key).judgement or "")["finding"]
            return found

    def faults(self) -> list[tuple[str, str]]:
        with read_session(self.engine) as session:
            return [
                (row.fault, row.sentence)
                for row in session.scalars(select(SubmissionFault).order_by(SubmissionFault.id))
            ]

    def problem(self) -> Problem:
        return self.packages.named(TINY.name)

    def shown(self, key: int) -> hints.Finding:
        """Return what the candidate may read of a finding with every hint open."""
        with write_session(self.engine) as session:
            session.get_one(Attempt, self.attempt.id).hint_level = hints.FAULT
        with read_session(self.engine) as session:
            row = queries.submission_of(session, self.ada, self.attempt.public_id, 1)
            assert row.id == key
            return candidate_view.view(row, self.problem(), feedback.of(session, row.attempt, NOON)).finding

    def work(self) -> None:
        while self.background.turn():
            pass

    def is_waiting(self) -> bool:
        with read_session(self.engine) as session:
            return self.background.is_waiting(session)

    def restart(self) -> None:
        """Begin anew, as after a restart of the process: nothing is put off any more."""
        self.background = Background(self.engine, self.pool, self.cache, self.packages, lambda session, row: None)


@pytest.fixture
def bench(engine: Engine, pool: Pool, tmp_path: Path) -> Bench:
    root = tmp_path / "folder"
    shutil.copytree(TINY, root / TINY.name)
    packages, cache, ada = Packages(root), CaseCache(None), make_candidate(engine)
    with write_session(engine) as session:
        attempt = attempts.start(session, ada, packages.named(TINY.name), "interview", packages, NOON)
    background = Background(engine, pool, cache, packages, lambda session, row: None)
    return Bench(engine, pool, cache, packages, ada, attempt, background)


def no_room(*arguments: object, **named: object) -> None:
    raise OSError("no room")


LOST: Final = ("grader.services.judged_rows.examine", "grader.grading.judge.diagnose")  # in the run, or in the look


def test_a_finding_without_known_faults_says_so_and_is_made_again(bench: Bench) -> None:
    bench.judge(key := bench.hand_in())
    before, finding = bench.row(key), bench.finding(key)
    assert before[0] is Verdict.WA
    assert finding["sentence"].replace(" (line 6)", "") == NOT_LOOKED_UP
    assert (finding["method"], finding["faults"], finding["looked_up"]) == ("trace", [], False)
    shown = bench.shown(key)
    assert (shown.is_due, shown.stage, shown.fault_texts) == (True, "masked_scores", ())
    bench.work()
    assert bench.row(key) == before
    finding = bench.finding(key)
    assert finding["sentence"].replace(" (line 6)", "") == FOUND
    assert (finding["method"], finding["faults"]) == ("fingerprint", ["mask-missing"])
    assert "looked_up" not in finding
    assert bench.faults() == [("mask-missing", "Every query reads every key.")]
    shown = bench.shown(key)
    assert (shown.is_due, shown.fault_texts) == (False, ("There is no causal mask.",))
    assert not bench.is_waiting()


def test_what_is_looked_up_at_once_is_not_made_again(bench: Bench) -> None:
    prepare(bench.problem(), bench.pool.lane, bench.cache)
    bench.judge(key := bench.hand_in())
    assert bench.finding(key)["faults"] == ["mask-missing"]
    assert not bench.is_waiting()
    assert not bench.background.turn()


def test_a_result_that_went_meanwhile_keeps_no_finding_of_before(bench: Bench) -> None:
    bench.judge(key := bench.hand_in())
    with bench.pool.lane() as lane:
        found = findings.find_again(bench.engine, key, lane, bench.cache, bench.packages)
    assert found is not None
    with write_session(bench.engine) as session:  # as when it was judged anew
        session.execute(update(Submission).values(judged_at=after(9)))
    before = bench.finding(key)
    assert not findings.write(bench.engine, key, found)
    assert bench.finding(key) == before
    assert bench.faults() == []


def test_of_many_that_make_a_finding_again_one_writes(bench: Bench) -> None:
    bench.judge(key := bench.hand_in())
    with bench.pool.lane() as lane:
        found = findings.find_again(bench.engine, key, lane, bench.cache, bench.packages)
    assert found is not None
    written: list[bool] = []
    threads = [
        threading.Thread(target=lambda: written.append(findings.write(bench.engine, key, found))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(written) == [False] * 3 + [True]
    assert bench.faults() == [("mask-missing", "Every query reads every key.")]


def test_a_source_that_gets_another_verdict_this_time_keeps_verdict_and_finding(bench: Bench) -> None:
    bench.judge(key := bench.hand_in())
    with write_session(bench.engine) as session:  # what was judged then was wrong, and is right now
        session.execute(update(Submission).values(source=(TINY / "submissions/accepted/reference.py").read_bytes()))
    before, finding = bench.row(key), bench.finding(key)
    bench.work()
    assert (bench.row(key), bench.finding(key)) == (before, finding)
    assert not bench.is_waiting()
    assert not bench.shown(key).is_due


@pytest.mark.parametrize("where", LOST)
def test_what_our_own_fault_loses_keeps_its_finding_and_is_tried_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    bench.judge(key := bench.hand_in())
    before, finding = bench.row(key), bench.finding(key)
    with monkeypatch.context() as patch:
        patch.setattr(where, no_room)
        bench.work()
    assert (bench.row(key), bench.finding(key)) == (before, finding)
    assert bench.shown(key).is_due
    assert (bench.is_waiting(), bench.background.turn()) == (False, False)  # not at once
    bench.restart()
    assert bench.is_waiting()
    bench.work()
    assert bench.row(key) == before
    assert bench.finding(key)["faults"] == ["mask-missing"]


@pytest.mark.parametrize("where", LOST)
def test_a_finding_that_is_lost_each_time_stays_in_the_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    bench.judge(key := bench.hand_in())
    before, finding = bench.row(key), bench.finding(key)
    monkeypatch.setattr("grader.services.background.FINDING_AGAIN_S", 0.0)
    monkeypatch.setattr(where, no_room)
    bench.restart()
    bench.work()
    assert (bench.row(key), bench.finding(key)) == (before, finding)
    assert (bench.shown(key).is_due, bench.is_waiting()) == (False, False)
    told = [record.getMessage() for record in caplog.records if "could not be made again" in record.getMessage()]
    assert told == [f"the finding of submission {key} could not be made again; it stays as it is"]
    assert sum("no room" in (record.exc_text or "") for record in caplog.records) == FINDING_TRIES


def test_a_package_that_could_not_be_prepared_holds_nothing_up_and_is_tried_later(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench.judge(key := bench.hand_in())
    with monkeypatch.context() as patch:
        patch.setattr("grader.services.background.prepare", no_room)
        bench.work()
    assert [record.getMessage() for record in caplog.records] == [
        "the package tiny-attention could not be prepared; it is tried again: no room"
    ]
    with read_session(bench.engine) as session:
        assert [package.slug for package in finding_queries.packages_due(session)] == ["tiny-attention"]
    assert (bench.is_waiting(), bench.background.turn()) == (False, False)  # not at once
    other = bench.hand_in(SCALE_MISSING)
    bench.judge(other)
    assert not bench.is_waiting()  # nor for another submission
    bench.restart()
    assert bench.is_waiting()
    bench.work()
    assert [bench.finding(each)["method"] for each in (key, other)] == ["fingerprint"] * 2


def test_a_package_that_could_not_be_prepared_once_is_prepared_when_its_pause_is_over(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_once(*arguments: Any) -> None:
        monkeypatch.setattr("grader.services.background.prepare", prepare)
        raise OSError("no room")

    bench.judge(key := bench.hand_in())
    monkeypatch.setattr("grader.services.background.PREPARE_AGAIN_S", 0.0)
    monkeypatch.setattr("grader.services.background.prepare", fail_once)
    bench.restart()
    bench.work()
    assert bench.finding(key)["faults"] == ["mask-missing"]


def test_a_package_whose_own_code_keeps_it_from_being_prepared_is_not_promised(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise InvalidPackage(["stages.py: cannot be described; define plain functions only."])

    bench.judge(key := bench.hand_in())
    before, finding = bench.row(key), bench.finding(key)
    monkeypatch.setattr("grader.services.background.prepare", broken)
    bench.work()
    assert (bench.row(key), bench.finding(key)) == (before, finding)
    assert not bench.shown(key).is_due
    bench.restart()
    assert not bench.is_waiting()


def test_of_a_package_that_cannot_be_read_any_more_findings_stay_as_they_are(bench: Bench, tmp_path: Path) -> None:
    bench.judge(key := bench.hand_in())
    with write_session(bench.engine) as session:
        session.execute(update(Package).values(archive=b"damaged"))
    gone = Packages(tmp_path / "gone")
    before, finding = bench.row(key), bench.finding(key)
    bench.packages = gone
    bench.restart()
    bench.work()
    assert (bench.row(key), bench.finding(key)) == (before, finding)
    assert finding["looked_up"] is False
    assert not bench.is_waiting()


def test_an_upload_is_accepted_once_known_faults_can_be_looked_up(bench: Bench) -> None:
    lead = make_interviewer(bench.engine, "Lena")
    contents = files_of(TINY)
    contents["statement.md"] += b"\nPrivate.\n"
    with write_session(bench.engine) as session:
        package = uploads.upload(
            session, lead, uploads.read(lead, zipped(contents), "mine", "mine.zip"), bench.packages, NOON
        ).package
    assert bench.background.turn()
    with read_session(bench.engine) as session:
        check = uploads.shown(session, lead, package.sha256).check
        assert (check.is_accepted, check.done == check.total > 0) == (True, True)
        assert is_prepared(bench.packages.pinned(session, package), bench.cache)


def test_an_upload_whose_known_faults_cannot_be_looked_up_is_not_accepted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int, bool]] = []

    def broken(*arguments: object) -> None:
        with read_session(bench.engine) as session:
            row = session.scalars(select(PackageCheck)).one()
            told.append((row.done, row.total, row.is_accepted))
        raise OSError("no room")

    lead = make_interviewer(bench.engine, "Lena")
    contents = files_of(TINY)
    contents["statement.md"] += b"\nPrivate.\n"
    with write_session(bench.engine) as session:
        package = uploads.upload(
            session, lead, uploads.read(lead, zipped(contents), "mine", "mine.zip"), bench.packages, NOON
        ).package
    monkeypatch.setattr("grader.services.background.prepare", broken)
    assert bench.background.turn()
    with read_session(bench.engine) as session:
        shown = uploads.shown(session, lead, package.sha256)
    assert told == [(told[0][0], told[0][0], False)]
    assert (shown.check.is_accepted, shown.report is not None) == (False, True)
    assert shown.report is not None
    assert shown.report.findings == ("mine: the check broke off on our side (OSError); check it again.",)
