"""Pages of taking an interview: what a link tells, what is there before, during and after the own time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update

from grader.grading.verdict import Verdict
from grader.services import invitations
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.services.sessions import hash_of
from grader.store.interview_models import Interview, Invitation, Shown
from grader.store.models import Attempt, Package, Submission
from grader.store.session import read_session, write_session
from grader.web import reception
from grader.web.app import WebSettings, create_app
from grader.web.service import now
from tests.services.interviewing import make_interview, make_interviewer, make_invitations
from tests.services.made import make_judgement
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, HINTS, NEVER, SLUG, write_package
from tests.web.browsing import PASSWORD, Browser, dump, judge_last
from tests.web.calling import Program
from tests.web.conftest import KEY, make_service
from tests.web.test_routes import content, filled, routes

TITLE: Final = "Canary of a title"
PROBLEM: Final = (TITLE, "canary-of-a-slug", "Canary of a statement", "starter only", "starter other")
STATEMENT: Final = "Canary of a statement"


class Held:
    """An interview of Lea's with one private problem, and links to it."""

    def __init__(self, engine: Engine, packages: Packages, **settings: object) -> None:
        self.engine = engine
        self.lead = make_interviewer(engine, "Lea")
        self.interview = make_interview(engine, packages, self.lead, **settings)

    def link(self, name: str = "Ada L.") -> str:
        (invited,) = make_invitations(self.engine, self.lead, self.interview, name)
        return invited.token

    def move_end(self, moment: datetime) -> None:
        with write_session(self.engine) as session:
            session.execute(update(Invitation).values(ends_at=moment))

    def change(self, **values: object) -> None:
        with write_session(self.engine) as session:
            session.execute(update(Interview).values(**values))


@pytest.fixture
def hold(engine: Engine, problems: Path) -> Callable[..., Held]:
    return lambda **settings: Held(engine, Packages(problems), **settings)


@pytest.fixture
def held(hold: Callable[..., Held]) -> Held:
    return hold()


def accept(browser: Browser, token: str) -> str:
    """Open a link and accept; return the interview's page."""
    assert browser.get(f"/invitations/{token}").location == "/invitation"
    reply = browser.post("/invitation")
    assert reply.status_code == 303
    return reply.location


def begin(browser: Browser, token: str) -> str:
    """Accept, start, and make the first problem the browser's attempt; return the interview's page."""
    page = accept(browser, token)
    assert browser.post(f"{page}/start").location == page
    found = re.search(r'href="(/attempts/\w+)"', browser.text(page))
    assert found
    browser.attempt = found[1]
    return page


def submissions(engine: Engine) -> list[tuple[bytes, bool]]:
    with read_session(engine) as session:
        rows = session.scalars(select(Submission).order_by(Submission.id))
        return [(row.source, row.is_by_clock) for row in rows]


def test_looking_at_a_link_uses_nothing_up(held: Held, engine: Engine, anonymous: Browser) -> None:
    token = held.link()
    before = content(engine)
    for _ in range(5):
        assert anonymous.get(f"/invitations/{token}").status_code == 303
        page = anonymous.text("/invitation")
    assert content(engine) == before
    assert "Spring round" in page
    assert "Make an account" in page
    assert token not in page


def test_the_token_is_stored_and_shown_nowhere(held: Held, engine: Engine, ada: Browser) -> None:
    token = held.link()
    page = begin(ada, token)
    assert token not in dump(engine)
    assert hash_of(token) in dump(engine)
    for path in ("/", "/taking", page, ada.attempt, "/me", "/me/data"):
        assert token not in ada.text(path)


