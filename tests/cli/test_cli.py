"""The commands, as a user types them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from simbackup import shelf
from simbackup.cli import app as cli
from simbackup.results.compare import Role
from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import Said, Say

SNAPSHOT = "published/003-lvm-snapshots/same-disk"
PLAIN = "published/003-lvm-snapshots/no-snapshot"
ROW_KEYS = {
    "document", "id", "group", "operation", "quantity", "unit", "measured", "low", "high", "simulated", "error", "role",
    "within", "scenario",
}  # fmt: skip


@pytest.fixture(scope="module")
def reproduced() -> Callable[[str], Said]:
    """`reproduce` of document 003 with one option, each run once."""
    known: dict[str, Said] = {}

    def run(option: str) -> Said:
        if option not in known:
            command = [sys.executable, "-m", "simbackup.cli", "reproduce", "003", *option.split()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            known[option] = Said(done.returncode, done.stdout, done.stderr)
        return known[option]

    return run


def test_run_prints_the_jobs_and_the_devices(say: Say) -> None:
    said = say("run", SNAPSHOT)
    assert (said.code, said.err) == (0, "")
    header = next(line.split() for line in said.out.splitlines() if line.split()[:1] == ["job"])
    columns = ["job", "method", "start", "elapsed", "bytes", "files", "rate", "waits", "status"]
    assert [name for name in header if name in columns] == columns
    header = next(line.split() for line in said.out.splitlines() if line.split()[:1] == ["device"])
    assert {"busy", "bytes", "peak"} <= set(header)
    row = next(line.split() for line in said.out.splitlines() if line.split()[:2] == ["dd", "write"])
    assert row[-1] == "done"
    assert "2.147 GB" in " ".join(row)


def test_run_as_json_has_jobs_and_devices(say: Say) -> None:
    data = json.loads(say("run", SNAPSHOT, "--json").out)
    assert list(data) == ["jobs", "devices", "intervals", "figures", "exact", "typical"]
    [interval] = data["intervals"]
    assert interval["low"] < interval["elapsed"] == data["jobs"][0]["elapsed"] < interval["high"]
    assert interval["level"] == 0.9
    job = data["jobs"][0]
    assert {"job", "method", "start", "elapsed", "bytes", "files", "rate", "waits", "status"} <= job.keys()
    assert (job["job"], job["bytes"], job["status"]) == ("dd", 2**31, "done")
    assert {"devices.sdb", "devices.cow"} <= {row["device"] for row in data["devices"]}
    assert all({"busy", "bytes", "peak"} <= row.keys() for row in data["devices"])


@pytest.mark.slow
def test_set_replaces_a_value_with_or_without_a_space(say: Say) -> None:
    def elapsed(*words: str) -> float:
        return json.loads(say("run", SNAPSHOT, "--json", "--intervals", "none", *words).out)["jobs"][0]["elapsed"]

    small, tight, spaced = (elapsed("--set", f"devices.cow.chunk={text}") for text in ("8KiB", "64KiB", "64 KiB"))
    assert tight == spaced
    assert tight != small
    assert elapsed("--set", "data.file.size=1GiB", "--set", "devices.cow.chunk=64KiB") < tight


@for_each(
    "option, reported",
    [
        ("devices.cow.chunk", "has no value; write --set ADDRESS=VALUE"),
        ("=5", "has no value; write --set ADDRESS=VALUE"),
        ("devices.cow.chunk=", "devices.cow.chunk: is empty; write for example '2 GiB'"),
        ("devices.cow.chunk=16", "devices.cow.chunk: 16 has no unit; write for example '5 MB', '2 GiB'"),
        ("devices.cow.chunk=12KiB", "devices.cow.chunk: is not a power of two of at least 512 bytes"),
        ("devices.cow.chnk=16KiB", "devices.cow.chnk: is not known here; did you mean 'chunk'?"),
        ("devices.cwo.chunk=16KiB", "devices.cwo.chunk: there is no 'cwo' under devices; did you mean 'cow'?"),
        ("links.lan.rate=1 GB/s", "links.lan.rate: there is no 'lan' under links; none is defined"),
        ("device.cow.chunk=16KiB", "device.cow.chunk: is not the address of a value; did you mean 'devices'?"),
        ("devices..chunk=16KiB", "devices..chunk: is not the address of a value; did you mean 'devices'?"),
        ("jobs.dd.data=flie", "jobs.dd.data: there is no data set 'flie'; did you mean 'file'?"),
        ("devices.cow=16KiB", "devices.cow: is not a mapping; write its keys below it, indented"),
        ("devices.cow.chunk=[", "is not valid YAML: expected the node content"),
    ],
)  # fmt: skip
def test_a_wrong_set_is_reported_with_its_text(option: str, reported: str, say: Say) -> None:
    said = say("run", SNAPSHOT, "--set", option)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"--set {option}: {reported}")
    assert len(said.err.splitlines()) == 1


def test_all_wrong_sets_are_reported_at_once(say: Say) -> None:
    said = say(
        "run", SNAPSHOT, "--set", "devices.cow.chnk=1", "--set", "jobs.dd.data=x", "--set", "data.file.size=-1 B"
    )
    assert said.code == 2
    assert len(said.err.splitlines()) == 3


def test_explain_quick_runs_nothing_again(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say("run", SNAPSHOT, "--intervals", "none", "--out", str(tmp_path / "kept"))
    whole = json.loads(say("explain", str(tmp_path / "kept"), "--json").out)["jobs"]
    monkeypatch.setattr("simbackup.experiments.what_if.ran", None)
    quick = json.loads(say("explain", str(tmp_path / "kept"), "--quick", "--json").out)["jobs"]
    left_out = {"doubled_s", "without_bottleneck_s", "next_bottleneck"}
    assert quick == [one | dict.fromkeys(left_out) for one in whole]
    assert any(one["doubled_s"] for one in whole)


def test_the_seed_is_recorded_and_a_wrong_one_refused(say: Say, tmp_path: Path) -> None:
    assert say("run", PLAIN, "--seed", "7", "--intervals", "none", "--out", str(tmp_path / "seven")).code == 0
    assert Result.load(tmp_path / "seven").record.seed == 7
    said = say("run", PLAIN, "--seed", "-1")
    assert said.code == 2
    assert "--seed" in said.err


def test_out_writes_a_result_that_reads_back_equal(say: Say, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "result"
    folder.parent.mkdir()
    said = say("run", SNAPSHOT, "--json", "--intervals", "none", "--out", str(folder))
    assert (said.code, said.err) == (0, f"written to {folder}\n")
    names = {
        "run.json",
        "trace.jsonl",
        "scenario.json",
        *(f"{n}.{kind}" for n in ("jobs", "devices", "users", "values") for kind in ("parquet", "csv")),
    }
    assert {path.name for path in folder.iterdir()} == names
    assert [path.name for path in folder.parent.iterdir()] == ["result"]
    result = Result.load(folder)
    exact = {"datasheet": 10, "derived": 7, "document": 1}
    further = {"intervals": [], "exact": exact, "figures": [], "typical": []}
    assert json.loads(said.out) == json.loads(json.dumps(result.as_dict() | further))
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "jobs.parquet"), result.jobs.reset_index())
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "devices.parquet"), result.devices)
    csv = pd.read_csv(folder / "jobs.csv")
    assert list(csv.columns) == ["job", *result.jobs.columns]
    assert csv["elapsed"].tolist() == result.jobs["elapsed"].tolist()
    run = json.loads((folder / "run.json").read_text())
    assert {"scenario", "hash", "seed", "version"} <= run["run"].keys()
    assert all({"address", "value", "unit", "basis", "source"} <= value.keys() for value in run["values"])


def test_out_replaces_an_older_result_whole(say: Say, tmp_path: Path) -> None:
    folder = tmp_path / "result"
    say("run", SNAPSHOT, "--intervals", "none", "--out", str(folder))
    assert say("run", PLAIN, "--intervals", "none", "--out", str(folder)).code == 0
    assert Result.load(folder).record.scenario == PLAIN
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_out_refuses_a_folder_that_holds_something_else(say: Say, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    said = say("run", PLAIN, "--out", str(tmp_path))
    assert said.code == 2
    assert said.err == f"{tmp_path} exists and holds no result; choose another folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that not even root can write")
def test_out_tells_that_a_file_system_cannot_be_written(say: Say) -> None:
    said = say("run", PLAIN, "--out", "/proc/simbackup-result")
    assert said.code == 2
    assert said.err.startswith("/proc/simbackup-result cannot be written (")


@for_each("name", ["publishd/003-lvm-snapshots/same-disk", "same-disk", "same-disk.yaml"])
def test_an_unknown_scenario_gets_a_suggestion(name: str, say: Say) -> None:
    said = say("run", name)
    assert said.code == 2
    remedy = f"did you mean '{SNAPSHOT}'?"
    assert said.err == f"{name}: there is no file or scenario of this name; {remedy}\n"


@pytest.mark.parametrize("name", ["night.yml", "nigth.yaml", "night"])
def test_a_mistyped_file_gets_the_file_beside_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say
) -> None:
    (tmp_path / "night.yaml").write_text("title: A night\n", encoding="utf-8")
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert say("run", name).err == f"{name}: there is no file or scenario of this name; did you mean 'night.yaml'?\n"


def test_a_name_too_long_for_a_file_is_only_unknown(say: Say) -> None:
    said = say("run", "a" * 5000)
    assert said.code == 2
    assert "there is no file or scenario of this name" in said.err


@pytest.mark.slow
def test_reproduce_as_json_has_the_agreed_keys(reproduced: Callable[[str], Said]) -> None:
    rows = json.loads(reproduced("--json").out)
    assert len(rows) >= 5
    assert all(row.keys() >= ROW_KEYS for row in rows)
    assert {row["role"] for row in rows} <= set(get_args(Role))
    for row in rows:
        assert isinstance(row["measured"], float)
        assert isinstance(row["simulated"], float)
        assert isinstance(row["within"], bool)
        if row["measured"] and row["low"] is None and row["high"] is None:
            assert row["error"] == pytest.approx(row["simulated"] / row["measured"] - 1.0)
            assert row["within"] == (abs(row["error"]) <= 0.10)


@pytest.mark.slow
def test_reproduce_ends_by_what_its_rows_say(reproduced: Callable[[str], Said]) -> None:
    rows = json.loads(reproduced("--json").out)
    assert reproduced("--json --strict").code == (0 if all(row["within"] for row in rows) else 1)
    assert reproduced("--json").code in {0, 1}
    assert reproduced("--json").err == ""


@pytest.mark.slow
def test_reproduce_as_markdown_is_a_table(reproduced: Callable[[str], Said]) -> None:
    lines = reproduced("--markdown").out.splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    measured = json.loads(reproduced("--json").out)
    assert len(rows) == len(measured) + 1
    assert len({line.count("|") for line in rows}) == 1
    assert all(any(f"| {row['id']} |" in line for line in rows) for row in measured)


def test_an_unknown_document_gets_the_choice(say: Say) -> None:
    for command in ("reproduce", "calibrate"):
        said = say(command, "999")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("999: there is no such document; choose from: 000-netbackup-frozen-images, ")


@pytest.mark.slow
def test_check_says_that_all_files_are_right(say: Say) -> None:
    root = shelf.roots()[-1]
    files = [
        *(root / "models").glob("*/*.yaml"),
        *(root / "scenarios").rglob("*.yaml"),
        root / "models" / "sources.yaml",
    ]
    said = say("check", *map(str, files))
    assert (said.code, said.out) == (0, f"{len(files)} files are valid\n")
    assert [line for line in said.err.splitlines() if ": warning: " not in line] == []


@pytest.mark.slow
def test_models_list_as_json_names_each_datasheet(say: Say) -> None:
    rows = json.loads(say("models", "list", "--json").out)
    assert [row["name"] for row in rows] == shelf.names()
    assert all({"name", "kind", "title"} <= row.keys() for row in rows)
    assert all(row["kind"] == row["name"].split("/")[0] for row in rows)


def test_models_show_tells_basis_and_source_of_each_value(say: Say) -> None:
    rows = json.loads(say("models", "show", "disk/scsi-10k-146gb-2004", "--json").out)
    assert {"capacity", "outer_rate"} <= {row["parameter"] for row in rows}
    assert all(row["basis"] and (row["source"] or row["why"]) for row in rows)
    said = say("models", "show", "disk/scsi-10k-146gb-2004")
    assert (said.code, said.err) == (0, "")
    assert "outer_rate" in said.out
    copied = say("models", "show", "disk/scsi-10k-146gb-2004", "--yaml").out
    assert copied == shelf.path_of("disk/scsi-10k-146gb-2004").read_text(encoding="utf-8")


def test_models_show_lists_words_with_their_alternatives(say: Say) -> None:
    rows = {row["parameter"]: row for row in json.loads(say("models", "show", "backup_tool/filer-dump", "--json").out)}
    found = rows["restore_reads"]
    assert (found["value"], found["basis"], found["range"]) == ("wanted", "assumed", "or to_last")
    assert "direct access recovery" in found["why"]
    tool = {row["parameter"]: row for row in json.loads(say("models", "show", "backup_tool/unix-dump", "--json").out)}
    assert (tool["restore_reads"]["value"], tool["restore_reads"]["source"]) == (
        "to_last",
        "FreeBSD, sbin/restore, after 4.4BSD",
    )


def test_models_show_of_an_unknown_name_gets_a_suggestion(say: Say) -> None:
    said = say("models", "show", "disk/scsi-10k-146gb")
    assert said.code == 2
    assert "there is no datasheet 'disk/scsi-10k-146gb'; did you mean 'disk/scsi-10k-146gb-2004'?" in said.err


@pytest.mark.slow
def test_models_fitted_is_a_table_of_constants(say: Say) -> None:
    rows = json.loads(say("models", "fitted", "--json").out)
    assert isinstance(rows, list)
    assert all({"constant", "value", "unit", "uncertainty", "plausible", "rows"} <= row.keys() for row in rows)
    fitted = [row for row in rows if row["basis"] == "fitted"]
    assert all(row["plausible"][0] <= row["value"] <= row["plausible"][1] and row["rows"] for row in fitted)
    assert say("models", "fitted").code == 0


def test_models_cite_lists_the_works_of_a_scenario(say: Say) -> None:
    everything = json.loads(say("models", "cite", "--json").out)
    own = json.loads(say("models", "cite", SNAPSHOT, "--json").out)
    assert all({"key", "title"} <= row.keys() for row in everything)
    keys = {row["key"] for row in own}
    assert "linux-2.6.9-source" in keys
    assert keys < {row["key"] for row in everything}
    assert say("models", "cite", "nowhere-at-all").code == 2


@pytest.mark.slow
def test_a_datasheet_that_cannot_be_read_hides_no_other(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = tmp_path / "models" / "disk" / "own.yaml"
    sheet.parent.mkdir(parents=True)
    sheet.write_text("title: Own\nkind: disk\nparameters: {capacity: 5 foo}\n", encoding="utf-8")
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path))
    said = say("models", "list")
    assert said.code == 2
    assert "disk/sata-7200-1tb-2008" in said.out
    assert "models/disk/own.yaml:3:" in said.err


def test_a_closed_pipe_ends_quietly() -> None:
    command = f"set -o pipefail; '{sys.executable}' -m simbackup.cli models cite --json | head -n 1"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "[\n"
    assert done.stderr == ""


@pytest.mark.slow
def test_a_pipe_closed_before_the_first_line_ends_quietly() -> None:
    command = f"'{sys.executable}' -m simbackup.cli models list | true"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


LONG = """\
title: A hundred thousand writes
hosts:
  server: {model: host/linux-modern-server, owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
data:
  file: {on: sda, size: 1 GB}
jobs:
  dd: {method: write, data: file, every: 1 s, until: 90000 s}
"""
HANGS = 1800.0
"""Seconds after which a process hangs; a busy machine is never that slow."""
WATCHED = """\
import signal, sys
from contextlib import contextmanager
from simbackup import run
from simbackup.cli import app as cli, counting

@contextmanager
def progress():
    reported = []
    def report(*_):
        if not reported:
            reported.append(print("running", flush=True))
    yield report

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
counting.jobs, run.STEPS_BETWEEN_REPORTS = progress, 10
sys.argv = ["simbackup", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_with_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(LONG)
    command = [sys.executable, "-c", WATCHED, "run", "long.yaml", "--out", "result"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "running\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=HANGS)
    assert running.returncode == 130
    assert out == ""
    assert err == "interrupted; no partial output was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["long.yaml"]


def test_trace_writes_what_a_timeline_viewer_opens(say: Say, tmp_path: Path) -> None:
    out = tmp_path / "trace.json"
    said = say("trace", SNAPSHOT, "-o", str(out))
    assert (said.code, said.out) == (0, "")
    assert f"written to {out}" in said.err
    assert json.loads(out.read_text(encoding="utf-8"))["traceEvents"]
    assert say("run", SNAPSHOT, "--intervals", "none", "--out", str(tmp_path / "run")).code == 0
    assert say("trace", str(tmp_path / "run"), "-o", str(tmp_path / "again.json")).code == 0
    assert (tmp_path / "again.json").read_bytes() == out.read_bytes()


def test_picture_draws_without_a_run(say: Say, tmp_path: Path) -> None:
    said = say("picture", SNAPSHOT)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("<svg ")
    out = tmp_path / "x.svg"
    assert say("picture", SNAPSHOT, "-o", str(out)).err == f"written to {out}\n"
    assert out.read_text(encoding="utf-8") == said.out
    assert say("picture", "base/small-site").code == 0  # it has no jobs yet


def test_picture_shows_what_is_set(say: Say) -> None:
    assert "64\u00a0KiB chunks" not in say("picture", SNAPSHOT).out
    assert "64\u00a0KiB chunks" in say("picture", SNAPSHOT, "--set", "devices.cow.chunk=64KiB").out


@for_each(
    "words, reported",
    [
        (["picture", SNAPSHOT, "-o", "{}/x.png"],
         "{}/x.png cannot be written (the extension '.png' is not known here); use .svg"),
        (["picture", SNAPSHOT, "-o", "{}/file/x.svg"], "{}/file/x.svg cannot be written ("),
        (["picture", "{}"], "{} holds no result ("),
        (["picture", "{}", "--set", "data.file.size=1 GB"], "{} is a result, whose values cannot be changed"),
        (["picture", "{}/none"], "{}/none: there is no file or scenario of this name"),
    ],
)  # fmt: skip
def test_a_picture_that_cannot_be_drawn_is_reported(words: list[str], reported: str, say: Say, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    said = say(*(word.format(tmp_path) for word in words))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(reported.format(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
@for_each("length", [300, 5000])
@for_each(
    "command",
    [
        "run NAME", "explain NAME", "report NAME", "plot NAME", "picture NAME", "study NAME", "check NAME",
        "trace NAME -o t.json", "reproduce NAME", "calibrate NAME", "models show NAME", "models cite NAME",
        "run teaching/snapshot-slows-writes --out NAME", "trace teaching/snapshot-slows-writes -o NAME",
        "picture teaching/snapshot-slows-writes -o NAME.svg", "explain teaching/snapshot-slows-writes NAME",
        "run teaching/snapshot-slows-writes --set jobs.NAME.data=x",
    ],
)  # fmt: skip
def test_a_name_that_no_file_can_have_is_reported(
    command: str, length: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["simbackup", *command.replace("NAME", "n" * length).split()])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@for_each(
    "words, reported",
    [
        (["run"], "simbackup run: missing argument 'scenario'; see simbackup run --help\n"),
        (["rnu"], "simbackup: no such command 'rnu'; "),
        (["run", SNAPSHOT, "--sed", "1"], "simbackup run: no such option: --sed"),
        (["run", SNAPSHOT, "--seed", "-1"], "simbackup run: invalid value for '--seed': "),
        (["study", "x", "--workers", "0"], "simbackup study: invalid value for '--workers': "),
        (["trace", SNAPSHOT], "simbackup trace: missing option '--out' / '-o'; see simbackup trace --help\n"),
        (["explain", SNAPSHOT, "nix"], "simbackup explain: there is no job 'nix'; "),
        (["calibrate", "999"], "999: there is no such document; choose from: "),
        (["study", "base/small-site"],
         "base/small-site: there is neither such a file nor such a study; it is a scenario: "),
        (["run", "{}"], "{}: is a folder; name a file in it; choose from: site.yaml\n"),
        (["check", "{}"], "{}: is a folder; name a file in it; choose from: site.yaml\n"),
        (["study", "{}"], "{}: is a folder; name a file in it; choose from: site.yaml\n"),
        (["run", "teaching"], "teaching: is a folder of scenarios; choose from: teaching/bottleneck-moves, "),
        (["study", "{}/site.yaml"], "{}/site.yaml:1:1: is a scenario, not a study; use 'simbackup run'\n"),
    ],
)  # fmt: skip
def test_arguments_are_refused_in_one_line_that_says_what_would_be_right(
    words: list[str], reported: str, say: Say, tmp_path: Path
) -> None:
    (tmp_path / "site.yaml").write_text("title: A site\njobs: {}\n", encoding="utf-8")
    said = say(*(word.replace("{}", str(tmp_path)) for word in words))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(reported.replace("{}", str(tmp_path)))
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_datasheets_are_found_by_words(say: Say) -> None:
    found = json.loads(say("models", "list", "Tape_Drive", "lto", "--json").out)
    assert {row["name"] for row in found} == {f"tape_drive/lto-{n}" for n in range(1, 11)}
    for words, sheet in (("minio", "on-premises-2018"), ("swift", "on-premises-2018"), ("ceph", "on-premises-2018"),
                         ("onedrive", "onedrive"), ("google drive", "onedrive")):  # fmt: skip
        rows = json.loads(say("models", "list", *words.split(), "--json").out)
        assert f"object_store/{sheet}" in {row["name"] for row in rows}
    none = say("models", "list", "lto", "zebra")
    assert (none.code, none.err.strip()) == (2, "models list: no datasheet has 'lto' and 'zebra'; see 'models list'")


THIRTEEN = """\
title: Thirteen jobs, one after another
hosts: {server: {model: host/linux-2016-server, owns: [flash, nul]}}
devices:
  flash: {model: ssd/nvme-gen3-2018, capacity: 1 TB}
  nul: {kind: nul}
  queue: {kind: job_queue, at_once: 1}
fleets:
  all:
    count: 13
    data: {"d{number}": {on: flash, size: 1 GB}}
    jobs: {"j{number}": {method: image, data: "d{number}", to: nul, most_rate: 10 MB/s, queues: queue}}
"""


def test_waits_of_many_jobs_are_shown_as_their_sum(say: Say, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(THIRTEEN, encoding="utf-8")
    out = say("run", tmp_path / "all.yaml", "--intervals", "none").out
    # each takes 1 GB / 10 MB/s = 100 s, and they wait 0 to 12 times as long: 78 x 100 s = 2 h 10 min
    assert "2 h 10 min in all" in out
    assert " 0 s in all" not in out
