r"""Text of users in outputs: it stays text, whatever the other program could read in it.

Invisible characters (control characters, marks that turn the direction of writing, halves of characters) are written
as Python writes them, `\x1b`, so that nothing is lost and nothing acts.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Container, Iterable, Sequence

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff"
_UNSEEN = re.compile(f"[{_CONTROLS}]")
_UNSEEN_OR_BREAK = re.compile(f"[{_CONTROLS}\t\n]")
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"
"""How a formula begins, also in the wide letters of East Asia."""
_NUMBER = re.compile(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?(?: ?%)?")
_XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_MARKDOWN = re.compile(r"([\\`*<>|\[\]]|(?<!\w)_|_(?!\w))")


def _seen(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def for_terminal(text: object) -> str:
    r"""A text of any number of lines, safe for a terminal.

    >>> for_terminal("red \x1b[31m and\nplain")
    'red \\x1b[31m and\nplain'
    """
    return _UNSEEN.sub(_seen, str(text))


def for_line(text: object) -> str:
    r"""A text as one line of a terminal or a log.

    >>> for_line("two\nlines")
    'two\\nlines'
    """
    return _UNSEEN_OR_BREAK.sub(_seen, str(text))


def for_plot(text: object) -> str:
    r"""A text that matplotlib draws literally: no mathematics between dollars, no label left out.

    >>> for_plot("$5 to $9"), for_plot("_hidden")
    ('\\$5 to \\$9', '\u200b_hidden')
    """
    shown = for_terminal(text).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown


def of_plot(text: str) -> str:
    """The text behind one that was made ready for a plot."""
    return text.removeprefix("\u200b").replace(r"\$", "$")


def for_cell(text: object) -> str:
    """A text as a cell of a CSV file; an apostrophe before a formula keeps it text in a spreadsheet.

    >>> for_cell("=1+1"), for_cell("-5 %"), for_cell("tape")
    ("'=1+1", '-5 %', 'tape')
    """
    shown = for_terminal(text)
    return f"'{shown}" if is_formula(shown) else shown


def of_cell(text: str) -> str:
    """The text behind a cell of a CSV file that `for_cell` wrote.

    >>> of_cell("'=1+1"), of_cell("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and is_formula(text[1:]) else text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute a cell of this text."""
    bare = text.strip()
    return bare[:1] != "" and bare[0] in _FORMULA and not _NUMBER.fullmatch(bare)


def for_xml(text: object) -> str:
    """A text as XML and SVG may hold it, also inside quotes.

    >>> for_xml('a "b" <c> & d')
    'a &quot;b&quot; &lt;c&gt; &amp; d'
    """
    return for_terminal(text).translate(_XML)


def html_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str = "",
    note: str = "",
    *,
    right: Container[str] = (),
) -> str:
    """A table as a notebook shows it, below a title and above a note; the columns named in `right` hold figures.

    >>> html_table(["a"], [["<b>"]]).splitlines()[-3]
    '<tr><td style="text-align: left">&lt;b&gt;</td></tr>'
    """

    def row(tag: str, cells: Sequence[object]) -> str:
        sides = (f' style="text-align: {"right" if name in right else "left"}"' for name in heads)
        return "".join(f"<{tag}{side}>{for_xml(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True))

    body = "\n".join(f"<tr>{row('td', cells)}</tr>" for cells in rows)
    table = f"<table>\n<thead><tr>{row('th', heads)}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    above = f"<p><b>{for_xml(title)}</b></p>\n" if title else ""
    return above + table + (f"\n<p>{for_xml(note)}</p>" if note else "")


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV.

    >>> csv_text(["a", "b"], [["x, y", 1]]).splitlines()
    ['a,b', '"x, y",1']
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return written.getvalue()


def for_markdown(text: object) -> str:
    r"""A text that Markdown shows literally, in one line, also in a table.

    >>> for_markdown("a|b *c* snake_case")
    'a\\|b \\*c\\* snake_case'
    """
    return _MARKDOWN.sub(r"\\\1", for_terminal(" ".join(str(text).split())))
