"""What workers judge while the database is lost: commands end as undisturbed, or say why not; all let go of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, make_url, text

from grader.store.address import shown_address
from grader.store.session import make_engine, write_session
from tests.batch.folders import lines, put, verdicts
from tests.cli.conftest import command
from tests.cli.running import Command, end_of
from tests.processes import all_gone, children_of, wait_until
from tests.services.tiny_package import RIGHT, SLUG, WRONG, write_package
from tests.workers.databases import fresh
from tests.workers.proxy import Proxy
from tests.workers.test_batch_command import BATCH, begun, hand_in, left, say
from tests.workers.working import SLOW, Workers

__all__ = ["command"]
pytestmark = [pytest.mark.services, pytest.mark.sandbox]
COMMITS: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("lost_commits.yaml").read_text())
SLOWER: Final = b"import time\n\n\ndef twice(x):\n    time.sleep(0.1)\n    return x * 2\n"  # than the others
SILENT: Final = "grader: The database has not answered for 10 s; waiting for it.\n"


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


@pytest.mark.parametrize(
    "is_committed",
    [pytest.param(True, id="done"), pytest.param(False, id="not done", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in COMMITS])
def test_a_lost_commit_changes_nothing(
    command: Command, judged: Judged, stored: Engine, proxy: Proxy, case: dict[str, Any], is_committed: bool
) -> None:
    slow = SLOW if "in_parts" in case else SLOWER
    for name, source in {"ada": slow, "ben": WRONG, "cy": RIGHT, "dee": b"", "eve": slow + b"# eve"}.items():
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


def test_a_frozen_database_is_told_and_ctrl_c_ends_the_wait(command: Command, judged: Judged, proxy: Proxy) -> None:
    hand_in(command, 30)
    with begun(command, judged.env, proxy.url, 2) as process:
        proxy.freeze()
        say(process, SILENT)
        process.send_signal(signal.SIGINT)
        ended = end_of(process)
    assert (ended.code, ended.err.splitlines()[-1].partition("; ")[0]) == (130, "grader: Interrupted")
    assert 2 <= len(lines(command.folder / "out")) < 30


def test_the_second_ctrl_c_does_not_wait_for_a_frozen_database(command: Command, judged: Judged, proxy: Proxy) -> None:
    hand_in(command, 30)
    with begun(command, judged.env, proxy.url, 2) as process:
        proxy.freeze()
        process.send_signal(signal.SIGINT)
        say(process, "once more ends at once")
        process.send_signal(signal.SIGINT)
        ended = end_of(process)
    assert (ended.code, ended.err.splitlines()[-1].partition("; ")[0]) == (130, "grader: Interrupted")
    assert "not answered" not in ended.err


def test_a_database_that_thaws_is_gone_on_with(command: Command, judged: Judged, proxy: Proxy) -> None:
    names = hand_in(command, 30)
    with begun(command, judged.env, proxy.url, 2) as process:
        proxy.freeze()
        say(process, SILENT)
        proxy.go_on()
        ended = end_of(process)
    assert (ended.code, verdicts(command.folder / "out")) == (0, dict.fromkeys(names, "AC"))
    assert "No worker" not in ended.err


def test_an_address_that_never_answers_is_told(command: Command, judged: Judged, proxy: Proxy) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    proxy.freeze()
    ended = command.run(*BATCH, f"--database={proxy.url}", env=judged.env)
    assert (ended.code, ended.err.splitlines()[-1]) == (
        2,
        f"grader: The database {shown_address(proxy.url)} cannot be used (connection timeout expired); make it usable, "
        "or name another with --database.",
    )
    assert not (command.folder / "out").exists()


def test_ctrl_c_ends_the_wait_for_an_address_that_never_answers(command: Command, judged: Judged, proxy: Proxy) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    proxy.freeze()
    process = command.start(*BATCH, f"--database={proxy.url}", env=judged.env)
    assert wait_until(lambda: bool(proxy.links), 60), process.poll()
    process.send_signal(signal.SIGINT)
    ended = end_of(process)
    assert (ended.code, ended.err) == (130, "grader: Interrupted.\n")


def test_what_a_database_has_lost_is_judged_all_the_same(command: Command, judged: Judged, stored: Engine) -> None:
    names = hand_in(command, 40)
    with begun(command, judged.env, judged.url, 2) as process:
        with write_session(stored) as session:
            session.execute(text("DELETE FROM batch_source WHERE judged_at IS NULL"))
        ended = end_of(process)
    assert (ended.code, verdicts(command.folder / "out")) == (0, dict.fromkeys(names, "AC"))


def test_the_second_signal_ends_a_worker_that_no_database_answers(
    engine: Engine, postgres_url: str, problems: Path, tmp_path: Path
) -> None:
    with Proxy(postgres_url, tmp_path / "proxy") as proxy, Workers(proxy.url, problems, tmp_path) as workers:
        worker = workers.start("--jobs=1")
        worker.wait_until_alive()
        sandbox = children_of(worker.process.pid)
        proxy.freeze()
        worker.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: "once more ends at once" in worker.log.read_text(), 60)
        assert worker.stop() == 128 + signal.SIGTERM
        assert sandbox
        assert all_gone(sandbox)
