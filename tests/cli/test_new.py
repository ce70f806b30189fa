"""grader new: what it makes passes check, what it copies stays what it was, and a refusal leaves nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.problems.files import read_folder
from grader.problems.loader import load_all, slugs
from tests.cli.running import PROBLEMS, Command, as_a_user, end_of
from tests.packages import TINY, edited

REFUSED: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("new.yaml").read_text())
TEMPLATE: Final = PROBLEMS / "_template"
BANK: Final[dict[str, str | None]] = {"GRADER_PROBLEMS": "bank"}
ORDER: Final = """\
  problem.yaml               title, signature, sizes, variants, groups of cases
  starters/                  the buggy files that are given out
  submissions/accepted/      reference.py, the repaired starter, other right sources
  statement.md               the contract in full, and what is graded
  cases.py                   the inputs; the expected outputs come from reference.py
  stages.py                  the reference in steps, and wrong versions of each step
  submissions/wrong_answer/  incomplete repairs, and one file for each other fault
  faults.yaml                what each wrong source does, and its hints
  interview.yaml             answers, follow-up questions, multiple choice
"""
# how a title may be written, and what the copy's must read
TITLES: Final = {
    "A tiny attention  # what candidates see": "A tiny attention (copy)",
    "'It''s tiny: an attention'": "It's tiny: an attention (copy)",
    '"\\u03b1 \\"quoted\\" \\\\ title"': 'α "quoted" \\ title (copy)',
    ">-\n  A tiny\n  attention": "A tiny attention (copy)",
    "Überall 𝛼": "Überall 𝛼 (copy)",
}
MANY: Final = 700  # files, so that writing them takes a while


@pytest.fixture
def bank(command: Command) -> Path:
    """A folder with a package that is whole and one that is broken."""
    folder = command.folder / "bank"
    shutil.copytree(TINY, folder / "whole")
    shutil.copytree(TINY, folder / "broken")
    (folder / "broken/problem.yaml").write_text(edited("problem.yaml", "minutes: 5", "minuets: 5"))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its path, dotfiles and links too."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    return {str(path.relative_to(folder)): b"" if path.is_symlink() else path.read_bytes() for path in paths}


def with_usual_mask() -> None:
    """Let new files be readable by all; to be called between fork and exec."""
    os.umask(0o022)


@pytest.mark.sandbox
def test_a_new_package_passes_check(command: Command, bank: Path) -> None:
    made = command.run("new", "attn-x", env=BANK)
    next_steps = "Then run:\n  grader check attn-x\n  grader show attn-x\n  grader grade attn-x FILE\n"
    head = "Wrote bank/attn-x (12 files). Edit, in this order:\n"
    assert (made.code, made.err, made.out) == (0, "", head + ORDER + next_steps)
    checked = command.run("check", "attn-x", env=BANK)
    summary = "in order; 6 sources: 3 AC, 3 WA; 3 alternatives; 6 secret cases; 14 rules"
    notice, last = checked.out.splitlines()
    assert (checked.code, checked.err, last) == (0, "", f"attn-x: {summary}")
    assert re.match(r"attn-x: \d+ template texts are still there: problem\.yaml title, ", notice)
    assert sorted(path.name for path in bank.iterdir()) == ["attn-x", "broken", "whole"]


def test_a_path_makes_the_package_there(command: Command, bank: Path) -> None:
    (command.folder / "two words").mkdir()
    made = command.run("new", "two words/attn-x", env=BANK)
    assert made.out.startswith("Wrote two words/attn-x (12 files).")
    assert made.out.endswith("  grader grade 'two words/attn-x' FILE\n")
    ignored = {path: data for path, data in files(TEMPLATE).items() if "__pycache__" not in path}
    assert files(command.folder / "two words/attn-x") == ignored
    assert not list(bank.glob("attn*"))
    made = command.run("new", f"{command.folder}/attn-y/", env=BANK)
    assert f"  grader check {command.folder}/attn-y\n" in made.out


def test_others_may_read_the_package(command: Command) -> None:
    command.run("new", "./attn-x", preexec=with_usual_mask)
    modes = {path.stat().st_mode & 0o777 for path in (command.folder / "attn-x").rglob("*") if path.is_dir()}
    assert modes | {(command.folder / "attn-x").stat().st_mode & 0o777} == {0o755}


@pytest.mark.parametrize("written", TITLES)
def test_a_copy_differs_in_its_title_alone(command: Command, bank: Path, written: str) -> None:
    specification = edited("problem.yaml", "title: A tiny attention", f"title: {written}")
    (bank / "whole/problem.yaml").write_text(specification)
    (bank / "whole/__pycache__").mkdir()
    (bank / "whole/__pycache__/cases.pyc").write_bytes(b"x")
    (bank / "whole/.hidden").write_text("x")
    made = command.run("new", "next", "--from", "whole", env=BANK)
    assert (made.code, made.err) == (0, "")
    copied, wanted = files(bank / "next"), files(TINY)
    text = copied.pop("problem.yaml").decode()
    del wanted["problem.yaml"]
    assert copied == {path: data for path, data in wanted.items() if "__pycache__" not in path}
    assert load_all(read_folder(bank / "next")).spec.title == TITLES[written]
    assert text.partition("level: ")[2] == specification.partition("level: ")[2]
    assert text.count("# what") == specification.count("# what")


@pytest.mark.sandbox
def test_a_copy_gets_the_standard_layer_of_its_source(command: Command, bank: Path) -> None:
    command.run("new", "layered", env=BANK)
    (bank / "_standard/own").mkdir(parents=True)
    (bank / "layered/stages.py").rename(bank / "_standard/own/stages.py")
    with (bank / "layered/problem.yaml").open("a") as file:
        file.write("standard: own\n")
    command.run("new", "beside", "--from", "layered", env=BANK)
    command.run("new", "./away", "--from", "layered", env=BANK)
    assert not (bank / "beside/_standard").exists()
    assert files(command.folder / "away/_standard") == {"own/stages.py": (TEMPLATE / "stages.py").read_bytes()}
    checked = command.run("check", "beside", "./away", env=BANK)
    assert (checked.code, checked.out.count(": in order; ")) == (0, 2)


def test_a_shipped_package_is_copied_without_the_shipped_layer(command: Command) -> None:
    made = command.run("new", "./mine", "--from", "heads-never-mix")
    assert made.code == 0
    assert "_standard" not in made.out  # the copy finds the shipped layer where it is
    assert {path.name for path in (command.folder / "mine").iterdir()} == {
        path.name for path in (PROBLEMS / "heads-never-mix").iterdir() if path.name != "__pycache__"
    }
    whole, copy = read_folder(PROBLEMS / "heads-never-mix"), read_folder(command.folder / "mine")
    assert {path for path in whole.contents if whole.contents[path] != copy.contents.get(path)} == {"problem.yaml"}


@pytest.mark.parametrize("case", REFUSED, ids=[case["id"] for case in REFUSED])
def test_a_refusal_says_why_and_changes_nothing(command: Command, bank: Path, case: dict[str, Any]) -> None:
    (command.folder / "it").write_text("mine")
    (command.folder / "away").symlink_to("nowhere")
    (command.folder / "locked").mkdir(mode=0o500)
    before = files(command.folder)
    ended = command.run("new", *case["run"], env=BANK, preexec=as_a_user)
    assert (ended.code, ended.out, ended.line) == (case["code"], "", f"grader: {case['line']}")
    assert files(command.folder) == before
    assert not list(command.folder.rglob(".*"))


def test_a_full_disk_leaves_nothing(command: Command, bank: Path) -> None:
    ended = command.run("new", "attn-x", env=BANK, file_size=2000)
    line = "grader: bank/attn-x cannot be written (File too large); name another folder."
    assert (ended.code, ended.out, ended.line) == (2, "", line)
    assert sorted(path.name for path in bank.iterdir()) == ["broken", "whole"]


def test_an_interrupt_leaves_nothing_or_all(command: Command, bank: Path) -> None:
    for number in range(MANY):
        (bank / f"whole/starters/other_{number}.py").write_text("x = 1\n")
    process = command.start("new", "attn-x", "--from", "whole", env=BANK)
    while len(list(bank.iterdir())) == 2 and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    ended = end_of(process)
    names = sorted(path.name for path in bank.iterdir())
    if ended.code == 130:
        assert (ended.line, names) == ("grader: Interrupted.", ["broken", "whole"])
    else:  # it came too late
        assert names == ["attn-x", "broken", "whole"]
        assert files(bank / "attn-x").keys() == files(bank / "whole").keys()


def test_the_shell_completes_what_is_copied(command: Command, bank: Path) -> None:
    words = "grader new attn-x --from w"
    asked: dict[str, str | None] = {"_GRADER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "4"}
    assert command.run(env={**BANK, **asked}).out.split() == ["plain,whole"]


def test_the_template_is_not_listed() -> None:
    assert (TEMPLATE / "problem.yaml").is_file()
    assert TEMPLATE.name not in slugs(PROBLEMS)
