"""Backups to tape over a disk with a size limit."""

from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.night import Night
from simbackup.planning.plan import plan
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import load_site
from simbackup.run import simulate
from simbackup.scenario import load


def staged(**keys: Any) -> dict[str, Any]:
    policy = {"to": "vault", "at": "20:00", "schedule": {"full": "daily"}, "retention": {"last": 3}, **keys}
    return site(policies={"nightly": policy}, systems={"first": {"size": "1 TB", "policy": "nightly"}})


def elapsed(made: dict[str, Any]) -> float:
    return max(verdict.elapsed for verdict in plan(load_site(made), "1 day").verdicts)


def test_all_passes_over_the_disk() -> None:
    """Written once and read once, however large the room is; the tape gets each byte once."""
    loaded = load_site(staged(staging={"on": "pool", "size": "100 GB"}))
    result = simulate(load(night_scenario(loaded.file, Night.first(loaded.file))))
    bytes_of = {row["device"]: row["bytes"] for row in result.device_rows}
    assert bytes_of["devices.pool"] == pytest.approx(2e12, rel=1e-3)
    assert bytes_of["devices.vault.drive.1"] == pytest.approx(1e12, rel=1e-3)


def test_the_size_limit_costs_turns() -> None:
    """Without overlap the network and the tape take turns, each as long as it needs for all; with it, the slower."""
    turns = elapsed(staged(staging={"on": "pool", "size": "200 GB", "overlapped": False}))
    overlapped = elapsed(staged(staging={"on": "pool", "size": "200 GB"}))
    straight = elapsed(staged())
    assert straight <= overlapped < turns
    assert turns == pytest.approx(straight + 1e12 / 1.15e9, rel=0.15)  # beside the network of 10 Gb/s
