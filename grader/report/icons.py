"""The shapes of states, by reference as the pages use them; a self-contained report carries the drawings itself."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

_DRAWN: Final = {
    "ok": '<circle cx="8" cy="8" r="6.2"/><path d="m5.3 8.2 1.9 1.9 3.6-4"/>',
    "bad": '<path d="M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z"/><path d="m6 6 4 4m0-4-4 4"/>',
    "inh": '<path d="M4 2.5v5.2a2 2 0 0 0 2 2h6.5"/><path d="m9.6 6.6 3 3.1-3 3.1"/>',
    "none": '<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.4 2.4"/>',
    "ours": (
        '<path d="M9.8 2.2a3.6 3.6 0 0 0-3.9 4.9L2 11v3h3l3.9-3.9a3.6 3.6 0 0 0 4.9-3.9L11.5 8.4 8.9 7.1 7.6 4.5z"/>'
    ),
    "warn": '<path d="M8 2.2 14.3 13.4H1.7z"/><path d="M8 6.6v3M8 11.5v.1"/>',
}


def icon(name: str) -> Markup:
    """Return a shape; the word beside it says the same."""
    return Markup('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>').format(name)


def state(kind: str, word: str) -> Markup:
    """Return a state as shape and word in its colour."""
    return Markup('<span class="st {}">{}{}</span>').format(kind, icon(kind), word)


def sprite() -> Markup:
    """Return the drawings that `icon` refers to."""
    symbols = Markup("").join(
        Markup('<symbol id="i-{}" viewBox="0 0 16 16">{}</symbol>').format(name, Markup(drawn))  # noqa: S704 - our own
        for name, drawn in _DRAWN.items()
    )
    return Markup("<svg hidden>{}</svg>").format(symbols)


def verdict_kind(verdict: str | None) -> str:
    """Return the kind of state that a verdict is shown as; None: there is none."""
    return "none" if verdict is None else {"AC": "ok", "JE": "ours"}.get(verdict, "bad")
