import pytest

from simbackup.units import UnitError
from simbackup.units.amounts import Convention, amount, convention
from tests.cases import for_each

POINT, COMMA = Convention(".", seen=True), Convention(",", seen=True)


@for_each(
    "cells, decimal",
    [
        (["1,234.5", "12"], "."), (["1.234,5"], ","), (["12,5"], ","), (["1.234.567"], ","), (["1,234,567"], "."),
        (["12.25 GB", "1,200"], "."), (["1.234", "7"], "."), ([], "."),
    ],
)  # fmt: skip
def test_the_decimal_mark_is_that_of_the_cells_that_leave_no_doubt(cells: list[str], decimal: str) -> None:
    assert convention(cells).decimal == decimal


@for_each(
    "cell, unit, written, head, value",
    [
        ("1,234.5 GB", "B", POINT, "", 1234.5e9), ("1.234,5 GB", "B", COMMA, "", 1234.5e9),
        ("1 234,5 GiB", "B", COMMA, "", 1234.5 * 2**30), ("1'234", "count", POINT, "", 1234),
        ("1.234.567", "count", COMMA, "", 1234567), ("500", "B", POINT, "GiB", 500 * 2**30),
        ("2,5 %", "1", COMMA, "", 0.025), ("3 TiB", "B", POINT, "GB", 3 * 2**40), ("2:1", "1", POINT, "", 2.0),
    ],
)  # fmt: skip
def test_amounts_are_read_as_people_write_them(
    cell: str, unit: str, written: Convention, head: str, value: float
) -> None:
    assert amount(cell, unit, written, head) == pytest.approx(value)


@for_each("cell", ["about 5 GB", "", "1,23.5 GB", "5 furlongs", "-3 GB"])
def test_other_cells_are_refused(cell: str) -> None:
    with pytest.raises(UnitError):
        amount(cell, "B", POINT)


@for_each("cell, head", [("100 Gb", ""), ("100", "Gb"), ("100", "Gbit")])
def test_a_size_in_bits_is_a_slip(cell: str, head: str) -> None:
    with pytest.raises(UnitError, match=f"'{cell}' is in bits; did you mean '100 GB'?"):
        amount(cell, "B", Convention(".", False), head=head)


def test_what_is_negative_is_said_to_be() -> None:
    with pytest.raises(UnitError, match="'-5 GB' cannot be negative"):
        amount("-5 GB", "B", Convention(".", False))
