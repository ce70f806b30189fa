"""Builds the archives of tests/data/archives.yaml."""

from __future__ import annotations

import stat
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.batch.folders import RIGHT, SLUG, WRONG

KINDS: Final = {"link": stat.S_IFLNK | 0o777, "fifo": stat.S_IFIFO | 0o644, "folder": stat.S_IFDIR | 0o755}
PACKS: Final = {"bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
LIST_BYTES_AT: Final = -10  # in an archive without a comment, from its end
FLAGS_AT: Final = {b"PK\x03\x04": 6, b"PK\x01\x02": 8}  # of a member's two heads


def build(path: Path, entry: dict[str, Any]) -> None:
    """Write the archive that an entry describes."""
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in entry["members"]:
            for number in range(member.get("count", 1)):
                name = member["name"].replace("P", SLUG).replace("N", str(number))
                archive.writestr(_info(name, member), _data(member))
    data = path.read_bytes()
    for old, new in entry.get("edits", ()):
        before, after = (text.replace("P", SLUG).encode() for text in (old, new))
        assert before in data
        assert len(before) == len(after)
        data = data.replace(before, after)
    if any(member.get("encrypted") for member in entry["members"]):
        data = _marked_encrypted(data)
    if "list_bytes" in entry:
        data = data[:LIST_BYTES_AT] + struct.pack("<L", entry["list_bytes"]) + data[LIST_BYTES_AT + 4 :]
    path.write_bytes(data[: len(data) - entry.get("cut", 0)])


def _info(name: str, member: dict[str, Any]) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.filename = name  # as it stands: the constructor would change a path of another system
    info.compress_type = PACKS.get(
        member.get("pack", ""), zipfile.ZIP_STORED if member.get("stored") else zipfile.ZIP_DEFLATED
    )
    info.external_attr = KINDS.get(member.get("kind", ""), stat.S_IFREG | 0o644) << 16
    return info


def _data(member: dict[str, Any]) -> bytes:
    if "zeros" in member:
        return bytes(member["zeros"])
    if "noise" in member:
        return np.random.default_rng(0).bytes(member["noise"])
    if "text" in member:
        return str(member["text"]).encode()
    if "count" in member or member.get("kind"):
        return b""
    return WRONG if member.get("source") == "wrong" else RIGHT


def _marked_encrypted(data: bytes) -> bytes:
    """Return an archive whose last member claims to be encrypted."""
    for head, at in FLAGS_AT.items():
        place = data.rindex(head) + at
        data = data[:place] + bytes([data[place] | 1]) + data[place + 1 :]
    return data
