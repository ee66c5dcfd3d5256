"""What strangers, odd programs and hostile folders may send to the page: they get an answer, and nothing else."""

import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from httpx import Client
from system.web.served import browsing, page_of, serving

from simbackup.web import guard, tasks
from simbackup.web.app import WhatIf
from simbackup.web.guard import MOST_BYTES, Patient

HANGS = 1800.0
"""Seconds after which a test hangs; a busy machine is never that slow."""
SHORT = "teaching/short-backups"
OWN, SECRET = "A scenario of my own", "nobody's business"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 200)
PATHS = (
    "/", "/library", "/open", "/run", "/check", "/complete", "/keep", "/drop", "/variants", "/variants/x/report.html",
    "/static/page.js", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fsecret.yaml", "/nowhere",
    "/static//etc/passwd", "/variants/..%2f..%2fsecret.yaml/x", "/variants/%2e%2e/scenario.yaml", "/%00",
    "/static/page.js%00.css", "/static/%ff%fe", "/static/" + "a" * 3000, "//evil.example/", "/?open=../secret.yaml",
    "/static/..\\..\\secret.yaml", "*", "http://evil.example/secret.yaml", "/?key=%ff", "/library?" + "y" * 9000,
)  # fmt: skip
BODIES = (
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'"', b"{}" * 9, b"[" * 90_000, b'{"a":' * 9000, b"1e999", b"NaN",
    b'{"name": "../secret.yaml"}', b'{"name": "/etc/passwd"}', b'{"name": "fifo.yaml"}', b'{"name": "loop.yaml"}',
    b'{"name": "link.yaml"}', b'{"name": "zero.yaml"}', b'{"name": "folder.yaml"}', b'{"name": "mine.yaml\\u0000"}',
    b'{"name": "file:///etc/passwd"}', b'{"name": "' + b"a" * 5000 + b'"}', b'{"name": ["mine.yaml"]}',
    b'{"files": {"../a.yaml": ""}}', b'{"files": {"a.yaml": "%"}}', b'{"files": {"a.txt": ""}}', b'{"files": 1}',
    b'{"document": "x", "text": "title: a", "tab": "1"}', b'{"line": ' + b"9" * 5000 + b"}",
    b'{"variant": "..", "name": "x"}', b'{"name": "\\ud800"}',
)  # fmt: skip
HEADERS = (
    b"", b"Host: evil.example\r\n", b"Host: \r\n", b"Content-Length: -1\r\n", b"Content-Length: x\r\n",
    b"Content-Length: 99999999999999\r\n", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip\r\n",
    b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
    b"Expect: 100-continue\r\n", b"X: " + b"y" * 200_000 + b"\r\n", b"X\r\n", b": x\r\n", b"\xff: \xff\r\n",
    b"Cookie: " + b"a=b; " * 2000 + b"\r\n", b"Cookie: simbackup-page-80=\xff\r\n", b"Origin: null\r\n",
    b"Range: bytes=0-999999999999\r\n", b"Connection: close, close\r\n", b"X-Forwarded-Host: evil.example\r\n",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> WhatIf:
    """A page of a folder in which is all that a folder may hold, beside a file that is nobody's business."""
    root = tmp_path_factory.mktemp("served")
    own = root / "own"
    (own / "folder.yaml").mkdir(parents=True)
    (own / "mine.yaml").write_text(f"title: {OWN}\nextends: {SHORT}\n", encoding="utf-8")
    (own / ".hidden.yaml").write_text(f"title: {SECRET}\n", encoding="utf-8")
    (root / "secret.yaml").write_text(f"title: {SECRET}\n", encoding="utf-8")
    os.mkfifo(own / "fifo.yaml")
    links = {"link": root / "secret.yaml", "loop": own / "loop.yaml", "zero": Path("/dev/zero"), "broken": own / "no"}
    for name, target in links.items():
        (own / f"{name}.yaml").symlink_to(target)
    Path(os.fsdecode(os.fsencode(own) + b"/\xff\xfe.yaml")).write_text(f"title: {SECRET}\n", encoding="utf-8")
    return page_of(own, until="opened")


@pytest.fixture(scope="module")
def address(page: WhatIf) -> Iterator[str]:
    with serving(page) as found:
        yield found


@pytest.fixture
def client(address: str, page: WhatIf) -> Iterator[Client]:
    with browsing(address) as made:
        made.get("/", params={"key": page.key})
        yield made


@pytest.fixture
def wrong() -> Iterator[list[str]]:
    """What the server reports of errors of its own."""
    found: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(self.format(record))

    listener = Listener(logging.ERROR)
    logging.getLogger("uvicorn.error").addHandler(listener)
    yield found
    logging.getLogger("uvicorn.error").removeHandler(listener)


def sent(address: str, data: bytes, *, ends: bool = True) -> bytes:
    """All that comes back for some bytes, after which nothing more is sent."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=HANGS) as line:
        found = b""
        try:
            line.sendall(data)
            if ends:
                with suppress(OSError):  # the other side may have closed the line already
                    line.shutdown(socket.SHUT_WR)
            while piece := line.recv(65536):
                found += piece
        except (BrokenPipeError, ConnectionResetError):  # it does not want to hear more
            pass
    return found


def request(client: Client, address: str, method: str, path: str, body: bytes = b"", *, cookie: bool = True) -> bytes:
    """What comes back for a request, from whoever was let in or from a stranger."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items()) if cookie else ""
    heads = {
        "Host": address.removeprefix("http://"), "Origin": address, "Connection": "close", "Cookie": cookies,
        "Content-Type": "application/json", "Content-Length": str(len(body)),
    }  # fmt: skip
    lines = "".join(f"{name}: {value}\r\n" for name, value in heads.items() if value)
    return sent(address, f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)


def harmless(answer: bytes) -> int:
    """The status of an answer, which shows nothing that it should not; 0 where there was none."""
    assert SECRET.encode() not in answer
    assert b"Traceback" not in answer
    assert b"root:" not in answer
    status = int(answer.split(maxsplit=2)[1]) if answer else 0
    assert status < 500, answer[:300]
    return status


@pytest.mark.slow
def test_every_method_and_path_has_a_harmless_answer(client: Client, address: str, wrong: list[str]) -> None:
    for method, path in product(METHODS, PATHS):  # 319 requests
        harmless(request(client, address, method, path))
    assert wrong == []
    assert client.get("/variants").status_code == 200


@pytest.mark.slow
def test_a_stranger_gets_nothing(client: Client, address: str, wrong: list[str]) -> None:
    for method, path in product(METHODS, PATHS):
        answer = request(client, address, method, path, cookie=False)
        assert harmless(answer) in {0, 400, 403, 405, 411, 415, 421}, (method, path, answer[:200])
        assert OWN.encode() not in answer
        assert b"Set-Cookie" not in answer
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/open", "/run", "/check", "/complete", "/keep", "/drop"])
def test_every_body_has_a_harmless_answer(client: Client, address: str, wrong: list[str], path: str) -> None:
    for body in BODIES:
        assert harmless(request(client, address, "POST", path, body)) == 400, body[:80]
    assert wrong == []


def test_odd_headers_have_a_harmless_answer(client: Client, address: str, wrong: list[str]) -> None:
    host = f"Host: {address.removeprefix('http://')}\r\nConnection: close\r\n".encode()
    for method, header in product((b"GET / HTTP/1.1", b"POST /open HTTP/1.1", b"GET /library HTTP/0.9"), HEADERS):
        harmless(sent(address, method + b"\r\n" + host + header + b"\r\n"))
        harmless(sent(address, method + b"\r\n" + header + host + b"\r\n"))
    for junk in (b"\x16\x03\x01\x02\x00\x01", b"\r\n" * 99, b"\0" * 9999, b"GET", b"GET /\r\n\r\n", b"PRI *\r\n"):
        harmless(sent(address, junk))
    assert wrong == []
    assert client.get("/variants").status_code == 200


def test_requests_that_are_too_large_are_refused(client: Client, address: str, wrong: list[str]) -> None:
    assert client.post("/open", json={"name": "a" * MOST_BYTES}).status_code == 413
    chunked = client.post("/open", content=iter([b"{}"]), headers={"Content-Type": "application/json"})
    assert chunked.status_code == 411
    assert harmless(request(client, address, "GET", "/" + "a" * 200_000)) in {0, 400}
    assert wrong == []


def test_who_hangs_up_in_a_request_leaves_no_error(client: Client, address: str, wrong: list[str]) -> None:
    whole = f"Host: {address.removeprefix('http://')}\r\nOrigin: {address}\r\nContent-Type: application/json\r\n"
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    head = f"POST /open HTTP/1.1\r\n{whole}Cookie: {cookies}\r\nContent-Length: 99\r\n\r\n"
    for text in (head, f"{head}{{", head[:-2], head[:20]):
        sent(address, text.encode())
    assert wrong == []
    assert client.get("/variants").status_code == 200


def test_only_regular_files_of_the_folder_are_offered_and_read_by_workers(client: Client, page: WhatIf) -> None:
    assert page.chosen.names == ["mine.yaml"]
    works: list[object] = []
    before = page.checks.messages
    names = [path.name for path in (page.chosen.folder or Path()).iterdir()]

    async def noted(work: Any, task: Any) -> Any:
        works.append(work)
        async for message in before(work, task):
            yield message

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(page.checks), "messages", lambda _, work, task: noted(work, task))
        for name in (*names, "../secret.yaml"):
            asked = json.dumps({"name": os.fsencode(name).decode("latin-1")})
            answer = client.post("/open", content=asked, headers={"Content-Type": "application/json"})
            assert answer.status_code == (200 if name == "mine.yaml" else 400), name
            assert SECRET not in answer.text
    assert {*works} == {tasks.opened}


