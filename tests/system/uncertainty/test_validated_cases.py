"""An answer outside of what was measured says so, with the nearest measured case."""

from __future__ import annotations

import pytest

from simbackup.uncertainty.validated_cases import known, nearest


@pytest.fixture
def sizes() -> list[float]:
    return sorted(case.bytes for case in known() if case.operation == "image")


def test_inside_of_what_was_measured_nothing_is_said(sizes: list[float]) -> None:
    found = nearest("image", sizes[0])
    assert found.case is not None
    assert found.case.bytes == sizes[0]
    assert found.sentence("image") == ""


def test_more_or_fewer_bytes_than_any_case_name_the_nearest(sizes: list[float]) -> None:
    more, fewer = nearest("image", 3.0 * sizes[-1]), nearest("image", sizes[0] / 3.0)
    assert (more.outside, fewer.outside) == ("more", "fewer")
    assert more.case is not None
    assert more.case.bytes == sizes[-1]
    text = f"larger than any measured job of its kind (image), the closest being {more.case.publication} with"
    assert more.sentence("image").startswith(text)


def test_a_kind_that_nobody_measured_says_so() -> None:
    assert nearest("observe", 1e9).sentence("observe") == "no job of its kind (observe) has been measured"
    assert nearest("image", 0.0).sentence("image") == ""
