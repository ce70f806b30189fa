"""Accounts in a real browser: doors, links and the own account, with and without scripts, by thumb and by ear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from grader.services import accounts, links
from grader.store.session import make_engine, write_session
from tests.web import axe
from tests.web.serving import serving
from tests.web.visits import PASSWORD, Visit

pytestmark = [pytest.mark.browser, pytest.mark.sandbox]
REFUSED = "error: Failed to load resource: the server responded with a status of 400 (BAD REQUEST)"
MISSING = "error: Failed to load resource: the server responded with a status of 404 (NOT FOUND)"
TOO_SMALL = """
() => [...document.querySelectorAll("header a, header button, main a.btn, main button, main input, summary")]
  .filter(node => node.checkVisibility() && node.type !== "checkbox" && node.getBoundingClientRect().height < 44)
  .map(node => node.outerHTML)
"""


@dataclass(frozen=True)
class Served:
    """The service's address, and the database that it works on."""

    address: str
    data: Path

    def link(self, name: str | None) -> str:
        """Return the path of a link for a new user; None: for the first admin."""
        engine = make_engine(f"sqlite:///{self.data}/data/grader.sqlite3")
        now = datetime.now(UTC)
        with write_session(engine) as session:
            user = accounts.add(session, name, None, now) if name else None
            token = links.make(session, user, now, links.FIRST)
        engine.dispose()
        return f"/links/{token}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("service")
    with serving(data) as address:
        yield Served(address, data)


@pytest.fixture(scope="module")
def base(served: Served) -> str:
    return served.address


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_an_accounts_life(visit: Visit) -> None:
    page = visit.page
    name = visit.sign_up()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()

    page.goto("/progress")
    sign_in(page, name, "a wrong guess")
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    expect(page.get_by_label("Name")).to_have_value(name)
    sign_in(page, name.upper())
    expect(page).to_have_url(f"{page.url.partition('/progress')[0]}/progress")

    page.get_by_role("link", name=name).click()
    page.get_by_role("textbox", name="Name").fill(f"{name} II")
    page.get_by_role("button", name="Change the name").click()
    expect(page.get_by_text("Your name is changed")).to_be_in_viewport()

    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("nine loud badgers")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_text("Your password is changed")).to_be_in_viewport()

    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    assert f'"name": "{name} II"' in download.value.path().read_text()

    page.get_by_text("Delete my account and everything in it").click()
    page.get_by_role("textbox", name="Password", exact=True).fill("nine loud badgers")
    page.get_by_role("button", name="Delete everything of mine").click()
    expect(page.get_by_text("Your account is deleted")).to_be_visible()
    assert visit.trouble == [REFUSED]
    visit.trouble.clear()


def test_another_browser_is_signed_out_from_here(chromium: Browser, base: str, visit: Visit) -> None:
    name = visit.sign_up()
    other = Visit(chromium, base)
    other.page.goto("/sign-in")
    sign_in(other.page, name)
    visit.page.goto("/me")
    visit.page.get_by_role("button", name="End the session").click()
    other.page.goto("/me")
    expect(other.page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(visit.page.get_by_role("heading", name="Your account")).to_be_visible()
    other.context.close()
    assert other.trouble == []


def test_a_link_lets_somebody_in_once(served: Served, visit: Visit, scripts: bool) -> None:
    page, path = visit.page, served.link(name := f"Invited {scripts}")
    page.goto(path)
    expect(page).to_have_url(f"{served.address}/link")
    page.get_by_label("New password").fill("short")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("alert")).to_contain_text("too short")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()
    page.goto(path)
    expect(page.get_by_text("This link does not work, or not any more")).to_be_visible()
    assert visit.trouble == [REFUSED, MISSING]
    visit.trouble.clear()


def test_axe_finds_nothing_and_everything_fits_a_phone(served: Served, chromium: Browser) -> None:
    visit = Visit(chromium, served.address, viewport={"width": 360, "height": 740})
    page = visit.page

    def look() -> None:
        axe.check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url
        assert page.evaluate(TOO_SMALL) == [], page.url

    page.goto("/sign-in")
    look()
    sign_in(page, "Nobody", "a wrong guess")
    look()
    page.goto("/sign-up")
    look()
    for name in ("Ines", None):
        page.goto(served.link(name))
        look()
    page.goto("/sign-up")
    page.get_by_label("Name").fill("W" * 60)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.goto("/me")
    look()
    page.get_by_role("textbox", name="Name").fill("Ines")
    page.get_by_role("button", name="Change the name").click()
    look()
    page.goto("/nowhere")
    look()
    visit.context.close()
    assert [line for line in visit.trouble if "Failed to load resource" not in line] == []
