"""The queue, the page of a review and the cohort, by HTTP: who gets them, what stays hidden, what cannot break them."""

from __future__ import annotations

import html
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, func, select, update

from grader.grading.stage_errors import StageError
from grader.grading.verdict import Verdict
from grader.report.review_pictures import Pictures, to_json
from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import (
    AuditEntry,
    Interview,
    InterviewMember,
    Invitation,
    Part,
    RepeatedReading,
    Review,
)
from grader.store.models import Attempt, EvidenceRecord, FollowUpAnswer, Package, Submission, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview
from tests.services.made import NOON, after, make_judgement
from tests.services.reviewing import hand_in, make_judged
from tests.web.browsing import PASSWORD, Browser, make_user
from tests.web.markup import PAYLOADS, active
from tests.web.room import words

WA: Final = make_judgement(Verdict.WA, ("thrice",), "output")
REASON: Final = "The last slip was mended aloud."


def interviewer(app: Flask, name: str, **rights: bool) -> tuple[Browser, User]:
    """Return a browser in which a new interviewer is signed in, and the user."""
    engine: Engine = app.extensions["grader"].engine
    make_user(engine, name)
    with write_session(engine) as session:
        user = user_named(session, name.casefold())
        assert user is not None
        for right, value in (rights or {"is_interviewer": True}).items():
            setattr(user, right, value)
    return Browser(app, name), user


@pytest.fixture
def lena(app: Flask) -> tuple[Browser, User]:
    return interviewer(app, "Lena")


@pytest.fixture
def browser(lena: tuple[Browser, User]) -> Browser:
    return lena[0]


@pytest.fixture
def interview(app: Flask, engine: Engine, lena: tuple[Browser, User]) -> Interview:
    packages: Packages = app.extensions["grader"].packages
    return make_interview(engine, packages, lena[1])


@pytest.fixture
def attempt(engine: Engine, lena: tuple[Browser, User], interview: Interview) -> Attempt:
    return make_judged(engine, lena[1], interview, "Ines Okafor", WA)


@pytest.fixture
def path(attempt: Attempt) -> str:
    return f"/reviews/{attempt.public_id}"


def join(engine: Engine, interview: Interview, user: User, part: Part = Part.REVIEWER) -> None:
    with write_session(engine) as session:
        session.add(InterviewMember(interview_id=interview.id, user_id=user.id, part=part))


def test_the_queue_leads_to_the_review(browser: Browser, attempt: Attempt, path: str) -> None:
    queue = browser.text("/reviews")
    assert "Ines Okafor" in queue
    assert f'href="{path}?show=waiting"' in queue
    page = browser.text(f"{path}?show=waiting")
    for part in ("Ines Okafor", "Review 1 of 1", "Wrong answer", "40 of 100 points", "thrice", "8642135 printed"):
        assert part in page
    assert "canary expected one" in page


def test_a_group_without_points_has_none_to_earn(browser: Browser, path: str) -> None:
    cases = browser.text(f"{path}?show=waiting").split('id="h_cases"')[1].split("</table>")[0]
    assert re.findall(r'<td class="n b">(.*?)</td>', cases) == ["–", "0 of 60", "40 of 40"]


def test_candidates_and_strangers_find_nothing(
    app: Flask, engine: Engine, ada: Browser, path: str, interview: Interview
) -> None:
    otto, _ = interviewer(app, "Otto")
    cohort = f"/interviews/{interview.public_id}/cohort"
    for other in (ada, otto):
        for address in (path, f"{path}/submissions/1/evidence", f"{path}/submissions/1/evidence.json", cohort):
            assert other.get(address).status_code == 404, address
        for action in ("claim", "release", "draft", "finish", "override", "submissions/1/evidence"):
            assert other.post(f"{path}/{action}", version="0", decision="yes").status_code == 404, action
    assert ada.get("/reviews").status_code == 404
    assert "Ines" not in otto.text("/reviews?show=all")
    with read_session(engine) as session:
        assert session.scalar(select(func.count(Review.id))) == 0


