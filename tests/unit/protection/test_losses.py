"""What copies survive, and the data that a loss costs, by hand."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import pytest
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.loading import read_site
from simbackup.planning.site import load_site
from simbackup.policies.clock import elapsed
from simbackup.policies.levels import RestorePoint
from simbackup.protection.fates import Group, groups_of
from simbackup.protection.history import History, Spread
from simbackup.protection.losses import Loss, read_losses
from simbackup.protection.protect import mean_over
from tests.cases import for_each

# What copies survive, by where they lie and how they can be reached
LAST = date(2027, 12, 31)
EVERY = {"every": "1 h", "retention": {"last": 48}}
CHECKPOINT, MIRROR = "checkpoint/vxfs-storage-checkpoint", "mirror/vxvm-split-mirror"


def group(snapshots: dict[str, Any] | None = None, **targets: dict[str, Any]) -> Group:
    parts = site()
    for name, keys in targets.items():
        parts["targets"][name] |= keys
    if snapshots is not None:
        parts["policies"]["nightly"]["snapshots"] = EVERY | snapshots
    return groups_of(load_site(parts), LAST)[0]


def loss(*strikes: str, of: str = "", noticed: str = "0 s") -> Loss:
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": list(strikes), "noticed": noticed}}}).losses["it"]
    return Loss("it", spec, of)


@for_each("strikes, of, left", [
    ("data", "", ["snapshots", "pool", "vault"]),
    ("disks", "", ["pool", "vault"]),
    ("array", "", ["pool", "vault"]),
    ("target", "pool", ["snapshots", "vault"]),
    ("target", "vault", ["snapshots", "pool", "vault"]),
    ("place", "main", ["vault"]),
    ("place", "vault", ["snapshots", "pool"]),
    ("network", "", ["vault"]),
])  # fmt: skip
def test_copies_share_the_fate_of_what_they_lie_on(strikes: str, of: str, left: list[str]) -> None:
    """Cartridges that are taken away need neither the library nor a network."""
    assert group({"image": CHECKPOINT}).left(loss(strikes, of=of)) == left


def test_a_mirror_lies_on_disks_of_its_own_in_the_same_array() -> None:
    mirrored = group({"image": MIRROR})
    assert "snapshots" in mirrored.left(loss("disks"))
    assert "snapshots" not in mirrored.left(loss("array"))


def test_cartridges_in_a_library_can_be_changed_over_the_network_and_are_lost_with_it() -> None:
    inside = group(vault={"offsite": False})
    assert inside.left(loss("network")) == []
    assert inside.left(loss("target", of="vault")) == ["pool"]


def test_a_lock_helps_as_long_as_it_lasts() -> None:
    locked = group(pool={"immutable": "14 d"})
    assert locked.left(loss("network", noticed="7 d")) == ["pool", "vault"]
    found = loss("network", noticed="15 d")
    assert locked.left(found) == ["vault"]
    assert locked.copies[0].why(found) == "it is locked for 14 d only"
    assert locked.left(loss("network", "place", of="main")) == ["vault"]


def test_the_weakest_point_is_what_all_copies_have_in_common() -> None:
    usual, none = read_losses().on(load_site(site()))
    assert none == ["key", "account"]
    assert group(vault={"place": "main"}).weakest(usual) == "both copies are in one place, 'main', like the data"
    one = group(pool={"account": "a", "place": "b"}, vault={"account": "a"})
    assert one.weakest(usual) == "both copies belong to one account, 'a'"
    keyed = group(pool={"key": "k"}, vault={"key": "k"})
    assert keyed.weakest(usual) == "both copies need one key, 'k'"
    assert group().weakest(usual) == "only 'vault' survives the loss 'ransomware'"
    parts = site()
    del parts["policies"]["nightly"]["copies"]
    alone = groups_of(load_site(parts), LAST)[0]
    assert alone.weakest(usual) == "the only copy is in one place, 'main', like the data"


def test_a_loss_strikes_accounts_one_by_one() -> None:
    parts = site()
    parts["targets"]["pool"]["account"], parts["targets"]["vault"]["account"] = "a", "b"
    losses, _ = read_losses().on(load_site(parts))
    assert [one.of for one in losses if one.name == "account"] == ["a", "b"]


@for_each("losses, message", [
    ("losses:\n  it: {strikes: disk}\n", "losses:2:17: losses.it.strikes: there is nothing called 'disk'"),
    ("losses:\n  it: {strikes: data, of: pool}\n", "losses:2:27: losses.it.of: has no effect here"),
    ("losses:\n  it: {model: loss/unknown, strikes: data}\n", "losses:2:15: losses.it.model: there is no datasheet"),
    ("losses:\n  it: {strikes: [target, place]}\n", "losses:2:17: losses.it.strikes: names both target and place"),
    ("losses:\n  it: {strikes: data, noticed: 3 B}\n", "losses:2:32: losses.it.noticed:"),
    ("systems: {}\npolicies: {}\n", "losses:1:1: is a site, not a list of losses"),
    ("losses:\n  ransomwear: {yearly: 2 %}\n", "losses:2:3: losses.ransomwear: does not say what it strikes; did"),
    ("losses:\n  a: {strikes: disk}\n  b: {strikes: data, noticed: 3 B}\n", "losses:3:31: losses.b.noticed:"),
    ("losses:\n  a: {strikes: disk}\n  b: {strikes: data, noticed: 3 B}\n", "losses:2:16: losses.a.strikes: there is"),
    ("losses:\n  disks: {early: 3 %}\n  it: {strikes: host, late: 3 %}\n", "losses.it.late: has no effect without"),
    ("usual: false\nlosses: {}\n", "losses: has no loss"),
])  # fmt: skip
def test_what_is_wrong_with_a_list_has_its_place(losses: str, message: str) -> None:
    with pytest.raises(InputError) as found:
        read_losses(losses)
    assert message in str(found.value)


def test_a_list_names_what_the_site_has() -> None:
    wanted = read_losses("losses:\n  place: {of: moon}\n")
    with pytest.raises(InputError) as found:
        wanted.on(load_site(site()))
    assert "losses:2:15: losses.place.of: the site has no place 'moon'; it has main, vault" in str(found.value)


def test_a_list_adds_to_the_usual_one_and_replaces_key_by_key() -> None:
    found = read_losses("losses:\n  file: {noticed: 1 h}\n  place: null\n  flood: {strikes: place}\n").losses
    assert found["file"].noticed is not None
    assert (found["file"].noticed.si, found["file"].what) == (3600.0, "one-file")
    assert "place" not in found
    assert "flood" in found


def test_a_rate_of_ones_own_counts_at_all_ages() -> None:
    usual, own, young = (
        mean_over(read_losses(f"losses: {{disks: {{{said}}}}}\n" + "data_hour: 1\n").losses["disks"], 10.0).value
        for said in ("noticed: 1 h", "yearly: 5 %", "yearly: 5 %, early: 10 %, early_until: 5 years")
    )
    assert usual == pytest.approx((0.013 + 9 * 0.0157) / 10.0)
    assert (own, young) == pytest.approx((0.05, 0.075))


def test_snapshots_are_made_by_something_that_freezes_data() -> None:
    parts = site()
    parts["policies"]["nightly"]["snapshots"] = EVERY | {"image": "ssd/nvme-gen3-2018"}
    with pytest.raises(InputError, match="does not freeze data"):
        read_site(parts)


# Data lost over all moments of a loss
HOUR, DAY = 3600.0, 86_400.0
HISTORY_LAST = date(2027, 12, 27)


class Constant:
    """Backups that take two hours, and copies that take twelve."""

    def took(self, _policy: str, copy: str, _time: datetime, _systems: Iterable[str]) -> float:
        return 12.0 * HOUR if copy else 2.0 * HOUR

    def there(self, policy: str, copy: str, point: RestorePoint, systems: Iterable[str], now: datetime) -> bool:
        return self.took(policy, copy, point.time, systems) <= elapsed(point.time, now)

    def longest_logs(self, *_: object) -> float:
        return 60.0


def lost(strikes: str, noticed: str = "0 s", what: str = "client", **policy: Any) -> Spread:
    parts = site(start="2027-01-04", zone="UTC")
    parts["policies"]["nightly"] |= policy
    loaded = load_site(parts)
    history = History(loaded, HISTORY_LAST, Constant())  # pyright: ignore[reportArgumentType]
    given = {"it": {"strikes": strikes, "noticed": noticed, "what": what}}
    losses, _ = read_losses({"usual": False, "losses": given}).on(loaded)
    return history.lost(groups_of(loaded, HISTORY_LAST)[0], losses[0])


def test_a_daily_backup_loses_half_of_its_period_and_its_duration() -> None:
    found = lost("array")
    assert found.mean == pytest.approx(12.0 * HOUR + 2.0 * HOUR, rel=1e-12)
    assert found.quantile(0.5) == pytest.approx(14.0 * HOUR)
    assert found.quantile(0.95) == pytest.approx((0.95 * 24.0 + 2.0) * HOUR)
    assert (found.most, found.everything, found.copies) == (26.0 * HOUR, 0.0, {"": 1.0})


def test_a_weekly_copy_loses_half_a_week_and_its_duration() -> None:
    """After an attack only cartridges are left; copies of full backups take twelve hours."""
    found = lost("network")
    assert found.mean == pytest.approx(3.5 * DAY + 12.0 * HOUR, rel=1e-12)
    assert found.copies == {"tape": 1.0}


def test_work_that_goes_on_until_corruption_is_noticed_is_lost_too() -> None:
    assert lost("data", "3 d").mean == pytest.approx(14.0 * HOUR + 3.0 * DAY, rel=1e-12)
    assert lost("data", "3 d", "one-file").mean == pytest.approx(14.0 * HOUR, rel=1e-12)


def test_nothing_is_left_that_is_older_than_corruption_for_longer_than_retention() -> None:
    found = lost("data", "60 d", retention={"age": "5 weeks"}, copies={})
    assert (found.everything, found.mean) == (1.0, float("inf"))


def test_corruption_that_was_there_before_the_newest_backup_ended_is_in_it() -> None:
    """Of a backup every day that takes two hours, one may be used that ended before the strike."""
    found = lost("data", "1 h", "one-file")
    assert (found.most, min(piece.low for piece in found.pieces)) == (26.0 * HOUR, 2.0 * HOUR)


def test_logs_leave_a_quarter_of_an_hour() -> None:
    found = lost("array", logs={"every": "15 min"})
    assert found.mean == pytest.approx(7.5 * 60.0 + 60.0, rel=0.02)  # and the first minutes after each backup
    assert found.most == pytest.approx(16.0 * 60.0)


@pytest.mark.slow
def test_snapshots_lose_half_of_their_period() -> None:
    every = {"image": "checkpoint/vxfs-storage-checkpoint", "every": "1 h", "retention": {"last": 48}}
    found = lost("data", snapshots=every)
    assert found.mean == pytest.approx(0.5 * HOUR, rel=1e-12)
    assert found.copies == {"snapshots": 1.0}
    late = lost("data", "47 h", "one-file", snapshots=every)
    assert late.copies["snapshots"] == 1.0
    assert lost("data", "49 h", "one-file", snapshots=every).copies == {"": 1.0}


def test_an_unreadable_cartridge_costs_a_week_more() -> None:
    parts = site(start="2027-01-04", zone="UTC")
    loaded = load_site(parts)
    history = History(loaded, HISTORY_LAST, Constant())  # pyright: ignore[reportArgumentType]
    given = {"it": {"strikes": ["network", "cartridge"]}, "plain": {"strikes": "network"}}
    both, plain = read_losses({"usual": False, "losses": given}).on(loaded)[0]
    group = groups_of(loaded, HISTORY_LAST)[0]
    assert history.lost(group, both).mean == pytest.approx(history.lost(group, plain).mean + 7.0 * DAY, rel=1e-12)


def test_times_until_a_loss_is_noticed_are_drawn_from_its_range() -> None:
    given = {"value": "1 d", "basis": "assumed", "range": ["1 h", "24 d"], "why": "a test"}
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": "data", "noticed": given}}}).losses["it"]
    delays = Loss("it", spec).delays
    assert delays[2] == DAY
    assert delays == tuple(sorted(delays))
    assert delays[1] * delays[3] == pytest.approx(DAY**2)
