"""manifest.json: what a batch was made from and with which settings, so that it can be told, checked and judged again.

It holds no time and nothing of the machine but the place of the input: equal inputs give equal manifests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, get_args

from grader.batch.disk import write_text
from grader.batch.find import Kind, kind_of
from grader.batch.roster import Roster
from grader.batch.sources import Sources, distinct
from grader.batch.submissions import Found, Submission, Unusable, text_of_name
from grader.errors import UserError
from grader.grading.judge import Depth
from grader.grading.judge_run import VERSIONS

NAME: Final = "manifest.json"
SCHEMA: Final = 1
FORMATS: Final = ("csv", "jsonl", "junit", "gradescope", "html")


@dataclass(frozen=True)
class Asked:
    """What a batch was asked to do."""

    finding: Depth = "full"
    set: str | None = None
    problem: str | None = None
    id_pattern: str | None = None
    formats: tuple[str, ...] = ("csv", "jsonl")
    evidence: bool = False


@dataclass(frozen=True)
class Manifest:
    """A batch's inputs, settings and, once it is complete, counts."""

    place: str  # of the input
    kind: Kind
    sha256: str | None  # of the archive or table
    settings: Asked
    problems: tuple[str, ...]  # in the order of the gradebook's columns
    packages: Mapping[str, str]
    submissions: tuple[Submission, ...]
    sources: Mapping[tuple[str, str], str]
    ignored: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    unusable: tuple[Unusable, ...] = ()
    roster: Roster | None = None
    verdicts: Mapping[str, int] | None = None  # None until the batch is complete

    @property
    def candidates(self) -> tuple[str, ...]:
        """Everybody who handed in or should have, sorted."""
        expected = self.roster.candidates if self.roster else ()
        unusable = (each.candidate for each in self.unusable)
        return tuple(sorted({*(submission.candidate for submission in self.submissions), *unusable, *expected}))

    @property
    def reasons(self) -> dict[tuple[str, str], str]:
        """Why what was handed in cannot be judged, by candidate and problem; a problem "" is any."""
        return {(each.candidate, each.problem): each.why for each in self.unusable}

    def waiting(self, judged: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return what can be judged and has no result yet, beside what has one; only a stopped batch leaves any."""
        return frozenset(key for key in self.sources if key not in judged)

    def beside(self, roster: Roster | None) -> Manifest:
        """Return the manifest with a roster and how the batch differs from it."""
        if roster is not None:
            handed_in = {candidate for candidate, _ in self.sources}
            roster = roster.beside(handed_in, (each.candidate for each in self.unusable))
        return replace(self, roster=roster)

    def without(self, lost: Sequence[tuple[Submission, str]]) -> Manifest:
        """Return the manifest of a batch in which some files could not be read, with the reasons."""
        told = tuple(f"{item.place} {why}; it has no result." for item, why in lost)
        keys = {item.key for item, _ in lost}
        return replace(
            self,
            sources={key: sha256 for key, sha256 in self.sources.items() if key not in keys},
            unreadable=(*self.unreadable, *told),
            unusable=(*self.unusable, *(Unusable(*item.key, why) for item, why in lost)),
        ).beside(self.roster)

    def completed(self, verdicts: Mapping[str, int] | None, packages: Mapping[str, str]) -> Manifest:
        """Return the manifest of a finished batch; without counts, of one that was stopped."""
        counts = None if verdicts is None else dict(sorted(verdicts.items()))
        return replace(self, verdicts=counts, packages=dict(sorted(packages.items())))

    def write(self, folder: Path) -> None:
        """Write it.

        Raises:
            JudgeError: it cannot be written.
        """
        write_text(folder / NAME, json.dumps(self._as_object(), indent=1) + "\n")

    def _as_object(self) -> dict[str, Any]:
        listed = [
            {
                "candidate": submission.candidate,
                "problem": submission.problem,
                "path": str(submission.path),
                "member": submission.member or None,
                "source_sha256": self.sources.get(submission.key),
            }
            for submission in self.submissions
        ]
        return {
            "schema": SCHEMA,
            "versions": dict(VERSIONS),
            "input": {"path": self.place, "kind": self.kind, "sha256": self.sha256},
            "settings": asdict(self.settings),
            "problems": list(self.problems),
            "packages": dict(self.packages),
            "roster": asdict(self.roster) if self.roster else None,
            "counts": self.counts(),
            "submissions": listed,
            "ignored": list(self.ignored),
            "unreadable": list(self.unreadable),
            "unusable": [asdict(each) for each in self.unusable],
        }

    def counts(self) -> dict[str, Any]:
        """Return how many there are of what."""
        return {
            "submissions": len(self.submissions),
            "distinct_sources": distinct(self.sources),
            "results": None if self.verdicts is None else sum(self.verdicts.values()),
            "verdicts": None if self.verdicts is None else dict(self.verdicts),
        }


def manifest_of(
    place: Path,
    found: Found,
    sources: Sources,
    settings: Asked,
    problems: tuple[str, ...],
    packages: Mapping[str, str],
    roster: Roster | None,
) -> Manifest:
    """Return the manifest of a batch that begins."""
    kind = kind_of(place)
    manifest = Manifest(
        place=text_of_name(str(place.absolute())),
        kind=kind,
        sha256=None if kind == "folder" else _hash(place),
        settings=settings,
        problems=problems,
        packages=dict(sorted(packages.items())),
        submissions=tuple(replace(submission, path=submission.path.absolute()) for submission in found.submissions),
        sources=sources.sha256,
        ignored=found.ignored,
        unreadable=found.unreadable,
        unusable=found.unusable,
        roster=roster,
    )
    return manifest.without(sources.unreadable)


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a batch's folder.

    Raises:
        UserError: there is none, or it is damaged.
    """
    path = folder / NAME
    try:
        return _read(json.loads(path.read_bytes()))
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name a folder that grader batch wrote.") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError(f"{path} is damaged; write it anew with grader batch --resume.") from None


def _read(value: dict[str, Any]) -> Manifest:
    if value["schema"] != SCHEMA or value["input"]["kind"] not in get_args(Kind):
        raise ValueError
    settings, listed, roster = value["settings"], value["submissions"], value["roster"]
    submissions = [
        Submission(each["candidate"], each["problem"], Path(each["path"]), each["member"] or "") for each in listed
    ]
    return Manifest(
        place=value["input"]["path"],
        kind=value["input"]["kind"],
        sha256=value["input"]["sha256"],
        settings=Asked(**settings | {"formats": tuple(settings["formats"])}),
        problems=tuple(value["problems"]),
        packages=dict(value["packages"]),
        submissions=tuple(submissions),
        sources={
            (each["candidate"], each["problem"]): each["source_sha256"] for each in listed if each["source_sha256"]
        },
        ignored=tuple(value["ignored"]),
        unreadable=tuple(value["unreadable"]),
        unusable=tuple(Unusable(**each) for each in value.get("unusable", ())),
        roster=Roster(**{key: _tuple(each) for key, each in roster.items()}) if roster else None,
        verdicts=value["counts"]["verdicts"],
    )


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
