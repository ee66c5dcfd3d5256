"""Commands about what other programs wrote: measure, history."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import Json, note, warn


def measure(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Output of fio, iperf3, dd or btape.")],
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
    from simbackup.foreign.registry import read_outputs  # noqa: PLC0415
    from simbackup.output.target import check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415

    known_like(like)
    check_file(out, ("yaml",))
    found = measured_sheet(read_outputs(files), like, out)
    write_whole(out, found.text)
    warn(found.unused)
    rows = [
        {
            "parameter": one.parameter, "value": units.show(one.value, one.unit),
            "range": " to ".join(units.show(end, one.unit) for end in (one.low, one.high) if one.high > one.low),
            "runs": one.runs, "tools": ", ".join(one.tools),
        }
        for one in found.values
    ]  # fmt: skip
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
    from simbackup.cli import show, show_published  # noqa: PLC0415
    from simbackup.foreign.histories.finished_job import as_rows  # noqa: PLC0415
    from simbackup.foreign.histories.past import zone_of  # noqa: PLC0415
    from simbackup.foreign.histories.reports import mapping_of  # noqa: PLC0415
    from simbackup.foreign.registry import jobs_csv, read_history  # noqa: PLC0415
    from simbackup.output.target import check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415

    check_file(out, ("csv",))
    read = mapping_of(mapping) if mapping else None
    columns = {key: name for key, name in (("start", start), ("end", end), ("elapsed_s", elapsed)) if name}
    jobs, notes = read_history(files, read, zone_of(zone) if zone else None, columns)
    write_whole(out, jobs_csv(jobs))
    show.listing(show_published.jobs_table(as_rows(jobs)), as_json=as_json)
    for each in notes:
        note(each)
    note(f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'} written to {out}")
