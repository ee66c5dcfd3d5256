"""Commands about datasheets: list, show, fitted, cite."""

from __future__ import annotations

from typing import Annotated

import typer

from simbackup.cli.options import Json
from simbackup.errors import InputError, Place, Problem


def listed(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words in the name, title or description, such as tape_drive or e5-2650; default: all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the datasheets; those that cannot be read are reported below."""
    from simbackup import shelf  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_list  # noqa: PLC0415

    rows, wrong = datasheet_list()
    wanted = [word.lower() for word in words or []]
    texts = [f"{row['name']} {row['title']}" for row in rows]
    if not any(_has(text, wanted) for text in texts):
        about = [shelf.load_datasheet(row["name"]).description for row in rows]
        texts = [f"{text} {more}" for text, more in zip(texts, about, strict=True)]
    found = [row for row, text in zip(rows, texts, strict=True) if _has(text, wanted)]
    if rows and not found:
        said = f"no datasheet has {_all_of(wanted)}"
        raise InputError([Problem(Place("models list"), "", said, "see 'models list'")])
    show.listing(found, as_json=as_json)
    if wrong is not None and not wanted:
        raise wrong


def _has(text: str, wanted: list[str]) -> bool:
    return all(word in text.lower() for word in wanted)


def _all_of(words: list[str]) -> str:
    return " and ".join(f"'{word}'" for word in words)


def shown(
    name: Annotated[str, typer.Argument(help="Such as disk/scsi-10k-146gb-2004.")],
    as_json: Json = False,
    yaml: Annotated[bool, typer.Option("--yaml", help="Print its file, which you may copy and change.")] = False,
) -> None:
    """Show each value of a datasheet with its basis and source; or the file itself, with --yaml."""
    from simbackup.cli import show  # noqa: PLC0415

    if yaml:
        from simbackup.shelf import path_of  # noqa: PLC0415

        print(path_of(name).read_text("utf-8"), end="")  # noqa: T201
        return
    from simbackup.experiments.overview import datasheet_values  # noqa: PLC0415

    rows = datasheet_values(name)
    if as_json:
        show.json(rows)
        return
    header = ("parameter", "value", "basis", "range")
    show.table(header, [[row[key] for key in header] for row in rows])
    for row in rows:
        if reasons := [row[key] for key in ("source", "at", "why") if row[key]]:
            show.line(f"{row['parameter']}: {'; '.join(reasons)}")


def fitted(as_json: Json = False) -> None:
    """List the fitted and chosen constants."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import fitted_list  # noqa: PLC0415

    show.listing(fitted_list(), as_json=as_json)


def cited(
    scenario: Annotated[str | None, typer.Argument(help="A scenario; default: all datasheets.")] = None,
    as_json: Json = False,
) -> None:
    """List the sources that the datasheets cite, or those of one scenario."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import works  # noqa: PLC0415

    show.listing(works(scenario), as_json=as_json)
