"""Everything that comes along opens on the page: each datasheet, scenario, site and template, with all its levers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from httpx import Client
from shared import ROOT, RUNNABLE
from sites.sheets import AROUND, minimal
from system.web.served import only, opened, page_of, run, visiting

from simbackup import shelf, units
from simbackup.planning.site import load_site
from simbackup.scenario import load
from simbackup.schema.quantity import Quantity
from simbackup.web.levers import levers_of
from simbackup.web.settings import Setting, of_scenario, of_site

SHORT = "teaching/short-backups"
SITES = sorted(
    path.relative_to(ROOT / "scenarios").as_posix().removesuffix(".site.yaml")
    for path in (ROOT / "scenarios").rglob("*.site.yaml")
)
KINDS = sorted({name.partition("/")[0] for name in shelf.names()})


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A browser of a page that stops each run as soon as its levers are there."""
    with visiting(page_of(None, until="opened")) as made:
        yield made


def opens(client: Client, text: str, document: str) -> None:
    """Check that a text is opened, and has levers."""
    [message] = run(client, document, text)
    assert message["kind"] == "opened", message
    assert 'class="lever"' in message["levers"]
    assert "<picture" in message["system"]


def all_can_be_moved(settings: list[Setting]) -> None:
    """Check that no lever was left out, and that each stop is a legal value which the page writes as it is read."""
    levers = levers_of(settings, [])
    by_address = {one.address: one for one in settings}
    assert {address for one in levers for address in one.addresses} == {*by_address}
    for lever in levers:
        given = by_address[lever.addresses[0]].value
        if lever.stops and isinstance(given, Quantity):
            values = [given.si if stop == given.text else units.parse(stop, given.unit) for stop in lever.stops]
            assert values == sorted({*values}), lever
            assert not re.search("[<>,]", "".join({*lever.stops} - {given.text})), lever


def test_every_kind_of_datasheet_has_a_scenario_around_it() -> None:
    assert {*KINDS} == {*AROUND, "prices"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_datasheet_opens(client: Client, kind: str) -> None:
    document = opened(client, name=SHORT)
    for name in shelf.names():
        if name.partition("/")[0] == kind:
            text = json.dumps(minimal(name), indent=1, default=str)
            opens(client, text, document)
            all_can_be_moved([*(of_site(load_site(text)) if kind == "prices" else of_scenario(load(text)))])


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RUNNABLE, *SITES])
def test_every_scenario_site_and_template_opens(client: Client, name: str) -> None:
    found = client.post("/open", json={"name": name}).json()
    opens(client, found["text"], found["document"])
    all_can_be_moved([*(of_site(load_site(name)) if name in SITES else of_scenario(load(name)))])


def test_a_line_with_a_small_loss_opens_and_runs() -> None:
    text = json.dumps(minimal("network/wan-1g"), indent=1)
    with visiting(page_of(None)) as client:
        messages = run(client, opened(client, name=SHORT), text)
    assert only(messages, "done")
    assert "0.0001 %" in only(messages, "opened")[0]["levers"]
