# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""The report on a site: one HTML page with the verdicts, what decides, and the assumptions, for whoever pays for it.

What it says first of a plan is also what the page in the browser says: how long everything fits, and what it costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from operator import attrgetter
from typing import Any, cast

from simbackup import units
from simbackup.planning.available import Arrivals
from simbackup.planning.cost import MEAN_MONTH
from simbackup.planning.goals import Goal
from simbackup.planning.intervals import NOT_ASKED, Sureness
from simbackup.planning.origins import Origins
from simbackup.planning.plan import FitsUntil, Plan, earliest
from simbackup.planning.recovery import Recovery, Restored
from simbackup.planning.restore import moment_of
from simbackup.planning.restore_points import points_at
from simbackup.planning.site import PlannedSite
from simbackup.planning.windows import called
from simbackup.reporting import plan_tables, sections
from simbackup.reporting.answer import AT_RISK, CERTAIN, Answer
from simbackup.reporting.page import filled
from simbackup.reporting.pictures import Shown, plot_picture
from simbackup.reporting.plan_tables import ALONE
from simbackup.reporting.sentences import sentence_on
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, quantity, words
from simbackup.results.record import UsedValue, program_version, used_values

FITS, FULL = "fits", "does not fit"
BACK, NOT_BACK = "all are back", "not all come back"
IN_ALL = "in all"
WINDOWS = "windows"
"""What a plan calls the limit that is no target."""


def in_short(limits: Sequence[FitsUntil], until: date) -> str:
    """How long everything that is known so far fits, in a sentence."""
    first = earliest(limits)
    if first is None:
        what = "Everything" if any(one.what == WINDOWS for one in limits) else "All that is saved"
        return f"{what} fits until the end, {until}."
    what = "the windows are missed" if first.what == WINDOWS else f"{first.what} is full"
    return f"Everything fits until {first.date}: then {what}."


def of_limit(found: Plan, limit: FitsUntil, sure: Sureness) -> Answer:
    """Until when a target, or the windows, fit."""
    took = "to the end" if limit.date is None else f"until {limit.date}"
    stands = f"{limit.detail[:1].upper()}{limit.detail[1:]}."
    nearest = tightest(found) if limit.what == WINDOWS else stands
    verdict = FULL if limit.date is not None else AT_RISK if _at_risk(limit, sure) else FITS
    return Answer(limit.what, "", took, verdict, stands, nearest, interval_of(limit, sure))


def _at_risk(limit: FitsUntil, sure: Sureness) -> bool:
    """Whether what fits as stated does not fit in all of its interval."""
    if limit.what == WINDOWS:
        return sure.night is not None and sure.night.fits is not None and sure.night.fits < CERTAIN
    return any(one.target == limit.what and one.early is not None for one in sure.full)


def of_cost(found: Plan, sure: Sureness = NOT_ASKED) -> Answer | None:
    """What a plan costs from its start to its end; None without prices."""
    if not found.months:
        return None
    total, currency = sum(month.total for month in found.months), found.months[0].currency
    mean = total * MEAN_MONTH / len(found.days)
    sentence = f"From {found.site.start} to {found.until}, {mean:,.0f} {currency} a month on average."
    return Answer("cost", "", f"{total:,.0f} {currency}", IN_ALL, sentence, interval=sure.cost())


def of_losses(found: Plan) -> Answer:
    """What a loss at noon costs on the worst day, after the loss of data alone and after that of each place."""
    first, *others = (one for one in found.losses if not one["policy"])
    alike: dict[tuple[float | None, date | None], list[str]] = {(first["worst"], first["day"]): [ALONE]}
    for one in others:
        alike.setdefault((one["worst"], one["day"]), []).append(one["after_loss_of"])
    took = "everything" if first["day"] is None else units.show_short(first["worst"], "s", 3)
    sentence = " ".join(_lost(" or ".join(names), *worst) for worst, names in alike.items())
    return Answer("data lost", "", took, "at noon of the worst day", sentence)


def _lost(lost: str, worst: float | None, day: date | None) -> str:
    what = f"After the loss of {lost}"
    if worst is None:
        return f"{what}, everything is lost."
    return f"{what}, at most {units.show_short(worst, 's', 3)} of new data are lost, on {day}."


