"""What a loss at noon costs over the days of a plan, where every backup is whole at once."""

import math
from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.available import Loss, Remaining, loss
from simbackup.planning.site import load_site

DAY, HOUR = 86_400.0, 3_600.0
FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}


class AtOnce:
    """Backups and copies that take no time."""

    def there(self, *_: object) -> bool:
        return True

    def longest_logs(self, *_: object) -> float:
        return 0.0


def lost(place: str, until: date, **keys: Any) -> Loss:
    parts = site(start="2027-01-04", zone="UTC")
    parts["targets"]["far"] = FAR
    parts["policies"]["nightly"] |= keys
    loaded = load_site(parts)
    remaining = Remaining(loaded, AtOnce(), frozenset(loaded.lost_with(place)))  # pyright: ignore[reportArgumentType]
    return loss(remaining, until, loaded.systems)


def test_the_mean_is_over_all_days_from_the_first_restore_point_on() -> None:
    """Whole weeks from a Sunday on lose 16 h, a day more each day, and 6 d 16 h on Saturdays: 3 d 16 h on average."""
    found = lost("main", date(2027, 3, 6), schedule={"full": "saturday"})
    assert found.counted_from == date(2027, 1, 10)
    assert found.mean == pytest.approx(3 * DAY + 16 * HOUR)
    assert found.sentence() == "on 2027-01-16, 3 d 16 h on average"


def test_without_a_copy_everything_is_lost() -> None:
    assert lost("main", date(2027, 3, 6), copies={}) == Loss(math.inf, None, math.inf, None)


def test_copies_whose_base_is_elsewhere_save_nothing() -> None:
    found = lost("main", date(2027, 3, 6), copies={"away": {"to": "far", "on": "tuesday"}})
    assert found.day is None
