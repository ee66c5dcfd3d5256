"""Programs that are lists: trees, shares, save sets, frozen images, objects and tapes that they read and write."""

from copy import deepcopy
from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.causes import split
from simbackup.results.result import Result
from tests.analytic.test_program import FILES as SHARE_FILES
from tests.analytic.test_program import SITE as IMAGE_SITE
from tests.analytic.test_program import SITE as OBJECTS_SITE
from tests.analytic.test_program import SITE as SHARE_SITE
from tests.analytic.test_program import SITE as TAPE_SITE
from tests.analytic.test_program_save_sets import HERE, OPERATIONS
from tests.cases import for_each

# Copies of a tree of files, first and repeated, here and over a share
FILES = 100_000
SIZE = 10e9
SITE = """
title: A tree of files and its copy
hosts:
  here: {cores: 8, speed: 1, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %,
    owns: [disk, spare]}
  there: {cores: 8, speed: 1, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %, owns: [far]}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  spare: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  far: {kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0.4 ms, write_latency: 0 s}
links:
  lan: {joins: [here, there], rate: 1 GB/s, latency: 0.5 ms, window: 64 MiB, duplex: full}
data:
  tree: {on: disk, size: 10 GB, files: 100_000, layout: scattered, change: {daily: 1 %},
    filesystem: {reads_per_file: 2, cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file,
      fragment: 1 MB}}
  copied: {on: spare, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
  mirrored: {on: far, size: 10 GB, files: 100_000, layout: scattered, filesystem: {reads_per_file: 2,
    cpu_per_file: 0.05 ms/file, walk_cpu: 0.02 ms/file, create_cpu: 0.3 ms/file, fragment: 1 MB}}
jobs:
  copy: {method: program, program: program/cp, operation: copy, data: tree, target: TO}
"""
SHARE = "mirrored, share: {host: here, calls: 4, look_calls: 1, request: 1 MB, make_calls: 6}"
# a file is read in two positioned reads of 0.1 ms, one of 0.1 ms for its 100 kB, which take 50 us, and opened
READ = 3 * 0.1e-3 + SIZE / FILES / 2e9 + 0.05e-3
COPIED = 2.0 * SIZE / FILES / 10e9
WORK = 0.1e-3
CREATED = 0.3e-3


def elapsed(to: str, more: str = "", changes: dict[str, Any] | None = None) -> float:
    """Seconds of the copy."""
    result = sb.simulate(sb.load(SITE.replace("TO}", f"{to}{more}}}")), changes)
    assert result.jobs.loc["copy", "status"] == "done"
    return result.get("jobs.copy.elapsed")


def test_a_first_copy_reads_a_file_and_then_makes_it() -> None:
    assert elapsed("copied") == pytest.approx(FILES * (READ + COPIED + WORK + CREATED), rel=0.001)


def test_several_workers_copy_other_files_at_once() -> None:
    several = {"jobs.copy.program.options.workers": 4, "jobs.copy.serial_share": "0 %"}
    one = FILES * (READ + COPIED + WORK + CREATED)  # four wait a little for each other at the disk
    assert one / 4.0 <= elapsed("copied", "", several) < one / 3.0


def test_a_repeated_copy_looks_at_both_trees_and_copies_what_has_changed() -> None:
    """Two positioned reads and some core time for each file at either end, one after the other; one per cent is copied.

    Files that are looked at have been found already when they are copied.
    """
    looked = 0.99 * FILES * 2 * (2 * 0.1e-3 + 0.02e-3)
    copied = 0.01 * FILES * (READ + COPIED + WORK + CREATED)
    assert elapsed("copied", ", since: 1 d") == pytest.approx(looked + copied, rel=0.01)


def test_a_copy_to_a_share_waits_for_its_requests() -> None:
    """Six calls of 0.5 ms for each file that is made there, and one for the bytes of each, which cross the line."""
    near, far = elapsed("copied"), elapsed(SHARE)
    assert far - near == pytest.approx(FILES * (7 * 0.5e-3 + SIZE / FILES / 1e9), rel=0.05)


def test_explain_names_the_step_that_takes_longest() -> None:
    result = sb.simulate(sb.load(SITE.replace("TO}", "copied, since: 1 d}")))
    assert next(iter(split(result, "copy"))) == ("devices.disk", "workers: look")


