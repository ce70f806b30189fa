"""A problem package as bytes: read from a folder or an archive, bounded, and named by its hash."""

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

from grader.errors import InvalidPackage

FILES_MAX: Final = 1024
FILE_BYTES_MAX: Final = 1 << 20
TOTAL_BYTES_MAX: Final = 16 << 20
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


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
    slug = folder.resolve().name
    if not SLUG.fullmatch(slug):
        raise InvalidPackage([f"{folder}: a package's folder is named in lower-case words joined by '-'; rename it."])
    contents: dict[str, bytes] = {}
    total = 0
    for path in _walk(folder, ""):
        contents[path] = _read(folder / path, f"{slug}/{path}")
        total += len(contents[path])
        if len(contents) > FILES_MAX or total > TOTAL_BYTES_MAX:
            raise InvalidPackage([f"{slug}: more than {FILES_MAX} files or {TOTAL_BYTES_MAX >> 20} MiB; remove some."])
    return PackageFiles(slug, contents)


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder / prefix), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidPackage([f"{folder / prefix}: cannot be read ({error.strerror})."]) from None
    for entry in entries:
        path = prefix + entry.name
        if entry.name.startswith(".") or entry.name == "__pycache__" or entry.name.endswith(".pyc"):
            continue
        if not _NAME.fullmatch(entry.name):
            raise InvalidPackage([f"{folder.name}/{path!a}: file names are letters, digits, '_', '-' and '.'; rename it."])
        if entry.is_dir(follow_symlinks=False):
            if path.count("/") > 4:
                raise InvalidPackage([f"{folder.name}/{path}: folders are nested too deeply; move it up."])
            yield from _walk(folder, path + "/")
        else:
            yield path


def _read(file: Path, name: str) -> bytes:
    """Read a regular file; nothing is followed, nothing blocks, nothing is larger than allowed."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        reason = "is a link; replace it by the file" if file.is_symlink() else f"cannot be read ({error.strerror})"
        raise InvalidPackage([f"{name}: {reason}."]) from None
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
    contents: dict[str, bytes] = {}
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                total += info.file_size
                if len(contents) >= FILES_MAX or info.file_size > FILE_BYTES_MAX or total > TOTAL_BYTES_MAX:
                    raise InvalidPackage([f"{slug}: the archive is too large."])
                if not all(_NAME.fullmatch(part) for part in info.filename.split("/")):
                    raise InvalidPackage([f"{slug}: the archive holds a path that leaves it."])
                contents[info.filename] = archive.read(info)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise InvalidPackage([f"{slug}: the archive is damaged ({error})."]) from None
    return PackageFiles(slug, contents)
