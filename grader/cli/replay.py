"""grader replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.cli.completion import complete_problem
from grader.cli.judging import cache_for, examine_or_stop
from grader.cli.outputs import write_text
from grader.cli.sources import read_source
from grader.config import read_settings
from grader.errors import InvalidPackage, JudgeError, UserError
from grader.grading import evidence_file
from grader.grading.evidence import record
from grader.grading.extra_runs import extra_runs
from grader.grading.judge import Depth
from grader.grading.replay import Replay, compare
from grader.grading.verdict import Verdict
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load_named, slugs
from grader.report.replay import replay_object, replay_view
from grader.report.result import json_line
from grader.report.terminal import print_view
from grader.sandbox.pool import Pool


@click.command("replay", short_help="Judge an evidence record's source again.")
@click.argument("evidence", metavar="EVIDENCE.json")
@click.option("--problem", metavar="PROBLEM", help="Judge against this package.", shell_complete=complete_problem)
@click.option("--evidence", "out", type=click.Path(path_type=Path), metavar="OUT", help="Write the new record.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def replay_command(context: click.Context, evidence: str, problem: str | None, out: Path | None, as_json: bool) -> None:
    """Judge the source in an evidence record again ('-' reads standard input) and compare.

    Says which of record, source, package and versions are others, and what came out differently. The record is
    written by grader grade --evidence; it is for interviewers, for it holds values of secret cases.

    Exit 0 when all is as recorded, 1 when something differs, 2 when the record cannot be read, 3 when the package is
    missing or invalid.
    """
    data = read_source(evidence, wanted="a record of grader grade --evidence", bytes_max=evidence_file.RECORD_BYTES_MAX)
    name = "Standard input" if evidence == "-" else evidence
    kept = evidence_file.read(data, name)
    source = evidence_file.source_of(kept, name)
    package = _package(problem, kept.package.slug, kept.package.sha256)
    recorded = kept.model_dump(mode="json", by_alias=True, exclude_unset=True)
    anew = _judged_anew(package, source, kept.depth)
    if out is not None:
        write_text(out, evidence_file.text_of(anew))
    found = compare(recorded, source, anew)
    _print(found, name, as_json)
    context.exit(1 if found.differs else 0)


def _package(named: str | None, slug: str, sha256: str) -> Problem:
    """Return the package to judge against; one that is not there is no fault of how the command was called."""
    root = read_settings().problems
    if named is not None:
        return load_named(named, root)
    known = slugs(root)
    if slug not in known:
        slug = next((name for name in known if _hash(root / name) == sha256), slug)  # it was renamed
    try:
        return load_named(slug, root)
    except UserError:
        advice = "set GRADER_PROBLEMS to the folder that holds it, or name its folder with --problem"
        raise InvalidPackage([f"{slug}: there is no such problem here; {advice}."]) from None


def _hash(folder: Path) -> str | None:
    try:
        return read_folder(folder).sha256
    except InvalidPackage:
        return None


def _judged_anew(package: Problem, source: bytes, depth: Depth) -> dict[str, Any]:
    settings = read_settings()
    cache = cache_for(settings)
    with Pool(1, settings.allow_weak_sandbox) as pool, pool.lane() as lane:
        examination = examine_or_stop(package, source, lane, cache, depth)
        if examination.judgement.verdict is Verdict.JE:
            raise JudgeError("The sandbox failed while the source was judged again; run grader doctor.")
        extra = extra_runs(package, source, examination.judgement, lane, cache)
        return record(package, source, examination, lane, cache, extra)


def _print(found: Replay, name: str, as_json: bool) -> None:
    if as_json:
        click.echo(json_line(replay_object(found)))
    else:
        print_view(replay_view(found, name))
