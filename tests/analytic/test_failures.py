"""Parts that fail during a run, against sums by hand: what stops, what it costs, and what goes on."""

import math
from typing import Any

import pytest

import simbackup as sb
from simbackup.chance import Chance
from tests.cases import for_each
from tests.shared import LIBRARY_BY_HAND

MACHINE = "cores: 4, copy_rate: 1000 GB/s, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %"
FLASH = "kind: ssd, capacity: 1 TB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s"
LINK = f"""\
title: A client and its server
hosts:
  client: {{{MACHINE}, owns: [source, sink]}}
  server: {{{MACHINE}, owns: [target]}}
devices:
  source: {{{FLASH}}}
  target: {{{FLASH}}}
  sink: {{kind: nul}}
links:
  wan: {{joins: [client, server], rate: 100 MB/s, latency: 0 s}}
data:
  files: {{"on": source, size: 100 GB}}
jobs:
  full: {{method: image, data: files, to: target}}
"""
"""100 GB over a link of 100 MB/s: 1,000 s."""
BUCKET = """kind: object_store, write_latency: 0 s, read_latency: 0 s, connection_rate: 1 GB/s, part: 1 GB,
    write_requests: 1000 1/s, read_requests: 1000 1/s"""


def run(text: str, failures: dict[str, dict[str, Any]], changes: dict[str, Any] | None = None) -> sb.Result:
    """The result with some failures."""
    stated = {f"failures.{name}.{key}": value for name, said in failures.items() for key, value in said.items()}
    body = text + "failures:\n" + "".join(f"  {name}: {{}}\n" for name in failures) if failures else text
    return sb.simulate(sb.load(body, stated | (changes or {})))


def row(result: sb.Result, job: str) -> dict[str, Any]:
    """What a job reports."""
    return next(row for row in result.job_rows if row["job"] == job)


def notes(result: sb.Result) -> str:
    """What parts say of themselves."""
    return "\n".join(f"{event.address} {event.what}" for event in result.trace.events if event.data.get("note"))


OUTAGE = {"link": "wan", "at": "200 s", "lasts": "600 s"}


def test_a_connection_that_survives_an_outage_is_as_much_later() -> None:
    before = row(run(LINK, {}), "full")["elapsed"]
    after = run(LINK, {"outage": {**OUTAGE, "timeout": "15 min"}})
    assert row(after, "full")["elapsed"] == pytest.approx(before + 600.0, rel=1e-9)
    assert after.activities("full")["links.wan", "wait for repair"] == pytest.approx(600.0)


def test_a_connection_that_waits_too_long_fails_when_its_patience_ends() -> None:
    found = row(run(LINK, {"outage": {**OUTAGE, "timeout": "5 min"}}), "full")
    assert found["status"] == "failed"
    assert found["end"] == pytest.approx(200.0 + 300.0)
    assert "the link 'wan' failed" in found["reason"]


def test_a_job_fails_when_its_link_does_and_others_that_follow_are_skipped() -> None:
    result = run(LINK + "  more: {method: image, data: files, to: sink, after: full}\n", {"outage": OUTAGE})
    assert (row(result, "full")["status"], row(result, "full")["end"]) == ("failed", pytest.approx(200.0))
    assert row(result, "more")["status"] == "skipped"


def test_a_retry_begins_anew_when_the_part_is_back() -> None:
    alone = row(run(LINK, {}), "full")["elapsed"]
    result = run(LINK, {"outage": OUTAGE}, {"jobs.full.retries": 1})
    assert row(result, "full")["elapsed"] == pytest.approx(200.0 + 600.0 + alone, rel=1e-9)
    assert "the link 'wan' failed after 3 min 20 s of work" in notes(result)
    assert result.activities("full")["links.wan", "wait for repair"] == pytest.approx(600.0)


