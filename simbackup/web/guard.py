"""Who may ask: who was let in, from pages of this server alone, under a name of this machine.

And what its pages may load: nothing else.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_BYTES = 6_000_000
"""Bytes of a request."""
COMING, BODY = 10.0, 120.0
"""Seconds within which the headers of a request are complete, and then the rest: a megabyte takes eight on 1 Mb/s."""
TAKEN = 60.0
"""Seconds after which a client that takes nothing of its answer is gone."""
MOST_CONNECTIONS = 400
"""Connections that are open at once; of those over which no whole request has come, the oldest gives way."""
SAFE = frozenset({"GET", "HEAD"})
DOOR = "/"
"""The one path that answers who was not let in yet: with the key in its address, it lets him in."""
NO_KEY = "Open the whole address that 'simbackup serve' printed when it was started last; it ends in ?key= and letters."
COOKIE = "simbackup-page"
LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may load. Marks in tables have their colour in an attribute; all text in them is escaped."""
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}  # fmt: skip


def cookie_of(host: str) -> str:
    """The name of the cookie of a page: browsers send the cookies of one port to all, so each port has its own.

    >>> cookie_of("localhost:8350"), cookie_of("localhost")
    ('simbackup-page-8350', 'simbackup-page-80')
    """
    port = host.rpartition(":")[2]
    return f"{COOKIE}-{port if port.isdecimal() and port.isascii() else 80}"


def key_of(headers: Headers) -> str | None:
    """What the cookie of the page says; None without one."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_of(headers.get("host", "")))


def host_of(header: str) -> str:
    """The name in a Host header, without its port.

    >>> host_of("localhost:8350"), host_of("[::1]:8350"), host_of("example.org")
    ('localhost', '[::1]', 'example.org')
    """
    name, colon, port = header.rpartition(":")
    return (name if colon and port.isdigit() else header).lower()


def is_known(host: str, names: frozenset[str]) -> bool:
    """Whether a request names this machine: by a name that it has, or by an address, which no foreign name leads to.

    >>> is_known("evil.example", LOCAL), is_known("192.168.1.5", LOCAL)
    (False, True)
    """
    if host in names:
        return True
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def refusal(method: str, headers: Headers, names: frozenset[str]) -> tuple[int, str] | None:
    """Why a request is refused, with its status; None if it is not."""
    host, length = headers.get("host", ""), headers.get("content-length", "")
    if not is_known(host_of(host), names):
        return 421, "This page is served under the name of its machine only."
    if method in SAFE:
        return None
    checks = (
        (headers.get("origin", "") in {f"http://{host}", f"https://{host}"}, 403, "Only the page itself may ask this."),
        (headers.get("content-type", "").partition(";")[0] == "application/json", 415, "JSON is expected."),
        (length.isdigit(), 411, "The length is missing."),
        (length.isdigit() and int(length) <= MOST_BYTES, 413, f"At most {MOST_BYTES:,} bytes are accepted."),
    )
    return next(((status, text) for right, status, text in checks if not right), None)


class Guard:
    """Refuses requests of other pages and of strangers, and adds headers to each answer."""

    def __init__(self, app: ASGIApp, is_guest: Callable[[str | None], bool], names: frozenset[str] = LOCAL) -> None:
        self.app = app
        self.is_guest = is_guest
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refused(scope) or self.app)(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> Response | None:
        """The answer to a request that is refused; None if it is not."""
        headers = Headers(scope=scope)
        why = refusal(scope["method"], headers, self.names)
        if why is not None:
            return PlainTextResponse(why[1], status_code=why[0])
        if scope["path"] != DOOR and not self.is_guest(key_of(headers)):
            return JSONResponse({"kind": "failed", "why": NO_KEY}, status_code=403)
        return None


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, which cuts off clients that never end a request, or take nothing of an answer."""

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
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Await that the client takes some of what is ready for it."""
        super().pause_writing()
        self._taking = self.loop.call_later(TAKEN, self.transport.abort)

    def resume_writing(self) -> None:
        """It has taken some."""
        if self._taking is not None:
            self._taking.cancel()
        super().resume_writing()

    def _await_rest(self) -> None:
        """Give the rest of a request its time; nothing is awaited between two requests."""
        state: Any = self.conn.their_state
        if state is self._state and self._coming is not None:
            return
        if self._coming is not None:
            self._coming.cancel()
        wait = {h11.IDLE: COMING, h11.SEND_BODY: BODY}.get(state)
        self._coming = None if wait is None else self.loop.call_later(wait, self.transport.abort)
        self._state = state
