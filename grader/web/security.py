"""Rules that hold for every request and reply: who may be asked for, who may post, what a page may load."""

from __future__ import annotations

import secrets
from typing import Final
from urllib.parse import SplitResult, urlsplit

from flask import Flask, Response, g, request
from flask_wtf.csrf import CSRFProtect

from grader.errors import UserError

HEALTH: Final = "/healthz"
LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class WrongHost(UserError):
    """The request names a host that this service is not known by."""


class ForeignRequest(UserError):
    """A page of another site made the browser send this request."""


def register(app: Flask, public_url: str | None) -> None:
    """Put the rules on every request of an application.

    Args:
        public_url: the address that people use; None: only this machine's own names are answered.
    """
    public = urlsplit(public_url) if public_url else None
    hosts = frozenset({public.hostname}) if public else LOCAL_HOSTS

    def check_host() -> None:
        # who watches the service asks by address; the answer is one word and holds no link
        if request.path != HEALTH and _split(f"//{request.host}").hostname not in hosts:
            raise WrongHost(
                "This service is not known by the name that you called it by; "
                "who runs it sets GRADER_PUBLIC_URL to the address that people use."
            )

    def check_origin() -> None:
        if request.method in _SAFE_METHODS:
            return
        # a page under no-referrer sends "null"; the token decides then, and newer browsers say the site besides
        site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "null")
        own = origin == "null" or _is_own(_split(origin), public)
        if site not in (None, "same-origin", "none") or not own:
            raise ForeignRequest(
                "Another site sent this form, so nothing was changed; open the page here and send it again."
            )

    app.before_request(check_host)
    app.before_request(check_origin)
    app.after_request(_set_headers)
    app.config.update(
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session: an attempt may stay open for hours
        WTF_CSRF_SSL_STRICT=False,  # it demands a referrer, which our pages never send; check_origin is in its place
    )
    CSRFProtect(app)
    app.jinja_env.globals["nonce"] = nonce


def nonce() -> str:
    """Return the word that this reply's own scripts carry."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(16)
    word: str = g.nonce
    return word


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - a malformed port raises only when it is read
    except ValueError:
        return urlsplit("")
    return parts


def _is_own(origin: SplitResult, public: SplitResult | None) -> bool:
    if public is None:
        # behind no public address the scheme is not known for sure: a proxy may speak https for us
        return bool(origin.netloc) and origin.netloc.lower() == request.host.lower()
    return _identity(origin) == _identity(public)


def _identity(url: SplitResult) -> tuple[str, str | None, int | None]:
    return url.scheme, url.hostname, url.port or _DEFAULT_PORTS.get(url.scheme)


def _set_headers(response: Response) -> Response:
    script = f"'nonce-{g.nonce}'" if "nonce" in g else "'none'"
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {script}; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if request.endpoint != "static":
        response.headers["Cache-Control"] = "no-store"
        response.vary.add("Cookie")
    return response
