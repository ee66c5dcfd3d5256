"""Save sets of programs: other jobs find, read and replace them as they do those of file-level backups."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.analytic.test_program import SITE
from tests.cases import for_each

SIZE, WRITTEN, READ = 10e9, 100e6, 20e9
"""Bytes of the data, and bytes a second that the target takes and gives."""
ARCHIVE: dict[str, Any] = {
    "kind": "ssd", "capacity": "1 TB", "read_rate": "50 MB/s", "write_rate": "50 MB/s", "read_latency": "0.1 ms",
    "write_latency": "0.1 ms",
}  # fmt: skip
HERE: dict[str, Any] = {
    **SITE,
    "hosts": {**SITE["hosts"], "client": {**SITE["hosts"]["client"], "owns": ["disk", "target", "hole", "archive"]}},
    "devices": {**SITE["devices"], "archive": ARCHIVE},
}
OPERATIONS: dict[str, Any] = {
    "backup": {
        "serial_share": "0 %",
        "phases": {
            "all": {
                "tar": {
                    "items": "files",
                    "steps": {
                        "read": {"at": "data", "do": "open"},
                        "write": {"at": "target", "do": "write", "of": "stored"},
                    },
                }
            }
        },
    },
    "check": {
        "serial_share": "0 %",
        "phases": {
            "all": {
                "reader": {
                    "items": "1 MB",
                    "of": "stored",
                    "steps": {"read": {"at": "target", "do": "read"}, "sum": {"at": "cpu", "byte": "20 ns/B"}},
                }
            }
        },
    },
}  # fmt: skip
CODEC = {"compress_cpu": "1 ns/B", "expand_cpu": "1 ns/B", "threads": 64}


def listed(**keys: Any) -> dict[str, Any]:
    """A backup by a program."""
    program = {"operations": OPERATIONS}
    return {"method": "program", "program": program, "operation": "backup", "data": "tree", "target": "target", **keys}


def walked(**keys: Any) -> dict[str, Any]:
    """The file-level backup of the same data."""
    return {"method": "file_level", "data": "tree", "to": "target", "serial_share": "0 %", **keys}


def run(**jobs: dict[str, Any]) -> Result:
    """The result of some jobs, all of which are done."""
    result = sb.simulate(sb.load({**HERE, "jobs": jobs}))
    assert set(result.jobs["status"]) == {"done"}, result.jobs["status"]
    return result


LATER: dict[str, dict[str, Any]] = {
    "restore": {"restore": "save"},
    "some": {"restore": "save", "select": {"files": 10, "size": "10 MB"}},
    "copy": {"method": "copy_save_set", "save_set": "save", "to": "archive"},
    "consolidate": {"method": "consolidate", "save_set": "save"},
}


@pytest.mark.slow
@for_each("compressor", [None, CODEC])
@for_each(
    "target, name",
    [
        (target, name)
        for target in ("target", "there", "bucket")
        for name in LATER
        if (target, name) != ("bucket", "consolidate")
    ],
)
def test_other_jobs_take_as_long_as_after_a_file_level_backup(
    target: str, name: str, compressor: dict[str, Any] | None
) -> None:
    later = LATER[name]
    found = [
        run(save=save, later={**later, "after": "save"})
        for save in (listed(target=target, compressor=compressor), walked(to=target, compressor=compressor))
    ]
    seconds = [result.get("jobs.later.elapsed") for result in found]
    assert seconds[0] == pytest.approx(seconds[1], rel=1e-6)
    assert found[0].get("jobs.later.bytes") == found[1].get("jobs.later.bytes")


def test_a_copy_reads_what_the_program_wrote_and_no_more() -> None:
    copy = {"method": "copy_save_set", "save_set": "save", "to": "archive", "after": "save"}
    assert run(save=listed(), copy=copy).get("jobs.copy.elapsed") == pytest.approx(SIZE / 50e6, rel=1e-3)
    half = run(save=listed(compressor=CODEC), copy=copy).get("jobs.copy.elapsed")  # its data shrink to half
    assert half == pytest.approx(SIZE / 2.0 / 50e6, rel=1e-3)


def test_a_restore_replays_what_has_changed_since() -> None:
    """A tenth of the files has changed, as the data say, and all of these files are saved and restored."""
    full, night = listed(), listed(since="1 d", after="full")
    result = run(full=full, night=night, back={"restore": "full", "replay": ["night"], "after": "night"})
    saved = result.get("jobs.night.bytes")
    assert saved == pytest.approx(0.1 * SIZE, rel=0.06)
    assert result.get("jobs.back.bytes") == pytest.approx(SIZE + saved, rel=1e-9)


def test_an_operation_reads_the_newest_save_set_of_a_job() -> None:
    """A worker reads the bytes of the increment, and takes 20 ns for each on a core of twice the reference speed."""
    check = {**listed(), "operation": "check", "target": None, "save_set": "night", "after": "night"}
    result = run(full=listed(), night=listed(since="1 d", after="full"), check=check)
    saved = result.get("jobs.night.bytes")
    assert result.get("jobs.check.bytes") == pytest.approx(saved, rel=1e-9)
    assert result.get("jobs.check.elapsed") == pytest.approx(saved * (20e-9 / 2.0), rel=0.02)  # it reads ahead


def test_an_operation_reads_the_save_set_of_another_method() -> None:
    check = {**listed(), "operation": "check", "target": None, "save_set": "save", "after": "save"}
    found = [run(save=save, check=check).get("jobs.check.elapsed") for save in (listed(), walked())]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] == pytest.approx(SIZE * 20e-9 / 2.0, rel=0.02)


def test_an_operation_that_reads_a_save_set_lies_where_that_does() -> None:
    """Outer tracks are twice as fast as inner ones: the first save set lies there, however much was written since."""
    disk = {"model": "disk/nearline-12tb-2018", "capacity": "100 GB"}
    check = {**listed(), "operation": "check", "target": None, "save_set": "first"}
    jobs = {
        "first": listed(target="archive"), "early": {**check, "after": "first"},
        "second": {"method": "image", "data": "tree", "to": "archive", "begin": "6 h", "every": "1 h", "until": "9 h"},
        "late": {**check, "begin": "12 h"},
    }  # fmt: skip
    result = sb.simulate(sb.load({**HERE, "devices": {**HERE["devices"], "archive": disk}, "jobs": jobs}))
    early, late = (result.get(f"jobs.{name}.elapsed") for name in ("early", "late"))
    assert early == pytest.approx(late, rel=1e-6)


def test_a_save_set_may_exist_at_the_start() -> None:
    result = sb.simulate(sb.load({**HERE, "jobs": {"save": listed(exists=True), "back": {"restore": "save"}}}))
    assert result.get("jobs.back.bytes") == pytest.approx(SIZE, rel=1e-9)


def test_an_operation_without_a_save_set_fails() -> None:
    check = {**listed(), "operation": "check", "target": None, "save_set": "save"}
    result = sb.simulate(sb.load({**HERE, "jobs": {"check": check, "save": listed(begin="1 h")}}))
    assert str(result.jobs.loc["check", "status"]).startswith("failed")


@pytest.mark.parametrize(
    ("jobs", "address", "message"),
    [
        ({"save": listed(), "check": listed(operation="check"), "back": {"restore": "check"}},
         "jobs.back.restore", "the operation 'check' of 'check' leaves no save set"),
        ({"save": listed(target="hole"), "back": {"restore": "save"}}, "jobs.back.restore", "'hole' keeps nothing"),
        ({"check": listed(operation="check", exists=True)},
         "jobs.check.exists", "the operation 'check' leaves no save set"),
        ({"save": listed(), "check": listed(operation="check", save_set="save", since="1 d")},
         "jobs.check.since", "has no effect on an operation that reads a save set"),
        ({"one": listed(operation="check"), "check": listed(operation="check", save_set="one")},
         "jobs.check.save_set", "'one' leaves no save set in one place"),
    ],
)  # fmt: skip
def test_what_leaves_no_save_set_is_reported(jobs: dict[str, Any], address: str, message: str) -> None:
    with pytest.raises(sb.InputError) as caught:
        sb.simulate(sb.load({**HERE, "jobs": jobs}))
    assert (address, message) in {(problem.address, problem.message) for problem in caught.value.problems}
