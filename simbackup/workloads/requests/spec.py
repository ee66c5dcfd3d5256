"""What a file may say about an application whose requests cross links."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.part import Facts, Figures, Path, Refers, amount
from simbackup.schema.quantity import (
    PositiveDuration,
    PositiveSize,
)
from simbackup.schema.registry import WorkloadKind
from simbackup.schema.workload import AskingSpec

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class RequestsSpec(AskingSpec):
    """An application whose requests cross links: a given number per second, or one after the other from each client."""

    kind: Literal["requests"] = "requests"
    """The kind of workload, which its other keys say as well."""
    via: Annotated[Names, Field(min_length=1), Refers("works on", "links")]
    """The links that a request crosses, in order."""
    request: PositiveSize
    """Mean bytes of a request and its answer on each of these links; sizes are distributed exponentially."""
    timeout: PositiveDuration | None = None
    """Longest wait on the links before a request times out; by default, requests never time out."""

    recognised_by: ClassVar[tuple[str, ...]] = ("via",)

    def check(self, checks: Checks, path: Path) -> None:
        """Report a workload without exactly one of its two forms, and wrong links."""
        with checks.about(*path):
            super().check(checks, path)
        with checks.about(*path):
            self._check_way(checks, path)

    def _check_way(self, checks: Checks, path: Path) -> None:
        """Report unknown links, and links that do not follow each other."""
        for name in dict.fromkeys(self.via):
            checks.street((*path, "via"), name)
            if self.via.count(name) > 1:
                checks.report((*path, "via"), f"names '{name}' more than once", "leave it out")
        known = [name for name in self.via if name in checks.spec.streets]
        for before, after in pairwise(known):
            links = [name.partition(".")[0] for name in (before, after)]
            ends = [{link, *checks.spec.links[link].joins} for link in links]
            if not ends[0] & ends[1]:
                message = f"'{before}' and '{after}' are not connected"
                checks.report((*path, "via"), message, "name the links in the order in which they are crossed")

    def figures(self) -> Figures:
        """What a job costs it: waits for links, and requests that time out."""
        return {"": (*super().figures()[""], "network_wait", *(("timed_out",) if self.timeout else ()))}

    def own_facts(self) -> Facts:
        """The bytes over links."""
        yield from amount(self.request, "each over the network")
        yield from amount(self.timeout, "until one times out")


KINDS = (WorkloadKind("requests", RequestsSpec, "simbackup.workloads.requests.make:make"),)
