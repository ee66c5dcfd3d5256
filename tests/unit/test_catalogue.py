from simbackup.catalogue import Catalogue, Copy, Extent, SaveSet


def copy(*extents: Extent, job: str = "jobs.full", compression: float = 1.0) -> Copy:
    return Copy(job, "jukebox", compression, 0.0, list(extents))


def saved(job: str = "jobs.full", *copies: Copy) -> SaveSet:
    return SaveSet(job, "users", "image", 165.0, 1.0, 0.0, list(copies) or [copy(job=job)])


def test_the_last_save_set_of_a_job_is_found() -> None:
    first, second, other = saved(), saved(), saved("jobs.other")
    catalogue = Catalogue([first, second, other])
    assert catalogue.last("jobs.full") is second
    assert catalogue.last("jobs.none") is None


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
