"""What document 001 says beyond its figures, compared with the simulation."""

import csv
from functools import cache
from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

HERE = Path(__file__).parent
FOLDER = "published/001-networker-small-files"
SYSTEM, SYSTEM_FILES = 782_336_000, 5351
"""Bytes and files of the guest before small files are made."""
EACH = 512
"""Bytes that a save set takes for a small file."""
MILLIONS = {"data.small.files": "10000000", "data.small.size": f"{10_000_000 * EACH} B"}


@cache
def run(name: str) -> Result:
    return sb.simulate(f"{FOLDER}/{name}")


def measured(row: str) -> float:
    """Seconds that the document tells."""
    with (HERE.parents[1] / "scenarios" / FOLDER / "printed.csv").open(encoding="utf-8") as lines:
        return next(float(line["value"]) for line in csv.DictReader(lines) if line["id"] == row)


def of_files(name: str, changes: dict[str, str] | None = None) -> tuple[float, float, float]:
    """Bytes, files and seconds of the save sets of files in a guest."""
    result = sb.simulate(f"{FOLDER}/{name}", changes) if changes else run(name)
    rows = [row for row in result.job_rows if row["method"] == "file_level"]
    assert {row["status"] for row in rows} == {"done"}
    return sum(row["bytes"] for row in rows), sum(row["files"] for row in rows), sum(row["elapsed"] for row in rows)


def test_claim_1_the_more_files_the_fewer_bytes_a_second() -> None:
    sets = [of_files(f"guest-{files}-old") for files in ("5k", "150k", "550k")]
    sets.append(of_files("guest-550k-old", MILLIONS))
    rates = [size / seconds for size, _, seconds in sets]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 2 * rates[2] > 4 * rates[3]


def test_claim_1_files_a_second_rise_while_bytes_a_second_fall() -> None:
    """What the document calls slower and slower are bytes; more of the same small files take their time each."""
    rates = [files / seconds for _, files, seconds in (of_files(f"guest-{n}-old") for n in ("5k", "150k", "550k"))]
    assert rates == sorted(rates)


@pytest.mark.parametrize("machine", ["old", "new"])
def test_claim_1_an_image_does_not_depend_on_the_files_inside(machine: str) -> None:
    many = sb.simulate(f"{FOLDER}/image-{machine}", {"data.image.files": "10000000"})
    assert many.get("jobs.save.elapsed") == run(f"image-{machine}").get("jobs.save.elapsed")


PHYSICAL = "physical-vss-on"
D_FILES, D_SIZE = 995_663, 508_886_880


@pytest.mark.parametrize("scenario", [PHYSICAL, "physical-vss-off"])
def test_claim_2_the_cost_is_of_files_and_not_of_bytes(scenario: str) -> None:
    once = run(scenario).get("jobs.d.elapsed")
    files = sb.simulate(f"{FOLDER}/{scenario}", {"data.d.files": str(2 * D_FILES)}).get("jobs.d.elapsed")
    size = sb.simulate(f"{FOLDER}/{scenario}", {"data.d.size": f"{2 * D_SIZE} B"}).get("jobs.d.elapsed")
    assert files > 1.9 * once
    assert size < 1.02 * once


def test_claim_2_it_is_spent_on_the_walk_and_the_program_and_not_on_the_devices() -> None:
    """Reads go before write-back in the queue of the disk, so that they wait in none; the arm still turns between."""
    spent = run("guest-550k-old").activities("small")
    program = sum(seconds for (cause, _), seconds in spent.items() if cause == "hosts.guest.cores")
    assert spent["devices.disk", "walk"] > 0.0
    assert spent["devices.disk", "turn"] > 0.0
    disk = sum(spent["devices.disk", what] for what in ("walk", "turn"))
    assert disk + program == pytest.approx(sum(spent.values()))  # no data is read
    assert program > 0.9 * sum(spent.values())
    assert spent["hosts.guest.cores", "open"] + spent["hosts.guest.cores", "index"] > 0.99 * program


@pytest.mark.parametrize("scenario", ["guest-all-old", "guest-1100k-new"])
def test_claim_2_the_index_keeps_160_to_178_bytes_of_a_file(scenario: str) -> None:
    result = run(scenario)
    files = sum(row["files"] for row in result.job_rows if row["job"] in {"c", "small", "state"})
    assert 150 < result.get("jobs.index.bytes") / files < 180


