"""Outputs of measuring tools, and datasheets that are made of them."""

import json
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

# fio, iperf3, dd and btape
SAMPLES = Path(__file__).parent / "samples"


def _read(name: str) -> Output:
    return read_outputs([SAMPLES / name])[0]


def _of(text: str, folder: Path, name: str = "out.txt") -> Output:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_outputs([path])[0]


def _only(output: Output) -> Finding:
    assert len(output.findings) == 1
    return output.findings[0]


def test_fio_reports_a_rate_in_sequence() -> None:
    output = _read("fio-seqread-1.json")
    found = _only(output)
    said = json.loads((SAMPLES / "fio-seqread-1.json").read_text())["jobs"][0]["read"]
    assert (output.tool, output.date) == ("fio-3.33", "2026-11-22")
    assert (found.what, found.where) == (Measurable.SEQUENTIAL_READ, "jobs.0.read.bw_bytes")
    assert found.value == pytest.approx(said["io_bytes"] / (said["runtime"] / 1000), rel=0.01)


@pytest.mark.parametrize(("name", "what"), [("read", Measurable.SMALL_READ), ("write", Measurable.SMALL_WRITE)])
def test_fio_reports_the_time_of_a_small_request(name: str, what: Measurable) -> None:
    found = _only(_read(f"fio-rand{name}.json"))
    said = json.loads((SAMPLES / f"fio-rand{name}.json").read_text())["jobs"][0][name]
    assert found.what is what
    assert found.value * said["iops"] == pytest.approx(1.0, rel=0.1), "one request after the other"


def _fio(folder: Path, options: dict[str, str], job: dict[str, object] | None = None, count: int = 1) -> Output:
    whole = json.loads((SAMPLES / "fio-seqread-1.json").read_text())
    whole["jobs"] = [whole["jobs"][0] | (job or {})] * count
    whole["jobs"][0]["job options"] |= options
    return _of(json.dumps(whole), folder, "fio.json")


@for_each(
    "options, why",
    [
        ({"direct": "0"}, "page cache"),
        ({"rw": "randrw"}, "mixes"),
        ({"bs": "4k"}, "requests of 4096 bytes"),
        ({"rw": "randread", "bs": "4k", "iodepth": "32"}, "32 at once"),
    ],
)
def test_fio_passes_over_what_measures_something_else(options: dict[str, str], why: str, tmp_path: Path) -> None:
    output = _fio(tmp_path, options)
    assert output.findings == ()
    assert [problem.severity for problem in output.unused] == ["warning"]
    assert why in str(output.unused[0])


def test_fio_passes_over_failures_and_jobs_beside_others(tmp_path: Path) -> None:
    assert "ended with error 5" in str(_fio(tmp_path, {}, {"error": 5}).unused[0])
    assert all("at the same time as others" in str(each) for each in _fio(tmp_path, {}, count=2).unused)


def test_fio_of_version_2_counts_kibibytes_and_microseconds(tmp_path: Path) -> None:
    job = {"jobname": "r", "error": 0, "groupid": 0, "read": {"bw": 1000, "lat": {"mean": 250.0}}}
    options = {"rw": "read", "bs": "1M", "direct": "1"}
    whole = {"fio version": "fio-2.1.11", "jobs": [job | {"job options": options}]}
    assert _only(_of(json.dumps(whole), tmp_path)).value == 1_024_000.0
    whole["jobs"] = [job | {"job options": options | {"rw": "randread", "bs": "4k"}}]
    assert _only(_of(json.dumps(whole), tmp_path)).value == 250e-6


def test_iperf3_reports_payload_and_the_shortest_round_trip() -> None:
    output = _read("iperf3.json")
    rate, trip = output.findings
    end = json.loads((SAMPLES / "iperf3.json").read_text())["end"]["sum_received"]
    assert (output.tool, output.date) == ("iperf 3.12", "2026-11-22")
    assert rate.value == pytest.approx(end["bytes"] / end["seconds"], rel=1e-6)
    assert (trip.what, trip.value) == (Measurable.ROUND_TRIP, 54e-6)