def of_recovery(found: Recovery) -> Answer:
    """When all systems of a restore are back, and which data are lost."""
    name = f"recovery after the loss of {found.lost or ALONE}"
    if not found.complete:
        back = found.back()
        share = back[-1][1] if back else 0.0
        reason = next(one.reason for one in found.systems if one.reason)
        sentence = f"Of a loss at {found.when}, {share:.0%} of the systems come back. For the others, {reason}."
        return Answer(name, "", "never", NOT_BACK, sentence)
    half, most, whole = (units.show_short(found.until(share), "s", 3) for share in (0.5, 0.9, 1.0))
    lost = units.show_short(found.data_lost, "s", 3)
    sentence = (
        f"Of a loss at {found.when}: half of the systems are back after {half}, 90 % after {most}, and all after "
        f"{whole}. At most {lost} of new data are lost."
    )
    missing = f"Not included, as the site does not state it: {', '.join(found.left_out)}." if found.left_out else ""
    interval = found.interval.sentence() if found.interval is not None else ""
    return Answer(name, "", whole, BACK, sentence, missing, interval)


def tightest(found: Plan) -> str:
    """How near the tightest backup or copy comes to the end of its window, in a sentence."""
    one = found.windows.tightest
    if one is None:
        return ""
    took = units.show_short(one.elapsed, "s", 3)
    room = "" if one.window is None else f" of {units.show_short(one.window, 's', 3)}"
    return f"The tightest is '{one.system}'{f' ({one.copy})' if one.copy else ''} on {one.night}: {took}{room}."


def interval_of(limit: FitsUntil, sure: Sureness) -> str:
    """The interval of a limit in words; empty without one."""
    if limit.what == WINDOWS:
        return sure.night.sentence() if sure.night is not None else ""
    full = next((one for one in sure.full if one.target == limit.what), None)
    if full is None or full.early is None:
        return ""
    return f"full {full.sentence()}"


def is_sampled(what: str, found: Plan) -> bool:
    """Whether an interval of a limit comes in the end: that of the windows, and of pools where growth has a range."""
    growth, target = found.site.file.spec.growth, found.site.targets.get(what)
    if target is None:
        return what == WINDOWS
    return growth is not None and growth.low is not None and target.on_disk and math.isfinite(target.capacity)


def answers_of_plan(found: Plan, sure: Sureness, recoveries: Sequence[Recovery] = ()) -> Iterator[Answer]:
    """All that a report says first: windows, targets, recoveries, data lost, cost."""
    others = {*found.site.targets, *found.site.datastores}
    limits = sorted(found.limits, key=lambda limit: [limit.what in others, limit.what in found.site.datastores])
    yield from (of_limit(found, limit, sure) for limit in limits)
    yield from map(of_recovery, recoveries)
    yield of_losses(found)
    if (cost := of_cost(found, sure)) is not None:
        yield cost


WHEN = attrgetter("back")
SMALL = 0.005
"""Share of the time of restores below which a phase has no row."""


def site_page(
    found: Plan, sure: Sureness, recoveries: Sequence[Recovery] = (), goals: Sequence[Goal] | None = None
) -> str:
    """The text of the page on a plan.

    Parameters
    ----------
    found
        The plan, whose nights have been simulated.
    sure
        Its intervals.
    recoveries
        Restores of the site that it reports on, too.
    goals
        Goals beside what was found; None without any.
    """
    spec, site = found.site.file.spec, found.site
    answers, values = list(answers_of_plan(found, sure, recoveries)), list(_values(site))
    works = {key: node.plain() for key, node in site.first_night.library.works.items()}
    return filled(
        "site.html", title=spec.title, start=site.start, until=found.until, systems=len(spec.systems),
        size=_size(site), short=in_short(found.limits, found.until), risks=_risks(answers),
        goals=goals, goal_table=_goals(goals or ()),
        answers=answers, deciding=list(_deciding(found, sure, recoveries)),
        recoveries=[(one, _by_policy(site, one), _phases(one), _curve(one)) for one in recoveries if one.complete],
        nights=[plan_tables.windows(found, sure), plan_tables.late(found)], calendar=calendar_picture(found),
        stocks=plan_tables.stocks(found, sure), capacity=capacity_picture(found),
        losses=plan_tables.losses(found, sure), points=_points(found), costs=plan_tables.costs(found, sure),
        belongings=plan_tables.belongings(found),
        stated=_stated(site),
        assumptions=sections.assumptions(values), sources=sections.sources(values, works),
        warnings=[str(one) for one in (*found.warnings, *(each for one in recoveries for each in one.warnings))],
        version=program_version(),
    )  # fmt: skip


