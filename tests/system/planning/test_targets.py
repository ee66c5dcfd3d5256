"""Targets of a site: disks, objects, tapes, deduplication and media servers."""

from collections import Counter
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.ledger import Day, Ledger
from simbackup.planning.night import Night
from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.plan import plan
from simbackup.planning.playing import Player
from simbackup.planning.restore import restore
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, load_site
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import load
from tests.cases import examples, for_each

# Objects
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
    nights = Nights(planned, days, Player(planned))
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
    nights = Nights(planned, days, Player(planned))
    result = simulate(load(night_scenario(planned.file, nights.night(kind_of(days[:1]), 0))))
    copied = result.row_of["first-home"]
    assert copied["status"] == "done"
    assert copied["elapsed"] >= 200e9 / LINE


# Deduplication
SIZE, DAILY, RUN, CHUNK = 1e12, 0.03, 256 * 1024, 8 * 1024
STORE = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 MiB", "chunk": "8 KiB", "at": "target"}
CHUNKS_SATURDAY = date(2027, 3, 13)


def new(days: int) -> float:
    """Share of the chunks in which something has changed after so many days."""
    return 1.0 - (1.0 - DAILY) ** (days * (1.0 + CHUNK / RUN))


def loaded_chunks(policy: dict[str, Any], store: dict[str, Any] | None = None, **pool: Any) -> PlannedSite:
    there = STORE | (store or {})
    targets = {"pool": site()["targets"]["pool"] | {"deduplication": there} | pool}
    targets["second"] = site()["targets"]["pool"] | {
        "deduplication": there, "place": "second-site", "network": {"rate": "1 Gb/s", "latency": "0 s"},
    }  # fmt: skip
    systems = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}}
    whole = {"to": "pool", "at": "20:00"} | policy
    return load_site(site(zone="UTC", targets=targets, systems=systems, policies={"nightly": whole}))


def last_day(planned: PlannedSite, day: date = CHUNKS_SATURDAY) -> Day:
    return list(Ledger(planned).days(day))[-1]


def night(planned: PlannedSite, day: date = CHUNKS_SATURDAY) -> Result:
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
    planned = loaded_chunks({"schedule": {"full": "daily"}, "retention": {"last": 7, "weekly": 6}})
    ledger = Ledger(planned)
    days = list(ledger.days(CHUNKS_SATURDAY))
    points = sorted(point.time for point in ledger.stocks["nightly"].places[""].series.points.values())
    gaps = [(later - earlier).days for earlier, later in pairwise(points)]
    assert sorted(set(gaps)) == [1, 7]
    assert days[-1].stocks["pool"].used == pytest.approx(SIZE * (1.0 + sum(map(new, gaps))), rel=1e-9)


def test_reduction_within_a_backup_and_compression_of_its_chunks_count() -> None:
    planned = loaded_chunks(
        {"schedule": {"full": "daily"}, "retention": {"last": 3}}, {"within": 1.25}, reduction="2:1"
    )
    assert last_day(planned).stocks["pool"].used == pytest.approx(SIZE * (1.0 + 2 * new(1)) / 1.25 / 2.0, rel=1e-9)


def test_a_full_backup_writes_what_is_new_and_the_network_carries_all() -> None:
    found = night(loaded_chunks({"schedule": {"full": "daily"}}))
    assert moved(found, "devices.pool") == pytest.approx(SIZE * new(1), rel=1e-6)
    assert sent(found) == pytest.approx(SIZE, rel=1e-6)


@pytest.mark.parametrize(("which", "days"), [("all", 1), ("full", 7)])
def test_a_copy_sends_what_is_new_at_the_second_site(which: str, days: int) -> None:
    planned = loaded_chunks({"schedule": WEEKLY, "copies": {"away": {"to": "second", "which": which}}})
    found = night(planned)
    assert float(found.jobs.loc["a-away", "elapsed"]) == pytest.approx(SIZE * new(days) / LINE, rel=0.01)
    kept = last_day(planned).stocks["second"].used
    number = len([day for day in Ledger(planned).days(CHUNKS_SATURDAY) if which == "all" or day.day.weekday() == 5])
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
    found = night(loaded_chunks(rules))
    assert list(found.jobs.index) == ["a"]
    assert moved(found, "devices.pool") == pytest.approx(SIZE * new(1), rel=0.05)


def test_a_restore_reads_from_the_store_of_the_copy() -> None:
    """All bytes come back at the rate of the second store, though the first one is faster."""
    rules = {"schedule": {"full": "daily"}, "copies": {"away": {"to": "second"}}}
    planned = loaded_chunks(rules, {"restore_rate": "50 MB/s", "at_once": 64})
    lost = restore(planned, at=date(2027, 3, 1), lost="main", intervals="none")
    assert lost.systems[0].source == "second"
    assert lost.until(1.0) >= SIZE / 50e6
    assert lost.until(1.0) == pytest.approx(SIZE / 50e6, rel=0.05)


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


