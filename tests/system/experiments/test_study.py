from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import ResultError
from simbackup.experiments.study_file import read_study
from simbackup.experiments.study_point import together
from tests.shared import ROOT

SCENARIO = """\
title: A file written to a volume
hosts: {server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk]}}
devices:
  disk: {model: disk/scsi-10k-146gb-2004}
  volume: {kind: logical_volume, on: disk, size: 2 GB}
  backups: {kind: logical_volume, on: disk, size: 3 GB}
data:
  db: {on: volume, size: 1 GB, database: database/mysql-5.0-myisam}
jobs:
  copy: {method: hot_copy, data: db, to: backups}
"""
STUDY = """\
title: A study
scenarios: {one: one.yaml}
show: [jobs.copy.bytes]
"""
CASES = """\
cases:
  small: {data.db.size: 1 GB, devices.volume.size: 1 GB}
  large: {data.db.size: 8 GB, devices.volume.size: 9 GB, devices.backups.size: 8 GB}
"""


SERIAL_SHARE = 0.08
"""That of a job whose program states none: models/workers/of-one-job.yaml."""
Cases = dict[str, dict[str, Any]]
"""Rows of a study by case."""


def written(folder: Path, more: str = "") -> Path:
    (folder / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    file = folder / "a.study.yaml"
    file.write_text(STUDY + more, encoding="utf-8")
    return file


def problems(file: Path) -> list[str]:
    with pytest.raises(sb.InputError) as caught:
        read_study(file)
    return [f"{problem.place.line}: {problem.address}: {problem.message}" for problem in caught.value.problems]


@pytest.mark.slow
def test_every_case_is_run_with_every_value(tmp_path: Path) -> None:
    table = sb.study(written(tmp_path, CASES + "vary: {data.db.files: [1, 2, 3]}\n"), workers=2, intervals="none")
    assert table.varied == ("case", "data.db.files")
    assert [(row["case"], row["data.db.files"]) for row in table.rows] == [
        (case, files) for case in ("small", "large") for files in ("1", "2", "3")
    ]


def test_the_figures_of_a_job_that_failed_are_none(tmp_path: Path) -> None:
    file = written(tmp_path, "cases: {full: {devices.backups.size: 1500 MB}}\n")
    second = "  second: {method: hot_copy, data: db, to: backups}\n"
    (tmp_path / "one.yaml").write_text(SCENARIO + second, encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace("copy.bytes", "second.bytes"), encoding="utf-8")
    assert sb.study(file, intervals="none").rows[0]["jobs.second.bytes"] is None


def test_a_wrong_value_is_reported_at_its_place_in_the_case(tmp_path: Path) -> None:
    file = written(tmp_path, "cases:\n  odd:\n    data.db.files: 2\n    data.db.size: 1 parsec\n")
    assert [text.rsplit(": ", 1)[0] for text in problems(file)] == ["7: data.db.size"]


def test_an_address_that_is_not_there_is_reported_at_its_place_in_the_case(tmp_path: Path) -> None:
    file = written(tmp_path, "cases:\n  odd:\n    data.dbb.size: 1 GB\n")
    assert problems(file) == ["6: data.dbb.size: there is no 'dbb' under data"]


def test_an_address_is_varied_or_set_by_a_case(tmp_path: Path) -> None:
    file = written(tmp_path, "vary: {data.db.size: [1 GB]}\ncases:\n  odd: {data.db.size: 2 GB}\n")
    assert problems(file)[0] == "6: data.db.size: is both varied and set by a case"


def test_a_case_without_values_is_none(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "cases:\n  nothing: {}\n"))


def test_why_a_job_failed_is_reported_beside_the_others(tmp_path: Path) -> None:
    file = written(tmp_path, "cases:\n  room: {data.db.size: 1 GB}\n  none: {devices.backups.size: 900 MB}\n")
    text = file.read_text(encoding="utf-8").replace("[jobs.copy.bytes]", "[jobs.copy.bytes, jobs.second.bytes]")
    second = "  second: {method: hot_copy, data: db, to: backups, after: copy}\n"
    (tmp_path / "one.yaml").write_text(SCENARIO + second, encoding="utf-8")
    file.write_text(text.replace("{devices.backups.size: 900 MB}", "{devices.backups.size: 1500 MB}"), encoding="utf-8")
    good, bad = sb.study(file, intervals="none").rows
    assert good["failed"] is None
    assert bad["jobs.copy.bytes"] == 1e9
    assert bad["jobs.second.bytes"] is None
    assert bad["failed"].startswith("second: ")


