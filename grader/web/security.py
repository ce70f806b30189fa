"""Rules that hold for every request and reply: who may be asked for, who may post, what a page may load."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final
from urllib.parse import SplitResult, urlsplit

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import UnsupportedMediaType

from grader.errors import UserError
from grader.web import cookies, health, kept_text
from grader.web.problem_details import is_for_program
from grader.web.service import current_user

PUBLIC: Final = frozenset(
    {
        "static",
        "health.live",
        "health.ready",
        "health.metrics",  # which asks for its own token
        "pages.choose_theme",
        "lesson.show",
        "accounts.show_sign_in",
        "accounts.enter",
        "accounts.show_sign_up",
        "accounts.sign_up",
        "accounts.sign_out",
        "accounts.take_link",
        "accounts.show_link",
        "accounts.use_link",
        "invitations.take",
        "invitations.show_link",
    }
)  # what answers without anybody signed in; a route that is not named here asks for that first
_FORMS: Final = b"forms"  # what the key is used for, so that no token of one purpose serves another
LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class WrongHost(UserError):
    """The request names a host that this service is not known by."""


class ForeignRequest(UserError):
    """A page of another site made the browser send this request."""


class OutOfDate(UserError):
    """A form carries no token of this browser's session."""


def register(app: Flask, public_url: str | None) -> None:
    """Put the rules on every request of an application.

    Args:
        public_url: the address that people use; None: only this machine's own names are answered.
    """
    public = urlsplit(public_url) if public_url else None
    hosts = frozenset({public.hostname}) if public else LOCAL_HOSTS

    def check_host() -> None:
        # who watches the service asks by address; the answer is a word or figures and holds no link
        if request.path not in health.PATHS and _split(f"//{request.host}").hostname not in hosts:
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
    app.before_request(kept_text.check_address)
    app.before_request(_check_encoding)
    app.before_request(check_origin)
    app.before_request(_check_sign_in)
    app.before_request(_check_token)
    app.after_request(_set_headers)
    app.jinja_env.globals["csrf_token"] = csrf_token
    app.jinja_env.globals["nonce"] = nonce
    app.jinja_env.globals["style_nonce"] = style_nonce


def nonce() -> str:
    """Return the word that this reply's own scripts carry."""
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(16)
    word: str = g.nonce
    return word


def style_nonce() -> str:
    """As `nonce`, for a script that makes its own style sheet: this reply's styles may carry the word as well."""
    g.has_styled_script = True
    return nonce()


def csrf_token() -> str:
    """Return the word that a form carries: another one each time, and good for this browser's session alone."""
    salt = secrets.token_hex(8)
    return f"{salt}.{_signature(salt)}"


def _signature(salt: str) -> str:
    key = hmac.digest(current_app.config["SECRET_KEY"], _FORMS, hashlib.sha256)
    return hmac.new(key, f"{salt}.{cookies.token()}".encode(), hashlib.sha256).hexdigest()


def _check_encoding() -> None:
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType


def _check_sign_in() -> None:
    if is_for_program():  # each operation asks for its token
        return
    if request.endpoint is not None and request.endpoint not in PUBLIC:
        current_user()


def _check_token() -> None:
    # to programs a cookie opens nothing, so no other site's form can use it
    if request.method in _SAFE_METHODS or is_for_program():
        return
    sent = request.headers.get("X-CSRFToken") or request.form.get("csrf_token", "")
    salt, _, signature = sent.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(salt).encode()):
        raise OutOfDate("Nothing was changed. Go back, reload the page and send the form again.")
    kept_text.check_form()


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
    style = f"'self' {script}" if g.get("has_styled_script") else "'self'"
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self'; connect-src 'self'; "
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
