"""Commands about sites over months: plan init, run, restore, check, compare, buy."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from simbackup.cli.options import Intervals, Json, Picture, SiteSets, Wanted, Workers, note, overrides, warn
from simbackup.policies.calendar import HORIZON

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

    from simbackup.planning.available import Arrivals
    from simbackup.planning.loading import SiteFile
    from simbackup.planning.plan import Plan
    from simbackup.planning.site import PlannedSite
    from simbackup.plots.style import Chart


class WithTemplates(TyperCommand):
    """A command whose help ends with the names of all templates of sites."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the names after the options."""
        from simbackup.planning.inventory import templates  # noqa: PLC0415

        with formatter.section("Templates"):
            formatter.write_text(", ".join(templates()))


SiteName = Annotated[str, typer.Argument(metavar="SITE", help="A site file, such as site.yaml.")]


def init(
    inventory: Annotated[
        Path,
        typer.Argument(
            metavar="INVENTORY", help="A .csv or .xlsx file with a row for each system, or output of 'zfs list'."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .yaml file.")] = Path(
        "site.yaml"
    ),
    template: Annotated[
        str, typer.Option(metavar="NAME", help="The template, one of those listed below.")
    ] = "virtualised",
    unit: Annotated[
        str, typer.Option(metavar="UNIT", help="The unit of sizes that name none, such as GB or MiB.")
    ] = "",
    powered_off: Annotated[
        bool, typer.Option("--with-powered-off", help="Include virtual machines that are switched off.")
    ] = False,
) -> None:
    """Write a site file from an inventory, with policies and targets of a template, and mark guesses as assumed.

    Disk pools that are too small get enough disks for three years; anything else that is too small is a warning.
    """
    from dataclasses import replace  # noqa: PLC0415

    from simbackup.errors import Problem, ResultError  # noqa: PLC0415
    from simbackup.output.target import YAML, check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415
    from simbackup.planning.described import with_room  # noqa: PLC0415
    from simbackup.planning.inventory import site_text  # noqa: PLC0415

    try:
        there = out.exists()
    except OSError as error:
        raise ResultError(f"{out} cannot be written ({error.strerror})") from None
    if there:
        raise ResultError(f"{out} exists; name another file with --out")
    check_file(out, YAML)
    warnings: list[Problem] = []
    text = site_text(inventory, template, warnings, unit=unit, powered_off=powered_off)
    wrong: list[Problem] = []
    text, disks = with_room(text, str(out), wrong)
    write_whole(out, text)
    warn([*warnings, *(replace(one, severity="warning") for one in wrong)])
    for address, number in disks.items():
        note(f"{address} is {number}: as many as {'the largest system needs' if wrong else 'three years need'}")
    assumed = text.count("basis: assumed") + text.count("# assumed: ")
    note(f"written to {out}; {assumed} values in it are assumed: look for 'assumed'")


Until = Annotated[
    str, typer.Option(metavar="TIME|DATE", help="How long to plan: a time such as 3y or 18 months, or a date.")
]
GoalsFile = Annotated[str, typer.Option("--goals", metavar="FILE", help="The goals, a YAML file.")]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE|DIR", help="Write all tables to this .xlsx file, or to this folder.")
]
At = Annotated[
    str | None,
    typer.Option(
        metavar="DATE|TIME",
        help="Noon of this day, or a moment such as '2027-06-09 10:05'; a year after the start by default.",
    ),
]
Lost = Annotated[
    str, typer.Option("--after-loss-of", metavar="NAME", help="A target, a place or a datastore that is lost.")
]


def load(site: str, sets: list[str] | None) -> PlannedSite:
    """A site with the values that `--set` replaces."""
    from simbackup.planning.site import load_site  # noqa: PLC0415

    return load_site(site, overrides(sets or []))


def read(site: str, sets: list[str] | None) -> SiteFile:
    """What the file of a site says, with the values that `--set` replaces."""
    from simbackup.planning.loading import read_site  # noqa: PLC0415

    return read_site(site, overrides(sets or []))


def planned(site: PlannedSite, until: str | date, *, every_night: bool = False) -> Plan:
    """The plan of a site, whose nights are counted as they are simulated; its warnings are shown."""
    from simbackup.cli import counting  # noqa: PLC0415
    from simbackup.planning.plan import plan  # noqa: PLC0415

    with counting.nights() as play:
        found = plan(site, until, play=play(site), every_night=every_night)
    warn(found.warnings)
    return found