@pytest.fixture(scope="module")
def bottlenecks() -> Cases:
    """The rows of a study that removes one bottleneck after the other, by case."""
    return {row["case"]: row for row in sb.study("teaching/bottleneck-moves", intervals="none").rows}


@pytest.mark.slow
def test_words_about_a_job_and_figures_of_links_and_processors_are_shown(
    bottlenecks: dict[str, dict[str, Any]],
) -> None:
    """The first step of removing bottlenecks: buffers wait, then the network is full."""
    rows = bottlenecks
    causes = {case: row["jobs.backup.cause"] for case, row in rows.items()}
    assert causes["8 buffers"] == "jobs.backup.buffers"
    assert causes["64 buffers"] == "links.lan"
    assert causes["and compressed"] == "hosts.server.cores"
    assert causes["and 16 threads"] == "links.lan"
    assert causes["and 25 Gb/s"] == "hosts.server.cores"
    assert rows["and 25 Gb/s"]["jobs.back.cause"] == "devices.nvme1"  # what comes back is written meanwhile
    for case, full in (("8 buffers", False), ("64 buffers", True)):  # the restore comes in the other direction
        back, there = (rows[case][f"jobs.{job}.elapsed"] for job in ("back", "backup"))
        assert (rows[case]["links.lan.busy"] * (there + back) / there > 0.95) == full
    assert rows["and compressed"]["hosts.server.cores.busy"] == pytest.approx(0.23, abs=0.02)  # 4 of 16, and back


@pytest.mark.slow
def test_a_step_gains_little_where_it_removes_no_bottleneck(bottlenecks: Cases) -> None:
    """Files on one volume even lose; flash answers sooner than an array, and so gains while buffers limit."""
    seconds = {case: row["jobs.backup.elapsed"] for case, row in bottlenecks.items()}
    first = seconds["8 buffers"]
    assert seconds["64 buffers"] < 0.65 * first
    assert seconds["16 threads alone"] == first
    assert seconds["compression alone"] > 1.1 * first
    alone, one_file = 1.0 - SERIAL_SHARE, SERIAL_SHARE * first  # hardly two at one place: 3.3, request by request
    assert 2.8 * alone * first + one_file < seconds["8 files alone"] < 3.8 * alone * first + one_file
    assert seconds["and compressed"] > 1.2 * seconds["64 buffers"]  # four threads
    assert seconds["and 16 threads"] < 0.5 * seconds["64 buffers"]


@pytest.mark.slow
def test_cells_without_memory_fail_and_the_others_do_not() -> None:
    """A compressed backup takes three sets of its buffers out of 4 GiB: of its study, the cells on either side."""
    sizes = {"256 KiB": 2**18, "1 MiB": 2**20, "4 MiB": 2**22}
    vary = {
        "jobs.backup.compress": [False, True],
        "jobs.backup.transfer_size": list(sizes),
        "jobs.backup.buffers": [256, 512, 1024, 2048],
    }
    show = ["jobs.backup.elapsed", "jobs.back.elapsed", "jobs.back.status"]
    study = {"title": "Memory", "scenarios": {"disks": "planning/buffers"}, "vary": vary, "show": show}
    table = sb.study(study, intervals="none")
    assert {row["failed"] is None for row in table.rows} == {True, False}
    for row in table.rows:
        sets = 3 if row["jobs.backup.compress"] == "true" else 1
        needed = int(row["jobs.backup.buffers"]) * sizes[row["jobs.backup.transfer_size"]] * sets
        assert (row["failed"] is not None) == (needed > 4 * 2**30) == (row["jobs.backup.elapsed"] is None)
        if row["failed"]:
            assert row["failed"].startswith("backup: out of memory")
            assert row["jobs.back.status"] == "skipped"
        else:
            assert row["jobs.back.status"] == ("late" if row["jobs.back.elapsed"] > 1800 else "done")


