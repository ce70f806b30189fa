"""A batch of many submissions against its floor and against a shell loop of bubblewrap and Python, all in one run.

    .venv/bin/python -m tests.bench.batching [--problem heads-never-mix] [--submissions 10000] [--finding fast]

Half of the sources are right (the corrected one, the reference), half are the package's incomplete repairs, which end
by themselves; no two are the same bytes.
The floor calls the corrected source once for each case, in process, on every core. The loop starts
`bwrap … python3 FILE` for the same files, one after the other, and on every core; it calls nothing. Rates leave the
start out.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.batch.bench import SOURCES
from grader.batch.floor import Floor
from grader.config import shipped
from grader.problems.loader import Problem, load_named
from tests.processes import children_of

GRADER: Final = Path(sys.executable).with_name("grader")
FLOOR_S: Final = 4.0
LOOPED: Final = 60  # files of the loop, on each core
WRAP: Final = ("--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
LOOK_S: Final = 0.25
WEIGHED: Final = (
    12  # one look of so many asks for memory: the kernel adds up every page, on the cores that are measured
)
ZYGOTE: Final = b"grader.sandbox.zygote"


@dataclass
class Course:
    """How a batch went: when how many results were there, and how much memory its trusted processes had together."""

    times: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)

    def rate(self, first: float, last: float) -> float:
        """Return results per second between two shares of all."""
        total = self.counts[-1]
        inside = [i for i, count in enumerate(self.counts) if first * total <= count <= last * total]
        start, end = inside[0], inside[-1]
        return (self.counts[end] - self.counts[start]) / (self.times[end] - self.times[start])


def sources_of(problem: Problem) -> Iterator[bytes]:
    """Yield right and wrong sources by turns, for ever."""
    contents = problem.files.contents
    right = [contents[path] for path in SOURCES if path in contents]
    wrong = [contents[f"submissions/{path}"] for path, fault in problem.faults.files.items() if fault.left]
    for number, pair in enumerate(zip(itertools.cycle(right), itertools.cycle(wrong), strict=False)):
        for source in pair:
            yield source + f"\n# {number}\n".encode()


def write_folder(problem: Problem, folder: Path, number: int) -> list[Path]:
    """Write submissions; return their paths."""
    paths = []
    for index, source in enumerate(itertools.islice(sources_of(problem), number)):
        path = folder / f"c{index:05}" / f"{problem.slug}.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(source)
        paths.append(path)
    return paths


def trusted_mib(pid: int) -> float:
    """Return what the command and its grading processes occupy; children that run sources are not counted."""
    total = 0.0
    for each in {pid, *children_of(pid)}:
        with contextlib.suppress(OSError):
            place = Path("/proc", str(each))
            if ZYGOTE not in (place / "cmdline").read_bytes():
                lines = (place / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return total


def run_batch(folder: Path, out: Path, options: Sequence[str]) -> Course:
    """Judge a folder and watch it."""
    course, results = Course(), out / "results.jsonl"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([GRADER, "batch", folder, "--out", out, *options], stdout=log, stderr=log)
        lines, offset = 0, 0
        for look in itertools.takewhile(lambda _: process.poll() is None, itertools.count()):
            time.sleep(LOOK_S)
            with contextlib.suppress(FileNotFoundError), results.open("rb") as file:
                file.seek(offset)
                data = file.read()
                offset += len(data)
                lines += data.count(b"\n")
            if lines and (not course.counts or lines > course.counts[-1]):
                course.times.append(time.monotonic())
                course.counts.append(lines)
            if look % WEIGHED == 0:
                course.memory_mib.append(trusted_mib(process.pid))
        log.seek(0)
        assert process.returncode == 0, log.read().decode()
    return course


def floor_rate(problem: Problem, cache: Path, cores: int) -> float:
    """Return how often per second the corrected source runs over the cases, on every core."""
    path = next(path for path in SOURCES if path in problem.files.contents)
    with contextlib.ExitStack() as stack:
        floors = [stack.enter_context(Floor(shipped("problems"), problem.slug, path, cache, n)) for n in range(cores)]
        for floor in floors:
            floor.command(f"for {FLOOR_S}")
        return sum(floor.answer() for floor in floors) / FLOOR_S


def loop_rate(paths: Sequence[Path], cores: int) -> float:
    """Return how many files per second a shell loop starts in bubblewrap, on so many cores at a time."""
    script = f'for file in "$@"; do bwrap {" ".join(WRAP)} {sys.executable} -P "$file"; done'
    shares = [paths[index::cores][:LOOPED] for index in range(cores)]
    began = time.monotonic()
    loops = [
        subprocess.Popen(["sh", "-c", script, "sh", *map(str, share)], stderr=subprocess.DEVNULL) for share in shares
    ]
    for loop in loops:
        loop.wait()
    return sum(map(len, shares)) / (time.monotonic() - began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="heads-never-mix")
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--finding", choices=["fast", "full"], default="fast")
    asked = parser.parse_args()
    problem = load_named(asked.problem, shipped("problems"))
    cache, cores = Path(os.environ.get("GRADER_CACHE", Path.home() / ".cache/grader")), len(os.sched_getaffinity(0))
    options = [f"--finding={asked.finding}", "--format=jsonl"]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_folder(problem, place / "first", 40)
        run_batch(place / "first", place / "first out", options)  # makes what the cache lacks
        paths = write_folder(problem, place / "few", min(1000, asked.submissions))
        many = write_folder(problem, place / "many", asked.submissions)
        before = floor_rate(problem, cache, cores)
        few = run_batch(place / "few", place / "few out", options)
        loops = (loop_rate(paths, 1), loop_rate(paths, cores)) if shutil.which("bwrap") else (0.0, 0.0)
        course = run_batch(place / "many", place / "many out", options)
        after = floor_rate(problem, cache, cores)
    tell(asked.problem, asked.finding, len(many), (before + after) / 2, few, course, loops)


def tell(slug: str, finding: str, number: int, floor: float, few: Course, many: Course, loops: Sequence[float]) -> None:
    """Print the figures."""
    rate = many.rate(0.05, 1.0)
    print(f"{slug}, --finding {finding}: {number} submissions")
    print(f"{rate:.1f}/s, {rate / floor:.1%} of the floor ({floor:.0f}/s)")
    print(f"a thousand alone {few.rate(0.1, 1.0):.1f}/s")
    print(f"first tenth {many.rate(0.01, 0.1):.1f}/s, last tenth {many.rate(0.9, 1.0):.1f}/s")
    print(f"trusted side {max(many.memory_mib):.0f} MiB at most, {max(few.memory_mib):.0f} with a thousand")
    for loop, where in zip(loops, ("in one loop", "in a loop on every core"), strict=True):
        if loop:
            print(f"bubblewrap + python3 {where}: {loop:.1f}/s, the batch {rate / loop:.1f} times that")


if __name__ == "__main__":
    main()
