"""grader grade."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.completion import complete_problem
from grader.config import read_settings
from grader.errors import JudgeError
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable

if TYPE_CHECKING:
    from grader.grading.judge import Examination
    from grader.problems.cache import CaseCache
    from grader.problems.loader import Problem


@click.command("grade", short_help="Judge one file.")
@click.argument("problem", shell_complete=complete_problem)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--html", type=click.Path(path_type=Path), metavar="OUT", help="Write a report as one page.")
@click.option("--evidence", type=click.Path(path_type=Path), metavar="OUT", help="Write an evidence record (JSON).")
@click.pass_context
def grade_command(
    context: click.Context, problem: str, file: str, as_json: bool, html: Path | None, evidence: Path | None
) -> None:
    """Judge FILE ('-' reads standard input) as a repair of PROBLEM; exit 0 for AC, 1 for any other verdict.

    Report and evidence record are for interviewers and authors: the report names secret cases, the record also holds
    values of theirs, with all that grader replay needs to judge the same source again. For either, an accepted or wrong
    source runs a few times more: with a later token exchanged, and with logits made larger.
    """
    settings = read_settings()
    with Pool(1, settings.allow_weak_sandbox) as pool:
        try:
            pool.start()  # its interpreter loads while ours does
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
        from grader.cli.judging import cache_for, examine_or_stop
        from grader.cli.outputs import require_apart
        from grader.cli.sources import read_source
        from grader.problems.loader import load_named

        require_apart([Path(file), html, evidence])
        source = read_source(file)
        loaded = load_named(problem, settings.problems)
        cache = cache_for(settings)
        with pool.lane() as lane:
            examination = examine_or_stop(loaded, source, lane, cache)
            if evidence is not None or html is not None:
                written = _Written(loaded, source, examination, lane, cache)
                if evidence is not None:
                    written.evidence(evidence)
                if html is not None:
                    written.report(html, file)
    judgement = examination.judgement
    if as_json:
        from grader.report.result import json_line, result

        click.echo(json_line(result(judgement)))
    else:
        from grader.report.terminal import judgement_view, print_view

        print_view(judgement_view(judgement, file))
    context.exit(exit_code(judgement.verdict, judgement.reason))


class _Written:
    """The files for interviewers and authors, which show extra runs as well."""

    def __init__(self, problem: Problem, source: bytes, examination: Examination, lane: Lane, cache: CaseCache) -> None:
        from grader.grading.extra_runs import extra_runs

        self._problem = problem
        self._source = source
        self._examination = examination
        self._lane = lane
        self._cache = cache
        self._extra = extra_runs(problem, source, examination.judgement, lane, cache)

    def evidence(self, path: Path) -> None:
        from grader.cli.outputs import write_text
        from grader.grading.evidence import record
        from grader.grading.evidence_file import text_of

        data = record(self._problem, self._source, self._examination, self._lane, self._cache, self._extra)
        write_text(path, text_of(data))

    def report(self, path: Path, name: str) -> None:
        from grader.cli.outputs import write_text
        from grader.report.report import report

        cases = self._cache.cases(self._problem, self._lane) if self._examination.judgement.cases else ()  # JE has none
        write_text(path, report(self._problem, self._source, name, self._examination, cases, self._extra))


def exit_code(verdict: str, reason: str | None) -> int:
    """Return the command's exit code for a verdict."""
    if verdict == "JE":
        return 3 if reason == "invalid_package" else 4
    return 0 if verdict == "AC" else 1
