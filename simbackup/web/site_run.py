"""A site on the page: its levers and picture, then how long everything fits, capacity over time, nights and cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from simbackup.errors import InputError
from simbackup.output.whole import write_whole
from simbackup.planning.intervals import Sureness, sureness
from simbackup.planning.night import Night
from simbackup.planning.plan import FitsUntil, Plan, stocked
from simbackup.planning.playing import Simulator
from simbackup.planning.recovery import Recovery
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site
from simbackup.planning.writing import write_tables
from simbackup.protection.protect import protect
from simbackup.reporting.answer import Answer
from simbackup.reporting.pictures import plot_picture
from simbackup.reporting.plan_tables import belongings, costs, late, stocks, windows
from simbackup.reporting.protection_tables import tables_of_protection
from simbackup.reporting.site_report import (
    calendar_picture,
    capacity_picture,
    in_short,
    is_sampled,
    of_cost,
    of_limit,
    of_losses,
    of_recovery,
    site_page,
)
from simbackup.web.cards import Card, Figure, compared
from simbackup.web.guests import rendered
from simbackup.web.levers import Lever, levers_of, of_site
from simbackup.web.scenario_run import FILE, REPORT, TABLES, ProgressReports, drawn, moved, saved, values_of
from simbackup.web.workers import Send


def run(task: Mapping[str, Any], text: str, send: Send) -> None:
    """Plan the site of a text until the date of the task, and report on it.

    Raises
    ------
    InputError
        Something is wrong with it, or with the date.
    """
    site, steps, before = load_site(text), ProgressReports(send), task["before"]
    levers = levers_of(of_site(site), (".".join(path) for path, _ in site.file.tree.leaves()))
    send(opened(site, text, levers))
    send(saved(text, Path(task["out"])))
    found = stocked(site, task["until"], play=_counting(site, steps))
    send({**answered(found, found.full, Sureness(None, ()), before, more=True), "simulated": False})
    send(moved(levers))  # an answer is waited for, also on a slow line; levers and picture are many bytes
    send({"kind": "warnings", "warnings": [str(one) for one in found.warnings]})
    send(drawn(site.first_night))
    capacity = [(stocks(found), capacity_picture(found)), (costs(found), None), (belongings(found), None)]
    send({"kind": "detail", "name": "capacity", "html": rendered("tables.html", tables=capacity)})
    steps.begin("simulating nights")
    found.nights.sample()
    send(answered(found, found.limits, Sureness(None, ()), before, more=True))
    nights = [(windows(found), calendar_picture(found)), (late(found), None)]
    send({"kind": "detail", "name": "nights", "html": rendered("tables.html", tables=nights)})
    steps.begin("restoring everything")
    back = restore(site, at=found.until, nights=found.nights)
    send(answered(found, found.limits, Sureness(None, ()), before, more=True, back=back))
    steps.begin("sampling the deciding night")
    sure = sureness(found)
    send(answered(found, found.limits, sure, before, more=False, back=back))
    steps.begin("asking what losses cost")
    send({"kind": "detail", "name": "protection", "html": _protection(found)})
    steps.begin("writing the report")
    out = Path(task["out"])
    write_whole(out / REPORT, site_page(found, sure))
    write_tables(found.tables() | sure.table(), out / TABLES)
    send({"kind": "done", "files": [REPORT, TABLES, FILE]})


def _protection(found: Plan) -> str:
    """What each loss costs each group of systems, or why that cannot be said of the site."""
    try:
        protected = protect(found.site, until=found.until, times=False, play=found.nights.play)
    except InputError as error:
        said = [{"severity": "error", "line": 0, "where": one.address, "said": one.message} for one in error.problems]
        return rendered("problems.html", problems=said)
    drawn, label = protected.figure(), "Losses and groups of systems; each field has the words of the table"
    drawn.suptitle("")  # pyright: ignore[reportUnknownMemberType] (methods of matplotlib leave their settings untyped)
    shown = plot_picture("protection", drawn, "What each loss costs each group.", label, titled=True)
    pictures = [None, replace(shown, narrow=shown.wide)]
    tables = [*zip_longest(tables_of_protection(protected), pictures)]
    return rendered("tables.html", tables=tables)


def opened(site: PlannedSite, text: str, levers: Sequence[Lever]) -> dict[str, Any]:
    """The message with what is known of a site before it is planned."""
    spec = site.file.spec
    return {
        "kind": "opened", "text": text, "title": spec.title, "site": True,
        "question": f"{len(spec.systems)} systems from {spec.start}: does it fit, until when, and what does it cost?",
        "values": values_of(levers),
    }  # fmt: skip


def answered(
    found: Plan, limits: Sequence[FitsUntil], sure: Sureness, before: Mapping[str, Figure], *, more: bool,
    back: Recovery | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The message with the cards of a plan; `more` where intervals are still to come, `back` a restore of the site."""
    cards = [
        *_cards(found, limits, sure, before, more=more),
        *_losses(found, back, before),
        *_costs(found, sure, before),
    ]
    return {
        "kind": "answer", "figures": {card.answer.name: card.figure for card in cards},
        "html": rendered("cards.html", cards=cards, short=in_short(limits, found.until)),
    }  # fmt: skip


def _cards(
    found: Plan, limits: Sequence[FitsUntil], sure: Sureness, before: Mapping[str, Figure], *, more: bool
) -> Iterator[Card]:
    """A card for each target and for the windows; `more` where intervals are still to come."""
    for limit in limits:
        answer = of_limit(found, limit, sure)
        figure: Figure = {"text": answer.took, "verdict": answer.verdict, "value": None, "range": answer.interval}
        figure["until"] = str(limit.date or "9999")
        then = before.get(limit.what)
        change = "" if then is None else _change(figure["until"], str(then.get("until", "")))
        was = "" if then is None else f"before: {then['text']}"
        pending = more and not answer.interval and is_sampled(limit.what, found)
        yield Card(answer, figure, was, change, likely=answer.interval, pending=pending)


def _losses(found: Plan, back: Recovery | None, before: Mapping[str, Figure]) -> Iterator[Card]:
    """Cards for how long a restore of everything takes, and for the data lost; none before that is known."""
    if back is None:
        return
    worst = None if found.losses[0]["day"] is None else found.losses[0]["worst"]
    answers = (
        (replace(of_recovery(back), name="restore of everything"), back.until(1.0) if back.complete else None),
        (of_losses(found), worst),
    )
    for answer, value in answers:
        yield _measured(answer, value, before, answer.interval)


def _costs(found: Plan, sure: Sureness, before: Mapping[str, Figure]) -> Iterator[Card]:
    """The card for the cost; none without prices."""
    cost = of_cost(found, sure)
    if cost is not None:
        yield _measured(cost, sum(month.total for month in found.months), before, cost.interval)


def _measured(answer: Answer, value: float | None, before: Mapping[str, Figure], likely: str = "") -> Card:
    """A card with a figure of which less is better."""
    figure: Figure = {"text": answer.took, "verdict": answer.verdict, "value": value, "range": likely}
    was, change = compared(figure, before.get(answer.name))
    return Card(answer, figure, was, change, likely=likely)


def _change(now: str, then: str) -> str:
    return "same" if now == then else "better" if now > then else "worse"


def _counting(site: PlannedSite, steps: ProgressReports) -> Simulator:
    """What simulates nights, and counts them; other processors have work of their own."""
    done = 0

    def begun(night: Night, expected: int) -> None:
        nonlocal done
        del night
        steps.report(done, max(done + 1, expected))  # more nights may turn out to be needed
        done += 1

    return Simulator(site, begun)
