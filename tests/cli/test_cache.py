"""A cache that cannot be used costs time and one line, never a verdict."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import REFERENCE, SLUG, WRONG, Command, Ended, as_a_user

pytestmark = pytest.mark.sandbox
AGAIN = "cases are generated each time."


def judged(command: Command, cache: Path | str) -> Ended:
    """Judge the reference with another cache; it is accepted, whatever the cache is like."""
    ended = command.run("grade", SLUG, REFERENCE, env={"GRADER_CACHE": str(cache)}, preexec=as_a_user)
    assert ended.code == 0
    assert "✓ Accepted" in ended.out
    return ended


def test_a_cache_below_a_file(command: Command) -> None:
    (command.folder / "file").touch()
    line = judged(command, command.folder / "file" / "cache").line
    assert line == f"grader: The cache {command.folder}/file/cache cannot be used (Not a directory); {AGAIN}"


def test_a_cache_that_is_a_file(command: Command) -> None:
    (command.folder / "file").touch()
    assert (
        judged(command, "file").line == f"grader: The cache {command.folder}/file cannot be used (File exists); {AGAIN}"
    )


def test_a_cache_that_others_may_read(command: Command) -> None:
    cache = command.folder / "cache"
    cache.mkdir()
    cache.chmod(0o755)
    line = f"grader: The cache {cache} is not private to this user; make it 0700 and your own, or set GRADER_CACHE."
    assert judged(command, cache).line == line
    assert list(cache.iterdir()) == []


def test_a_cache_that_is_a_link(command: Command) -> None:
    (command.folder / "elsewhere").mkdir(mode=0o700)
    (command.folder / "cache").symlink_to("elsewhere")
    assert "is not private to this user" in judged(command, "cache").line
    assert list((command.folder / "elsewhere").iterdir()) == []


def test_a_cache_that_may_not_be_written(command: Command) -> None:
    cache = command.folder / "cache"
    cache.mkdir(mode=0o500)
    assert judged(command, cache).line == f"grader: The cache {cache} cannot be written (Permission denied); {AGAIN}"


def test_a_damaged_file_is_made_anew(command: Command) -> None:
    cache = command.folder / "cache"
    assert judged(command, cache).err == ""
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for damaged in (whole[:100] + b"\xff" + whole[101:], b""):
        file.write_bytes(damaged)
        assert judged(command, cache).err == ""
        assert file.read_bytes() == whole


def test_no_room_for_a_file(command: Command) -> None:
    cache = command.folder / "cache"
    ended = command.run("grade", SLUG, WRONG, env={"GRADER_CACHE": str(cache)}, file_size=4096)
    assert ended.code == 1
    assert ended.line == f"grader: The cache {cache} cannot be written (File too large); {AGAIN}"
    assert list(cache.iterdir()) == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "none", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root, where it may mount, makes a full disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(command: Command, tiny_disk: Path) -> None:
    (tiny_disk / "filler").write_bytes(bytes(60 << 10))
    line = judged(command, tiny_disk / "cache").line
    assert line == f"grader: The cache {tiny_disk}/cache cannot be written (No space left on device); {AGAIN}"
