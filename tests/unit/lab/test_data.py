"""Data of a lab: the same from the same seed, of the size, the number of files and the ratio that were asked for."""

import zlib
from pathlib import Path

import pytest

from simbackup.lab.data import change, make, size_of
from simbackup.lab.spec import PointSpec, load_design


def contents(folder: Path) -> dict[str, bytes]:
    """Each file of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    design = load_design("minute")
    point = PointSpec.model_validate({"text": 0.05, "random": 0.05, "small": 0.1})
    for name, seed in (("first", 1), ("same", 1), ("other", 2)):
        make(tmp_path / name, point, design, seed)
    first, same, other = (contents(tmp_path / name) for name in ("first", "same", "other"))
    assert first == same
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first)


def test_sizes_files_and_ratios_are_those_asked_for(tmp_path: Path) -> None:
    design = load_design("minute")
    for ratio in (2.2, 3.0, 4.0):
        point = PointSpec.model_validate({"text": 0.1, "ratio": ratio, "random": 0.05, "small": 0.1})
        found = make(tmp_path / str(ratio), point, design, 1)
        every = contents(tmp_path / str(ratio))
        assert (found.bytes, found.files) == (sum(map(len, every.values())), len(every))
        assert (found.bytes, found.random) == (1_600_000 + 800_000 + 50 * 4096, 800_000)
        assert size_of(tmp_path / str(ratio)) == found.bytes
        text = every["text/0000"]
        assert len(text) / len(zlib.compress(text, 1)) == pytest.approx(ratio, rel=0.05)


def test_a_tenth_of_the_files_changes(tmp_path: Path) -> None:
    point = PointSpec.model_validate({"small": 0.2, "random": 0.1})
    make(tmp_path / "data", point, load_design("minute"), 1)
    before = contents(tmp_path / "data")
    found = change(tmp_path / "data", 1)
    after = contents(tmp_path / "data")
    changed = [name for name in before if before[name] != after[name]]
    assert before.keys() == after.keys()
    assert len(changed) == found.files == -(-len(before) // 10)
    assert found.bytes == sum(len(after[name]) for name in changed)
    assert all(len(before[name]) == len(after[name]) for name in before)
