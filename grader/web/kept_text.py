"""What comes as text is text that every database keeps: without NUL and lone surrogates, whatever reads it afterwards.

A source is bytes and may hold anything.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from flask import current_app, g, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import NotFound

from grader.errors import UserError
from grader.store.base import storable

SOURCE_FIELD: Final = "source"
View = Callable[..., ResponseReturnValue]
_TOLD: Final[dict[object, frozenset[str]]] = {}  # the fields that a view's own form tells of


class UnusableCharacter(UserError):
    """A text has a character that is none."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field  # of a form that tells of it itself


def told_on(page: View, *fields: str) -> Callable[[View], View]:
    """Let the page of a form tell of such a character in its fields, where what was typed stays.

    Args:
        page: returns the page, when it is given the error and what the view is given.
        fields: the names of the fields.
    """

    def told(view: View) -> View:
        @functools.wraps(view)
        def checked(**path: object) -> ResponseReturnValue:
            found = g.pop("unusable", None)
            return view(**path) if found is None else page(found, **path)

        _TOLD[checked] = frozenset(fields)
        return checked

    return told


def told_fields(endpoint: str) -> frozenset[str]:
    """Return the fields of which an endpoint's own page tells."""
    return _TOLD.get(current_app.view_functions[endpoint], frozenset())


def is_kept(*texts: str) -> bool:
    """Return whether every database keeps texts as they are."""
    return all(text == storable(text) for text in texts)


def check_address() -> None:
    """Make sure that path and words of an address can be looked up.

    Raises:
        NotFound: nothing has such a path.
        UnusableCharacter: a word of the query has a character that is none.
    """
    if not is_kept(request.path):
        request.view_args = None  # what is done after every request asks for nothing by them either
        raise NotFound
    if not all(is_kept(*pair) for pair in request.args.items(multi=True)):
        raise UnusableCharacter("The address holds a NUL, which no text here has; take it out and ask again.")


def check_form() -> None:
    """Make sure that the fields of a form can be stored.

    Where the form's page tells of one (`told_on`), the character has become one that shows.

    Raises:
        UnusableCharacter: one has a character that is none.
    """
    told = told_fields(request.endpoint) if request.endpoint else frozenset()
    fields = list(request.form.items(multi=True))
    spoilt = [name for name, value in fields if not (is_kept(name) and (name == SOURCE_FIELD or is_kept(value)))]
    if not told.issuperset(spoilt):
        raise UnusableCharacter(
            "A field of this form holds a NUL, which no text here has, so nothing was stored; go back, take it out "
            "and send the form again."
        )
    if spoilt:
        g.unusable = UnusableCharacter(
            "What you typed holds a NUL, which no text here has, so nothing was stored; it stands as ␀ in its field: "
            "take it out and send the form again.",
            spoilt[0],
        )
        request.form = ImmutableMultiDict((name, storable(value) if name in told else value) for name, value in fields)
