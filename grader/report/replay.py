"""A replay of an evidence record for a person at a terminal, and as one JSON object."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.grading.replay import INPUTS, OUTPUTS, Part, Replay
from grader.report.visible import visible

SCHEMA: Final = 1
_SHOWN: Final = 600  # characters of one difference


def replay_object(replay: Replay) -> dict[str, Any]:
    """Return the object of `replay --json`, schema 1."""
    return {
        "schema": SCHEMA,
        "problem": replay.problem,
        "same": not replay.differs,
        "differs": list(replay.differs),
        "not_compared": list(replay.not_compared),
        "parts": [
            {"name": part.name, "same": part.is_same, "difference": _shown(part) or None} for part in replay.parts
        ],
    }


def replay_view(replay: Replay, name: str) -> Group:
    """Return what `replay` prints."""
    parts: list[RenderableType] = [Text.assemble((replay.problem, "bold"), " · ", visible(name, keep=""))]
    for title, names in (("What went in", INPUTS), ("What came out", OUTPUTS)):
        parts += ["", Text(title, style="dim"), _table([part for part in replay.parts if part.name in names])]
    if replay.not_compared:
        keys = ", ".join(key.replace("_", " ") for key in replay.not_compared)
        parts += ["", Text(f"Not compared, for a record of schema {replay.schema} does not hold it: {keys}.")]
    return Group(*parts, "", _conclusion(replay))


def _table(parts: list[Part]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for part in parts:
        mark, style = ("✓", "green") if part.is_same else ("✗", "red")
        table.add_row(Text(f"{mark} {part.name}", style=style), Text(_shown(part) or "as recorded"))
    return table


def _shown(part: Part) -> str:
    text = visible(part.difference, keep="")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _conclusion(replay: Replay) -> Text:
    went_in = [name for name in replay.differs if name in INPUTS]
    came_out = [name for name in replay.differs if name in OUTPUTS and name != "texts"]
    if not replay.differs:
        return Text("The same judgement comes out of the same source.", style="bold green")
    if came_out and went_in:
        sentence = f"Another judgement comes out; what went in differs in: {', '.join(went_in)}."
    elif came_out:
        sentence = "Another judgement comes out, although the same went in: do not rely on the record."
    elif went_in:
        sentence = f"The same judgement comes out, although what went in differs in: {', '.join(went_in)}."
    else:
        sentence = "The same judgement comes out; only what the source prints or raises differs."
    return Text(sentence, style="bold red" if came_out else "bold")
