"""The protection of a site as tables."""

from __future__ import annotations

import math

from simbackup.cli import show
from simbackup.planning.alike import called
from simbackup.protection.fates import Group
from simbackup.protection.protect import (
    MUCH,
    PERCENT,
    Answer,
    Protection,
    Rate,
    between,
    cell_of,
    cost_head,
    money,
    odds,
    short,
)
from simbackup.units import show_short


def protection(found: Protection) -> None:
    """What each loss costs each group, then each group by itself, and what a year costs."""
    show.line(f"{found.site.file.spec.title}: losses in the 13 weeks before {found.until}")
    groups = {name: called(group.names) for name, group in found.named.items()}
    show.table(("policy", "systems", "lost if struck, median", "95 %", "weakest point"), [
        (name, systems, *map(short, one.struck), found.weakest[name])
        for (name, systems), one in zip(groups.items(), found.expected, strict=True)
    ], "Systems", right=(2, 3))  # fmt: skip
    for name, (others, why) in found.dominating.items():
        show.line(f"'{name}' loses no more to any loss than {' and '.join(map(repr, others))}: back from {why}")
    timed = found.timed
    first = found.groups[0]
    rows = [
        (answer.loss.title, *(cell_of(one) for one in found.answers if one.loss is answer.loss))
        for answer in found.of(first)
    ]
    title = f"Data lost on average{', and time to service' if timed else ''}"
    show.table(("loss", *groups), rows, title)
    for name, group in found.named.items():
        _group(found, name, group, timed=timed)
    _years(found, timed=timed)
    if found.without_rate:
        show.line(f"in none of these sums, as it is not known how often they happen: {', '.join(found.without_rate)}")
    if found.left_out:
        show.line(f"left out, as the site has nothing of the kind: {', '.join(found.left_out)}")


def _group(found: Protection, name: str, group: Group, *, timed: bool) -> None:
    """What each loss that strikes a group costs it, from where the data come back, and why not from elsewhere."""
    rows = [
        (
            one.loss.title, " or ".join(one.saved_by) or "nothing", *_lost(one), *(_back(one) if timed else ()),
            _rate(one.yearly),
        )
        for one in found.of(group) if one.lost is not None
    ]  # fmt: skip
    head = ["loss", "saved by", "lost, median", "95 %", *(("back, median", "95 %") if timed else ()), "times a year"]
    sure = " (90 % intervals in brackets, without the ranges of devices)" if timed else ""
    show.table(head, rows, f"{name}, if its data are struck{sure}", right=tuple(range(2, len(head))))
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in found.of(group):
        for copy, why in one.why.items():
            reasons.setdefault((copy, why), []).append(one.loss.name)
    if not reasons:
        return
    show.table(("copy", "does not help, as", "after"), [
        (copy, why, ", ".join(dict.fromkeys(after))) for (copy, why), after in reasons.items()
    ])  # fmt: skip


def _lost(one: Answer) -> tuple[str, str]:
    spread = one.lost
    ends = (spread.quantile(0.5), spread.quantile(0.95)) if spread is not None else (0.0, 0.0)
    return short(ends[0]), short(ends[1])


def _back(one: Answer) -> tuple[str, str]:
    back = one.back
    if back is None:
        return "", ""
    between = f" ({short(back.low)} to {short(back.high)})" if back.low < back.high < math.inf else ""
    return f"{short(back.median)}{between}", short(back.most)


def _years(found: Protection, *, timed: bool) -> None:
    """The odds of losses within the horizon, and what a year costs each system on average."""
    named = list(zip(found.named, found.expected, strict=True))
    show.table(
        ("policy", f"more than {show_short(MUCH, 's')} of data", "all its data"),
        [(name, odds(one.much), odds(one.everything)) for name, one in named],
        f"A system loses within {found.horizon:g} years", right=(1, 2),
    )  # fmt: skip
    costs = any(one.cost is not None for one in found.expected)
    rows = [
        (
            name, *((between(one.down), f"{PERCENT * one.availability:.3f} %") if timed else ()),
            between(one.lost) if found.comes_back(one.group) else "all, always",
            *((money(one.cost),) if one.cost is not None else ()),
        )
        for name, one in named
    ]  # fmt: skip
    head = (
        "policy", *(("out of service", "in service") if timed else ()), "data lost",
        *((cost_head(found.losses),) if costs else ()),
    )  # fmt: skip
    show.table(head, rows, "Each system in a year, on average", right=tuple(range(1, len(head))))


def _rate(rate: Rate | None) -> str:
    return "" if rate is None else f"{rate.value:.2g}"