def test_a_program_that_resumes_reads_again_what_is_stored_and_sends_the_rest() -> None:
    """20 GB are stored after 200 s; they are read at 1 GB/s, and 80 GB are sent."""
    text = LINK.replace("to: target}", "to: target, retries: 1, tool: {model: backup_tool/raw-blocks}}")
    anew = row(run(text, {"outage": OUTAGE}), "full")["elapsed"]
    found = row(run(text, {"outage": OUTAGE}, {"jobs.full.tool.resumes": True}), "full")["elapsed"]
    assert anew - found == pytest.approx(20e9 / 100e6 - 20e9 / 1e9, rel=1e-6)
    text = text.replace("[target]", "[target, spare]").replace("  sink:", f"  spare: {{{FLASH}}}\n  sink:")
    text += "  twin: {method: copy_save_set, save_set: full, to: spare, inline: true}\n"
    anew, found = (
        row(run(text, {"outage": OUTAGE}, {"jobs.full.tool.resumes": resumes}), "full")["elapsed"]
        for resumes in (False, True)
    )
    assert anew - found == pytest.approx(20e9 / 100e6 - 20e9 / 1e9, rel=1e-6)  # all of its targets have them


def test_objects_that_are_stored_are_not_sent_again() -> None:
    text = LINK.replace("  sink:", f"  bucket: {{{BUCKET}}}\n  sink:").replace("[client, server]", "[client, bucket]")
    text = text.replace(
        "to: target}", "to: bucket, retries: 1, connections: 100, tool: {model: backup_tool/raw-blocks}}"
    )
    anew = row(run(text, {"outage": OUTAGE}), "full")["elapsed"]
    found = row(run(text, {"outage": OUTAGE}, {"jobs.full.tool.resumes": True}), "full")["elapsed"]
    assert anew - found == pytest.approx(20e9 / 100e6 - 20e9 / 1e9, rel=1e-6)


def test_a_job_that_begins_during_an_outage_fails_at_once() -> None:
    found = row(run(LINK, {"outage": OUTAGE}, {"jobs.full.begin": "300 s"}), "full")
    assert (found["status"], found["end"]) == ("failed", pytest.approx(300.0))


def test_a_host_takes_what_runs_there_along_and_nothing_else() -> None:
    text = LINK + "  local: {method: image, data: files, to: sink}\n"
    result = run(text, {"crash": {"host": "server", "at": "50 s"}})
    assert (row(result, "full")["status"], row(result, "full")["end"]) == ("failed", pytest.approx(50.0))
    assert row(result, "local")["status"] == "done"


def test_what_was_saved_on_a_device_that_is_gone_cannot_be_restored_and_the_reason_says_so() -> None:
    text = LINK + "  back: {restore: full, begin: 3000 s}\n"
    result = run(text, {"loss": {"device": "target", "after": "full", "delay": "2000 s"}})
    assert row(result, "full")["status"] == "done"
    found = row(result, "back")
    assert (found["status"], found["end"]) == ("failed", pytest.approx(3000.0))
    assert "the device 'target' failed" in found["reason"]


def test_two_failures_that_overlap_keep_a_link_closed_until_the_last_is_over() -> None:
    failures = {
        "one": {**OUTAGE, "timeout": "1 h"},
        "other": {"link": "wan", "at": "500 s", "lasts": "1000 s", "timeout": "1 h"},
    }
    before = row(run(LINK, {}), "full")["elapsed"]
    assert row(run(LINK, failures), "full")["elapsed"] == pytest.approx(before + 1300.0, rel=1e-9)


ARRAY = f"""\
title: An array that loses disks
hosts:
  host: {{{MACHINE}, owns: [array, sink]}}
devices:
  array: {{kind: raid, level: "10", disks: 4, stripe_unit: 64 KiB, controller_overhead: 0 s, ssd: {{capacity: 100 GB,
    read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 0 s, write_latency: 0 s}}}}
  sink: {{kind: nul}}
data:
  files: {{"on": array, size: 100 GB}}
jobs:
  full: {{method: image, data: files, to: sink}}
"""
"""Four disks read at 400 MB/s together; of two pairs, one of which lacks a disk, at 200 MB/s."""


