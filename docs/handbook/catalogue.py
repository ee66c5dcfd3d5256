"""The catalogue of datasheets: a page for each kind, and one for the works that they cite."""

from __future__ import annotations

import re
from collections.abc import Iterable

from simbackup import shelf
from simbackup.experiments.overview import datasheet_values, works
from simbackup.shelf import Datasheet

SHORT = 16
"""Letters of a value that is kept on one line."""
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")


def pages() -> dict[str, str]:
    """The page of each kind, their list, and the page of works."""
    sheets: dict[str, list[Datasheet]] = {}
    for name in sorted(shelf.names(), key=counted):
        sheets.setdefault(name.partition("/")[0], []).append(shelf.load_datasheet(name))
    made = {f"datasheets/{kind}.md": page(kind, own) for kind, own in sheets.items()}
    return made | {"datasheets/index.md": _index(sheets), "datasheets/works.md": _works()}


def page(kind: str, sheets: Iterable[Datasheet]) -> str:
    """All datasheets of a kind, each with its values and where they come from."""
    lines = [f"(datasheets-{kind})=", f"# {title_of(kind)}", ""]
    lines += [f"The reference explains the [keys](../../reference/datasheets/{kind}.md) of this kind of datasheet.", ""]
    for sheet in sheets:
        lines += [f"({anchor(sheet.name)})=", f"## {plain(sheet.title)}", "", f"`{sheet.name}`", ""]
        lines += [prose(sheet.description), ""] if sheet.description else []
        lines += ["| key | value | basis | where it comes from |", "|---|---|---|---|", *_values(sheet), ""]
    return "\n".join(lines)


def _values(sheet: Datasheet) -> list[str]:
    """A row for each value; its range below it, if it has one."""
    given = sheet.tree.mapping["parameters"]
    rows: list[str] = []
    for row in datasheet_values(sheet.name):
        shown = together(plain(str(row["value"]))) + (
            f"<br><small>{plain(row['range'])}</small>" if row["range"] else ""
        )
        key = given.find(tuple(str(row["parameter"]).split(".")))[0].mapping.get("source")
        cited = f"[{plain(row['source'])}](work-{key.word})" if key else ""
        said = "; ".join(each for each in (cited, plain(row["at"]), prose(row["why"])) if each)
        rows.append(f"| `{row['parameter']}` | {shown} | {row['basis']} | {said} |")
    return rows


def together(value: str) -> str:
    r"""A short value on one line, with its unit.

    >>> together("7200 rpm")
    '7200\xa0rpm'
    """
    return value.replace(" ", "\N{NO-BREAK SPACE}") if len(value) <= SHORT else value


def counted(name: str) -> list[str | int]:
    """What sorts names with numbers as people count.

    >>> sorted(["lto-1", "lto-10", "lto-9"], key=counted)
    ['lto-1', 'lto-9', 'lto-10']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def anchor(name: str) -> str:
    """The anchor of a datasheet.

    >>> anchor("tape_drive/lto-9")
    'datasheet-tape_drive-lto-9'
    """
    return f"datasheet-{name.replace('/', '-')}"


def title_of(kind: str) -> str:
    """The title of a kind's page.

    >>> title_of("tape_drive")
    'Tape drive'
    """
    return {"raid": "RAID", "ssd": "SSD"}.get(kind, kind.replace("_", " ").capitalize())


def plain(text: str) -> str:
    r"""A text as Markdown shows it letter by letter, on one line.

    >>> plain("a_b | c")
    'a\\_b \\| c'
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def prose(text: str) -> str:
    r"""A text as Markdown shows it, with code between backticks.

    >>> prose("Write `sync_rate` for a_b.")
    'Write `sync_rate` for a\\_b.'
    """
    parts = " ".join(text.split()).split("`")
    return "`".join(part if number % 2 else SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts))


def _index(sheets: dict[str, list[Datasheet]]) -> str:
    total = sum(map(len, sheets.values()))
    lines = ["# Datasheets", "", INTRODUCTION.format(total=total), ""]
    for kind, own in sheets.items():
        named = [f"- [{plain(sheet.title)}]({anchor(sheet.name)})" for sheet in own]
        lines += [f"## [{title_of(kind)}](datasheets-{kind})", "", ":::{container} columns", *named, ":::", ""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *sheets, "works", "```", ""])


def _works() -> str:
    lines = ["# Sources that the datasheets cite", ""]
    for work in works(None):
        said = [str(work[key]) for key in ("author", "publisher", "year") if key in work]
        where = f" <{work['url']}>" if "url" in work else ""
        lines += [
            f"(work-{work['key']})=",
            "",
            f"**{plain(str(work['title']))}**. {plain(', '.join(said))}.{where}",
            "",
        ]
    return "\n".join(lines)


INTRODUCTION = """\
{total} datasheets come with simbackup. Each value states where it comes from. Its *basis* is `datasheet` (the maker
states it), `measured`, `derived` from other values, `fitted` to measured rows, or `assumed`. A value that is not
exactly known has a range. [What these words mean](../../reference/origin.md).

A device of yours that is missing here needs one file: [add a datasheet](../../how-to/add-a-datasheet.md)."""
