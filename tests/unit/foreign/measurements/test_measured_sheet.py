from pathlib import Path

import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.errors import InputError, Place
from simbackup.foreign.measurements.measured_sheet import Finding, MeasuredSheet, Output, measured_sheet
from simbackup.foreign.registry import read_outputs
from simbackup.schema.measurable import Measurable, measured_as
from simbackup.schema.registry import sheets
from simbackup.schema.yaml_file import parse
from simbackup.text import for_line
from tests.cases import for_each

SAMPLES = Path(__file__).parents[1] / "samples"
SSD = "ssd/nvme-gen4-2021"


def _sheet(pattern: str, like: str, name: str = "ours.yaml") -> MeasuredSheet:
    return measured_sheet(read_outputs(sorted(SAMPLES.glob(pattern))), like, Path(name))


def test_a_datasheet_has_median_and_range_of_its_runs() -> None:
    found = _sheet("fio-*.json", SSD)
    read = next(one for one in found.values if one.parameter == "read_rate")
    runs = [output.findings[0].value for output in read_outputs(sorted(SAMPLES.glob("fio-seqread-*.json")))]
    assert read.runs == len(runs) == 3
    assert [read.low, read.value, read.high] == pytest.approx(sorted(runs), rel=1e-3)


def test_a_measured_datasheet_is_read_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "models" / "ssd" / "ours.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(_sheet("fio-*.json", SSD, str(path)).text, encoding="utf-8")
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path))
    values = dict(shelf.load_datasheet("ssd/ours").values())
    like = dict(shelf.load_datasheet(SSD).values())
    assert values["capacity"] == like["capacity"]
    assert (values["write_rate"].basis, values["write_rate"].source) == ("measured", "ours-measured")
    scenario = sb.load(
        {
            "title": "Read",
            "hosts": {"a": {"model": "host/linux-modern-server", "owns": ["disk", "hole"]}},
            "devices": {"disk": {"model": "ssd/ours"}, "hole": {"kind": "nul"}},
            "data": {"d": {"on": "disk", "size": "1 GB"}},
            "jobs": {"save": {"method": "image", "data": "d", "to": "hole"}},
        }
    )
    result = sb.simulate(scenario)
    assert result.get("jobs.save.elapsed") == pytest.approx(1e9 / values["read_rate"].si, rel=0.01)
    cited = set(result.sources()["source"])
    assert "fio-3.33, run 2026-11-22" in cited


def test_other_figures_are_reported_as_unused() -> None:
    found = _sheet("[fi]*.json", "network/gigabit-ethernet")
    assert [one.parameter for one in found.values] == ["rate", "latency"]
    assert len(found.unused) == 6, "one of each run of fio"


def test_a_tape_is_measured_with_random_data_and_zeros() -> None:
    found = _sheet("btape.txt", "tape_drive/quantum-dlt8000")
    assert {one.parameter: (one.low, one.high) for one in found.values} == {
        "native_rate": (7.271e6, 7.365e6),
        "host_rate": (43.53e6, 44.13e6),
    }


@pytest.mark.parametrize(
    ("like", "message"),
    [
        ("filesystem/ext4", "the tools measure no parameter of the kind 'filesystem'; name a datasheet of disk, "),
        ("tape_drive/lto-7", "none of these files measures a parameter of the kind 'tape_drive'"),
    ],
)
def test_a_kind_that_was_not_measured_is_refused(like: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _sheet("fio-*.json", like)
    assert message in str(raised.value)


def test_values_that_contradict_the_rest_are_refused() -> None:
    slow = Output("dd", "", (Finding(Measurable.SEQUENTIAL_READ, 5e6, Place("x"), "line 1"),), ())
    with pytest.raises(InputError, match="inner_rate is above outer_rate"):
        measured_sheet([slow], "disk/nearline-12tb-2018", Path("ours.yaml"))


def test_what_is_measured_are_parameters_of_the_kind_in_its_unit() -> None:
    known = {kind: measured_as(sheet) for kind, sheet in sheets().items() if measured_as(sheet)}
    assert set(known) == {"disk", "network", "ssd", "tape_drive"}
    for kind, parameters in known.items():
        name = next(name for name in shelf.names() if name.startswith(f"{kind}/"))
        units = {parameter: given.unit for parameter, given in shelf.load_datasheet(name).values()}
        assert all(units.get(parameter, what.unit) == what.unit for what, parameter in parameters.items())
        assert set(parameters.values()) <= set(sheets()[kind].model_fields)


@for_each("name", ["a: b{c", "-x", "red \x1b[31m", "half \udcff", "x #y", "'"])
def test_any_name_of_a_file_gives_a_datasheet(name: str) -> None:
    text = _sheet("fio-seqread-1.json", SSD, f"{name}.yaml").text
    tree = parse(text, "x.yaml")
    assert tree.mapping["title"].value == for_line(name)
    assert f"{for_line(name)}-measured" in tree.mapping["sources"].mapping
