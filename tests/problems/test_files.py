"""Packages as bytes: what a folder or an archive may hold, and the hash that names them."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import InvalidPackage
from grader.problems.files import FILE_BYTES_MAX, FILES_MAX, PackageFiles, read_folder
from tests.packages import TINY
from tests.processes import open_descriptors

SLUG = TINY.name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small package, to be spoilt."""
    return Path(shutil.copytree(TINY, tmp_path / SLUG))


def hash_of(folder: Path) -> str:
    return read_folder(folder).sha256


def test_hash_is_that_of_paths_and_contents(folder: Path) -> None:
    assert hash_of(folder) == hash_of(TINY)
    assert PackageFiles("a", {"b": b"c", "a": b""}).sha256 == PackageFiles("x", {"a": b"", "b": b"c"}).sha256
    # paths and contents cannot run into each other
    assert PackageFiles("a", {"ab": b"c"}).sha256 != PackageFiles("a", {"a": b"bc"}).sha256


def test_hash_stays_the_same_from_release_to_release() -> None:
    files = PackageFiles("a", {"problem.yaml": b"schema: 1\n", "starters/x.py": b""})
    assert files.sha256 == "1af4e0683848a8a8ed1d031be5932864a01c466567dece136f2396b3bbc1c9af"


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte more": lambda folder: (folder / "cases.py").write_bytes((folder / "cases.py").read_bytes() + b"\n"),
    "other line ends": lambda folder: (folder / "cases.py").write_bytes(
        (folder / "cases.py").read_bytes().replace(b"\n", b"\r\n")
    ),
    "a new file": lambda folder: (folder / "notes.md").write_bytes(b""),
    "a file less": lambda folder: (folder / "statement.md").unlink(),
    "another name": lambda folder: (folder / "statement.md").rename(folder / "statement2.md"),
    "another folder": lambda folder: (folder / "starters").rename(folder / "starter"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_hash_changes_with_any_file(folder: Path, change: Callable[[Path], object]) -> None:
    change(folder)
    assert hash_of(folder) != hash_of(TINY)


def test_hash_ignores_what_is_no_part_of_a_package(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "index").write_bytes(b"x")
    (folder / ".DS_Store").touch()
    (folder / "starters" / "__pycache__").mkdir()
    (folder / "starters" / "__pycache__" / "interview.cpython-311.pyc").write_bytes(b"x")
    (folder / "cases.pyc").touch()
    (folder / ".link").symlink_to("/etc/passwd")
    (folder / "empty").mkdir()
    (folder / "cases.py").touch()  # time and mode are none of it either
    (folder / "cases.py").chmod(0o755)
    assert hash_of(folder) == hash_of(TINY)


def test_reference_comes_first() -> None:
    paths = [f"submissions/accepted/{name}.py" for name in ("a", "reference", "b")] + ["submissions/accepted/x.md"]
    files = PackageFiles("a", dict.fromkeys(paths, b""))
    assert [Path(path).stem for path in files.below("submissions/accepted")] == ["reference", "a", "b"]


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # a socket's address is short
        server.bind(path.name)


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a file": (
        lambda folder: (folder / "extra.py").symlink_to(folder / "cases.py"),
        "/extra.py: is a link; replace it by the file.",
    ),
    "a link out of the package": (
        lambda folder: (folder / "starters" / "passwd.py").symlink_to("/etc/passwd"),
        "/starters/passwd.py: is a link; replace it by the file.",
    ),
    "a link to a folder": (
        lambda folder: (folder / "more").symlink_to("/etc"),
        "/more: is a link; replace it by the file.",
    ),
    "a link to itself": (
        lambda folder: (folder / "loop").symlink_to("loop"),
        "/loop: is a link; replace it by the file.",
    ),
    "a link to nothing": (
        lambda folder: (folder / "gone").symlink_to("nowhere"),
        "/gone: is a link; replace it by the file.",
    ),
    "a FIFO": (lambda folder: os.mkfifo(folder / "pipe.py"), "/pipe.py: is no regular file; remove it."),
    "a socket": (
        lambda folder: make_socket(folder / "socket.py"),
        "/socket.py: cannot be read (No such device or address); make it a readable file.",
    ),
    "a large file": (
        lambda folder: (folder / "big.py").write_bytes(bytes(FILE_BYTES_MAX + 1)),
        "/big.py: is larger than 1 MiB; shorten it.",
    ),
    "an endless file": (
        lambda folder: os.truncate(os.open(folder / "big.py", os.O_CREAT | os.O_WRONLY), 1 << 40),
        "/big.py: is larger than 1 MiB; shorten it.",
    ),
    "a name with a space": (
        lambda folder: (folder / "my cases.py").touch(),
        "/'my cases.py': file names are letters, digits, '_', '-' and '.'; rename it.",
    ),
    "a name with an escape": (
        lambda folder: (folder / "\x1b[31m").touch(),
        "/'\\x1b[31m': file names are letters, digits, '_', '-' and '.'; rename it.",
    ),
    "a name that is no text": (
        lambda folder: open(os.fsencode(folder) + b"/\xff", "w").close(),
        "/'\\udcff': file names are letters, digits, '_', '-' and '.'; rename it.",
    ),
    "a name with a line end": (
        lambda folder: (folder / "a\n").touch(),
        "/'a\\n': file names are letters, digits, '_', '-' and '.'; rename it.",
    ),
    "deep folders": (
        lambda folder: (folder / "a/b/c/d/e/f").mkdir(parents=True),
        "/a/b/c/d/e/f: folders are nested too deeply; move it up.",
    ),
    "very many files": (
        lambda folder: [(folder / f"f{number}").write_bytes(b"") for number in range(FILES_MAX)],
        f": more than {FILES_MAX} files or 16 MiB; remove some.",
    ),
    "very many bytes": (
        lambda folder: [(folder / f"f{number}").write_bytes(bytes(FILE_BYTES_MAX)) for number in range(17)],
        f": more than {FILES_MAX} files or 16 MiB; remove some.",
    ),
}


@pytest.mark.parametrize(("spoil", "finding"), SPOILT.values(), ids=SPOILT)
def test_spoilt_folder_is_told(
    folder: Path, spoil: Callable[[Path], object], finding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    spoil(folder)
    before = open_descriptors()
    with pytest.raises(InvalidPackage) as caught:
        read_folder(folder)
    assert caught.value.findings == (SLUG + finding,)
    assert open_descriptors() == before


def test_file_of_the_largest_size_is_read(folder: Path) -> None:
    (folder / "big.py").write_bytes(bytes(FILE_BYTES_MAX))
    assert len(read_folder(folder).contents["big.py"]) == FILE_BYTES_MAX


@pytest.mark.parametrize("name", ["Attention", "two_words", "-a", "a-", "a--b", "ä", "a.b", "a b"])
def test_folder_of_another_name_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InvalidPackage, match="is named in lower-case words joined by '-'; rename it"):
        read_folder(tmp_path / name)


def test_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    for name, reason in {
        "file": "Not a directory",
        "pipe": "Not a directory",
        "missing": "No such file or directory",
        "loop": "Too many levels of symbolic links",
    }.items():
        with pytest.raises(InvalidPackage) as caught:
            read_folder(tmp_path / name)
        assert caught.value.message == f"{tmp_path / name}: cannot be read ({reason}); name a readable folder."


def test_folder_may_itself_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").symlink_to(TINY)
    assert read_folder(tmp_path / "elsewhere") == read_folder(TINY)
