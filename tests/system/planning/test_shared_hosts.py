"""Hosts and datastores that systems share, at sites of any size."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import pytest
from sites.plan import site
from sites.shared import FLASH, GUESTS, SERVER, SIZE, line, shared_site

from simbackup.errors import InputError
from simbackup.experiments.processes import pool_of
from simbackup.planning.cautions import idle_keys
from simbackup.planning.intervals import sureness
from simbackup.planning.ledger import Day, Ledger
from simbackup.planning.loading import found, read_site
from simbackup.planning.night import Night
from simbackup.planning.origins import Origins
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Player, Simulator
from simbackup.planning.reasons import night_reasons
from simbackup.planning.restore import restore, scope_of
from simbackup.planning.site import PlannedSite, load_site
from simbackup.policies.calendar import end_of
from simbackup.results.result import Result
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

ALL = GUESTS * SIZE
PROXY = {"proxy1": {"host": SERVER, "slots": 4}}


def first_night(made: dict[str, Any]) -> Result:
    site = load_site(made)
    return Player(site).result(Night.first(site.file))


def took(result: Result) -> float:
    """Seconds from the first start to the last end of the backups of guests."""
    rows = [row for row in result.job_rows if str(row["job"]).startswith("guest")]
    return max(row["end"] for row in rows) - min(row["start"] for row in rows)


def cause(made: dict[str, Any], result: Result, job: str = "guest0") -> str:
    """The part of the site on which a backup spends most of its time."""
    address, _ = next(iter(result.causes(job)))
    return Origins(load_site(made).file, {}).called(address)


def used(result: Result, part: str) -> float:
    """Bytes that passed a port or a link."""
    return next((float(row["bytes"]) for row in result.device_rows if row["device"] == part), 0.0)


def test_cores_of_a_host_are_shared() -> None:
    """One core moves 0.4 GB/s between a program and the page cache, whoever's data these are."""
    one_core = {**SERVER, "cores": 1, "copy_rate": "0.4 GB/s"}
    apart, together = shared_site([f"esx{i}" for i in range(GUESTS)]), shared_site()
    for host in (*apart["hosts"].values(), *together["hosts"].values()):
        host["host"] = one_core
    together["hosts"]["esx1"]["network"] = line("50 GB/s")
    assert took(first_night(together)) == pytest.approx(GUESTS * took(first_night(apart)), rel=0.02)


def test_two_proxies_divide_the_systems() -> None:
    made = shared_site(("esx1",), {"proxy": ["proxy1", "proxy2"]})
    made["hosts"] |= PROXY | {"proxy2": {"host": SERVER}}
    result = first_night(made)
    assert took(result) == pytest.approx(ALL / 2e9, rel=0.01)
    assert [used(result, f"links.san-link.proxy{i}.receive") for i in (1, 2)] == pytest.approx([ALL / 2] * 2)


def test_a_proxy_that_is_a_guest_uses_the_links_of_its_host() -> None:
    """Hot-add: data pass the fabric and the adapter of the host on which the proxy runs."""
    made = shared_site(("esx1", "esx2"), {"proxy": "proxy1"})
    made["hosts"]["proxy1"] = {"host": "host/linux-modern-server", "within": "esx2"}
    result = first_night(made)
    assert took(result) == pytest.approx(ALL / 1e9, rel=0.01)
    assert used(result, "links.san-link.esx2.receive") == used(result, "links.network.esx2.send") == pytest.approx(ALL)
    assert used(result, "links.network.esx1.send") == 0.0


def test_a_proxy_that_requests_over_the_network_uses_the_hosts_of_the_systems() -> None:
    """Network mode: all goes from the host over its adapter to the proxy, and on to the pool."""
    made = shared_site(("esx1",), {"proxy": "proxy1"})
    made["hosts"]["proxy1"] = {"host": SERVER, "share": {"calls": 0, "request": "1 MiB"}}
    result = first_night(made)
    assert took(result) == pytest.approx(ALL / 1e9, rel=0.02)
    for part in ("esx1.send", "proxy1.receive", "proxy1.send"):
        assert used(result, f"links.network.{part}") == pytest.approx(ALL)


def test_hosts_behind_an_uplink_share_it() -> None:
    made = shared_site(("esx1", "esx2"), uplinks={"rack1": line("1.25 GB/s")})
    for host in made["hosts"].values():
        host["uplink"] = "rack1"
    result = first_night(made)
    assert took(result) == pytest.approx(ALL / 1.25e9, rel=0.01)
    assert cause(made, result) == "uplinks.rack1"


