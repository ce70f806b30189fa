"""Problems by slug from the folder of packages, and by hash from wherever an attempt's package still is."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy.orm import Session

from grader.errors import InvalidPackage, NotFound
from grader.problems.files import PackageFiles, read_archive, read_folder
from grader.problems.loader import Problem, load, load_all, slugs
from grader.problems.sets import SETS, SetSpec, load_sets
from grader.store import queries
from grader.store.models import Package

FRESH_S: Final = 5.0  # a change in the folder is seen after so long
LOADED_MAX: Final = 32
log = logging.getLogger(__name__)


class Packages:
    """The packages of one folder and of the database; used by many threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._loaded: OrderedDict[str, Problem] = OrderedDict()  # by hash, least recently used first
        self._offered: dict[str, Problem] = {}
        self._sets: Mapping[str, SetSpec] = {}
        self._read_at: float | None = None
        self._broken: dict[str, str] = {}  # slug: what was logged of it

    def offered(self) -> list[Problem]:
        """Return the problems of the folder, easiest first; a broken package is logged and left out."""
        with self._lock:
            self._refresh()
            return sorted(self._offered.values(), key=lambda problem: (problem.spec.level, problem.spec.title))

    def sets(self) -> Mapping[str, SetSpec]:
        """Return the problem sets of the folder by name, in its order; a broken sets.yaml is logged and offers none."""
        with self._lock:
            self._refresh()
            return self._sets

    def _refresh(self) -> None:
        if self._read_at is not None and time.monotonic() - self._read_at <= FRESH_S:
            return
        self._offered = {slug: problem for slug in slugs(self._root) if (problem := self._read(slug))}
        try:
            self._sets = load_sets(self._root)
        except InvalidPackage as error:
            if self._broken.get(SETS) != error.message:
                log.error("the problem sets are broken and not offered: %s", error.message)
            self._broken[SETS] = error.message
            self._sets = {}
        else:
            self._broken.pop(SETS, None)
        self._read_at = time.monotonic()

    def named(self, slug: str) -> Problem:
        """Return the problem that the folder has under a slug.

        Raises:
            NotFound: there is none.
        """
        for problem in self.offered():
            if problem.slug == slug:
                return problem
        raise NotFound("There is no such problem; the problem list shows all there are.")

    def pinned(self, session: Session, package: Package) -> Problem:
        """Return the problem that an attempt pins: the folder's when the hash agrees, otherwise the kept archive.

        Raises:
            InvalidPackage: the archive is damaged or of a format that this release does not read.
        """
        with self._lock:
            if problem := self._loaded.get(package.sha256):
                self._loaded.move_to_end(package.sha256)
                return problem
            offered = self._offered.get(package.slug)
        if offered is None or offered.sha256 != package.sha256:
            offered = load(_unpack(session, package))
        self._keep(offered)
        return offered

    def remember(self, session: Session, problem: Problem, now: datetime) -> Package:
        """Return a problem's row, with its archive, made where it is missing."""
        if package := queries.package_of(session, problem.sha256):
            return package
        return queries.add_package(
            session,
            Package(
                sha256=problem.sha256,
                slug=problem.slug,
                title=problem.spec.title,
                archive=problem.files.archive(),
                created_at=now,
            ),
        )

    def _keep(self, problem: Problem) -> None:
        with self._lock:
            self._loaded[problem.sha256] = problem
            while len(self._loaded) > LOADED_MAX:
                self._loaded.popitem(last=False)

    def _read(self, slug: str) -> Problem | None:
        """Return a folder's problem, the same object while its files are the same; None when it is broken."""
        try:
            files = read_folder(self._root / slug)
            known = self._offered.get(slug)
            problem = known if known and known.sha256 == files.sha256 else load_all(files)
        except InvalidPackage as error:
            if self._broken.get(slug) != error.message:
                log.error("the package %s is broken and not offered: %s", slug, error.message)
            self._broken[slug] = error.message
            return None
        self._broken.pop(slug, None)
        return problem


def _unpack(session: Session, package: Package) -> PackageFiles:
    archive = queries.archive_of(session, package.sha256)
    if archive is None:
        raise InvalidPackage([f"{package.slug}: its archive is gone from the database."])
    files = read_archive(package.slug, archive)
    if files.sha256 != package.sha256:
        raise InvalidPackage([f"{package.slug}: its archive in the database is damaged."])
    return files
