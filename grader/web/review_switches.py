"""Two switches of who reviews, kept in cookies: whether names are hidden, and whether single keys do something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flask import request
from sqlalchemy.orm import Session

from grader.store import cohort_queries
from grader.store.interview_models import Interview, Invitation
from grader.web.cookies import cookie_name

KEPT_S: Final = 365 * 86400
SWITCHES: Final = {
    "names": "hidden",
    "keys": "off",
}  # cookie and its value; without it a switch stands as it does first


def are_names_hidden() -> bool:
    """Return whether candidates are shown by their numbers alone."""
    return _is_set("names")


def are_keys_off() -> bool:
    """Return whether single keys do nothing on the review page."""
    return _is_set("keys")


def _is_set(name: str) -> bool:
    return request.cookies.get(cookie_name(name)) == SWITCHES[name]


def shown_name(label: str, number: int) -> str:
    """Return what a candidate is called on this reader's pages."""
    return f"Candidate {number}" if are_names_hidden() else label


def shown_names(session: Session, interview: Interview) -> Mapping[int, str]:
    """Return what an interview's candidates are called on this reader's pages, by the keys of their invitations."""
    invited = cohort_queries.candidates_in(session, interview)
    return {key: shown_name(label, number) for number, (key, label) in enumerate(invited, 1)}


def candidate_name(invitation: Invitation, number: int) -> str:
    """As `shown_name`, of an invitation."""
    return shown_name(invitation.label, number)
