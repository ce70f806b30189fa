"""How a package's texts are read: Markdown without HTML and images, and TeX that becomes MathML."""

from __future__ import annotations

import re
from html import unescape
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from mdit_py_plugins.dollarmath import dollarmath_plugin


class FormulaError(ValueError):
    """A formula cannot be converted."""


def make_parser(
    renderer: type[RendererHTML] = RendererHTML, *, is_plain: bool = False, recognises_html: bool = False
) -> MarkdownIt:
    """Return a parser of Markdown with tables and formulas.

    Args:
        is_plain: for short texts, without emphasis and links: H*e is a product there.
        recognises_html: make raw HTML tokens of their own, for those who look for it, instead of text.
    """
    parser = MarkdownIt("commonmark", {"html": recognises_html}, renderer_cls=renderer)
    parser.enable("table").disable("image")  # pages load nothing from elsewhere
    parser.use(dollarmath_plugin, allow_labels=False)
    return parser.disable(["emphasis", "link", "autolink"]) if is_plain else parser


def mathml(formula: str, display: str) -> str:
    """Return a TeX formula as MathML.

    Args:
        display: inline or block.

    Raises:
        FormulaError: the converter does not understand it.
    """
    if not _is_balanced(formula):  # the converter guesses what was meant
        raise FormulaError("its braces do not match")
    try:
        root = convert_to_element(formula.strip(), display=display)
    except Exception as error:  # the converter's errors have no common class
        raise FormulaError(type(error).__name__) from None
    # the converter writes symbols as entities and escapes nothing, so a text within a formula could be markup
    for element in root.iter():
        element.text = unescape(element.text) if element.text else None
        if element.tag in ("mi", "mo") and re.match(r"\\\w", element.text or ""):
            raise FormulaError(f"{element.text} is no known command")
    return tostring(root, encoding="unicode")


def _is_balanced(formula: str) -> bool:
    depth = 0
    for brace in re.findall(r"[{}]", re.sub(r"\\.", "", formula)):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
