"""A warning: an incremental chain without a new full backup, of which nothing can expire."""

from __future__ import annotations

from collections.abc import Iterator

from simbackup.errors import Problem
from simbackup.planning.loading import SiteFile
from simbackup.planning.policy import PolicySpec

Path = tuple[str, ...]
REMEDY = "write 'merges: true', or a level besides 'incremental' in the schedule"
LOCKED = f"{REMEDY}; a merge rewrites save sets, which a lock forbids"


def endless(file: SiteFile) -> list[Problem]:
    """A warning for each retention by which nothing expires, at its place."""
    found: dict[Path, Problem] = {}
    for name, policy in file.spec.policies.items():
        for path, remedy in _chains(policy):
            here = ("policies", file.written(name), *path, "retention")
            node, _ = file.source.find(here)
            message = "frees nothing: each incremental backup needs all before it"
            found.setdefault(here, Problem(node.place, ".".join(here), message, remedy, "warning"))
    return list(found.values())


def _chains(policy: PolicySpec) -> Iterator[tuple[Path, str]]:
    """Where save sets of a policy form a chain that is never cut, with what would cut it."""
    if set(policy.schedule) != {"incremental"}:
        return
    if policy.retention is not None and not policy.merges:
        yield (), REMEDY
    for name, copy in policy.copies.items():
        if copy.retention is not None and copy.which == "all" and not copy.merges:
            yield ("copies", name), LOCKED
