"""Reserved names: what a plan adds to the scenario of a night must not collide with names of the site file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from simbackup.planning.spec import SiteSpec
from simbackup.schema.part import NAME

Path = tuple[str, ...]

WHOLE = frozenset({"network", "server-queue"})
"""Names of parts that every scenario of a site may have."""
ENDINGS = frozenset({
    "data", "disk", "host", "link", "log", "log-data", "logs", "merge", "network", "older", "overtime", "overtime-logs",
    "queue", "switch", "synthetic-full", "turn",
})  # fmt: skip
"""What follows the name of a system, a target, a host or a kind of machine in the names of what belongs to it."""
NUMBERED = re.compile(r"(night)?\d+\Z")
"""What follows the name of a system in those of its jobs: a night, or the place in a chain."""
SECTIONS = ("machines", "hosts", "datastores", "uplinks", "targets", "systems")


def taken(spec: SiteSpec) -> Iterator[tuple[Path, str, str]]:
    """Names that something else has: the place, the message, and a remedy."""
    copies = {copy for policy in spec.policies.values() for copy in policy.copies}
    owners: dict[str, str] = {}
    named = [(section, name) for section in SECTIONS for name in getattr(spec, section)]
    for section, name in named:
        other = owners.setdefault(name, section)
        if section != other and {section, other} != {"machines", "systems"}:
            yield (section, name), f"is also the name of one of the {other}", "rename one of them"
    for section, name in named:
        if name in WHOLE:
            yield (section, name), "is the name of a part that every plan has", "rename it"
        for owner, ending in _splits(name):
            if owner in owners and _is_ending(ending, copies):
                yield (section, name), f"is also what a plan calls a part of '{owner}'", "rename one of them"
    yield from _copies(spec)


def _copies(spec: SiteSpec) -> Iterator[tuple[Path, str, str]]:
    """Copies whose names no job could have, or other jobs have."""
    for policy, part in spec.policies.items():
        for copy in part.copies:
            here = ("policies", policy, "copies", copy)
            if NAME.match(copy) is None:
                yield here, "is not a name: letters, digits, '-' and '_', beginning with a letter", "rename it"
            elif _is_ending(copy, set()):
                yield here, "is also what a plan calls a part of each system", "rename it"


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """A name divided at each of its hyphens."""
    for found in re.finditer("-", name):
        yield name[: found.start()], name[found.end() :]


def _is_ending(text: str, copies: set[str]) -> bool:
    """Whether a plan may write it behind a name: an ending, a copy, a number, or one of these behind a number."""
    first, _, rest = text.partition("-")
    if NUMBERED.match(first) is not None:
        return not rest or _is_ending(rest, copies)
    return text in ENDINGS or text in copies
