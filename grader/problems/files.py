"""A problem package as bytes: read from a folder or an archive, bounded, and named by its hash.

A package that builds on a standard layer holds that folder's files as well, below _standard/NAME/: its hash covers
them, and its archive stands alone.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from grader.config import shipped
from grader.errors import InvalidPackage
from grader.problems.zip_members import ARCHIVE_ERRORS, faults_of, told

STANDARD: Final = "_standard"  # the folder beside the packages that holds what several build on
FILES_MAX: Final = 1024
FILE_BYTES_MAX: Final = 1 << 20
TOTAL_BYTES_MAX: Final = 16 << 20
NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_STANDARD_KEY: Final = re.compile(rb"^standard:[ \t]*['\"]?([a-z0-9]+(?:-[a-z0-9]+)*)", re.MULTILINE)


@dataclass(frozen=True)
class PackageFiles:
    """Every file of a package by its path, '/' between the parts."""

    slug: str
    contents: Mapping[str, bytes]

    @cached_property
    def sha256(self) -> str:
        """The package's hash: over the sorted pairs of path and file hash."""
        digest = hashlib.sha256()
        for path in sorted(self.contents):
            digest.update(f"{path}\0{hashlib.sha256(self.contents[path]).hexdigest()}\n".encode())
        return digest.hexdigest()

    def text(self, path: str) -> str:
        """Return a file as text.

        Raises:
            InvalidPackage: it is missing or not UTF-8.
        """
        try:
            return self.contents[path].decode()
        except KeyError:
            raise InvalidPackage([f"{self.slug}/{path}: the file is missing; add it."]) from None
        except UnicodeDecodeError:
            raise InvalidPackage([f"{self.slug}/{path}: the file is not UTF-8; save it as UTF-8."]) from None

    def below(self, folder: str) -> list[str]:
        """Return the Python files of a folder, sorted, reference.py first."""
        paths = [path for path in self.contents if path.startswith(folder + "/") and path.endswith(".py")]
        return sorted(paths, key=lambda path: (not path.endswith("/reference.py"), path))

    def archive(self) -> bytes:
        """Return the files as a zip archive; equal packages give equal bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self.contents):
                archive.writestr(zipfile.ZipInfo(path), self.contents[path], zipfile.ZIP_DEFLATED)
        return buffer.getvalue()


def read_folder(folder: Path) -> PackageFiles:
    """Read a package's folder, without dotfiles and __pycache__.

    Raises:
        InvalidPackage: it is no folder, holds links or special files, or is too large.
    """
    slug = os.path.basename(os.path.realpath(folder))
    if not SLUG.fullmatch(slug):
        raise InvalidPackage([f"{folder}: a package's folder is named in lower-case words joined by '-'; rename it."])
    contents = _read_below(folder, slug, "")
    if STANDARD not in {path.partition("/")[0] for path in contents}:
        contents |= _read_standard(folder, slug, contents.get("problem.yaml", b""))
    if len(contents) > FILES_MAX or sum(map(len, contents.values())) > TOTAL_BYTES_MAX:
        raise InvalidPackage([too_large(slug)])
    return PackageFiles(slug, contents)


def _read_below(folder: Path, slug: str, prefix: str) -> dict[str, bytes]:
    """Read a folder's files; their paths get the prefix."""
    contents: dict[str, bytes] = {}
    total = 0
    for path in _walk(folder, ""):
        contents[prefix + path] = read_file(folder / path, f"{slug}/{prefix}{path}")
        total += len(contents[prefix + path])
        if len(contents) > FILES_MAX or total > TOTAL_BYTES_MAX:
            raise InvalidPackage([too_large(slug)])
    return contents


def _read_standard(folder: Path, slug: str, specification: bytes) -> dict[str, bytes]:
    """Read the standard layer that problem.yaml names: the one beside the package, otherwise the shipped one.

    The loader says so when there is none.
    """
    name = standard_named(specification)
    if name is None:
        return {}
    beside = Path(os.path.realpath(folder)).parent / STANDARD / name
    return _read_below(beside, slug, f"{STANDARD}/{name}/") if beside.is_dir() else shipped_standard(slug, name)


