"""The command line. Heavy imports are inside the commands, so that help is quick."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from simbackup.cli import interrupts
from simbackup.cli.interrupts import EXIT_CODES, INTERRUPTED, WRONG_INPUT
from simbackup.cli.of_files import check, scenarios, schema, upgrade
from simbackup.cli.of_lab import compare, components, datasheets, join, measure_runs, pack, predict, set_up
from simbackup.cli.of_many_runs import calibrate, reproduce, sensitivity, study
from simbackup.cli.of_measurements import history, measure
from simbackup.cli.of_models import cited, fitted, listed, shown
from simbackup.cli.of_runs import explain, picture, plot, report, run, serve, trace
from simbackup.cli.of_site_report import protect, report_site
from simbackup.cli.of_sites import (
    WithTemplates,
    buy,
    capacity_site,
    check_site,
    compare_sites,
    explain_site,
    init,
    plan_site,
    plot_site,
    points_site,
    restore_site,
    sensitivity_site,
)  # fmt: skip
from simbackup.cli.options import note
from simbackup.cli.streams import to_nowhere
from simbackup.errors import SimbackupError
from simbackup.files import pipes_kept

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Any error in a command line; typer has no name of its own for it."""

LINE = 60
"""Letters of help that fit beside the name of a command on a terminal of 80 columns."""
SETTINGS = {"help_option_names": ["-h", "--help"]}


def brief(text: str | None) -> str:
    """The first sentence of a help text, up to a comma if it would not fit a line of a list of commands.

    >>> brief("Plan a site over months: nights, capacity, cartridges, restores and cost, as tables. Then more.")
    'Plan a site over months.'
    """
    sentence = " ".join((text or "").split()).partition(". ")[0].removesuffix(".")
    return f"{sentence if len(sentence) <= LINE else re.split('[,:;]', sentence)[0]}."


def _group(text: str, commands: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """Commands that have a name in common."""
    group = typer.Typer(
        help=text, short_help=brief(text), no_args_is_help=True, context_settings=SETTINGS, rich_markup_mode=None
    )
    for name, command in commands.items():
        shown = WithTemplates if command is init else None
        group.command(name, short_help=brief(command.__doc__), cls=shown)(command)
    return group


def _version(wanted: bool) -> None:
    if wanted:
        from simbackup.results.record import program_version  # noqa: PLC0415

        engine = find_spec("simbackup.engine.filling")
        compiled = engine is not None and not str(engine.origin).endswith(".py")
        print(f"simbackup {program_version()}{' (compiled)' if compiled else ''}")  # noqa: T201
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Simulate backup and restore systems, and show what limits them."""
    del version  # its callback has ended the program


COMMANDS = {
    command.__name__: command for command in (
        run, plot, report, reproduce, explain, check, upgrade, study, sensitivity, trace, picture, calibrate, measure,
        history, scenarios, schema, serve, protect,
    )
}  # fmt: skip
"""Commands by name, in the order of the help."""
GROUPS = {
    "models": _group(
        "Show the datasheets, their values and sources.",
        {"list": listed, "show": shown, "fitted": fitted, "cite": cited},
    ),
    "lab": _group(
        "Measure real programs on this machine, and predict them first.",
        {
            "setup": set_up,
            "components": components,
            "predict": predict,
            "measure": measure_runs,
            "compare": compare,
            "datasheets": datasheets,
            "pack": pack,
            "join": join,
        },
    ),
    "plan": _group(
        "Plan a site over months: nights, capacity, cartridges, restores and cost.",
        {
            "init": init,
            "run": plan_site,
            "capacity": capacity_site,
            "explain": explain_site,
            "restore": restore_site,
            "points": points_site,
            "check": check_site,
            "buy": buy,
            "compare": compare_sites,
            "sensitivity": sensitivity_site,
            "plot": plot_site,
            "report": report_site,
        },
    ),
}
"""Groups of commands by name."""


def application(wanted: str = "") -> typer.Typer:
    """The command line with one command or group if it has one of that name, and otherwise with all.

    Reading the options of all takes as long as several runs of a small scenario.
    """
    made = typer.Typer(
        name="simbackup", help="Simulate backup and restore systems, and show what limits them.", epilog=EXIT_CODES,
        no_args_is_help=True, context_settings=SETTINGS, pretty_exceptions_enable=False, rich_markup_mode=None,
    )  # fmt: skip
    made.callback()(options)
    names = {wanted} & {*COMMANDS, *GROUPS} or {*COMMANDS, *GROUPS}
    for name, command in COMMANDS.items():
        if name in names:
            made.command(short_help=brief(command.__doc__))(command)
    for name, group in GROUPS.items():
        if name in names:
            made.add_typer(group, name=name)
    return made


app = application()


def _usage(error: Any) -> str:
    """What is wrong with a command line, in the form of a message about a file."""
    command = error.ctx.command_path if error.ctx is not None else "simbackup"
    message = error.format_message().replace("Value error, ", "")  # pydantic's words before those of a check
    if "\n" in message:  # the help of a command that takes others
        return message
    message, _, meant = message.partition(". Did you mean ")
    remedy = f"did you mean {meant}" if meant else f"see {command} --help"
    return f"{command}: {message[:1].lower()}{message[1:].rstrip('.')}; {remedy}"


def main() -> None:
    """Run the command line; wrong input gives a message without a traceback, and Ctrl-C ends cleanly."""
    os.environ.pop("MPLBACKEND", None)  # pictures go to files, and no window is opened
    try:
        named = application(*sys.argv[1:2])
        with pipes_kept():
            code = named(prog_name="simbackup", standalone_mode=False) or 0
        sys.stdout.flush()  # a pipe that was closed shows here, and not when the interpreter ends
        sys.exit(code)
    except UsageError as error:
        print(_usage(error), file=sys.stderr)  # noqa: T201
        raise SystemExit(WRONG_INPUT) from None
    except SimbackupError as error:
        note(str(error))
        raise SystemExit(WRONG_INPUT) from None
    except (KeyboardInterrupt, typer.Abort, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:  # typer turns Ctrl-C into that code
            raise
        note(interrupts.said())
        raise SystemExit(interrupts.code()) from None
    except BrokenPipeError:
        to_nowhere(sys.stdout.fileno())
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
