"""Programs that are lists, which read frozen images of the data, and copies of save sets."""

from typing import Any

import pytest

import simbackup as sb
from tests.analytic.test_program import SITE
from tests.analytic.test_program_save_sets import HERE, OPERATIONS

FROZEN: dict[str, Any] = {
    "volume": {"kind": "logical_volume", "on": "disk", "size": "100 GB"},
    "image": {"model": "snapshot/lvm2-2.6.9", "of": "volume", "on": "disk", "size": "20 GB"},
}


def frozen(save: dict[str, Any], layout: str = "scattered", **owns: list[str]) -> float:
    """Seconds of a backup of a snapshot; users' writes have moved a part of it aside."""
    hosts = {name: {**host, "owns": [*host["owns"], *owns.get(name, [])]} for name, host in SITE["hosts"].items()}
    tree = {**SITE["data"]["tree"], "on": "volume", "layout": layout}
    devices = {**SITE["devices"], **FROZEN}
    jobs = {
        "freeze": {"method": "create_snapshot", "snapshot": "image"},
        "change": {"method": "write", "data": "tree", "portion": "10 %", "flush": True, "after": "freeze"},
        "save": {**save, "source": "image", "after": "change"},
    }  # fmt: skip
    result = sb.simulate(sb.load({**SITE, "hosts": hosts, "devices": devices, "data": {"tree": tree}, "jobs": jobs}))
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
