"""Measured beside simulated, blind predictions, coverage, fits and histories, as tables, as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, get_args

from simbackup import units
from simbackup.cli import show
from simbackup.experiments.blind_predictions import FAR, Answers, LedgerLine, ledger
from simbackup.experiments.calibrate import Fitted
from simbackup.experiments.coverage import ALL, ROLES, THIS, Coverage, CoverageReport, Score, Verdicts
from simbackup.experiments.identifiability import NEAR_NULL, NEAR_ONE, CrossValidation, Pair, Separability
from simbackup.experiments.reproduce import Reproduction
from simbackup.results.compare import GroupErrors, Role, Row, Summary
from simbackup.text import for_markdown
from simbackup.uncertainty.model_error import ModelError

if TYPE_CHECKING:
    from simbackup.experiments.history_fit import HistoryFit

HEADER = ("id", "operation", "measured", "simulated", "error", "role", "within 10 %", "over the assumed ranges")
BLIND = "blind"
"""Head of the blind answers with their errors, which follow those of today; only where there are any."""


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """The lines of a table in Markdown, of which some columns are set flush right."""
    rules = "|".join("--:" if i in right else "---" for i in range(len(heads)))
    head, *others = (f"| {' | '.join(map(for_markdown, cells))} |" for cells in (heads, *rows))
    return [head, f"|{rules}|", *others]


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


def _table(rows: list[Row]) -> tuple[list[str], list[list[str]], range]:
    """The heads and the rows of a table of measured rows, and its columns of figures."""
    versions = sorted({row.measurement.blind.version for row in rows if row.measurement.blind})
    heads = [*HEADER[:5], *([f"{BLIND} by {', '.join(versions)}"] if versions else []), *HEADER[5:]]
    return heads, [_cells(row, blind=bool(versions)) for row in rows], range(2, len(heads) - 3)


def reproduction(found: Reproduction) -> None:
    """Print measured beside simulated, document by document, and the ledger of blind predictions."""
    for s in found.summaries:
        rows = [row for row in found.rows if row.measurement.folder == s.document]
        heads, cells, right = _table(rows)
        show.table(heads, cells, s.document, right=right)
        for row in rows:
            if row.measurement.row.off:
                show.line(f"{row.measurement.id} is off: {row.measurement.row.off}")
        show.line(_summary(s) + "\n")
    if len(found.summaries) > 1:
        show.line(_summary(found.total))
    if lines := ledger(found):
        show.table(LEDGER, [_ledger_cells(line) for line in lines], "blind predictions", right=LEDGER_FIGURES)
        for line in _fitted(lines):
            show.line(line)


def markdown(found: Reproduction) -> str:
    """Measured beside simulated as Markdown."""
    lines: list[str] = []
    for s in found.summaries:
        rows = [row for row in found.rows if row.measurement.folder == s.document]
        off = [(row.measurement.id, row.measurement.row.off) for row in rows if row.measurement.row.off]
        lines += [f"### {for_markdown(s.document)}", "", *markdown_table(*_table(rows)), ""]
        lines += [*(f"- {for_markdown(row)}: {for_markdown(why)}" for row, why in off), ""]
        lines += [for_markdown(_summary(s)), ""]
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
    constants = [_constant(f, apart) | {"errors": f.errors} for f in found]
    pairs = [_pair(pair) | {"rows": list(pair.rows)} for pair in apart.pairs]
    groups = [{"powers": group.powers, "singular_value": group.singular_value} for group in apart.groups]
    singles = [{"constant": constant, "row": row} for constant, row in apart.single]
    thresholds = {"correlation": NEAR_ONE, "singular_value": NEAR_NULL}
    show.json({"constants": constants, "pairs": pairs, "groups": groups, "single": singles, "thresholds": thresholds})


def _constant(f: Fitted, apart: Separability) -> dict[str, Any]:
    return {
        "datasheet": f.fit.datasheet, "parameter": f.fit.parameter, "value": f.value, "unit": f.unit,
        "uncertainty": f.uncertainty, "plausible": list(f.plausible), "bound": f.bound,
        "inflation": apart.inflations.get(f.constant),
    }  # fmt: skip


def _pair(pair: Pair) -> dict[str, Any]:
    return {"constants": list(pair.constants), "correlation": pair.correlation, "identifiable": pair.identifiable}


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
    lines = markdown_table(LEFT_OUT, _left_out(found), (2, 3))
    return "\n".join([*lines, "", for_markdown(_singles(found)), ""])


def _left_out(found: CrossValidation) -> list[list[str]]:
    return [[r.constant, r.row, units.show_short(r.value, r.unit), f"{r.error:+.1%}"] for r in found.left_out]


def _singles(found: CrossValidation) -> str:
    reported = "; ".join(f"{constant} ({row})" for constant, row in found.single)
    return f"{len(found.single)} constants have one row, so no such error: {reported}" if found.single else ""


ANSWERS = ("median error", f"off by more than {FAR:g}", "intervals hold")
LEDGER = (
    "publication", "by", "rows", *(f"blind: {head}" for head in ANSWERS),
    *(f"today: {head}" for head in ANSWERS), "seen", "fitted",
)  # fmt: skip
LEDGER_FIGURES = range(2, len(LEDGER))


def ledger_markdown(lines: Sequence[LedgerLine]) -> str:
    """The ledger of blind predictions as Markdown."""
    rows = markdown_table(LEDGER, [_ledger_cells(line) for line in lines], LEDGER_FIGURES)
    return "\n".join([*rows, "", *(f"- {for_markdown(line)}" for line in _fitted(lines))]) + "\n"


def _ledger_cells(line: LedgerLine) -> list[str]:
    counts = [str(line.seen), str(len(line.fitted))]
    return [
        line.publication, ", ".join(line.versions), str(line.rows), *_answers(line.blind), *_answers(line.today),
        *counts,
    ]  # fmt: skip


def _answers(answers: Answers) -> list[str]:
    held = answers.intervals
    hold = f"{held.hold} of {held.of}" if held.of else ""
    return [f"{answers.median:.1%}", str(answers.far), hold]


def _fitted(lines: Sequence[LedgerLine]) -> list[str]:
    """The constants that are fitted to each publication, in sentences; lines of several publications have none."""
    return [f"{line.publication} has fitted {', '.join(line.fitted)}" for line in lines if line.fitted and line.single]


PUBLICATIONS = ("publication", *ROLES, "share")
HEADS = ("intervals of", "rows", "hold", "share", "median width")
SCORES = ("rows of", "interval", "rows", "hold", "share", "median ratio of ends", "interval score", "CRPS", "worse by")
VERDICTS = ("said to keep a limit in", "verdicts", "mean", "kept it")
TERMS = ("operation", "publications", "rows", "typically off by", "model error")


def coverage(found: CoverageReport, *, as_json: bool, markdown: bool) -> None:
    """Print the coverage of publications and of sets of rows, how intervals score, and terms of the error."""
    if as_json:
        show.json({
            "rows": [row.as_dict() for row in found.rows],
            "publications": {
                name: {role: _set_data(one) for role, one in by_role.items()}
                for name, by_role in found.publications.items()
            },
            "coverage": [{"name": one.name, **_set_data(one)} for one in found.sets],
            "scores": [asdict(one) for one in found.scores],
            "verdicts": [asdict(one) for one in found.verdicts],
            "model_error": [one._asdict() for one in found.terms],
        })  # fmt: skip
        return
    if markdown:
        show.line(coverage_markdown(found))
        return
    for heads, rows in _coverage_tables(found):
        show.table(heads, rows, right=range(1, len(heads)))


def coverage_markdown(found: CoverageReport) -> str:
    """The same as Markdown."""
    tables = (markdown_table(heads, rows, range(1, len(heads))) for heads, rows in _coverage_tables(found))
    return "\n\n".join("\n".join(lines) for lines in tables) + "\n"


def _coverage_tables(found: CoverageReport) -> tuple[tuple[tuple[str, ...], list[list[str]]], ...]:
    return (
        (PUBLICATIONS, [_publication(*each) for each in found.publications.items()]),
        (HEADS, list(map(_set, found.sets))),
        (SCORES, list(map(_score, found.scores))),
        (VERDICTS, list(map(_verdicts, found.verdicts))),
        (TERMS, list(map(_term, found.terms))),
    )


def _set_data(one: Coverage) -> dict[str, int | float | None]:
    width = one.width if math.isfinite(one.width) else None
    return {"rows": one.rows, "hold": one.held, "share": one.share, "width": width}


def _publication(name: str, by_role: Mapping[str, Coverage]) -> list[str]:
    held = [f"{by_role[role].held} of {by_role[role].rows}" if role in by_role else "" for role in ROLES]
    return [name, *held, f"{by_role[ALL].share:.0%}"]


def _set(one: Coverage) -> list[str]:
    width = f"{one.width:.0%}" if math.isfinite(one.width) else "-"
    return [one.name, str(one.rows), str(one.held), f"{one.share:.0%}", width]


def _score(one: Score) -> list[str]:
    return [
        one.name, one.method, str(one.rows), str(one.held), f"{one.held / one.rows:.0%}", f"{one.factor:.2f}",
        f"{one.interval_score:.2f}", f"{one.crps:.3f}",
        "" if one.method == THIS else f"{one.worse:+.2f}" + (f" ± {one.unsure:.2f}" if one.unsure < math.inf else ""),
    ]  # fmt: skip


def _verdicts(one: Verdicts) -> list[str]:
    return [f"{one.low:.0%} to {one.high:.0%} of cases", str(one.count), f"{one.said:.0%}", f"{one.came:.0%}"]


def _term(one: ModelError) -> list[str]:
    typical = f"{one.typical:.2f}" if one.rows else "-"
    return [one.operation, str(one.publications), str(one.rows), typical, f"{one.deviation:.0%}"]


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
    constants = [_constant(f, found.apart) for f in found.constants]
    figures = {"constants": constants, "pairs": [*map(_pair, found.apart.pairs)], "scatter": found.scatter}
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
