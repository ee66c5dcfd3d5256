"""Variants side by side: what came of each, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simbackup.reporting.tables import Cell, Column, ReportTable, percent, words
from simbackup.web.cards import HARDLY, Figure, Strip, strip_of
from simbackup.web.guests import Variant

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
