"""Ranges of datasheets: each end alone is a value that the datasheet's own rules accept."""

from dataclasses import replace

from simbackup import shelf
from tests.cases import for_each


@for_each("name", shelf.names())
def test_each_end_of_a_range_is_a_value_that_the_rules_accept(name: str) -> None:
    sheet = shelf.load_datasheet(name)
    wrong = [
        f"{key} at {end}: {message}"
        for key, given in sheet.values()
        for end in (given.low, given.high)
        if end is not None
        for _, message, _ in sheet.parameters.model_copy(update={key: replace(given, si=end)}).rules()
    ]
    assert not wrong
