"""The command line. Heavy imports are inside the commands, so that help is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from simbackup.cli.plan import plan
from simbackup.errors import InputError, Place, Problem, ResultError, SimbackupError
from simbackup.text import for_terminal

WRONG_INPUT, INTERRUPTED = 2, 130
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Any error in a command line; typer has no name of its own for it."""

SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="simbackup", help="Simulate backup and restore systems, and show what limits them.", no_args_is_help=True,
    context_settings=SETTINGS, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
models = typer.Typer(
    help="Show the datasheets, their values and sources.", no_args_is_help=True, context_settings=SETTINGS,
    rich_markup_mode=None,
)  # fmt: skip
app.add_typer(models, name="models")
app.add_typer(plan, name="plan")

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="ADDRESS=VALUE", help="Replace a value, such as devices.cow.chunk=16KiB."),
]
Seed = Annotated[int, typer.Option(help="Seed of all random streams.", min=0)]


def _version(wanted: bool) -> None:
    if wanted:
        from simbackup.results.record import program_version  # noqa: PLC0415

        print(f"simbackup {program_version()}")  # noqa: T201
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Simulate backup and restore systems, and show what limits them."""
    del version  # its callback has ended the program


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="File or name of a scenario.")],
    sets: Sets = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the result to this folder; replaces only an older result."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate one scenario. Exits with 1 if a job failed."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.output.target import check_folder  # noqa: PLC0415
    from simbackup.results.folder import check_place  # noqa: PLC0415
    from simbackup.run import simulate  # noqa: PLC0415
    from simbackup.scenario import load  # noqa: PLC0415

    loaded = load(scenario, overrides(sets or []))
    warn(loaded.warnings)
    if out is not None:
        check_folder(out)
        check_place(out)  # report a wrong folder before a long run
    with show.progress() as progress:
        result = simulate(loaded, seed=seed, progress=progress)
    if as_json:
        show.json(result.as_dict())
    else:
        show.result(result)
    if out is not None:
        folder = result.save(out)
        _tell(f"written to {folder}")
    raise typer.Exit(0 if result.all_ended_well else 1)


@app.command()
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
    """Plot a result, or a scenario, which is run first."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.plots import draw  # noqa: PLC0415

    with show.progress() as progress:
        path = draw.draw(what, kind, out, overrides=overrides(sets or []), seed=seed, progress=progress)
    _tell(f"written to {path}")


@app.command()
def report(  # noqa: PLR0917 (typer reads each as an option)
    what: Annotated[
        list[str], typer.Argument(metavar="RESULT|SCENARIO...", help="Folders of results, or scenarios to run.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .html file.")] = Path(
        "report.html"
    ),
    excel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the tables to this .xlsx file.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write the tables to this folder as CSV.")
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Show how times vary over the assumed ranges; takes many runs.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Skip the runs without the bottleneck.")] = False,
    sets: Sets = None,
    seed: Seed = 0,
) -> None:
    """Write a page that answers a scenario's question, with its inputs and assumptions; several are compared."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.reporting.report import report as write  # noqa: PLC0415

    with show.progress() as progress:
        path = write(
            what, out, overrides=overrides(sets or []), seed=seed, intervals=intervals, reruns=not quick, excel=excel,
            tables=csv, progress=progress,
        )  # fmt: skip
    _tell(f"written to {path}")


@app.command()
def reproduce(
    document: Annotated[
        list[str] | None, typer.Argument(help="Documents, such as 003, or folders of your own; default: all.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count rows that are declared off as failures.")] = False,
    left_out: Annotated[
        bool, typer.Option("--cross-validate", help="Predict each row of each fit from its other rows instead.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Simulate the published measurements, and compare measured with simulated."""
    from simbackup.cli import show, show_published  # noqa: PLC0415
    from simbackup.experiments.reproduce import reproduce as everything  # noqa: PLC0415

    if left_out:
        from simbackup.experiments.cross_validate import cross_validate  # noqa: PLC0415

        show_published.cross_validation(cross_validate(document or []), as_json=as_json, markdown=markdown)
        return
    found = everything(document or [])
    if as_json:
        show.json([row.as_dict() for row in found.rows])
    elif markdown:
        show_published.reproduction_markdown(found)
    else:
        show_published.reproduction(found)
    good = all(row.within if strict else row.good for row in found.rows)
    raise typer.Exit(0 if good else 1)