def test_four_kinds_of_links_that_open_nothing_look_the_same(
    held: Held, app: Flask, ada: Browser, eve: Browser
) -> None:
    used, revoked, late = (held.link(name) for name in ("one", "two", "three"))
    accept(ada, used)
    with write_session(held.engine) as session:
        row = session.scalars(select(Invitation).filter_by(token_sha256=hash_of(revoked))).one()
        invitations.revoke(session, held.lead, held.interview.public_id, row.public_id, now())
    answers = []
    for token in ("x" * 43, used, revoked):
        eve.get(f"/invitations/{token}")
        answers.append(eve.get("/invitation"))
    held.change(closes_at=now() - timedelta(seconds=1))
    eve.get(f"/invitations/{late}")
    answers.append(eve.get("/invitation"))
    assert {reply.status_code for reply in answers} == {404}
    assert len({len(reply.data) for reply in answers}) == 1
    blank = re.compile(r'nonce="[^"]*"|value="[^"]*"')
    assert len({blank.sub("", reply.get_data(as_text=True)) for reply in answers}) == 1
    assert {eve.post("/invitation").status_code for _ in range(2)} == {404}


def test_who_has_accepted_comes_back_by_the_link(held: Held, ada: Browser) -> None:
    token = held.link()
    page = accept(ada, token)
    ada.get(f"/invitations/{token}")
    assert ada.get("/invitation").location == page


def test_an_invitation_lets_an_account_be_made_where_nobody_else_may(
    hold: Callable[..., Held], engine: Engine, problems: Path
) -> None:
    held = hold()
    app = create_app(WebSettings(KEY, is_signup_open=False), make_service(engine, problems))
    token, browser = held.link(), Browser(app, None)
    assert browser.get("/sign-up").status_code == 404
    browser.get(f"/invitations/{token}")
    assert browser.get("/sign-up?next=/invitation").status_code == 200
    made = browser.post("/sign-up", name="Ines", password=PASSWORD, next="/invitation")
    assert made.location == "/invitation"
    assert "signed in as <b>Ines</b>" in browser.text("/invitation")
    assert browser.post("/invitation").status_code == 303
    later = Browser(app, None)
    later.get(f"/invitations/{token}")
    assert later.get("/sign-up").status_code == 404  # it is used


def test_accepting_needs_an_account(held: Held, anonymous: Browser, engine: Engine) -> None:
    anonymous.get(f"/invitations/{held.link()}")
    assert anonymous.post("/invitation").location == "/sign-in?next=/invitation"
    with read_session(engine) as session:
        assert session.scalars(select(Invitation.user_id)).all() == [None]


def test_the_clock_starts_with_its_own_button(held: Held, ada: Browser, engine: Engine) -> None:
    page = accept(ada, held.link())
    for _ in range(3):
        assert "Start the 60 minutes" in ada.text(page)
    ada.post(f"{page}/start", started_at="2020-01-01T00:00:00Z", minutes="9999", ends_at="2099-01-01T00:00:00Z")
    with read_session(engine) as session:
        first = session.scalars(select(Invitation)).one()
    assert first.started_at is not None
    assert first.ends_at == first.started_at + timedelta(minutes=60)
    assert now() - first.started_at < timedelta(seconds=30)
    ada.post(f"{page}/start")
    with read_session(engine) as session:
        second = session.scalars(select(Invitation)).one()
    assert (second.started_at, second.ends_at) == (first.started_at, first.ends_at)


def test_pages_say_how_much_time_is_left(held: Held, ada: Browser) -> None:
    page = begin(ada, held.link())
    held.move_end(now() + timedelta(seconds=90))
    for path in (page, ada.attempt, f"{page}/end"):
        found = re.search(r'data-left="(\d+)"', ada.text(path))
        assert found
        assert 60 <= int(found[1]) <= 90


def test_a_second_device_goes_on(held: Held, app: Flask, ada: Browser) -> None:
    page = begin(ada, held.link())
    ada.post(f"{ada.attempt}/draft", source="x = 'from the first'\n", seen="")
    second = Browser(app)
    assert "under way" in second.text(page)
    assert "from the first" in second.text(ada.attempt)


def test_the_attempts_page_has_nothing_of_practice(held: Held, ada: Browser) -> None:
    begin(ada, held.link())
    page = ada.text(ada.attempt)
    for word in (
        "Give up",
        "give-up",
        "in practice the clock",
        "Start this variant again",
        "As often as you like; the",
    ):
        assert word not in page
    assert '<span class="b">5</span> of 5 submissions left' in page
    assert ada.post(f"{ada.attempt}/give-up").status_code == 409


