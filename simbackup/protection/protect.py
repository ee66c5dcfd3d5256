"""How well a site is protected: what each loss costs each group of systems, in data, time and money, and how often."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.planning.ledger import Ledgers
from simbackup.planning.loading import Source
from simbackup.planning.night import DAY
from simbackup.planning.nights import settled
from simbackup.planning.playing import Play
from simbackup.planning.recovery import Declared, restore_interval
from simbackup.planning.restore import After, Way, restored, sources_of
from simbackup.planning.site import Client, PlannedSite, load_site
from simbackup.policies.calendar import end_of
from simbackup.protection.durability import availability
from simbackup.protection.fates import SNAPSHOTS, Group, groups_of
from simbackup.protection.history import ROUNDING, History, Left, Piece, Spread, struck_by
from simbackup.protection.losses import Loss, Losses, read_losses
from simbackup.protection.scenarios import disk_group, from_snapshot
from simbackup.protection.spec import LossSpec
from simbackup.schema.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.style import Chart

UNTIL = "1y"
"""How long the plan is at the end of which losses strike."""
YEAR = 365.0 * DAY
HORIZON = 10.0
"""Years for which probabilities are given."""
MUCH = DAY
"""Seconds of data of which it counts how probable it is to lose more."""
HARDWARE = frozenset({"disks", "array", "host", "place", "network"})
"""What has to be replaced or set up again before a restore, for which a site declares `recovery`."""
SHARES = (0.5, 0.95)
"""Of all moments at which a loss may strike, those for which restores are simulated."""


class Back(NamedTuple):
    """Seconds from the notice of a loss until a system is in service again: median, 95th percentile, interval of 90 %.

    The percentiles are over the moments at which it strikes. The interval is that of the median.
    """

    median: float = 0.0
    most: float = 0.0
    low: float = 0.0
    high: float = 0.0


class Rate(NamedTuple):
    """How often something happens in a year, and the ends of its range."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a loss costs a group of systems.

    `lost` is the data lost, None if the data are spared; `back` the time to service, None if it was not asked for;
    `yearly` how often it happens to each system, None if unknown.
    """

    loss: Loss
    group: Group
    lost: Spread | None
    back: Back | None
    yearly: Rate | None

    @property
    def survives(self) -> bool:
        """Whether the data come back, whenever it strikes."""
        return self.lost is None or self.lost.everything == 0.0

    @property
    def saved_by(self) -> dict[str, float]:
        """The copies from which data come back, with the share of moments of each."""
        names = {copy.name: copy.called for copy in self.group.copies}
        return {} if self.lost is None else {names[name]: share for name, share in self.lost.copies.items()}

    @property
    def why(self) -> dict[str, str]:
        """Why each copy does not help, or not always where all is lost at times; nothing where the data are spared."""
        if self.lost is None:
            return {}
        saved, lost = self.saved_by, self.lost.everything
        old = "it keeps nothing that is old enough" if lost else "others have newer data"
        each = {copy.called: copy.why(self.loss, max(self.loss.delays)) or old for copy in self.group.copies}
        return {name: f"at times, {why}" if name in saved else why for name, why in each.items()
                if name not in saved or lost}  # fmt: skip

    def more_than(self, seconds: float) -> float:
        """The probability that it costs more seconds of data than this."""
        more = 0.0 if self.lost is None else 1.0 - self.lost.below(seconds)
        return more if more > ROUNDING else 0.0

    def no_worse_than(self, other: Answer) -> bool:
        """Whether it is nowhere more probable than in another answer that more data are lost than any amount."""
        if self.lost is None or other.lost is None:
            return self.lost is None
        return self.lost.no_more_than(other.lost)

    @property
    def comes_back(self) -> float:
        """The share of moments after which the data come back, or are spared."""
        return 1.0 if self.lost is None else 1.0 - self.lost.everything

    @property
    def mean_lost(self) -> float:
        """Mean seconds of data lost where they come back; 0 if the data are spared, without end if they never do."""
        return 0.0 if self.lost is None else self.lost.mean

    def row(self) -> dict[str, Any]:
        """It for a table, in seconds."""
        lost, back = self.lost, self.back
        return {
            "loss": self.loss.name, "of": self.loss.of, "title": self.loss.title, "policy": self.group.policy,
            "machine": self.group.machine, "systems": len(self.group.systems), "spared": lost is None,
            "survives": self.survives, "saved_by": ", ".join(self.saved_by),
            "lost_mean": self.mean_lost, "lost_p50": lost.quantile(0.5) if lost else 0.0,
            "lost_p95": lost.quantile(0.95) if lost else 0.0, "lost_most": lost.most if lost else 0.0,
            "everything": lost.everything if lost else 0.0,
            "back_p50": back and back.median, "back_p95": back and back.most, "back_low": back and back.low,
            "back_high": back and back.high, "yearly": self.yearly and self.yearly.value,
            "yearly_low": self.yearly and self.yearly.low, "yearly_high": self.yearly and self.yearly.high,
            "why": "; ".join(f"{name}: {why}" for name, why in self.why.items()),
        }  # fmt: skip


class Expected(NamedTuple):
    """What a year costs each system of a group on average, with intervals: seconds out of service, seconds of data.

    Losses of single files do not count. `availability` is the share of time in service, `everything` and `much` are the
    probabilities that a system loses all its data, and more than a day of them, within the horizon; their ranges follow
    from those of the rates. Where data never come back, they are in neither `down` nor `lost`. `cost` is money, None
    without a price. `struck` has the data lost each time that some are struck: median and 95th percentile.
    """

    group: Group
    down: Rate
    lost: Rate
    availability: float
    everything: Rate
    much: Rate
    cost: Rate | None
    struck: tuple[float, float]


@dataclass(frozen=True)
class Protection:
    """How well a site is protected."""

    site: PlannedSite
    until: date
    horizon: float
    losses: Losses
    groups: tuple[Group, ...]
    answers: tuple[Answer, ...]
    left_out: tuple[str, ...] = ()
    """Losses that cannot strike this site, as it has nothing of what they strike."""

    def of(self, group: Group) -> list[Answer]:
        """The answers for a group, in the order of the losses."""
        return [answer for answer in self.answers if answer.group is group]

    @property
    def timed(self) -> bool:
        """Whether restores were simulated."""
        return any(answer.back is not None for answer in self.answers)

    @property
    def without_rate(self) -> list[str]:
        """The losses that are in no sum, as nobody knows how often they happen."""
        return list(dict.fromkeys(one.loss.name for one in self.answers if one.yearly is None))

    def comes_back(self, group: Group) -> bool:
        """Whether the data of a group come back after any loss that strikes them, or none does."""
        each = [one.comes_back for one in self.of(group) if one.lost is not None]
        return any(each) or not each

    @cached_property
    def weakest(self) -> dict[str, str]:
        """The weakest point of each group, in a sentence, by the name that the group has in tables."""
        losses = [answer.loss for answer in self.of(self.groups[0])] if self.groups else []
        return {name: group.weakest(losses) for name, group in self.named.items()}

    @cached_property
    def dominating(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """The groups that lose no more data than others to any loss, and less to some: these others, and why.

        The reason names the copies from which data come back, with the losses after which each of them does.
        """
        found: dict[str, tuple[tuple[str, ...], str]] = {}
        for name, group in self.named.items():
            less = tuple(
                other for other, one in self.named.items() if one is not group and self._loses_less(group, one)
            )
            if less:
                saved: dict[str, list[str]] = {}
                for answer in self.of(group):
                    if answer.saved_by:
                        saved.setdefault(" or ".join(answer.saved_by), []).append(answer.loss.name)
                after = (f"{copy} after {', '.join(dict.fromkeys(names))}" for copy, names in saved.items())
                found[name] = less, "; ".join(after)
        return found

    def _loses_less(self, group: Group, other: Group) -> bool:
        """Whether a group loses no more data than another to any loss, and less to some."""
        pairs = list(zip(self.of(group), self.of(other), strict=True))
        never_more = all(one.no_worse_than(two) for one, two in pairs)
        return never_more and not all(two.no_worse_than(one) for one, two in pairs)

    @cached_property
    def named(self) -> dict[str, Group]:
        """The groups by their names in tables: that of the policy, with the kind of machine where one has several."""
        several = {group.policy for group in self.groups if sum(g.policy == group.policy for g in self.groups) > 1}
        return {
            f"{group.policy} on {group.machine}" if group.policy in several else group.policy: group
            for group in self.groups
        }

    @cached_property
    def expected(self) -> list[Expected]:
        """What a year costs each group, over all losses whose rate is known."""
        return [self._expected(group) for group in self.groups]

    def _expected(self, group: Group) -> Expected:
        whole = [each for each in self.of(group) if each.loss.spec.what != "one-file"]
        known = [(each.yearly, each) for each in whole if each.yearly is not None]
        rates, each = [rate for rate, _ in known], [one for _, one in known]
        down = [one.comes_back * _finite(one.back.median if one.back is not None else 0.0) for one in each]
        lost = [one.comes_back * _finite(one.mean_lost) for one in each]
        gone, much = [1.0 - one.comes_back for one in each], [one.more_than(MUCH) for one in each]
        by_hour = ((self.losses.downtime_hour, down), (self.losses.data_hour, lost))
        priced = [(price, [one / 3600.0 for one in amounts]) for price, amounts in by_hour if price is not None]
        priced += [(self.losses.all_data, gone)] if self.losses.all_data is not None else []
        out, struck = _sum(rates, down), struck_by((rate.value, one.lost) for rate, one in known)
        return Expected(
            group, out, _sum(rates, lost), availability(YEAR, out.value), _within(self.horizon, _sum(rates, gone)),
            _within(self.horizon, _sum(rates, much)), _cost(rates, priced) if priced else None,
            (struck.quantile(0.5), struck.quantile(0.95)) if struck.whole else (0.0, 0.0),
        )  # fmt: skip

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each loss and group, in seconds."""
        import pandas as pd  # noqa: PLC0415 (slow to import)

        return pd.DataFrame([answer.row() for answer in self.answers])

    def figure(self) -> Chart:
        """The main picture: what each loss costs each group. It needs matplotlib."""
        from simbackup.plots.of_protection import matrix  # noqa: PLC0415 (matplotlib is an extra, and slow to import)

        return matrix(self)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "site": self.site.file.name, "until": str(self.until), "years": self.horizon,
            "groups": [
                {
                    "name": name, "policy": one.group.policy, "machine": one.group.machine, "systems": one.group.names,
                    "copies": [copy.called for copy in one.group.copies], "weakest": self.weakest[name],
                    "down_a_year": one.down._asdict(), "lost_a_year": one.lost._asdict(),
                    "availability": one.availability, "all_lost": one.everything._asdict(),
                    "more_than_a_day_lost": one.much._asdict(), "cost_a_year": one.cost and one.cost._asdict(),
                    "lost_each_time": {"median": one.struck[0], "95%": one.struck[1]},
                }
                for name, one in zip(self.named, self.expected, strict=True)
            ],
            "answers": [{**answer.row(), "saved_by": answer.saved_by, "why": answer.why} for answer in self.answers],
            "never_more_than": {name: list(others) for name, (others, _) in self.dominating.items()},
            "left_out": list(self.left_out), "without_rate": self.without_rate,
        }  # fmt: skip


