"""The uncertain inputs of scenarios."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple

from simbackup import units
from simbackup.equations.uncertainty import SCORE, value_at
from simbackup.errors import InputError, Place
from simbackup.scenario import Scenario, Value
from simbackup.scenario.alternatives import Choice

COUNT, BYTES = "count", "B"
SMALLEST = 512
"""Bytes of the smallest block."""
NORMAL = NormalDist()
ROUNDING = 1e-9
"""A correlation that is none."""
NAMED = 3
"""Greatest number of further places of an input that are named."""
SHEET = re.compile(r"(?:^|/)models/([^/]+/[^/]+)\.yaml$")
"""The file of a datasheet."""

Changes = dict[str, dict[str, object]]
"""Values as files say them, by scenario and address."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place where an uncertain value occurs, with its range in SI units."""

    scenario: str
    """The scenario."""
    address: str
    """The address."""
    best: float
    """The value."""
    low: float
    """The lower end of its range."""
    high: float
    """The upper end of its range."""
    unit: str
    """Its dimension."""

    def at(self, score: float) -> str | None:
        """The value at so many standard deviations from the best estimate, as text; None at this estimate itself."""
        value = self.number(score)
        return units.show(value, self.unit) if value != self.best else None

    def number(self, score: float) -> float:
        """The value at so many standard deviations from the best estimate, in SI units.

        Counts stay whole numbers. A size that is a power of two, with both ends of its range, such as that of chunks
        and blocks, stays a power of two.
        """
        value = value_at(self.best, self.low, self.high, score)
        value = float(round(value)) if self.unit == COUNT else value
        if self.unit == BYTES and all(map(_is_power, (self.best, self.low, self.high))):
            value = 2.0 ** round(math.log2(value))
        return value

    def as_dict(self) -> dict[str, Any]:
        """The value and its range as plain data, in SI units."""
        return {"unit": self.unit, "value": self.best, "range": [self.low, self.high]}


@dataclass(frozen=True, slots=True)
class ChoiceUse:
    """A place where a value has alternatives, all equally likely."""

    scenario: str
    """The scenario."""
    address: str
    """The address."""
    options: tuple[object, ...]
    """The alternatives; the stated value is the first."""

    def at(self, score: float) -> object | None:
        """The value at so many standard deviations from the middle of its options; None if it is the stated one."""
        which = min(int(NORMAL.cdf(score) * len(self.options)), len(self.options) - 1)
        return self.options[which] if score and which else None

    def as_dict(self) -> dict[str, Any]:
        """The value and its alternatives as plain data."""
        return {"value": self.options[0], "alternatives": list(self.options[1:])}


