"""The protection of a site as tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from simbackup.planning.windows import called
from simbackup.protection.fates import Group
from simbackup.protection.protect import Answer, Protection
from simbackup.protection.words import PERCENT, between, cell_of, cost_head, money, odds, short
from simbackup.reporting.tables import Column, ReportTable, words


def tables_of_protection(found: Protection) -> Iterator[ReportTable]:
    """What each loss costs each group, then each group by itself, the odds of losses, and what a year costs."""
    expected = dict(zip(found.named, found.expected, strict=True))
    less = (
        f"'{name}' loses no more to any loss than {' and '.join(map(repr, others))}: back from {why}"
        for name, (others, why) in found.dominating.items()
    )
    yield _table(
        "Systems", ("policy", "systems", "lost if struck, median", "95 %", "weakest point"), (2, 3),
        [
            (name, called(one.group.names), *map(short, one.struck), found.weakest[name])
            for name, one in expected.items()
        ], "\n".join((f"Losses in the 13 weeks before {found.until}", *less)),
    )  # fmt: skip
    each = [found.of(group) for group in found.groups]
    yield _table(
        f"Data lost on average{', and time to service' if found.timed else ''}", ("loss", *found.named), (),
        [(answers[0].loss.title, *map(cell_of, answers)) for answers in zip(*each, strict=True)],
    )  # fmt: skip
    for name, group in found.named.items():
        yield from _of_group(found, name, group)
    yield _table(
        f"A system loses within {found.horizon:g} years", ("policy", "more than a day of data", "all its data"), (1, 2),
        [(name, odds(one.much), odds(one.everything)) for name, one in expected.items()],
    )  # fmt: skip
    costs, timed = any(one.cost is not None for one in found.expected), found.timed
    head = ("policy", *(("out of service", "in service") if timed else ()), "data lost")
    none = (
        ("left out, as the site has nothing of the kind", found.left_out),
        ("in no sum, as it is not known how often they happen", found.without_rate),
    )
    yield _table(
        "Each system in a year, on average", (*head, *((cost_head(found.losses),) if costs else ())), (1, 2, 3, 4),
        [
            (
                name, *((between(one.down), f"{PERCENT * one.availability:.3f} %") if timed else ()),
                between(one.lost) if found.comes_back(one.group) else "all, always",
                *((money(one.cost),) if one.cost is not None else ()),
            )
            for name, one in expected.items()
        ], "\n".join(f"{why}: {', '.join(names)}" for why, names in none if names),
    )  # fmt: skip


def _of_group(found: Protection, name: str, group: Group) -> Iterator[ReportTable]:
    """What each loss that strikes a group costs it, from where the data come back, and why not from elsewhere."""
    timed = found.timed
    head = ("loss", "saved by", "lost, median", "95 %", *(("back, median", "95 %") if timed else ()), "times a year")
    sure = " (90 % intervals in brackets, without the ranges of devices)" if timed else ""
    yield _table(f"{name}, if its data are struck{sure}", head, range(2, len(head)), [
        (
            one.loss.title, " or ".join(one.saved_by) or "nothing",
            *(short(one.lost.quantile(share)) for share in (0.5, 0.95)), *(_back(one) if timed else ()),
            "" if one.yearly is None else f"{one.yearly.value:.2g}",
        )
        for one in found.of(group) if one.lost is not None
    ])  # fmt: skip
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in found.of(group):
        for copy, why in one.why.items():
            reasons.setdefault((copy, why), []).append(one.loss.name)
    rows = [(copy, why, ", ".join(dict.fromkeys(after))) for (copy, why), after in reasons.items()]
    if rows:
        yield _table("", ("copy", "does not help, as", "after"), (), rows)


def _back(one: Answer) -> tuple[str, str]:
    back = one.back
    if back is None:
        return "", ""
    best, *ends = map(short, (back.median, back.low, back.high))
    sure = back.high == math.inf or ends == [best] * 2
    return best if sure else f"{best} ({ends[0]} to {ends[1]})", short(back.most)


def _table(
    name: str, head: Sequence[str], right: Collection[int], rows: Iterable[Sequence[str]], caption: str = ""
) -> ReportTable:
    """A table of texts, of which some columns are set flush right."""
    columns = tuple(Column(each, "1" if i in right else "") for i, each in enumerate(head))
    return ReportTable(name, columns, [tuple(map(words, row)) for row in rows], caption)
