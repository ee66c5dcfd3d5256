"""What a page says first of a plan: how long everything fits, what is lost, when all is back, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date

from simbackup import units
from simbackup.planning.cost import MEAN_MONTH
from simbackup.planning.intervals import NOT_ASKED, Sureness
from simbackup.planning.plan import FitsUntil, Plan, earliest
from simbackup.planning.recovery import Recovery
from simbackup.reporting.answer import AT_RISK, CERTAIN, Answer

FITS, FULL = "fits", "does not fit"
BACK, NOT_BACK = "all are back", "not all come back"
IN_ALL = "in all"
WINDOWS = "windows"
"""What a plan calls the limit that is no target."""
ALONE = "data alone"
"""A loss after which all targets are still there."""


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
    sentences = [_lost(one["after_loss_of"], one["worst"], one["day"]) for one in others]
    took = "everything" if first["day"] is None else units.show_short(first["worst"], "s", 3)
    sentence = " ".join([_lost(ALONE, first["worst"], first["day"]), *sentences])
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
    limits = sorted(found.limits, key=lambda limit: limit.what in found.site.targets)
    yield from (of_limit(found, limit, sure) for limit in limits)
    yield from map(of_recovery, recoveries)
    yield of_losses(found)
    if (cost := of_cost(found, sure)) is not None:
        yield cost
