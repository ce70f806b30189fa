"""Batches from ZIP archives: what is packed as it should be is judged, what attacks is told, and nothing leaves."""

from __future__ import annotations

import zipfile
from typing import Any, Final

import pytest
import yaml

from grader.report.visible import visible
from tests.batch.archives import build
from tests.batch.folders import ENV, RIGHT, SLUG, lines, put, table, verdicts
from tests.cli.running import Command
from tests.packages import DATA

pytestmark = pytest.mark.sandbox
ENTRIES: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "archives.yaml").read_text())
ZIPPED: Final = ("batch", "in.zip", "--out", "out", "--jobs", "1")
END: Final = ("; nothing in it is judged.", "")


def test_there_are_archives() -> None:
    assert len(ENTRIES) >= 20


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in ENTRIES])
def test_an_archive(command: Command, entry: dict[str, Any]) -> None:
    build(command.folder / "in.zip", entry)
    before = set(command.folder.rglob("*"))
    more = () if entry.get("is_run") else ("--dry-run",)  # which reads every member and says the same of them
    ended = command.run(*ZIPPED, *more, env=ENV)
    if "line" in entry:
        assert (ended.code, ended.line) == (2, "grader: " + entry["line"].replace(": P.", f": {SLUG}."))
        assert not (command.folder / "out").exists()
        return
    told = [text.replace("P", SLUG) for text in entry.get("told", ())]
    said = ended.err.splitlines()
    assert ended.code == (2 if told else 0)
    if more:
        assert [row.partition("\t")[0] for row in ended.out.splitlines()] == sorted(
            visible(name, keep="") for name in entry["judged"]
        )
    else:
        assert verdicts(command.folder / "out") == entry["judged"]
    expected = {f"grader: {text}{END[text.endswith('.')]}" for text in told}
    expected |= {f"grader: {entry['remark']}"} if "remark" in entry else set()
    assert {text for text in said if text.startswith("grader: ")} == expected
    new = set(command.folder.rglob("*")) - before
    assert all(not more and path.is_relative_to(command.folder / "out") for path in new)


def test_an_archive_gives_what_its_folder_gives(command: Command) -> None:
    members = [{"name": "ann/P.py"}, {"name": "bob/P.py", "source": "wrong"}, {"name": "eve/P.py", "text": "def"}]
    build(command.folder / "in.zip", {"members": members})
    with zipfile.ZipFile(command.folder / "in.zip") as archive:
        archive.extractall(command.folder / "in")
    for place in ("in", "in.zip"):
        assert command.run("batch", place, "--out", f"out-{place}", "--jobs", "1", env=ENV).code == 0
    first, second = (table(command.folder / f"out-{place}") for place in ("in", "in.zip"))
    assert len(first) == 3
    assert first == second


def test_an_archive_is_resumed(command: Command) -> None:
    build(
        command.folder / "in.zip",
        {"members": [{"name": f"c{number}/P.py", "text": f"{number}"} for number in range(4)]},
    )
    assert command.run(*ZIPPED, env=ENV).code == 0
    path = command.folder / "out/results.jsonl"
    whole = path.read_text().splitlines(keepends=True)
    path.write_text("".join(whole[:2]) + whole[2][:50])
    ended = command.run(*ZIPPED, "--resume", env=ENV)
    assert (ended.code, ended.err) == (0, "4 results (2 of them from before): 4 CE; in out\n")
    assert len(lines(command.folder / "out")) == 4


def test_a_file_that_is_none_of_it(command: Command) -> None:
    put(command.folder, "in", RIGHT)
    wanted = "name a folder of <candidate>/<problem>.py, a ZIP of one, or a CSV table."
    ended = command.run("batch", f"in/{SLUG}.py", "--out", "out", env=ENV)
    assert (ended.code, ended.line) == (
        2,
        f"grader: in/{SLUG}.py is neither a folder nor a ZIP archive nor a CSV table; {wanted}",
    )
