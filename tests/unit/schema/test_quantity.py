from typing import Annotated, Any, Literal

from simbackup.errors import Place, Problem
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Pieces,
    PositiveCount,
    PositiveShare,
    PositiveSize,
    Quantity,
    Rate,
    Share,
    Size,
    Word,
)
from simbackup.schema.tree import from_plain
from simbackup.schema.validate import validate
from tests.cases import for_each


class Part(Frozen):
    """A part with a field of each kind."""

    size: Size = Quantity(0.0, "B", "0 B")
    positive: PositiveSize = Quantity(1.0, "B", "1 B")
    time: Duration | None = None
    rate: Rate | None = None
    share: Share | None = None
    limit: PositiveShare | None = None
    count: Count | None = None
    files: PositiveCount | None = None
    pieces: Pieces | None = None
    level: Annotated[Literal["0", "5", "dp"], Word()] = "5"


def read(**values: Any) -> tuple[Part | None, list[Problem]]:
    problems: list[Problem] = []
    return validate(Part, from_plain(values, Place("x")), "part", problems), problems


def only(**values: Any) -> tuple[str, str, str]:
    """Address, message and remedy of the one problem."""
    part, problems = read(**values)
    assert part is None
    (problem,) = problems
    return problem.address, problem.message, problem.remedy


def test_a_key_without_a_default_that_is_null_is_empty() -> None:
    class Needed(Frozen):
        size: Size

    problems: list[Problem] = []
    assert validate(Needed, from_plain({"size": None}, Place("x")), "part", problems) is None
    assert [(each.message, each.remedy) for each in problems] == [("is empty", "write for example '2 GiB'")]


@for_each(
    "name, text, si",
    [
        ("size", "2 GiB", 2.0**31), ("size", "0 B", 0.0), ("size", 0, 0.0), ("time", "90 min", 5400.0),
        ("time", "1 h 30 min", 5400.0), ("rate", "1 Gb/s", 125e6), ("share", "40 %", 0.4), ("share", 0.4, 0.4),
        ("share", 0, 0.0), ("count", 0, 0.0), ("files", 1_900_000, 1.9e6), ("files", "1_000", 1000.0),
        ("pieces", 100_000, 1e5),
    ],
)  # fmt: skip
def test_texts_and_numbers_become_si_values(name: str, text: Any, si: float) -> None:
    part, problems = read(**{name: text})
    assert not problems
    given = getattr(part, name)
    assert (given.si, given.text, given.basis) == (si, str(text), None)
    assert float(given) == si


@for_each(
    "name, value, message, remedy",
    [
        ("size", "5 s", "'5 s' is not a size; write for example '5 MB', '2 GiB'", ""),
        ("size", 5, "5 has no unit; write for example '5 MB', '2 GiB'", ""),
        ("size", "-5 B", "'-5 B' cannot be negative", ""),
        ("size", "7 Gb", "'7 Gb' is in bits", "did you mean '7 GB'?"),
        ("size", "64 Kib", "'64 Kib' is in bits", "did you mean '64 KiB'?"),
        ("size", True, "'true' is not a quantity", "write for example '2 GiB'"),
        ("size", ["1 B"], "a list is not a quantity", "write for example '2 GiB'"),
        ("positive", "0 B", "0 B is out of bounds", "write more than 0"),
        ("rate", "0 B/s", "0 B/s is out of bounds", "write more than 0"),
        ("share", "101 %", "101 % is out of bounds", "write at most 100 %"),
        ("limit", "0 %", "0 % is out of bounds", "write at most 100 % and more than 0"),
        ("files", 0, "0 is out of bounds", "write at least 1"),
        ("files", 1.5, "1.5 must be a whole number", ""),
        ("pieces", 100_001, "100001 is out of bounds", "write at least 1 and at most 100,000"),
        ("level", "7", "'7' is not one of the allowed words", "choose from: '0', '5' or 'dp'"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(name: str, value: Any, message: str, remedy: str) -> None:
    assert only(**{name: value}) == (f"part.{name}", message, remedy)
