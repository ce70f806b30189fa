"""axe-core on a page, in both themes: what it finds against accessibility, as lines that say where."""

from __future__ import annotations

from typing import Any, Final, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# by theme, what axe is asked: the dark theme is the light one with other colours, which these rules look at
_ASKED: Final[dict[Literal["light", "dark"], dict[str, Any]]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}


def check(page: Page) -> None:
    """Fail when axe finds something on the page as it stands now, in the light or in the dark theme."""
    __tracebackhide__ = True
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    page.evaluate(AXE_SCRIPT)
    found = [f"{scheme}: {line}" for scheme in _ASKED for line in _violations(page, scheme)]
    assert not found, "\n".join([page.url, *found])


def _violations(page: Page, scheme: Literal["light", "dark"]) -> list[str]:
    page.emulate_media(color_scheme=scheme)
    violations = page.evaluate("async (asked) => (await axe.run(asked)).violations", _ASKED[scheme])
    return [
        f"{violation['id']} at {' '.join(node['target'])}: {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]
