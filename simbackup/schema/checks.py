"""What has to agree between the parts of a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simbackup.errors import LONGEST_LIST, Problem
from simbackup.schema.job_checks import JobChecks
from simbackup.schema.scenario import Spec
from simbackup.schema.tree import Node
from simbackup.schema.workload_checks import check_loads, check_workload


def check(
    spec: Spec, tree: Node, before: Sequence[Problem] = (), templates: Mapping[str, str] | None = None
) -> list[Problem]:
    """Everything in which the parts of a scenario disagree, as far as what was wrong `before` lets it be told.

    The last of the problems names what was not checked further, and what has to be right first; parts of a fleet are
    named by their template, whose address `templates` has.
    """
    checks = JobChecks(spec, tree, tuple(before))
    checks.baseless()
    checks.agreement()
    checks.hosts_and_links()
    for name, device in spec.devices.items():
        with checks.about("devices", name):
            checks.device(name, device)
    checks.allocation()
    for name, data in spec.data.items():
        with checks.about("data", name):
            checks.data(name, data)
    for name, workload in spec.workloads.items():
        with checks.about("workloads", name):
            check_workload(checks, ("workloads", name), workload)
    check_loads(checks)
    for name, job in spec.jobs.items():
        checks.job(name, job)
    checks.order()
    return checks.problems + _not_checked(checks.waiting, tree, templates or {})


def _not_checked(waiting: Mapping[str, Mapping[str, None]], tree: Node, templates: Mapping[str, str]) -> list[Problem]:
    """A closing note for each set of addresses that parts wait for."""
    together: dict[tuple[str, ...], dict[str, str]] = {}
    for part, addresses in waiting.items():
        first = dict.fromkeys(_of_template(address, templates) for address in addresses)
        above = (a for a in sorted(first) if not any(a.startswith(f"{other}.") for other in first))
        together.setdefault(tuple(above), {}).setdefault(_of_template(part, templates), part)
    notes: list[Problem] = []
    for addresses, parts in together.items():
        have = "have" if len(addresses) > 1 else "has"
        were = "were" if len(parts) > 1 else "was"
        place = tree.find(tuple(next(iter(parts.values())).split(".")))[0].place
        remedy = f"{_listed(addresses)} {have} to be right first"
        notes.append(Problem(place, _listed(tuple(parts)), f"{were} not checked further", remedy, closing=True))
    return notes


def _of_template(address: str, templates: Mapping[str, str]) -> str:
    """The address of what a template says, for one of a part that came of it."""
    part = ".".join(address.split(".")[:2])
    return templates.get(part, part) + address[len(part) :]


def _listed(words: Sequence[str]) -> str:
    """Words in one row, of a long list only the first."""
    shown = words[:LONGEST_LIST]
    rest = f" and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return ", ".join(shown) + rest
