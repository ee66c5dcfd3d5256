"""What document 000 says beyond its figures, compared with the simulation."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.build import build
from simbackup.devices.image import FrozenImage
from simbackup.devices.mirror.live import Mirror
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.results.result import Result
from simbackup.scenario import load
from tests.cases import for_each

FOLDER = "published/000-netbackup-frozen-images"
FILES = Path(__file__).parents[2] / "scenarios" / FOLDER
FROZEN = ("checkpoint", "mirror")
OBJECTS = ("item", "datafile", "database")
GB = 1e9


@cache
def run(name: str) -> Result:
    return sb.simulate(f"{FOLDER}/{name}")


def elapsed(name: str, job: str) -> float:
    return run(name).get(f"jobs.{job}.elapsed")


def rate(result: Result, users: str, job: str = "hour") -> float:
    return result.get(f"workloads.{users}.{job}.rate")


def loss(beside: str, alone: str, users: str, job: str = "hour") -> float:
    """Share of their throughput that users lose."""
    return 1.0 - rate(run(beside), users, job) / rate(run(alone), users)


def spent(name: str, job: str) -> dict[str, float]:
    """Seconds of a job by activity."""
    found: dict[str, float] = {}
    for (_, activity), seconds in run(name).activities(job).items():
        found[activity] = found.get(activity, 0.0) + seconds
    return found


@pytest.mark.parametrize("image", FROZEN)
def test_claim_1_a_backup_by_frozen_image_is_more_than_26_times_faster_than_tape(image: str) -> None:
    ratio = elapsed(image, "backup") / elapsed("tape", "backup")
    assert 1.0 / ratio > 26.0
    assert ratio < 0.04


@pytest.mark.parametrize("job", ["checkpoint", "split"])
def test_claim_2_the_image_is_created_in_seconds_whatever_the_size_of_the_data(job: str) -> None:
    large = sb.simulate(f"{FOLDER}/create", {"data.db.size": "260 GB"})
    assert elapsed("create", job) == large.get(f"jobs.{job}.elapsed") <= 10.0


@pytest.mark.parametrize("image", FROZEN)
def test_claim_2_without_the_preparation_of_the_database_a_backup_takes_seconds(image: str) -> None:
    bare = sb.simulate(f"{FOLDER}/{image}", {"jobs.backup.tool.file_time": "0 s"})
    assert bare.get("jobs.backup.elapsed") < 10.0
    assert spent(image, "backup")["prepare"] > 0.9 * elapsed(image, "backup")


@pytest.mark.parametrize("image", FROZEN)
def test_claim_3_the_database_is_restored_in_under_half_of_the_time_of_tape(image: str) -> None:
    assert elapsed(image, "database") < 0.5 * elapsed("tape", "database")


def copying(name: str, job: str) -> float:
    """Seconds that pass with copies, besides preparations and mounts."""
    return sum(seconds for activity, seconds in spent(name, job).items() if activity not in PREPARED)


def test_claim_3_other_disks_beat_the_same_disks() -> None:
    assert elapsed("mirror", "database") < elapsed("checkpoint", "database")
    assert copying("mirror", "database") < copying("checkpoint", "database")


@pytest.mark.parametrize("image", FROZEN)
def test_claim_4_the_advantage_grows_as_the_object_shrinks(image: str) -> None:
    item, datafile, database = (elapsed(image, job) / elapsed("tape", job) for job in OBJECTS)
    assert item < datafile < database


@pytest.mark.slow
@pytest.mark.parametrize("image", FROZEN)
def test_claim_4_each_file_that_has_to_be_located_saves_more(image: str) -> None:
    """Of the same 20 MB. The seconds saved grow; their ratio does not, for each file is located in both restores."""
    saved: list[float] = []
    for files in (1, 5, 20, 100):
        changes = {"jobs.item.select.files": files}
        fast, slow = sb.simulate(f"{FOLDER}/{image}", changes), sb.simulate(f"{FOLDER}/tape", changes)
        saved.append(slow.get("jobs.item.elapsed") - fast.get("jobs.item.elapsed"))
        assert fast.get("jobs.item.elapsed") < 0.05 * slow.get("jobs.item.elapsed")
    assert saved == sorted(saved)
    assert saved[2] > 5 * saved[0]


PREPARED = {"start", "prepare", "mount"}
USERS = {"oltp": 0.205, "fileserver": 0.065}
"""What users lose at most to a checkpoint, as stated."""
BEYOND = pytest.mark.xfail(reason="20.9 %, since nothing is fitted to this row", strict=True)
SERIES = """\
title: The hours before, during and after a checkpoint
extends: {folder}/{users}-checkpoint.yaml
jobs:
  before: {{method: observe, workload: {users}, duration: 1 h}}
  make: {{method: create_snapshot, snapshot: checkpoint, after: before}}
  hour: {{after: make}}
  long: {{method: observe, workload: {users}, duration: 10 h, after: hour}}
  last: {{method: observe, workload: {users}, duration: 1 h, after: long}}
  drop: {{method: remove_snapshot, snapshot: checkpoint, after: last}}
  without: {{method: observe, workload: {users}, duration: 1 h, after: drop}}
