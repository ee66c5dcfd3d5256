"""How long the server waits for a client: for the whole of a request, and for an answer to be taken."""

from __future__ import annotations

import asyncio
import math
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS = 10.0
"""Seconds within which the headers of a request are complete."""
BODY = 120.0
"""Seconds within which the rest of it is there: a megabyte takes eight seconds on a line of 1 Mb/s."""
TAKEN = 60.0
"""Seconds after which a client that takes nothing of its answer is gone; the work for it ends then, too."""
MOST_CONNECTIONS = 400
"""Connections that are open at once; of those over which no whole request has come, the oldest gives way."""


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, with clients that never come to an end cut off."""

    _coming: asyncio.TimerHandle | None = None
    """What cuts off a request that does not come to its end."""
    _state: object = None
    """What of it is awaited."""
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Await the first request."""
        super().connection_made(transport)
        self._await_rest()
        if len(self.connections) > MOST_CONNECTIONS:
            every = (one for one in cast("set[object]", self.connections) if isinstance(one, Patient))
            min(every, key=lambda one: one.since).transport.abort()

    @property
    def since(self) -> float:
        """The moment by which a request has to be here; never if it is."""
        return math.inf if self._coming is None else self._coming.when()

    def data_received(self, data: bytes) -> None:
        """Await the rest of a request, if this was not all of it."""
        super().data_received(data)
        self._await_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Await nothing more."""
        for timer in (self._coming, self._taking):
            if timer is not None:
                timer.cancel()
        self._coming = self._taking = None
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Await that the client takes some of what is ready for it."""
        super().pause_writing()
        self._taking = self.loop.call_later(TAKEN, self.transport.abort)

    def resume_writing(self) -> None:
        """It has taken some."""
        if self._taking is not None:
            self._taking.cancel()
        self._taking = None
        super().resume_writing()

    def _await_rest(self) -> None:
        """Give the rest of a request its time; nothing is awaited between two requests."""
        state: Any = self.conn.their_state
        if state is self._state and self._coming is not None:
            return
        if self._coming is not None:
            self._coming.cancel()
        wait = {h11.IDLE: HEADERS, h11.SEND_BODY: BODY}.get(state)
        self._coming = None if wait is None else self.loop.call_later(wait, self.transport.abort)
        self._state = state
