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


def test_a_workload_may_say_its_kind() -> None:
    own, schema = {"via": "lan", "request": "4 KiB", "clients": 3}, Draft202012Validator(SCHEMAS["scenario"])
    for kind, valid in (("requests", True), ("users", False), ("feed", False)):
        assert schema.is_valid({"extends": "a", "workloads": {"w": {"kind": kind, **own}}}) == valid, kind


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


NETWORK = """
title: A network
kind: network
parameters:
  rate: {value: 100 MB/s, basis: assumed, range: [80 MB/s, 120 MB/s], why: a guess}
  latency: {value: 0.1 ms, basis: derived, rule: two passes}
"""


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
