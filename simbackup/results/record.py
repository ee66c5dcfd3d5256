"""`Record`: the provenance of a result (version, scenario, seed, values)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from simbackup.scenario.idle_keys import idle_keys

if TYPE_CHECKING:
    from simbackup.scenario import Scenario, Value


@cache
def program_version() -> str:
    """Version of simbackup."""
    try:
        return version("simbackup")
    except PackageNotFoundError:
        return "0"


@dataclass(frozen=True, slots=True)
class Record:
    """The provenance of a result: what was run, with which version."""

    scenario: str
    """The name of the scenario."""
    title: str
    """Its title."""
    hash: str
    """Sixteen digits that change with what the run depends on."""
    seed: int
    """The seed of random numbers."""
    base: str | None
    """The published scenario that it extends; None without one."""
    log: list[str]
    """What was merged, completed and overridden."""
    version: str
    """The version of the program."""
    overrides: dict[str, Any] = field(default_factory=dict[str, Any])
    """Values that replaced those of the file, by address."""
    question: str = ""
    """The question that the scenario answers."""
    fleets: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The expanded parts, by the address of their template."""
    warnings: list[str] = field(default_factory=list[str])
    """Keys of the scenario without effect, each with its place."""

    @classmethod
    def of(cls, scenario: Scenario, seed: int, reads: AbstractSet[str] | None = None) -> Record:
        """The record of a run of this version of the program, and what it read of its scenario, if that is known."""
        fleets = {address: list(parts) for address, parts in scenario.fleets.items()}
        return cls(
            scenario.name, scenario.title, scenario.hash, seed, scenario.base, list(scenario.log), program_version(),
            {address: node.plain() for address, node in scenario.overrides.items()}, scenario.spec.question, fleets,
            [str(warning) for warning in idle_keys(scenario, reads)] if reads is not None else [],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class UsedValue:
    """A value that a result depends on, with its origin."""

    address: str
    """Its address in the scenario."""
    value: float
    """The value in SI units."""
    unit: str
    """Its dimension."""
    text: str
    """The value as its file writes it."""
    basis: str
    """The kind of evidence for it."""
    source: str | None
    """The document that states it, a key of a list of sources."""
    at: str | None
    """The place in that document."""
    why: str | None
    """Why an assumed value is reasonable, or how a derived one follows from others."""
    low: float | None
    """Lower end of its range, in SI units."""
    high: float | None
    """Upper end of its range, in SI units."""
    fitted_to: list[str]
    """Ids of the measured rows that it was fitted to."""
    seen: list[str]
    """Ids of the measured rows after whose sight it was chosen or changed."""
    uncertainty: float | None
    """Standard uncertainty of a fitted value, in SI units."""
    place: str
    """File, line and column that state it."""

    @property
    def varies(self) -> bool:
        """Whether it has a range, stated or from the uncertainty of a fit."""
        return bool(self.uncertainty) or (self.low is not None and self.low != self.high)


def used_values(scenario: Scenario) -> list[UsedValue]:
    """The values of a scenario, as a result stores them."""
    return [_used(value) for value in scenario.values]


def _used(value: Value) -> UsedValue:
    given = value.given
    return UsedValue(
        address=value.address,
        value=given.si,
        unit=given.unit,
        text=given.text,
        basis=given.basis or "user",
        source=given.source,
        at=given.at,
        why=given.why or given.rule,
        low=given.low,
        high=given.high,
        fitted_to=list(given.fitted_to),
        seen=list(given.seen),
        uncertainty=given.uncertainty,
        place=str(value.place),
    )