def test_hidden_names_are_nowhere(browser: Browser, path: str, interview: Interview, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(update(User).where(User.name.startswith("Candidate")).values(name="Canary Account"))
    reply = browser.post("/reviews/switch?show=all", switch="names", value="hidden", next=path)
    assert (reply.status_code, reply.location) == (303, f"{path}?show=all")
    cohort = f"/interviews/{interview.public_id}/cohort"
    overview = f"/interviews/{interview.public_id}"
    setting_up = [overview, f"{overview}/live", f"{overview}/exports", f"{overview}/audit"]
    for address in ("/reviews", path, f"{path}?compare=fix", cohort, f"{cohort}/similar", *setting_up):
        page = browser.text(address)
        assert "Okafor" not in page, address
        assert "Canary Account" not in page, address
    assert [text in browser.text(overview) for text in ("Candidate 1<", "Candidate 2<")] == [True, False]
    assert "Candidate 1" in browser.text("/reviews")
    browser.post("/reviews/switch", switch="names", value="", next=path)
    assert "Ines Okafor" in browser.text(path)


def test_the_cohorts_table_promises_names_only_where_it_has_them(
    browser: Browser, path: str, interview: Interview
) -> None:
    cohort = f"/interviews/{interview.public_id}/cohort"
    assert "<summary>The numbers as a table, with names</summary>" in browser.text(cohort)
    browser.post("/reviews/switch", switch="names", value="hidden", next=path)
    assert "<summary>The numbers as a table</summary>" in browser.text(cohort)


def test_where_names_stand_although_they_are_hidden_is_told(
    browser: Browser, path: str, interview: Interview, engine: Engine
) -> None:
    with read_session(engine) as session:
        invitation = session.scalars(select(Invitation.public_id)).one()
    overview = f"/interviews/{interview.public_id}"
    browser.post("/reviews/switch", switch="names", value="hidden", next=path)
    own = browser.text(f"{overview}/candidates/{invitation}")
    assert "Ines Okafor" in own
    assert "You hide names on other pages. This one keeps them" in own
    assert "Names are hidden here; a candidate's own page shows the name." in browser.text(overview)
    assert "You hide names on pages; every download has them." in browser.text(f"{overview}/exports")


def test_a_hidden_name_has_one_number_on_every_page(
    browser: Browser, attempt: Attempt, interview: Interview, engine: Engine, lena: tuple[Browser, User]
) -> None:
    other = make_judged(engine, lena[1], interview, "Tomasz Wrona", WA)
    with write_session(engine) as session:  # who is revoked stands last on the interview's page
        session.execute(update(Invitation).where(Invitation.id == attempt.invitation_id).values(revoked_at=NOON))
    browser.post("/reviews/switch", switch="names", value="hidden", next="/reviews")
    overview = browser.text(f"/interviews/{interview.public_id}")
    assert re.findall(r">(Candidate \d)</a>", overview) == ["Candidate 2", "Candidate 1"]
    assert "Candidate 2" in browser.text(f"/reviews/{other.public_id}").split("</h1>")[0]


@pytest.mark.parametrize(
    ("fields", "location"),
    [
        ({"next": "//evil.example", "switch": "names", "value": "hidden"}, "/"),
        ({"next": "/reviews", "switch": "session", "value": "hidden"}, "/reviews"),
        ({"next": "/reviews?show=mine", "switch": "session", "value": "hidden"}, "/reviews?show=mine"),
    ],
)
def test_a_switch_sends_nobody_elsewhere_and_sets_nothing_else(
    browser: Browser, fields: dict[str, str], location: str
) -> None:
    reply = browser.post("/reviews/switch", **fields)
    assert reply.location == location
    assert browser.client.get_cookie("session") is None


def test_a_switch_on_the_page_of_a_refused_form_leads_to_the_page_of_the_form(browser: Browser, path: str) -> None:
    refused = browser.post(f"{path}/finish", version="9").get_data(as_text=True)
    (form,) = re.findall(r'<form((?:(?!</form>).)*value="names".*?)</form>', refused, re.DOTALL)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    (action,) = re.findall(r'action="([^"]*)"', form)
    reply = browser.client.post(action, data=fields)
    assert (reply.status_code, reply.location.partition("?")[0]) == (303, path)


def test_a_draft_saves_by_if_match(browser: Browser, engine: Engine, path: str) -> None:
    token = {"csrf_token": browser.token(), "shared_note": "one"}
    saved = browser.client.post(f"{path}/draft", data=token, headers={"If-Match": '"0"'})
    assert (saved.status_code, saved.headers["ETag"]) == (204, '"1"')
    again = browser.client.post(f"{path}/draft", data={**token, "shared_note": "two"}, headers={"If-Match": '"0"'})
    assert again.status_code == 412
    assert browser.client.post(f"{path}/draft", data=token).status_code == 412
    assert browser.client.post(f"{path}/draft", data=token, headers={"If-Match": "*"}).status_code == 412
    with read_session(engine) as session:
        assert session.scalars(select(Review.shared_note)).all() == ["one"]


def test_what_was_typed_stays_in_a_refused_form(browser: Browser, path: str) -> None:
    reply = browser.post(f"{path}/finish", version="0", shared_note="typed & kept", point="first:0")
    page = reply.get_data(as_text=True)
    assert reply.status_code == 400
    assert "Choose a decision first" in page
    assert "typed &amp; kept" in page
    assert re.search(r'value="first:0" form="review" checked', page)


def test_finishing_opens_the_next_one(
    engine: Engine, browser: Browser, lena: tuple[Browser, User], interview: Interview, path: str
) -> None:
    after_it = make_judged(engine, lena[1], interview, "Tomasz", WA)
    reply = browser.post(f"{path}/finish", version="0", decision="yes")
    assert reply.status_code == 303
    assert reply.location.startswith(f"/reviews/{after_it.public_id}?")
    last = browser.post(f"/reviews/{after_it.public_id}/finish", version="0", decision="no")
    assert last.location.startswith(f"/reviews/{after_it.public_id}?")
    assert "Nothing needs a review" in browser.text("/reviews")


def test_a_colleagues_draft_and_decision_are_in_no_page_before_the_own_is_final(
    app: Flask, engine: Engine, browser: Browser, interview: Interview, path: str
) -> None:
    rita, user = interviewer(app, "Rita")
    join(engine, interview, user)
    rita.post(f"{path}/finish", version="0", decision="no", shared_note="canary shared", private_note="canary private")
    page = browser.text(path)
    assert "canary shared" not in page
    assert "Rita" not in page
    assert "1 finished review; it opens when yours is finished" in page
    browser.post(f"{path}/finish", version="0", decision="yes", private_note="of the lead alone")
    page = browser.text(path)
    assert "canary shared" in page
    assert "canary private" in page
    assert "of the lead alone" not in rita.text(path)


def test_a_score_needs_the_password_again(browser: Browser, engine: Engine, path: str) -> None:
    fields = {"version": "0", "score": "55", "reason": REASON}
    for password in ("", "not it at all"):
        reply = browser.post(f"{path}/override", **fields, password=password)
        assert reply.status_code == 400
        assert "not your current password" in reply.get_data(as_text=True)
    assert browser.post(f"{path}/override", **fields, password=PASSWORD).status_code == 303
    assert browser.post(f"{path}/override", **{**fields, "score": "60"}, password=PASSWORD).status_code == 412
    page = browser.text(path)
    assert "55 of 100" in page
    assert "40 of 100" in page
    assert REASON in page


def test_what_an_admin_reads_leaves_an_entry(app: Flask, engine: Engine, path: str, interview: Interview) -> None:
    anna, _ = interviewer(app, "Anna", is_admin=True)
    anna.text(path)
    anna.text(f"/interviews/{interview.public_id}/cohort")
    with read_session(engine) as session:
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.id.desc()).limit(2)).all()
    assert list(actions) == ["interview.read-cohort", "review.read"]
    assert 'id="review"' not in anna.text(path)


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("finish", {"version": ""}),
        ("finish", {"version": "0", "shared_note": "a\0b"}),
        ("draft", {"version": "", "page": "1"}),
        ("draft", {"version": ""}),
    ],
)
def test_who_may_not_review_reads_nothing_by_a_form_that_is_refused(
    app: Flask, engine: Engine, path: str, form: str, fields: dict[str, str]
) -> None:
    admin, foreign = interviewer(app, "Anna", is_admin=True)[0], interviewer(app, "Xena")[0]
    replies = [browser.post(f"{path}/{form}", **fields) for browser in (admin, foreign)]
    assert [reply.status_code for reply in replies] == [404, 404]
    with read_session(engine) as session:
        assert "review.read" not in session.scalars(select(AuditEntry.action)).all()


