"""Equal sources are judged once, and only those that are equal still."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch.find import find_submissions
from grader.batch.layout import layout
from grader.batch.run import Batch
from grader.batch.sources import distinct, hash_sources, outcomes_once
from grader.batch.submissions import Submission, Unreadable, read_submission
from tests.batch.folders import BANK, RIGHT, SLUG, WRONG, put


def test_sources_are_told_apart_by_problem_and_bytes(tmp_path: Path) -> None:
    for name, slug, source in (("a", "p", "x"), ("b", "p", "x"), ("c", "p", "y"), ("d", "q", "x")):
        put(tmp_path, name, source.encode(), slug)
    sources = hash_sources(find_submissions(tmp_path, layout(["p", "q"])).submissions)
    assert distinct(sources.sha256) == 3


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    put(tmp_path, "ann", RIGHT)
    put(tmp_path, "bob", RIGHT).unlink()
    (tmp_path / "bob" / f"{SLUG}.py").symlink_to("/etc/passwd")
    sources = hash_sources(find_submissions(tmp_path, layout([SLUG])).submissions)
    assert sources.sha256.keys() == {("ann", SLUG)}
    assert [(item.candidate, why) for item, why in sources.unreadable] == [("bob", "is a link")]


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    asked = Submission("ann", SLUG, tmp_path / f"{'x' * 300}.py")
    with pytest.raises(Unreadable, match=r"^cannot be read \(File name too long\)$"):
        read_submission(asked)


@pytest.mark.sandbox
def test_a_source_that_is_written_to_meanwhile_speaks_for_itself_alone(tmp_path: Path, cache_folder: Path) -> None:
    for name in ("ann", "bob", "eve"):
        put(tmp_path, name, RIGHT)
    submissions = find_submissions(tmp_path, layout([SLUG])).submissions
    sources = hash_sources(submissions)
    put(tmp_path, "ann", WRONG)
    outcomes = outcomes_once(Batch(BANK, cache_folder, 1), submissions, sources)
    assert {each.submission.candidate: each.result and each.result["verdict"] for each in outcomes} == {
        "ann": "WA",
        "bob": "AC",
        "eve": "AC",
    }
