"""What has to agree between the parts of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.errors import Problem
from simbackup.schema.database_checks import workload_on_data
from simbackup.schema.job_checks import JobChecks
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node


def check(spec: Spec, tree: Node, before: Sequence[Problem] = ()) -> list[Problem]:
    """Everything in which the parts of a scenario disagree, as far as what was wrong `before` lets it be told."""
    checks = JobChecks(spec, tree, tuple(before))
    checks.agreement()
    checks.hosts_and_links()
    for name, device in spec.devices.items():
        checks.device(name, device)
    checks.allocation()
    for name, data in spec.data.items():
        checks.data(name, data)
    for name, workload in spec.workloads.items():
        workload_on_data(checks, ("workloads", name), workload)
        if workload.data in spec.data:
            checks.owned(("workloads", name), spec.data[workload.data].on)
    for name, job in spec.jobs.items():
        checks.job(name, job)
    checks.order()
    return checks.problems
