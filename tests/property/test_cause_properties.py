"""Why jobs of random small systems took their time: without remainder, and no gain without a reason."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.random_systems import Plan as Plan_gain
from benchmarks.speed_ups import Side
from benchmarks.speed_ups import reasons as reasons_gain
from benchmarks.systems import run, sooner
from simbackup import load
from simbackup.experiments.what_if import reasons
from simbackup.results.causes import split
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario.scenario import Scenario
from simbackup.trace.activity import Activity
from simbackup.trace.columns import Jobs, Spans
from simbackup.trace.trace import JobRecord
from tests.cases import examples

STORES = (
    "model: disk/scsi-10k-146gb-2004",
    "model: disk/sata-7200-1tb-2008",
    "model: raid/software-raid6, disk: disk/sata-7200-1tb-2008, disks: 6",
    (
        "kind: ssd, capacity: 500 GB, "
        "read_rate: 400 MB/s, write_rate: 300 MB/s, read_latency: 0.1 ms, write_latency: 0.05 ms"
    ),
)
IMAGE, FILES, WRITE, COPY = "image", "file_level", "write", "copy"


@dataclass(frozen=True)
class Plan:
    """One host or two with a network between, stores, a snapshot that may be, a library, and jobs with restores."""

    stores: tuple[int, int]
    remote: bool
    snapshot: int | None
    drives: int
    slow_link: bool
    sizes: tuple[int, int]
    files: int
    jobs: tuple[tuple[str, int, str], ...]
    restores: bool
    together: bool
    shared: int = 1

    def text(self) -> str:
        """The scenario."""
        own = "s0" if self.remote else "s0, s1"
        lines = [
            "title: A random system",
            "hosts:",
            f"  host: {{model: host/linux-modern-server, memory: 500 MB, owns: [{own}, jb]}}",
            *(["  other: {model: host/linux-modern-server, memory: 500 MB, owns: [s1]}"] if self.remote else []),
            "devices:",
            *(f"  s{i}: {{{STORES[number]}}}" for i, number in enumerate(self.stores)),
            "  volume: {kind: logical_volume, on: s0, size: 20 GB}",
            f"  jb: {{model: tape_library/atl-p3000, drive: tape_drive/quantum-dlt7000, drives: {self.drives}}}",
        ]
        if self.snapshot is not None and not (self.remote and self.snapshot):
            lines.append(f"  snap: {{model: snapshot/lvm2-2.6.9, of: volume, on: s{self.snapshot}, size: 2 GB}}")
        if self.remote:
            kind = "gigabit-ethernet" if self.slow_link else "ten-gigabit-ethernet"
            lines += ["links:", f"  lan: {{model: network/{kind}, joins: [host, other]}}"]
        lines.append("data:")
        for i, size in enumerate(self.sizes):
            lines.append(
                f"  d{i}: {{on: volume, size: {size} MB, files: {self.files}, filesystem: {{model: filesystem/ext3}}}}"
            )
        return "\n".join([*lines, "jobs:", *self.each()]) + "\n"

    def each(self) -> list[str]:
        """The lines of the jobs."""
        found: list[str] = []
        before = ""
        for i, (method, wanted, to) in enumerate(self.jobs):
            target = {WRITE: "", COPY: ", to: d1"}.get(method, f", to: {to}")
            data = 0 if method == COPY else wanted
            wait = f", after: {before}" if before and not self.together else ""
            share = f", multiplexing: {self.shared}" if to == "jb" and method in {IMAGE, FILES} else ""
            found.append(f"  j{i}: {{method: {method}, data: d{data}{target}{wait}{share}}}")
            before = f"j{i}"
            if self.restores and method in {IMAGE, FILES}:
                found.append(f"  r{i}: {{restore: j{i}, after: j{i}}}")
                before = f"r{i}"
        return found


@st.composite
def plans(draw: st.DrawFn, *, serial: bool = False) -> Plan:
    methods = (IMAGE, FILES) if serial else (IMAGE, FILES, WRITE, COPY)
    job = st.tuples(st.sampled_from(methods), st.integers(0, 1), st.sampled_from(["jb"] if serial else ["jb", "s1"]))
    store = st.integers(0, len(STORES) - 1)
    first = draw(st.integers(1, 300))
    return Plan(
        stores=(draw(store), draw(store)),
        remote=draw(st.booleans()),
        snapshot=draw(st.sampled_from([None, 0, 1])),
        drives=draw(st.integers(1, 3)),
        slow_link=draw(st.booleans()),
        sizes=(first, first + draw(st.integers(0, 100))),
        files=draw(st.integers(1, 5000)),
        jobs=tuple(draw(st.lists(job, min_size=1, max_size=1 if serial else 4))),
        restores=not serial and draw(st.booleans()),
        together=not serial and draw(st.booleans()),
        shared=1 if serial else draw(st.sampled_from([1, 2, 3])),
    )


def loaded(plan: Plan) -> Scenario:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.yaml"
        path.write_text(plan.text(), encoding="utf-8")
        return load(path)


@pytest.mark.slow
@examples(40)
@given(plans())
def test_every_job_is_split_without_remainder(plan: Plan) -> None:
    result = simulate(loaded(plan))
    assert {row["status"] for row in result.job_rows} == {"done"}
    for row in result.job_rows:
        causes = split(result, row["job"])
        assert sum(causes.values()) == pytest.approx(row["elapsed"], rel=1e-9, abs=1e-12)
        assert not {Activity.WAIT, "other", ""} & {cause.activity for cause in causes}


@pytest.mark.slow
@examples(40)
@given(plans(serial=True))
def test_a_serial_job_gains_no_more_than_the_share_of_what_is_removed(plan: Plan) -> None:
    """A job is serial where one thing is done at a time, or where what goes on beside it never gets ahead of it.

    A backup to tape is: a step of the drive or robot after the other, and one stream at the pace of its slowest stage.
    What passes a page cache is not: the writer fills memory while write-back is under way, so that the time for which
    the writer is reported to be the limit hides work of the disk, which is gained, too, when the disk is removed.
    """
    scenario = loaded(plan)
    for one in reasons(simulate(scenario), scenario):
        assert one.doubled is not None
        assert one.without is not None
        assert one.elapsed - one.without <= one.share + 1e-6
        stops = any(cause.activity == "reposition" for cause in one.causes)
        if not stops:  # a faster drive may stop and start more often, and take longer
            assert one.without - 1e-6 <= one.doubled <= one.elapsed + 1e-6


# Why more work may speed a job up: each reason in a small system, and a gain without a reason
DISK, SSD = {"model": "disk/sata-7200-1tb-2008"}, {"model": "ssd/sata-ssd-2015"}
SITE: Plan_gain = {
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


def gains(jobs: Plan_gain, more: Plan_gain) -> dict[str, tuple[set[str], float]]:
    """For each job that takes less time with more work why it does, and how much of the gain that explains."""
    before = run(SITE | {"title": "Before", "jobs": jobs})
    after = run(SITE | {"title": "After", "jobs": jobs} | more)
    assert before.result is not None
    assert after.result is not None
    return {
        job: reasons_gain(Side.of(job, before.result, before.watch), Side.of(job, after.result, after.watch))
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
    assert reasons_gain(*sides) == ({"others use less of what it uses while it does"}, 1.0)


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
    why, explained = reasons_gain(fast, slow)
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
    assert reasons_gain(Side.of("save", ran.result, ran.watch), Side.of("save", half, ran.watch)) == (set(), 0.0)