def test_submissions_are_counted_down(hold: Callable[..., Held], ada: Browser) -> None:
    begin(ada, hold(submissions_max=2).link())
    assert ada.submit().status_code == 303
    assert ada.submit().status_code == 303
    page = ada.text(ada.attempt)
    assert "no submission left" in page
    reply = ada.submit("x = 'kept'\n")
    assert reply.status_code == 409
    assert "kept" in reply.get_data(as_text=True)


def test_a_verdict_that_is_not_shown(hold: Callable[..., Held], ada: Browser, engine: Engine) -> None:
    page = begin(ada, hold(verdicts=Shown.WHEN_RELEASED, points=Shown.NEVER).link())
    submission = ada.submit().location
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    told = ada.text(submission)
    assert "Its verdict shows when the interviewers release the results" in told
    for path in (submission, f"{submission}/verdict", ada.attempt, page):
        text = ada.text(path)
        for word in ("Wrong answer", "wrong_values", "WA", "of 100 points", 'hx-get="' + submission, *HIDDEN, *HINTS):
            assert word not in text, (path, word)


def test_hints_go_as_far_as_the_interview_says(hold: Callable[..., Held], ada: Browser, engine: Engine) -> None:
    begin(ada, hold(hint_level=2, points=Shown.AT_ONCE).link())
    submission = ada.submit().location
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    told = ada.text(submission)
    assert "canary symptom" in told
    assert "canary fault" not in told
    assert "/hints" not in told
    assert ada.post(f"{submission}/hints", level="3").status_code == 409


def test_without_hints_groups_tell_points_and_no_case(
    hold: Callable[..., Held], app: Flask, ada: Browser, engine: Engine
) -> None:
    begin(ada, hold(hint_level=0, verdicts=Shown.AT_ONCE, points=Shown.AT_ONCE).link())
    submission = ada.submit().location
    before = ada.text(submission)
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    told = ada.text(submission)
    for page in (before, told):
        assert '<h2 id="groups">Groups</h2>' in page
        assert '<ul class="cases">' not in page
    assert "40 / 40" in told
    groups = Program(app, "Ada").told(submission)["groups"]
    assert [(group["points"], group["cases"]) for group in groups] == [(0, []), (0, []), (40, [])]


def test_what_is_handed_in_outlives_the_account_without_its_name(
    held: Held, ada: Browser, anonymous: Browser, engine: Engine
) -> None:
    assert "only what you hand in to an interview stays with that interview" in anonymous.text("/sign-up")
    token = held.link()
    ada.get(f"/invitations/{token}")
    assert "stays with the interview even when you delete the account" in ada.text("/invitation")
    begin(ada, token)
    ada.submit()
    handed_in = submissions(engine)
    reply = ada.post("/me/delete", password=PASSWORD)
    assert "Your account is deleted. What belongs to interviews" in anonymous.text(reply.location)
    assert ada.get("/me").status_code == 303
    assert ada.sign_in("Ada", PASSWORD).status_code == 400
    assert submissions(engine) == handed_in
    assert len(handed_in) == 1


def test_the_draft_is_handed_in_when_a_page_is_asked_for_after_the_end(
    held: Held, ada: Browser, engine: Engine
) -> None:
    begin(ada, held.link())
    ada.post(f"{ada.attempt}/draft", source="x = 'last words'\n", seen="")
    held.move_end(now() - timedelta(seconds=1))
    page = ada.text(ada.attempt)
    assert submissions(engine) == [(b"x = 'last words'\n", True)]
    assert "the draft, at the end" in page
    assert "Your time is over" in page
    ada.text(ada.attempt)
    assert len(submissions(engine)) == 1


