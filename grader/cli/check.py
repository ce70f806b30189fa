"""grader check."""

from __future__ import annotations

import json
from pathlib import Path

import click

from grader.cli.judging import cache_for
from grader.cli.progress import Progress
from grader.config import read_settings
from grader.errors import InvalidPackage, JudgeError
from grader.grading.check import Report, check_package
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import problem_folder, slugs
from grader.report.visible import visible
from grader.sandbox.pool import Pool, SandboxUnavailable


@click.command("check", short_help="Check problem packages.")
@click.argument("packages", nargs=-1, metavar="[PACKAGE]...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.pass_context
def check_command(context: click.Context, packages: tuple[str, ...], as_json: bool) -> None:
    """Check problem packages (all without names): every source must get the verdict that its folder names.

    Exit 3 when anything is found.
    """
    settings = read_settings()
    folders = [problem_folder(name, settings.problems) for name in packages or slugs(settings.problems)]
    cache = cache_for(settings)
    with Pool() as pool:
        try:
            reports = [_check(folder, pool, cache) for folder in folders]
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None
    if as_json:
        click.echo(json.dumps([_object(report) for report in reports], indent=2))
    else:
        for report in reports:
            _print(report)
    context.exit(3 if any(report.findings for report in reports) else 0)


def _check(folder: Path, pool: Pool, cache: CaseCache) -> Report:
    try:
        files = read_folder(folder)
    except InvalidPackage as error:
        return Report(folder.name, error.findings)
    with Progress(f"check {files.slug}", "sources") as progress:
        return check_package(files, pool, cache, progress.update)


def _print(report: Report) -> None:
    for finding in report.findings:
        click.echo(visible(finding, keep=""))
    counts: dict[str, int] = {}
    for source in report.sources:
        verdict = source.judgement.verdict.value
        counts[verdict] = counts.get(verdict, 0) + 1
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "not judged"
    count = len(report.findings)
    state = f"{count} finding{'s' if count > 1 else ''}" if count else "in order"
    click.echo(f"{report.slug}: {state}; {len(report.sources)} sources: {summary}")


def _object(report: Report) -> dict[str, object]:
    return {
        "slug": report.slug,
        "ok": not report.findings,
        "findings": list(report.findings),
        "sources": [
            {
                "path": source.path,
                "expected": source.expected.value if source.expected else None,
                "verdict": source.judgement.verdict.value,
                "reason": source.judgement.reason.value if source.judgement.reason else None,
                "cases": [case.verdict.value if case.verdict else None for case in source.judgement.cases],
            }
            for source in report.sources
        ],
    }
