"""Measures judging against its floor, all in one run and by turns, so that a busy moment meets every figure alike."""

from __future__ import annotations

import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.batch.floor import Floor
from grader.batch.run import Batch
from grader.batch.submissions import Submission
from grader.errors import JudgeError, UserError
from grader.grading.judge import judge
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named
from grader.sandbox.doctor import warm_mib
from grader.sandbox.pool import Lane, Pool, SandboxUnavailable

SOURCES: Final = ("submissions/accepted/corrected.py", "submissions/accepted/reference.py")
IDLE_S: Final = 0.03  # between two figures: the next child is forked and warmed then, as it is for a person
SETTLE: Final = 10  # first turns that do not count
FLOORS: Final = 5  # processes asked by turns: by the layout of its memory alone one can take 1.6 times as long
PROCESSES: Final = 20  # whole processes that are timed, of each kind
SPELLS: Final = 4  # stretches of full load, of each kind
SPELL_S: Final = 2.0
BATCH: Final = 320  # submissions in one stretch
_LOAD_SOURCE: Final = "import sys; exec(open(sys.argv[1]).read())"
_GRADE: Final = "from grader.cli import main; main()"
_WRAP: Final = ("--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")


@dataclass(frozen=True)
class Figures:
    """What was measured: medians in milliseconds unless the name says otherwise."""

    floor_p50_ms: float  # the source over the cases in process, one call each
    warm_p50_ms: float  # judged by a lane that is ready
    warm_p99_ms: float
    fresh_p50_ms: float  # a new interpreter that loads the source and calls nothing
    grade_p50_ms: float  # the whole command
    throughput_per_s: float  # of a batch on every core, without its start
    floor_throughput_per_s: float  # of the floor on every core
    pss_mib: float | None  # what a child that waits adds to the memory in use; None where only root may read it
    bubblewrap_p50_ms: float | None  # as fresh, within bubblewrap; None where there is none
    problem: str
    cases: int
    cores: int
    load: float  # of the machine, before the first turn


@dataclass
class _Samples:
    floor: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    fresh: list[float] = field(default_factory=list)
    wrapped: list[float] = field(default_factory=list)
    grade: list[float] = field(default_factory=list)
    floor_rate: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)