def test_what_was_run_on_the_samples_is_handed_in_at_the_end(held: Held, ada: Browser, engine: Engine) -> None:
    begin(ada, held.link())
    ada.post(f"{ada.attempt}/sample-runs", source="x = 'run last'\n")
    held.move_end(now() - timedelta(seconds=1))
    ada.text(ada.attempt)
    assert submissions(engine) == [(b"x = 'run last'\n", True)]


def test_what_comes_too_late_stays_on_the_page(held: Held, ada: Browser, engine: Engine) -> None:
    begin(ada, held.link())
    held.move_end(now() - timedelta(seconds=1))
    reply = ada.submit("x = 'too late'\n")
    assert reply.status_code == 409
    assert "time in this interview is over" in reply.get_data(as_text=True)
    assert "too late" in reply.get_data(as_text=True)
    assert submissions(engine) == []
    assert ada.post(f"{ada.attempt}/draft", source="x", seen="").status_code == 409
    assert ada.post(f"{ada.attempt}/sample-runs", source="x").status_code == 409


def test_what_was_whole_in_time_counts_however_long_it_waited(held: Held, ada: Browser, engine: Engine) -> None:
    begin(ada, held.link())
    held.move_end(now() - timedelta(seconds=1))
    with reception.stamped(now() - timedelta(seconds=2)):
        assert ada.submit("x = 'in time'\n").status_code == 303
    with reception.stamped(now() - timedelta(seconds=0.5)):
        assert ada.submit("x = 'late'\n").status_code == 409
    assert submissions(engine) == [(b"x = 'in time'\n", False)]


def test_ending_asks_once_more(held: Held, ada: Browser, engine: Engine) -> None:
    page = begin(ada, held.link())
    ada.post(f"{ada.attempt}/draft", source="x = 'draft'\n", seen="")
    assert "Nothing is handed in yet for" in ada.text(f"{page}/end")
    assert "under way" in ada.text(page)
    assert ada.post(f"{page}/end").location == page
    assert "ended" in ada.text(page)
    assert submissions(engine) == [(b"x = 'draft'\n", True)]
    assert ada.get(f"{page}/end").location == page


def test_after_the_end_the_problem_is_closed_until_nobody_else_can_start(
    hold: Callable[..., Held], ada: Browser, engine: Engine
) -> None:
    held = hold(closes_at=now() + timedelta(hours=3))
    page = begin(ada, held.link())
    ada.submit()
    ada.post(f"{ada.attempt}/sample-runs", source="x")
    assert "Repair <code>twice</code>" in ada.text(ada.attempt)
    ada.post(f"{page}/end")
    for path in (ada.attempt, page, f"{ada.attempt}/submissions/1"):
        assert "Repair <code>twice</code>" not in ada.text(path)
    for path in (f"{ada.attempt}/samples", f"{ada.attempt}/sample-runs/1", f"{ada.attempt}/sample-runs/1/panel"):
        assert ada.get(path).status_code == 409
    held.change(closes_at=now() - timedelta(seconds=1))
    assert "Repair <code>twice</code>" in ada.text(ada.attempt)
    assert ada.get(f"{ada.attempt}/samples").status_code == 200


def test_follow_ups_open_with_the_end(hold: Callable[..., Held], ada: Browser, engine: Engine) -> None:
    held = hold(answers=Shown.AFTER_END, closes_at=now() + timedelta(hours=3))
    page = begin(ada, held.link())
    ada.submit()
    assert "when your time in the interview is over" in ada.text(f"{ada.attempt}/follow-ups")
    assert ada.post(f"{ada.attempt}/answers/first", answer="x" * 30).status_code == 409
    ada.post(f"{page}/end")
    assert "canary question one" in ada.text(f"{ada.attempt}/follow-ups")
    ada.post(f"{ada.attempt}/answers/first", answer="an own answer that is long enough")
    ada.post(f"{ada.attempt}/answers/pick", answer="1")
    told = ada.text(f"{ada.attempt}/follow-ups")
    for word in (*AFTER_THE_ANSWER, "canary short", "canary full", "canary rebuttal", "canary hint"):
        assert word not in told
    held.change(closes_at=now() - timedelta(seconds=1))
    told = ada.text(f"{ada.attempt}/follow-ups")
    assert "canary expected one" in told
    assert "canary expected two" not in told


