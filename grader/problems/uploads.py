"""Reads an uploaded archive as a package. Nothing is unpacked to the disk, and nothing of it is believed.

The package's files stand at the archive's top or in its only folder, beside which a _standard folder may lie. The
standard layer that problem.yaml names is the archive's own, otherwise the shipped one.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Final

from grader.errors import InvalidPackage
from grader.problems.files import (
    FILE_BYTES_MAX,
    FILES_MAX,
    NAME,
    SLUG,
    STANDARD,
    TOTAL_BYTES_MAX,
    PackageFiles,
    is_ignored,
    read_member,
    shipped_standard,
    standard_named,
    too_large,
)
from grader.problems.zip_members import ARCHIVE_ERRORS, MemberFault, faults_of, told

SPECIFICATION: Final = "problem.yaml"
DEPTH_MAX: Final = 7  # parts of a path: those of a package, and a folder around it
MEMBERS_MAX: Final = 2 * FILES_MAX  # folders and what is ignored count as well
_MEMBER: Final = b"PK\x01\x02"  # begins each entry of an archive's directory
_MAC: Final = "__MACOSX"  # what one system adds to every archive
_REMEDIES: Final = {
    MemberFault.LINK: "replace it by the file",
    MemberFault.SPECIAL: "replace it by a file",
    MemberFault.ENCRYPTED: "pack the folder without a password",
    MemberFault.METHOD: "pack the folder as an ordinary zip",
}


def read_upload(data: bytes, name: str, file_name: str) -> PackageFiles:
    """Return the package of an uploaded archive.

    Args:
        data: the archive.
        name: the problem's name; empty: that of the archive's only folder, otherwise of the file.
        file_name: the uploaded file's.

    Raises:
        InvalidPackage: the archive is damaged, hostile or too large, or holds no package; the finding says which.
    """
    if data.count(_MEMBER) > MEMBERS_MAX:  # before zipfile makes an object of each
        raise InvalidPackage([too_large("the archive")])
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = _read_all(archive)
    except ARCHIVE_ERRORS as error:
        raise InvalidPackage([f"The archive is damaged ({told(error)}); pack the folder again."]) from None
    _refuse_clashes(found)
    top, contents = _without_top(found)
    slug = name or top or file_name.rsplit("/", 1)[-1].removesuffix(".zip")
    if not SLUG.fullmatch(slug) or len(slug) > 100:
        raise InvalidPackage([f"{slug[:80]!a}: a problem is named in lower-case words joined by '-'; name it so."])
    return PackageFiles(slug, _with_standard(slug, contents))


def _read_all(archive: zipfile.ZipFile) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    total = 0
    for info in _files(archive):
        path = info.filename
        if path in contents:
            raise InvalidPackage([f"{path}: stands twice in the archive; pack the folder again."])
        contents[path] = read_member(archive, info)
        total += len(contents[path])
        if len(contents[path]) > FILE_BYTES_MAX:
            raise InvalidPackage([f"{path}: is larger than {FILE_BYTES_MAX >> 20} MiB; shorten it."])
        if len(contents) > FILES_MAX or total > TOTAL_BYTES_MAX:
            raise InvalidPackage([too_large("the archive")])
    return contents


def _files(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """Yield the members that are files of a package; a folder alone and what no package holds are passed over."""
    for info in archive.infolist():
        shown = f"{info.orig_filename[:80]!a}"
        parts = info.filename.removesuffix("/").split("/")
        if info.orig_filename != info.filename or {"", ".", ".."} & set(parts):
            raise InvalidPackage([f"{shown}: this path would leave the package's folder; pack the folder again."])
        if parts[0] == _MAC or any(map(is_ignored, parts)):
            continue
        for fault in faults_of(info, info.is_dir()):
            raise InvalidPackage([f"{shown}: {fault}; {_REMEDIES[fault]}."])
        if not all(map(NAME.fullmatch, parts)):
            raise InvalidPackage([f"{shown}: file names are letters, digits, '_', '-' and '.'; rename it."])
        if len(parts) > DEPTH_MAX:
            raise InvalidPackage([f"{shown}: folders are nested too deeply; move it up."])
        if not info.is_dir():
            yield info


def _refuse_clashes(contents: dict[str, bytes]) -> None:
    """Refuse paths that are the same file on some systems, and files that others take for a folder."""
    by_folded: dict[str, str] = {}
    for path in contents:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            other = by_folded.setdefault(part.lower(), part)
            if other != part:
                raise InvalidPackage([f"{path}: differs from {other} in upper and lower case alone; rename one."])
            if end < len(parts) and part in contents:
                raise InvalidPackage([f"{part}: is both a file and a folder; rename one."])


def _without_top(contents: dict[str, bytes]) -> tuple[str, dict[str, bytes]]:
    """Return the folder around the package, empty where there is none, and the files by their paths within it."""
    if SPECIFICATION in contents:
        return "", contents
    tops = sorted({path.partition("/")[0] for path in contents} - {STANDARD})
    if len(tops) != 1 or f"{tops[0]}/{SPECIFICATION}" not in contents:
        raise InvalidPackage(["problem.yaml: stands neither at the archive's top nor in its only folder; add it."])
    top = tops[0] + "/"
    own = {path.removeprefix(top): data for path, data in contents.items() if path.startswith(top)}
    beside = {path: data for path, data in contents.items() if not path.startswith(top)}
    return tops[0], beside | own


def _with_standard(slug: str, contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files with the standard layer that problem.yaml names, and with no other one."""
    name = standard_named(contents[SPECIFICATION])
    own = {path: data for path, data in contents.items() if path.partition("/")[0] != STANDARD}
    if name is None:
        return own
    beside = {path: data for path, data in contents.items() if path.startswith(f"{STANDARD}/{name}/")}
    whole = own | (beside or shipped_standard(slug, name))
    if len(whole) > FILES_MAX or sum(map(len, whole.values())) > TOTAL_BYTES_MAX:
        raise InvalidPackage([too_large(slug)])
    return whole
