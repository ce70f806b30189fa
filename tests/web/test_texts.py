"""Markdown, formulas and code become HTML that carries nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.web import texts
from tests.web.markup import PAYLOADS, active

PROBLEMS = sorted((Path(__file__).parents[2] / "problems").glob("*/statement.md"))


def test_statements_are_found() -> None:
    assert PROBLEMS


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.parent.name)
def test_shipped_statements_need_no_inline_style_and_every_formula_is_understood(path: Path) -> None:
    page = texts.markdown(path.read_text())
    assert active(page) == []
    assert "<math" in page
    assert "$" not in page
    assert "\\frac" not in page


@pytest.mark.parametrize(
    "payload", [*PAYLOADS, "[x](javascript:alert(1))", "![x](http://evil/x.png)", "$\\text{<b>}$", "$<img$"]
)
@pytest.mark.parametrize("render", [texts.markdown, texts.plain, texts.inline, texts.code, texts.numbered])
def test_nothing_comes_through_as_markup(render: object, payload: str) -> None:
    assert callable(render)
    page = str(render(payload))
    assert active(page) == []
    assert "<img" not in page
    assert "<b>" not in page


def test_a_formula_that_cannot_be_read_is_shown_as_written() -> None:
    assert "<code>\\frac{</code>" in texts.markdown("so $\\frac{$ it is")


def test_products_are_no_emphasis_in_short_texts() -> None:
    assert "<em>" not in texts.plain("H*e wide and H*d wide")
    assert "<em>" in texts.markdown("*first*")
    assert texts.inline("`w_o` and $d$").startswith("<code>w_o</code>")


def test_links_are_marked_and_right_columns_need_no_style() -> None:
    assert 'rel="nofollow noopener noreferrer"' in texts.markdown("[x](https://example.org/)")
    table = texts.markdown("|a|b|\n|---|--:|\n|1|2|")
    assert '<td class="n">2</td>' in table
    assert "style" not in table


def test_code_shows_what_does_not_show() -> None:
    assert "\\u202e" in texts.code("x = '\u202e'")
    assert "\\x1b" in texts.markdown("```\n\x1b[31m\n```")


def test_numbered_source_has_one_element_per_line() -> None:
    page = texts.numbered('"""two\nlines"""\nx = 1\n')
    assert page.count('<span class="line">') == 3
    assert texts.numbered("").count('<span class="line">') == 1


@pytest.mark.parametrize(("value", "shown"), [(None, "–"), (0.0, "0"), (40.0, "40"), (12.5, "12.5"), (-3.0, "−3")])
def test_numbers(value: float | None, shown: str) -> None:
    assert texts.number(value) == shown


def test_times_are_utc_without_a_script() -> None:
    page = texts.moment(datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
    assert page == '<time datetime="2026-03-01T12:30:00Z">01 Mar 2026 12:30 UTC</time>'


def test_exact_times_have_seconds_and_stand_in_utc_whatever_their_zone() -> None:
    page = texts.moment(datetime(2026, 3, 1, 0, 30, 5, tzinfo=timezone(timedelta(hours=2))), exact=True)
    assert page == '<time datetime="2026-02-28T22:30:05Z" data-exact>28 Feb 2026 22:30:05 UTC</time>'
