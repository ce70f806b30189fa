"""Judges the source of an evidence record again and says what is not as the record has it.

What went in is compared apart from what came out: a changed package explains another verdict, an unchanged one shows
that the record was edited or that the grader is not repeatable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from grader.grading.evidence_file import digest
from grader.grading.evidence_form import ADDED, SCHEMA, WRITERS
from grader.wording import counted

INPUTS: Final = ("record", "source", "package", "versions", "limits", "sandbox")
OUTPUTS: Final = ("verdict", "cases", "texts", "finding", "observations")
RTOL: Final = 1e-6  # of measured numbers: another processor rounds otherwise
ATOL: Final = 1e-9
_DIGITS: Final = 12  # of a hash, that are shown
_SAID: Final = {"message": "sentence", "detail": "detail", "prints": "prints"}  # by the submission, of a case
_TOLD_MAX: Final = 3  # differences that one sentence names


@dataclass(frozen=True)
class Part:
    """One part of a record, and what differs in it; empty where nothing does."""

    name: str
    difference: str = ""

    @property
    def is_same(self) -> bool:
        """Whether the part is as recorded."""
        return not self.difference


@dataclass(frozen=True)
class Replay:
    """A record held against the same source judged anew."""

    problem: str
    parts: tuple[Part, ...]
    schema: int
    not_compared: tuple[str, ...] = ()  # keys that the record's schema does not hold

    @property
    def differs(self) -> tuple[str, ...]:
        """The names of the parts that are not as recorded."""
        return tuple(part.name for part in self.parts if not part.is_same)


def compare(recorded: Mapping[str, Any], source: bytes, anew: Mapping[str, Any]) -> Replay:
    """Hold a record against the one that judging its source again has made.

    Args:
        source: the bytes that the record holds.
    """
    differences = {
        "record": _edited(recorded, anew),
        "source": _source(recorded["source"], source),
        "package": _package(recorded["package"], anew["package"]),
        "versions": _keys(recorded["versions"], anew["versions"]),
        "limits": _keys(_frame(recorded), _frame(anew)),
        "sandbox": _sandbox(recorded["sandbox"], anew["sandbox"]),
        "verdict": _verdict(recorded["judgement"], anew["judgement"]),
        "cases": _cases(recorded["judgement"], anew["judgement"]),
        "texts": _texts(recorded["judgement"], anew["judgement"]),
        "finding": _finding(recorded["interpretations"], anew["interpretations"]),
        "observations": _told(
            [*_observations(recorded["observations"], anew["observations"]), *_others(recorded, anew)]
        ),
    }
    parts = tuple(Part(name, differences[name]) for name in (*INPUTS, *OUTPUTS))
    schema = recorded["schema"]
    return Replay(recorded["package"]["slug"], parts, schema, _later(schema))


def _edited(recorded: Mapping[str, Any], anew: Mapping[str, Any]) -> str:
    texts = []
    if recorded["record_sha256"] != digest(dict(recorded)):
        texts.append("it was edited after it was written: its digest is another")
    if recorded["notice"] != anew["notice"]:
        texts.append("another notice")
    return _told([*texts, *_of_another_schema(recorded)])


def _later(schema: int) -> tuple[str, ...]:
    """Return the keys that came with later schemas."""
    return tuple(key for number, keys in ADDED.items() if number > schema for key in keys)


def _of_another_schema(recorded: Mapping[str, Any]) -> list[str]:
    """Say what shows that a record was not written in the schema that it names."""
    schema, grader = recorded["schema"], recorded["versions"].get("grader", "none")
    texts = [f"schema {schema} holds no {_words(key)}" for key in _later(schema) if key in recorded]
    if schema < SCHEMA and grader not in WRITERS[schema]:
        texts.append(f"grader {grader} does not write schema {schema}")
    return texts


def _words(key: str) -> str:
    return key.replace("_", " ")


def _source(recorded: Mapping[str, Any], source: bytes) -> str:
    texts = [
        _hashes(recorded["sha256"], hashlib.sha256(source).hexdigest()),
        _changed("size", f"{recorded['size']}", f"{len(source)}"),
    ]
    return _told(filter(None, texts))


def _package(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    return _told(
        filter(None, [_changed("name", before["slug"], now["slug"]), _hashes(before["sha256"], now["sha256"])])
    )


def _hashes(before: str, now: str) -> str:
    """Compare whole hashes, and show as much of them as tells them apart."""
    shown = _DIGITS if before[:_DIGITS] != now[:_DIGITS] else None
    return _changed("SHA-256", before[:shown], now[:shown])


def _changed(what: str, before: str, now: str) -> str:
    return "" if before == now else f"{what} {before or 'none'} recorded, {now or 'none'} now".strip()


def _keys(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return _told(f"{name} {before.get(name, 'none')} recorded, {now.get(name, 'none')} now" for name in names)


def _frame(record: Mapping[str, Any]) -> dict[str, Any]:
    seeds = {f"seed of {name}": seed for name, seed in record["seeds"]["cases"].items()}
    return {**record["limits"], **seeds}


def _sandbox(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    return "" if before == now else _changed("layers", _walls(before), _walls(now)) or "other layers"


def _walls(sandbox: Mapping[str, Any]) -> str:
    return ", ".join([*sandbox["layers"], *(["weakened"] if sandbox["weakened"] else [])])


def _verdict(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if all(before[key] == now[key] for key in ("verdict", "reason", "score", "max_score")):
        return ""
    return _changed("", _outcome(before), _outcome(now)) or "other points"


def _outcome(judgement: Mapping[str, Any]) -> str:
    reason = f" {judgement['reason']}" if judgement["reason"] else ""
    if judgement["score"] is None:
        return f"{judgement['verdict']}{reason}"
    return (
        f"{judgement['verdict']}{reason}, {judgement['score']:g} of {counted(judgement['max_score'] or 0.0, 'point')}"
    )


def _cases(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    old, new = _by_name(before["cases"]), _by_name(now["cases"])
    texts = [
        f"{name} {_word(old.get(name))} recorded, {_word(new.get(name))} now"
        for name in {**old, **new}
        if _word(old.get(name)) != _word(new.get(name))
    ]
    old, new = _by_name(before["groups"]), _by_name(now["groups"])
    texts += [f"group {name}: other points" for name in {**old, **new} if old.get(name) != new.get(name)]
    if not texts and any(_facts(before[key]) != _facts(now[key]) for key in ("cases", "groups")):
        texts.append("other groups or another order of cases, or something twice")
    if before["message"] != now["message"]:
        texts.append("another sentence")
    return _told(texts)


def _facts(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return cases or groups without what the submission said."""
    return [{key: value for key, value in item.items() if key not in _SAID} for item in items]


