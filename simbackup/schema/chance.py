"""What a scenario may say about values that chance decides."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text


class ChanceSpec(Frozen):
    """Values that are drawn at random, anew for each seed.

    The draws for an address depend only on the seed and on this address, so changes elsewhere do not affect them.
    Values of a repeated job are drawn for each run, values of the `change` of data for each day, and all others once
    per simulation, unless they are drawn `each_time`.
    """

    of: Names
    """Addresses of the values, such as `data.files.change.daily`, also in the templates of fleets. The file must state
    a value other than zero there, which applies without chance.
    """
    distribution: Text
    """The name of a distribution in `scipy.stats`, such as `lognorm`, `gamma`, `triang` or `poisson`. Needs the
    extra `fit`."""
    shapes: dict[Text, float] = Field(default_factory=dict)
    """Its shape parameters by their names in scipy, such as `{s: 0.5}`."""
    loc: str | int | float | None = None
    """Its location: where it begins or has its centre, as `loc` in scipy; 0 by default."""
    scale: str | int | float | None = None
    """Its scale, as `scale` in scipy; 1 in SI units by default."""
    least: str | int | float | None = None
    """The smallest value that may be drawn; required if the distribution has no lower end."""
    most: str | int | float | None = None
    """The largest value that may be drawn; required if the distribution has no upper end."""
    by: Literal["value", "factor"] = "value"
    """Whether the value itself is drawn, or a factor by which the value in the file is multiplied."""
    together: bool = False
    """Whether all these values share one draw, as in a busy night; by default, each has its own."""
    each_time: bool = False
    """Whether a time is drawn anew for each use: for each mount, load, unload and locate of a tape library, and for
    each request to an object store. Each job has its own draws, so an additional job does not change those of the
    others. Each request of a stream takes the mean of the stream's draws.
    """
