"""The bytes of a batch's submissions by their hash: read once before judging, and equal ones judged once."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.batch.worker import Outcome


@dataclass(frozen=True)
class Sources:
    """The hash of each submission that can be read, and why the others cannot."""

    sha256: Mapping[tuple[str, str], str]
    unreadable: tuple[tuple[Submission, str], ...]


def distinct(sources: Mapping[tuple[str, str], str]) -> int:
    """Return how many there are to judge, by candidate and problem, when equal ones are judged once."""
    return len({(slug, sha256) for (_, slug), sha256 in sources.items()})


def hash_sources(submissions: Sequence[Submission]) -> Sources:
    """Read every submission once and keep its hash alone."""
    hashes = {}
    unreadable = []
    for submission in submissions:
        try:
            hashes[submission.key] = hashlib.sha256(read_submission(submission)).hexdigest()
        except Unreadable as error:
            unreadable.append((submission, str(error)))
    return Sources(hashes, tuple(unreadable))


class Judges(Protocol):
    """Whatever judges submissions: processes of this machine, or workers."""

    def stop(self) -> None:
        """Start no further submission; may be called by a signal's handler."""

    def outcomes(self, submissions: Sequence[Submission]) -> Iterator[Outcome]:
        """Yield each submission's outcome once, in the order in which they are ready."""


def outcomes_once(batch: Judges, todo: Sequence[Submission], sources: Sources) -> Generator[Outcome, None, None]:
    """Yield each submission's outcome; of those of one problem with the same bytes only the first is judged.

    A source that is not what was hashed any more, because somebody writes to it meanwhile, speaks for itself alone.
    """
    same: dict[tuple[str, str], list[Submission]] = {}
    for submission in todo:
        same.setdefault((submission.problem, sources.sha256[submission.key]), []).append(submission)
    alone: list[Submission] = []
    for outcome in batch.outcomes([group[0] for group in same.values()]):
        yield outcome
        slug, sha256 = outcome.submission.problem, sources.sha256[outcome.submission.key]
        others = same[slug, sha256][1:]
        if _is_of(outcome.result, sha256):
            yield from (outcome.copied_to(submission) for submission in others)
        else:
            alone += others
    yield from batch.outcomes(alone)


def _is_of(result: Mapping[str, Any] | None, sha256: str) -> bool:
    return result is not None and result["source_sha256"] == sha256
