"""Says whose a file is and which problem it is for, by its path below the folder or archive that was named."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from grader.errors import UserError

_CANDIDATE, _PROBLEM = "candidate", "problem"
_PARTS: Final = re.compile(r"(\{candidate\}|\{problem\}|\*\*|\*)")
_MEANINGS: Final = {
    "{candidate}": f"(?P<{_CANDIDATE}>[^/]+?)",
    "{problem}": f"(?P<{_PROBLEM}>[^/]+?)",
    "**": ".*",
    "*": "[^/]*",
}
# without a pattern the file, or the folder that it is in, bears the candidate's name
_ONE_PROBLEM: Final = re.compile(rf"(?P<{_CANDIDATE}>[^/]+?)(?:\.py|/[^/]+\.py)")


@dataclass(frozen=True)
class Layout:
    """How submissions are named. `pattern` None is `<candidate>/<problem>.py`."""

    known: frozenset[str]
    wanted: str = "a known problem"  # what `known` is, in a sentence
    problem: str | None = None  # the problem of every file
    pattern: re.Pattern[str] | None = None
    others: frozenset[str] = frozenset()  # problems that there are and that are not asked for

    def key_of(self, path: str) -> tuple[str, str] | None:
        """Return candidate and problem of a path with '/' between its parts, or None for a file that is no submission.

        Candidates of `<candidate>/<problem>.py` need not be looked for: the pattern does it.
        """
        if self.pattern is None:
            candidate, _, file = path.partition("/")
            slug = file.removesuffix(".py")
            return (candidate, slug) if file.endswith(".py") and slug in self.known else None
        found = self.pattern.fullmatch(path)
        if found is None or not found[_CANDIDATE]:
            return None
        slug = self.problem if self.problem is not None else found[_PROBLEM]
        return (found[_CANDIDATE], slug) if slug in self.known else None

    def key_of_folder(self, path: str) -> tuple[str, str] | None:
        """Return the candidate whose files a folder would hold, and their problem or "" for any; None for another."""
        if self.pattern is None:
            return (path, "") if path and "/" not in path else None
        slugs = [self.problem] if self.problem is not None else sorted(self.known)
        keys = (self.key_of(f"{path}/{slug}.py") for slug in slugs)
        return next(((key[0], self.problem or "") for key in keys if key), None)

    def misnamed(self, path: str) -> tuple[str, str, str] | None:
        """Return candidate, problem and what is wrong of a file that was meant as a submission; None for another file.

        The problem is "" where the file is named after none.
        """
        candidate, _, rest = path.partition("/")
        file = rest.rpartition("/")[2]
        slug = file.partition(".")[0].lower()
        if self.pattern is not None or not rest:
            return None
        if slug in self.known and "." in file:
            return candidate, slug, f"is called {path} and should be {candidate}/{slug}.py"
        if slug not in self.others and rest == file and file.lower().endswith(".py"):
            return candidate, "", f"has {path}, which is named after no problem"
        return None

    @property
    def has_id_pattern(self) -> bool:
        """Whether somebody has said by --id-pattern whose a path is."""
        return self.pattern is not None and self.pattern is not _ONE_PROBLEM

    @property
    def expected(self) -> str:
        """What a submission is called, in a sentence."""
        if self.pattern is None:
            return "<candidate>/<problem>.py"
        return "files that fit --id-pattern" if self.has_id_pattern else "<candidate>.py"

    def misfit(self, name: str, is_row: bool) -> str:
        """Return the sentence on a file, or a table's row, that is no submission."""
        if is_row:
            return f"{name} is not of {self.wanted}; it is not judged."
        if self.pattern is None:
            return f"{name} is no {self.expected} of {self.wanted}; it is not judged."
        what = "--id-pattern" if self.has_id_pattern else self.expected
        return f"{name} does not fit {what}; it is not judged."


def layout(
    known: Collection[str],
    wanted: str = "a known problem",
    problem: str | None = None,
    id_pattern: str | None = None,
    others: Collection[str] = (),
) -> Layout:
    """Return the layout that a batch's options describe.

    Args:
        known: slugs of the problems that are judged.
        problem: the one problem that every file is for.
        id_pattern: a template such as '{candidate}_*.py', or a regular expression with (?P<candidate>...).
        others: slugs of problems that there are and that are not judged now.

    Raises:
        UserError: the options contradict each other, or the pattern cannot be used.
    """
    if problem is not None and problem not in known:
        raise UserError(f"--problem {problem!a} is not {wanted}; grader problems lists what there is.")
    if id_pattern is None:
        pattern = _ONE_PROBLEM if problem is not None else None
        return Layout(frozenset(known), wanted, problem, pattern, frozenset(others))
    pattern = _compiled(id_pattern)
    names_problem = _PROBLEM in pattern.groupindex
    if problem is None and not names_problem:
        raise UserError("--id-pattern says whose a file is; say by --problem, or {problem} in it, what it is for.")
    if problem is not None and names_problem:
        raise UserError("--problem and {problem} in --id-pattern exclude each other; leave one out.")
    return Layout(frozenset(known), wanted, problem, pattern)


def _compiled(text: str) -> re.Pattern[str]:
    is_expression = f"(?P<{_CANDIDATE}>" in text
    if not is_expression and text.count("{candidate}") != 1:
        raise UserError("--id-pattern needs {candidate} once, or (?P<candidate>...) in a regular expression.")
    if not is_expression:
        text = "".join(_MEANINGS.get(part) or re.escape(part) for part in _PARTS.split(text))
    try:
        return re.compile(text)
    except re.error as error:
        raise UserError(f"--id-pattern is no regular expression ({error}); mend it.") from None
