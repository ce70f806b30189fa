"""Writes a batch's files so that each is the old one or the new one, whenever the machine stops."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from grader.errors import JudgeError

_REMEDIES: Final = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make it writable"),
}


class Halted(JudgeError):
    """Something stops the work half-way; the message says how to mend it, each command how it goes on then."""


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one sentence."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "see to it")
        raise Halted(f"{path} cannot be written ({error.strerror}); {remedy}") from None


def write_whole(path: Path, parts: Iterable[bytes], durable: bool = True) -> None:
    """Replace a file by another content, or leave it as it is.

    Args:
        durable: have it on the disk itself; for files that cannot be made again from others.

    Raises:
        Halted: it cannot be written.
    """
    new = path.with_name(writing_name(path.name))
    with clear_errors(path):
        try:
            new.unlink(missing_ok=True)  # of a run that was killed; a link would lead elsewhere
            with open(new, "xb") as file:
                file.writelines(parts)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(new, path)
            if durable:
                sync_folder(path.parent)
        except OSError:
            new.unlink(missing_ok=True)
            raise


def writing_name(name: str) -> str:
    """Return what a file is called while it is written."""
    return f".{name}.new"


def write_text(path: Path, text: str, durable: bool = True) -> None:
    """Replace a file by a text as UTF-8; its folder is made where there is none.

    Args:
        durable: as for `write_whole`.

    Raises:
        Halted: it cannot be written.
    """
    with clear_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [text.encode()], durable)


def sync_folder(folder: Path) -> None:
    """Have a folder's names on the disk itself, so that a renamed file is found after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
