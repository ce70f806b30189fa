"""Evidence records: asked for by a reviewer, made in the sandbox, kept, and read again by `replay`'s reader."""

from __future__ import annotations

import shutil
import zlib
from dataclasses import astuple
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import undefer

from grader.errors import NotFound
from grader.grading import evidence_file
from grader.grading.judge import Examination, examine
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.report import review_pictures
from grader.report.stage_rows import stage_facts
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane, Pool
from grader.services import evidence
from grader.services.evidence import Made, NotJudged, NotMade
from grader.services.interview_settings import Chosen
from grader.services.judging import Judging
from grader.services.packages import Packages
from grader.store import evidence_queries, review_queries
from grader.store.interview_models import AuditEntry, Interview
from grader.store.models import Attempt, EvidenceRecord, User
from grader.store.session import read_session, write_session
from tests.packages import SHIPPED
from tests.processes import wait_until
from tests.services.interviewing import make_interviewer
from tests.services.made import make_judgement
from tests.services.reviewing import END, hand_in, make_judged, make_led
from tests.services.tiny_package import WRONG, write_package

SLUG = "heads-never-mix"
WA = make_judgement(Verdict.WA, ("thrice",), "output")


@pytest.fixture
def led(engine: Engine, packages: Packages) -> tuple[User, Interview]:
    return make_led(engine, packages)


@pytest.fixture
def attempt(engine: Engine, led: tuple[User, Interview]) -> Attempt:
    return make_judged(engine, *led, "Ines", WA)


def ask(engine: Engine, user: User, attempt: Attempt, number: int = 1) -> int:
    with write_session(engine) as session:
        asked = evidence.ask(session, user, attempt.public_id, number, END)
        session.flush()
        return asked.id


def unmade(engine: Engine) -> list[int]:
    with read_session(engine) as session:
        return list(evidence_queries.unmade(session))


def test_it_is_asked_for_once(engine: Engine, led: tuple[User, Interview], attempt: Attempt) -> None:
    key = ask(engine, led[0], attempt)
    assert ask(engine, led[0], attempt) == key
    assert unmade(engine) == [key]
    with read_session(engine) as session:
        actions = session.scalars(select(AuditEntry.action)).all()
        with pytest.raises(NotFound, match="no evidence record"):
            evidence.text(session, led[0], attempt.public_id, 1)
    assert actions.count("review.evidence") == 1


def test_what_has_no_verdict_has_no_evidence(engine: Engine, led: tuple[User, Interview], attempt: Attempt) -> None:
    hand_in(engine, attempt, 2, None)
    hand_in(engine, attempt, 3, make_judgement(Verdict.JE))
    for number in (2, 3):
        with pytest.raises(NotJudged):
            ask(engine, led[0], attempt, number)
    with pytest.raises(NotFound):
        ask(engine, led[0], attempt, 4)
    with pytest.raises(NotFound):
        ask(engine, make_interviewer(engine, "Otto"), attempt)
    assert unmade(engine) == []


@pytest.mark.sandbox
def test_it_is_made_where_submissions_are_judged(
    engine: Engine, pool: Pool, packages: Packages, led: tuple[User, Interview], attempt: Attempt
) -> None:
    service = Judging(engine, pool, CaseCache(None), packages)
    service.start()
    try:
        with write_session(engine) as session:
            service.dispatch(session, evidence.ask(session, led[0], attempt.public_id, 1, END))
        assert wait_until(lambda: unmade(engine) == [], 60)
    finally:
        service.close()
    with read_session(engine) as session:
        data = evidence.text(session, led[0], attempt.public_id, 1)
    found = evidence_file.read(data, "it")
    assert evidence_file.source_of(found, "it") == WRONG
    assert (found.judgement.verdict, found.package.slug) == ("WA", "twice")


