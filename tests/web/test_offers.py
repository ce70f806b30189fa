"""What a page offers may be done: no link and no form of it leads its reader to a refusal of rights or to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin, urlsplit

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from grader.services import interviews, reviews
from grader.store.session import write_session
from grader.web.service import now
from tests.services.reviewing import draft
from tests.web.browsing import PASSWORD
from tests.web.world import FIELDS, PEOPLE, World, make_world, named

STARTS: Final = ("/", "/interviews", "/reviews", "/packages", "/admin", "/me", "/taking")
REFUSED: Final = (401, 403, 404, 405, 500)
_ID: Final = re.compile("[a-z2-7]{12}")
READERS: Final = {"lead", "reviewer", "admin"}


@dataclass(frozen=True)
class Offer:
    """A link or a form of a page."""

    path: str
    is_post: bool = False
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def kind(self) -> tuple[str, bool, tuple[str, ...]]:
        """What is asked once for everybody: the same form stands on many pages, with other words in it."""
        path = _ID.sub("", self.path) if self.path.startswith("/admin/") else self.path  # one user stands for all
        return path, self.is_post, tuple(sorted({name for name, _ in self.fields}))


@dataclass
class _Form:
    action: str
    is_post: bool
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[dict[str, str | None]] = field(default_factory=list)

    def offers(self) -> list[Offer]:
        """Return the form as each of its buttons sends it."""
        found = []
        for button in self.buttons or [{}]:
            named = [(button["name"] or "", button.get("value") or "")] if "name" in button else []
            path = button.get("formaction") or self.action
            found.append(Offer(path, self.is_post, (*self.fields, *named)))
        return found


class _Offers(HTMLParser):
    """Collects what a page offers."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[Offer] = []
        self.forms: list[_Form] = []
        self.is_in_form = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        link = given.get("hx-get") or (given.get("href") if tag == "a" else None)
        if link and not link.startswith("#"):
            self.links.append(Offer(link))
        if tag == "form":
            self.forms.append(_Form(given.get("action") or "", given.get("method") == "post"))
            self.is_in_form = True
        elif self.is_in_form:
            self._field(tag, given)

    def _field(self, tag: str, given: dict[str, str | None]) -> None:
        name, kind = given.get("name"), given.get("type")
        if tag == "button" and kind != "button":
            self.forms[-1].buttons.append(given)
        elif tag in ("input", "textarea", "select") and name and kind != "file":
            value = PASSWORD if kind == "password" else given.get("value") or FIELDS.get(name, "")
            self.forms[-1].fields.append((name, value))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_in_form = False


def offers_of(page: str, path: str) -> list[Offer]:
    """Return what a page at an address offers within the service."""
    parser = _Offers()
    parser.feed(page)
    found = []
    for offer in (*parser.links, *(offer for form in parser.forms for offer in form.offers())):
        to = urlsplit(urljoin(f"http://localhost{path}", offer.path))
        if to.netloc == "localhost":
            found.append(Offer(f"{to.path}?{to.query}".rstrip("?"), offer.is_post, offer.fields))
    return found


def ask(world: World, who: str, offer: Offer) -> TestResponse:
    """Take an offer as one of the people, and take back what it changed."""
    client = world.app.test_client()
    client.set_cookie("grader", world.cookies[who])
    if offer.is_post:
        data: dict[str, list[str]] = {}
        for name, value in offer.fields:
            data.setdefault(name, []).append(value)
        reply = client.post(offer.path, data=data)
    else:
        reply = client.get(offer.path, query_string=dict(offer.fields) or None)
    reply.get_data()
    reply.close()
    if offer.is_post or world.actions_since_kept():
        world.go_back()
    return reply


def walk(world: World, who: str) -> tuple[dict[str, int], set[str]]:
    """Take everything that is offered from the first pages on; return what was refused, and where the walk came."""
    waiting = [Offer(path) for path in STARTS if ask(world, who, Offer(path)).status_code == 200]
    seen, refused, walked = {offer.kind for offer in waiting}, {}, set()
    while waiting:
        offer = waiting.pop()
        reply = ask(world, who, offer)
        walked.add(offer.path.partition("?")[0])
        if reply.status_code in REFUSED:
            refused[f"{'POST' if offer.is_post else 'GET'} {offer.path}"] = reply.status_code
        elif (
            reply.mimetype == "text/html" and not reply.location
        ):  # the page of a form that was not taken offers as well
            for found in offers_of(reply.get_data(as_text=True), offer.path):
                if found.kind not in seen:
                    seen.add(found.kind)
                    waiting.append(found)
    return refused, walked


def claim(world: World) -> None:
    """Let the reviewer claim the attempt, which nobody else releases but the lead."""
    with write_session(world.engine) as session:
        reviews.claim(session, named(world.engine, "reviewer"), world.ids["/reviews"], now())


def archive(world: World) -> None:
    """Put the interview away."""
    with write_session(world.engine) as session:
        interviews.archive(session, named(world.engine, "lead"), world.ids["/interviews"], now(), is_archived=True)


def finish(world: World) -> None:
    """Let the reviewer finish a review."""
    packages = world.app.extensions["grader"].packages
    with write_session(world.engine) as session:
        reviews.finish(session, named(world.engine, "reviewer"), world.ids["/reviews"], draft(), 0, packages, now())


WORLDS: Final = [
    pytest.param("ready", None, marks=pytest.mark.long),
    pytest.param("running", None, marks=pytest.mark.long),
    pytest.param("over", None, marks=pytest.mark.long),
    pytest.param("over", claim),
    pytest.param("over", finish, marks=pytest.mark.long),
    pytest.param("over", archive, marks=pytest.mark.long),
    pytest.param("released", None, marks=pytest.mark.long),
]


@pytest.mark.long
@pytest.mark.parametrize(("moment", "change"), WORLDS)
def test_everything_that_a_page_offers_may_be_done(
    app: Flask, moment: str, change: Callable[[World], None] | None
) -> None:
    world = make_world(app, moment)
    if change is not None:
        change(world)
        world.keep()
    refused: dict[str, int] = {}
    walked: dict[str, set[str]] = {}
    for who in PEOPLE[1:]:
        of, walked[who] = walk(world, who)
        refused |= {f"{who}: {what}": status for what, status in of.items()}
    assert refused == {}
    interview, candidate = f"/interviews/{world.ids['/interviews']}", world.ids["/taking"]
    assert {who for who in PEOPLE[1:] if f"{interview}/candidates/{candidate}" in walked[who]} == READERS
    assert {who for who in PEOPLE[1:] if f"{interview}/clone" in walked[who]} == {"lead"}
