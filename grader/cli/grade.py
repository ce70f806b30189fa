"""grader grade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.completion import complete_problem
from grader.config import read_settings
from grader.errors import JudgeError, UserError
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable

if TYPE_CHECKING:
    from grader.grading.extra_runs import ExtraRuns
    from grader.grading.judge import Examination
    from grader.grading.verdict import Judgement
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
            failed = _write_files(_Examined(loaded, source, examination, lane, cache), evidence, html, file)
    _tell(examination.judgement, file, as_json)
    if failed is not None:
        raise failed
    context.exit(exit_code(examination.judgement.verdict, examination.judgement.reason))


def _tell(judgement: Judgement, file: str, as_json: bool) -> None:
    if as_json:
        from grader.report.result import json_line, result

        click.echo(json_line(result(judgement)))
    else:
        from grader.report.terminal import judgement_view, print_view

        print_view(judgement_view(judgement, file))


@dataclass(frozen=True)
class _Examined:
    """A submission and what was seen of it, for the files that show extra runs as well."""

    problem: Problem
    source: bytes
    examination: Examination
    lane: Lane
    cache: CaseCache

    def extra_runs(self) -> ExtraRuns | None:
        from grader.grading.extra_runs import extra_runs

        return extra_runs(self.problem, self.source, self.examination.judgement, self.lane, self.cache)

    def evidence(self, extra: ExtraRuns | None) -> str:
        from grader.grading.evidence import record
        from grader.grading.evidence_file import text_of

        return text_of(record(self.problem, self.source, self.examination, self.lane, self.cache, extra))

    def report(self, name: str, extra: ExtraRuns | None) -> str:
        from grader.report.report import report

        cases = self.cache.cases(self.problem, self.lane) if self.examination.judgement.cases else ()  # JE has none
        return report(self.problem, self.source, name, self.examination, cases, extra)


def _write_files(examined: _Examined, evidence: Path | None, html: Path | None, name: str) -> Exception | None:
    """Write the files that are asked for; return what failed: a fault of ours costs them, never the verdict's telling.

    Raises:
        UserError: a file cannot be written.
    """
    if evidence is None and html is None:
        return None
    from grader.cli.outputs import write_text

    try:
        extra = examined.extra_runs()
        if evidence is not None:
            write_text(evidence, examined.evidence(extra))
        if html is not None:
            write_text(html, examined.report(name, extra))
    except UserError:
        raise
    except Exception as error:
        return error
    return None


def exit_code(verdict: str, reason: str | None) -> int:
    """Return the command's exit code for a verdict."""
    if verdict == "JE":
        return 3 if reason == "invalid_package" else 4
    return 0 if verdict == "AC" else 1
