from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.snapshot import first_write_rate

from simbackup.equations import snapshot as equations
from simbackup.equations.snapshot import CopyOnWriteParameters

COW = CopyOnWriteParameters(chunk=8192.0, record=16.0, in_flight=2.0**20, commit_backlog=65536.0)
CHUNKS = st.sampled_from([2.0**k for k in range(12, 20)])
COWS = st.builds(
    CopyOnWriteParameters,
    chunk=CHUNKS,
    record=st.sampled_from([0.0, 8.0, 16.0, 64.0]),
    in_flight=st.just(2.0**20),
    commit_backlog=st.floats(4096.0, 2.0**20),
)


def test_a_group_is_bounded_by_the_copies_in_flight() -> None:
    assert equations.group_size(dataclasses.replace(COW, commit_backlog=2.0**22)) == 128.0
    assert equations.group_size(dataclasses.replace(COW, in_flight=16384.0)) == 2.0


@given(COWS)
def test_a_group_is_one_chunk_at_least(cow: CopyOnWriteParameters) -> None:
    assert equations.group_size(cow) >= 1.0


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


def test_without_records_there_is_one_commit_a_group() -> None:
    cow = dataclasses.replace(COW, record=0.0)
    assert equations.commits_per_group(cow) == pytest.approx(1.0)


@given(COWS.filter(lambda cow: cow.record > 0.0))
def test_records_are_cleared_once_for_each_metadata_chunk(cow: CopyOnWriteParameters) -> None:
    groups = equations.records_per_area(cow) / equations.group_size(cow)
    assert groups * (equations.commits_per_group(cow) - 1.0) == pytest.approx(1.0)


def test_larger_chunks_than_the_backlog_make_larger_groups() -> None:
    rates = [first_write_rate(dataclasses.replace(COW, chunk=2.0**k), 0.02) for k in range(12, 20)]
    assert rates == sorted(rates)
    assert rates[-1] == pytest.approx(2**19 / 0.02)