@pytest.mark.parametrize(("machine", "least", "most"), [("new", 5, 60), ("old", 120, 600)])
def test_claim_3_the_machine_is_down_for_the_whole_image(machine: str, least: float, most: float) -> None:
    """Seconds on the fast server, minutes on the slow one; nobody is served until it is resumed."""
    result = run(f"image-{machine}")
    down = result.get("hosts.guest.down")
    assert down == pytest.approx(result.get("jobs.resume.end") - result.get("jobs.suspend.start"))
    assert result.get("jobs.suspend.end") <= result.get("jobs.save.start")
    assert result.get("jobs.save.end") <= result.get("jobs.resume.start")
    assert least < result.get("jobs.save.elapsed") < down < most


def test_claim_3_a_larger_image_keeps_the_machine_down_longer() -> None:
    large = sb.simulate(f"{FOLDER}/image-old", {"data.image.size": "8 GB", "devices.vbox.size": "20 GB"})
    small = run("image-old")
    longer = 8e9 / 2723028596 * small.get("jobs.save.elapsed")
    assert longer < large.get("jobs.save.elapsed") < 1.12 * longer  # its copy lies further away on the same disk
    others = small.get("hosts.guest.down") - small.get("jobs.save.elapsed")
    assert large.get("hosts.guest.down") - large.get("jobs.save.elapsed") == pytest.approx(others, rel=0.05)


def written(tmp_path: Path, base: str, text: str) -> Result:
    file = tmp_path / "case.yaml"
    published = HERE.parents[1] / "scenarios" / FOLDER / f"{base}.yaml"
    file.write_text(f"title: More of it\nextends: {published}\n{text}", encoding="utf-8")
    return sb.simulate(file)


ONE = "jobs:\n  back: {{restore: {job}, after: {job}, select: {{files: 1, size: 100 kB}}}}\n"


def test_claim_4_one_file_comes_back_from_a_save_set_of_files(tmp_path: Path) -> None:
    result = written(tmp_path, "guest-5k-old", ONE.format(job="c"))
    assert result.get("jobs.back.bytes") == 100e3
    assert result.get("jobs.back.elapsed") < 1.0


@pytest.mark.parametrize("machine", ["old", "new"])
def test_claim_4_of_an_image_all_comes_back_for_one_file(tmp_path: Path, machine: str) -> None:
    result = written(tmp_path, f"image-{machine}", ONE.format(job="save").replace("after: save", "after: index"))
    assert result.get("jobs.back.bytes") == result.get("data.image.size")
    assert result.get("jobs.back.elapsed") > 0.5 * result.get("jobs.save.elapsed")


METAL = """\
hosts:
  metal: {model: host/sun-x4275, owns: [there]}
devices:
  there: {model: disk/sas-15k-300gb-2008}
links:
  lan: {model: network/gigabit-ethernet, joins: [server, metal]}
data:
  system: {on: there, size: 6 GB}
jobs:
  back: {restore: save, after: index, to: system}
"""


@pytest.mark.parametrize("machine", ["old", "new"])
def test_claim_4_an_image_comes_back_on_other_hardware(tmp_path: Path, machine: str) -> None:
    """Not faster than the network, nor than the disk that the image lies on or goes to."""
    result = written(tmp_path, f"image-{machine}", METAL)
    size = result.get("data.image.size")
    assert {row["status"] for row in result.job_rows} == {"done"}
    assert result.get("jobs.back.bytes") == size
    assert result.get("devices.there.bytes") == pytest.approx(size)
    assert result.get("jobs.back.elapsed") > size / 125e6


def test_claim_5_the_fast_server_saves_twice_the_files_a_second() -> None:
    """By whole times of unlike sets, as the document counts: 552 276 in 531 s, and 1 100 432 in 519 s with all else."""
    old, new = run("guest-550k-old"), run("guest-1100k-new")
    slow = 552_276 / old.get("jobs.small.end")
    fast = 1_100_432 / new.get("jobs.index.end")
    assert fast / slow == pytest.approx((1_100_432 / 519.176) / (552_276 / 531.0), rel=0.1)


def test_claim_5_save_sets_alike_differ_as_the_processors_do() -> None:
    """Where there are many files and nothing else: 2.6 over 0.87."""
    (_, files, slow), (_, same, fast) = (of_files(f"guest-{n}", MILLIONS) for n in ("550k-old", "1100k-new"))
    assert files == same
    assert slow / fast == pytest.approx(2.6 / 0.87, rel=0.05)


