"""Forms that do their act once: sent a second time, as by a double click, they lead to where the first one led."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from typing import Final

from flask import request
from sqlalchemy.orm import Session

from grader.services import replies
from grader.services.replies import Asked
from grader.web.service import current_user, now

KEY_FIELD: Final = "form_key"
_KEY: Final = re.compile(r"[\w-]{16,64}", re.ASCII)
_SEE_OTHER: Final = 303


def form_key() -> str:
    """Return the word by which a form that was sent already is known."""
    return secrets.token_urlsafe(16)


def once(session: Session, act: Callable[[], str]) -> str:
    """Do what a form asks; return the address of the page that follows, of the first time when it was sent before.

    A form that was changed before it came again, on a page that the browser had kept, asks for something new.
    """
    key = request.form.get(KEY_FIELD, "")
    if not _KEY.fullmatch(key):
        return act()  # a program's, which made its form itself
    sent = _sent()
    key = f"{key}.{hashlib.sha256(sent).hexdigest()}"
    asked = Asked.of(current_user(), f"POST {request.path}", key, sent)
    _, address = replies.once(session, asked, now(), lambda: (_SEE_OTHER, act().encode()))
    return address.decode()


def _sent() -> bytes:
    """Return what a form says, the same bytes for the same fields and files."""
    fields = [(name, value) for name, value in request.form.items(multi=True) if name != "csrf_token"]
    files = []
    for name, file in request.files.items(multi=True):
        file.seek(0)
        files.append((name, file.filename, hashlib.sha256(file.read()).hexdigest()))
        file.seek(0)
    return json.dumps([fields, files]).encode()
