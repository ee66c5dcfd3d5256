"""Commands about files: check, upgrade, scenarios, schema, models, measure, history."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import Json, note, warn
from simbackup.errors import InputError, Place, Problem


def check(
    files: Annotated[list[str], typer.Argument(help="Files or names of scenarios, sites, studies or datasheets.")],
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
    from simbackup.protection import json_schema as of_losses  # noqa: PLC0415
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


def listed(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words in the name or title, such as tape_drive or 2018; default: list all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the datasheets; those that cannot be read are reported below."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_list  # noqa: PLC0415

    rows, wrong = datasheet_list()
    wanted = [word.lower() for word in words or []]
    found = [row for row in rows if all(word in f"{row['name']} {row['title']}".lower() for word in wanted)]
    if rows and not found:
        raise InputError(
            [Problem(Place("models list"), "", f"no datasheet has {_all_of(wanted)}", "see 'models list'")]
        )
    show.listing(found, as_json=as_json)
    if wrong is not None and not wanted:
        raise wrong


def _all_of(words: list[str]) -> str:
    return " and ".join(f"'{word}'" for word in words)


def shown(
    name: Annotated[str, typer.Argument(help="Such as disk/scsi-10k-146gb-2004.")], as_json: Json = False
) -> None:
    """Show each value of a datasheet with its basis and source."""
    from simbackup.cli import show  # noqa: PLC0415
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


def measure(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Output of fio, iperf3, dd, btape, lsblk or mtx.")
    ],
    like: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The datasheet that supplies what was not measured, such as ssd/nvme-gen4-2021."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Write to this .yaml file, such as models/ssd/ours.yaml."),
    ],
    as_json: Json = False,
) -> None:
    """Write a datasheet from the output of measuring tools, with the spread of the runs as the range."""
    from simbackup import units  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.foreign.measurements.measured_sheet import known_like, measured_sheet  # noqa: PLC0415
    from simbackup.foreign.measurements.tools import read_outputs  # noqa: PLC0415
    from simbackup.output.target import check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415

    known_like(like)
    check_file(out, ("yaml",))
    found = measured_sheet(read_outputs(files), like, out)
    write_whole(out, found.text)
    warn(found.unused)
    rows = [
        {
            "parameter": one.parameter,
            "value": units.show(one.value, one.unit),
            "range": f"{units.show(one.low, one.unit)} to {units.show(one.high, one.unit)}"
            if one.high > one.low
            else "",
            "runs": one.runs,
            "tools": ", ".join(one.tools),
        }
        for one in found.values
    ]
    show.listing(rows, as_json=as_json)
    note(f"written to {out}; the other values are those of {like}")


def history(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Output of backup programs, or tables of jobs (.csv, .xlsx)."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .csv file.")],
    mapping: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="Columns of tables: a .yaml file, or bacula, netbackup, netbackup-bpdbjobs, veeam, jobs.",
        ),
    ] = "",
    zone: Annotated[
        str, typer.Option(metavar="ZONE", help="Time zone of times that state none, such as Europe/Berlin.")
    ] = "",
    start: Annotated[str, typer.Option(metavar="COLUMN", help="The column of tables that states the start.")] = "",
    end: Annotated[str, typer.Option(metavar="COLUMN", help="The column of tables that states the end.")] = "",
    elapsed: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column of tables that states the elapsed time.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Write a history of jobs, jobs.csv, from reports of backup programs."""
    from simbackup.cli import show, show_history  # noqa: PLC0415
    from simbackup.foreign.histories.finished_job import as_rows  # noqa: PLC0415
    from simbackup.foreign.histories.history import jobs_csv, read_history  # noqa: PLC0415
    from simbackup.foreign.histories.mapping import mapping_of  # noqa: PLC0415
    from simbackup.foreign.histories.moments import zone_of  # noqa: PLC0415
    from simbackup.output.target import check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415

    check_file(out, ("csv",))
    read = mapping_of(mapping) if mapping else None
    columns = {key: name for key, name in (("start", start), ("end", end), ("elapsed_s", elapsed)) if name}
    jobs, notes = read_history(files, read, zone_of(zone) if zone else None, columns)
    write_whole(out, jobs_csv(jobs))
    show.listing(show_history.jobs_table(as_rows(jobs)), as_json=as_json)
    for each in notes:
        note(each)
    note(f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'} written to {out}")
