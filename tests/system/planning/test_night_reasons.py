from datetime import date
from functools import cache

import pytest
from sites.plan import TEXT

from simbackup.errors import InputError, ResultError
from simbackup.planning.plan import Plan, plan
from simbackup.planning.reasons import night_reasons

SATURDAY = date(2027, 1, 9)


@cache
def planned(window: str = "20:00 to 20:10") -> Plan:
    return plan(TEXT.replace("20:00 to 06:00", window), "10 days")


def test_the_deciding_night_is_explained_by_its_late_backups() -> None:
    found = night_reasons(planned())
    verdicts = {one.system: one for one in planned().verdicts if one.night == SATURDAY and not one.copy}
    assert (found.night, found.late, found.count) == (SATURDAY, 2, 4)
    assert [(one.job, one.verdict) for one in found.jobs] == [("second", "late"), ("first", "late")]
    assert [one.elapsed for one in found.jobs] == [verdicts[one.job].elapsed for one in found.jobs]
    assert len({one.bottleneck for one in found.jobs}) == len(found.found)
    for one in found.found:
        assert sum(one.causes.values()) == pytest.approx(one.elapsed)
        assert one.without is not None
        assert one.doubled is not None
        assert max(one.without, one.doubled) < one.elapsed


def test_a_night_in_time_is_explained_by_what_uses_most_of_its_window() -> None:
    found = night_reasons(planned("20:00 to 06:00"))
    assert (found.night, found.late, [one.job for one in found.jobs]) == (SATURDAY, 0, ["second"])


def test_backups_and_copies_of_another_night_are_explained_by_name() -> None:
    found = night_reasons(planned(), date(2027, 1, 2), ["first-tape", "first"])
    assert {one.name for one in found.found} == {"first-tape", "first"}
    assert {one.job: one.verdict for one in found.jobs}["first-tape"] == ""


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(
        ResultError, match="there is no backup 'frist' in the night of 2027-01-09; did you mean 'first'"
    ):
        night_reasons(planned(), None, ["frist"])
    with pytest.raises(InputError, match="nothing is backed up in the night of 2028-01-01"):
        night_reasons(planned(), date(2028, 1, 1))
    with pytest.raises(ResultError, match="until 2027-01-02, only first backups run"):
        night_reasons(plan(TEXT, "1 day"))


def test_a_wait_for_a_turn_names_the_limit_in_the_site_file() -> None:
    text = TEXT.replace("    place: vault\n", "    place: vault\n    limit: {at_once: 1}\n")
    found = night_reasons(plan(text, "1 day"), date(2027, 1, 2), ["first-tape", "second-tape"])
    assert "targets.vault.limit" in {cause.address for one in found.found for cause in one.causes}


def test_the_queue_of_a_limit_is_the_bottleneck_of_who_waits_longest() -> None:
    """Four systems, one at a time, on a network of 1 GB/s: the last one waits 2.5 TB, and moves 0.1 TB itself.

    Two at a time, the first two take 2 TB of the network, and then the others 0.2 TB until the small one has ended.
    """
    text = TEXT.replace("network: network/ten-gigabit-ethernet", "network: {rate: 1 GB/s, latency: 0.1 ms}")
    text = text.replace("    device: {model: raid", "    limit: {at_once: 1}\n    device: {model: raid")
    text = text.replace("20:00 to 06:00", "20:00 to 20:10").replace("      tape: {", "      tape: {at: 23:00, ")
    systems = "".join(
        f"  {name}: {{size: {size}, change: {{daily: 1 %, run: 1 MiB}}, policy: nightly}}\n"
        for name, size in {"a": "1 TB", "b": "1 TB", "c": "0.5 TB", "d": "0.1 TB"}.items()
    )
    found = night_reasons(
        plan(text.partition("systems:")[0] + "systems:\n" + systems, "1 day"), date(2027, 1, 2), ["d", "d-tape"]
    )
    rows, told = {one.job: one for one in found.jobs}, {one.name: one for one in found.found}
    assert (rows["d"].bottleneck, rows["d"].share) == ("targets.pool.limit.at_once", pytest.approx(2.5 / 2.6, rel=1e-3))
    assert told["d"].doubled == pytest.approx(2.2e12 / 1e9, rel=0.01)
    assert {cause.address for cause in told["d"].causes} == {"targets.pool.limit", "network.d"}
    waited = dict(rows["d-tape"].waited)
    assert waited["the backup"] == pytest.approx(2.6e12 / 1e9, rel=0.01)
    assert waited["the backup"] + waited["its time of day"] == 3 * 3600.0
    assert rows["d-tape"].elapsed == pytest.approx(3 * 3600.0 + told["d-tape"].elapsed)
