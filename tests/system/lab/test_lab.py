"""A lab measures real commands: here small ones of its own, and what goes wrong with them."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import simbackup as sb
from simbackup import shelf
from simbackup.errors import InputError, ResultError
from simbackup.lab import components, measuring, predictions, record, results, runs, setup, sheets
from simbackup.lab.data import Content
from simbackup.lab.folder import Folder
from simbackup.lab.scenarios import Asked, scenario, with_constants
from simbackup.lab.setup import delayed
from simbackup.lab.spec import UNITS, load_program, programs
from simbackup.uncertainty.model_error import OWN
from simbackup.uncertainty.whole import error_at
from tests.cases import for_each

DESIGN = """
title: Tiny
unit: 64 kB
small_files: 4
repeats: 1
operations: [backup]
points:
  empty: {}
  text-1: {text: 1, ratio: 2.2}
  text-2: {text: 3, ratio: 4}
  small-1: {small: 1}
  small-2: {small: 3}
  mixture: {text: 1, small: 2, held_out: true}
"""
PROGRAM = """
title: A program of the tests
needs: [NEEDS]
install: "it comes with Debian"
version: {run: "echo version 7", pattern: 'version (\\d+)'}
operations:
  backup:
    run: RUN
    terms: [start, byte, file]
    shipped:
      run: {method: program, program: program/gnu-tar, operation: create, data: data, target: disk}
    phases:
      save:
        worker:
          workers: cores
          items: files
          steps:
            read: {at: data, do: open}
            work: {at: cpu, item: $file, byte: $byte}
