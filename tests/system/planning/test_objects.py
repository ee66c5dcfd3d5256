"""Copies into an object store in plans: connections and sizes of objects are keys of the target."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.ledger import Ledger
from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.playing import played
from simbackup.planning.restore import restore
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, load_site
from simbackup.run import simulate
from simbackup.scenario import load
from tests.cases import for_each

SATURDAY = date(2027, 1, 2)
LINE = 125e6
"""Bytes a second of 1 Gb/s."""


def loaded(**cloud: Any) -> PlannedSite:
    made = site(zone="UTC")
    made["targets"]["vault"] = {
        "beside": "pool", "link": {"rate": "1 Gb/s", "latency": "20 ms"}, "place": "cloud",
        "device": {"model": "object_store/amazon-s3-standard"}, **cloud,
    }  # fmt: skip
    system = {"size": "200 GB", "files": 1_000_000, "filesystem": "filesystem/xfs", "policy": "nightly"}
    made["systems"] = {"first": system | {"change": {"daily": "1 %"}}}
    return load_site(made)


def copy_of(planned: PlannedSite) -> Any:
    days = tuple(Ledger(planned).days(SATURDAY))
    nights = Nights(planned, days, lambda night: played(planned, night))
    parts = night_scenario(planned.file, nights.night(kind_of(days[:1]), 0))
    return simulate(load(parts)).jobs.loc["first-tape"]


def test_large_objects_over_many_connections_fill_the_line() -> None:
    """A million objects over one connection wait for a million answers of at least 20 ms; large ones hardly wait."""
    slow, fast = copy_of(loaded()), copy_of(loaded(connections=16, object_size="64 MiB"))
    assert slow["elapsed"] > 1e6 * 20e-3
    assert fast["bytes"] / LINE < fast["elapsed"] < 1.1 * fast["bytes"] / LINE


@pytest.mark.usefixtures("no_serial_share")
def test_a_restore_has_the_connections_of_the_target() -> None:
    one, many = (
        restore(each, "client first", date(2027, 1, 6), "main", intervals="none")
        for each in (loaded(object_size="64 MiB"), loaded(object_size="64 MiB", connections=16))
    )
    assert many.until(1.0) == pytest.approx(many.systems[0].bytes / LINE, rel=0.1)
    assert one.until(1.0) > 2.0 * many.until(1.0)


PRICES = {"currency": "EUR", "date": "2027-01-01", "egress": 90}


@for_each("prices, lost, cost", [(PRICES, "main", 90.0), (PRICES, "", None), (None, "main", None)])
def test_what_is_read_back_from_an_object_store_costs_egress(
    prices: dict[str, Any] | None, lost: str, cost: float | None
) -> None:
    """A pool costs nothing to read; without prices nothing has a cost."""
    cloud = loaded(object_size="64 MiB", connections=16)
    priced = load_site({**cloud.file.tree.plain(), "prices": prices})
    found = restore(priced, "client first", date(2027, 1, 6), lost, intervals="none")
    if cost is None:
        assert found.read_back is None
    else:
        assert found.read_back is not None
        assert found.read_back.cost == pytest.approx(cost * found.systems[0].bytes / 1e12)
        assert (found.read_back.bytes, found.read_back.currency) == (found.systems[0].bytes, "EUR")


@pytest.mark.slow
def test_what_was_saved_to_objects_is_copied_to_disk() -> None:
    """The host of the disk reads the objects over the same line."""
    made = site(zone="UTC")
    made["targets"]["cloud"] = {
        "beside": "pool", "link": {"rate": "1 Gb/s", "latency": "20 ms"}, "place": "cloud", "connections": 16,
        "object_size": "64 MiB", "device": {"model": "object_store/amazon-s3-standard"},
    }  # fmt: skip
    made["policies"]["nightly"] |= {"to": "cloud", "copies": {"home": {"to": "pool", "retention": {"age": "13 weeks"}}}}
    made["policies"]["nightly"].pop("window", None)
    made["systems"] = {"first": {"size": "200 GB", "change": {"daily": "1 %", "run": "256 KiB"}, "policy": "nightly"}}
    planned = load_site(made)
    days = tuple(Ledger(planned).days(SATURDAY))
    nights = Nights(planned, days, lambda night: played(planned, night))
    result = simulate(load(night_scenario(planned.file, nights.night(kind_of(days[:1]), 0))))
    copied = result.row_of["first-home"]
    assert copied["status"] == "done"
    assert copied["elapsed"] >= 200e9 / LINE
