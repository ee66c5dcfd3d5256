"""`simbackup plot`, as a user types it."""

import subprocess
import sys
from pathlib import Path

import pytest

from simbackup.run import simulate
from tests.shared import Say

PNG, SNAPSHOT = b"\x89PNG\r\n\x1a\n", "published/003-lvm-snapshots/no-snapshot"
QUEUE = "teaching/mount-queue"


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test is in an empty folder."""
    monkeypatch.chdir(tmp_path)


def test_a_scenario_is_drawn_under_its_name(say: Say, tmp_path: Path) -> None:
    assert say("plot", SNAPSHOT) == (0, "", "written to no-snapshot-timeline.png\n")
    assert (tmp_path / "no-snapshot-timeline.png").read_bytes().startswith(PNG)
    assert [path.name for path in tmp_path.iterdir()] == ["no-snapshot-timeline.png"]


@pytest.mark.parametrize(("kind", "name", "head"), [("causes", "c.svg", b"<?xml"), ("throughput", "t.pdf", b"%PDF")])
def test_a_saved_result_is_drawn_in_the_format_of_the_name(
    kind: str, name: str, head: bytes, say: Say, tmp_path: Path
) -> None:
    simulate(SNAPSHOT).save(tmp_path / "saved")
    assert say("plot", "saved", kind, "-o", name) == (0, "", f"written to {name}\n")
    assert (tmp_path / name).read_bytes().startswith(head)


def test_a_value_can_be_set_for_a_scenario_but_not_for_a_result(say: Say, tmp_path: Path) -> None:
    assert say("plot", SNAPSHOT, "--set", "data.file.size=1 GiB")[0] == 0
    simulate(SNAPSHOT).save(tmp_path / "saved")
    code, _, err = say("plot", "saved", "--set", "data.file.size=1 GiB")
    assert (code, err) == (2, "saved is a result, whose values cannot be changed; name its scenario instead\n")


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ((SNAPSHOT, "timelin"), "simbackup plot: there is no picture 'timelin'; did you mean 'timeline'?\n"),
        ((SNAPSHOT, "drives"), f"{SNAPSHOT} has no tape drives; choose another picture\n"),
        (("empty",), "empty holds no result (No such file or directory: empty/run.json)\n"),
        (
            (SNAPSHOT, "-o", "a.gif"),
            "a.gif cannot be written (the extension '.gif' is not known here); use .png, .svg or .pdf\n",
        ),
        ((SNAPSHOT, "-o", "none/a.png"), "none/a.png cannot be written (there is no folder none)\n"),
        ((QUEUE, "compare"), f"{QUEUE} alone reproduces no measured row; choose another picture\n"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line_and_nothing_is_written(
    words: tuple[str, ...], reported: str, say: Say, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert say("plot", *words) == (2, "", reported)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import importlib.util as u, sys; real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'matplotlib' else real(name, *rest)\n"
        "from simbackup.cli import app as cli; sys.argv = ['simbackup', 'plot', sys.argv[1]]; cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, SNAPSHOT], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pictures need matplotlib; install it with: pip install 'simbackup[plot]'\n"