"""
MACHINE = {
    "cores": 2, "memory": 2**33, "system": "Linux 6.1", "architecture": "x86_64", "speed": [3.0, 4.0, 5.0],
    "kernels": {"gzip-6": 4.0}, "copy_rate": [5e9, 6e9, 7e9],
    "filesystem": {"create_cpu": [2e-5, 2e-5, 4e-5], "cpu_per_file": [6e-6, 6e-6, 9e-6],
        "walk_cpu": [2e-6, 2e-6, 3e-6]},
    "disk": {"read_rate": ["400 MB/s", "500 MB/s", "600 MB/s"]},
}  # fmt: skip
FIGURES = {
    "elapsed": 1.0, "synced": 1.0, "server_cpu": 0.0, "foreign": 0.0, "steal": 0.0, "cores": 2, "disturbed": False,
    "attempts": 1, "at": 0.0,
}  # fmt: skip


def program(root: Path, name: str = "ours", run: str = "cp -r {data} {target}/a", needs: str = "cp") -> None:
    """Write a program of one's own."""
    path = root / "lab" / "programs" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PROGRAM.replace("RUN", json.dumps(run)).replace("NEEDS", needs), encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a design and a program, on the search path."""
    root = tmp_path / "root"
    (root / "lab" / "designs").mkdir(parents=True)
    (root / "lab" / "designs" / "tiny.yaml").write_text(DESIGN, encoding="utf-8")
    program(root)
    monkeypatch.setenv("SIMBACKUP_PATH", str(root))
    return root


@pytest.fixture
def lab(root: Path, tmp_path: Path) -> Folder:
    """A lab that is set up, with the components of some machine."""
    del root
    folder = Folder(tmp_path / "lab")
    setup.set_up(folder, "tiny", ["ours"], 1, lambda _: None)
    folder.write(components.FILE, MACHINE)
    return folder


def nothing(_: str) -> None:
    """Note nothing."""


def runs_by_rule(folder: Folder, seconds: dict[str, float], hard: float = 0.0, **times: float) -> None:
    """Write runs that take times of a core by a rule; with points so many `times` as long, all are disturbed."""
    settings = folder.settings()
    for point in settings.contents:
        content = settings.content(point)
        cpu = seconds["start"] + seconds["byte"] * content.bytes + seconds["file"] * content.files
        folder.add(measuring.RUNS, {
            **FIGURES, "program": "ours", "operation": "backup", "point": point, "repeat": 0, "workers": 0,
            "bytes": content.bytes, "files": content.files, "random": content.random, "unchanged": 0,
            "stored": content.bytes,
            "cpu": (cpu + hard * content.random) * times.get(point.replace("-", "_"), 1.0), "day": "2026-11-26",
            "disturbed": bool(times),
        })  # fmt: skip


def test_every_run_is_measured_once_and_found_again(lab: Folder) -> None:
    found = measuring.measure(lab, [], 1, nothing)
    assert (found.new, found.total, found.failed) == (6, 6, {})
    again = measuring.measure(lab, [], 1, nothing)
    assert (again.new, again.total) == (0, 6)
    lines = {line["point"]: line for line in lab.lines(measuring.RUNS)}
    assert {point: (line["bytes"], line["files"], line["stored"]) for point, line in lines.items()} == {
        "empty": (0, 0, 0), "text-1": (64000, 8, 64000), "text-2": (192000, 24, 192000), "small-1": (16384, 4, 16384),
        "small-2": (49152, 12, 49152), "mixture": (96768, 16, 96768),
    }  # fmt: skip
    assert not lab.scratch.exists()


def test_what_runs_made_is_kept_until_the_end_without_the_content_of_large_files(lab: Folder) -> None:
    """As numbers of deleted files make new ones dear for minutes."""
    known = lab.path / "known"
    known.write_bytes(bytes(100_000))
    for _ in range(2):
        lab.scratch.mkdir()
        (lab.scratch / "small").write_bytes(bytes(5))
        (lab.scratch / "large").write_bytes(bytes(100_000))
        (lab.scratch / "linked").hardlink_to(known)
        lab.put_aside()
        assert not lab.scratch.exists()
    kept = sorted((path.name, path.stat().st_size) for path in lab.used.rglob("*") if path.is_file())
    assert kept == [("large", 0), ("large", 0), ("small", 5), ("small", 5)]
    assert known.stat().st_size == 100_000
    with lab.locked():
        assert not lab.used.exists()


def test_the_order_is_that_of_the_seed(root: Path) -> None:
    del root
    design = setup.load_design("tiny")
    first, same, other = (measuring.runs_of(design, ["ours"], seed) for seed in (1, 1, 2))
    assert first == same != other
    assert sorted(map(str, first)) == sorted(map(str, other))


def test_time_of_a_core_is_that_of_the_whole_command(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    shell = runs.Shell(tmp_path, {})
    burn = f"{sys.executable} -c 'import time\nwhile time.process_time() < 0.4: pass'"
    ran = shell.measure(f"{burn} | {burn}", tmp_path)
    assert 0.8 <= ran.cpu < 2.0
    with pytest.raises(runs.FailedError, match="no such thing"):
        shell.call("echo no such thing >&2; false | cat")


def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    number = int(runs.Shell(tmp_path, {}).call("sleep 300 > /dev/null 2>&1 & echo $!"))
    for _ in range(100):
        state = Path(f"/proc/{number}/stat")
        if not state.exists() or state.read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")


def test_time_of_a_server_is_counted_apart_and_it_ends(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    shell, port = runs.Shell(tmp_path, {}), runs.free_port()
    accept = "line, _ = s.accept()\n"  # the first is the lab's own question
    burn = "import time\nwhile time.process_time() < 0.5: pass\nline.close()\n"
    listen = f"import socket\ns = socket.create_server(('', {port}))\n"
    (tmp_path / "server.py").write_text(f"{listen}{accept}{accept}{burn}{accept}", encoding="utf-8")
    with shell.serving(f"{sys.executable} server.py", port) as servers:
        ran = shell.measure(f"exec 3<>/dev/tcp/127.0.0.1/{port}; cat <&3", tmp_path, servers)
    assert ran.server_cpu > 0.2 > ran.cpu
    assert not Path(f"/proc/{servers[0]}").exists()
    with (
        pytest.raises(runs.FailedError, match="the server does not listen: no such server"),
        shell.serving("sh -c 'echo no such server; exit 1'", port),
    ):
        pass


def test_constants_come_out_and_predict_what_was_held_out(lab: Folder) -> None:
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    (*_, path), (found,) = sheets.write_sheets(lab)
    assert found.accepted
    assert found.constants.values == pytest.approx({"start": 0.4, "byte": 2e-6, "file": 0.02})
    assert found.verdict.startswith("ours backup: accepted; they miss mixture by +0%")
    inside = yaml.safe_load(path.read_text(encoding="utf-8"))["parameters"]["operations"]["backup"]["phases"]
    start = inside["begin"]["begin"]["steps"]["start"]["item"]
    assert (start["value"], start["basis"]) == ("1.6 s", "measured")  # at a speed of 4
    byte = inside["save"]["worker"]["steps"]["work"]["byte"]
    core = results.Lab.of(lab).machine["id"]
    assert byte["correlations"].keys() == {f"core speed of lab machine {core}", start["shared"]}


def test_a_simulation_with_the_datasheet_takes_what_was_measured(lab: Folder) -> None:
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    found = results.found_in(results.Lab.of(lab), "ours", "backup")
    assert found is not None
    measured = {line["point"]: line["cpu"] for line in lab.lines(measuring.RUNS)}
    measured["empty"] += 0.02  # a data set has a file at the least
    assert dict(found.computed) == pytest.approx(measured, rel=0.01)


def test_own_runs_narrow_what_the_same_program_does_on_the_same_machine(
    lab: Folder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A point is off by how far it is from the others' constants, and not as jobs of other people are."""
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02}, text_1=1.1, small_1=0.9)
    [found] = sheets.write_sheets(lab)[1]
    assert 0.03 < found.scatter < 0.2
    monkeypatch.setenv("SIMBACKUP_PATH", os.pathsep.join(map(str, (root, lab.path))))
    shelf.forget()
    here = {
        "title": "Here", "hosts": {"here": {"model": "host/lab-machine", "owns": ["disk"]}},
        "devices": {"disk": {"model": "ssd/nvme-gen4-2021"}},
        "data": {"data": {"on": "disk", "size": "1 MB", "files": 10, "filesystem": "filesystem/lab-files"}},
        "jobs": {
            "save": {
                "method": "program", "program": "program/lab-ours", "operation": "backup", "data": "data",
                "target": "disk",
            },
        },
    }  # fmt: skip
    for address in ("jobs.save.elapsed", "jobs.save.rate", "hosts.here.cores.busy_s"):
        own = error_at(sb.load(here), address)
        assert (own.operation, own.rows, own.deviation) == (OWN, 5, pytest.approx(found.scatter, rel=0.05))
        there = sb.load(here, {"hosts.here.model": "host/linux-2024-server"})
        assert error_at(there, address).deviation > 2.0 * own.deviation
    assert error_at(sb.load(here), "hosts.here.cores.busy").operation != OWN


