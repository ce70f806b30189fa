"""grader lesson: what it shows, in a pipe and at a terminal, what it takes, and what it refuses."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import NoneType
from typing import Any, Final

import pytest

from grader.attention.changes import CHANGES
from grader.attention.inputs import WORKED, as_text
from tests.cli.running import ESCAPE, Command, terminal
from tests.cli.shapes import deviations

NUMBER: Final = (float, {"nan", "inf", "-inf"})
RECORD: Final[dict[str, Any]] = {
    "schema": {1},
    "inputs": {name: [[NUMBER]] for name in ("x", "w_q", "w_k", "w_v", "w_o")},
    "is_worked_example": bool,
    "changes": dict,
    "stages": [
        {
            "name": str,
            "status": {"ok", "wrong", "inherited", "not_seen"},
            "shape": ([int], NoneType),
            "values": ([[NUMBER]], NoneType),
            "checks": [{"name": str, "demand": str, "holds": bool, "evidence": str, "numbers": [NUMBER]}],
        }
    ],
    "first_failing": ({"stage": str, "check": str}, NoneType),
    "sentence": str,
    "observed": [str],
    "suspected": [str],
    "versions": {"grader": str, "numpy": str},
}
WEIGHTS: Final = """\
✗ weights  A = softmax(S + M)  (4, 4)  fails first
  each row shares out a total of 1 among the keys that the query may read
    0.816  0.000  0.000  0.000  | 0.816  sums of rows
    0.058  0.350  0.000  0.000  | 0.407
    0.090  0.382  0.670  0.000  | 1.141
    0.037  0.268  0.330  1.000  | 1.635
    1.000  1.000  1.000  1.000  sums of columns
  ✓ shape (T, T): (4, 4)
  ✓ every number is finite: all are
  ✗ every row sums to 1: row sums [0.816, 0.407, 1.141, 1.635], column sums [1.000, 1.000, 1.000, 1.000]
  ✓ weights of later keys are exactly 0: 6 of 6 are
  ✗ each row is the softmax of that row of S+M: softmax of row 4 at key 4 = 0.349, but the trace has 1.000

