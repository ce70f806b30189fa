"""Finds what a batch is asked to judge, and tells people what of the input is none of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.batch.find import find_submissions, kind_of
from grader.batch.layout import Layout, layout
from grader.batch.manifest import Asked, Manifest
from grader.batch.roster import Roster, read_roster
from grader.batch.submissions import Found
from grader.cli.judging import warn
from grader.problems.loader import slugs
from grader.problems.sets import named_set
from grader.wording import counted, plural

SHOWN: Final = 5  # ignored files that are named one by one
LACKING_SHOWN: Final = 20  # candidates who lack something, and places that cannot be read, the same


@dataclass(frozen=True)
class Input:
    """The submissions, the problems in the order of the gradebook, and the roster, compared with nothing yet."""

    found: Found
    problems: tuple[str, ...]
    roster: Roster | None


def find_input(place: Path, root: Path, asked: Asked, roster: Path | None, before: Collection[str] = ()) -> Input:
    """Return what is to be judged; say on stderr what is not, and who lacks what.

    Args:
        root: the folder of packages.
        before: problems that a batch that goes on has results of; they are known although their packages may be gone,
            and with them their names in the set.

    Raises:
        UserError: the input cannot be read or holds no submission, or the options contradict each other.
    """
    set_name, problem = asked.set, asked.problem
    there = slugs(root)
    of_set = named_set(set_name, root).problems if set_name is not None else []
    gone = [slug for slug in before if slug not in {*there, *of_set}]
    problems = [*of_set, *gone] if set_name is not None else sorted({*there, *gone})
    wanted = "a known problem" if set_name is None else f"a problem of the set {set_name}"
    named = layout(problems, wanted, problem, asked.id_pattern, there)
    found = find_submissions(place, named)
    _say(found, named, kind_of(place) == "table")
    if set_name is not None:
        _say_missing(found, [problem] if problem is not None else of_set, set_name)
    used = {submission.problem for submission in found.submissions} | {each.problem for each in found.unusable}
    expected = [slug for slug in problems if slug in used or (slug in of_set and problem is None)]
    return Input(found, tuple(expected), read_roster(roster) if roster is not None else None)


def _say(found: Found, named: Layout, is_table: bool) -> None:
    for name in found.ignored[:SHOWN]:
        warn(named.misfit(name, is_table))
    if len(found.ignored) > SHOWN:
        more = len(found.ignored) - SHOWN
        warn(f"{counted(more, 'more file')} {plural(more, 'is')} not judged either.")
    for sentences in (found.unreadable, found.remarks):
        for sentence in sentences[:LACKING_SHOWN]:
            warn(sentence)
        if len(sentences) > LACKING_SHOWN:
            warn(f"and {len(sentences) - LACKING_SHOWN} more of that kind.")


def _say_missing(found: Found, problems: list[str], set_name: str) -> None:
    missing = found.missing(problems)
    for candidate in list(missing)[:LACKING_SHOWN]:
        warn(f"{candidate} has no {', no '.join(f'{slug}.py' for slug in missing[candidate])} (set {set_name}).")
    if len(missing) > LACKING_SHOWN:
        warn(f"and {len(missing) - LACKING_SHOWN} more, each without some problem of the set.")


def say_roster(manifest: Manifest) -> None:
    """Say on stderr how those who have handed in differ from the roster, if there is one."""
    if (roster := manifest.roster) is None:
        return
    whys = defaultdict[str, list[str]](list)
    for each in manifest.unusable:
        whys[each.candidate].append(f"{each.problem} {each.why}".lstrip())
    kinds = (
        (roster.missing, "on the roster without a submission"),
        (roster.unusable, "on the roster with nothing that can be judged"),
        (roster.extra, "not on the roster"),
    )
    for names, what in kinds:
        if names:
            more = f" and {len(names) - LACKING_SHOWN} more" if len(names) > LACKING_SHOWN else ""
            told = [
                f"{name} ({'; '.join(whys[name])})" if names is roster.unusable else name
                for name in names[:LACKING_SHOWN]
            ]
            warn(f"{len(names)} {what}: {', '.join(told)}{more}.")