def _sum(rates: Iterable[Rate], amounts: Iterable[float]) -> Rate:
    """The sum of rates times amounts; their errors are independent, and add as squares on each side."""
    terms = [Rate(*(end * amount for end in rate)) for rate, amount in zip(rates, amounts, strict=True)]
    return _around(math.fsum(term.value for term in terms), terms)


def _around(value: float, terms: Sequence[Rate]) -> Rate:
    """A value with the errors of terms: they are independent, and add as squares on each side."""
    low, high = (math.hypot(*(term.value - term[end] for term in terms)) for end in (1, 2))
    return Rate(value, max(value - low, 0.0), value + high)


def _ends(given: Quantity) -> Rate:
    """A quantity with the ends of its range."""
    return Rate(given.si, *(given.si if end is None else end for end in (given.low, given.high)))


def _cost(rates: Sequence[Rate], priced: Iterable[tuple[Quantity, Sequence[float]]]) -> Rate:
    """What a year costs: the rates of losses, times amounts that each costs at prices, all with their ranges."""
    prices = [(_ends(price), each) for price, each in priced]
    by_price = [_sum(rates, each).value for _, each in prices]
    by_loss = [math.fsum(price.value * each[i] for price, each in prices) for i in range(len(rates))]
    losses = _sum(rates, by_loss)
    terms = [Rate(*(end * each for end in price)) for (price, _), each in zip(prices, by_price, strict=True)]
    return _around(losses.value, [losses, *terms])


