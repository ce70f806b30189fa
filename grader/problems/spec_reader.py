"""Reads the YAML files of packages into their values; what breaks the format is told by file, key and remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from grader.errors import InvalidPackage
from grader.problems.files import PackageFiles
from grader.problems.schema import FaultSpec, Spec
from grader.problems.yaml_reader import read_yaml

FINDINGS_MAX: Final = 100  # of one file's keys
SpecT = TypeVar("SpecT", bound=Spec)


def read_spec(files: PackageFiles, path: str, spec: type[SpecT]) -> SpecT:
    """Return a package's YAML file as a value.

    Raises:
        InvalidPackage: it breaks the format; every finding, up to a bound.
    """
    name = f"{files.slug}/{path}"
    data = read_yaml(files.text(path), name)
    if not isinstance(data, Mapping):
        raise InvalidPackage([f"{name}: is no mapping of keys to values; see problems/README.md."])
    try:
        return spec.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False)[:FINDINGS_MAX]
        raise InvalidPackage([_sentence(name, detail) for detail in details]) from None


def _sentence(name: str, detail: Any) -> str:
    """Return a finding of a validation error: file, key, what is wrong, what to do."""
    key = ".".join(key_part(part) for part in detail["loc"] if part != "[key]")
    match detail["type"]:
        case "missing":
            return f"{name}: the key {key} is missing; add it."
        case "extra_forbidden":
            return f"{name}: the key {key} is not known; remove it or correct its spelling."
        case "literal_error":
            return f"{name}: {key} must be {detail['ctx']['expected']}, not {shown(detail['input'])}; correct it."
        case "string_pattern_mismatch":
            pattern = detail["ctx"]["pattern"]
            return f"{name}: {key} is {shown(detail['input'])}, which is not of the form {pattern}; rename it."
        case "string_type" if isinstance(detail["input"], bool | int | float):
            return f"{name}: {key} is {shown(detail['input'])}, where a text is needed; {_quoted(detail['input'])}."
        case "model_type" if detail["loc"][0] == "files":
            return (
                f"{name}: {key} is {shown(detail['input'])}; what a fault does stands below its file's name, such as "
                f"wrong_answer/NAME.py: move it there, with {', '.join(FaultSpec.model_fields)}."
            )
        case "value_error":
            return f"{name}: {key}: {detail['ctx']['error']}; correct it."
    return f"{name}: {key} is {shown(detail['input'])}: {detail['msg'].lower()}; correct it."


def key_part(part: object) -> str:
    """Return a name of a package as a finding shows it: as it is where that is plain and short."""
    text = str(part)
    return text if text.isascii() and text.isprintable() and len(text) <= 60 else shown(text)


def _quoted(value: bool | int | float) -> str:
    """Say how a value that YAML took for a number or a truth value is written as a text."""
    if isinstance(value, bool):  # the word that it was is gone
        return f'put the word in quotes, as in "{"yes" if value else "no"}"'
    return f'put it in quotes: "{value}"'


def shown(value: object) -> str:
    """Return a value of a package as a finding shows it: ASCII, on one line, not long."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
