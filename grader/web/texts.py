"""Turns texts into HTML: a package's Markdown with formulas, source code, numbers and times.

Nothing here lets markup of its input through, and nothing needs an inline style.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from grader.problems.texts import FormulaError, make_parser, mathml
from grader.report.visible import visible
from grader.wording import iso_time, plural, told_time

_FORMATTER: Final = HtmlFormatter[str](nowrap=True)


@functools.lru_cache(maxsize=128)  # samples, the same for everybody, and sources that are looked at again
def code(source: str) -> Markup:
    """Return Python source with classes for its colours; what does not show is made visible."""
    return Markup(highlight(visible(source), PythonLexer(stripnl=False), _FORMATTER))  # noqa: S704 - Pygments escapes


def numbered(source: str) -> Markup:
    """Return Python source, each line in an element that the style sheet numbers."""
    lines = code(source).rstrip("\n").split("\n")
    return Markup("\n").join(Markup('<span class="line">{}</span>').format(line) for line in lines)


@functools.lru_cache(maxsize=128)  # statements, the same for everybody
def markdown(text: str) -> Markup:
    """Return a package's Markdown as HTML."""
    return Markup(_MARKDOWN.render(visible(text)))  # noqa: S704 - raw HTML is off


def plain(text: str) -> Markup:
    """Return a package's short text as HTML: paragraphs, lists, `code` and formulas; H*e is a product, not emphasis."""
    return Markup(_PLAIN.render(visible(text)))  # noqa: S704 - raw HTML is off


def inline(text: str) -> Markup:
    """Return a package's short text of one line, without a paragraph around it."""
    return Markup(_PLAIN.renderInline(visible(text)))  # noqa: S704 - raw HTML is off


def number(value: float | None) -> str:
    """Return points for a page; a dash where there are none."""
    return "–" if value is None else f"{value:.6g}".replace("-", "−")


def moment(value: datetime, *, exact: bool = False) -> Markup:
    """Return a time that a script shows in the reader's zone; without one it stays in UTC. Exact ones have seconds."""
    mark = Markup(" data-exact") if exact else ""
    told = told_time(value, exact=exact)
    return Markup('<time datetime="{}"{}>{}</time>').format(iso_time(value), mark, told)


def shown(value: object) -> object:
    """Return what a template prints: of a text that is no markup, every character shows."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def editable(text: str) -> Markup:
    """Return a text for the inside of a form's field: what does not show stays, as a reference to the character.

    It is what its author typed, and would otherwise be stored as an escape when the form is sent.
    """
    if text.isascii():
        return escape(text)
    pieces = (
        f"&#{ord(character)};" if unicodedata.category(character) in ("Cf", "Zl", "Zp") else character
        for character in str(escape(text))
    )
    return Markup("".join(pieces))  # noqa: S704 - escaped before


def agreeing(word: str, number: float) -> str:
    """Return a word such as "is" as it stands with a number."""
    return plural(number, word)


def _formula(text: str, display: str) -> str:
    try:
        return mathml(text, display)
    except FormulaError:  # shown as it was written
        return str(Markup("<code>{}</code>").format(text))


class _Renderer(RendererHTML):
    """Markdown-it's renderer, without inline styles, with scrollable tables and coloured code."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return str(escape(visible(tokens[idx].content)))  # &#8238; has become a character by now

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        text = code(token.content) if token.info.strip() == "python" else escape(token.content)
        return str(Markup('<pre class="code" tabindex="0">{}</pre>\n').format(text))

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="tbl tight">\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _cell(tokens[idx])

    td_open = th_open

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        tokens[idx].attrSet("rel", "nofollow noopener noreferrer")
        return self.renderToken(tokens, idx, options, env)

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _formula(tokens[idx].content, "inline")

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        formula = _formula(tokens[idx].content, "block")
        return f'<div class="formula scroll" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n'


def _cell(token: Token) -> str:
    right = "right" in str(token.attrs.get("style", ""))
    return f'<{token.tag} class="n">' if right else f"<{token.tag}>"


def _make_markdown(*, is_plain: bool) -> MarkdownIt:
    parser = make_parser(_Renderer, is_plain=is_plain)
    for rule in ("math_inline", "math_block"):
        parser.renderer.rules[rule] = getattr(parser.renderer, rule)  # type: ignore[attr-defined]
    return parser


_MARKDOWN: Final = _make_markdown(is_plain=False)
_PLAIN: Final = _make_markdown(is_plain=True)
