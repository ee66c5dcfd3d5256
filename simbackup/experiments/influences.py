"""What a figure depends on: each input with its effects, and the one to measure first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.equations.uncertainty import LEVEL, CentralInterval
from simbackup.results.figures import unit_of
from simbackup.results.tabled import Answer, interval_table
from simbackup.uncertainty.inputs import Input, Use
from simbackup.uncertainty.screening import Effect
from simbackup.uncertainty.sobol import SobolIndex

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.studies import SensitivityPlots
    from simbackup.plots.style import Chart

WORTH = 0.1
"""Share by which an interval must become narrower for a measurement of an input to be worth while."""
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Influence:
    """The effect of one input on a figure."""

    input: Input
    """The input."""
    at_low: float
    """The figure with this input alone at the lower end of its range."""
    at_high: float
    """The figure with this input alone at the upper end."""
    effect: Effect | None = None
    """The elementary effects of the screening over the whole range; None if it was left out."""
    index: SobolIndex | None = None
    """The Sobol' indices; None if they were left out."""

    @property
    def name(self) -> str:
        """The address of the input, or the name that several share."""
        return self.input.name

    @property
    def range(self) -> str:
        """The range of the input, or its options, in words."""
        use = self.input.uses[0]
        if isinstance(use, Use):
            return " to ".join(units.show_short(end, use.unit, DIGITS) for end in (use.low, use.high))
        return " or ".join(map(str, use.options))

    def as_dict(self) -> dict[str, Any]:
        """The influence as plain data, in SI units."""
        effect, index = self.effect, self.index
        return {
            "input": self.name, **self.input.uses[0].as_dict(), "at": [address for _, address in self.input.at],
            "figure": [self.at_low, self.at_high],
            "morris": None if effect is None else effect._asdict(),
            "sobol": None if index is None else index._asdict(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Narrowed:
    """An input, and the interval of a figure as if the input were known exactly."""

    input: Input
    """The input."""
    interval: CentralInterval
    """The whole interval."""
    from_inputs: CentralInterval
    """The part of it that is due to other inputs."""


@dataclass(frozen=True, slots=True, repr=False)
class Sensitivity(Answer):
    """Which inputs a figure depends on, the most important first, and which to measure first."""

    title: str
    """The title of the scenario."""
    address: str
    """The figure."""
    interval: CentralInterval
    """Its 90 % interval."""
    from_inputs: CentralInterval
    """The part of the interval that is due to inputs; the rest is model error."""
    influences: tuple[Influence, ...]
    """The effects of the inputs that matter, the greatest first."""
    first: Narrowed | None
    """The input to measure first; None if no input moves the figure."""
    inputs: int
    """Number of uncertain inputs, including those without influence."""
    runs: int
    """Number of simulations."""

    def __repr__(self) -> str:
        return f"Sensitivity({self.address!r}, {len(self.influences)} of {self.inputs} inputs matter)"

    @property
    def headline(self) -> str:
        """The title of the scenario, and what to measure first."""
        return f"{self.title}: {self.sentence()}"

    @property
    def intervals(self) -> pd.DataFrame:
        """Table with the 90 % interval of the figure, in its SI unit."""
        one = self.interval
        return interval_table([(self.address, one.best, one.low, one.high, unit_of(self.address) or "")])

    def shown(self, value: float, digits: int = DIGITS) -> str:
        """A value of the figure as text, with its unit."""
        unit = unit_of(self.address)
        return f"{value:.{digits + 1}g}" if unit is None else units.show_short(value, unit, digits)

    def narrowing(self) -> float:
        """The share, from 0 to 1, by which the interval would be narrower if the first input were known exactly.

        For an interval by factors, it is the share of the logarithm of the ratio of its ends.
        """
        width = _width(self.interval)
        return max(0.0, 1.0 - _width(self.first.interval) / width) if self.first is not None and width > 0.0 else 0.0

    def sentence(self) -> str:
        """What to measure first, and how much that would narrow the interval, in words."""
        interval = f"{self.address} lies between {self._ends(self.interval)} in {100.0 * LEVEL:.0f} % of cases"
        if self.first is None:
            return f"{interval}; no input moves it"
        name = self.first.input.named()
        if self.narrowing() >= WORTH:
            known = f"if it were known exactly, the figure would lie between {self._ends(self.first.interval)}"
            return f"{interval}. Measure {name} first: {known}{self._spans(self.first.interval)}"
        if _width(self.interval) > 2.0 * _width(self.from_inputs):
            why = "most of this range is model error; measure the figure itself on your system, and calibrate"
            return f"{interval}: {why}"
        return f"{interval}: many inputs matter, {name} most"

    def _spans(self, after: CentralInterval) -> str:
        """How much narrower the interval would be, in words: by the factor between its ends, if it has one."""
        before = self.interval
        if not (before.by_factor and min(before.low, after.low) > 0.0):
            return f" ({100.0 * self.narrowing():.0f} % narrower)"
        was, left = (f"{each.high / each.low:.2g}" for each in (before, after))
        return f" (ends a factor of {left} apart instead of {was})"

    def _ends(self, interval: CentralInterval) -> str:
        return f"{self.shown(interval.low)} and {self.shown(interval.high)}"

    @property
    def frame(self) -> pd.DataFrame:
        """The main table, by input: its range, the figure at its ends and the effects in SI units, Sobol' indices."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        rows = [
            {
                "input": one.name, "range": one.range, "at_low": one.at_low, "at_high": one.at_high,
                "morris_mean": one.effect.mean if one.effect else None,
                "morris_deviation": one.effect.deviation if one.effect else None,
                "sobol_first": one.index.first if one.index else None,
                "sobol_total": one.index.total if one.index else None,
            }
            for one in self.influences
        ]  # fmt: skip
        columns = [
            "input", "range", "at_low", "at_high", "morris_mean", "morris_deviation", "sobol_first", "sobol_total",
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns).set_index("input")

    def figure(self) -> Chart:
        """The main picture: what each input does alone."""
        return self.plot.tornado()

    @property
    def plot(self) -> SensitivityPlots:
        """Pictures of the influences; they need matplotlib."""
        from simbackup.plots.studies import SensitivityPlots  # noqa: PLC0415 (matplotlib is an extra)

        return SensitivityPlots(self)

    def as_dict(self) -> dict[str, Any]:
        """The answer as plain data, in SI units."""
        first = self.first
        return {
            "title": self.title, "figure": self.address, "unit": unit_of(self.address) or "", "covers": LEVEL,
            "best": self.interval.best, "low": self.interval.low, "high": self.interval.high,
            "from_inputs": [self.from_inputs.low, self.from_inputs.high],
            "measure_first": None if first is None else {
                "input": first.input.name, "low": first.interval.low, "high": first.interval.high,
                "narrower": self.narrowing(),
            },
            "inputs": [one.as_dict() for one in self.influences], "uncertain_inputs": self.inputs,
        }  # fmt: skip


def _width(interval: CentralInterval) -> float:
    """The width of an interval; as the logarithm of the ratio of its ends if it varies by factors."""
    if interval.by_factor and interval.low > 0.0:
        return math.log(interval.high / interval.low)
    return interval.high - interval.low