def _within(years: float, rate: Rate) -> Rate:
    """The probability that something happens within some years that happens so often a year on average."""
    return Rate(*(-math.expm1(-years * each) for each in rate))


def _finite(seconds: float) -> float:
    """Seconds, none where something never comes back: that is counted by its odds."""
    return seconds if math.isfinite(seconds) else 0.0


def protect(
    what: Source | PlannedSite,
    losses: str | Mapping[str, object] | Losses | None = None,
    until: str | date = UNTIL,
    *,
    horizon: float = HORIZON,
    times: bool = True,
    play: Play | None = None,
) -> Protection:
    """What each loss costs each group of systems of a site, and how often.

    Losses strike at any moment of the last 13 weeks of a plan; the data that they cost are integrated exactly over all
    of these. Restores are simulated for moments at which half and 95 % of all others need no longer chain.

    Parameters
    ----------
    what
        A site, or the path of its file, YAML text or a mapping.
    losses
        A list of losses: the path of its file, YAML text or a mapping; the usual ones by default.
    until
        The last day of the plan, or so long after its start.
    horizon
        Years for which probabilities are given.
    times
        Whether restores are simulated.
    play
        A function that simulates nights; the simulator by default.

    Raises
    ------
    InputError
        Something is wrong with the site or with the list.
    """
    site = what if isinstance(what, PlannedSite) else load_site(what)
    wanted = losses if isinstance(losses, Losses) else read_losses(losses)
    striking, left_out = wanted.on(site)
    last = end_of(site.start, until)
    site = settled(site, last, play)
    groups = groups_of(site, last)
    history = History.of(site, last, play)
    restores = Restores(history, groups) if times else None
    rates = _Rates(site, horizon)
    answers = [
        Answer(
            loss, group, None if group.data.lost_with(loss) is None else history.lost(group, loss),
            restores.back(group, loss) if restores is not None else None, rates.of(group, loss),
        )
        for loss in striking
        for group in groups
    ]  # fmt: skip
    return Protection(site, last, horizon, wanted, tuple(groups), tuple(answers), tuple(left_out))


