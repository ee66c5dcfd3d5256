"""Deduplicating targets in plans: what they keep, what nights move, and what comes back, by hand."""

from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.cautions import idle_keys
from simbackup.planning.ledger import Day, Ledger
from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.playing import Player
from simbackup.planning.restore import restore
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, load_site
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import load
from tests.cases import for_each

SIZE, DAILY, RUN, CHUNK = 1e12, 0.03, 256 * 1024, 8 * 1024
LINE = 125e6
"""Bytes a second of 1 Gb/s."""
STORE = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 MiB", "chunk": "8 KiB", "at": "target"}
SATURDAY = date(2027, 3, 13)


def new(days: int) -> float:
    """Share of the chunks in which something has changed after so many days."""
    return 1.0 - (1.0 - DAILY) ** (days * (1.0 + CHUNK / RUN))


def loaded(policy: dict[str, Any], store: dict[str, Any] | None = None, **pool: Any) -> PlannedSite:
    there = STORE | (store or {})
    targets = {"pool": site()["targets"]["pool"] | {"deduplication": there} | pool}
    targets["second"] = site()["targets"]["pool"] | {
        "deduplication": there, "place": "second-site", "network": {"rate": "1 Gb/s", "latency": "0 s"},
    }  # fmt: skip
    systems = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}}
    whole = {"to": "pool", "at": "20:00"} | policy
    return load_site(site(zone="UTC", targets=targets, systems=systems, policies={"nightly": whole}))


def last_day(planned: PlannedSite, day: date = SATURDAY) -> Day:
    return list(Ledger(planned).days(day))[-1]


def night(planned: PlannedSite, day: date = SATURDAY) -> Result:
    days = tuple(Ledger(planned).days(day))
    nights = Nights(planned, days, Player(planned))
    return simulate(load(night_scenario(planned.file, nights.night(kind_of(days[-1:]), len(days) - 1))))


def moved(result: Result, device: str) -> float:
    return float(next(row["bytes"] for row in result.device_rows if row["device"] == device))


def sent(result: Result) -> float:
    """Bytes that cross the network, in either direction."""
    return moved(result, "links.network") + moved(result, "links.network.back")


WEEKLY = {"full": "saturday", "incremental": "daily"}


def test_chunks_that_only_expired_points_had_are_freed() -> None:
    """Of daily full backups, seven are kept, and beyond these one a week: between those, seven days of change."""
    planned = loaded({"schedule": {"full": "daily"}, "retention": {"last": 7, "weekly": 6}})
    ledger = Ledger(planned)
    days = list(ledger.days(SATURDAY))
    points = sorted(point.time for point in ledger.stocks["nightly"].places[""].series.points.values())
    gaps = [(later - earlier).days for earlier, later in pairwise(points)]
    assert sorted(set(gaps)) == [1, 7]
    assert days[-1].stocks["pool"].used == pytest.approx(SIZE * (1.0 + sum(map(new, gaps))), rel=1e-9)


def test_reduction_within_a_backup_and_compression_of_its_chunks_count() -> None:
    planned = loaded({"schedule": {"full": "daily"}, "retention": {"last": 3}}, {"within": 1.25}, reduction="2:1")
    assert last_day(planned).stocks["pool"].used == pytest.approx(SIZE * (1.0 + 2 * new(1)) / 1.25 / 2.0, rel=1e-9)


def test_a_full_backup_writes_what_is_new_and_the_network_carries_all() -> None:
    found = night(loaded({"schedule": {"full": "daily"}}))
    assert moved(found, "devices.pool") == pytest.approx(SIZE * new(1), rel=1e-6)
    assert sent(found) == pytest.approx(SIZE, rel=1e-6)


