"""Makes a new package: a copy of the template or of another package, which appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from grader.config import shipped
from grader.errors import UserError
from grader.problems.files import SLUG, STANDARD, read_folder
from grader.problems.loader import load

TEMPLATE: Final = "_template"  # beside the shipped packages; not listed, for its name is no slug
SLUG_LENGTH_MAX: Final = 80  # as in sets.yaml
COPY: Final = " (copy)"
_SPECIFICATION: Final = "problem.yaml"


def new_package(place: Path, slug: str, source: Path | None = None) -> tuple[str, ...]:
    """Write a package to a folder of its own in `place`, and return the paths of its files.

    Args:
        source: the folder of the package to copy; the template without it.

    Raises:
        UserError: the slug is none, the folder is there already, or it cannot be written.
        InvalidPackage: the source is broken.
    """
    _require_slug(slug)
    folder = place / slug
    if not os.path.isdir(place):
        raise UserError(f"There is no folder {place}; make it first, or name another one.")
    if os.path.lexists(folder):
        raise _there_already(folder)
    contents = _copy_of(source, place) if source else template_files()
    _write_whole(folder, contents)
    return tuple(sorted(contents))


def _require_slug(name: str) -> None:
    if SLUG.fullmatch(name) and len(name) <= SLUG_LENGTH_MAX:
        return
    near = "-".join(re.findall("[a-z0-9]+", name.lower()))[:SLUG_LENGTH_MAX].strip("-")
    raise UserError(
        f"{name[:100]!a} is no slug; name the package in lower-case words and digits joined by '-' "
        f"(at most {SLUG_LENGTH_MAX} characters), such as {near or 'attn-x'}."
    )


def _there_already(folder: Path) -> UserError:
    return UserError(f"{folder} is there already; choose another name, or remove it first.")


def template_files() -> dict[str, bytes]:
    """Return the shipped template's files, without what tools leave there."""
    root = shipped("problems") / TEMPLATE
    paths = {path: path.relative_to(root) for path in root.rglob("*") if path.is_file()}
    return {
        relative.as_posix(): path.read_bytes()
        for path, relative in paths.items()
        if not any(part.startswith((".", "__pycache__")) for part in relative.parts)
    }


def _copy_of(source: Path, place: Path) -> dict[str, bytes]:
    """Return a package's files for a copy in another place, its title marked."""
    files = read_folder(source)
    problem = load(files)
    contents = dict(files.contents)
    contents[_SPECIFICATION] = _with_title(files.text(_SPECIFICATION), problem.spec.title + COPY).encode()
    standard = {path: data for path, data in contents.items() if path.startswith(STANDARD + "/")}
    is_own = (source / STANDARD).is_dir()
    if standard and not is_own and _is_found_from(place, standard):
        for path in standard:
            del contents[path]
    return contents


def _is_found_from(place: Path, standard: Mapping[str, bytes]) -> bool:
    """Whether a package in this place gets these very files of its standard layer without holding them itself."""
    name = next(iter(standard)).split("/")[1]
    for root in (place, shipped("problems")):
        if (root / STANDARD / name).is_dir():
            return all(
                (root / path).is_file() and (root / path).read_bytes() == data for path, data in standard.items()
            )
    return False


def _with_title(text: str, title: str) -> str:
    """Return problem.yaml with another title; everything else stays as it was written, comments too."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)  # the package was loaded
    value = next(value for key, value in root.value if key.value == "title")
    start, end = value.start_mark.index, value.end_mark.index
    line_end = "\n" if text[start:end].endswith("\n") else ""  # of a block scalar
    return text[:start] + json.dumps(title, ensure_ascii=False) + line_end + text[end:]


def _write_whole(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write beside the folder, then rename: an interrupt, an error or a second writer leaves no half of a package."""
    beside = folder.with_name(
        f".{folder.name}-{secrets.token_hex(4)}"
    )  # named first, so that nothing escapes `finally`
    try:
        for path, data in contents.items():
            (beside / path).parent.mkdir(parents=True, exist_ok=True)
            (beside / path).write_bytes(data)
        if os.path.lexists(folder):
            raise _there_already(folder)
        beside.rename(folder)  # replaces an empty folder at most
    except OSError as error:
        raise UserError(f"{folder} cannot be written ({error.strerror}); name another folder.") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
