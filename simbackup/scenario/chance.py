"""The values of a scenario that chance decides: what they may be, and what is wrong with what a file says of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.errors import InputError, Problem, choices
from simbackup.schema.quantity import Quantity
from simbackup.schema.study import ChanceSpec
from simbackup.schema.tree import Node, from_plain

if TYPE_CHECKING:
    from simbackup.scenario.fleets import Fleets
    from simbackup.scenario.spec import Spec

SECTION = "chance"
COUNT, FACTOR = "count", "1"
TINY = 1e-12
"""Share of a distribution outside of which its bounds leave nothing to draw from."""


class WrongChanceError(ValueError):
    """What is wrong with a distribution: the key, what is wrong, and what would be right."""

    def __init__(self, key: str, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.key, self.message, self.remedy = key, message, remedy


@dataclass(frozen=True, slots=True)
class Bounded:
    """A distribution of SciPy between two ends, in SI units."""

    frozen: Any
    least: float
    most: float
    discrete: bool = False

    def at(self, share: float) -> float:
        """The value below which such a share of the draws lies: the inverse of the distribution between its ends."""
        return float(self.each(share))

    def each(self, shares: Any) -> Any:
        """The same of an array of shares."""
        below = float(self.frozen.cdf(self.least - 1.0 if self.discrete else self.least))
        above = float(self.frozen.cdf(self.most))
        return self.frozen.ppf(below + shares * (above - below)).clip(self.least, self.most)

    @property
    def mean(self) -> float:
        """The mean between the ends."""
        return float(self.frozen.expect(lb=self.least, ub=self.most, conditional=True))


def bounded(said: ChanceSpec, unit: str) -> Bounded:
    """The distribution that a file states, for values of a unit.

    Raises
    ------
    WrongChanceError
        There is no such distribution, or it has no such shapes or ends.
    """
    try:
        known: Any = import_module("scipy.stats")
    except ImportError:
        remedy = "install it with: pip install 'simbackup[fit]'"
        raise WrongChanceError("distribution", "a distribution needs SciPy", remedy) from None
    unit = FACTOR if said.by == "factor" else unit
    family: Any = getattr(known, said.distribution, None)
    if not isinstance(family, known.rv_continuous | known.rv_discrete):
        names = [
            name for name in dir(known) if isinstance(getattr(known, name), known.rv_continuous | known.rv_discrete)
        ]
        message = f"there is no distribution '{said.distribution}'"
        raise WrongChanceError("distribution", message, choices(said.distribution, names))
    discrete = isinstance(family, known.rv_discrete)
    wanted = [name.strip() for name in (family.shapes or "").split(",") if name.strip()]
    if sorted(wanted) != sorted(said.shapes):
        remedy = f"write shapes: {{{', '.join(f'{name}: ...' for name in wanted)}}}" if wanted else "leave them out"
        message = f"'{said.distribution}' has the shapes {', '.join(wanted)}" if wanted else "it has no shapes"
        raise WrongChanceError("shapes", message, remedy)
    given = {key: value for key in ("loc", "scale") if (value := _number(said, key, unit)) is not None}
    if discrete and "scale" in given:
        raise WrongChanceError("scale", f"'{said.distribution}' has no scale", "leave it out")
    frozen = family(**said.shapes, **given)
    ends = [float(end) for end in frozen.support()]
    if any(map(math.isnan, ends)):
        raise WrongChanceError(
            "shapes", f"'{said.distribution}' does not exist with these shapes and this scale", "see scipy.stats"
        )
    own = [_number(said, key, unit) for key in ("least", "most")]
    least, most = (end if stated is None else stated for stated, end in zip(own, ends, strict=True))
    for key, end in (("least", least), ("most", most)):
        if math.isinf(end):
            message = f"'{said.distribution}' has no {'lower' if key == 'least' else 'upper'} end"
            raise WrongChanceError("distribution", message, f"write '{key}:'")
    found = Bounded(frozen, least, most, discrete)
    if least >= most or float(frozen.cdf(most)) - float(frozen.cdf(least - 1.0 if discrete else least)) < TINY:
        raise WrongChanceError("most", "nothing lies between 'least' and 'most'", "move them apart")
    return found


def _number(said: ChanceSpec, key: str, unit: str) -> float | None:
    raw = getattr(said, key)
    if raw is None:
        return None
    try:
        return units.parse(raw, FACTOR if unit == COUNT else unit)  # the middle of counts need not be whole
    except units.UnitError as error:
        raise WrongChanceError(key, str(error)) from None


def addresses(said: ChanceSpec, fleets: Fleets) -> list[str]:
    """The addresses of the values of one entry; of a template of a fleet, those of all parts that were made from it."""
    found: list[str] = []
    for address in said.of:
        made = [(template, parts) for template, parts in fleets.items() if address.startswith(f"{template}.")]
        found += [part + address.removeprefix(template) for template, parts in made for part in parts]
        found += [] if made else [address]
    return found


def wrong_chance(spec: Spec, tree: Node, fleets: Fleets) -> Iterator[Problem]:
    """Report what chance cannot decide, and distributions that there are not."""
    if not spec.chance:
        return
    values = {".".join(path): quantity for path, quantity in spec.quantities()}
    taken: dict[str, str] = {}
    for name, said in spec.chance.items():
        path = (SECTION, name)
        for address in addresses(said, fleets):
            place, at = tree.find((*path, "of"))[0].place, f"{SECTION}.{name}.of"
            wrong = _wrong_address(address, values, taken)
            if wrong is not None:
                yield Problem(place, at, *wrong)
                continue
            passing = _passing(spec, address)
            if said.each_time and address not in passing:
                place, at = tree.find((*path, "each_time"))[0].place, f"{SECTION}.{name}.each_time"
                message = f"'{address}' is not a time that can be drawn for each use"
                remedy = f"of this device: {', '.join(passing)}" if passing else "leave out 'each_time'"
                yield Problem(place, at, message, remedy)
                continue
            taken[address] = name
            try:
                bounded(said, values[address].unit)
            except WrongChanceError as error:
                node, _ = tree.find((*path, error.key))
                yield Problem(node.place, f"{SECTION}.{name}.{error.key}", error.message, error.remedy)
                break


def _passing(spec: Spec, address: str) -> list[str]:
    """The addresses of the times that can be drawn each time of the device whose value is at an address."""
    section, name, *_ = address.split(".")
    device = spec.devices.get(name) if section == "devices" else None
    return [f"{section}.{name}.{key}" for key in sorted(device.each_time)] if device is not None else []


def _wrong_address(address: str, values: Mapping[str, Quantity], taken: Mapping[str, str]) -> tuple[str, str] | None:
    if address not in values:
        return f"there is no value '{address}'", choices(address, values)
    if address in taken:
        return f"'{taken[address]}' decides '{address}', too", "name each address once"
    if values[address].si == 0.0:
        return f"'{address}' is 0", "write there what it is without chance, which is more than 0"
    return None


def check_ends(spec: Spec, tree: Node, fleets: Fleets, finish: Callable[[dict[str, Node]], object]) -> None:
    """Check that a scenario is right with the least and with the most that chance can decide.

    `finish` makes the scenario with more overrides.

    Raises
    ------
    InputError
        It is not.
    """
    place = tree.mapping[SECTION].key
    values = {".".join(path): quantity for path, quantity in spec.quantities()}
    for end, word in (("least", "smallest"), ("most", "largest")):
        moved = {SECTION: Node(None, place)}
        for said in spec.chance.values():
            for address in addresses(said, fleets):
                moved[address] = from_plain(_at_end(said, values[address], end), place)
        try:
            finish(moved)
        except InputError as error:
            raise InputError([
                replace(each, place=place, message=f"with the {word} value that can be drawn: {each.message}")
                for each in error.problems
            ]) from None  # fmt: skip


def _at_end(said: ChanceSpec, stated: Quantity, end: str) -> str:
    """An end of what may be drawn for a value, as a file says it."""
    drawn = getattr(bounded(said, stated.unit), end)
    si = drawn * stated.si if said.by == "factor" else drawn
    return units.show(float(round(si)) if stated.unit == COUNT else si, stated.unit)