def test_a_local_datastore_is_inside_its_host() -> None:
    made = shared_site(datastores={"local": {"device": {**FLASH, "read_rate": "0.25 GB/s"}}})
    assert took(first_night(made)) == pytest.approx(ALL / 0.25e9, rel=0.01)


def test_a_datastore_on_the_network_sends_over_it_to_its_hosts() -> None:
    """A NAS at a port of 1 GB/s: its hosts receive and send at the same time."""
    made = shared_site(("esx1", "esx2"), datastores={"nas": {"device": FLASH, "link": "network"}})
    result = first_night(made)
    assert took(result) == pytest.approx(ALL / 1e9, rel=0.01)
    assert cause(made, result) == "network.nas.send"


def test_a_media_server_handles_as_many_as_it_has_slots_for_all_its_targets() -> None:
    made = shared_site(("esx1",), {"copies": {"again": {"to": "second"}}})
    made["hosts"]["media"] = {"host": SERVER, "network": line("100 GB/s"), "slots": 2}
    made["targets"] = {name: {"host": "media", "device": FLASH} for name in ("pool", "second")}
    result = first_night(made)
    spans = [(row["start"] + row["waits"], row["end"]) for row in result.job_rows]
    assert max(sum(begin <= at < end for begin, end in spans) for at, _ in spans) == 2
    assert len(spans) == 2 * GUESTS


def test_targets_share_a_library_and_its_drives() -> None:
    """Two policies write to pools of one library with one drive: the second waits for it."""
    made = shared_site()
    device = {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 1,
              "pools": {"one": 10, "two": 10}}  # fmt: skip
    library = {"beside": "pool", "link": line("1.6 GB/s"), "device": device, "pool": "one"}
    made["targets"] |= {"weekly": library, "monthly": {"device": "weekly", "pool": "two"}}
    made["policies"]["nightly"]["copies"] = {"a": {"to": "weekly"}, "b": {"to": "monthly", "at": "08:00"}}
    site = load_site(made)
    result = Player(site).result(Night.first(site.file))
    spans = sorted(
        (row["start"] + row["waits"], row["end"]) for row in result.job_rows if str(row["job"])[-2:-1] == "-"
    )
    assert len(spans) == 2 * GUESTS
    assert sum(row["bytes"] for row in result.job_rows if str(row["job"])[-2:-1] == "-") == pytest.approx(2 * ALL)
    assert all(next_begin >= end - 1.0 for (_, end), (next_begin, _) in pairwise(spans))
    found = plan(site, "3 days")
    assert [found.days[-1].stocks[name].cartridges for name in ("weekly", "monthly")] == [1, 1]


def test_restores_by_a_proxy_take_its_slots() -> None:
    """With one slot, the last of ten restores begins when nine are back."""
    made = shared_site(("esx1",), {"proxy": "proxy1"})
    made["hosts"]["proxy1"] = {"host": SERVER, "slots": 1}
    found = restore(load_site(made), "site", date(2027, 1, 3), at_once=GUESTS, intervals="none")
    assert max(one.starts for one in found.systems) == pytest.approx(0.9 * ALL / 1e9, rel=0.01)


def test_a_plan_names_the_shared_part_as_the_bottleneck() -> None:
    """An incremental sends 1 GB of each guest, and the full backup of the second Saturday 100 GB: 500 s, not 300."""
    made = shared_site(("esx1", "esx2"), {"window": "20:00 to 20:05"})
    found = plan(load_site(made), "10 days")
    why = night_reasons(found, date(2027, 1, 9))
    assert {next(iter(one.causes)).address for one in why.found} <= {"network.esx1.send", "network.esx2.send"}
    assert len(found.windows.systems) == GUESTS
    assert all("save on network.esx" in one.cause for one in found.windows.systems.values())


@pytest.mark.slow
def test_the_interval_names_the_shared_part_that_matters() -> None:
    rate = {"value": "0.5 GB/s", "basis": "assumed", "range": ["0.25 GB/s", "1 GB/s"], "why": "nobody has measured it"}
    san = {"san": {"device": {**FLASH, "read_rate": rate}, "link": line("9 GB/s")}}
    found = sureness(plan(load_site(shared_site(datastores=san)), "10 days"))
    assert found.night is not None
    assert found.night.decides[0].startswith("datastores.san.device.read_rate")