def test_an_array_goes_on_more_slowly_from_the_moment_it_loses_a_disk() -> None:
    found = row(run(ARRAY, {"first": {"disk": "array", "at": "100 s"}}), "full")
    assert found["elapsed"] == pytest.approx(100.0 + (100e9 - 100.0 * 400e6) / 200e6, rel=1e-6)
    whole = row(run(ARRAY, {"first": {"disk": "array", "at": "0 s"}}), "full")["elapsed"]
    assert whole == row(run(ARRAY, {}, {"devices.array.failed": 1}), "full")["elapsed"]


def test_a_spare_is_filled_beside_the_jobs_and_then_all_disks_work() -> None:
    """The rebuild reads 100 GB of one disk and writes as many; it has the array for itself from the end of the job."""
    result = run(ARRAY, {"first": {"disk": "array", "at": "0 s", "spare": "0 s"}})
    by_job = run(
        ARRAY.replace("full:", "again: {method: rebuild, of: array}\n  full:"), {}, {"devices.array.failed": 1}
    )
    assert row(result, "full")["elapsed"] == pytest.approx(row(by_job, "full")["elapsed"], rel=1e-9)
    later = run(ARRAY, {"first": {"disk": "array", "at": "0 s", "spare": "0 s"}}, {"jobs.full.begin": "1500 s"})
    assert row(later, "full")["elapsed"] == pytest.approx(100e9 / 400e6, rel=1e-6)


def test_a_rebuild_begins_again_when_what_interrupted_it_is_back() -> None:
    """100 GB at 100 MB/s take 1,000 s, from 600 s on, when the host is back."""
    failures = {
        "first": {"disk": "array", "at": "0 s", "spare": "0 s"},
        "crash": {"host": "host", "at": "500 s", "lasts": "100 s"},
    }
    result = run(ARRAY, failures, {"jobs.full.begin": "1 h"})
    ended = [event.time for event in result.trace.events if "has been rebuilt" in event.what]
    assert ended == [pytest.approx(1600.0, rel=1e-3)]


def test_a_job_is_faster_again_from_the_moment_the_rebuild_ends() -> None:
    """Of 1,000 s of rebuild, the job sees what is left after 900.

    Both have half of the array's time, so the rebuild takes 200 s for its last 100. The job reads 20 GB meanwhile, at
    half of 200 MB/s, and the rest at 400 MB/s.
    """
    spared = {"first": {"disk": "array", "at": "0 s", "spare": "0 s"}}
    result = run(ARRAY, spared, {"jobs.full.begin": "900 s"})
    assert row(result, "full")["elapsed"] == pytest.approx(200.0 + 80e9 / 400e6, rel=1e-6)
    assert "has been rebuilt" in notes(result)


@pytest.mark.parametrize(("level", "lost"), [("5", True), ("6", False)])
def test_an_unreadable_sector_takes_the_data_of_an_array_without_redundancy(level: str, lost: bool) -> None:
    """A rebuild from the other disks finds it, and loses the data; with two parities, it is repaired."""
    said = {"sector": {"sector": "array", "at": "0 s"}, "disk": {"disk": "array", "at": "10 s", "spare": "0 s"},
            "next": {"disk": "array", "at": "30 h", "spare": "0 s"}}  # fmt: skip
    result = run(ARRAY, said, {"devices.array.level": level, "jobs.full.begin": "60 h"})
    assert row(result, "full")["status"] == ("failed" if lost else "done")
    assert ("a sector cannot be read, and its data are lost" in notes(result)) is lost
    assert notes(result).count("has been rebuilt onto a spare disk") == (0 if lost else 2)


