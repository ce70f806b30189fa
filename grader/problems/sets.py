"""Problem sets: which problems of a folder belong together, in which order, and how long they take (sets.yaml)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from pydantic import Field

from grader.errors import InvalidPackage, UserError
from grader.problems.files import PackageFiles, read_file
from grader.problems.loader import slugs
from grader.problems.schema import Kebab, Line, Spec
from grader.problems.spec_reader import read_spec
from grader.wording import nearest

SETS: Final = "sets.yaml"


class SetSpec(Spec):
    """One set; its minutes are for all of its problems together."""

    title: Line
    minutes: int = Field(ge=1, le=1440)
    problems: list[Kebab] = Field(min_length=1, max_length=64)


class SetsSpec(Spec):
    """sets.yaml."""

    schema_: Literal[1] = Field(alias="schema")
    sets: dict[Kebab, SetSpec] = Field(min_length=1, max_length=100)


class InvalidSets(InvalidPackage):
    """sets.yaml breaks its format, or names what is not there; no package suffers from it."""

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__(findings[:1])
        self.findings = tuple(findings)
        if len(findings) > 1:
            self.message += f" ({len(findings) - 1} more: grader problems lists them all)"


def load_sets(root: Path) -> Mapping[str, SetSpec]:
    """Return the sets of a folder of packages by name, in the file's order; without the file there are none.

    Raises:
        InvalidSets: the file breaks its format, a set names a problem that is not there, or one problem twice.
    """
    path = root / SETS
    if not os.path.lexists(path):
        return MappingProxyType({})
    folder = root.resolve().name
    try:
        files = PackageFiles(folder, {SETS: read_file(path, f"{folder}/{SETS}")})
        sets = read_spec(files, SETS, SetsSpec).sets
    except InvalidPackage as error:
        raise InvalidSets(error.findings) from None
    known = slugs(root)
    findings = [f"{folder}/{SETS}: sets.{name}.{text}" for name in sets for text in _findings(sets[name], known)]
    if findings:
        raise InvalidSets(findings)
    return MappingProxyType(sets)


def _findings(chosen: SetSpec, known: Sequence[str]) -> list[str]:
    findings = []
    for number, slug in enumerate(chosen.problems):
        if slug in chosen.problems[:number]:
            findings.append(f"problems.{number}: {slug} stands twice; keep one.")
        elif slug not in known:
            advice = nearest(slug, known, "name a problem of this folder.")
            findings.append(f"problems.{number}: there is no problem {slug}; {advice}")
    return findings


def named_set(name: str, root: Path) -> SetSpec:
    """Return the set that a command names.

    Raises:
        UserError: there is none; the sentence suggests the nearest.
        InvalidSets: sets.yaml is broken.
    """
    sets = load_sets(root)
    if name in sets:
        return sets[name]
    if not sets:
        raise UserError(f"There is no set {name!a}, for {root} has no {SETS}; leave --set out.")
    advice = nearest(name, sets, "grader problems names the sets there are.")
    raise UserError(f"There is no set {name!a}; {advice}")


def names_of_sets_with(slug: str, sets: Mapping[str, SetSpec]) -> list[str]:
    """Return the names of the sets that hold a problem."""
    return [name for name, chosen in sets.items() if slug in chosen.problems]