@dataclass(frozen=True, slots=True)
class Input:
    """One uncertain input, with every place where it occurs.

    A value at one place of a file is one input, in however many scenarios and for however many parts it is used; so is
    a value that is `shared` by a name. A value given in Python has no line: it is one input with those at the same
    address.

    A fitted value compensates for errors of others, and so is correlated with them.
    """

    name: str
    """Its address, or the name that it is shared by."""
    uses: tuple[Use | ChoiceUse, ...]
    """The places where it occurs."""
    origin: str = ""
    """A place that does not depend on lines: `kind/name#parameter` of a datasheet, or `folder/file.yaml#address`."""
    correlations: tuple[tuple[str, float], ...] = ()
    """Correlations (-1 to 1) with other inputs, by their `origin`."""
    narrowed: tuple[tuple[str, float], ...] = ()
    """How much of their standard deviation a fit leaves to other inputs, by their `origin`."""

    @property
    def at(self) -> tuple[tuple[str, str], ...]:
        """The scenarios and addresses at which it stands."""
        return tuple((use.scenario, use.address) for use in self.uses)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address at which it stands, in any scenario."""
        return tuple(dict.fromkeys(use.address for use in self.uses))

    def named(self, called: Callable[[str], str] = str) -> str:
        """Its name, and where else it stands, as it is measured and stated at all these places; of many the first.

        Addresses may be called as another file has them.

        >>> uses = [Use("", f"devices.{name}.rate", 1.0, 0.5, 2.0, "B/s") for name in "abcdef"]
        >>> Input("devices.a.rate", tuple(uses[:2])).named(), Input("rate", tuple(uses[:2])).named()
        ('devices.a.rate (also devices.b.rate)', 'rate (devices.a.rate and devices.b.rate)')
        >>> Input("devices.a.rate", tuple(uses)).named()
        'devices.a.rate (also devices.b.rate, devices.c.rate and 3 more)'
        """
        name, addresses = called(self.name), dict.fromkeys([called(address) for address in self.addresses])
        others = [address for address in addresses if address != name]
        if not others:
            return name
        shown = others if len(others) <= NAMED else [*others[: NAMED - 1], f"{len(others) - NAMED + 1} more"]
        listed = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
        return f"{name} ({'also ' if name in addresses else ''}{listed})"


class Stated(NamedTuple):
    """Values that something else than a scenario states, and those with alternatives."""

    values: tuple[Value, ...]
    choices: tuple[Choice, ...] = ()


def inputs(scenarios: Mapping[str, Scenario | Stated]) -> list[Input]:
    """The uncertain inputs of scenarios, by the names under which their figures are known; in order of appearance."""
    together: dict[str, Input] = {}
    for name, scenario in scenarios.items():
        own = [
            (v.given.shared, v.place, _use(name, v), (v.given.correlations, v.given.narrowed)) for v in scenario.values
        ]
        own += [
            (one.shared, one.place, ChoiceUse(name, one.address, one.options), ((), ())) for one in scenario.choices
        ]
        for shared, place, use, others in own:
            if use is not None:
                key = f"{place}" if place.line else f"{place}: {use.address}"
                key = f"shared: {shared}" if shared else key
                new = Input(shared or use.address, (), shared or origin_of(place, use.address), *others)
                before = together.get(key, new)
                together[key] = replace(before, uses=(*before.uses, use))
    return list(together.values())


def origin_of(place: Place, address: str) -> str:
    """A name for where a value is written that does not depend on its line, and is the same on every machine.

    >>> origin_of(Place("models/disk/sata.yaml", 7, 3), "devices.array.disk.average_seek")
    'disk/sata#average_seek'
    >>> origin_of(Place("scenarios/planning/a-night.yaml", 7, 3), "jobs.save.tool.start_time")
    'planning/a-night.yaml#jobs.save.tool.start_time'
    >>> origin_of(Place("models/program/restic.yaml", 7, 3), "jobs.save.program.options.connections")
    'program/restic#options.connections'
    """
    sheet = SHEET.search(place.file)
    if sheet:
        inside = address.partition(f".{sheet[1].partition('/')[0]}.")[2]  # below the key of that kind
        return f"{sheet[1]}#{inside or address.rpartition('.')[2]}"
    return f"{place.file.rpartition('scenarios/')[2]}#{address}"


def joined(inputs: Sequence[Input], scores: Sequence[float]) -> Sequence[float]:
    """Where inputs are that are drawn on their own, if fitted ones go with those that the fit made up for.

    What the rows of a fit also say of an input that is not fitted keeps it nearer to its best estimate.

    Parameters
    ----------
    inputs
        All of them; correlations with others do not count.
    scores
        Independent standard deviations from the best estimates.
    """
    if not any(one.correlations or one.narrowed for one in inputs):
        return scores
    left: dict[str, float] = {}
    for name, share in (pair for one in inputs for pair in one.narrowed):
        left[name] = min(share, left.get(name, 1.0))
    where = {one.origin: n for n, one in enumerate(inputs)}
    loads: dict[int, dict[int, float]] = {}

    def of(n: int) -> dict[int, float]:
        if n not in loads:
            loads[n] = {n: 1.0}  # for correlations in a circle
            others = [(of(where[name]), share) for name, share in inputs[n].correlations if name in where]
            loads[n] = _load(n, others)
        return loads[n]

    def at(n: int) -> float:
        own, *others = of(n).items()
        return own[1] * scores[n] + sum(share * scores[other] for other, share in others)

    return [at(n) * left.get(one.origin, 1.0) for n, one in enumerate(inputs)]


def _load(n: int, others: Sequence[tuple[Mapping[int, float], float]]) -> dict[int, float]:
    """How input `n` follows from independent scores, its own first, if it is correlated with others that do, too."""
    shares = [share for _, share in others]
    among = [[sum(share * more.get(i, 0.0) for i, share in one.items()) for more, _ in others] for one, _ in others]
    if any(abs(share) > ROUNDING for i, row in enumerate(among) for share in row[:i]):
        import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

        found: list[float] = np.linalg.lstsq(np.array(among), np.array(shares), rcond=None)[0].tolist()
        shares = found
    load: dict[int, float] = {}
    for (one, _), share in zip(others, shares, strict=True):
        for i, part in one.items():
            load[i] = load.get(i, 0.0) + share * part
    rest = math.sqrt(max(0.0, 1.0 - sum(part * part for part in load.values())))
    return {n: rest + load.pop(n, 0.0), **load}


def changes(inputs: Sequence[Input], scores: Sequence[float]) -> Changes:
    """What inputs become at so many standard deviations from their best estimates, where that is something else.

    A fitted value also moves with the inputs that its fit made up for, as `joined` has it. Where another datasheet
    takes the place of the stated one, its values are taken as they are.
    """
    found: Changes = {}
    replaced: dict[str, list[str]] = {}
    for one, score in zip(inputs, joined(inputs, scores), strict=True):
        for use in one.uses if score else ():
            moved = use.at(score)
            if moved is not None:
                found.setdefault(use.scenario, {})[use.address] = moved
            if moved is not None and isinstance(use, ChoiceUse):
                replaced.setdefault(use.scenario, []).append(f"{use.address.removesuffix('.model')}.")
    for scenario, parts in replaced.items():
        own = found[scenario]
        found[scenario] = {
            address: value
            for address, value in own.items()
            if not isinstance(value, str) or address.endswith(".model") or not address.startswith(tuple(parts))
        }
    return found


def factors(inputs: Sequence[Input], scores: Sequence[float]) -> dict[str, dict[str, float]]:
    """By how much numbers are multiplied at so many standard deviations from their best estimates, as in `changes`."""
    found: dict[str, dict[str, float]] = {}
    for one, score in zip(inputs, joined(inputs, scores), strict=True):
        for use in one.uses if score else ():
            if isinstance(use, Use) and use.best:
                found.setdefault(use.scenario, {})[use.address] = use.number(score) / use.best
    return found


def _use(name: str, value: Value) -> Use | None:
    reach = ends(value)
    if reach is None:
        return None
    best = value.given.si
    return Use(name, value.address, best, min(reach[0], best), max(reach[1], best), value.given.unit)


def _is_power(size: float) -> bool:
    """Whether a size is a power of two, and no smaller than a block."""
    return size >= SMALLEST and size.is_integer() and int(size).bit_count() == 1


def ends(value: Value) -> tuple[float, float] | None:
    """The ends of the range of a value: as stated, or from the standard uncertainty of a fit; None if it is certain."""
    given = value.given
    if given.low is not None and given.high is not None:
        return given.low, given.high
    if given.uncertainty:
        least, most = given.plausible or (0.0, math.inf)
        half = SCORE * given.uncertainty
        return max(given.si - half, least), min(given.si + half, most)
    return None


HALVED = 12
"""Halvings of the way to an end that is refused."""


def reached(scenario: Scenario, addresses: Sequence[str], side: int) -> dict[str, str]:
    """Values of a scenario together at the lower (0) or upper (1) end of their ranges, or as near as checks allow."""
    values = [value for value in scenario.values if value.address in addresses]

    def moved(share: float) -> dict[str, str]:
        """Values a share of the way to the end; what is counted stays whole."""
        found: dict[str, str] = {}
        for value in values:
            both, given = ends(value), value.given
            if both is not None:
                way = share * (both[side] - given.si)
                si = both[side] if share == 1.0 else given.si + (math.trunc(way) if given.unit == COUNT else way)
                found[value.address] = units.show(si, given.unit)
        return found

    def allowed(changes: dict[str, str]) -> bool:
        try:
            scenario.with_(changes)
        except InputError:
            return False
        return True

    if allowed(moved(1.0)):
        return moved(1.0)
    low, high = 0.0, 1.0
    for _ in range(HALVED):
        middle = (low + high) / 2.0
        low, high = (middle, high) if allowed(moved(middle)) else (low, middle)
    return moved(low)
