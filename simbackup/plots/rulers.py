# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)
"""Columns of a table along an axis: their values, units, scale and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from simbackup import units
from simbackup.plots import style
from simbackup.results.figures import unit_of
from simbackup.text import for_plot

Rows = Sequence[dict[str, Any]]
SHARE = "1"
"""The unit of figures that are shares of one."""
TIMES = {
    0.01: "10 ms", 0.1: "0.1 s", 1.0: "1 s", 10.0: "10 s", 60.0: "1 min", 600.0: "10 min", 3600.0: "1 h",
    36_000.0: "10 h", 86_400.0: "1 day", 864_000.0: "10 days", 8_640_000.0: "100 days",
}  # fmt: skip
"""Marks of a logarithmic axis of seconds."""
WORDS = {"elapsed": "elapsed time", "bytes": "data", "busy": "time in use", "lost": "lost requests"}
"""Figures whose names say less than an axis should."""
MANY_DECADES = 30.0
"""Greatest over least value above which an axis is logarithmic."""
UNITS = ("B", "s", "B/s", "1/s")
"""SI units in which a varied text such as 16 KiB may be written, beside plain numbers and shares."""


class Ruler(NamedTuple):
    """The values of one column as they stand along an axis."""

    name: str
    values: list[float]
    labels: list[str] | None
    timed: bool = False
    """Whether the values are seconds over many decades, for which no single unit fits."""
    share: bool = False
    """Whether the values are shares of one, among which small ones hardly matter."""
    size: float = 1.0
    """What one of the values is in SI units."""

    @property
    def wide(self) -> bool:
        """Whether the values are best seen on a logarithmic axis."""
        known = [value for value in self.values if not math.isnan(value)]
        return not self.share and bool(known) and min(known) > 0.0 and max(known) / min(known) >= MANY_DECADES


def ruler(rows: Rows, name: str) -> Ruler:
    """A varied column along an axis: as quantities where all are, else as names in the order of the study.

    >>> ruler([{"chunk": "16 KiB"}, {"chunk": "1 MiB"}], "chunk").values
    [16384.0, 1048576.0]
    """
    if unit_of(name) is not None and isinstance(rows[0][name], float):
        return figures(rows, name)
    texts = [str(row[name]) for row in rows]
    for unit in ("count", "1", *UNITS):
        try:
            values = [units.parse(text, unit) for text in texts]
        except units.UnitError:
            continue
        bare = all(text.replace("_", "").replace(".", "", 1).isdigit() for text in texts)
        return Ruler(plain(name), values, None if bare else texts)
    order = list(dict.fromkeys(texts))
    return Ruler(plain(name), [float(order.index(text)) for text in texts], texts)


def figures(rows: Rows, name: str) -> Ruler:
    """A column of figures in units for people, with the unit in its name; what is missing is not a number.

    >>> figures([{"jobs.full.elapsed": 7200.0}, {"jobs.full.elapsed": None}], "jobs.full.elapsed").name
    'elapsed time of full, min'
    """
    values = [math.nan if row.get(name) is None else float(row[name]) for row in rows]
    greatest = max((abs(value) for value in values if not math.isnan(value)), default=0.0)
    unit = unit_of(name)
    if unit == "s" and Ruler(name, values, None).wide:
        return Ruler(plain(name), values, None, timed=True)
    scale = _scale(unit, greatest)
    reported = f"{plain(name)}, {scale.name}" if scale.name else plain(name)
    return Ruler(reported, [value / scale.size for value in values], None, share=unit == SHARE, size=scale.size)


def _scale(unit: str | None, greatest: float) -> style.Scale:
    """The unit for people in which a figure up to a greatest one is shown."""
    match unit:
        case "s":
            return style.scale_of(greatest)
        case "B":
            return style.scale_of(greatest, style.BYTES)
        case "B/s":
            return style.scale_of(greatest, style.RATES)
        case "1":
            return style.Scale(0.01, "%")
        case _:
            return style.Scale(1.0, "")


def plain(name: str) -> str:
    """A column's name, or the address of a value, in the words that stand beside an axis.

    >>> plain("jobs.full.elapsed"), plain("devices.cow.chunk"), plain("workloads.users.backup.longest_wait")
    ('elapsed time of full', 'chunk of cow', 'longest wait of users during backup')
    >>> plain("ssd/nvme-gen4-2021#read_rate"), plain("case")
    ('read rate of ssd/nvme-gen4-2021', 'case')
    """
    sheet, _, key = name.rpartition("#")
    section, *owner, key = ("", sheet, key) if sheet else name.split(".") if "." in name else ("", name)
    what = WORDS.get(key, key.replace("_", " "))
    whose = (" during " if section == "workloads" else " ").join(owner).replace("_", " ")
    return for_plot(f"{what} of {whose}" if whose else what)


def mark_along(axis: Axes, along: Ruler) -> None:
    """Scale and marks of the axis of what was varied."""
    above = [value for value in along.values if value > 0.0]
    if along.wide:
        axis.set_xscale("log")
    elif above and min(along.values) == 0.0 and along.labels is None and max(above) / min(above) >= MANY_DECADES:
        axis.set_xscale("symlog", linthresh=min(above), linscale=0.4)  # 0 is shown before the least
    if along.labels is not None:
        named = dict(zip(along.values, along.labels, strict=True))
        axis.set_xticks(list(named), list(map(for_plot, named.values())), fontsize=style.SMALL)
        axis.minorticks_off()


def mark_up(axis: Axes, across: Ruler) -> None:
    """Scale and marks of the axis of a figure: from zero, or logarithmic, and then times have names."""
    if not across.wide:
        axis.set_ylim(bottom=0.0)
        return
    axis.set_yscale("log")
    if across.timed:
        known = [value for value in across.values if not math.isnan(value)]
        ticks = {seconds: name for seconds, name in TIMES.items() if min(known) / 3 <= seconds <= max(known) * 3}
        axis.set_yticks(list(ticks), list(ticks.values()))
        axis.minorticks_off()
