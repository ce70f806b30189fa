"""Evidence records as files: their digest, their text, and a strict reader for what may be cut off, foreign or edited.

A record is immutable. Its digest shows an edit made in passing; an edit on purpose, digest and all, is shown by
`replay`, which judges the source again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, Final

from pydantic import ValidationError

from grader.errors import UserError
from grader.grading.evidence_form import READABLE, Evidence

RECORD_BYTES_MAX: Final = 32 << 20


def digest(data: dict[str, Any]) -> str:
    """Return the digest of a record: over all of it but the digest itself."""
    rest = {key: value for key, value in data.items() if key != "record_sha256"}
    return hashlib.sha256(_canonical(rest).encode("ascii")).hexdigest()


def _canonical(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def text_of(data: dict[str, Any]) -> str:
    """Return a record as the text of a file: ASCII, lines that a person can compare."""
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def read(data: bytes, name: str) -> Evidence:
    """Return the record that a file holds.

    Raises:
        UserError: it is none; the sentence says what is wrong with it.
    """
    try:
        value = json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise _unreadable(name, "it is no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise _unreadable(name, f"no JSON: {error.msg} in line {error.lineno}; it may be cut off") from None
    except (ValueError, RecursionError) as error:
        text = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0][:120]
        raise _unreadable(name, text) from None
    if not isinstance(value, dict) or "schema" not in value or "record_sha256" not in value:
        raise _unreadable(name, "it is no record of grader grade --evidence")
    if type(value["schema"]) is not int or value["schema"] not in READABLE:
        shown = repr(value["schema"])[:20]
        raise _unreadable(name, f"its schema is {shown}, this grader reads {READABLE[0]} to {READABLE[-1]}")
    return _validated(value, name)


def _validated(value: dict[str, Any], name: str) -> Evidence:
    try:
        return Evidence.model_validate_json(_canonical(value))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(str(part)[:40] for part in first["loc"])[:120] or "the record"
        raise _unreadable(name, f"{key}: {first['msg'].lower()[:120]}") from None


def _unreadable(name: str, why: str) -> UserError:
    return UserError(f"{name} is no evidence record ({why}); write it anew: grader grade PROBLEM FILE --evidence OUT.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def source_of(evidence: Evidence, name: str) -> bytes:
    """Return the submission that a record holds.

    Raises:
        UserError: there is none in it, or it cannot be decoded.
    """
    source = evidence.source
    if source.encoding == "omitted":
        raise UserError(f"{name} holds no source, for it was larger than 1 MiB; there is nothing to judge again.")
    try:
        return source.text.encode() if source.encoding == "utf-8" else base64.b64decode(source.text, validate=True)
    except ValueError:
        raise _unreadable(name, f"source.text: it is not {source.encoding}") from None
