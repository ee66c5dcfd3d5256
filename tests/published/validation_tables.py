"""The validation tables, which ship with the program."""

from __future__ import annotations

from collections.abc import Iterable

from simbackup.experiments.reproduce import chosen, scenarios_of
from simbackup.results.compare import Row
from simbackup.results.validated_range import Checked, ValidatedSpan
from simbackup.text import csv_text


def errors(rows: Iterable[Row]) -> str:
    """Measured and simulated figures of all rows, as CSV."""
    return csv_text(Checked._fields, ([*map(_plain, _checked(row))] for row in rows))


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
    return csv_text(ValidatedSpan._fields, ([*map(_plain, found[key])] for key in sorted(found)))


def _plain(cell: object) -> object:
    return f"{cell:.10g}" if isinstance(cell, float) else cell