def plan_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    until: Until = HORIZON,
    out: Out = None,
    intervals: Wanted = Intervals.QUICK,
    every_night: Annotated[
        bool,
        typer.Option("--every-night", help="Simulate every night, which takes longer; default: those that decide."),
    ] = False,
    workers: Workers = None,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Run a site day by day: windows, capacity, cartridges, restore points, cost.

    Ctrl-C shows what is known by then: capacity, cost, and the nights that were simulated.
    """
    from simbackup.cli import counting, interrupts, show, show_plan  # noqa: PLC0415
    from simbackup.experiments.processes import worker_processes  # noqa: PLC0415
    from simbackup.planning.intervals import NOT_ASKED, sureness  # noqa: PLC0415
    from simbackup.planning.plan import stocked  # noqa: PLC0415
    from simbackup.planning.writing import write_tables  # noqa: PLC0415

    _check_out(out)
    loaded = load(site, sets)
    found: Plan | None = None
    try:
        with counting.nights(workers) as play:
            found = stocked(loaded, until, play=play(loaded))
            found.nights.sample(every_night=every_night)
    except KeyboardInterrupt:
        if found is not None:
            _so_far(found, out, as_json=as_json)
        raise
    warn(found.warnings)
    sure, given_up = NOT_ASKED, False
    try:
        with worker_processes(1 if intervals is Intervals.NONE else workers or os.cpu_count() or 1) as executor:
            sure = sureness(found, intervals.value, executor)
    except KeyboardInterrupt:
        given_up = True
    show.answer(
        lambda: found.as_dict() | {"intervals": sure.as_dict()}, lambda: show_plan.plan(found, sure), as_json=as_json
    )
    if out is not None:
        note(f"written to {write_tables(found.tables() | sure.table(), out)}")
    if given_up:
        interrupts.kept.append("the plan is shown without intervals")
        raise KeyboardInterrupt


def _so_far(found: Plan, out: Path | None, *, as_json: bool) -> None:
    """Show what an interrupted plan knows, and write its tables to a path beside `out`."""
    from simbackup.cli import interrupts, show, show_plan  # noqa: PLC0415
    from simbackup.planning.intervals import NOT_ASKED  # noqa: PLC0415
    from simbackup.planning.writing import write_tables  # noqa: PLC0415

    found.nights.give_up()
    show.answer(found.partial_as_dict, lambda: show_plan.so_far(found, NOT_ASKED), as_json=as_json)
    interrupts.kept.append("what was known by then is shown")
    if out is not None:
        written = write_tables(found.partial_tables(), out.with_name(f"{out.stem}-partial{out.suffix}"))
        interrupts.kept.append(f"what was known by then is shown, and written to {written}")


def capacity_site(
    site: SiteName,
    until: Until = HORIZON,
    out: Out = None,
    intervals: Wanted = Intervals.QUICK,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Capacity, cartridges, restore points and cost alone, without a simulation: seconds, also for large sites."""
    from simbackup.cli import show, show_plan  # noqa: PLC0415
    from simbackup.planning.intervals import NOT_ASKED, stock_sureness  # noqa: PLC0415
    from simbackup.planning.plan import stocked  # noqa: PLC0415
    from simbackup.planning.site import numbers  # noqa: PLC0415
    from simbackup.planning.writing import write_tables  # noqa: PLC0415

    _check_out(out)
    found = stocked(numbers(read(site, sets)), until)
    warn(found.doubts)
    sure = NOT_ASKED if intervals is Intervals.NONE else stock_sureness(found)
    show.answer(
        lambda: found.capacity_as_dict() | {"intervals": sure.as_dict()},
        lambda: show_plan.capacity(found, sure),
        as_json=as_json,
    )
    if out is not None:
        note(f"written to {write_tables(found.capacity_tables() | sure.table(), out)}")


def _check_out(out: Path | None) -> None:
    """Raise an error if tables cannot be written there."""
    from simbackup.planning.writing import check_tables  # noqa: PLC0415

    if out is not None:
        check_tables(out)


