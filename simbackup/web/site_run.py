# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""A site on the page: its levers and picture, then how long everything fits, capacity over time, nights and cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from simbackup import units
from simbackup.drawing.from_spec import layout_of
from simbackup.output.whole import write_whole
from simbackup.planning.intervals import Sureness, sureness
from simbackup.planning.night import Night
from simbackup.planning.plan import FitsUntil, Plan, stocked
from simbackup.planning.playing import Simulator
from simbackup.planning.site import PlannedSite, load_site
from simbackup.planning.writing import write_tables
from simbackup.reporting.answer import Answer
from simbackup.reporting.pictures import Shown, plot_picture, system_picture
from simbackup.reporting.plan_tables import costs, late, stocks, windows
from simbackup.web.cards import Card, Figure, compared
from simbackup.web.levers import levers_of
from simbackup.web.render import rendered
from simbackup.web.scenario_run import FILE, REPORT, TABLES, ProgressReports, saved, values_of
from simbackup.web.settings import of_site
from simbackup.web.workers import Send

FITS, FULL = "fits", "does not fit"
WINDOWS = "windows"
"""What a plan calls the limit that is no target."""


def run(task: Mapping[str, Any], text: str, send: Send) -> None:
    """Plan the site of a text until the date of the task, and report on it.

    Raises
    ------
    InputError
        Something is wrong with it, or with the date.
    """
    site, steps, before = load_site(text), ProgressReports(send), task["before"]
    send(opened(site, text))
    send(saved(text, Path(task["out"])))
    found = stocked(site, task["until"], play=_counting(site, steps))
    send({"kind": "warnings", "warnings": [str(one) for one in found.warnings]})
    send({**answered(found, found.full, Sureness(None, ()), before, more=True), "simulated": False})
    capacity = [(stocks(found), _capacity(found)), (costs(found), None)]
    send({"kind": "detail", "name": "capacity", "html": rendered("tables.html", tables=capacity)})
    steps.begin("simulating nights")
    found.nights.sample()
    send(answered(found, found.limits, Sureness(None, ()), before, more=True))
    nights = [(windows(found), _calendar(found)), (late(found), None)]
    send({"kind": "detail", "name": "nights", "html": rendered("tables.html", tables=nights)})
    steps.begin("sampling the deciding night")
    sure = sureness(found)
    send(answered(found, found.limits, sure, before, more=False))
    steps.begin("writing the report")
    out, cards = Path(task["out"]), list(_cards(found, found.limits, sure, {}, more=False))
    whole = rendered(
        "site_report.html", title=site.file.spec.title, short=in_short(found.limits, found.until), cards=cards,
        tables=[*capacity, *nights],
    )  # fmt: skip
    write_whole(out / REPORT, whole)
    write_tables(found.tables(), out / TABLES)
    send({"kind": "done", "files": [REPORT, TABLES, FILE]})


def opened(site: PlannedSite, text: str) -> dict[str, Any]:
    """The message with what is known of a site before it is planned."""
    stated = (".".join(path) for path, _ in site.file.tree.leaves())
    levers = levers_of(of_site(site), stated)
    drawn = system_picture(layout_of(site.first_night))
    spec = site.file.spec
    return {
        "kind": "opened", "text": text, "title": spec.title, "site": True,
        "question": f"{len(spec.systems)} systems from {spec.start}: does it fit, until when, and what does it cost?",
        "levers": rendered("levers.html", levers=levers), "values": values_of(levers),
        "system": rendered("picture.html", shown=drawn),
    }  # fmt: skip


def in_short(limits: Sequence[FitsUntil], until: date) -> str:
    """How long everything that is known so far fits, in a sentence."""
    late = [one for one in limits if one.date is not None]
    if not late:
        what = "Everything" if any(one.what == WINDOWS for one in limits) else "All that is saved"
        return f"{what} fits until the end, {until}."
    first = min(late, key=lambda one: one.date or until)
    what = "the windows are missed" if first.what == WINDOWS else f"{first.what} is full"
    return f"Everything fits until {first.date}: then {what}."


