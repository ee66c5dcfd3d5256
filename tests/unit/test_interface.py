"""What `import simbackup as sb` offers."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from ruamel.yaml import YAML

import simbackup as sb
from tests.cases import for_each
from tests.shared import simulated

ROOT = Path(__file__).parents[2]
LVM = "published/003-lvm-snapshots/same-disk"
TEXT = """\
title: A file written to a volume
question: How long?
hosts: {server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [disk]}}
devices:
  disk: {model: disk/scsi-10k-146gb-2004}
  volume: {kind: logical_volume, on: disk, size: 2 GB}
data: {file: {on: volume, size: 1 GB}}
jobs: {write: {method: write, data: file, flush: true}}
"""


def as_mapping(text: str) -> dict[str, object]:
    return YAML(typ="safe").load(text)


def problems(what: object) -> list[str]:
    with pytest.raises(sb.InputError) as caught:
        sb.load(what)  # type: ignore[arg-type]
    return str(caught.value).splitlines()


def test_every_public_name_is_there() -> None:
    assert set(dir(sb)) == set(sb.__all__)
    for name in sb.__all__:
        assert getattr(sb, name) is not None
    assert sb.__version__ == version("simbackup")
    for module in (sb.equations, sb.style):
        assert isinstance(module, ModuleType)
    for kind in (sb.Scenario, sb.Result, sb.Study, sb.Reproduction, sb.Explanation, sb.Fitted, sb.CrossValidation):
        assert isinstance(kind, type)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = sb.nonsense  # type: ignore[attr-defined]


def test_a_result_has_intervals() -> None:
    result = sb.simulate("teaching/snapshot-slows-writes")
    found = sb.intervals_of(result)
    assert set(found) == {row["job"] for row in result.job_rows}
    assert found["first_time"].elapsed.low < result.get("jobs.first_time.elapsed") < found["first_time"].elapsed.high
    assert sb.intervals_of(result, "none") == {}


def test_checkers_see_each_name_and_no_other() -> None:
    [seen] = [
        node
        for node in ast.parse(Path(sb.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imported = {alias.name for node in seen.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported | {"__version__"} == set(sb.__all__)
    assert (Path(sb.__file__).parent / "py.typed").is_file()


@pytest.mark.slow
def test_no_module_hides_a_public_name() -> None:
    code = "import pkgutil, importlib, simbackup as sb\n"
    code += "for m in pkgutil.walk_packages(sb.__path__, 'simbackup.'):\n"
    code += "    'main' in m.name or importlib.import_module(m.name)\n"
    code += "print(callable(sb.datasheets), callable(sb.scenarios), callable(sb.study), callable(sb.report))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True"] * 4


def test_importing_it_loads_nothing_slow() -> None:
    code = "import sys, simbackup; print({'pandas', 'numpy', 'simpy', 'pydantic', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_equations_and_style_need_no_other_import() -> None:
    assert sb.equations.queueing.__name__ == "simbackup.equations.queueing"
    folder = Path(sb.equations.__file__ or "").parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(dir(sb.equations))
    assert sb.style.BLUE.startswith("#")
    assert callable(sb.style.use)


def test_a_scenario_comes_from_a_file_from_text_and_from_a_mapping(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(TEXT, encoding="utf-8")
    loaded = [sb.load(what) for what in (file, str(file), TEXT, as_mapping(TEXT))]
    assert len({scenario.hash for scenario in loaded}) == 1
    assert {scenario.name for scenario in loaded[2:]} == {"A file written to a volume"}
    took = {sb.simulate(what).get("jobs.write.elapsed") for what in (file, TEXT, as_mapping(TEXT))}
    assert len(took) == 1
    assert sb.load(TEXT, {"data.file.size": "500 MB"}).hash != loaded[0].hash
    assert sb.explain(TEXT)["write"].elapsed in took
    assert sb.picture(as_mapping(TEXT)).svg() == sb.picture(file).svg()


def test_text_and_mappings_extend_files_and_published_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below.yaml").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    above = {"title": "Larger", "extends": "below.yaml", "data": {"file": {"size": "1.5 GB"}}}
    scenario = sb.load(above)
    assert (scenario.title, scenario.spec.data["file"].size.si) == ("Larger", 1.5e9)
    assert sb.load("title: Larger\nextends: below.yaml\ndata: {file: {size: 1.5 GB}}\n").hash == scenario.hash
    base = str(ROOT / "scenarios" / f"{LVM}.yaml")
    assert sb.load({"title": "Mine", "extends": base}).base == LVM
    assert sb.load({"title": "Mine", "extends": LVM}).base == LVM


def test_what_is_wrong_with_text_and_mappings_is_reported_with_its_place() -> None:
    assert problems(TEXT.replace("1 GB", "1 pony"))[0].startswith("text:7:")
    wrong = as_mapping(TEXT) | {"devices": {"disk": {"model": "disk/none"}}}
    assert any(
        line.startswith("mapping: devices.disk.model: there is no datasheet 'disk/none'") for line in problems(wrong)
    )
    assert problems({})[0].startswith("mapping: title: is missing")
    assert problems("title: [\n")[0].startswith("text:")
    assert problems({"title": "x", "extends": "nowhere.yaml"})[0].startswith("mapping: extends: there is no file")


@pytest.mark.slow
def test_a_study_comes_from_a_mapping_with_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text(TEXT, encoding="utf-8")
    asked = {
        "title": "Chunks",
        "scenarios": {"one": LVM},
        "vary": {"devices.cow.chunk": ["8 KiB", "64 KiB"]},
        "show": ["jobs.dd.elapsed"],
    }
    found = sb.study(asked, intervals="none")
    assert isinstance(found, sb.Study)
    assert found.frame["devices.cow.chunk"].to_list() == ["8 KiB", "64 KiB"]
    assert found.frame["jobs.dd.elapsed"][0] == sb.simulate(LVM, {"devices.cow.chunk": "8 KiB"}).get("jobs.dd.elapsed")
    monkeypatch.chdir(tmp_path)
    beside = sb.study(
        {"title": "Own", "scenarios": {"own": "own.yaml"}, "show": ["jobs.write.elapsed"]}, intervals="none"
    )
    file = tmp_path / "own.study.yaml"
    file.write_text("title: Own\nscenarios: {own: own.yaml}\nshow: [jobs.write.elapsed]\n", encoding="utf-8")
    assert [sb.study(what, intervals="none").rows for what in (file, file.read_text(encoding="utf-8"))] == [
        beside.rows
    ] * 2


@pytest.mark.parametrize(
    ("name", "reported"),
    [("published/003-lvm-snapshots/same-dsk", "did you mean"), ("own.yaml", "choose from"), ("", "is empty")],
)
def test_a_study_tells_which_scenarios_there_are(
    name: str, reported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sb.InputError) as caught:
        sb.study({"title": "None", "scenarios": {"one": name}, "show": ["jobs.dd.elapsed"]}, intervals="none")
    assert str(caught.value).startswith("mapping: scenarios.one: ")
    assert reported in str(caught.value)


@pytest.mark.slow
def test_tables_of_what_there_is() -> None:
    scenarios = sb.scenarios()
    assert scenarios.index.name == "name"
    assert scenarios.loc[LVM, "title"] == sb.load(LVM).title
    sheets = sb.datasheets()
    assert sheets.loc["disk/sata-7200-1tb-2008", "kind"] == "disk"
    disk = sb.datasheets("disk/sata-7200-1tb-2008")
    assert disk["value"].dtype == float
    assert (disk.loc["capacity", "value"], disk.loc["capacity", "unit"]) == (1e12, "B")
    with pytest.raises(sb.InputError, match="there is no datasheet 'disk/none'"):
        sb.datasheets("disk/none")


@pytest.mark.slow
def test_a_report_takes_what_can_be_loaded_and_what_was(tmp_path: Path) -> None:
    saved = sb.simulate(TEXT).save(tmp_path / "saved")
    pages = [
        sb.report(what, tmp_path / "page.html", intervals="none", reruns=False, drawn=False).read_bytes()
        for what in (saved, str(saved), TEXT, as_mapping(TEXT), sb.load(TEXT), sb.simulate(TEXT))
    ]
    assert len(set(pages)) == 1
    with pytest.raises(sb.ResultError, match="whose values cannot be changed"):
        sb.report(saved, tmp_path / "page.html", overrides={"data.file.size": "1 MB"})


def test_what_is_printed_is_one_short_line() -> None:
    scenario = sb.load("teaching/snapshot-slows-writes")
    result = sb.simulate(scenario)
    study = sb.study("planning/copy-area-place", intervals="none")
    assert repr(scenario).startswith("Scenario('teaching/snapshot-slows-writes', 'Why a snapshot slows writes', ")
    assert repr(result).startswith("Result('teaching/snapshot-slows-writes', 6 jobs, ")
    assert repr(study) == f"Study({study.title!r}, 3 rows, {len(study.figures)} figures)"
    for each in (scenario, result, study, sb.explain(result)):
        assert len(repr(each)) < 160
        assert "\n" not in repr(each)


def test_what_a_notebook_shows_is_a_table_without_markup_of_users() -> None:
    scenario = sb.load(TEXT.replace("title: A file", "title: <b>A file"))
    result = sb.simulate(scenario)
    study = sb.study({"title": "<i>", "scenarios": {"<u>": LVM}, "show": ["jobs.dd.elapsed"]}, intervals="none")
    for each in (scenario, result, study):
        shown = each._repr_html_()
        assert "<table>" in shown
        assert "<b>A" not in shown
        assert "<i>" not in shown
        assert "<u>" not in shown
    assert "write" in result._repr_html_()
    assert "volume" in scenario._repr_html_()


def test_values_are_numbers_with_units() -> None:
    result = sb.simulate(LVM)
    sources, assumptions = result.sources().set_index("address"), result.assumptions().set_index("address")
    chunk = sources.loc["devices.cow.chunk"]
    assert (chunk["value"], chunk["unit"], chunk["text"]) == (8192.0, "B", "8 KiB")
    memory = assumptions.loc["hosts.server.memory"]
    assert (memory["low"], memory["value"], memory["high"], memory["unit"]) == (2.0**30, 2.0**31, 2.0**32, "B")
    for table in (sources, assumptions):
        assert table["value"].dtype == float
    assert list(sources.columns) == ["value", "unit", "text", "basis", "source", "at"]


@for_each("source", sorted((ROOT / "notebooks").glob("[0-9]*.py")), ids=lambda path: path.stem)
def test_notebooks_import_nothing_from_inside(source: Path) -> None:
    tree = list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))
    assert not [
        node for node in tree if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simbackup")
    ]
    names = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    assert {name for name in names if name.startswith("simbackup")} == {"simbackup"}


def test_an_unknown_effort_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    result = simulated("teaching/short-backups")
    message = "there is no effort 'fast' for intervals; choose from: none, quick, thorough"
    with pytest.raises(sb.ResultError, match=message):
        sb.intervals_of(result, "fast")
    with pytest.raises(sb.ResultError, match=message):
        sb.study({}, intervals="fast")
    with pytest.raises(sb.ResultError, match=message):
        sb.report(result, tmp_path / "page.html", intervals="fast")
    assert not list(tmp_path.iterdir())


def test_one_name_needs_no_list() -> None:
    assert list(sb.simulate("teaching/one-file-from-tape", until="full").jobs.index) == ["full"]
    with pytest.raises(sb.InputError, match=r"simulate: until: there is no job 'ful'; did you mean 'full'\?"):
        sb.simulate("teaching/one-file-from-tape", until="ful")