def test_the_serial_share_is_what_several_workers_do_not_save(lab: Folder, root: Path) -> None:
    """Two workers save half of the 0.864 s that one works on the largest text; a fifth of that is not saved."""
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    [line] = [
        {key: value for key, value in line.items() if key != "sha256"}
        for line in lab.lines(measuring.RUNS) if line["point"] == "text-2"
    ]  # fmt: skip
    saved = 0.8 * 0.432
    for workers, seconds, disturbed in ((1, 3.0, False), (2, 3.0 - saved, False), (2, 9.0, True)):
        lab.add(measuring.RUNS, {**line, "workers": workers, "elapsed": seconds, "disturbed": disturbed})
    (*_, path), (found,) = sheets.write_sheets(lab)
    assert found.serial == pytest.approx(0.2, abs=0.01)
    operation = yaml.safe_load(path.read_text(encoding="utf-8"))["parameters"]["operations"]["backup"]
    assert float(operation["serial_share"]["value"]) == pytest.approx(0.2, abs=0.01)
    assert len(operation["serial_share"]["fitted_to"]) == 2
    assert found.scaled["text-2", 1] - found.scaled["text-2", 2] == pytest.approx(saved, rel=0.05)
    design = setup.load_design("tiny").model_copy(update={"workers": setup.load_design("full").workers})
    assert [run for run in measuring.runs_of(design, ["ours"], 1) if run.workers] == []
    program(root, run="cp -r {data} {target}/{workers}")
    told = [run for run in measuring.runs_of(design, ["ours"], 1) if run.workers]
    assert sorted((run.point, run.workers) for run in told) == [
        (point, workers) for point in ("mixture", "text-2") for workers in (1, 2)
    ]


