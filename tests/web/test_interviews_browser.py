"""An interview in a real browser, from setting it up to its release, with and without scripts, by thumb and by ear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from grader.services import accounts, links
from grader.store.session import make_engine, write_session
from tests.services.interviewing import begin
from tests.services.made import make_candidate
from tests.web import axe
from tests.web.serving import serving
from tests.web.test_account_browser import TOO_SMALL
from tests.web.visits import PASSWORD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]
# boxes are as large as their labels; what only the Enter key uses is not seen
SMALL: Final = TOO_SMALL.replace('node.type !== "checkbox"', '!node.matches("[type=checkbox], [type=radio], .sr")')


@dataclass(frozen=True)
class Served:
    """The service's address, and the database that it works on."""

    address: str
    data: Path

    def link(self, name: str) -> str:
        """Return the path of a link for a new interviewer."""
        engine = make_engine(f"sqlite:///{self.data}/data/grader.sqlite3")
        now = datetime.now(UTC)
        with write_session(engine) as session:
            user = accounts.add(session, name, None, now, is_interviewer=True)
            token = links.make(session, user, now, links.FIRST)
        engine.dispose()
        return f"/links/{token}"

    def begin(self, token: str) -> None:
        """Let somebody accept an invitation and start."""
        engine = make_engine(f"sqlite:///{self.data}/data/grader.sqlite3")
        begin(engine, token, make_candidate(engine), datetime.now(UTC))
        engine.dispose()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("service")
    with serving(data) as address:
        yield Served(address, data)


@pytest.fixture(scope="module")
def base(served: Served) -> str:
    return served.address


def sign_in(page: Page, served: Served, name: str) -> None:
    page.goto(served.link(name))
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()


def set_up(page: Page, title: str) -> None:
    page.get_by_role("link", name="Interviews", exact=True).click()
    page.get_by_role("link", name="Set an interview up").first.click()
    page.get_by_role("textbox", name="Title").fill(title)
    page.get_by_label("Add a whole set").select_option(index=1)
    page.get_by_role("button", name="Add the set").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value(title)
    page.get_by_role("button", name="Set the interview up").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()


def invite(page: Page, *names: str) -> list[str]:
    """Invite candidates; return the tokens of their links."""
    page.get_by_role("link", name="Invite candidates").first.click()
    page.get_by_label("Names, one on each line").fill("\n".join(names))
    page.get_by_role("button", name="Make the links").click()
    expect(page.get_by_role("heading", name=f"{len(names)} new link")).to_be_visible()
    return [address.rsplit("/", 1)[1] for address in page.locator("code.address").all_inner_texts()]


def test_an_interviews_life(served: Served, visit: Visit, scripts: bool) -> None:
    page = visit.page
    sign_in(page, served, f"Lena {scripts}")
    set_up(page, "Spring round")
    token, _ = invite(page, "Ines", "Tomasz")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert f'{token}"' in download.value.path().read_text()
    page.get_by_role("link", name="Back to the interview").click()
    ines = page.get_by_role("row", name="Ines")
    expect(ines).to_contain_text("not opened")

    served.begin(token)
    if not scripts:
        page.get_by_role("link", name="Refresh").click()
    expect(ines).to_contain_text("left")

    page.get_by_role("link", name="Ines").click()
    page.get_by_label("Minutes").fill("30")
    page.get_by_label("Why").first.fill("The fire alarm rang.")
    page.get_by_role("button", name="Give more time").click()
    expect(page.get_by_text("The fire alarm rang.")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("More time is given")
    page.get_by_text("End this candidate's time now").click()
    page.locator("#why").fill("Left the room.")
    page.get_by_role("button", name="End their time now").click()
    expect(page.get_by_role("status").first).to_contain_text("Their time is over")

    page.get_by_role("link", name="Spring round").click()
    page.get_by_text("Release the results", exact=True).click()
    page.get_by_role("button", name="Release the results now").click()
    expect(page.get_by_role("status").first).to_contain_text("The results are released")
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("link", name="Interviews", exact=True).first.click()
    page.get_by_role("link", name="Archived").click()
    expect(page.get_by_role("link", name="Spring round")).to_be_visible()


def test_times_are_typed_in_the_own_zone(served: Served, chromium: Browser) -> None:
    visit = Visit(chromium, served.address, timezone_id="Asia/Tokyo")
    page = visit.page
    sign_in(page, served, "Toru")
    set_up(page, "Tokyo round")
    page.get_by_role("link", name="Change").click()
    page.get_by_label("Closes").fill("2030-01-01T09:30")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.locator("time").first).to_have_attribute("datetime", "2030-01-01T00:30:00Z")
    page.get_by_role("link", name="Change").click()
    expect(page.get_by_label("Closes")).to_have_value("2030-01-01T09:30")
    visit.context.close()
    assert visit.trouble == []


def test_the_table_stays_where_it_was_scrolled_to(served: Served, chromium: Browser) -> None:
    visit = Visit(chromium, served.address, viewport={"width": 360, "height": 740})
    page = visit.page
    sign_in(page, served, "Sideways")
    set_up(page, "Wide round")
    invite(page, "Ines")
    page.get_by_role("link", name="Back to the interview").click()
    page.get_by_role("link", name="Ines").focus()
    scrolled = page.evaluate("() => { matrix.scrollLeft = 30; return matrix.scrollLeft; }")
    before = page.locator("#matrix").element_handle()
    page.wait_for_function("before => !before.isConnected", arg=before)
    assert page.evaluate("matrix.scrollLeft") == scrolled == 30
    expect(page.get_by_role("link", name="Ines")).to_be_focused()
    visit.context.close()
    assert visit.trouble == []


def test_axe_finds_nothing_and_everything_fits_a_phone(served: Served, chromium: Browser) -> None:
    visit = Visit(chromium, served.address, viewport={"width": 360, "height": 740})
    page = visit.page

    def look() -> None:
        axe.check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url
        assert page.evaluate(SMALL) == [], page.url

    sign_in(page, served, "Thumb")
    page.goto("/interviews")
    look()
    set_up(page, "W" * 120)
    look()
    home = page.url.partition("?")[0]
    token, _ = invite(page, "Ines", "X" * 120)
    look()
    served.begin(token)
    for path in ("/edit", "/invite", "/problems/1", ""):
        page.goto(home + path)
        look()
    for name in ("Ines", "X" * 120):
        page.goto(home)
        page.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        look()
    page.goto("/interviews")
    look()
    visit.context.close()
    assert visit.trouble == []
