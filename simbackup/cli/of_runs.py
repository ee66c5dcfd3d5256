"""Commands about one run: run, explain, plot, picture, trace, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import Intervals, Json, Seed, Sets, TraceKept, Verbose, Wanted, note, overrides, warn
from simbackup.errors import InputError, Place, Problem, ResultError, choices


def run(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    scenario: Annotated[str, typer.Argument(help="File or name of a scenario.")],
    sets: Sets = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the result to this folder; replaces only an older result."),
    ] = None,
    intervals: Wanted = Intervals.QUICK,
    trace: Annotated[
        TraceKept,
        typer.Option(
            help="What the result keeps: full (all that explain, report and plot need), jobs (the tables of jobs and "
            "devices) or none (only what jobs report)."
        ),
    ] = TraceKept.FULL,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Simulate one scenario, with the 90 % interval of each job. Exits with 1 if a job failed."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.cli.counting import counting, jobs  # noqa: PLC0415
    from simbackup.experiments.intervals import every_interval  # noqa: PLC0415
    from simbackup.run import ran  # noqa: PLC0415
    from simbackup.scenario import load  # noqa: PLC0415

    loaded = load(scenario, overrides(sets or []))
    if out is not None:
        from simbackup.output.target import check_folder  # noqa: PLC0415
        from simbackup.results.folder import check_place  # noqa: PLC0415

        check_folder(out)
        check_place(out)  # report a wrong folder before a long run
    with jobs() as progress:
        result = ran(loaded, seed=seed, progress=progress, trace=trace.value, noting_reads=True)
    warn(result.warnings)
    with counting() as counted:
        found, figures = every_interval(result, intervals.value, counted, figures=as_json)
    if as_json:
        from simbackup.experiments.intervals import as_rows  # noqa: PLC0415
        from simbackup.results.rows import exact  # noqa: PLC0415
        from simbackup.scenario.typical import as_row  # noqa: PLC0415

        show.json({
            **result.as_dict(), "intervals": [one.as_dict(nearest=verbose) for one in found.values()],
            "figures": as_rows(figures),
            "exact": exact(result.values),
            "typical": [as_row(v.address, v.given) for v in loaded.values if v.given.typical],
        })  # fmt: skip
    else:
        show.result(result, found, verbose=verbose)
        if not found and intervals is Intervals.QUICK and result.all_ended_well:
            note("no intervals: the scenario is very large; --intervals thorough computes them in hundreds of runs")
    if out is not None:
        folder = result.save(out)
        note(f"written to {folder}")
    raise typer.Exit(0 if result.all_ended_well else 1)


def explain(
    what: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario to run.")],
    job: Annotated[list[str] | None, typer.Argument(help="Jobs; default: all.")] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Show only the causes; do not run again with the bottleneck twice as fast and without it."
        ),
    ] = False,
    sets: Sets = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Explain why each job took as long as it did, and what would change without its bottleneck."""
    from simbackup.cli import show, show_causes  # noqa: PLC0415
    from simbackup.cli.counting import jobs  # noqa: PLC0415
    from simbackup.experiments.what_if import reasons as why  # noqa: PLC0415
    from simbackup.run import result_of  # noqa: PLC0415

    with jobs() as progress:
        result = result_of(what, overrides(sets or []), seed=seed, progress=progress)
    if as_json:
        show.json({"jobs": [one.as_dict() for one in why(result, result.scenario, job or [], reruns=not quick)]})
        return
    shown = show_causes.chosen(result, job or [])
    show_causes.explained(why(result, result.scenario, list(shown), reruns=not quick), shown)


