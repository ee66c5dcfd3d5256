"""A result says what it was made from, and scaled scenarios are never taken for others."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.errors import ResultError
from simbackup.results import folder as records
from simbackup.results.folder import RESULT
from simbackup.results.saved import SCENARIO_FILE
from simbackup.uncertainty.effort import QUICK, Effort
from simbackup.uncertainty.estimate import estimates
from tests.cases import for_each

LVM = "published/003-lvm-snapshots/same-disk"
SHEET = """\
title: A disk of our own
kind: disk
parameters:
  capacity: {value: 1 TB, basis: assumed, range: [1 TB, 2 TB], why: for a test}
  rotation_speed: {value: 7200 rpm, basis: assumed, range: [5400 rpm, 10000 rpm], why: for a test}
  track_to_track_seek: {value: 1 ms, basis: assumed, range: [0.5 ms, 2 ms], why: for a test}
  average_seek: {value: 8.5 ms, basis: measured, source: our-lab, at: page 3}
  full_stroke_seek: {value: 18 ms, basis: assumed, range: [15 ms, 20 ms], why: for a test}
  outer_rate: {value: 110 MB/s, basis: assumed, range: [80 MB/s, 120 MB/s], why: for a test}
  inner_rate: {value: 50 MB/s, basis: assumed, range: [40 MB/s, 60 MB/s], why: for a test}
  command_overhead: {value: 0.3 ms, basis: assumed, range: [0.1 ms, 0.5 ms], why: for a test}
  stream_turn: {value: 4 MiB, basis: assumed, range: [1 MiB, 8 MiB], why: for a test}
"""
OWN = """\
title: Files of a fleet
hosts:
  server: {model: host/linux-modern-server, owns: [disk]}
devices:
  disk: {model: disk/ours}
  volume: {kind: logical_volume, on: disk, size: 400 GB}
