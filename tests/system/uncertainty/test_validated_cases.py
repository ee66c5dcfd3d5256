"""An answer outside of what was measured says so, with the nearest measured case."""

import pytest

from simbackup.uncertainty.validated_cases import BASES, known, nearest


@pytest.fixture
def sizes() -> list[float]:
    return sorted(case.bytes for case in known() if case.operation == "image")


def test_inside_of_what_was_measured_nothing_is_said(sizes: list[float]) -> None:
    found = nearest("image", sizes[0])
    assert found.cases[0].bytes == sizes[0]
    assert found.sentence("image") == ""


def test_more_or_fewer_bytes_than_any_case_name_the_nearest(sizes: list[float]) -> None:
    more, fewer = nearest("image", 3.0 * sizes[-1]), nearest("image", sizes[0] / 3.0)
    assert (more.outside, fewer.outside) == ("more", "fewer")
    assert {case.bytes for case in more.cases} == {sizes[-1]}
    name = more.cases[0].publication
    text = f"larger than any measured job of its kind (image): the closest is {name} with"
    assert more.sentence("image").startswith(text)


def test_a_kind_that_nobody_measured_says_so() -> None:
    assert nearest("observe", 1e9).sentence("observe") == "no job of its kind (observe) has been measured"
    assert nearest("image", 0.0).sentence("image") == ""


def test_only_times_and_rates_of_jobs_stand_beside_a_time() -> None:
    """Sizes, shares of locks and ratios of two times say nothing about the time of a job."""
    others = {"zrm-myisam-4000-logical-size", "zrm-myisam-hotcopy-readlock", "sql-2files-buffercount", "sql-all"}
    names = {case.row for case in known()}
    assert not names & others
    assert {"zrm-myisam-4000-logical-backup", "sql-base", "despool"} <= names


def test_a_fitted_case_says_so_and_a_blind_one_keeps_its_blind_error() -> None:
    dump = nearest("logical_dump", 60e9)
    assert {case.basis for case in dump.cases} <= {"fitted", "seen"}
    assert dump.sentence("logical_dump").endswith((f"({BASES['fitted']})", f"({BASES['seen']})"))
    [despool] = nearest("copy_save_set", 8e9).cases
    assert despool.basis == "blind"
    assert despool.error == pytest.approx(73.07 / 105.2 - 1.0, abs=0.001)  # measured and predicted rate, as times


def test_all_nearest_cases_are_counted() -> None:
    """Of the smallest backups of files, three of one publication, which were predicted blindly."""
    files = nearest("file_level", 1e6)
    assert len(files.cases) == 3
    assert "its 3 simulated times are off by" in files.sentence("file_level")
