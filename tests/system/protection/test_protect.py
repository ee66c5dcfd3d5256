"""Protection of whole sites: that which ships, and one whose restores are those of `plan restore`."""

import math
from datetime import timedelta

import pytest
from sites.plan import site

from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.protection.protect import Protection, protect
from simbackup.protection.scenarios import disk_group
from simbackup.protection.words import cell_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ways() -> Protection:
    """The four ways to protect a database."""
    return protect("planning/protection", times=False)


def test_checkpoints_and_tapes_together_are_no_worse_than_either_after_any_loss(ways: Protection) -> None:
    """Against mirrors, they lose on one thing: a mirror of the day before outlives the disks of the data."""
    better: dict[str, set[str]] = {}
    worse: dict[str, set[str]] = {}
    for mixed in (one for one in ways.answers if one.group.policy == "mixed"):
        for other in (one for one in ways.answers if one.loss is mixed.loss and one is not mixed):
            odds = [[one.more_than(3600.0 * hours) for hours in (2.0, 48.0, 480.0)] for one in (mixed, other)]
            pairs = list(zip(*odds, strict=True))
            for found, either in (
                (better, any(a < b - 1e-6 for a, b in pairs)),
                (worse, any(a > b + 1e-6 for a, b in pairs)),
            ):
                if either:
                    found.setdefault(other.group.policy, set()).add(mixed.loss.name)
    assert worse == {"mirrors-only": {"disks"}}
    assert better["tape-only"] >= {"file", "dropped", "corruption"}
    assert better["checkpoints-only"] >= {"disks", "array", "cartridge", "ransomware", "place"}
    assert better["mirrors-only"] >= {"dropped", "array", "cartridge", "ransomware", "place"}
    ((name, (others, why)),) = ways.dominating.items()
    assert (name, others) == ("mixed", ("tape-only", "checkpoints-only"))
    assert "snapshots after dropped; library after disks, array, cartridge, ransomware, place" in why
    assert ways.as_dict()["never_more_than"] == {"mixed": ["tape-only", "checkpoints-only"]}


def test_frozen_images_share_the_fate_of_what_they_protect(ways: Protection) -> None:
    gone = {one.loss.name: one for one in ways.answers if one.group.policy == "checkpoints-only"}
    for name in ("disks", "array", "ransomware"):
        found = gone[name].lost
        assert found is not None
        assert found.everything == 1.0
    assert ways.weakest["checkpoints-only"] == "the only copy needs the same disks, like the data"
    mirrors = next(one for one in ways.answers if one.group.policy == "mirrors-only" and one.loss.name == "disks")
    assert mirrors.saved_by.keys() == {"snapshots"}


def test_the_disks_of_the_array_fail_as_often_as_its_pairs_say(ways: Protection) -> None:
    """Eighteen pairs with unreadable sectors, as rebuilds take minutes: 18 x 2 x 1.3 % in the first of ten years x 1 %,
    and with 1.57 % in the others."""
    loss = ways.losses.losses["disks"]
    found = disk_group(ways.site, ways.groups[0].systems[0], loss)
    assert found is not None
    assert found[0] == 18
    answer = next(one for one in ways.answers if one.loss.name == "disks")
    assert answer.yearly is not None
    assert answer.yearly.value == pytest.approx(18 * 2 * (0.1 * 0.013 + 0.9 * 0.0157) * 0.01, rel=0.01)


def test_a_year_costs_what_rates_and_times_come_to() -> None:
    """Twice a year, 14 h of data: half a day and the backup, which takes minutes; an hour of data costs 50 to 200.

    The range of the rate is 1 to 3, so costs are 50 % lower or higher; those of the price 50 % lower and 100 % higher.
    """
    rate = {"value": 2, "basis": "assumed", "range": [1, 3], "why": "a test"}
    price = {"value": 100, "basis": "assumed", "range": [50, 200], "why": "a test"}
    found = protect(
        site(start="2027-01-04", zone="UTC"),
        {"usual": False, "losses": {"it": {"strikes": "array", "yearly": rate}}, "data_hour": price}, times=False,
    )  # fmt: skip
    one = found.expected[0]
    answer = found.answers[0]
    assert answer.lost is not None
    assert one.lost.value == pytest.approx(2.0 * answer.mean_lost)
    assert one.cost is not None
    cost = 100.0 * one.lost.value / 3600.0
    assert one.cost == pytest.approx((cost, cost * (1.0 - math.hypot(0.5, 0.5)), cost * (1.0 + math.hypot(0.5, 1.0))))
    assert one.much.value == pytest.approx(-math.expm1(-10.0 * 2.0 * answer.more_than(86_400.0)))
    assert one.struck == pytest.approx((answer.lost.quantile(0.5), answer.lost.quantile(0.95)))


