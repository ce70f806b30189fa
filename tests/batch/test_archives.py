"""Batches from ZIP archives: what is packed as it should be is judged, what attacks is told, and nothing leaves."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.batch.find import find_submissions
from grader.batch.layout import layout
from grader.batch.sources import hash_sources
from grader.errors import UserError
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


def told_of(entry: dict[str, Any]) -> set[str]:
    """Return what is said of an archive."""
    told = [text.replace("P", SLUG) for text in entry.get("told", ())]
    return {f"{text}{END[text.endswith('.')]}" for text in told} | ({entry["remark"]} if "remark" in entry else set())


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in ENTRIES])
def test_an_archive_is_read(tmp_path: Path, entry: dict[str, Any]) -> None:
    path = tmp_path / "in.zip"
    build(path, entry)
    if "line" in entry:
        with pytest.raises(UserError) as error:
            find_submissions(path, layout([SLUG]))
        assert error.value.message == f"{tmp_path}/" + entry["line"].replace(": P.", f": {SLUG}.")
    else:
        found = find_submissions(path, layout([SLUG]))
        sources = hash_sources(found.submissions)
        assert [candidate for candidate, _ in sorted(sources.sha256)] == sorted(entry["judged"])
        unread = {f"{item.place} {why}; it has no result." for item, why in sources.unreadable}
        said = {text.replace(f"{tmp_path}/", "") for text in {*found.unreadable, *found.remarks, *unread}}
        assert {text.replace("\0", "\\x00") for text in said} == told_of(entry)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry.get("is_run")])
def test_an_archive_is_judged(command: Command, entry: dict[str, Any]) -> None:
    build(command.folder / "in.zip", entry)
    before = set(command.folder.rglob("*"))
    ended = command.run(*ZIPPED, env=ENV)
    told = {f"grader: {text}" for text in told_of(entry)}
    assert ended.code == (2 if told else 0)
    assert verdicts(command.folder / "out") == entry["judged"]
    assert {text for text in ended.err.splitlines() if text.startswith("grader: ")} == told
    assert all(path.is_relative_to(command.folder / "out") for path in set(command.folder.rglob("*")) - before)


TOPS: Final[list[tuple[list[str], dict[str, Any], list[str]]]] = [
    (["hw/ann.py", "hw/bob.py"], {"problem": SLUG}, ["ann", "bob"]),
    (["hw/ann.py", "hw/bob.py", "hw/README.md"], {"problem": SLUG}, ["ann", "bob"]),
    (["hw/ann/a.py", "hw/bob/b.py"], {"problem": SLUG}, ["ann", "bob"]),
    (["ann/a.py"], {"problem": SLUG}, ["ann"]),
    (["hw/README.md", "hw/ann/P.py", "hw/bob/P.py"], {}, ["ann", "bob"]),
    (["README.md", "ann/P.py"], {}, ["ann"]),
    (["ann/P.py", "ann/README.md"], {}, ["ann"]),
    (["hw/ann_1.py", "hw/bob_1.py"], {"problem": SLUG, "id_pattern": "{candidate}_*.py"}, ["ann", "bob"]),
    (["hw/x/ann.py", "hw/x/bob.py"], {"problem": SLUG, "id_pattern": "hw/x/{candidate}.py"}, ["ann", "bob"]),
]


@pytest.mark.parametrize(("names", "options", "candidates"), TOPS)
def test_one_folder_around_everything_is_nobodys(
    tmp_path: Path, names: list[str], options: dict[str, Any], candidates: list[str]
) -> None:
    build(tmp_path / "in.zip", {"members": [{"name": name} for name in names]})
    found = find_submissions(tmp_path / "in.zip", layout([SLUG], **options))
    assert [each.candidate for each in found.submissions] == candidates
    assert found.unusable == ()


def test_an_archive_that_is_refused_leaves_nothing(command: Command) -> None:
    build(command.folder / "in.zip", {"members": [{"name": "ann/P.py"}], "cut": 30})
    ended = command.run(*ZIPPED, env=ENV)
    said = "in.zip is no readable ZIP archive (it has no list of members); pack the folder again."
    assert (ended.code, ended.line) == (2, f"grader: {said}")
    assert not (command.folder / "out").exists()


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