@dataclass
class _Rates:
    """How often losses happen to each system, on average over so many years."""

    site: PlannedSite
    years: float
    known: dict[tuple[str, str], Rate | None] = field(default_factory=dict[tuple[str, str], "Rate | None"])

    def of(self, group: Group, loss: Loss) -> Rate | None:
        """How often a loss happens to each system of a group."""
        spec = loss.spec
        if spec.yearly is None:
            return None
        if "disks" not in spec.strikes:
            return mean_over(spec, self.years)
        key = (group.machine, loss.name)
        if key not in self.known:
            found = disk_group(self.site, group.systems[0], spec)
            self.known[key] = (
                None if found is None else mean_over(spec, self.years, lambda rate: found[0] * found[1].losses(rate))
            )
        return self.known[key]


def mean_over(spec: LossSpec, years: float, times: Callable[[float], float] = lambda rate: rate) -> Rate:
    """How often a loss happens in a year on average over some years, by what follows from its rate at each age."""
    left, terms = years * YEAR, [Rate(0.0, 0.0, 0.0)]
    for seconds, rate in spec.pieces(spec.yearly) if spec.yearly is not None else ():
        share = min(seconds, left) / (years * YEAR)
        terms.append(Rate(*(share * times(end) for end in _ends(rate))))
        left -= seconds
        if left <= 0.0:
            break
    return Rate(*map(math.fsum, zip(*terms, strict=True)))


