"""The pages on PostgreSQL, and several web processes that share the work without doing any of it twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Engine, select, text

from grader.grading.verdict import Verdict
from grader.store.models import CaseResult, SampleRun, Submission
from grader.store.queue import claimed
from grader.store.session import make_engine, read_session
from tests.bench.loopback import Candidate, make_candidates
from tests.processes import wait_until
from tests.services.conftest import postgres_url
from tests.services.made import make_judgement
from tests.services.tiny_package import RIGHT, SLUG, write_package
from tests.store.conftest import postgres_server, upgraded_database
from tests.store.engines import kept_engine
from tests.web.browsing import Browser, judge_last, sources
from tests.web.serving import serving

__all__ = ["postgres_server", "postgres_url", "upgraded_database"]
pytestmark = pytest.mark.services


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    with kept_engine(postgres_url) as engine:
        yield engine


def test_a_candidate_goes_all_the_way(ada: Browser, engine: Engine) -> None:
    assert "Twice as much" in ada.text("/")
    ada.start()
    assert ada.post(f"{ada.attempt}/draft", source="draft = 1\n").status_code == 204
    assert "draft = 1" in ada.text(ada.attempt)
    page = ada.submit("x = '\0 é'\n").location
    assert sources(engine) == ["x = '\0 é'\n".encode()]
    assert "<h1>Grading</h1>" in ada.text(page)
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",)))
    assert ada.get(f"{page}/verdict").status_code == 200
    assert "Wrong answer" in ada.text(page)
    assert ada.post(f"{ada.attempt}/sample-runs", source="x").status_code == 303
    judge_last_after(ada, engine)
    assert "Accepted" in ada.text(f"{ada.attempt}/submissions/2")
    answer = "I think that it multiplies by three."
    assert ada.post(f"{ada.attempt}/answers/first", answer=answer).status_code == 303
    assert answer in ada.text(f"{ada.attempt}/follow-ups")
    assert "Twice as much" in ada.text("/progress")
    assert ada.get("/readyz").data == b"ready"
    assert ada.post("/sign-out").status_code == 303
    assert ada.get(ada.attempt).status_code == 303


def judge_last_after(browser: Browser, engine: Engine) -> None:
    browser.submit("x = 2\n")
    judge_last(engine, make_judgement(Verdict.AC))


def test_one_thread_at_a_time_has_a_row(engine: Engine, postgres_url: str) -> None:
    other = make_engine(postgres_url)
    with claimed(engine, Submission, 7) as is_mine:
        with claimed(other, Submission, 7) as is_theirs, claimed(other, SampleRun, 7) as is_another:
            assert (is_mine, is_theirs, is_another) == (True, False, True)
        with claimed(other, Submission, 8) as is_another:
            assert is_another
    with claimed(other, Submission, 7) as is_theirs:
        assert is_theirs
    other.dispose()


def test_a_row_is_free_again_when_its_process_dies(engine: Engine, postgres_url: str) -> None:
    other = make_engine(postgres_url)
    with other.connect() as dying:
        dying.execute(select(text("pg_try_advisory_lock(1735551603, 7)")))
        with claimed(engine, Submission, 7) as is_mine:
            assert not is_mine
        dying.invalidate()

    def is_free() -> bool:
        with claimed(engine, Submission, 7) as is_mine:
            return is_mine

    assert wait_until(is_free)  # the server learns of it by the closed connection
    other.dispose()


async def hand_in(candidates: list[Candidate], each: int) -> int:
    """Hand sources in, all candidates at once; return how many were taken."""

    async def one(candidate: Candidate) -> int:
        await candidate.start(SLUG, "only")
        taken = 0
        while taken < each:
            reply = await candidate.submit(f"{RIGHT.decode()}# {taken}\n")
            assert reply.status in (303, 429), reply
            taken += reply.status == 303
            if reply.status == 429:
                await asyncio.sleep(0.2)
        await candidate.close()
        return taken

    return sum(await asyncio.gather(*map(one, candidates)))


@pytest.mark.sandbox
def test_two_processes_judge_each_row_once(tmp_path: Path, engine: Engine, postgres_url: str) -> None:
    write_package(tmp_path / "problems")
    with serving(
        tmp_path / "run", tmp_path / "problems", options=["--processes=2"], GRADER_DATABASE_URL=postgres_url
    ) as base:
        parts = urlsplit(base)
        assert parts.hostname
        assert parts.port
        candidates = make_candidates(engine, parts.hostname, parts.port, 12)
        taken = asyncio.run(hand_in(candidates, 10))

        def waiting() -> int:
            with read_session(engine) as session:
                return len(session.scalars(select(Submission.id).where(Submission.verdict.is_(None))).all())

        assert wait_until(lambda: waiting() == 0, 60)
    with read_session(engine) as session:
        verdicts = Counter(session.scalars(select(Submission.verdict)))
        cases = Counter(session.scalars(select(CaseResult.submission_id)))
    assert verdicts == {Verdict.AC: taken}
    assert taken == 120
    assert set(cases.values()) == {4}
