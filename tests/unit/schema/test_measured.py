from pathlib import Path

import pytest

from simbackup.schema.measured import Measurement, read_measured
from tests.cases import for_each


def row(folder: Path, value: str) -> Measurement:
    """A measured row of that value."""
    (folder / "a.yaml").write_text("title: A\n")
    text = f"{{value: {value}, at: '1', operation: it, result: a.yaml#jobs.a.b}}"
    (folder / "measured.yaml").write_text(f"document: a document\nmeasurements:\n  one: {text}\n")
    (found,) = read_measured(folder / "measured.yaml", "measured.yaml").rows
    return found


@for_each(
    "text, value, unit, factor",
    [
        ("6.36", 6.36, "", 1.0),
        ("0", 0.0, "", 1.0),
        ("12", 12.0, "", 1.0),
        ("159 /s", 159.0, "/s", 1.0),
        ("7200 rpm", 7200.0, "rpm", 1 / 60),
        ("16.088 s", 16.088, "s", 1.0),
        ("{value: 0, basis: user}", 0.0, "", 1.0),
        ("{value: 159 /s, basis: measured, source: a, at: b}", 159.0, "/s", 1.0),
        ("6.36, low: 6.3, high: 6.4", 6.36, "", 1.0),
    ],
)
def test_a_figure_is_a_number_a_text_with_unit_or_tells_its_origin(
    tmp_path: Path, text: str, value: float, unit: str, factor: float
) -> None:
    found = row(tmp_path, text)
    assert (found.value, found.unit, found.factor) == (value, unit, factor)


def test_the_last_digit_of_a_bare_number_counts(tmp_path: Path) -> None:
    assert row(tmp_path, "6.36").resolution == pytest.approx(0.005)
    assert row(tmp_path, "12").resolution == 0.5
