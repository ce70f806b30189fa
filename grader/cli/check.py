"""grader check."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

import click

from grader.cli.completion import complete_problem
from grader.cli.judging import cache_for, warn_if_weakened
from grader.cli.outputs import write_text
from grader.cli.progress import Progress
from grader.config import read_settings
from grader.errors import InvalidPackage, JudgeError
from grader.grading.check import check_package
from grader.grading.check_report import Report
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import load, problem_folder, slugs
from grader.problems.schema import ProblemSpec
from grader.report.kill_matrix import matrix_page, matrix_text
from grader.report.visible import visible
from grader.sandbox.pool import Pool, SandboxUnavailable
from grader.wording import counted


@click.command("check", short_help="Check problem packages.")
@click.argument("packages", nargs=-1, metavar="[PACKAGE]...", shell_complete=complete_problem)
@click.option("--matrix", is_flag=True, help="Print which case kills which fault.")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write an index and the kill matrices as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.pass_context
def check_command(
    context: click.Context, packages: tuple[str, ...], matrix: bool, html: Path | None, as_json: bool
) -> None:
    """Check problem packages (all without names).

    Every source must get the verdict that its folder names, every incomplete repair must be there, the stages must
    compose to the reference, every fault must be killed and told apart by a secret case, the hidden cases must obey the
    rules for attention code, and each must earn its place. A package that did not change is not run again.

    Exit 3 when anything is found.
    """
    settings = read_settings()
    folders = [problem_folder(name, settings.problems) for name in packages or slugs(settings.problems)]
    cache = cache_for(settings)
    with Pool(allow_weak=settings.allow_weak_sandbox) as pool:
        try:
            reports = [_check(folder, pool, cache) for folder in folders]
            warn_if_weakened(pool)
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
    if html is not None:
        write_text(html, matrix_page(reports, _specs(folders)))
    if as_json:
        click.echo(json.dumps([report.as_object() for report in reports], indent=2))
    else:
        for report in reports:
            _print(report, matrix)
    context.exit(3 if any(report.findings for report in reports) else 0)


def _check(folder: Path, pool: Pool, cache: CaseCache) -> Report:
    try:
        files = read_folder(folder)
    except InvalidPackage as error:
        return Report(folder.name, error.findings)
    with Progress(f"check {files.slug}", "sources") as progress:
        return check_package(files, pool, cache, progress.update)


def _specs(folders: Sequence[Path]) -> dict[str, ProblemSpec]:
    """Return the contracts of those packages that can be read."""
    found = {}
    for folder in folders:
        with contextlib.suppress(InvalidPackage):
            found[folder.name] = load(read_folder(folder)).spec
    return found


def _print(report: Report, matrix: bool) -> None:
    for finding in report.findings:
        click.echo(visible(finding, keep=""))
    if matrix and report.matrix:
        click.echo(matrix_text(report.matrix))
    for notice in report.notices:
        click.echo(visible(notice, keep=""))
    counts: dict[str, int] = {}
    for source in report.sources:
        counts[source.verdict.value] = counts.get(source.verdict.value, 0) + 1
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "not judged"
    count = len(report.findings)
    state = counted(count, "finding") if count else "in order"
    sources = f"{counted(len(report.sources), 'source')}: {summary}{_faults_told(report)}"
    click.echo(f"{visible(report.slug, keep='')}: {state}; {sources}")


def _faults_told(report: Report) -> str:
    if report.matrix is None:
        return ""
    if report.waiting is None:
        told = counted(sum(not row.origin.endswith(".py") for row in report.matrix.rows), "alternative")
    else:
        told = f"stages do not compose yet: alternatives and {counted(report.waiting, 'rule')} not looked at"
    secret = sum(name.startswith("secret_") for name in report.matrix.cases)
    return f"; {told}; {counted(secret, 'secret case')}; {counted(len(report.rules), 'rule')}"
