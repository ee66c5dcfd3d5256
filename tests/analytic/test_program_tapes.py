"""Programs that are lists, which write to tape: one stream and one drive as other methods do, and what is their own."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.analytic.test_program import SITE

SIZE, FILES = 10e9, 10_000
DRIVE: dict[str, Any] = {
    "model": "tape_drive/quantum-dlt7000", "native_rate": "10 MB/s", "cartridge_capacity": "100 GB",
    "load_time": "30 s",
}  # fmt: skip


def tapes(drives: int = 1, **drive: Any) -> dict[str, Any]:
    """The site, with a library of the client."""
    client = SITE["hosts"]["client"]
    hosts = {**SITE["hosts"], "client": {**client, "copy_rate": "1 PB/s", "owns": [*client["owns"], "tape"]}}
    library = {"model": "tape_library/quantum-scalar-i40", "drives": drives, "drive": {**DRIVE, **drive}}
    return {**SITE, "hosts": hosts, "devices": {**SITE["devices"], "tape": library}}


def run(site: dict[str, Any], **jobs: dict[str, Any]) -> Result:
    """The result of some jobs, all of which are done."""
    result = sb.simulate(sb.load({**site, "jobs": jobs}))
    assert set(result.jobs["status"]) == {"done"}, result.jobs["status"]
    return result


def listed(*groups: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A backup by groups, the last of which writes to tape."""
    named = {f"group{i}": group for i, group in enumerate(groups)}
    program = {"operations": {"save": {"serial_share": "0 %", "phases": {"all": named}}}}
    return {"method": "program", "operation": "save", "data": "tree", "target": "tape", "program": program, **keys}


READ: dict[str, Any] = {"at": "data", "do": "open"}
WRITE: dict[str, Any] = {"at": "target", "do": "write", "of": "stored"}


def archiver(block: str = "64 KiB", work: str = "1 ms", **group: Any) -> dict[str, Any]:
    """One process that reads a file, works on it, and writes it, block by block."""
    steps = {"read": READ, "work": {"at": "cpu", "item": work}, "write": {**WRITE, "request": block}}
    return {"items": "files", "steps": steps, **group}


