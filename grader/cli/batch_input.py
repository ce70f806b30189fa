"""Finds what a batch is asked to judge, and tells people what of the input is none of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.batch.find import find_submissions, kind_of
from grader.batch.layout import Layout, layout
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
    """The submissions, the problems in the order of the gradebook, and the roster."""

    found: Found
    problems: tuple[str, ...]
    roster: Roster | None


def find_input(
    place: Path, root: Path, set_name: str | None, problem: str | None, id_pattern: str | None, roster: Path | None
) -> Input:
    """Return what is to be judged; say on stderr what is not, and who lacks what.

    Args:
        root: the folder of packages.

    Raises:
        UserError: the input cannot be read or holds no submission, or the options contradict each other.
    """
    problems = named_set(set_name, root).problems if set_name is not None else slugs(root)
    wanted = "a known problem" if set_name is None else f"a problem of the set {set_name}"
    named = layout(problems, wanted, problem, id_pattern)
    found = find_submissions(place, named)
    _say(found, named, kind_of(place) == "table")
    if set_name is not None:
        _say_missing(found, [problem] if problem is not None else list(problems), set_name)
    used = {submission.problem for submission in found.submissions}
    expected = [slug for slug in problems if slug in used or (set_name is not None and problem is None)]
    return Input(found, tuple(expected), _roster(roster, found))


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


def _roster(path: Path | None, found: Found) -> Roster | None:
    if path is None:
        return None
    roster = read_roster(path, found)
    for names, what in ((roster.missing, "on the roster without a submission"), (roster.extra, "not on the roster")):
        if names:
            more = f" and {len(names) - LACKING_SHOWN} more" if len(names) > LACKING_SHOWN else ""
            warn(f"{len(names)} {what}: {', '.join(names[:LACKING_SHOWN])}{more}.")
    return roster