def test_a_disk_beyond_the_redundancy_takes_the_data_and_their_restore_with_it() -> None:
    text = ARRAY.replace(
        "full: {method: image, data: files, to: sink}", "full: {method: image, data: other, to: array}"
    )
    text = text.replace("data:\n", 'data:\n  other: {"on": disk, size: 10 GB}\n', 1)
    text = text.replace("  sink:", f"  disk: {{{FLASH}}}\n  sink:").replace("[array, sink]", "[array, disk, sink]")
    text += "  back: {restore: full, begin: 1000 s}\n"
    failures = {"first": {"disk": "array", "at": "500 s"}, "second": {"disk": "array", "at": "900 s"}}
    result = run(text, failures)
    assert row(run(text, {"first": failures["first"]}), "back")["status"] == "done"
    found = row(result, "back")
    assert found["status"] == "failed"
    assert "too many disks of 'array' failed" in found["reason"]


TAPE = f"""\
title: A library with two drives, in round figures
hosts:
  host: {{{MACHINE}, owns: [source, target, library]}}
devices:
  source: {{{FLASH}}}
  target: {{{FLASH}}}
{LIBRARY_BY_HAND}
data:
  files: {{"on": source, size: 8 GB}}
jobs:
  full: {{method: image, data: files, to: library}}
"""
"""8 GB at 80 MB/s: 100 s. Robot 10 s, load 30 s; locate to the beginning 2 s; rewind, unload 10 s, robot 10 s."""
LOADED = 10.0 + 30.0
"""Seconds from the first move of the robot until the cartridge is loaded."""


def test_a_drive_that_fails_is_replaced_by_another_when_the_job_is_tried_again() -> None:
    alone = row(run(TAPE, {}), "full")
    failing = {"broken": {"drive": "library", "at": "90 s"}}
    once = row(run(TAPE, failing), "full")
    assert once["status"] == "failed"
    assert "the drive 'library.drive.1' failed" in once["reason"]
    again = row(run(TAPE, failing, {"jobs.full.retries": 1}), "full")
    assert again["status"] == "done"
    assert again["elapsed"] == pytest.approx(once["elapsed"] + alone["elapsed"], rel=1e-9)


def test_who_waits_for_a_drive_that_never_comes_fails() -> None:
    text = (
        TAPE + "  more: {method: image, data: files, to: library}\n  last: {method: image, data: files, to: library}\n"
    )
    both = {name: {"drive": "library", "at": "90 s"} for name in ("one", "other")}
    result = run(text, both)
    assert {each["status"] for each in result.job_rows} == {"failed"}
    assert "has no working drive" in row(result, "last")["reason"]


def test_what_is_on_tape_outlives_a_drive() -> None:
    text = TAPE + "  back: {restore: full, begin: 1000 s}\n"
    assert row(run(text, {"broken": {"drive": "library", "at": "500 s"}}), "back")["status"] == "done"


def test_a_drive_comes_back_and_takes_who_waits() -> None:
    text = TAPE + "  more: {method: image, data: files, to: library}\n"
    result = run(text, {"broken": {"drive": "library", "at": "90 s", "lasts": "1 h"}}, {"jobs.full.retries": 1})
    assert {each["status"] for each in result.job_rows} == {"done"}


FAR = (
    TAPE.replace("devices:\n", "  far: {" + MACHINE + ", owns: [other]}\ndevices:\n  other: {" + FLASH + "}\n", 1)
    .replace("data:\n", "links:\n  lan: {joins: [far, host], rate: 1 GB/s, latency: 0 s}\ndata:\n", 1)
    .replace("jobs:\n", '  far-files: {"on": other, size: 8 GB}\njobs:\n', 1)
    + "  more: {method: image, data: files, to: library}\n"
    + "  last: {method: image, data: far-files, to: library, priority: 9}\n"
)
"""Two jobs have both drives from the beginning; the last one waits, for data of another host."""


@for_each("at, lasts, ends", [
    ("20 s", 3600.0, 3620.0 + 10.0),  # the cartridge is loaded; it is missed when it has to be put away
    ("5 s", 3600.0, 3605.0 + 10.0),  # the first move goes on
    ("0 s", 3600.0, None),  # it never moved: all is an hour later
    ("20 s", 60.0, 0.0),  # it is back before it is missed
])  # fmt: skip
def test_robots_that_stop_hold_up_moves_and_nothing_else(at: str, lasts: float, ends: float | None) -> None:
    alone = row(run(TAPE, {}), "full")["elapsed"]
    result = run(TAPE, {"stuck": {"robot": "library", "at": at, "lasts": f"{lasts} s"}})
    expected = alone + lasts if ends is None else ends or alone
    assert row(result, "full")["elapsed"] == pytest.approx(expected, rel=1e-9)
    assert "devices.library.robot fails for" in notes(result)


