"""grader grade."""

from __future__ import annotations

import click

from grader.cli.completion import complete_problem
from grader.errors import JudgeError
from grader.sandbox.pool import Pool, SandboxUnavailable


@click.command("grade", short_help="Judge one file.")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def grade_command(context: click.Context, problem: str, file: str, as_json: bool) -> None:
    """Judge FILE ('-' reads standard input) as a repair of PROBLEM; exit 0 for AC, 1 for any other verdict."""
    with Pool(1) as pool:
        try:
            pool.start()  # its interpreter loads while ours does
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
        from grader.cli.judging import cache_for, judge_or_stop
        from grader.cli.sources import read_source
        from grader.config import read_settings
        from grader.problems.loader import load_named

        settings = read_settings()
        source = read_source(file)
        loaded = load_named(problem, settings.problems)
        with pool.lane() as lane:
            judgement = judge_or_stop(loaded, source, lane, cache_for(settings))
    if as_json:
        from grader.report.result import json_line, result

        click.echo(json_line(result(judgement)))
    else:
        from grader.report.terminal import judgement_view, print_view

        print_view(judgement_view(judgement, file))
    context.exit(exit_code(judgement.verdict, judgement.reason))


def exit_code(verdict: str, reason: str | None) -> int:
    """Return the command's exit code for a verdict."""
    if verdict == "JE":
        return 3 if reason == "invalid_package" else 4
    return 0 if verdict == "AC" else 1
