import pytest

from simbackup.errors import Place
from simbackup.experiments.study_file import values_of
from simbackup.schema.study import RangeSpec
from simbackup.schema.tree import from_plain
from tests.cases import for_each


@for_each(
    "first, last, count, by, values",
    [
        ("100 MB/s", "400 MB/s", 4, "difference", ("100 MB/s", "200 MB/s", "300 MB/s", "400 MB/s")),
        ("1 min", "4 min", 3, "factor", ("1 min", "2 min", "4 min")),
        (16, 1, 5, "factor", ("16", "8", "4", "2", "1")),
        ("10 %", "50 %", 3, "difference", ("10 %", "30 %", "50 %")),
        ("0 GB", "2 GB", 2, "difference", ("0 B", "2 GB")),
    ],
)  # fmt: skip
def test_a_range_becomes_its_values(first: object, last: object, count: int, by: str, values: tuple[str, ...]) -> None:
    asked = RangeSpec.model_validate({"first": first, "last": last, "count": count, "by": by})
    problems: list[object] = []
    assert values_of({"a": asked}, from_plain({}, Place("")), "vary", problems)["a"] == values  # type: ignore[arg-type]
    assert not problems


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [("1 GB", "2 h", "'1 GB' and '2 h' have no common unit"), ("0 GB", "1 GB", "begins and ends above zero")],
)
def test_what_is_no_range_is_reported(first: str, last: str, message: str) -> None:
    problems: list[object] = []
    asked = RangeSpec(first=first, last=last, count=3, by="factor")
    assert not values_of({"a": asked}, from_plain({}, Place("")), "vary", problems)  # type: ignore[arg-type]
    assert message in str(problems[0])
