"""Which files of a folder or table are whose: layouts, tables, rosters, and names that two people share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.batch.find import find_submissions
from grader.batch.layout import layout
from grader.batch.roster import Roster, read_roster
from grader.batch.submissions import Found
from grader.errors import UserError
from tests.packages import DATA

LAYOUTS: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "layouts.yaml").read_text())
TABLES: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "tables.yaml").read_text())


def entries(of: list[dict[str, Any]]) -> list[Any]:
    """Return entries as parameters."""
    return [pytest.param(entry, id=entry["id"]) for entry in of]


@pytest.mark.parametrize("entry", entries(LAYOUTS))
def test_whose_a_path_is(entry: dict[str, Any]) -> None:
    options: dict[str, Any] = {"problem": entry.get("problem"), "id_pattern": entry.get("id_pattern")}
    if "line" in entry:
        with pytest.raises(UserError) as error:
            layout(["p", "q"], **options)
        assert error.value.message == entry["line"]
        return
    named = layout(["p", "q"], **options)
    assert {path: list(named.key_of(path) or ()) for path in entry["fits"]} == entry["fits"]
    assert [path for path in entry["misfits"] if named.key_of(path)] == []


@pytest.mark.parametrize("entry", entries(TABLES))
def test_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: dict[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("ann.py", "sub/bob.py"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).touch()
    Path("linked").symlink_to("sub")
    Path("in.csv").write_bytes(entry["table"].encode())
    if "line" in entry:
        with pytest.raises(UserError) as error:
            find_submissions(Path("in.csv"), layout(["p"]))
        assert error.value.message == entry["line"]
        return
    found = find_submissions(Path("in.csv"), layout(["p"], others=["r"]))
    assert {each.candidate: str(each.path) for each in found.submissions} == entry["found"]
    assert list(found.ignored) == entry.get("ignored", [])
    assert list(found.unreadable) == entry.get("unreadable", [])
    if "unusable" in entry:
        assert [[each.candidate, each.problem, each.why] for each in found.unusable] == entry["unusable"]


def test_a_table_for_one_problem_needs_no_column_for_it(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("candidate,path\nann,ann.py\n")
    found = find_submissions(tmp_path / "in.csv", layout(["p", "q"], problem="q"))
    assert [each.key for each in found.submissions] == [("ann", "q")]


def test_a_table_may_name_the_one_problem(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("candidate,path,problem\nann,ann.py,q\nbob,bob.py,\neve,eve.py\n")
    found = find_submissions(tmp_path / "in.csv", layout(["p", "q"], problem="q"))
    assert [each.key for each in found.submissions] == [("ann", "q"), ("bob", "q"), ("eve", "q")]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"problem": "q"}, " line 3 is for p and not for q; leave --problem out, or take the row out."),
        ({"problem": "q", "id_pattern": "{candidate}_*"}, " says itself whose a file is; leave --id-pattern out."),
        ({"id_pattern": "{candidate}/{problem}"}, " says itself whose a file is; leave --id-pattern out."),
    ],
)
def test_a_table_is_not_contradicted(tmp_path: Path, options: dict[str, Any], line: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text("candidate,problem,path\nann,q,ann.py\nbob,p,bob.py\n")
    with pytest.raises(UserError) as error:
        find_submissions(path, layout(["p", "q"], **options))
    assert error.value.message == f"{path}{line}"


def found_below(folder: Path, *paths: str, **options: Any) -> Found:
    """Make files and find the submissions among them."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return find_submissions(folder, layout(["p"], **options))


def test_a_pattern_finds_files_at_any_depth(tmp_path: Path) -> None:
    paths = ["a/b/c/ann.py", "bob.py", "x/.hidden/eve.py", "x/__pycache__/eve.py", "x/notes.md"]
    found = found_below(tmp_path, *paths, problem="p", id_pattern="(.*/)?(?P<candidate>[^/]+)\\.py")
    assert [(each.candidate, str(each.path.relative_to(tmp_path))) for each in found.submissions] == [
        ("ann", "a/b/c/ann.py"),
        ("bob", "bob.py"),
    ]
    assert found.ignored == ("x/notes.md",)