def test_two_pages_on_one_machine_do_not_log_each_other_out(page: WhatIf, address: str) -> None:
    other = page_of(None)
    with serving(other) as second, Client(timeout=None) as browser:  # noqa: S113 (a busy machine is slow)
        for one, where in ((page, address), (other, second)):
            assert browser.get(where, params={"key": one.key}).status_code == 200
        for where in (address, second, address):
            assert browser.get(f"{where}/variants").status_code == 200


@pytest.mark.parametrize(
    ("which", "data"),
    [("COMING", b""), ("COMING", b"GET / HTTP/1.1\r\nHost: local"), ("BODY", b"POST / HTTP/1.1\r\n{}\r\n{{")],
)
def test_a_request_that_never_ends_is_cut_off(
    address: str, monkeypatch: pytest.MonkeyPatch, which: str, data: bytes, wrong: list[str]
) -> None:
    monkeypatch.setattr(guard, which, 0.1)
    host = f"Host: {address.removeprefix('http://')}\r\nOrigin: {address}\r\nContent-Type: application/json"
    text = data.replace(b"{}\r\n", f"{host}\r\nContent-Length: 99\r\n\r\n".encode())
    assert harmless(sent(address, text, ends=False)) in {0, 403, 405}  # and it ends
    assert wrong == []


