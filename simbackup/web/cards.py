"""Cards: what the page says first of each job, or of each part of a site, and the same of variants side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simbackup import units
from simbackup.experiments.what_if import Reasons
from simbackup.reporting.answer import Answer, answers, example, items
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, words
from simbackup.results.figures import series
from simbackup.results.groups import Group
from simbackup.results.result import Result
from simbackup.uncertainty.verdict import JobInterval
from simbackup.web.guests import Figure, Variant

HARDLY = 0.0005
"""Share by which a time has to change for the page to speak of a change."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A picture of an interval in hundredths of its width; None where there is no such mark."""

    low: float
    high: float
    best: float
    window: float | None
    before: float | None


@dataclass(frozen=True, slots=True)
class Card:
    """What the page says of one job or part."""

    answer: Answer
    figure: Figure
    was: str = ""
    """What it was in the variant before, and by how much it has changed."""
    change: str = ""
    """One of `better`, `worse`, `same`; empty without a variant before."""
    strip: Strip | None = None
    likely: str = ""
    """The interval in words, and whether it fits."""
    reasons: str = ""
    """What decides the interval, in words."""
    pending: bool = False
    """Whether the interval is still being computed."""


def cards_of(
    result: Result,
    explained: Mapping[str, Reasons],
    intervals: Mapping[str, JobInterval],
    before: Mapping[str, Figure],
    *,
    more: bool = False,
) -> list[Card]:
    """The cards of a result: one for each job, or many equal ones, that matters; `more` if intervals are to come."""
    rows = {item.name if isinstance(item, Group) else str(item["job"]): example(item) for item in items(result)}
    return [
        card(one, rows[one.name], intervals.get(series(str(rows[one.name]["job"]))), before.get(one.name), more=more)
        for one in answers(result, explained, intervals)
    ]


def card(
    one: Answer, row: Mapping[str, Any], found: JobInterval | None, before: Figure | None, *, more: bool = False
) -> Card:
    """The card of an answer, with its interval, if there is one yet or `more` is to come, and what it was before."""
    value = float(row["elapsed"]) if row["status"] in {"done", "late"} else None
    figure: Figure = {"text": one.took, "verdict": one.verdict, "value": value}
    strip, likely, reasons = None, "", ""
    if found is not None and value is not None:
        low, high = found.elapsed.low, found.elapsed.high
        ends = [units.show_short(end, "s", 3) for end in (low, high)]
        figure |= {"low": low, "high": high, "range": " to ".join(ends)}
        likely, reasons = found.likely(), ". ".join(found.reasons())
        strip = strip_of(low, high, value, row.get("window"), (before or {}).get("value"))
    was, change = compared(figure, before)
    return Card(one, figure, was, change, strip, likely, reasons, pending=more and value is not None and not likely)


def strip_of(low: float, high: float, best: float, window: float | None, before: float | None) -> Strip:
    """An interval as a picture that begins at nothing, and in which a window and the time before have room."""
    whole = 1.05 * max(high, best, before or 0.0, window if window and window < 2.0 * high else 0.0) or 1.0

    def at(seconds: float | None) -> float | None:
        return None if seconds is None or seconds > whole else round(100.0 * seconds / whole, 2)

    return Strip(at(low) or 0.0, at(high) or 0.0, at(best) or 0.0, at(window), at(before))


def compared(figure: Figure, before: Figure | None) -> tuple[str, str]:
    """What a figure was before, and whether it has become better, worse or is the same.

    >>> compared({"value": 90.0, "text": "1.5 min"}, {"value": 120.0, "text": "2 min"})
    ('before: 2 min, now -25.0 %', 'better')
    """
    if before is None:
        return "", ""
    now, then = figure["value"], before["value"]
    if now is None or not then:
        return (f"before: {before['text'] or before['verdict']}", "worse" if then else "same")
    change = now / then - 1.0
    if abs(change) < HARDLY:
        return f"before: {before['text']}, now the same", "same"
    return f"before: {before['text']}, now {percent(change, sign=True).text}", "better" if change < 0 else "worse"


ABSENT = "no such job"


class Bar(NamedTuple):
    """What came of a variant, in a chart with the others."""

    variant: str
    """Its name."""
    text: str
    """The figure and its interval, in words."""
    strip: Strip
    """The same as marks."""


def charts(variants: Sequence[Variant]) -> dict[str, list[Bar]]:
    """For each result that several variants have, a bar for each of them, all on one scale that begins at nothing."""
    found: dict[str, list[Bar]] = {}
    for name in dict.fromkeys(name for one in variants for name in one.figures):
        known = [
            (one.name, one.figures[name]) for one in variants if one.figures.get(name, {}).get("value") is not None
        ]
        most = max((end for _, each in known for end in (each["value"], each.get("high", 0.0))), default=0.0)
        if len(known) > 1 and most > 0.0:
            found[name] = [_bar(variant, each, most) for variant, each in known]
    return found


def _bar(variant: str, figure: Figure, most: float) -> Bar:
    text = "; ".join(filter(None, (str(figure["text"]), figure.get("range"))))
    return Bar(variant, text, strip_of(figure.get("low", 0.0), figure.get("high", 0.0), figure["value"], None, most))


def side_by_side(variants: Sequence[Variant]) -> ReportTable:
    """What came of each variant, with its interval; changes are from the first."""
    names = dict.fromkeys(name for one in variants for name in one.figures)
    rows = [(words(name), *(_cell(name, one, variants[0]) for one in variants)) for name in names]
    columns = (Column("result"), *(Column(one.name) for one in variants))
    return ReportTable("Results", columns, rows, "Results, with 90 % intervals; changes are from the first variant")


def _cell(name: str, one: Variant, first: Variant) -> Cell:
    figure = one.figures.get(name)
    if figure is None:
        return words(ABSENT)
    parts = [str(figure["text"] or figure["verdict"])]
    now, then = figure["value"], (first.figures.get(name) or {}).get("value")
    if one is not first and now is not None and then and abs(now / then - 1.0) >= HARDLY:
        parts[0] += f" ({percent(now / then - 1.0, sign=True).text})"
    if figure.get("range"):
        parts.append(str(figure["range"]))
    if figure["text"] and figure["verdict"] not in {"done", ""}:
        parts.append(str(figure["verdict"]))
    return words("; ".join(parts))


def differences(variants: Sequence[Variant]) -> ReportTable:
    """The values in which variants differ."""
    labels = dict.fromkeys(label for one in variants for label in one.values)
    rows = [
        (words(label), *(words(one.values.get(label, "absent")) for one in variants))
        for label in labels
        if len({one.values.get(label) for one in variants}) > 1
    ]
    columns = (Column("value"), *(Column(one.name) for one in variants))
    return ReportTable("Differences", columns, rows, "Values in which they differ")