def test_round_trips_are_those_that_a_delay_makes_longer(lab: Folder, root: Path) -> None:
    design = setup.load_design("tiny").model_copy(update={"delays": setup.load_design("full").delays})
    assert all(run.round_trip is None for run in measuring.runs_of(design, ["ours"], 1))
    path = root / "lab" / "programs" / "ours.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "server: python3 -m http.server {port}\n", encoding="utf-8")
    found = [run for run in measuring.runs_of(design, ["ours"], 1) if run.round_trip is not None]
    assert sorted((run.point, run.round_trip) for run in found) == [("small-2", each) for each in (0.0, 0.005, 0.02)]
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    assert results.delays_of(results.Lab.of(lab), "ours", "backup") is None
    line = next(one for one in lab.lines(measuring.RUNS) if one["point"] == "small-2")
    for delay, seconds in ((0.005, 1.5), (0.02, 3.0), (0.02, 3.7)):
        more = {"round_trip": delay, "elapsed": seconds, "repeat": int(seconds)}
        lab.add(measuring.RUNS, {**{key: value for key, value in line.items() if key != "sha256"}, **more})
    delays = results.delays_of(results.Lab.of(lab), "ours", "backup")
    assert delays is not None
    assert delays.trips == pytest.approx(100.0)
    said = "100 round trips with the most small files; with 20 ms, shorter delays say 3.00 s, and it took 3.00 s (+0%)"
    assert delays.said == said
    assert all(one["round_trip"] is None for one in results.Lab.of(lab).runs("ours", "backup"))
    proxy = {key: value for key, value in line.items() if key != "sha256"}
    lab.add(measuring.RUNS, {**proxy, "round_trip": 0.0, "elapsed": 1.1})
    delays = results.delays_of(results.Lab.of(lab), "ours", "backup")
    assert delays is not None
    assert delays.times[0.0] == 1.1  # the proxy is in the way of all of them


def test_a_delay_of_0_of_an_older_folder_was_a_run_without_a_proxy(lab: Folder) -> None:
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    lines = [{key: value for key, value in line.items() if key != "sha256"} for line in lab.lines(measuring.RUNS)]
    (lab.path / measuring.RUNS).unlink()
    for line in lines:
        lab.add(measuring.RUNS, {**line, "delay": 0.0})
    lab.add(measuring.RUNS, {**lines[0], "delay": 0.02})
    old = results.Lab.of(lab)
    assert len(old.runs("ours", "backup")) == len(lines)
    assert [line["round_trip"] for line in old.with_delays("ours", "backup")] == [0.02]
    done = {measuring.Run.of(line) for line in measuring.measured_runs(lab)}
    assert all(run in done for run in measuring.runs_of(setup.load_design("tiny"), ["ours"], 1))
    lab.add(measuring.RUNS, {**lines[0], "round_trip": None})  # goes on with it
    lab.add(measuring.RUNS, {**lines[0], "round_trip": 0.0})
    more = results.Lab.of(lab)
    assert len(more.runs("ours", "backup")) == len(lines) + 1
    assert [line["round_trip"] for line in more.with_delays("ours", "backup")] == [0.02, 0.0]


def test_codecs_say_how_fast_they_are_in_memory() -> None:
    zstd = "1#text : 16777216 -> 3923954 (x4.276), 639.2 MB/s, 1817 MB/s \r 16777216 ->   3923954 (4.276), 641.9 MB/s"
    lz4 = "1#text :  16777216 ->   6895678 (2.433), 974.8 MB/s ,4811.6 MB/s "
    assert components.RATE.findall(zstd) == [("3923954", "639.2"), ("3923954", "641.9")]
    assert components.RATE.findall(lz4) == [("6895678", "974.8")]


def test_a_delay_makes_each_round_trip_longer() -> None:
    before = {*threading.enumerate()}
    with socket.create_server(("127.0.0.1", 0)) as server:
        echo = threading.Thread(target=_echo, args=(server,), daemon=True)
        echo.start()
        with delayed(server.getsockname()[1], 0.05) as port:
            started = time.monotonic()
            with socket.create_connection(("127.0.0.1", port)) as way:
                for _ in range(4):
                    way.sendall(b"ask")
                    assert way.recv(10) == b"ask"
                assert time.monotonic() - started >= 5 * 0.05  # the handshake, too
                way.shutdown(socket.SHUT_WR)
                assert way.recv(10) == b""
        assert {*threading.enumerate()} - before <= {echo}
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", port))


def test_a_connection_that_is_still_open_ends_with_the_delay_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_echo, args=(server,), daemon=True).start()
        with delayed(server.getsockname()[1], 0.01) as port:
            way = socket.create_connection(("127.0.0.1", port))
            way.sendall(b"ask")
            assert way.recv(10) == b"ask"
        with way:
            assert way.recv(10) == b""
    assert not caplog.records


def _echo(server: socket.socket) -> None:
    """Answer one connection with what it says."""
    way, _ = server.accept()
    with way:
        while data := way.recv(1000):
            way.sendall(data)


