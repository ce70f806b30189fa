"""What is looked at in archives of others, whoever reads them: what may be raised, and what keeps a member unread."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

# what zipfile raises for bytes that are no archive, or a hostile one
ARCHIVE_ERRORS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
_ENCRYPTED: Final = 0x1  # bit of a member's flags


class MemberFault(StrEnum):
    """Why a member is not read, as the end of a sentence."""

    LINK = "is a link"
    SPECIAL = "is no regular file"
    ENCRYPTED = "is encrypted"
    METHOD = "is neither stored nor deflated"  # the other methods unpack without a bound


def faults_of(info: zipfile.ZipInfo, is_folder: bool) -> Iterator[MemberFault]:
    """Yield what keeps a member from being read, whatever its name and size are.

    Args:
        is_folder: its name ends as a folder's does.
    """
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        yield MemberFault.LINK
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > is_folder:
        yield MemberFault.SPECIAL
    if info.flag_bits & _ENCRYPTED:
        yield MemberFault.ENCRYPTED
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield MemberFault.METHOD


def told(error: Exception) -> str:
    """Return in a few words why an archive cannot be read."""
    return getattr(error, "strerror", None) or str(error)[:120] or type(error).__name__
