from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from simbackup import shelf
from simbackup.planning.json_schema import KINDS, site_schema
from simbackup.schema.yaml_file import parse, read
from tests.cases import for_each
from tests.shared import ROOT
from tests.sites.plan import TEXT

SITES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("scenarios/**/*.site.yaml"))


@cache
def schema(kind: Any) -> Any:
    return site_schema(kind, shelf.names())


def wrong(kind: str, plain: Any) -> list[str]:
    """The addresses at which the schema finds something wrong."""
    errors = Draft202012Validator(schema(kind)).iter_errors(plain)
    return sorted({".".join(map(str, error.absolute_path)) for error in errors})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_schema(kind: str) -> None:
    Draft202012Validator.check_schema(schema(kind))


@for_each("file", SITES)
def test_it_takes_the_sites_of_this_package(file: str) -> None:
    assert wrong("site", read(Path(ROOT, file), file).plain()) == []


@for_each(
    "old, new, address",
    [
        ("20:00 to 06:00", "[1, 2]", "policies.nightly.window"),
        ("size: 1 TB", "size: 1 m", "systems.first.size"),
        ("daily: 1 %}, policy: nightly}", "daily: 1 %}}", "systems.second"),
        ("full: saturday", "complete: saturday", "policies.nightly.schedule"),
        ("offsite: true", "offsight: true", "targets.vault"),
        ("which: full", "which: most", "policies.nightly.copies.tape.which"),
        ("network/ten-gigabit-ethernet", "disk/nearline-20tb-2022", "network"),
    ],
)
def test_it_finds_what_is_wrong(old: str, new: str, address: str) -> None:
    assert old in TEXT
    assert wrong("site", parse(TEXT.replace(old, new), "a.yaml").plain()) == [address]


def test_goals() -> None:
    right = {"windows_missed": 0, "restores": {"fire": {"what": "site", "within": "24 h", "at": "2027-06-01"}}}
    assert wrong("goals", right) == []
    assert wrong("goals", {"restores": {"fire": {"inside": "24 h"}}}) == ["restores.fire"]
