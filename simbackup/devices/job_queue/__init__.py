"""Queues in which jobs wait for their turn."""

from __future__ import annotations

from simbackup.devices.job_queue.spec import JobQueueSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("job_queue", JobQueueSpec, "simbackup.devices.job_queue.make:make"),)
LOOKS = {"job_queue": Look("M2 3h8v3H2zM2 10h8v3H2zM12 4.5h2.5v7H12", "#fff7ed", "#c2752e")}
