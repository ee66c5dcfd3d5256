"""Commands about what other programs wrote: measure, history, and calibrate with a history."""

import json
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.shared import Say

SAMPLES = Path(__file__).parents[1] / "unit" / "foreign" / "samples"
FIO = sorted(SAMPLES.glob("fio-*.json"))
LIKE = ("--like", "ssd/nvme-gen4-2021", "-o", "ours.yaml")


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test is in an empty folder."""
    monkeypatch.chdir(tmp_path)


def test_a_device_is_measured_again(say: Say) -> None:
    first = say("measure", *FIO, *LIKE)
    assert first.code == 0
    assert "written to ours.yaml; the other values are those of ssd/nvme-gen4-2021" in first.err
    text = Path("ours.yaml").read_text(encoding="utf-8")
    assert say("measure", *FIO, *LIKE).code == 0
    assert Path("ours.yaml").read_text(encoding="utf-8") == text
    assert say("check", "ours.yaml").code == 0


def test_measured_values_as_json(say: Say) -> None:
    said = say("measure", *FIO, *LIKE, "--json")
    rows = {row["parameter"]: row for row in json.loads(said.out)}
    assert rows["read_rate"]["runs"] == 3
    assert rows["read_latency"]["value"] == "201.6 us"


@pytest.mark.parametrize(
    "command", [("measure", *FIO, *LIKE), ("history", SAMPLES / "borg-a-full.json", "-o", "jobs.csv")]
)
def test_a_file_of_somebody_else_is_not_replaced(command: tuple[object, ...], say: Say) -> None:
    path = Path("ours.yaml" if command[0] == "measure" else "jobs.csv")
    path.write_text("mine", encoding="utf-8")
    said = say(*command)
    assert said.code == 2
    assert "simbackup did not write it, or it has changed since" in said.err
    assert path.read_text(encoding="utf-8") == "mine"


@for_each(
    "words, message",
    [
        (("measure", "none.json", *LIKE), "none.json: cannot be read (No such file or directory)"),
        (("measure", *FIO, "--like", "ssd/none", "-o", "x.yaml"), "--like ssd/none: there is no such datasheet"),
        (("measure", *FIO, "--like", "ssd/nvme-gen4-2021", "-o", "x.txt"), "use .yaml"),
        (("history", "none.csv", "-o", "jobs.csv"), "none.csv: cannot be read"),
        (("history", "none.csv", "-o", "jobs.csv", "--zone", "Berlin"), "--zone Berlin: there is no such time zone"),
        (("history", "none.csv", "-o", "jobs.csv", "--mapping", "veem"), "--mapping veem: there is no such mapping"),
        (("calibrate", "teaching/mount-queue", "--history", "none.csv"), "none.csv: cannot be read"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(words: tuple[object, ...], message: str, say: Say) -> None:
    said = say(*words)
    assert said.code == 2
    assert message in said.err
    assert not list(Path().glob("*"))


def test_a_scenario_without_a_history_is_refused(say: Say) -> None:
    jobs = [SAMPLES / "restic-a-full.json", SAMPLES / "restic-a-incremental.json"]
    assert say("history", *jobs, "-o", "jobs.csv").code == 0
    said = say("calibrate", "teaching/mount-queue", "--history", "jobs.csv")
    assert said.code == 2
    assert "history: is missing; state there which rows are runs of which jobs, and what to fit" in said.err
