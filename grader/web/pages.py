"""Pages about the reader and the service: theme, the own name, leaving, health."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from grader.errors import NotFound
from grader.web.security import HEALTH
from grader.web.service import candidate, leave

THEMES: Final = ("system", "light", "dark")
THEME_DAYS: Final = 365
bp = Blueprint("pages", __name__)


@bp.get(HEALTH)
def health() -> ResponseReturnValue:
    """Answer one word, which tells nothing."""
    return "ok", {"Content-Type": "text/plain; charset=utf-8"}


@bp.post("/theme")
def choose_theme() -> ResponseReturnValue:
    """Keep the reader's choice in a cookie and return to the page that it was made on."""
    response = redirect(known_page(request.form.get("next", "")), 303)
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
    """Return a path when it is one of our own pages, otherwise the start page: no form sends a reader elsewhere."""
    start = url_for("problems.index")
    try:
        parts = urlsplit(path)
        if parts.scheme or parts.netloc or not path.startswith("/") or path.startswith(("//", "/\\")):
            return start
        current_app.create_url_adapter(request).match(parts.path, method="GET")  # type: ignore[union-attr]
    except (ValueError, HTTPException, RequestRedirect):
        return start
    return parts.path


@bp.get("/me")
def me() -> ResponseReturnValue:
    """Show by which name the reader practises, and how to leave."""
    if candidate() is None:
        raise NotFound("You have not started anything yet; choose a problem first.")
    return render_template("me.html")


@bp.post("/leave")
def forget() -> ResponseReturnValue:
    """End this browser's access for good."""
    leave()
    return redirect(url_for("problems.index"), 303)