def test_iperf3_that_failed_is_refused(tmp_path: Path) -> None:
    text = json.dumps({"start": {"version": "iperf 3.12"}, "error": "unable to connect to server"})
    with pytest.raises(InputError, match=r"out.txt:1:1: error: the test failed: unable to connect"):
        _of(text, tmp_path)


GNU = "128+0 records in\n128+0 records out\n134217728 bytes (134 MB, 128 MiB) copied, 0.5 s, 268 MB/s\n"
GERMAN = "134217728 Bytes (134 MB, 128 MiB) kopiert, 0,5 s, 268 MB/s\n"
OLD = "134217728 bytes (134 MB) copied, 0.5 seconds, 268 MB/s\n"
BSD = "128+0 records in\n128+0 records out\n134217728 bytes transferred in 0.500000 secs (268435456 bytes/sec)\n"


@for_each("text", [GNU, GERMAN, OLD, BSD])
@for_each(
    "command, what",
    [
        ("$ dd if=/dev/sda of=/dev/null bs=1M iflag=direct count=128", Measurable.SEQUENTIAL_READ),
        ("dd if=/dev/zero of=/mnt/x bs=1M conv=fsync", Measurable.SEQUENTIAL_WRITE),
        ("dd if=random.bin of=/dev/nst0 bs=256k", Measurable.TAPE_RANDOM),
        ("dd if=/dev/zero of=/dev/nst0 bs=256k", Measurable.TAPE_ZEROS),
    ],
)
def test_dd_reports_what_its_command_did(text: str, command: str, what: Measurable, tmp_path: Path) -> None:
    found = _only(_of(f"{command}\n{text}", tmp_path))
    assert (found.what, found.value) == (what, 134217728 / 0.5)
    assert found.place.line == len(text.splitlines()) + 1


@for_each(
    "command, why",
    [
        ("dd if=/dev/sda of=/dev/null", "page cache"),
        ("dd if=/dev/zero of=x", "page cache"),
        ("dd if=/dev/urandom of=x oflag=direct", "random bytes"),
        ("dd if=/dev/sda of=/dev/sdb", "one device and wrote another"),
    ],
)
def test_dd_passes_over_what_measures_something_else(command: str, why: str, tmp_path: Path) -> None:
    output = _of(f"{command}\n{GNU}", tmp_path)
    assert output.findings == ()
    assert why in str(output.unused[0])


def test_dd_without_its_command_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"out.txt:3:1: it is unclear whether this run of dd read or wrote"):
        _of(GNU, tmp_path)


def test_btape_reports_each_file_by_its_data() -> None:
    found = [(one.what, one.value) for one in _read("btape.txt").findings]
    assert found == [
        (Measurable.TAPE_ZEROS, 44.128e6),
        (Measurable.TAPE_ZEROS, 43.531e6),
        (Measurable.TAPE_RANDOM, 7.271e6),
        (Measurable.TAPE_RANDOM, 7.365e6),
    ]


