"""Ten thousand submissions in a row through one grader process: nothing grows.

Right, wrong and hostile sources by turns; those that run into the clock are left out, as they only take long.
"""

from __future__ import annotations

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import pytest

from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Pool
from tests.packages import DATA
from tests.processes import children_of, open_descriptors, sandbox_processes, wait_until

pytestmark = [pytest.mark.sandbox, pytest.mark.long]
LANES: Final = 2
WARM: Final = 2_800  # what the caches, the heaps and the fault table need to settle: each source some six times
TOTAL: Final = 10_000
LOOKS: Final = 5
GRADER_GROWTH_MIB: Final = 16.0
ZYGOTE_GROWTH_MIB: Final = 1.0
SLOW: Final = ("TLE", "MLE")  # folders whose sources take their limits
SOURCES: Final = [
    path
    for folder in ("submissions", "hostile")
    for path in sorted((DATA / folder).glob("*/*.py"))
    if path.parent.name.partition("_")[0] not in SLOW
]


@dataclass(frozen=True)
class Use:
    """What the grader and its zygotes have taken from the machine, while nothing is judged."""

    zygotes: tuple[int, ...]  # process ids: none was replaced
    descriptors: int
    threads: int
    grader_mib: float
    zygotes_mib: tuple[float, ...]


def resident_mib(process: str) -> float:
    """Return a process's resident memory."""
    return int(Path("/proc", process, "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def use_of(zygotes: tuple[int, ...], expected: int) -> Use:
    """Look once every zygote has its one waiting child, and the one before is gone."""
    assert wait_until(lambda: all(len(children_of(pid)) == 1 for pid in zygotes))
    settled = wait_until(lambda: len(sandbox_processes()) == expected)
    assert settled, f"{len(sandbox_processes())} processes of the sandbox, not {expected}"
    gc.collect()  # an exception and the frames that it holds may await the collector
    return Use(
        zygotes=zygotes,
        descriptors=open_descriptors(),
        threads=threading.active_count(),
        grader_mib=resident_mib("self"),
        zygotes_mib=tuple(resident_mib(str(pid)) for pid in zygotes),
    )


class Endurance:
    """Judges sources by turns on every lane of a pool, and counts what was not judged as its folder says."""

    def __init__(self, pool: Pool, tiny: Problem, cache: CaseCache) -> None:
        self._pool, self._tiny, self._cache = pool, tiny, cache
        self._sources = [(path.parent.name.partition("_")[0], path, path.read_bytes()) for path in SOURCES]
        self._expected = len(sandbox_processes()) + 2 * LANES  # a zygote and its waiting child
        self.wrong: set[str] = set()
        self.judged = 0
        self._lock = threading.Lock()

    def judge_many(self, count: int) -> Use:
        """Judge `count` submissions, then look at what is in use."""
        todo = islice(cycle(self._sources), self.judged, self.judged + count)
        with ThreadPoolExecutor(LANES) as threads:
            for _ in threads.map(self._judge, todo):
                pass
        return use_of(self._zygotes(), self._expected)

    def _judge(self, source: tuple[str, Path, bytes]) -> None:
        verdict, path, text = source
        with self._pool.lane() as lane:
            found = judge(self._tiny, text, lane, self._cache)
        with self._lock:
            self.judged += 1
            if found.verdict != verdict:
                self.wrong.add(f"{path.parent.name}/{path.name}: {found.verdict}")

    def _zygotes(self) -> tuple[int, ...]:
        with ExitStack() as stack:
            return tuple(sorted(stack.enter_context(self._pool.lane()).pid or 0 for _ in range(LANES)))


def test_nothing_grows_over_ten_thousand_submissions(tiny: Problem, cache: CaseCache) -> None:
    with Pool(LANES) as pool:
        endurance = Endurance(pool, tiny, cache)
        before = endurance.judge_many(WARM)
        looks = [endurance.judge_many(TOTAL // LOOKS) for _ in range(LOOKS)]
    print(*(before, *looks), sep="\n")  # shown by pytest -s, or when it fails
    assert endurance.wrong == set()
    for after in looks:
        assert after.zygotes == before.zygotes, "no zygote died"
        assert after.descriptors == before.descriptors
        assert after.threads == before.threads
        for new, old in zip(after.zygotes_mib, before.zygotes_mib, strict=True):
            assert new - old < ZYGOTE_GROWTH_MIB
    # a frame of 65 MiB that was just let go may still count in one look, in all of the last ones it does not
    assert min(after.grader_mib for after in looks[LOOKS // 2 :]) - before.grader_mib < GRADER_GROWTH_MIB
