"""What is installed, what a lab will take, its data, and a way to a server on which everything takes a stated time."""

from __future__ import annotations

import re
import secrets
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

from simbackup.errors import InputError, Place, Problem
from simbackup.lab.data import SMALL, Content, make, portions, room
from simbackup.lab.folder import Folder, Settings, full_disk
from simbackup.lab.spec import DesignSpec, LabProgramSpec, load_design, load_program, programs

SECONDS_A_RUN, SECONDS_A_BYTE = 1.0, 25e-9
"""What a run takes with all that surrounds it, at a guess, until the lab has measured."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A program of the lab, with the version that is installed, or what is missing."""

    name: str
    title: str
    version: str
    missing: str = ""


def installed(name: str) -> Installed:
    """Whether a program can be measured here."""
    program = load_program(name)
    missing = [command for command in program.needs if shutil.which(command) is None]
    if missing:
        return Installed(name, program.title, "", f"{', '.join(missing)} ({program.install})")
    return Installed(name, program.title, _version(program))


def _version(program: LabProgramSpec) -> str:
    """The version that a program states, empty if it does not."""
    try:
        done = subprocess.run(  # noqa: S603 (the program file says what runs)
            ["/bin/bash", "-c", program.version.run], capture_output=True, text=True, check=False, timeout=30,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""
    found = re.search(program.version.pattern, done.stdout + done.stderr)
    return found[1] if found else ""


def chosen(names: Sequence[str]) -> list[Installed]:
    """The programs of some names, or all that are installed.

    Raises
    ------
    InputError
        One that was asked for is not installed, or none is.
    """
    found = [installed(name) for name in names or programs()]
    problems = [
        Problem(
            Place(f"--program {one.name}"),
            "",
            f"{one.missing.partition(' (')[0]} is not installed",
            one.missing.partition(" (")[2].rstrip(")"),
        )
        for one in found
        if one.missing and names
    ]
    if problems:
        raise InputError(problems)
    return found


def effort(design: DesignSpec, chosen: Sequence[str]) -> tuple[float, float]:
    """The bytes of disk and the seconds that a design takes with some programs, at a guess."""
    sizes = [
        sum(p[k] for k in ("text", "random")) + p["small"] * SMALL
        for p in (portions(point, design) for point in design.points.values())
    ]
    operations = sum(
        len([name for name in design.operations if name in load_program(each).operations]) for each in chosen
    )
    runs = operations * design.repeats.si
    seconds = sum(runs * (SECONDS_A_RUN + 2.0 * size * SECONDS_A_BYTE) for size in sizes)
    return room(design) + 4.0 * max(sizes), seconds


def set_up(folder: Folder, design: str, names: Sequence[str], seed: int, note: Callable[[str], None]) -> Settings:
    """Make the data of a design in a folder, and keep which programs are there.

    Parameters
    ----------
    folder
        Where; a lab that is there with the same design and seed keeps its data and its runs.
    design, names
        The design, and the programs; all installed ones if there are no names.
    seed
        Of the data.
    note
        Is called with what is done.

    Raises
    ------
    InputError
        A program is missing.
    ResultError
        The folder cannot be used, or there is too little room.
    """
    folder.check()
    spec, found = load_design(design), chosen(names)
    for one in found:
        note(f"{one.title} {one.version}".rstrip() if not one.missing else f"{one.title}: missing {one.missing}")
    versions = {one.name: one.version for one in found if not one.missing}
    needed, seconds = effort(spec, list(versions))
    note(f"it takes about {needed / 1e9:.2g} GB of disk and {max(seconds / 60.0, 1.0):.0f} min for measure")
    before = folder.settings() if (folder.path / "lab.json").is_file() else None
    if before is not None and (before.design, before.seed) == (design, seed):
        after = Settings(before.id, design, seed, {**before.programs, **versions}, before.contents)
        folder.set_up(after)
        return after
    if before is not None:
        message = f"holds a lab with the design '{before.design}' and the seed {before.seed}"
        raise InputError([Problem(Place(str(folder.path)), "", message, "name a new folder")])
    folder.check_room(needed)
    with full_disk(folder.path):
        folder.path.mkdir(exist_ok=True)
    contents: dict[str, Content] = {}
    data = folder.path / "data"
    try:
        with full_disk(folder.path):
            for name, point in spec.points.items():
                contents[name] = make(data / name, point, spec, seed)
    except BaseException:
        shutil.rmtree(data, ignore_errors=True)
        _remove_empty(folder.path)
        raise
    settings = Settings(
        secrets.token_hex(3), design, seed, versions, {name: asdict(one) for name, one in contents.items()}
    )
    folder.set_up(settings)
    size, files = (sum(getattr(one, key) for one in contents.values()) for key in ("bytes", "files"))
    note(f"made {size / 1e6:.0f} MB in {files} files")
    return settings


def _remove_empty(path: Path) -> None:
    """Remove a folder in which nothing is."""
    if not any(path.iterdir()):
        path.rmdir()


PIECE = 1 << 18
"""Bytes that are passed on at once at most."""
UNDER_WAY = 256
"""Pieces that are under way in one direction at most."""


@contextmanager
def delayed(server: int, trip: float) -> Generator[int]:
    """A port of this machine that leads to a server, where a round trip takes some time longer.

    Two threads serve each direction of a connection. A thread sleeps for exactly the delay; an event loop would round
    it up to whole milliseconds, and make each round trip one or two milliseconds too long.

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
    ends, opening, threads = list[socket.socket](), list[threading.Thread](), list[threading.Thread]()

    def begin(*of: Callable[[], None]) -> None:
        threads.extend(new := [threading.Thread(target=each, daemon=True) for each in of])
        for each in new:
            each.start()

    def accept() -> None:
        with suppress(OSError):  # closed
            while True:
                opening.append(threading.Thread(target=connect, args=(listening.accept()[0],), daemon=True))
                opening[-1].start()

    def connect(near: socket.socket) -> None:
        ends.append(near)
        time.sleep(trip)  # the handshake of TCP
        with suppress(OSError):  # the server has gone
            far = socket.create_connection(("127.0.0.1", server))
            ends.append(far)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            begin(*_pass(near, far, trip / 2.0), *_pass(far, near, trip / 2.0))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        begin(accept)
        try:
            yield int(listening.getsockname()[1])
        finally:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            threads[0].join()  # it may be about to open another
            for thread in opening:  # they may be about to begin others
                thread.join()
            _closed(ends, threads)


def _closed(ends: Sequence[socket.socket], threads: Sequence[threading.Thread]) -> None:
    """Close connections when the threads that serve them have ended."""
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join()
    for end in ends:
        end.close()


def _pass(source: socket.socket, sink: socket.socket, wait: float) -> tuple[Callable[[], None], Callable[[], None]]:
    """What receives from one side of a connection, and what sends each piece on `wait` seconds after it came."""
    pieces = Queue[tuple[float, bytes]](UNDER_WAY)

    def receive() -> None:
        piece = b"begin"
        while piece:
            try:
                piece = source.recv(PIECE)
            except OSError:
                piece = b""
            pieces.put((time.monotonic() + wait, piece))

    def send() -> None:
        while True:
            due, piece = pieces.get()
            time.sleep(max(due - time.monotonic(), 0.0))
            with suppress(OSError):
                if not piece:
                    sink.shutdown(socket.SHUT_WR)
                sink.sendall(piece)
            if not piece:
                return

    return receive, send
