"""A real browser's page on the real service, and what went wrong on it."""

from __future__ import annotations

import re
import secrets
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

TITLE: Final = "Attention heads that never mix"
SLUG: Final = "heads-never-mix"
PASSWORD: Final = "seven quiet otters"
SLOW_MS: Final = 20_000  # judging on a loaded machine


class Visit:
    """A page, and what went wrong on it: script errors, refused resources, requests elsewhere, words of the console."""

    def __init__(self, browser: Browser, base: str, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(base_url=base, **options)
        self.context.set_default_timeout(SLOW_MS)
        self.has_scripts: bool = options.get("java_script_enabled", True)
        self.page: Page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", lambda request: self._on_request(request, base))
        self.page.on("requestfailed", self._on_failure)

    def _on_console(self, message: ConsoleMessage) -> None:
        self.trouble.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request, base: str) -> None:
        if not request.url.startswith(f"{base}/"):
            self.trouble.append(f"asked elsewhere: {request.url}")

    def _on_failure(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the visitor was faster than an icon
            self.trouble.append(f"{request.url}: {request.failure}")

    def sign_up(self) -> str:
        """Make an account that nobody else has; return its name."""
        name = f"Ines {secrets.token_hex(4)}"
        self.page.goto("/")
        self.page.get_by_role("link", name="Make an account").click()
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Make the account").click()
        expect(self.page.get_by_role("link", name=name)).to_be_visible()
        return name

    def join(self) -> str:
        """Make an account that nobody else has, without looking at a page; return its name."""
        name = f"Ines {secrets.token_hex(4)}"
        self.send("/sign-up", name=name, password=PASSWORD)
        return name

    def begin(self, slug: str = SLUG, variant: str = "interview") -> str:
        """Make an account and open its first attempt, without looking at a page before; return its address."""
        self.join()
        self.page.goto(self.send(f"/problems/{slug}/attempts", variant=variant))
        return self.page.url

    def send(self, path: str, **fields: str) -> str:
        """Post a form with this browser's cookies; return where it leads."""
        page = self.context.request.get("/no-such-page").text()  # a short one
        word = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert word
        reply = self.context.request.post(path, form={"csrf_token": word[1], **fields}, max_redirects=0)
        assert reply.status == 303, reply.text()
        return reply.headers["location"]

    def start(self) -> None:
        """Make an account and go from the list to a new attempt, page by page."""
        self.sign_up()
        self.page.get_by_role("link", name=TITLE).click()
        self.page.get_by_label("Interview").check()
        self.page.get_by_role("button", name="Start").click()
        expect(self.page.get_by_role("heading", name="Contract")).to_be_visible()

    def write(self, source: str) -> None:
        """Replace what the attempt page's editor holds, in the ways that a person has for it."""
        if not self.has_scripts:
            self.page.get_by_label("Your source").fill(source)
            return
        editor = self.page.locator(".cm-content")  # in the plain field's place once the editor is there
        editor.click()
        self.page.keyboard.press("Control+a")
        if source:
            self.page.keyboard.insert_text(source)
        else:
            self.page.keyboard.press("Delete")

    def source(self) -> str:
        """Return what the form would send."""
        return self.page.locator("#source").input_value()
