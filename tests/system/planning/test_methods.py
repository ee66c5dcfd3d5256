"""Methods of policies, and logs of databases."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from sites.plan import site
from sites.shared import SIZE, shared_site

from simbackup.equations.change import hits_a_day
from simbackup.errors import InputError
from simbackup.planning.cautions import cautions
from simbackup.planning.ledger import Ledger
from simbackup.planning.night import Night
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Player
from simbackup.planning.reasons import night_reasons
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site
from tests.cases import for_each

TWO = 2 * SIZE
WEDNESDAY = datetime(2027, 1, 6, 12, tzinfo=UTC)
NATIVE = {"method": "database_native", "engine": "backup_engine/sql-server-2019", "schedule": {"full": "daily"}}
SQL = {"method": "program", "program": "program/sql-server", "schedule": {"full": "saturday", "differential": "daily"}}
DUMP = {"method": "logical_dump", "schedule": {"full": "daily"}}
LOGS = {"every": "15 min", "replay": "1 GB/s"}


def databases(policy: dict[str, Any], **system: Any) -> dict[str, Any]:
    """Two databases of 100 GB on one host behind a port of 1 GB/s, of which 1 % changes in a day."""
    made = shared_site(policy=policy)
    made["systems"] = {name: one | system for name, one in list(made["systems"].items())[:2]}
    return made


def longest(found: Plan, level: str) -> float:
    return max(one.longest for (_, name, copy), one in found.windows.levels.items() if (name, copy) == (level, ""))


def stored(found: Plan, day: int) -> float:
    return found.days[day].stocks["pool"].used


def test_a_program_saves_what_has_changed_since_the_full_backup() -> None:
    """200 GB at 1 GB/s are 200 s, and waits of the engine come on top; 1.99 % are changed in two independent days."""
    found = plan(load_site(databases(SQL)), "10 days")
    assert 200.0 < longest(found, "full") < 240.0
    assert stored(found, 0) == TWO
    assert stored(found, 1) - TWO == pytest.approx(0.01 * TWO)
    assert stored(found, 2) - stored(found, 1) == pytest.approx(0.0199 * TWO)


def test_the_bytes_of_the_ledger_are_those_that_the_program_writes() -> None:
    """The second night of the plan, by the simulator."""
    site = load_site(databases(SQL))
    found = plan(site, "3 days", every_night=True)
    night = found.nights.night(*found.nights.found(found.nights.days[1].day)[:2])
    result = Player(site).result(night)
    written = sum(float(row["bytes"]) for row in result.device_rows if row["device"] == "devices.pool")
    assert written == pytest.approx(stored(found, 1) - stored(found, 0), rel=1e-6)


def test_a_program_restores_each_save_set_of_a_chain_by_itself() -> None:
    """The full backup and the differential of Tuesday evening, after three days: 206 GB in 206 s, and two starts."""
    found = restore(load_site(databases(SQL)), "site", WEDNESDAY)
    assert found.complete
    changed = sum(one.bytes for one in found.systems) - TWO
    assert changed == pytest.approx((1.0 - 0.99**3) * TWO, rel=1e-3)
    assert found.until(1.0) == pytest.approx((TWO + changed) / 1e9 + 20.0, rel=0.05)  # zeros are written first: 20 s


@pytest.mark.slow
def test_a_native_backup_is_compressed_and_logs_bring_it_to_the_minute() -> None:
    """Half of 200 GB is stored each night; the logs of 16 h since then are 2 x 0.67 GB, of which 15 min are lost."""
    made = databases(NATIVE | {"compress": True, "logs": LOGS}, compression=2)
    site = load_site(made)
    found = plan(site, "3 days")
    assert stored(found, 0) == pytest.approx(TWO / 2.0)
    back = restore(site, "site", WEDNESDAY)
    assert back.complete
    assert back.data_lost == pytest.approx(900.0, abs=1.0)
    point = WEDNESDAY.replace(hour=9, minute=41)
    exact = restore(site, "site", WEDNESDAY, point=point)
    assert exact.complete
    assert 0.0 < exact.systems[0].logs < back.systems[0].logs


@for_each("ratio", [0.5, 2.0])
def test_a_dump_takes_what_its_text_takes(ratio: float) -> None:
    database = {"model": "database/postgresql", "dump_ratio": ratio}
    found = plan(load_site(databases(DUMP, database=database)), "3 days")
    assert stored(found, 0) == pytest.approx(ratio * TWO)


def test_workers_dump_and_load_a_database_together() -> None:
    times: list[tuple[float, float]] = []
    for workers in (1, 4):
        site = load_site(databases(DUMP | {"workers": workers}, database="database/postgresql"))
        result = Player(site).result(Night.first(site.file))
        times.append((max(float(row["elapsed"]) for row in result.job_rows), restore(site, at=WEDNESDAY).until(1.0)))
    (dump, load), (faster, quicker) = times
    assert faster < 0.6 * dump
    assert quicker < 0.6 * load


def test_a_target_that_deduplicates_needs_a_method_of_which_a_plan_knows_what_is_new() -> None:
    made = databases(SQL)
    made["targets"]["pool"]["deduplication"] = "deduplication/content-chunks-2015"
    with pytest.raises(InputError, match=r"policies\.nightly\.method: 'pool' deduplicates"):
        load_site(made)


def test_a_program_keeps_objects_as_files_on_a_target_that_it_reaches_through_a_share() -> None:
    """Without the share and a file system, both are asked for at the target; a line of 100 MB/s then carries 200 GB."""
    made = databases(SQL | {"program": "program/restic-0.14", "schedule": {"full": "daily"}}, files=1000)
    made["systems"] = {name: one | {"filesystem": "filesystem/ext4"} for name, one in made["systems"].items()}
    made["network"] = {"rate": "100 MB/s", "latency": "0.1 ms"}
    with pytest.raises(InputError, match=r"write targets.pool.share, .*\n.*write targets.pool.filesystem, "):
        load_site(made)
    made["targets"]["pool"] |= {"filesystem": "filesystem/xfs", "share": "share/sftp"}
    loaded = load_site(made)
    assert not [one for one in cautions(loaded) if "network" in one.message]
    assert longest(plan(loaded, "1 day"), "first full") == pytest.approx(TWO / 1e8, rel=0.1)
    assert restore(loaded, "site", WEDNESDAY).complete


def test_a_program_that_sends_nothing_over_the_network_is_a_warning() -> None:
    silent = SQL | {"program": "program/mysql-shell-8", "operation": "dump", "schedule": {"full": "daily"}}
    warned = [str(one) for one in cautions(load_site(databases(silent))) if one.address == "policies.nightly.program"]
    assert len(warned) == 1
    assert "'dump' sends nothing over the network, on which 'pool' is" in warned[0]
    assert not [one for one in cautions(load_site(databases(SQL))) if one.address == "policies.nightly.program"]


# Logs
LOG_WEDNESDAY = date(2027, 6, 9)
"""At noon: 16 hours after a differential backup that is based on the full one of Saturday."""
CHANGE = {"daily": "5 %", "hot_data": "20 %", "hot_changes": "80 %", "run": "64 KiB"}
LOG_SIZE = 1e12


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
    return LOG_SIZE * hits_a_day(0.05, 0.2, 0.8) * days


def during(every: float) -> Any:
    """Seconds lost: those between two backups of logs, and while one runs, which shares the network with others."""
    alone = log_of(every / 86_400) / 1.25e9
    return pytest.approx(every + 3 * alone, abs=2 * alone)


@pytest.mark.slow
def test_a_chain_is_full_differential_and_logs() -> None:
    found = restore(of(), "client sql", LOG_WEDNESDAY).systems[0]
    assert (found.chain, found.lost) == (2, during(15 * 60.0))
    assert found.logs == pytest.approx(log_of(16 / 24), rel=1e-6)
    without = restore(of(None), "client sql", LOG_WEDNESDAY).systems[0]
    assert (without.chain, without.lost, without.logs) == (2, 16 * 3600.0, 0.0)
    assert found.back > without.back  # logs come back, too


def test_data_lost_is_the_interval_of_the_logs() -> None:
    assert restore(of("1 h"), "client sql", LOG_WEDNESDAY).data_lost == during(3600.0)
    assert restore(of("2 days"), "client sql", LOG_WEDNESDAY).data_lost == 16 * 3600.0  # the differential is newer


@pytest.mark.slow
def test_logs_that_are_lost_do_not_help() -> None:
    """With the main site go pool and logs; a pool elsewhere has all logs since the tape of Saturday."""
    since = 3 * 86_400 + 16 * 3600.0
    assert restore(of(), "client sql", LOG_WEDNESDAY, "main").data_lost == since
    found = restore(of(to=["pool", "second"]), "client sql", LOG_WEDNESDAY, "main").systems[0]
    assert (found.source, found.chain, found.lost) == ("vault", 1, during(15 * 60.0))
    assert found.logs == pytest.approx(log_of(since / 86_400), rel=1e-6)


@pytest.mark.slow
def test_applying_logs_takes_as_long_as_stated() -> None:
    plain, slow = (restore(of(**keys), "client sql", LOG_WEDNESDAY) for keys in ({}, {"replay": "5 MB/s"}))
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
    a_day = 0.0005 * LOG_SIZE
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
