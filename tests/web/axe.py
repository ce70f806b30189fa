"""axe-core on a page, in both themes: what it finds against accessibility, as lines that say where."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def check(page: Page) -> None:
    """Fail when axe finds something on the page as it stands now, in the light or in the dark theme."""
    __tracebackhide__ = True
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    found = [f"{scheme}: {line}" for scheme in ("light", "dark") for line in _violations(page, scheme)]
    assert not found, "\n".join([page.url, *found])


def _violations(page: Page, scheme: str) -> list[str]:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    results = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} at {' '.join(node['target'])}: {node['failureSummary']}"
        for violation in results
        for node in violation["nodes"]
    ]
