"""Finds a batch's submissions in a folder, a ZIP archive or a CSV table. Nothing that leaves them is followed."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from grader.batch.alike import remarks_on
from grader.batch.archive import faults_of, members
from grader.batch.layout import Layout
from grader.batch.submissions import Found, Submission, Unusable, normal_name, text_of_name
from grader.batch.table import rows_of
from grader.errors import UserError

DEPTH_MAX: Final = 16  # of folders below the one that was named
NESTED_MAX: Final = 100  # folders of a candidate's in which a misplaced submission is looked for
FILES_MAX: Final = 1_000_000
Kind = Literal["folder", "archive", "table"]
_NOT_OURS: Final = ("__pycache__", "__MACOSX")  # left by tools; nobody meant to hand them in


@dataclass
class _Seen:
    """What has been met so far."""

    layout: Layout
    meant: dict[tuple[str, str], list[Submission]] = field(default_factory=lambda: defaultdict(list))
    ignored: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    candidates: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # with how they are spelled
    unusable: list[Unusable] = field(default_factory=list)
    misnamed: dict[tuple[str, str], str] = field(default_factory=dict)  # why, by candidate and problem, "" for none

    def candidate(self, name: str) -> str:
        """Take a candidate in; return the name that is used."""
        normal = normal_name(name)
        self.candidates[normal].add(name)
        return normal

    def lost(self, where: str, why: str, candidate: str = "", problem: str = "") -> None:
        """Tell of something that somebody has handed in, and remember whose it is where that is known."""
        self.unreadable.append(f"{where} {why}; nothing in it is judged.")
        if candidate:
            self.unusable.append(Unusable(normal_name(candidate), problem, why))

    def file(self, name: str, path: Path, member: str = "") -> None:
        """Take a file in, by its path below what was named."""
        key = self.layout.key_of(name)
        if key is None:
            self.ignored.append(name)
            self.neighbour(name)
        else:
            self.submission(Submission(self.candidate(key[0]), key[1], path, member))

    def neighbour(self, name: str) -> None:
        """Remember whose a file is that is no submission and was meant to be one."""
        if misnamed := self.layout.misnamed(name):
            candidate, slug, why = misnamed
            self.misnamed.setdefault((normal_name(candidate), slug), why)

    def submission(self, submission: Submission) -> None:
        self.meant[submission.key].append(submission)

    def found(self) -> Found:
        """Return all of it; of two files for one problem of one candidate neither is taken, for nobody said which."""
        single = sorted(items[0] for items in self.meant.values() if len(items) == 1)
        for items in self.meant.values():
            if len(items) > 1:
                who, slug = items[0].key
                first, second = sorted(item.place for item in items)[:2]
                self.unreadable.append(f"{first} and {second} are both {slug} of {who}; keep one, neither is judged.")
                self.unusable.append(Unusable(who, slug, "was handed in twice"))
        known = {*self.meant, *((each.candidate, each.problem) for each in self.unusable)}
        whole = {who for who, slug in known if not slug}
        self.unusable += [
            Unusable(who, slug, why)
            for (who, slug), why in self.misnamed.items()
            if slug and (who, slug) not in known and who not in whole
        ]
        some = {who for who, _ in known} | {each.candidate for each in self.unusable}
        self.unusable += [
            Unusable(who, slug, why) for (who, slug), why in self.misnamed.items() if not slug and who not in some
        ]
        return Found(
            tuple(single),
            tuple(self.ignored),
            tuple(self.unreadable),
            tuple(self.candidates),
            remarks_on(self.candidates),
            tuple(sorted(self.unusable)),
        )


def kind_of(place: Path) -> Kind:
    """Return what sort of thing a batch is to be read from.

    Raises:
        UserError: none that we read.
    """
    wanted = "name a folder of <candidate>/<problem>.py, a ZIP of one, or a CSV table"
    try:
        mode = os.stat(place).st_mode
        if stat.S_ISDIR(mode):
            return "folder"
        if stat.S_ISREG(mode):
            if place.suffix.lower() == ".csv":
                return "table"
            with open(place, "rb") as file:
                if file.read(2) == b"PK":
                    return "archive"
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise UserError(f"{place} cannot be read ({told}); {wanted}.") from None
    raise UserError(f"{place} is neither a folder nor a ZIP archive nor a CSV table; {wanted}.")


def find_submissions(place: Path, layout: Layout) -> Found:
    """Return the submissions in a folder, an archive or a table.

    Raises:
        UserError: it cannot be read, is too large, or holds no submission.
    """
    seen = _Seen(layout)
    match kind_of(place):
        case "folder" if layout.pattern is None:
            _search_candidates(place, seen)
        case "folder":
            _search_below(place, seen)
        case "archive":
            _search_archive(place, seen)
        case "table":
            _read_table(place, seen)
    found = seen.found()
    if not found.submissions:
        known = ", ".join([layout.problem] if layout.problem is not None else sorted(layout.known))
        why = f"; {found.unreadable[0]}" if found.unreadable else f"; expected {layout.expected}, problems: {known}."
        raise UserError(f"{place} holds no submission{why}")
    return found


def _search_candidates(folder: Path, seen: _Seen) -> None:
    try:
        candidates = _entries(folder)
    except OSError as error:
        raise UserError(
            f"{folder} cannot be read ({error.strerror}); name a folder of <candidate>/<problem>.py."
        ) from None
    for candidate in candidates:
        name = text_of_name(candidate.name)
        if not os.path.isdir(candidate.path):
            seen.ignored.append(name)
            continue
        if (files := _files_of(candidate, seen, name)) is None:
            continue
        seen.candidate(name)
        for file in files:
            seen.file(f"{name}/{text_of_name(file.name)}", Path(file.path))
            for below in _nested(file):
                seen.neighbour(f"{name}/{below}")


def _nested(folder: os.DirEntry[str]) -> Iterator[str]:
    """Yield the paths of files in a folder of a candidate's; nothing in it is judged, so errors there are nobody's."""
    if not folder.is_dir(follow_symlinks=False):
        return
    for path, folders, files in islice(os.walk(folder.path), NESTED_MAX):
        folders[:] = sorted(filter(_is_meant, folders))
        above = os.path.relpath(path, os.path.dirname(folder.path))
        yield from (text_of_name(f"{above}/{name}") for name in sorted(files) if _is_meant(name))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((entry for entry in entries if _is_meant(entry.name)), key=lambda entry: entry.name)


def _is_meant(name: str) -> bool:
    return not name.startswith(".") and name not in _NOT_OURS


def _files_of(
    folder: os.DirEntry[str], seen: _Seen, candidate: str = "", problem: str = ""
) -> list[os.DirEntry[str]] | None:
    """Return what a folder holds, or None and a sentence where it is not read."""
    if folder.is_symlink():
        seen.lost(text_of_name(folder.name), "is a link", candidate, problem)
        return None
    try:
        return _entries(Path(folder.path))
    except OSError as error:
        seen.lost(text_of_name(folder.name), f"cannot be read ({error.strerror})", candidate, problem)
        return None


def _search_below(folder: Path, seen: _Seen) -> None:
    """Take in every file of a folder and of those in it, as deep as people nest them."""
    try:
        waiting = [(entry, "") for entry in reversed(_entries(folder))]
    except OSError as error:
        raise UserError(f"{folder} cannot be read ({error.strerror}); name a readable folder.") from None
    count = 0
    while waiting:
        entry, above = waiting.pop()
        name = above + text_of_name(entry.name)
        count += 1
        if count > FILES_MAX:
            raise UserError(f"{folder} holds more than {FILES_MAX} files; name a folder of submissions.")
        if not os.path.isdir(entry.path):
            seen.file(name, Path(entry.path))
        elif name.count("/") >= DEPTH_MAX:
            seen.lost(name, "is nested too deeply")
        elif (inner := _files_of(entry, seen, *(seen.layout.key_of_folder(name) or ()))) is not None:
            waiting += [(below, f"{name}/") for below in reversed(inner)]


def _search_archive(path: Path, seen: _Seen) -> None:
    sound, faulty = [], []
    for member in members(path):
        if fault := next(faults_of(member), None):
            faulty.append((member, fault))
        elif all(map(_is_meant, member.path.rstrip("/").split("/"))):
            sound.append(member)
    top = _top_of([member.path for member in sound if not member.is_folder], seen.layout)
    for member, fault in faulty:
        whose = _whose(member.path, top, fault == "is a link", seen.layout)
        seen.lost(f"{path}/{member.info.orig_filename}", fault, *(whose or ()))
    for member in sound:
        name = member.path.removeprefix(top)
        if not member.is_folder:
            seen.file(name, path, member.info.filename)
        elif name.count("/") == 1 and seen.layout.pattern is None:
            seen.candidate(name.rstrip("/"))


def _whose(path: str, top: str, is_link: bool, layout: Layout) -> tuple[str, str] | None:
    """Return candidate and problem of a member that is not judged, where its path tells them without any guess."""
    parts = path.replace("\\", "/").split("/")
    if ".." in parts:
        return None
    plain = "/".join(part for part in parts if part not in ("", ".")).removeprefix(top)
    return layout.key_of(plain) or (layout.key_of_folder(plain) if is_link else None)


def _top_of(names: list[str], layout: Layout) -> str:
    """Return the one folder that holds all files, where more are told apart below it, or all lie deeper anyway."""
    tops = {name.partition("/")[0] for name in names}
    if len(tops) != 1 or not all("/" in name for name in names):
        return ""
    top = f"{tops.pop()}/"
    above = {key for name in names if (key := layout.key_of(name))}
    below = {key for name in names if (key := layout.key_of(name.removeprefix(top)))}
    is_deep = not above and all(name.count("/") >= 2 for name in names)
    return top if len(below) > len(above) or is_deep else ""


def _read_table(path: Path, seen: _Seen) -> None:
    """Take in the rows of a table: candidate, problem and a path beside the table."""
    asked = seen.layout.problem
    if seen.layout.has_id_pattern:
        raise UserError(f"{path} says itself whose a file is; leave --id-pattern out.")
    columns, more = (("candidate", "path"), ("problem",)) if asked else (("candidate", "problem", "path"), ())
    for number, row in rows_of(path, columns, more):
        where = f"{path} line {number}"
        slug = row["problem"] or asked or ""
        if asked and slug != asked:
            raise UserError(f"{where} is for {slug} and not for {asked}; leave --problem out, or take the row out.")
        if slug not in seen.layout.known:
            seen.ignored.append(f"{where} ({slug or 'no problem'})")
            if row["candidate"] and slug not in seen.layout.others:
                why = f"for {slug}, which is no problem" if slug else "which names no problem"
                seen.misnamed.setdefault((normal_name(row["candidate"]), ""), f"stands in line {number}, {why}")
        elif not row["candidate"]:
            seen.lost(where, "names no candidate")
        elif why := _strays(path.parent, row["path"]):
            seen.lost(f"{where}: {row['path']}", why, row["candidate"], slug)
        else:
            seen.submission(Submission(seen.candidate(row["candidate"]), slug, path.parent / row["path"]))


def _strays(folder: Path, relative: str) -> str:
    """Return why a table's path is not followed; nothing where it stays below the table's folder."""
    parts = relative.split("/")
    if relative.startswith("/"):
        return "is an absolute path"
    if ".." in parts:
        return "leads out of the table's folder"
    if "\0" in relative or "" in parts:
        return "is no plain path"
    for end in range(1, len(parts)):
        if os.path.islink(folder.joinpath(*parts[:end])):
            return "leads through a link"
    return ""