def test_an_unknown_datasheet_is_refused_at_its_place() -> None:
    found = refused(pool={"deduplication": "deduplication/apliance-2010"})
    assert "targets.pool.deduplication: there is no datasheet 'deduplication/apliance-2010'" in found


def test_a_seeded_copy_crosses_no_line_and_is_there_at_once() -> None:
    """1 TB would take 2 h 13 min on the line; the next night sends what is new above it."""
    rules = {"schedule": {"full": "daily"}, "copies": {"away": {"to": "second", "seeded": True}}}
    planned = loaded_chunks(rules)
    first, second = list(Ledger(planned).days(date(2027, 1, 3)))
    assert [run.copies for day in (first, second) for run, _ in day.runs] == [(), ("away",)]
    assert first.stocks["second"].used == pytest.approx(SIZE)
    assert second.stocks["second"].used == pytest.approx(SIZE * (1.0 + new(1)))
    found = night(planned, date(2027, 1, 3))
    assert float(found.jobs.loc["a-away", "elapsed"]) == pytest.approx(SIZE * new(1) / LINE, rel=0.01)
    lost = restore(planned, at=date(2027, 1, 3), lost="main", intervals="none")
    assert lost.systems[0].source == "second"


# Staging
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


# What targets make by themselves
MADE_SATURDAY = date(2027, 3, 13)
FOR_EVER = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 20}}
SYNTHETIC = {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}, "retention": {"age": "3 weeks"}}
WHOLE = 3e12
"""Bytes of all systems."""


def of(rules: dict[str, Any], daily: float, **target: Any) -> PlannedSite:
    change = {"daily": daily, "run": "256 KiB"}
    systems = {f"s{i}": {"size": f"{i} TB", "change": change, "policy": "nightly"} for i in (1, 2)}
    targets = {"pool": site()["targets"]["pool"] | target}
    policies = {"nightly": {"to": "pool", "at": "20:00", **rules}}
    return load_site(site(systems=systems, targets=targets, zone="UTC", policies=policies))


def moved_made(loaded: PlannedSite) -> float:
    """Bytes that the pool reads and writes on a Saturday."""
    days = tuple(Ledger(loaded).days(MADE_SATURDAY))
    nights = Nights(loaded, days, Player(loaded))
    result = simulate(load(night_scenario(loaded.file, nights.night(kind_of(days[-1:]), len(days) - 1))))
    return float(next(row["bytes"] for row in result.device_rows if row["device"] == "devices.pool"))


@examples(5)
@given(st.floats(0.002, 0.1))
def test_incremental_for_ever_reads_and_writes_the_change(daily: float) -> None:
    """Written as it comes; then a change of the same size is read, and written where it belongs."""
    assert moved_made(of(FOR_EVER, daily)) == pytest.approx(3 * WHOLE * daily, rel=1e-3)


@examples(5)
@given(st.floats(0.002, 0.1))
def test_a_synthetic_full_backup_reads_and_writes_the_change_where_blocks_are_cloned(daily: float) -> None:
    assert moved_made(of(SYNTHETIC, daily, clones=True)) == pytest.approx(3 * WHOLE * daily, rel=1e-3)


def test_a_synthetic_full_backup_reads_and_writes_all_elsewhere() -> None:
    assert moved_made(of(SYNTHETIC, 0.02)) == pytest.approx(WHOLE * (0.02 + 2), rel=1e-3)


def test_what_a_target_makes_is_a_row_of_the_plan() -> None:
    found = plan(of(FOR_EVER, 0.02), "4 weeks")
    made = [verdict for verdict in found.verdicts if verdict.copy == "merge"]
    assert {verdict.night for verdict in made} == {day.day for day in found.days[20:]}
    assert all(verdict.bytes == pytest.approx(0.02 * (1e12 if verdict.system == "s1" else 2e12)) for verdict in made)


# New cartridges
WEEKS = 13
"""For how long copies on tape are kept."""
HOUR = 3600.0


def loaded_cartridge(new: Any = None, *, time: str = "1 h", **vault: Any) -> PlannedSite:
    made = site(zone="UTC")
    drive = {"model": "tape_drive/lto-9", "initialise_time": time}
    made["targets"]["vault"]["device"] |= {"drive": drive} | ({} if new is None else {"new_cartridges": new})
    made["targets"]["vault"] |= vault
    return load_site(made)


def nights_of(planned: PlannedSite, last: date) -> Nights:
    return Nights(planned, tuple(Ledger(planned).days(last)), Player(planned))