def explain_site(
    site: SiteName,
    job: Annotated[
        list[str] | None,
        typer.Argument(help="Backups, named by their system, or copies, as SYSTEM-COPY; default: those that are late."),
    ] = None,
    night: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The day on which the night begins; by default, the tightest night."),
    ] = None,
    until: Until = HORIZON,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Explain why a night takes as long as it does: the bottleneck of each late backup, and the time without it."""
    from simbackup.cli import show, show_plan  # noqa: PLC0415
    from simbackup.planning.reasons import night_reasons  # noqa: PLC0415
    from simbackup.policies.calendar import end_of  # noqa: PLC0415

    loaded = load(site, sets)
    day = None if night is None else end_of(loaded.start, night, "--night")
    plan = planned(loaded, until if day is None else day)
    found = night_reasons(plan, day, job or [])
    show.answer(found.as_dict, lambda: show_plan.night(found), as_json=as_json)


def restore_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    what: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="site; 'client NAME', where NAME may also be 'A,B', 'db*' or 'datastore:san'; or 'one-file NAME' (a "
            "pattern: one file of each).",
        ),
    ] = "site",
    at: At = None,
    lost: Lost = "",
    point: Annotated[
        str | None,
        typer.Option(
            metavar="DATE|TIME",
            help="Bring back the state of this date, or with logs of a moment such as '2027-06-08 14:36'; the newest "
            "by default. 'plan points' lists them.",
        ),
    ] = None,
    at_once: Annotated[int, typer.Option(metavar="N", help="How many restores from disk run at once.", min=1)] = 4,
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain why it takes so long: each phase, and the bottleneck.")
    ] = False,
    intervals: Wanted = Intervals.QUICK,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Restore a site, a system or a file on a date. Exits with 1 if something cannot be restored."""
    from simbackup.cli import counting, show, show_plan  # noqa: PLC0415
    from simbackup.planning.restore import restore  # noqa: PLC0415
    from simbackup.policies.calendar import moment_at  # noqa: PLC0415

    loaded = load(site, sets)
    moment = None if at is None else moment_at(loaded.start, at)
    state = None if point is None else moment_at(loaded.start, point, "--point")
    with counting.nights() as play:
        found = restore(
            loaded, what, moment, lost, at_once, point=state, intervals=intervals.value, play=play(loaded),
            explain=explain,
        )  # fmt: skip
    warn(found.warnings)
    show.answer(found.as_dict, lambda: show_plan.recovery(found), as_json=as_json)
    raise typer.Exit(0 if found.complete else 1)


