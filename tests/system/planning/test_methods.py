"""Policies that choose a method and a program: databases by their own servers, dumps, and lists of programs."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sites.shared import SIZE, shared_site

from simbackup.errors import InputError
from simbackup.planning.cautions import cautions
from simbackup.planning.night import Night
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Player
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
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
