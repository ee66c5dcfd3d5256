import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from simbackup import shelf, units
from simbackup.planning import json_schema as of_sites
from simbackup.protection import losses as of_losses
from simbackup.scenario.json_schema import KINDS, Kind, json_schema
from simbackup.scenario.spec import SECTIONS
from simbackup.schema.json_forms import quantity_pattern
from simbackup.schema.origin import NEEDS, Basis, Origin
from simbackup.schema.registry import device_kinds, method_kinds, sheets
from simbackup.schema.yaml_file import parse, read
from tests.cases import for_each
from tests.shared import ROOT

FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("models/*", "scenarios/**")
    for path in ROOT.glob(f"{folder}/*.yaml")
    if not path.name.endswith(".site.yaml")
)


class Schemas(dict[Kind, dict[str, Any]]):
    """The schemas, each made when it is first asked for."""

    def __missing__(self, kind: Kind) -> dict[str, Any]:
        self[kind] = json_schema(kind, shelf.names())
        return self[kind]


SCHEMAS = Schemas()


def kind_of(file: str) -> Kind:
    name = Path(file).name
    if file.startswith("models/"):
        return "datasheet"
    if name.endswith(".study.yaml"):
        return "study"
    return "measured" if name == "measured.yaml" else "calibration" if name == "calibration.yaml" else "scenario"


def wrong(kind: Kind, text: str) -> list[str]:
    """The addresses at which the schema finds something wrong."""
    found = Draft202012Validator(SCHEMAS[kind]).iter_errors(parse(text, "a.yaml").plain())
    return [".".join(map(str, error.absolute_path)) for error in found]


