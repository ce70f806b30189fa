"""Whole batches: what results.jsonl and results.csv hold."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path
from typing import Final

import pytest

from grader.problems.files import read_folder
from tests.batch.folders import BATCH, ENV, RIGHT, SLUG, VERDICT_OF, WRONG, lines, put, put_many, table, verdicts
from tests.cli.running import ESCAPE, PROBLEMS, Command, as_a_user, terminal
from tests.cli.shapes import RESULT, deviations
from tests.files import make_socket
from tests.packages import TINY, edited
from tests.processes import all_gone, children_of

pytestmark = pytest.mark.sandbox
CHOSEN_OF: Final = ("sliding-window", "stable-softmax", "heads-never-mix")
CHOSEN: Final = {"accepted": 1, "wrong_answer": 2, "run_time_error": 1}  # so many of each package
SLOW: Final = PROBLEMS / "sliding-window/submissions/time_limit_exceeded/step_by_step_through_the_window.py"


def sources() -> dict[str, tuple[str, Path, str]]:
    """Return slug, path and expected verdict of a choice of the shipped sources, by candidate."""
    chosen = {SLOW.stem: ("sliding-window", SLOW, "TLE")}
    for package in (PROBLEMS / slug for slug in CHOSEN_OF):
        for folder, count in CHOSEN.items():
            for path in sorted((package / "submissions" / folder).glob("*.py"))[:count]:
                chosen[path.stem] = (package.name, path, VERDICT_OF[folder].value)
    return chosen


@pytest.mark.long
def test_shipped_sources_get_their_folders_verdicts_whatever_the_jobs(command: Command) -> None:
    chosen = sources()
    assert {verdict for _, _, verdict in chosen.values()} == {verdict.value for verdict in VERDICT_OF.values()}
    for candidate, (slug, path, _) in chosen.items():
        put(command.folder / "in", candidate, path.read_bytes(), slug)
    outs = []
    for jobs in (1, 2):
        outs.append(command.folder / f"out{jobs}")
        ended = command.run("batch", "in", "--out", outs[-1], "--jobs", str(jobs))
        assert ended.code == 0
        assert ended.err.splitlines()[-1].startswith(f"{len(chosen)} results: ")
        assert verdicts(outs[-1]) == {candidate: verdict for candidate, (_, _, verdict) in chosen.items()}
        assert {path.name for path in outs[-1].iterdir()} == {
            "results.jsonl",
            "results.csv",
            "gradebook.csv",
            "manifest.json",
        }
    for name in ("results.csv", "gradebook.csv", "manifest.json"):
        assert (outs[0] / name).read_bytes() == (outs[1] / name).read_bytes()
    for result in lines(outs[0]):
        assert deviations(result, {"candidate": str, **RESULT}) == []
    rows = list(csv.DictReader((outs[0] / "results.csv").read_text().splitlines()))
    assert [row["candidate"] for row in rows] == sorted(chosen)


def test_a_line_is_what_grade_prints(command: Command) -> None:
    path = put(command.folder / "in", "ann", WRONG)
    assert command.run(*BATCH, env=ENV).code == 0
    (result,) = lines(command.folder / "out")
    graded = json.loads(command.run("grade", SLUG, path, "--json", env=ENV).out)
    assert result.pop("candidate") == "ann"
    assert {**result, "timing": None} == {**graded, "timing": None}
    (row,) = table(command.folder / "out")
    hashes = f"{graded['source_sha256']},{graded['package_sha256']}"
    score = f"{graded['score']:g},{graded['max_score']:g}"
    assert row.startswith(f"ann,{SLUG},WA,{graded['reason']},{score},")
    assert row.endswith(f",{hashes}")
    assert graded["package_sha256"] == read_folder(TINY).sha256


def test_hostile_names_and_files_that_are_none(command: Command) -> None:
    folder = command.folder / "in"
    names = [
        b"=1+1", b"@SUM(A1)", b"-2", b"+3", b"a,b", b'"quoted"', b"'quoted", b" blank ", b"\x1b[31mred\n", b"tab\t",
        "\u202etxt".encode(), b"\xff\xfe", b"\\xff\\xfe", "\u00e9".encode(), b"%s{0}$HOME", b"x" * 255,
        b"--out", b"[red]",
    ]  # fmt: skip
    for name in names:
        put(folder, name, RIGHT + name.hex().join(("# ", "\n")).encode())
    (folder / "list.txt").touch()
    put(folder, "list", RIGHT, "no-such-problem")
    put(folder, ".hidden", RIGHT)
    put(folder, "list", RIGHT, f"__pycache__/{SLUG}")
    ended = command.run(*BATCH, env=ENV)
    assert ended.code == 0
    assert ended.err.splitlines()[:2] == [
        "grader: list/no-such-problem.py is no <candidate>/<problem>.py of a known problem; it is not judged.",
        "grader: list.txt is no <candidate>/<problem>.py of a known problem; it is not judged.",
    ]
    shown = {name.decode("utf-8", "backslashreplace") for name in names} - {"\\xff\\xfe"} | {
        "\\\\xff\\\\xfe",
        "\\xff\\xfe",
    }
    assert verdicts(command.folder / "out") == dict.fromkeys(shown, "AC")
    rows = table(command.folder / "out")
    assert len(rows) == len(names)
    assert not any(row.lstrip('"').startswith(("=", "+", "-", "@", "\t")) for row in rows)
    assert all(row.isprintable() for row in rows)


def test_links_and_folders_and_devices_are_told_and_have_no_result(command: Command) -> None:
    folder = command.folder / "in"
    put(folder, "right", RIGHT)
    kinds = ["a-fifo", "a-folder", "a-link", "a-loop", "a-lost-link", "a-socket", "unreadable"]
    for kind in kinds:
        (folder / kind).mkdir()
    it = {kind: folder / kind / f"{SLUG}.py" for kind in kinds}
    it["a-folder"].mkdir()
    it["a-link"].symlink_to(folder / "right" / f"{SLUG}.py")
    it["a-loop"].symlink_to(it["a-loop"].name)
    it["a-lost-link"].symlink_to("nowhere")
    it["unreadable"].touch(0)
    os.mkfifo(it["a-fifo"])
    make_socket(it["a-socket"])
    (folder / "linked").symlink_to("right")
    put(folder, "locked", RIGHT).parent.chmod(0)
    ended = command.run(*BATCH, env=ENV, preexec=as_a_user)
    (folder / "locked").chmod(0o700)
    assert ended.code == 2
    assert verdicts(command.folder / "out") == {"right": "AC"}
    link, special, denied = "is a link", "is no regular file", "cannot be read (Permission denied)"
    why = dict(zip(kinds, (special, special, link, link, link, special, denied), strict=True))
    assert sorted(ended.err.splitlines()) == sorted(
        [
            "1 result: 1 AC; in out",
            "grader: linked is a link; nothing in it is judged.",
            "grader: locked cannot be read (Permission denied); nothing in it is judged.",
            *(f"grader: in/{kind}/{SLUG}.py {why[kind]}; it has no result." for kind in kinds),
        ]
    )


def test_at_a_terminal_what_is_said_stands_above_the_bar(command: Command) -> None:
    bank = command.folder / "bank"
    for slug in ("broken", SLUG):
        shutil.copytree(TINY, bank / slug)
    (bank / "broken/problem.yaml").write_text("schema: 1\n")
    put_many(command.folder / "in", 6)
    put(command.folder / "in", "zoe", RIGHT, "broken")
    env = {"GRADER_PROBLEMS": str(bank)}
    shown = ESCAPE.sub("", terminal(command, 100, *BATCH, env=env)).replace("\r", "\n")
    said = shown.index("\ngrader: in/zoe/broken.py is JE, which is not its fault: broken/problem.yaml: ")
    assert 0 < shown.index("0/7") < said < shown.index("7/7")
    assert shown.endswith(
        "\nproblem         results  AC  JE  mean points\n"
        "broken                1   ·   1            –\n"
        "tiny-attention        6   6   ·        100.0\n"
        "7 results: 6 AC, 1 JE; in out\n"
    )


def test_many_strange_files_are_not_all_named(command: Command) -> None:
    put(command.folder / "in", "right", RIGHT)
    for number in range(8):
        (command.folder / "in" / f"note{number}").touch()
    ended = command.run(*BATCH, env=ENV)
    assert ended.code == 0
    assert ended.err.count("is no <candidate>/<problem>.py") == 5
    assert "grader: 3 more files are not judged either.\n" in ended.err


def test_a_broken_package_stops_no_other(command: Command) -> None:
    bank = command.folder / "bank"
    for slug in ("whole", "misspelt", "raising", "linked"):
        shutil.copytree(TINY, bank / slug)
    (bank / "misspelt/problem.yaml").write_text(edited("problem.yaml", "level: L2", "level: L9"))
    old = "x = np.array([[1.0, 0.0, 2.0]"
    (bank / "raising/cases.py").write_text(edited("cases.py", old, f"raise KeyError('no x')\n    {old}"))
    (bank / "linked/statement.md").unlink()
    (bank / "linked/statement.md").symlink_to("/etc/hostname")
    for candidate in ("ann", "bob"):
        for slug in ("whole", "misspelt", "raising", "linked"):
            put(command.folder / "in", candidate, RIGHT, slug)
    ended = command.run(*BATCH, env={"GRADER_PROBLEMS": str(bank)})
    assert ended.code == 4
    reasons = {(line["candidate"], line["problem"]): line["reason"] for line in lines(command.folder / "out")}
    broken = {(who, slug): "invalid_package" for who in ("ann", "bob") for slug in ("misspelt", "raising", "linked")}
    assert reasons == {**broken, ("ann", "whole"): None, ("bob", "whole"): None}
    for cause in ("misspelt/problem.yaml: level must be", "raising/cases.py: ", "linked/statement.md: is a link"):
        assert ended.err.count(cause) == 1, cause  # once for each cause, not for each submission
    assert ended.err.splitlines()[-1] == "8 results: 2 AC, 6 JE; in out"


def test_a_cache_that_cannot_be_used_is_said_once(command: Command) -> None:
    put_many(command.folder / "in", 4)
    (command.folder / "file").touch()
    ended = command.run("batch", "in", "--out", "out", "--jobs", "2", env={**ENV, "GRADER_CACHE": "file"})
    assert ended.code == 0
    assert ended.err.count("cannot be used (File exists); cases are generated each time.") == 1


def test_nothing_is_left_behind(command: Command) -> None:
    put_many(command.folder / "in", 3)
    before = children_of(os.getpid())
    assert command.run("batch", "in", "--out", "out", "--jobs", "2", env=ENV).code == 0
    assert all_gone(children_of(os.getpid()) - before), "a zygote ends a moment after the process that it served"
