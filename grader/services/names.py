"""Names of accounts: what may be one, what one is looked up by, and which two would look the same."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final

from grader.errors import UserError
from grader.report.visible import JOINED_PICTURES, visible
from grader.store.models import NAME_LENGTH

READERS: Final = (
    "The people who run this service see it, and so do the interviewers of the interviews you take part in."
)
MARKS_MAX: Final = 3  # in a row, on one letter, beyond what is composed with it; written languages need no more
# alphabets that lend each other letters; words of other scripts may be mixed, as Japanese is
_ALPHABETS: Final = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LATIN"})
_VARIATION: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # choose a glyph, if that
# what only those who run the service are called: who signs up might pass for them
_RESERVED: Final = (
    "admin",
    "administrator",
    "grader",
    "help",
    "helpdesk",
    "moderator",
    "operator",
    "root",
    "security",
    "staff",
    "superuser",
    "support",
    "system",
    "webmaster",
)
_JOINS: Final = re.compile("[\u200d\ufe0f]")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_DIGITS: Final = re.compile(r"\d+")
_DIGITS_AS_LETTERS: Final = str.maketrans("01345", "oieas")
_WORD_ENDS: Final = re.compile(r"[\s\-\u2010-\u2015]+")


class UnusableName(UserError):
    """A name cannot be one."""


def _read_look_alikes() -> dict[int, str]:
    lines = Path(__file__).with_name("look_alikes.txt").read_text("utf-8").splitlines()
    groups = [line.split() for line in lines if not line.startswith("#")]
    return {ord(other): first for first, *others in groups for other in others}


_LOOK_ALIKES: Final = _read_look_alikes()


def typed_name(name: str) -> str:
    """Return a name as somebody may sign in with it: names given by older releases are less strict than new ones.

    Raises:
        UnusableName: it is empty, too long or has characters that do not show.
    """
    name = unicodedata.normalize("NFC", " ".join(name[: 10 * NAME_LENGTH].split()))
    if not name:
        raise UnusableName(f"Enter a name; you sign in with it. {READERS}")
    if len(name) > NAME_LENGTH:
        raise UnusableName(f"The name has more than {NAME_LENGTH} characters; shorten it.")
    if visible(name, keep="") != name:
        raise UnusableName("The name has characters that do not show; type it again without them.")
    return name


def tidy_name(name: str) -> str:
    """Return a new name as it is stored.

    Raises:
        UnusableName: it is empty, too long, or cannot be read without a doubt.
    """
    name = typed_name(_plain(typed_name(name)))  # wide letters and ligatures can be more than one, or a blank
    if _VARIATION.search(JOINED_PICTURES.sub("", name)):
        raise UnusableName("The name has characters that do not show; type it again without them.")
    if not any(unicodedata.category(character)[0] in "LN" or _is_picture(character) for character in name):
        raise UnusableName("The name has neither a letter nor a digit; choose one that can be read aloud.")
    if has_loose_marks(name):
        raise UnusableName("The name has marks that are piled up or stand on no letter; type it again without them.")
    for word in _WORD_ENDS.split(name):
        mixed = _alphabets_of(word)
        if len(mixed) > 1:
            listed = " and ".join(alphabet.capitalize() for alphabet in mixed)
            raise UnusableName(f"The name mixes {listed} letters in one word; type each word in one alphabet.")
    return name


def own_name(name: str) -> str:
    """Return a new name as it is stored that somebody gives themselves.

    Raises:
        UnusableName: as for `tidy_name`, or it looks like one of those who run the service.
    """
    name = tidy_name(name)
    spelled = _NO_LETTER.sub("", name)
    ways = (spelled, _DIGITS.sub("", spelled), spelled.translate(_DIGITS_AS_LETTERS))
    if not _RESERVED_LOOKS.isdisjoint(map(look_of, ways)):
        raise UnusableName("The name looks like one of those who run this service; choose another one.")
    return name


def name_key(name: str) -> str:
    """Return what a name is looked up by: names that differ in case alone are one."""
    # once more NFC, because folding can take a letter apart
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", " ".join(name.split())).casefold())


def name_keys(name: str) -> tuple[str, ...]:
    """Return what an account may be stored by that is called as somebody typed: as it stands first, then as new ones.

    Every way of typing one new name has the same last key.
    """
    typed, plain = name_key(name), _plain(name)
    return (typed,) if len(plain) > NAME_LENGTH else (typed, name_key(plain))


def look_of(name: str) -> str:
    """Return what is one for names that can be taken for each other.

    Letters are replaced without their marks, and before case is folded: capitals look alike whose small letters do not.
    Pictures that are joined look like the same ones side by side where no font has a glyph for them together.
    """
    apart = JOINED_PICTURES.sub(lambda joined: _JOINS.sub("", joined[0]), name)
    return name_key(unicodedata.normalize("NFKD", apart).translate(_LOOK_ALIKES))


_RESERVED_LOOKS: Final = frozenset(map(look_of, _RESERVED))


def _is_picture(character: str) -> bool:
    return unicodedata.category(character) == "So"


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


def has_loose_marks(name: str) -> bool:
    row = None  # how many marks stand on the letter before; None: no letter
    for character in name:
        if unicodedata.category(character) not in ("Mn", "Me"):
            row = None if character.isspace() else 0
        elif row is None or row == MARKS_MAX:
            return True
        else:
            row += 1
    return False


def _alphabets_of(word: str) -> list[str]:
    letters = [unicodedata.name(character, "") for character in word if character.isalpha()]
    return sorted({name.partition(" ")[0] for name in letters} & _ALPHABETS)
