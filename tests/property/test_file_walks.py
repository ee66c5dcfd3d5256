"""Walks over random files: what costs more never takes less time, and no byte is lost."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simbackup.data.live import DataSet, Files
from simbackup.devices.disk.live import Disk
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.raid.live import ArrayLayout, Controller, Raid
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.methods.file_backup.walk import Walkers, walking
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import examples

FIGURES = disks.DiskParameters(10e12, 120.0, 1e-3, 8.5e-3, 18e-3, 200e6, 100e6, 0.3e-3, 1e6)
STORES: dict[str, Store] = {
    "disk": Disk("devices.a", FIGURES),
    "array": Raid("devices.a", ArrayLayout("0", 6, 65536.0), FIGURES, Controller(1e9, controller_overhead=0.1e-3)),
    "ssd": Ssd("devices.a", Flash(10e12, 250e6, 170e6, 75e-6, 85e-6)),
}
MOST, LARGEST_WINDOW = 1e12, 1e6
ENV = simpy.Environment()


@dataclass(frozen=True)
class Walk:
    """So many files of one size, what they and their host cost, and where they lie."""

    store: str
    files: int
    each: float
    reads: float
    cpu: float
    file_cpu: float
    fragment: float
    record: float
    resident: float
    window: float | None
    cached: float
    together: bool
    speed: float

    def seconds(self) -> float:
        """Seconds of the walk when nothing else goes on."""
        store, size = STORES[self.store], self.files * self.each
        machine = Machine(4.0, 1e9, 1e9, 0.0, read_ahead=self.window, memory=1e9, speed=self.speed)
        host = Host(FlowNetwork(ENV), "hosts.h", machine)
        files = Files(self.reads, self.cpu, self.fragment, self.record, self.resident)
        volume = Volume(ENV, "devices.v", Region(store, 0.0, store.size))
        data = DataSet(
            "d", volume, 0.0, size, self.files, 1.0, files,
            cached=self.cached, scattered=0.0 if self.together else 1.0, file_size=self.each,
        )  # fmt: skip
        shape = walking(host, data, volume.region.part(0.0, size), Walkers(file_cpu=self.file_cpu))
        busiest = max(demand / link.capacity for link, demand in shape.demands.items())
        return size * max(1.0 / shape.cap, busiest)


walks = st.builds(
    Walk,
    store=st.sampled_from(sorted(STORES)),
    files=st.integers(1, 10**6),
    each=st.floats(1.0, 1e5),
    reads=st.floats(0.01, 8.0),
    cpu=st.floats(1e-6, 1e-2),
    file_cpu=st.floats(0.0, 1e-2),
    fragment=st.floats(4096.0, 1e6),
    record=st.floats(1.0, 4096.0),
    resident=st.sampled_from([0.0, 700.0]),
    window=st.sampled_from([None, 65536.0, 1e6]),
    cached=st.floats(0.0, 1.0),
    together=st.booleans(),
    speed=st.floats(0.1, 10.0),
).filter(lambda walk: not walk.together or walk.files * walk.each >= LARGEST_WINDOW)
"""Files that lie together are no fewer than fill a window: else the window is as small as they are."""
factors = st.floats(1.0, 100.0)


def no_less(more: Walk, walk: Walk) -> bool:
    return more.seconds() >= walk.seconds() * (1 - 1e-9)


@given(walks, factors)
def test_more_files_of_the_same_size_never_take_less(walk: Walk, factor: float) -> None:
    assert no_less(replace(walk, files=int(walk.files * factor)), walk)


@given(walks, factors)
def test_larger_files_never_take_less(walk: Walk, factor: float) -> None:
    assert no_less(replace(walk, each=walk.each * min(factor, MOST / walk.files / walk.each)), walk)


@given(walks.filter(lambda walk: not walk.resident), factors)
def test_the_same_bytes_in_more_files_never_take_less(walk: Walk, factor: float) -> None:
    """Unless they become so small that they lie in their records."""
    files = int(walk.files * factor)
    assert no_less(replace(walk, files=files, each=walk.each * walk.files / files), walk)


@given(walks, factors)
def test_more_reads_never_take_less(walk: Walk, factor: float) -> None:
    assert no_less(replace(walk, reads=walk.reads * factor), walk)


@given(walks, factors, st.sampled_from(["cpu", "file_cpu"]))
def test_more_processor_time_never_takes_less(walk: Walk, factor: float, which: str) -> None:
    more = replace(walk, cpu=walk.cpu * factor) if which == "cpu" else replace(walk, file_cpu=walk.file_cpu * factor)
    assert no_less(more, walk)


@given(walks, st.floats(0.0, 1.0))
def test_more_in_memory_never_takes_longer(walk: Walk, share: float) -> None:
    assert no_less(walk, replace(walk, cached=walk.cached + share * (1.0 - walk.cached)))


@given(walks, factors)
def test_a_faster_host_never_takes_longer(walk: Walk, factor: float) -> None:
    assert no_less(walk, replace(walk, speed=walk.speed * factor))


@dataclass(frozen=True)
class Sets:
    """Save sets of one host, all at once, onto one device of it or of a server."""

    sizes: tuple[int, ...]
    files: tuple[int, ...]
    cached: tuple[int, ...]
    together: tuple[bool, ...]
    methods: tuple[str, ...]
    far: bool

    def text(self) -> str:
        """A scenario of them."""
        files = "filesystem: {reads_per_file: 1, cpu_per_file: 0.1 ms/file, fragment: 1 MB, record: 1 kB}"
        cache = "model: host/linux-modern-server, memory: 64 GB, dirty_limit: 1 %, dirty_background: 0.2 %"
        to = "far" if self.far else "near"
        lines = [
            "title: Save sets side by side",
            "hosts:",
            f"  client: {{{cache}, owns: [a, near]}}",
            f"  server: {{{cache}, owns: [far]}}",
            "devices:",
            *(f"  {name}: {{model: disk/nearline-20tb-2022}}" for name in ("a", "near", "far")),
            "links:",
            "  lan: {joins: [client, server], rate: 100 MB/s, latency: 0.1 ms}",
            "data:",
            *(
                f"  d{i}: {{on: a, size: {self.sizes[i]} B, files: {self.files[i]}, cached: {self.cached[i]} %, "
                f"layout: {'together' if self.together[i] else 'scattered'}, {files}}}"
                for i in range(len(self.sizes))
            ),
            "jobs:",
            *(f"  s{i}: {{method: {method}, data: d{i}, to: {to}}}" for i, method in enumerate(self.methods)),
        ]
        return "\n".join(lines) + "\n"


@st.composite
def save_sets(draw: st.DrawFn, files: int = 10**5) -> Sets:
    count = draw(st.integers(1, 4))

    def each(one: st.SearchStrategy[int]) -> tuple[int, ...]:
        return tuple(draw(one) for _ in range(count))

    return Sets(
        sizes=each(st.integers(10**6, 10**10)),
        files=each(st.integers(1, files)),
        cached=each(st.sampled_from([0, 30, 100])),
        together=tuple(draw(st.booleans()) for _ in range(count)),
        methods=tuple(draw(st.sampled_from(["image", "file_level"])) for _ in range(count)),
        far=draw(st.booleans()),
    )


def run(sets: Sets) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.yaml"
        path.write_text(sets.text(), encoding="utf-8")
        return simulate(path)


def moved(result: Result, name: str) -> float:
    return next(row["bytes"] for row in result.device_rows if row["device"] == name)


@pytest.mark.slow
@examples(60)
@given(save_sets())
def test_save_sets_side_by_side_lose_no_byte(sets: Sets) -> None:
    result = run(sets)
    assert {row["status"] for row in result.job_rows} == {"done"}
    assert sum(row["bytes"] for row in result.job_rows) == sum(sets.sizes)
    assert sum(row["files"] for row in result.job_rows) == sum(sets.files)
    read = sum(size * (100 - cached) / 100 for size, cached in zip(sets.sizes, sets.cached, strict=True))
    assert moved(result, "devices.a") == pytest.approx(read, rel=1e-6, abs=len(sets.sizes))
    written = {True: "devices.far", False: "devices.near"}
    assert moved(result, written[sets.far]) == pytest.approx(sum(sets.sizes), rel=1e-6)
    assert moved(result, written[not sets.far]) == 0.0
    assert moved(result, "links.lan") == pytest.approx(sum(sets.sizes) if sets.far else 0.0, rel=1e-6)


@pytest.mark.slow
@examples(30)
@given(save_sets(), st.booleans())
def test_a_save_set_alone_is_no_slower_than_beside_others(sets: Sets, walked: bool) -> None:
    all_of_them = replace(sets, methods=("file_level" if walked else "image",) * len(sets.sizes))
    alone = replace(all_of_them, methods=all_of_them.methods[:1])
    assert run(alone).get("jobs.s0.elapsed") <= run(all_of_them).get("jobs.s0.elapsed") * (1 + 1e-9)


@pytest.mark.slow
@examples(30)
@given(save_sets())
def test_a_hundred_million_files_make_as_many_events_as_ten_thousand(sets: Sets) -> None:
    """Files of 100 bytes to 10 kB; the rates of a long save set change once more, when the cache is full or empty."""
    one = replace(sets, sizes=sets.sizes[:1], methods=("file_level",), cached=(0,))
    each = 100 + one.sizes[0] % 9901
    few, most = (run(replace(one, sizes=(each * files,), files=(files,))) for files in (10**4, 10**8))
    assert most.get("jobs.s0.files") == 1e8
    assert most.get("jobs.s0.elapsed") > 1000 * few.get("jobs.s0.elapsed")
    assert len(list(most.trace.to_lines())) <= len(list(few.trace.to_lines())) + 4
