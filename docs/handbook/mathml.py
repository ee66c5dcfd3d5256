"""Mathematics as MathML, which browsers draw themselves: no script, no font, no request."""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.writers.html5 import HTML5Translator

FLAT = re.compile(r"\\left\(((?:(?!\\left|\\right|\\frac|\\begin|\\sum|\\sqrt).)*)\\right\)")
"""Brackets round what is no higher than a line."""


def level(latex: str) -> str:
    r"""A formula whose brackets grow only where what they hold is higher than a line.

    >>> print(level(r"\min\left(f\left(a\right), \left(\frac{a}{b}\right)\right)"))
    \min\left(f(a), \left(\frac{a}{b}\right)\right)
    """
    flatter = FLAT.sub(r"(\1)", latex)
    return latex if flatter == latex else level(flatter)


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(convert(level(node.astext())))
    raise nodes.SkipNode


def display(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, which scrolls where it is too wide."""
    translator.body.append(f'<div class="formula">{convert(level(node.astext()), display="block")}</div>\n')
    raise nodes.SkipNode