def answered(
    found: Plan, limits: Sequence[FitsUntil], sure: Sureness, before: Mapping[str, Figure], *, more: bool
) -> dict[str, Any]:
    """The message with the cards of a plan; `more` where intervals are still to come."""
    cards = list(_cards(found, limits, sure, before, more=more))
    return {
        "kind": "answer", "figures": {card.answer.name: card.figure for card in cards},
        "html": rendered("cards.html", cards=cards, short=in_short(limits, found.until)),
    }  # fmt: skip


def _cards(
    found: Plan, limits: Sequence[FitsUntil], sure: Sureness, before: Mapping[str, Figure], *, more: bool
) -> Iterator[Card]:
    """A card for each target, for the windows, and for the cost; `more` where intervals are still to come."""
    for limit in limits:
        took = "to the end" if limit.date is None else f"until {limit.date}"
        verdict, interval = (FITS if limit.date is None else FULL), _interval(limit, sure)
        figure: Figure = {"text": took, "verdict": verdict, "value": None, "range": interval}
        figure["until"] = str(limit.date or "9999")
        then = before.get(limit.what)
        change = "" if then is None else _change(figure["until"], str(then.get("until", "")))
        was = "" if then is None else f"before: {then['text']}"
        stands = f"{limit.detail[:1].upper()}{limit.detail[1:]}."
        nearest = _nearest(found) if limit.what == WINDOWS else stands
        answer = Answer(limit.what, "", took, verdict, stands, nearest, interval)
        pending = more and not interval and _is_sampled(limit.what, found)
        yield Card(answer, figure, was, change, likely=interval, pending=pending)
    if found.months:
        total, currency = sum(month.total for month in found.months), found.months[0].currency
        figure = {"text": f"{total:,.0f} {currency}", "verdict": "", "value": total}
        was, change = compared(figure, before.get("cost"))
        answer = Answer("cost", "", str(figure["text"]), "in all", f"From {found.site.start} to {found.until}.")
        yield Card(answer, figure, was, change)


def _is_sampled(what: str, found: Plan) -> bool:
    """Whether an interval of a limit comes in the end: that of the windows, and of pools where growth has a range."""
    growth, target = found.site.file.spec.growth, found.site.targets.get(what)
    if target is None:
        return what == WINDOWS
    return growth is not None and growth.low is not None and target.on_disk and math.isfinite(target.capacity)


def _nearest(found: Plan) -> str:
    """How near the tightest backup or copy comes to the end of its window, in a sentence."""
    one = found.windows.tightest
    if one is None:
        return ""
    took = units.show_short(one.elapsed, "s", 3)
    room = "" if one.window is None else f" of {units.show_short(one.window, 's', 3)}"
    return f"The tightest is '{one.system}'{f' ({one.copy})' if one.copy else ''} on {one.night}: {took}{room}."


def _interval(limit: FitsUntil, sure: Sureness) -> str:
    if limit.what == WINDOWS:
        return sure.night.sentence() if sure.night is not None else ""
    full = next((one for one in sure.full if one.target == limit.what), None)
    if full is None or full.early is None:
        return ""
    return f"full {full.sentence()}"


def _change(now: str, then: str) -> str:
    return "same" if now == then else "better" if now > then else "worse"


def _counting(site: PlannedSite, steps: ProgressReports) -> Simulator:
    """What simulates nights, and counts them; other processors have work of their own."""
    done = 0

    def begun(night: Night, expected: int) -> None:
        nonlocal done
        del night, expected
        done += 1
        steps.report(done, 0)

    return Simulator(site, begun)


def _capacity(found: Plan) -> Shown:
    drawn = found.plot.capacity()
    alt = "; ".join(f"{one.what}: {one.detail}" for one in found.full)
    drawn.suptitle("")
    label = f"Capacity over time. {alt}"
    return plot_picture("capacity", drawn, "What each target holds over time.", label, titled=True)


def _calendar(found: Plan) -> Shown:
    drawn = found.plot.calendar()
    drawn.suptitle("")
    shown = plot_picture(
        "calendar", drawn, "How much of its window each night takes.",
        "Nights as a calendar; windows missed are in the table", titled=True,
    )  # fmt: skip
    return replace(shown, narrow=shown.wide)
