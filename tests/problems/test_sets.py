"""Problem sets: what sets.yaml may say, and each of its mistakes with file, key and remedy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.errors import InvalidPackage, UserError
from grader.problems.loader import load_named
from grader.problems.sets import load_sets, named_set, names_of_sets_with
from tests.packages import DATA, SHIPPED

BROKEN: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "broken_sets.yaml").read_text())
WHOLE: Final = """\
schema: 1
sets:
  warm-up: {title: Warm up, minutes: 20, problems: [second-steps, first-steps]}
  short: {title: Short, minutes: 5, problems: [second-steps]}
"""


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A folder of two packages, of which no more than the names is looked at."""
    root = tmp_path / "bank"
    for slug in ("first-steps", "second-steps"):
        (root / slug).mkdir(parents=True)
        (root / slug / "problem.yaml").touch()
    return root


def findings_of(bank: Path) -> list[str]:
    """Return the findings of a folder's sets, without the file's name."""
    with pytest.raises(InvalidPackage) as caught:
        load_sets(bank)
    assert all(finding.startswith("bank/sets.yaml") for finding in caught.value.findings)
    return [finding.removeprefix("bank/sets.yaml") for finding in caught.value.findings]


def test_sets_keep_the_order_of_the_file(bank: Path) -> None:
    (bank / "sets.yaml").write_text(WHOLE)
    sets = load_sets(bank)
    assert list(sets) == ["warm-up", "short"]
    assert sets["warm-up"].problems == ["second-steps", "first-steps"]
    assert (sets["warm-up"].title, sets["warm-up"].minutes) == ("Warm up", 20)
    assert names_of_sets_with("second-steps", sets) == ["warm-up", "short"]
    assert names_of_sets_with("first-steps", sets) == ["warm-up"]
    assert named_set("short", bank) == sets["short"]


def test_without_the_file_there_are_no_sets(bank: Path) -> None:
    assert dict(load_sets(bank)) == {}
    with pytest.raises(UserError) as caught:
        named_set("warm-up", bank)
    assert caught.value.message == f"There is no set 'warm-up', for {bank} has no sets.yaml; leave --set out."


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: row["id"])
def test_a_mistake_is_told_by_file_key_and_remedy(bank: Path, row: dict[str, Any]) -> None:
    (bank / "sets.yaml").write_text(row["text"])
    at = f" line {row['line']}: " if "line" in row else ": "
    assert findings_of(bank) == [f"{at}{finding}" for finding in row["findings"]]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("warmup", "did you mean warm-up?"),
        ("xyz", "grader problems names the sets there are."),
        ("", "grader problems names the sets there are."),
    ],
)
def test_an_unknown_set_suggests_the_nearest(bank: Path, name: str, advice: str) -> None:
    (bank / "sets.yaml").write_text(WHOLE)
    with pytest.raises(UserError) as caught:
        named_set(name, bank)
    assert caught.value.message == f"There is no set {name!r}; {advice}"


def test_the_first_mistake_is_the_message(bank: Path) -> None:
    (bank / "sets.yaml").write_text(WHOLE.replace("second-steps", "xyz"))
    with pytest.raises(InvalidPackage) as caught:
        load_sets(bank)
    told = "bank/sets.yaml: sets.warm-up.problems.0: there is no problem xyz; name a problem of this folder."
    assert caught.value.message == f"{told} (1 more: grader problems lists them all)"


def test_what_is_no_file_of_its_own_is_refused(bank: Path) -> None:
    path = bank / "sets.yaml"
    path.symlink_to("nowhere")
    assert findings_of(bank) == [": is a link; replace it by the file."]
    path.unlink()
    os.mkfifo(path)
    assert findings_of(bank) == [": is no regular file; remove it."]
    path.unlink()
    path.write_bytes(b"\xff")
    assert findings_of(bank) == [": the file is not UTF-8; save it as UTF-8."]


def test_shipped_sets_hold_problems_that_load() -> None:
    sets = load_sets(SHIPPED)
    assert len(sets) >= 2
    for chosen in sets.values():
        minutes = [load_named(slug, SHIPPED).spec.minutes for slug in chosen.problems]
        assert chosen.minutes == sum(minutes)
