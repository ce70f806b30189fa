"""A worker whose role in the database may judge and may not read who people are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import ProgrammingError

from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import rejudge
from grader.services.packages import Packages
from grader.services.rejudge import State
from grader.store import worker_role
from grader.store.batch_models import BatchRun
from grader.store.session import make_engine, read_session, write_session
from tests.processes import wait_until
from tests.services.made import after
from tests.services.rejudging import SOURCES, Room
from tests.services.tiny_package import RIGHT
from tests.workers.working import ROOT, Queue, Workers

pytestmark = [pytest.mark.services, pytest.mark.sandbox]
ROLE: Final = "judge of the tests"
HIDDEN: Final = ("user_account", "web_session", "sign_in_link", "api_token", "idempotent_reply", "invitation", "review")


@pytest.fixture
def restricted_url(engine: Engine, postgres_url: str) -> Iterator[str]:
    with engine.begin() as connection:
        connection.execute(text(f'CREATE ROLE "{ROLE}" LOGIN'))
    worker_role.grant(postgres_url, ROLE)
    yield postgres_url.replace("grader@", f"{ROLE.replace(' ', '%20')}@")
    with engine.begin() as connection:
        connection.execute(text(f'DROP OWNED BY "{ROLE}"'))
        connection.execute(text(f'DROP ROLE "{ROLE}"'))


@pytest.mark.parametrize("table", HIDDEN)
def test_people_and_secrets_are_out_of_reach(restricted_url: str, table: str) -> None:
    own = make_engine(restricted_url)
    with own.connect() as connection, pytest.raises(ProgrammingError, match="permission denied"):
        connection.execute(text(f"SELECT * FROM {table}"))
    own.dispose()


def test_submissions_are_judged(
    engine: Engine, postgres_url: str, packages: Packages, restricted_url: str, workers: Workers
) -> None:
    queue = Queue(engine, postgres_url, packages)
    workers.start(url=restricted_url)
    key = queue.hand_in(RIGHT)
    assert queue.is_judged(key, 60), workers.started[0].log.read_text()
    assert queue.verdict(key) is Verdict.AC


def test_a_batch_whose_command_is_gone_is_removed(engine: Engine, restricted_url: str, workers: Workers) -> None:
    with write_session(engine) as session:
        session.add(BatchRun(created_at=after(0), seen_at=after(0), finding="full", has_evidence=False))
    worker = workers.start(url=restricted_url)
    assert wait_until(lambda: runs(engine) == 0, 60), worker.log.read_text()
    assert "permission denied" not in worker.log.read_text()


def runs(engine: Engine) -> int:
    with read_session(engine) as session:
        return len(session.scalars(select(BatchRun.id)).all())


def test_a_rejudge_is_made_and_applied(
    engine: Engine,
    packages: Packages,
    pool: Pool,
    cache: CaseCache,
    restricted_url: str,
    workers: Workers,
    tmp_path: Path,
) -> None:
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    room.hand_in(room.attempts[0], *SOURCES)
    found = room.create()
    workers.start(url=restricted_url)

    def is_at(state: State) -> bool:
        with read_session(engine) as session:
            return rejudge.preview(session, room.lead, found.public_id, 1).state is state

    assert wait_until(lambda: is_at(State.READY), 60), workers.started[0].log.read_text()
    with write_session(engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))
    assert wait_until(lambda: is_at(State.APPLIED), 30), workers.started[0].log.read_text()


def test_the_rights_are_those_of_the_document() -> None:
    told: dict[str, str] = {}
    document = (ROOT / "grader" / "OPERATIONS.md").read_text()
    for rights, tables in re.findall(r"GRANT ([^;]+?) ON ([a-z_,\s]+?)\s+TO grader_worker;", document):
        told |= {table.strip(): rights for table in tables.split(",")}
    assert told == dict(worker_role.RIGHTS)
