"""problems/README.md: its steps are followed as they are written, and its tables name what there is."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from grader.grading.package_texts import HEADINGS
from grader.problems.files import read_folder
from grader.problems.loader import load_all, slugs
from grader.problems.schema import EntrySpec, FaultSpec, HintSpec, InterviewSpec, LimitsSpec, ProblemSpec
from grader.problems.sets import SetSpec
from tests.cli.running import GRADER, PROBLEMS, TIMEOUT_S, Command

GUIDE: Final = (PROBLEMS / "README.md").read_text()
STEPS: Final = GUIDE.partition("## Add a problem")[2].partition("\n## ")[0]
REFERENCE: Final = GUIDE.partition("## Reference")[2]
# ```sh is for commands, ```LANGUAGE FILE for a file or what is added at its end, "below LINE" for what follows a line
BLOCK: Final = re.compile(r"^ *```(\w+)(?: (\S+))?(?: below ([^\n]+))?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ITEM: Final = re.compile(r"^ {3}", re.MULTILINE)  # what sets a list item's blocks in


@dataclass(frozen=True)
class Step:
    """A block of the guide."""

    language: str
    path: str
    below: str
    text: str

    def edit(self, folder: Path) -> None:
        """Do to a file what the guide says."""
        file = folder / self.path
        before = file.read_text() if file.exists() else ""
        if self.below:
            assert before.count(f"\n{self.below}") == 1
            head, line, tail = before.partition(f"\n{self.below}")
            rest, end, tail = tail.partition("\n")
            file.write_text(head + line + rest + end + self.text + tail)
        else:
            file.write_text(before + self.text)


def steps() -> Iterator[Step]:
    """Yield the guide's blocks in order."""
    for language, path, below, text in BLOCK.findall(STEPS):
        assert bool(path) == (language != "sh")
        yield Step(language, path, below, ITEM.sub("", text))


def section(title: str) -> str:
    """Return a section of the reference."""
    return REFERENCE.partition(f"### {title}\n")[2].partition("\n### ")[0]


def keys_in(text: str) -> set[str]:
    """Return the keys that a section's table explains in its first column."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {key for row in rows for key in re.findall(r"`([^`]+)`", row)}


@pytest.mark.sandbox
def test_the_steps_lead_to_a_package_in_order(command: Command) -> None:
    environment = command.environment({"PATH": f"{Path(GRADER).parent}:/usr/bin:/bin"})
    written, exported = "", ""
    for step in steps():
        if step.language != "sh":
            step.edit(command.folder)
            continue
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", exported + step.text],
            cwd=command.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        written += done.stdout
        exported = exported or "export GRADER_PROBLEMS=problems\n"
    assert "in order; 6 sources: 3 AC, 3 WA; 3 alternatives;" in written
    assert "in order; 8 sources: 3 AC, 5 WA; 4 alternatives;" in written
    assert "\n~fill-minus-1000 " in written
    assert "Accepted" in written
    problem = load_all(read_folder(command.folder / "problems/attn-x"))
    assert list(problem.spec.variants) == ["second", "interview"]


@pytest.mark.sandbox
def test_the_kill_matrix_is_the_templates(command: Command) -> None:
    command.run("new", "./matrix")
    shown = command.run("check", "./matrix", "--matrix").out.partition("\n\n")[0]
    block = re.search(r"\n\n((?: {4}.*\n)*    ~unsafe-softmax.*\n)", GUIDE)
    assert block is not None
    printed = [line.rstrip() for line in shown.splitlines() if line.strip()]
    assert [line[4:].rstrip() for line in block[1].splitlines()] == printed


def test_every_problem_has_its_row() -> None:
    rows = re.findall(r"^\| \[([a-z0-9-]+)\]\(\1/statement\.md\) \| (L\d) \| (\d+) \| (.+) \|$", GUIDE, re.MULTILINE)
    specs = {slug: load_all(read_folder(PROBLEMS / slug)).spec for slug in slugs(PROBLEMS)}
    assert rows == [(slug, spec.level, str(spec.minutes), ", ".join(spec.variants)) for slug, spec in specs.items()]


def test_every_key_is_explained_and_no_other() -> None:
    specification = {field.alias or name for name, field in ProblemSpec.model_fields.items()}
    entry = {f"entries.*.{name}" for name in EntrySpec.model_fields}
    assert keys_in(section("problem.yaml")) == specification | entry
    assert set(LimitsSpec.model_fields) == set(re.findall(r"case_s|total_s|memory_mib", section("problem.yaml")))
    hints = {f"hints.{name}" for name in HintSpec.model_fields}
    assert keys_in(section("faults.yaml")) == set(FaultSpec.model_fields) - {"hints"} | hints
    interview = {field.alias or name for name, field in InterviewSpec.model_fields.items()}
    assert keys_in(section("interview.yaml")) == interview
    assert set(SetSpec.model_fields) <= set(re.findall(r"\w+", section("sets.yaml")))


def test_every_heading_of_a_statement_is_named() -> None:
    assert all(f"*{heading}*" in GUIDE for heading in HEADINGS)
