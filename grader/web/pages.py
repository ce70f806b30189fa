"""The theme, which addresses are pages of ours, and which page of a list is asked for."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlencode

from flask import Blueprint, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

THEMES: Final = ("system", "light", "dark")
THEME_DAYS: Final = 365
bp = Blueprint("pages", __name__)


@bp.post("/theme")
def choose_theme() -> ResponseReturnValue:
    """Keep the reader's choice in a cookie and return to the page that it was made on."""
    response = redirect(page_above(request.form.get("next", "")), 303)
    chosen = request.form.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            "theme",
            chosen,
            max_age=THEME_DAYS * 86400,
            httponly=True,
            samesite="Lax",
            secure=current_app.config["SESSION_COOKIE_SECURE"],
        )
    return response


def theme() -> str:
    """Return the theme that the reader chose."""
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else THEMES[0]


def known_page(path: str) -> str:
    """Return an address when it is one of our own pages, otherwise the start page: no form sends a reader elsewhere."""
    path, _, words = path.partition("?")
    return _with_words(path, words) if _is_page(path) else url_for("problems.index")


def page_above(path: str) -> str:
    """Return the page that an address belongs to: itself, or for what is only sent to, the nearest one above."""
    page = path.partition("?")[0]
    if _is_page(page):
        return known_page(path)
    if not _is_ours(page, "POST"):
        return url_for("problems.index")
    while page.count("/") > 1 and not _is_page(page):
        page = page.rpartition("/")[0]
    return known_page(page)


def asked_page() -> int:
    """Return the number of the page of a list that the address asks for, from 1; the first where it says none."""
    word = request.args.get("page", "")
    return max(1, int(word)) if re.fullmatch(r"[0-9]{1,5}", word) else 1


def this_page() -> str:
    """Return the address that is asked for with its words; who returns to it finds out whether it is a page."""
    return _with_words(request.path, request.query_string.decode(errors="replace"))


def _with_words(page: str, words: str) -> str:
    """Return a page's address with the words that stood in another one, written anew."""
    pairs = parse_qsl(words, keep_blank_values=True)
    return f"{page}?{urlencode(pairs)}" if pairs else page


def public_address(path: str) -> str:
    """Return the whole address of a path, under the name that people know the service by, to be told to somebody."""
    own: str = current_app.config["PUBLIC_URL"] or request.host_url
    return own.rstrip("/") + path


def _is_page(path: str) -> bool:
    return _is_ours(path, "GET")


def _is_ours(path: str, method: str) -> bool:
    # browsers drop some characters and read a backslash as a slash, so what is not plain is nobody's page
    if not re.fullmatch(r"/(?!/)[\w/.~-]*", path, re.ASCII):
        return False
    try:
        current_app.create_url_adapter(request).match(path, method=method)  # type: ignore[union-attr]
    except (HTTPException, RequestRedirect):
        return False
    return True
