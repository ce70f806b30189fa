"""Writes what people and programs read of a batch, from its lines: tables, JUnit, Gradescope's files, pages."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final

from grader.batch.disk import write_text
from grader.batch.manifest import Manifest
from grader.batch.results import LINES, Key, read_lines
from grader.batch.safe_names import safe_names
from grader.batch.submissions import Submission
from grader.report.candidate_page import candidate_page
from grader.report.cohort import Cohort, cohort_page
from grader.report.gradebook import gradebook_csv, roster_csv
from grader.report.gradescope import gradescope_json
from grader.report.junit import junit_xml
from grader.report.result import csv_row, csv_table
from grader.report.unusable import Reasons, Unjudged, unjudged_of

EVIDENCE: Final = "evidence"
PAGES: Final = "html"
GRADESCOPE: Final = "gradescope"


@dataclass(frozen=True)
class Places:
    """Where the files of each candidate are in a batch's folder."""

    folder: Path
    names: Mapping[str, str]  # safe file names

    @classmethod
    def of(cls, folder: Path, candidates: Sequence[str]) -> Places:
        """Return the places of some candidates' files; all of a batch's, so that no two are alike."""
        return cls(folder, safe_names(candidates))

    def aside(self, name: str) -> Places:
        """Return the places of the same files in a folder beside them."""
        return Places(self.folder / name, self.names)

    def evidence(self, submission: Submission) -> Path:
        """Where a submission's evidence record is."""
        return self.folder / EVIDENCE / self.names[submission.candidate] / f"{submission.problem}.json"

    def kept_evidence(self, submission: Submission, number: int) -> Path:
        """Where the evidence record is that a result had before the taking over of that number."""
        return self.folder / f"{EVIDENCE}.{number}" / self.evidence(submission).relative_to(self.folder / EVIDENCE)

    def page(self, candidate: str) -> Path:
        """Where a candidate's page is."""
        return self.folder / PAGES / f"{self.names[candidate]}.html"

    def gradescope(self, candidate: str) -> Path:
        """Where the file for Gradescope is."""
        return self.folder / GRADESCOPE / self.names[candidate] / "results.json"

    def lacks_evidence(self, value: Mapping[str, Any]) -> bool:
        """Whether a result that should have an evidence record beside it has none."""
        return (
            has_record(value) and not self.evidence(Submission(value["candidate"], value["problem"], Path())).is_file()
        )


def has_record(value: Mapping[str, Any]) -> bool:
    """Whether there is an evidence record of a result where a batch makes some."""
    return value["verdict"] not in ("AC", "JE")


def write_outputs(folder: Path, manifest: Manifest) -> list[dict[str, str]]:
    """Write every format that the manifest asks for, from results.jsonl, and the manifest itself; return the rows.

    Raises:
        Halted: something cannot be written.
    """
    lines = _Lines(folder / LINES)
    rows = lines.rows
    formats = manifest.settings.formats
    expected = manifest.roster.candidates if manifest.roster else ()
    judged = {(row["candidate"], row["problem"]) for row in rows}
    unusable = {key: why for key, why in manifest.reasons.items() if key not in judged}
    waiting = manifest.waiting(judged)
    if "csv" in formats:
        write_text(folder / "results.csv", csv_table(rows))
        write_text(folder / "gradebook.csv", gradebook_csv(rows, manifest.problems, expected, unusable, waiting))
        if manifest.roster:
            write_text(folder / "roster.csv", roster_csv(rows, manifest.problems, expected, unusable, waiting))
    if "junit" in formats:
        write_text(folder / "junit.xml", junit_xml(lines.values(), unusable, waiting), durable=False)
    if "gradescope" in formats or "html" in formats:
        _write_each(Places.of(folder, manifest.candidates), manifest, lines, unusable, waiting)
    packages = {value["problem"]: value["package_sha256"] for value in rows if value["package_sha256"]}
    verdicts = None if waiting else Counter(row["verdict"] for row in rows)
    manifest.completed(verdicts, {**manifest.packages, **packages}).write(folder)
    return rows


def _write_each(places: Places, manifest: Manifest, lines: _Lines, unusable: Reasons, waiting: Collection[Key]) -> None:
    """Write the files of each candidate, and the page that leads to them."""
    formats, unjudged = manifest.settings.formats, defaultdict[str, list[Unjudged]](list)
    for candidate, it in unjudged_of(unusable, waiting):
        unjudged[candidate].append(it)
    judged = {row["candidate"] for row in lines.rows}
    alone = ((candidate, list[dict[str, Any]]()) for candidate in sorted(unjudged) if candidate not in judged)
    for candidate, values in chain(lines.by_candidate(), alone):
        others = unjudged.get(candidate, [])
        if "gradescope" in formats:
            write_text(places.gradescope(candidate), gradescope_json(values, others), durable=False)
        if "html" in formats:
            write_text(places.page(candidate), candidate_page(candidate, values, others), durable=False)
    if "html" in formats:
        expected = manifest.roster.candidates if manifest.roster else ()
        pages = {candidate: f"{PAGES}/{name}.html" for candidate, name in places.names.items()}
        title, rows = Path(manifest.place).name, lines.rows
        cohort = Cohort(title, rows, manifest.problems, expected, pages, unusable, waiting, lines.weakened)
        write_text(places.folder / "report.html", cohort_page(cohort), durable=False)


class _Lines:
    """The results of a file in the order of their names; each is read again when it is needed, so memory is small."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[Key, tuple[int, int]] = {}
        self.rows: list[dict[str, str]] = []
        self.weakened = 0  # how many were judged by a weakened sandbox
        for line in read_lines(path):
            self._places[line.key] = (line.start, line.length)
            self.rows.append(csv_row(line.value))
            self.weakened += line.value["sandbox"]["weakened"]
        self.rows.sort(key=lambda row: (row["candidate"], row["problem"]))

    def values(self) -> Iterator[dict[str, Any]]:
        """Yield all results, sorted by candidate and problem."""
        with open(self._path, "rb") as file:
            for _, (start, length) in sorted(self._places.items()):
                file.seek(start)
                yield json.loads(file.read(length))

    def by_candidate(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yield each candidate's results."""
        for candidate, values in groupby(self.values(), key=lambda value: str(value["candidate"])):
            yield candidate, list(values)
