"""grader batch."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from grader.batch.continued import continued, earlier_run, problems_of
from grader.batch.leftovers import Wrote
from grader.batch.manifest import FORMATS, Asked, Manifest, manifest_of
from grader.batch.outputs import Places, write_outputs
from grader.batch.packages import broken_packages
from grader.batch.rejudge import settle
from grader.batch.results import (
    LINES,
    Key,
    Results,
    Wanted,
    changed_problems,
    kept_lines,
    outdated_lines,
    read_lines,
    require_usable,
)
from grader.batch.sources import Sources, distinct, hash_sources
from grader.batch.submissions import Submission
from grader.cli.batch_input import Input, find_input, say_roster
from grader.cli.completion import complete_problem, complete_set
from grader.cli.judge_many import Ended, How, Troubles, going_on, judge_into, package_hashes
from grader.cli.judging import warn
from grader.cli.whole_number import WholeNumber
from grader.config import Settings, read_settings
from grader.grading.judge import Depth
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import slugs
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
@click.option("--jobs", type=WholeNumber(1, 256), help="Submissions at a time; the usable cores without it.")
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
    resume = resume or only is not None
    before = problems_of(out) if resume else ()
    given = find_input(place, settings.problems, asked, roster, before)
    run = _run_of(place, given, asked, only or (), out, settings)
    how = How(settings, jobs, finding, database=database)
    how.require()
    if dry_run:
        run.list_todo(how, resume, formats)
        context.exit(2 if run.unread else 0)
    again = f"go on with: {_again(place, out, asked, jobs, database, roster)}"
    with going_on("go on with --resume", again):
        ended, verdicts = run.judge(how, resume, formats)
    if ended.stopped:
        warn(f"Interrupted; {again}")
        context.exit(130)
    context.exit(4 if verdicts[_JE] else 2 if run.unread or ended.lost else 0)


def _run_of(place: Path, given: Input, asked: Asked, only: tuple[str, ...], out: Path, settings: Settings) -> _Run:
    """Read every submission once; say which ones cannot be read."""
    submissions = given.found.submissions
    sources = hash_sources(submissions)
    troubles = Troubles()
    for submission, why in sources.unreadable:
        troubles.unread(submission, why)
    packages = package_hashes(settings, {submission.problem for submission in submissions})
    manifest = manifest_of(place, given.found, sources, asked, given.problems, packages, given.roster)
    say_roster(manifest)
    wanted = Wanted(sources.sha256, packages, frozenset({_JE, *only}))
    return _Run(manifest, given, sources, wanted, out, bool(troubles.lost or given.found.unreadable))


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
            plan = self._planned(how, resume, formats)
            if plan.how.evidence is not None:
                settle(plan.how.evidence)
            _say_dropped(*results.set_aside(plan.wanted), plan.manifest.settings.set)
            finished = results.keep(plan.wanted)
            _say_broken(finished, plan.wanted.broken, how.settings.problems)
            if plan.wrote is not None:
                plan.wrote.remove_all_but(Places.of(self.out, plan.manifest.candidates), finished)
            plan.manifest.write(self.out)
            todo = self._open(finished)
            ended = judge_into(results, todo, self.sources, len(finished), plan.how)
            manifest = plan.manifest.without(ended.lost)
            rows = write_outputs(self.out, manifest)
        verdicts = Counter(row["verdict"] for row in rows)
        waiting = len(manifest.waiting({(row["candidate"], row["problem"]) for row in rows}))
        _summary(rows, verdicts, len(finished), waiting, self.out)
        return ended, verdicts

    def _planned(self, how: How, resume: bool, formats: tuple[str, ...] | None) -> _Plan:
        """Return what this run is beside what is in its folder already; nothing is written."""
        manifest, wanted, wrote, path = self.manifest, self.wanted, None, self.out / LINES
        if resume:
            earlier = earlier_run(manifest, self.out)
            manifest = continued(manifest, earlier, self.out, formats)
        if resume and path.is_file():
            wrote = Wrote.of(self.out, earlier, [line.key for line in read_lines(path)])
            if changed := changed_problems(path, wanted):
                settings = how.settings  # this machine tries them, whoever judges: dropped results do not come back
                cache, weak, others = CaseCache(settings.cache), settings.allow_weak_sandbox, how.database is not None
                wanted = replace(wanted, broken=broken_packages(settings.problems, changed, cache, weak, others))
        if manifest.settings.evidence:
            places = Places.of(self.out, manifest.candidates)
            how, wanted = replace(how, evidence=places), replace(wanted, lacks=places.lacks_evidence)
        return _Plan(manifest, wanted, how, wrote)

    def _open(self, finished: Collection[Key]) -> list[Submission]:
        """Return what can be read and is not finished."""
        submissions = self.given.found.submissions
        return [each for each in submissions if each.key in self.sources.sha256 and each.key not in finished]

    def list_todo(self, how: How, resume: bool, formats: tuple[str, ...] | None) -> None:
        """Print what would be judged, one submission a line, and refuse what the run itself would refuse."""
        require_usable(self.out, resume)
        wanted, path = self._planned(how, resume, formats).wanted, self.out / LINES
        finished, dropped = set[Key](), 0
        if path.is_file():
            finished, dropped = set(kept_lines(path, wanted)), len(outdated_lines(path, wanted))
        _say_broken(finished, wanted.broken, how.settings.problems)
        todo = self._open(finished)
        for each in todo:
            click.echo("\t".join(visible(text, keep="") for text in (each.candidate, each.problem, each.place)))
        count = distinct({each.key: self.sources.sha256[each.key] for each in todo})
        kept = f", {counted(len(finished), 'result')} kept" if finished else ""
        aside = f", {counted(dropped, 'result')} put aside" if dropped else ""
        told = f"{counted(len(todo), 'submission')} would be judged, {counted(count, 'distinct source')}{kept}{aside}"
        click.echo(told, err=True)


@dataclass(frozen=True)
class _Plan:
    """A run beside what is in its folder."""

    manifest: Manifest
    wanted: Wanted
    how: How
    wrote: Wrote | None  # by earlier runs


def _say_broken(finished: Collection[Key], broken: Collection[str], root: Path) -> None:
    there = slugs(root)
    for slug in sorted(broken):
        if count := sum(problem == slug for _, problem in finished):
            stay = f"{plural(count, 'stays')} as {plural(count, 'it')} {plural(count, 'was')}"
            told = f"its {counted(count, 'result')} {stay}"
            if slug in there:
                warn(
                    f"The package {slug} cannot be used now; {told} "
                    f"(grader check {slug} says why; mend it, then go on with --resume)."
                )
            else:
                warn(f"The problem {slug} is not in {root}; {told} (GRADER_PROBLEMS names the folder of problems).")


def _say_dropped(count: int, path: Path, set_name: str | None) -> None:
    if count:
        told = f"{counted(count, 'result')} {plural(count, 'is')} put aside in {path}"
        why = "of another source, package or grader than now, or of a file that is gone"
        more = f", or of a problem that the set {set_name} does not name any more" if set_name is not None else ""
        warn(f"{told}: {why}{more}.")


def _again(place: Path, out: Path, asked: Asked, jobs: int | None, database: str | None, roster: Path | None) -> str:
    """Return the command that goes on, and what is to be put into it."""
    from grader.store.address import shown_address, to_be_completed

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
    told = shlex.join(["grader", "batch", str(place), "--out", str(out), *options, "--resume"])
    return told if database is None else f"{told}{to_be_completed(database)}"


def _summary(rows: Sequence[Mapping[str, str]], verdicts: Counter[str], finished: int, waiting: int, out: Path) -> None:
    from grader.report.batch_summary import summary_table
    from grader.report.terminal import print_view

    if rows:
        print_view(summary_table(rows))
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "none"
    earlier = f" ({finished} of them from before)" if finished else ""
    later = f"; {counted(waiting, 'submission')} {plural(waiting, 'is')} not judged yet" if waiting else ""
    click.echo(f"{counted(len(rows), 'result')}{earlier}: {told}{later}; in {out}", err=True)
