"""Zip archives that tests need: of a package's files, or hostile ones made as a recipe says."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.services.tiny_package import write_package

METHODS: Final = {"lzma": zipfile.ZIP_LZMA, "bzip2": zipfile.ZIP_BZIP2}
CHUNK: Final = bytes(1 << 20)


def zipped(contents: Mapping[str, bytes], top: str = "") -> bytes:
    """Return files as an archive, in a folder of that name where one is given."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            archive.writestr(f"{top}/{path}" if top else path, data)
    return buffer.getvalue()


def files_of(folder: Path) -> dict[str, bytes]:
    """Return a folder's files by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def small_package(root: Path, **changes: str) -> dict[str, bytes]:
    """Return the files of the tests' smallest package."""
    return files_of(write_package(root, **changes))


def hostile(recipe: Mapping[str, Any], root: Path) -> bytes:
    """Return the archive of a recipe of tests/data/package_archives.yaml."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # zipfile notices doubled names as well
        for path, data in (small_package(root) if recipe.get("package") else {}).items():
            archive.writestr(path, data)
        for number in range(recipe.get("repeat", 1)):
            for member in recipe["members"]:
                _add(archive, member, number)
    return _with_flags(buffer.getvalue(), recipe)


def _add(archive: zipfile.ZipFile, member: Mapping[str, Any], number: int) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = member["path"].replace("{}", str(number))
    info.external_attr = int(member.get("mode", "0o100644"), 8) << 16
    info.compress_type = METHODS.get(member.get("method", ""), zipfile.ZIP_DEFLATED)
    with archive.open(info, "w", force_zip64=False) as file:
        file.write(member.get("text", "").encode())
        left = member.get("size", 0)
        while left:
            left -= file.write(CHUNK[:left])


def _with_flags(data: bytes, recipe: Mapping[str, Any]) -> bytes:
    """Set the bits of the last member's entry in the directory, which zipfile would not write."""
    flags = recipe["members"][-1].get("flags") if recipe["members"] else None
    if flags is None:
        return data
    changed = bytearray(data)
    changed[changed.rfind(b"PK\x01\x02") + 8] |= flags
    return bytes(changed)
