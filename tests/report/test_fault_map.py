"""Faults by candidates as an SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from grader.report.fault_map import MapRow, fault_map


def test_every_cell_has_its_number_and_says_whose_it_is() -> None:
    drawn = fault_map(
        [MapRow("softmax-over-queries", 6, 2, ((5, True), (0, False), (1, False)))],
        [(1, "Ines"), (2, "Tomasz"), (7, "<Leila> & \u202eco")],
    )
    root = ElementTree.fromstring(drawn)
    titles = [element.text for element in root.iter("title")]
    assert "Ines, softmax over queries: 5, still there in the last submission" in titles
    assert "Tomasz, softmax over queries: 0" in titles
    assert "<Leila> & \\u202eco, softmax over queries: 1" in titles
    texts = ["".join(element.itertext()) for element in root.iter("text") if element.get("class", "").startswith("v")]
    assert texts == ["5", "·", "1"]
    classes = [element.get("class") for element in root.iter("rect")]
    assert classes == ["h9", "last", "none", "h3"]


def test_a_long_name_is_cut_and_told_in_full() -> None:
    drawn = fault_map([MapRow("a-very-long-name-of-a-fault-that-does-not-fit", 1, 1, ((1, False),))], [(1, "Ines")])
    (name,) = [element for element in ElementTree.fromstring(drawn).iter("text") if element.get("class") == "name"]
    assert (name.text or "").endswith("…")
    assert name[0].text == "a very long name of a fault that does not fit"