fleets:
  writers:
    inventory: writers.csv
    data:
      "{name}": {on: volume, size: "{size}"}
    jobs:
      "write-{name}": {method: write, data: "{name}", flush: true}
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario, its table, its datasheet and the work that this cites; the program stands in it."""
    folder = tmp_path / "there"
    (folder / "library" / "models" / "disk").mkdir(parents=True)
    (folder / "library" / "models" / "disk" / "ours.yaml").write_text(SHEET, encoding="utf-8")
    work = "our-lab: {title: Seeks of a disk of ours, author: A. Nobody, year: 2009}\n"
    (folder / "library" / "models" / "sources.yaml").write_text(work, encoding="utf-8")
    (folder / "own.yaml").write_text(OWN, encoding="utf-8")
    (folder / "writers.csv").write_text("name,size\nalpha,40 GB\nbeta,20 GB\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv(shelf.SEARCH_PATH, str(folder / "library"))
    return folder


def elapsed(result: sb.Result) -> float:
    return result.get("jobs.write-alpha.elapsed")


def width(scenario: sb.Scenario) -> tuple[float, float]:
    found = estimates({"it": scenario}, lambda results: {"it": elapsed(results["it"])}, effort=Effort(QUICK.cases, 0))[
        "it"
    ]
    return found.spread.low, found.spread.high


def test_a_scaled_scenario_is_another_one() -> None:
    scenario = sb.load(LVM)
    scaled = scenario.scaled({"devices.cow.chunk": 2.0})
    assert scaled.hash != scenario.hash
    assert scaled.hash == sb.load(LVM).scaled({"devices.cow.chunk": 2.0}).hash
    assert (
        len(
            {scaled.hash, scenario.scaled({"devices.cow.chunk": 3.0}).hash, scaled.scaled({"data.file.size": 2.0}).hash}
        )
        == 3
    )
    values = {value.address: value.given for value in scaled.values}
    old = {value.address: value.given for value in scenario.values}
    assert values["devices.cow.chunk"].si == 2.0 * old["devices.cow.chunk"].si == scaled.spec.devices["cow"].chunk.si  # type: ignore[attr-defined]
    assert values["data.file.size"] == old["data.file.size"]
    assert scaled.log[-1] == f"devices.cow.chunk: {old['devices.cow.chunk'].text} -> 16 KiB (2 times)"
    assert scenario.scaled({}) is scenario
    assert scenario.scaled({"devices.none.chunk": 2.0}) is scenario


def test_an_override_states_the_value_and_leaves_other_factors() -> None:
    scaled = sb.load(LVM).scaled({"devices.cow.chunk": 2.0, "data.file.size": 0.5})
    changed = {v.address: v.given.si for v in scaled.with_({"devices.cow.chunk": "4 KiB"}).values}
    assert changed["devices.cow.chunk"] == 4096.0
    assert changed["data.file.size"] == 2.0**30


@pytest.mark.slow
def test_intervals_of_scaled_and_unscaled_are_never_mixed() -> None:
    plain = sb.load(LVM)
    half = plain.scaled({"data.file.size": 0.5})

    def of(scenario: sb.Scenario, size: float) -> tuple[float, float]:
        def seconds(results: Mapping[str, sb.Result]) -> dict[str, float]:
            assert results["it"].get("data.file.size") == size
            return {"dd": results["it"].get("jobs.dd.elapsed")}

        found = estimates({"it": scenario}, seconds, effort=Effort(QUICK.cases, 0))["dd"]
        return found.spread.low, found.spread.high

    first, second = of(plain, 2.0**31), of(half, 2.0**30)
    assert first != second
    assert (of(plain, 2.0**31), of(half, 2.0**30)) == (first, second)
    assert second == of(sb.load(LVM, {"data.file.size": "1 GiB"}), 2.0**30)


def test_a_result_of_a_scaled_scenario_is_that_after_it_was_saved(tmp_path: Path) -> None:
    scaled = (
        sb.load(LVM, {"devices.cow.chunk": "16 KiB"}).scaled({"data.file.size": 0.5}).scaled({"data.file.size": 3.0})
    )
    again = sb.Result.load(sb.simulate(scaled).save(tmp_path / "run"))
    assert again.scenario.hash == again.record.hash == scaled.hash
    assert sb.simulate(again.scenario).as_dict() == again.as_dict()
    assert again.record.log[-1].endswith("(3 times)")


@pytest.mark.slow
def test_a_result_needs_neither_its_file_nor_its_models(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = sb.simulate("own.yaml")
    saved = result.save(tmp_path / "saved")
    why, wide = sb.explain(result).found, width(result.scenario)
    shutil.rmtree(there / "library")
    (there / "own.yaml").unlink()
    (there / "writers.csv").unlink()
    monkeypatch.delenv(shelf.SEARCH_PATH)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sb.InputError):
        sb.load({"title": "None", "devices": {"disk": {"model": "disk/ours"}}})
    again = sb.Result.load(saved)
    assert sb.explain(again).found == why
    assert width(again.scenario) == wide
    assert again.scenario.values == result.scenario.values
    assert again.scenario.fleets == result.scenario.fleets
    assert "Seeks of a disk of ours" in set(again.sources()["source"])
    page = sb.report(again, tmp_path / "page.html", drawn=False, intervals="quick").read_text(encoding="utf-8")
    assert "A. Nobody. Seeks of a disk of ours. 2009." in page
    twice = again.scenario.with_({"fleets.writers.data.{name}.size": "30 GB"})
    assert sb.simulate(twice).jobs["bytes"].to_list() == [3e10, 3e10]


def test_other_models_of_the_same_name_change_nothing(
    there: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = sb.simulate("own.yaml")
    saved, why = result.save(tmp_path / "saved"), sb.explain(result).found
    other = tmp_path / "other" / "models" / "disk"
    other.mkdir(parents=True)
    (other / "ours.yaml").write_text(SHEET.replace("110 MB/s", "100 MB/s"), encoding="utf-8")
    shutil.copy(there / "library" / "models" / "sources.yaml", other.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(shelf.SEARCH_PATH, str(tmp_path / "other"))
        again = sb.Result.load(saved)
        assert sb.explain(again).found == why
        assert sb.explain(again).found == why
    assert caplog.messages == ["'own.yaml' or one of its datasheets has changed; this is about the old run"]


@pytest.mark.parametrize("text", [OWN.replace("400 GB", "300 GB"), "title: [", OWN.replace("volume:", "volumes:")])
def test_a_change_is_reported_once(there: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> None:
    result = sb.simulate("own.yaml")
    again = sb.Result.load(result.save(tmp_path / "saved"))
    (there / "own.yaml").write_text(text, encoding="utf-8")
    for _ in range(2):
        assert sb.explain(again).found == sb.explain(result).found
    assert len(caplog.messages) == 1
    (there / "own.yaml").write_text(OWN, encoding="utf-8")
    caplog.clear()
    assert sb.Result.load(tmp_path / "saved").scenario.hash == result.record.hash
    assert not caplog.messages


def test_the_kept_scenario_says_every_value_and_work(there: Path, tmp_path: Path) -> None:
    assert there
    result = sb.simulate("own.yaml", {"devices.disk.stream_turn": "2 MiB"})
    kept = json.loads((result.save(tmp_path / "saved") / SCENARIO_FILE).read_text(encoding="utf-8"))
    assert kept["resolved"]["devices"]["disk"]["average_seek"]["source"] == "our-lab"
    assert kept["resolved"]["devices"]["disk"]["stream_turn"] == "2 MiB"
    assert kept["sources"]["our-lab"]["title"] == "Seeks of a disk of ours"
    assert kept["hash"] == result.record.hash
    assert str(tmp_path) not in json.dumps(kept)


@for_each("name", [
    "run.json", "trace.jsonl", SCENARIO_FILE, "jobs.csv", "jobs.parquet", "devices.csv", "devices.parquet", "users.csv",
    "users.parquet", "values.csv", "values.parquet",
])  # fmt: skip
def test_each_file_that_was_cut_changed_or_lost_is_refused(name: str, tmp_path: Path) -> None:
    saved = sb.simulate(LVM).save(tmp_path / "saved")
    content = (saved / name).read_bytes()
    assert len(list(saved.iterdir())) == 11
    for damaged in (content[:-1], content[: len(content) // 2], b"", content + b"\n", None):
        if damaged is None:
            (saved / name).unlink()
        else:
            (saved / name).write_bytes(damaged)
        with pytest.raises(ResultError, match=r"damaged|holds no result"):
            sb.Result.load(saved)
    (saved / name).write_bytes(content)
    assert sb.Result.load(saved).record.scenario == LVM


def test_a_kept_scenario_of_which_something_else_comes_is_refused(tmp_path: Path) -> None:
    saved = sb.simulate(LVM).save(tmp_path / "saved")
    content = records.unseal(saved, RESULT.record)
    text = (saved / SCENARIO_FILE).read_text(encoding="utf-8").replace('"2 GiB"', '"3 GiB"')
    (saved / SCENARIO_FILE).write_text(text, encoding="utf-8")
    content["files"][SCENARIO_FILE] = records.digest(text.encode())
    (saved / RESULT.record).write_text(records._sealed(content), encoding="utf-8")
    with pytest.raises(ResultError, match="differently; run it again"):
        _ = sb.Result.load(saved).scenario


@for_each("text", ["", "[]", "{}", '{"name": 1}', "[" * 100_000])
def test_a_kept_scenario_made_up_with_its_checksum_is_refused(text: str, tmp_path: Path) -> None:
    saved = sb.simulate(LVM).save(tmp_path / "saved")
    content = records.unseal(saved, RESULT.record)
    (saved / SCENARIO_FILE).write_text(text, encoding="utf-8")
    content["files"][SCENARIO_FILE] = records.digest(text.encode())
    (saved / RESULT.record).write_text(records._sealed(content), encoding="utf-8")
    with pytest.raises(ResultError, match="is damaged"):
        sb.Result.load(saved)
