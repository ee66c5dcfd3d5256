import dataclasses
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.snapshot import Arm, Times, first_writes, sequential_first_writes

from simbackup.equations import snapshot as equations
from simbackup.equations.queueing import Centre, interactive_rate
from simbackup.equations.snapshot import CopyOnWriteParameters
from tests.cases import for_each

COW = CopyOnWriteParameters(chunk=8192.0, record=16.0, in_flight=2.0**20, commit_backlog=65536.0)
SIZES = [2.0**k for k in range(12, 20)]
COWS = st.builds(
    CopyOnWriteParameters,
    chunk=st.sampled_from(SIZES),
    record=st.sampled_from([0.0, 8.0, 16.0, 64.0]),
    in_flight=st.just(2.0**20),
    commit_backlog=st.floats(4096.0, 2.0**20),
)
ARM = Arm(near=0.004, far=0.009, byte=1.0 / 60e6)
TIMES = Times(read=0.010, copy=0.010, commit=0.008, own=0.010)


@given(COWS)
def test_a_group_is_one_chunk_at_least(cow: CopyOnWriteParameters) -> None:
    assert equations.group_size(cow) >= 1.0
    assert equations.group_size(cow, waiting=512.0) == 1.0


@for_each("backlog", [16384.0, 65536.0, 2.0**20])
def test_a_group_grows_with_the_chunk_all_along(backlog: float) -> None:
    """No flat part and no step: each doubling of the chunk makes the bytes of a group at least a little larger."""
    cow = dataclasses.replace(COW, commit_backlog=backlog)
    groups = [equations.group_size(dataclasses.replace(cow, chunk=chunk)) * chunk for chunk in SIZES]
    ratios = [larger / smaller for smaller, larger in itertools.pairwise(groups)]
    assert all(1.0 < ratio <= 2.0 for ratio in ratios)
    assert ratios == sorted(ratios)


def cycle(cow: CopyOnWriteParameters, waiting: float | None) -> float:
    """Seconds of a group of sequential first writes with origin and copy area on one arm, by the equations."""
    chunks = equations.group_size(cow, waiting)
    size = chunks * cow.chunk
    own = size if waiting is None else max(waiting, size)
    rounds, commits = equations.copy_rounds(cow, size), equations.commits(cow, chunks)
    delay = equations.unplug_time(cow)
    turns = ARM.near + (2.0 * rounds - 1.0) * ARM.far + commits * ARM.near + ARM.far + (2.0 * rounds + 1.0) * delay
    return turns + (2.0 * size + commits * cow.chunk + own) * ARM.byte


@pytest.mark.slow
@for_each("delay", [0.0, 0.003])
@for_each("chunk", SIZES)
def test_sequential_writes_event_by_event(chunk: float, delay: float) -> None:
    """Runs of the page cache, drawn chunk by chunk, have the rate of the mean group: within 2 %."""
    cow = dataclasses.replace(COW, chunk=chunk, unplug_delay=delay, unplug_requests=4.0 if delay else 1.0)
    rate = equations.group_size(cow) * chunk / cycle(cow, None)
    assert rate == pytest.approx(sequential_first_writes(cow, ARM), rel=0.02)


@for_each("chunk", [4096.0, 16384.0, 65536.0])
@for_each("in_flight", [16384.0, 65536.0, 2.0**20])
def test_synchronous_writes_event_by_event(chunk: float, in_flight: float) -> None:
    """Copy windows smaller and larger than a chunk: reads and writes take turns as often as the memory is filled."""
    cow = dataclasses.replace(COW, chunk=chunk, in_flight=max(in_flight, chunk))
    rate = 65536.0 / cycle(cow, 65536.0)
    assert rate == pytest.approx(sequential_first_writes(cow, ARM, waiting=65536.0, total=2.0**28), rel=0.02)


def rate(writers: int, times: Times, together: float, fresh: float, *, gathers: bool) -> float:
    """Writes a second of writers whose copies are committed together, by the equations."""
    cow = dataclasses.replace(COW, gathers=gathers)
    copies = times.read + times.copy * equations.copy_writes(cow, together) + times.commit / together
    demand = times.own + fresh * copies
    return interactive_rate([Centre(demand, demand)], writers, times.think)


@for_each("gathers", [False, True])
@for_each("writers", [1, 2, 4, 8, 16])
def test_writers_who_wait_for_each_write_event_by_event(writers: int, gathers: bool) -> None:
    """All of them wait together, and one commit serves all: ten threads lose far less than one."""
    found = first_writes(writers, TIMES, gathers=gathers, writes=3000)
    together = equations.writers_together(writers, TIMES.read + TIMES.copy, TIMES.own)
    assert together == pytest.approx(1.0 / found.commits, rel=0.02)
    assert rate(writers, TIMES, together, 1.0, gathers=gathers) == pytest.approx(found.rate, rel=0.02)


@pytest.mark.slow
@for_each("think", [0.02, 0.1, 0.5])
@for_each("writers", [2, 4, 8])
def test_writers_who_do_other_things_too(writers: int, think: float) -> None:
    """The equation's commits give the writes a second that counted commits give; the queue itself is approximate."""
    times = TIMES._replace(think=think)
    counted = 1.0 / first_writes(writers, times, writes=6000).commits
    together = equations.writers_together(writers, times.read + times.copy, times.own + think)
    assert rate(writers, times, together, 1.0, gathers=False) == pytest.approx(
        rate(writers, times, counted, 1.0, gathers=False), rel=0.02
    )


def test_one_writer_shares_with_nobody() -> None:
    """One writer with small updates commits each of them."""
    assert equations.writers_together(1.0, 0.02, 0.01) == 1.0
    assert equations.commits(COW, 1.0) == pytest.approx(1.0 + 1.0 / 512)


@given(st.floats(1.0, 64.0), st.floats(1e-3, 0.1), st.floats(0.0, 10.0))
def test_those_who_wait_together_are_one_at_least_and_all_at_most(n: float, copying: float, outside: float) -> None:
    assert 1.0 <= equations.writers_together(n, copying, outside) <= n


@given(COWS, st.integers(3, 100_000))
def test_chunks_and_their_records_fit_into_the_area(cow: CopyOnWriteParameters, chunks: int) -> None:
    held = equations.area_chunks(cow, chunks * cow.chunk)
    records = math.ceil(held / equations.records_per_area(cow))
    assert 1 + records + held <= chunks
    # nor is there room for one more with its record
    assert 1 + math.ceil((held + 1) / equations.records_per_area(cow)) + held + 1 > chunks


@pytest.mark.parametrize("chunks", [0, 1])
def test_an_area_of_a_header_holds_nothing(chunks: int) -> None:
    assert equations.area_chunks(COW, chunks * COW.chunk) == 0


def test_without_records_nothing_is_committed() -> None:
    cow = dataclasses.replace(COW, record=0.0)
    assert equations.commits(cow, equations.group_size(cow)) == 0.0


def test_a_full_metadata_chunk_is_committed_whoever_else_waits() -> None:
    small = dataclasses.replace(COW, record=4096.0)
    assert equations.commits(small, 8.0) == 8.0  # four full chunks of two records, and four that are cleared
    assert equations.commits(small, 1.0, together=100.0) == 1.0