def walked(block: str = "64 KiB", work: str = "1 ms", **keys: Any) -> dict[str, Any]:
    """The same as a file-level backup by a program that reads and writes by turns."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "file_cpu": f"{work}/file", "alternates": True, "block": block}
    tool |= {"serial_share": "0 %"}
    return {"method": "file_level", "data": "tree", "to": "tape", "tool": tool, **keys}


@pytest.mark.parametrize("codec", [None, {"compress_cpu": "5 ns/B", "expand_cpu": "1 ns/B"}])
@pytest.mark.parametrize("work", ["1 ms", "200 ms", "900 ms"])
def test_one_stream_takes_as_long_as_that_of_the_method_that_walks(work: str, codec: dict[str, Any] | None) -> None:
    """Also where the host is too slow for the drive, which stops and starts."""
    found = list[float]()
    for save in (listed(archiver(work=work)), walked(work=work)):
        if codec is not None and save["method"] == "program":
            save["program"]["operations"]["save"]["phases"]["all"]["group0"]["steps"]["code"] = {
                "at": "cpu", "codec": "compress",
            }  # fmt: skip
        result = run(tapes(), save={**save, "compressor": codec})
        found.append(result.get("jobs.save.elapsed"))
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] > 30.0  # a cartridge is loaded


def test_a_save_set_takes_one_cartridge_after_the_other() -> None:
    """Of 1 GB that hold twice as much of these data; each takes the same with either method, and so does a restore."""
    back = {"restore": "save", "after": "save"}
    site = tapes(cartridge_capacity="1 GB")
    one, other = (run(site, save=save, back=back) for save in (listed(archiver()), walked()))
    assert one.get("jobs.save.elapsed") == pytest.approx(other.get("jobs.save.elapsed"), rel=1e-6)
    assert one.get("jobs.back.bytes") == other.get("jobs.back.bytes") == SIZE


def test_a_save_set_on_tape_is_restored() -> None:
    back = {"restore": "save", "after": "save"}
    result = run(tapes(), save=listed(archiver()), back=back)
    assert result.get("jobs.back.bytes") == SIZE
    result = run(tapes(), save=listed(archiver(), exists=True), back={"restore": "save"})
    assert result.get("jobs.back.bytes") == SIZE


def read_and_written(work: str, buffer: str = "64 KiB") -> float:
    """Seconds of four workers that read files, and of one that writes what they have read."""
    steps = {"read": READ, "work": {"at": "cpu", "item": work}}
    reader = {"items": "files", "buffer_size": buffer, "workers": 4, "steps": steps}
    writer = {"items": "64 KiB", "of": "stored", "steps": {"write": WRITE}}
    return float(run(tapes(), save=listed(reader, writer)).get("jobs.save.elapsed"))


@pytest.mark.parametrize("work", ["0.1 ms", "300 ms", "800 ms"])
def test_a_group_that_writes_to_tape_is_like_a_program_that_reads_on_meanwhile(work: str) -> None:
    """Four readers need 0.1 s and 0.4 s of a core each for a file in the second and in the third case."""
    other = walked(work=work, workers=4)
    other["tool"] = {**other["tool"], "alternates": False}
    assert read_and_written(work) == pytest.approx(run(tapes(), save=other).get("jobs.save.elapsed"), rel=0.02)


def test_a_large_buffer_keeps_a_slow_host_from_waiting_for_a_drive_that_stops() -> None:
    """Readers need 0.4 s of four cores for a file of a megabyte; the drive, which takes more, stops and starts."""
    read = FILES * (0.4 + 0.8e-3) / 4.0
    large, small = read_and_written("800 ms", "64 MB"), read_and_written("800 ms", "64 KiB")
    assert read < large < read + 200.0  # beside mounting, rewinding and unloading
    assert small > 1.2 * large


def test_several_streams_take_a_drive_each() -> None:
    found = [
        run(tapes(drives=2), save=listed(archiver(), streams=streams)).get("jobs.save.elapsed") for streams in (1, 2)
    ]
    mounted = 100.0  # a mount is no shorter
    assert found[1] < 0.6 * (found[0] - mounted) + mounted


def test_streams_of_several_jobs_share_a_drive() -> None:
    """Two jobs whose hosts are too slow for the drive write at once, and keep it moving together."""
    slow = {"work": "900 us", "block": "64 KiB"}
    jobs = {name: listed(archiver(**slow), multiplexing=2) for name in ("one", "two")}
    same = {name: walked(work="900 us", multiplexing=2) for name in ("one", "two")}
    one, other = run(tapes(), **jobs), run(tapes(), **same)
    for name in jobs:
        assert one.get(f"jobs.{name}.elapsed") == pytest.approx(other.get(f"jobs.{name}.elapsed"), rel=1e-6)


@pytest.mark.parametrize(
    ("save", "address", "message"),
    [
        (listed(archiver(), streams=2), "jobs.save.streams", "'tape' has fewer drives: 1"),
        (listed(archiver(), pool="none"), "jobs.save.pool", "'tape' has no pool 'none'"),
        (listed(archiver(), archiver()), "jobs.save.target",
         "'all' writes to tape elsewhere than in the last group of one phase"),
        (listed(archiver(), target="target", pool="daily"), "jobs.save.pool", "has no effect where no tape is written"),
        (listed({"items": "1 MB", "steps": {"read": {"at": "target", "do": "read"}}}), "jobs.save.target",
         "the operation 'save' does not only write to 'tape', which is tape"),
    ],
)  # fmt: skip
def test_what_tape_cannot_do_is_reported(save: dict[str, Any], address: str, message: str) -> None:
    with pytest.raises(sb.InputError) as caught:
        sb.simulate(sb.load({**tapes(), "jobs": {"save": save}}))
    assert (address, message) in {(problem.address, problem.message) for problem in caught.value.problems}
