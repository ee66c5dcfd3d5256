"""Data lost over all moments of a loss, where it can be calculated by hand."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.site import load_site
from simbackup.policies.clock import elapsed
from simbackup.policies.levels import RestorePoint
from simbackup.protection.fates import groups_of
from simbackup.protection.history import History, Spread
from simbackup.protection.losses import Loss, read_losses

HOUR, DAY = 3600.0, 86_400.0
LAST = date(2027, 12, 27)


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
    history = History(loaded, LAST, Constant())  # pyright: ignore[reportArgumentType]
    given = {"it": {"strikes": strikes, "noticed": noticed, "what": what}}
    losses, _ = read_losses({"usual": False, "losses": given}).on(loaded)
    return history.lost(groups_of(loaded, LAST)[0], losses[0])


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
    history = History(loaded, LAST, Constant())  # pyright: ignore[reportArgumentType]
    given = {"it": {"strikes": ["network", "cartridge"]}, "plain": {"strikes": "network"}}
    both, plain = read_losses({"usual": False, "losses": given}).on(loaded)[0]
    group = groups_of(loaded, LAST)[0]
    assert history.lost(group, both).mean == pytest.approx(history.lost(group, plain).mean + 7.0 * DAY, rel=1e-12)


def test_times_until_a_loss_is_noticed_are_drawn_from_its_range() -> None:
    given = {"value": "1 d", "basis": "assumed", "range": ["1 h", "24 d"], "why": "a test"}
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": "data", "noticed": given}}}).losses["it"]
    delays = Loss("it", spec).delays
    assert delays[2] == DAY
    assert delays == tuple(sorted(delays))
    assert delays[1] * delays[3] == pytest.approx(DAY**2)