def test_practice_is_closed_while_the_interview_runs(held: Held, ada: Browser, engine: Engine) -> None:
    before = ada.start()
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    page = begin(ada, held.link())
    for path in (before, f"{before}/submissions/1", f"{before}/follow-ups", f"{before}/samples"):
        assert ada.get(path).status_code == 409, path
    assert "part of the interview that you are taking" in ada.get(before).get_data(as_text=True)
    assert ada.post(f"{before}/give-up").status_code == 409
    assert ada.post(f"/problems/{SLUG}/attempts", variant="other").status_code == 409
    ada.post(f"{page}/end")
    assert ada.get(before).status_code == 200


def test_what_is_closed_is_neither_offered_nor_suggested(held: Held, app: Flask, ada: Browser) -> None:
    ada.start()
    mark = '<span class="sub">closed while your interview runs</span>'
    assert mark not in ada.text("/")
    page = begin(ada, held.link())
    assert ada.text("/").count(mark) == 1
    closed = ada.text(f"/problems/{SLUG}")
    assert "Closed while your interview runs" in closed
    assert f'action="/problems/{SLUG}/attempts"' not in closed
    progress = ada.text("/progress")
    assert "The problems of your interview are closed here while it runs" in progress
    assert "closed while your interview runs" in progress
    assert "To the problem</a>" not in progress
    program = Program(app, "Ada")
    assert [line["is_closed"] for line in program.told("/problems")["problems"]] == [True]
    ada.post(f"{page}/end")
    assert [line["is_closed"] for line in program.told("/problems")["problems"]] == [False]
    assert mark not in ada.text("/")
    assert f'action="/problems/{SLUG}/attempts"' in ada.text(f"/problems/{SLUG}")
    assert "To the problem</a>" in ada.text("/progress")


def test_the_problem_list_tells_of_an_interview_as_long_as_it_can_be_taken(held: Held, ada: Browser) -> None:
    told, past = "You have accepted an interview that is not over", now() - timedelta(minutes=1)
    page = accept(ada, held.link())
    assert told in ada.text("/")
    for closed in ({"closes_at": past}, {"released_at": past}, {"archived_at": past}):
        held.change(**closed)
        assert told not in ada.text("/")
        held.change(**dict.fromkeys(closed))
    held.change(opens_at=now() + timedelta(days=1))
    assert told in ada.text("/")
    held.change(opens_at=None)
    ada.post(f"{page}/start")
    assert told in ada.text("/")
    held.move_end(past)
    assert told not in ada.text("/")


def test_another_candidate_finds_nothing(held: Held, ada: Browser, eve: Browser) -> None:
    page = begin(ada, held.link())
    for path in (page, f"{page}/end", ada.attempt, f"{ada.attempt}/samples", f"{ada.attempt}/follow-ups"):
        assert eve.get(path).status_code == 404
    for path in (f"{page}/start", f"{page}/end", f"{ada.attempt}/submissions"):
        assert eve.post(path, source="x").status_code == 404


@pytest.fixture
def private(engine: Engine, tmp_path: Path) -> Held:
    """An interview with a problem that is not offered for practice, whose every word is a canary."""
    folder = write_package(tmp_path / "private", statement=f"{STATEMENT}\n\nRepair `twice`.\n")
    spec = folder / "problem.yaml"
    spec.write_text(spec.read_text().replace("Twice as much", TITLE))
    folder.rename(folder.with_name("canary-of-a-slug"))
    write_package(folder.parent)
    packages = Packages(folder.parent)
    chosen = Chosen(packages.named("canary-of-a-slug").sha256)
    return Held(engine, packages, problems=(chosen,))


