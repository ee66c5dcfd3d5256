"""The validation tables, which ship with the program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from simbackup.experiments.reproduce import chosen, scenarios_of
from simbackup.results.compare import Row
from simbackup.results.validated_range import Checked, ValidatedSpan


def errors(rows: Iterable[Row]) -> str:
    """Measured and simulated figures of all rows, as CSV."""
    return _text(Checked._fields, ([*_checked(row)] for row in rows))


def _checked(row: Row) -> Checked:
    m = row.measurement
    names = dict.fromkeys(file.removesuffix(".yaml") for file, _ in m.addresses)
    return Checked(
        m.folder, m.id, m.row.operation, m.row.quantity, m.unit, m.value, float(f"{row.simulated:.5g}"),
        round(row.error, 4) + 0.0, row.role, row.verdict, " ".join(names),
    )  # fmt: skip


def covered() -> str:
    """Lowest and highest value at each address, in the scenarios behind the rows of each document, as CSV."""
    found: dict[tuple[str, str], ValidatedSpan] = {}
    for measured in chosen(()):
        for scenario in scenarios_of(measured).values():
            for value in scenario.values:
                key, si = (measured.folder.name, value.address), float(f"{value.given.si:.10g}")
                old = found.get(key, ValidatedSpan(*key, value.given.unit, si, si))
                found[key] = old._replace(low=min(old.low, si), high=max(old.high, si))
    return _text(ValidatedSpan._fields, ([*found[key]] for key in sorted(found)))


def _text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([f"{cell:.10g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return written.getvalue()
