"""Outputs of the program as a terminal shows them: long sentences wrap, and rows of tables do not."""

from __future__ import annotations

import re
import textwrap

from docutils import nodes
from sphinx.application import Sphinx

WIDTH = 84
"""Letters that a page has room for."""
COLUMNS = re.compile(r"\S {3,}\S")
"""What stands in a row of a table, and in no sentence."""


def wrapped(text: str, width: int = WIDTH) -> str:
    r"""A text whose sentences are at most so wide, with a hanging indent.

    >>> print(wrapped("full: done\n  fits its window; 4 h to 6 h in 90 % of cases", width=30))
    full: done
      fits its window; 4 h to 6 h
        in 90 % of cases
    """
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or COLUMNS.search(line):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.lstrip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def wrap(_app: Sphinx, document: nodes.document) -> None:
    """Wrap the outputs on a page."""
    for block in document.findall(nodes.literal_block):
        if block.get("language") == "text":
            text = wrapped(block.astext())
            block.rawsource = text
            block.children = [nodes.Text(text)]
