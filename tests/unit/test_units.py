import math
import re
import subprocess
import sys

import pytest

from simbackup.units import DIMENSIONS, UnitError, parse, parse_clock, show, show_near, show_short
from simbackup.units.amounts import Convention, amount, convention
from tests.cases import for_each

GOOD: dict[str, dict[str | float, float]] = {
    "B": {
        "5 MB": 5e6, "5MB": 5e6, "  5  MB ": 5e6, "+5 MB": 5e6, "1 kB": 1000.0, "1 KB": 1000.0, "1 KiB": 1024.0,
        "2 GiB": 2147483648.0, "1.5 PiB": 1.5 * 2**50, "3 TB": 3e12, "1_900_000 B": 1_900_000.0, "7 bytes": 7.0,
        "1 byte": 1.0, "1 Mb": 125_000.0, "1 Mbit": 125_000.0, "12 bits": 1.5, "1 Kib": 128.0, "1e3 MB": 1e9,
        ".5 MB": 5e5, "0": 0.0, 0: 0.0, "0e99999 B": 0.0, "1.7976931348623157e308 B": 1.7976931348623157e308,
    },
    "s": {
        0.0: 0.0, "0.1 s": 0.1, "365.185 s": 365.185, "1.55 ns": 1.55e-9, "3 us": 3e-6, "3 \u00b5s": 3e-6,
        "3 \u03bcs": 3e-6, "250 ms": 0.25, "4 sec": 4.0, "90 min": 5400.0, "2 h": 7200.0, "1 hour": 3600.0,
        "2 hours": 7200.0, "1 d": 86_400.0, "2 days": 172_800.0, "1 week": 604_800.0, "1 year": 31_536_000.0,
        "3 h 30 min": 12_600.0, "1 min 30 s": 90.0, "3h30min": 12_600.0, "1 d 2 h 3 min 4.1 s": 93_784.1,
        "5e-324 s": 5e-324, "1e-400 s": 0.0, "1e-99999 s": 0.0,
    },
    "B/s": {
        "5 MB/s": 5e6, "5 MB / s": 5e6, "1 Gb/s": 125e6, "1 Gbit/s": 125e6, "1 MiB/s": 1048576.0,
        "10 TB/h": 10e12 / 3600, "1 MB/min": 1e6 / 60,
    },
    "1/s": {
        "7200 rpm": 120.0, "5400 rpm": 90.0, "120 /s": 120.0, "120/s": 120.0, "4600 files/s": 4600.0,
        "150 IOPS": 150.0, "150 IO/s": 150.0, "50 Hz": 50.0, "2 GHz": 2e9, "6 /h": 6 / 3600,
    },
    "1": {
        "20 %": 0.2, "47.6%": 0.476, "0.2": 0.2, 0.2: 0.2, 2: 2.0, "2:1": 2.0, "1 : 3": 1 / 3, "1.5:1": 1.5,
    },
    "count": {
        1_900_000: 1_900_000.0, 16.0: 16.0, "1_900_000": 1_900_000.0, "1.9e6": 1_900_000.0, "16 disks": 16.0,
        "1 file": 1.0, "4 drives": 4.0, "8 buffers": 8.0, "2 cores": 2.0,
    },
    "m": {
        "549 m": 549.0, "12.65 mm": 0.01265, "0.5 in": 0.0127, "1800 ft": 548.64,
    },
    "m/s": {
        "4.06 m/s": 4.06, "160 ips": 4.064, "160 in/s": 4.064,
    },
    "s/B": {
        "1.55 ns/B": 1.55e-9, "3 ms/MB": 3e-9, "4.1 s/GB": 4.1e-9, "1 s/GiB": 2.0**-30,
    },
    "s/file": {
        "0.22 ms/file": 0.22e-3, "0.22 ms": 0.22e-3,
    },
    "B/file": {
        "160 B/file": 160.0, "2 KiB": 2048.0,
    },
}  # fmt: skip


@for_each("text, unit, value", [(text, unit, value) for unit, row in GOOD.items() for text, value in row.items()])
def test_parse_reads_the_exact_value(text: str | float, unit: str, value: float) -> None:
    read = parse(text, unit)
    assert type(read) is float
    assert read == value
    assert math.copysign(1.0, read) == 1.0


