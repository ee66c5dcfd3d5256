"""What a scenario states either acts, or is warned about, or is refused: cases in which once nothing was said."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.run import ran, warnings_of
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

HOSTS = """\
title: Keys of backups to other hosts
hosts:
  c: {model: host/linux-modern-server, owns: [d, void]}
  s: {model: host/linux-modern-server, owns: [e, lib, own]}
devices:
  d: {model: ssd/nvme-gen3-2018, capacity: 4 TB}
  e: {model: ssd/nvme-gen4-2021}
  void: {kind: nul}
  bucket: {model: object_store/amazon-s3-standard}
  own: {model: object_store/amazon-s3-standard}
  lib: {model: tape_library/atl-p3000, drive: tape_drive/lto-5, drives: 2}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [c, s]}
  wan: {model: network/ten-gigabit-ethernet, joins: [c, bucket]}
data:
  x: {on: d, size: 50 GB, files: 2000, filesystem: filesystem/xfs, compression: 2}
  small: {on: d, size: 10 GB, files: 100_000, filesystem: filesystem/xfs}
jobs:
"""
CHUNKS = "deduplication/content-chunks-2015"
SLOW_STORE = f"b: {{method: image, data: x, to: e, deduplication: {{model: {CHUNKS}, ratio: 2, restore_rate: 2 MB/s}}}}"
SHARED_THREADS = (
    "f: {method: file_level, data: x, to: e, workers: 2, tool: {model: backup_tool/restic-0.14, shares_threads: true}, "
    f"deduplication: {{model: {CHUNKS}, ratio: 5}}}}"
)


def site(*jobs: str) -> str:
    return HOSTS + "".join(f"  {job}\n" for job in jobs)


def elapsed(text: str, job: str, changes: dict[str, Any] | None = None) -> float:
    result = ran(text, changes, noting_reads=True)
    assert result.all_ended_well
    return result.get(f"jobs.{job}.elapsed")


def idle(text: str) -> list[str]:
    return [line.partition("warning: ")[2].partition(": has")[0] for line in ran(text, noting_reads=True).warnings]


@for_each(
    "jobs, job, address, values",
    [
        pytest.param(
            (SLOW_STORE,
             "back: {restore: b, after: b}"),
            "back", "jobs.b.deduplication.restore_rate", ("2 MB/s", "200 MB/s"), id="rate of a restore",
        ),
        pytest.param(
            ("o: {method: file_level, data: x, to: bucket}", "check: {restore: o, to: void, workers: 64, after: o}"),
            "check", "jobs.check.workers", (1, 64), id="workers of a check of objects",
        ),
        pytest.param(
            ("t: {method: image, data: x, to: e, tool: {model: backup_tool/bacula-3, file_marks: 500 %}}",
             "tape: {method: copy_save_set, save_set: t, to: lib, inline: true}"),
            "t", "jobs.t.tool.file_marks", (5, 500), id="file marks of an inline copy",
        ),
        pytest.param(
            ("q: {method: file_level, data: x, to: e, tool: {model: backup_tool/bacula-3, request: 4 KiB}}",
             "check: {restore: q, to: void, after: q}"),
            "check", "jobs.q.tool.request", ("4 KiB", "1 MiB"), id="request of a check",
        ),
        pytest.param(
            (SHARED_THREADS,),
            "f", "jobs.f.tool.shares_threads", (True, False), id="threads shared with deduplication",
        ),
    ],
)  # fmt: skip
def test_what_has_an_effect_is_not_warned_about(
    jobs: tuple[str, ...], job: str, address: str, values: tuple[Any, Any]
) -> None:
    text = site(*jobs)
    assert address not in idle(text)
    one, other = (elapsed(text, job, {address: value}) for value in values)
    assert one != other


@pytest.mark.parametrize("to", ["lib", "lib, spool: {on: e, size: 10 GB}"])
def test_the_image_of_a_file_system_is_one_file_on_tape(to: str) -> None:
    """Five marks for each of 2,000 files are 10,000 marks; of one image, they are five."""
    tool = "tool: {model: backup_tool/bacula-3, file_marks: MARKS}"
    many = site(f"files: {{method: file_level, data: x, to: {to}, {tool}}}")
    one = site(f"image: {{method: image, data: x, to: {to}, {tool}}}")
    each = [elapsed(many.replace("MARKS", str(marks)), "files") for marks in (0.001, 5)]
    alone = [elapsed(one.replace("MARKS", str(marks)), "image") for marks in (0.001, 5)]
    assert (each[1] - each[0]) / (alone[1] - alone[0]) == pytest.approx(2000.0, rel=0.05)


def test_deduplicated_files_go_to_objects_and_come_back_over_as_many_connections_as_others() -> None:
    plain = "method: file_level, data: small, to: bucket, workers: 4"
    text = site(
        f"plain: {{{plain}}}", f"chunks: {{{plain}, after: plain, deduplication: {{model: {CHUNKS}, ratio: 1}}}}"
    )
    assert elapsed(text, "plain") == pytest.approx(2531.0, rel=1e-3)
    assert elapsed(text, "chunks") == pytest.approx(2531.0, rel=1e-3)
    back = site(
        f"chunks: {{{plain}, deduplication: {{model: {CHUNKS}, ratio: 1}}}}",
        "back: {restore: chunks, workers: 4, after: chunks}",
    )
    one = elapsed(back, "back", {"jobs.back.connections": 1})
    assert elapsed(back, "back") == elapsed(back, "back", {"jobs.back.connections": 4}) < one


def test_a_program_that_alternates_is_slower_over_links_and_is_told_so_elsewhere() -> None:
    job = "b: {method: image, data: x, to: TO, tool: {model: backup_tool/gnu-tar, alternates: true}}"
    away = site(job.replace("TO", "e"), "back: {restore: b, after: b}")
    for name in ("b", "back"):
        assert elapsed(away, name) > elapsed(away, name, {"jobs.b.tool.alternates": False})
    assert "jobs.b.tool.alternates" not in idle(away)
    here = away.replace("owns: [d, void]", "owns: [d, void, e]").replace("owns: [e, lib, own]", "owns: [lib, own]")
    assert "jobs.b.tool.alternates" in idle(here)


@pytest.mark.parametrize("method", ["image", "file_level"])
def test_no_save_set_exists_on_what_keeps_nothing(method: str) -> None:
    with pytest.raises(InputError) as wrong:
        sb.load(site(f"full: {{method: {method}, data: x, to: void, exists: true}}"))
    (problem,) = wrong.value.problems
    assert (problem.place.line, problem.address) == (19, "jobs.full.exists")
    assert problem.message == "no save set can exist on 'void', which keeps nothing"


def test_of_a_run_that_does_not_come_to_its_end_nothing_is_said() -> None:
    text = site("b: {method: image, data: x, to: e, object_size: 1 MB}", "full: {method: image, data: x, to: e}")
    assert ran(text, until="b", noting_reads=True).warnings == []
    text = text.replace("e: {model: ssd/nvme-gen4-2021}", "e: {model: ssd/nvme-gen4-2021, capacity: 60 GB}")
    assert ran(text, noting_reads=True).warnings == []
    (said,) = warnings_of(sb.load(text))
    assert said.message.startswith("keys without effect are not looked for, as 'full' does not end well")


@for_each("name", ["teaching/mount-queue", "planning/spooled", "planning/copy-on-write-oltp"])
def test_a_run_whose_reads_are_noted_has_the_same_results_to_the_bit(name: str) -> None:
    plain, noted = ran(name), ran(name, noting_reads=True)
    assert list(plain.trace.to_lines()) == list(noted.trace.to_lines())
    assert (plain.reads, bool(noted.reads)) == (None, True)
