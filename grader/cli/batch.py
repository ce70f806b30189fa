"""grader batch."""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from grader.batch.packages import prepare_packages
from grader.batch.results import Results
from grader.batch.run import Batch
from grader.batch.submissions import Found, find_submissions
from grader.batch.worker import Outcome
from grader.cli.completion import complete_set
from grader.cli.judging import cache_for, require_sandbox, warn
from grader.cli.progress import Progress
from grader.config import Settings, read_settings
from grader.errors import InvalidPackage
from grader.grading.judge import Depth
from grader.problems.files import read_folder
from grader.problems.loader import slugs
from grader.problems.sets import named_set

SHOWN = 5  # ignored files that are named one by one
LACKING_SHOWN = 20  # candidates without some of a set's problems, the same


@click.command("batch", short_help="Judge a folder of submissions.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for results.jsonl, results.csv.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Submissions at a time; the usable cores without it.")
@click.option("--set", "set_name", metavar="NAME", shell_complete=complete_set, help="Only the problems of this set.")
@click.option(
    "--finding",
    type=click.Choice(["full", "fast"]),
    default="full",
    show_default=True,
    help="fast leaves the trace out: no line, and no stage where no known fault agrees.",
)
@click.option("--resume", is_flag=True, help="Go on where an earlier run into the same folder stopped.")
@click.pass_context
def batch_command(
    context: click.Context,
    folder: Path,
    out: Path,
    jobs: int | None,
    set_name: str | None,
    finding: Depth,
    resume: bool,
) -> None:
    """Judge every DIR/<candidate>/<problem>.py; exit 4 when the grader itself failed on one."""
    settings = read_settings()
    found = _find(folder, settings.problems, set_name)
    require_sandbox(settings)
    cache = cache_for(settings)  # says once what is wrong with it
    with Results(out, resume) as results:
        finished = results.keep(found.submissions, _package_hashes(settings, found)) if resume else set()
        todo = [submission for submission in found.submissions if submission.key not in finished]
        processes = jobs or len(os.sched_getaffinity(0))
        used = sorted({submission.problem for submission in todo})
        prepare_packages(settings.problems, used, cache, processes, warn, settings.allow_weak_sandbox)
        batch = Batch(settings.problems, settings.cache, processes, finding, settings.allow_weak_sandbox)
        troubles = _Troubles()
        with _stoppable(batch) as stopped, Progress("batch", "submissions", len(finished)) as progress:
            for number, outcome in enumerate(batch.outcomes(todo), 1):
                troubles.say(outcome)
                if outcome.result is not None:
                    results.add(outcome.result)
                progress.update(len(finished) + number, len(found.submissions))
        counts = results.finish()
    _summary(counts, len(finished), out)
    if stopped.is_set():
        options = [
            *([f"--jobs={jobs}"] if jobs else []),
            *([f"--set={set_name}"] if set_name is not None else []),
            *(["--finding=fast"] if finding == "fast" else []),
        ]
        again = ["grader", "batch", str(folder), "--out", str(out), *options, "--resume"]
        warn(f"Interrupted; go on with: {shlex.join(again)}")
        context.exit(130)
    context.exit(4 if counts.get("JE") else 2 if troubles.unreadable or found.unreadable else 0)


def _package_hashes(settings: Settings, found: Found) -> dict[str, str]:
    """Return the hash of each used package; one that cannot be read has none, and no result of it holds."""
    hashes = {}
    for slug in {submission.problem for submission in found.submissions}:
        with suppress(InvalidPackage):
            hashes[slug] = read_folder(settings.problems / slug).sha256
    return hashes


def _find(folder: Path, root: Path, set_name: str | None) -> Found:
    """Return the folder's submissions, those of a set if one is named; say what is none, and what a set misses."""
    if set_name is None:
        found = find_submissions(folder, slugs(root))
        _say_ignored(found, "a known problem")
        return found
    problems = named_set(set_name, root).problems
    found = find_submissions(folder, problems)
    _say_ignored(found, f"a problem of the set {set_name}")
    missing = found.missing(problems)
    for candidate in list(missing)[:LACKING_SHOWN]:
        warn(f"{candidate} has no {', no '.join(f'{slug}.py' for slug in missing[candidate])} (set {set_name}).")
    if len(missing) > LACKING_SHOWN:
        warn(f"and {len(missing) - LACKING_SHOWN} more, each without some problem of the set.")
    return found


def _say_ignored(found: Found, wanted: str) -> None:
    for name in found.ignored[:SHOWN]:
        warn(f"{name} is no <candidate>/<problem>.py of {wanted}; it is not judged.")
    if len(found.ignored) > SHOWN:
        warn(f"{len(found.ignored) - SHOWN} more files are not judged either.")
    for sentence in found.unreadable:
        warn(f"{sentence}; nothing in it is judged.")


class _Troubles:
    """Says what cannot be read, and once for each cause what we fail to judge."""

    def __init__(self) -> None:
        self.unreadable = 0
        self._causes: set[str] = set()

    def say(self, outcome: Outcome) -> None:
        """Tell of a submission's trouble, if it has any."""
        path = outcome.submission.path
        if outcome.result is None:
            self.unreadable += 1
            warn(f"{path} {outcome.problem}; it has no result.")
        elif outcome.problem and outcome.problem not in self._causes and len(self._causes) < SHOWN:
            self._causes.add(outcome.problem)
            warn(f"{path} is JE, which is not its fault: {outcome.problem}")


@contextmanager
def _stoppable(batch: Batch) -> Iterator[threading.Event]:
    """Let Ctrl-C and TERM finish what runs; a second one ends at once."""
    stopped = threading.Event()

    def stop(number: int, frame: object) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        batch.stop()
        warn("Finishing what runs; once more ends at once.")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(counts: dict[str, int], finished: int, out: Path) -> None:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "none"
    earlier = f" ({finished} of them from before)" if finished else ""
    click.echo(f"{sum(counts.values())} results{earlier}: {verdicts}; in {out}", err=True)
