"""One run of `grader batch`: what it is beside what is in its folder, judged or listed, and told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from grader.batch.continued import continued, earlier_run
from grader.batch.leftovers import Wrote
from grader.batch.manifest import Asked, Manifest, manifest_of
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
from grader.cli.batch_input import Input, say_roster
from grader.cli.judge_many import Ended, How, Troubles, judge_into, package_hashes
from grader.cli.judging import warn
from grader.config import Settings
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import slugs
from grader.report.visible import visible
from grader.wording import counted, plural

JE: Final = Verdict.JE.value


def run_of(place: Path, given: Input, asked: Asked, only: tuple[str, ...], out: Path, settings: Settings) -> Run:
    """Read every submission once; say which ones cannot be read."""
    submissions = given.found.submissions
    sources = hash_sources(submissions)
    troubles = Troubles()
    for submission, why in sources.unreadable:
        troubles.unread(submission, why)
    packages = package_hashes(settings, {submission.problem for submission in submissions})
    manifest = manifest_of(place, given.found, sources, asked, given.problems, packages, given.roster)
    say_roster(manifest)
    wanted = Wanted(sources.sha256, packages, frozenset({JE, *only}))
    return Run(manifest, given, sources, wanted, out, bool(troubles.lost or given.found.unreadable))


@dataclass(frozen=True)
class Run:
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


def _summary(rows: Sequence[Mapping[str, str]], verdicts: Counter[str], finished: int, waiting: int, out: Path) -> None:
    from grader.report.batch_summary import summary_table
    from grader.report.terminal import print_view

    if rows:
        print_view(summary_table(rows))
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "none"
    earlier = f" ({finished} of them from before)" if finished else ""
    later = f"; {counted(waiting, 'submission')} {plural(waiting, 'is')} not judged yet" if waiting else ""
    click.echo(f"{counted(len(rows), 'result')}{earlier}: {told}{later}; in {out}", err=True)
