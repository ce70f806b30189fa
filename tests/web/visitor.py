"""A minimal browser over real HTTP."""

from __future__ import annotations

import http.cookiejar
import re
import secrets
import urllib.parse
import urllib.request

from tests.services.tiny_package import SLUG


class Visitor:
    """A minimal browser over real HTTP, in which somebody has signed up."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.open("/sign-up", name=f"Ada {secrets.token_hex(4)}", password="seven quiet otters")

    def open(self, path: str, **fields: str) -> tuple[str, str]:
        """Get a page, or post a form with the token of the start page; return where it led and its text."""
        data = None
        if fields:
            found = re.search(r'name="csrf_token" value="([^"]+)"', self.open("/lesson")[1])
            assert found
            data = urllib.parse.urlencode({"csrf_token": found[1], **fields}).encode()
        with self.opener.open(self.base + path, data=data, timeout=20) as reply:
            return urllib.parse.urlsplit(reply.url).path, reply.read().decode()

    def submit(self, source: bytes, slug: str = SLUG, variant: str = "only") -> str:
        """Start an attempt and hand a source in; return the page of the submission."""
        attempt = self.open(f"/problems/{slug}/attempts", variant=variant)[0]
        return self.open(f"{attempt}/submissions", source=source.decode())[0]
