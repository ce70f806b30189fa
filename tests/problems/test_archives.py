"""Packages as archives: they come back whole, and nothing else is taken for one."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import InvalidPackage
from grader.problems.files import FILE_BYTES_MAX, FILES_MAX, TOTAL_BYTES_MAX, PackageFiles, read_archive, read_folder
from tests.packages import TINY

SLUG = TINY.name


def test_archive_comes_back() -> None:
    files = read_folder(TINY)
    again = read_archive(SLUG, files.archive())
    assert again == files
    assert again.sha256 == files.sha256
    assert again.archive() == files.archive()


@settings(max_examples=30)
@given(st.dictionaries(st.from_regex(r"[a-z_]{1,5}(/[a-z.]{1,3}[a-z])?", fullmatch=True), st.binary(max_size=50)))
def test_any_files_come_back_from_an_archive(contents: dict[str, bytes]) -> None:
    files = PackageFiles("a", {path: data for path, data in contents.items() if "/." not in path})
    assert read_archive("a", files.archive()).contents == files.contents


def archive_of(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename = name  # as it is: ZipInfo would tidy it up
            archive.writestr(info, data, method)
    return buffer.getvalue()


PATHS_OF_NONE = [
    *(
        "/etc/passwd",
        "../x",
        "../../x",
        "a/../x",
        "a//x",
        "a/",
        "/",
        ".",
        "..",
        "./a",
        "a\\b",
        "c:x",
        "",
        "a b",
        "a\n",
        "é",
    ),
    *(".git/config", "a/.b", "__pycache__/x", "a.pyc", "x" * 101, "a/" * 6 + "x"),
]


@pytest.mark.parametrize("path", PATHS_OF_NONE, ids=ascii)
def test_archive_with_a_path_of_no_package_is_refused(path: str) -> None:
    with pytest.raises(
        InvalidPackage, match=r"^tiny: the archive's path .* is none of a package; pack the folder again"
    ):
        read_archive("tiny", archive_of((path, b"x")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archive_with_a_file_twice_is_refused() -> None:
    with pytest.raises(InvalidPackage, match=r"^tiny/a: stands twice in the archive; pack the folder again\.$"):
        read_archive("tiny", archive_of(("a", b"1"), ("a", b"2")))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_of_another_compression_is_refused(method: int) -> None:
    with pytest.raises(InvalidPackage, match=r"^tiny/a: is neither stored nor deflated; pack the folder again\.$"):
        read_archive("tiny", archive_of(("a", b"x"), method=method))


TOO_LARGE = {
    "a file": [("a", bytes(FILE_BYTES_MAX + 1))],
    "all files": [(f"f{number}", bytes(FILE_BYTES_MAX)) for number in range(17)],
    "their number": [(f"f{number}", b"") for number in range(FILES_MAX + 1)],
}


@pytest.mark.parametrize("members", TOO_LARGE.values(), ids=TOO_LARGE)
def test_archive_that_is_too_large_is_refused(members: list[tuple[str, bytes]]) -> None:
    assert sum(len(data) for _, data in members) <= TOTAL_BYTES_MAX + FILE_BYTES_MAX
    with pytest.raises(InvalidPackage, match="the archive is too large; leave out what is not needed"):
        read_archive("tiny", archive_of(*members))


def test_archive_that_lies_about_a_size_unpacks_no_more_than_a_file() -> None:
    bomb = archive_of(("a", bytes(300 << 20)))
    true, claimed = struct.pack("<I", 300 << 20), struct.pack("<I", 1000)
    assert bomb.count(true) == 2  # in the member's header and in the directory
    tracemalloc.start()
    try:
        with pytest.raises(InvalidPackage):
            read_archive("tiny", bomb.replace(true, claimed))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def damaged() -> dict[str, bytes]:
    whole = archive_of(("a.py", b"abc" * 100), ("b.py", b"def" * 100))
    start = whole.index(b"a.py") + 4
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[whole.index(b"PK\1\2") + 8] |= 1
    return {
        "nothing": b"",
        "no archive": b"PK",
        "text": b"schema: 1\n",
        "cut": whole[: len(whole) // 2],
        "cut at the end": whole[:-1],
        "cut at the front": whole[10:],
        "bad data": whole[:start] + b"\xff" * 8 + whole[start + 8 :],
        "bad checksum": whole.replace(struct.pack("<I", zlib.crc32(b"abc" * 100)), b"\1\2\3\4"),
        "encrypted": bytes(encrypted),
        "unknown method": whole.replace(b"PK\1\2\x14\x03\x14\0\0\0\x08\0", b"PK\1\2\x14\x03\x14\0\0\0\x63\0"),
    }


@pytest.mark.parametrize("data", damaged().values(), ids=damaged())
def test_damaged_archive_is_told(data: bytes) -> None:
    with pytest.raises(InvalidPackage, match=r"^tiny(: the archive is damaged \(|/a.py: is (neither|encrypted))"):
        read_archive("tiny", data)


@settings(max_examples=300)
@given(st.data())
def test_changed_archive_is_a_package_or_an_invalid_one(data: st.DataObject) -> None:
    archive = bytearray(archive_of(("a.py", b"abc" * 20), ("b/c.py", b""), method=data.draw(st.sampled_from([0, 8]))))
    for _ in range(data.draw(st.integers(1, 5))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    with suppress(InvalidPackage):
        assert read_archive("tiny", bytes(archive)).slug == "tiny"


@given(st.binary(max_size=200))
def test_any_bytes_are_no_archive(data: bytes) -> None:
    with pytest.raises(InvalidPackage):
        read_archive("tiny", data)


@pytest.mark.parametrize("slug", ["", "../x", "A", "a/b", "a\n", "x" * 10_000 + "!"])
def test_archive_under_another_name_is_refused(slug: str) -> None:
    with pytest.raises(
        InvalidPackage, match="a package is named in lower-case words joined by '-'; rename it"
    ) as caught:
        read_archive(slug, read_folder(TINY).archive())
    assert len(caught.value.message) < 200
