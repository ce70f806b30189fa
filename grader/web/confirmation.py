"""The own password, shown once more before what nobody should do at another person's open browser."""

from __future__ import annotations

from flask import request

from grader.services import sign_in
from grader.web.service import current_user, now, service


def confirm() -> None:
    """Make sure that the form that came has the password of whoever is signed in.

    Raises:
        UserError: it has not, or it was guessed too often.
    """
    password = request.form.get("password", "")
    sign_in.confirm(service().engine, service().passwords, current_user(), password, now())
