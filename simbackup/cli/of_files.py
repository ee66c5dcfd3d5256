"""Commands about files: check, upgrade, scenarios, schema."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from simbackup.cli.options import Json, warn
from simbackup.errors import InputError, Place, Problem

MOST = 12
"""Facts left out that are listed."""


def check(
    files: Annotated[list[str], typer.Argument(help="Files or names of scenarios, sites, studies or datasheets.")],
    facts: Annotated[
        bool, typer.Option("--left-out", help="Also list what a scenario leaves out, and how much that decides.")
    ] = False,
) -> None:
    """Report every error in files, with line and column."""
    from simbackup.cli.checking import check_file, file_of  # noqa: PLC0415

    problems: list[Problem] = []
    for file in files:
        problems.extend(check_file(file_of(file)))
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    warn(problems)
    print(f"{len(files)} {'file is' if len(files) == 1 else 'files are'} valid")  # noqa: T201 (a command line prints)
    for file in files if facts else ():
        _show_left_out(file)


def _show_left_out(file: str) -> None:
    """Print what a scenario leaves to datasheets and defaults, the most decisive first."""
    from simbackup import units  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.left_out import left_out  # noqa: PLC0415
    from simbackup.scenario import load  # noqa: PLC0415

    job, decisive, none = left_out(load(file))
    keys = ("left out", "what counts", "from", f"{job} takes")
    times = [" to ".join(units.show_short(seconds, "s") for seconds in one.times) for one in decisive]
    rows = [dict(zip(keys, (*one[:3], each), strict=True)) for one, each in zip(decisive, times, strict=True)]
    show.listing(rows[:MOST], as_json=False)
    nothing = [] if rows else [f"nothing that '{file}' leaves out changes '{job}' by more than 5 %"]
    print("\n".join([*nothing, *none]))  # noqa: T201


def upgrade(
    file: Annotated[str, typer.Argument(help="A scenario, a site or a datasheet.")],
    write: Annotated[bool, typer.Option("--write", help="Write the file, if nobody has changed it meanwhile.")] = False,
) -> None:
    """Rewrite what earlier versions had in a file, and say what is left to do by hand.

    It shows the difference. Comments and all else stay as they are.
    """
    from simbackup import shelf  # noqa: PLC0415
    from simbackup.cli.checking import check_file, file_of  # noqa: PLC0415
    from simbackup.files import content, replaced  # noqa: PLC0415
    from simbackup.schema.upgrading import upgraded  # noqa: PLC0415
    from simbackup.schema.yaml_file import read_text  # noqa: PLC0415

    path = file_of(file)
    name = shelf.shown(path)
    before = read_text(path, name)
    after, left = upgraded(before, name, check_file(path))
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name)
    print("".join(lines), end="")  # noqa: T201 (a command line prints)
    if write and after != before:
        if content(path) != before.encode():
            raise InputError([Problem(Place(name), "", "has changed meanwhile", "run the command again")])
        replaced(path, after)
    if left:
        raise InputError(left)
    if after == before:
        print("nothing to rewrite")  # noqa: T201


def scenarios(as_json: Json = False) -> None:
    """List the scenarios that can be run by name."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import scenario_list  # noqa: PLC0415

    show.listing(scenario_list(), as_json=as_json)


def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file, such as scenario or datasheet.")] = "scenario",
    listed: Annotated[bool, typer.Option("--list", help="List the kinds of files.")] = False,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a kind of file, for completion in editors."""
    from simbackup import shelf  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.errors import choices  # noqa: PLC0415
    from simbackup.planning import json_schema as of_sites  # noqa: PLC0415
    from simbackup.protection import losses as of_losses  # noqa: PLC0415
    from simbackup.scenario.json_schema import KINDS, json_schema  # noqa: PLC0415

    kinds = {**KINDS, **of_sites.KINDS, **of_losses.KINDS}
    if listed:
        show.listing([{"kind": name, "file": text} for name, text in kinds.items()], as_json=as_json)
    elif kind in of_sites.KINDS:
        show.json(of_sites.site_schema(kind, shelf.names()))
    elif kind in of_losses.KINDS:
        show.json(of_losses.losses_schema(shelf.names()))
    elif kind in KINDS:
        show.json(json_schema(kind, shelf.names()))
    else:
        message = f"there is no schema of the kind '{kind}'"
        raise InputError([Problem(Place("simbackup schema"), "", message, choices(kind, kinds))])
