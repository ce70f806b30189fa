"""Reads ZIP archives that people hand in: bounded before anything is unpacked, and never unpacked to disk.

The list of members is read in full by the library, so its size is looked at first. An archive of the ZIP64 form may
claim two lists; none of the size that we take needs that form.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from grader.errors import UserError
from grader.problems import zip_members
from grader.problems.zip_members import ARCHIVE_ERRORS, told

ARCHIVE_BYTES_MAX: Final = 1 << 30
LIST_BYTES_MAX: Final = 12 << 20
MEMBERS_MAX: Final = 65_000
MEMBER_BYTES_MAX: Final = 64 << 20
UNPACKED_BYTES_MAX: Final = 1 << 30
RATIO_MAX: Final = 100  # unpacked to packed, of the whole; sources come to five or ten
_SMALL: Final = 16 << 20  # unpacked; below it the ratio says nothing
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22
_ZIP64_LOCATOR: Final = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES: Final = 20
_COMMENT_MAX: Final = 65_535


class DamagedMember(Exception):
    """A member cannot be read; the text says why."""


@dataclass(frozen=True)
class Member:
    """An entry of an archive's list."""

    info: zipfile.ZipInfo
    path: str  # with '/' between its parts; ends with one where it is a folder

    @property
    def is_folder(self) -> bool:
        """Whether it holds nothing itself."""
        return self.path.endswith("/")


def members(path: Path) -> list[Member]:
    """Return an archive's members, in the order of its list.

    Raises:
        UserError: it is no archive, is damaged, or holds more than anybody hands in.
    """
    try:
        with open(path, "rb") as file:
            _check_list(path, file)
            with zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
    except ARCHIVE_ERRORS as error:
        raise UserError(f"{path} is no readable ZIP archive ({told(error)}); pack the folder again.") from None
    _check_sizes(path, infos)
    names = [info.orig_filename if "\0" in info.orig_filename else info.filename for info in infos]
    if not any("/" in name for name in names):  # some programs of Windows put backslashes between all parts
        names = [name.replace("\\", "/") for name in names]
    return [Member(info, name) for info, name in zip(infos, names, strict=True)]


def _check_list(path: Path, file: BinaryIO) -> None:
    """Look at the sizes of archive and list as the library will find them, before it reads the list."""
    size = os.fstat(file.fileno()).st_size
    if size > ARCHIVE_BYTES_MAX:
        raise _too_large(path, f"is larger than {ARCHIVE_BYTES_MAX >> 30} GiB")
    file.seek(max(0, size - _END_BYTES - _COMMENT_MAX - _ZIP64_LOCATOR_BYTES))
    tail = file.read()
    file.seek(0)
    end = len(tail) - _END_BYTES
    if end < 0 or tail[end : end + 4] != _END or tail[-2:] != b"\0\0":
        end = tail.rfind(_END)
    if end < 0 or len(tail) < end + _END_BYTES:
        raise zipfile.BadZipFile("it has no list of members")
    if tail[max(0, end - _ZIP64_LOCATOR_BYTES) : end].startswith(_ZIP64_LOCATOR):
        raise _too_large(path, "is of the ZIP64 form, for more than any batch needs")
    (list_bytes,) = struct.unpack_from("<L", tail, end + 12)
    if list_bytes > LIST_BYTES_MAX:
        raise _too_large(path, f"has a list of members of more than {LIST_BYTES_MAX >> 20} MiB")


def _check_sizes(path: Path, infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MEMBERS_MAX:
        raise _too_large(path, f"holds more than {MEMBERS_MAX} members")
    unpacked = sum(info.file_size for info in infos)
    if unpacked > UNPACKED_BYTES_MAX:
        raise _too_large(path, f"unpacks to more than {UNPACKED_BYTES_MAX >> 30} GiB")
    packed = path.stat().st_size
    if unpacked > _SMALL and unpacked > RATIO_MAX * packed:
        raise _too_large(path, f"unpacks to more than {RATIO_MAX} times its size")


def _too_large(path: Path, what: str) -> UserError:
    return UserError(f"{path} {what}; name the unpacked folder, or several smaller archives.")


def faults_of(member: Member) -> Iterator[str]:
    """Yield what keeps a member from being judged, each as the end of a sentence."""
    name = member.path
    if name.startswith(("/", "\\")) or name[1:2] == ":":
        yield "is an absolute path"
    elif ".." in name.replace("\\", "/").split("/"):
        yield "leads out of the archive"
    elif "\\" in name:
        yield "has a backslash in its name where others have / (pack the folder again)"
    elif "\0" in name or any(part in ("", ".") for part in name.rstrip("/").split("/")):
        yield "is no plain path"
    yield from zip_members.faults_of(member.info, member.is_folder)
    if member.info.file_size > MEMBER_BYTES_MAX:
        yield f"is larger than {MEMBER_BYTES_MAX >> 20} MiB"


def read_member(path: Path, name: str, size: int) -> bytes:
    """Return a member's bytes, no more than so many; more than the list claims is never unpacked.

    Raises:
        DamagedMember: it is not what the list says, or the archive has gone.
    """
    try:
        with _opened(path).open(name) as stream:
            return stream.read(size)
    except ARCHIVE_ERRORS as error:
        raise DamagedMember(f"is damaged ({told(error)})") from None


@lru_cache(maxsize=1)
def _opened(path: Path) -> zipfile.ZipFile:
    """Return an open archive; its list is read once in a process and not for each member."""
    return zipfile.ZipFile(path)
