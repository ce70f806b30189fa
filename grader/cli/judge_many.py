"""What batch and rejudge share: many submissions judged into a file, with progress, and stopped by Ctrl-C in order."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

import click

from grader.batch.disk import Halted, write_text
from grader.batch.outputs import Places
from grader.batch.packages import prepare_packages
from grader.batch.results import Results
from grader.batch.run import Batch
from grader.batch.sources import Judges, Sources, outcomes_once
from grader.batch.submissions import Submission
from grader.batch.worker import Outcome
from grader.cli.by_workers import require_workers_database, workers_of
from grader.cli.judging import cache_for, require_sandbox, warn
from grader.cli.progress import Progress
from grader.config import Settings
from grader.errors import InvalidPackage, JudgeError, UserError
from grader.grading.judge import Depth
from grader.problems.files import read_folder

CAUSES_SHOWN: Final = 5


@dataclass(frozen=True)
class How:
    """How submissions are judged.

    `evidence` says where records of what is not accepted go; None makes none. `database` is the address of the one
    whose workers judge; None judges here.
    """

    settings: Settings
    jobs: int | None
    finding: Depth
    evidence: Places | None = None
    database: str | None = None

    def require(self) -> None:
        """Make sure that whoever judges can, before anything is written.

        Raises:
            UserError: the workers' database cannot be used, or is told how many are judged at a time.
            JudgeError: the sandbox does not hold here.
        """
        if self.database is None:
            require_sandbox(self.settings)
        elif self.jobs is not None:
            raise UserError("With --database the workers say how many are judged at a time; leave --jobs out.")
        else:
            require_workers_database(self.database)

    @property
    def processes(self) -> int:
        """Submissions at a time."""
        return self.jobs or len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Ended:
    """How judging ended."""

    stopped: bool  # by Ctrl-C
    lost: tuple[tuple[Submission, str], ...]  # submissions without a result, and why they could not be read


def package_hashes(settings: Settings, problems: set[str]) -> dict[str, str]:
    """Return the hash of each package; one that cannot be read has none, and no result of it holds."""
    hashes = {}
    for slug in sorted(problems):
        with suppress(InvalidPackage):
            hashes[slug] = read_folder(settings.problems / slug).sha256
    return hashes


def judge_into(results: Results, todo: Sequence[Submission], sources: Sources, before: int, how: How) -> Ended:
    """Judge submissions and add their results; Ctrl-C finishes what runs.

    Args:
        before: how many results there are already.
    """
    troubles = Troubles()
    with (
        _judges(todo, how) as batch,
        _stoppable(batch) as stopped,
        Progress("batch", "submissions", before) as progress,
        closing(outcomes_once(batch, todo, sources)) as outcomes,
    ):
        progress.update(before, before + len(todo))
        for number, outcome in enumerate(outcomes, 1):
            results.require_present()  # before a record is written: its folder is made where there is none
            troubles.say(outcome)
            if outcome.evidence is not None and how.evidence is not None:
                write_text(how.evidence.evidence(outcome.submission), outcome.evidence)
            if outcome.result is not None:
                results.add(outcome.result)
            progress.update(before + number, before + len(todo))
    results.finish()
    return Ended(stopped.is_set(), tuple(troubles.lost))


@contextmanager
def going_on(again: str, told: str) -> Iterator[None]:
    """Say of work that something has stopped half-way how it goes on.

    Args:
        again: how, after what stopped it is mended.
        told: how, after Ctrl-C that did not wait for what runs.

    Raises:
        JudgeError: it was stopped.
        click.exceptions.Exit: somebody has stopped it.
    """
    try:
        yield
    except KeyboardInterrupt:
        warn(f"Interrupted; {told}")
        raise click.exceptions.Exit(130) from None
    except Halted as error:
        raise JudgeError(f"{error.message}, then {again}: what is judged is kept.") from None


@contextmanager
def _judges(todo: Sequence[Submission], how: How) -> Iterator[Judges]:
    """Give what judges: processes of this machine, or the workers of a database."""
    settings = how.settings
    if how.database is not None:
        with workers_of(how.database, settings.problems, how.finding, how.evidence is not None) as workers:
            yield workers
        return
    cache = cache_for(settings)  # says once what is wrong with it
    used = sorted({submission.problem for submission in todo})
    prepare_packages(settings.problems, used, cache, how.processes, warn, settings.allow_weak_sandbox)
    weak, has_evidence = settings.allow_weak_sandbox, how.evidence is not None
    yield Batch(settings.problems, settings.cache, how.processes, how.finding, weak, has_evidence)


class Troubles:
    """Says what cannot be read, and once for each cause what we fail to judge."""

    def __init__(self) -> None:
        self.lost: list[tuple[Submission, str]] = []
        self._causes: set[str] = set()
        self._missing: set[str] = set()  # folders

    def say(self, outcome: Outcome) -> None:
        """Tell of a submission's trouble, if it has any."""
        place = outcome.submission.place
        if outcome.result is None:
            self.unread(outcome.submission, outcome.problem)
        elif outcome.problem and outcome.problem not in self._causes and len(self._causes) < CAUSES_SHOWN:
            self._causes.add(outcome.problem)
            is_je = outcome.result["verdict"] == "JE"
            warn(
                f"{place} is JE, which is not its fault: {outcome.problem}" if is_je else f"{place}: {outcome.problem}"
            )

    def unread(self, submission: Submission, why: str) -> None:
        """Tell of a submission that cannot be read; of a whole folder that is missing once."""
        self.lost.append((submission, why))
        if (folder := _missing_above(submission)) is None:
            warn(f"{submission.place} {why}; it has no result.")
        elif folder not in self._missing:
            self._missing.add(folder)
            warn(f"{folder} is not there; what it should hold has no result.")


def _missing_above(submission: Submission) -> str | None:
    """Return the outermost folder of a submission's path that does not exist, or the archive that it was in."""
    above = (*reversed(submission.path.parents), *([submission.path] if submission.member else []))
    for path in above:
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return replace(submission, path=path, member="").place
        except OSError:
            return None
    return None


@contextmanager
def _stoppable(batch: Judges) -> Iterator[threading.Event]:
    """Let Ctrl-C and TERM finish what runs; a second one ends at once."""
    stopped = threading.Event()
    signals: queue.SimpleQueue[bool] = queue.SimpleQueue()  # its put may interrupt anything

    def stop(number: int, frame: object) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        batch.stop()
        signals.put(True)

    def tell() -> None:
        if signals.get():
            warn("Finishing what runs; once more ends at once.")

    # a thread says it: the handler may have interrupted a line that is being written to the same stream
    teller = threading.Thread(target=tell, name="teller", daemon=True)
    teller.start()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signals.put(False)
        teller.join()
