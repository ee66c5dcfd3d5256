"""Data of a lab, and constants by regression."""

import random
import zlib
from pathlib import Path

import pytest

from simbackup.lab.data import change, make, size_of
from simbackup.lab.regression import Sample, checked, regressed
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


# Constants by regression, against runs that were made by a rule
POINTS = [(0, 0, 0), (64e6, 0, 8), (192e6, 0, 24), (64e6, 64e6, 8), (192e6, 192e6, 24), (4e6, 0, 1000), (12e6, 0, 3000)]
RULE = {"start": 0.4, "byte": 10e-9, "file": 1e-4}
Facts = dict[str, float]


def samples(rule: Facts, noise: float = 0.0, day: str = "", seed: int = 1) -> list[Sample]:
    """Two runs of each point, all of whose bytes are counted and of these the random ones."""
    drawn = random.Random(seed)  # noqa: S311 (no secret)
    every = [{"start": 1.0, "byte": size, "hard_byte": hard, "file": files} for size, hard, files in POINTS * 2]
    return [
        Sample(facts, sum(rule[term] * facts[term] for term in rule) * (1.0 + noise * drawn.gauss()), day)
        for facts in every
    ]


def test_constants_come_out_within_their_uncertainty() -> None:
    found = regressed(samples(RULE, 0.03), [*RULE])
    for term, value in RULE.items():
        assert abs(found.values[term] - value) < 3.0 * found.deviations[term]
        assert 0.0 < found.deviations[term] < 0.1 * value


def test_constants_are_less_sure_alone_than_what_runs_take_by_all_of_them() -> None:
    """The variance of the mean run by the covariances is less than by constants that know nothing of each other."""
    runs = samples(RULE, 0.03)
    found = regressed(runs, [*RULE])
    mean = {term: sum(run.facts[term] for run in runs) / len(runs) * found.deviations[term] for term in RULE}
    alone = sum(each * each for each in mean.values())
    together = alone + sum(mean[one] * mean[other] * share for (one, other), share in found.correlations.items())
    assert 0.0 < together < 0.6 * alone


def test_no_time_is_below_zero() -> None:
    found = regressed(samples({"start": 0.4, "byte": 10e-9, "file": -1e-6}), [*RULE])
    assert found.negative == ("file",)
    assert found.values["file"] == 0.0
    assert found.values["byte"] == pytest.approx(10e-9, rel=0.02)


def test_days_that_differ_widen_the_uncertainty() -> None:
    one = samples(RULE, 0.01, "2026-11-26")
    faster = samples({term: 1.2 * value for term, value in RULE.items()}, 0.01, "2026-11-27")
    found = regressed([*one, *faster], [*RULE])
    assert found.days == 2
    assert found.deviations["byte"] > 0.1 * 10e-9 > 5.0 * regressed(one, [*RULE]).deviations["byte"]


def test_the_term_that_is_missing_is_named() -> None:
    rule = {**RULE, "hard_byte": 30e-9}
    held_out = Sample({"start": 1.0, "byte": 100e6, "hard_byte": 90e6, "file": 500.0}, 0.4 + 1.0 + 2.7 + 0.05)
    runs = samples(rule)
    easy = Sample({"start": 1.0, "byte": 100e6, "hard_byte": 0.0, "file": 500.0}, 0.4 + 1.0 + 0.05)
    found = checked(regressed(runs, [*RULE]), runs, {"easy": [easy], "mixture": [held_out]})
    assert (found.point, found.accepted) == ("mixture", False)
    assert found.missing is not None
    assert found.missing == ("hard_byte", pytest.approx(0.0, abs=1e-6))
    assert checked(regressed(runs, [*rule]), runs, {"mixture": [held_out]}).accepted