def test_what_an_admin_reads_by_forms_that_are_refused_leaves_an_entry(
    app: Flask, engine: Engine, path: str, interview: Interview
) -> None:
    anna, _ = interviewer(app, "Anna", is_admin=True)
    forms = [
        (f"{path}/override", {"version": "", "score": "55", "reason": REASON, "password": PASSWORD}),
        (f"{path}/override", {"version": "0", "score": "55", "reason": "a\0b", "password": PASSWORD}),
        (f"/interviews/{interview.public_id}/members", {"name": "a\0b", "part": "reviewer"}),
    ]
    for address, fields in forms:
        assert anna.post(address, **fields).status_code in (400, 412)
    with read_session(engine) as session:
        found = select(AuditEntry.action, RepeatedReading.times).join(RepeatedReading).order_by(AuditEntry.id)
        assert session.execute(found).all() == [("review.read", 1), ("interview.read", 0)]


def test_waiting_for_evidence_is_no_reading(app: Flask, browser: Browser, engine: Engine, path: str) -> None:
    anna, _ = interviewer(app, "Anna", is_admin=True)
    browser.post(f"{path}/submissions/1/evidence")
    statuses = [anna.get(f"{path}/submissions/1/evidence").status_code]
    with write_session(engine) as session:
        session.execute(update(EvidenceRecord).values(made_at=NOON, record=zlib.compress(b"{}")))
    for end in ("evidence", "evidence.json"):
        statuses.append(anna.get(f"{path}/submissions/1/{end}").status_code)
    with read_session(engine) as session:
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)).all()
    assert statuses == [204, 200, 200]
    assert actions[-3:] == ["review.evidence", "review.evidence-read", "review.evidence-read"]


