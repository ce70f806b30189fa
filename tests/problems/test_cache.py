"""The cache of cases: used where it is whole and one's own, otherwise as if it were not there."""

from __future__ import annotations

import itertools
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.errors import InvalidPackage
from grader.problems.cache import KEPT_DAYS, MAPPED_MIN, CaseCache
from grader.problems.cases import build_cases, pack
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from grader.sandbox.wire import decode, encode
from tests.ordinary import NOBODY, run_as_ordinary_user
from tests.packages import TINY, edited, text_of, tiny_problem_with
from tests.processes import open_descriptors

pytestmark = pytest.mark.sandbox


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The problems whose cases were generated, in order."""
    names: list[str] = []

    def counted(problem: Problem, lane: Lane) -> object:
        names.append(problem.slug)
        return build_cases(problem, lane)

    monkeypatch.setattr("grader.problems.cache.build_cases", counted)
    return names


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_cases_are_generated_once_and_kept(tiny: Problem, lane: Lane, folder: Path, built: list[str]) -> None:
    cache = CaseCache(folder)
    first = cache.cases(tiny, lane)
    assert cache.cases(tiny, lane) is first
    again = CaseCache(folder).cases(tiny, lane)
    assert pack(again) == pack(first)
    assert built == ["tiny-attention"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600
    assert only_file(folder).name.startswith(tiny.sha256)


def test_cached_cases_can_be_judged_by(tiny: Problem, lane: Lane, folder: Path) -> None:
    CaseCache(folder).cases(tiny, lane)
    for case in CaseCache(folder).cases(tiny, lane):
        assert all(array.flags.writeable and array.flags.aligned for array in case.expected)


def test_changed_package_has_its_own_cases(tiny: Problem, lane: Lane, folder: Path, built: list[str]) -> None:
    CaseCache(folder).cases(tiny, lane)
    other = tiny_problem_with({"statement.md": text_of("statement.md") + "\nmore\n"})
    CaseCache(folder).cases(other, lane)
    assert len(built) == len(list(folder.iterdir())) == 2


def test_what_could_not_be_generated_is_not_tried_again_at_once(lane: Lane, folder: Path, built: list[str]) -> None:
    broken = tiny_problem_with({"cases.py": "def sample_format(rng):\n    raise ValueError('no')\n"})
    cache = CaseCache(folder)
    with pytest.raises(InvalidPackage) as first:
        cache.cases(broken, lane)
    with pytest.raises(InvalidPackage) as second:
        cache.cases(broken, lane)
    assert second.value.findings == first.value.findings
    assert built == ["tiny-attention"]
    assert not list(folder.iterdir())
    with pytest.raises(InvalidPackage):
        CaseCache(folder).cases(broken, lane)  # another process tries for itself
    assert len(built) == 2


def test_no_folder_is_memory_alone(tiny: Problem, lane: Lane, built: list[str]) -> None:
    cache = CaseCache(None)
    assert cache.cases(tiny, lane) is cache.cases(tiny, lane)
    assert len(built) == 1


def test_what_is_large_is_mapped_and_not_copied(tiny: Problem, folder: Path) -> None:
    values = np.arange(MAPPED_MIN // 8, dtype=np.float64)
    cache = CaseCache(folder)
    cache.keep(tiny, "faults", values, encode)
    found = cache.kept(tiny, "faults", lambda data: decode(data, copy=False))
    assert found is not None
    assert np.array_equal(found, values)
    assert (found.flags.owndata, found.flags.writeable) == (False, False)
    with only_file(folder).open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
    assert CaseCache(folder).kept(tiny, "faults", decode) is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
        make(path)

    return replace


def can_be_read(path: Path) -> bool:
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a cut file": cut,
    "a changed byte": flip,
    "an empty file": lambda path: os.truncate(path, 0),
    "a pickle": lambda path: path.write_bytes(b"\x80\x04N."),
    "a longer file": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "a folder": replace_by(Path.mkdir),
    "a link": replace_by(lambda path: path.symlink_to("/etc/passwd")),
    "a FIFO": replace_by(os.mkfifo),
    "an unreadable file": lambda path: path.chmod(0),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_file_is_computed_anew(
    tiny: Problem, lane: Lane, folder: Path, built: list[str], damage: Callable[[Path], object]
) -> None:
    whole = pack(CaseCache(folder).cases(tiny, lane))
    path = only_file(folder)
    damage(path)
    unharmed = not stat.S_IMODE(path.stat().st_mode) and can_be_read(path)  # root reads what nobody may
    before = open_descriptors()
    warnings: list[str] = []
    assert pack(CaseCache(folder, warnings.append).cases(tiny, lane)) == whole
    assert open_descriptors() == before
    assert len(built) == 1 + (not unharmed)
    if path.is_dir():
        assert "cannot be written" in warnings[0]
    else:
        assert pack(CaseCache(folder).cases(tiny, lane)) == whole
        assert len(built) <= 2, "the file is whole again"
    assert [entry.name for entry in folder.iterdir()] == [path.name], "nothing is left lying about"


def test_file_of_another_package_is_no_cache(tiny: Problem, lane: Lane, folder: Path, built: list[str]) -> None:
    other = tiny_problem_with({"cases.py": edited("cases.py", "T=6, m=5", "T=3, m=2")})
    CaseCache(folder).cases(other, lane)
    mistaken = only_file(folder)
    CaseCache(folder).cases(tiny, lane)
    (path,) = set(folder.iterdir()) - {mistaken}
    os.replace(mistaken, path)
    cases = {case.name: case for case in CaseCache(folder).cases(tiny, lane)}
    assert cases["secret_single_precision"].arguments["x"].shape == (6, 5)
    assert len(built) == 3


def test_file_of_another_user_is_not_read(
    tiny: Problem, lane: Lane, folder: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    CaseCache(folder).cases(tiny, lane)
    cache = CaseCache(folder)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY + 1)  # whoever owns the file, it is another one
    cache.cases(tiny, lane)
    assert len(built) == 2


def test_folder_of_another_user_is_not_used(
    tiny: Problem, lane: Lane, folder: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    CaseCache(folder).cases(tiny, lane)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY + 1)
    warnings: list[str] = []
    CaseCache(folder, warnings.append).cases(tiny, lane)
    assert len(built) == 2
    assert warnings == [
        f"The cache {folder} is not private to this user; make it 0700 and your own, or set GRADER_CACHE."
    ]


FOREIGN: dict[str, Callable[[Path], object]] = {
    "readable by a group": lambda folder: folder.chmod(0o750),
    "readable by all": lambda folder: folder.chmod(0o755),
    "a link": replace_by(lambda folder: folder.symlink_to("/tmp")),
    "a file": replace_by(Path.touch),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_folder_that_is_not_private_is_not_used(
    tiny: Problem, lane: Lane, folder: Path, built: list[str], name: str
) -> None:
    folder.mkdir(0o700)
    FOREIGN[name](folder)
    warnings: list[str] = []
    for _ in range(2):
        CaseCache(folder, warnings.append).cases(tiny, lane)
    assert len(built) == 2
    expected = {"a file": f"The cache {folder} cannot be used (File exists); cases are generated each time."}.get(
        name, f"The cache {folder} is not private to this user; make it 0700 and your own, or set GRADER_CACHE."
    )
    assert warnings == [expected] * 2
    assert not folder.is_dir() or name == "a link" or not list(folder.iterdir())


@pytest.mark.parametrize("where", ["/proc/nowhere/cache", "/dev/null/cache", "/sys/cache"])
def test_folder_that_cannot_be_made_is_told(tiny: Problem, lane: Lane, where: str) -> None:
    warnings: list[str] = []
    assert CaseCache(Path(where), warnings.append).cases(tiny, lane)
    assert len(warnings) == 1
    assert warnings[0].startswith(f"The cache {where} cannot be used (")


WRITER = """
import os, resource, signal, sys
from dataclasses import replace
from pathlib import Path
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane
from tests.packages import tiny_attention
what, folder = sys.argv[1], Path(sys.argv[2])
lane = Lane()
lane.facts()
cache = CaseCache(folder, lambda text: print(text))
if what == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
if what == "read-only":
    folder.chmod(0o500)
