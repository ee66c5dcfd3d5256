"""Commands of a lab of real programs: setup, components, predict, measure, compare, datasheets, pack, join."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import Json, note

Where = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the lab; nothing outside it is touched.")]
Programs = Annotated[
    list[str] | None, typer.Option("--program", "-p", metavar="NAME", help="Only these programs; default: all.")
]


def set_up(
    folder: Where,
    design: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="The runs to measure: minute, quick, full, or a .yaml file.")
    ] = "quick",
    program: Programs = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the data and of the order of runs.")] = 1,
) -> None:
    """Find installed programs, and make the data that they will save."""
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.setup import set_up as make  # noqa: PLC0415

    make(Folder(folder), design, program or (), seed, note)


def components(folder: Where, as_json: Json = False) -> None:
    """Measure the disk, the page cache, the file system, and the speed of a core."""
    from simbackup import units  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.lab.components import measure as measured  # noqa: PLC0415
    from simbackup.lab.folder import Folder  # noqa: PLC0415

    lab = Folder(folder)
    lab.settings()
    with lab.locked():
        found = measured(lab)
    if as_json:
        show.json(found)
        return
    rows = [{"component": "core, times the reference core", **_ends([f"{one:.3g}" for one in found["speed"]])}]
    rows.append({"component": "page cache", **_ends([units.show_short(r, "B/s") for r in found["copy_rate"]])})
    rows += [
        {"component": f"files, {name}", **_ends([units.show_short(each, "s") for each in ends])}
        for name, ends in found["filesystem"].items()
    ]
    rows += [{"component": f"disk, {name}", **_ends(ends)} for name, ends in found["disk"].items()]
    show.listing(rows, as_json=False)


def _ends(ends: list[str]) -> dict[str, str]:
    return dict(zip(("least", "median", "greatest"), ends, strict=True))


def predict(folder: Where) -> None:
    """Predict all runs, and keep the predictions, which are never changed."""
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.predictions import predict as predicted  # noqa: PLC0415

    found = predicted(Folder(folder), note)
    note(f"{found.new} predictions written, {found.before} were there before")
    if found.without:
        note(f"no datasheet describes: {', '.join(found.without)}")


def measure_runs(
    folder: Where,
    program: Programs = None,
    attempts: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often a run is measured at most if other work disturbs it.")
    ] = 3,
) -> None:
    """Measure the runs that are missing, in random order; Ctrl-C keeps what is done."""
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.measuring import measure as measured  # noqa: PLC0415

    try:
        found = measured(Folder(folder), program or (), attempts, note)
    except KeyboardInterrupt:
        note(f"the runs that were measured are kept; go on with: simbackup lab measure {folder}")
        raise
    note(f"{found.new} runs measured, {found.total} in all")
    if found.disturbed:
        note(f"{found.disturbed} of them were disturbed by other work: their elapsed times are not used")
    for what, error in found.failed.items():
        note(f"{what} failed: {error}")
    if found.failed:
        raise typer.Exit(1)


def compare(folder: Where, as_json: Json = False) -> None:
    """Show predictions beside what was measured."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.errors import ResultError  # noqa: PLC0415
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.predictions import compare as compared  # noqa: PLC0415

    rows = compared(Folder(folder))
    if not rows:
        raise ResultError(f"{folder}: no run was both predicted and measured")
    if as_json:
        show.json([one.as_dict() for one in rows])
        return
    holds = {True: "yes", False: "NO", None: "disturbed"}
    shown = [
        {
            "program": one.program, "operation": one.operation, "point": one.point, "datasheet": one.basis,
            "before the runs": "yes" if one.blind else "no", "core time": f"{one.cpu:.3f} s",
            "predicted": f"{one.predicted_cpu:.3f} s", "error": f"{one.error:+.0%}",
            "elapsed": "" if one.elapsed is None else f"{one.elapsed:.2f} s",
            "90 % interval": f"{one.low:.2f} to {one.high:.2f} s", "holds": holds[one.holds],
        }
        for one in rows
    ]  # fmt: skip
    show.listing(shown, as_json=False)


def datasheets(folder: Where, as_json: Json = False) -> None:
    """Write a datasheet for each program whose constants predict what was held out."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.sheets import as_json as plain  # noqa: PLC0415
    from simbackup.lab.sheets import write_sheets  # noqa: PLC0415
    from simbackup.lab.spec import UNITS  # noqa: PLC0415
    from simbackup.units import show_short  # noqa: PLC0415

    written, found = write_sheets(Folder(folder))
    if as_json:
        show.json([plain(one) for one in found])
    else:
        rows: list[dict[str, str]] = []
        for one in found:
            both = one.constants.values, one.constants.deviations
            shown = {
                term: [show_short(each[term], UNITS[term], 3) for each in both] for term in UNITS if term in both[0]
            }
            joined = {str(term): " +- ".join(texts) for term, texts in shown.items()}
            rows.append({"program": one.program, "operation": one.operation} | joined)
        show.listing(rows, as_json=False)
        for one in found:
            show.line(one.verdict)
            if one.serial is not None:
                show.line(f"{one.program} {one.operation}: serial share {one.serial:.0%}")
            if one.delays is not None:
                show.line(f"{one.program} {one.operation}: {one.delays.said}")
    for path in written:
        note(f"written to {path}")


def pack(
    folder: Where,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .json file.")] = Path(
        "lab-pack.json"
    ),
) -> None:
    """Write all that was measured and predicted to one file, without names and paths."""
    from simbackup.lab.folder import Folder  # noqa: PLC0415
    from simbackup.lab.record import packed  # noqa: PLC0415
    from simbackup.output.target import check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415

    check_file(out, ("json",))
    write_whole(out, packed(Folder(folder)))
    note(f"written to {out}; read it before you send it")


def join(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that 'lab pack' wrote.")],
    into: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of all records.")] = Path("lab"),
) -> None:
    """Add a packed lab to the records that 'reproduce lab' simulates."""
    from simbackup.lab.record import join as add  # noqa: PLC0415

    note(f"written to {add(file, into)}")
