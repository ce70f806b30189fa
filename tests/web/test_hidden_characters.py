"""What people write is kept as it is, and every character of it shows: on pages, packets, tables, in the API's JSON."""

from __future__ import annotations

import html
import json
import unicodedata
from pathlib import Path
from typing import Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import Engine, String, Table, Text, literal, select, update
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.store.base import Base
from grader.store.interview_models import AuditEntry, Review, ScoreOverride
from grader.store.models import Attempt, FollowUpAnswer, SampleRun
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd, Extension
from grader.web.service import now
from tests.services.tiny_package import SLUG, write_package
from tests.web.browsing import Browser
from tests.web.test_routes import routes
from tests.web.world import PEOPLE, World, make_world, named

HIDDEN: Final = "\u202e\u2066\u200b"  # turns what follows around, isolates it, takes no room
SHOWN: Final = "\\u202e\\u2066\\u200b"
TEXTS: Final = yaml.safe_load((Path(__file__).parents[1] / "data" / "stored_texts.yaml").read_text())


def is_ours(table: Table, name: str) -> bool:
    return (
        name not in ("public_id", "sha256")
        and not name.endswith("_sha256")
        and f"{table.name}.{name}" not in TEXTS["kept"]
    )


def spoil(engine: Engine) -> None:
    """Put characters that do not show, and the name of its column, behind every text that is stored."""
    with write_session(engine) as session:
        for table in Base.metadata.sorted_tables:
            texts = [column for column in table.columns if type(column.type) in (String, Text)]
            for column in (one for one in texts if is_ours(table, one.name)):
                more = literal(f"{HIDDEN}{table.name}.{column.name}")
                session.execute(update(table).where(column.is_not(None)).values({column: column.concat(more)}))


def write_everything(world: World) -> None:
    """Store one of what people write about an attempt that is over."""
    key = {"attempt_id": attempt_of(world).id}
    lead, reviewer = (named(world.engine, who).id for who in ("lead", "reviewer"))
    invitation = attempt_of(world).invitation_id
    prints = f"{HIDDEN}sample_run.prints"
    case = {"name": "sample_format", "verdict": "WA", "message": prints, "prints": prints}
    outcome = json.dumps({"import_prints": prints, "cases": [case], "outputs": "[]"})
    run = SampleRun(**key, ordinal=1, source=HIDDEN.encode(), created_at=now(), judged_at=now(), verdict=Verdict.WA)
    run.message, run.outcome = "why", outcome
    with write_session(world.engine) as session:
        session.add(run)
        session.add(FollowUpAnswer(**key, question_id="first", text="an answer", created_at=now()))
        session.add(ScoreOverride(**key, user_id=lead, score=5.0, reason="why", created_at=now()))
        for user, finished in ((lead, None), (reviewer, now())):
            notes = {"private_note": "private", "shared_note": "shared"}
            session.add(Review(**key, user_id=user, version=1, **notes, updated_at=now(), finished_at=finished))
        session.add(Extension(invitation_id=invitation, user_id=lead, minutes=1, reason="why", created_at=now()))
        session.add(EarlyEnd(invitation_id=invitation, user_id=lead, reason="why", is_told=True, created_at=now()))
        detail = json.dumps({"reason": f"{HIDDEN}audit_entry.detail"}, ensure_ascii=False)
        noted = AuditEntry(actor="", action="user.add", subject="user x", detail=detail, at=now())
        session.add(noted)


def attempt_of(world: World) -> Attempt:
    with read_session(world.engine) as session:
        return session.scalars(select(Attempt).filter_by(public_id=world.ids["/attempts"])).one()


@pytest.fixture
def world(app: Flask, problems: Path) -> World:
    text = f"{HIDDEN}package.texts"
    interview = (problems / SLUG / "interview.yaml").read_text().replace("canary", text)
    write_package(
        problems, statement=f"# A title {text}\n\n`{text}` &#8238;package.texts **{text}**\n", interview=interview
    )
    world = make_world(app, "released")
    write_everything(world)
    spoil(world.engine)
    world.keep()
    return world


def raw(text: str) -> set[str]:
    """Return the characters of a text that do not show."""
    return {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") and one not in "\n\t"}


def answers(world: World) -> dict[str, TestResponse]:
    """Return everything that everybody may read."""
    found = {}
    for method, rule in routes(world.app):
        for who in PEOPLE:
            if method == "GET" and rule != "/static/<path:filename>":
                found[f"{who} {rule}"] = world.ask(who, method, rule)
    browser = Browser(world.app, None)
    browser.client.set_cookie("grader", world.cookies["lead"])
    exports = f"/interviews/{world.ids['/interviews']}/exports"
    invitation = world.ids["/taking"]
    found["packet"] = browser.post(f"{exports}/packet", invitation=invitation)
    for kind in ("long", "wide", "results"):
        found[kind] = browser.post(exports, kind=kind)
    return found


def test_every_column_that_is_left_out_is_one() -> None:
    columns = {f"{table.name}.{column.name}" for table in Base.metadata.sorted_tables for column in table.columns}
    assert set(TEXTS["kept"]) <= columns


def test_no_answer_holds_a_character_that_does_not_show_and_pages_show_them_all(world: World) -> None:
    found = answers(world)
    assert {key: reply.status_code for key, reply in found.items() if reply.status_code >= 500} == {}
    texts = {key: reply.get_data(as_text=True) for key, reply in found.items() if reply.mimetype != "application/json"}
    assert {key: raw(text) for key, text in texts.items() if raw(text)} == {}
    pages = "".join(text for key, text in texts.items() if found[key].mimetype == "text/html")
    assert {name for name in TEXTS["written"] if f"{SHOWN}{name}" not in pages} == set()


def test_the_api_gives_every_character_as_it_is(world: World) -> None:
    told = world.ask("lead", "GET", "/api/v1/interviews/<public_id>").get_json()
    assert told["title"] == f"Spring round{HIDDEN}interview.title"


def field(page: str, name: str) -> str:
    """Return what stands in a field of several lines."""
    return page.partition(f' id="{name}" name="')[2].partition(">\n")[2].partition("</textarea>")[0]


def test_a_reviewer_goes_on_writing_the_note_that_they_wrote(world: World) -> None:
    page = world.ask("lead", "GET", "/reviews/<public_id>").get_data(as_text=True)
    assert html.unescape(field(page, "private")) == f"private{HIDDEN}review.private_note"


def test_a_candidate_goes_on_editing_the_source_that_they_typed(ada: Browser) -> None:
    ada.start()
    source = f"x = '<{HIDDEN}>'\n"
    assert ada.post(f"{ada.attempt}/draft", source=source).status_code == 204
    typed = field(ada.text(ada.attempt), "source")
    assert html.unescape(typed) == source
    assert raw(typed) == set()
