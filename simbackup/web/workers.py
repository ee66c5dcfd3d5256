"""Worker processes: each piece of work has one of its own, with limits, and is ended when nobody waits for it."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from typing import Any

import anyio
from anyio import to_thread

GIGABYTE = 1_000_000_000
ROOM = 0.75
"""Share of the memory of the machine that all runs together may use."""
NICER, NICEST = 1, 5
"""By how much work gives way to the server, so that the page answers while all processors are busy; and by how much
more work on intervals gives way to first answers."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What a worker process may use, in bytes and seconds."""

    memory: float = 2.0 * GIGABYTE
    seconds: float = 300.0
    """Seconds of a processor, and twice as many on the clock."""
    file_size: float = 0.2 * GIGABYTE

    @property
    def on_the_clock(self) -> float:
        """Seconds after which a worker is stopped, whatever it waits for."""
        return 2.0 * self.seconds

    def lives(self, least: int, most: int) -> int:
        """How many workers may live at once, so that the machine has memory for all of them; at least and at most some.

        >>> WorkLimits(memory=1e15).lives(2, 16)
        2
        """
        return max(least, int(min(most, ROOM * _machine_memory() / self.memory)))


CHECKED = WorkLimits(seconds=20.0)
"""For checks and completions, which take a moment."""


def _machine_memory() -> float:
    """Bytes of memory of this machine; without bound where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def put_on(limits: WorkLimits) -> None:
    """Put limits on this process, as far as the system has them; it then ends instead of using more."""
    with suppress(ImportError):  # Windows has none: there the clock alone bounds it
        resource: Any = import_module("resource")
        for kind, most in (
            ("RLIMIT_AS", limits.memory), ("RLIMIT_CPU", limits.seconds), ("RLIMIT_FSIZE", limits.file_size),
            ("RLIMIT_CORE", 0.0),
        ):  # fmt: skip
            with suppress(AttributeError, ValueError, OSError):
                _, hard = resource.getrlimit(getattr(resource, kind))
                wanted = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
                resource.setrlimit(getattr(resource, kind), (wanted, hard))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        os.nice(NICER)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends its workers


def give_way() -> None:
    """Let other processes go first from now on, where the system knows how."""
    with suppress(AttributeError, OSError):
        os.nice(NICEST)


def why_ended(code: int | None, limits: WorkLimits) -> str:
    """Why a worker ended without an answer, in words for the page."""
    if code == -getattr(signal, "SIGXCPU", 0) or code == -getattr(signal, "SIGKILL", 0):
        return f"it took more than {limits.seconds:g} s of a processor, and was stopped"
    return f"it ended unexpectedly (code {code})"


Message = dict[str, Any]
"""What a worker reports, as JSON: its `kind`, and more by that."""
Send = Callable[[Message], None]
Work = Callable[[Mapping[str, Any], Send], None]
"""A function that does a piece of work; it is imported in the worker, and reports by messages."""
POLL = 0.25
"""Seconds after which the server checks whether somebody still waits."""
SILENCE = 2.0
"""Seconds of silence after which a message without content is sent."""
ANSWER = "answer"
"""The kind of message with which a worker passes its turn on, and gives way unless `simulated` is false in it."""
REFINING = 4
"""Workers that exist for each one that may work on a first answer, if the machine has enough memory."""
TOO_LARGE = "it needs more than {:.1f} GB of memory; run it on the command line: simbackup run FILE"
PRELOADED = ("simbackup.web.preload",)


def _context() -> Any:
    """How processes are made: as copies of one that has loaded everything; anew where the system has no such copies."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", *PRELOADED])
    # A terminal sends Ctrl-C to this process and to those below it, which end with the server. They inherit the mask.
    resource_tracker.ensure_running()  # it unblocks the signal where it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


@dataclass(slots=True)
class Workers:
    """Starts workers, a few at a time; others wait in the order in which they came."""

    at_once: int
    """Number that work on first answers at once; others refine theirs meanwhile."""
    limits: WorkLimits
    """Limits of time and memory of each."""
    context: Any = field(default_factory=_context)
    """How processes are made: a context of `multiprocessing`."""
    ahead: int = field(default=0, init=False)
    """Pieces of work that wait or run."""
    stopped: bool = field(default=False, init=False)
    """Whether the server ends: no work begins, and running work ends at its next check."""
    _turns: anyio.Semaphore | None = field(default=None, init=False)
    """Limits workers on first answers."""
    _room: anyio.Semaphore | None = field(default=None, init=False)
    """Limits all workers."""

    async def messages(self, work: Work, task: Mapping[str, Any]) -> AsyncGenerator[Message]:
        """The messages of a worker as they come; closing the generator ends the worker.

        With its first answer a worker lets another one begin, and refines the answer meanwhile.
        """
        if self._turns is None or self._room is None:
            lives = self.limits.lives(self.at_once, self.at_once * REFINING)
            self._turns, self._room = anyio.Semaphore(self.at_once), anyio.Semaphore(lives)
        self.ahead += 1
        taken: list[anyio.Semaphore] = []
        try:
            for each in (self._room, self._turns):
                try:
                    each.acquire_nowait()
                except anyio.WouldBlock:
                    yield {"kind": "waiting", "ahead": max(self.ahead - self.at_once, 1)}
                    await each.acquire()
                taken.append(each)
            if self.stopped:
                return
            async with aclosing(self._of_one(work, task)) as one:
                async for message in one:
                    if message["kind"] == ANSWER and len(taken) > 1:
                        taken.pop().release()
                    yield message
        finally:
            for each in taken:
                each.release()
            self.ahead -= 1

    async def _of_one(self, work: Work, task: Mapping[str, Any]) -> AsyncGenerator[Message]:
        waiting = anyio.CapacityLimiter(1)  # a thread of its own: waiting must not hinder others
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(target=_worker, args=(theirs, work, dict(task), self.limits), daemon=True)
        await to_thread.run_sync(process.start, limiter=waiting)
        theirs.close()
        last = time.monotonic()
        end = last + self.limits.on_the_clock
        try:
            while not self.stopped:
                now = time.monotonic()
                if now > end:
                    yield failed(f"it took more than {self.limits.on_the_clock:g} s, and was stopped")
                    return
                if not await to_thread.run_sync(ours.poll, POLL, limiter=waiting):
                    if now - last > SILENCE:  # writing shows whether somebody still reads
                        last = now
                        yield {"kind": "alive"}
                    continue
                try:
                    text = await to_thread.run_sync(ours.recv_bytes, limiter=waiting)
                except (EOFError, OSError):
                    process.join(POLL)
                    yield failed(why_ended(process.exitcode, self.limits))
                    return
                if not text:  # the last message
                    return
                yield json.loads(text)
        finally:
            process.kill()
            ours.close()
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(process.join, 5.0, limiter=waiting)


def failed(why: str) -> Message:
    """The message that a piece of work has failed."""
    return {"kind": "failed", "why": why}


def _worker(theirs: Connection, work: Work, task: Mapping[str, Any], limits: WorkLimits) -> None:
    """What a worker process does."""
    put_on(limits)

    refining = False

    def send(message: Message) -> None:
        nonlocal refining
        theirs.send_bytes(json.dumps(message).encode())
        if message["kind"] == ANSWER and not refining and message.get("simulated", True):
            refining = True
            give_way()

    with suppress(BrokenPipeError):  # the server has gone
        try:
            work(task, send)
        except MemoryError:
            send(failed(TOO_LARGE.format(limits.memory / GIGABYTE)))
        except RecursionError:
            send(failed("it is nested too deeply"))
        theirs.send_bytes(b"")
