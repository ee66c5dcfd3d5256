from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import zone_of
from simbackup.foreign.registry import jobs_csv, read_history
from tests.cases import for_each

SAMPLES = Path(__file__).parents[1] / "samples"
MiB, GiB = 2.0**20, 2.0**30
BERLIN = "Europe/Berlin"


def jobs_of(name: str) -> tuple[list[FinishedJob], list[str]]:
    return read_history([SAMPLES / name], None, zone_of(BERLIN))


def test_bareos_lists_jobs_with_their_duration() -> None:
    (full, incremental), notes = jobs_of("bareos-list.txt")
    assert (full.id, full.system, full.job, full.level, full.status) == (
        "bareos-list-2041", "nas-fd", "shares", "full", "ok",
    )  # fmt: skip
    assert (full.elapsed_s, full.stored_bytes, full.files_saved) == (12010.0, 1204551903210.0, 310771.0)
    assert full.start == datetime(2026, 3, 7, 20, 0, 2, tzinfo=UTC)
    assert (incremental.elapsed_s, incremental.status) == (271.0, "warning")
    assert "1 of 3 jobs in " in notes[-1]
    assert "bareos-list.txt have not ended, and were left out" in notes[-1]


def test_jobs_of_bacula_that_state_no_end_name_what_is_missing() -> None:
    with pytest.raises(InputError) as raised:
        jobs_of("bacula-list.txt")
    (problem,) = raised.value.problems
    assert problem.message == "column 'starttime' is read as start; no column gives the end, or the elapsed time"
    assert problem.remedy == (
        "name one with --end COLUMN, or with --elapsed COLUMN; or export a table that has it (this is read as: Bacula "
        "and Bareos, the table Job of the catalogue, 'llist jobs', or 'list jobs', which states no end in Bacula)"
    )


