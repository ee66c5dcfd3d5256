"""Programs that keep objects: one list, with an object store, a disk, a share or SFTP as the target."""

from typing import Any

import pytest

import simbackup as sb
from tests.analytic.test_program import SITE

SIZE, OBJECT = 10e9, 5e6
NUMBER = SIZE / OBJECT
AWAY, ANSWER = 1e-3, 0.1e-3
"""Seconds of a round trip, and of an answer of the host at the other end, whose cores have the reference speed."""
FILESYSTEM: dict[str, Any] = SITE["data"]["tree"]["filesystem"]
SHARE: dict[str, Any] = {"host": "client", "calls": 3, "request": "8 MB", "make_calls": 6, "call_cpu": "0.1 ms"}


def scenario(*deeds: str, read: bool = False, then: dict[str, Any] | None = None, **job: Any) -> sb.Scenario:
    """A program that does something with each object of 5 MB, after it has read that of the data on demand."""
    steps = {deed: {"at": "target", "do": deed} for deed in deeds}
    steps = {"read": {"at": "data", "do": "read"}, **steps} if read else steps
    group = {"items": "5 MB", "steps": steps}
    program = {"operations": {"go": {"serial_share": "0 %", "phases": {"all": {"only": group}}}}}
    save = {"method": "program", "operation": "go", "data": "tree", "program": program, **job}
    return sb.load({**SITE, "jobs": {"save": save, **(then or {})}})


def seconds(*deeds: str, **job: Any) -> float:
    """Seconds of such a program."""
    result = sb.simulate(scenario(*deeds, **job))
    assert result.jobs.loc["save", "status"] == "done"
    return float(result.get("jobs.save.elapsed"))


def test_objects_of_an_object_store_take_a_request_each() -> None:
    assert seconds("put", target="bucket") == pytest.approx(NUMBER * (81e-3 + OBJECT / 50e6), rel=0.01)
    assert seconds("get", target="bucket") == pytest.approx(NUMBER * (41e-3 + OBJECT / 50e6), rel=0.01)
    assert seconds("ask", target="bucket") == pytest.approx(NUMBER * 41e-3, rel=1e-3)
    assert seconds("put", "flush", target="bucket") == seconds("put", target="bucket")


def test_objects_on_a_disk_are_files() -> None:
    """Of the file system: two reads and 1 ms of a core to open one, 0.4 ms to look for one, 3 ms to create one."""
    on = {"target": "disk", "filesystem": FILESYSTEM}
    assert seconds("put", **on) == pytest.approx(NUMBER * (3e-3 / 2.0 + OBJECT / 1e12), rel=1e-2)
    got = 2 * 0.1e-3 + 0.1e-3 + OBJECT / 20e9 + 1e-3 / 2.0 + OBJECT / 1e12
    assert seconds("get", **on) == pytest.approx(NUMBER * got, rel=1e-3)
    assert seconds("ask", **on) == pytest.approx(NUMBER * (2 * 0.1e-3 + 0.4e-3 / 2.0), rel=1e-3)
    flushed = NUMBER * (3e-3 / 2.0 + OBJECT / 1e12 + 0.2e-3)
    assert seconds("put", "flush", **on) == pytest.approx(flushed, rel=1e-2)


def test_putting_waits_for_the_disk_in_the_end() -> None:
    assert seconds("put", target="target", filesystem=FILESYSTEM) == pytest.approx(SIZE / 100e6, rel=1e-2)


def test_objects_over_a_share_take_its_requests() -> None:
    on = {"target": "there", "filesystem": FILESYSTEM, "share": SHARE}
    each = AWAY + ANSWER
    put = 6 * each + 3e-3 + each + OBJECT / 1e9 + OBJECT / 1e12
    assert seconds("put", **on) == pytest.approx(NUMBER * put, rel=1e-3)
    got = 2 * 0.1e-3 + 0.1e-3 + OBJECT / 20e9 + 1e-3 + (3 + 1) * each + OBJECT / 1e9 + OBJECT / 1e12
    assert seconds("get", **on) == pytest.approx(NUMBER * got, rel=1e-3)
    asked = 2 * 0.1e-3 + 0.4e-3
    looked = {**SHARE, "look_calls": 0.1}  # in a listing; a single file takes one
    assert seconds("ask", **{**on, "share": looked}) == pytest.approx(NUMBER * (asked + each), rel=1e-3)
    assert seconds("ask", **{**on, "share": {**SHARE, "look_calls": 2}}) == pytest.approx(
        NUMBER * (asked + 2 * each), rel=1e-3
    )


@pytest.mark.parametrize("target", ["bucket", "disk"])
def test_objects_are_a_save_set(target: str) -> None:
    filesystem = None if target == "bucket" else FILESYSTEM
    back = {"back": {"restore": "save", "after": "save"}}
    found = sb.simulate(scenario("put", read=True, target=target, filesystem=filesystem, then=back))
    assert found.get("jobs.back.bytes") == pytest.approx(SIZE, rel=1e-9)


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
