"""Users who go on working on a data set."""

from __future__ import annotations

from simbackup.schema.registry import Look, WorkloadKind
from simbackup.workloads.users.spec import UsersSpec, WorkloadSheet

KINDS = (WorkloadKind("users", UsersSpec, "simbackup.workloads.users.make:make"),)
SHEETS = {"workload": WorkloadSheet}
LOOKS = {"workload": Look("M8 7.5a3 3 0 1 0-.01 0M2.5 14.5c0-6.5 11-6.5 11 0", "#fdeef3", "#c0527b", "rounded")}
