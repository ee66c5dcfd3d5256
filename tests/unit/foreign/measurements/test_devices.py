from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.foreign.measurements.measured_sheet import Output
from simbackup.foreign.registry import read_outputs
from simbackup.schema.measurable import Measurable
from tests.cases import for_each

SAMPLES = Path(__file__).parents[1] / "samples"
MiB, TiB = 2.0**20, 2.0**40


def _read(name: str) -> Output:
    return read_outputs([SAMPLES / name])[0]


def _of(text: str, folder: Path) -> Output:
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
    output = _of("\n".join([text[0], text[3], *text[begin : begin + 2]]), tmp_path)
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
    assert any(why in str(each) for each in _of(text.replace(old, new), tmp_path).unused)


def test_what_another_command_reads_is_named() -> None:
    with pytest.raises(InputError, match=r"is the output of 'zfs list' .*'simbackup plan init' reads it"):
        _read("zfs-list.txt")
