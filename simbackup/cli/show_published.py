"""Measured beside simulated, fits and cross-validation, as tables on a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

from simbackup import units
from simbackup.cli import show, show_ledger
from simbackup.experiments.blind_predictions import ledger
from simbackup.experiments.calibrate import Fitted
from simbackup.experiments.identifiability import NEAR_NULL, NEAR_ONE, CrossValidation, Separability
from simbackup.experiments.reproduce import Reproduction
from simbackup.results.compare import GroupErrors, Role, Row, Summary
from simbackup.text import for_markdown

HEADER = ("id", "operation", "measured", "simulated", "error", "role", "within 10 %", "over the assumed ranges")
BLIND = "blind"
"""Head of the blind answers with their errors, which follow those of today; only where there are any."""


def _error(error: float | None) -> str:
    return "" if error is None else "within" if error == 0 else f"{error:+.1%}"


def _cells(row: Row, *, blind: bool) -> list[str]:
    m = row.measurement
    spread = ""
    if row.interval is not None:
        spread = f"{max(row.interval[0], 0.0):.4g} to {row.interval[1]:.4g}" + (
            "" if row.identified else ", unidentified"
        )
    cells = [m.id, m.row.operation, f"{m.value:g} {m.unit}", f"{row.simulated:.4g}", _error(row.error)]
    if blind:
        answer = "" if m.blind is None else f"{m.blind.value:.4g}, {_error(row.blind_error)}"
        cells.append("fitted" if m.row.fit else answer)
    return [*cells, row.role, row.verdict, spread]


def _table(rows: list[Row]) -> tuple[list[str], list[list[str]], int]:
    """The heads and the rows of a table of measured rows, and how many of its columns on the right side are text."""
    versions = sorted({row.measurement.blind.version for row in rows if row.measurement.blind})
    heads = [*HEADER[:5], *([f"{BLIND} by {', '.join(versions)}"] if versions else []), *HEADER[5:]]
    return heads, [_cells(row, blind=bool(versions)) for row in rows], 3


def reproduction(found: Reproduction) -> None:
    """Print measured beside simulated, document by document, and the ledger of blind predictions."""
    for s in found.summaries:
        rows = [row for row in found.rows if row.measurement.folder == s.document]
        heads, cells, texts = _table(rows)
        show.table(heads, cells, s.document, right=range(2, len(heads) - texts))
        for row in rows:
            if row.measurement.row.off:
                show.line(f"{row.measurement.id} is off: {row.measurement.row.off}")
        show.line(_summary(s) + "\n")
    if len(found.summaries) > 1:
        show.line(_summary(found.total))
    show_ledger.printed(ledger(found))


def reproduction_markdown(found: Reproduction) -> None:
    """Print the same as Markdown."""
    show.line(markdown(found).removesuffix("\n"))


def markdown(found: Reproduction) -> str:
    """Measured beside simulated as Markdown."""
    lines: list[str] = []
    for s in found.summaries:
        rows = [row for row in found.rows if row.measurement.folder == s.document]
        heads, cells, texts = _table(rows)
        rules = ["---"] * 2 + ["--:"] * (len(heads) - 2 - texts) + ["---"] * texts
        lines += [
            f"### {for_markdown(s.document)}",
            "",
            "| " + " | ".join(heads) + " |",
            "|" + "|".join(rules) + "|",
        ]
        lines += ["| " + " | ".join(map(for_markdown, row)) + " |" for row in cells]
        lines += [
            "",
            *(
                f"- {for_markdown(r.measurement.id)}: {for_markdown(r.measurement.row.off)}"
                for r in rows
                if r.measurement.row.off
            ),
        ]
        lines += ["", for_markdown(_summary(s)), ""]
    return "\n".join(lines)


def _summary(s: Summary) -> str:
    roles = ", ".join(f"{s.roles[role]} {role}" for role in get_args(Role) if s.roles[role])
    held_out = f"; over {_groups(s.held_out)}, held-out: {_errors(s.held_out)}" if s.held_out.groups else ""
    return (
        f"{s.document}: {s.results} results ({roles}) in {s.rows} rows, {s.within} within 10 %, {s.off} declared off; "
        f"error over {_groups(s.errors)}: {_errors(s.errors)}{held_out}; {s.constants} fitted or chosen constants, "
        f"{s.one_row} of them for one row"
    )


def _groups(spread: GroupErrors) -> str:
    return f"{spread.groups} group{'s' * (spread.groups != 1)}"


def _errors(spread: GroupErrors) -> str:
    return "none" if spread.median is None else f"median {spread.median:.1%}, worst {spread.worst:.1%}"


def constant_text(value: float, unit: str) -> str:
    """A constant, its uncertainty or an end of its range; a ratio as a number, so that no percentage looks relative.

    >>> constant_text(0.85, "1"), constant_text(2e-3, "s")
    ('0.85', '2 ms')
    """
    return f"{value:.4g}" if unit == "1" else units.show_short(value, unit)


def fits(found: Sequence[Fitted], apart: Separability) -> None:
    """Print fitted constants, and which of them are not identifiable."""
    rows = [
        [
            f.constant, constant_text(f.value, f.unit), constant_text(f.uncertainty, f.unit),
            " to ".join(constant_text(end, f.unit) for end in f.plausible),
            ", ".join(f"{row} {error:+.1%}" for row, error in f.errors.items()),
        ]
        for f in found
    ]  # fmt: skip
    show.table(["constant", "value", "uncertainty", "plausible", "rows and what is left"], rows)
    for f in found:
        if f.bound is not None:
            left = ", ".join(f"{row} {error:+.1%}" for row, error in f.errors.items())
            bound = constant_text(f.bound, f.unit)
            show.line(f"{f.constant} ends at a bound of its plausible range, {bound}; what remains: {left}")
    for line in apart_lines(apart):
        show.line(line)


MOST_NAMED = 12
"""Rows that a sentence names one by one."""


def _named(rows: Sequence[str]) -> str:
    """Rows by name, or how many there are."""
    return ", ".join(rows) if len(rows) <= MOST_NAMED else f"{len(rows)} rows"


def apart_lines(found: Separability) -> list[str]:
    """Which constants are not identifiable, in sentences."""
    lines: list[str] = []
    if found.single:
        reported = "; ".join(f"{constant} ({row})" for constant, row in found.single)
        lines.append(f"{len(found.single)} constants have one row, so no residual shows their uncertainty: {reported}")
    for pair in found.pairs:
        if not pair.identifiable:
            rows, (one, other) = _named(pair.rows), pair.constants
            lines.append(
                f"{one} and {other} are not identifiable separately from {rows}: correlation {pair.correlation:+.2f}"
            )
    for group in found.groups:
        powers = ", ".join(f"{constant} as k^{power:.2g}" for constant, power in group.powers.items())
        lines.append(
            f"the rows hardly change when these change together: {powers} (singular value {group.singular_value:.2g})"
        )
    if len(lines) > bool(found.single):
        lines.append(
            f"(at a correlation of {NEAR_ONE}, a singular value of {NEAR_NULL:.2g}, not knowing one constant makes "
            f"the other {1 / math.sqrt(1 - NEAR_ONE**2):.0f} times as uncertain)"
        )
    elif found.pairs:
        most = max(found.pairs, key=lambda pair: abs(pair.correlation))
        both, correlation = " and ".join(most.constants), f"{most.correlation:+.2f}"
        if len(found.pairs) == 1:
            lines.append(f"{both} are identifiable separately; their correlation is {correlation}")
        else:
            every = f"all {len(found.pairs)} pairs of constants that share rows are identifiable"
            lines.append(f"{every}; the highest correlation is {correlation}, of {both}")
    return lines


def fits_json(found: Sequence[Fitted], apart: Separability) -> None:
    """Print the same as JSON."""
    constants = [
        {
            "datasheet": f.fit.datasheet, "parameter": f.fit.parameter, "value": f.value, "unit": f.unit,
            "uncertainty": f.uncertainty, "plausible": list(f.plausible), "errors": f.errors, "bound": f.bound,
            "inflation": apart.inflations.get(f.constant),
        }
        for f in found
    ]  # fmt: skip
    pairs = [
        {
            "constants": list(p.constants), "correlation": p.correlation, "rows": list(p.rows),
            "identifiable": p.identifiable,
        }
        for p in apart.pairs
    ]  # fmt: skip
    groups = [{"powers": group.powers, "singular_value": group.singular_value} for group in apart.groups]
    singles = [{"constant": constant, "row": row} for constant, row in apart.single]
    thresholds = {"correlation": NEAR_ONE, "singular_value": NEAR_NULL}
    show.json({"constants": constants, "pairs": pairs, "groups": groups, "single": singles, "thresholds": thresholds})


LEFT_OUT = ("constant", "row left out", "constant from the others", "error of the row")


def cross_validation(found: CrossValidation, *, as_json: bool = False, markdown: bool = False) -> None:
    """Print how well the rows of fits predict each other."""
    if as_json:
        rows = [{"constant": r.constant, "row": r.row, "value": r.value, "error": r.error} for r in found.left_out]
        singles = [{"constant": constant, "row": row} for constant, row in found.single]
        show.json({"left_out": rows, "single": singles})
    elif markdown:
        show.line(cross_validation_markdown(found).removesuffix("\n"))
    else:
        show.table(LEFT_OUT, _left_out(found), right=(2, 3))
        show.line(_singles(found))


def cross_validation_markdown(found: CrossValidation) -> str:
    """The same as Markdown."""
    lines = ["| " + " | ".join(LEFT_OUT) + " |", "|---|---|--:|--:|"]
    lines += ["| " + " | ".join(map(for_markdown, cells)) + " |" for cells in _left_out(found)]
    return "\n".join([*lines, "", for_markdown(_singles(found)), ""])


def _left_out(found: CrossValidation) -> list[list[str]]:
    return [[r.constant, r.row, units.show_short(r.value, r.unit), f"{r.error:+.1%}"] for r in found.left_out]


def _singles(found: CrossValidation) -> str:
    reported = "; ".join(f"{constant} ({row})" for constant, row in found.single)
    return f"{len(found.single)} constants have one row, so no such error: {reported}" if found.single else ""
