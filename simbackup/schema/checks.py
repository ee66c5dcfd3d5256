"""What has to agree between the parts of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.errors import Problem
from simbackup.schema.job_checks import JobChecks
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node
from simbackup.schema.workload_checks import check_loads, check_workload


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
        check_workload(checks, ("workloads", name), workload)
    check_loads(checks)
    for name, job in spec.jobs.items():
        checks.job(name, job)
    checks.order()
    return checks.problems
