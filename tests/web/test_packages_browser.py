"""A private package in a real browser: uploaded, checked, corrected, attempts judged again, results taken along."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select, update

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import accounts, interviews, invitations, links
from grader.services.interview_settings import Chosen, Settings
from grader.services.judged_rows import judge_row, write_result
from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import PackageCheck
from grader.store.models import Package, Submission
from grader.store.session import make_engine, write_session
from tests.archives import small_package, zipped
from tests.services.interviewing import begin
from tests.services.made import make_candidate
from tests.services.rejudging import CORRECTED
from tests.services.tiny_package import WRONG, write_package
from tests.web import axe
from tests.web.serving import serving
from tests.web.test_interviews_browser import SMALL
from tests.web.visits import PASSWORD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]
NAME = "ines.okafor.of.the.second.round@candidates.example"
CHECKED_MS = 60_000  # on a loaded machine
REFUSED = "error: Failed to load resource: the server responded with a status of 422 (UNPROCESSABLE ENTITY)"


@dataclass(frozen=True)
class Served:
    """The service's address, and the database that it works on."""

    address: str
    data: Path
    packages: Packages
    pool: Pool
    cache: CaseCache

    def link(self, name: str) -> str:
        """Return the path of a link for a new interviewer."""
        engine = make_engine(self.url)
        now = datetime.now(UTC)
        with write_session(engine) as session:
            user = accounts.add(session, name, None, now, is_interviewer=True)
            token = links.make(session, user, now, links.FIRST)
        engine.dispose()
        return f"/links/{token}"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.data}/data/grader.sqlite3"

    def interview(self, name: str, slug: str) -> str:
        """Accept a user's packages; set an interview up with the first, and let a candidate hand something in."""
        engine, now = make_engine(self.url), datetime.now(UTC)
        with write_session(engine) as session:
            session.execute(update(PackageCheck).values(is_accepted=True))
            old = session.scalars(select(Package).filter_by(slug=slug).order_by(Package.id)).first()
            lead = user_named(session, name.casefold())
            assert old is not None
            assert lead is not None
            settings = Settings("Private round", (Chosen(old.sha256, "only"),), submissions_max=5)
            interview = interviews.create(session, lead, settings, self.packages, now)
        with write_session(engine) as session:
            (invited,) = invitations.invite(session, lead, interview.public_id, [NAME], now).made
        attempt = begin(engine, invited.token, make_candidate(engine), now)
        with write_session(engine) as session:
            row = Submission(attempt_id=attempt.id, ordinal=1, source=WRONG, created_at=now)
            session.add(row)
            session.flush()
            key = row.id
        with self.pool.lane() as lane:
            graded = judge_row(engine, key, lane, self.cache, self.packages)
        assert graded is not None
        write_result(engine, key, graded.judgement, now, graded.sample_outputs)
        engine.dispose()
        return f"/interviews/{interview.public_id}"


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, chromium: Browser, pool: Pool, cache: CaseCache
) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("service")
    root = data / "problems"
    write_package(root)
    with serving(data, root) as address:
        yield Served(address, data, Packages(root), pool, cache)


@pytest.fixture(scope="module")
def base(served: Served) -> str:
    return served.address


def sign_in(page: Page, served: Served) -> str:
    name = f"Lena {secrets.token_hex(4)}"
    page.goto(served.link(name))
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()
    return name


def upload(page: Page, slug: str, data: bytes) -> None:
    page.get_by_role("link", name="Packages", exact=True).first.click()
    page.get_by_label("Archive").set_input_files({"name": "x.zip", "mimeType": "application/zip", "buffer": data})
    page.get_by_label("Name").fill(slug)
    page.get_by_role("button", name="Upload").click()


def check(page: Page, scripts: bool) -> None:
    """Look at the page as it is: by ear, by thumb; without scripts nothing can be asked of a page."""
    if not scripts:
        return
    axe.check(page)
    width = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360, page.url
    assert page.evaluate(SMALL) == [], page.url
    if width:
        page.set_viewport_size(width)


@pytest.mark.parametrize(
    "scripts",
    [pytest.param(True, id="scripts"), pytest.param(False, id="no-scripts", marks=pytest.mark.long)],
    indirect=True,
)
def test_from_the_upload_to_the_packet(served: Served, visit: Visit, scripts: bool, tmp_path: Path) -> None:
    page, slug = visit.page, f"mine-{secrets.token_hex(4)}"
    name = sign_in(page, served)
    upload(page, slug, zipped({"readme.md": b"x"}))
    expect(page.get_by_role("alert")).to_contain_text("problem.yaml: stands neither")
    check(page, scripts)
    # a word of its own: equal bytes would be the other run's package
    upload(page, slug, zipped(small_package(tmp_path / "old", statement=f"Wrong {slug}.\n")))
    expect(page.get_by_text("being checked")).to_be_visible()
    expect(page.get_by_text("not accepted")).to_be_visible(timeout=CHECKED_MS)
    expect(page.get_by_text("stages.py: the file is missing")).to_be_visible()
    check(page, scripts)
    corrected = {**CORRECTED, "statement": f"Corrected {slug}.\n"}
    upload(page, slug, zipped(small_package(tmp_path / "new", **corrected)))
    expect(page.get_by_text("not accepted")).to_be_visible(timeout=CHECKED_MS)

    interview = served.interview(name, slug)
    page.goto(interview)
    page.get_by_role("link", name="Judge again").click()
    page.get_by_role("radio").check()
    check(page, scripts)
    page.get_by_role("button", name="Judge for a preview").click()
    expect(page.get_by_role("button", name="Apply the new results")).to_be_visible(timeout=CHECKED_MS)
    expect(page.get_by_role("row", name=NAME)).to_contain_text("AC")
    check(page, scripts)
    page.get_by_role("button", name="Apply the new results").click()
    expect(page.get_by_role("button", name="Undo it")).to_be_visible(timeout=CHECKED_MS)

    page.goto(interview)
    page.get_by_role("link", name="Export").click()
    check(page, scripts)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download: Scores, CSV").click()
    assert f'"{NAME}"' in download.value.path().read_text()
    assert download.value.path().read_text().splitlines()[1].endswith('"100","100","","100"')
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Packet of {NAME}").click()
    packet = tmp_path / "packet.html"
    download.value.save_as(packet)
    page.goto(packet.as_uri())
    expect(page.get_by_role("heading", name=NAME)).to_be_visible()
    check(page, scripts)
    assert visit.trouble == [REFUSED, f"asked elsewhere: {packet.as_uri()}"]  # and for nothing that is not in it
    visit.trouble.clear()
