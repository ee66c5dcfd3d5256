"""Why more work may speed a job up: each reason in a small system, and a gain without a reason."""

from dataclasses import replace

from benchmarks.random_systems import Plan
from benchmarks.speed_ups import Side, reasons
from benchmarks.systems import run, sooner
from simbackup.results.result import Result
from simbackup.trace.columns import Jobs, Spans
from simbackup.trace.trace import JobRecord

DISK, SSD = {"model": "disk/sata-7200-1tb-2008"}, {"model": "ssd/sata-ssd-2015"}
SITE: Plan = {
    "hosts": {"server": {"model": "host/linux-modern-server", "memory": "8 GB", "owns": ["disk", "other", "fast"]}},
    "devices": {
        "disk": DISK, "other": DISK, "fast": SSD,
        "volume": {"kind": "logical_volume", "on": "disk", "size": "10 GB"},
        "room": {"kind": "logical_volume", "on": "other", "size": "100 GB"},
        "cow": {"model": "snapshot/lvm2-2.6.9", "of": "volume", "on": "other", "size": "100 MB", "chunk": "512 KiB"},
    },
    "data": {
        "db": {"on": "volume", "size": "560 MB", "database": "database/mysql-5.0-innodb"},
        "here": {"on": "room", "size": "900 MB"}, "little": {"on": "room", "size": "14 MB"},
        "there": {"on": "fast", "size": "570 MB"},
    },
}  # fmt: skip


def gains(jobs: Plan, more: Plan) -> dict[str, tuple[set[str], float]]:
    """For each job that takes less time with more work why it does, and how much of the gain that explains."""
    before = run(SITE | {"title": "Before", "jobs": jobs})
    after = run(SITE | {"title": "After", "jobs": jobs} | more)
    assert before.result is not None
    assert after.result is not None
    return {
        job: reasons(Side.of(job, before.result, before.watch), Side.of(job, after.result, after.watch))
        for job, _, _ in sooner(before.result, after.result)
    }


def test_who_is_held_up_elsewhere_leaves_more_here() -> None:
    # Both read; the second goes to a disk that a third job fills, and so leaves more of the first disk.
    jobs = {
        "first": {"method": "image", "data": "db", "to": "fast"},
        "second": {"method": "image", "data": "db", "to": "room"},
    }
    third = {"method": "write", "data": "here", "request": "64 KiB", "portion": "10 %"}
    host = SITE["hosts"]["server"] | {"memory": "64 MB"}  # what is written goes to disk at once
    more = {"jobs": jobs | {"third": third}, "hosts": {"server": host}}
    before = run(SITE | {"title": "Before", "jobs": jobs, "hosts": {"server": host}})
    after = run(SITE | {"title": "After"} | more)
    assert before.result is not None
    assert after.result is not None
    sides = Side.of("first", before.result, before.watch), Side.of("first", after.result, after.watch)
    assert "first" in {job for job, _, _ in sooner(before.result, after.result)}
    assert reasons(*sides) == ({"others use less of what it uses while it does"}, 1.0)


def test_a_snapshot_that_others_have_filled_copies_nothing_more() -> None:
    jobs = {
        "freeze": {"method": "create_snapshot", "snapshot": "cow"},
        "write": {"method": "write", "data": "db", "flush": True, "after": "freeze", "begin": "60 s"},
    }
    users = {
        "data": "db", "reads": 1, "read_size": "8 KiB", "cpu": "1 ms", "writes": 0, "updates": 1,
        "transactions": "20 /s",
    }  # fmt: skip
    why, explained = gains(jobs, {"workloads": {"users": users}})["write"]
    assert "what it changes was changed before, or its snapshot is full: no copy, no note in a log" in why
    assert explained == 1.0


def test_a_faster_tape_that_its_host_cannot_feed_stops_more() -> None:
    site = {
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk", "jukebox"]}},
        "data": {"files": {"on": "disk", "size": "4 GB"}},
        "jobs": {"save": {"method": "image", "data": "files", "to": "jukebox"}},
    }

    def ran(rate: str) -> Side:
        drive = {"model": "tape_drive/quantum-dlt7000", "native_rate": rate, "host_rate": "200 MB/s", "buffer": "8 MB"}
        library = {"model": "tape_library/atl-p3000", "drive": drive, "drives": 1}
        found = run(site | {"title": rate, "devices": {"disk": DISK, "jukebox": library}})
        assert found.result is not None
        return Side.of("save", found.result, found.watch)

    fast, slow = ran("160 MB/s"), ran("80 MB/s")
    assert fast.row["elapsed"] > slow.row["elapsed"]
    why, explained = reasons(fast, slow)
    assert "its tape stops less, as its host keeps it moving" in why
    assert explained == 1.0


def test_a_cache_that_others_fill_is_written_back_sooner() -> None:
    jobs = {"save": {"method": "image", "data": "db", "to": "room"}}
    assert gains(jobs, {"jobs": jobs | {"dump": {"method": "write", "data": "little", "flush": True}}}) == {
        "save": ({"write-back begins sooner, as others have filled the cache"}, 1.0)
    }


def test_a_gain_for_no_reason_is_not_explained() -> None:
    ran = run(SITE | {"title": "Alone", "jobs": {"save": {"method": "image", "data": "db", "to": "fast"}}})
    assert ran.result is not None
    spans = [replace(span, start=0.5 * span.start, end=0.5 * span.end, parts=()) for span in ran.result.trace.spans]
    jobs = [
        JobRecord(dict(job.data) | {"end": 0.5 * job.data["end"], "elapsed": 0.5 * job.data["end"]})
        for job in ran.result.trace.jobs
    ]
    half = Result(ran.result.record, ran.result.values, replace(ran.result.trace, spans=Spans(spans), jobs=Jobs(jobs)))
    assert [job for job, _, _ in sooner(ran.result, half)] == ["save"]
    assert reasons(Side.of("save", ran.result, ran.watch), Side.of("save", half, ran.watch)) == (set(), 0.0)