print(len(cache.cases(tiny_attention(), lane)), *(os.listdir(folder) if os.access(folder, os.R_OK) else []))
lane.close()
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter and write to; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def run_writer(what: str, folder: Path) -> list[str]:
    return run_as_ordinary_user([sys.executable, "-c", WRITER, what, str(folder / "cache")]).splitlines()


def test_full_disk_is_told_and_leaves_nothing(open_folder: Path) -> None:
    assert run_writer("full", open_folder) == [
        f"The cache {open_folder / 'cache'} cannot be written (File too large); cases are generated each time.",
        "8",
    ]


def test_folder_that_may_not_be_written_is_told(open_folder: Path) -> None:
    assert run_writer("read-only", open_folder) == [
        f"The cache {open_folder / 'cache'} cannot be written (Permission denied); cases are generated each time.",
        "8",
    ]


def test_another_users_cache_is_not_used(open_folder: Path) -> None:
    (open_folder / "cache").mkdir(0o700)
    if os.geteuid() != 0:
        (open_folder / "cache").chmod(0o777)
    (warning, *_) = run_writer("plain", open_folder)
    assert warning.startswith(f"The cache {open_folder / 'cache'} is not private to this user; make it 0700")


def test_folder_that_is_gone_since_is_told(tiny: Problem, lane: Lane, folder: Path) -> None:
    folder.mkdir(0o700)
    warnings: list[str] = []
    cache = CaseCache(folder, warnings.append)
    folder.rmdir()  # gone since
    assert len(cache.cases(tiny, lane)) == 8
    assert warnings == [
        f"The cache {folder} cannot be written (No such file or directory); cases are generated each time."
    ]


