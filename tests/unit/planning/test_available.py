"""What a loss at noon costs over the days of a plan, where every backup is whole at once."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.available import Loss, Remaining, losses
from simbackup.planning.site import load_site

DAY, HOUR = 86_400.0, 3_600.0
FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}


class AtOnce:
    """Backups and copies that take no time."""

    def there(self, *_: object) -> bool:
        return True

    def longest_logs(self, *_: object) -> float:
        return 0.0


class SlowPool(AtOnce):
    """Backups of logs take two hours on the pool, and a minute elsewhere."""

    def longest_logs(self, *what: object) -> float:
        return 2 * HOUR if what[1] == "pool" else 60.0


def lost(place: str, until: date, arrivals: type = AtOnce, **keys: Any) -> Loss:
    parts = site(start="2027-01-04", zone="UTC")
    parts["targets"]["far"] = FAR
    parts["policies"]["nightly"] |= keys
    loaded = load_site(parts)
    remaining = Remaining(loaded, arrivals(), frozenset(loaded.lost_with(place)))
    return losses(remaining, until, loaded.systems)[()]


def test_the_mean_is_over_all_days_from_the_first_restore_point_on() -> None:
    """Whole weeks from a Sunday on lose 16 h, a day more each day, and 6 d 16 h on Saturdays: 3 d 16 h on average."""
    found = lost("main", date(2027, 3, 6), schedule={"full": "saturday"})
    assert found.counted_from == date(2027, 1, 10)
    assert found.mean == pytest.approx(3 * DAY + 16 * HOUR)
    assert found.sentence() == "on 2027-01-16, 3 d 16 h on average"


def test_of_several_targets_that_with_the_newest_logs_is_used() -> None:
    """Whoever loses less than a target, too, loses no more data than without that target."""
    logs = {"every": "30 min", "to": ["pool", "far"]}
    alone, more = (lost(place, date(2027, 1, 10), SlowPool, logs=logs) for place in ("", "pool"))
    assert alone.worst == more.worst == 0.5 * HOUR + 60.0


def test_losses_are_told_by_policy_where_restore_points_differ() -> None:
    """A policy that saves on Saturdays loses a week; parts of one that is divided count as one."""
    parts = site(start="2027-01-04", zone="UTC")
    nightly = parts["policies"]["nightly"]
    parts["policies"]["weekly"] = nightly | {"schedule": {"full": "saturday"}, "copies": {}}
    parts["systems"]["first"]["policy"] = "weekly"
    loaded = load_site(parts)
    remaining = Remaining(loaded, AtOnce(), frozenset())  # pyright: ignore[reportArgumentType]
    found = losses(remaining, date(2027, 2, 1), loaded.systems)
    assert {names: one.worst for names, one in found.items()} == {
        (): 6 * DAY + 16 * HOUR, ("weekly",): 6 * DAY + 16 * HOUR, ("nightly",): 16 * HOUR,
    }  # fmt: skip
    assert losses(remaining, date(2027, 2, 1), loaded.systems, lambda _: "one").keys() == {()}
