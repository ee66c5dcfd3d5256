"""Backups of transaction logs in plans: their room, chains, and what is lost."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.equations.change import hits_a_day
from simbackup.planning.ledger import Ledger
from simbackup.planning.plan import plan
from simbackup.planning.reasons import night_reasons
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site

WEDNESDAY = date(2027, 6, 9)
"""At noon: 16 hours after a differential backup that is based on the full one of Saturday."""
CHANGE = {"daily": "5 %", "hot_data": "20 %", "hot_changes": "80 %", "run": "64 KiB"}
SIZE = 1e12


def of(every: str | None = "15 min", **logs: Any) -> PlannedSite:
    policy: dict[str, Any] = {
        "to": "pool", "at": "20:00", "schedule": {"full": "saturday", "differential": "daily"},
        "retention": {"age": "2 weeks"}, "copies": {"tape": {"to": "vault", "which": "full"}},
    }  # fmt: skip
    if every is not None:
        policy["logs"] = {"every": every, **logs}
    systems = {"sql": {"size": "1 TB", "change": CHANGE, "policy": "nightly"}}
    second = site()["targets"]["pool"] | {"place": "second"}
    targets = site()["targets"] | {"second": second}
    return load_site(site(systems=systems, policies={"nightly": policy}, targets=targets, zone="UTC", recovery="1 h"))


def log_of(days: float) -> float:
    """Bytes of log: every change, repeated ones too."""
    return SIZE * hits_a_day(0.05, 0.2, 0.8) * days


def during(every: float) -> Any:
    """Seconds lost: those between two backups of logs, and while one runs, which shares the network with others."""
    alone = log_of(every / 86_400) / 1.25e9
    return pytest.approx(every + 3 * alone, abs=2 * alone)


@pytest.mark.slow
def test_a_chain_is_full_differential_and_logs() -> None:
    found = restore(of(), "client sql", WEDNESDAY).systems[0]
    assert (found.chain, found.lost) == (2, during(15 * 60.0))
    assert found.logs == pytest.approx(log_of(16 / 24), rel=1e-6)
    without = restore(of(None), "client sql", WEDNESDAY).systems[0]
    assert (without.chain, without.lost, without.logs) == (2, 16 * 3600.0, 0.0)
    assert found.back > without.back  # logs come back, too


def test_data_lost_is_the_interval_of_the_logs() -> None:
    assert restore(of("1 h"), "client sql", WEDNESDAY).data_lost == during(3600.0)
    assert restore(of("2 days"), "client sql", WEDNESDAY).data_lost == 16 * 3600.0  # the differential is newer


@pytest.mark.slow
def test_logs_that_are_lost_do_not_help() -> None:
    """With the main site go pool and logs; a pool elsewhere has all logs since the tape of Saturday."""
    since = 3 * 86_400 + 16 * 3600.0
    assert restore(of(), "client sql", WEDNESDAY, "main").data_lost == since
    found = restore(of(to=["pool", "second"]), "client sql", WEDNESDAY, "main").systems[0]
    assert (found.source, found.chain, found.lost) == ("vault", 1, during(15 * 60.0))
    assert found.logs == pytest.approx(log_of(since / 86_400), rel=1e-6)


@pytest.mark.slow
def test_applying_logs_takes_as_long_as_stated() -> None:
    plain, slow = (restore(of(**keys), "client sql", WEDNESDAY) for keys in ({}, {"replay": "5 MB/s"}))
    size = plain.systems[0].logs
    assert slow.until(1.0) - plain.until(1.0) == pytest.approx(size / 5e6, rel=0.03)  # read meanwhile
    assert [warning.address for warning in plain.warnings] == [
        "operator", "policies.nightly.tool", "policies.nightly.logs.replay",
    ]  # fmt: skip
    assert [warning.address for warning in slow.warnings] == ["operator", "policies.nightly.tool"]


def test_logs_are_saved_while_the_nights_backups_run() -> None:
    """Each shares the network of 10 Gbit/s with the backup of the data, and so gets half of it."""
    planned = of("30 min")
    found = plan(planned, "3 days")
    logs = [one for one in found.verdicts if one.copy == "logs"]
    assert [one.night for one in logs] == [date(2027, 1, day) for day in (2, 3, 4)]
    sizes = [one.bytes for one in logs]
    assert sizes == pytest.approx([log_of(1 / 48) * 24] * 3, rel=0.01)  # every 30 minutes in twelve hours
    assert all(one.met and one.window == 1800.0 for one in logs)
    assert all(one.elapsed > 2 * log_of(1 / 48) / 1.25e9 for one in logs)
    assert found.logs_lost == {"nightly": 1800.0 + max(one.elapsed for one in logs)}


def test_logs_share_the_line_with_copies_of_the_day() -> None:
    """At ten, copies of the night begin on a line of 50 MB/s to the second site, where logs go, too."""
    size, policy = log_of(1 / 48), {"at": "20:00", "window": "20:00 to 06:00", "schedule": {"incremental": "daily"}}
    made = of("30 min", to=["pool", "second"]).file.tree.plain()
    made["targets"]["second"]["network"] = {"rate": "50 MB/s", "latency": "0.1 ms"}
    made["policies"]["nightly"] |= policy
    longest: dict[bool, float] = {}
    for copied in (False, True):
        copies = {"away": {"to": "second", "at": "10:00", "seeded": True}} if copied else {}
        made["policies"]["nightly"] |= {"copies": copies}
        found = plan(load_site(made), "3 days")
        longest[copied] = found.logs_lost["nightly"] - 1800.0
    assert longest[False] == pytest.approx(size / 50e6, abs=1.0)
    assert longest[True] == pytest.approx(2 * size / 50e6, abs=1.0)


def test_logs_in_a_store_of_objects_cost_their_requests_and_their_minimum() -> None:
    """Logs of 5 GB a day in 96 objects of one part; after a week, they are paid for until they are 30 days old."""
    prices = {"currency": "EUR", "date": "2027-01-01", "object_month": 20, "write_requests": 1000}
    made = of().file.tree.plain()
    made["targets"]["cloud"] = {
        "beside": "pool", "link": {"rate": "1 Gb/s", "latency": "1 ms"}, "prices": prices,
        "device": {"model": "object_store/amazon-s3-standard"},
    }  # fmt: skip
    made["policies"]["nightly"] |= {"retention": {"last": 7}, "logs": {"every": "15 min", "to": "cloud"}}
    made["systems"]["sql"]["log"] = "0.05 %"
    kept = {}
    for minimum in (0, 30):
        made["targets"]["cloud"]["prices"] = prices | {"minimum_storage": f"{minimum} d"}
        day = list(Ledger(load_site(made)).days(date(2027, 3, 31)))[-1].stocks["cloud"]
        assert tuple(day.written) == (pytest.approx(96.0), 0.0)
        kept[minimum] = day.used + day.early
    a_day = 0.0005 * SIZE
    # kept are those after six of seven points, and paid for are those of 30 days, the last of which are a day old
    assert kept == {0: pytest.approx(6 * a_day), 30: pytest.approx(30 * a_day, rel=0.05)}


def test_the_delay_is_that_of_the_target_that_is_left() -> None:
    """Logs to the second site take a line of 50 MB/s; what is lost with the main site left is less."""
    made = of("30 min", to=["pool", "second"]).file.tree.plain()
    made["targets"]["second"]["network"] = {"rate": "50 MB/s", "latency": "0.1 ms"}
    made["policies"]["nightly"]["copies"] = {"away": {"to": "second", "seeded": True}}
    near, far = (restore(load_site(made), "client sql", date(2027, 1, 6), lost) for lost in ("", "main"))
    slowest = log_of(1 / 48) / 50e6
    assert near.data_lost < 1800.0 + slowest / 2
    assert far.data_lost >= 1800.0 + slowest


@pytest.mark.slow
def test_the_longest_backup_of_logs_is_explained_also_if_it_runs_after_the_window() -> None:
    """At ten past ten, a copy begins on the line that logs take, too; the window has closed at nine."""
    made = of("30 min", to=["second"]).file.tree.plain()
    made["systems"]["sql"]["size"] = "400 GB"
    made["targets"]["second"]["network"] = {"rate": "50 MB/s", "latency": "0.1 ms"}
    copies = {"away": {"to": "second", "at": "22:10", "seeded": True}}
    made["policies"]["nightly"] |= {"window": "20:00 to 21:00", "schedule": {"full": "daily"}, "copies": copies}
    found = plan(load_site(made), "2 days")
    logs = max((one for one in found.verdicts if one.copy == "logs"), key=lambda one: one.elapsed)
    assert logs.elapsed == pytest.approx(2 * log_of(1 / 48) * 0.4 / 50e6, rel=0.1)  # beside the copy
    [explained] = night_reasons(found, logs.night, ["sql-logs"]).found
    assert explained.elapsed == logs.elapsed
