"""Histories on a terminal: fitted constants, and jobs that were held back beside their predictions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from simbackup import units
from simbackup.cli import show
from simbackup.cli.show_published import apart_lines, constant_text

if TYPE_CHECKING:
    from simbackup.experiments.history_fit import HistoryFit


def history_fit(found: HistoryFit) -> None:
    """Print the constants, the errors by job, and what the history does not tell apart."""
    rows = [
        [
            f.constant, constant_text(f.value, f.unit), constant_text(f.uncertainty, f.unit),
            " to ".join(constant_text(end, f.unit) for end in f.plausible), f"{found.apart.inflations[f.constant]:.1f}",
        ]
        for f in found.constants
    ]  # fmt: skip
    show.table(["constant", "value", "uncertainty", "plausible", "times by the others"], rows, right=(1, 2, 4))
    show.table(
        ["job", "rows", "number", "median error", "worst", "in the 90 % interval"],
        [
            [
                one.job, "held out" if one.held_out else "fitted", str(one.rows), f"{one.median_error:.1%}",
                f"{one.worst_error:.1%}", f"{one.inside} of {one.rows}",
            ]
            for one in found.summaries
        ],
        right=(2, 3, 4, 5),
    )  # fmt: skip
    show.line(f"scatter that the fit leaves: {found.scatter:.1%} (noise, and what the model leaves out)")
    for f in found.constants:
        if f.bound is not None:
            show.line(f"{f.constant} ends at a bound of its plausible range: {constant_text(f.bound, f.unit)}")
    for line in apart_lines(found.apart):
        show.line(line)


def history_fit_json(found: HistoryFit) -> None:
    """Print the same as JSON."""
    rows = [{**asdict(row), "error": row.error, "inside": row.inside} for row in found.rows]
    constants = [
        {
            "datasheet": f.fit.datasheet, "parameter": f.fit.parameter, "value": f.value, "unit": f.unit,
            "uncertainty": f.uncertainty, "plausible": list(f.plausible), "bound": f.bound,
            "inflation": found.apart.inflations[f.constant],
        }
        for f in found.constants
    ]  # fmt: skip
    pairs = [
        {"constants": list(p.constants), "correlation": p.correlation, "identifiable": p.identifiable}
        for p in found.apart.pairs
    ]
    figures = {"constants": constants, "pairs": pairs, "scatter": found.scatter}
    show.json({**figures, "rows": rows, "notes": list(found.notes)})


def jobs_table(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Jobs of a history by tool, operation and level, with their number and the longest, as rows of a table."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["tool"], row["operation"], row["level"]), []).append(row)
    return [
        {
            "tool": tool, "operation": operation, "level": level, "jobs": str(len(own)),
            "longest": units.show_short(max((float(row["elapsed_s"] or 0.0) for row in own), default=0.0), "s"),
        }
        for (tool, operation, level), own in groups.items()
    ]  # fmt: skip