def initialised(planned: PlannedSite, day: date) -> list[float]:
    """Seconds for which cartridges were initialised in a night, one by one."""
    nights = nights_of(planned, day)
    at = len(nights.days) - 1
    result = simulate(load(night_scenario(planned.file, nights.night(kind_of(nights.days[at:]), at))))
    assert all(row["status"] == "done" for row in result.job_rows)
    return [span.end - span.start for span in result.trace.spans if span.activity == "initialise"]


def saturday(week: int) -> date:
    return date.fromordinal(date(2027, 1, 2).toordinal() + 7 * week)


def test_the_first_weeks_initialise_what_later_weeks_write_again() -> None:
    planned = loaded_cartridge("all")
    assert initialised(planned, saturday(0)) == [pytest.approx(HOUR)]
    assert initialised(planned, saturday(5)) == [pytest.approx(HOUR)]
    assert initialised(planned, saturday(WEEKS + 3)) == []


def test_cartridges_that_a_site_owned_before_are_used_unless_it_says_how_many_are_new() -> None:
    """Twenty are more than the retention needs, so none is bought."""
    assert initialised(loaded_cartridge(0, cartridges=20), saturday(0)) == []
    assert initialised(loaded_cartridge(5, cartridges=20), saturday(0)) == []  # the used ones come first
    assert initialised(loaded_cartridge("all", cartridges=20), saturday(0)) == [pytest.approx(HOUR)]
    assert initialised(loaded_cartridge(0), saturday(0)) == [pytest.approx(HOUR)]  # it has none, and buys one


def test_a_plan_takes_the_time_in_the_first_weeks_only() -> None:
    """The copies of both systems go to one cartridge, which the first one has initialised."""
    new, none = (_copies(plan(loaded_cartridge(new, time="2 h"), "20 weeks")) for new in ("all", None))
    longer = [round((new[night] - none[night]) / HOUR, 1) for night in sorted(new)]
    assert longer == [2.0] * (WEEKS + 1) + [0.0] * (len(longer) - WEEKS - 1)
    assert len(longer) > WEEKS + 3


def _copies(found: Any) -> dict[date, float]:
    """Seconds until the copy of the first system was on tape, by night."""
    return {verdict.night: verdict.elapsed for verdict in found.verdicts if verdict.copy and verdict.system == "first"}


def test_more_new_cartridges_than_cartridges_are_refused() -> None:
    with pytest.raises(InputError, match="there are more new cartridges than cartridges"):
        loaded_cartridge(90_000)


# Media servers
TB = 1e12


def media(servers: int, **policy: Any) -> PlannedSite:
    """Twelve systems of 1 TB on a fast network; each server takes two at a time over 10 GbE of its own."""
    made = site(
        systems={
            f"s{i}": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}
            for i in range(12)
        },
        zone="UTC",
    )
    one = made["targets"].pop("pool") | {
        "network": "network/ten-gigabit-ethernet", "limit": {"at_once": 2, "order": "longest_first"},
    }  # fmt: skip
    names = [f"media{i}" for i in range(servers)]
    made["targets"] = {name: dict(one) for name in names} | {"vault": made["targets"]["vault"] | {"beside": names}}
    made["network"] = "network/hundred-gigabit-ethernet"
    made["policies"]["nightly"] |= {"to": names, **policy}
    return load_site(made)


def test_systems_are_divided_among_media_servers() -> None:
    loaded = media(3)
    assert Counter(system.policy for system in loaded.systems) == {f"nightly-media{i}": 4 for i in range(3)}
    last = list(Ledger(loaded).days(loaded.start))[-1]
    assert [last.stocks[f"media{i}"].used for i in range(3)] == pytest.approx([4 * TB] * 3)


def test_three_media_servers_take_a_third_of_the_time() -> None:
    """12 TB through one card of 1.25 GB/s, or 4 TB through each of three."""
    one, three = (plan(media(n), "1 day") for n in (1, 3))
    ends = [max(one.elapsed for one in found.verdicts if not one.copy) for found in (one, three)]
    assert ends[0] >= 12 * TB / 1.25e9
    assert ends[0] / ends[1] == pytest.approx(3.0, rel=0.02)
    assert [key[0] for key in three.windows.levels] == ["nightly-*", "nightly-*"]  # backups, and their copies


def test_what_one_media_server_had_is_lost_with_it() -> None:
    """The others are as new as last night; those that it had come from the tapes of Saturday."""
    loaded = media(2)
    found = restore(loaded, "site", loaded.start.replace(day=13), "media0")
    assert Counter(one.source for one in found.systems) == {"vault": 6, "media1": 6}
    assert {one.lost for one in found.systems} == {16 * 3600.0, (3 * 24 + 16) * 3600.0}


def test_divided_among_servers_and_days() -> None:
    loaded = media(2, spread=True)
    assert max(Counter(system.policy for system in loaded.systems).values()) == 1
    assert loaded.file.written(loaded.systems[0].policy) == "nightly"