BAD = [
    ("5 furlongs", "B", "'5 furlongs' is not a size; write for example '5 MB', '2 GiB'"),
    ("", "B", "'' is not a size; write for example '5 MB', '2 GiB'"),
    ("MB", "B", "'MB' is not a size; write for example '5 MB', '2 GiB'"),
    ("5 %", "B", "'5 %' is not a size; write for example '5 MB', '2 GiB'"),
    ("5 G", "B", "'5 G' is not a size; write for example '5 MB', '2 GiB'"),
    ("5,5 MB", "B", "'5,5 MB' is not a size; write the decimal with a point: '5.5 MB'"),
    ("1__0 MB", "B", "'1__0 MB' is not a size; write for example '5 MB', '2 GiB'"),
    ("\u0665 MB", "B", "'\u0665 MB' is not a size; write for example '5 MB', '2 GiB'"),
    ("5 MB/s", "B", "'5 MB/s' is not a size; did you mean '5 MB'?"),
    ("5 MB", "B/s", "'5 MB' is not a data rate; did you mean '5 MB/s'?"),
    ("5 MB/", "B/s", "'5 MB/' is not a data rate; write for example '5 MB/s', '1 Gb/s'"),
    ("5 MB/s/s", "B/s", "'5 MB/s/s' is not a data rate; did you mean '5 MB/s'?"),
    # a bare number
    ("5", "B", "'5' has no unit; write for example '5 MB', '2 GiB'"),
    (5, "B", "5 has no unit; write for example '5 MB', '2 GiB'"),
    (1.5, "s", "1.5 has no unit; write for example '90 s', '3 h 30 min'"),
    ("120", "1/s", "'120' has no unit; write for example '120 /s', '7200 rpm', '2.5 GHz', '4600 files/s'"),
    # wrong case
    ("5 mb", "B", "'5 mb' is not a size; did you mean '5 MB' or '5 Mb'?"),
    ("5 mB", "B", "'5 mB' is not a size; did you mean '5 MB' or '5 Mb'?"),
    ("5 gib", "B", "'5 gib' is not a size; did you mean '5 GiB' or '5 Gib'?"),
    ("5 kb/S", "B/s", "'5 kb/S' is not a data rate; did you mean '5 kB/s' or '5 kb/s'?"),
    ("7200 RPM", "1/s", "'7200 RPM' is not a frequency; did you mean '7200 rpm'?"),
    ("2 H", "s", "'2 H' is not a time; did you mean '2 h'?"),
    ("1 Gbps", "B/s", "'1 Gbps' is not a data rate; did you mean '1 Gb/s'?"),
    # times that are something else
    ("1:30:00", "s", "'1:30:00' is not a time; write for example '90 s', '3 h 30 min'"),
    ("30 min 3 h", "s", "'30 min 3 h' is not a time; write for example '90 s', '3 h 30 min'"),
    ("3 h 3 h", "s", "'3 h 3 h' is not a time; write for example '90 s', '3 h 30 min'"),
    ("3 h 30", "s", "'3 h 30' is not a time; write for example '90 s', '3 h 30 min'"),
    ("3 h -30 min", "s", "'3 h -30 min' is not a time; write for example '90 s', '3 h 30 min'"),
    # signs and what is no number
    ("-5 MB", "B", "'-5 MB' cannot be negative"),
    ("-5", "count", "'-5' cannot be negative"),
    (-0.1, "1", "-0.1 cannot be negative"),
    (-3, "B", "-3 cannot be negative"),
    ("nan s", "s", "'nan s' is not a time; write for example '90 s', '3 h 30 min'"),
    ("inf", "B", "'inf' is not finite; write for example '5 MB', '2 GiB'"),
    (math.nan, "1", "nan is not a number; write for example '20 %', '0.2', '2:1'"),
    (math.inf, "1", "inf is not finite; write for example '20 %', '0.2', '2:1'"),
    (True, "count", "True is not a count; write for example '16', '1_900_000'"),
    (False, "B", "False is not a size; write for example '5 MB', '2 GiB'"),
    ("1e309 B", "B", "'1e309 B' is too large"),
    ("1e999999999999999999999 B", "B", "'1e999999999999999999999 B' is too large"),
    # counts and ratios
    ("1.5", "count", "'1.5' must be a whole number"),
    ("1e-999", "count", "'1e-999' must be a whole number"),
    (1.5, "count", "1.5 must be a whole number"),
    ("16 tapes", "count", "'16 tapes' is not a count; write for example '16', '1_900_000'"),
    ("1:0", "1", "'1:0' is not a share or ratio; write for example '20 %', '0.2', '2:1'"),
    ("1:2:3", "1", "'1:2:3' is not a share or ratio; write for example '20 %', '0.2', '2:1'"),
    # a unit that nobody keeps
    (
        "5 MB",
        "bytes",
        "'bytes' is not a unit; the units are B, s, B/s, 1/s, 1, count, money, m, m/s, s/B, s/file, B/file",
    ),
]


