"""A way to a server on which everything takes a stated time, as over a long line; it needs no rights."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

PIECE = 1 << 18
"""Bytes that are passed on at once at most."""
UNDER_WAY = 256
"""Pieces that are under way in one direction at most."""


@contextmanager
def delayed(server: int, trip: float) -> Generator[int]:
    """A port of this machine that leads to a server, where a round trip takes some time longer.

    Parameters
    ----------
    server
        The port of the server.
    trip
        Seconds of a round trip, half of them in each direction.

    Yields
    ------
    int
        The port.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    connected: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            connected.add(task)
            task.add_done_callback(connected.discard)
        with suppress(asyncio.CancelledError):  # by `stop`; Python 3.11 reports a connection that ends as cancelled
            await asyncio.sleep(trip)  # the handshake of TCP
            there, onward = await asyncio.open_connection("127.0.0.1", server)
            try:
                await asyncio.gather(_pass(reader, onward, trip / 2.0), _pass(there, writer, trip / 2.0))
            finally:
                for end in (onward, writer):
                    end.close()
                    with suppress(OSError):
                        await end.wait_closed()

    async def stop() -> None:
        listening.close()
        for task in connected:
            task.cancel()
        await asyncio.gather(*connected, return_exceptions=True)

    listening = asyncio.run_coroutine_threadsafe(asyncio.start_server(accept, "127.0.0.1", 0), loop).result()
    try:
        yield int(listening.sockets[0].getsockname()[1])
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wait: float) -> None:
    """Forward what one side of a connection sends to the other, each piece `wait` seconds after it came."""
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(UNDER_WAY)
    now = asyncio.get_running_loop().time

    async def receive() -> None:
        while True:
            try:
                piece = await reader.read(PIECE)
            except ConnectionError:
                piece = b""
            await pieces.put((now() + wait, piece))
            if not piece:
                return

    async def send() -> None:
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(max(due - now(), 0.0))
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()

    with suppress(ConnectionError):
        await asyncio.gather(receive(), send())
