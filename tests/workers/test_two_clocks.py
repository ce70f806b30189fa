"""A batch whose command and workers have another time than the database: the database's time is everybody's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import text

from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.batch.folders import put, verdicts
from tests.cli.conftest import command
from tests.cli.running import Command, end_of
from tests.processes import wait_until
from tests.services.tiny_package import RIGHT, SLUG, WRONG
from tests.workers.databases import fresh
from tests.workers.working import Workers

__all__ = ["command"]
pytestmark = [pytest.mark.services, pytest.mark.sandbox]
NAME: Final = "another_time"
SLOW: Final = b"import time\n\n\ndef twice(x):\n    time.sleep(0.02)\n    return x * 2\n"
AN_HOUR_OFF: Final = "SELECT extract(epoch FROM now() - pg_catalog.now())"


@pytest.fixture(params=[1, -1], ids=["ahead", "behind"])
def url(request: pytest.FixtureRequest, postgres_server: str) -> str:
    """A database whose `now()` is an hour off for everybody who asks it, and in every default of its tables."""
    url = fresh(postgres_server, NAME)
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"ALTER DATABASE {NAME} SET search_path = public, pg_catalog"))
        connection.execute(
            text(
                "CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS "
                f"$$ SELECT pg_catalog.now() + interval '{request.param} hour' $$"
            )
        )
    engine.dispose()
    upgrade(url)
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.execute(text(AN_HOUR_OFF)).scalar_one() == request.param * 3600
    engine.dispose()
    return url


@pytest.fixture(autouse=True)
def new_version(problems: Path, url: str) -> None:
    """A version of the package that nothing is prepared for, so that its first jobs are put off for a while."""
    with (problems / SLUG / "statement.md").open("a") as file:
        file.write(f"\n{time.time_ns()}\n")


def judged(url: str) -> set[tuple[str, int]]:
    """Return state and number of attempts of the chunks that are stored still; no run is left."""
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM batch_run")).scalar_one() == 0
        jobs = connection.execute(
            text("SELECT status::text, attempts FROM procrastinate_jobs WHERE task_name = 'grader.judge_chunk'")
        )
        left = {(status, attempts) for status, attempts in jobs}
    engine.dispose()
    return left


def test_a_batch_is_judged_once_each_by_whatever_clock(
    command: Command, problems: Path, tmp_path: Path, url: str
) -> None:
    names = [f"c{number:02}" for number in range(20)]
    for name in names:
        put(command.folder / "in", name, (RIGHT if name < "c10" else WRONG) + f"# {name}\n".encode(), SLUG)
    with Workers(url, problems, tmp_path) as workers:
        workers.start("--jobs=1")
        args = ("batch", "in", "--out", "out", f"--database={url}")
        ended = command.run(*args, env={"GRADER_PROBLEMS": str(problems)})
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "20 results: 10 AC, 10 WA; in out")
    assert verdicts(command.folder / "out") == {name: "AC" if name < "c10" else "WA" for name in names}
    assert judged(url) == set()


@pytest.mark.long
def test_a_killed_worker_costs_nothing_by_whatever_clock(
    command: Command, problems: Path, tmp_path: Path, url: str
) -> None:
    names = [f"c{number:02}" for number in range(40)]
    for name in names:
        put(command.folder / "in", name, SLOW + f"# {name}\n".encode(), SLUG)
    lines = command.folder / "out/results.jsonl"
    with Workers(url, problems, tmp_path) as workers:
        first = workers.start("--jobs=1")
        args = ("batch", "in", "--out", "out", f"--database={url}")
        with command.start(*args, env={"GRADER_PROBLEMS": str(problems)}) as process:
            assert wait_until(lambda: lines.exists() and lines.stat().st_size > 0, 60), process.poll()
            first.kill()
            workers.start("--jobs=1")
            assert end_of(process).code == 0
    assert verdicts(command.folder / "out") == dict.fromkeys(names, "AC")
    assert judged(url) == set()
