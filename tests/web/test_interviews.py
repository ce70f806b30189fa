"""Pages of interviews: what is typed is kept, links are shown once, nobody else finds anything."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import AuditEntry, Interview, Invitation
from grader.store.models import Submission, User
from grader.store.session import read_session, write_session
from grader.web.app import WebSettings, create_app
from grader.web.service import now
from tests.services.interviewing import begin
from tests.services.made import make_candidate
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, NEVER, SLUG
from tests.web.browsing import Browser
from tests.web.conftest import KEY

HOSTILE: Final = (Path(__file__).parents[1] / "data" / "interview_names.txt").read_text().splitlines()
FORM: Final = {
    "title": "Spring round",
    "minutes": "60",
    "submissions_max": "5",
    "hint_level": "0",
    "verdicts": "at once",
    "points": "after the end",
    "answers": "never",
    "locks_practice": "1",
    "version": "1",
}


def browse_as(app: Flask, engine: Engine, name: str, *, is_interviewer: bool = True, is_admin: bool = False) -> Browser:
    """Return a browser of somebody who has these rights."""
    browser = Browser(app, name)
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == name).values(is_interviewer=is_interviewer, is_admin=is_admin))
    return browser


@pytest.fixture
def lena(app: Flask, engine: Engine) -> Browser:
    return browse_as(app, engine, "Lena")


@pytest.fixture
def sha256(problems: Path) -> str:
    return Packages(problems).named(SLUG).sha256


@pytest.fixture
def page(lena: Browser, sha256: str) -> str:
    """The address of an interview that Lena leads."""
    reply = lena.post("/interviews/new", **FORM, problem=sha256, variant="only")
    assert reply.status_code == 303
    return str(reply.location.partition("?")[0])


def public_id(session: Session, name_key: str) -> str:
    found = user_named(session, name_key)
    assert found is not None
    return found.public_id


def invite(lena: Browser, page: str, *names: str) -> list[str]:
    """Invite candidates; return the tokens of their links."""
    reply = lena.post(f"{page}/invite", names="\n".join(names))
    assert reply.status_code == 200
    return re.findall(r'name="token" value="([^"]+)"', reply.get_data(as_text=True))


def invitation_ids(engine: Engine) -> list[str]:
    with read_session(engine) as session:
        return list(session.scalars(select(Invitation.public_id).order_by(Invitation.id)))


def test_the_forms_buttons_change_the_form_alone(lena: Browser, engine: Engine, sha256: str) -> None:
    typed = {**FORM, "title": "A <round>", "minutes": "sixty"}
    text = lena.post("/interviews/new", **typed, step="add", more=sha256).get_data(as_text=True)
    assert f'name="problem" value="{sha256}"' in text
    assert 'value="A &lt;round&gt;"' in text
    assert 'value="sixty"' in text
    assert "Problems of the public bank can be practised by anybody" in text
    text = lena.post("/interviews/new", **typed, problem=sha256, variant="other", step="remove:0").get_data(
        as_text=True
    )
    assert 'name="problem"' not in text
    with read_session(engine) as session:
        assert session.scalars(select(Interview)).all() == []


def test_choices_are_worded_as_what_they_do(lena: Browser) -> None:
    text = lena.text("/interviews/new")
    assert '<option value="when released">When I release the results</option>' in text
    assert "None: the verdict with its sentence, and points by group</label>" in text


def test_problems_are_moved(lena: Browser, sha256: str) -> None:
    rows = {"problem": [sha256, "f" * 64], "variant": ["only", ""]}
    for step, order in (("down:0", ["f" * 64, sha256]), ("up:1", ["f" * 64, sha256]), ("up:0", [sha256, "f" * 64])):
        text = lena.post("/interviews/new", **FORM, **rows, step=step).get_data(as_text=True)
        assert re.findall(r'name="problem" value="(\w+)"', text) == order


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("title", " ", "Enter a title."),
        ("title", "Spring\u202eround", "The title has characters that do not show"),
        ("title", "Spring \U0001f469\u200d\U0001f4bb\u200d round", "The title has characters that do not show"),
        ("minutes", "0", "The minutes must be a whole number from 1 to 1440."),
        ("submissions_max", "101", "The submissions for each problem must be a whole number from 1 to 100."),
        ("hint_level", "4", "The hint level must be a whole number from 0 to 3."),
        ("answers", "soon", "Choose when candidates see that."),
        ("opens_at", "tomorrow", "The time at which it opens cannot be read"),
        ("closes_at", "0001-01-01T00:00+14:00", "The time at which it closes cannot be read"),
    ],
)
def test_what_cannot_be_read_is_told_and_kept(
    lena: Browser, engine: Engine, sha256: str, field: str, value: str, sentence: str
) -> None:
    reply = lena.post("/interviews/new", **{**FORM, field: value}, problem=sha256, variant="only")
    assert reply.status_code == 400
    text = reply.get_data(as_text=True)
    assert sentence in text
    assert f'name="problem" value="{sha256}"' in text
    with read_session(engine) as session:
        assert session.scalars(select(Interview)).all() == []


def test_who_saves_second_keeps_what_they_typed(lena: Browser, page: str, sha256: str) -> None:
    sent = {**FORM, "problem": sha256, "variant": "only"}
    assert lena.post(f"{page}/edit", **{**sent, "title": "First"}).status_code == 303
    reply = lena.post(f"{page}/edit", **{**sent, "title": "Second"})
    assert reply.status_code == 412
    text = reply.get_data(as_text=True)
    assert "Somebody else has changed this interview meanwhile" in text
    assert 'value="Second"' in text
    assert 'name="version" value="2"' in text
    assert "First" in lena.text(page)
    assert lena.post(f"{page}/edit", **{**sent, "title": "Second", "version": "2"}).status_code == 303
    assert "Second" in lena.text(page)


def test_links_are_shown_once(lena: Browser, page: str, engine: Engine) -> None:
    (token,) = invite(lena, page, "Ines")
    (invitation,) = invitation_ids(engine)
    for path in (page, f"{page}/live", f"{page}/candidates/{invitation}", f"{page}/invite"):
        assert token not in lena.text(path)
    with read_session(engine) as session:
        details = " ".join(session.scalars(select(AuditEntry.detail)))
    assert token not in details
    again = lena.post(f"{page}/invite", names="Ines").get_data(as_text=True)
    assert "0 new links" in again
    assert "Left out" in again
    assert token not in again


def test_names_that_look_alike_are_pointed_out(lena: Browser, page: str) -> None:
    assert "look alike" not in lena.post(f"{page}/invite", names="Bo").get_data(as_text=True)
    told = lena.post(f"{page}/invite", names="\u0412o").get_data(as_text=True)
    assert "\u0412o looks like Bo; its character 1 is cyrillic capital letter ve" in told
    assert "1 new link" in told


def test_links_lead_to_the_address_that_people_use(app: Flask, lena: Browser, page: str, engine: Engine) -> None:
    assert re.search(r"http://localhost/invitations/[\w-]{43}", invite_text(lena, page, "Ines"))
    own = create_app(WebSettings(KEY, "https://grader.example"), app.extensions["grader"])
    public = own.test_client()
    form = public.get("/sign-in", base_url="https://grader.example").get_data(as_text=True)
    token = re.findall(r'name="csrf_token" value="([^"]+)"', form)[0]
    fields = {"csrf_token": token, "name": "Lena", "password": "seven quiet otters"}
    assert public.post("/sign-in", data=fields, base_url="https://grader.example").status_code == 303
    form = public.get(f"{page}/invite", base_url="https://grader.example").get_data(as_text=True)
    token = re.findall(r'name="csrf_token" value="([^"]+)"', form)[0]
    fields = {"csrf_token": token, "names": "Tomasz"}
    made = public.post(f"{page}/invite", data=fields, base_url="https://grader.example").get_data(as_text=True)
    assert re.search(r"https://grader\.example/invitations/[\w-]{43}", made)


def invite_text(lena: Browser, page: str, name: str) -> str:
    return lena.post(f"{page}/invite", names=name).get_data(as_text=True)


def test_a_file_of_names_is_taken(lena: Browser, page: str, engine: Engine) -> None:
    fields = {"csrf_token": lena.token(), "file": (io.BytesIO(b"name;team\nInes;a\nTomasz;b\n"), "list.csv")}
    reply = lena.client.post(f"{page}/invite", data=fields, content_type="multipart/form-data")
    assert "2 new links" in reply.get_data(as_text=True)
    reply.close()


def test_the_table_of_links_is_no_formula_and_tells_of_own_links_alone(lena: Browser, page: str) -> None:
    tokens = invite(lena, page, *HOSTILE)
    assert len(tokens) == len(HOSTILE) >= 10
    reply = lena.post(f"{page}/links.csv", token=[*tokens, "x" * 43])
    assert reply.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="invitations.csv"'
    rows = list(csv.reader(io.StringIO(reply.get_data(as_text=True))))
    assert rows[0] == ["candidate", "link"]
    assert [row[1].rsplit("/", 1)[1] for row in rows[1:]] == tokens
    assert not [row[0] for row in rows[1:] if row[0].startswith(("=", "+", "-", "@"))]


def test_names_are_text_wherever_they_stand(lena: Browser, page: str, engine: Engine) -> None:
    lena_text = lena.post(f"{page}/invite", names="\n".join(HOSTILE)).get_data(as_text=True)
    ids = invitation_ids(engine)
    pages = [
        lena_text,
        lena.text(page),
        lena.text(f"{page}/live"),
        *(lena.text(f"{page}/candidates/{one}") for one in ids),
    ]
    for text in pages:
        assert "<script>alert" not in text
        assert "<img" not in text
    assert html.escape(HOSTILE[0]) in lena.text(page)


def test_the_live_part_is_what_changes(lena: Browser, page: str, engine: Engine) -> None:
    (token, _) = invite(lena, page, "Ines", "Tomasz")
    attempt = begin(engine, token, make_candidate(engine), now() - timedelta(seconds=2))
    with write_session(engine) as session:
        session.add(
            Submission(attempt_id=attempt.id, ordinal=1, source=b"canary source", created_at=now(), verdict=Verdict.WA)
        )
    text = lena.text(f"{page}/live")
    assert text.lstrip().startswith('<div id="live" hx-get="')
    assert "59:5" in text
    assert "WA" in text
    assert "not opened" in text
    assert "canary source" not in text


def test_a_candidate_is_given_time_and_ended(lena: Browser, page: str, engine: Engine) -> None:
    (token,) = invite(lena, page, "Ines")
    begin(engine, token, make_candidate(engine), now() - timedelta(seconds=2))
    (invitation,) = invitation_ids(engine)
    own = f"{page}/candidates/{invitation}"
    reply = lena.post(f"{own}/extend", minutes="10", reason="")
    assert reply.status_code == 400
    assert "Write down why" in reply.get_data(as_text=True)
    assert lena.post(f"{own}/extend", minutes="10", reason="Fire <alarm>").status_code == 303
    assert "Fire &lt;alarm&gt;" in lena.text(own)
    assert "01:09:5" in lena.text(f"{page}/live").replace(">1:09:5", ">01:09:5")
    reply = lena.post(f"{page}/release")
    assert reply.status_code == 409
    assert "1 candidate is still under way" in reply.get_data(as_text=True)
    assert lena.post(f"{own}/end", why="Left the room").status_code == 303
    assert lena.post(f"{page}/release").status_code == 303
    assert "results released" in lena.text(page)
    assert lena.post(f"{own}/extend", minutes="10", reason="Too late").status_code == 409


def test_a_preview_shows_what_a_candidate_reads(lena: Browser, page: str) -> None:
    text = lena.text(f"{page}/problems/1")
    assert "starter only" in text
    assert "starter other" not in text
    assert not [word for word in (*HIDDEN, *AFTER_THE_ATTEMPT, *AFTER_THE_ANSWER, *NEVER) if word in text]
    assert lena.get(f"{page}/problems/2").status_code == 404


def test_a_page_of_forms_never_reloads_itself(lena: Browser, page: str) -> None:
    invite(lena, page, "Ines")
    refused = lena.post(f"{page}/members", name="Nobody", part="reviewer")
    assert refused.status_code == 400
    for text in (lena.text(page), refused.get_data(as_text=True)):
        assert "Refresh" in text
        assert "http-equiv" not in text


def test_reviewers_read_and_change_nothing(app: Flask, lena: Browser, page: str, engine: Engine) -> None:
    rob = browse_as(app, engine, "Rob")
    assert rob.get(page).status_code == 404
    assert lena.post(f"{page}/members", name="Rob", part="reviewer").status_code == 303
    invite(lena, page, "Ines")
    (invitation,) = invitation_ids(engine)
    text = rob.text(page)
    assert "Invite candidates" not in text
    assert "Release the results" not in text
    posts = ["members", "clone", "archive", "unarchive", "release", "invite", "links.csv", "edit"]
    posts += [f"candidates/{invitation}/{word}" for word in ("renew", "revoke", "extend", "end")]
    for path in posts:
        fields = {"name": "Rob", "part": "lead", "minutes": "5", "reason": "x", "why": "x", "names": "Eve", **FORM}
        assert rob.post(f"{page}/{path}", **fields).status_code == 404, path
    for path in ("edit", "invite"):
        assert rob.get(f"{page}/{path}").status_code == 404
    with read_session(engine) as session:
        rob_id = public_id(session, "rob")
        lena_id = public_id(session, "lena")
    assert rob.post(f"{page}/members/{lena_id}/remove").status_code == 404
    assert lena.post(f"{page}/members/{rob_id}/remove").status_code == 303
    assert rob.get(page).status_code == 404


def test_an_admin_reads_and_leaves_a_note(app: Flask, page: str, engine: Engine) -> None:
    root = browse_as(app, engine, "Root", is_interviewer=False, is_admin=True)
    assert "You read this as an admin" in root.text(page)
    root.text(f"{page}/live")
    assert "Spring round" in root.text("/interviews?state=planned")
    assert root.get("/interviews/new").status_code == 404
    assert root.post(f"{page}/release").status_code == 404
    with read_session(engine) as session:
        assert list(session.scalars(select(AuditEntry.action).where(AuditEntry.action == "interview.read"))) == [
            "interview.read"
        ]


def test_no_other_interviewer_and_no_candidate_sees_a_word_of_it(
    app: Flask, lena: Browser, page: str, engine: Engine
) -> None:
    invite(lena, page, "Canary Candidate")
    (invitation,) = invitation_ids(engine)
    for stranger in (browse_as(app, engine, "Xena"), Browser(app, "Cy")):
        for path in (page, f"{page}/live", f"{page}/edit", f"{page}/candidates/{invitation}", f"{page}/problems/1"):
            assert stranger.get(path).status_code == 404
        for path in ("/interviews", "/interviews?state=planned", "/interviews?state=running", "/", "/progress", "/me"):
            text = stranger.get(path).get_data(as_text=True)
            assert "Spring round" not in text
            assert "Canary" not in text
    assert "Interviews" not in Browser(app, "Cy").text("/lesson")
