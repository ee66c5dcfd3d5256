"""The what-if page, served until it is interrupted."""

from __future__ import annotations

import os
import socket
import warnings
import webbrowser
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Any

from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.planning.loading import found as site_file
from simbackup.scenario import find
from simbackup.shelf import is_file, is_folder

LOCALHOST = "127.0.0.1"
SOON = 0.5
"""Seconds after which the browser is opened."""
ENDING = 10
"""Seconds after which answers that are still under way are cut off when the server ends."""


def check_libraries() -> None:
    """Check that the libraries for the page are installed.

    Raises
    ------
    ResultError
        One is missing.
    """
    for module in ("starlette", "uvicorn", "jinja2", "matplotlib", "openpyxl"):
        if find_spec(module) is None:
            raise ResultError(f"the page needs {module}; install it with: pip install 'simbackup[web]'")


def chosen(what: str) -> tuple[Path | None, str]:
    """The folder whose files are offered, and what is opened first, of a file, a folder, or a name; "" for neither.

    Raises
    ------
    InputError
        There is nothing of this name.

    >>> chosen("teaching/one-file-from-tape")
    (None, 'teaching/one-file-from-tape')
    """
    path = Path(what)
    if not what:
        return None, ""
    if is_folder(path):
        return path.resolve(), ""
    if is_file(path):
        return path.resolve().parent, path.name
    try:
        find(what)
    except InputError as error:
        try:
            site_file(what)
        except InputError:
            raise error from None
    return None, what.removesuffix(".yaml").removesuffix(".site").removeprefix("scenarios/")


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address.

    Raises
    ------
    ResultError
        The address cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, reuse_port=False)
    except (OSError, OverflowError) as error:
        raise ResultError(f"{host}:{port} cannot be used ({error}); choose another with --port") from None


def server_of(app: Any) -> Any:
    """A server of an application, which waits for no client for ever."""
    from simbackup.web.guard import Patient  # noqa: PLC0415 (checked where it is served)

    uvicorn: Any = import_module("uvicorn")
    config = uvicorn.Config(
        app, http=Patient, ws="none", log_level="warning", timeout_graceful_shutdown=ENDING, server_header=False,
        access_log=False,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(
    what: str, host: str, port: int, limits: tuple[float, float], *, opens: bool, announce: Callable[[str], None]
) -> None:
    """Serve the page until it is interrupted.

    Parameters
    ----------
    what
        A scenario or site to open, by path or name, or a folder of them; empty for none.
    host, port
        Where the page is served.
    limits
        Bytes of memory and seconds of a processor that one run may use.
    opens
        Open it in the browser.
    announce
        Called with the address of the page once it can be opened.

    Raises
    ------
    InputError, ResultError
        There is nothing of this name, a library is missing, or the address cannot be used.
    """
    check_libraries()
    folder, first = chosen(what)
    if not 0 <= port < 2**16:
        raise InputError([Problem(Place("--port"), "", f"{port} is not a port", "choose one from 1024 to 65535")])
    from simbackup.web.app import WhatIf  # noqa: PLC0415 (checked above)
    from simbackup.web.guard import LOCAL  # noqa: PLC0415
    from simbackup.web.opening import OwnFolder  # noqa: PLC0415
    from simbackup.web.workers import Workers, WorkLimits  # noqa: PLC0415

    workers = Workers(os.cpu_count() or 1, WorkLimits(*limits))
    names = LOCAL | {host.lower()}
    if host in {"0.0.0.0", "::"}:  # noqa: S104 (asked for by its user)
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    page = WhatIf(workers, OwnFolder(folder), first)
    with listening(host, port) as found:
        shown = "localhost" if host == LOCALHOST else f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{found.getsockname()[1]}/?key={page.key}"
        announce(address)
        if opens:
            Timer(SOON, webbrowser.open, [address]).start()
        server = server_of(page.app(names))
        server.handle_exit = _stopping(page, server.handle_exit)
        warnings.filterwarnings("ignore", "coroutine .* was never awaited")  # Ctrl-C can come before it begins
        server.run(sockets=[found])
    raise KeyboardInterrupt  # nothing else ends it; the library does not always say so


def _stopping(page: Any, ended: Callable[[int, Any], None]) -> Callable[[int, Any], None]:
    """What a signal does that ends the server: first it stops the work of the page."""

    def stopping(number: int, frame: Any) -> None:
        page.stop()
        ended(number, frame)

    return stopping
