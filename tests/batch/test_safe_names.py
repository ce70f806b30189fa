"""File names for candidates: plain, short, and none like another whatever the candidates are called."""

from __future__ import annotations

import re
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.batch.safe_names import safe_names

NAMES: Final = st.text() | st.text("aAbB._-/\\ \0\n", max_size=6)
PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


@given(st.lists(NAMES, max_size=12))
@example(["ann", "Ann", "ANN"])
@example(["..", ".", "", "/", "a/b", "a_b", "a:b"])
@example(["x" * 300, "x" * 301])
@example(["\ud800", "é", "e\u0301"])
@example(["a b", "a_b-8b9b14da8eb6"])
def test_names_are_plain_and_differ_even_without_case(names: list[str]) -> None:
    safe = safe_names(names)
    assert safe.keys() == set(names)
    assert len({name.lower() for name in safe.values()}) == len(safe)
    for name in safe.values():
        assert PLAIN.fullmatch(name), name
        assert not name.endswith(".")


@pytest.mark.parametrize(
    ("candidate", "name"),
    [
        ("ann", "ann"),
        ("ann.b-2", "ann.b-2"),
        ("a", "a"),
        ("../x", "x-d6b96a97d147"),
        ("", "candidate-e3b0c44298fc"),
        ("ann ", "ann-c10969e77cee"),
        ("ann-8dbd5f0d7e2c", "ann-8dbd5f0d7e2c-9cdd76af695b"),
    ],
)
def test_a_name(candidate: str, name: str) -> None:
    assert safe_names([candidate])[candidate] == name


def test_a_name_does_not_depend_on_the_others() -> None:
    assert safe_names(["../x"])["../x"] == safe_names(["x", "../x", "ann"])["../x"]
