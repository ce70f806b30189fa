"""grader quiz: at a terminal and in a pipe; nothing tells the right choice before an answer was given."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import termios
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.running import ESCAPE, SLUG, Command
from tests.packages import TINY, edited

PIPED: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("quiz.yaml").read_text())
PACKAGE: Final = f"./{TINY.name}"
QUESTIONS: Final = """\
multiple_choice:
  - id: mask-value
    question: |
      Which fill hides a key
      for certain?
    choices: [minus ten thousand, minus infinity]
    correct: 1
    hint: Think of a large score.
    solution: |
      Only `-inf` is below $s_{ij}$,
      whatever it is:

      - any finite fill
        may lie above a score
      - \u202einfinity does not

      ```
      np.where(seen, s,
               -np.inf)
      ```
  - id: scale
    question: What is divided by?
    choices:
      - the width
      - its square
      - |
        its root:
            s / np.sqrt(d)
    correct: 2
    hint: Look at the variance.
    solution: The variance of a sum grows with its length.
"""
TRANSCRIPT: Final = r"""A tiny attention: 2 questions

Question 1 of 2
Which fill hides a key for certain?

  a  minus ten thousand
  b  minus infinity

Answer (a-b, h hint, q quit): h

Hint: Think of a large score.

Answer (a-b, h hint, q quit): c
'c' is no answer; type one of a, b.
Answer (a-b, h hint, q quit): b

✓ Right
Only `-inf` is below $s_{ij}$, whatever it is:

- any finite fill may lie above a score
- \u202einfinity does not

```
np.where(seen, s,
         -np.inf)
```

Question 2 of 2
What is divided by?

  a  the width
  b  its square
  c  its root:
         s / np.sqrt(d)

