"""What is told between two submissions: pairs of results as data, real judgements, and values that are no results."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.errors import UserError
from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.report.between import Between, between_sentences, compare_judgements
from grader.report.result import json_line, result
from grader.sandbox.pool import Lane
from tests.packages import HONEST, TINY

PAIRS: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("between.yaml").read_text())
REFUSED: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("between_refused.yaml").read_text())
SENTENCES: Final = [
    pytest.param(pair, level, id=f"{pair['id']}, level {level}") for pair in PAIRS for level in pair["levels"]
]


def stored(
    source: str,
    package: str = "1",
    verdict: str = "AC",
    score: float | None = 100.0,
    groups: dict[str, str | None] | None = None,
    first: str | None = None,
    faults: tuple[str, ...] = (),
    stages: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return a result as it is read back: with keys that nobody asks for, and a case with a name."""
    groups = groups or {}
    return {
        "schema": 1,
        "problem": "p",
        "package_sha256": package,
        "source_sha256": source,
        "verdict": verdict,
        "score": score,
        "groups": [{"name": name, "points": 1.0, "verdict": word} for name, word in groups.items()],
        "cases": [{"name": "secret_name", "verdict": verdict}],
        "finding": {
            "first_wrong_stage": first,
            "faults": list(faults),
            "stages": [{"name": name, "status": status} for name, status in (stages or {}).items()],
        },
    }


def compared(pair: dict[str, Any]) -> Between:
    return compare_judgements(stored(**pair["earlier"]), stored(**pair["later"]))


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_what_was_repaired_and_what_broke(pair: dict[str, Any]) -> None:
    between = compared(pair)
    changes = {key: getattr(between, key) for key in ("groups", "stages", "faults")}
    assert between.points == pair["points"]
    assert {key: [list(change.repaired), list(change.broken)] for key, change in changes.items()} == {
        key: pair[key] for key in changes
    }


@pytest.mark.parametrize(("pair", "level"), SENTENCES)
def test_sentences_of_a_hint_level(pair: dict[str, Any], level: int) -> None:
    assert list(between_sentences(compared(pair), level)) == pair["levels"][level]


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["id"] for pair in PAIRS])
def test_lower_levels_name_neither_stage_nor_fault_nor_case(pair: dict[str, Any]) -> None:
    stages = {name for side in ("earlier", "later") for name in pair[side].get("stages", {})}
    faults = {name for side in ("earlier", "later") for name in pair[side].get("faults", ())}
    between = compared(pair)
    texts = [" ".join(between_sentences(between, level)) for level in range(4)]
    words = set(texts[0].replace(".", " ").replace(",", " ").split())
    assert words & (stages - set(pair["earlier"]["groups"])) == set()
    assert not [fault for fault in faults if any(fault in text for text in texts[:3])]
    assert not [text for text in texts if "secret_name" in text]


@pytest.mark.parametrize("row", REFUSED, ids=[row["id"] for row in REFUSED])
@pytest.mark.parametrize("side", ["earlier", "later"])
def test_values_that_are_no_results_are_refused(row: dict[str, Any], side: str) -> None:
    right = stored("a", groups={"values": "AC"})
    wrong = _changed(right, row["key"], row["to"])
    pair = (wrong, right) if side == "earlier" else (right, wrong)
    with pytest.raises(UserError) as caught:
        compare_judgements(*pair)
    assert caught.value.message.startswith(f"The {side} result is none of this grader's {row['line']}")
    assert caught.value.message.endswith("; judge that submission again.")


def _changed(value: dict[str, Any], key: list[str], to: Any) -> Any:
    if not key:
        return to
    changed = copy.deepcopy(value)
    at = changed
    for part in key[:-1]:
        at = at[part]
    at[key[-1]] = to
    return changed


def test_results_of_different_problems_are_refused() -> None:
    other = stored("b") | {"problem": "q\x1b"}
    with pytest.raises(UserError) as caught:
        compare_judgements(stored("a"), other)
    assert caught.value.message == "These are results for p and q\\x1b; compare two submissions for the same problem."


@pytest.mark.sandbox
def test_results_of_real_judgements(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    wrong = (TINY / "submissions/wrong_answer/mask_missing.py").read_bytes()
    before, now = (json.loads(json_line(result(judge(tiny, source, lane, cache)))) for source in (wrong, HONEST))
    assert between_sentences(compare_judgements(before, now), 3) == (
        "60 points more than before.",
        "Won: groups samples, values and single-precision.",
        "Right now: stages masked scores, weights and output.",
        "It no longer behaves like mask missing.",
    )
