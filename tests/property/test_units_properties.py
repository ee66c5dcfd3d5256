import math
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simbackup.units import DIMENSIONS, UnitError, parse, parse_clock, show, show_short

UNITS = sorted(DIMENSIONS)
values = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
everyday = st.floats(min_value=1e-9, max_value=1e16)
decimals = st.decimals(min_value=0, max_value=10**18, allow_nan=False, allow_infinity=False, places=6)


def whole_if_count(value: float, unit: str) -> float:
    return float(math.floor(value)) if unit == "count" else value


@pytest.mark.parametrize("unit", UNITS)
@given(value=values | everyday | st.integers(0, 2**62).map(float))
@example(value=5e-324)
@example(value=2.2250738585072014e-308)
@example(value=1e308)
@example(value=1.7976931348623157e308)
@example(value=0.1 + 0.2)
@example(value=10e12 / 3600)
def test_what_is_shown_reads_back_exactly(unit: str, value: float) -> None:
    value = whole_if_count(value, unit)
    assert parse(show(value, unit), unit) == value


@pytest.mark.parametrize("unit", UNITS)
@given(number=st.integers(1, 9999), data=st.data())
def test_what_a_person_writes_is_shown_no_longer(unit: str, number: int, data: st.DataObject) -> None:
    dimension = DIMENSIONS[unit]
    name = data.draw(st.sampled_from(dimension.human + dimension.binary))
    text = f"{number} {name}".strip()
    digits = show(parse(text, unit), unit).split(" ")[0].replace(".", "")
    assert len(digits) <= max(len(str(number)), 4)


@pytest.mark.parametrize("unit", UNITS)
@given(data=st.data(), number=decimals)
def test_reading_is_correctly_rounded(unit: str, data: st.DataObject, number: object) -> None:
    dimension = DIMENSIONS[unit]
    over = data.draw(st.sampled_from(sorted(dimension.over) or [""]))
    under = data.draw(st.sampled_from(sorted(dimension.under) or [""]))
    name = f"{over}/{under}" if under else data.draw(st.sampled_from(sorted(dimension.names)))
    factor = dimension.factor(name)
    assert factor is not None
    exact = Fraction(str(number)) * Fraction(*factor)
    if unit == "count":
        exact = Fraction(math.floor(exact))
        assert parse(str(math.floor(exact)), unit) == float(exact)
    else:
        assert parse(f"{number:f} {name}", unit) == float(exact)


@pytest.mark.parametrize("unit", UNITS)
@given(left=values, right=values)
def test_larger_numbers_read_as_larger_values(unit: str, left: float, right: float) -> None:
    small, large = sorted((whole_if_count(left, unit), whole_if_count(right, unit)))
    dimension = DIMENSIONS[unit]
    for name in dimension.human:
        factor = dimension.factor(name)
        assert factor is not None
        if large * factor[0] / factor[1] < 1e308:
            read = [parse(f"{number!r} {name}", unit) for number in (small, large)]
            assert read == sorted(read)


@given(number=st.integers(0, 10**6), step=st.integers(0, 4))
def test_prefixes_climb_by_1000_and_by_1024(number: int, step: int) -> None:
    decimal, binary = ("B", "kB", "MB", "GB", "TB", "PB"), ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
    for names, ratio in ((decimal, 1000), (binary, 1024)):
        lower, upper = names[step], names[step + 1]
        assert parse(f"{number} {upper}", "B") == parse(f"{number * ratio} {lower}", "B")
    assert parse(f"{number} {binary[step + 1]}", "B") >= parse(f"{number} {decimal[step + 1]}", "B")


@given(number=st.integers(0, 10**9), prefix=st.sampled_from(["", "k", "K", "M", "G", "T", "P", "Ki", "Mi", "Gi"]))
def test_eight_bits_are_a_byte(number: int, prefix: str) -> None:
    size = parse(f"{number} {prefix}B/s", "B/s")
    assert parse(f"{8 * number} {prefix}b/s", "B/s") == size
    assert parse(f"{8 * number} {prefix}bit/s", "B/s") == size
    assert parse(f"{number} {prefix}B", "B") == size


@given(hours=st.integers(0, 10**6), minutes=st.integers(0, 59), millis=st.integers(0, 59_999))
def test_compound_times_add_up(hours: int, minutes: int, millis: int) -> None:
    exact = Fraction(hours * 3_600_000 + minutes * 60_000 + millis, 1000)
    text = f"{hours} h {minutes} min {millis // 1000}.{millis % 1000:03} s"
    assert parse(text, "s") == float(exact)


@given(second=st.integers(0, 86_399))
def test_every_second_of_the_day_has_its_clock(second: int) -> None:
    assert parse_clock(f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}") == second


fragments = st.lists(
    st.sampled_from(
        [*"0123456789.:+-_%/ eEkKMGbBihs", "MB", "GiB", "min", "1e", "e999", "file", "ps", "nan", "\n", "\x00"]
    ),
    max_size=12,
).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@given(text=st.text() | fragments)
def test_no_text_raises_anything_but_a_unit_error(unit: str, text: str) -> None:
    with suppress(UnitError):
        value = parse(text, unit)
        assert math.isfinite(value)
        assert value >= 0
    with suppress(UnitError):
        assert 0 <= parse_clock(text) < 86_400


@pytest.mark.parametrize("unit", UNITS)
@given(value=st.floats())
def test_every_float_has_a_short_text(unit: str, value: float) -> None:
    text = show_short(value, unit)
    assert text
    assert text.isascii()
    if text.startswith("< "):
        assert 0 < value < (0.001 if unit == "count" else parse(text[2:], unit))
    elif 0 < value < 1e308 and unit != "count":
        assert math.isclose(parse(text, unit), value, rel_tol=0.005, abs_tol=5e-323)
