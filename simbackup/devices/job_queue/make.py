"""A queue of jobs from its spec."""

from __future__ import annotations

from simbackup.devices.job_queue.live import JobQueue
from simbackup.devices.job_queue.spec import JobQueueSpec
from simbackup.devices.site import Site


def make(site: Site, queue: JobQueueSpec) -> JobQueue:
    """The queue, empty."""
    return JobQueue(site.system.env, f"devices.{site.name}", int(queue.at_once.si), queue.order)