def test_systems_are_named_by_the_datastore_on_which_they_lie_by_default() -> None:
    made = load_site(shared_site())
    assert scope_of(made, "client datastore:s*")[0] == made.systems


def test_a_system_needs_a_host_and_a_datastore_a_link_to_several() -> None:
    made = shared_site(("esx1", "esx2"), datastores={"san": {"device": FLASH}})
    del made["systems"]["guest0"]["host"]
    made["systems"]["guest2"].pop("host")
    made["systems"]["guest2"]["datastore"] = "san"
    with pytest.raises(InputError) as wrong:
        load_site(made)
    found = {problem.address: problem.message for problem in wrong.value.problems}
    assert found["systems.guest0"] == "has no host"
    assert found["systems.guest2.datastore"] == "needs a 'host'"
    assert "serves 2 hosts (esx1, esx2), and has no link to them" in str(wrong.value)


@for_each(
    "growth, sizes",
    [
        ("50 GB/year", [150e9, 200e9]),
        ({"value": "50 GB/year", "basis": "assumed", "range": ["10 GB/year", "90 GB/year"], "why": "a guess"},
         [150e9, 200e9]),
        ("50 %", [150e9, 225e9]),
        (None, [120e9, 140e9]),
    ],
)  # fmt: skip
def test_growth_is_a_share_or_a_size_a_year(growth: Any, sizes: list[float]) -> None:
    """Of 200 GB a year for the site, each of ten systems of the same size gets 20 GB."""
    made = shared_site(growth="200 GB/year")
    if growth is not None:
        made["systems"]["guest0"]["growth"] = growth
    guest = load_site(made).systems[0]
    assert [guest.size_at(years * 365 * 86400.0) for years in (1, 2)] == pytest.approx(sizes)


def test_data_that_only_come_are_all_that_an_incremental_sends() -> None:
    """73 GB a year are 200 MB a day, however large the data have become; what never changes sends nothing."""
    made = shared_site(growth="0 %")
    for name, growth in (("guest0", "73 GB/year"), ("guest1", "0 %")):
        made["systems"][name] |= {"change": {"daily": "0 %", "run": "1 MiB"}, "growth": growth}
    found = plan(load_site(made), "1 year")
    sent = {(one.system, one.night): one.bytes for one in found.verdicts if not one.copy and one.level == "incremental"}
    for day in (date(2027, 1, 5), date(2027, 7, 6), date(2027, 12, 28)):
        assert sent["guest0", day] == pytest.approx(200e6, rel=1e-4)
        assert sent["guest1", day] <= 1.0


def test_a_system_may_reduce_better_than_others() -> None:
    made = shared_site()
    made["targets"]["pool"]["reduction"] = 2
    made["systems"]["guest0"]["reduction"] = "5:1"
    found = plan(load_site(made), "1 day")
    assert found.days[-1].stocks["pool"].used == pytest.approx(9 * SIZE / 2 + SIZE / 5)


@for_each("at, seconds, kept", [("client", ALL / 4e9, 0.5), ("wire", ALL / 4e9, 1.0), ("server", ALL / 2e9, 0.5)])
def test_backups_are_compressed_where_the_policy_says(at: str, seconds: float, kept: float) -> None:
    """At 2:1, half of the bytes cross two adapters of 1 GB/s, or half of them are kept, or both."""
    fast = {"model": "compressor/lz4", "at": at, "threads": 8}
    made = shared_site(("esx1", "esx2"), {"compressor": fast})
    made["systems"] = {name: system | {"compression": 2} for name, system in made["systems"].items()}
    assert took(first_night(made)) == pytest.approx(seconds, rel=0.02)
    assert plan(load_site(made), "1 day").days[-1].stocks["pool"].used == pytest.approx(kept * ALL)


def test_what_nothing_uses_is_said() -> None:
    made = shared_site(("esx1",), uplinks={"rack1": line("1 GB/s")})
    made["hosts"]["spare"] = {"host": SERVER}
    made["datastores"]["empty"] = {"device": FLASH}
    found = {problem.address: problem.remedy for problem in idle_keys(load_site(made))}
    assert found == {
        "hosts.spare": "no system, no policy and no target uses it", "datastores.empty": "no system uses it",
        "uplinks.rack1": "no host uses it",
    }  # fmt: skip


# Processors
if TYPE_CHECKING:
    from concurrent.futures import Executor