def test_data_that_never_come_back_cost_what_all_data_cost() -> None:
    """Corruption that is noticed after a day or too late, and a fire that takes all copies."""
    losses = {
        "soon": {"strikes": "data", "yearly": 0.1, "noticed": "1 d"},
        "never": {"strikes": "data", "yearly": 0.1, "noticed": "60 d"},
        "fire": {"strikes": ["place", "network"], "yearly": 0.02, "what": "site"},
    }
    made = site(start="2027-01-04", zone="UTC")
    made["policies"]["nightly"] |= {"retention": {"age": "5 weeks"}, "copies": {}}
    found = protect(made, {"usual": False, "losses": losses, "data_hour": 1, "all_data": 1_000_000}, times=False)
    soon, never, *fires = found.answers
    assert (never.comes_back, soon.comes_back) == (0.0, 1.0)
    gone = 0.1 + 0.02 * sum(not one.comes_back for one in fires)
    one = found.expected[0]
    assert one.cost is not None
    assert one.lost.value == pytest.approx(0.1 * soon.mean_lost)
    assert one.cost.value == pytest.approx(1e6 * gone + 0.1 * soon.mean_lost / 3600.0)
    assert one.struck[1] == math.inf
    assert {fire.why["pool"] for fire in fires if fire.lost is not None} == {"it can be changed over the network"}


def test_a_lock_that_is_too_short_at_times_and_a_target_without_another_copy_are_said() -> None:
    noticed = {"value": "3 d", "basis": "assumed", "range": ["1 d", "30 d"], "why": "a test"}
    made = site(start="2027-01-04", zone="UTC")
    made["policies"]["nightly"]["copies"] = {}
    made["targets"]["pool"]["immutable"] = "7 d"
    losses = {"attack": {"strikes": "network", "noticed": noticed}, "pool": {"strikes": "target", "of": "pool"}}
    found = protect(made, {"usual": False, "losses": losses}, times=False)
    attack, pool = found.answers
    assert attack.saved_by.keys() == {"pool"}
    assert 0.0 < attack.comes_back < 1.0
    assert attack.why == {"pool": "at times, it is locked for 7 d only"}
    assert cell_of(pool) == "spared, no copy left"
    assert found.without_rate == ["attack", "pool"]
    assert found.left_out == ()


def test_a_loss_of_what_nobody_needs_costs_nothing() -> None:
    found = protect(site(), {"usual": False, "losses": {"it": {"strikes": "catalogue", "yearly": 1}}}, times=False)
    assert [(one.lost, one.survives, one.saved_by) for one in found.answers] == [(None, True, {})]


def test_a_loss_that_is_noticed_at_once_takes_as_long_as_plan_restore_says() -> None:
    """At the moments at which half and 95 % of all others need no longer chain."""
    given = {"it": {"strikes": "place", "of": "main", "what": "site"}}
    loaded = load_site(site(start="2027-01-04", zone="UTC", recovery="4 h", catalogue="1 h"))
    found = protect(loaded, {"usual": False, "losses": given}, "26 weeks")
    answer = found.answers[0]
    assert answer.lost is not None
    assert answer.back is not None
    piece = answer.lost.at(0.5)
    moment = loaded.begin + timedelta(seconds=piece.begin + piece.weight / 2.0)
    recovery = restore(loaded, "site", moment, "main")
    assert answer.back.median == pytest.approx(recovery.until(1.0), rel=1e-9)
    assert piece.low <= recovery.data_lost <= piece.high
    assert recovery.interval is not None
    assert answer.back.low == pytest.approx(recovery.interval.low, rel=1e-9)


def test_systems_that_fare_alike_are_one_group() -> None:
    found = protect(site(), times=False)
    assert [group.names for group in found.groups] == [("first", "second")]
    assert len(found.frame) == len(found.answers)
    assert found.left_out == ("key", "account")