"""


@pytest.fixture
def case(tmp_path: Path) -> Callable[..., Result]:
    """Runs a text that extends a scenario of the document."""

    def simulate(text: str, changes: dict[str, Any] | None = None, **names: str) -> Result:
        file = tmp_path / "case.yaml"
        file.write_text(text.format(folder=FILES.as_posix(), **names), encoding="utf-8")
        return sb.simulate(file, changes)

    return simulate


@pytest.mark.slow
@pytest.mark.parametrize("users", USERS)
def test_claim_5_only_the_first_update_of_a_block_costs_a_copy(case: Callable[..., Result], users: str) -> None:
    """The loss is that of the first hour, and none half a day later, before, and when the checkpoint is removed."""
    result = case(SERIES, users=users)
    alone = rate(run(users), users)
    lost = {job: 1.0 - rate(result, users, job) / alone for job in ("before", "hour", "last", "without")}
    assert lost["before"] == pytest.approx(0.0, abs=1e-6)
    assert lost["hour"] == pytest.approx(loss(f"{users}-checkpoint", users, users), abs=2e-3)
    assert lost["last"] == pytest.approx(0.0, abs=1e-4)
    assert lost["without"] == pytest.approx(0.0, abs=1e-6)


def test_claim_6_the_overhead_of_a_checkpoint_grows_with_the_share_of_writes() -> None:
    figures = {name: run(name) for name in USERS}
    shares: dict[str, float] = {}
    for name, result in figures.items():
        updates, reads = (result.get(f"workloads.{name}.{key}") for key in ("updates", "reads"))
        shares[name] = updates / (updates + reads)
    losses = {name: loss(f"{name}-checkpoint", name, name) for name in USERS}
    assert losses["fileserver"] < losses["oltp"]
    assert shares["oltp"] == pytest.approx(0.34, abs=0.01)
    fewer = {"workloads.oltp.updates": 1}
    alone, beside = (sb.simulate(f"{FOLDER}/{name}", fewer) for name in ("oltp", "oltp-checkpoint"))
    assert 1.0 - rate(beside, "oltp") / rate(alone, "oltp") < losses["oltp"]


def test_claim_7_a_mirror_costs_nothing_detached_below_one_percent_attached_and_the_most_while_synchronised() -> None:
    detached = loss("oltp-resync", "oltp", "oltp", "hour")
    attached = loss("oltp-attached", "oltp", "oltp")
    resync = run("oltp-resync")
    synchronising = 1.0 - rate(resync, "oltp", "snapback") / rate(resync, "oltp", "hour")
    assert detached == pytest.approx(0.0, abs=1e-6)
    assert 0.0 <= attached < 0.01
    assert synchronising > max(attached, detached)
    assert synchronising < 0.02


@for_each("share", [0.2, 0.4, 0.8])
def test_claim_7_a_resynchronisation_copies_what_changed_and_takes_so_long(share: float) -> None:
    """In an hour every region of the part that the users change is changed; the rest of the volume is not."""
    whole = sb.simulate(f"{FOLDER}/oltp-resync", {"workloads.oltp.working_set": 1})
    part = sb.simulate(f"{FOLDER}/oltp-resync", {"workloads.oltp.working_set": share})
    assert whole.get("jobs.snapback.bytes") == pytest.approx(26 * GB, rel=1e-3)
    for figure in ("bytes", "elapsed"):
        ratio = part.get(f"jobs.snapback.{figure}") / whole.get(f"jobs.snapback.{figure}")
        assert ratio == pytest.approx(share, rel=0.02)


FIRST = """\
title: The mirror is synchronised for the first time
extends: {folder}/machine.yaml
devices:
  mirror: {{state: new}}
