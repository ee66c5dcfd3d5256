"""Histories of backup programs."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from simbackup.errors import InputError, Place
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import form_of, zone_of
from simbackup.foreign.histories.reports import built_in, mapping_of
from simbackup.foreign.registry import jobs_csv, read_history
from simbackup.schema.tree import Node
from tests.cases import for_each

# Tables, mappings and what cannot be read
SAMPLES = Path(__file__).parent / "samples"


def _read(text: str, folder: Path, mapping: str = "", zone: str = "", name: str = "report.csv") -> list[FinishedJob]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    jobs, _ = read_history([path], mapping_of(mapping) if mapping else None, zone_of(zone) if zone else None)
    return jobs


def test_restic_reports_backups() -> None:
    (full, incremental), _ = read_history([SAMPLES / "restic-a-full.json", SAMPLES / "restic-a-incremental.json"])
    assert (full.id, full.tool, full.level, full.size_bytes, full.files) == (
        "restic-a-full",
        "restic",
        "full",
        160e6,
        20,
    )
    assert full.read_bytes == full.size_bytes
    assert (incremental.level, incremental.new_bytes, incremental.files_saved) == ("incremental", 32014191, 4)
    assert incremental.read_bytes is None, "restic does not say what it read of changed files"


def test_snapshots_of_restic_hold_their_times(tmp_path: Path) -> None:
    summary = {
        "backup_start": "2026-01-02T03:04:05.5+01:00", "backup_end": "2026-01-02T03:04:15.5+01:00", "files_new": 1,
        "files_changed": 0, "files_unmodified": 2, "data_added": 10, "data_added_packed": 7,
        "total_files_processed": 3, "total_bytes_processed": 30,
    }  # fmt: skip
    text = json.dumps([{"hostname": "a", "paths": ["/"], "short_id": "x", "summary": summary}])
    (job,) = _read(text, tmp_path, name="snapshots.json")
    assert (job.system, job.elapsed_s, job.stored_bytes) == ("a", 10.0, 7.0)
    assert job.start is not None
    assert job.start.utcoffset() == timedelta(hours=1)
    with pytest.raises(InputError, match=r"snapshots.json:1:1: holds no summary of a backup"):
        _read(json.dumps([{"hostname": "a", "paths": ["/"], "short_id": "x"}]), tmp_path, name="snapshots.json")


def test_borg_reports_archives_in_a_zone() -> None:
    jobs, notes = read_history([SAMPLES / "borg-a-full.json"], None, zone_of("Europe/Berlin"))
    (job,) = jobs
    assert (job.job, job.elapsed_s, job.stored_bytes, job.files) == ("full", 1.970467, 160003900, 20)
    assert job.start == datetime(2026, 11, 22, 11, 42, 19, tzinfo=UTC)
    assert notes == ["borg states no time zone; its times were read as Europe/Berlin"]


BACULA = """\
JobId,Name,Client,Type,Level,JobStatus,StartTime,EndTime,JobFiles,JobBytes,ReadBytes
17,nightly,files01-fd,B,F,T,2026-03-01 22:00:00,2026-03-02 01:30:00,120345,500000000000,700000000000
18,nightly,files01-fd,B,I,W,2026-03-02 22:00:00,2026-03-02 22:10:00,345,5000000000,7000000000
19,back,files01-fd,R,,f,2026-03-03 09:00:00,2026-03-03 09:00:30,0,0,0
"""


def test_bacula_is_recognised_by_its_columns(tmp_path: Path) -> None:
    full, incremental, back = _read(BACULA, tmp_path)
    assert (full.tool, full.id, full.status) == ("bacula", "report-17", "ok")
    assert (full.level, full.elapsed_s) == ("full", 12600.0)
    assert (full.stored_bytes, full.read_bytes, full.files_saved) == (5e11, 7e11, 120345)
    assert (incremental.level, incremental.status) == ("incremental", "warning")
    assert (back.operation, back.status) == ("restore", "failed")


NETBACKUP = """\
"Job ID";"Type";"State";"Status";"Job Policy";"Schedule Type";"Client";"Start Time";"Elapsed Time";"Kilobytes";"Files"
"500123";"Backup";"Done";"0";"unix";"Full Backup";"a";"25.03.2026 20:00:00";"001:02:03";"1.048.576";"1.000"
"500124";"Backup";"Done";"96";"unix";"Cumulative Incremental Backup";"a";"26.03.2026 20:00:00";"000:00:30";"1.024";"7"
"""


def test_netbackup_counts_kibibytes_and_its_codes(tmp_path: Path) -> None:
    full, failed = _read(NETBACKUP, tmp_path)
    assert (full.operation, full.level, full.elapsed_s) == ("backup", "full", 3723.0)
    assert (full.read_bytes, full.files_saved, full.status) == (2.0**30, 1000, "ok")
    assert (failed.level, failed.status) == ("cumulative", "failed")


def test_bpdbjobs_has_no_heads(tmp_path: Path) -> None:
    text = "7,0,3,0,unix,full,a,m,1767290645,0000000060,1767290705,stu,1,5,2048,12,/etc,1,more\n"
    (job,) = _read(text, tmp_path, mapping="netbackup-bpdbjobs")
    assert (job.id, job.operation, job.elapsed_s, job.read_bytes) == ("report-7", "backup", 60.0, 2.0**21)
    assert job.start == datetime.fromtimestamp(1767290645, UTC)


VEEAM = """\
"JobName","VMName","Result","CreationTime","EndTime","JobDuration","DataSize","BackupSize","IsFullMode"
"Daily","sql01","Success","3/25/2026 8:00:00 PM","3/25/2026 9:30:00 PM","01:30:00","107374182400","53687091200","True"
"""


def test_veeam_reports_sessions(tmp_path: Path) -> None:
    (job,) = _read(VEEAM, tmp_path, zone="America/New_York")
    assert (job.system, job.level, job.elapsed_s, job.size_bytes) == ("sql01", "full", 5400.0, 107374182400)
    assert job.start == datetime(2026, 3, 25, 20, tzinfo=ZoneInfo("America/New_York"))


def test_bytes_that_are_no_whole_number_need_a_unit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2:\d+: '100\.25' is not a whole number of bytes; state the unit"):
        _read(VEEAM.replace("107374182400", "100.25"), tmp_path)
    (job,) = _read(VEEAM.replace("107374182400", "100.25").replace("DataSize", "DataSize (GB)"), tmp_path)
    assert job.size_bytes == 100.25e9


def test_a_mapping_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "title: Ours\ntool: ours\ncolumns: {system: Rechner, start: Beginn, elapsed_s: Dauer, size_bytes: Menge}\n"
        "units: {elapsed_s: min, size_bytes: MiB}\ndates: ['%d.%m.%Y %H:%M']\n",
        encoding="utf-8",
    )
    text = "Rechner;Beginn;Dauer;Menge;Rest\nadele;03.04.2026 22:15;90;1.024,5;x\n"
    (job,) = _read(text, tmp_path, mapping=str(tmp_path / "own.yaml"), zone="Europe/Berlin")
    assert (job.tool, job.elapsed_s, job.size_bytes) == ("ours", 5400.0, 1024.5 * 2**20)
    assert job.start is not None
    assert job.start.isoformat() == "2026-04-03T22:15:00+02:00"


def test_elapsed_times_may_have_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "title: Ours\ntool: ours\ncolumns: {start: Beginn, elapsed_s: Dauer}\nunits: {elapsed_s: min}\n"
        "dates: ['%d.%m.%Y %H:%M']\n",
        encoding="utf-8",
    )
    text = "Beginn;Dauer\n03.04.2026 22:15;62,1\n04.04.2026 22:15;1:04:00\n05.04.2026 22:15;90 s\n"
    jobs = _read(text, tmp_path, mapping=str(tmp_path / "own.yaml"))
    assert [job.elapsed_s for job in jobs] == [3726.0, 3840.0, 90.0]


@for_each(
    "text, message",
    [
        ("a,b\n1,2\n", "report.csv:2:1: no mapping fits the columns a, b"),
        (BACULA.replace(",345,", ",x,"), "report.csv:3:69: 'x' is not a number"),
        (BACULA.replace("2026-03-02 01:30:00", "2026-02-02 01:30:00"), "the job ends before it begins"),
        (BACULA.replace(",W,", ",Q,"), "the status 'Q' is not known"),
        (BACULA.replace("18,", "17,"), "the job 'report-17' appears twice, first in"),
        (BACULA.replace("2026-03-02 22:00:00", "yesterday"), "'yesterday' is not a date in its column's format"),
        (NETBACKUP.replace("001:02:03", "soon"), "'soon' is not an elapsed time"),
        (NETBACKUP.replace("001:02:03", "9" * 400 + ":00"), "is not an elapsed time of a job; write at most 36500 d"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _read(text, tmp_path)
    assert message in str(raised.value)


def test_days_and_months_that_could_be_exchanged_are_refused() -> None:
    cells = [Node("03/04/2026 10:00", Place("x", 2, 1)), Node("05/04/2026 10:00", Place("x", 3, 1))]
    with pytest.raises(InputError, match="x:2:1: '03/04/2026 10:00' may be"):
        form_of(cells, ("%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M"))
    assert form_of([*cells, Node("13/04/2026 10:00", Place("x", 4, 1))], ("%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M")) == (
        "%d/%m/%Y %H:%M"
    )


def test_jobs_of_several_tables_are_named_after_them(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(BACULA, encoding="utf-8")
    jobs, _ = read_history([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert [job.id for job in jobs] == ["one-17", "one-18", "one-19", "two-17", "two-18", "two-19"]


def test_every_mapping_that_comes_along_is_right() -> None:
    assert set(built_in()) == {"bacula", "jobs", "netbackup", "netbackup-bpdbjobs", "veeam"}
    with pytest.raises(InputError, match="did you mean 'veeam'"):
        mapping_of("veem")


def test_a_wrong_mapping_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("title: X\ncolumns: {sice_bytes: A}\nunits: {size_bytes: furlongs}\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        mapping_of(str(path))
    assert "columns.sice_bytes: is not a column of a history; did you mean 'size_bytes'?" in str(raised.value)
    assert "m.yaml:3:21: units.size_bytes: '1 furlongs' is not a size" in str(raised.value)


@for_each("form", ["%d %d", "%Q", "DD.MM.YYYY"])
def test_a_form_of_dates_that_is_none_is_refused_at_its_place(form: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(f"title: X\ncolumns: {{start: Beginn}}\ndates: ['{form}']\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"m.yaml:3:9: dates: '{form}' is not a format of dates"):
        mapping_of(str(path))


def test_bytes_are_whole_so_that_what_was_written_is_read_again(tmp_path: Path) -> None:
    (job,) = _read(VEEAM.replace("107374182400", "1074266.112").replace("DataSize", "DataSize (KiB)"), tmp_path)
    assert job.size_bytes == round(1074266.112 * 1024)
    assert _read(jobs_csv([job]), tmp_path, name="jobs.csv") == [job]


def test_formulas_and_control_characters_stay_text_in_the_table(tmp_path: Path) -> None:
    (first, *_) = _read(BACULA, tmp_path)
    hostile = replace(first, system="=HYPERLINK(1)", job="\x1b[31m red")
    text = jobs_csv([hostile])
    assert ",'=HYPERLINK(1),\\x1b[31m red," in text
    (again,) = _read(text, tmp_path, name="jobs.csv")
    assert (again.system, again.job) == ("=HYPERLINK(1)", "\\x1b[31m red")


RESTIC = {
    "message_type": "summary", "files_new": 1, "files_changed": 0, "files_unmodified": 2, "data_added": 10,
    "total_files_processed": 3, "total_bytes_processed": 30, "total_duration": 1.5,
}  # fmt: skip


@for_each(
    "change, message",
    [
        ({"backup_start": "today"}, "backup_start: 'today' is not a time such as 2026-11-22T12:42:19"),
        ({"data_added": 0.5}, "data_added: '0.5' is not a whole number"),
        ({"total_duration": 1e300}, "total_duration: '1e+300' is not between 0 and 1e+18"),
        ({"total_duration": "1"}, "total_duration: '1' is not a number"),
        ({"total_duration": None, "backup_start": "2026-01-02T03:04:05", "backup_end": "2026-01-01T03:04:05Z"},
         "the backup ends before it begins"),
    ],
)  # fmt: skip
def test_json_that_says_what_cannot_be_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _read(json.dumps(RESTIC | change), tmp_path, name="restic.json")
    assert f"restic.json:1:1: {message}" in str(raised.value).replace("summary.backup_end: ", "")


def test_a_time_of_borg_that_is_none_is_refused(tmp_path: Path) -> None:
    text = (SAMPLES / "borg-a-full.json").read_text(encoding="utf-8").replace("12:42:19", "12:1e-9:19")
    with pytest.raises(InputError, match=r"archive.start: '2026-11-22T12:1e-9:19.000000' is not a time"):
        _read(text, tmp_path, name="borg.json")


# What each program prints
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