def test_after_a_whole_request_the_next_one_has_its_time_too(
    client: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "COMING", 0.1)
    host = f"Host: {address.removeprefix('http://')}\r\n".encode()
    found = sent(address, b"GET /nowhere HTTP/1.1\r\n" + host + b"\r\nGET / HTTP/1.1\r\n", ends=False)
    assert harmless(found) == 403
    assert client.get("/variants").status_code == 200


def test_who_takes_nothing_of_an_answer_is_cut_off(
    client: Client, address: str, page: WhatIf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "TAKEN", 0.1)
    gone, before = Event(), Patient.connection_lost

    def lost(line: Patient, error: Exception | None) -> None:
        before(line, error)
        gone.set()

    [key] = client.cookies.values()
    guest = page.guests.of(key)
    assert guest is not None
    variant = guest.begun("document", "tab")
    variant.files = ["report.html"]
    (variant.folder / "report.html").write_bytes(b"x" * 50_000_000)
    host, port = address.removeprefix("http://").split(":")
    asked = f"GET /variants/{variant.key}/report.html HTTP/1.1\r\nHost: {host}:{port}\r\n"
    asked += f"Cookie: simbackup-page-{port}={key}\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=HANGS) as line:
        monkeypatch.setattr(Patient, "connection_lost", lost)
        line.sendall(asked.encode())
        assert client.get("/static/page.js").status_code == 200  # nobody else waits for it
        assert gone.wait(HANGS)


def test_of_many_silent_connections_the_oldest_gives_way(
    client: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MOST_CONNECTIONS", 4)
    monkeypatch.setattr(guard, "COMING", HANGS)
    host, port = address.removeprefix("http://").split(":")
    lines = [socket.create_connection((host, int(port)), timeout=HANGS) for _ in range(6)]
    assert client.get("/variants").status_code == 200
    with suppress(ConnectionResetError):
        assert lines[0].recv(1) == b""
    for line in lines:
        line.close()