@pytest.mark.parametrize("lasts", ["5 s", "1 h", None])
def test_a_job_that_waits_for_a_drive_fails_when_its_host_does(lasts: str | None) -> None:
    """It has moved nothing by then, and the host is back before it would. Its claim of a drive goes with it."""
    text = FAR + "  then: {method: image, data: files, to: library, begin: 1000 s}\n"
    crash = {"host": "far", "at": "20 s"} | ({"lasts": lasts} if lasts else {})
    result = run(text, {"crash": crash})
    last = row(result, "last")
    assert (last["status"], last["end"]) == ("failed", pytest.approx(20.0))
    assert last["reason"].startswith("the host 'far' failed")
    assert {row(result, job)["status"] for job in ("full", "more", "then")} == {"done"}
    assert row(result, "then")["elapsed"] == pytest.approx(row(run(TAPE, {}), "full")["elapsed"], rel=0.05)


def test_a_job_that_waits_for_a_cartridge_fails_when_its_host_does() -> None:
    """There is one cartridge: the last job has the second drive, and waits for it from 0 s on."""
    text = FAR.replace("slots: 8", "slots: 1").replace("  more:", "  #more:")
    result = run(text, {"crash": {"host": "far", "at": "60 s", "lasts": "5 s"}})
    assert (row(result, "last")["status"], row(result, "last")["end"]) == ("failed", pytest.approx(60.0))
    assert row(result, "full")["status"] == "done"


def test_a_job_in_a_queue_has_not_begun_and_outlives_a_failure_of_its_host() -> None:
    text = FAR.replace("devices:\n", "devices:\n  slot: {kind: job_queue, at_once: 1}\n", 1)
    text = text.replace("data: files, to: library}", "data: files, to: library, queues: [slot]}")
    text = text.replace("priority: 9", "queues: [slot]")
    result = run(text, {"crash": {"host": "far", "at": "20 s", "lasts": "1 min"}})
    assert {each["status"] for each in result.job_rows} == {"done"}


PAIR = (
    TAPE.replace("drives: 2,", "pools: {new: 4, old: 4}, drives: 2,")
    .replace(
        "full: {method: image, data: files, to: library}", "full: {method: image, data: large, to: library, pool: old}"
    )
    .replace("jobs:\n", '  large: {"on": source, size: 24 GB}\njobs:\n', 1)
    + "  small: {method: image, data: files, to: library, pool: new, begin: 1 s}\n"
    + "  aside: {method: copy_save_set, save_set: small, to: library, pool: old, after: small, retries: 1}\n"
)
"""`full` has the first drive for 300 s and more; `aside` has the second from about 165 s, and waits for the first."""


def test_a_job_that_needs_two_drives_fails_when_only_one_is_left() -> None:
    result = run(PAIR, {"broken": {"drive": "library", "at": "250 s"}})
    aside = row(result, "aside")
    assert (aside["status"], aside["end"]) == ("failed", pytest.approx(250.0, abs=1.0))
    assert "'library' has 1 working drive, and 2 are needed" in aside["reason"]


def test_a_job_that_needs_two_drives_waits_for_the_repair_of_one() -> None:
    result = run(PAIR, {"broken": {"drive": "library", "at": "250 s", "lasts": "1 h"}})
    assert (row(result, "full")["status"], row(result, "aside")["status"]) == ("failed", "done")
    assert row(result, "aside")["end"] > 3850.0


