"""What workers and their settings refuse, each with one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import text

from grader.store.migrate import upgrade
from grader.store.session import make_engine
from tests.cli.running import Command

CASES: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("refusals.yaml").read_text())
pytestmark = pytest.mark.services


def prepare(url: str, revision: str) -> None:
    """Bring a database to a revision, also to one that there is not."""
    if revision == "base":
        return
    upgrade(url, "head" if revision == "9999" else revision)
    if revision == "9999":
        engine = make_engine(url)
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        engine.dispose()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_refusal_is_one_sentence(case: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest) -> None:
    settings = dict(case["settings"])
    if settings.get("GRADER_DATABASE_URL") == "URL":
        settings["GRADER_DATABASE_URL"] = request.getfixturevalue("empty_url")
        prepare(settings["GRADER_DATABASE_URL"], case["revision"])
    ended = Command(tmp_path, tmp_path / "cache").run(*case["args"], env=settings)
    assert (ended.code, ended.line.partition(": ")[2] or ended.line) == (2, case["says"])


@pytest.mark.parametrize("value", ["here", "0", "65536", "127.0.0.1:", "-1", "\u0661"])
def test_no_port_for_figures_is_a_usage_error(value: str, tmp_path: Path) -> None:
    ended = Command(tmp_path, tmp_path / "cache").run("worker", "--metrics", value)
    assert ended.code == 2
    assert "names no port; write PORT or ADDRESS:PORT, for example 9100." in ended.err


def test_a_queue_that_there_is_not_is_a_usage_error(tmp_path: Path) -> None:
    ended = Command(tmp_path, tmp_path / "cache").run("worker", "--queues", "fast")
    assert ended.code == 2
    assert "'fast' names no queue; write interactive, batch or one of them." in ended.err
