"""Refusals that several services share: what is asked for may be right, and the moment is not."""

from __future__ import annotations

from grader.errors import UserError


class NotNow(UserError):
    """What is to be changed is in no state for this."""

    status = 409


class Outdated(UserError):
    """Something newer is stored than the form was made from."""

    status = 412
