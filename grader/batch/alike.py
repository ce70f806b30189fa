"""Remarks on candidates' names that look like one another's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from grader.batch.submissions import normal_name
from grader.wording import counted


def remarks_on(candidates: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return sentences on names that may be one person's, or two people's.

    Args:
        candidates: how each is spelled, by the name that is used.
    """
    return (*_twins(candidates), *_spellings(candidates))


def _spellings(candidates: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield a remark on names that are one although they are written otherwise: they may be two people's."""
    for name, spellings in candidates.items():
        if len(spellings) > 1:
            yield f"{name} is written in {len(spellings)} ways that look the same; it is judged as 1 candidate."


def _twins(candidates: Collection[str]) -> Iterator[str]:
    """Yield a remark on names that only their case tells apart: they may be one person's."""
    by_case = defaultdict(list)
    for name in candidates:
        by_case[normal_name(name.casefold())].append(name)
    for names in by_case.values():
        if len(names) > 1:
            alike = " and ".join(sorted(names))
            yield f"{alike} differ by case alone; they are judged as {counted(len(names), 'candidate')}."