class Bench:
    """One measurement. The source that is measured runs in process too, so it has to be one that ships with us."""

    def __init__(self, root: Path, slug: str, cache: Path, allow_weak: bool) -> None:
        """Load the problem.

        Args:
            root: the folder of the shipped packages.
            cache: folder of generated cases.
            allow_weak: as for `Lane`.

        Raises:
            UserError: there is no such problem among the shipped ones.
        """
        if "/" in slug:
            raise UserError("Name a problem that ships with the grader: its source also runs outside the sandbox.")
        self._root, self._cache, self._allow_weak = root, cache, allow_weak
        self._problem: Problem = load_named(slug, root)
        contents = self._problem.files.contents
        self._path = next(path for path in SOURCES if path in contents)
        self._source = contents[self._path]
        self._kept = CaseCache(cache)
        self._cores = sorted(os.sched_getaffinity(0))
        self._samples = _Samples()

    def measure(self, rounds: int, tell: Callable[[int, int], None]) -> Figures:
        """Take every figure in turn, `rounds` times the quick ones.

        Args:
            tell: is given how many rounds of how many are done.

        Raises:
            JudgeError: there is no sandbox here, or it judged the source wrongly.
        """
        load = os.getloadavg()[0]
        with contextlib.ExitStack() as stack:
            pool = stack.enter_context(Pool(1, self._allow_weak))
            with pool.lane() as lane:
                cases, mib = self._prepare(lane)
            floors = [stack.enter_context(self._floor(number)) for number in range(max(FLOORS, len(self._cores)))]
            file = Path(stack.enter_context(tempfile.TemporaryDirectory()), "submission.py")
            file.write_bytes(self._source)
            for number in range(-SETTLE, rounds):
                self._turn(pool, floors[number % len(floors)])
                if number < 0:
                    self._samples = _Samples()
                    continue
                if number % max(1, rounds // PROCESSES) == 0:
                    self._whole_processes(file)
                if (number + 1) % max(10, rounds // SPELLS) == 0:
                    self._full_load(_turned(floors, len(self._samples.rate))[: len(self._cores)], file)
                tell(number + 1, rounds)
        return self._figures(mib, cases, load)

    def _prepare(self, lane: Lane) -> tuple[int, float | None]:
        try:
            return len(self._kept.cases(self._problem, lane)), warm_mib(lane)
        except SandboxUnavailable as error:
            raise JudgeError(str(error)) from None

    def _floor(self, number: int) -> Floor:
        return Floor(self._root, self._problem.slug, self._path, self._cache, number)

    def _turn(self, pool: Pool, floor: Floor) -> None:
        time.sleep(IDLE_S)
        self._samples.floor.append(floor.once())
        time.sleep(IDLE_S)
        with pool.lane() as lane:
            started = time.perf_counter()
            judgement = judge(self._problem, self._source, lane, self._kept)
            self._samples.warm.append((time.perf_counter() - started) * 1000)
        _require_accepted(judgement.verdict)

    def _whole_processes(self, file: Path) -> None:
        fresh = [sys.executable, "-P", "-c", _LOAD_SOURCE, str(file)]
        self._samples.fresh.append(_milliseconds(fresh))
        if wrap := shutil.which("bwrap"):
            self._samples.wrapped.append(_milliseconds([wrap, *_WRAP, *fresh]))
        package = str(self._root / self._problem.slug)
        self._samples.grade.append(
            _milliseconds([sys.executable, "-P", "-c", _GRADE, "grade", package, str(file), "--json"])
        )

    def _full_load(self, floors: Sequence[Floor], file: Path) -> None:
        for floor in floors:
            floor.command(f"for {SPELL_S}")
        self._samples.floor_rate.append(sum(floor.answer() for floor in floors) / SPELL_S)
        self._samples.rate.append(self._batch_rate(file))

    def _batch_rate(self, file: Path) -> float:
        """Return the submissions per second of a batch once all its processes are at work."""
        submissions = [Submission(f"candidate{number:05d}", self._problem.slug, file) for number in range(BATCH)]
        batch = Batch(self._root, self._cache, len(self._cores), allow_weak=self._allow_weak)
        ends = []
        for outcome in batch.outcomes(submissions):
            ends.append(time.perf_counter())
            _require_accepted(outcome.result["verdict"] if outcome.result else Verdict.JE)
        first = BATCH // 4
        return (BATCH - first) / (ends[-1] - ends[first - 1])

    def _figures(self, mib: float | None, cases: int, load: float) -> Figures:
        of = self._samples
        return Figures(
            floor_p50_ms=statistics.median(of.floor),
            warm_p50_ms=statistics.median(of.warm),
            warm_p99_ms=statistics.quantiles(of.warm, n=100, method="inclusive")[98],
            fresh_p50_ms=statistics.median(of.fresh),
            grade_p50_ms=statistics.median(of.grade),
            throughput_per_s=statistics.median(of.rate),
            floor_throughput_per_s=statistics.median(of.floor_rate),
            pss_mib=mib,
            bubblewrap_p50_ms=statistics.median(of.wrapped) if of.wrapped else None,
            problem=self._problem.slug,
            cases=cases,
            cores=len(self._cores),
            load=load,
        )


def _turned(floors: Sequence[Floor], number: int) -> list[Floor]:
    start = number % len(floors)
    return [*floors[start:], *floors[:start]]


def _milliseconds(command: Sequence[str]) -> float:
    started = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, check=False)
    took = (time.perf_counter() - started) * 1000
    if ended.returncode != 0:
        told = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise JudgeError(f"{Path(command[0]).name} failed while it was measured: {told or ended.returncode}")
    return took


def _require_accepted(verdict: str) -> None:
    if verdict != Verdict.AC:
        raise JudgeError(f"A right source was judged {verdict} while it was measured; run grader doctor.")
