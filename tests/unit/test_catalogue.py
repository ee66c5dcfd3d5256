import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.catalogue import Catalogue, Copy, Extent, SaveSet
from tests.cases import for_each


def copy(*extents: Extent, job: str = "jobs.full", compression: float = 1.0) -> Copy:
    return Copy(job, "jukebox", compression, 0.0, list(extents))


def saved(job: str = "jobs.full", *copies: Copy) -> SaveSet:
    return SaveSet(job, "users", "image", 165.0, 1.0, 0.0, list(copies) or [copy(job=job)])


SPANNED = copy(Extent(0.0, 60.0, "A", 40.0), Extent(60.0, 100.0, "B", 0.0), Extent(160.0, 5.0, "C", 7.0))


@for_each(
    "begin, size, found",
    [
        (10.0, 20.0, [Extent(10.0, 20.0, "A", 50.0)]),
        (50.0, 20.0, [Extent(50.0, 10.0, "A", 90.0), Extent(60.0, 10.0, "B", 0.0)]),
        (160.0, 5.0, [Extent(160.0, 5.0, "C", 7.0)]),
        (165.0, 5.0, []),
        (60.0, 0.0, []),
    ],
)
def test_runs_on_media(begin: float, size: float, found: list[Extent]) -> None:
    assert SPANNED.locate(begin, size) == found


@given(st.floats(0.0, 165.0), st.floats(0.0, 165.0))
def test_what_is_located_is_what_was_asked_for(one: float, other: float) -> None:
    begin, end = sorted((one, other))
    assert sum(extent.size for extent in SPANNED.locate(begin, end - begin)) == pytest.approx(end - begin, abs=1e-9)


def test_compressed_data_lie_closer_on_the_tape() -> None:
    squeezed = copy(Extent(0.0, 100.0, "A", 10.0), compression=2.0)
    assert squeezed.locate(40.0, 10.0) == [Extent(40.0, 10.0, "A", 30.0)]


def test_the_last_save_set_of_a_job_is_found() -> None:
    first, second, other = saved(), saved(), saved("jobs.other")
    catalogue = Catalogue([first, second, other])
    assert catalogue.last("jobs.full") is second
    assert catalogue.last("jobs.none") is None


def test_runs_of_a_repeated_job_belong_to_it() -> None:
    runs = [saved(f"jobs.full.{i}") for i in (1, 2)]
    assert Catalogue([*runs, saved("jobs.fuller")]).last("jobs.full") is runs[1]


def test_a_copy_is_found_by_the_job_that_made_it() -> None:
    disk, tape = copy(), copy(job="jobs.to_tape.1")
    copied, fresh = saved("jobs.full.1", disk, tape), saved("jobs.full.2")
    catalogue = Catalogue([copied, fresh])
    assert catalogue.last_copy("jobs.full") == (fresh, fresh.copies[0])
    assert catalogue.last_copy("jobs.full", "jobs.full") == (fresh, fresh.copies[0])
    assert catalogue.last_copy("jobs.full", "jobs.to_tape") == (copied, tape)
    assert catalogue.last_copy("jobs.full", "jobs.elsewhere") is None


def test_what_has_no_copy_left_is_passed_over() -> None:
    older, gone = saved("jobs.full.1"), saved("jobs.full.2")
    gone.copies.clear()
    assert Catalogue([older, gone]).last_copy("jobs.full") == (older, older.copies[0])
