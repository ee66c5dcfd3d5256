"""Random systems in which parts fail: every run ends, and what was saved comes back, or is lost for a reason."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simbackup as sb
from simbackup.build import build
from simbackup.methods.job import start
from simbackup.results.shown import note_rows
from tests.cases import examples
from tests.shared import LIBRARY_BY_HAND

MACHINE = "cores: 4, copy_rate: 10 GB/s, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 10 %"
FLASH = "kind: ssd, capacity: 2 TB, read_rate: 1 GB/s, write_rate: 500 MB/s, read_latency: 0.1 ms, write_latency: 0 s"
SYSTEM = f"""\
title: A client and a server, with parts that fail
hosts:
  client: {{{MACHINE}, owns: [source]}}
  server: {{{MACHINE}, owns: [flash, array, library]}}
devices:
  source: {{{FLASH}}}
  flash: {{{FLASH}}}
  array: {{kind: raid, level: "5", disks: 4, stripe_unit: 64 KiB, controller_overhead: 0 s, ssd: {{capacity: 200 GB,
    read_rate: 200 MB/s, write_rate: 100 MB/s, read_latency: 0.1 ms, write_latency: 0 s}}}}
{LIBRARY_BY_HAND}
links:
  lan: {{joins: [client, server], rate: 100 MB/s, latency: 1 ms}}
data:
  some: {{"on": source, size: 10 GB}}
  more: {{"on": source, size: 30 GB}}
"""
LATE = 10 * 86_400
"""Seconds after which nothing fails any more, and everything that can come back has come back."""
FOR_GOOD = ("failed", "too many", "cannot be read", "no working drive")
"""Words of reasons for which something is lost."""

times = st.integers(0, 3_000)
lasting = st.one_of(st.none(), st.integers(1, 3_000))


@st.composite
def failures(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Up to five failures of any kind."""
    found: dict[str, dict[str, Any]] = {}
    for number in range(draw(st.integers(0, 5))):
        what, names = draw(
            st.sampled_from(
                [
                    ("device", ("source", "flash", "array", "library")), ("host", ("client", "server")),
                    ("link", ("lan",)), ("disk", ("array",)), ("sector", ("array",)), ("drive", ("library",)),
                    ("robot", ("library",)), ("cartridge", ("tape",)),
                ]
            )
        )  # fmt: skip
        said: dict[str, Any] = {what: draw(st.sampled_from(names)), "at": f"{draw(times)} s"}
        lasts = draw(lasting)
        if what == "robot" or (what in {"device", "host", "link", "drive"} and lasts is not None):
            said["lasts"] = f"{lasts or 3_000} s"
        if what in {"device", "link", "drive"} and draw(st.booleans()):
            said["timeout"] = f"{draw(st.integers(1, 2_000))} s"
        if what == "disk" and draw(st.booleans()):
            said["spare"] = f"{draw(times)} s"
        found[f"failure-{number}"] = said
    return found


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Backups to each target, a copy, and late restores of all."""
    found: dict[str, dict[str, Any]] = {}
    for to, name in (("flash", "disk"), ("array", "raid"), ("library", "tape")):
        found[name] = {"method": "image", "data": draw(st.sampled_from(["some", "more"])), "to": to}
        found[name]["begin"] = f"{draw(times)} s"
        if retries := draw(st.integers(0, 2)):
            found[name] |= {"retries": retries, "retry_after": f"{draw(times)} s"}
        found[f"back-{name}"] = {"restore": name, "begin": f"{LATE} s"}
    found["tape"]["streams"] = draw(st.integers(1, 2))
    found["copy"] = {"method": "copy_save_set", "save_set": "tape", "to": "flash", "after": ["tape", "disk"]}
    return found


@st.composite
def systems(draw: st.DrawFn) -> dict[str, Any]:
    """Values of the system: how fast the line is, how much data there are, drives, and how the array is built."""
    level, disks = draw(st.sampled_from([("1", 2), ("5", 3), ("5", 4), ("6", 6), ("10", 4)]))
    return {
        "links.lan.rate": f"{draw(st.integers(20, 1_000))} MB/s",
        "data.some.size": f"{draw(st.integers(1, 40))} GB", "data.more.size": f"{draw(st.integers(1, 40))} GB",
        "devices.library.drives": draw(st.integers(2, 4)), "devices.array.level": level, "devices.array.disks": disks,
    }  # fmt: skip


def check(values: dict[str, Any], said: dict[str, dict[str, Any]], work: dict[str, dict[str, Any]]) -> None:
    scenario = sb.load(SYSTEM + "jobs: {}\nfailures: {}\n", {**values, "jobs": work, "failures": said})
    system, made = build(scenario.spec, 0)
    system.env.run(until=start(system, made))
    rows = {record.data["job"]: record.data for record in system.trace.jobs}
    assert rows.keys() == work.keys()
    for name in ("disk", "raid", "tape"):
        back, saved = rows[f"back-{name}"], [one for one in system.catalogue.save_sets if one.job == f"jobs.{name}"]
        assert (rows[name]["status"] == "done") == bool(saved)
        if not saved:
            assert back["status"] == "failed"
            assert any(word in rows[name]["reason"] for word in FOR_GOOD)
        elif back["status"] != "done":
            assert any(word in back["reason"] for word in FOR_GOOD)
        else:
            assert saved[-1].copies
            assert back["bytes"] == pytest.approx(saved[-1].size)
        if saved and not saved[-1].copies:
            assert saved[-1].lost
        told = [note["what"] for note in note_rows(system.trace)]
        for one in saved:  # each copy is there, or it is listed what took it
            for reason in one.lost.values():
                assert any(word in reason for word in FOR_GOOD)
                assert any(reason in what for what in told)
            assert one.copies or one.lost
    if all("lasts" in each for each in said.values()):
        assert all(rows[f"back-{name}"]["status"] == rows[name]["status"] for name in ("disk", "raid", "tape"))


@pytest.mark.slow
@examples(150)
@given(systems(), failures(), jobs())
def test_what_was_saved_comes_back_or_is_lost_for_a_reason(
    values: dict[str, Any], said: dict[str, dict[str, Any]], work: dict[str, dict[str, Any]]
) -> None:
    check(values, said, work)
