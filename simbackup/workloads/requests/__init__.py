"""Applications whose requests cross links."""

from __future__ import annotations

from simbackup.schema.registry import WorkloadKind
from simbackup.workloads.requests.spec import RequestsSpec

KINDS = (WorkloadKind("requests", RequestsSpec, "simbackup.workloads.requests.make:make"),)
