"""What may stand where a result is written: nothing that the program did not write is replaced or removed."""

import logging
import shutil
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output.whole import left_behind, lock, partial_for, write_whole
from simbackup.results import folder as folders
from simbackup.results import saved
from simbackup.results.folder import FORMAT, RESULT, _sealed, check_place, digest, is_there
from simbackup.results.result import Result
from simbackup.run import simulate


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate("published/003-lvm-snapshots/no-snapshot")


@pytest.fixture(scope="module")
def kept(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return result.save(tmp_path_factory.mktemp("kept") / "run")


@pytest.fixture
def old(kept: Path, tmp_path: Path) -> Path:
    """A result of one's own copy."""
    return shutil.copytree(kept, tmp_path / "run")


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


@pytest.mark.parametrize("name", ["thesis.txt", ".hidden", "notes/a.txt", "trace.jsonl.bak"])
def test_a_foreign_file_is_named_and_stays(result: Result, old: Path, name: str) -> None:
    (old / name).parent.mkdir(exist_ok=True)
    (old / name).write_text("years of work")
    with pytest.raises(ResultError, match=f"did not write, or that were changed since: {name.partition('/')[0]}; "):
        result.save(old)
    assert (old / name).read_text() == "years of work"
    assert names(old.parent) == ["run"]


@pytest.mark.parametrize("name", ["jobs.csv", "trace.jsonl", "values.parquet"])
def test_a_file_that_was_edited_is_named_and_stays(result: Result, old: Path, name: str) -> None:
    (old / name).write_bytes(b"my notes")
    with pytest.raises(ResultError, match=f"changed since: {name}; "):
        result.save(old)
    assert (old / name).read_bytes() == b"my notes"


def test_a_record_of_somebody_else_protects_its_folder(result: Result, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ResultError, match=r"run\.json is damaged.*it is not replaced"):
        result.save(tmp_path)
    assert names(tmp_path) == ["run.json", "thesis.txt"]


def test_a_link_in_the_place_of_a_file_stays(result: Result, old: Path, tmp_path: Path) -> None:
    shutil.move(old / "jobs.csv", tmp_path / "mine.csv")
    (old / "jobs.csv").symlink_to(tmp_path / "mine.csv")
    with pytest.raises(ResultError, match=r"jobs\.csv"):
        result.save(old)
    assert (old / "jobs.csv").is_symlink()


def test_a_record_names_no_file_elsewhere(result: Result, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    crafted = tmp_path / "run"
    crafted.mkdir()
    content = {"format": FORMAT, "files": {"../thesis.txt": digest(b"years of work")}}
    (crafted / RESULT.record).write_text(_sealed(content))
    with pytest.raises(ResultError, match="is damaged"):
        result.save(crafted)
    assert (tmp_path / "thesis.txt").is_file()


def test_a_link_is_written_through(result: Result, old: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(old)
    assert result.save(link) == link
    assert link.is_symlink()
    assert Result.load(old).record == result.record
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "there")
    result.save(dangling)
    assert Result.load(tmp_path / "there").record == result.record


def test_a_link_in_a_circle_is_reported(result: Result, tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to(tmp_path / "run")
    with pytest.raises(ResultError, match="cannot be written"):
        result.save(tmp_path / "run")
    with pytest.raises(ResultError, match="cannot be written"):
        write_whole(tmp_path / "run", "text")


def test_the_rights_of_a_folder_stay(result: Result, old: Path) -> None:
    old.chmod(0o700)
    result.save(old)
    assert old.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("one_step", [True, False])
def test_what_comes_into_the_folder_meanwhile_stays(
    result: Result, old: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, one_step: bool
) -> None:
    exchange = folders.exchange

    def late(new: Path, target: Path) -> bool:
        (target / "thesis.txt").write_text("years of work")
        return one_step and exchange(new, target)

    monkeypatch.setattr(folders, "exchange", late)
    result.save(old)
    [found] = old.parent.rglob("thesis.txt")
    assert found.read_text() == "years of work"
    assert f"{found.parents[1]} holds files that simbackup did not write" in caplog.text
    assert Result.load(old).record == result.record
    monkeypatch.undo()
    result.save(old)  # the next run leaves it there, too
    assert found.read_text() == "years of work"


def test_what_a_killed_run_left_is_removed_and_reported(old: Path, caplog: pytest.LogCaptureFixture) -> None:
    left = partial_for(old)
    (left / folders.NEW).mkdir(parents=True)
    (left / folders.NEW / "trace.jsonl").write_text("half")
    check_place(old)
    assert names(old.parent) == ["run"]
    assert caplog.messages == [f"removed {left}, left by an interrupted run"]


@pytest.mark.parametrize("way", ["read", "write"])
def test_what_a_killed_run_moved_aside_comes_back(old: Path, caplog: pytest.LogCaptureFixture, way: str) -> None:
    left = partial_for(old)
    left.mkdir()
    old.rename(left / folders.OLD)
    if way == "read":
        assert is_there(old)
    else:
        check_place(old)
    Result.load(old)
    assert caplog.messages[0] == f"restored {old}, which an interrupted run had moved aside"


def test_what_another_run_is_writing_is_left_alone(old: Path) -> None:
    other = partial_for(old)
    other.mkdir()
    with lock(other) as held:
        assert held
        check_place(old)
        assert other.is_dir()
    check_place(old)
    assert not other.exists()


def test_a_file_of_a_killed_run_is_removed_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "trace.json"
    left, other = partial_for(path), partial_for(tmp_path / "other.json")
    left.write_text("half")
    other.write_text("half")
    assert list(left_behind(path)) == [left]
    write_whole(path, "new")
    assert names(tmp_path) == sorted([other.name, "trace.json"])
    assert caplog.messages == [f"removed {left}, left by an interrupted run"]


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thesis, path = tmp_path / "thesis.txt", tmp_path / "trace.json"
    thesis.write_text("years of work")
    assert partial_for(path) != partial_for(path)
    monkeypatch.setattr("secrets.token_hex", lambda _: "0" * 16)
    partial_for(path).symlink_to(thesis)
    with pytest.raises(ResultError, match="cannot be written"):
        write_whole(path, "new")
    assert thesis.read_text() == "years of work"
    assert partial_for(path).is_symlink()  # it is not ours to remove


def test_another_version_is_named(old: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(saved, "program_version", lambda: "99")
    Result.load(old)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert f"{old} was written by simbackup " in caplog.text
    assert "this is 99" in caplog.text
