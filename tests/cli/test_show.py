"""grader show and the round from a starter to its verdict."""

from __future__ import annotations

import pytest

from grader.problems.sets import load_sets
from tests.cli.running import PROBLEMS, SLUG, Command


@pytest.mark.sandbox
def test_statement_starter_and_samples_are_printed(command: Command) -> None:
    ended = command.run("show", SLUG)
    assert (ended.code, ended.err) == (0, "")
    statement, starter = (PROBLEMS / SLUG / path for path in ("statement.md", "starters/interview.py"))
    assert ended.out.startswith(statement.read_text().rstrip())
    rule = f"# {'-' * 68}\n"
    assert f"\n\n{rule}# starter, variant interview\n{rule}{starter.read_text().rstrip()}\n" in ended.out
    _, sample = ended.out.split(f"{rule}# sample sample_format\n{rule}")
    given, expected = sample.split("# expected:\n")
    assert given.endswith("y, weights = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads)\n\n")
    assert expected.startswith("y = np.array([[[")
    assert "secret" not in ended.out.partition("# starter")[2]


@pytest.mark.sandbox
def test_another_variant_is_printed(command: Command) -> None:
    ended = command.run("show", SLUG, "--variant", "practice")
    assert (PROBLEMS / SLUG / "starters/practice.py").read_text().rstrip() in ended.out


@pytest.mark.sandbox
def test_a_starter_is_written_and_is_not_accepted(command: Command) -> None:
    written = command.run("show", SLUG, "--variant", "practice", "-o", "mine.py")
    assert (written.code, written.out) == (0, "")
    assert written.line == f"Wrote mine.py; repair it, then: grader grade {SLUG} mine.py"
    assert (command.folder / "mine.py").read_bytes() == (PROBLEMS / SLUG / "starters/practice.py").read_bytes()
    judged = command.run("grade", SLUG, "mine.py")
    assert judged.code == 1
    assert "✗ Wrong answer" in judged.out


def test_what_is_there_is_not_written_over(command: Command) -> None:
    (command.folder / "mine.py").write_text("my own work")
    assert command.run("show", SLUG, "-o", "mine.py").code == 2
    assert (command.folder / "mine.py").read_text() == "my own work"


def test_a_path_shows_a_package_anywhere(command: Command) -> None:
    assert command.run("show", PROBLEMS / SLUG).out == command.run("show", SLUG).out


def test_the_list_names_every_problem(command: Command) -> None:
    ended = command.run("problems")
    assert ended.code == 0
    table, _, sets = ended.out.partition("\n\n")
    listed = [line.split()[0] for line in table.splitlines()]
    assert listed == ["problem", *sorted(path.parent.name for path in PROBLEMS.glob("[!_]*/problem.yaml"))]
    assert sets == f"Sets (--set NAME): {', '.join(load_sets(PROBLEMS))}\n"
