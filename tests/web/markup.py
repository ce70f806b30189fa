"""What strangers type to get markup onto a page, and what would show that they succeeded."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Final

PAYLOADS: Final = (Path(__file__).parents[1] / "data" / "xss.txt").read_text().splitlines()


class _Finder(HTMLParser):
    """Collects what could act on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (tag == "script" and not given.get("nonce")) or tag in ("iframe", "object", "embed", "img", "style", "base"):
            self.active.append(tag)
        self.active += [name for name, value in attrs if name.startswith("on") or name == "style"]
        self.active += [value for _, value in attrs if value and value.lower().startswith(("javascript:", "data:"))]


def active(page: str) -> list[str]:
    """Return what could act on a page, as a plain parser reads it."""
    finder = _Finder()
    finder.feed(page)
    return finder.active


# as a browser reads it: nodes of scripts that are not ours, handlers, foreign frames, addresses that run or leave
IN_A_BROWSER: Final = """
pages => pages.map(page => {
  const found = [];
  for (const node of new DOMParser().parseFromString(page, "text/html").querySelectorAll("*")) {
    const name = node.localName;
    if (name === "script" && (node.textContent.trim() || !node.getAttribute("src").startsWith("/static/")))
      found.push("script");
    if (["iframe", "object", "embed", "img", "image", "style", "base", "animate", "audio", "video"].includes(name))
      found.push(name);
    if (name === "link" && !node.getAttribute("href").startsWith("/static/")) found.push("link");
    if (name === "meta" && /evil|script:/.test(node.content)) found.push("meta");
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on") || name === "style" || name === "srcdoc") found.push(name);
      if (/^[\\s\\0]*(javascript|data|vbscript)\\s*:/i.test(value) && name !== "value") found.push(`${name}=${value}`);
      if (/^(\\/\\/|\\\\)/.test(value) && name !== "value") found.push(`${name}=${value}`);
    }
  }
  return found;
})
"""