def test_no_route_tells_a_problem_before_the_start(private: Held, app: Flask, ada: Browser, anonymous: Browser) -> None:
    token = private.link()
    page = accept(ada, token)
    invitation = page.rsplit("/", 1)[-1]
    program = Program(app, "Ada")
    for browser in (ada, anonymous):
        browser.get(f"/invitations/{token}")
        for method, rule in routes(app):
            if rule == "/sign-out" or method != "GET":
                continue
            for identity in (invitation, private.interview.public_id, "aaaaaaaaaaaa"):
                path = filled(rule.replace("<public_id>", identity).replace("<invitation>", invitation), "/attempts/x")
                reply = browser.client.open(path, method=method)
                text = reply.get_data(as_text=True) + str(reply.headers)
                reply.close()
                for word in PROBLEM:
                    assert word not in text, (path, word)
    for path in ("/problems", "/attempts", "/me"):
        assert not any(word in program.get(path).get_data(as_text=True) for word in PROBLEM)
    ada.post(f"{page}/start")
    assert TITLE in ada.text(page)


def test_no_route_tells_a_private_problems_name_or_hash(private: Held, app: Flask, ada: Browser) -> None:
    begin(ada, private.link())
    submission = ada.submit().location
    program = Program(app, "Ada")
    with read_session(private.engine) as session:
        sha256 = session.scalars(select(Package.sha256).filter_by(slug="canary-of-a-slug")).one()
    own = (*ada.attempt.split("/")[1:], "submissions", "1")
    read = [ada.text(path) for path in (ada.attempt, submission, "/me/data", "/progress", "/taking", "/")]
    read += [ada.text(f"{ada.attempt}/{page}") for page in ("samples", "follow-ups")]
    read += [program.get(f"/{'/'.join(own[:length])}").get_data(as_text=True) for length in (1, 2, 4)]
    assert sum(TITLE in text for text in read) >= 6
    for text in read:
        assert "canary-of-a-slug" not in text
        assert sha256[:12] not in text
    (line,) = program.told("/attempts")["attempts"]
    assert (line["problem"], line["title"], line["variant"]) == ("1", TITLE, None)
    (exported,) = json.loads(ada.text("/me/data"))["attempts"]
    assert (exported["place_in_interview"], exported["title"]) == (1, TITLE)
    with read_session(private.engine) as session:
        invitation, title = session.execute(
            select(Invitation.public_id, Interview.title)
            .join(Interview, Interview.id == Invitation.interview_id)
            .join(Attempt, Attempt.invitation_id == Invitation.id)
        ).one()
    assert line["interview"] == exported["interview"] == {"invitation": invitation, "title": title}


def test_every_secret_stays_one_in_an_interview(held: Held, ada: Browser, engine: Engine) -> None:
    page = begin(ada, held.link())
    submission = ada.submit().location
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    for path in (page, ada.attempt, submission, f"{ada.attempt}/follow-ups", f"{ada.attempt}/samples", "/me/data", "/"):
        text = ada.text(path)
        for word in (*HIDDEN, *HINTS, *NEVER, *AFTER_THE_ATTEMPT, *AFTER_THE_ANSWER):
            assert word not in text, (path, word)


def test_the_program_sees_no_more(hold: Callable[..., Held], app: Flask, ada: Browser, engine: Engine) -> None:
    begin(ada, hold(verdicts=Shown.NEVER, points=Shown.NEVER).link())
    ada.submit()
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    program, attempt = Program(app, "Ada"), ada.attempt.rsplit("/", 1)[-1]
    for path in ("/attempts", f"/attempts/{attempt}", f"/attempts/{attempt}/submissions/1"):
        text = program.get(path).get_data(as_text=True)
        for word in ('"WA"', "wrong_values", "40.0", *HIDDEN, *HINTS):
            assert word not in text, (path, word)


def test_the_list_of_own_interviews(held: Held, ada: Browser, eve: Browser) -> None:
    assert "None yet" in ada.text("/taking")
    page = accept(ada, held.link())
    assert page in ada.text("/taking")
    assert "Your interviews" in ada.text("/")
    assert page not in eve.text("/taking")
