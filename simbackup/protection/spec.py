"""What a list of losses may say: what each strikes, when it is noticed, and how often it happens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simbackup.errors import choices
from simbackup.schema.failure import Ageing
from simbackup.schema.job import Names
from simbackup.schema.part import Modelled, Rules
from simbackup.schema.quantity import Duration, Frozen, Money, Multiple, Share, Text, usual

THINGS = (
    "data", "disks", "array", "host", "target", "place", "account", "key", "catalogue", "network", "cartridge",
)  # fmt: skip
"""What a loss may strike."""
EACH = ("target", "place", "account", "key")
"""What a site has several of by name: a loss strikes one of them at a time."""


class LossSheet(Ageing):
    """How often something is lost, and how soon that is noticed."""

    yearly: Multiple | None = None
    """How often it happens in a year: to each system, or to the whole site if `what` is `site`, and to each of the
    targets, places, accounts or keys that it strikes by name. Of `disks`, how often each of them fails: how often too
    many fail at once follows from the array and the time of its rebuild. Unknown by default."""
    noticed: Duration = usual("0 s", "s")
    """Time until it is noticed. Save sets that are made meanwhile are of no use."""
    unreadable: Share = usual("0 %", "1")
    """Share of disks on which a rebuild finds a sector that it cannot read; only for `disks`."""


class LossSpec(Modelled, LossSheet):
    """A loss: what it strikes, when it is noticed, and how often it happens."""

    title: Text | None = None
    """What happens, in a few words; its name by default."""
    strikes: Annotated[Names, Field(min_length=1)]
    """What is lost, one or several of these. `data`: the data of a system, but nothing else on its disks. `disks`: the
    disks of a system with all that lies on them. `array`: all storage of a system, with disks of mirrors. `host`: the
    host of a system, whose disks are spared. `target`: one target after the other, with what lies there, except
    cartridges that are kept elsewhere. `place`, `account`, `key`: one after the other of those that the site names.
    `catalogue`: that of the backup server. `network`: whatever can be changed over networks: all but cartridges that
    are kept elsewhere, and what is immutable. `cartridge`: the newest save set on each library cannot be read."""
    of: Names = ()
    """The targets, places, accounts or keys that it may strike; all by default."""
    what: Literal["client", "site", "one-file"] = "client"
    """What has to come back: one system (`client`), all systems that are struck (`site`), or one file of a system."""

    def rules(self) -> Rules:
        """Report names of what has none, and several things of which one is struck at a time."""
        for word in self.strikes:
            if word not in THINGS:
                yield ("strikes",), f"there is nothing called '{word}'", choices(word, THINGS)
        each = [word for word in self.strikes if word in EACH]
        if len(each) > 1:
            yield ("strikes",), f"names both {each[0]} and {each[1]}", "write two losses, or one of these words"
        if self.of and not each:
            yield ("of",), "has no effect here", f"it names what 'strikes' has as one of {', '.join(EACH)}"
        yield from self.of_ages()
        if self.states("unreadable") and "disks" not in self.strikes:
            yield ("unreadable",), "has no effect here", "it belongs to a loss of 'disks'"


class LossesSpec(Frozen):
    """Losses that a site has to survive."""

    losses: dict[Text, LossSpec | None] = Field(default_factory=dict)
    """Losses by name. They are added to the usual ones, and replace those of the same name key by key; `null` leaves
    one out."""
    usual: Annotated[bool, Field()] = True
    """Whether the usual losses count, too."""
    downtime_hour: Money | None = None
    """What an hour costs in which a system is not in service; nothing by default."""
    data_hour: Money | None = None
    """What it costs to lose the data that a system takes in an hour; nothing by default."""
    all_data: Money | None = None
    """What it costs if the data of a system never come back; by default, costs leave that out, and say so."""
