"""The ledger of a plan by hand: dates, windows, retention as published, cartridges, what is rewritten and copied."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sites.plan import TEXT, site

import simbackup as sb
from simbackup import shelf
from simbackup.errors import InputError
from simbackup.planning.goals import goals_of
from simbackup.planning.ledger import Day, Ledger, Ledgers, evenings
from simbackup.planning.loading import read_site
from simbackup.planning.night import room_of
from simbackup.planning.points import Points
from simbackup.planning.restore_points import play
from simbackup.planning.site import PlannedSite, load_site
from simbackup.planning.stored import Cartridges
from simbackup.planning.variants import compared
from simbackup.planning.windows import Counted, Windows
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.retention import Retention
from simbackup.schema.yaml_file import parse
from tests.cases import for_each, grid

LAST = date(2029, 1, 6)
DAILY = 0.03


def days(last: date = LAST, **parts: Any) -> list[Day]:
    return list(Ledger(load_site(site(**parts))).days(last))


def policy(**keys: Any) -> dict[str, Any]:
    return {"nightly": {"to": "pool", "at": "20:00", "schedule": {"full": "saturday", "incremental": "daily"}} | keys}


def one(growth: float = 0.0, size: str = "10 TB") -> dict[str, Any]:
    change = {"daily": f"{DAILY * 100} %", "growth": growth, "run": "256 KiB"}
    return {"a": {"size": size, "change": change, "policy": "nightly"}}


def test_logs_are_kept_until_their_target_lets_them_go() -> None:
    """Those after a point that is kept for two days have been made a day later, and are locked for ten more days."""
    keys: dict[str, Any] = {"schedule": {"full": "daily"}, "retention": {"last": 2}}
    policies = policy(**keys, logs={"every": "1 h", "to": ["far"]})
    pool, held = site()["targets"]["pool"], list[float]()
    for lock in ("0 s", "10 days"):
        targets = {"pool": pool, "far": pool | {"place": "second", "immutable": lock}}
        found = days(date(2027, 2, 1), systems=one(), policies=policies, targets=targets, zone="UTC")
        held.append(found[-1].stocks["far"].used)
    assert held[1] == pytest.approx(10 * held[0])


@pytest.mark.slow
@for_each("weekday, growth", grid(range(7), [0.0, 0.2, 1.0]))
def test_a_pool_holds_what_a_closed_form_has(growth: float, weekday: int) -> None:
    """Weekly full and daily incremental backups for 35 days, by two geometric series; days count from a Saturday."""
    found = days(systems=one(growth), policies=policy(retention={"age": "35 days"}), zone="UTC")
    last = next(i for i in range(len(found) - 1, 0, -1) if (found[i].day.weekday() - 5) % 7 == weekday)
    size, shrink = 10e12 * (1 + growth) ** ((last + 8 / 24) / 365), (1 + growth) ** (-1 / 365)
    share = 1 - (1 - DAILY) * shrink
    held = (weekday + 1) % 7  # the oldest that is kept is so many days after its full backup
    there = 35 + held
    fulls = sum(shrink**i for i in range(weekday, there, 7))
    everything = (1 - shrink**there) / (1 - shrink) if growth else there
    closed = size * (fulls + share * (everything - fulls))
    assert found[last].stocks["pool"].used == pytest.approx(closed, rel=0.01)
    assert found[last].stocks["pool"].used == pytest.approx(closed, rel=1e-6)


def test_cartridges_over_a_year_are_those_of_a_hand_count() -> None:
    """20 TB each Saturday take two cartridges of 18 TB, kept 13 weeks: 14 weeks are there when one is written."""
    systems = one(size="20 TB")
    found = days(date(2027, 12, 31), systems=systems)
    assert [day.stocks["vault"].cartridges for day in found[::7]] == [min(2 * (week + 1), 26) for week in range(52)]
    assert found[-1].stocks["vault"].bought == 28
    assert found[-1].stocks["vault"].empty == 2


def state(ledger: Ledger) -> dict[str, Any]:
    """All that a ledger has of its save sets, and the cartridges that they are on."""
    found: dict[str, Any] = {
        name: [(each.bought, each.written) for each in cases] for name, cases in ledger.tapes.items()
    }
    for name, stock in ledger.stocks.items():
        for copy, place in stock.places.items():
            sizes = {number: list(each) for number, each in place.sizes.items()}
            found[f"{name} {copy}"] = place.series.points, place.series.kept, sizes, place.together, place.files
    return found


def test_ledgers_at_many_moments_are_those_of_each_alone() -> None:
    """Before and after the runs of a day, in any order, and on the first day."""
    loaded = load_site(site())
    ledgers, first = Ledgers(loaded, date(2027, 6, 1)), datetime(2027, 1, 2, 12, tzinfo=loaded.zone)
    for days, hours in ((180, 0), (170, 10), (180, 10), (0, 0), (181, -6), (0, 10), (400, 10)):
        now = first + timedelta(days=days, hours=hours)
        alone = Ledger(loaded)
        for _ in alone.days(now):
            pass
        assert repr(state(ledgers.at(now))) == repr(state(alone))


# Each save set belongs to the date on which its job is scheduled to begin
FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}


def morning(**keys: Any) -> dict[str, Any]:
    """Full backups on Saturdays and incrementals on the other days at half past two."""
    rules = {"to": "pool", "at": "02:30", "schedule": {"full": "saturday", "incremental": "daily"}}
    return site(policies={"nightly": rules | keys}, start="2027-01-04")


def days_date(parts: dict[str, Any], last: date | datetime = date(2027, 2, 1)) -> list[Day]:
    return list(Ledger(load_site(parts)).days(last))


def test_every_two_weeks_counts_from_the_start_for_copies_too() -> None:
    parts = morning(copies={"away": {"to": "far", "on": "every 2 weeks on monday"}})
    parts["targets"] |= {"far": FAR}
    copied = [str(time)[:10] for day in days_date(parts) for run, time in day.runs if run.copies]
    assert copied == ["2027-01-04", "2027-01-18", "2027-02-01"]


def test_a_night_finds_what_the_morning_before_left() -> None:
    ledger = days_date(morning(schedule={"full": "daily"}), date(2027, 1, 6))
    found = evenings(ledger)
    assert [str(night.day) for night in found if night.runs] == ["2027-01-03", "2027-01-04", "2027-01-05"]
    for before, night in zip(found, ledger, strict=False):
        assert before.stocks["pool"].used == night.stocks["pool"].used


@for_each(
    "at, window, windows, due, closes",
    [
        ("02:30", "20:00 to 06:00", {"friday": "18:00 to 12:00"}, "2027-01-09 02:30", "2027-01-09 12:00"),
        ("02:30", "20:00 to 06:00", {"saturday": "18:00 to 12:00"}, "2027-01-09 02:30", "2027-01-09 06:00"),
        ("02:30", "02:00 to 06:00", {"saturday": "02:00 to 09:00"}, "2027-01-09 02:30", "2027-01-09 09:00"),
        ("19:00", "20:00 to 06:00", {}, "2027-01-09 19:00", "2027-01-10 06:00"),
        ("07:00", "20:00 to 06:00", {}, "2027-01-09 07:00", "2027-01-10 06:00"),
        ("20:00", None, {"monday": "18:00 to 06:00"}, "2027-01-09 20:00", "2027-01-12 06:00"),
        ("20:00", None, {}, "2027-01-09 20:00", None),
    ],
)
def test_a_job_is_judged_by_the_window_in_which_it_begins_or_by_the_next(
    at: str, window: str | None, windows: dict[str, str], due: str, closes: str | None
) -> None:
    loaded = load_site(morning(at=at, window=window, windows=windows))
    time = datetime.fromisoformat(due).replace(tzinfo=loaded.zone)
    opening = loaded.opening("nightly", time)
    assert (None if opening is None else f"{opening.closes:%Y-%m-%d %H:%M}") == closes
    night = next(night for night in evenings(days_date(morning(at=at), date(2027, 1, 9))[-1:]) if night.runs)
    room = room_of(loaded.file, night.runs[0][0], night.day)
    assert room == (None if opening is None else (opening.closes - time).total_seconds())


def test_the_window_of_the_evening_before_the_start_may_still_be_open() -> None:
    loaded = load_site(morning(at="05:00", windows={"daily": "22:00 to 07:00"}))
    opening = loaded.opening("nightly", datetime(2027, 1, 4, 5, tzinfo=loaded.zone))
    assert opening is not None
    assert opening.length == 9 * 3600
    assert f"{opening.closes:%Y-%m-%d %H:%M}" == "2027-01-04 07:00"


@for_each("size", [5.0, 18.0, 20.0, 54.0])
def test_a_rotation_needs_what_one_counts_by_hand(size: float) -> None:
    tapes, weeks = Cartridges(18.0, fresh=True), 6
    for week in range(52):
        tapes.session([(week, size, 9)])
        tapes.free({week - weeks})
    each = math.ceil(size / 18.0)
    assert tapes.in_use == weeks * each
    assert tapes.bought == (weeks + 1) * each  # the new week is written before the oldest is let go


# Windows
LATE, LATER = date(2027, 1, 9), date(2027, 2, 6)


def test_systems_that_miss_alike_are_one_line() -> None:
    """Their longest backups may differ; another first night or cause is another line."""
    found = Windows({
        "vm02": Counted(10, 3, LATE, "copy on links.wan", 5.0),
        "db": Counted(10, 3, LATER, "copy on links.wan", 5.0),
        "vm01": Counted(10, 3, LATE, "copy on links.wan", 7.0),
        "fine": Counted(10, 0, None, "", 1.0),
    }).late()  # fmt: skip
    assert found == [
        (("vm01", "vm02"), Counted(10, 3, LATE, "copy on links.wan", 7.0)),
        (("db",), Counted(10, 3, LATER, "copy on links.wan", 5.0)),
    ]


# Retention as publications state it
SUNDAY = date(2027, 1, 3)
FULL = Level.FULL


def planned(start: date = SUNDAY, **policy: Any) -> PlannedSite:
    """A site with one policy, which runs each evening."""
    parts = site(start=str(start), zone="UTC")
    parts["policies"]["nightly"] = {"to": "pool", "at": "20:00", **policy}
    return load_site(parts)


def on_disk(found: PlannedSite, days: int, copy: str = "") -> list[int]:
    """Save sets on the target at the end of each of some days that have a run."""
    points = Points.of(found, "nightly")
    until = found.begin + timedelta(days=days - 1, hours=12)
    return [len(points.series[copy].points) for _ in play(found, "nightly", points, None, until)]


def test_a_chain_goes_when_the_next_one_has_as_many_points_as_are_kept() -> None:
    """Veeam, `retention_incremental`: three points, the first full on Sunday, the next on Thursday.

    The chain of Sunday to Wednesday goes on Saturday, and that of the first Thursday on the Saturday after.
    """
    found = planned(schedule={"full": "thursday", "incremental": "daily"}, retention={"last": 3})
    assert on_disk(found, 14) == [1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 8, 9, 3]


def test_a_copy_with_full_backups_loses_the_chain_before_on_the_fourth_day() -> None:
    """Veeam, `active_full_archive_retention`: four points of a daily copy from Sunday on, a full backup on Thursday.

    On Sunday, the whole chain before that of Thursday goes.
    """
    found = planned(schedule={"full": "thursday", "incremental": "daily"}, retention={"last": 4})
    assert on_disk(found, 15) == [1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 4]


def test_fourteen_points_with_a_full_backup_a_month_are_at_times_forty_five() -> None:
    """Veeam, best practices for 7.0, `ret_example_2`: 31 of a month and 14 of the next, before the 31 are deleted."""
    found = planned(
        date(2027, 1, 1), schedule={"full": "day 1", "incremental": "daily"}, retention={"last": 14}
    )  # fmt: skip
    points, most = Points.of(found, "nightly"), list[int]()
    for run in play(found, "nightly", points, None, found.begin + timedelta(days=365)):
        most.append(len(points.series[""].points) + len(run.expired[""].freed))
    assert max(most) == 31 + 14
    assert on_disk(found, 60) == [*range(1, 45), 14, *range(15, 30)]  # those of January go on 14 February


def test_forever_forward_incremental_holds_no_more_than_are_kept() -> None:
    """Veeam, `retention_forever`: seven points, a full backup on Sunday and incrementals after it.

    On the next Sunday, the oldest incremental is merged into the full backup, whose own state goes.
    """
    found = planned(schedule={"incremental": "daily"}, merges=True, retention={"last": 7})
    assert on_disk(found, 10) == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    points = Points.of(found, "nightly")
    runs = [*play(found, "nightly", points, None, found.begin + timedelta(days=7, hours=12))]
    (below, heir), *others = runs[-1].expired[""].merges
    assert (below.time.date(), heir.time.date(), others) == (SUNDAY, SUNDAY + timedelta(days=1), [])
    oldest = min(points.series[""].points.values(), key=lambda point: point.number)
    assert (oldest.time.date(), oldest.level) == (SUNDAY + timedelta(days=1), FULL)


def test_a_weekly_full_backup_goes_after_as_many_weeks() -> None:
    """Veeam, `gfs_flags_removal`: a weekly flag goes after N times seven days, here of copies of Sunday's full backups.

    The first is of day 0; with four weeks it goes on day 28, when the fifth comes.
    """
    weekly = {"to": "vault", "which": "full", "retention": {"age": "4 weeks"}}
    schedule = {"full": "sunday", "incremental": "daily"}
    found = planned(schedule=schedule, retention={"last": 7}, copies={"gfs": weekly})
    by_day = on_disk(found, 43, "gfs")
    assert [by_day[day] for day in (0, 6, 7, 14, 21, 27, 28, 35, 42)] == [1, 1, 2, 3, 4, 4, 4, 4, 4]


def points_on(*times: datetime) -> list[RestorePoint]:
    return [RestorePoint(i, time, FULL) for i, time in enumerate(times)]


def test_days_count_only_if_they_have_a_snapshot() -> None:
    """restic, `060_forget`: twelve Sundays from 2019-09-01 on; four daily ones are the last four Sundays."""
    points = points_on(*(datetime(2019, 9, 1, 11, tzinfo=UTC) + timedelta(weeks=i) for i in range(12)))
    kept = Retention(daily=4).kept(points, points[-1].time)
    assert {str(points[number].time.date()) for number in kept} == {
        "2019-10-27", "2019-11-03", "2019-11-10", "2019-11-17",
    }  # fmt: skip


def test_a_snapshot_a_day_for_a_hundred_years() -> None:
    """restic, `060_forget`: 7 daily, 5 weekly, 12 monthly and 75 yearly ones of a snapshot a day for 100 years.

    The last day is a Sunday, and the end of a month and of a year: it is one of the 5, of the 12 and of the 75, too.
    """
    last = datetime(2023, 12, 31, 11, tzinfo=UTC)
    points = points_on(*(last - timedelta(days=i) for i in reversed(range(36_525))))
    rules = Retention(daily=7, weekly=5, monthly=12, yearly=75).rules(points, points[-1].time)
    assert {rule: len(kept) for rule, kept in rules.items()} == {
        "daily 7": 7, "weekly 5": 5, "monthly 12": 12, "yearly 75": 75,
    }  # fmt: skip
    daily, weekly, monthly = rules["daily 7"], rules["weekly 5"], rules["monthly 12"]
    assert len(daily | weekly) == 7 + 4
    assert len(daily | weekly | monthly) == 7 + 4 + 11
    assert len(set[int]().union(*rules.values())) == 7 + 4 + 11 + 74


# Save sets that are rewritten
PRICED = TEXT.replace("machines:", "prices: prices/list-2026\nmachines:")
SOLD = TEXT.replace("    place: vault\n", "    place: vault\n    prices: prices/list-2026\n")


def figures(prices: Any) -> dict[str, Any]:
    """What a site or a datasheet states, in SI units."""
    return {key: getattr(value, "si", value) for key, value in prices if key != "model" and value is not None}


@pytest.mark.parametrize(("text", "where"), [(PRICED, ""), (SOLD, "targets.vault.")])
def test_a_key_below_the_name_of_a_datasheet_changes_that_key_alone(text: str, where: str) -> None:
    spec = read_site(text, {f"{where}prices.cartridge": 77}).spec
    found = spec.targets["vault"].prices if where else spec.prices
    assert figures(found) == figures(shelf.load_datasheet("prices/list-2026").parameters) | {"cartridge": 77.0}


def test_devices_in_devices_and_hosts_keep_their_datasheets() -> None:
    changes = {"targets.pool.device.disk.capacity": "18 TB", "machines.guest.host.cores": 3, "network.rate": "1 GB/s"}
    loaded = load_site(TEXT, changes)
    assert loaded.targets["pool"].capacity == 10 * 18e12  # twelve disks, two of them for parity
    host, network = loaded.file.part("machines", "guest", "host"), loaded.file.part("network")
    assert host is not None
    assert host.plain() == {"model": "host/linux-modern-server", "cores": 3}
    assert network is not None
    assert network.plain() == {"model": "network/ten-gigabit-ethernet", "rate": "1 GB/s"}


@for_each(
    "address, message",
    [
        ("prices.cartrige", "prices.cartrige: is not known here; did you mean 'cartridge'?"),
        ("policies.nightly.tool.copy_cpu", "policies.nightly.tool.copy_cpu"),
        ("zone.name", "zone: {'name': 1} is not text; write text"),
    ],
)
def test_a_key_that_no_datasheet_has_is_refused_at_its_address(address: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        load_site(PRICED, {address: 1})
    assert message in str(wrong.value)


def test_a_misspelt_datasheet_is_still_reported_where_it_is() -> None:
    with pytest.raises(InputError) as wrong:
        read_site(PRICED.replace("list-2026", "lists-2026"))
    assert str(wrong.value).startswith("site:6:9: prices.model: there is no datasheet 'prices/lists-2026'")


def test_values_below_the_name_of_a_datasheet_vary() -> None:
    address = "targets.pool.device.disk.capacity"
    sites = {size: load_site(PRICED, {address: size}) for size in ("500 GB", "20 TB")}
    found = compared(sites, "9 days", goals_of(parse("fits: true\n", "goals")), nights=False)
    # two full backups of 3 TB, a week apart, fit ten disks of 20 TB, not ten of 500 GB
    assert {one.name: [goal.goal for goal in one.missed] for one in found} == {
        "20 TB": [], "500 GB": ["pool fits"],
    }  # fmt: skip


GROUPS = TEXT.replace(
    "  first: {size: 1 TB", "  first: {priority: 2, size: {value: 1 TB, basis: assumed, range: [500 GB, 3 TB], why: a}"
)
GROUPS += "  third: {size: 500 GiB, change: change/database, policy: gold}\n"
GROUPS = GROUPS.replace("  nightly:\n", "  gold: {to: pool, at: '20:00', schedule: {full: daily}}\n  nightly:\n")


@for_each(
    "address, value, sizes",
    [
        ("systems.*.size", "x2", [2e12, 4e12, 1000 * 1024**3]),
        ("systems.policy:gold.size", "x 0.5", [1e12, 2e12, 250 * 1024**3]),
        ("systems.*d.size", "3 TB", [1e12, 3e12, 3e12]),
        ("systems.change:change/database.size", "1 TB", [1e12, 2e12, 1e12]),
        ("systems.first.size", "x3", [3e12, 2e12, 500 * 1024**3]),
    ],
)
def test_groups_of_systems_are_changed_at_once(address: str, value: str, sizes: list[float]) -> None:
    found = read_site(GROUPS, {address: value}).spec
    assert [system.size.si for system in found.systems.values()] == sizes


def test_a_factor_multiplies_ranges_and_what_a_datasheet_states() -> None:
    loaded = load_site(GROUPS, {"systems.*.size": "x2", "systems.*.change.daily": "x2"})
    first = loaded.file.spec.systems["first"].size
    assert (first.low, first.high, first.basis) == (1e12, 6e12, "assumed")
    before = load_site(GROUPS)
    assert [each.change.daily for each in loaded.systems] == [2.0 * each.change.daily for each in before.systems]


def test_a_factor_of_a_group_leaves_out_those_that_state_nothing() -> None:
    """Only the file server has files."""
    written = {one.name: one.files for one in load_site(GROUPS).systems}
    now = {one.name: one.files for one in load_site(GROUPS, {"systems.*.files": "x2"}).systems}
    assert [now[name] / each for name, each in written.items()] == [1.0, 2.0, 1.0]


@for_each(
    "address, value, message",
    [
        ("systems.db*.size", "x2", "overrides: systems.db*.size: names nothing in the site"),
        ("systems.*.policy", "x2", "overrides: systems.first.policy: is no quantity that 'x2' could multiply"),
        ("systems.first.files", "x2", "overrides: systems.first.files: is no quantity that 'x2' could multiply"),
    ],
)
def test_groups_and_factors_without_a_quantity_are_refused(address: str, value: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        read_site(GROUPS, {address: value})
    assert message in str(wrong.value)


CHANGE = {"change": {"daily": "3 %", "run": "256 KiB"}}


def loads(systems: dict[str, Any], policies: dict[str, Any], **parts: Any) -> dict[str, float]:
    """Bytes by the last part of the name of a policy: a day or a target."""
    found: dict[str, float] = {}
    for client in load_site(site(systems=systems, policies=policies, **parts)).systems:
        part = client.policy.rpartition("-")[2]
        found[part] = found.get(part, 0.0) + client.size
    return found


def test_days_on_which_others_save_are_avoided() -> None:
    """Full backups of one policy are on Saturday, and those that are spread on the other six days."""
    fixed = site()["policies"]["nightly"]
    systems = {"large": {"size": "9 TB", "policy": "fixed"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "wide"} | CHANGE for i in range(12)}
    found = loads(systems, {"fixed": fixed, "wide": fixed | {"spread": True}})
    assert "saturday" not in found
    assert [size for part, size in found.items() if part != "fixed"] == [2e12] * 6


# Copies: windows, and bytes of synthetic full backups
ARRAY = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022", "disks": 12}


def copies_of(site: dict[str, Any], days: int, **copy: Any) -> list[dict[str, Any]]:
    """The rows of the only copy in the nights of a plan."""
    common = {
        "title": "one copy",
        "network": "network/ten-gigabit-ethernet",
        "machines": {"guest": {"host": "host/linux-modern-server", "storage": "ssd/nvme-gen3-2018"}},
        "systems": {"a": {"size": "1 TB", "change": {"daily": "1 %", "run": "256 KiB"}, "policy": "p"}},
    }
    policy = {"to": "pool", "at": "20:00", "retention": {"age": "3 weeks"}, "copies": {"c": copy}}
    policies = {"p": policy | site.pop("policy")}
    nights = sb.plan({**common, **site, "policies": policies}, f"{days} days").tables()["nights"]
    return [row for row in nights if row["copy"] == "c"]


def second(**site: Any) -> dict[str, Any]:
    pool = {"host": "host/linux-modern-server", "device": ARRAY}
    return {"targets": {"pool": pool, "second": pool | {"place": "second"}}, **site}


def test_a_copy_has_until_the_first_such_time_after_it_begins() -> None:
    site = second(start="2027-01-08", policy={"schedule": {"incremental": "daily"}, "merges": True})
    found = copies_of(site, 3, to="second", at="08:00", by="monday 06:00")
    assert [row["window"] / 3600 for row in found] == [58.0, 34.0, 178.0]  # that of Sunday begins on Monday at 08:00


def test_a_copy_has_an_hour_more_when_clocks_go_back() -> None:
    site = second(start="2027-11-05", zone="America/New_York", policy={"schedule": {"full": "daily"}})
    assert [row["window"] for row in copies_of(site, 3, to="second", by="20:00")] == [86_400.0, 90_000.0, 86_400.0]


@for_each(
    "other",
    [
        {"daily": "3 %", "run": "8 KiB"},
        {"daily": "1 %", "run": "1 MiB"},
        {"daily": "3 %", "growth": "40 %", "run": "1 MiB"},
    ],
)
def test_systems_that_change_otherwise_have_their_own_new_chunks_side_by_side(other: dict[str, Any]) -> None:
    """A pool with both of two systems, which differ in one key of their changes, holds what pools with one hold."""
    chunks = {"model": "deduplication/appliance-2010", "at": "target"}
    pool = {"host": "host/linux-modern-server", "device": ARRAY, "deduplication": chunks}
    systems = {
        name: {"size": "1 TB", "change": change, "policy": "nightly"}
        for name, change in {"a": {"daily": "3 %", "run": "1 MiB"}, "b": other}.items()
    }

    def used(**there: Any) -> float:
        return days(date(2027, 1, 20), systems=there, policies=policy(), targets={"pool": pool})[-1].stocks["pool"].used

    alone = [used(**{name: one}) for name, one in systems.items()]
    assert used(**systems) == pytest.approx(sum(alone))
    assert alone[0] != pytest.approx(alone[1], rel=0.01)


def test_a_synthetic_full_backup_leaves_a_deduplicating_pool_as_a_whole() -> None:
    drive = {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 2}
    chunks = {"model": "deduplication/appliance-2010", "at": "target"}
    site = {
        "start": "2027-01-06",
        "targets": {
            "pool": {"host": "host/linux-modern-server", "device": ARRAY, "deduplication": chunks},
            "vault": {"beside": "pool", "link": {"rate": "800 MB/s", "latency": "0.1 ms"}, "device": drive},
        },
        "policy": {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}},
    }
    first, synthetic = copies_of(site, 5, to="vault", which="full")
    assert first["bytes"] == synthetic["bytes"] == 1e12
    assert synthetic["elapsed"] > 1e12 / 400e6  # an LTO-9 drive writes 400 MB/s


def test_policies_that_spread_share_the_days() -> None:
    """One large system of one policy, seven small ones of another: none of these is saved on the day of the first."""
    policy = site()["policies"]["nightly"] | {"spread": True}
    systems = {"large": {"size": "7 TB", "policy": "a"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "b"} | CHANGE for i in range(7)}
    found = loads(systems, {"a": policy, "b": policy})
    assert found["monday"] == 7e12
    assert sorted(found.values()) == [1e12] * 5 + [2e12, 7e12]


def test_policies_that_divide_among_targets_share_these() -> None:
    pool = site()["targets"]["pool"]
    policy = site()["policies"]["nightly"] | {"to": ["pool", "second"]}
    policy.pop("copies")
    systems = {"large": {"size": "4 TB", "policy": "a"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "b"} | CHANGE for i in range(4)}
    found = loads(systems, {"a": policy, "b": policy}, targets=site()["targets"] | {"second": pool})
    assert found == {"pool": 4e12, "second": 4e12}