def test_reading_ones_own_leaves_none(browser: Browser, engine: Engine, path: str) -> None:
    def number() -> int:
        with read_session(engine) as session:
            return session.scalar(select(func.count(AuditEntry.id))) or 0

    before = number()
    browser.text(path)
    assert number() == before


def test_evidence_is_asked_for_and_waited_for(browser: Browser, engine: Engine, path: str) -> None:
    assert browser.get(f"{path}/submissions/1/evidence.json").status_code == 404
    assert browser.post(f"{path}/submissions/1/evidence").status_code == 303
    assert browser.get(f"{path}/submissions/1/evidence").status_code == 204
    assert "being made" in browser.text(path)
    with write_session(engine) as session:
        session.execute(update(EvidenceRecord).values(made_at=NOON))  # without a record: it failed
    assert "could not be made" in browser.text(f"{path}/submissions/1/evidence")
    assert browser.get(f"{path}/submissions/1/evidence.json").status_code == 404
    assert browser.get(f"{path}/submissions/2/evidence").status_code == 404


def test_a_record_that_could_not_be_made_anew_stands_as_the_one_that_it_is(
    browser: Browser, engine: Engine, path: str
) -> None:
    browser.post(f"{path}/submissions/1/evidence")
    with write_session(engine) as session:
        drawn = to_json(Pictures("a sentence", (), (), None))
        made = {"record": zlib.compress(b"the record"), "pictures": drawn, "made_at": NOON, "made_before_at": NOON}
        session.execute(update(EvidenceRecord).values(made))
    shown = browser.text(f"{path}/submissions/1/evidence")
    assert "could not be made anew" in shown
    assert 'datetime="2026-03-01T12:00:00Z"' in shown.split("The record of")[1].split("stands")[0]
    assert browser.get(f"{path}/submissions/1/evidence.json").get_data() == b"the record"


def test_each_stage_says_how_far_it_is_from_the_reference(browser: Browser, engine: Engine, path: str) -> None:
    stages = (
        StageError("scores", (2, 2), 7, 0.0, form="shifted"),
        StageError("output", (2, 3), None, 100.0, (0, 1), 20100.0, 20000.0, "returned"),
    )
    browser.post(f"{path}/submissions/1/evidence")
    with write_session(engine) as session:
        drawn = to_json(Pictures("secret_canary_name", stages, (), None))
        session.execute(update(EvidenceRecord).values(made_at=NOON, record=zlib.compress(b"{}"), pictures=drawn))
    table = browser.text(path).split('id="h_worst"')[1].split("</table>")[0]
    cells = [re.sub(r"<[^>]*>", " ", cell) for row in table.split("<tr>")[2:] for cell in row.split("</td>")[:-1]]
    rows = [" ".join(html.unescape(cell).split()) for cell in cells]
    assert rows == [
        "scores line 7 agrees up to a constant for each row",
        "0",
        "not seen",
        "output [0, 1]",
        "20100.0",
        "20000.0",
        "100",
        "wrong here",
    ]


def test_what_people_write_stays_text(
    engine: Engine, browser: Browser, interview: Interview, attempt: Attempt, path: str
) -> None:
    text = "\n".join(PAYLOADS)
    source = f'x = """{text}"""\n'.encode()
    for number, verdict in ((2, Verdict.WA), (3, Verdict.JE)):
        judgement = make_judgement(verdict, ("thrice",), "output")
        said = replace(judgement.finding, sentence=text, fault_sentences=(text,))
        cases = tuple(replace(case, prints=text) for case in judgement.cases)
        hand_in(engine, attempt, number, replace(judgement, finding=said, cases=cases, import_prints=text), source)
    with write_session(engine) as session:
        session.execute(update(Invitation).values(label=PAYLOADS[0][:120]))
        session.execute(update(Interview).values(title=PAYLOADS[1][:120]))
        session.add(FollowUpAnswer(attempt_id=attempt.id, question_id="first", text=text, created_at=after(9)))
    browser.post(f"{path}/draft", version="0", shared_note=text, private_note=text, page="1")
    browser.post(f"{path}/override", version="0", score="5", reason=text[:2000], password=PASSWORD)
    cohort = f"/interviews/{interview.public_id}/cohort"
    pages = ["/reviews?show=all", f"{path}?submission=2", f"{path}?submission=2&compare=previous", cohort]
    pages += [f"{path}?submission=2&compare=fix", f"{path}?submission=3", f"{cohort}/similar"]
    for address in pages:
        assert active(browser.text(address)) == [], address