@for_each(
    "text, message",
    [
        ("", "x.txt:1:1: is empty"),
        ("hello\n", "x.txt:1:1: is not the output of a known program"),
        ('{\n "fio version": "fio-3.33",\n "jobs": [\n', "x.txt:4:1: is not valid JSON"),
        ('{"fio version": "fio-3.33"}', "x.txt:1:1: jobs: is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        _of(text, tmp_path, "x.txt")
    assert message in str(raised.value)


@pytest.mark.parametrize("name", ["iodepth", "numjobs"])
def test_a_count_of_fio_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"jobs.0.job options.{name}: 'many' is not a whole number"):
        _fio(tmp_path, {"rw": "randread", "bs": "4k", name: "many"})


@pytest.mark.parametrize(("tool", "said"), [("fio-seqread-1", "1795351318"), ("iperf3", "1795351334")])
def test_a_day_that_no_calendar_has_is_refused(tool: str, said: str, tmp_path: Path) -> None:
    text = (SAMPLES / f"{tool}.json").read_text().replace(f": {said},", ": 1e17,").replace(f": {said}\n", ": 1e17\n")
    with pytest.raises(InputError, match=r"'1e\+17' is not a time in seconds since 1970"):
        _of(text, tmp_path, "out.json")


@for_each("seconds", ["1.234,5", ",", "9" * 30 + ",0,1"])
def test_seconds_that_are_no_number_are_no_output_of_dd(seconds: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not the output of a known program"):
        _of(f"dd if=/dev/zero of=x\n1000 bytes copied, {seconds} s, 1 MB/s\n", tmp_path)


def test_a_rate_that_is_no_number_is_none_of_btape(tmp_path: Path) -> None:
    text = (SAMPLES / "btape.txt").read_text()
    assert len(_of(text.replace("44.128 MB/s", ",,. MB/s"), tmp_path).findings) == len(_read("btape.txt").findings) - 1


# fio as text, mtx and lsblk
MiB, TiB = 2.0**20, 2.0**40


def _of_device(text: str, folder: Path) -> Output:
    path = folder / "out.txt"
    path.write_text(text, encoding="utf-8")
    return read_outputs([path])[0]


def test_fio_as_text_reports_what_its_json_does() -> None:
    output = _read("fio.txt")
    found = [(one.what, one.value, one.where) for one in output.findings]
    assert output.tool == "fio-3.36"
    assert found == [
        (Measurable.SEQUENTIAL_READ, 6400 * MiB / 40.0, "line 22"),
        (Measurable.SMALL_READ, pytest.approx(249.5e-6), "line 16"),
    ]
    said = [str(each) for each in output.unused]
    assert sum("does not say whether the page cache took part; the value was used" in each for each in said) == 2
    assert any("both: was not used: it mixes reads and writes, or trims ('randrw')" in each for each in said)


def test_fio_of_version_2_as_text_after_its_command() -> None:
    output = _read("fio-2.txt")
    (found,) = output.findings
    assert (found.what, found.value) == (Measurable.SEQUENTIAL_WRITE, 4096 * MiB / 40.0)
    assert output.unused == ()


def test_fio_as_text_with_only_its_last_lines(tmp_path: Path) -> None:
    text = (SAMPLES / "fio.txt").read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(text) if line.startswith("Run status group 0"))
    output = _of_device("\n".join([text[0], text[3], *text[begin : begin + 2]]), tmp_path)
    assert [one.value for one in output.findings] == [6400 * MiB / 40.0]


@for_each(
    "old, new, why",
    [
        ("fio-3.36", "$ fio --rw=read job.fio", "it went through the page cache"),
        ("jobs=1): err= 0: pid=811", "jobs=1): err= 5: pid=811", "it ended with error 5"),
        ("1024KiB-1024KiB", "4096B-4096B", "requests of 4096 bytes measure the requests"),
        ("psync, iodepth=1", "psync, iodepth=4", "requests of 4096 bytes, 4 at once"),
        ("run=40000-40000msec", "run=39000-40000msec", "its jobs did not end at the same time"),
        ("small: (g=1)", "small: (g=0)", "it ran at the same time as others"),
    ],
)
def test_fio_as_text_passes_over_what_measures_something_else(old: str, new: str, why: str, tmp_path: Path) -> None:
    text = (SAMPLES / "fio.txt").read_text(encoding="utf-8")
    assert old in text
    assert any(why in str(each) for each in _of_device(text.replace(old, new), tmp_path).unused)


def test_what_another_command_reads_is_named() -> None:
    with pytest.raises(InputError, match=r"is the output of 'zfs list' .*'simbackup plan init' reads it"):
        _read("zfs-list.txt")


# Datasheets
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
