import json
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.foreign.measurements.measured_sheet import Finding, Output
from simbackup.foreign.registry import read_outputs
from simbackup.schema.measurable import Measurable
from tests.cases import for_each

SAMPLES = Path(__file__).parents[1] / "samples"


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
