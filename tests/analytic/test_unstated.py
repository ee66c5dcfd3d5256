"""What stands in for what a scenario does not state, and requests in order, against times that follow by hand."""

from __future__ import annotations

from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.left_out import left_out

MIB = 2.0**20
FAR: dict[str, Any] = {
    "title": "Two hosts far from each other",
    "hosts": {
        name: {"cores": 8, "memory": "8 GiB", "dirty_limit": "20 %", "dirty_background": "10 %", "copy_rate": "1 TB/s",
               "owns": [owned]}
        for name, owned in {"here": "flash", "there": "plate"}.items()
    },
    "devices": {
        "flash": {"kind": "ssd", "capacity": "1 TB", "read_rate": "10 GB/s", "write_rate": "10 GB/s",
                  "read_latency": "0 s", "write_latency": "0 s"},
        "plate": {"model": "raid/hardware-raid6-2018", "disk": {"model": "disk/nearline-8tb-2016"}, "disks": 8},
    },
    "links": {"line": {"joins": ["here", "there"], "rate": "500 MB/s", "latency": "80 ms", "duplex": "full"}},
    "data": {"x": {"on": "flash", "size": "8 GB"}},
    "jobs": {"save": {"method": "image", "data": "x", "to": "plate"}},
}  # fmt: skip


def elapsed(changes: dict[str, Any] | None = None) -> float:
    return sb.simulate(sb.load(FAR), changes or {}).get("jobs.save.elapsed")


def test_one_connection_moves_a_window_in_a_round_trip_also_where_none_is_stated() -> None:
    window = 3.0 * MIB
    assert elapsed() == pytest.approx(8e9 / (window / 0.08), rel=0.01)
    assert elapsed({"links.line.window": "6 MiB"}) == pytest.approx(8e9 / (2.0 * window / 0.08), rel=0.01)
    several = elapsed({"jobs.save.connections": 4, "jobs.save.serial_share": "0 %"})
    assert several == pytest.approx(8e9 / (4.0 * window / 0.08), rel=0.01)
    assert elapsed({"links.line.latency": "1 ms"}) == pytest.approx(8e9 / 500e6, rel=0.01)


def test_files_of_a_stated_mean_size_are_as_many_as_fill_the_data() -> None:
    files = FAR["data"]["x"] | {"filesystem": "filesystem/xfs", "file_size": "100 kB"}
    by_size, by_number = (
        sb.simulate(
            {**FAR, "data": {"x": files | more}, "jobs": {"save": FAR["jobs"]["save"] | {"method": "file_level"}}}
        )
        for more in ({}, {"files": 80_000})
    )
    assert by_size.jobs.loc["save", "files"] == 80_000
    assert by_size.get("jobs.save.elapsed") == pytest.approx(by_number.get("jobs.save.elapsed"))


def test_requests_in_order_are_as_fast_as_a_stream_and_scattered_ones_are_not() -> None:
    def written(*, in_order: bool) -> float:
        step = {"at": "target", "do": "write", "times": 1, "in_order": in_order}
        group = {"workers": 4, "items": "1 MiB", "steps": {"write": step}}
        program = {"operations": {"backup": {"serial_share": "0 %", "phases": {"save": {"writers": group}}}}}
        job = {"method": "program", "program": program, "operation": "backup", "data": "x", "target": "plate"}
        return sb.simulate({**FAR, "jobs": {"save": job | {"host": "there"}}}).get("jobs.save.elapsed")

    stream = elapsed({"links.line.latency": "0 s", "links.line.rate": "10 GB/s"})
    assert written(in_order=True) == pytest.approx(stream, rel=0.1)
    assert written(in_order=False) > 3.0 * stream


def test_requests_in_order_go_elsewhere_where_a_run_of_changes_begins() -> None:
    def read(run: str, since: str | None = "24 h") -> float:
        """Seconds for each byte of what has changed in runs of some length, read by requests of 256 KiB."""
        step = {"at": "data", "do": "read", "times": 1, "in_order": True}
        program = {
            "operations": {"send": {"phases": {"all": {"reader": {"items": "256 KiB", "steps": {"read": step}}}}}}
        }
        job = {"method": "program", "program": program, "operation": "send", "data": "x", "host": "there"}
        data = {"on": "plate", "size": "800 GB", "change": {"daily": "2 %", "run": run}}
        result = sb.simulate({**FAR, "data": {"x": data}, "jobs": {"save": job | ({"since": since} if since else {})}})
        return result.get("jobs.save.elapsed") / result.jobs.loc["save", "bytes"]

    all_of_it, each, fourth = read("256 KiB", None), read("256 KiB"), read("1 MiB")
    assert each > 3.0 * all_of_it
    assert fourth - all_of_it == pytest.approx((each - all_of_it) / 4.0, rel=0.1)  # all lie elsewhere on the disks


def test_what_a_program_reads_of_another_host_crosses_the_way_there() -> None:
    group = {"items": "1 MiB", "steps": {"read": {"at": "data", "do": "read"}}}
    program = {"operations": {"check": {"phases": {"all": {"readers": group}}}}}
    job = {"method": "program", "program": program, "operation": "check", "data": "x", "host": "there"}
    result = sb.simulate({**FAR, "jobs": {"save": job}})
    assert result.get("jobs.save.elapsed") == pytest.approx(8e9 / (3.0 * MIB / 0.08), rel=0.01)
    assert result.get("links.line.bytes") == pytest.approx(8e9)


def test_a_core_is_as_fast_as_its_processor_and_its_clock() -> None:
    def seconds(host: dict[str, Any]) -> float:
        hosts = {"here": {"model": "host/linux-2016-server", "owns": ["flash", "plate"], **host}}
        job = {"method": "image", "data": "x", "to": "plate", "compressor": {"model": "compressor/gzip-6"}}
        return sb.simulate({**FAR, "hosts": hosts, "links": {}, "jobs": {"save": job}}).get("jobs.save.elapsed")

    zen = "processor/epyc-zen4-2022"
    assert seconds({"processor": zen}) == pytest.approx(seconds({"speed": 1.52 * 3.7}))
    slow = {"model": zen, "clock": "2 GHz"}
    assert seconds({"processor": slow}) == pytest.approx(seconds({"speed": 1.52 * 2.0}))
    with pytest.raises(sb.InputError, match="the speed follows from the processor"):
        seconds({"processor": zen, "speed": 3})


def test_what_a_file_leaves_out_is_listed_by_what_it_decides() -> None:
    job, decisive, sentences = left_out(sb.load(FAR))
    assert job == "save"
    assert [one.address for one in decisive] == ["links.line.window"]
    assert decisive[0].source == "default"
    assert decisive[0].times == pytest.approx((8e9 / (MIB / 4 / 0.08), 8e9 / (6.0 * MIB / 0.08)), rel=0.01)
    assert [sentence.partition(":")[0] for sentence in sentences] == ["data.x.compression"]