def test_files_long_unused_are_removed(tiny: Problem, lane: Lane, folder: Path) -> None:
    folder.mkdir(0o700)
    now = time.time()
    ages = {"old.cases": KEPT_DAYS + 1, "young.cases": KEPT_DAYS - 1, ".new-killed": KEPT_DAYS + 1, "notes": 999}
    for name, days in ages.items():
        (folder / name).touch()
        os.utime(folder / name, (now, now - days * 86_400))
    CaseCache(folder).cases(tiny, lane)
    left = {path.name for path in folder.iterdir() if not path.name.startswith(tiny.sha256)}
    assert left == {"young.cases", "notes"}


def make_old(path: Path) -> None:
    then = time.time() - (KEPT_DAYS + 1) * 86_400
    os.utime(path, (then, then))


@pytest.mark.parametrize("where", ["on disk", "in memory"])
def test_what_is_used_stays_however_old_it_is(
    tiny: Problem, lane: Lane, folder: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.problems.cache.USED_AGAIN_S", 0.0)
    cache = CaseCache(folder)
    cache.cases(tiny, lane)
    used = only_file(folder)
    cache.keep(tiny, "check", [], encode)  # what nobody reads again
    (unused,) = set(folder.iterdir()) - {used}
    make_old(used)
    make_old(unused)
    (cache if where == "in memory" else CaseCache(folder)).cases(tiny, lane)
    cache.keep(tiny, "stages", [], encode)
    assert used.exists()
    assert not unused.exists()


def test_a_file_is_told_once_a_day_that_it_is_used(tiny: Problem, lane: Lane, folder: Path) -> None:
    cache = CaseCache(folder)
    cache.cases(tiny, lane)
    cache.cases(tiny, lane)
    make_old(only_file(folder))
    before = only_file(folder).stat().st_mtime
    cache.cases(tiny, lane)
    assert only_file(folder).stat().st_mtime == before
    CaseCache(folder).cases(tiny, lane)
    assert only_file(folder).stat().st_mtime > before


def test_a_lock_that_is_held_stays_however_old_its_file_is(tiny: Problem, folder: Path) -> None:
    cache = CaseCache(folder)
    with cache.making(tiny):
        lock = only_file(folder)
    make_old(lock)
    with cache.making(tiny):
        cache.keep(tiny, "check", [], encode)
        assert lock.exists()
    make_old(lock)
    cache.keep(tiny, "check", [], encode)
    assert not lock.exists()


def test_only_one_process_makes_what_takes_long_and_a_killed_one_holds_nobody_up(tiny: Problem, folder: Path) -> None:
    command = [sys.executable, "-m", "tests.problems.holding", str(TINY), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "making\n"
        cache, looks = CaseCache(folder), itertools.count()
        with cache.making(tiny, stopped=lambda: next(looks) == 3):
            assert next(looks) == 4  # three looks in vain, then it was told to wait no more
        other.kill()
    with cache.making(tiny, stopped=lambda: next(looks) > 300):
        assert next(looks) < 300


def test_two_packages_are_made_at_a_time(tiny: Problem, folder: Path) -> None:
    cache = CaseCache(folder)
    other = replace(tiny, files=replace(tiny.files, contents={**tiny.files.contents, "notes.md": b"another"}))
    with cache.making(tiny), cache.making(other):
        made = sorted(path.name for path in folder.iterdir())
    assert made == sorted([f"{tiny.sha256}.making", f"{other.sha256}.making"])