@dataclass
class Restores:
    """The restores after losses, each simulated once."""

    history: History
    groups: Sequence[Group]
    known: dict[Any, Any] = field(default_factory=dict[Any, Any])

    @cached_property
    def ledgers(self) -> Ledgers:
        """The ledgers of the site at the moments of losses."""
        return Ledgers(self.history.site, self.history.at(self.history.begin).date())

    def back(self, group: Group, loss: Loss) -> Back:
        """The time until a system of a group is in service again."""
        site = self.history.site
        if group.data.lost_with(loss) is None:
            down = Declared.of(site, loss.hits(group.service) is not None, catalogue=False)
            return Back(*[down.recovery + down.operator * (down.recovery > 0.0)] * 4) if down.recovery else Back()
        among, _ = group.coming_back(self.groups, loss)
        leading = max(among, key=lambda one: sum(client.size for client in one.systems))
        spread = self.history.lost(leading, loss)
        strikes = [spread.at(share) for share in SHARES]
        first, last = (self._at(group, among, loss, strike) for strike in strikes)
        return Back(first.median, max(first.median, last.median), first.low, first.high)

    def _at(self, group: Group, among: Sequence[Group], loss: Loss, strike: Piece) -> Back:
        """The time until a group is back after a strike at a moment."""
        if not any(copy.name == SNAPSHOTS for copy in group.copies) or not self._by_snapshot(group, loss, strike):
            return self._from_save_sets(among, loss, strike)[group.policy, group.machine]
        client, now = _largest(group), self.history.at(strike.middle + strike.unnoticed)
        key = "snapshot", client.name, now.date(), loss.spec.what == "one-file"
        if key not in self.known:
            self.known[key] = from_snapshot(self.history.site, client, now.date(), one_file=key[-1])
        seconds, deviation = self.known[key]
        declared = self._declared(group, loss)

        def took(times: Declared) -> float:
            return times.recovery + times.operator + seconds

        ends = [(name, took(low), took(high)) for name, low, high in declared.ends(self.history.site)]
        sure = restore_interval(took(declared), seconds, ends, deviation, None)
        return Back(sure.best, sure.best, sure.low, sure.high)

    def _by_snapshot(self, group: Group, loss: Loss, strike: Piece) -> bool:
        """Whether a snapshot is the newest that is left of a group at a moment."""
        pieces = self.history.spread(group, Left.of(group, loss, strike.unnoticed)).pieces
        piece = next((one for one in reversed(pieces) if one.begin <= strike.middle), pieces[0])
        return piece.source is not None and piece.source.copy == SNAPSHOTS

    def _from_save_sets(self, among: Sequence[Group], loss: Loss, strike: Piece) -> dict[tuple[str, str], Back]:
        """The times until groups are back that are restored together from save sets, by policy and machine.

        Losses that leave the same save sets for the same systems share a simulation.
        """
        site, one_file = self.history.site, loss.spec.what == "one-file"
        groups = [one for one in among if not self._by_snapshot(one, loss, strike)]
        lefts = [Left.of(one, loss, strike.unnoticed) for one in groups]
        now, declared = self.history.at(strike.middle + strike.unnoticed), self._declared(groups[0], loss)
        together = lefts[0]._replace(
            gone=frozenset[str]().union(*(left.gone for left in lefts)),
            locked=tuple({each for left in lefts for each in left.locked}),
        )
        _, whole = groups[0].coming_back(groups, loss)
        clients = [client for one in groups for client in (one.systems if whole else [_largest(one)])]
        after = After("", together.remaining(site, self.history.arrivals), declared)
        ledger = self.ledgers.at(now)
        sources = sources_of(ledger, after.remaining, clients, now, None)
        key = (
            now, one_file, declared.recovery, declared.catalogue, tuple(client.name for client in clients),
            tuple((name, source.available) for name, source in sources.items()),
        )  # fmt: skip
        if key not in self.known:
            found, backs = restored(ledger, now, (clients, one_file), after, Way()), dict[tuple[str, str], Back]()
            rows = {row.system: (math.inf if row.reason else row.back, row.system) for row in found.systems}
            for one in groups:
                back, last = max(rows[name] for name in one.names if name in rows)
                backs[one.policy, one.machine] = Back(back, back, *(found.ends(last) or (back, back)))
            self.known[key] = backs
        return self.known[key]

    def _declared(self, group: Group, loss: Loss) -> Declared:
        """What the site declares for a restore after a loss: new hardware, the catalogue in the place of the data."""
        here = frozenset({("catalogue", ""), *(thing for thing in group.data.needs if thing[0] == "place")})
        return Declared.of(
            self.history.site, bool(HARDWARE.intersection(loss.spec.strikes)), loss.hits(here) is not None
        )


def _largest(group: Group) -> Client:
    """The system of a group with the most data."""
    return max(group.systems, key=lambda client: client.size)