@app.command()
def explain(
    what: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario to run.")],
    job: Annotated[list[str] | None, typer.Argument(help="Jobs; default: all.")] = None,
    sets: Sets = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Explain why each job took as long as it did, and what would change without its bottleneck."""
    from simbackup.cli import show, show_causes  # noqa: PLC0415
    from simbackup.experiments.what_if import reasons as why  # noqa: PLC0415
    from simbackup.run import result_of  # noqa: PLC0415

    with show.progress() as progress:
        result = result_of(what, overrides(sets or []), seed=seed, progress=progress)
    if as_json:
        show.json({"jobs": [one.as_dict() for one in why(result, result.scenario, job or [])]})
        return
    shown = show_causes.chosen(result, job or [])
    show_causes.explained(why(result, result.scenario, list(shown)), shown)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Scenarios, datasheets or files of measurements.")],
) -> None:
    """Report every error in files, with line and column."""
    from simbackup.cli.checking import check_file  # noqa: PLC0415

    problems: list[Problem] = []
    for file in files:
        problems.extend(check_file(file))
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    warn(problems)
    print(f"{len(files)} {'file is' if len(files) == 1 else 'files are'} valid")  # noqa: T201 (a command line prints)


@app.command()
def study(
    name: Annotated[str, typer.Argument(help="File or name of a study, such as planning/snapshot-chunk-size.")],
    seed: Seed = 0,
    workers: Annotated[int, typer.Option(help="Worker processes.", min=1)] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table to this .csv, .parquet, .xlsx or .json file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run scenarios over varied values, and print one table."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.study import study as many  # noqa: PLC0415
    from simbackup.output.target import TABLE, check_file  # noqa: PLC0415

    if out is not None:
        check_file(out, TABLE)
    table = many(name, seed=seed, workers=workers)
    if as_json:
        show.json(list(table.rows))
    else:
        show.study(table)
    if out is not None:
        table.write(out)


@app.command()
def trace(
    name: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .json file.")],
    sets: Sets = None,
    seed: Seed = 0,
) -> None:
    """Write a timeline for Perfetto or chrome://tracing."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.output.target import TRACE, check_file  # noqa: PLC0415
    from simbackup.run import result_of  # noqa: PLC0415

    check_file(out, TRACE)
    with show.progress() as progress:
        result = result_of(name, overrides(sets or []), seed=seed, progress=progress)
    result.chrome_trace(out)
    _tell(f"written to {out}; open it at https://ui.perfetto.dev or in chrome://tracing")


@app.command()
def picture(
    name: Annotated[str, typer.Argument(metavar="RESULT|SCENARIO", help="Folder of a result, or a scenario.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to this .svg, .mmd (Mermaid) or .dot file."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="Format without --out: svg, mmd or dot.")
    ] = "svg",
    sets: Sets = None,
) -> None:
    """Draw the system: hosts, devices, links, data, users and jobs. Nothing is run."""
    from simbackup.drawing.picture import picture as drawn  # noqa: PLC0415
    from simbackup.results.folder import is_there  # noqa: PLC0415
    from simbackup.results.result import Result  # noqa: PLC0415
    from simbackup.scenario import load  # noqa: PLC0415

    kept = is_there(Path(name))
    if kept and sets:
        raise ResultError(f"{name} is a result, in which nothing can be set; name its scenario instead")
    seen = Result.load(name).picture if kept else drawn(load(name, overrides(sets or [])))
    if out is None:
        print(seen.text(form), end="")  # noqa: T201
    else:
        _tell(f"written to {seen.save(out)}")


@app.command()
def calibrate(
    document: Annotated[str, typer.Argument(help="The document, such as 003, or a folder of your own.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do not write the datasheets.")] = False,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fit the constants of a document to its rows, report which are not identifiable, and write the datasheets."""
    from simbackup.cli import show_published  # noqa: PLC0415
    from simbackup.experiments.calibrate import calibrate as fit  # noqa: PLC0415
    from simbackup.experiments.separability import separability  # noqa: PLC0415

    found = fit(document, write=not dry_run, seed=seed)
    apart = separability(document, found, seed=seed)
    if as_json:
        show_published.fits_json(found, apart)
    else:
        show_published.fits(found, apart)


@app.command()
def scenarios(as_json: Json = False) -> None:
    """List the scenarios that can be run by name."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import scenario_list  # noqa: PLC0415

    show.listing(scenario_list(), as_json=as_json)


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file, such as scenario or datasheet.")] = "scenario",
    listed: Annotated[bool, typer.Option("--list", help="List the kinds of files.")] = False,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a kind of file, for completion in editors."""
    from simbackup import shelf  # noqa: PLC0415
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.errors import choices  # noqa: PLC0415
    from simbackup.scenario.json_schema import KINDS, json_schema  # noqa: PLC0415

    if listed:
        show.listing([{"kind": name, "file": text} for name, text in KINDS.items()], as_json=as_json)
        return
    if kind not in KINDS:
        message = f"there is no schema of the kind '{kind}'"
        raise InputError([Problem(Place("simbackup schema"), "", message, choices(kind, KINDS))])
    show.json(json_schema(kind, shelf.names()))


@models.command("list")
def models_list(as_json: Json = False) -> None:
    """List the datasheets."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_list  # noqa: PLC0415

    show.listing(datasheet_list(), as_json=as_json)


@models.command("show")
def models_show(
    name: Annotated[str, typer.Argument(help="Such as disk/scsi-10k-146gb-2004.")], as_json: Json = False
) -> None:
    """Show each value of a datasheet with its basis and source."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import datasheet_values  # noqa: PLC0415

    show.listing(datasheet_values(name), as_json=as_json)


@models.command("fitted")
def models_fitted(as_json: Json = False) -> None:
    """List the fitted and chosen constants."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import fitted_list  # noqa: PLC0415

    show.listing(fitted_list(), as_json=as_json)


@models.command("cite")
def models_cite(
    scenario: Annotated[str | None, typer.Argument(help="A scenario; default: all datasheets.")] = None,
    as_json: Json = False,
) -> None:
    """List the works that the datasheets, or those of a scenario, cite."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.overview import works  # noqa: PLC0415

    show.listing(works(scenario), as_json=as_json)


def warn(warnings: Iterable[Problem]) -> None:
    """Print warnings on standard error."""
    for warning in sorted(set(warnings)):
        print(warning, file=sys.stderr)  # noqa: T201


def overrides(sets: list[str]) -> dict[str, Any]:
    """The values of `--set` options by address.

    Raises
    ------
    InputError
        An option is not of the form ADDRESS=VALUE.
    """
    from dataclasses import replace  # noqa: PLC0415

    from simbackup.schema.tree import Node  # noqa: PLC0415
    from simbackup.schema.yaml_file import parse  # noqa: PLC0415

    found: dict[str, Any] = {}
    problems: list[Problem] = []

    def at(node: Node, place: Place) -> Node:
        value = node.value
        if isinstance(value, dict):
            value = {name: at(child, place) for name, child in value.items()}
        elif isinstance(value, list):
            value = [at(child, place) for child in value]
        return replace(node, value=value, place=place, key=place)

    for text in sets:
        address, equals, value = text.partition("=")
        place = Place(f"--set {text}")
        if not equals or not address:
            problems.append(Problem(place, "", "has no value", "write --set ADDRESS=VALUE"))
            continue
        try:
            found[address] = at(parse(f"value: {value}", f"--set {text}").mapping["value"], place)
        except InputError as error:
            problems.extend(Problem(place, p.address, p.message, p.remedy) for p in error.problems)
    if problems:
        raise InputError(problems)
    return found


def _tell(text: str) -> None:
    """Print a note on standard error."""
    print(for_terminal(text), file=sys.stderr)  # noqa: T201 (a command line prints)


def _usage(error: Any) -> str:
    """What is wrong with a command line, in the form of a message about a file."""
    command = error.ctx.command_path if error.ctx is not None else "simbackup"
    message = error.format_message()
    if "\n" in message:  # the help of a command that takes others
        return message
    message, _, meant = message.partition(". Did you mean ")
    remedy = f"did you mean {meant}" if meant else f"see {command} --help"
    return f"{command}: {message[:1].lower()}{message[1:].rstrip('.')}; {remedy}"


def main() -> None:
    """Run the command line; wrong input gives a message without a traceback, and Ctrl-C ends cleanly."""
    try:
        sys.exit(app(prog_name="simbackup", standalone_mode=False) or 0)
    except UsageError as error:
        print(_usage(error), file=sys.stderr)  # noqa: T201
        raise SystemExit(WRONG_INPUT) from None
    except SimbackupError as error:
        _tell(str(error))
        raise SystemExit(WRONG_INPUT) from None
    except (KeyboardInterrupt, typer.Abort, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:  # typer turns Ctrl-C into that code
            raise
        _tell("interrupted; no partial output was written")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