def test_a_pattern_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/eve.py").touch()
    (tmp_path / "in/ann").mkdir(parents=True)
    os.symlink("../out", tmp_path / "in/eve")
    found = found_below(tmp_path / "in", "ann/x.py", problem="p")
    assert [each.candidate for each in found.submissions] == ["ann"]
    assert found.unreadable == ("eve is a link; nothing in it is judged.",)


def test_folders_without_an_end_are_told(tmp_path: Path) -> None:
    found = found_below(tmp_path, "ann.py", "/".join("d" * 20) + "/x.py", problem="p")
    assert found.unreadable == (f"{'/'.join('d' * 17)} is nested too deeply; nothing in it is judged.",)


def test_two_files_of_one_candidate_are_not_judged(tmp_path: Path) -> None:
    found = found_below(tmp_path, "ann.py", "bob_1.py", "bob_2.py", problem="p", id_pattern="(?P<candidate>[a-z]+).*")
    assert [each.candidate for each in found.submissions] == ["ann"]
    first, second = tmp_path / "bob_1.py", tmp_path / "bob_2.py"
    assert found.unreadable == (f"{first} and {second} are both p of bob; keep one, neither is judged.",)


def test_names_that_only_their_case_tells_apart_are_told(tmp_path: Path) -> None:
    found = found_below(tmp_path, "ann/p.py", "ANN/p.py", "bob/p.py")
    assert [each.candidate for each in found.submissions] == ["ANN", "ann", "bob"]
    assert found.remarks == ("ANN and ann differ by case alone; they are judged as 2 candidates.",)


def test_a_roster_tells_who_is_missing_and_who_is_extra(tmp_path: Path) -> None:
    found = found_below(tmp_path / "in", "ann/p.py", "bob/p.py")
    (tmp_path / "roster.csv").write_text("name,candidate\nAnn,ann\nAnn,ann\nZoe, zoe \n,\n")
    roster = read_roster(tmp_path / "roster.csv").beside((each.candidate for each in found.submissions), ())
    assert (roster.candidates, roster.missing, roster.extra) == (("ann", "zoe"), ("zoe",), ("bob",))


def test_a_roster_tells_whose_submissions_cannot_be_judged() -> None:
    roster = Roster(("ann", "bob", "zoe"), "").beside(["ann"], ["ann", "bob", "eve"])
    assert (roster.missing, roster.unusable, roster.extra) == (("zoe",), ("bob",), ("eve",))


UNUSABLE: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("unusable.yaml").read_text())


@pytest.mark.parametrize("entry", entries(UNUSABLE))
def test_whose_what_cannot_be_judged_is(tmp_path: Path, entry: dict[str, Any]) -> None:
    folder = tmp_path / "in"
    for link in entry.get("links", ()):
        (folder / link).parent.mkdir(parents=True, exist_ok=True)
        (folder / link).symlink_to(tmp_path)
    found = found_below(folder, *entry["files"], **entry.get("options", {}))
    assert [[each.candidate, each.problem, each.why] for each in found.unusable] == entry["unusable"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name\nann\n", " has no column candidate; its first line must name candidate."),
        ("name;candidate\nAnn;ann\n", " is separated by semicolons; save it as CSV with commas."),
        ("name\tcandidate\nAnn\tann\n", " is separated by tabs; save it as CSV with commas."),
        ("candidate\n\n", " names no candidate; give each a line below the column candidate."),
        (b"candidate\n\xff\n", " is not UTF-8; save it as UTF-8."),
        (None, " cannot be read (No such file or directory); name a CSV table."),
    ],
)
def test_a_roster_that_is_none(tmp_path: Path, text: str | bytes | None, line: str) -> None:
    path = tmp_path / "roster.csv"
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(UserError) as error:
        read_roster(path)
    assert error.value.message == f"{path}{line}"
