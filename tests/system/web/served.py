"""The page, served by a thread of this process, which also does the work."""

import json
import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from httpx import Client

from simbackup.web.app import WhatIf
from simbackup.web.opening import OwnFolder
from simbackup.web.serve import listening, server_of
from simbackup.web.workers import Message, Work, Workers, WorkLimits


class EnoughError(Exception):
    """Nothing more is wanted of a piece of work."""


@dataclass(slots=True)
class Here(Workers):
    """Does all work in this process, until it has reported a message of a kind; to its end if that is empty."""

    until: str = ""

    async def messages(self, work: Work, task: Mapping[str, Any]) -> AsyncGenerator[Message]:
        sent: list[Message] = []
        folder = Path.cwd()

        def send(message: Message) -> None:
            sent.append(json.loads(json.dumps(message)))
            if message["kind"] == self.until:
                raise EnoughError

        try:
            with suppress(EnoughError):
                work(task, send)
        finally:
            os.chdir(folder)
        for message in sent:
            yield message


def page_of(folder: Path | None, until: str = "") -> WhatIf:
    """A page whose work is done here."""
    made = WhatIf(Here(1, WorkLimits(), until=until), OwnFolder(folder))
    made.checks = made.runs
    return made


@contextmanager
def serving(page: WhatIf) -> Iterator[str]:
    """Serve a page as the command does, and give its address."""
    with listening("127.0.0.1", 0) as found:
        server = server_of(page.app())
        thread = Thread(target=server.run, kwargs={"sockets": [found]})
        thread.start()
        yield f"http://localhost:{found.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def browsing(address: str) -> Client:
    """A browser that asks what the page asks."""
    return Client(base_url=address, headers={"Origin": address}, timeout=None)  # noqa: S113 (a busy machine is slow)


@contextmanager
def visiting(page: WhatIf) -> Iterator[Client]:
    """A browser that was let in."""
    with serving(page) as address, browsing(address) as made:
        made.get("/", params={"key": page.key})
        yield made


def opened(client: Client, **asked: object) -> str:
    """The key of a document that was opened."""
    return str(client.post("/open", json=asked).json()["document"])


def run(client: Client, document: str, text: str, **more: object) -> list[Message]:
    """What a run reports."""
    asked = {"document": document, "text": text, "tab": "1", **more}
    return [json.loads(line) for line in client.post("/run", json=asked).text.splitlines()]


def only(messages: list[Message], kind: str) -> list[Message]:
    """The messages of a kind."""
    return [one for one in messages if one["kind"] == kind]
