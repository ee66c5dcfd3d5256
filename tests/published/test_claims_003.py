"""What document 003 says beyond its figures, compared with the simulation."""

from functools import cache

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

FOLDER = "published/003-lvm-snapshots"


@cache
def run(name: str) -> Result:
    return sb.simulate(f"{FOLDER}/{name}")


def elapsed(name: str, job: str = "dd") -> float:
    return run(name).get(f"jobs.{job}.elapsed")


def test_claim_1_order_of_the_four_measurements() -> None:
    none, same, second = elapsed("no-snapshot"), elapsed("same-disk"), elapsed("second-disk")
    assert none < second < same


def test_claim_1_does_not_hold_for_the_new_file() -> None:
    """The document measured a new file 36 % faster than an overwritten one; here both are first writes and alike.

    The row is declared off, and notes.md says why. Should the model ever tell them apart, this test has to change.
    """
    assert elapsed("new-file", "new") == pytest.approx(elapsed("second-disk"), rel=0.02)


@pytest.mark.parametrize("name", ["same-disk", "second-disk"])
def test_claim_2_copy_on_write_costs_more_than_ten_times(name: str) -> None:
    assert elapsed(name) > 10 * elapsed("no-snapshot")


def test_claim_2_a_second_disk_helps_little() -> None:
    """Less than a third of the time is saved: seeks to the copy area are not the main cost."""
    assert 1.0 - elapsed("second-disk") / elapsed("same-disk") < 1 / 3


def test_claim_2_traffic_alone_is_not_the_cost() -> None:
    """Three times the bytes would cost three times the time; positioning and commits cost the rest."""
    result = run("second-disk")
    moved = result.get("devices.sdb.bytes") + result.get("devices.sdc.bytes")
    assert moved < 3.5 * 2 * 2**30
    assert elapsed("second-disk") > 3 * 3.5 * elapsed("no-snapshot")


def test_claim_3_rewriting_copied_chunks_runs_as_without_snapshot() -> None:
    assert elapsed("rewrite", "again") == pytest.approx(elapsed("no-snapshot"), rel=0.02)


@for_each("chunk", ["4 KiB", "64 KiB", "512 KiB"])
def test_claim_3_holds_for_other_chunk_sizes(chunk: str) -> None:
    result = sb.simulate(f"{FOLDER}/rewrite", {"devices.cow.chunk": chunk})
    assert result.get("jobs.again.elapsed") == pytest.approx(elapsed("no-snapshot"), rel=0.02)


def test_claim_6_each_snapshot_of_one_origin_costs_a_copy() -> None:
    one, three = run("second-disk"), run("several-snapshots")
    for name in ("cow", "cow2", "cow3"):
        copies = [e for e in three.trace.devices if e.address == f"devices.{name}"]
        assert copies[0].data["state"] == ("active" if name == "cow3" else "removed")
    assert three.get("devices.sdc.bytes") == pytest.approx(3 * one.get("devices.sdc.bytes"), rel=1e-6)
    assert three.get("jobs.dd.elapsed") > 2.5 * one.get("jobs.dd.elapsed")


def test_claim_6_expired_snapshots_cost_nothing_more() -> None:
    removed = sb.simulate(f"{FOLDER}/snapshot-removed")
    assert removed.get("jobs.third.elapsed") < 1.05 * elapsed("no-snapshot")


def test_claim_7_the_missing_fifth_test_is_predicted() -> None:
    """A third file after the removal of the snapshot: as fast as with none, but for its place further inside."""
    third = elapsed("snapshot-removed", "third")
    assert elapsed("no-snapshot") <= third < 1.05 * elapsed("no-snapshot")


def test_claim_8_a_full_copy_area_invalidates_the_snapshot_and_the_writer_goes_on() -> None:
    result = sb.simulate(f"{FOLDER}/second-disk", {"devices.cow.size": "1 GiB", "jobs.dd.flush": True})
    whole = sb.simulate(f"{FOLDER}/second-disk", {"jobs.dd.flush": True})
    states = {d.address: d.data.get("state") for d in result.trace.devices}
    assert states["devices.cow"] == "invalid"
    assert [note["what"] for note in note_rows(result.trace)] == ["is invalid, as its copy area is full"]
    share = result.get("devices.cow.bytes") / (2 * 2**30)
    assert share == pytest.approx(0.5, abs=0.01)
    assert result.get("jobs.dd.elapsed") < 0.6 * whole.get("jobs.dd.elapsed")
