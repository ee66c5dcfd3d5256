"""Results that were cut, edited, or made up: each is refused with a plain message, and none gives a traceback."""

import json
import random
import shutil
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.results import folder as records
from simbackup.results.folder import RESULT
from simbackup.results.result import Result
from simbackup.results.saved import TRACE_FILE
from simbackup.run import simulate

EDITS = 100


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulate("planning/mysql-hot-copy-under-load").save(tmp_path_factory.mktemp("kept") / "run")


@pytest.fixture
def old(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / "run")


def refused(folder: Path) -> str:
    with pytest.raises(ResultError) as caught:
        Result.load(folder)
    reported = str(caught.value)
    assert "\n" not in reported
    assert str(folder) in reported
    return reported


def test_any_edit_of_any_file_is_refused(old: Path) -> None:
    draw = random.Random(6)  # noqa: S311 (a seeded draw)
    files = {path: path.read_bytes() for path in sorted(old.iterdir())}
    for _ in range(EDITS):
        path = draw.choice(list(files))
        content = bytearray(files[path])
        at = draw.randrange(len(content))
        match draw.randrange(4):
            case 0:
                content[at] ^= 1 << draw.randrange(8)
            case 1:
                del content[at:]
            case 2:
                del content[at]
            case _:
                content[at:at] = draw.choice([b"0", b" ", b"\n", b"{}", b"\xff"])
        path.write_bytes(content)
        refused(old)
        path.write_bytes(files[path])
    Result.load(old)


@pytest.mark.parametrize("form", [1, 2, 3, None])
def test_another_format_is_refused_with_what_to_do(old: Path, form: int | None) -> None:
    content = json.loads((old / RESULT.record).read_text())
    content |= {"format": form}
    if form is None:
        del content["format"]
    (old / RESULT.record).write_text(json.dumps(content))
    reported = refused(old)
    assert f"was written in format {form or 1}; this version of simbackup reads format 4; run its" in reported


@pytest.mark.parametrize(
    "change",
    [{"trace": {"keeps": "x"}}, {"trace": 5}, {"records": 5}, {"values": 7}, {"run": {}}, {"layout": 3}],
    ids=str,
)
def test_a_record_that_somebody_made_up_gives_no_traceback(old: Path, change: dict[str, object]) -> None:
    content = records.unseal(old, RESULT.record) | change
    (old / RESULT.record).write_text(records._sealed(content))
    assert "is damaged" in refused(old)


def test_a_record_sets_nothing_of_a_trace_that_results_do_not_keep(old: Path) -> None:
    content = records.unseal(old, RESULT.record)
    content["trace"] = {**content.get("trace", {}), "jobs": 5}
    (old / RESULT.record).write_text(records._sealed(content))
    assert Result.load(old).trace.jobs != 5


def test_a_trace_with_fewer_records_than_its_record_says_is_refused(old: Path) -> None:
    content = records.unseal(old, RESULT.record)
    lines = (old / TRACE_FILE).read_text().splitlines(keepends=True)
    (old / TRACE_FILE).write_text("".join(lines[:-1]))
    content["files"][TRACE_FILE] = records.digest((old / TRACE_FILE).read_bytes())
    (old / RESULT.record).write_text(records._sealed(content))
    assert "trace.jsonl: has" in refused(old)
