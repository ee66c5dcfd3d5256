"""Everything that comes along opens on the page: each datasheet, scenario, site and template, with all its levers."""

import json
from collections.abc import Iterable, Iterator

import pytest
from httpx import Client
from sites.sheets import AROUND, minimal
from system.web.served import only, opened, page_of, run, visiting

from simbackup import shelf, units
from simbackup.planning.site import load_site
from simbackup.scenario import load
from simbackup.schema.quantity import Quantity
from simbackup.web import scenario_run, site_run
from simbackup.web.levers import Lever, Setting, levers_of
from tests.cases import for_each, some
from tests.shared import ROOT, RUNNABLE, each_scenario

SHORT = "teaching/short-backups"
SITES = sorted(
    path.relative_to(ROOT / "scenarios").as_posix().removesuffix(".site.yaml")
    for path in (ROOT / "scenarios").rglob("*.site.yaml")
)
KINDS = sorted({name.partition("/")[0] for name in shelf.names()})


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A browser of a page that stops each run as soon as its levers are there, which are checked."""
    with pytest.MonkeyPatch.context() as patched, visiting(page_of(None, until="opened")) as made:
        for module in (scenario_run, site_run):
            patched.setattr(module, "levers_of", checked)
        yield made


def checked(settings: Iterable[Setting], stated: Iterable[str]) -> list[Lever]:
    """The levers of settings: none was left out, and each stop is a legal text, which the page reads as the value."""
    every = {one.address: one for one in settings}
    levers = levers_of(every.values(), stated)
    assert {address for one in levers for address in one.addresses} == {*every}
    for lever in levers:
        given = every[lever.addresses[0]].value
        if lever.stops and isinstance(given, Quantity):
            values = [given.si if stop == given.text else units.parse(stop, given.unit) for stop in lever.stops]
            assert values == sorted({*values}), lever
            assert not {*"<>,"} & {*"".join({*lever.stops} - {given.text})}, lever
    assert 'class="lever"' in scenario_run.moved(levers)["html"]
    return levers


def opens(client: Client, text: str, document: str) -> None:
    """Check that a text is opened, and has levers."""
    [message] = run(client, document, text)
    assert message["kind"] == "opened", message
    system = load_site(text).first_night if message["site"] else load(text)
    assert "<picture" in scenario_run.drawn(system)["html"]


def test_every_kind_of_datasheet_has_a_scenario_around_it() -> None:
    assert {*KINDS} == {*AROUND, "loss", "prices"}


@pytest.mark.slow
@for_each("kind", [kind for kind in KINDS if kind != "loss"])  # which only lists of losses name
def test_every_datasheet_opens(client: Client, kind: str) -> None:
    document = opened(client, name=SHORT)
    for name in some((name for name in shelf.names() if name.partition("/")[0] == kind), 3):
        opens(client, json.dumps(minimal(name), indent=1, default=str), document)


@each_scenario([*RUNNABLE, *SITES])
def test_every_scenario_site_and_template_opens(client: Client, name: str) -> None:
    found = client.post("/open", json={"name": name}).json()
    opens(client, found["text"], found["document"])


@pytest.mark.slow
def test_a_line_with_a_small_loss_opens_and_runs() -> None:
    text = json.dumps(minimal("network/wan-1g"), indent=1)
    with visiting(page_of(None)) as client:
        messages = run(client, opened(client, name=SHORT), text)
    assert only(messages, "done")
    assert "0.0001 %" in only(messages, "levers")[0]["html"]
