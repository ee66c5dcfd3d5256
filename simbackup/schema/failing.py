"""How often a job fails by chance."""

from __future__ import annotations

from simbackup.schema.quantity import Duration, Frozen, Share


class FailsSpec(Frozen):
    """How often a job fails by chance before it has moved anything: its client does not answer, a service is down."""

    share: Share
    """Share of its tries that fail: `10 %` means that one try of ten fails on average."""
    after: Duration | None = None
    """Time until the failure is noticed, for which the try keeps its place in queues; at once by default."""