@pytest.fixture(autouse=True)
def _worthwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nights of few backups go to worker processes, too."""
    monkeypatch.setattr("simbackup.planning.playing.WORTHWHILE", 1)


def shown(found: Plan) -> list[Any]:
    return [found.as_dict(), *found.verdicts]


@pytest.fixture(scope="module")
def alone() -> list[Any]:
    return shown(plan(site(), "8 weeks"))


def test_worker_processes_give_the_same_plan(alone: list[Any]) -> None:
    loaded, begun = load_site(site()), list[tuple[Night, int]]()
    with pool_of(2) as executor:

        def note(night: Night, expected: int) -> None:
            begun.append((night, expected))

        found = plan(loaded, "8 weeks", play=Simulator(loaded, note, executor, 2))
    assert shown(found) == alone
    assert len(begun) >= found.nights.simulated > 2
    assert all(expected > done for done, (_, expected) in enumerate(begun))


@pytest.mark.parametrize("least", [0, 10_000])
def test_few_backups_need_no_processes(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take longer to start them."""
    monkeypatch.setattr("simbackup.planning.playing.WORTHWHILE", least)
    loaded, used = load_site(site()), list[object]()

    class Noting:
        @staticmethod
        def map(function: Callable[[Night], object], nights: Iterable[Night]) -> Iterator[object]:
            used.append(function)
            return map(function, nights)

    nights = [Night.first(loaded.file), Night.later(loaded.file)]
    assert len([*Simulator(loaded, None, cast("Executor", Noting()), 2).each(nights)]) == len(nights)
    assert bool(used) == (least == 0)


def test_this_process_does_what_worker_processes_do_not(alone: list[Any]) -> None:
    loaded = load_site(site())
    with pool_of(2) as executor:
        for process in [executor.submit(os.getpid).result()]:
            os.kill(process, signal.SIGKILL)
        simulator = Simulator(loaded, None, executor, 2)
        assert shown(plan(loaded, "8 weeks", play=simulator)) == alone
    assert simulator.executor is None


def test_nights_are_counted_as_they_are_done() -> None:
    """And not all of them when they are handed over, which may be a thousand."""
    loaded, seen = load_site(site()), list[str]()

    def wanted(night: Night, expected: int) -> None:
        del night, expected
        seen.append("wanted")

    class InOrder:
        @staticmethod
        def map(function: Callable[[Night], object], nights: Iterable[Night]) -> Iterator[object]:
            for night in nights:
                outcome = function(night)
                seen.append("done")
                yield outcome

    simulator = Simulator(loaded, wanted, cast("Executor", InOrder()), 2)
    nights = [Night.first(loaded.file), Night.later(loaded.file)]
    assert len([*simulator.each(nights)]) == len(nights)
    assert seen == ["wanted", "done"] * 2


# A university
GROWTH = 1.15
TB = 1e12


@cache
def university() -> PlannedSite:
    return load_site("planning/university")


@cache
def ledger() -> tuple[Ledger, tuple[Day, ...]]:
    """The ledger of a year, and its days."""
    found = Ledger(university())
    return found, tuple(found.days(date(2028, 1, 3)))


def days() -> tuple[Day, ...]:
    return ledger()[1]


def on_pool(policy: str) -> float:
    """Bytes of the backups of a policy, which is alone with its rules, on the pool after a year."""
    stock = ledger()[0].stocks[policy]
    assert (stock.policies, stock.places[""].target.name) == ((policy,), "pool")
    return stock.places[""].used


@pytest.mark.slow
def test_sizes() -> None:
    """60 x 1.5 TB, 10 x 12 TB, 30 x 400 GB, 100 x 120 GB."""
    of: dict[str, float] = {}
    for system in university().systems:
        group = system.name.rstrip("0123456789")
        of[group] = of.get(group, 0.0) + system.size
    assert of == pytest.approx({"dept": 90 * TB, "research": 120 * TB, "db": 12 * TB, "guest": 12 * TB})
    assert len(university().systems) == 200


@pytest.mark.slow
def test_restore_points_after_a_year() -> None:
    """On Monday, the 3rd of January 2028, at night.

    Departments: 35 daily points and the tapes of first Saturdays from February to December that are older; research 30;
    databases 21 and two full ones of the second site, which keeps five; guests 28 and one there, as a rule. No part of
    them has Sunday, on which the databases are saved as a whole.
    """
    points = days()[-1].points
    assert points["research"] == 30
    assert points["departments"] == 35 + 10
    assert points["databases"] == 21 + 2
    guests = {name: count for name, count in points.items() if name.startswith("guests")}
    assert guests.keys() == {
        f"guests-{day}" for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
    }
    assert set(guests.values()) <= {28, 29, 30, 31}


