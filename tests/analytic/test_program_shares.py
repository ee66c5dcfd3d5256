"""Programs that are lists, with data on a share that another host has mounted."""

from copy import deepcopy
from typing import Any

import pytest

import simbackup as sb
from tests.analytic.test_program import FILES, SITE

SIZE = 10e9
AWAY, ANSWER = 1e-3, 0.1e-3 / 2.0
"""Seconds of a round trip, and of an answer of the keeper, whose cores have twice the reference speed."""
EACH = AWAY + ANSWER
SHARE: dict[str, Any] = {"host": "far", "calls": 3, "request": "2 MB", "make_calls": 6, "call_cpu": "0.1 ms"}


def site(**tree: Any) -> dict[str, Any]:
    """The site; the host at the share discards what it reads."""
    hosts = deepcopy(SITE["hosts"])
    hosts["client"]["owns"].remove("hole")
    hosts["far"]["owns"].append("hole")
    return {**SITE, "hosts": hosts, "data": {"tree": {**SITE["data"]["tree"], **tree}}}


def seconds(*steps: dict[str, Any], many: int = 1, share: Any = SHARE, items: str = "files", **tree: Any) -> float:
    """Seconds of a job whose only group repeats some steps."""
    group = {"items": items, "workers": many, "steps": {f"step{i}": step for i, step in enumerate(steps)}}
    program = {"operations": {"go": {"serial_share": "0 %", "phases": {"all": {"only": group}}}}}
    job = {"method": "program", "operation": "go", "data": "tree", "target": "hole", "program": program, "share": share}
    return float(sb.simulate(sb.load({**site(**tree), "jobs": {"save": job}})).get("jobs.save.elapsed"))


def walked(tool: dict[str, Any], method: str = "file_level", share: Any = SHARE, **keys: Any) -> float:
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
    share = {**SHARE, **limits}
    found = seconds({"at": "data", "do": "read"}, items="1 GB", share=share)
    assert found == pytest.approx(walked({}, "image", share=share), rel=1e-6)


def test_opening_a_file_takes_its_requests() -> None:
    read = 1e6 / 20e9 + 0.1e-3 + 2 * 0.1e-3 + 1e-3 / 2.0  # on the disk and the cores of its keeper
    each = read + (3 + 1) * EACH + 1e6 / 1e9 + 1e6 / 1e12
    assert seconds({"at": "data", "do": "open"}) == pytest.approx(FILES * each, rel=1e-3)


def test_looking_at_a_file_takes_its_requests() -> None:
    looked = {**SHARE, "look_calls": 0.5}
    look = {"at": "data", "do": "look", "of": "all"}
    assert seconds(look, share=looked) == pytest.approx(FILES * (0.2e-3 + 0.4e-3 / 2.0 + 0.5 * EACH), rel=1e-3)


def test_making_and_writing_a_file_takes_its_requests() -> None:
    made = 6 * EACH + 3e-3 / 2.0
    assert seconds({"at": "data", "do": "create"}) == pytest.approx(FILES * made, rel=1e-6)
    written = EACH + 1e6 / 1e9 + 1e6 / 1e12
    both = seconds({"at": "data", "do": "create"}, {"at": "data", "do": "write"})
    assert both == pytest.approx(FILES * (made + written), rel=1e-3)
    flushed = {**SHARE, "flushes": 1}
    one = 2 * 0.2e-3  # a flush writes the file, and the journal
    assert seconds({"at": "data", "do": "create"}, share=flushed) == pytest.approx(FILES * (made + one), rel=1e-3)


@pytest.mark.parametrize(("size", "trips"), [("2 MB", 10), ("20 kB", 50)])
def test_positioned_reads_take_a_request_each_or_more(size: str, trips: int) -> None:
    share = {**SHARE, "request": size}
    each = 10 * 0.1e-3 + 1e6 / 20e9 + trips * EACH + 1e6 / 1e9
    assert seconds({"at": "data", "do": "read", "times": 10}, share=share) == pytest.approx(FILES * each, rel=1e-3)


def test_it_runs_on_the_host_of_the_share() -> None:
    assert seconds({"at": "cpu", "item": "1 ms"}) == pytest.approx(FILES * 1e-3, rel=1e-6)  # not twice as fast
    with pytest.raises(sb.InputError, match="'client' keeps the data itself"):
        seconds({"at": "cpu", "item": "1 ms"}, share={**SHARE, "host": "client"})


@pytest.mark.parametrize("do", ["open", "look"])
@pytest.mark.parametrize("layout", ["together", "scattered"])
@pytest.mark.parametrize("share", [None, SHARE])
def test_an_empty_file_takes_no_longer_than_one_of_a_byte(share: Any, layout: str, do: str) -> None:
    tree: dict[str, Any] = {"layout": layout, "files": 1000, "filesystem": "filesystem/ext4"}
    empty, one = (seconds({"at": "data", "do": do}, share=share, size=size, **tree) for size in ("0 B", "1 kB"))
    assert 0.25 * one < empty <= one * (1.0 + 1e-9)