def test_a_table_without_an_end_names_its_own_columns(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(
        "JobId,Name,StartTime,Type,Level,JobFiles,JobBytes,JobStatus,Finished\n"
        "7,shares,2026-03-07 21:00:02,B,F,310771,1204551903210,T,2026-03-08 00:20:12\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"name one with --end COLUMN.*\(not used yet: Finished\)"):
        read_history([path])
    ((job,), _) = read_history([path], columns={"end": "Finished"})
    assert (job.elapsed_s, job.stored_bytes) == (12010.0, 1204551903210.0)
    with pytest.raises(InputError, match=r"--end Finish: .*has no column 'Finish'; did you mean 'Finished'"):
        read_history([path], columns={"end": "Finish"})


def test_any_table_can_be_read_by_the_columns_that_one_names(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("from;to\n2026-03-07 21:00:00;2026-03-07 21:30:00\n", encoding="utf-8")
    ((job,), _) = read_history([path], columns={"start": "from", "end": "to"})
    assert job.elapsed_s == 1800.0


def test_bacula_lists_jobs_at_length() -> None:
    (job,), notes = jobs_of("bacula-llist.txt")
    assert (job.id, job.system, job.elapsed_s, job.status) == ("bacula-llist-2041", "nas-fd", 12010.0, "ok")
    assert (job.read_bytes, job.stored_bytes, job.files_saved) == (1.4e12, 1204551903210.0, 310771.0)
    assert "1 of 2 jobs" in notes[-1]


def test_bacula_reports_at_the_end_of_a_job() -> None:
    (saved, restored), notes = jobs_of("bacula-report.txt")
    assert (saved.id, saved.system, saved.job, saved.operation, saved.level, saved.status) == (
        "bacula-report-2041", "nas-fd", "shares", "backup", "full", "warning",
    )  # fmt: skip
    assert (saved.elapsed_s, saved.stored_bytes, saved.files_saved) == (12010.0, 1204551903210.0, 310771.0)
    assert saved.start == datetime(2026, 3, 7, 20, 0, 2, tzinfo=UTC)
    assert (restored.operation, restored.system, restored.elapsed_s, restored.size_bytes, restored.status) == (
        "restore", "nas-fd", 120.0, 4000000512.0, "ok",
    )  # fmt: skip
    assert notes == [f"bacula states no time zone; its times were read as {BERLIN}"]


@for_each(
    "ending, status",
    [("Backup OK", "ok"), ("Backup OK -- with warnings", "warning"), ("*** Backup Error ***", "failed"),
     ("Backup Canceled", "failed")],
)  # fmt: skip
def test_a_report_says_how_its_job_ended(ending: str, status: str, tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    text = (SAMPLES / "bacula-report.txt").read_text(encoding="utf-8").replace("Backup OK -- with warnings", ending)
    path.write_text(text, encoding="utf-8")
    assert read_history([path])[0][0].status == status


def test_borg_reports_statistics_as_text() -> None:
    (job,), notes = jobs_of("borg-stats.txt")
    assert (job.id, job.job, job.elapsed_s, job.files) == ("borg-stats", "nas-2026-03-07", 4504.5, 210334.0)
    assert (job.size_bytes, job.stored_bytes) == (950.20e9, 12.35e9)
    assert job.start == datetime(2026, 3, 7, 20, 0, 2, tzinfo=UTC)
    assert any("have three digits" in note for note in notes)


def test_borg_of_version_2_states_its_offset_and_single_sizes() -> None:
    (job,), notes = jobs_of("borg2-info.txt")
    assert (job.system, job.elapsed_s, job.stored_bytes) == ("nas", 270.0, 1.5 * GiB)
    assert job.size_bytes == round(884.93 * GiB)
    assert job.start is not None
    assert job.start.utcoffset() == timedelta(hours=1)
    assert not any("zone" in note for note in notes)


def test_pgbackrest_states_what_was_copied_and_what_was_kept() -> None:
    (full, differential), notes = jobs_of("pgbackrest.json")
    assert (full.id, full.job, full.level, full.elapsed_s) == ("20260307-210002F", "orders", "full", 4500.0)
    assert (full.size_bytes, full.read_bytes, full.stored_bytes, full.status) == (8.2e11, 8.2e11, 2.4e11, "ok")
    assert (differential.level, differential.read_bytes, differential.status) == ("differential", 9e9, "warning")
    assert notes == []


def test_pgbackrest_as_text_counts_in_powers_of_1024() -> None:
    (full, incremental), notes = jobs_of("pgbackrest.txt")
    assert (full.level, full.elapsed_s, full.size_bytes) == ("full", 4500.0, round(763.7 * GiB))
    assert (incremental.read_bytes, incremental.stored_bytes) == (round(8.4 * GiB), 512 * MiB)
    assert full.start == datetime(2026, 3, 7, 20, 0, 2, tzinfo=UTC)
    assert any("have one decimal" in note for note in notes)


def test_vzdump_logs_each_guest() -> None:
    (dirty, whole, failed), _ = jobs_of("vzdump.txt")
    assert (dirty.id, dirty.system, dirty.level, dirty.elapsed_s) == ("vzdump-101", "orders", "incremental", 11.0)
    assert (dirty.size_bytes, dirty.read_bytes) == (64 * GiB, 2 * GiB)
    assert (whole.level, whole.elapsed_s, whole.size_bytes, whole.read_bytes) == ("full", 112.0, 32 * GiB, 32 * GiB)
    assert whole.stored_bytes == 12.5 * GiB, "vzdump means GiB where it writes 12.50GB"
    assert (failed.status, failed.elapsed_s, failed.new_bytes, failed.stored_bytes) == (
        "failed", 25.0, GiB, 512 * MiB,
    )  # fmt: skip


def test_a_backup_server_of_proxmox_logs_its_tasks() -> None:
    (job,), notes = jobs_of("pbs-task.txt")
    assert (job.id, job.system, job.job, job.elapsed_s, job.status) == ("pbs-task", "101", "vm/101", 11.0, "ok")
    assert (job.size_bytes, job.new_bytes, job.stored_bytes) == (64 * GiB, 2 * GiB, GiB)
    assert "in whole percent" in notes[0]


def test_bpdbjobs_is_recognised_without_a_mapping() -> None:
    (full, incremental), notes = jobs_of("bpdbjobs.csv")
    assert (full.id, full.operation, full.level, full.elapsed_s) == ("bpdbjobs-7001", "backup", "Full", 12010.0)
    assert (full.read_bytes, full.files_saved, incremental.status) == (1176320218 * 1024.0, 310771.0, "warning")
    assert any("1 of 3 jobs" in note for note in notes)


@for_each(
    "name, what",
    [
        ("bpdbjobs.txt", "is the output of 'bpdbjobs -report': it states neither times nor sizes"),
        ("pbs-snapshots.json", "it does not state how long the backups took; use the logs of their tasks"),
        ("restic-stats.json", "use 'restic backup --json' or 'restic snapshots --json'"),
        ("btape.txt", "is the output of 'btape: speed' (Bacula, Bareos), for which 'history' has no use"),
        ("restic.txt", "use 'restic backup --json'"),
        ("zfs-list.txt", "'simbackup plan init' reads it"),
    ],
)
def test_what_is_no_history_is_named(name: str, what: str) -> None:
    with pytest.raises(InputError) as raised:
        jobs_of(name)
    assert what in str(raised.value)


@for_each(
    "name",
    ["bareos-list.txt", "bacula-llist.txt", "bacula-report.txt", "borg-stats.txt", "pgbackrest.json", "pgbackrest.txt",
     "vzdump.txt", "pbs-task.txt", "bpdbjobs.csv"],
)  # fmt: skip
@for_each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_was_read_is_read_again_from_its_table(name: str, encoding: str, tmp_path: Path) -> None:
    path, neutral = tmp_path / name, tmp_path / "neutral.csv"
    path.write_text((SAMPLES / name).read_text(encoding="utf-8"), encoding=encoding)
    jobs, _ = read_history([path])
    neutral.write_text(jobs_csv(jobs), encoding="utf-8")
    assert read_history([neutral])[0] == jobs
