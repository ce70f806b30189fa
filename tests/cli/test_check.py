"""grader check: its line, its matrix, its JSON and its page; a file that cannot be written is one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import Command, as_a_user
from tests.packages import TINY, edited

pytestmark = pytest.mark.sandbox
SUMMARY: Final = "5 sources: 2 AC, 3 WA; 3 alternatives; 7 secret cases; 31 rules"
MATRIX: Final = """\
                                             \n\
                                     12345678
mask-missing                         xxxxxx..
scale-missing                        .xxxxx..
>mask-missing+scale-missing          xxxxxx..
~own-length-counts                   .......x
~scale-missing                       .xxxxx..
~mask-missing                        xxxxxx..

~ alternative, > starter

case, faults that it kills:
  1  sample_two_tokens        3 of 6
  2  secret_values            5 of 6
  3  secret_values_again      5 of 6
  4  secret_layouts           5 of 6
  5  secret_integers          5 of 6
  6  secret_single_precision  5 of 6
  7  secret_widths_differ     0 of 6
  8  secret_lengths           1 of 6

"""


@pytest.fixture
def package(command: Command) -> Path:
    """A copy of the small package, with limits for a loaded machine."""
    folder = command.folder / TINY.name
    shutil.copytree(TINY, folder)
    limits = edited("problem.yaml", "case_s: 0.5, total_s: 1.5", "case_s: 5, total_s: 20")
    (folder / "problem.yaml").write_text(limits)
    return folder


def test_a_package_in_order_is_one_line(command: Command, package: Path) -> None:
    ended = command.run("check", f"./{package.name}")
    assert (ended.code, ended.out, ended.err) == (0, f"tiny-attention: in order; {SUMMARY}\n", "")


def test_the_matrix_stands_before_the_line(command: Command, package: Path) -> None:
    ended = command.run("check", f"./{package.name}", "--matrix")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{MATRIX}tiny-attention: in order; {SUMMARY}\n"


def test_findings_are_lines_and_exit_3(command: Command, package: Path) -> None:
    statement = edited("statement.md", " (it is causal)", " <b>\x1b[31m\u202e</b>")
    (package / "statement.md").write_text(statement)
    shutil.copy(package / "submissions/wrong_answer/mask_missing.py", package / "submissions/accepted/more.py")
    ended = command.run("check", f"./{package.name}")
    assert (ended.code, ended.err) == (3, "")
    first, *texts, last = ended.out.splitlines()
    assert first.startswith(
        "tiny-attention/submissions/accepted/more.py: gets WA (wrong_values) at sample_two_tokens: "
    )
    assert texts == [
        "tiny-attention/statement.md line 6: raw HTML, '<b>', is not rendered; write Markdown, or code in backticks.",
        "tiny-attention/statement.md line 6: raw HTML, '</b>', is not rendered; write Markdown, or code in backticks.",
        "tiny-attention/statement.md: does not say that the function is causal; say who hides the future, and that "
        "weights are 0 there.",
    ]
    assert last == "tiny-attention: 4 findings; 6 sources: 2 AC, 4 WA; 3 alternatives; 7 secret cases; 31 rules"


def test_what_is_not_looked_at_is_told(command: Command, package: Path) -> None:
    """Stages that do not compose leave a part of the check undone; texts of the format leave nothing undone."""
    (package / "stages.py").write_text(edited("stages.py", "np.sqrt(x.shape[1])\n\n\ndef s", "2\n\n\ndef s"))
    (package / "interview.yaml").write_text(edited("interview.yaml", "correct: 1", "correct: one"))
    ended = command.run("check", f"./{package.name}")
    assert (ended.code, ended.err) == (3, "")
    assert ended.out.splitlines() == [
        "tiny-attention/interview.yaml: multiple_choice.0.correct is 'one': input should be a valid integer, unable to "
        "parse string as an integer; correct it.",
        "tiny-attention/stages.py: composed, the outputs are not the reference's at secret_values, secret_values_again "
        "and 2 more; correct the stage that differs.",
        "tiny-attention: 2 findings; 5 sources: 2 AC, 3 WA; stages do not compose yet: alternatives and 9 rules not "
        "looked at; 7 secret cases; 23 rules",
    ]


def test_texts_of_the_template_are_noticed_and_no_finding(command: Command) -> None:
    command.run("new", "./attn-x")
    package = command.folder / "attn-x"
    statement = (package / "statement.md").read_text().partition("\n## Contract")[2]
    (package / "statement.md").write_text(f"Find what leaks.\n\n## Contract{statement}")
    ended = command.run("check", "./attn-x")
    assert (ended.code, ended.err) == (0, "")
    notice, last = ended.out.splitlines()
    assert notice == (
        "attn-x: 32 template texts are still there: problem.yaml title, cases.py line 3, faults.yaml line 1, "
        "interview.yaml line 1 and 28 more; replace what is not yours."
    )
    assert last.startswith("attn-x: in order; ")


def test_json_is_one_array_of_all_packages(command: Command, package: Path) -> None:
    broken = command.folder / "broken"
    shutil.copytree(package, broken)
    (broken / "stages.py").unlink()
    ended = command.run("check", "./broken", f"./{package.name}", "--json")
    assert (ended.code, ended.err) == (3, "")
    first, second = json.loads(ended.out)
    missing = "broken/stages.py: the file is missing; add it, or name a standard layer in problem.yaml."
    assert (first["slug"], first["ok"], first["findings"]) == ("broken", False, [missing])
    assert (second["slug"], second["ok"], second["findings"]) == ("tiny-attention", True, [])
    assert set(second) == {"slug", "ok", "findings", "sources", "matrix", "rules", "waiting", "notices"}
    assert [(each["waiting"], each["notices"]) for each in (first, second)] == [(9, []), (None, [])]
    assert second["sources"][2] == {
        "path": "submissions/wrong_answer/mask_missing.py",
        "expected": "WA",
        "verdict": "WA",
        "reason": "wrong_values",
        "cases": ["WA", "WA", "WA", "WA", "WA", "WA", "AC", "AC"],
    }
    assert second["matrix"]["cases"][0] == "sample_two_tokens"
    assert second["matrix"]["faults"][3] == {
        "fault": "own-length-counts",
        "stage": "mask",
        "origin": "mask__own_length_counts",
        "killed_by": ["secret_lengths"],
    }
    assert {"name": "one-token", "entry": "visible", "minimum": 1, "cases": [], "exempt": True} in second["rules"]


def test_the_page_holds_the_matrix(command: Command, package: Path) -> None:
    ended = command.run("check", f"./{package.name}", "--html", "matrix.html")
    assert (ended.code, ended.out, ended.err) == (0, f"tiny-attention: in order; {SUMMARY}\n", "")
    page = (command.folder / "matrix.html").read_text()
    assert '<a href="#tiny-attention">tiny-attention</a>' in page
    assert "<title>secret_lengths kills own-length-counts</title>" in page
    assert "<title>secret_lengths does not kill scale-missing</title>" in page
    assert "Rules for hidden cases" in page


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none/matrix.html", "No such file or directory"),
        (".", "Is a directory"),
        ("locked/m.html", "Permission denied"),
    ],
)
def test_a_page_that_cannot_be_written_is_one_line(command: Command, package: Path, path: str, why: str) -> None:
    (command.folder / "locked").mkdir(mode=0o500)
    ended = command.run("check", f"./{package.name}", "--html", path, preexec=as_a_user)
    assert (ended.code, ended.out, ended.line) == (
        2,
        "",
        f"grader: {path} cannot be written ({why}); name another file.",
    )


def test_a_package_is_not_run_twice(command: Command, package: Path) -> None:
    """With a cache of its own the second check needs no sandbox: what is told comes from the first."""
    own = {"GRADER_CACHE": str(command.folder / "own")}
    first = command.run("check", f"./{package.name}", "--json", env=own)
    kept = {path.name: path.read_bytes() for path in (command.folder / "own").iterdir()}
    assert sorted(name.rpartition(".")[2] for name in kept) == ["cases", "check", "faults", "stages"]
    assert command.run("check", f"./{package.name}", "--json", env=own) == first
    assert {path.name: path.read_bytes() for path in (command.folder / "own").iterdir()} == kept
    (package / "statement.md").write_text(edited("statement.md", " (it is causal)", ""))
    assert command.run("check", f"./{package.name}", env=own).code == 3
    assert len(list((command.folder / "own").glob("*.check"))) == 2