def standard_named(specification: bytes) -> str | None:
    """Return the name of the standard layer that a problem.yaml builds on."""
    named = _STANDARD_KEY.search(specification)
    return named[1].decode() if named else None


def shipped_standard(slug: str, name: str) -> dict[str, bytes]:
    """Return a shipped standard layer's files; nothing where there is none of that name."""
    folder = shipped("problems") / STANDARD / name
    return _read_below(folder, slug, f"{STANDARD}/{name}/") if folder.is_dir() else {}


def too_large(slug: str) -> str:
    """Return the finding of a package that has too much."""
    return f"{slug}: more than {FILES_MAX} files or {TOTAL_BYTES_MAX >> 20} MiB; remove some."


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder / prefix), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidPackage(
            [f"{folder / prefix}: cannot be read ({error.strerror}); name a readable folder."]
        ) from None
    for entry in entries:
        path = prefix + entry.name
        if is_ignored(entry.name):
            continue
        if not NAME.fullmatch(entry.name):
            raise InvalidPackage(
                [f"{folder.name}/{path!a}: file names are letters, digits, '_', '-' and '.'; rename it."]
            )
        if entry.is_dir(follow_symlinks=False):
            if path.count("/") > 4:
                raise InvalidPackage([f"{folder.name}/{path}: folders are nested too deeply; move it up."])
            yield from _walk(folder, path + "/")
        else:
            yield path


def is_ignored(name: str) -> bool:
    """Whether a file or folder is none of a package."""
    return name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")


def read_file(file: Path, name: str) -> bytes:
    """Read a regular file; nothing is followed, nothing blocks, nothing is larger than allowed."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if file.is_symlink():
            raise InvalidPackage([f"{name}: is a link; replace it by the file."]) from None
        raise InvalidPackage([f"{name}: cannot be read ({error.strerror}); make it a readable file."]) from None
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InvalidPackage([f"{name}: is no regular file; remove it."])
        data = stream.read(FILE_BYTES_MAX + 1)
    if len(data) > FILE_BYTES_MAX:
        raise InvalidPackage([f"{name}: is larger than {FILE_BYTES_MAX >> 20} MiB; shorten it."])
    return data


def read_archive(slug: str, data: bytes) -> PackageFiles:
    """Return the package that `PackageFiles.archive` wrote.

    Raises:
        InvalidPackage: the archive is damaged, or names or sizes are not those of a package.
    """
    if not SLUG.fullmatch(slug):
        raise InvalidPackage([f"{slug[:80]!a}: a package is named in lower-case words joined by '-'; rename it."])
    contents: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                path = info.filename
                _check_member(slug, info)
                if path in contents:
                    raise InvalidPackage([f"{slug}/{path}: stands twice in the archive; pack the folder again."])
                contents[path] = read_member(archive, info)
                total += len(contents[path])
                if len(contents) > FILES_MAX or len(contents[path]) > FILE_BYTES_MAX or total > TOTAL_BYTES_MAX:
                    raise InvalidPackage([f"{slug}/{path}: the archive is too large; leave out what is not needed."])
    except ARCHIVE_ERRORS as error:
        raise InvalidPackage([f"{slug}: the archive is damaged ({told(error)}); pack the folder again."]) from None
    return PackageFiles(slug, contents)


def _check_member(slug: str, info: zipfile.ZipInfo) -> None:
    parts = info.filename.split("/")
    if len(parts) > 6 or not all(NAME.fullmatch(part) and not is_ignored(part) for part in parts):
        name = info.filename[:80]
        raise InvalidPackage([f"{slug}: the archive's path {name!a} is none of a package; pack the folder again."])
    for fault in faults_of(info, is_folder=False):
        raise InvalidPackage([f"{slug}/{info.filename}: {fault}; pack the folder again."])


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a member, or just more than a file may have: asked for all, zipfile would unpack gigabytes at once."""
    with archive.open(info) as stream:
        return stream.read(FILE_BYTES_MAX + 1)
