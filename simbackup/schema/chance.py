"""What a scenario may say about values that chance decides."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text


class ChanceSpec(Frozen):
    """Values that chance decides, with each seed anew.

    What is drawn for an address depends on the seed and this address alone, so that a change elsewhere leaves it as it
    is. Values of a repeated job are drawn for each of its runs, those of `change` of data for each day, and all others
    once for a simulation, unless they are drawn `each_time`.
    """

    of: Names
    """Addresses of the values, such as `data.files.change.daily`, also in the templates of fleets. What the file states
    there is not zero, and is what holds without chance."""
    distribution: Text
    """A distribution of `scipy.stats` by its name there, such as `lognorm`, `gamma`, `triang` or `poisson`. Needs the
    extra `fit`."""
    shapes: dict[Text, float] = Field(default_factory=dict)
    """Its shape parameters by their names there, such as `{s: 0.5}`."""
    loc: str | int | float | None = None
    """Where it begins or has its middle, as `loc` there; 0 by default."""
    scale: str | int | float | None = None
    """How wide it is, as `scale` there; 1 in SI units by default."""
    least: str | int | float | None = None
    """The least that may be drawn; needed where the distribution has no lower end."""
    most: str | int | float | None = None
    """The most that may be drawn; needed where the distribution has no upper end."""
    by: Literal["value", "factor"] = "value"
    """Whether the value itself is drawn, or a factor by which what the file states is multiplied."""
    together: bool = False
    """Whether all these values share one draw, as in one busy night; each has its own by default."""
    each_time: bool = False
    """Whether a time is drawn anew each time that it passes: of each mount, load, unload and locate of a tape library,
    and of each request to an object store. Each job has draws of its own, so that one job more leaves those of the
    others as they are. The requests of a stream take the mean of their draws."""
