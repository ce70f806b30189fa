"""A reader who takes a download slowly holds no connection between its pieces, on SQLite and PostgreSQL."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, QueuePool, insert, select

from grader.grading.verdict import Verdict
from grader.services import audit_log, exports, own_data
from grader.services.packages import Packages
from grader.store.interview_models import Interview
from grader.store.models import EvidenceRecord, SampleRun, Submission, User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.reviewing import END, make_judged, make_led

WA = make_judgement(Verdict.WA, ("thrice",), "output")


@pytest.fixture
def lead(engine: Engine, packages: Packages) -> User:
    """Who leads an interview with more attempts than are read at a time, each with a record."""
    lead, interview = make_led(engine, packages)
    for number in range(exports.ATTEMPTS_AT_ONCE + 2):
        make_judged(engine, lead, interview, f"Candidate {number}", WA)
    with write_session(engine) as session:
        made = {"asked_at": END, "made_at": END, "package_sha256": "0" * 64, "record": zlib.compress(b"{}")}
        session.execute(
            insert(EvidenceRecord), [{"submission_id": key, **made} for key in session.scalars(select(Submission.id))]
        )
    return lead


def download(engine: Engine, packages: Packages, lead: User, word: str) -> Iterator[str]:
    """Begin one of the downloads that come piece by piece."""
    if word == "own data":
        ada = make_candidate(engine)
        attempt = make_attempt(engine, packages, ada)
        make_submission(engine, ada, attempt)
        with write_session(engine) as session:
            session.add(SampleRun(attempt_id=attempt.id, ordinal=1, source=b"run = 1\n", created_at=NOON))
        return own_data.export(engine, ada, packages, NOON)
    if word == "audit log":
        return audit_log.table(engine, lead, audit_log.wanted({}))
    with read_session(engine) as session:
        interview = session.scalars(select(Interview)).one()
    return exports.export(engine, lead, interview.public_id, word, NOON).pieces


@pytest.mark.parametrize("word", [*exports.Kind, "own data", "audit log"])
def test_no_connection_is_held_between_the_pieces_of_a_download(
    engine: Engine, packages: Packages, lead: User, word: str
) -> None:
    pool = engine.pool
    assert isinstance(pool, QueuePool)
    held = [pool.checkedout() for _ in download(engine, packages, lead, word)]
    assert len(held) > 2
    assert set(held) == {0}
