"""The serial share of jobs whose work several workers share, where neither they nor their programs state it."""

from __future__ import annotations

from collections.abc import Mapping

from simbackup.scenario.library import Reader
from simbackup.schema.job import SharedOut
from simbackup.schema.registry import method_kinds
from simbackup.schema.tree import Node

KEY, CONNECTIONS = "serial_share", ("connections",)
SHEETS = {False: "workers/of-one-job", True: "workers/connections"}
"""Datasheets of the usual share, by whether nothing but connections shares the work."""
PROGRAMS = ("tool", "engine")
"""Keys of a job with its program."""
COUNTS = (
    ("workers",), ("connections",), ("to",), ("tool", "workers"), ("compressor", "threads"),
    ("compressor", "expand_threads"), ("deduplication", "threads"),
)  # fmt: skip
"""Where a job says how many of one thing work for it: workers, connections, files of a database, threads."""
CODING = ("compressor", "deduplication", "engine")
"""Keys of a backup whose restore may have several threads or read several files."""


def with_serial_share(job: Node, jobs: Mapping[str, Node], reader: Reader) -> Node:
    """The job; with the usual `serial_share` added if several workers share its work and no file states a share."""
    if not isinstance(job.value, dict) or KEY in job.mapping:
        return job
    several = _sharing(job, jobs)
    if not several:
        return job
    if any(KEY in job.mapping[program].mapping for program in PROGRAMS if program in job.mapping):
        return job
    if KEY in _operation(job).mapping:
        return job
    stated = reader.sheet(SHEETS[several == {CONNECTIONS}]).mapping["parameters"].mapping[KEY]
    return Node({**job.mapping, KEY: stated}, job.place, job.key)


def _sharing(job: Node, jobs: Mapping[str, Node]) -> set[tuple[str, ...]]:
    """Where the job says that several of one thing may share its work; nothing if none do."""
    word = "restore" if "restore" in job.mapping else job.mapping["method"].word if "method" in job.mapping else ""
    kind = method_kinds().get(word)
    if kind is None or not issubclass(kind.spec, SharedOut):
        return set()
    several = {path for path in COUNTS if _several(job.find(path))}
    saved = jobs.get(job.mapping["restore"].word) if "restore" in job.mapping else None
    if saved is not None and isinstance(saved.value, dict):
        several |= {(key,) for key in CODING if key in saved.mapping}
    if any("workers" in group.mapping for phase in _phases(job) for group in phase.mapping.values()):
        several.add(("program",))
    return several


def _operation(job: Node) -> Node:
    """The operation of its program that a job runs; the job itself where there is none."""
    word = job.mapping["operation"].word if "operation" in job.mapping else ""
    path = ("program", "operations", word)
    found, seen = job.find(path)
    return found if seen == path else job


def _phases(job: Node) -> list[Node]:
    """The phases of the operation that a job runs, each with the groups of its workers."""
    operation = _operation(job).mapping
    return list(operation["phases"].mapping.values()) if "phases" in operation else []


def _several(found: tuple[Node, tuple[str | int, ...]]) -> bool:
    """Whether the value at a path of `COUNTS` is a list of several names or a number above one."""
    node, path = found
    if path not in COUNTS:
        return False
    value = node.mapping["value"].value if node.is_quantity else node.value
    if isinstance(value, list):
        return len(value) > 1
    try:
        return float(str(value)) > 1.0
    except ValueError:  # a name, or what is wrong and is reported
        return False
