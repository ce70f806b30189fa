"""A name opens nothing; the cookie's content does, until its owner leaves."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from grader.errors import UserError
from tests.services.made import make_candidate


def test_equal_names_are_different_candidates(engine: Engine) -> None:
    assert make_candidate(engine, "Ada").public_id != make_candidate(engine, "Ada").public_id


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("  Ada   Lovelace\t", "Ada Lovelace"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("李四", "李四"),
        ("<b>", "<b>"),
        ("x" * 60, "x" * 60),
    ],
)
def test_names_are_tidied(engine: Engine, given: str, stored: str) -> None:
    assert make_candidate(engine, given).name == stored


@pytest.mark.parametrize("name", ["", " \t\n", "x" * 61, "a\x00b", "a\u202eb", "a\x1b[31m", "a\u200bb"])
def test_unusable_names_are_refused(engine: Engine, name: str) -> None:
    with pytest.raises(UserError):
        make_candidate(engine, name)
