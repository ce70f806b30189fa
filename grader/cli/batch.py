"""grader batch."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from grader.batch.results import Results
from grader.batch.run import Batch
from grader.batch.submissions import find_submissions
from grader.cli.judging import require_sandbox, warn
from grader.cli.progress import Progress
from grader.config import Settings, read_settings
from grader.errors import InvalidPackage
from grader.problems.files import read_folder
from grader.problems.loader import slugs

SHOWN = 5  # ignored files that are named one by one


@click.command("batch")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for results.jsonl, results.csv.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Submissions at a time; the usable cores without it.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run into the same folder stopped.")
@click.pass_context
def batch_command(context: click.Context, folder: Path, out: Path, jobs: int | None, resume: bool) -> None:
    """Judge every DIR/<candidate>/<problem>.py; exit 4 when the grader itself failed on one."""
    settings = read_settings()
    known = slugs(settings.problems)
    found = find_submissions(folder, known)
    _say_ignored(found.ignored)
    require_sandbox()
    with Results(out, resume) as results:
        hashes = _package_hashes(settings, {submission.problem for submission in found.submissions})
        finished = results.keep(found.submissions, hashes) if resume else set()
        todo = [submission for submission in found.submissions if submission.key not in finished]
        batch = Batch(settings.problems, settings.cache, jobs or len(os.sched_getaffinity(0)))
        unreadable = 0
        with _stoppable(batch) as stopped, Progress("batch", "submissions") as progress:
            for number, outcome in enumerate(batch.outcomes(todo), 1):
                if outcome.result is None:
                    unreadable += 1
                    warn(f"{outcome.submission.path} {outcome.problem}; it has no result.")
                else:
                    results.add(outcome.result)
                progress.update(len(finished) + number, len(found.submissions))
        counts = results.finish()
    _summary(counts, len(finished), out)
    if stopped.is_set():
        warn(f"Interrupted; go on with: grader batch {folder} --out {out} --resume")
        context.exit(130)
    context.exit(4 if counts.get("JE") else 2 if unreadable else 0)


def _package_hashes(settings: Settings, used: set[str]) -> dict[str, str]:
    hashes = {}
    for slug in sorted(used):
        try:
            hashes[slug] = read_folder(settings.problems / slug).sha256
        except InvalidPackage as error:
            warn(error.message)
    return hashes


def _say_ignored(ignored: tuple[str, ...]) -> None:
    for name in ignored[:SHOWN]:
        warn(f"{name} is no <candidate>/<problem>.py of a known problem; it is not judged.")
    if len(ignored) > SHOWN:
        warn(f"{len(ignored) - SHOWN} more files are not judged either.")


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