def test_no_datasheet_is_written_of_constants_that_miss(lab: Folder) -> None:
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    sheets.write_sheets(lab)
    lines = lab.lines(measuring.RUNS)
    (lab.path / measuring.RUNS).unlink()
    for line in lines:
        more = 1.5 if line["point"] == "mixture" else 1.0
        lab.add(measuring.RUNS, {**{k: v for k, v in line.items() if k != "sha256"}, "cpu": line["cpu"] * more})
    written, (found,) = sheets.write_sheets(lab)
    assert [path.stem for path in written] == ["lab-machine", "lab-files"]
    assert not found.accepted
    assert "not accepted; they miss mixture by -33%" in found.verdict
    assert list((lab.path / "models" / "program").iterdir()) == []  # the earlier one is gone


def test_a_program_that_is_not_installed(root: Path, tmp_path: Path) -> None:
    program(root, "absent", needs="no-such-command")
    with pytest.raises(InputError) as raised:
        setup.set_up(Folder(tmp_path / "new"), "tiny", ["absent"], 1, nothing)
    assert str(raised.value) == "--program absent: no-such-command is not installed; it comes with Debian"
    assert not (tmp_path / "new").exists()


def test_another_version_is_refused(lab: Folder, root: Path) -> None:
    path = root / "lab" / "programs" / "ours.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("version 7", "version 8"), encoding="utf-8")
    with pytest.raises(ResultError, match="set up with version 7, and 8 is installed"):
        measuring.measure(lab, [], 1, nothing)


def test_a_folder_of_another_user(lab: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: lab.path.stat().st_uid + 1)
    with pytest.raises(ResultError, match="belongs to another user; name a folder of your own"):
        lab.settings()


