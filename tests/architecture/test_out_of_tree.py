"""A package of its own adds a device, a method, a datasheet and scenarios, and nothing of simbackup is changed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "examples" / "simbackup-example"
NAME = "example/verify"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the example is installed into."""
    pytest.importorskip("hatchling")
    source, target = tmp_path_factory.mktemp("source") / "package", tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(target), str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def in_process(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with a folder of installed packages."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SIMBACKUP")}
    environment |= {"PYTHONPATH": str(site), "MPLBACKEND": "agg", "COLUMNS": "150"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


SEVERAL = """
import contextlib, io, json, sys
from simbackup.cli import app
for arguments in json.loads(sys.argv[1]):
    sys.argv, text, code = ["simbackup", *arguments], io.StringIO(), 0
    with contextlib.redirect_stdout(text):
        try:
            app.main()
        except SystemExit as ended:
            code = ended.code or 0
    print(json.dumps([code, text.getvalue()]))
"""
"""Some commands in one process, and how each ends and what it prints."""
SHOWN: list[tuple[tuple[str, ...], list[str]]] = [
    (("run", NAME), ["verify", "ram_disk", "3.5 GB/s"]),
    (("explain", NAME, "check"), ["hosts.server.cores", "then the bottleneck is devices.memory"]),
    (("study", NAME), ["into memory", "5 ns/B"]),
    (("models", "list"), ["ram_disk/ddr4-2400", "disk/sata-7200-1tb-2008"]),
    (("models", "show", "ram_disk/ddr4-2400"), ["19.2 GB/s", "speed bins, DDR4-2400"]),
    (("models", "cite"), ["JESD79-4"]),
    (("scenarios",), [NAME, "teaching/mount-queue"]),
    (("picture", NAME), ["memory"]),
    (("schema", "scenario"), ['"ram_disk"', '"ram_disk/ddr4-2400"', '"check_cpu"']),
    (("picture", NAME, "-o", "system.svg"), []),
    (("plot", NAME, "timeline", "-o", "timeline.svg"), []),
    (("report", NAME, "-o", "report.html"), []),
    (("run", NAME, "--out", "result"), []),
]
WRITTEN = {"system.svg", "timeline.svg", "report.html", "result"}


@pytest.mark.slow
def test_commands_know_what_the_package_adds(installed: Path, tmp_path: Path) -> None:
    files = sorted(map(str, (installed / "simbackup_example").rglob("*.yaml")))
    shown = [(("check", *files), [f"{len(files)} files are valid\n"]), *SHOWN]
    done = in_process(installed, tmp_path, "-c", SEVERAL, json.dumps([arguments for arguments, _ in shown]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert [code for code, _ in ended] == [0] * len(shown), done.stderr
    missing = [
        (arguments, word)
        for (arguments, words), (_, text) in zip(shown, ended, strict=True)
        for word in words
        if word not in text
    ]
    assert missing == []
    assert {path.name for path in tmp_path.iterdir()} == WRITTEN
    assert "verify" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_without_the_package_its_scenario_is_refused(installed: Path, tmp_path: Path) -> None:
    shutil.copy(installed / "simbackup_example" / "scenarios" / "example" / "verify.yaml", tmp_path)
    done = in_process(tmp_path, tmp_path, "-m", "simbackup.cli", "run", "verify.yaml")
    assert done.returncode == 2
    assert "there is no method 'verify'" in done.stderr
    assert "there is no datasheet 'ram_disk/ddr4-2400'" in done.stderr


KIND = "from simbackup.schema.registry import DeviceKind\nfrom simbackup.devices.ssd.spec import SsdSpec\n"
METHOD = "from simbackup.schema.registry import MethodKind\nfrom simbackup.schema.job import JobSpec\n"
OWN = f"{KIND}from typing import Literal\nclass Own(SsdSpec):\n    kind: Literal['own']\n"
QUIET = "import warnings\nwarnings.simplefilter('ignore')\n"
BROKEN = {
    "missing": ("simbackup.devices", "nowhere", "", "cannot be loaded: No module named 'nowhere'"),
    "raises": ("simbackup.methods", "broken", "1 / 0", "cannot be loaded: division by zero"),
    "wrong": ("simbackup.devices", "broken", "KINDS = (", "cannot be loaded: '(' was never closed (broken.py, line 1)"),
    "empty": ("simbackup.devices", "broken", "", "it has none of KINDS, SECTIONS, SHEETS, LOOKS"),
    "no kind": ("simbackup.devices", "broken", "KINDS = (1,)", "is not a kind of device, method or workload"),
    "twice": (
        "simbackup.devices", "broken", f"{KIND}KINDS = (DeviceKind('ssd', SsdSpec, 'broken:make'),)",
        "two rooms offer 'ssd': simbackup.devices.ssd.live:make and broken:make",
    ),
    "kind unsaid": (
        "simbackup.devices", "broken", f"{KIND}KINDS = (DeviceKind('own', SsdSpec, 'broken:make'),)",
        "SsdSpec has no `kind` that may be 'own'; write `kind: Literal[\"own\"]`",
    ),
    "method unsaid": (
        "simbackup.methods", "broken",
        f"{METHOD}KINDS = (MethodKind(('own',), JobSpec, 'broken:make'),)",
        "JobSpec has no `method` that may be 'own'; write `method: Literal[\"own\"]`",
    ),
    "key of a method": (
        "simbackup.devices", "broken",
        f"{QUIET}{OWN}    inner: float = 1.0\nKINDS = (DeviceKind('own', Own, 'x:make'),)",
        "'inner' is a key of Own and a method of Device; give the key another name",
    ),
    "no maker": (
        "simbackup.devices", "broken",
        f"{OWN}KINDS = (DeviceKind('own', Own, 'broken:make'),)",
        "a room names 'broken:make', which cannot be loaded: module 'broken' has no attribute 'make'",
    ),
    "no folder": ("simbackup.data", "nowhere.at_all", "", "cannot be found: there is no such module"),
    "no data": ("simbackup.data", "broken", "", "contains neither models/ nor scenarios/"),
}  # fmt: skip


IN_COPIES = """
import os, sys
from simbackup.cli import app, show
for folder in sys.argv[1:]:
    if not (copy := os.fork()):
        os.chdir(folder)
        os.dup2(os.open("printed", os.O_CREAT | os.O_WRONLY), 1)
        os.dup2(os.open("reported", os.O_CREAT | os.O_WRONLY), 2)
        sys.path.insert(0, "site")
        sys.argv = ["simbackup", "run", "case.yaml"]
        app.main()
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""
"""A command in copies of one process, each in a folder with packages of its own."""


@pytest.mark.slow
def test_a_broken_room_is_reported_in_one_line(tmp_path: Path) -> None:
    folders = {case: tmp_path / case.replace(" ", "-") for case in BROKEN}
    for case, (group, module, code, _) in BROKEN.items():
        own = "kind: own, capacity: 1 TB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s"
        device = own if case == "no maker" else "model: ssd/sata-ssd-2015"
        files = {
            "site/broken-1.dist-info/METADATA": "Name: broken\nVersion: 1\n",
            "site/broken-1.dist-info/entry_points.txt": f"[{group}]\nroom = {module}\n",
            "site/broken.py": code,
            "case.yaml": "title: A write\nhosts: {h: {model: host/linux-modern-server, owns: [d]}}\n"
            f"devices: {{d: {{{device}}}}}\n"
            "data: {f: {on: d, size: 1 GB}}\njobs: {w: {method: write, data: f}}\n",
        }
        for name, text in files.items():
            (folders[case] / name).parent.mkdir(parents=True, exist_ok=True)
            (folders[case] / name).write_text(text, encoding="utf-8")
    done = in_process(tmp_path, tmp_path, "-c", IN_COPIES, *map(str, folders.values()))
    assert done.stdout.split() == ["2"] * len(BROKEN), done.stderr
    for case, folder in folders.items():
        assert (folder / "printed").read_text(encoding="utf-8") == ""
        (line,) = (folder / "reported").read_text(encoding="utf-8").splitlines()
        assert line.endswith(BROKEN[case][3])
