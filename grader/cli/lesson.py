"""grader lesson."""

from __future__ import annotations

import json

import click

from grader.attention.changes import choose
from grader.attention.inputs import BYTES_MAX, WORKED, Inputs, read_inputs
from grader.attention.lesson import audit
from grader.cli.quiz import ask
from grader.cli.sources import read_source
from grader.errors import UserError
from grader.report.lesson import QUESTION, QUESTION_TITLE, lesson_object, lesson_view, table_view
from grader.report.terminal import print_view


@click.command("lesson", short_help="Walk through one attention head, whole or with a step changed.")
@click.option("--change", "changes", metavar="NAME=VALUE", multiple=True, help="Change one step; may be given often.")
@click.option("--inputs", metavar="FILE", help='JSON with your own x, w_q, w_k, w_v and w_o; "-" reads standard input.')
@click.option(
    "--list", "lists", is_flag=True, help="Print what can be changed, and five symptoms with what shows them."
)
@click.option("--json", "as_json", is_flag=True, help="Print the evidence record as one JSON object.")
@click.option("--quiz", is_flag=True, help="Ask the lesson's multiple-choice question.")
@click.pass_context
def lesson_command(
    context: click.Context, changes: tuple[str, ...], inputs: str | None, lists: bool, as_json: bool, quiz: bool
) -> None:
    """Audit one causal attention head: every intermediate, the checks at each arrow, and which one fails first.

    Exit 0 whatever the checks find; with --quiz 1 when the answer was not right.
    """
    if lists + quiz + bool(changes or inputs or as_json) > 1:
        raise click.UsageError("--list and --quiz stand alone.")
    if quiz:
        context.exit(ask(QUESTION_TITLE, [QUESTION]))
    if lists:
        print_view(table_view())
        return
    lesson = audit(WORKED if inputs is None else _read(inputs), choose(map(_pair, changes)))
    if as_json:
        click.echo(json.dumps(lesson_object(lesson), allow_nan=False))
    else:
        print_view(lesson_view(lesson))


def _pair(change: str) -> tuple[str, str]:
    name, equals, value = change.partition("=")
    if not equals:
        raise UserError(f"{change[:40]!a} is no change; write NAME=VALUE, as in softmax_axis=queries.")
    return name, value


def _read(name: str) -> Inputs:
    data = read_source(name, wanted="a JSON file of matrices", bytes_max=BYTES_MAX)
    try:
        return read_inputs(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8; name a JSON file of matrices.") from None