def test_files_that_are_looked_at_share_the_reads_of_directories_and_records() -> None:
    """A hundred files to a directory, which takes two reads; 16 records come with one."""
    shared = {"entry": "80 B", "directory_read": "4000 B", "record": "250 B", "record_read": "4000 B"}
    changes = {f"data.{end}.filesystem.{key}": value for end in ("tree", "copied") for key, value in shared.items()}
    changes |= {f"data.{end}.directories": 1000 for end in ("tree", "copied")}
    reads = 0.02 + 1.0 / 16.0
    looked = 0.99 * FILES * 2 * (reads * (0.1e-3 + 4000.0 / 2e9) + 0.02e-3)
    copied = 0.01 * FILES * (READ + 2 * 250.0 / 2e9 + COPIED + WORK + CREATED)
    assert elapsed("copied", ", since: 1 d", changes) == pytest.approx(looked + copied, rel=0.01)


@for_each(
    "change, says",
    [
        ({"data.copied.filesystem": None}, "'copied' has no file system"),
        ({"data.tree.change": None, "jobs.copy.since": "1 d"}, "jobs.copy.since: 'tree' does not say how it changes"),
    ],
)
def test_what_is_missing_is_reported(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        elapsed("copied", "", change)


# Data on a share that another host has mounted
AWAY, ANSWER = 1e-3, 0.1e-3 / 2.0
"""Seconds of a round trip, and of an answer of the keeper, whose cores have twice the reference speed."""
EACH = AWAY + ANSWER
SHARE_SHARE: dict[str, Any] = {"host": "far", "calls": 3, "request": "2 MB", "make_calls": 6, "call_cpu": "0.1 ms"}


def site(**tree: Any) -> dict[str, Any]:
    """The site; the host at the share discards what it reads."""
    hosts = deepcopy(SHARE_SITE["hosts"])
    hosts["client"]["owns"].remove("hole")
    hosts["far"]["owns"].append("hole")
    return {**SHARE_SITE, "hosts": hosts, "data": {"tree": {**SHARE_SITE["data"]["tree"], **tree}}}


def seconds(
    *steps: dict[str, Any], many: int = 1, share: Any = SHARE_SHARE, items: str = "files", **tree: Any
) -> float:
    """Seconds of a job whose only group repeats some steps."""
    group = {"items": items, "workers": many, "steps": {f"step{i}": step for i, step in enumerate(steps)}}
    program = {"operations": {"go": {"serial_share": "0 %", "phases": {"all": {"only": group}}}}}
    job = {"method": "program", "operation": "go", "data": "tree", "target": "hole", "program": program, "share": share}
    return float(sb.simulate(sb.load({**site(**tree), "jobs": {"save": job}})).get("jobs.save.elapsed"))


def walked(tool: dict[str, Any], method: str = "file_level", share: Any = SHARE_SHARE, **keys: Any) -> float:
    """Seconds of a backup by a method that walks, or reads blocks."""
    program = {"start_time": "0 s", "mount_time": "0 s", "serial_share": "0 %", **tool}
    tree = {key: keys.pop(key) for key in ("layout",) if key in keys}
    job = {"method": method, "data": "tree", "to": "hole", "tool": program, "share": share, **keys}
    return float(sb.simulate(sb.load({**site(**tree), "jobs": {"save": job}})).get("jobs.save.elapsed"))


@pytest.mark.parametrize("many", [1, 4])
@pytest.mark.parametrize("layout", ["together", "scattered"])
@pytest.mark.parametrize("sheet", ["nfs-3", "smb-2"])
def test_a_list_takes_as_long_as_the_method_that_walks_a_share(sheet: str, layout: str, many: int) -> None:
    share = {"model": f"share/{sheet}", "host": "far"}
    found = seconds(
        {"at": "data", "do": "open"}, {"at": "cpu", "byte": "2 ns/B"}, many=many, share=share, layout=layout
    )
    copied = {"copy_cpu": "2.001 ns/B"}  # the list copies at a terabyte a second
    assert found == pytest.approx(walked(copied, share=share, workers=many, layout=layout), rel=1e-6)


@pytest.mark.parametrize("limits", [{}, {"rate": "50 MB/s"}, {"stream_rate": "30 MB/s"}])
def test_a_list_takes_as_long_as_an_image_over_a_share(limits: dict[str, Any]) -> None:
    share = {**SHARE_SHARE, **limits}
    found = seconds({"at": "data", "do": "read"}, items="1 GB", share=share)
    assert found == pytest.approx(walked({}, "image", share=share), rel=1e-6)


def test_opening_a_file_takes_its_requests() -> None:
    read = 1e6 / 20e9 + 0.1e-3 + 2 * 0.1e-3 + 1e-3 / 2.0  # on the disk and the cores of its keeper
    each = read + (3 + 1) * EACH + 1e6 / 1e9 + 1e6 / 1e12
    assert seconds({"at": "data", "do": "open"}) == pytest.approx(SHARE_FILES * each, rel=1e-3)


def test_looking_at_a_file_takes_its_requests() -> None:
    looked = {**SHARE_SHARE, "look_calls": 0.5}
    look = {"at": "data", "do": "look", "of": "all"}
    assert seconds(look, share=looked) == pytest.approx(SHARE_FILES * (0.2e-3 + 0.4e-3 / 2.0 + 0.5 * EACH), rel=1e-3)


def test_making_and_writing_a_file_takes_its_requests() -> None:
    made = 6 * EACH + 3e-3 / 2.0
    assert seconds({"at": "data", "do": "create"}) == pytest.approx(SHARE_FILES * made, rel=1e-6)
    written = EACH + 1e6 / 1e9 + 1e6 / 1e12
    both = seconds({"at": "data", "do": "create"}, {"at": "data", "do": "write"})
    assert both == pytest.approx(SHARE_FILES * (made + written), rel=1e-3)
    flushed = {**SHARE_SHARE, "flushes": 1}
    one = 2 * 0.2e-3  # a flush writes the file, and the journal
    assert seconds({"at": "data", "do": "create"}, share=flushed) == pytest.approx(SHARE_FILES * (made + one), rel=1e-3)


@pytest.mark.parametrize(("size", "trips"), [("2 MB", 10), ("20 kB", 50)])
def test_positioned_reads_take_a_request_each_or_more(size: str, trips: int) -> None:
    share = {**SHARE_SHARE, "request": size}
    each = 10 * 0.1e-3 + 1e6 / 20e9 + trips * EACH + 1e6 / 1e9
    assert seconds({"at": "data", "do": "read", "times": 10}, share=share) == pytest.approx(
        SHARE_FILES * each, rel=1e-3
    )


def test_it_runs_on_the_host_of_the_share() -> None:
    assert seconds({"at": "cpu", "item": "1 ms"}) == pytest.approx(SHARE_FILES * 1e-3, rel=1e-6)  # not twice as fast
    with pytest.raises(sb.InputError, match="'client' keeps the data itself"):
        seconds({"at": "cpu", "item": "1 ms"}, share={**SHARE_SHARE, "host": "client"})


@pytest.mark.parametrize("do", ["open", "look"])
@pytest.mark.parametrize("layout", ["together", "scattered"])
@pytest.mark.parametrize("share", [None, SHARE_SHARE])
def test_an_empty_file_takes_no_longer_than_one_of_a_byte(share: Any, layout: str, do: str) -> None:
    tree: dict[str, Any] = {"layout": layout, "files": 1000, "filesystem": "filesystem/ext4"}
    empty, one = (seconds({"at": "data", "do": do}, share=share, size=size, **tree) for size in ("0 B", "1 kB"))
    assert 0.25 * one < empty <= one * (1.0 + 1e-9)


# Frozen images of the data, and copies of save sets
FROZEN: dict[str, Any] = {
    "volume": {"kind": "logical_volume", "on": "disk", "size": "100 GB"},
    "image": {"model": "snapshot/lvm2-2.6.9", "of": "volume", "on": "disk", "size": "20 GB"},
}


def frozen(save: dict[str, Any], layout: str = "scattered", **owns: list[str]) -> float:
    """Seconds of a backup of a snapshot; users' writes have moved a part of it aside."""
    hosts = {name: {**host, "owns": [*host["owns"], *owns.get(name, [])]} for name, host in IMAGE_SITE["hosts"].items()}
    tree = {**IMAGE_SITE["data"]["tree"], "on": "volume", "layout": layout}
    devices = {**IMAGE_SITE["devices"], **FROZEN}
    jobs = {
        "freeze": {"method": "create_snapshot", "snapshot": "image"},
        "change": {"method": "write", "data": "tree", "portion": "10 %", "flush": True, "after": "freeze"},
        "save": {**save, "source": "image", "after": "change"},
    }  # fmt: skip
    result = sb.simulate(
        sb.load({**IMAGE_SITE, "hosts": hosts, "devices": devices, "data": {"tree": tree}, "jobs": jobs})
    )
    assert set(result.jobs["status"]) == {"done"}, result.jobs["status"]
    return float(result.get("jobs.save.elapsed"))


@pytest.mark.parametrize("layout", ["together", "scattered"])
@pytest.mark.parametrize(("do", "many"), [("open", 1), ("open", 4), ("read", 1)])
def test_a_list_reads_a_snapshot_as_other_methods_do(do: str, many: int, layout: str) -> None:
    group = {"items": "files" if do == "open" else "1 GB", "workers": many, "steps": {"read": {"at": "data", "do": do}}}
    program = {"operations": {"go": {"serial_share": "0 %", "phases": {"all": {"only": group}}}}}
    listed = {"method": "program", "operation": "go", "data": "tree", "target": "hole", "program": program}
    tool = {"start_time": "0 s", "mount_time": "0 s", "serial_share": "0 %"}
    method = {"method": "file_level", "workers": many} if do == "open" else {"method": "image"}
    walked = {**method, "data": "tree", "to": "hole", "tool": tool}
    assert frozen(listed, layout) == pytest.approx(frozen(walked, layout), rel=1e-6)


def test_what_is_frozen_is_not_written() -> None:
    group = {"items": "files", "steps": {"write": {"at": "data", "do": "write"}}}
    program = {"operations": {"go": {"phases": {"all": {"only": group}}}}}
    save = {"method": "program", "operation": "go", "data": "tree", "target": "hole", "program": program}
    with pytest.raises(sb.InputError, match="'image' is frozen, and the operation 'go' writes"):
        frozen(save)


def test_an_operation_reads_the_copy_that_a_job_made() -> None:
    """The archive gives 50 MB a second, the disk of the save set 20 GB: the check takes 10 ns for each byte."""
    backup = {"method": "program", "program": {"operations": OPERATIONS}, "operation": "backup", "data": "tree"}
    check = {**backup, "operation": "check", "save_set": "save", "after": "copy"}
    jobs = {
        "save": {**backup, "target": "target"},
        "copy": {"method": "copy_save_set", "save_set": "save", "to": "archive", "after": "save"},
        "near": check, "far": {**check, "copied_by": "copy", "after": "near"},
    }  # fmt: skip
    result = sb.simulate(sb.load({**HERE, "jobs": jobs}))
    assert result.get("jobs.near.elapsed") == pytest.approx(10e9 * 10e-9, rel=0.02)
    assert result.get("jobs.far.elapsed") == pytest.approx(10e9 / 50e6, rel=0.02)
    with pytest.raises(sb.InputError, match="has no effect without a save set"):
        sb.simulate(sb.load({**HERE, "jobs": {**jobs, "far": {**jobs["far"], "save_set": None}}}))


# Objects: one list, with an object store, a disk, a share or SFTP as the target
OBJECTS_SIZE, OBJECT = 10e9, 5e6
NUMBER = OBJECTS_SIZE / OBJECT
OBJECTS_AWAY, OBJECTS_ANSWER = 1e-3, 0.1e-3
"""Seconds of a round trip, and of an answer of the host at the other end, whose cores have the reference speed."""
FILESYSTEM: dict[str, Any] = OBJECTS_SITE["data"]["tree"]["filesystem"]
OBJECTS_SHARE: dict[str, Any] = {"host": "client", "calls": 3, "request": "8 MB", "make_calls": 6, "call_cpu": "0.1 ms"}


def scenario(*deeds: str, read: bool = False, then: dict[str, Any] | None = None, **job: Any) -> sb.Scenario:
    """A program that does something with each object of 5 MB, after it has read that of the data on demand."""
    steps = {deed: {"at": "target", "do": deed} for deed in deeds}
    steps = {"read": {"at": "data", "do": "read"}, **steps} if read else steps
    group = {"items": "5 MB", "steps": steps}
    program = {"operations": {"go": {"serial_share": "0 %", "phases": {"all": {"only": group}}}}}
    save = {"method": "program", "operation": "go", "data": "tree", "program": program, **job}
    return sb.load({**OBJECTS_SITE, "jobs": {"save": save, **(then or {})}})


def seconds_objects(*deeds: str, **job: Any) -> float:
    """Seconds of such a program."""
    result = sb.simulate(scenario(*deeds, **job))
    assert result.jobs.loc["save", "status"] == "done"
    return float(result.get("jobs.save.elapsed"))


def test_objects_of_an_object_store_take_a_request_each() -> None:
    assert seconds_objects("put", target="bucket") == pytest.approx(NUMBER * (81e-3 + OBJECT / 50e6), rel=0.01)
    assert seconds_objects("get", target="bucket") == pytest.approx(NUMBER * (41e-3 + OBJECT / 50e6), rel=0.01)
    assert seconds_objects("ask", target="bucket") == pytest.approx(NUMBER * 41e-3, rel=1e-3)
    assert seconds_objects("put", "flush", target="bucket") == seconds_objects("put", target="bucket")


def test_objects_on_a_disk_are_files() -> None:
    """Of the file system: two reads and 1 ms of a core to open one, 0.4 ms to look for one, 3 ms to create one."""
    on = {"target": "disk", "filesystem": FILESYSTEM}
    assert seconds_objects("put", **on) == pytest.approx(NUMBER * (3e-3 / 2.0 + OBJECT / 1e12), rel=1e-2)
    got = 2 * 0.1e-3 + 0.1e-3 + OBJECT / 20e9 + 1e-3 / 2.0 + OBJECT / 1e12
    assert seconds_objects("get", **on) == pytest.approx(NUMBER * got, rel=1e-3)
    assert seconds_objects("ask", **on) == pytest.approx(NUMBER * (2 * 0.1e-3 + 0.4e-3 / 2.0), rel=1e-3)
    flushed = NUMBER * (3e-3 / 2.0 + OBJECT / 1e12 + 0.2e-3)
    assert seconds_objects("put", "flush", **on) == pytest.approx(flushed, rel=1e-2)


def test_putting_waits_for_the_disk_in_the_end() -> None:
    assert seconds_objects("put", target="target", filesystem=FILESYSTEM) == pytest.approx(
        OBJECTS_SIZE / 100e6, rel=1e-2
    )


def test_objects_over_a_share_take_its_requests() -> None:
    on = {"target": "there", "filesystem": FILESYSTEM, "share": OBJECTS_SHARE}
    each = OBJECTS_AWAY + OBJECTS_ANSWER
    put = 6 * each + 3e-3 + each + OBJECT / 1e9 + OBJECT / 1e12
    assert seconds_objects("put", **on) == pytest.approx(NUMBER * put, rel=1e-3)
    got = 2 * 0.1e-3 + 0.1e-3 + OBJECT / 20e9 + 1e-3 + (3 + 1) * each + OBJECT / 1e9 + OBJECT / 1e12
    assert seconds_objects("get", **on) == pytest.approx(NUMBER * got, rel=1e-3)
    asked = 2 * 0.1e-3 + 0.4e-3
    looked = {**OBJECTS_SHARE, "look_calls": 0.1}  # in a listing; a single file takes one
    assert seconds_objects("ask", **{**on, "share": looked}) == pytest.approx(NUMBER * (asked + each), rel=1e-3)
    assert seconds_objects("ask", **{**on, "share": {**OBJECTS_SHARE, "look_calls": 2}}) == pytest.approx(
        NUMBER * (asked + 2 * each), rel=1e-3
    )


@pytest.mark.parametrize("target", ["bucket", "disk"])
def test_objects_are_a_save_set(target: str) -> None:
    filesystem = None if target == "bucket" else FILESYSTEM
    back = {"back": {"restore": "save", "after": "save"}}
    found = sb.simulate(scenario("put", read=True, target=target, filesystem=filesystem, then=back))
    assert found.get("jobs.back.bytes") == pytest.approx(OBJECTS_SIZE, rel=1e-9)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ({"target": "disk"}, "the program keeps objects, and 'disk' is a disk whose file system is not stated"),
        ({"target": "there", "filesystem": FILESYSTEM},
         "the program keeps objects, and 'there' is a disk of 'far', which it does not reach"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("deed", ["put", "get", "ask"])
def test_a_disk_that_cannot_keep_objects_is_reported_where_the_job_names_it(
    job: dict[str, Any], message: str, deed: str
) -> None:
    with pytest.raises(sb.InputError) as caught:
        sb.simulate(scenario(deed, **job))
    assert [(problem.address, problem.message) for problem in caught.value.problems] == [("jobs.save.target", message)]


# Tapes: one stream and one drive as other methods do, and what is their own
TAPE_SIZE, TAPE_FILES = 10e9, 10_000
DRIVE: dict[str, Any] = {
    "model": "tape_drive/quantum-dlt7000", "native_rate": "10 MB/s", "cartridge_capacity": "100 GB",
    "load_time": "30 s",
}  # fmt: skip


def tapes(drives: int = 1, **drive: Any) -> dict[str, Any]:
    """The site, with a library of the client."""
    client = TAPE_SITE["hosts"]["client"]
    hosts = {**TAPE_SITE["hosts"], "client": {**client, "copy_rate": "1 PB/s", "owns": [*client["owns"], "tape"]}}
    library = {"model": "tape_library/quantum-scalar-i40", "drives": drives, "drive": {**DRIVE, **drive}}
    return {**TAPE_SITE, "hosts": hosts, "devices": {**TAPE_SITE["devices"], "tape": library}}


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


TAPE_READ: dict[str, Any] = {"at": "data", "do": "open"}
WRITE: dict[str, Any] = {"at": "target", "do": "write", "of": "stored"}


def archiver(block: str = "64 KiB", work: str = "1 ms", **group: Any) -> dict[str, Any]:
    """One process that reads a file, works on it, and writes it, block by block."""
    steps = {"read": TAPE_READ, "work": {"at": "cpu", "item": work}, "write": {**WRITE, "request": block}}
    return {"items": "files", "steps": steps, **group}


def walked_tape(block: str = "64 KiB", work: str = "1 ms", **keys: Any) -> dict[str, Any]:
    """The same as a file-level backup by a program that reads and writes by turns."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "file_cpu": f"{work}/file", "alternates": True, "block": block}
    tool |= {"serial_share": "0 %"}
    return {"method": "file_level", "data": "tree", "to": "tape", "tool": tool, **keys}


@pytest.mark.parametrize("codec", [None, {"compress_cpu": "5 ns/B", "expand_cpu": "1 ns/B"}])
@pytest.mark.parametrize("work", ["1 ms", "200 ms", "900 ms"])
def test_one_stream_takes_as_long_as_that_of_the_method_that_walks(work: str, codec: dict[str, Any] | None) -> None:
    """Also where the host is too slow for the drive, which stops and starts."""
    found = list[float]()
    for save in (listed(archiver(work=work)), walked_tape(work=work)):
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
    one, other = (run(site, save=save, back=back) for save in (listed(archiver()), walked_tape()))
    assert one.get("jobs.save.elapsed") == pytest.approx(other.get("jobs.save.elapsed"), rel=1e-6)
    assert one.get("jobs.back.bytes") == other.get("jobs.back.bytes") == TAPE_SIZE


def test_a_save_set_on_tape_is_restored() -> None:
    back = {"restore": "save", "after": "save"}
    result = run(tapes(), save=listed(archiver()), back=back)
    assert result.get("jobs.back.bytes") == TAPE_SIZE
    result = run(tapes(), save=listed(archiver(), exists=True), back={"restore": "save"})
    assert result.get("jobs.back.bytes") == TAPE_SIZE


def read_and_written(work: str, buffer: str = "64 KiB") -> float:
    """Seconds of four workers that read files, and of one that writes what they have read."""
    steps = {"read": TAPE_READ, "work": {"at": "cpu", "item": work}}
    reader = {"items": "files", "buffer_size": buffer, "workers": 4, "steps": steps}
    writer = {"items": "64 KiB", "of": "stored", "steps": {"write": WRITE}}
    return float(run(tapes(), save=listed(reader, writer)).get("jobs.save.elapsed"))


@pytest.mark.parametrize("work", ["0.1 ms", "300 ms", "800 ms"])
def test_a_group_that_writes_to_tape_is_like_a_program_that_reads_on_meanwhile(work: str) -> None:
    """Four readers need 0.1 s and 0.4 s of a core each for a file in the second and in the third case."""
    other = walked_tape(work=work, workers=4)
    other["tool"] = {**other["tool"], "alternates": False}
    assert read_and_written(work) == pytest.approx(run(tapes(), save=other).get("jobs.save.elapsed"), rel=0.02)


def test_a_large_buffer_keeps_a_slow_host_from_waiting_for_a_drive_that_stops() -> None:
    """Readers need 0.4 s of four cores for a file of a megabyte; the drive, which takes more, stops and starts."""
    read = TAPE_FILES * (0.4 + 0.8e-3) / 4.0
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
    same = {name: walked_tape(work="900 us", multiplexing=2) for name in ("one", "two")}
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
