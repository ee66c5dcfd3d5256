"""How often a job fails by chance."""

from __future__ import annotations

from simbackup.schema.quantity import Duration, Frozen, Share, usual


class FailsSpec(Frozen):
    """How often a job fails at random before it moves any data: its client does not respond, or a service is down."""

    share: Share
    """Share of its attempts that fail: `10 %` means that one attempt in ten fails on average."""
    after: Duration = usual("0 s", "s")
    """Time until the failure is noticed, during which the attempt keeps its place in queues."""
