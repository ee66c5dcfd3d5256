"""The names of kinds, and the keys of jobs of one method, occur in their rooms only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from simbackup.schema import capability, job, registry
from simbackup.schema.job import JobSpec

PACKAGE = Path(__file__).parents[2] / "simbackup"
ROOMS = ("devices", "methods", "workloads", "data")
ELSEWHERE = {
    "trace/activity.py": "activities are verbs, and some methods are called by the same verb",
    "equations/__init__.py": "modules of equations are named after what they describe",
    "units/dimensions.py": "things that can be counted, as units",
    "planning/scenarios.py": "a plan writes scenarios, and so speaks their language",
    "planning/hardware.py": "it writes hosts, devices, links and data of such a scenario",
    "protection/scenarios.py": "restores from snapshots and rebuilds are scenarios, too",
    "planning/origins.py": "what is wrong with these scenarios is said of the site that they were made of",
    "foreign/measurements/disks.py": "options and results of fio have names of their own",
    "foreign/histories/past.py": "columns and words of reports of backup programs",
    "foreign/histories/backup_tools.py": "columns of a history",
    "foreign/histories/reports.py": "columns of a history",
    "cli/show_published.py": "columns of a history",
    "cli/of_lab.py": "columns and components of a lab",
    "lab/components.py": "components of a machine, and the folder of a datasheet",
    "lab/measuring.py": "columns of a record of a lab",
    "lab/predictions.py": "columns of a record of a lab",
    "lab/record.py": "columns of a record of a lab",
    "lab/results.py": "columns of a record of a lab",
    "lab/scenarios.py": "a lab writes scenarios, and so speaks their language",
    "lab/sheets.py": "it writes datasheets of programs",
    "planning/spec.py": "a site says by which method its systems are saved",
}
"""Modules that use such words in another sense, and in which."""
WORDS = {
    "restore": "every file may say `restore: JOB` in place of a method, which is language (`Restoring`)",
    "source": "the work that a value cites",
    "share": "a form of a measured row, and a column",
    "users": "the table of results about workloads",
    "run": "a command, and its record",
    "host": "a kind of datasheet, and a part of a system",
    "operation": "a column of measured rows: what was done",
    "target": "a machine of a site that keeps backups",
    "filesystem": "a kind of datasheet, and what holds the files of data",
    "new": "a word of sentences",
}
"""Words that also mean something that all rooms share, and what."""
NAMED = {
    "schema/job.py": {"tool"},
    "schema/retired.py": {"request", "rounds", "copy", "program", "since"},
    "drawing/boxes.py": {"over", "workload"},
    "experiments/what_if.py": {"tool"},
    "foreign/histories/logs.py": {"copy", "level"},
    "scenario/checks.py": {"snapshot"},
    "scenario/completion.py": {"tool", "engine", "compressor", "deduplication", "program", "workload"},
    "planning/inventory.py": {"machine"},
    "planning/expenses.py": {"disk"},
    "planning/sensitivity.py": {"deduplication"},
    "planning/policy.py": {
        "image", "file_level", "database_native", "logical_dump", "hot_copy", "program", "operation", "engine",
        "compress", "compressor", "tool", "staging",
    },
    "planning/site.py": {"compressor", "deduplication"},
    "schema/capability.py": {"disk"},
    "schema/failure.py": {"disk"},
    "failures.py": {"disk"},
    "planning/failure.py": {"disk"},
    "planning/loading.py": {"machine", "image", "disk", "deduplication"},
    "protection/protect.py": {"machine", "snapshot"},
    "cli/show_plan.py": {"level", "copy"},
    "planning/restore_points.py": {"level"},
    "drawing/arrangement.py": {"workload"},
    "drawing/layout.py": {"workload"},
    "reporting/plan_tables.py": {"level", "copy"},
    "reporting/protection_tables.py": {"copy"},
    "reporting/site_report.py": {"level", "copy"},
    "scenario/json_schema.py": {"workload"},
    "uncertainty/verdict.py": {"level"},
    "web/levers.py": {"multiplexing"},
}  # fmt: skip
"""By module: the programs of a job, whose workers share its work; a word of sentences; the program of a job, which
can limit it, as devices can; the word for any frozen image; a part of the section `workloads`; a kind of machine of a
site; an ending of names; the methods that policies choose, with their keys; what
fails of an array; columns of a plan; the level of an interval; what planners move; and words of other
programs."""


def kinds() -> set[str]:
    """The names of all kinds of this package."""
    return {*registry.device_kinds(), *registry.method_kinds(), *registry.workload_kinds()}


def keys() -> set[str]:
    """The keys of jobs that neither all jobs have nor a capability declares."""
    shared = {
        node.target.id
        for module in (job, capability)
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    found = {name for kind in registry.method_kinds().values() for name in kind.spec.model_fields}
    return found - shared - {*JobSpec.model_fields, "method"}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts in a module with their lines; what stands alone (docstrings) left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


@pytest.mark.slow
def test_names_of_kinds_and_keys_of_methods_stay_in_their_rooms() -> None:
    names = kinds() | keys()
    assert {"raid", "hot_copy", "mirror", "transfer_size", "portion"} <= names
    assert not names & {"save_set", "replay", "streams", "after"}
    found: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if module.split("/")[0] not in ROOMS and module not in ELSEWHERE:
            legal = WORDS.keys() | NAMED.get(module, set())
            found += [f"{module}:{line}: {text}" for line, text in texts(path) if text in names - legal]
    assert not found, "\n".join(found)