def test_a_restore_that_cannot_read_its_cartridge_turns_to_the_copy_and_the_time_counts() -> None:
    """It notices when the cartridge is loaded, and puts it back: 30 s more than the way there."""
    text = TAPE + "  copy: {method: copy_save_set, save_set: full, to: target, after: full}\n"
    text += "  back: {restore: full, begin: 1000 s}\n"
    result = run(text, {"bad": {"cartridge": "full", "at": "900 s"}})
    from_disk = row(run(text, {}, {"jobs.back.copied_by": "copy"}), "back")["elapsed"]
    found = row(result, "back")
    assert found["status"] == "done"
    assert found["elapsed"] == pytest.approx(LOADED + 10.0 + 10.0 + from_disk, abs=0.1)
    assert "cannot be read" in notes(result)


def test_a_restore_that_cannot_read_its_cartridge_takes_the_older_save_set() -> None:
    """Both save sets are on the first cartridge unless their pools differ."""
    text = TAPE.replace("drives: 2,", "pools: {new: 4, old: 4}, drives: 2,")
    text = text.replace("full: {method: image, data: files, to: library}", RUNS)
    text += "  back: {restore: full, begin: 3 days}\n"
    text += "  aside: {method: copy_save_set, save_set: full, to: library, pool: old, begin: 1 h}\n"
    result = run(text, {"bad": {"cartridge": "full", "at": "2 days"}})
    assert row(result, "back")["status"] == "done"
    assert row(result, "back")["bytes"] == pytest.approx(8e9)


RUNS = "full: {method: image, data: files, to: library, pool: new, every: 1 day, until: 1 day}"


def test_a_restore_without_another_copy_fails_with_the_reason_and_when_it_has_noticed() -> None:
    text = TAPE + "  back: {restore: full, begin: 1000 s}\n"
    found = row(run(text, {"bad": {"cartridge": "full", "at": "900 s"}}), "back")
    assert found["status"] == "failed"
    assert "'cartridge.1' of 'library' cannot be read" in found["reason"]
    assert found["elapsed"] == pytest.approx(LOADED + 10.0 + 10.0, abs=0.1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("planning/checkpoint-oltp-half-load", {"device": "disks", "at": "1000 s", "lasts": "100 s"}),
        ("planning/gigabit-adapter", {"link": "nic", "at": "1000 s", "lasts": "100 s"}),
        ("teaching/short-backups", {"device": "c", "at": "10 ms", "lasts": "5 s"}),
        ("published/002-sql-server-tuning/base", {"device": "flash", "at": "20 s", "lasts": "10 s"}),
    ],
)
def test_users_and_buffers_wait_or_fail_and_the_run_ends(name: str, said: dict[str, Any]) -> None:
    jobs = sb.load(name).spec.jobs
    tried = {f"jobs.{job}.retries": 1 for job in jobs if not getattr(jobs[job], "exists", False)}
    result = sb.simulate(sb.load(name, {"failures": {"x": said}, **tried}))
    assert "is back" in notes(result)
    assert {each["status"] for each in result.job_rows} <= {"done", "late"}


@pytest.mark.slow
def test_parts_that_wear_out_fail_as_a_weibull_distribution_says() -> None:
    """With a shape of 2 and a scale of 20,000 h, 17 % fail in a year of 8,760 h, and 54 % in two."""
    wear = {"of": "failures.x.delay", "distribution": "weibull_min", "shapes": {"c": 2}, "scale": "20000 h"}
    given = {
        "failures": {"x": {"link": "wan", "at": "0 s", "delay": "1 h"}},
        "chance": {"wear": wear | {"most": "36500 d"}},
    }
    scenario = sb.load(LINK, given)
    lives = [Chance.of(scenario, seed, None).first().spec.failures["x"].delay.si / 3600.0 for seed in range(400)]
    for before, share in ((8_760.0, 1.0 - math.exp(-(0.438**2))), (17_520.0, 1.0 - math.exp(-(0.876**2)))):
        error = math.sqrt(share * (1.0 - share) / len(lives))
        assert sum(life < before for life in lives) / len(lives) == pytest.approx(share, abs=3.0 * error)