def plot(
    what: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario to run.")],
    kind: Annotated[
        str, typer.Argument(help="timeline, utilisation, throughput, causes, drives or compare.")
    ] = "timeline",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this .png, .svg or .pdf file.")
    ] = None,
    sets: Sets = None,
    seed: Seed = 0,
) -> None:
    """Plot a result, or run a scenario and plot its result."""
    from simbackup.cli.counting import jobs  # noqa: PLC0415
    from simbackup.output.target import PICTURE, check_file  # noqa: PLC0415
    from simbackup.plots import style  # noqa: PLC0415
    from simbackup.plots.of_result import KINDS  # noqa: PLC0415
    from simbackup.run import result_of  # noqa: PLC0415

    if kind not in KINDS:
        problem = Problem(Place("simbackup plot"), "", f"there is no picture '{kind}'", choices(kind, KINDS))
        raise InputError([problem])
    if out is not None:
        check_file(out, PICTURE)
    with jobs() as progress:
        result = result_of(what, overrides(sets or []), seed=seed, progress=progress)
    path = out or Path(f"{Path(result.record.scenario).name.removesuffix('.yaml')}-{kind}.png")
    note(f"written to {style.write(getattr(result.plot, kind)(), path)}")


def picture(
    name: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to this .svg file."),
    ] = None,
    sets: Sets = None,
) -> None:
    """Draw the system: hosts, devices, links, data, users and jobs. No simulation is run."""
    from simbackup.drawing.picture import picture as drawn  # noqa: PLC0415
    from simbackup.results.folder import is_there  # noqa: PLC0415
    from simbackup.results.result import Result  # noqa: PLC0415
    from simbackup.scenario import load  # noqa: PLC0415

    kept = is_there(Path(name))
    if kept and sets:
        raise ResultError(f"{name} is a result, whose values cannot be changed; name its scenario instead")
    seen = Result.load(name).picture if kept else drawn(load(name, overrides(sets or [])))
    if out is None:
        print(seen.svg(), end="")  # noqa: T201
    else:
        note(f"written to {seen.save(out)}")


def trace(
    name: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .json file.")],
    sets: Sets = None,
    seed: Seed = 0,
) -> None:
    """Write a timeline for Perfetto or chrome://tracing."""
    from simbackup.cli.counting import jobs  # noqa: PLC0415
    from simbackup.output.target import TRACE, check_file  # noqa: PLC0415
    from simbackup.run import result_of  # noqa: PLC0415

    check_file(out, TRACE)
    with jobs() as progress:
        result = result_of(name, overrides(sets or []), seed=seed, progress=progress)
    result.chrome_trace(out)
    note(f"written to {out}; open it at https://ui.perfetto.dev or in chrome://tracing")


def report(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    what: Annotated[
        list[str], typer.Argument(metavar="RESULT|SCENARIO...", help="Folders of results, or scenarios to run.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .html file.")] = Path(
        "report.html"
    ),
    excel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the tables to this .xlsx file.")
    ] = None,
    intervals: Wanted = Intervals.QUICK,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Run each scenario once: no runs without the bottleneck, and no intervals unless you set --intervals.",
        ),
    ] = False,
    sets: Sets = None,
    seed: Seed = 0,
) -> None:
    """Write a page that answers a scenario's question and lists its inputs and assumptions, or compares several."""
    from simbackup.cli.counting import counting, jobs  # noqa: PLC0415
    from simbackup.reporting.report import report as write  # noqa: PLC0415

    effort = Intervals.NONE if quick and intervals is Intervals.QUICK else intervals
    with jobs() as progress, counting() as counted:
        path = write(
            what, out, overrides=overrides(sets or []), seed=seed, intervals=effort.value, reruns=not quick,
            excel=excel, progress=progress, cases=counted,
        )  # fmt: skip
    note(f"written to {path}")


def serve(
    scenario: Annotated[
        str, typer.Argument(metavar="[SCENARIO|SITE|FOLDER]", help="What to open; a folder offers all its files.")
    ] = "",
    port: Annotated[int, typer.Option(metavar="N", help="Port of the page; 0 picks a free one.")] = 8350,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address of the page; any but the default lets others connect.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Maximum memory of one run.")] = "2 GB",
    time: Annotated[str, typer.Option(metavar="TIME", help="Maximum processor time of one run.")] = "5 min",
) -> None:
    """Serve a what-if page for the browser: change values, see the effect, keep and compare variants."""
    from simbackup.cli.options import quantity  # noqa: PLC0415
    from simbackup.web.serve import serve as served  # noqa: PLC0415

    served(
        scenario, host, port, (quantity("--memory", memory, "B"), quantity("--time", time, "s")), opens=browser,
        announce=lambda address: note(f"Ctrl-C ends it; the page is at {address}"),
    )  # fmt: skip
