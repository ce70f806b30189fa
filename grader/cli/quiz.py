"""grader quiz."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

import click

from grader.cli.completion import complete_problem
from grader.config import read_settings
from grader.errors import InvalidPackage, UserError
from grader.problems.loader import Problem, load_named
from grader.problems.schema import MultipleChoiceSpec
from grader.report.quiz import LETTERS, answers_text, hint_view, question_view, score_view, solution_view, title_view
from grader.report.terminal import print_view
from grader.report.visible import visible

LINE_BYTES_MAX: Final = 1000
LINES_MAX: Final = 20  # without an answer to one question; a pipe may never end


@click.command("quiz", short_help="Ask a problem's multiple-choice questions.")
@click.argument("problem", shell_complete=complete_problem)
@click.pass_context
def quiz_command(context: click.Context, problem: str) -> None:
    """Ask PROBLEM's multiple-choice questions one by one; each answer is final and shows its solution.

    Type the letter of a choice, h or ? for the hint, q or Ctrl-D to stop. Letters may also be piped in, one on a line.
    Exit 0 when every question was answered right, 1 when not.
    """
    loaded = load_named(problem, read_settings().problems)
    questions = _questions(loaded)
    context.exit(ask(loaded.spec.title, questions))


def ask(title: str, questions: Sequence[MultipleChoiceSpec]) -> int:
    """Ask questions one by one; return the exit code.

    Raises:
        UserError: there is no input, or none of it is an answer.
    """
    if sys.stdin is None:
        raise UserError("Standard input is closed; answer at a terminal, or pipe letters in.")
    print_view(title_view(title, len(questions)))
    right = answered = 0
    for number, question in enumerate(questions, 1):
        print_view(question_view(question, number, len(questions)))
        chosen = _answer(question)
        if chosen is None:
            break
        print_view(solution_view(question, chosen))
        answered += 1
        right += chosen == question.correct
    print_view(score_view(right, answered, len(questions)))
    return 0 if right == len(questions) else 1


def _questions(problem: Problem) -> list[MultipleChoiceSpec]:
    """Return the questions; `load` has not held them against their choices.

    Raises:
        UserError: there are none.
        InvalidPackage: one has no right choice.
    """
    questions = problem.interview.multiple_choice
    if not questions:
        raise UserError(
            f"{problem.slug} has no multiple-choice questions; its follow-up questions are on its page (grader serve)."
        )
    where = f"{problem.slug}/interview.yaml: multiple_choice"
    findings = [
        f"{where} {question.id}: correct is beyond the choices; correct it."
        for question in questions
        if question.correct >= len(question.choices)
    ]
    if findings:
        raise InvalidPackage(findings)
    return questions


def _answer(question: MultipleChoiceSpec) -> int | None:
    """Return the number of the choice taken, None when no more answers come.

    Raises:
        UserError: line after line is none.
    """
    letters = LETTERS[: len(question.choices)]
    for _ in range(LINES_MAX):
        typed = _line(f"Answer ({answers_text(len(letters))}): ")
        if typed in ("q", None):
            return None
        if len(typed) == 1 and typed in letters:
            return letters.index(typed)
        if typed in ("h", "?"):
            print_view(hint_view(question))
        else:
            click.echo(f"{typed[:60]!a} is no answer; type one of {', '.join(letters)}.")
    raise UserError(f"{LINES_MAX} lines held no answer to one question; type one of {', '.join(letters)}.")


def _line(prompt: str) -> str | None:
    """Return the next line in lower case, None at the end; what no terminal echoes is written beside the prompt."""
    typed_here = sys.stdin.isatty()
    try:
        click.echo(prompt, nl=False)
        sys.stdout.flush()
        line = sys.stdin.buffer.readline(LINE_BYTES_MAX)
    except KeyboardInterrupt:
        click.echo()  # the error's line stands alone
        raise
    text = line.decode("utf-8-sig", errors="replace").strip()
    if not typed_here:
        click.echo(visible(text, keep=""))
    elif not line.endswith(b"\n"):  # Ctrl-D
        click.echo()
    return text.lower() if line else None