@pytest.mark.parametrize(("which", "days"), [("all", 1), ("full", 7)])
def test_a_copy_sends_what_is_new_at_the_second_site(which: str, days: int) -> None:
    planned = loaded({"schedule": WEEKLY, "copies": {"away": {"to": "second", "which": which}}})
    found = night(planned)
    assert float(found.jobs.loc["a-away", "elapsed"]) == pytest.approx(SIZE * new(days) / LINE, rel=0.01)
    kept = last_day(planned).stocks["second"].used
    number = len([day for day in Ledger(planned).days(SATURDAY) if which == "all" or day.day.weekday() == 5])
    assert kept == pytest.approx(SIZE * (1.0 + (number - 1) * new(days)), rel=1e-9)


@pytest.mark.parametrize(
    "rules",
    [
        {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 20}},
        {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}},
    ],
)
def test_merges_and_synthetic_full_backups_move_nothing(rules: dict[str, Any]) -> None:
    """A store that deduplicates makes them of references to chunks."""
    found = night(loaded(rules))
    assert list(found.jobs.index) == ["a"]
    assert moved(found, "devices.pool") == pytest.approx(SIZE * new(1), rel=0.05)


def test_a_restore_reads_from_the_store_of_the_copy() -> None:
    """All bytes come back at the rate of the second store, though the first one is faster."""
    rules = {"schedule": {"full": "daily"}, "copies": {"away": {"to": "second"}}}
    planned = loaded(rules, {"restore_rate": "50 MB/s", "at_once": 64})
    lost = restore(planned, at=date(2027, 3, 1), lost="main", intervals="none")
    assert lost.systems[0].source == "second"
    assert lost.until(1.0) >= SIZE / 50e6
    assert lost.until(1.0) == pytest.approx(SIZE / 50e6, rel=0.05)


def test_keys_of_change_act_where_all_backups_are_full() -> None:
    rules = {"schedule": {"full": "daily"}, "copies": {"away": {"to": "second"}}}
    assert [problem.address for problem in idle_keys(loaded(rules)) if ".change." in problem.address] == []


def refused(**targets: Any) -> str:
    planned = site(zone="UTC")
    planned["systems"] = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}}
    for name, keys in targets.items():
        planned["targets"][name] = planned["targets"][name] | keys
    with pytest.raises(InputError) as caught:
        load_site(planned)
    return str(caught.value)


def test_a_tape_is_refused() -> None:
    both = {"deduplication": STORE}
    assert "targets.vault.deduplication: chunks are scattered, and a tape cannot be read in so many places" in refused(
        pool=both, vault=both
    )


def test_a_copy_of_what_is_not_deduplicated_is_refused() -> None:
    found = refused(vault={"deduplication": STORE})
    assert "'vault' deduplicates, but 'pool', which it gets copies from, does not" in found


@for_each("key", ["ratio", "last", "generations"])
def test_keys_that_follow_from_the_calendar_are_refused(key: str) -> None:
    value = {"ratio": 4, "last": "1 d", "generations": 3}[key]
    found = refused(pool={"deduplication": STORE | {key: value}})
    assert f"targets.pool.deduplication.{key}: follows from the calendar of the plan" in found


def test_an_unknown_datasheet_is_refused_at_its_place() -> None:
    found = refused(pool={"deduplication": "deduplication/apliance-2010"})
    assert "targets.pool.deduplication: there is no datasheet 'deduplication/apliance-2010'" in found


def test_a_seeded_copy_crosses_no_line_and_is_there_at_once() -> None:
    """1 TB would take 2 h 13 min on the line; the next night sends what is new above it."""
    rules = {"schedule": {"full": "daily"}, "copies": {"away": {"to": "second", "seeded": True}}}
    planned = loaded(rules)
    first, second = list(Ledger(planned).days(date(2027, 1, 3)))
    assert [run.copies for day in (first, second) for run, _ in day.runs] == [(), ("away",)]
    assert first.stocks["second"].used == pytest.approx(SIZE)
    assert second.stocks["second"].used == pytest.approx(SIZE * (1.0 + new(1)))
    found = night(planned, date(2027, 1, 3))
    assert float(found.jobs.loc["a-away", "elapsed"]) == pytest.approx(SIZE * new(1) / LINE, rel=0.01)
    lost = restore(planned, at=date(2027, 1, 3), lost="main", intervals="none")
    assert lost.systems[0].source == "second"