@pytest.mark.slow
def test_what_research_has_on_the_pool() -> None:
    """One full backup of 29 nights ago, and 29 incrementals: 0.5 % of the data, and what has grown in a day."""
    now = 120 * TB * GROWTH ** (364 / 365)
    day = GROWTH ** (-1 / 365)
    change = 1 - (1 - 0.005) * day
    closed = now * (day**29 + change * sum(day**i for i in range(29)))
    assert on_pool("research") == pytest.approx(closed, rel=0.01)


@pytest.mark.slow
def test_what_departments_have_on_a_pool_that_clones() -> None:
    """Blocks once, however many synthetic full backups there are: all of the oldest point, and the changes since.

    Chains need points back to a Saturday: of the 35 days before the 3rd of January the first is a Tuesday, so it is 38.
    """
    now, day = 90 * TB * GROWTH ** (364 / 365), GROWTH ** (-1 / 365)
    change = 1 - (1 - 0.01) * day
    closed = now * (day**37 + change * sum(day**i for i in range(37)))
    assert on_pool("departments") == pytest.approx(closed, rel=0.01)


@pytest.mark.slow
def test_tapes_of_a_year() -> None:
    """A session each month on four drives, of 90 TB at 1.3:1 and growing: 69 TB are 4 cartridges, from 72 TB on 8.

    90 TB / 1.3 / 18 TB = 3.85 in February; more than 4 from the growth of 4 % on, after 102 days: on the 1st of May.
    The tapes of 12 first Saturdays (February to January) are there.
    """
    stock = days()[-1].stocks["tapes"]
    sessions = [date(2027, month, day) for month, day in ((2, 6), (3, 6), (4, 3), (5, 1))]
    used = {day.day: day.stocks["tapes"].cartridges for day in days()}
    assert [used[day] for day in sessions] == [4, 8, 12, 20]
    assert stock.cartridges == 3 * 4 + 9 * 8
    assert stock.bought == stock.cartridges


def databases_alone() -> PlannedSite:
    """Its databases, without the servers that would be simulated beside them."""
    file = found("planning/university")
    tree = parse(file.read_text(encoding="utf-8"), file.name).plain()
    systems = {name: system for name, system in tree["systems"].items() if system["policy"] == "databases"}
    policies = {"databases": tree["policies"]["databases"]}
    targets = {name: tree["targets"][name] for name in ("pool", "second")}
    return load_site(tree | {"systems": systems, "policies": policies, "targets": targets})


@pytest.mark.slow
def test_a_database_comes_back_after_a_fire() -> None:
    """From the full backup of Sunday on the second site, with the logs since.

    At most half an hour is lost, and the time until its logs are saved, which ends before the next half hour does.
    """
    site = databases_alone()
    back = restore(site, "client db03", date(2027, 6, 9), "main")
    one = back.systems[0]
    assert (one.source, one.chain) == ("second", 1)
    assert 1800.0 < one.lost < 3600.0
    hours = 2 * 24 + 15  # from Sunday at 21:00 to Wednesday noon
    assert one.logs == pytest.approx(
        one.bytes * next(each.log for each in site.systems if each.name == "db03") * hours / 24, rel=0.01
    )
    assert one.back > 24 * 3600 + one.logs / 50e6  # recovery, and logs as fast as the database applies them
    assert back.warnings == ()


# Names
SITE = """\
title: Names
start: 2027-01-04
network: network/ten-gigabit-ethernet
machines:
  server: {host: host/linux-modern-server, storage: ssd/nvme-gen3-2018}
targets:
  pool: {host: host/linux-modern-server, device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 12}}
  vault:
    beside: pool
    link: {rate: 1 GB/s, latency: 0.1 ms}
    device: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}
policies:
  nightly:
    at: "20:00"
    schedule: {full: daily}
    to: pool
    retention: {last: 7}
    copies: {tape: {to: vault, on: saturday, retention: {last: 4}}}
systems:
  files: {size: 1 TB, policy: nightly}
  other: {size: 1 GB, policy: nightly}
"""


@for_each("until", ["9999-12-31", "9999999999999 days", "3x"])
def test_an_end_beyond_all_plans_is_reported(until: str) -> None:
    with pytest.raises(InputError, match="--at: "):
        end_of(read_site(SITE).spec.start, until, "--at")
