"""The restore points of a site on a date, as the page asks for them."""

from collections.abc import Iterator

import pytest
from httpx import Client
from sites.plan import TEXT
from system.web.served import opened, page_of, visiting


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with visiting(page_of(None)) as made:
        yield made


def asked(client: Client, at: str, text: str = TEXT) -> dict[str, str]:
    document = opened(client, name="teaching/short-backups")
    return client.post("/points", json={"document": document, "text": text, "at": at}).json()


def test_the_points_of_a_date_are_a_table(client: Client) -> None:
    found = asked(client, "2027-01-11")
    assert (found["kind"], found["at"], found["first"]) == ("points", "2027-01-11", "2027-01-02")
    assert "9 restore points of first and second" in found["html"]
    assert "full of 2027-01-02 and 4 more" in found["html"]


def test_without_a_date_they_are_those_of_a_year_after_the_start(client: Client) -> None:
    assert asked(client, "")["at"] == "2028-01-02"


def test_what_is_wrong_is_said(client: Client) -> None:
    assert "is before the start" in asked(client, "2026-12-31")["html"]
    assert asked(client, "", TEXT.replace("full: saturday", "full: satturday"))["kind"] == "problems"
