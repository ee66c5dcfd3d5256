"""Work that tests give to workers, which import it by name."""

import os
import time
from collections.abc import Mapping
from typing import Any

from simbackup.web.workers import Send


def hoard(task: Mapping[str, Any], send: Send) -> None:
    """Ask for more memory than any limit allows."""
    send({"kind": "began", **task})
    bytearray(10**11)


def spin(task: Mapping[str, Any], send: Send) -> None:
    """Never end."""
    send({"kind": "began", **task})
    while True:
        pass


def sleep(task: Mapping[str, Any], send: Send) -> None:
    """Never end, and use no processor."""
    send({"kind": "began", "pid": os.getpid(), **task})
    time.sleep(10_000.0)


def crash(task: Mapping[str, Any], send: Send) -> None:
    """End without a word."""
    del task, send
    os._exit(3)


def answer(task: Mapping[str, Any], send: Send) -> None:
    """Answer at once, and never end."""
    send({"kind": "answer", **task})
    time.sleep(10_000.0)