@pytest.mark.sandbox
def test_a_record_that_was_missed_is_made_at_the_next_start(
    engine: Engine, pool: Pool, packages: Packages, led: tuple[User, Interview], attempt: Attempt
) -> None:
    ask(engine, led[0], attempt)
    service = Judging(engine, pool, CaseCache(None), packages)
    service.start()
    try:
        assert wait_until(lambda: unmade(engine) == [], 60)
    finally:
        service.close()


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "database_url", ["sqlite", pytest.param("postgres", marks=[pytest.mark.services, pytest.mark.long])], indirect=True
)
def test_pictures_measure_the_wrong_stage(engine: Engine, lane: Lane, tmp_path: Path) -> None:
    for name in (SLUG, "_standard"):
        shutil.copytree(SHIPPED / name, tmp_path / "bank" / name)
    write_package(tmp_path / "bank")
    packages = Packages(tmp_path / "bank")
    problem = packages.named(SLUG)
    lead, interview = make_led(engine, packages, problems=(Chosen(problem.sha256, "interview"),))
    source = problem.files.text("submissions/wrong_answer/softmax_over_queries.py").encode()
    attempt = make_judged(engine, lead, interview, "Ines", WA, source=source)
    key = ask(engine, lead, attempt)
    made = evidence.make_row(engine, key, lane, CaseCache(None), packages)
    assert isinstance(made, Made)
    assert made.pictures is not None
    found = review_pictures.from_json(made.pictures)
    assert review_pictures.from_json(review_pictures.to_json(found)).stages == found.stages
    stages = {stage.stage: stage for stage in found.stages}
    assert list(stages)[-3:] == ["weights", "mixed_values", "output"]
    assert stages["masked_scores"].error == 0
    weights = stages["weights"]
    assert isinstance(weights.error, float)
    assert weights.error > 0.01
    assert len(weights.index) == len(weights.shape) == 4
    assert weights.error == pytest.approx(abs(float(weights.returned) - float(weights.expected)))
    assert [fault for fault, _ in found.faults] == ["softmax-over-queries"]
    assert found.traced in {one.case for one in found.outputs}
    assert found.extra is not None
    assert found.extra.perturbation is not None
    facts = stage_facts(found.stages, {"weights": "wrong"})
    assert facts["weights"].startswith(" × ".join(map(str, weights.shape)) + " · max error ")
    evidence.write_result(engine, key, made, END)
    assert evidence.make_row(engine, key, lane, CaseCache(None), packages) is None


def test_a_record_that_failed_can_be_asked_for_again(
    engine: Engine, led: tuple[User, Interview], attempt: Attempt
) -> None:
    key = ask(engine, led[0], attempt)
    evidence.write_result(engine, key, NotMade(may_pass=True), END)
    with read_session(engine) as session:
        reviewed = review_queries.attempt_reviewed(session, led[0], attempt.public_id)
        assert reviewed.attempt.id == attempt.id
        with pytest.raises(NotFound):
            evidence.text(session, led[0], attempt.public_id, 1)
    assert ask(engine, led[0], attempt) == key
    assert unmade(engine) == [key]
    with write_session(engine) as session:
        session.execute(update(EvidenceRecord).values(made_at=END))
    evidence.write_result(engine, key, Made("1" * 64, b"late"), END)  # what is made stays
    with read_session(engine) as session:
        assert session.scalars(select(EvidenceRecord.record)).all() == [None]


def test_a_record_stays_where_making_it_anew_fails(
    engine: Engine, packages: Packages, led: tuple[User, Interview], attempt: Attempt
) -> None:
    key = ask(engine, led[0], attempt)
    kept = Made("0" * 64, zlib.compress(b"the record"), "{}")
    evidence.write_result(engine, key, kept, END)
    for made in (NotMade(may_pass=True), NotMade(may_pass=False)):
        assert ask(engine, led[0], attempt) == key
        evidence.write_result(engine, key, made, END + timedelta(hours=1))
        with read_session(engine) as session:
            found = session.get_one(EvidenceRecord, key, options=[undefer("*")])
            assert (found.package_sha256, found.record, found.pictures, found.made_at) == (*astuple(kept), END)
            assert evidence.text(session, led[0], attempt.public_id, 1) == b"the record"
    ask(engine, led[0], attempt)
    newer = Made("1" * 64, zlib.compress(b"anew"), "{}")
    evidence.write_result(engine, key, newer, END + timedelta(hours=2))
    with read_session(engine) as session:
        found = session.get_one(EvidenceRecord, key)
        assert (found.package_sha256, found.made_at, found.made_before_at) == ("1" * 64, END + timedelta(hours=2), None)
        assert evidence.text(session, led[0], attempt.public_id, 1) == b"anew"


@pytest.mark.sandbox
def test_a_record_that_our_own_fault_loses_is_made_at_another_try(
    engine: Engine,
    pool: Pool,
    packages: Packages,
    led: tuple[User, Interview],
    attempt: Attempt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail_at_first(*arguments: Any, **named: Any) -> Examination:
        if left:
            raise SandboxLost(left.pop())
        return examine(*arguments, **named)

    left = ["a zygote was killed"] * 2
    monkeypatch.setattr(evidence, "examine", fail_at_first)
    ask(engine, led[0], attempt)
    service = Judging(engine, pool, CaseCache(None), packages)
    service.start()
    try:
        assert wait_until(lambda: unmade(engine) == [], 60)
    finally:
        service.close()
    assert left == []
    with read_session(engine) as session:
        assert evidence.text(session, led[0], attempt.public_id, 1)
