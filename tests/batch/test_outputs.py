"""What a batch writes beside its lines: manifest, tables, formats, pages, evidence; --dry-run and --only."""

from __future__ import annotations

import hashlib
import json
from typing import Final

import pytest

from grader.problems.files import read_folder
from tests.batch.folders import BATCH, ENV, RIGHT, SLUG, WRONG, lines, put, put_many, table, verdicts
from tests.cli.running import Command
from tests.packages import TINY

pytestmark = pytest.mark.sandbox
ALL: Final = "csv,jsonl,junit,gradescope,html"
NAMED: Final = "has eve/no-such-problem.py, which is named after no problem"
BROKEN: Final = b"def attend(:\n"
EVIL: Final = "a\u2215..\u2215evil"  # looks like a path


def test_every_format_from_one_run(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    put(command.folder / "in", EVIL, WRONG)
    put(command.folder / "in", "Ann", BROKEN)
    ended = command.run(*BATCH, "--format", ALL, env=ENV)
    assert ended.code == 0
    assert ended.out == (
        "problem         results  AC  WA  CE  mean points\ntiny-attention        3   1   1   1         46.7\n"
    )
    out = command.folder / "out"
    names = [f"Ann-{sha('Ann')}", f"a_evil-{sha(EVIL)}", f"ann-{sha('ann')}"]
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {
        "results.jsonl", "results.csv", "gradebook.csv", "manifest.json", "junit.xml", "report.html",
        *(f"gradescope/{name}/results.json" for name in names),
        *(f"html/{name}.html" for name in names),
    }  # fmt: skip
    assert (out / "gradebook.csv").read_text() == f"candidate,{SLUG},total\nAnn,0,0\nann,100,100\na{EVIL[1:]},40,40\n"
    for name in names:
        assert f'href="html/{name}.html"' in (out / "report.html").read_text()


def sha(text: str) -> str:
    """Return the part of a name's hash that stands in its file name."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def test_the_manifest_tells_what_went_in(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    put(command.folder / "in", "bob", RIGHT)
    put(command.folder / "in", "eve", WRONG, "no-such-problem")
    (command.folder / "roster.csv").write_text("candidate\nann\nzoe\n")
    args = ("--finding", "fast", "--roster", "roster.csv", "--format", "csv")
    ended = command.run(*BATCH, *args, env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines()[:3] == [
        "grader: eve/no-such-problem.py is no <candidate>/<problem>.py of a known problem; it is not judged.",
        "grader: 1 on the roster without a submission: zoe.",
        "grader: 2 not on the roster: bob, eve.",
    ]
    manifest = json.loads((command.folder / "out/manifest.json").read_text())
    source, package = hashlib.sha256(RIGHT).hexdigest(), read_folder(TINY).sha256
    assert manifest.pop("versions").keys() == {"grader", "python", "numpy"}
    assert manifest == {
        "schema": 1,
        "input": {"path": str(command.folder / "in"), "kind": "folder", "sha256": None},
        "settings": {
            "finding": "fast",
            "set": None,
            "problem": None,
            "id_pattern": None,
            "formats": ["csv"],
            "evidence": False,
        },
        "problems": [SLUG],
        "packages": {SLUG: package},
        "roster": {
            "candidates": ["ann", "zoe"],
            "sha256": hashlib.sha256(b"candidate\nann\nzoe\n").hexdigest(),
            "missing": ["zoe"],
            "extra": ["bob", "eve"],
            "unusable": [],
        },
        "counts": {"submissions": 2, "distinct_sources": 1, "results": 2, "verdicts": {"AC": 2}},
        "submissions": [
            {
                "candidate": name,
                "problem": SLUG,
                "path": str(command.folder / "in" / name / f"{SLUG}.py"),
                "member": None,
                "source_sha256": source,
            }
            for name in ("ann", "bob")
        ],
        "ignored": ["eve/no-such-problem.py"],
        "unreadable": [],
        "unusable": [{"candidate": "eve", "problem": "", "why": NAMED}],
    }
    assert (command.folder / "out/roster.csv").read_text() == (
        "candidate,status,missing_problems,unusable\n"
        f'ann,handed_in,,\nbob,extra,,\neve,extra,{SLUG},"{NAMED}"\nzoe,missing,{SLUG},\n'
    )
    assert (command.folder / "out/gradebook.csv").read_text().splitlines()[-1] == "zoe,,0"


def test_names_that_are_spelled_in_two_ways_are_one(command: Command) -> None:
    composed, apart = "Zo\u00eb", "Zoe\u0308"
    put(command.folder / "in", apart, RIGHT)
    put(command.folder / "in", "Ren\u00e9", RIGHT)
    (command.folder / "in/Rene\u0301").mkdir()
    (command.folder / "roster.csv").write_text(f"candidate\n{composed}\nRene\u0301\n", encoding="utf-8")
    ended = command.run(*BATCH, "--roster", "roster.csv", env=ENV)
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [
            "grader: Ren\u00e9 is written in 2 ways that look the same; it is judged as 1 candidate.",
            "2 results: 2 AC; in out",
        ],
    )
    assert verdicts(command.folder / "out") == {composed: "AC", "Ren\u00e9": "AC"}
    assert [row.split(",")[1] for row in (command.folder / "out/roster.csv").read_text().splitlines()[1:]] == [
        "handed_in",
        "handed_in",
    ]


def test_equal_sources_are_judged_once(command: Command) -> None:
    for name in ("ann", "bob", "eve"):
        put(command.folder / "in", name, RIGHT)
    put(command.folder / "in", "mal", WRONG)
    assert command.run("batch", "in", "--out", "out", "--jobs", "2", env=ENV).code == 0
    results = {line["candidate"]: line for line in lines(command.folder / "out")}
    assert verdicts(command.folder / "out") == {"ann": "AC", "bob": "AC", "eve": "AC", "mal": "WA"}
    for name in ("bob", "eve"):
        assert results[name] == results["ann"] | {"candidate": name}  # the time that it took as well


def test_a_table_of_files_for_one_problem(command: Command) -> None:
    (command.folder / "files").mkdir()
    (command.folder / "files/1.py").write_bytes(RIGHT)
    (command.folder / "files/2.py").write_bytes(WRONG)
    (command.folder / "in.csv").write_text("candidate,path\nann,files/1.py\nbob,files/2.py\neve,files/3.py\n")
    ended = command.run("batch", "in.csv", "--problem", SLUG, "--out", "out", env=ENV)
    assert ended.code == 2
    assert "grader: files/3.py cannot be read (No such file or directory); it has no result.\n" in ended.err
    assert verdicts(command.folder / "out") == {"ann": "AC", "bob": "WA"}


def test_a_folder_of_files_named_by_a_pattern(command: Command) -> None:
    (command.folder / "in").mkdir()
    (command.folder / "in/ann_01_fix.py").write_bytes(RIGHT)
    (command.folder / "in/bob_02_fix.py").write_bytes(WRONG)
    (command.folder / "in/readme.txt").touch()
    ended = command.run("batch", "in", "--problem", SLUG, "--id-pattern", "{candidate}_*.py", "--out", "out", env=ENV)
    assert ended.code == 0
    assert verdicts(command.folder / "out") == {"ann": "AC", "bob": "WA"}
    told = "grader: readme.txt does not fit --id-pattern; it is not judged."
    assert ended.err.splitlines()[0] == told


def test_evidence_is_written_for_what_is_not_accepted_and_can_be_replayed(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    put(command.folder / "in", "bob/../bob", WRONG)
    put(command.folder / "in", "eve", WRONG)
    assert command.run(*BATCH, "--evidence", env=ENV).code == 0
    found = sorted((command.folder / "out/evidence").rglob("*.json"))
    assert [path.parent.name for path in found] == ["bob", "eve"]
    assert found[0].read_bytes() == found[1].read_bytes()
    assert command.run("replay", found[0], env=ENV).code == 0


@pytest.mark.parametrize("depth", ["full", "fast"])
def test_a_record_is_replayed_as_deep_as_it_was_made(command: Command, depth: str) -> None:
    unknown = RIGHT.replace(b"np.tri(len(x), ", b"np.tri(len(x), k=1, ")  # no known fault: only a trace shows its stage
    put(command.folder / "in", "bob", unknown)
    assert command.run(*BATCH, "--evidence", "--finding", depth, env=ENV).code == 0
    path = command.folder / f"out/evidence/bob/{SLUG}.json"
    kept = json.loads(path.read_text())
    assert kept["depth"] == depth
    assert any(each["is_claim"] for each in kept["observations"]) == (depth == "full")
    assert command.run("replay", path, env=ENV).code == 0


def test_evidence_that_is_asked_for_later_or_lost_is_made_when_it_goes_on(command: Command) -> None:
    for name in ("bob", "eve"):
        put(command.folder / "in", name, WRONG + f"# {name}\n".encode())
    assert command.run(*BATCH, env=ENV).code == 0
    ended = command.run(*BATCH, "--resume", "--evidence", env=ENV)
    assert (ended.code, ended.err) == (0, "2 results: 2 WA; in out\n")
    (command.folder / f"out/evidence/eve/{SLUG}.json").unlink()
    ended = command.run(*BATCH, "--resume", env=ENV)
    assert (ended.code, ended.err) == (0, "2 results (1 of them from before): 2 WA; in out\n")
    assert (command.folder / f"out/evidence/eve/{SLUG}.json").is_file()


def test_only_judges_some_verdicts_again(command: Command) -> None:
    put_many(command.folder / "in", 2)
    put(command.folder / "in", "bob", WRONG)
    put(command.folder / "in", "eve", BROKEN)
    assert command.run(*BATCH, env=ENV).code == 0
    listed = command.run(*BATCH, "--only", "CE,WA", "--dry-run", env=ENV)
    assert [row.split("\t")[0] for row in listed.out.splitlines()] == ["bob", "eve"]
    assert listed.err == "2 submissions would be judged, 2 distinct sources, 2 results kept\n"
    before = table(command.folder / "out")
    ended = command.run(*BATCH, "--only", "CE,WA", env=ENV)
    assert (ended.code, ended.err) == (0, "4 results (2 of them from before): 2 AC, 1 CE, 1 WA; in out\n")
    assert table(command.folder / "out") == before


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (
            ("--only", "AC,XX"),
            "Invalid value for '--only': 'XX' is none of AC, WA, TLE, MLE, OLE, RTE, CE, JE. See grader batch --help.",
        ),
        (
            ("--format", "xml"),
            "Invalid value for '--format': 'xml' is none of csv, jsonl, junit, gradescope, html. "
            "See grader batch --help.",
        ),
    ],
)
def test_words_that_there_are_not(command: Command, option: tuple[str, str], line: str) -> None:
    put(command.folder / "in", "ann", RIGHT)
    ended = command.run(*BATCH, *option, env=ENV)
    assert (ended.code, ended.line) == (2, f"grader: {line}")


def test_what_was_written_before_is_written_on(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    assert command.run(*BATCH, "--format", "junit", env=ENV).code == 0
    put(command.folder / "in", "bob", WRONG)
    assert command.run(*BATCH, "--resume", env=ENV).code == 0
    assert 'name="bob"' in (command.folder / "out/junit.xml").read_text()


def test_a_manifest_that_was_cut_short_is_written_anew(command: Command) -> None:
    put(command.folder / "in", "ann", RIGHT)
    assert command.run(*BATCH, env=ENV).code == 0
    path = command.folder / "out/manifest.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert command.run(*BATCH, "--resume", env=ENV).code == 0
    assert path.read_bytes() == whole
