"""Pages of private packages, judging again and exports: what they tell, whom they answer, what leaves the house."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse

from grader.grading.check_report import Report, pack
from grader.services import reviews
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import Interview, PackageCheck, Rejudge, RejudgeItem, Review
from grader.store.models import Attempt, Package, Submission, User
from grader.store.session import BUSY_S, read_session, write_session
from grader.web.gathering import BODY_BYTES_MAX
from tests.archives import small_package, zipped
from tests.services.interviewing import begin, invitation_with, make_interview, make_invitations
from tests.services.made import NOON, make_candidate, make_judgement
from tests.services.rejudging import accepted_version
from tests.services.reviewing import END, draft, make_member
from tests.web.browsing import Browser, judge_last

EVIL = "<script>alert(1)</script>\u202e"

# the test's client leaves a large form's temporary file to the collector
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def lead(app: Flask, engine: Engine) -> Browser:
    browser = Browser(app, "Lena")
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Lena").values(is_interviewer=True))
    return browser


@pytest.fixture
def packages(app: Flask) -> Packages:
    found: Packages = app.extensions["grader"].packages
    return found


def lena(engine: Engine) -> User:
    with read_session(engine) as session:
        found = user_named(session, "lena")
    assert found is not None
    return found


def send(browser: Browser, data: bytes, name: str = "", file_name: str = "mine.zip") -> TestResponse:
    return browser.post("/packages", archive=FileStorage(io.BytesIO(data), file_name), name=name)


def test_an_archive_above_the_limit_of_a_request_is_told_the_limit_of_archives(lead: Browser) -> None:
    reply = send(lead, b"x" * (BODY_BYTES_MAX + 1))
    told = reply.get_data(as_text=True)
    assert (reply.status_code, "An archive may have 3 MiB." in told, "A source" in told) == (413, True, False)


def package_with(root: Path, **changes: str) -> bytes:
    return zipped(small_package(root / "sent", **{"statement": "Private.\n", **changes}), "mine")


def only_package(engine: Engine) -> str:
    with read_session(engine) as session:
        return session.scalars(select(Package.sha256).where(Package.uploaded_by_id.is_not(None))).one()


def test_an_upload_leads_to_its_page(lead: Browser, engine: Engine, tmp_path: Path) -> None:
    reply = send(lead, package_with(tmp_path))
    assert reply.location == f"/packages/{only_package(engine)}"
    page = lead.text(reply.location)
    assert "being checked" in page
    assert "It waits for its turn." in page
    assert "Twice as much" in lead.text("/packages")


def test_what_is_no_package_is_told_on_the_form(lead: Browser, tmp_path: Path) -> None:
    reply = send(lead, package_with(tmp_path, problem="schema: 1\n"), "my-name")
    text = reply.get_data(as_text=True)
    assert reply.status_code == 422
    assert text.count("<li>my-name/problem.yaml: ") > 3
    assert 'value="my-name"' in text
    reply = send(lead, package_with(tmp_path), "twice")
    assert reply.status_code == 409
    assert "twice is a problem that everybody can practise" in reply.get_data(as_text=True)
    assert lead.post("/packages").status_code == 422


def test_an_archive_is_read_without_the_turn_to_write(lead: Browser, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(update(User).values(name=User.name))
        began = time.monotonic()
        assert send(lead, b"no archive").status_code == 422
    assert time.monotonic() - began < BUSY_S / 2


def test_what_a_package_says_is_text(lead: Browser, engine: Engine, tmp_path: Path) -> None:
    text = (small_package(tmp_path / "x"))["problem.yaml"].decode().replace("Twice as much", f"'{EVIL}'")
    send(lead, package_with(tmp_path, problem=text.replace("\\", "")))
    with write_session(engine) as session:
        report = pack(Report("mine", (f"cases.py: {EVIL}",), notices=(EVIL,))).decode()
        session.execute(update(PackageCheck).values(checked_at=NOON, report=report))
    page = lead.text(f"/packages/{only_package(engine)}")
    assert "not accepted" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in page
    assert "<script>alert" not in page


def test_nobody_else_finds_a_package(lead: Browser, eve: Browser, engine: Engine, tmp_path: Path) -> None:
    send(lead, package_with(tmp_path))
    sha256 = only_package(engine)
    assert eve.get("/packages").status_code == 404
    assert send(eve, package_with(tmp_path, statement="Eve.\n")).status_code == 404
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Eve").values(is_interviewer=True))
    assert "Twice as much" not in eve.text("/packages")
    assert eve.get(f"/packages/{sha256}").status_code == 404
    for act in ("archive", "check", "retire", "restore"):
        assert eve.post(f"/packages/{sha256}/{act}").status_code == 404
    with write_session(engine) as session:  # whose right is taken finds their own no more
        session.execute(update(User).where(User.name == "Lena").values(is_interviewer=False))
    assert lead.get(f"/packages/{sha256}").status_code == 404


def test_the_archive_is_an_attachment(lead: Browser, engine: Engine, tmp_path: Path) -> None:
    send(lead, package_with(tmp_path))
    reply = lead.post(f"/packages/{only_package(engine)}/archive")
    assert reply.headers["Content-Disposition"] == "attachment; filename=mine.zip"
    assert reply.content_type == "application/zip"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert send(lead, reply.data, "mine").location == f"/packages/{only_package(engine)}"


class Scene:
    """An interview with a judged attempt at a version, and another version beside it."""

    def __init__(self, engine: Engine, packages: Packages, root: Path) -> None:
        self.engine = engine
        user = lena(engine)
        old = accepted_version(engine, packages, user, root / "old", statement="Old.\n")
        new = accepted_version(engine, packages, user, root / "new", statement="New.\n")
        interview = make_interview(engine, packages, user, problems=(Chosen(old.sha256, "only"),))
        (invited,) = make_invitations(engine, user, interview, f"Ines {EVIL}")
        self.candidate = make_candidate(engine)
        self.attempt = begin(engine, invited.token, self.candidate, NOON)
        with write_session(engine) as session:
            source = f"x = '{EVIL}'\n".encode()
            session.add(Submission(attempt_id=self.attempt.id, ordinal=1, source=source, created_at=NOON))
        judge_last(engine, make_judgement())
        self.path = f"/interviews/{interview.public_id}"
        self.invitation = invitation_with(engine, invited.token).public_id
        self.pair = f"{old.sha256} {new.sha256}"

    def judged(self, verdict: str = "WA", score: float = 40.0) -> None:
        with write_session(self.engine) as session:
            session.execute(update(RejudgeItem).values(verdict=verdict, score=score, new_rows="{}"))


@pytest.fixture
def scene(lead: Browser, engine: Engine, packages: Packages, tmp_path: Path) -> Scene:
    return Scene(engine, packages, tmp_path)


def test_judging_again_step_by_step(lead: Browser, scene: Scene, engine: Engine) -> None:
    assert f'value="{scene.pair}"' in lead.text(f"{scene.path}/rejudges")
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    assert "0 of 1 submission is judged" in lead.text(page)
    assert lead.post(f"{page}/apply").status_code == 409
    scene.judged()
    ready = lead.text(page)
    assert "look at what would change" in ready
    assert re.search(r"AC</span>\s*<span class=\"b\">100</span>", ready)
    assert re.search(r"WA</span>\s*<span class=\"b\">40</span>", ready)
    assert "<script>alert" not in ready
    assert lead.post(f"{page}/apply").location == page
    assert "The new results take the place" in lead.text(page)
    with write_session(engine) as session:
        session.execute(update(Rejudge).values(applied_at=NOON))
    assert "Undo it" in lead.text(page)
    assert lead.post(f"{page}/undo").location == page
    assert "The old results take their place again" in lead.text(page)
    assert "undoing" in lead.text(f"{scene.path}/rejudges")


def test_the_version_that_was_chosen_stays_chosen_when_it_is_refused(
    lead: Browser, scene: Scene, engine: Engine
) -> None:
    with write_session(engine) as session:
        session.execute(update(Attempt).values(variant="gone"))
    reply = lead.post(f"{scene.path}/rejudges", versions=scene.pair)
    assert reply.status_code == 409
    assert f'value="{scene.pair}" checked' in reply.get_data(as_text=True)


def test_a_preview_hides_names_as_other_pages_do(lead: Browser, scene: Scene) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    scene.judged()
    assert "Ines" in lead.text(page)
    lead.post("/reviews/switch", switch="names", value="hidden", next=page)
    assert "Ines" not in lead.text(page)
    assert ">Candidate 1</a>" in lead.text(page)


def test_a_preview_of_everybodys_attempts_hides_names_behind_the_attempts(
    lead: Browser, scene: Scene, engine: Engine
) -> None:
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Lena").values(is_admin=True))
    page = lead.post("/rejudges", versions=scene.pair).location
    scene.judged()
    lead.post("/reviews/switch", switch="names", value="hidden", next=page)
    assert f"attempt <code>{scene.attempt.public_id}</code>" in lead.text(page)
    assert "Ines" not in lead.text(page)


def test_a_refusal_that_reloads_without_scripts_goes_back_to_the_page(lead: Browser, scene: Scene) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    refused = lead.post(f"{page}/apply")
    assert refused.status_code == 409
    (address,) = re.findall(r'http-equiv="refresh" content="3; url=([^"]*)"', refused.get_data(as_text=True))
    assert "0 of 1 submission is judged" in lead.text(address)


def test_what_could_not_be_judged_is_ours_and_judged_again(lead: Browser, scene: Scene) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    scene.judged("JE")
    text = lead.text(page)
    assert "1 could not be judged with the new version" in text
    assert "Apply the new results" not in text
    assert lead.post(f"{page}/again").location == page
    assert "0 of 1 submission is judged" in lead.text(page)
    assert lead.post(f"{page}/discard").location == f"{scene.path}/rejudges"
    assert lead.get(page).status_code == 404


def test_versions_that_are_none_are_refused(lead: Browser, scene: Scene) -> None:
    for pair in ("", "x", f"{scene.pair.split()[0]} {'0' * 64}", scene.pair.split()[0] + " " + scene.pair.split()[0]):
        assert lead.post(f"{scene.path}/rejudges", versions=pair).status_code == 404


def test_judging_everybodys_attempts_is_for_admins(lead: Browser, scene: Scene, engine: Engine) -> None:
    assert lead.get("/rejudges").status_code == lead.post("/rejudges", versions=scene.pair).status_code == 404
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Lena").values(is_admin=True))
    assert f'value="{scene.pair}"' in lead.text("/rejudges")
    page = lead.post("/rejudges", versions=scene.pair).location
    assert "everybody's attempts" in lead.text(page)
    assert lead.post(f"{page}/discard").location == "/rejudges"


def test_downloads_are_attachments(lead: Browser, scene: Scene) -> None:
    kinds = {"long": "text/csv", "wide": "text/csv", "results": "application/jsonl", "evidence": "application/jsonl"}
    page = lead.text(f"{scene.path}/exports")
    for kind, content_type in kinds.items():
        assert f'value="{kind}"' in page
        reply = lead.post(f"{scene.path}/exports", kind=kind)
        assert reply.content_type.startswith(content_type)
        name = f"{scene.path.rpartition('/')[2]}-{kind}.{'csv' if 'csv' in content_type else 'jsonl'}"
        assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert "\u202e" not in reply.get_data(as_text=True)
    assert lead.post(f"{scene.path}/exports", kind="all").status_code == 400


def test_a_packet_is_one_file_without_private_notes(lead: Browser, scene: Scene, engine: Engine) -> None:
    with write_session(engine) as session:
        review = Review(
            attempt_id=scene.attempt.id,
            user_id=lena(engine).id,
            private_note="private canary",
            shared_note=f"shared {EVIL}",
            updated_at=NOON,
            finished_at=NOON,
        )
        session.add(review)
    reply = lead.post(f"{scene.path}/exports/packet", invitation=scene.invitation)
    text = reply.get_data(as_text=True)
    assert "attachment" in reply.headers["Content-Disposition"]
    assert text.startswith("<!doctype html>")
    assert "shared &lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in text
    for word in ("private canary", "secret_canary_name", "8642135", "canary expected", "<script", "\u202e"):
        assert word not in text, word
    links = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert all(link.startswith(("#", "https://example.org/")) for link in links), links
    assert "canary question one?" in text
    assert "Old." in text
    assert lead.post(f"{scene.path}/exports/packet", invitation="aaaaaaaaaaaa").status_code == 404


def test_a_packet_says_how_many_reviews_are_withheld(
    lead: Browser, scene: Scene, engine: Engine, packages: Packages
) -> None:
    def packet() -> str:
        return lead.post(f"{scene.path}/exports/packet", invitation=scene.invitation).get_data(as_text=True)

    with write_session(engine) as session:
        interview = session.scalars(select(Interview)).one()
    assert "No review is finished." in packet()
    finish(engine, packages, make_member(engine, interview, "Rita"), scene.attempt)
    assert "1 finished review is not in this packet: it opens to Lena once their own review" in packet()
    finish(engine, packages, make_member(engine, interview, "Otto"), scene.attempt)
    page = packet()
    assert "2 finished reviews are not in this packet: they open to Lena once their own review" in page
    assert "No review is finished." not in page


def finish(engine: Engine, packages: Packages, user: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        reviews.finish(session, user, attempt.public_id, draft(), 0, packages, END)


def test_exports_are_for_the_interviews_own(eve: Browser, scene: Scene, engine: Engine, app: Flask) -> None:
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Eve").values(is_interviewer=True))
    for path, fields in (("exports", {"kind": "long"}), ("exports/packet", {"invitation": scene.invitation})):
        assert eve.post(f"{scene.path}/{path}", **fields).status_code == 404
    assert eve.get(f"{scene.path}/exports").status_code == 404
    assert eve.get(f"{scene.path}/rejudges").status_code == 404
    with read_session(engine) as session:
        assert session.scalars(select(Attempt)).all()


def test_a_page_says_what_a_check_is_at(lead: Browser, engine: Engine, tmp_path: Path) -> None:
    page = send(lead, zipped(small_package(tmp_path, statement="Mine.\n")), "mine").location
    for done, words in (
        (3, "3 of 7 runs are over."),
        (7, "Every run is over; what submissions are compared with to name their faults is being made."),
    ):
        with write_session(engine) as session:
            session.execute(update(PackageCheck).values(done=done, total=7))
        assert words in lead.text(page)
        assert "being checked" in lead.text(page)