def _texts(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Compare what the submission said: a source that prints times or addresses says something else every time."""
    old, new = _by_name(before["cases"]), _by_name(now["cases"])
    texts = [
        f"{name}: other {what}"
        for name in old
        for kind, what in _SAID.items()
        if name in new and old[name][kind] != new[name][kind]
    ]
    texts += ["other prints at import"] if before["import_prints"] != now["import_prints"] else []
    return _told(texts)


def _by_name(items: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {item["name"]: item for item in items}


def _word(case: Mapping[str, Any] | None) -> str:
    if case is None:
        return "missing"
    return " ".join(filter(None, [case["verdict"] or "not reached", case["reason"]]))


def _finding(before: list[Mapping[str, Any]], now: list[Mapping[str, Any]]) -> str:
    return "" if before == now else _changed("", _conclusion(before), _conclusion(now)) or "its words"


def _conclusion(interpretations: list[Mapping[str, Any]]) -> str:
    stages = [f"{each['about']} {each['state']}" for each in interpretations if each["state"] == "wrong"]
    faults = [each["about"] for each in interpretations if each["kind"] == "fault"]
    return ", ".join([*dict.fromkeys(stages), *faults])


def _observations(before: list[Mapping[str, Any]], now: list[Mapping[str, Any]]) -> list[str]:
    old, new = _by_place(before), _by_place(now)
    texts = [f"{' '.join(key)}: recorded, not there now" for key in old if key not in new]
    texts += [f"{' '.join(key)}: not recorded" for key in new if key not in old]
    for key in old:
        names = [name for name in old[key] if key in new and not _is_near(old[key][name], new[key][name])]
        texts += [f"{' '.join(key)}: other {', '.join(names)}"] if names else []
    if not texts and len(before) != len(now):
        texts.append("something stands twice")
    elif not texts and list(old) != list(new):
        texts.append("another order")  # they stand in the order in which they were measured
    return texts


def _others(recorded: Mapping[str, Any], anew: Mapping[str, Any]) -> list[str]:
    """Compare what records of schema 1 have not; in later ones a part that was taken out is another."""
    names = [key for key in ("change", "extra_runs") if recorded["schema"] > 1 or recorded.get(key) is not None]
    return [f"other {_words(name)}" for name in names if not _is_near(recorded.get(name), anew[name])]


def _by_place(observations: list[Mapping[str, Any]]) -> dict[tuple[str, ...], Mapping[str, Any]]:
    return {(each["case"], each["by"], each["of"], each["name"]): each for each in observations}


def _is_near(one: Any, other: Any) -> bool:
    """Whether two measured values are the same, numbers within what another processor explains."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_near(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_near, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= ATOL + RTOL * abs(other)  # a record holds finite numbers alone
    return type(one) is type(other) and bool(one == other)


def _told(texts: Iterable[str]) -> str:
    """Return differences as one text; of many the first few."""
    listed = list(texts)
    more = [f"{len(listed) - _TOLD_MAX} more"] if len(listed) > _TOLD_MAX else []
    return "; ".join([*listed[:_TOLD_MAX], *more])
