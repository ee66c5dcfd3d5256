"""The command about the restore points of a site: plan points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from simbackup.cli.of_sites import SiteName, load
from simbackup.cli.options import Intervals, Json, SiteSets, Wanted

if TYPE_CHECKING:
    from simbackup.planning.available import Arrivals


def points_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="DATE|TIME",
            help="The points at noon of this day, or at a moment such as '2027-06-09 10:05'; at noon a year after the "
            "start by default.",
        ),
    ] = None,
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
    from simbackup.cli import counting, show  # noqa: PLC0415
    from simbackup.planning.restore import moment_of  # noqa: PLC0415
    from simbackup.planning.restore_points import log_until, points_at  # noqa: PLC0415
    from simbackup.policies.calendar import end_of, moment_at  # noqa: PLC0415
    from simbackup.reporting.point_tables import tables_of_log, tables_of_points  # noqa: PLC0415

    loaded = load(site, sets)
    now = moment_of(loaded, None if at is None else moment_at(loaded.start, at))
    first = loaded.start if since is None else end_of(loaded.start, since, "--from")
    arrivals: Arrivals | None = None
    if times:
        loaded, arrivals = counting.complete(loaded, now, whole=log)
    if log:
        known = log_until(loaded, now, policy or [], system, arrivals)
        lines = [line for line in known if line.date >= first]
        title = f"Restore points until {now:%Y-%m-%d %H:%M}"
        each = [line.as_dict() for line in lines]
        show.answer(lambda: each, lambda: show.report_tables(title, tables_of_log(lines)), as_json=as_json)
        return
    found = points_at(loaded, now, policy or [], system, intervals=intervals is not Intervals.NONE, arrivals=arrivals)
    sure = " (90 % intervals in brackets)" if any(one.cases for one in found) else ""
    title, data = (
        f"Restore points at {now:%Y-%m-%d %H:%M}{sure}",
        {"at": now, "policies": [one.as_dict() for one in found]},
    )
    show.answer(lambda: data, lambda: show.report_tables(title, tables_of_points(found)), as_json=as_json)
