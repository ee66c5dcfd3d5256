"""The page on the figures of a run has every field that `run --json` prints."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from simbackup.cli.app import app
from tests.cases import for_each

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
COLUMNS = frozenset({"jobs", "devices", "users", "notes"})
"""Tables whose columns another page explains."""


def fields(printed: dict[str, Any]) -> Iterator[str]:
    """The fields of a run, and those of the rows of its lists."""
    yield from printed
    for name in printed.keys() - COLUMNS - {"exact"}:
        for row in printed[name]:
            yield from row
            yield from (key for one in row.get("inputs", ()) for key in one)


@pytest.mark.slow
@for_each("name", ["teaching/one-file-from-tape", "planning/compress-where", "teaching/short-backups"])
def test_every_field_is_explained(name: str) -> None:
    explained = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))
    printed = json.loads(CliRunner().invoke(app, ["run", name, "--json", "--verbose"]).stdout)
    assert set(fields(printed)) <= explained
