"""Which faults count as mastered, and what comes next: tables of situations and what follows from each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.services.mastery import Made, Practised, Suggestion, faults_made, suggest
from tests.services.made import NOON, after

HERE = Path(__file__).parent
SUGGESTIONS: list[dict[str, Any]] = yaml.safe_load((HERE / "suggestions.yaml").read_text())
MASTERY: list[dict[str, Any]] = yaml.safe_load((HERE / "mastery.yaml").read_text())


@pytest.mark.parametrize("situation", SUGGESTIONS, ids=lambda situation: situation["name"])
def test_what_comes_next(situation: dict[str, Any]) -> None:
    found = suggest(
        [(slug, set(planted)) for slug, planted in situation["offered"].items()],
        set(situation.get("solved", ())),
        set(situation.get("open_faults", ())),
        situation.get("unanswered", []),
    )
    expected = situation["suggests"]
    assert found == (Suggestion(*expected) if expected else None)


def practised(given: dict[str, Any]) -> Practised:
    solved_at = after(given["solved"]) if "solved" in given else None
    return Practised(
        public_id="",
        slug=given["slug"],
        title=given["slug"].upper(),
        variant="only",
        status="solved" if solved_at else "in progress",
        started_at=NOON,
        solved_at=solved_at,
        ended_at=solved_at,
        points=None,
        submissions=1,
        planted=frozenset(given.get("planted", ())),
        made={fault: Made(1, after(minute)) for fault, minute in given.get("made", {}).items()},
    )


@pytest.mark.parametrize("situation", MASTERY, ids=lambda situation: situation["name"])
def test_what_is_mastered(situation: dict[str, Any]) -> None:
    newest_first = [practised(given) for given in reversed(situation["attempts"])]
    found = [(one.fault, one.times, one.mastered_at) for one in faults_made(newest_first)]
    expected = situation["faults"].items()
    assert found == [(fault, times, after(minute) if minute else None) for fault, (times, minute) in expected]
