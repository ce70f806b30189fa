"""grader batch."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from grader.batch.continued import problems_of
from grader.batch.manifest import FORMATS, Asked
from grader.cli.batch_input import find_input
from grader.cli.batch_run import JE, Run, run_of
from grader.cli.completion import complete_problem, complete_set
from grader.cli.judge_many import How, going_on
from grader.cli.judging import warn
from grader.cli.whole_number import WholeNumber
from grader.config import read_settings
from grader.grading.judge import Depth
from grader.grading.verdict import Verdict


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
def batch_command(context: click.Context, /, **given: Any) -> None:
    """Judge every <candidate>/<problem>.py of a folder or ZIP, or every row of a CSV table.

    A table has the columns candidate, problem and path; paths are relative to it. With --problem all files are for one
    problem, and the file's or folder's name is the candidate's unless --id-pattern says otherwise: a template in which
    * stands for anything but '/', or a regular expression.

    Writes results.jsonl line by line (--resume goes on after whatever stopped it), manifest.json, and by --format
    results.csv and gradebook.csv (csv), junit.xml, gradescope/<candidate>/results.json, report.html. Identical sources
    of one problem are judged once. With --database workers judge (see grader worker), after what people wait for.

    Exit 0 when every submission has a verdict, 2 when some cannot be read, 4 when the grader itself failed on one.
    """
    options = _Options(**given)
    context.exit(options.list_todo() if options.dry_run else options.judge())


@dataclass(frozen=True)
class _Options:
    """How the command was called."""

    place: Path
    out: Path
    jobs: int | None
    database: str | None
    resume: bool
    only: tuple[str, ...] | None
    dry_run: bool
    roster: Path | None
    formats: tuple[str, ...] | None
    set_name: str | None
    problem: str | None
    id_pattern: str | None
    finding: Depth
    evidence: bool

    def list_todo(self) -> int:
        """Say what would be judged; return the exit code."""
        run, how = self._prepared()
        run.list_todo(how, self._goes_on, self.formats)
        return 2 if run.unread else 0

    def judge(self) -> int:
        """Judge it; return the exit code."""
        run, how = self._prepared()
        again = f"go on with: {self._again()}"
        with going_on("go on with --resume", again):
            ended, verdicts = run.judge(how, self._goes_on, self.formats)
        if ended.stopped:
            warn(f"Interrupted; {again}")
            return 130
        return 4 if verdicts[JE] else 2 if run.unread or ended.lost else 0

    @property
    def _goes_on(self) -> bool:
        return self.resume or self.only is not None

    @property
    def _asked(self) -> Asked:
        formats = self.formats or ("csv", "jsonl")
        return Asked(self.finding, self.set_name, self.problem, self.id_pattern, formats, self.evidence)

    def _prepared(self) -> tuple[Run, How]:
        settings = read_settings()
        before = problems_of(self.out) if self._goes_on else ()
        found = find_input(self.place, settings.problems, self._asked, self.roster, before)
        run = run_of(self.place, found, self._asked, self.only or (), self.out, settings)
        how = How(settings, self.jobs, self.finding, database=self.database)
        how.require()
        return run, how

    def _again(self) -> str:
        """Return the command that goes on, and what is to be put into it."""
        address, to_be_put = self._told_address()
        options = [
            *([f"--jobs={self.jobs}"] if self.jobs else []),
            *address,
            *([f"--set={self.set_name}"] if self.set_name is not None else []),
            *([f"--problem={self.problem}"] if self.problem is not None else []),
            *([f"--id-pattern={self.id_pattern}"] if self.id_pattern is not None else []),
            *([f"--roster={self.roster}"] if self.roster is not None else []),
            *(["--finding=fast"] if self.finding == "fast" else []),
            *([f"--format={','.join(self.formats)}"] if self.formats not in (None, Asked().formats) else []),
            *(["--evidence"] if self.evidence else []),
        ]
        told = shlex.join(["grader", "batch", str(self.place), "--out", str(self.out), *options, "--resume"])
        return f"{told}{to_be_put}"

    def _told_address(self) -> tuple[list[str], str]:
        """Return the option that names the database, and what is said behind it; without one no library is loaded."""
        if self.database is None:
            return [], ""
        from grader.store.address import shown_address, to_be_completed

        return [f"--database={shown_address(self.database)}"], to_be_completed(self.database)
