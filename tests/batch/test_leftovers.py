"""`--resume`: what an earlier run wrote of results that are gone goes too, and nothing of anybody else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.batch.folders import BATCH, ENV, RIGHT, SLUG, WRONG, copy_judged, put
from tests.cli.running import Command, Ended

pytestmark = pytest.mark.sandbox
TABLES: Final = {"results.jsonl", "results.csv", "gradebook.csv", "manifest.json", "report.html", "dropped.1.jsonl"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Path:
    """A batch with pages, files for Gradescope and records, judged once for all tests."""
    command = Command(tmp_path_factory.mktemp("judged"), cache_folder)
    for name, source in (("ann", RIGHT), ("bob", WRONG), ("eve", WRONG)):
        put(command.folder / "in", name, source)
    ended = command.run(*BATCH, "--format", "csv,html,gradescope", "--evidence", env=ENV)
    assert (ended.code, ended.err) == (0, "3 results: 1 AC, 2 WA; in out\n")
    return command.folder


@pytest.fixture
def judged(command: Command, template: Path) -> Command:
    """The command beside a copy of that batch."""
    copy_judged(template, command.folder)
    return command


def files(command: Command) -> set[str]:
    """Return every file below the batch's folder."""
    out = command.folder / "out"
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}


def of(*names: str) -> set[str]:
    """Return the page and the file for Gradescope of some candidates."""
    return {path for name in names for path in (f"html/{name}.html", f"gradescope/{name}/results.json")}


def go_on(command: Command) -> Ended:
    """Go on after one file has gone and another was mended."""
    shutil.rmtree(command.folder / "in/bob")
    put(command.folder / "in", "eve", RIGHT)
    ended = command.run(*BATCH, "--resume", env=ENV)
    assert ended.code == 0, ended.err
    return ended


def test_what_belongs_to_no_result_goes(judged: Command) -> None:
    record = f"evidence/bob/{SLUG}.json"
    assert files(judged) == {
        *(TABLES - {"dropped.1.jsonl"}),
        *of("ann", "bob", "eve"),
        record,
        record.replace("bob", "eve"),
    }
    (judged.folder / "out/html/.bob.html.new").touch()  # as if a run had been killed while it wrote the page
    go_on(judged)
    assert files(judged) == {*TABLES, *of("ann", "eve")}
    assert not (judged.folder / "out/evidence").exists()


def test_files_of_others_stay(judged: Command) -> None:
    theirs = {
        "html/notes.html",
        "gradescope/bob/mine.json",
        "evidence/bob/other.json",
        "evidence/zoe/x.json",
        "bob.html",
    }
    for name in theirs:
        (judged.folder / "out" / name).parent.mkdir(exist_ok=True)
        (judged.folder / "out" / name).write_text("theirs")
    go_on(judged)
    assert files(judged) == {*TABLES, *of("ann", "eve"), *theirs}


def test_no_link_is_followed(judged: Command) -> None:
    out, elsewhere = judged.folder / "out", judged.folder / "elsewhere"
    shutil.move(out / "evidence/bob", elsewhere / "bob")
    (out / "evidence/bob").symlink_to(elsewhere / "bob")
    (elsewhere / "page.html").write_text("theirs")
    (out / "html/bob.html").unlink()
    (out / "html/bob.html").symlink_to(elsewhere / "page.html")
    go_on(judged)
    assert (elsewhere / f"bob/{SLUG}.json").is_file()
    assert (elsewhere / "page.html").read_text() == "theirs"
    assert (out / "html/bob.html").is_symlink()


def test_without_its_manifest_the_lines_tell_what_was_written(judged: Command) -> None:
    (judged.folder / "out/manifest.json").write_text("{")
    go_on(judged)
    assert files(judged) == {*TABLES, *of("ann", "eve")}


def test_a_name_that_is_another_file_name_now_leaves_none_behind(judged: Command) -> None:
    put(judged.folder / "in", "Bob", RIGHT)  # from now on both names bear a part of their hash
    ended = judged.run(*BATCH, "--resume", env=ENV)
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "4 results (2 of them from before): 2 AC, 2 WA; in out")
    assert not {path for path in files(judged) if Path(path).name == "bob.html" or Path(path).parent.name == "bob"}
