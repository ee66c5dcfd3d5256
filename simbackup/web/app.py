"""The server of the page: what may be asked, and what it answers. All work on files of users is done by workers."""

from __future__ import annotations

import json
import secrets
import shutil
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from simbackup.policies.calendar import HORIZON
from simbackup.results.record import program_version
from simbackup.web import tasks
from simbackup.web.cards import charts, differences, side_by_side
from simbackup.web.describing import KEPT, KINDS, LINES, NETWORKS, SAVING, form_of, offers
from simbackup.web.guard import LOCAL, NO_KEY, Guard, cookie_of, key_of
from simbackup.web.guests import Guest, Guests, Json, RefusedError, Variant, rendered, text_of, texts_of
from simbackup.web.opening import OwnFolder, catalogue
from simbackup.web.workers import CHECKED, Message, Work, Workers, failed

DAY = 86_400
LINES_OF_JSON = "application/x-ndjson"
GZIP = 31
"""What zlib calls the format of gzip."""
HORIZONS = ("1y", "2y", "3y", "5y", "10y")
MIME = {
    "report.html": "text/html; charset=utf-8", "scenario.yaml": "text/yaml; charset=utf-8",
    "tables.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip


@dataclass
class WhatIf:
    """The what-if page: its guests, its workers, and the files that it offers."""

    runs: Workers
    """Runs simulations."""
    chosen: OwnFolder = field(default_factory=OwnFolder)
    """The user's own folder of files."""
    first: str = ""
    """What is opened at once: the name of a scenario, or of a file of the chosen folder; empty for nothing."""
    key: str = field(default_factory=partial(secrets.token_urlsafe, 16))
    """Secret that the address must contain; without it, every request is refused."""
    guests: Guests = field(default_factory=Guests)
    """What each browser has opened and run."""
    offered: dict[str, list[Mapping[str, str]]] = field(default_factory=dict[str, list[Mapping[str, str]]])
    """Files that the page lists, by section."""
    kinds: Json = field(default_factory=dict[str, Any])
    """Datasheets that the page lists, by kind and maker."""
    checks: Workers = field(init=False)
    """Runs short checks of documents."""
    _listed: anyio.Event = field(init=False)
    """Set when `offered` is complete."""
    _known: anyio.Event = field(init=False)
    """Set when `kinds` is complete."""

    def __post_init__(self) -> None:
        self.checks = Workers(max(2, self.runs.at_once), CHECKED)

    def app(self, names: frozenset[str] = LOCAL) -> Starlette:
        """The application, which answers requests to this machine under these names."""
        asked = ("open", "run", "check", "complete", "points", "keep", "drop")
        routes = [
            Route("/", self.page), Route("/library", self.library), Route("/sheets", self.sheets),
            *(Route(f"/{name}", getattr(self, name), methods=["POST"]) for name in asked),
            Route("/variants", self.variants), Route("/variants/{key}/{name}", self.file),
            Route("/static/report.css", _style), Mount("/static", StaticFiles(packages=[("simbackup.web", "static")])),
        ]  # fmt: skip
        handlers = {RefusedError: _refused, ClientDisconnect: _gone}
        guard = Middleware(Guard, is_guest=lambda key: self.guests.of(key) is not None, names=names)
        inside = [guard, Middleware(GZipMiddleware, compresslevel=6)]
        return Starlette(routes=routes, middleware=inside, exception_handlers=handlers, lifespan=self._life)  # type: ignore[arg-type]

    def stop(self) -> None:
        """End all work, so that no answer is under way when the server ends."""
        self.runs.stopped = self.checks.stopped = True

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncGenerator[None]:
        """List what comes along while the page is loaded, and remove all files at the end."""
        del app
        self._listed, self._known = anyio.Event(), anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(self._list)
            yield
            group.cancel_scope.cancel()
        self.guests.close()

    async def _list(self) -> None:
        async with aclosing(self.checks.messages(tasks.library, {})) as found:
            async for message in found:
                if message["kind"] == "library":
                    self.offered = catalogue([*message["sites"], *message["scenarios"]])
                if message["kind"] == "sheets":
                    self.kinds = message["kinds"]
                    self._known.set()
        self._known.set()
        self._listed.set()

    async def sheets(self, request: Request) -> Response:
        """The datasheets that come along, and the user's own."""
        del request
        await self._known.wait()
        return JSONResponse(self.kinds)

    async def library(self, request: Request) -> Response:
        """The scenarios and sites that come along."""
        del request
        await self._listed.wait()
        return HTMLResponse(rendered("library.html", offered=self.offered))

    async def page(self, request: Request) -> Response:
        """The page, with a guest of its own for each browser that was given its address."""
        key = key_of(request.headers)
        if self.guests.of(key) is None:
            if not secrets.compare_digest(request.query_params.get("key", "").encode(), self.key.encode()):
                return PlainTextResponse(NO_KEY, status_code=403)
            key, _ = self.guests.new()
        name = request.query_params.get("open", self.first)
        text = rendered(
            "index.html", own=await to_thread.run_sync(lambda: self.chosen.names), first=name, horizons=HORIZONS,
            horizon=HORIZON, program=SAVING,
            version=program_version(), kinds=KINDS, networks=NETWORKS, lines=LINES, kept=KEPT,
            templates=await to_thread.run_sync(offers),
        )  # fmt: skip
        answer = HTMLResponse(text)
        answer.set_cookie(
            cookie_of(request.headers.get("host", "")), key or "", max_age=DAY, httponly=True, samesite="strict"
        )
        return answer

    async def open(self, request: Request) -> Response:
        """Open a scenario of the library or of the chosen folder, or uploaded files."""
        found = await self._document(*await self._asked(request))
        return JSONResponse(found, 200 if found["kind"] == "document" else 400)

    async def _document(self, guest: Guest, asked: Json) -> Message:
        """A document that is opened for a guest, with its key; or what is wrong with it."""
        if "described" in asked:
            task: Json = {"described": form_of(asked), "files": texts_of(asked, "files")}
        else:
            task = {"files": texts_of(asked, "files")} if "files" in asked else {"name": text_of(asked, "name")}
        room = None if "name" in task else guest.room("files")
        found = await self._answer(tasks.opened, {"folder": str(room or self.chosen.folder or ""), **task})
        if found["kind"] != "document":
            if room is not None:
                shutil.rmtree(room, ignore_errors=True)
            return found
        key = guest.opened(Path(found.pop("folder")))
        return {**found, "document": key}

    async def run(self, request: Request) -> Response:
        """Run a text, and report on it in lines of JSON; a newer run of the same tab ends it unless it was kept.

        The site of the form is opened in the same request: on a slow line, each takes as long as the answer.
        """
        guest, asked = await self._asked(request)
        found = await self._document(guest, asked) if "described" in asked else None
        if found is not None and found["kind"] != "document":
            return JSONResponse(found, 400)
        asked = {**(found or {}), **asked}
        folder, tab, text = self._opened(guest, asked), text_of(asked, "tab"), text_of(asked, "text")
        before = guest.variants.get(str(asked.get("before") or ""))
        task = {
            "text": text, "folder": str(folder), "changes": texts_of(asked, "changes"),
            "before": before.figures if before else {}, "until": str(asked.get("until") or HORIZON),
        }  # fmt: skip
        variant = guest.begun(text_of(asked, "document"), tab)
        lines = self._lines(guest, variant, tab, {**task, "out": str(variant.folder)}, found)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return StreamingResponse(_packed(lines), media_type=LINES_OF_JSON, headers={"Content-Encoding": "gzip"})
        return StreamingResponse(lines, media_type=LINES_OF_JSON)

    async def _lines(
        self, guest: Guest, variant: Variant, tab: str, task: Json, document: Message | None
    ) -> AsyncGenerator[str]:
        try:
            if document is not None:
                yield f"{json.dumps(document)}\n"
            async with aclosing(self.runs.messages(tasks.run, task)) as found:
                async for message in found:
                    if not guest.waits_for(variant, tab):
                        yield f"{json.dumps({'kind': 'replaced'})}\n"
                        return
                    _noted(guest, variant, message)
                    yield f"{json.dumps({**message, 'variant': variant.key, 'called': variant.name})}\n"
        finally:
            guest.ended(variant, tab)

    async def check(self, request: Request) -> Response:
        """Report what is wrong with a text."""
        return await self._short(request, tasks.check)

    async def complete(self, request: Request) -> Response:
        """Report the words that may stand at a place of a text."""
        return await self._short(request, tasks.complete)

    async def points(self, request: Request) -> Response:
        """Report the restore points of a site on a date."""
        guest, asked = await self._asked(request)
        task = {
            "folder": str(self._opened(guest, asked)), "text": text_of(asked, "text"), "at": text_of(asked, "at"),
        }  # fmt: skip
        return JSONResponse(await self._answer(tasks.points, task))

    async def _short(self, request: Request, work: Work) -> Response:
        guest, asked = await self._asked(request)
        folder = str(self._opened(guest, asked))
        place = {name: asked[name] for name in ("line", "column") if isinstance(asked.get(name), int)}
        if work is tasks.complete and len(place) < len(("line", "column")):
            raise RefusedError("'line' and 'column' are missing")
        task = {"text": text_of(asked, "text"), "folder": folder, **place}
        return JSONResponse(await self._answer(work, task))

    async def _answer(self, work: Work, task: Json) -> Message:
        """What comes of a short piece of work."""
        async with aclosing(self.checks.messages(work, task)) as found:
            async for message in found:
                if message["kind"] not in {"waiting", "alive"}:
                    return message
        return failed("it gave no answer; try again")

    async def keep(self, request: Request) -> Response:
        """Keep a variant under a name."""
        guest, asked = await self._asked(request)
        key = _variant(guest, asked).key
        if not guest.keep(key, text_of(asked, "name")):
            raise RefusedError("there are too many variants; delete one")
        return JSONResponse({"kept": len(guest.kept)})

    async def drop(self, request: Request) -> Response:
        """Forget a variant."""
        guest, asked = await self._asked(request)
        guest.drop(_variant(guest, asked).key)
        return JSONResponse({"kept": len(guest.kept)})

    async def variants(self, request: Request) -> Response:
        """The kept variants side by side."""
        guest = self._guest(request)
        kept = guest.kept
        tables = [side_by_side(kept), differences(kept)] if kept else []
        return HTMLResponse(rendered("variants.html", variants=kept, tables=tables, charts=charts(kept)))

    async def file(self, request: Request) -> Response:
        """A file of a variant, to be downloaded."""
        guest, name = self._guest(request), request.path_params["name"]
        variant = guest.variants.get(request.path_params["key"])
        if variant is None or name not in variant.files or not (variant.folder / name).is_file():
            raise RefusedError("there is no such file")
        shown = "inline" if name == "report.html" and "view" in request.query_params else "attachment"
        answer = FileResponse(
            variant.folder / name, media_type=MIME[name], filename=name, content_disposition_type=shown
        )
        if name == "report.html":  # it holds its own style, and no script
            answer.headers["Content-Security-Policy"] = (
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
            )
        return answer

    async def _asked(self, request: Request) -> tuple[Guest, Json]:
        """The guest of a request, and what it asks for."""
        guest = self._guest(request)
        try:
            asked: object = await request.json()
        except (ValueError, RecursionError):
            raise RefusedError("this is not JSON") from None
        if not isinstance(asked, dict):
            raise RefusedError("this is not a request of the page")
        return guest, asked  # type: ignore[return-value]

    def _guest(self, request: Request) -> Guest:
        guest = self.guests.of(key_of(request.headers))
        if guest is None:  # the guard let him in, and he is the one who gives way to newer ones
            raise RefusedError("there are too many visitors; reload the page")
        return guest

    def _opened(self, guest: Guest, asked: Json) -> Path:
        """The folder of a document that is open."""
        found = guest.documents.get(text_of(asked, "document"))
        if found is None:
            raise RefusedError("it is no longer open; open it again")
        return found


async def _packed(lines: AsyncGenerator[str]) -> AsyncIterator[bytes]:
    """Lines as a stream of gzip, each of which can be read at once."""
    packer = zlib.compressobj(wbits=GZIP)
    async with aclosing(lines):
        async for line in lines:
            yield packer.compress(line.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def _noted(guest: Guest, variant: Variant, message: Message) -> None:
    """Note in a variant what a worker reports of it."""
    match message["kind"]:
        case "opened":
            variant.values = message["values"]
            variant.name = guest.named(variant) if not variant.kept else variant.name
        case "answer":
            variant.figures = message["figures"]
        case "saved" | "done":
            variant.files = message["files"]
        case _:
            pass


def _variant(guest: Guest, asked: Json) -> Variant:
    found = guest.variants.get(text_of(asked, "variant"))
    if found is None:
        raise RefusedError("there is no such variant")
    return found


async def _style(request: Request) -> Response:
    """The style of reports, which the page shares."""
    del request
    return Response(
        resources.files("simbackup.reporting").joinpath("templates/report.css").read_text("utf-8"),
        media_type="text/css",
    )


async def _refused(request: Request, error: RefusedError) -> Response:
    del request
    return JSONResponse({"kind": "failed", "why": str(error)}, status_code=400)


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    """Nobody reads this any more."""
    del request, error
    return Response(status_code=400)
