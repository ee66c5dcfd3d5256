"""How sure a plan is."""

import math
from datetime import date, timedelta
from functools import cache, partial
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.intervals import Sureness, stock_sureness, sureness
from simbackup.planning.ledger import Ledger
from simbackup.planning.plan import Plan, plan, stocked
from simbackup.planning.site import in_case, load_site
from simbackup.uncertainty.inputs import Use, inputs

RANGE = {"value": "60 %", "basis": "assumed", "range": ["30 %", "120 %"], "why": "a test"}


@cache
def planned() -> Plan:
    targets = site()["targets"]
    small = targets | {"pool": targets["pool"] | {"device": targets["pool"]["device"] | {"disks": 4}}}
    return plan(load_site(site(growth=RANGE, targets=small)), "2 years")


@cache
def sure(wanted: str = "quick") -> Sureness:
    return sureness(planned(), wanted)


@pytest.mark.slow
def test_growth_that_is_unsure_leaves_the_first_nights_as_sure_as_the_model_is() -> None:
    """After a quarter of the time, a quarter of what growth leaves open; the rest of the interval is there at once."""
    night = sure().night
    assert night is not None
    start, nights = planned().site.start, (night.night - planned().site.start).days
    at = [math.log(night.times(2, start, start + timedelta(days=days))) for days in (0, nights // 4, nights)]
    assert at[0] == pytest.approx(math.log(night.ungrown.elapsed.high / night.ungrown.elapsed.best))
    late, early = ((each**2 - at[0] ** 2) ** 0.5 for each in (at[2], at[1]))
    assert early / late == pytest.approx((nights // 4) / nights)
    assert late > 0.1


@pytest.mark.slow
def test_the_night_nearest_to_its_window_carries_an_interval() -> None:
    counted: list[Any] = [one for one in planned().verdicts if one.counts and one.window]
    tightest = max(counted, key=lambda one: one.elapsed / one.window)
    found = sure().night
    assert found is not None
    assert (found.night, found.job) == (tightest.night, tightest.system)
    assert found.elapsed.low < found.elapsed.best < found.elapsed.high
    assert found.fits == found.elapsed.probability_below(tightest.window)
    assert "growth" in found.decides  # it is two years, and the range is wide
    assert "in 90 % of cases" in found.sentence()


@pytest.mark.slow
def test_growth_moves_the_date_on_which_a_pool_is_full() -> None:
    full = next(one for one in sure().full if one.target == "pool")
    best = next(limit.date for limit in planned().limits if limit.what == "pool")
    assert full.early is not None
    assert best is not None
    assert full.early <= best <= (full.late or date.max)
    assert full.early < (full.late or date.max)


@pytest.mark.slow
def test_none_are_made_unless_asked_for() -> None:
    assert sure("none") == Sureness(None, ())


@pytest.mark.slow
def test_the_growth_of_the_site_does_not_count_where_each_system_states_its_own() -> None:
    systems = {
        name: system | {"change": {"model": "change/database", "growth": "30 %"}}
        for name, system in site()["systems"].items()
    }
    own = stock_sureness(stocked(load_site(site(growth=RANGE, systems=systems)), "1 year"))
    assert not any("growth" in one.decides for one in own.figures.values())
    other = stock_sureness(stocked(load_site(site(growth=RANGE)), "1 year"))
    assert any("growth" in one.decides for one in other.figures.values())


def test_one_ledger_counts_many_cases_as_ledgers_of_each_do() -> None:
    """Cases of half and of twice the growth and the change are what a ledger of each alone gives, to the bit."""
    plain = load_site(site())
    night, name = plain.first_night, next(iter(plain.file.spec.systems))
    cases = tuple(
        in_case(plain, night, {f"systems.{name}.size": by, "growth": by}, {f"data.{name}-data.change.daily": by})
        for by in (0.5, 2.0)
    )
    last = date(plain.start.year + 1, plain.start.month, plain.start.day)
    together = list(Ledger(plain, cases).days(last))
    for i, case in enumerate(cases):
        alone = list(Ledger(case).days(last))
        assert [day.cases[i] for day in together] == [day.stocks for day in alone]
    assert together[-1].cases[0]["pool"].used < together[-1].cases[1]["pool"].used


def capacity(**parts: Any) -> Plan:
    return stocked(load_site(site(**parts)), "2 years")


@pytest.mark.slow
def test_capacity_and_cost_have_intervals_over_the_ranges_of_the_site() -> None:
    """Growth from 30 to 120 % a year: after two years data are at least 1.69 and at most 4.84 times as large, not 2.56.

    What is stored is not all from the last day, so both ends are a little nearer.
    """
    found = stock_sureness(capacity(growth=RANGE))
    address = next(each for each in reversed(found.figures) if each.startswith("targets.pool.used."))
    one = found.figures[address]
    assert one.value * 1.69 / 2.56 * 0.9 < one.low < one.value * 0.8
    assert one.value * 1.5 < one.high < one.value * 4.84 / 2.56 * 1.1
    assert one.decides[0] == "growth"


@pytest.mark.slow
def test_what_no_range_moves_has_no_width() -> None:
    exact = {"value": "60 %", "basis": "user"}
    found = stock_sureness(capacity(growth=exact, prices={"currency": "EUR", "date": "2026-06-30", "pool_month": 2}))
    costs = [one for address, one in found.figures.items() if address.startswith("cost.")]
    assert costs
    assert all(one.low == one.value == one.high and not one.decides for one in costs)


@pytest.mark.slow
def test_the_range_of_a_price_is_the_interval_of_the_cost() -> None:
    price = {"value": 2, "basis": "assumed", "range": [1, 6], "why": "a test"}
    found = stock_sureness(capacity(prices={"currency": "EUR", "date": "2026-06-30", "pool_month": price}))
    one = found.figures["cost.total"]
    assert (one.low / one.value, one.high / one.value) == pytest.approx((0.5, 3.0))
    assert one.decides == ("prices.pool_month",)


@pytest.mark.slow
def test_growth_moves_the_day_on_which_a_pool_is_full_and_may_keep_it_from_being_full() -> None:
    targets = site()["targets"]
    small = targets | {"pool": targets["pool"] | {"device": targets["pool"]["device"] | {"disks": 4}}}
    found = stock_sureness(capacity(growth=RANGE, targets=small))
    (one,) = [each for each in found.full if each.target == "pool"]
    assert one.early is not None
    assert one.early < (one.late or date.max)
    assert one.decides[0] == "growth"
    assert stock_sureness(capacity(growth="1 %")).full == ()


def test_a_site_states_its_compression_exactly_or_with_its_own_range() -> None:
    """A plain number gets the typical range of its kind; what is stated with a basis is as it is stated."""

    def uncertain(compression: Any) -> list[tuple[float, float]]:
        systems = {name: one | {"compression": compression} for name, one in site()["systems"].items()}
        night = load_site(site(systems=systems)).first_night
        own = inputs({"": night})
        return [
            (use.low, use.high) for each in own for use in each.uses
            if isinstance(use, Use) and use.address.endswith(".compression")
        ]  # fmt: skip

    assert uncertain({"value": 2, "basis": "user"}) == []
    stated = {"value": 2, "basis": "assumed", "range": [1.9, 2.2], "why": "a test"}
    assert set(uncertain(stated)) == {(1.9, 2.2)}
    assert set(uncertain(2)) == {(2 * 0.67, 3.0)}


@pytest.mark.slow
def test_windows_missed_and_data_lost_follow_from_the_night_that_decides() -> None:
    night, figures = sure().night, sure().figures
    assert night is not None
    missed = [one for address, one in figures.items() if address.endswith(".missed")]
    assert missed
    assert all(one.low <= one.value <= one.high for one in missed)
    slower = planned().arrivals.slower(partial(night.times, 2, planned().site.start))
    worst = {row["after_loss_of"]: row["worst"] for row in planned().losses_with(slower)}
    assert figures["lost.data.worst"].high == max(worst[""], figures["lost.data.worst"].value)
    assert night.times(2, planned().site.start, night.night) == pytest.approx(night.elapsed.high / night.elapsed.best)
    frame = planned().intervals
    assert list(frame.columns) == ["value", "low", "high", "unit", "decides"]
    assert (frame.low <= frame.high).all()


@pytest.mark.slow
def test_a_night_of_a_system_with_a_history_is_as_unsure_as_its_runs_scatter() -> None:
    """One site twice, its program fitted to 20 runs that scatter by 3 %: one says that its backups are such runs."""
    tool = {
        "model": "backup_tool/network-backup-2015", "start_time": {
            "value": "90 s", "basis": "fitted", "fitted_to": [f"run-{n}" for n in range(20)], "uncertainty": "2 s",
            "plausible": ["1 s", "30 min"], "scatter": 0.03, "why": "a fit to a history",
        },
    }  # fmt: skip
    policies = {name: policy | {"tool": tool} for name, policy in site()["policies"].items()}
    found = [
        sureness(plan(load_site(site(policies=policies, systems=each)), "3 months")).night
        for each in (site()["systems"], {n: one | {"history": ["full"]} for n, one in site()["systems"].items()})
    ]
    others, own = [one for one in found if one is not None]
    assert own.ungrown.learned() == "fitted to 20 runs of its own, which scatter by 3 %"
    assert others.ungrown.learned().startswith("tested on ")
    assert math.log(own.elapsed.high / own.elapsed.low) < 0.7 * math.log(others.elapsed.high / others.elapsed.low)
