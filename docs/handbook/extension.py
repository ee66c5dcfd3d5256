"""The extension of Sphinx that makes the handbook's generated pages, and sets its mathematics as MathML."""

from __future__ import annotations

import posixpath
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from handbook import catalogue, mathml, mechanisms, outputs, outside

COLON = "\ue000"
"""What stands for a colon while napoleon reads."""


def pages() -> dict[str, str]:
    """The text of each generated page by its path below the folder of generated pages."""
    return catalogue.pages() | mechanisms.pages() | outside.pages()


def write(app: Sphinx) -> None:
    """Write the pages, and remove those of an earlier build that are no longer made.

    Pages that are as they were keep their time, so that Sphinx reads only the others again.
    """
    folder, made = Path(app.srcdir) / outside.MADE, pages()
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def turn_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Let links that leave docs/ lead to the pages of the handbook."""
    if Path(app.env.doc2path(name)).suffix == ".md" and not name.startswith(outside.MADE):
        source[0] = outside.inward(source[0], posixpath.dirname(f"docs/{name}"))


def part_examples(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Give an example that follows the arguments at once a heading of its own; else it is read as arguments."""
    for number, line in enumerate(lines):
        if line.startswith(">>>") and number and not lines[number - 1].strip() and "Examples" not in lines[:number]:
            lines[number:number] = ["Examples", "--------"]
            return


def hide_colons(_app: Sphinx, what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Hide the colon in the first sentence of an attribute, where napoleon would look for a type before it."""
    if what in {"attribute", "property", "data"} and lines:
        lines[0] = lines[0].replace(":", COLON)


def show_colons(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Show the colons that `hide_colons` has hidden."""
    lines[:] = [line.replace(COLON, ":") for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect everything with Sphinx."""
    app.connect("builder-inited", write)
    app.connect("source-read", turn_links)
    app.connect("autodoc-process-docstring", part_examples, priority=100)  # before napoleon
    app.connect("autodoc-process-docstring", hide_colons, priority=101)
    app.connect("autodoc-process-docstring", show_colons, priority=900)  # after it
    app.connect("doctree-read", outputs.wrap)
    app.add_lexer("csv", TextLexer)
    app.add_html_math_renderer("mathml", (mathml.inline, None), (mathml.display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
