"""Heat maps as XML: each cell has its title, hidden keys are hatched, leaks framed, sums told; and the stage strip."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from typing import Final

import numpy as np
import pytest

from grader.report.heat_map import CELLS_MAX, Board, facts_text, heat_map, legend, number_text
from grader.report.stage_strip import stage_line, stage_strip
from tests.report.judgements import FOUND

WEIGHTS: Final = np.array([[0.75, 0.25, 0.0], [0.5, 0.5, 0.0], [0.125, 0.25, 0.125]])
FUTURE: Final = np.triu(np.ones((3, 3), bool), 1)


def drawn(board: Board) -> ET.Element:
    """Return a drawing as XML."""
    return ET.fromstring(str(heat_map(board)))


def classes(picture: ET.Element) -> Counter[str]:
    """Return how often each class stands."""
    return Counter(name for each in picture.iter() for name in each.get("class", "").split())


def titles(picture: ET.Element) -> list[str]:
    """Return the cells' titles."""
    return [each.findtext("title", "") for each in picture.findall("g[@role='img']")]


def test_a_board_with_a_leak() -> None:
    picture = drawn(Board("a", "Head <1>", WEIGHTS, FUTURE, worst=(2, 0)))
    assert picture.findtext("title") == "Head <1>"
    assert picture.findtext("desc") == (
        "2 of 3 rows sum to 1, 1 of 3 columns sums to 1, 1 of 3 hidden cells with weight"
    )
    assert titles(picture)[:3] == [
        "query 1, key 1: 0.7500",
        "query 1, key 2: 0.2500, hidden key, must be zero",
        "query 1, key 3: 0.0000, hidden key, exactly zero",
    ]
    assert titles(picture)[6] == "query 3, key 1: 0.1250, furthest off"
    found = classes(picture)
    assert (found["leak"], found["forb"], found["worst"], found["offs"]) == (1, 2, 1, 1)
    assert (found["h7"], found["h5"], found["h1"], found["h2"]) == (1, 2, 2, 1)
    texts = [each.text for each in picture.iter("text")]
    assert texts[-6:] == ["1.000", "1.000", "0.500 ≠1", "1.38", "1.00", "0.12"]


def test_nothing_depends_on_style_attributes() -> None:
    for picture in (heat_map(Board("a", "A", WEIGHTS, FUTURE)), legend("b"), stage_strip(FOUND.stages)):
        assert "style=" not in picture


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (13, 13), (40, 40), (41, 3), (64, 200), (2, 0)])
def test_large_boards_are_cut(rows: int, columns: int) -> None:
    board = Board("a", "A", np.full((rows, columns), 1 / max(columns, 1)))
    picture = drawn(board)
    shown = min(rows, CELLS_MAX) * min(columns, CELLS_MAX)
    assert len(titles(picture)) == shown
    assert board.is_cut == (max(rows, columns) > 40)
    assert classes(picture)["offs"] == (rows if columns == 0 else 0)


def test_numbers_that_are_none() -> None:
    weights = np.array([[np.nan, np.inf], [-np.inf, -1e300]])
    picture = drawn(Board("a", "A", weights))
    assert titles(picture) == [
        "query 1, key 1: NaN",
        "query 1, key 2: ∞",
        "query 2, key 1: −∞",
        "query 2, key 2: −1e+300",
    ]
    assert classes(picture)["offs"] == 2
    assert "3 numbers not finite" in facts_text(weights, None)


@pytest.mark.parametrize(
    ("value", "text"), [(-0.0, "0.00"), (-0.004, "0.00"), (-0.25, "−0.25"), (1.0, "1.00"), (12345.6, "1e+04")]
)
def test_numbers_are_printed_as_on_paper(value: float, text: str) -> None:
    assert number_text(value, 2) == text


def test_the_strip_has_every_stage_as_shape_and_word() -> None:
    strip = ET.fromstring(str(stage_strip(FOUND.stages)))
    items = [("".join(each.itertext()), each.get("class")) for each in strip.iter("li")]
    assert items[0] == ("Qqueriesok", "stage ok")
    assert items[2] == ("Vvaluesnot seen", "stage none")
    assert items[5] == ("Aweightswrong here", "stage bad")
    assert items[7] == ("Youtputinherited", "stage inh")


def test_the_line_groups_neighbours_of_one_state() -> None:
    assert stage_line(FOUND.stages).plain == (
        "✓ ok Q K   – not seen V   ✓ ok S S+M   ✗ wrong here weights   ↳ inherited H Y"
    )
    assert stage_line([("mask_\x1b", "ok"), ("other", "wrong")]).plain == "✓ ok mask \\x1b   ✗ wrong here other"
