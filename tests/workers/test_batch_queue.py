"""Work that nobody waits for at a page, with a package that only the database has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
from sqlalchemy import Engine, select

from grader.services.packages import Packages
from grader.store.interview_models import PackageCheck
from grader.store.session import read_session, write_session
from tests.processes import wait_until
from tests.workers.working import ROOT, Workers

pytestmark = [pytest.mark.services, pytest.mark.sandbox]
SLUG: Final = "heads-never-mix"  # its check takes long enough to be broken off


def done(engine: Engine) -> int:
    """Return how many runs of the check are over."""
    with read_session(engine) as session:
        return session.scalars(select(PackageCheck.done)).one()


def test_a_check_is_broken_off_at_the_end_and_waits_for_another_worker(engine: Engine, workers: Workers) -> None:
    shipped = Packages(ROOT / "problems")
    with write_session(engine) as session:
        package = shipped.remember(session, shipped.named(SLUG), datetime.now(UTC))
        session.add(PackageCheck(package_id=package.id))
    worker = workers.start()
    assert wait_until(lambda: done(engine) > 0, 90), worker.log.read_text()
    assert worker.stop() == 0, worker.log.read_text()
    with read_session(engine) as session:
        assert session.scalars(select(PackageCheck.checked_at)).one() is None
