"""Forms that do their act once: sent a second time, as by a double click, they lead to where the first one led.

What the first reply alone showed, and browsers dropped, is made anew and shown.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from typing import Final, TypeVar

from flask import request
from sqlalchemy.orm import Session

from grader.services import replies
from grader.services.replies import Asked
from grader.web.service import current_user, now

KEY_FIELD: Final = "form_key"
_KEY: Final = re.compile(r"[\w-]{16,64}", re.ASCII)
_OK: Final = 200
_SEE_OTHER: Final = 303
Shown = TypeVar("Shown")


def form_key() -> str:
    """Return the word by which a form that was sent already is known."""
    return secrets.token_urlsafe(16)


def once(session: Session, act: Callable[[], str]) -> str:
    """Do what a form asks; return the address of the page that follows, of the first time when it was sent before.

    A form that was changed before it came again, on a page that the browser had kept, asks for something new.
    """
    asked = _asked()
    if asked is None:
        return act()
    _, address = replies.once(session, asked, now(), lambda: (_SEE_OTHER, act().encode()))
    return address.decode()


def once_shown(
    session: Session, act: Callable[[], tuple[Shown, str]], again: Callable[[str], Shown]
) -> tuple[Shown, bool]:
    """Do what a form asks whose reply alone shows a secret; sent before, show a new secret for what was made then.

    Returns what is shown, and whether the form was sent before.

    Args:
        session: stores both.
        act: does it; returns what is shown, and what a repeat has to know of it, which is stored and holds no secret.
        again: makes the secrets anew from what a repeat knows; whoever sent the form twice never saw the first ones.
    """
    asked = _asked()
    if asked is None:
        return act()[0], False
    first: list[Shown] = []

    def do() -> tuple[int, bytes]:
        shown, known = act()
        first.append(shown)
        return _OK, known.encode()

    _, known = replies.once(session, asked, now(), do)
    return (first[0], False) if first else (again(known.decode()), True)


def _asked() -> Asked | None:
    """Return what is asked, the same of a form that is sent once more; None: a program made its form itself."""
    key = request.form.get(KEY_FIELD, "")
    if not _KEY.fullmatch(key):
        return None
    sent = _sent()
    return Asked.of(current_user(), f"POST {request.path}", f"{key}.{hashlib.sha256(sent).hexdigest()}", sent)


def _sent() -> bytes:
    """Return what a form says, the same bytes for the same fields and files."""
    fields = [(name, value) for name, value in request.form.items(multi=True) if name != "csrf_token"]
    files = []
    for name, file in request.files.items(multi=True):
        file.seek(0)
        files.append((name, file.filename, hashlib.sha256(file.read()).hexdigest()))
        file.seek(0)
    return json.dumps([fields, files]).encode()
