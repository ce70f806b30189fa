"""Where a database cannot lie: each command says so in the same words, with exit 2, place and remedy."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import Command, as_a_user
from tests.store.conftest import upgraded_file

__all__ = ["upgraded_file"]
VERBS: Final = {
    "upgrade": ["db", "upgrade"],
    "downgrade": ["db", "downgrade", "base"],
    "current": ["db", "current"],
    "backup": ["db", "backup", "{folder}-copy"],
    "restore": ["db", "restore", "{good}"],
    "serve": ["serve", "--port", "0"],
    "list": ["user", "list"],
    "add": ["user", "add", "eve"],
    "reset": ["user", "reset", "eve"],
    "remove": ["user", "remove", "eve", "--yes"],
}
END: Final = "or set GRADER_DATA or GRADER_DATABASE_URL to another place."
FILE_END: Final = "or set GRADER_DATABASE_URL to another."
BACK: Final = "put a copy back with grader db restore FILE"
Good = Path


@dataclass(frozen=True)
class Place:
    """How a place is made of {data} in {folder}, and what is said of it; by verb, where one says something else."""

    make: Callable[[Path, Good], object]
    line: str = ""
    others: Mapping[str, str | None] = field(default_factory=dict)  # None: it is done all the same
    file_size: int | None = None


def put(data: Path, good: Path) -> Path:
    data.mkdir()
    return Path(shutil.copy(good, data / "grader.sqlite3"))


def linked(path: Path, target: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(str(target))


def made(path: Path, make: Callable[[Path], object]) -> None:
    path.parent.mkdir(exist_ok=True)
    make(path)


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:20_000])


OPENING: Final = "The database {file} cannot be used: "
DAMAGED: Final = (
    "The database sqlite:///{file} cannot be used (database disk image is malformed); " + f"{BACK}, {FILE_END}"
)
PLACES: Final = {
    "folder that cannot be made": Place(
        lambda data, good: data.parent.chmod(0o500),
        f"{OPENING}this user may not make the folder {{data}}; give it the right, {END}",
    ),
    "folder that may not be entered": Place(
        lambda data, good: put(data, good).parent.chmod(0),
        f"{OPENING}this user may not enter the folder {{data}}; give it the right, {END}",
    ),
    "folder above that may not be entered": Place(
        lambda data, good: put(data, good).parent.parent.chmod(0),
        f"{OPENING}this user may not enter the folder {{folder}}; give it the right, {END}",
    ),
    "folder that may not be written": Place(
        lambda data, good: put(data, good).parent.chmod(0o500),
        f"{OPENING}this user may not write in the folder {{data}}; give it the right, {END}",
    ),
    "folder that is a file": Place(
        lambda data, good: data.write_text("x"), f"{OPENING}{{data}} is no folder; move it away, {END}"
    ),
    "folder that is a link to nothing": Place(
        lambda data, good: data.symlink_to("/nowhere/at/all"),
        f"{OPENING}{{data}} is a link that leads nowhere; correct the link, {END}",
    ),
    "folder that is a link to itself": Place(
        lambda data, good: data.symlink_to(data),
        f"{OPENING}{{data}}: Too many levels of symbolic links; make it usable, {END}",
    ),
    "file that may not be read": Place(
        lambda data, good: put(data, good).chmod(0),
        f"{OPENING}this user may not read and write it; give it the right, {END}",
        {"backup": f"{OPENING}this user may not read it; give it the right, {END}", "restore": None},
    ),
    "file that may not be written": Place(
        lambda data, good: put(data, good).chmod(0o400),
        f"{OPENING}this user may not read and write it; give it the right, {END}",
        {"backup": None, "restore": None},
    ),
    "file that is a folder": Place(
        lambda data, good: made(data / "grader.sqlite3", Path.mkdir),
        f"{OPENING}it is no plain file; move it away, {END}",
    ),
    "file that is a FIFO": Place(
        lambda data, good: made(data / "grader.sqlite3", os.mkfifo),
        f"{OPENING}it is no plain file; move it away, {END}",
    ),
    "file that is a link to nothing": Place(
        lambda data, good: linked(data / "grader.sqlite3", "/nowhere/at/all"),
        f"{OPENING}{{file}} is a link that leads nowhere; correct the link, {END}",
    ),
    "file that is damaged": Place(
        lambda data, good: cut_off(put(data, good)),
        DAMAGED,
        {
            "backup": f"The database {{file}} could not be copied (database disk image is malformed); {BACK}.",
            "restore": None,
        },
    ),
    "file of another kind": Place(
        lambda data, good: put(data, good).write_text("no database at all, whatever its name says; " * 9),
        f"The database sqlite:///{{file}} cannot be used (file is not a database); {BACK}, {FILE_END}",
        {"backup": f"The database {{file}} could not be copied (file is not a database); {BACK}.", "restore": None},
    ),
    "disk that is full": Place(
        put,
        "The database sqlite:///{file} cannot be used (disk I/O error); see that its disk has room and works, "
        f"{FILE_END}",
        {
            "backup": "The database {file} could not be copied (disk I/O error); see that its disk has room and works.",
            "restore": "{file} cannot be written (No space left on device); choose another place.",
        },
        file_size=8_192,
    ),
    "disk that is full, without a database": Place(
        lambda data, good: data.mkdir(),
        "The database sqlite:///{file} cannot be used (disk I/O error); see that its disk has room and works, "
        f"{FILE_END}",
        {
            "current": None,
            "backup": "There is no database at {file} yet; GRADER_DATA names the folder that holds it.",
            "restore": "{file} cannot be written (No space left on device); choose another place.",
        },
        file_size=8_192,
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_place_that_cannot_be_used_is_told_by_every_command(
    place: Place, command: Command, upgraded_file: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(upgraded_file, tmp_path / "good"))
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")  # as grader db backup leaves it
    for verb, arguments in VERBS.items():
        folder = tmp_path / verb
        folder.mkdir()
        place.make(folder / "data", upgraded_file)
        words = [word.format(folder=folder, good=copy) for word in arguments]
        data = folder / "data"
        ended = command.run(*words, env={"GRADER_DATA": str(data)}, preexec=as_a_user, file_size=place.file_size)
        for each in (folder, data):
            if not each.is_symlink() and each.is_dir():
                each.chmod(0o700)  # so that it can be removed
        wanted = place.others.get(verb, place.line)
        if wanted is None:
            assert ended.code == 0, (verb, ended)
        else:
            line = wanted.format(data=data, folder=folder, file=data / "grader.sqlite3")
            assert (verb, ended.code, ended.out, ended.err) == (verb, 2, "", f"grader: {line}\n")


@pytest.mark.parametrize(
    "make", [lambda data: data.write_text("x"), lambda data: made(data / "secret-key", Path.mkdir)]
)
def test_server_whose_data_folder_cannot_be_used_does_not_start(
    command: Command, make: Callable[[Path], object]
) -> None:
    data = command.folder / "data"
    make(data)
    variables = {"GRADER_DATA": str(data), "GRADER_DATABASE_URL": f"sqlite:///{command.folder}/elsewhere"}
    ended = command.run("serve", "--port", "0", env=variables)
    assert ended.code == 2
    assert ended.line.startswith(f"grader: The data folder {data} cannot be used (")
    assert ended.line.endswith("make it usable, or set GRADER_DATA to another one.")


def test_copy_to_where_nothing_can_be_looked_up_is_refused(command: Command) -> None:
    assert command.run("db", "upgrade").code == 0
    (command.folder / "locked").mkdir(mode=0)
    ended = command.run("db", "backup", "locked/copy", preexec=as_a_user)
    (command.folder / "locked").chmod(0o700)
    line = "grader: locked/copy cannot be written (Permission denied); choose another place."
    assert (ended.code, ended.line) == (2, line)
