"""grader rejudge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from grader.batch.manifest import Manifest, read_manifest
from grader.batch.outputs import Places, write_outputs
from grader.batch.rejudge import ASIDE, Old, clear, forget, outdated, put_back, read_results, settle, take_over
from grader.batch.results import REJUDGED, Key, Results, Wanted
from grader.batch.sources import Sources, hash_sources
from grader.batch.submissions import Submission
from grader.cli.judge_many import How, going_on, judge_into, package_hashes
from grader.cli.judging import warn
from grader.cli.whole_number import WholeNumber
from grader.config import read_settings
from grader.errors import UserError
from grader.grading.verdict import Verdict
from grader.problems.loader import problem_folder
from grader.report.batch_summary import Changed, changes_table
from grader.report.terminal import print_view
from grader.wording import counted, plural

_AGAIN: Final = "the same command goes on."
_TOLD: Final = 5  # submissions that are named one by one


@click.command("rejudge", short_help="Judge a batch's results again after packages have changed.")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--problems", metavar="LIST", help="Only these problems, joined by commas.")
@click.option("--jobs", type=WholeNumber(1, 256), help="Submissions at a time; the usable cores without it.")
@click.option("--database", metavar="URL", help="Have the workers of this PostgreSQL database judge, not this machine.")
@click.option("--apply", "is_applied", is_flag=True, help="Put the new results in place of the old, which are kept.")
@click.option("--undo", "is_undone", is_flag=True, help="Put back what the last --apply has replaced.")
@click.pass_context
def rejudge_command(
    context: click.Context,
    out: Path,
    problems: str | None,
    jobs: int | None,
    database: str | None,
    is_applied: bool,
    is_undone: bool,
) -> None:
    """Judge again what grader batch wrote to OUT, where the problem's package or the grader is another now.

    Prints the results that change and changes nothing. --apply takes the new ones over, with their evidence records
    where the batch has some, and writes every table and page anew; the old ones stay in results.<n>.jsonl, from where
    --undo brings them back. What a later batch --resume has judged stays.

    Exit 0 when it is done, 2 when some submissions are not there any more as they were, 4 when the grader itself failed
    on one: that result stays as it was.
    """
    if is_applied and is_undone:
        raise UserError("--apply and --undo exclude each other; leave one out.")
    manifest = read_manifest(out)
    settings = read_settings()
    with going_on("run the same command again", _AGAIN):
        if is_undone:
            _undo(out, manifest)
            return
        chosen = [word.strip() for word in problems.split(",")] if problems is not None else []
        for slug in chosen:
            problem_folder(slug, settings.problems)
        how = How(settings, jobs, manifest.settings.finding, database=database)
        context.exit(_rejudge(out, manifest, how, chosen, is_applied))


def _undo(out: Path, manifest: Manifest) -> None:
    with Results(out, resume=True):
        kept = put_back(Places.of(out, manifest.candidates))
        write_outputs(out, manifest)
        forget(out)
    click.echo(f"The results of {kept.name} are back in {out}", err=True)


def _rejudge(out: Path, manifest: Manifest, how: How, problems: list[str], is_applied: bool) -> int:
    slugs = {submission.problem for submission in manifest.submissions}
    packages = package_hashes(how.settings, slugs)
    for slug in sorted(slugs - packages.keys()):
        warn(f"The package {slug} cannot be read; its results stay (grader check says why).")
    old = outdated(out, packages, problems)
    if not old:
        click.echo(f"Nothing to judge again: the results in {out} are of these packages and this grader", err=True)
        if is_applied:
            with Results(out, resume=True):
                settle(Places.of(out, manifest.candidates))
                _finish(out, manifest)
        return 0
    submissions = [submission for submission in manifest.submissions if submission.key in old]
    sources = hash_sources(submissions)
    same = {key: sha256 for key, sha256 in sources.sha256.items() if sha256 == old[key].source_sha256}
    _say_changed(old, same)
    if same:
        how.require()
    places = Places.of(out, manifest.candidates)
    with Results(out, resume=True, name=REJUDGED) as results:
        settle(places)
        todo = [submission for submission in submissions if submission.key in same]
        if not _judge(results, todo, sources, _with_evidence(how, manifest, places), Wanted(same, packages)):
            warn(f"Interrupted; {_AGAIN}")
            return 130
        new, failed = _new(out, same)
        _say_changes(old, new)
        if is_applied:
            if new:
                kept = take_over(places, new.keys())
                click.echo(f"{counted(len(new), 'result')} taken over; the old ones are in {kept}", err=True)
            _finish(out, manifest)
        elif new:
            click.echo("Nothing is changed yet; --apply takes the new results over", err=True)
    return 4 if failed else 2 if len(same) < len(old) else 0


def _with_evidence(how: How, manifest: Manifest, places: Places) -> How:
    """Have records made where the batch has some, beside those that are there until the results are taken over."""
    return replace(how, evidence=places.aside(ASIDE)) if manifest.settings.evidence else how


def _judge(results: Results, wanted: Sequence[Submission], sources: Sources, how: How, holds: Wanted) -> bool:
    """Judge what is not judged again yet; return whether it went to the end."""
    if how.evidence is not None:
        holds = replace(holds, lacks=how.evidence.lacks_evidence)
    finished = results.keep(holds)
    todo = [submission for submission in wanted if submission.key not in finished]
    return not judge_into(results, todo, sources, len(finished), how).stopped


def _finish(out: Path, manifest: Manifest) -> None:
    """Write every table anew, also those that an earlier call did not come to, and forget what was judged again."""
    write_outputs(out, manifest)
    clear(out)


def _say_changed(old: Mapping[Key, Old], same: Mapping[Key, str]) -> None:
    gone = sorted(key for key in old if key not in same)
    for candidate, slug in gone[:_TOLD]:
        warn(f"{slug} of {candidate} is not there any more as it was judged; its result stays.")
    if len(gone) > _TOLD:
        warn(f"{len(gone) - _TOLD} more are not there as they were judged either.")


def _new(out: Path, wanted: Mapping[Key, str]) -> tuple[dict[Key, Old], int]:
    """Return what was judged anew, and how many we failed on."""
    new, failed = {}, 0
    for value in read_results(out, REJUDGED):
        key = (str(value["candidate"]), str(value["problem"]))
        if key not in wanted:
            continue
        if value["verdict"] == Verdict.JE:
            failed += 1
        else:
            new[key] = Old(value["verdict"], value["score"], value["source_sha256"])
    return new, failed


def _say_changes(old: Mapping[Key, Old], new: Mapping[Key, Old]) -> None:
    changes = [
        Changed(*key, (Verdict(old[key].verdict), old[key].score), (Verdict(new[key].verdict), new[key].score))
        for key in sorted(new)
        if (old[key].verdict, old[key].score) != (new[key].verdict, new[key].score)
    ]
    if changes:
        print_view(changes_table(changes))
    changed = f"{len(changes)} of them {plural(len(changes), 'changes')}"
    click.echo(f"{counted(len(new), 'result')} judged again, {changed}", err=True)