def site_tables(
    found: Plan, sure: Sureness, recoveries: Sequence[Recovery] = (), goals: Sequence[Goal] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """All tables behind the page, in SI units: those of the plan and its intervals, restores with their phases, goals.

    Windows are counted by level; the table of every night is that of `plan run --out`.
    """
    tables = found.summaries() | sure.table()
    heads = ("policy", "level", "copy")
    tables["windows"] = [
        dict(zip(heads, key, strict=True)) | one._asdict() for key, one in found.windows.levels.items()
    ]
    for one in recoveries:
        name = one.lost or "data alone"
        none = (None, None)
        tables[f"restore {name}"] = [
            each._asdict() | dict(zip(("back_low", "back_high"), one.ends(each.system) or none, strict=True))
            for each in one.systems
        ]
        if one.reasons is not None:
            tables[f"phases {name}"] = [each._asdict() for each in one.reasons.phases]
    if goals is not None:
        tables["goals"] = [one._asdict() for one in goals]
    stated = _stated(found.site)
    names = [column.name for column in stated.columns]
    tables["assumed"] = [{name: cell.text for name, cell in zip(names, row, strict=True)} for row in stated.rows]
    return tables


def usual_losses(site: PlannedSite) -> list[str]:
    """After which losses a site is restored unless others are named: that of the place of its first target.

    Where all targets are in one place, only data are lost.
    """
    first, *others = dict.fromkeys(target.place for target in site.targets.values())
    return [first if others else ""]


def capacity_picture(found: Plan) -> Shown:
    """What each target holds over time."""
    drawn = found.plot.capacity()
    alt = "; ".join(f"{one.what}: {one.detail}" for one in found.full)
    drawn.suptitle("")
    label = f"Capacity over time. {alt}"
    return plot_picture("capacity", drawn, "What each target holds over time.", label, titled=True)


def calendar_picture(found: Plan) -> Shown:
    """How much of its window each night takes."""
    drawn = found.plot.calendar()
    drawn.suptitle("")
    shown = plot_picture(
        "calendar", drawn, "How much of its window each night takes.",
        "Nights as a calendar; windows missed are in the table", titled=True,
    )  # fmt: skip
    return replace(shown, narrow=shown.wide)


def _curve(found: Recovery) -> Shown:
    drawn = found.plot.restore()
    drawn.suptitle("")
    caption = f"Systems that are back after a loss of {found.lost or ALONE} at {found.when}."
    return plot_picture("restore", drawn, caption, f"{caption} The figures are in the table")


def _size(site: PlannedSite) -> str:
    return quantity(sum(system.size for system in site.systems), "B").text


def _risks(answers: Sequence[Answer]) -> str:
    """What fits, but not within all of its interval, in a sentence."""
    names = [one.name for one in answers if one.verdict == AT_RISK]
    return f"At risk within the ranges of the inputs: {', '.join(names)}." if names else ""


def _goals(goals: Sequence[Goal]) -> ReportTable:
    rows = [(words(one.goal), words(one.wanted), words(one.found), words(_met(one))) for one in goals]
    columns = (Column("goal"), Column("wanted"), Column("found"), Column("verdict"))
    return ReportTable("Goals", columns, rows)


def _met(goal: Goal) -> str:
    return "met" if goal.met else "missed"


def _deciding(found: Plan, sure: Sureness, recoveries: Sequence[Recovery]) -> Iterator[str]:
    """What decides, in sentences: the tightest backup, what it waits for, and what each interval depends on most."""
    one = found.windows.tightest
    if one is not None:
        matter = sure.night.decides if sure.night is not None else ()
        of = f" Its interval depends most on {' and '.join(matter)}." if matter else ""
        yield f"{tightest(found)} It waits most for {one.cause}.{of}"
    for recovery in recoveries:
        if recovery.complete and recovery.interval is not None:
            last = max(recovery.systems, key=WHEN)
            matter = recovery.interval.decides
            of = f" The interval depends most on {' and '.join(matter)}." if matter else ""
            why = f" {_begun(sentence_on(recovery.reasons.last))}" if recovery.reasons is not None else ""
            yield f"After the loss of {recovery.lost or ALONE}, '{last.system}' is back last.{why}{of}"
    for target in sure.full:
        if target.early is not None:
            yield f"'{target.target}' is full {target.sentence()}."


def _begun(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _by_policy(site: PlannedSite, found: Recovery) -> ReportTable:
    """When the systems of each policy are back, in the order in which the first of them is."""
    policies = {system.name: site.file.written(system.policy) for system in site.systems}
    each: dict[str, list[Restored]] = {}
    for one in found.systems:
        each.setdefault(policies[one.system], []).append(one)
    rows = [
        (
            words(policy), words(called([one.system for one in systems])),
            words(", ".join(dict.fromkeys(one.source for one in systems))),
            quantity(sum(one.bytes for one in systems), "B"), _back(found, min(systems, key=WHEN)),
            _back(found, max(systems, key=WHEN)), quantity(max(one.lost for one in systems), "s"),
        )
        for policy, systems in sorted(each.items(), key=lambda part: min(map(WHEN, part[1])))
    ]  # fmt: skip
    columns = (
        Column("policy"), Column("systems"), Column("from"), Column("bytes", "B"), Column("first back after", "s"),
        Column("all back after", "s"), Column("data lost", "s"),
    )  # fmt: skip
    return ReportTable("Recovery", columns, rows, "Recovery (90 % intervals in brackets)")


def _back(found: Recovery, one: Restored) -> Cell:
    """When a system is back, with its interval."""
    ends = found.ends(one.system)
    between = "" if ends is None else f" ({plan_tables.short_time(ends[0])} to {plan_tables.short_time(ends[1])})"
    return Cell(f"{plan_tables.short_time(one.back)}{between}", one.back)


def _phases(found: Recovery) -> ReportTable:
    """What all restores together spend their time on."""
    rows = [
        (
            words(one.activity), words(one.at), quantity(one.seconds, "s"),
            Cell(percent(one.share).text, one.share, one.share),
        )
        for one in (found.reasons.phases if found.reasons is not None else ())
        if one.share >= SMALL
    ]  # fmt: skip
    columns = (Column("phase"), Column("on"), Column("time", "s"), Column("share", "1"))
    return ReportTable("Phases", columns, rows, "What all restores together spend their time on")


def _points(found: Plan) -> ReportTable:
    """The restore points of each policy at the end."""
    columns = (
        Column("policy"), Column("systems"), Column("restore points", "count"), Column("the oldest of"),
        Column("save sets", "count"), Column("bytes", "B"),
    )  # fmt: skip
    rows = [
        (
            words(one.policy), words(called(one.systems)), quantity(len(one.restorable), "count"),
            words(one.restorable[0].date() if one.restorable else ""), quantity(len(one.points), "count"),
            quantity(sum(point.bytes for point in one.points), "B"),
        )
        for one in points_at(found.site, moment_of(found.site, found.until), arrivals=Arrivals(found.nights))
    ]  # fmt: skip
    return ReportTable("Restore points", columns, rows, f"Restore points at noon of {found.until}")


def _values(site: PlannedSite) -> Iterator[UsedValue]:
    """The values of datasheets on which the first night depends, with addresses of the site file."""
    origins = Origins(site.file, {})
    for value in used_values(site.first_night):
        if value.place.startswith("models/"):
            yield replace(value, address=origins.called(value.address))


def _stated(site: PlannedSite) -> ReportTable:
    """What the site file itself assumes: value, range and reason; a value that many systems share is one row."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for path, node in site.file.source.leaves():
        given = cast("dict[str, Any]", node.plain() if node.is_quantity else {})
        if given.get("basis") == "assumed":
            ends = [str(end) for end in given.get("range", ())]
            span = " to ".join(dict.fromkeys(ends)) if len({*ends}) > 1 else ""
            key = str(given["value"]), span, str(given.get("why", ""))
            alike.setdefault(key, []).append(".".join(path))
    rows = [
        (words(f"{paths[0]} and {len(paths) - 1} more" if paths[1:] else paths[0]), *map(words, key))
        for key, paths in alike.items()
    ]
    columns = (Column("what"), Column("value"), Column("range"), Column("why"))
    return ReportTable("Assumed in the site file", columns, rows)
