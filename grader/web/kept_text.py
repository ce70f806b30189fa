"""What comes as text is text that every database keeps: without NUL and lone surrogates, whatever reads it afterwards.

A source is bytes and may hold anything.
"""

from __future__ import annotations

from typing import Final

from flask import request
from werkzeug.exceptions import NotFound

from grader.errors import UserError
from grader.store.base import storable

SOURCE_FIELD: Final = "source"


class UnusableCharacter(UserError):
    """A text has a character that is none."""


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

    Raises:
        UnusableCharacter: one has a character that is none.
    """
    for name, value in request.form.items(multi=True):
        if not is_kept(name) or (name != SOURCE_FIELD and not is_kept(value)):
            raise UnusableCharacter(
                "A field of this form holds a NUL, which no text here has, so nothing was stored; go back, take it out "
                "and send the form again."
            )
