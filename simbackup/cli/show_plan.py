"""Plans of sites as tables."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.cli import show, show_causes
from simbackup.cli.terminal import report_table
from simbackup.planning.goals import Goal
from simbackup.planning.intervals import Sureness
from simbackup.planning.loading import SiteFile
from simbackup.planning.plan import FitsUntil, Plan
from simbackup.planning.reasons import NightReasons
from simbackup.planning.recovery import SHARES, Recovery, RestoreReasons
from simbackup.planning.sensitivity import DATES, PlanSensitivity
from simbackup.planning.variants import Purchased, Variant, ranking
from simbackup.planning.windows import called
from simbackup.reporting import plan_tables
from simbackup.reporting.plan_tables import money, short_time
from simbackup.units import show_short

LEAST = 0.001
"""Share below which an error is not shown with its digits."""


def plan(found: Plan, sure: Sureness) -> None:
    """The plan as tables: what fits until when, capacity by quarter, windows, cost by year; with intervals."""
    _limits(found, found.limits)
    report_table(plan_tables.windows(found, sure))
    report_table(plan_tables.late(found))
    head, logs = ["night", "what fails", "jobs", "fail", "late"], any(row["logs"] for row in found.failures)
    head += ["logs not saved"] * logs
    rows = [
        (*map(str, [*row.values()][:5]), f"{row['logs']}, {show_short(row['unsaved'], 'B', 3)}" if row["logs"] else "")
        for row in found.failures
    ]
    if rows:
        rows = [row[: len(head)] for row in rows]
        show.table(head, rows, "Nights in which something fails", right=tuple(range(2, len(head))))
    report_table(plan_tables.stocks(found, sure))
    report_table(plan_tables.losses(found, sure))
    _costs(found, sure)
    if found.windows.running_on:
        show.line(f"{found.windows.running_on} backups and copies take more than a day and slow down later ones")
    for policy, lost in found.logs_lost.items():
        show.line(f"'{policy}': with backups of logs, a loss costs at most {show_short(lost, 's', 3)} of changes")
    if found.nights.behind is not None:
        show.line(
            f"jobs of {found.nights.behind} still run after a week; what is not done by then is carried on as a queue"
        )
    show.line(_simulated(found))
    sureness(sure)


def so_far(found: Plan, sure: Sureness) -> None:
    """What is known of a plan that was given up: capacity, and the nights that were simulated."""
    capacity(found, sure)
    seen = sorted({verdict.night for verdict in found.nights.seen()})
    report_table(plan_tables.windows(found, sure, found.seen))
    between = f", from {seen[0]} to {seen[-1]}" if seen else ""
    nights = f"{found.nights.simulated} night{'s were' if found.nights.simulated != 1 else ' was'} simulated{between}"
    show.line(f"The plan is not complete: {nights}; windows, restores and data lost are not known for all others")


def capacity(found: Plan, sure: Sureness) -> None:
    """What a plan says without a simulation: when targets are full, capacity by quarter, cost by year."""
    _limits(found, found.full)
    report_table(plan_tables.stocks(found, sure))
    _costs(found, sure)
    sureness(sure)


def _limits(found: Plan, limits: Sequence[FitsUntil]) -> None:
    """The title, and until when each of some things fits."""
    show.line(f"{found.site.file.spec.title}, {found.site.start} to {found.until}")
    rows = [(one.what, str(one.date or "the end") if one.stated else "", one.detail) for one in limits]
    show.table(("", "fits until", ""), rows)


def _costs(found: Plan, sure: Sureness) -> None:
    """What each year costs, if there are prices, and what for."""
    report_table(plan_tables.costs(found, sure))
    report_table(plan_tables.belongings(found))


def _simulated(found: Plan) -> str:
    """How many nights were simulated, and how far off the others may be."""
    nights, every = found.nights.simulated, sum(bool(day.runs) for day in found.days)
    counted = f"{nights} night{'s were' if nights != 1 else ' was'} simulated"
    if nights >= every:
        return counted
    off = f"off by {_percent(found.nights.error)} (without a window, of the longest job of the night)"
    return f"{counted}; the others follow from these, and those that were checked were {off}"


def _percent(share: float) -> str:
    """The greatest share in per cent as people read it."""
    return "less than 0.1 %" if share < LEAST else f"at most {100 * share:.1f} %"


def sureness(sure: Sureness) -> None:
    """The intervals of a plan in words."""
    for one in sure.full:
        show.line(f"'{one.target}' is full {one.sentence()}")
    if cost := sure.cost():
        show.line(f"the cost of all years is {cost}")
    if sure.night is not None:
        show.line(f"{sure.night.sentence()} (the only night sampled)")


def _ends(ends: tuple[float, float] | None) -> str:
    """The ends of an interval of a time in brackets; nothing without one."""
    return "" if ends is None else f" ({short_time(ends[0])} to {short_time(ends[1])})"


def recovery(found: Recovery) -> None:
    """A restore: the systems in the order of the list, those alike in one row, and when how many of them are back."""
    head = ["system", "from", "save sets", "mounts", "bytes", "starts after", "back after", "data lost"]
    logs = any(one.logs for one in found.systems)
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in found.systems:
        cells = (
            one.source, str(one.chain), str(one.mounts), show_short(one.bytes, "B", 3),
            one.reason or show_short(one.starts, "s", 3),
            "" if one.reason else show_short(one.back, "s", 3) + _ends(found.ends(one.system)),
            "everything" if one.reason else show_short(one.lost, "s", 3),
            *((show_short(one.logs, "B", 3),) if logs else ()),
        )  # fmt: skip
        alike.setdefault(cells, []).append(one.system)
    rows = [(called(systems), *cells) for cells, systems in alike.items()]
    title = f"Restore of {found.what} at {found.when}" + (f" after the loss of {found.lost}" if found.lost else "")
    head += ["logs"] * logs
    show.line(title)
    if len(found.branches) > 1:
        steps = [
            (" then ".join(f"{name} {show_short(each, 's', 3)}" for name, each in one.steps),
             show_short(one.seconds, "s", 3)) for one in found.branches
        ]  # fmt: skip
        show.table(("side by side", "done after"), steps, "Before the first restore", right=(1,))
    left_out = "" if all(one.sampled for one in found.between.values()) else ", without the ranges of devices"
    brackets = f"90 % intervals in brackets{left_out}" * bool(found.between)
    show.table(head, rows, brackets, right=tuple(range(2, len(head))))
    _sessions(found)
    for share in SHARES if len(found.systems) > 1 else ():
        back = found.until(share)
        if back == float("inf"):
            show.line(f"less than {100 * share:.0f} % of the systems come back")
            break
        ends = "" if share == 1.0 else _ends(found.ends(f"{share:.0%}"))  # those of all are in a sentence
        show.line(f"{100 * share:.0f} % of the systems are back after {short_time(back)}{ends}")
    if found.complete and found.free > found.until(1.0):
        show.line(f"the last drive is free again after {show_short(found.free, 's', 3)}")
    if found.interval is not None:
        show.line(found.interval.sentence())
    if found.left_out and found.complete:
        show.line(f"not included, as the site does not state it: {', '.join(found.left_out)}")
    if found.read_back is not None:
        size, cost, currency = found.read_back
        show.line(f"reading {show_short(size, 'B', 3)} back from object storage costs {cost:,.0f} {currency}")
    if found.reasons is not None:
        _phases(found.reasons)


def _sessions(found: Recovery) -> None:
    """The cartridges that a restore needs, if any."""
    rows = [(str(one.begun.date()), one.target, str(one.cartridges), called(one.systems)) for one in found.sessions]
    if rows:
        title = "Cartridges, in the order in which they are needed"
        show.table(("written on", "of", "cartridges", "for"), rows, title, right=(2,))


def _phases(found: RestoreReasons) -> None:
    """What all systems spend their time on, and why the last one is back so late."""
    rows = [
        (one.activity, one.at, show_short(one.seconds, "s", 3), f"{one.share:.1%}")
        for one in found.phases if one.share >= LEAST
    ]  # fmt: skip
    show.table(("phase", "on", "in all", "share"), rows, "Phases of all restores together", right=(2, 3))
    show.line("The system that is back last")
    show_causes.explained([found.last], {})


def night(found: NightReasons) -> None:
    """Why a night takes as long as it does: its late backups with their bottlenecks, and those explained."""
    rows = [
        (
            one.job, show_short(one.elapsed, "s", 3), "" if one.window is None else show_short(one.window, "s", 3),
            one.verdict, one.bottleneck or "none that could be faster", f"{one.share:.0%}",
        )
        for one in found.jobs
    ]  # fmt: skip
    show.line(f"Night of {found.night}: {found.late} of {found.count} backups and copies are late or fail")
    show.table(("", "ends after", "window", "", "bottleneck", "of its time"), rows, right=(1, 2, 5))
    waited = {one.job: one.waited for one in found.jobs}
    for one in found.found:
        waits = " and ".join(f"{show_short(seconds, 's', 3)} for {what}" for what, seconds in waited[one.name])
        if waits:
            show.line(f"{one.name} first waits {waits}")
        show_causes.explained([one], {})


def goals(found: Sequence[Goal], title: str = "Goals") -> None:
    """Goals beside what was found, and what is found in 90 % of cases where that is known."""
    ends = any(one.between for one in found)
    rows = [
        (one.goal, one.wanted, one.found, *((one.between,) if ends else ()), "met" if one.met else "missed")
        for one in found
    ]
    show.table(("goal", "wanted", "found", *(["in 90 % of cases"] * ends), ""), rows, title)


def purchases(file: SiteFile, found: Sequence[Purchased]) -> None:
    """All sets of purchases with what they cost and miss, the cheapest that meets all goals first, and its years."""
    rows = [
        (
            " and ".join(one.names) or "nothing", money(one.price), money(one.total),
            f"{money(one.spread.low)} to {money(one.spread.high)}" if one.totals else "",
            _missed(one.missed) + ("" if one.fits in {None, 1} else f", those of capacity in {one.fits:.0%} of cases"),
        )
        for one in found
    ]  # fmt: skip
    prices = file.spec.prices
    currency = f", {prices.currency}" if prices is not None else ""
    head = ("bought", "price", f"cost until the end{currency}", "in 90 % of cases", "")
    show.table(head, rows, "Purchases, the best first", right=(1, 2, 3))
    best, sure = found[0], ranking(found)
    if sure is not None:
        show.line(sure.sentence())
    if not best.missed:
        others = ["others"] * any(year.others for year in best.years)
        keys = ["bought", "yearly", "storage", *others, "total"]
        years = [(str(year.year), *(f"{getattr(year, key):,.0f}" for key in keys)) for year in best.years]
        goals(best.goals, f"Goals with {' and '.join(best.names) or 'nothing'}")
        title = f"Cost of each year with {' and '.join(best.names) or 'nothing'}"
        show.table(("year", *keys), years, title, right=tuple(range(1, len(keys) + 1)))


def variants(found: Sequence[Variant]) -> None:
    """Variants of a site with what each reaches and costs, the cheapest that misses fewest goals first."""
    names = [str(i) for i in range(1, len(found) + 1)]
    rows = [
        (
            name, one.name, "the end" if one.limit is None else f"{one.limit.date} ({one.limit.what})",
            "" if one.windows_missed is None else str(one.windows_missed),
            "" if one.data_lost is None else show_short(one.data_lost, "s", 3),
            f"{one.total:,.0f}" if one.years else "", ", ".join(goal.goal for goal in one.missed),
        )
        for name, one in zip(names, found, strict=True)
    ]  # fmt: skip
    currency = next((f", {one.plan.months[0].currency}" for one in found if one.years), "")
    head = ("", "variant", "fits until", "windows missed", "data lost", f"cost{currency}", "misses")
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    right = tuple(i for i, at in enumerate(kept) if at in {3, 4, 5})
    show.table([head[i] for i in kept], [tuple(row[i] for i in kept) for row in rows], "Variants", right=right)
    years = sorted({year for one in found for year in one.years})
    if years:
        costs = [(year, *(f"{one.years.get(year, 0.0):,.0f}" for one in found)) for year in years]
        show.table(("year", *names), costs, "Cost of each year", right=tuple(range(1, len(found) + 1)))


MOST = 10
"""Inputs of a figure that are listed."""


def sensitivity(found: PlanSensitivity) -> None:
    """Figures of a plan with the inputs that move them, and those that decide a verdict."""
    for one in found.decided:
        rows = [
            (
                each.input.called, each.input.range, one.shown(each.low), one.shown(each.high),
                "decides" if each.input in one.deciding else "",
            )
            for each in one.moved[:MOST]
        ]  # fmt: skip
        limit = f", at most {one.shown(one.limit)}" if one.limit is not None and one.kind != DATES else ""
        title = f"{one.figure}: {one.shown(one.best)}{limit}"
        if rows:
            show.table(("input", "range", "at its low end", "at its high end", ""), rows, title, right=(2, 3))
        else:
            show.line(f"{title}; no input moves it")
    for one in found.decided:
        if one.moved and one.limit is not None:
            show.line(one.sentence())
    show.line(f"{found.inputs} inputs were moved, each alone, to both ends of their ranges")
    if found.left_out:
        show.line(f"left out, as there is no such site at an end: {', '.join(found.left_out)}")


def _missed(goals: Sequence[Goal]) -> str:
    """The goals that a configuration misses, with what was found."""
    if not goals:
        return "meets all goals"
    return f"misses {', '.join(f'{one.goal} ({one.wanted}): {one.found}' for one in goals)}"
