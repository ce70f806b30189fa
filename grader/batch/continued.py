"""A batch that goes on: asked what it was asked before, it goes on writing what it wrote, so nothing is stale."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.batch.manifest import FORMATS, Asked, Manifest, read_manifest
from grader.batch.outputs import EVIDENCE, GRADESCOPE
from grader.batch.results import LINES
from grader.errors import UserError

_TOLD_BY: Final = {"csv": "results.csv", "junit": "junit.xml", "gradescope": GRADESCOPE, "html": "report.html"}


def earlier_run(manifest: Manifest, out: Path) -> Manifest:
    """Return the manifest that a folder has from before, or as much of it as its files tell where that was lost."""
    try:
        return read_manifest(out)
    except UserError:
        has_results = (out / LINES).is_file()
        made = {name for name, path in _TOLD_BY.items() if has_results and (out / path).exists()}
        formats = (*manifest.settings.formats, *sorted(made))
        settings = replace(manifest.settings, formats=formats, evidence=has_results and (out / EVIDENCE).is_dir())
        return replace(manifest, settings=settings, submissions=(), unusable=(), roster=None)


def problems_of(out: Path) -> tuple[str, ...]:
    """Return the problems of the batch that a folder has from before; none where its manifest was lost."""
    try:
        return read_manifest(out).problems
    except UserError:
        return ()


def continued(manifest: Manifest, earlier: Manifest, out: Path, formats: tuple[str, ...] | None) -> Manifest:
    """Return the manifest of a batch that goes on in a folder.

    Args:
        earlier: the one from before.
        formats: those that were asked for by name now.

    Raises:
        UserError: the folder holds results that were asked for otherwise, which would be lost.
    """
    settings, before = manifest.settings, earlier.settings
    path = out / LINES
    if path.is_file() and path.stat().st_size:
        _require_same(manifest, earlier, out)
    known = {*before.formats, *(formats or ())}
    both = tuple(name for name in FORMATS if name in known)
    settings = replace(settings, formats=both, evidence=settings.evidence or before.evidence)
    return replace(manifest, settings=settings).beside(manifest.roster or earlier.roster)


def _require_same(manifest: Manifest, earlier: Manifest, out: Path) -> None:
    if os.path.realpath(manifest.place) != os.path.realpath(earlier.place):
        raise UserError(f"{out} holds the results of {earlier.place}; name that again, or another folder for --out.")
    options: dict[str, tuple[str | None, str | None]] = {
        f"--{option}": (_asked(manifest.settings, option), _asked(earlier.settings, option))
        for option in ("set", "problem", "id-pattern", "finding")
    }
    for option, (now, before) in options.items():
        if now != before and before is None:
            raise UserError(f"{out} was judged without {option}; leave it out, or name another folder.")
        if now != before:
            raise UserError(f"{out} was judged with {option} {before}; say so again, or name another folder.")


def _asked(settings: Asked, option: str) -> str | None:
    value: str | None = getattr(settings, option.replace("-", "_"))
    return value