jobs:
  first: {{method: synchronise, mirror: mirror}}
"""


def test_claim_7_a_first_synchronisation_follows_the_size_of_the_volume(case: Callable[..., Result]) -> None:
    whole, half = (case(FIRST, {"devices.datavol.size": size}) for size in ("310 GB", "155 GB"))
    busy = case(FIRST.replace("machine.yaml", "oltp.yaml"))
    assert whole.get("jobs.first.bytes") == 310 * GB
    assert half.get("jobs.first.elapsed") / whole.get("jobs.first.elapsed") == pytest.approx(0.5, rel=0.02)
    assert busy.get("jobs.first.elapsed") > whole.get("jobs.first.elapsed")
    assert busy.get("jobs.first.elapsed") > 5 * elapsed("oltp-resync", "snapback")


def test_claim_8_a_checkpoint_takes_the_room_of_what_was_updated_and_a_mirror_that_of_the_volume() -> None:
    assert run("create").get("devices.checkpoint.copied_bytes") == 0.0
    assert run("checkpoint").get("devices.checkpoint.copied_bytes") == pytest.approx(26 * GB + 340e6, rel=0.02)
    system, _ = build(load(f"{FOLDER}/mirror").spec, seed=0)
    mirror = system.of(FrozenImage)["mirror"]
    assert isinstance(mirror, Mirror)
    assert mirror.region.size == system.of(Volume)["datavol"].region.size == 310 * GB


INSTANT = """\
title: An instant snapshot instead of a mirror
extends: {folder}/oltp.yaml
devices:
  instant: {{model: snapshot/vxvm-instant-snapshot, of: datavol, on: third, size: 13 GB}}
jobs:
  backup: {{method: frozen_image, data: db, to: instant}}
  hour: {{after: backup, duration: 1 min}}
"""


def test_claim_8_an_instant_snapshot_needs_no_synchronisation_before(case: Callable[..., Result]) -> None:
    result = case(INSTANT)
    assert result.all_ended_well
    assert result.get("jobs.backup.elapsed") <= 10.0
    changed = 60 * rate(result, "oltp") * 2.1 * 65536  # no more than a region of 64 KiB for each update
    assert 0.3 * changed < result.get("devices.instant.copied_bytes") < changed


def test_claim_9_a_checkpoint_lies_on_the_disks_of_its_volume_and_a_mirror_on_others() -> None:
    system, _ = build(load(f"{FOLDER}/create").spec, seed=0)
    volume, checkpoint, mirror = (
        system.of(Volume)["datavol"].region,
        system.of(FrozenImage)["checkpoint"],
        system.of(FrozenImage)["mirror"],
    )
    assert isinstance(checkpoint, Snapshot)
    assert isinstance(mirror, Mirror)
    for region in (checkpoint.area, checkpoint.source(0.0, 26 * GB)):
        assert region.store is volume.store
        assert volume.begin <= region.begin < region.begin + region.size <= volume.begin + volume.size
    assert checkpoint.area.begin >= 26 * GB
    assert mirror.region.store is not volume.store
    assert mirror.source(0.0, 26 * GB) == Region(system.of(Store)["third"], 0.0, 26 * GB)


COPY = """\
title: A copy to tape from the split mirror, and one from the data themselves
extends: {folder}/tape.yaml
workloads:
  oltp: {{model: workload/oltp, data: db, clients: 200}}