def shown(browser: Browser, path: str) -> list[str]:
    """Return the pages that compare the third submission."""
    return [browser.text(f"{path}?submission=3&compare={compare}") for compare in ("starter", "previous", "fix")]


HOSTILE: Final = {
    "one line": b"x = '" + b"a" * 4_000_000 + b"'",
    "ANSI": b"\x1b[31m" * 800_000,
    "empty lines": b"\n" * 4_000_000,
    "lines": b"x = 1\n" * 600_000,
    "brackets": b"(" * 100_000,
    "binary": b"\xff\x00" * 500_000,
    "1990 lines": "\n".join(f"a{n % 90} = b{n % 7}" for n in range(1990)).encode(),
}


def hand_in_twice(engine: Engine, attempt: Attempt, source: bytes) -> None:
    """Hand a source in as the second submission, and backwards as the third, with prints that are hostile."""
    judgement = make_judgement(Verdict.WA)
    prints = tuple(replace(case, prints="\x1b[31m" * 13_000) for case in judgement.cases)
    hand_in(engine, attempt, 2, replace(judgement, cases=prints), source)
    hand_in(engine, attempt, 3, replace(judgement, cases=prints), source[::-1])


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_source_fills_no_page(
    engine: Engine, browser: Browser, attempt: Attempt, path: str, source: bytes
) -> None:
    hand_in_twice(engine, attempt, source)
    pages = shown(browser, path)
    assert max(map(len, pages)) < 1_500_000
    assert not any("\x1b" in html.unescape(page) for page in pages)


@pytest.mark.long
@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_source_slows_nobody_down(
    engine: Engine, browser: Browser, attempt: Attempt, path: str, source: bytes
) -> None:
    hand_in_twice(engine, attempt, b"x = 1\n" * 40)
    shown(browser, path)
    ordinary = min(thread_seconds(lambda: shown(browser, path)) for _ in range(5))
    with write_session(engine) as session:
        session.execute(update(Submission).where(Submission.ordinal > 1).values(source=source))
    hostile = min(thread_seconds(lambda: shown(browser, path)) for _ in range(5))
    print(f"{hostile / ordinary:.1f} times an ordinary one")
    assert hostile < 10 * ordinary


def thread_seconds(act: Callable[[], object]) -> float:
    """Return the processor time that it takes."""
    began = time.thread_time()
    act()
    return time.thread_time() - began


def test_cohort_of_nobody_and_of_an_unknown_problem(browser: Browser, interview: Interview) -> None:
    path = f"/interviews/{interview.public_id}/cohort"
    assert "Nobody has begun" in browser.text(path)
    assert "No two are alike" in browser.text(f"{path}/similar")
    assert browser.get(f"{path}?problem=9").status_code == 404
    assert browser.get(f"{path}?problem=x").status_code == 404


@pytest.mark.parametrize(
    "asked", ["page=0", "page=-1", "page=x", "page=99999999999999999999", "verdict=XX&show=nothing"]
)
def test_addresses_that_make_no_sense_show_a_page(browser: Browser, path: str, asked: str) -> None:
    assert browser.get(f"/reviews?{asked}").status_code == 200
    assert browser.get(f"{path}?{asked}&submission=x&compare=y").status_code == 200


def test_the_cohort_says_whose_scores_it_cannot_tell(
    engine: Engine, lena: tuple[Browser, User], interview: Interview
) -> None:
    make_judged(engine, lena[1], interview, "Ines", WA)
    with write_session(engine) as session:  # as a file that a disk has damaged
        session.execute(update(Package).values(sha256="f" * 64, archive=b"damaged"))
        title = session.scalars(select(Package.title)).one()
    page = words(lena[0].text(f"/interviews/{interview.public_id}/cohort"), 'id="h_scores"')
    assert page.endswith(
        f"Without the scores of {title}, whose package in the database cannot be read; ask the people who run this "
        "service to restore it from a backup."
    )
    similar = words(lena[0].text(f"/interviews/{interview.public_id}/cohort/similar"), 'class="panel empty"')
    assert similar.startswith("They cannot be compared This problem’s package in the database cannot be read; ask the")
