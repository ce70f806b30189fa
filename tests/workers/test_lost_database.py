"""`grader batch --database` while its database is lost: it ends as it does undisturbed, or says why not and lets go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, make_url

from grader.store.session import make_engine
from tests.batch.folders import put, verdicts
from tests.cli.conftest import command
from tests.cli.running import Command
from tests.services.tiny_package import RIGHT, SLUG, WRONG, write_package
from tests.workers.databases import fresh
from tests.workers.proxy import Proxy
from tests.workers.test_batch_command import BATCH, left
from tests.workers.working import SLOW, Workers

__all__ = ["command"]
pytestmark = [pytest.mark.services, pytest.mark.sandbox]
COMMITS: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("lost_commits.yaml").read_text())


@dataclass(frozen=True)
class Judged:
    """A database that a worker judges for, and its packages."""

    url: str
    problems: Path

    @property
    def env(self) -> dict[str, str]:
        return {"GRADER_PROBLEMS": str(self.problems)}


@pytest.fixture(scope="module")
def judged(postgres_server: str, upgraded_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """One worker for all tests: none leaves anything behind."""
    folder = tmp_path_factory.mktemp("judged")
    package = write_package(folder / "problems")
    (package / "stages.py").write_text("def output(x):\n    return x * 2.0\n")
    url = fresh(postgres_server, "lost", like=make_url(upgraded_database).database or "")
    with Workers(url, folder / "problems", folder) as workers:
        workers.start("--jobs=1").wait_until_alive()
        yield Judged(url, folder / "problems")


@pytest.fixture
def proxy(judged: Judged, tmp_path: Path) -> Iterator[Proxy]:
    with Proxy(judged.url, tmp_path / "proxy") as proxy:
        yield proxy


@pytest.fixture
def stored(judged: Judged) -> Iterator[Engine]:
    """The database itself, for a look at what it holds."""
    engine = make_engine(judged.url)
    yield engine
    engine.dispose()


@pytest.mark.parametrize("is_committed", [True, False], ids=["done", "not done"])
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in COMMITS])
def test_a_lost_commit_changes_nothing(
    command: Command, judged: Judged, stored: Engine, proxy: Proxy, case: dict[str, Any], is_committed: bool
) -> None:
    for name, source in {"ada": SLOW, "ben": WRONG, "cy": RIGHT, "dee": b"", "eve": SLOW + b"# eve"}.items():
        put(command.folder / "in", name, source, SLUG)
    if "is_new" in case:
        with (judged.problems / SLUG / "statement.md").open("a") as file:
            file.write(f"\nOf a case where it was done: {is_committed}.\n")
    proxy.lose_commit(case["statement"], is_committed=is_committed)
    ended = command.run(*BATCH, f"--database={proxy.url}", env=judged.env)
    assert proxy.lost.is_set()
    assert ended.code == 0, ended.err
    found = {"ada": "AC", "ben": "WA", "cy": "AC", "dee": "CE", "eve": "AC"}
    assert verdicts(command.folder / "out") == found
    assert left(stored) == [0, 0, 0]