jobs:
  hour: {{method: observe, workload: oltp, duration: 1 h}}
  split: {{method: create_snapshot, snapshot: mirror, after: hour}}
  backup: {{source: mirror, after: split}}
  direct: {{method: image, data: db, to: library, tool: backup_tool/netbackup-4.5-oracle, after: backup}}
  database: {{after: direct}}
"""


@pytest.mark.slow
def test_claim_10_a_frozen_image_is_copied_to_tape_while_the_database_works(case: Callable[..., Result]) -> None:
    """It takes no longer than on an idle machine, and it costs the users less than a backup of the data."""
    result = case(COPY)
    assert result.all_ended_well
    assert result.get("jobs.backup.elapsed") == pytest.approx(elapsed("tape", "backup"), rel=0.01)
    assert result.get("devices.third.bytes") > 26 * GB
    lost = {job: 1.0 - rate(result, "oltp", job) / rate(result, "oltp") for job in ("backup", "direct")}
    assert lost["backup"] < 2e-3  # a part of one processor of eight
    assert lost["backup"] < lost["direct"] / 5


@pytest.mark.parametrize("users", [pytest.param("oltp", marks=BEYOND), "fileserver"])
def test_claim_11_what_users_lose_stays_within_what_is_stated(users: str) -> None:
    assert loss(f"{users}-checkpoint", users, users) < USERS[users]


OFTEN = """\
title: A checkpoint every four hours of the day, kept for one
extends: {folder}/oltp.yaml
devices:
  checkpoint: {{model: checkpoint/vxfs-storage-checkpoint, of: datavol}}
jobs:
  hour: {{duration: 24 h}}
  make: {{method: create_snapshot, snapshot: checkpoint, begin: 1 h, every: 4 h, until: 22 h}}
  drop: {{method: remove_snapshot, snapshot: checkpoint, begin: 2 h, every: 4 h, until: 22 h}}
"""


@pytest.mark.slow
def test_claim_11_frequent_checkpoints_need_no_hours_of_rest(case: Callable[..., Result]) -> None:
    """Each costs its users what the first did, in its hour alone."""
    result = case(OFTEN)
    assert result.all_ended_well
    lost = 1.0 - rate(result, "oltp") / rate(run("oltp"), "oltp")
    one = loss("oltp-checkpoint", "oltp", "oltp")
    assert lost < USERS["oltp"] / 3
    assert lost == pytest.approx(6 * one / 24, rel=0.05)


def test_the_tape_restore_of_many_small_files_is_mostly_locates() -> None:
    parts = spent("tape", "item")
    assert max(parts, key=lambda part: parts[part]) == "locate"
    assert parts["locate"] > 0.8 * elapsed("tape", "item")
    assert parts["transfer"] < 0.05 * elapsed("tape", "item")  # from tape to disk, 20 MB


def test_the_tape_restore_of_the_database_is_mostly_transfer() -> None:
    assert spent("tape", "database")["transfer"] > 0.9 * elapsed("tape", "database")
    assert spent("tape", "backup")["transfer"] > 0.8 * elapsed("tape", "backup")


@for_each("job", OBJECTS)
def test_what_a_tape_restore_does_is_reported_and_adds_up(job: str) -> None:
    parts = spent("tape", job)
    wanted = {"mount", "load", "transfer", "rewind", "unload"} | (set() if job == "database" else {"locate"})
    assert wanted <= set(parts)
    assert all(seconds > 0.0 for seconds in parts.values())
    assert sum(parts.values()) == pytest.approx(elapsed("tape", job))


@for_each("image", FROZEN)
@for_each("job", OBJECTS)
def test_what_a_restore_from_a_frozen_image_does_adds_up(image: str, job: str) -> None:
    parts = spent(image, job)
    same = {"turn", "lookup"} if image == "checkpoint" else set[str]()  # it lies on the same disks
    assert set(parts) == PREPARED | {"read", "write", "copy", "travel"} | same
    assert sum(parts.values()) == pytest.approx(elapsed(image, job))