def test_a_list_of_names_is_varied(tmp_path: Path) -> None:
    text = (
        "title: T\nscenarios: {one: %s}\nvary: {jobs.backup.to: [[store], [store, store]]}\nshow: [jobs.backup.files]\n"
    )
    base = ROOT / "scenarios/planning/buffers.yaml"
    (tmp_path / "a.yaml").write_text(f"title: A\nextends: {base}\n", encoding="utf-8")
    (tmp_path / "a.study.yaml").write_text(text % "a.yaml", encoding="utf-8")
    assert [row["jobs.backup.to"] for row in sb.study(tmp_path / "a.study.yaml", intervals="none").rows] == [
        "store",
        "store, store",
    ]


SHORT = """\
title: A log of 20 MB, saved by its own server
hosts: {server: {model: host/windows-2013-server, owns: [c, d]}}
devices:
  c: {model: ssd/sata-ssd-2015, capacity: 10 GB}
  d: {model: ssd/sata-ssd-2015, capacity: 10 GB}
data:
  log: {on: c, size: 20 MB}
jobs:
  save: {method: database_native, data: log, to: d, engine: backup_engine/sql-server-2008}
chance:
  much: {of: data.log.size, distribution: uniform, loc: 10 MB, scale: 20 MB}
"""
SEEDS = """\
title: Seeds
scenarios: {short: short.yaml}
vary: {jobs.save.buffers: [7, 8]}
seeds: 6
show: [jobs.save.elapsed, jobs.save.cause, jobs.save.status]
"""


def short(folder: Path, study: str = SEEDS) -> Path:
    (folder / "short.yaml").write_text(SHORT, encoding="utf-8")
    (folder / "seeds.study.yaml").write_text(study, encoding="utf-8")
    return folder / "seeds.study.yaml"


@pytest.mark.slow
def test_figures_over_several_seeds_are_means_with_intervals(tmp_path: Path) -> None:
    table = sb.study(short(tmp_path), seed=3, workers=2, intervals="none")
    assert table.figures == ("jobs.save.elapsed", "jobs.save.elapsed ±", "jobs.save.cause", "jobs.save.status")
    for row, buffers in zip(table.rows, (7, 8), strict=True):
        changes = {"jobs.save.buffers": buffers}
        runs = [sb.simulate(tmp_path / "short.yaml", changes, seed=s).get("jobs.save.elapsed") for s in range(3, 9)]
        assert row["jobs.save.elapsed"] == pytest.approx(sum(runs) / 6)
        assert row["jobs.save.elapsed ±"] == pytest.approx(2.5706 * stdev(runs) / 6**0.5, rel=1e-4)
        assert row["jobs.save.status"] == "done"


@pytest.mark.slow
def test_rows_share_their_draws(tmp_path: Path) -> None:
    """What another buffer gains is surer than either time alone."""
    table = sb.study(short(tmp_path), intervals="none")
    gain, half = table.difference("jobs.save.elapsed", 0, 1)
    alone = [row["jobs.save.elapsed ±"] for row in table.rows]
    assert gain == pytest.approx(table.rows[0]["jobs.save.elapsed"] - table.rows[1]["jobs.save.elapsed"])
    assert half < 0.8 * (alone[0] ** 2 + alone[1] ** 2) ** 0.5


@pytest.mark.slow
def test_one_seed_has_no_difference(tmp_path: Path) -> None:
    one = sb.study(short(tmp_path, SEEDS.replace("seeds: 6\n", "")), intervals="none")
    assert one.figures == ("jobs.save.elapsed", "jobs.save.cause", "jobs.save.status")
    with pytest.raises(ResultError, match="only one seed"):
        one.difference("jobs.save.elapsed", 0, 1)
    with pytest.raises(ResultError, match=r"no figure 'jobs\.save\.size'"):
        sb.study(short(tmp_path), intervals="none").difference("jobs.save.size", 0, 1)


def test_a_figure_that_one_seed_lacks_has_no_mean() -> None:
    assert together("jobs.a.elapsed", [1.0, None]) == {"jobs.a.elapsed": None, "jobs.a.elapsed ±": None}
    assert together("jobs.a.cause", ["b", "a", "a"]) == {"jobs.a.cause": "a 2, b 1"}