FLASH = {"devices.ssd.read_rate": "7 GB/s", "devices.ssd.read_latency": "10 us", "devices.ssd.write_rate": "5 GB/s"}


@pytest.mark.parametrize("scenario", [PHYSICAL, "physical-vss-off"])
def test_claim_6_flash_saves_small_files_no_faster_than_six_disks(scenario: str) -> None:
    result = run(scenario)
    sas, ssd = (result.get(f"jobs.{job}.files") / result.get(f"jobs.{job}.elapsed") for job in ("d", "e"))
    assert ssd == pytest.approx(sas, rel=0.05)
    assert max(result.get(f"devices.{name}.busy") for name in ("sas", "ssd", "system")) < 0.1


def test_claim_6_faster_flash_would_not_help() -> None:
    before = run("physical-vss-off").get("jobs.e.elapsed")
    after = sb.simulate(f"{FOLDER}/physical-vss-off", FLASH).get("jobs.e.elapsed")
    assert 0.85 * before < after < before


def test_claim_6_a_faster_processor_would() -> None:
    faster = sb.simulate(f"{FOLDER}/{PHYSICAL}", {"hosts.server.speed": "5.2", "hosts.server.copy_rate": "8 GB/s"})
    assert faster.get("jobs.e.elapsed") == pytest.approx(run(PHYSICAL).get("jobs.e.elapsed") / 2, rel=0.02)


def test_claim_7_save_sets_side_by_side_share_the_machine() -> None:
    """On eight cores neither slows the other; on one core both take the time of the two."""
    both, one = run(PHYSICAL), sb.simulate(f"{FOLDER}/{PHYSICAL}", {"hosts.server.cores": "1"})
    alone = {"data.e.files": "1", "data.e.size": "100 B"}
    assert both.get("jobs.d.elapsed") == pytest.approx(sb.simulate(f"{FOLDER}/{PHYSICAL}", alone).get("jobs.d.elapsed"))
    assert one.end == pytest.approx(both.get("jobs.d.elapsed") + both.get("jobs.e.elapsed"), rel=0.01)
    assert both.end < 0.52 * one.end


@for_each("files", ["10", "5360", "5000000"])
def test_claim_7_group_and_index_take_their_time_whatever_is_saved(files: str) -> None:
    result = sb.simulate(f"{FOLDER}/guest-all-old", {"data.c.files": files})
    assert result.get("jobs.group.elapsed") == run("image-new").get("jobs.group.elapsed")
    assert result.get("jobs.index.elapsed") == pytest.approx(run("image-new").get("jobs.index.elapsed"))
    assert 20 <= result.get("jobs.index.elapsed") <= 22


ALL = {"guest-all-old": "nw-guest-w2100z-all", "guest-1100k-new": "nw-guest-x4275-1100k"}


@pytest.mark.parametrize(("one", "other"), [tuple(ALL), tuple(reversed(ALL))])
def test_what_everything_adds_to_the_files_on_one_machine_predicts_the_other(one: str, other: str) -> None:
    added = measured(ALL[one]) - of_files(one)[2]
    assert of_files(other)[2] + added == pytest.approx(measured(ALL[other]), rel=0.1)


DRIVES = {"d": "nw-phys-sas-vss-on", "e": "nw-phys-ssd-vss-on"}


def with_file_cpu(seconds: float) -> Result:
    cost = f"{seconds!r} s/file"
    return sb.simulate(f"{FOLDER}/{PHYSICAL}", {f"jobs.{job}.tool.file_cpu": cost for job in DRIVES})


@pytest.mark.parametrize(("one", "other"), [("d", "e"), ("e", "d")])
def test_one_of_the_two_drives_predicts_the_other(one: str, other: str) -> None:
    """The cost of a file is fitted to the one, by the straight line through two runs."""
    low, high = 1e-4, 6e-4
    ends = [with_file_cpu(cost).get(f"jobs.{one}.elapsed") for cost in (low, high)]
    fitted = low + (measured(DRIVES[one]) - ends[0]) / (ends[1] - ends[0]) * (high - low)
    result = with_file_cpu(fitted)
    assert result.get(f"jobs.{one}.elapsed") == pytest.approx(measured(DRIVES[one]), rel=1e-3)
    assert result.get(f"jobs.{other}.elapsed") == pytest.approx(measured(DRIVES[other]), rel=0.1)
