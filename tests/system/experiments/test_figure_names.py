"""Every figure of a result is known before the run, and no other."""

from collections.abc import Iterator

import pytest

from simbackup import load
from simbackup.errors import ResultError
from simbackup.experiments.figure_names import WORDS, unknown
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario.scenario import Scenario
from tests.cases import for_each
from tests.shared import RUNNABLE, each_scenario, loaded, simulated

SITE = """
title: A backup and a disk that nobody uses
hosts: {server: {model: host/linux-modern-server, owns: [flash, disk, idle]}}
devices:
  flash: {model: ssd/nvme-gen3-2018}
  disk: {model: disk/sata-7200-1tb-2008}
  idle: {model: disk/sata-7200-1tb-2008}
data: {files: {on: flash, size: 1 GB}}
jobs: {backup: {method: image, data: files, to: disk}}
"""
KEYS = {"jobs": ("job",), "devices": ("device",), "workloads": ("users", "job")}


def shown(result: Result) -> Iterator[str]:
    """The addresses of all numbers in the tables of a result."""
    tables = {"jobs": result.job_rows, "devices": result.device_rows, "workloads": result.user_rows}
    for section, rows in tables.items():
        for row in rows:
            owner = ".".join(str(row[key]) for key in KEYS[section])
            owner = f"jobs.{owner}" if section == "jobs" else owner
            yield from (f"{owner}.{column}" for column, value in row.items() if isinstance(value, int | float))


def known(scenario: Scenario) -> Iterator[str]:
    """The addresses of all figures that the parts of a scenario state."""
    spec = scenario.spec
    for section in ("hosts", "links", "devices"):
        for name, part in getattr(spec, section).items():
            for piece, columns in part.figures().items():
                yield from (".".join(filter(None, (section, name, piece, column))) for column in columns)
    for name, job in spec.jobs.items():
        if getattr(job, "exists", False):
            continue  # it does not run
        run = name if job.every is None else f"{name}.1"
        yield from (f"jobs.{run}.{column}" for column in job.figures()[""])
        for users, workload in spec.workloads.items():
            yield from (f"workloads.{users}.{run}.{column}" for column in workload.figures()[""])


@each_scenario(RUNNABLE)
def test_the_figures_of_results_are_those_that_checks_know(name: str) -> None:
    result, scenario = simulated(name), loaded(name)
    assert list(unknown(scenario, list(shown(result)))) == []
    named = list(known(scenario))
    assert list(unknown(scenario, named)) == []
    failed = {f"jobs.{row['job']}.buffers" for row in result.job_rows if row["status"] == "failed"}
    for address in set(named) - failed:
        result.get(address)


@pytest.mark.parametrize("word", ["status", "reason"])
def test_what_is_text_is_no_figure_and_is_not_offered_in_its_own_place(word: str) -> None:
    message, numbers = f"'jobs.backup.{word}' is text, not a number", "bytes, due, elapsed, end, files, lock, rate"
    ((_, found, remedy),) = unknown(load(SITE), [f"jobs.backup.{word}"])
    assert (found, remedy) == (message, f"choose from: {numbers}, start, transfer_rate, waits")
    assert list(unknown(load(SITE), [f"jobs.backup.{word}"], WORDS)) == []
    with pytest.raises(ResultError, match=f"^{message}; choose from: {numbers}"):
        simulate(SITE).get(f"jobs.backup.{word}")
    with pytest.raises(ResultError, match=r"did you mean 'jobs\.backup\.start'"):
        simulate(SITE).get("jobs.backup.statu")


@for_each("run, legal", [("1", True), ("3", True), ("4", False), ("0", False), ("01", False)])
def test_a_repeated_job_has_so_many_runs(run: str, legal: bool) -> None:
    repeated = {"jobs.backup.every": "1 d", "jobs.backup.until": "2 d"}
    result, found = simulate(SITE, repeated), list(unknown(load(SITE, repeated), [f"jobs.backup.{run}.elapsed"]))
    assert [remedy for _, _, remedy in found] == ([] if legal else ["the job runs 3 times: jobs.backup.1.elapsed"])
    assert (f"jobs.backup.{run}.elapsed" in {f"jobs.{row['job']}.elapsed" for row in result.job_rows}) is legal


def test_a_host_that_never_stood_still_and_a_link_that_nothing_crossed() -> None:
    result = simulate(SITE)
    assert result.get("hosts.server.down") == 0.0
    assert result.get("devices.idle.active") == result.get("devices.idle.saturated") == 0.0


def test_a_job_that_does_not_run_has_no_figures() -> None:
    [(_, message, remedy)] = unknown(loaded("planning/reverse-incremental"), ["jobs.full-files.elapsed"])
    assert message == "there is no figure 'jobs.full-files.elapsed'"
    assert remedy == "what it saved exists at the start, and the job does not run; ask for another job"
