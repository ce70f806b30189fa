"""What comes as text is text that every database keeps: without NUL and lone surrogates, whatever reads it afterwards.

A source is bytes and may hold anything.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from flask import current_app, g, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import HTTPException, NotFound

from grader.errors import UserError
from grader.store.base import storable

SOURCE_FIELD: Final = "source"
View = Callable[..., ResponseReturnValue]


@dataclass(frozen=True)
class ToldFields:
    """The fields of a form of which its own page tells; what was typed as a password is not shown again."""

    texts: frozenset[str] = frozenset()
    passwords: frozenset[str] = frozenset()

    def __contains__(self, name: str) -> bool:
        """Whether it is one of them."""
        return name in self.texts or name in self.passwords


_TOLD: Final[dict[object, ToldFields]] = {}  # by the view


class UnusableCharacter(UserError):
    """A text has a character that is none."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field  # of a form that tells of it itself


def told_on(page: View, *fields: str, passwords: Sequence[str] = ()) -> Callable[[View], View]:
    """Let the page of a form tell of such a character in its fields, where what was typed stays but for passwords.

    Args:
        page: returns the page, when it is given the error and what the view is given.
        fields: the names of the fields.
        passwords: the names of those for passwords.
    """

    def told(view: View) -> View:
        @functools.wraps(view)
        def checked(**path: object) -> ResponseReturnValue:
            found = g.pop("unusable", None)
            return view(**path) if found is None else page(found, **path)

        _TOLD[checked] = ToldFields(frozenset(fields), frozenset(passwords))
        return checked

    return told


def told_fields(endpoint: str) -> ToldFields:
    """Return the fields of which an endpoint's own page tells."""
    return _TOLD.get(current_app.view_functions[endpoint], ToldFields())


def sent_texts() -> list[tuple[str, str]]:
    """Return what somebody typed into the form that came, by field, to be handed back where nothing else keeps it.

    A script keeps its texts itself, and passwords are typed again.
    """
    if request.method != "POST" or request.endpoint is None or request.headers.get("Sec-Fetch-Dest") == "empty":
        return []
    texts = told_fields(request.endpoint).texts | {SOURCE_FIELD}
    try:
        fields = list(request.form.items(multi=True))
    except HTTPException:  # it cannot be read
        return []
    return [(name, value.replace("\r\n", "\n")) for name, value in fields if name in texts and value.strip()]


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
    told = told_fields(request.endpoint) if request.endpoint else ToldFields()
    fields = list(request.form.items(multi=True))
    spoilt = [name for name, value in fields if not (is_kept(name) and (name == SOURCE_FIELD or is_kept(value)))]
    if not all(name in told for name in spoilt):
        raise UnusableCharacter(
            "A field of this form holds a NUL, which no text here has, so nothing was stored; go back, take it out "
            "and send the form again."
        )
    if spoilt:
        g.unusable = _told_at(spoilt, told)
        request.form = ImmutableMultiDict((name, storable(value) if name in told else value) for name, value in fields)


def _told_at(spoilt: Sequence[str], told: ToldFields) -> UnusableCharacter:
    """Return the error of a form's fields: of the first whose text is shown, or else of the first password."""
    texts = [name for name in spoilt if name in told.texts]
    if not texts:
        return UnusableCharacter(
            "The password that you typed holds a NUL, which no text here has; type it again without it.", spoilt[0]
        )
    return UnusableCharacter(
        "What you typed holds a NUL, which no text here has, so nothing was stored; it stands as ␀ in its field: "
        "take it out and send the form again.",
        texts[0],
    )
