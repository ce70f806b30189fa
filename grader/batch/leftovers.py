"""Files of a batch's folder that belong to no result any more, which go before a batch goes on.

They are found by the names that an earlier run gave them, so nobody else's file is touched; no link is followed, and
none is removed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader.batch.disk import clear_errors, writing_name
from grader.batch.manifest import Manifest
from grader.batch.outputs import EVIDENCE, GRADESCOPE, PAGES, Places
from grader.batch.results import Key
from grader.batch.submissions import Submission


@dataclass(frozen=True)
class Wrote:
    """What earlier runs may have written to a folder for each candidate."""

    folder: Path
    names: frozenset[str]  # safe names of candidates
    problems: frozenset[str]
    formats: tuple[str, ...]
    evidence: bool

    @classmethod
    def of(cls, folder: Path, earlier: Manifest, keys: Collection[Key]) -> Wrote:
        """Return what a run with a manifest has written.

        Args:
            keys: of the results in the folder; where the manifest was lost they alone tell whose files there are.
        """
        candidates = earlier.candidates or sorted({candidate for candidate, _ in keys})
        problems = {slug for _, slug in keys} | {submission.problem for submission in earlier.submissions}
        names = frozenset(Places.of(folder, candidates).names.values())
        return cls(folder, names, frozenset(problems), earlier.settings.formats, earlier.settings.evidence)

    def remove_all_but(self, places: Places, kept: Collection[Key]) -> None:
        """Remove what belongs to none of the results that are kept.

        Args:
            places: where their files are now.

        Raises:
            Halted: it cannot be removed.
        """
        candidates = {candidate for candidate, _ in kept}
        wanted = {path for each in candidates for path in (places.page(each), places.gradescope(each))}
        wanted |= {places.evidence(Submission(*key, Path())) for key in kept}
        for path in list(self._files()):
            if path not in wanted:
                with clear_errors(path):
                    path.unlink(missing_ok=True)
                with suppress(OSError):  # others have put something there
                    path.parent.rmdir()
                    path.parent.parent.rmdir()

    def _files(self) -> Iterator[Path]:
        if "html" in self.formats:
            yield from _regular(self.folder / PAGES, {f"{name}.html" for name in self.names})
        if "gradescope" in self.formats:
            for each in _folders(self.folder / GRADESCOPE, self.names):
                yield from _regular(each, {"results.json"})
        if self.evidence:
            for each in _folders(self.folder / EVIDENCE, self.names):
                yield from _regular(each, {f"{slug}.json" for slug in self.problems})


def _folders(folder: Path, names: Collection[str]) -> Iterator[Path]:
    return (
        Path(entry.path) for entry in _entries(folder) if entry.name in names and entry.is_dir(follow_symlinks=False)
    )


def _regular(folder: Path, names: Collection[str]) -> Iterator[Path]:
    ours = {*names, *map(writing_name, names)}  # of a run that was killed while it wrote one
    return (
        Path(entry.path) for entry in _entries(folder) if entry.name in ours and entry.is_file(follow_symlinks=False)
    )


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return list(entries)
