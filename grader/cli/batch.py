"""grader batch."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from grader.batch.continued import continued
from grader.batch.manifest import FORMATS, Asked, Manifest, manifest_of
from grader.batch.outputs import Places, write_outputs
from grader.batch.results import LINES, Results, Wanted, read_lines
from grader.batch.sources import Sources, distinct, hash_sources
from grader.cli.batch_input import Input, find_input
from grader.cli.completion import complete_problem, complete_set
from grader.cli.judge_many import Ended, How, Troubles, going_on, judge_into, package_hashes
from grader.cli.judging import warn
from grader.config import Settings, read_settings
from grader.grading.judge import Depth
from grader.grading.verdict import Verdict
from grader.report.visible import visible
from grader.wording import counted, plural

_JE: Final = Verdict.JE.value


def _words_of(known: Sequence[str]) -> Callable[[click.Context, click.Parameter, str | None], tuple[str, ...] | None]:
    """Return what reads some of a few words, joined by commas: each once, in their usual order."""

    def words(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
        if text is None:
            return None
        named = [word.strip() for word in text.split(",")]
        for word in named:
            if word not in known:
                raise click.BadParameter(f"{word!a} is none of {', '.join(known)}")
        return tuple(word for word in known if word in named)

    return words


@click.command("batch", short_help="Judge a folder of submissions.")
@click.argument("place", type=click.Path(path_type=Path), metavar="DIR|ZIP|TABLE.csv")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for all that is written.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Submissions at a time; the usable cores without it.")
@click.option("--database", metavar="URL", help="Have the workers of this PostgreSQL database judge, not this machine.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run into the same folder stopped.")
@click.option(
    "--only", callback=_words_of(list(Verdict)), metavar="JE,TLE", help="As --resume, and judge these verdicts again."
)
@click.option("--dry-run", is_flag=True, help="List what would be judged, and judge nothing.")
@click.option("--set", "set_name", metavar="NAME", shell_complete=complete_set, help="Only the problems of this set.")
@click.option("--problem", metavar="PROBLEM", shell_complete=complete_problem, help="Every file is for this problem.")
@click.option("--id-pattern", metavar="PATTERN", help="Whose a path is: '{candidate}_*.py', or (?P<candidate>...).")
@click.option("--roster", type=click.Path(path_type=Path), metavar="FILE", help="CSV table of who should hand in.")
@click.option(
    "--finding",
    type=click.Choice(["full", "fast"]),
    default="full",
    show_default=True,
    help="fast leaves the trace out: no line, and no stage where no known fault agrees.",
)
@click.option("--format", "formats", callback=_words_of(FORMATS), metavar="LIST", help=f"Any of {','.join(FORMATS)}.")
@click.option("--evidence", is_flag=True, help="Write evidence records of what is not accepted.")
@click.pass_context
def batch_command(
    context: click.Context,
    place: Path,
    out: Path,
    jobs: int | None,
    database: str | None,
    resume: bool,
    only: tuple[str, ...] | None,
    dry_run: bool,
    roster: Path | None,
    formats: tuple[str, ...] | None,
    set_name: str | None,
    problem: str | None,
    id_pattern: str | None,
    finding: Depth,
    evidence: bool,
) -> None:
    """Judge every <candidate>/<problem>.py of a folder or ZIP, or every row of a CSV table.

    A table has the columns candidate, problem and path; paths are relative to it. With --problem all files are for one
    problem, and the file's or folder's name is the candidate's unless --id-pattern says otherwise: a template in which
    * stands for anything but '/', or a regular expression.

    Writes results.jsonl line by line (--resume goes on after whatever stopped it), manifest.json, and by --format
    results.csv and gradebook.csv (csv), junit.xml, gradescope/<candidate>/results.json, report.html. Identical sources
    of one problem are judged once. With --database workers judge (see grader worker), after what people wait for.

    Exit 0 when every submission has a verdict, 2 when some cannot be read, 4 when the grader itself failed on one.
    """
    asked = Asked(finding, set_name, problem, id_pattern, formats or ("csv", "jsonl"), evidence)
    settings = read_settings()
    given = find_input(place, settings.problems, set_name, problem, id_pattern, roster)
    run = _run_of(place, given, asked, only or (), out, settings)
    resume = resume or only is not None
    if dry_run:
        run.list_todo(resume)
        context.exit(2 if run.unread else 0)
    how = How(settings, jobs, finding, database=database)
    how.require()
    again = f"go on with: {shlex.join(_again(place, out, asked, jobs, database, roster))}"
    with going_on("go on with --resume", again):
        ended, verdicts = run.judge(how, resume, formats)
    if ended.stopped:
        warn(f"Interrupted; {again}")
        context.exit(130)
    context.exit(4 if verdicts[_JE] else 2 if run.unread or ended.unreadable else 0)


def _run_of(place: Path, given: Input, asked: Asked, only: tuple[str, ...], out: Path, settings: Settings) -> _Run:
    """Read every submission once; say which ones cannot be read."""
    submissions = given.found.submissions
    sources = hash_sources(submissions)
    troubles = Troubles()
    for submission, why in sources.unreadable:
        troubles.unread(submission, why)
    packages = package_hashes(settings, {submission.problem for submission in submissions})
    manifest = manifest_of(place, given.found, sources, asked, given.problems, packages, given.roster)
    wanted = Wanted(sources.sha256, packages, frozenset({_JE, *only}))
    return _Run(manifest, given, sources, wanted, out, bool(troubles.unreadable or given.found.unreadable))


@dataclass(frozen=True)
class _Run:
    """One call of the command."""

    manifest: Manifest
    given: Input
    sources: Sources
    wanted: Wanted
    out: Path
    unread: bool  # something could not be read

    def judge(self, how: How, resume: bool, formats: tuple[str, ...] | None) -> tuple[Ended, Counter[str]]:
        """Judge what is not finished and write everything; return how it ended, and how many there are of what."""
        with Results(self.out, resume) as results:
            manifest = continued(self.manifest, self.out, formats) if resume else self.manifest
            wanted = self.wanted
            if manifest.settings.evidence:
                places = Places.of(self.out, manifest.candidates)
                how, wanted = replace(how, evidence=places), replace(wanted, lacks=places.lacks_evidence)
            _say_dropped(*results.set_aside(wanted))
            finished = results.keep(wanted)
            manifest.write(self.out)
            todo = [each for each in self.given.found.submissions if self._is_open(each.key, finished)]
            ended = judge_into(results, todo, self.sources, len(finished), how)
            rows = write_outputs(self.out, manifest)
        verdicts = Counter(row["verdict"] for row in rows)
        _summary(rows, verdicts, len(finished), self.out)
        return ended, verdicts

    def _is_open(self, key: tuple[str, str], finished: set[tuple[str, str]]) -> bool:
        return key in self.sources.sha256 and key not in finished

    def list_todo(self, resume: bool) -> None:
        """Print what would be judged, one submission a line."""
        finished = set()
        if resume:
            continued(self.manifest, self.out, None)
        with suppress(FileNotFoundError):
            lines = read_lines(self.out / LINES) if resume else ()
            finished = {line.key for line in lines if self.wanted.holds(line.key, line.value)}
        todo = [each for each in self.given.found.submissions if self._is_open(each.key, finished)]
        for each in todo:
            click.echo("\t".join(visible(text, keep="") for text in (each.candidate, each.problem, each.place)))
        count = distinct({each.key: self.sources.sha256[each.key] for each in todo})
        kept = f", {counted(len(finished), 'result')} kept" if finished else ""
        told = f"{counted(len(todo), 'submission')} would be judged, {counted(count, 'distinct source')}{kept}"
        click.echo(told, err=True)


def _say_dropped(count: int, path: Path) -> None:
    if count:
        told = f"{counted(count, 'result')} {plural(count, 'is')} put aside in {path}"
        warn(f"{told}: of another source, package or grader than now, or of a file that is gone.")


def _again(
    place: Path, out: Path, asked: Asked, jobs: int | None, database: str | None, roster: Path | None
) -> list[str]:
    """Return the command that goes on."""
    from grader.store.address import shown_address

    options = [
        *([f"--jobs={jobs}"] if jobs else []),
        *([f"--database={shown_address(database)}"] if database is not None else []),
        *([f"--set={asked.set}"] if asked.set is not None else []),
        *([f"--problem={asked.problem}"] if asked.problem is not None else []),
        *([f"--id-pattern={asked.id_pattern}"] if asked.id_pattern is not None else []),
        *([f"--roster={roster}"] if roster is not None else []),
        *(["--finding=fast"] if asked.finding == "fast" else []),
        *([f"--format={','.join(asked.formats)}"] if asked.formats != Asked().formats else []),
        *(["--evidence"] if asked.evidence else []),
    ]
    return ["grader", "batch", str(place), "--out", str(out), *options, "--resume"]


def _summary(rows: Sequence[Mapping[str, str]], verdicts: Counter[str], finished: int, out: Path) -> None:
    from grader.report.batch_summary import summary_table
    from grader.report.terminal import print_view

    if rows:
        print_view(summary_table(rows))
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "none"
    earlier = f" ({finished} of them from before)" if finished else ""
    click.echo(f"{counted(len(rows), 'result')}{earlier}: {told}; in {out}", err=True)