"""
EIGHT: Final = [[1234.5678 * (row + 1) * (-1) ** column for column in range(8)] for row in range(8)]


def test_the_worked_example_passes(command: Command) -> None:
    ended = command.run("lesson")
    assert (ended.code, ended.err) == (0, "")
    assert "h4 is [0.592, -1.279]: h4 = [0.592, -1.279]\n" in ended.out
    assert "y4 is [1.871, -2.262]: y4 = [1.871, -2.262]\n" in ended.out
    assert ended.out.endswith(
        "✓ Every check holds: shape and meaning agree at every arrow.\nNext: change something: grader lesson --list\n"
    )


def test_a_change_shows_where_it_fails_first(command: Command) -> None:
    ended = command.run("lesson", "--change", "softmax_axis=queries")
    assert (ended.code, ended.err) == (0, "")
    assert WEIGHTS in ended.out
    assert "↳ output  Y = H W_O  (4, 2)  inherited\n" in ended.out


def test_changes_add_up(command: Command) -> None:
    ended = command.run("lesson", "--change", "projection=missing", "--change", "sizes=wider_model")
    assert (ended.code, ended.err) == (0, "")
    assert (
        "output, shape (T, d_model): the output is as wide as the model. Found: (4, 2) instead of (4, 3)." in ended.out
    )


@pytest.mark.parametrize("change", [f"{c.name}={option.value}" for c in CHANGES for option in c.options])
@pytest.mark.parametrize("columns", [80])
def test_every_change_fits_a_terminal(command: Command, change: str, columns: int) -> None:
    shown = terminal(command, columns, "lesson", "--change", change)
    assert max(map(len, ESCAPE.sub("", shown).splitlines())) <= columns
    assert "Warning" not in shown


def test_large_matrices_fit_a_terminal(command: Command) -> None:
    (command.folder / "eight.json").write_text(json.dumps(dict.fromkeys(("x", "w_q", "w_k", "w_v", "w_o"), EIGHT)))
    shown = terminal(command, 80, "lesson", "--inputs", "eight.json", "--change", "inputs=thousandfold")
    assert max(map(len, ESCAPE.sub("", shown).splitlines())) <= 80
    assert "Inputs: your own matrices." in shown


def test_colours_can_be_refused(command: Command) -> None:
    shown = terminal(command, 80, "lesson", "--change", "mask=late", env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[(?:\d+;)*3\d", shown)


def test_the_list_names_every_change_and_what_shows_a_symptom(command: Command) -> None:
    ended = command.run("lesson", "--list")
    assert (ended.code, ended.err) == (0, "")
    for change in CHANGES:
        for option in change.options:
            assert f"  {change.name}={option.value} " in ended.out
    assert "   grader lesson --change sizes=wider_model --change projection=missing\n" in ended.out
    assert [line[0] for line in ended.out.splitlines() if re.match(r"\d\. ", line)] == list("12345")


@pytest.mark.parametrize("change", ["softmax_axis=queries", "inputs=infinite", "axes=swapped", "sizes=x_too_wide"])
def test_the_record_is_one_object_of_schema_1(command: Command, change: str) -> None:
    ended = command.run("lesson", "--json", "--change", change)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("\n") == 1
    found = json.loads(ended.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert deviations(found, RECORD) == []
    assert [stage["name"] for stage in found["stages"]] == [
        *("inputs", "queries", "keys", "values", "scores", "masked_scores", "weights", "mixed_values", "output"),
    ]
    assert found["changes"] == dict([change.split("=")])


def test_own_matrices_come_from_a_file_or_a_pipe(command: Command) -> None:
    text = as_text(WORKED).replace("-0.5, -1", "-0.5, 1")
    (command.folder / "own.json").write_text("\ufeff" + text)
    file = command.run("lesson", "--json", "--inputs", "own.json")
    pipe = command.run("lesson", "--json", "--inputs", "-", stdin=text.encode())
    assert (file.code, file.out) == (0, pipe.out)
    assert json.loads(file.out)["inputs"]["x"][3] == [-0.5, 1.0]
    assert json.loads(file.out)["is_worked_example"] is False


def test_own_matrices_that_do_not_fit_are_the_lesson(command: Command) -> None:
    ended = command.run("lesson", "--inputs", "-", stdin=as_text(WORKED).replace("[[2, 0.5]", "[[2, 0.5, 1]").encode())
    assert ended.code == 2
    assert ended.line == "grader: Row 2 of w_k has 2 numbers and row 1 has 3; make all rows equally long."
    text = as_text(WORKED).replace("[[2, 0.5], [-0.5, 0.5]]", "[[2], [-0.5]]")
    ended = command.run("lesson", "--inputs", "-", stdin=text.encode())
    assert (ended.code, ended.err) == (0, "")
    assert (
        "First failing check: inputs, the matrices fit each other. Found: W_K is (2, 1) instead of (2, 2)." in ended.out
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--change", "mask"), "'mask' is no change; write NAME=VALUE, as in softmax_axis=queries."),
        (("--change", "mask=\x1b[1m"), "mask cannot be '\\x1b[1m'; write one of before, late, omitted, strict."),
        (("--inputs", "none.json"), "none.json cannot be read (No such file or directory); name a file."),
        (("--inputs", "."), ". is a folder; name a JSON file of matrices."),
        (("--inputs", "large"), "large is larger than 64 KiB; name a JSON file of matrices."),
        (("--inputs", "binary"), "binary is not UTF-8; name a JSON file of matrices."),
        (("--inputs", "pipe"), "pipe is no regular file; name a JSON file of matrices."),
        (("--list", "--quiz"), "--list and --quiz stand alone. See grader lesson --help."),
        (("--quiz", "--json"), "--list and --quiz stand alone. See grader lesson --help."),
    ],
)
def test_what_cannot_be_done_is_one_line(command: Command, args: tuple[str, ...], line: str) -> None:
    (command.folder / "large").write_bytes(b" " * (65 << 10))
    (command.folder / "binary").write_bytes(b"\xff\0")
    os.mkfifo(Path(command.folder / "pipe"))
    ended = command.run("lesson", *args)
    assert (ended.code, ended.out, ended.line) == (2, "", f"grader: {line}")


@pytest.mark.parametrize(
    ("typed", "code", "last"),
    [("a\n", 0, "1 of 1 right."), ("b\n", 1, "0 of 1 right."), ("h\nc\n", 1, "0 of 1 right.")],
)
def test_the_question_is_asked_as_quiz_asks(command: Command, typed: str, code: int, last: str) -> None:
    ended = command.run("lesson", "--quiz", stdin=typed.encode())
    assert (ended.code, ended.err) == (code, "")
    assert ended.out.splitlines()[-1] == last
    assert ("✓ Right" in ended.out) == (code == 0)