def check_site(
    site: SiteName,
    goals: GoalsFile,
    until: Until = HORIZON,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Compare a plan with goals. Exits with 1 if one is missed."""
    from simbackup.cli import show, show_plan  # noqa: PLC0415
    from simbackup.planning.goals import judged, read_goals  # noqa: PLC0415

    wanted = read_goals(goals)
    plan = planned(load(site, sets), until)
    found = judged(plan, wanted)
    show.answer(lambda: [goal._asdict() for goal in found], lambda: show_plan.goals(found), as_json=as_json)
    raise typer.Exit(0 if all(goal.met for goal in found) else 1)


def buy(
    site: SiteName,
    goals: GoalsFile,
    most: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="How many purchases at most; all by default.")
    ] = None,
    until: Until = HORIZON,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Plan every set of purchases; the cheapest that meets the goals comes first. Exits with 1 if none does."""
    from simbackup.cli import show, show_plan  # noqa: PLC0415
    from simbackup.planning.goals import read_goals  # noqa: PLC0415
    from simbackup.planning.variants import bought, sets_of  # noqa: PLC0415

    file, wanted = read(site, sets), read_goals(goals)
    chosen = sets_of(file, most)
    typer.echo(f"{len(chosen)} plans: every set of {len(file.spec.purchases)} purchases", err=True)
    found = bought(file, wanted, chosen, until)
    show.answer(lambda: [one.as_dict() for one in found], lambda: show_plan.purchases(file, found), as_json=as_json)
    raise typer.Exit(1 if found[0].missed else 0)


def sensitivity_site(
    site: SiteName,
    quick: Annotated[
        bool, typer.Option("--quick", help="Capacity and cost alone, without a simulation: seconds.")
    ] = False,
    lost: Annotated[
        str | None,
        typer.Option(
            "--after-loss-of", metavar="NAME", help="What is lost before everything is restored; as in report."
        ),
    ] = None,
    until: Until = HORIZON,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Show which inputs with a range decide until when a site fits, its tightest window, a restore, and its cost."""
    from simbackup.cli import counting, show, show_plan  # noqa: PLC0415
    from simbackup.planning.plan import stocked  # noqa: PLC0415
    from simbackup.planning.restore import moment_of  # noqa: PLC0415
    from simbackup.planning.sensitivity import plan_sensitivity  # noqa: PLC0415
    from simbackup.policies.calendar import end_of  # noqa: PLC0415
    from simbackup.reporting.site_report import usual_losses  # noqa: PLC0415

    loaded = load(site, sets)
    where = lost if lost is not None else usual_losses(loaded)[0]
    loaded.lost_with(where)
    day = moment_of(loaded, min(end_of(loaded.start, until), end_of(loaded.start, "1y")))
    with counting.nights() as play:
        plan = stocked(loaded, until, play=play(loaded))
        if not quick:
            plan.nights.sample()
    with counting.counting() as counted:
        found = plan_sensitivity(plan, (day, where), quick=quick, progress=counted)
    data = {"inputs": found.inputs, "left_out": found.left_out, "figures": [one.as_dict() for one in found.decided]}
    show.answer(lambda: data, lambda: show_plan.sensitivity(found), as_json=as_json)


def compare_sites(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    sites: Annotated[list[str], typer.Argument(metavar="SITE...", help="Site files, such as site.yaml.")],
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="ADDRESS=VALUE[; ...]",
            help="One more variant: the first site with these values; may be repeated.",
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS=A,B",
            help="One more variant with each of these values, such as targets.pool.device.disks=8,12; with each "
            "combination if repeated.",
        ),
    ] = None,
    goals: Annotated[str | None, typer.Option(metavar="FILE", help="Compare each variant with these goals.")] = None,
    capacity: Annotated[
        bool, typer.Option("--capacity", help="Capacity and cost alone, without a simulation: seconds.")
    ] = False,
    until: Until = HORIZON,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Compare sites, or variants of one: until when each fits, what it misses, and its cost, the cheapest first.

    Exits with 1 if none meets the goals.
    """
    from simbackup.cli import counting, show, show_plan  # noqa: PLC0415
    from simbackup.errors import InputError, Place, Problem  # noqa: PLC0415
    from simbackup.planning.goals import read_goals  # noqa: PLC0415
    from simbackup.planning.loading import read_site  # noqa: PLC0415
    from simbackup.planning.site import load_site, numbers  # noqa: PLC0415
    from simbackup.planning.variants import compared  # noqa: PLC0415

    wanted, common = None if goals is None else read_goals(goals), overrides(sets or [])
    asked = {site: (site, common) for site in sites}
    for option, texts in (("--with", others or []), ("--vary", _varied(vary or []))):
        for text in texts:
            asked[text] = sites[0], common | overrides([each.strip() for each in text.split(";")], option)
    if len(asked) == 1:
        message = "one variant has nothing to be compared with"
        remedy = "add --with ADDRESS=VALUE, --vary ADDRESS=A,B, or another site"
        raise InputError([Problem(Place("simbackup plan compare"), "", message, remedy)])
    variants = {
        name: numbers(read_site(file, values)) if capacity else load_site(file, values)
        for name, (file, values) in asked.items()
    }
    with counting.nights() as play:
        found = compared(variants, until, wanted, nights=not capacity, play=play)
    show.answer(lambda: [one.as_dict() for one in found], lambda: show_plan.variants(found), as_json=as_json)
    raise typer.Exit(1 if found[0].missed else 0)


def _varied(vary: list[str]) -> Iterator[str]:
    """Yield each combination of the values of all addresses, as a text for `--with`."""
    from simbackup.errors import InputError, Place, Problem  # noqa: PLC0415

    each: dict[str, list[str]] = {}
    for text in vary:
        address, equals, values = text.partition("=")
        found = [value.strip() for value in values.split(",")]
        if not equals or "" in found:
            wrong = "has an empty value" if equals else "has no values"
            raise InputError([Problem(Place(f"--vary {text}"), "", wrong, "write ADDRESS=A,B")])
        if address in each:
            raise InputError([Problem(Place(f"--vary {text}"), "", f"'{address}' is varied twice", "name it once")])
        each[address] = [f"{address}={value}" for value in found]
    yield from map("; ".join, product(*each.values())) if each else ()


def plot_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    kind: Annotated[str, typer.Argument(help="capacity, calendar, restore or points.")] = "capacity",
    out: Picture = None,
    until: Until = HORIZON,
    at: At = None,
    lost: Lost = "",
    policy: Annotated[
        str, typer.Option(metavar="NAME", help="Whose points are drawn; by default, those of the first policy.")
    ] = "",
    sets: SiteSets = None,
) -> None:
    """Plot capacity over time, nights as a calendar, the systems that a restore brings back, or restore points."""
    from simbackup.errors import InputError, Place, Problem, choices  # noqa: PLC0415
    from simbackup.output.target import PICTURE, check_file  # noqa: PLC0415
    from simbackup.planning.restore import restore  # noqa: PLC0415
    from simbackup.plots import style  # noqa: PLC0415
    from simbackup.plots.of_plan import KINDS  # noqa: PLC0415
    from simbackup.policies.calendar import moment_at  # noqa: PLC0415

    kinds = (*KINDS, "restore", "points")
    if kind not in kinds:
        problem = Problem(Place("simbackup plan plot"), "", f"there is no picture '{kind}'", choices(kind, kinds))
        raise InputError([problem])
    if out is not None:
        check_file(out, PICTURE)
    loaded = load(site, sets)
    if kind == "restore":
        found = restore(loaded, "site", None if at is None else moment_at(loaded.start, at), lost)
        warn(found.warnings)
        drawn = found.plot.restore()
    elif kind == "points":
        drawn = _points_drawn(loaded, at, policy)
    else:
        drawn = getattr(planned(loaded, until).plot, kind)()
    note(f"written to {style.write(drawn, out or Path(f'{loaded.file.name}-{kind}.png'))}")


def _points_drawn(site: PlannedSite, at: str | None, policy: str) -> Chart:
    """The picture of the restore points of a policy at a moment; of a divided one, those of its first part."""
    from simbackup.planning.restore import moment_of  # noqa: PLC0415
    from simbackup.planning.restore_points import log_until, points_at  # noqa: PLC0415
    from simbackup.plots.of_plan import calendar_of_points  # noqa: PLC0415
    from simbackup.policies.calendar import moment_at  # noqa: PLC0415

    now = moment_of(site, None if at is None else moment_at(site.start, at))
    site, arrivals = complete(site, now, whole=True)
    first, *_ = points_at(site, now, [policy] if policy else [], arrivals=arrivals)
    lines = list(log_until(site, now, [first.policy], arrivals=arrivals))
    return calendar_of_points(first, lines, now, site.file.spec.title)


def complete(site: PlannedSite, now: datetime, *, whole: bool) -> tuple[PlannedSite, Arrivals]:
    """A site with what its failures cost, and when its backups were complete: the last ones, or all as a `whole`."""
    from simbackup.cli import counting  # noqa: PLC0415
    from simbackup.planning.available import NIGHTS, Arrivals  # noqa: PLC0415
    from simbackup.planning.ledger import Ledger  # noqa: PLC0415
    from simbackup.planning.nights import settled  # noqa: PLC0415

    with counting.nights() as play:
        site = settled(site, now.date(), play(site))
        days = [*Ledger(site).days(now)]
        return site, Arrivals.before(site, days, play(site), len(days) if whole else NIGHTS)


def points_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    at: At = None,
    policy: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only the points of this policy; may be repeated.")
    ] = None,
    system: Annotated[str, typer.Option(metavar="NAME", help="Only the points of this system, with its bytes.")] = "",
    log: Annotated[
        bool, typer.Option("--log", help="Say instead, by date, what was made, merged, expired and freed until then.")
    ] = False,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="The first date of the log; the start by default.")
    ] = None,
    times: Annotated[
        bool,
        typer.Option("--times/--no-times", help="Simulate nights, or count each backup from the moment it is due."),
    ] = True,
    intervals: Wanted = Intervals.QUICK,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """List the restore points at a moment: what each needs, where it is, which rule keeps it, and until when.

    The nights before are simulated, as in 'plan restore': what was not complete by then is no restore point.
    """
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.planning.restore import moment_of  # noqa: PLC0415
    from simbackup.planning.restore_points import log_until, points_at  # noqa: PLC0415
    from simbackup.policies.calendar import end_of, moment_at  # noqa: PLC0415
    from simbackup.reporting.plan_tables import tables_of_log, tables_of_points  # noqa: PLC0415

    loaded = load(site, sets)
    now = moment_of(loaded, None if at is None else moment_at(loaded.start, at))
    first = loaded.start if since is None else end_of(loaded.start, since, "--from")
    arrivals: Arrivals | None = None
    if times:
        loaded, arrivals = complete(loaded, now, whole=log)
    if log:
        known = log_until(loaded, now, policy or [], system, arrivals)
        lines = [line for line in known if line.date >= first]
        title = f"Restore points until {now:%Y-%m-%d %H:%M}"
        each = [line.as_dict() for line in lines]
        show.answer(lambda: each, lambda: show.report_tables(title, tables_of_log(lines)), as_json=as_json)
        return
    found = points_at(loaded, now, policy or [], system, intervals=intervals is not Intervals.NONE, arrivals=arrivals)
    sure = " (90 % intervals in brackets)" if any(one.cases for one in found) else ""
    title = f"Restore points at {now:%Y-%m-%d %H:%M}{sure}"
    data = {"at": now, "policies": [one.as_dict() for one in found]}
    show.answer(lambda: data, lambda: show.report_tables(title, tables_of_points(found)), as_json=as_json)