Answer (a-c, h hint, q quit): \x1b[31mÿ
'\x1b[31m\xff' is no answer; type one of a, b, c.
Answer (a-c, h hint, q quit): A

✗ Not right: it is c
The variance of a sum grows with its length.

1 of 2 right.
"""


@pytest.fixture
def quiz(command: Command) -> Command:
    """The command beside a small package with the two questions."""
    shutil.copytree(TINY, command.folder / TINY.name)
    text = (TINY / "interview.yaml").read_text().partition("multiple_choice:")[0] + QUESTIONS
    (command.folder / TINY.name / "interview.yaml").write_text(text)
    return command


def at_terminal(command: Command, columns: int, typed: bytes, env: dict[str, str | None] | None = None) -> str:
    """Return what the quiz shows at a terminal where all is typed ahead; the last key pressed is Ctrl-D."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = command.start("quiz", PACKAGE, env={"TERM": "xterm-256color", **(env or {})}, **streams)
    os.close(theirs)
    os.write(ours, typed + b"\x04")
    shown = b""
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
    except OSError:  # the terminal's other side is closed
        pass
    os.close(ours)
    assert process.wait(60) == 1
    return shown.decode().replace("\r\n", "\n")


def test_a_piped_quiz_is_plain_text(quiz: Command) -> None:
    ended = quiz.run("quiz", PACKAGE, stdin="h\nc\nb\n\x1b[31mÿ\nA\n".encode(), env={"COLUMNS": "40"})
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == TRANSCRIPT


@pytest.mark.parametrize("case", PIPED, ids=[case["id"] for case in PIPED])
def test_piped_letters_answer(quiz: Command, case: dict[str, Any]) -> None:
    ended = quiz.run("quiz", PACKAGE, stdin=case["typed"].encode())
    assert (ended.code, ended.err) == (case["code"], "")
    assert ended.out.splitlines()[-1] == case["last"]


@pytest.mark.parametrize("stdin", [b"", b"q\n", b"h\nx\n?\nq\n"], ids=["end", "quit", "hints"])
def test_nothing_is_told_before_an_answer(quiz: Command, stdin: bytes) -> None:
    out = quiz.run("quiz", PACKAGE, stdin=stdin).out
    assert [word for word in ("Right", "Not right", "it is", "whatever", "Question 2") if word in out] == []


def test_a_pipe_that_answers_nothing_ends(quiz: Command) -> None:
    with open("/dev/zero", "rb") as endless:
        process = quiz.start("quiz", PACKAGE, stdin=endless)
        err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 2
    assert err == "grader: 20 lines held no answer to one question; type one of a, b.\n"


def test_of_eight_choices_the_last_is_h(quiz: Command) -> None:
    interview = quiz.folder / TINY.name / "interview.yaml"
    choices = "[minus ten thousand, minus infinity, c, d, e, f, g, minus three]"
    text = edited("interview.yaml", "[minus ten thousand, minus infinity]", choices)
    interview.write_text(text.replace("correct: 1", "correct: 7"))
    ended = quiz.run("quiz", PACKAGE, stdin=b"?\nh\n")
    assert ended.code == 0
    assert ended.out.count("Hint: ") == 1
    assert "Answer (a-h, ? hint, q quit): h\n\n✓ Right\n" in ended.out


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_has_colours_and_its_own_width(quiz: Command, columns: int) -> None:
    shown = at_terminal(quiz, columns, b"b\na\n")
    text = ESCAPE.sub("", shown)
    assert "\x1b[1;32m✓ Right" in shown
    assert "\x1b[1;31m✗ Not right: it is c" in shown
    assert max(map(len, text.splitlines())) <= columns
    assert text.rstrip().endswith("1 of 2 right.")
    assert set(re.findall(r"\x1b\[[^m]*[A-Za-z]", shown)) == set(re.findall(r"\x1b\[[0-9;]*m", shown))


def test_colours_can_be_refused(quiz: Command) -> None:
    shown = at_terminal(quiz, 80, b"b\na\n", {"NO_COLOR": "1"})
    assert "✓ Right" in shown
    assert not re.search(r"\x1b\[(?:\d+;)*3\d", shown)


def test_ctrl_d_ends_with_the_score(quiz: Command) -> None:
    text = ESCAPE.sub("", at_terminal(quiz, 80, b"b\n"))
    assert text.endswith("Answer (a-c, h hint, q quit): \n\n1 of 2 right, 1 not answered.\n")


def test_ctrl_c_is_a_line_of_its_own(quiz: Command) -> None:
    reader, writer = os.pipe()
    process = quiz.start("quiz", PACKAGE, stdin=reader)
    os.close(reader)
    assert process.stdout is not None
    shown = b""
    while not shown.endswith(b"q quit): "):
        shown += os.read(process.stdout.fileno(), 1 << 16)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(writer)
    assert (process.returncode, out, err) == (130, b"\n", b"grader: Interrupted.\n")


def test_closed_input_is_told(quiz: Command) -> None:
    ended = quiz.run("quiz", PACKAGE, preexec=lambda: os.close(0))
    assert (ended.code, ended.out) == (2, "")
    assert ended.line == "grader: Standard input is closed; answer at a terminal, or pipe letters in."


@pytest.mark.parametrize(
    ("new", "line"),
    [
        ("correct: 2", "multiple_choice mask-value: correct is beyond the choices; correct it."),
        ("right: 1", "the key multiple_choice.0.correct is missing; add it. (1 more: grader check lists them all)"),
    ],
)
def test_a_broken_interview_is_exit_3(quiz: Command, new: str, line: str) -> None:
    (quiz.folder / TINY.name / "interview.yaml").write_text(edited("interview.yaml", "correct: 1", new))
    ended = quiz.run("quiz", PACKAGE)
    assert (ended.code, ended.out, ended.line) == (3, "", f"grader: {TINY.name}/interview.yaml: {line}")


def test_a_problem_without_questions_is_told(quiz: Command) -> None:
    text = (TINY / "interview.yaml").read_text().partition("multiple_choice:")[0]
    (quiz.folder / TINY.name / "interview.yaml").write_text(text)
    ended = quiz.run("quiz", PACKAGE)
    assert (ended.code, ended.out) == (2, "")
    assert ended.line == (
        "grader: tiny-attention has no multiple-choice questions; "
        "its follow-up questions are on its page (grader serve)."
    )


def test_the_shipped_questions_are_asked(command: Command) -> None:
    ended = command.run("quiz", SLUG, stdin=b"a\nc\n")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Attention heads that never mix: 2 questions\n\nQuestion 1 of 2\n")
    assert ended.out.endswith("\n2 of 2 right.\n")
