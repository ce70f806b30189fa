"""A part of a page that is asked for again and again keeps the focus of who is in it: what takes it has an id."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

import pytest
from flask import Flask

from tests.web.browsing import Browser
from tests.web.test_packages import Scene, lead, packages, scene
from tests.web.test_routes import page_routes
from tests.web.world import MOMENTS, PEOPLE, make_world

__all__ = ["lead", "packages", "scene"]
TAKES_FOCUS: Final = frozenset({"button", "select", "summary", "textarea"})
VOID: Final = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "use", "rect", "path", "wbr"})


class _Parts(HTMLParser):
    """Collects what takes the focus within parts that are swapped again and again, and has no id."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0  # within such a part
        self.parts = 0
        self.nameless: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_focusable = tag in TAKES_FOCUS or "tabindex" in given or (tag == "a" and "href" in given)
        is_focusable |= tag == "input" and given.get("type") != "hidden"
        if self.depth and is_focusable and "id" not in given:
            self.nameless.append(self.get_starttag_text() or tag)
        starts = "every" in (given.get("hx-trigger") or "")
        self.parts += starts
        if tag not in VOID and (self.depth or starts):
            self.depth += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of SVG, which holds nothing."""

    def handle_endtag(self, tag: str) -> None:
        if self.depth and tag not in VOID:
            self.depth -= 1


def parts_of(page: str) -> tuple[int, list[str]]:
    found = _Parts()
    found.feed(page)
    return found.parts, found.nameless


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_takes_the_focus_in_a_part_that_is_swapped_has_an_id(app: Flask, moment: str) -> None:
    world, parts = make_world(app, moment), 0
    for who in PEOPLE:
        for rule in [rule for method, rule in page_routes(app) if method == "GET"]:
            number, nameless = parts_of(world.ask(who, "GET", rule).get_data(as_text=True))
            parts += number
            assert nameless == [], (who, rule)
    assert parts


def test_what_takes_the_focus_while_results_are_applied_has_an_id(lead: Browser, scene: Scene) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    assert parts_of(lead.text(page)) == (1, [])
    scene.judged()
    lead.post(f"{page}/apply")
    applying = lead.text(page)
    assert 'aria-label="Results that change"' in applying
    assert parts_of(applying) == (1, [])