@for_each("text, unit, message", BAD)
def test_parse_says_what_is_wrong_and_what_would_be_right(text: str | float, unit: str, message: str) -> None:
    with pytest.raises(UnitError, match=f"^{re.escape(message)}$"):
        parse(text, unit)


def test_parse_refuses_an_int_beyond_every_float() -> None:
    with pytest.raises(UnitError, match="is too large"):
        parse(10**400, "count")


@for_each("thing", [None, [], {}, object()])
def test_parse_refuses_what_is_neither_text_nor_number(thing: str) -> None:
    with pytest.raises(UnitError, match="is not a size"):
        parse(thing, "B")


@for_each("text", ["25:00", "24:00", "12:60", "12:00:60", "12", "12:5", "-1:00", "10 pm", ""])
def test_clock_refuses(text: str) -> None:
    message = f"{text!r} is not a time of day; write for example '22:00', '06:30:15'"
    with pytest.raises(UnitError, match=f"^{re.escape(message)}$"):
        parse_clock(text)


@for_each("value, unit", [(-1.0, "B"), (math.nan, "s"), (math.inf, "B/s"), (1.5, "count"), (-5e-324, "1")])
def test_show_refuses_what_cannot_be_read_back(value: float, unit: str) -> None:
    with pytest.raises(UnitError, match="cannot be written as"):
        show(value, unit)


SHORT = {
    "B/s": [
        (133_472_000.0, "133.5 MB/s"), (999.96e6, "1 GB/s"), (-5e6, "-5 MB/s"), (math.inf, "inf B/s"),
        (-math.inf, "-inf B/s"), (0.0, "0 B/s"), (1e-9, "< 0.001 B/s"),
    ],
    "s": [
        (math.nan, "nan s"), (-0.0, "0 s"), (365.185, "6 min 5.2 s"), (59.99, "59.99 s"), (59.996, "1 min"),
        (100.0, "1 min 40 s"), (3599.96, "1 h"), (3725.9, "1 h 2 min 6 s"), (90_061.0, "1 d 1 h 1 min"),
        (131_400.0, "1 d 12 h 30 min"), (86_399.9, "1 d"), (3e6, "34 d 17 h"), (1e9, "11570 d"), (0.05, "50 ms"),
        (3.6e-15, "< 0.001 ns"), (-3.6e-15, "> -0.001 ns"),
    ],
    "B": [
        (2147483648.0, "2.147 GB"), (1e308, "1e293 PB"),
    ],
    "1": [
        (0.4761, "47.61 %"), (1.0, "100 %"), (-0.12345, "-12.35 %"), (2.1304, "2.13"), (3e-7, "< 0.01 %"),
        (1e-4, "0.01 %"),
    ],
    "count": [
        (1_900_000.0, "1,900,000"), (3.5, "3.5"), (12_345.6, "12,346"),
    ],
    "1/s": [
        (4600.0, "4600 /s"), (0.2, "12 /min"),
    ],
    "s/B": [
        (1.55e-9, "1.55 ns/B"),
    ],
}  # fmt: skip


@for_each("value, unit, text", [(value, unit, text) for unit, row in SHORT.items() for value, text in row])
def test_show_short(value: float, unit: str, text: str) -> None:
    assert show_short(value, unit) == text


@for_each("unit", ["bytes", "", "KB"])
def test_show_refuses_unknown_units(unit: str) -> None:
    with pytest.raises(UnitError, match="is not a unit"):
        show(1.0, unit)
    with pytest.raises(UnitError, match="is not a unit"):
        show_short(1.0, unit)


@for_each("unit", DIMENSIONS)
def test_a_near_value_is_read_back_and_is_near(unit: str) -> None:
    for exponent in range(-12, 16):
        for digits in (1.0, 1.2345678, 3.0, 9.9999):
            value = digits * 10.0**exponent
            value = max(round(value), 1.0) if unit == "count" else value
            assert parse(show_near(value, unit), unit) == pytest.approx(value, rel=6e-4)
    assert parse(show_near(0.0, unit), unit) == 0.0
    for wrong in (-1.0, math.inf, math.nan):
        with pytest.raises(UnitError):
            show_near(wrong, unit)


# Amounts as people write them
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


# Random streams
def test_numpy_is_not_imported_with_the_engine() -> None:
    program = "import sys, simbackup.engine.buffer, simbackup.randomness; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
