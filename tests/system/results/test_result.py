import errno
from pathlib import Path

import pytest

from simbackup.errors import ResultError, SimbackupError
from simbackup.results.folder import NEW, RESULT
from simbackup.results.result import Result
from simbackup.results.saved import TRACE_FILE
from simbackup.run import simulate

NAME = "published/003-lvm-snapshots/same-disk"


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(NAME)


@pytest.fixture(scope="module")
def restored() -> Result:
    return simulate("teaching/one-file-from-tape")


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("jobs.dd.elapse", "did you mean 'jobs.dd.elapsed'?"),
        ("jobs.dx.elapsed", "did you mean 'jobs.dd.elapsed'?"),
        ("nonsense", "no figure 'nonsense'"),
        ("", "no figure ''"),
        ("jobs.dd.status", "'jobs.dd.status' is text, not a number"),
    ],
)
def test_get_tells_what_there_is(result: Result, address: str, hint: str) -> None:
    with pytest.raises(ResultError) as caught:
        result.get(address)
    assert hint in str(caught.value)
    assert isinstance(caught.value, SimbackupError)


@pytest.mark.parametrize("name", [RESULT.record, TRACE_FILE])
@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"run": 1, "values": [2]}', '{"record": "span", "x": 1}'])
def test_a_damaged_result_is_reported(result: Result, tmp_path: Path, name: str, text: str | None) -> None:
    saved = result.save(tmp_path / "run")
    if text is None:
        (saved / name).unlink()
    else:
        (saved / name).write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"holds no result|is damaged|in format 1"):
        Result.load(saved)


def test_compare_sets_measured_beside_simulated(result: Result, restored: Result) -> None:
    table = result.compare().set_index("id")
    row = table.loc["lvm-dd-same-disk"]
    assert row["measured"] == pytest.approx(365.185)
    assert row["simulated"] == pytest.approx(result.get("jobs.dd.elapsed"))
    assert row["error"] == pytest.approx(row["simulated"] / 365.185 - 1.0)
    assert restored.compare().empty


def test_an_older_result_survives_a_failure_to_move_the_new_one(
    result: Result, restored: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result.save(tmp_path / "run")
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if self.name == NEW:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr("simbackup.results.folder.exchange", lambda *_: False)
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(ResultError, match="No space left"):
        restored.save(tmp_path / "run")
    assert Result.load(tmp_path / "run").record == result.record
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