def closed(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema that lists all legal keys."""
    if isinstance(schema, list):
        for item in schema:
            yield from closed(item)
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("additionalProperties") is False:
            yield schema
        for item in schema.values():
            yield from closed(item)


@pytest.mark.slow
@for_each("file", FILES)
def test_every_file_of_the_repository_is_valid(file: str) -> None:
    tree = read(ROOT / file).plain()
    errors = [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(SCHEMAS[kind_of(file)]).iter_errors(tree)
    ]
    assert errors == []


@pytest.mark.slow
def test_editors_that_read_draft_7_find_the_same() -> None:
    for file in FILES:
        Draft7Validator(SCHEMAS[kind_of(file)]).validate(read(ROOT / file).plain())
    for schema in map(SCHEMAS.__getitem__, KINDS):
        Draft7Validator.check_schema(schema)
    tree = parse(NETWORK.replace("0.1 ms", "0.1 MB").replace("kind:", "kin:"), "a.yaml").plain()
    for schema in map(SCHEMAS.__getitem__, KINDS):
        old, new = (list(reader(schema).iter_errors(tree)) for reader in (Draft7Validator, Draft202012Validator))
        assert [error.json_path for error in old] == [error.json_path for error in new] != []


def test_there_are_files_of_every_kind() -> None:
    assert {kind_of(file) for file in FILES} == set(KINDS)


@pytest.mark.slow
@for_each("kind", KINDS)
def test_a_schema_is_one(kind: Kind) -> None:
    Draft202012Validator.check_schema(SCHEMAS[kind])
    for ref in re.findall(r'"\$ref": "#/\$defs/([^"]+)"', json.dumps(SCHEMAS[kind])):
        assert SCHEMAS[kind]["$defs"][ref]


@for_each("kind", KINDS)
def test_every_key_is_explained(kind: Kind) -> None:
    schemas = list(closed(SCHEMAS[kind]))
    assert schemas
    schemas += [SCHEMAS[kind]["$defs"][name] for name in ("Device", "Job") if kind == "scenario"]
    silent = [name for schema in schemas for name, key in schema["properties"].items() if not key.get("description")]
    assert silent == []
    assert all(key.get("description") for key in SCHEMAS[kind]["$defs"].values())


def test_all_sections_kinds_methods_and_keys_are_offered() -> None:
    schema = SCHEMAS["scenario"]
    assert tuple(schema["properties"]) == SECTIONS
    assert schema["$defs"]["Device"]["properties"]["kind"]["anyOf"][0]["enum"] == list(device_kinds())
    assert set(schema["$defs"]["Job"]["properties"]["method"]["anyOf"][0]["enum"]) == set(method_kinds()) - {"restore"}
    for part in (*(kind.spec for kind in (*device_kinds().values(), *method_kinds().values())), Origin):
        assert set(schema["$defs"][part.__name__.removesuffix("Spec")]["properties"]) == set(part.model_fields)
    for part in sheets().values():
        assert set(SCHEMAS["datasheet"]["$defs"][part.__name__]["properties"]) == set(part.model_fields)


def test_datasheets_are_offered_where_they_fit() -> None:
    defs = SCHEMAS["scenario"]["$defs"]
    offered = defs["Device"]["properties"]["model"]["examples"]
    assert "disk/scsi-10k-146gb-2004" in offered
    assert not [name for name in offered if name.split("/")[0] not in device_kinds()]
    nested = (("Raid", "disk", "disk"), ("TapeLibrary", "drive", "tape_drive"), ("Link", "model", "network"))
    for part, key, kind in nested:
        name = defs[part]["properties"][key]["anyOf"][0]
        assert name["examples"] == [sheet for sheet in shelf.names() if sheet.startswith(f"{kind}/")]


def test_a_quantity_names_its_unit_and_its_bounds() -> None:
    seek = SCHEMAS["scenario"]["$defs"]["Disk"]["properties"]["average_seek"]
    assert seek["description"] == "Time of a seek over a third of the stroke. Time, for example 1.5 s."
    assert seek["examples"] == ["1.5 s"]
    limit = SCHEMAS["scenario"]["$defs"]["Host"]["properties"]["dirty_limit"]["description"]
    assert limit.endswith("Share or ratio, for example 40 %; more than 0; at most 1.")


@for_each("unit", units.DIMENSIONS)
def test_texts_are_quantities_where_the_reader_says_so(unit: str) -> None:
    pattern = re.compile(quantity_pattern(unit))
    names = {name for each in units.DIMENSIONS.values() for name in (*each.human, *each.binary, *each.names)}
    tails = {*names, "furlongs", "MB / s", "/s", "files/s", "kB/file", "MBps"}
    texts = [
        f"{number}{space}{tail}" for number in ("5", "0", "1_000", ".5e2") for space in ("", " ") for tail in tails
    ]
    texts += [text for each in units.DIMENSIONS.values() for text in each.examples]
    texts += ["0", "0.0", "5", "2:1", "1 h 30 min", "", "MB", "-5 MB", "five MB", "5 MB and more"]
    for text in texts:
        try:
            units.parse(text, unit)
        except units.UnitError as error:
            if "whole number" in str(error):
                continue
            assert not pattern.search(text), text
        else:
            assert pattern.search(text), text


DISK = "{model: disk/scsi-10k-146gb-2004}"
WHOLE = """
title: A disk
hosts: {server: {model: host/linux-modern-server, owns: [sda]}}
devices: {sda: {model: disk/scsi-10k-146gb-2004}}
data: {file: {on: sda, size: 2 GiB}}
jobs: {dd: {method: write, data: file}}
"""


@for_each(
    "old, new, address",
    [
        ("title: A disk", "question: Why?", ""),
        ("title: A disk", "title: A disk\nhost: {}", ""),
        (DISK, "{capacity: 100 GB}", "devices.sda"),
        (DISK, "{kind: disc}", "devices.sda.kind"),
        (DISK, "{model: tape/lto}", "devices.sda.model"),
        (DISK, "{model: disk/x, capacty: 100 GB}", "devices.sda"),
        (DISK, "{model: disk/x, kind: ssd}", "devices.sda.kind"),
        (DISK, "{model: disk/x, capacity: 100 GBs}", "devices.sda.capacity"),
        (DISK, "{model: disk/x, capacity: 100}", "devices.sda.capacity"),
        (DISK, "{model: disk/x, capacity: {value: 100 GB, bases: user}}", "devices.sda.capacity"),
        (DISK, "{model: disk/x, capacity: {value: 100 GB, basis: assumed}}", "devices.sda.capacity"),
        (DISK, "{model: disk/x, capacity: {value: 100 GBs, basis: user}}", "devices.sda.capacity"),
        (DISK, "{model: raid/x, disks: 4}", "devices.sda"),
        (DISK, "{model: raid/x, disks: 4.5, disk: disk/x}", "devices.sda.disks"),
        (DISK, "{model: raid/x, disks: 4, disk: ssd/x}", "devices.sda.disk"),
        (DISK, "{model: raid/x, disks: 4, disk: disk/x, ssd: ssd/x}", "devices.sda"),
        (DISK, "{model: raid/x, disks: 4, disk: disk/x, level: 7}", "devices.sda.level"),
        (DISK, "{kind: logical_volume, on: sdb}", "devices.sda"),
        ("sda: {model: d", "7a: {model: d", "devices"),
        ("{on: sda, size: 2 GiB}", "{on: sda}", "data.file"),
        ("{on: sda, size: 2 GiB}", "{on: sda, size: 2 GiB, files: 0}", "data.file.files"),
        ("{method: write, data: file}", "{method: dump, data: file}", "jobs.dd.method"),
        ("{method: write, data: file}", "{data: file}", "jobs.dd"),
        ("{method: write, data: file}", "{method: write}", "jobs.dd"),
        ("{method: write, data: file}", "{method: write, data: file, to: file}", "jobs.dd"),
        ("{method: write, data: file}", "{method: write, data: file, portion: 1.5}", "jobs.dd.portion"),
        ("{method: write, data: file}", "{restore: full, select: {files: 1}}", "jobs.dd.select"),
    ],
)  # fmt: skip
def test_a_wrong_scenario_is_flagged_at_its_place(old: str, new: str, address: str) -> None:
    assert wrong("scenario", WHOLE) == []
    assert old in WHOLE
    assert address in wrong("scenario", WHOLE.replace(old, new))


@for_each(
    "old, new",
    [
        (DISK, "{model: raid/x, disk: {model: disk/x, capacity: 1 TB}, disks: 4, level: 5}"),
        (DISK, "{model: raid/x, disk: disk/x, disks: 4, level: {value: 5, basis: user}}"),
        (DISK, "{model: raid/x, ssd: {model: ssd/x, capacity: 1 TB}, disks: 4}"),
        (DISK, "{model: disk/my-own}"),
        ("data: file}", "data: file, after: [a, b], begin: 90 s, every: 1 d, until: 3 d 12 h}"),
        ("data: file}", "data: file, after: a, portion: 0.5, flush: true}"),
        ("size: 2 GiB}", "size: 2 GiB, files: 1_900_000 files, compression: '2:1', database: database/x}"),
        ("jobs: {dd: {method: write, data: file}}", "jobs:"),
    ],
)  # fmt: skip
def test_other_ways_to_write_it_are_right(old: str, new: str) -> None:
    assert old in WHOLE
    assert wrong("scenario", WHOLE.replace(old, new)) == []


def test_a_scenario_that_extends_another_may_give_a_part() -> None:
    part = "extends: base.yaml\ndevices: {cow: {chunk: 4 KiB}, array: {disks: 4}}\njobs: {full: {window: 8 h}}"
    assert wrong("scenario", part) == []
    assert set(wrong("scenario", part.replace("extends: base.yaml", "title: A part"))) == {
        "devices.cow", "devices.array", "jobs.full",
    }  # fmt: skip
    assert "devices.cow" in wrong("scenario", part.replace("chunk", "chunks"))


NETWORK = """
title: A network
kind: network
parameters:
  rate: {value: 100 MB/s, basis: assumed, range: [80 MB/s, 120 MB/s], why: a guess}
  latency: {value: 0.1 ms, basis: derived, rule: two passes}
"""


@for_each(
    "old, new, address",
    [
        ("kind: network", "kind: net", "kind"),
        ("kind: network", "kind: disk", "parameters"),
        ("  latency:", "  latencies:", "parameters"),
        ("{value: 0.1 ms, basis: derived, rule: two passes}", "0.1 ms", "parameters.latency"),
        (", basis: derived, rule: two passes", "", "parameters.latency"),
        ("basis: derived", "basis: user", "parameters.latency.basis"),
        ("rule: two passes", "why: two passes", "parameters.latency"),
        ("0.1 ms", "0.1 MB", "parameters.latency.value"),
        ("[80 MB/s, 120 MB/s]", "[80 MB/s]", "parameters.rate.range"),
    ],
)
def test_a_wrong_datasheet_is_flagged_at_its_place(old: str, new: str, address: str) -> None:
    assert wrong("datasheet", NETWORK) == []
    assert old in NETWORK
    assert address in wrong("datasheet", NETWORK.replace(old, new))


ROW = "document: a\nmeasurements: {a: {value: 1 s, at: p. 1, operation: dd, result: "


@for_each(
    "kind, text, address",
    [
        ("study", "title: A\nscenarios: {}\nshow: [jobs.dd.elapsed]", "scenarios"),
        ("study", "title: A\nscenarios: {a: a.yaml}", ""),
        ("study", "title: A\nscenarios: {a: a.yaml}\nshow: []", "show"),
        ("study", "title: A\nscenarios: {a: a.yaml}\nshow: [b]\nvary: {a.b: 4 KiB}", "vary.a.b"),
        ("measured", "document: a\nmeasurements: {a: {value: 1 s, at: p. 1, operation: dd}}", "measurements.a"),
        ("measured", f"{ROW}{{sum: [a#b, a#c]}}}}}}", "measurements.a.result"),
        ("measured", f"{ROW}{{ratio: [a#b]}}}}}}", "measurements.a.result"),
        ("measured", f"{ROW}a.yaml}}}}", "measurements.a.result"),
        ("measured", "measurements: {}", "measurements"),
        ("calibration", "constants: {a: {datasheet: a/b, parameter: c, rows: [d], plausible: [1, 2]}}", "constants.a"),
        ("calibration", "constant: {}", ""),
    ],
)  # fmt: skip
def test_other_wrong_files_are_flagged_at_their_place(kind: Kind, text: str, address: str) -> None:
    assert address in wrong(kind, text)


def test_a_datasheet_rests_on_every_basis_that_needs_something() -> None:
    assert set(Basis.__args__) - set(NEEDS) == {"document", "user"}  # pyright: ignore[reportAttributeAccessIssue]


def command(*arguments: str, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "simbackup.cli", "schema", *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed},
    )  # fmt: skip


@pytest.mark.slow
def test_the_command_prints_the_same_schema_every_time() -> None:
    first, second = command(seed="1"), command("scenario", seed="2")
    assert first.stdout == second.stdout
    assert json.loads(first.stdout) == SCHEMAS["scenario"]


@pytest.mark.slow
def test_the_command_lists_the_kinds_and_knows_no_others() -> None:
    kinds = [*KINDS, *of_sites.KINDS, *of_losses.KINDS]
    assert [row["kind"] for row in json.loads(command("--list", "--json").stdout)] == kinds
    key = command("datasheeet")
    assert (key.returncode, key.stdout) == (2, "")
    assert key.stderr.strip() == (
        "simbackup schema: there is no schema of the kind 'datasheeet'; did you mean 'datasheet'?"
    )