def test_a_folder_with_other_things(root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(ResultError, match="holds other files; name a new folder"):
        setup.set_up(Folder(tmp_path / "mine"), "tiny", ["ours"], 1, nothing)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    assert root.exists()


def test_two_labs_in_one_folder(lab: Folder) -> None:
    with lab.locked(), pytest.raises(ResultError, match="another lab works in this folder"):
        measuring.measure(Folder(lab.path), [], 1, nothing)


def test_too_little_room_is_said_beforehand(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del root
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(ResultError, match=r"GB have to be free, and 0\.0 GB are"):
        setup.set_up(Folder(tmp_path / "new"), "tiny", ["ours"], 1, nothing)
    assert not (tmp_path / "new").exists()


def test_a_full_disk_keeps_what_was_measured(lab: Folder, root: Path) -> None:
    program(root, run="ls {data}/text 2> /dev/null || exit 0; echo No space left on device >&2; exit 1")
    with pytest.raises(ResultError, match="the disk is full; what was measured so far is kept"):
        measuring.measure(lab, [], 1, nothing)
    assert {line["point"] for line in lab.lines(measuring.RUNS)} <= {"empty", "small-1", "small-2"}
    assert not lab.scratch.exists()


def test_a_program_that_fails_does_not_stop_the_others(lab: Folder, root: Path) -> None:
    program(root, "broken", run="echo it does not work >&2; exit 3")
    setup.set_up(lab, "tiny", ["broken"], 1, nothing)
    found = measuring.measure(lab, [], 1, nothing)
    assert (found.new, found.failed) == (6, {"broken backup": "it does not work"})


def test_a_busy_machine_repeats_and_says_so(lab: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = iter(range(1, 10**6))
    monkeypatch.setattr(runs.Machine, "now", lambda: runs.Machine(10.0 * next(busy), 0.0))
    found = measuring.measure(lab, [], 2, nothing)
    assert (found.new, found.disturbed) == (6, 6)
    assert {(line["attempts"], line["disturbed"]) for line in lab.lines(measuring.RUNS)} == {(2, True)}


@for_each(
    "foreign,steal,disturbed",
    [(0.0, 0.0, False), (0.9, 0.0, False), (1.1, 0.0, True), (0.0, 0.3, False), (0.0, 0.5, True)],
)
def test_what_disturbs_a_run(foreign: float, steal: float, disturbed: bool) -> None:
    quiet = runs.Ran(10.0, 10.0, 9.0, 0.0, 0.0, 0.0, 2)
    assert replace(quiet, foreign=foreign, steal=steal).disturbed is disturbed


@for_each("seconds,disturbed,counts", [(0.4, False, False), (0.6, False, True), (0.6, True, False)])
def test_whose_elapsed_time_counts(seconds: float, disturbed: bool, counts: bool) -> None:
    assert measuring.is_quiet({"elapsed": seconds, "disturbed": disturbed}) is counts


@pytest.mark.slow
def test_predictions_are_never_overwritten(lab: Folder) -> None:
    first = predictions.predict(lab, nothing)
    text = (lab.path / predictions.FILE).read_text(encoding="utf-8")
    again = predictions.predict(lab, nothing)
    assert (first.new, again.new, again.before) == (6, 0, 6)
    assert (lab.path / predictions.FILE).read_text(encoding="utf-8") == text
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    more = predictions.predict(lab, nothing)
    assert more.new == 1  # of what is held out, by the constants that were measured
    compared = {(one.point, one.basis): one for one in predictions.compare(lab)}
    assert compared["mixture", "shipped"].blind
    assert not compared["mixture", "measured"].blind
    assert compared["mixture", "measured"].error == pytest.approx(0.0, abs=0.01)


@pytest.mark.slow
def test_a_line_that_was_changed_is_found(lab: Folder) -> None:
    predictions.predict(lab, nothing)
    file = lab.path / predictions.FILE
    lines = file.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[2])
    changed["cpu"] = 0.5
    file.write_text("\n".join([*lines[:2], json.dumps(changed), *lines[3:]]) + "\n", encoding="utf-8")
    with pytest.raises(ResultError, match=r"predictions\.jsonl:3: was changed after it was written"):
        predictions.compare(lab)


@pytest.fixture
def packed(lab: Folder, tmp_path: Path) -> Path:
    """A packed lab, in which two runs state how many workers they have."""
    runs_by_rule(lab, {"start": 0.4, "byte": 2e-6, "file": 0.02})
    line = next(one for one in lab.lines(measuring.RUNS) if one["point"] == "text-2")
    for number, seconds in ((1, 1.0), (2, 1.0 - 0.92 * 0.432)):  # of 0.864 s, a serial share of 8 %
        changed = {"workers": number, "elapsed": seconds, "synced": seconds}
        lab.add(measuring.RUNS, {**{key: one for key, one in line.items() if key != "sha256"}, **changed})
    file = tmp_path / "pack.json"
    file.write_text(record.packed(lab), encoding="utf-8")
    return file


def test_a_pack_has_no_names_and_no_paths(packed: Path, tmp_path: Path, lab: Folder) -> None:
    text = packed.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert "/" not in text.replace("B/s", "")
    assert os.uname().nodename not in text
    broken = {"read_rate": ["/home/somebody", "500 MB/s", "600 MB/s"]}
    lab.write(components.FILE, {**MACHINE, "disk": broken})
    with pytest.raises(ResultError, match="'/home/somebody' may be a name or a path, and is not packed"):
        record.packed(lab)


def test_a_joined_lab_is_reproduced_with_computed_roles(packed: Path, tmp_path: Path) -> None:
    folder = record.join(packed, tmp_path / "records")
    found = sb.reproduce([str(tmp_path / "records")], intervals=False)
    points = ("empty", "text-1", "text-2", "small-1", "small-2")
    roles = dict.fromkeys(points, "fitted") | {"mixture": "held-out"}
    expected = roles | {f"{point}-elapsed": role for point, role in roles.items()}
    expected |= {"text-2-workers-1-elapsed": "fitted", "text-2-workers-2-elapsed": "fitted"}  # of the serial share
    assert {row.measurement.id.rpartition("-backup-")[2]: row.role for row in found.rows} == expected
    cores = {row.measurement.id: row for row in found.rows if row.measurement.row.quantity == "cpu"}
    assert all(abs(row.error) < 0.01 for row in cores.values() if not row.measurement.id.endswith("empty"))
    assert all(row.good for row in found.rows)
    with_workers = {
        row.measurement.id[-len("1-elapsed")]: row.simulated for row in found.rows if "workers" in row.measurement.id
    }
    lab = results.found_in(record.unpacked(packed)[0], "ours", "backup")
    assert lab is not None
    assert lab.wait > 0.0  # elapsed times are all a second, which is more than most points take
    start = 0.4 + lab.wait
    work = 24 * 0.02 + 192000 * 2e-6  # seconds; of 8 % of it, one worker of several works alone
    ends = {"1": start + work, "2": start + 0.54 * work}
    assert with_workers == {number: pytest.approx(end, rel=0.01) for number, end in ends.items()}
    with pytest.raises(ResultError, match="exists; this lab was joined before"):
        record.join(packed, tmp_path / "records")
    assert [path.name for path in (tmp_path / "records").iterdir()] == [folder.name]


@for_each("text", ["", "{}", '{"format": 1}', "[1]", "\0"])
def test_what_is_no_pack(text: str, tmp_path: Path) -> None:
    (tmp_path / "pack.json").write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match="is no packed lab; write one with: simbackup lab pack"):
        record.join(tmp_path / "pack.json", tmp_path / "records")
    assert not (tmp_path / "records").exists()


def test_a_pack_that_was_changed(packed: Path, tmp_path: Path) -> None:
    text = packed.read_text(encoding="utf-8")
    packed.write_text(text.replace('"cores": 2', '"cores": 3'), encoding="utf-8")
    with pytest.raises(ResultError, match="was changed since it was packed"):
        record.join(packed, tmp_path / "records")


@pytest.mark.slow
@for_each("ends", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_keeps_what_is_done_and_ends_what_it_started(
    ends: signal.Signals, lab: Folder, root: Path, tmp_path: Path
) -> None:
    sign = tmp_path / "process"
    program(root, run=f"ls {{data}}/text 2> /dev/null || exit 0; echo $$ > {sign}; exec sleep 300")
    script = (
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nfrom simbackup import cli\ncli.main()"
    )
    command = [sys.executable, "-c", script, "lab", "measure", str(lab.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not (sign.is_file() and sign.read_text(encoding="ascii").strip()):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(ends)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + ends
    assert f"the runs that were measured are kept; go on with: simbackup lab measure {lab.path}" in said
    assert not Path(f"/proc/{sign.read_text(encoding='ascii').strip()}").exists()
    assert not lab.scratch.exists()
    assert {line["point"] for line in lab.lines(measuring.RUNS)} <= {"empty", "small-1", "small-2"}


@pytest.mark.slow
@for_each("name", programs())
@pytest.mark.filterwarnings("ignore::simbackup.run.IdleKeyWarning")
def test_each_program_that_comes_along_can_be_simulated(name: str) -> None:
    spec = load_program(name)
    given = {term: "1 ms" if unit == "s" else "5 ns/B" for term, unit in UNITS.items()}
    for operation, one in spec.operations.items():
        asked = Asked(Content(10**7, 100, 0), 2.0, 0.1 if one.changes else 1.0)
        measured = with_constants(spec, (operation, one), given) if one.phases else {}
        for jobs in filter(None, (one.shipped, measured)):
            found = sb.simulate(scenario({**MACHINE, "disk": {}}, asked, operation, jobs))
            assert found.get("jobs.run.elapsed") > 0.0
        named = set(re.findall(r"\{(\w+)\}", " ".join((*one.prepare, one.run))))
        assert named <= {"data", "target", "out", "home", "port", "workers"}


@pytest.mark.slow
def test_tar_and_zstd_are_measured_for_real(tmp_path: Path) -> None:
    """All steps on this machine, by commands; a design of a minute."""
    for needed in ("tar", "zstd"):
        assert shutil.which(needed), f"install {needed}"
    folder = tmp_path / "lab"

    def call(*words: str) -> str:
        command = [sys.executable, "-m", "simbackup", "lab", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    call("setup", str(folder), "--design", "minute", "-p", "tar", "-p", "tar-zstd")
    call("components", str(folder))
    call("predict", str(folder))
    assert "32 runs measured" in call("measure", str(folder), "--attempts", "1")
    assert len(json.loads(call("compare", str(folder), "--json"))) == 16
    found = json.loads(call("datasheets", str(folder), "--json").partition("\nwritten")[0])
    assert {(one["program"], one["operation"]) for one in found} == {("tar", "backup"), ("tar-zstd", "backup")}
    zstd = next(one["constants"] for one in found if one["program"] == "tar-zstd")
    assert 1e-10 < zstd["byte"] + zstd["coded_byte"] < 1e-7
    call("pack", str(folder), "-o", "pack.json")
    call("join", "pack.json", "--into", "records")
    rows = sb.reproduce([str(tmp_path / "records")], intervals=False).rows
    assert {row.role for row in rows} == {"fitted", "held-out"}
    assert len(rows) == 16
