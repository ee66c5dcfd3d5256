"""Results with more records than are written as JSON."""

from pathlib import Path

import pytest
from pyarrow import parquet

from simbackup.errors import ResultError
from simbackup.results import bulk
from simbackup.results import folder as records
from simbackup.results.folder import RESULT
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.trace import columns
from tests.cases import for_each
from tests.shared import simulated

NAMES = ["published/003-lvm-snapshots/same-disk", "teaching/one-file-from-tape"]
FILES = ["trace-rates.parquet", "trace-spans.parquet"]


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MANY", 1)


def made_up(folder: Path, name: str) -> None:
    """Give a file that was changed its checksum."""
    content = records.unseal(folder, RESULT.record)
    content["files"][name] = records.digest((folder / name).read_bytes())
    (folder / RESULT.record).write_text(records._sealed(content))


@pytest.mark.parametrize("name", NAMES)
def test_records_in_columns_come_back_exactly(name: str, tmp_path: Path) -> None:
    result = simulated(name)
    folder = result.save(tmp_path / "saved")
    assert {path.name for path in folder.glob("trace-*")} == set(FILES)
    again = Result.load(folder)
    assert again.trace == result.trace
    assert list(again.trace.to_lines()) == list(result.trace.to_lines())
    assert again.as_dict() == result.as_dict()


def test_rates_of_a_file_are_written_batch_by_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BATCH", 7)
    result = simulate(NAMES[1])
    assert result.as_dict() == simulated(NAMES[1]).as_dict()
    folder = result.save(tmp_path / "saved")
    found = parquet.ParquetFile(folder / FILES[0]).metadata
    numbers = [found.row_group(i).num_rows for i in range(found.num_row_groups - 1)]
    assert numbers == [7] * (len(result.trace.rates) // 7)
    assert Result.load(folder).trace == simulated(NAMES[1]).trace


def test_the_same_run_gives_the_same_files(tmp_path: Path) -> None:
    one, two = (simulate(NAMES[0]).save(tmp_path / name) for name in ("one", "two"))
    assert [(one / name).read_bytes() for name in FILES] == [(two / name).read_bytes() for name in FILES]


@for_each("name", FILES)
@for_each("wrong", ["cut", "column", "short"])
def test_a_made_up_file_is_refused(name: str, wrong: str, tmp_path: Path) -> None:
    folder = simulated(NAMES[0]).save(tmp_path / "saved")
    table, first = parquet.read_table(folder / name), "time" if "rates" in name else "start"
    whole = (folder / name).read_bytes()
    match wrong:
        case "cut":
            (folder / name).write_bytes(whole[:-10])
        case "column":
            parquet.write_table(table.drop([first]), folder / name)
        case _:
            parquet.write_table(table.slice(1), folder / name)
    made_up(folder, name)
    with pytest.raises(ResultError, match="is damaged") as caught:
        Result.load(folder)
    assert "\n" not in str(caught.value)
