"""The page over HTTP: what is opened, run, kept and compared, and what nobody gets."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Client
from sites.plan import TEXT
from system.web.served import browsing, only, opened, page_of, run, serving

from simbackup.cli.checking import check_file
from simbackup.errors import InputError
from simbackup.web.app import WhatIf
from simbackup.web.describing import site_of_form
from tests.cases import for_each

SHORT = "teaching/short-backups"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a user, beside a file that is nobody's business."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.yaml").write_text(f"title: Mine\nextends: {SHORT}\n", encoding="utf-8")
    (tmp_path / "secret.yaml").write_text(f"title: secret\nextends: {SHORT}\n", encoding="utf-8")
    return own


@pytest.fixture
def page(folder: Path) -> WhatIf:
    return page_of(folder)


@pytest.fixture
def address(page: WhatIf) -> Iterator[str]:
    """Where the page is served, by a thread of this process."""
    with serving(page) as found:
        yield found


@pytest.fixture
def client(address: str, page: WhatIf) -> Iterator[Client]:
    with browsing(address) as made:
        made.get("/", params={"key": page.key})
        yield made


def test_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert "//" not in answer.text.replace("<!DOCTYPE", "")
    for name in ("page.js", "page.css", "report.css", "editor.js"):
        found = client.get(f"/static/{name}")
        assert found.status_code == 200
        assert "http" not in found.text
    assert SHORT in client.get("/library").text
    assert client.get("/sheets").json()["tape_drive"]["LTO"]
    assert "mine.yaml" in answer.text


@pytest.mark.slow
def test_a_variant_is_answered_beside_the_one_before_kept_and_compared(client: Client) -> None:
    document = opened(client, name=SHORT)
    first = run(client, document, f"extends: {SHORT}\n")
    kinds = [one["kind"] for one in first if one["kind"] != "progress"]
    assert kinds[:6] == ["opened", "levers", "detail", "saved", "warnings", "answer"]
    assert kinds[-1] == "done"
    answers = only(first, "answer")
    assert "range" not in next(iter(answers[0]["figures"].values()))
    assert any(figure.get("range") for figure in answers[-1]["figures"].values())
    assert "being computed" in answers[0]["html"]
    assert "being computed" not in answers[-1]["html"]
    address, text = next(
        (a, v) for a, v in _levers(only(first, "levers")[0]["html"]) if a.startswith("data.") and a.endswith(".size")
    )
    second = run(client, document, first[0]["text"], changes={address: "1 GB"}, before=first[0]["variant"])
    assert text != "1 GB"
    assert "1 GB" in second[0]["text"]
    assert "before:" in only(second, "answer")[0]["html"]
    for one, name in ((first, "as it is"), (second, "<b>more</b>")):
        assert client.post("/keep", json={"variant": one[-1]["variant"], "name": name}).status_code == 200
    compared = client.get("/variants").text
    assert "as it is" in compared
    assert "&lt;b&gt;more&lt;/b&gt;" in compared
    assert "1 GB" in compared
    key = second[-1]["variant"]
    assert client.get(f"/variants/{key}/report.html").text.startswith("<!DOCTYPE html>")
    assert "sandbox" in client.get(f"/variants/{key}/report.html").headers["Content-Security-Policy"]
    assert client.get(f"/variants/{key}/tables.xlsx").content.startswith(b"PK")
    assert client.get(f"/variants/{key}/scenario.yaml").text == second[0]["text"]
    client.post("/drop", json={"variant": key})
    assert client.get(f"/variants/{key}/report.html").status_code == 400


def _levers(html: str) -> Iterator[tuple[str, str]]:
    for piece in html.split("data-addresses='")[1:]:
        addresses, rest = piece.split("'", maxsplit=1)
        yield json.loads(addresses.replace("&#34;", '"'))[0], rest.split('data-was="')[1].split('"')[0]


@for_each(
    "text",
    [
        "titel: a\ndevices: {a: {kind: disc}}\n", "title: a\ntitle: b\ndata: {d: {on: x, size: 3}}\n", "title: [\n",
        "title: a\n",
        f"title: a\nextends: {SHORT}\njobs: {{x: {{}}}}\n",
        "title: a\nextends: ../secret.yaml\n", "start: x\nsystems: {}\npolicies: {}\n",
    ],
)  # fmt: skip
def test_wrong_texts_get_the_messages_of_check(client: Client, folder: Path, text: str) -> None:
    document = opened(client, name="mine.yaml")
    file = folder / "wrong.yaml"
    file.write_text(text, encoding="utf-8")
    said = [str(problem).removeprefix(f"{file}") for problem in check_file(file)]
    [problems] = only(run(client, document, text), "problems")
    checked = client.post("/check", json={"document": document, "text": text}).json()
    shown = [one["said"] for one in problems["lines"]]
    assert not problems["right"]
    if "secret" in text:
        assert "there is no file '../secret.yaml'" in shown[0]
        return
    assert len(shown) == len(said) > 0
    assert all(message.endswith(one) for message, one in zip(said, shown, strict=True))
    assert checked["lines"] == problems["lines"] or "nothing to simulate" in shown[0]


def test_a_lever_moved_in_a_wrong_text_gets_all_that_is_wrong_with_it(client: Client) -> None:
    text = "title: a\ntitle: b\ndata: {d: {on: x, size: 3}}\njobs: {j: {method: image, data: d, to: y}}\n"
    messages = run(client, opened(client, name=SHORT), text, changes={"data.d.size": "4 GB"})
    [problems] = only(messages, "problems")
    assert {one["line"] for one in problems["lines"]} >= {2, 3}
    assert any("appears twice" in one["said"] for one in problems["lines"])


def test_uploads_stand_in_a_folder_of_their_own(client: Client) -> None:
    files = {
        "a.yaml": f"title: A\nextends: {SHORT}\nfleets: {{f: {{inventory: list.csv, data: {{'d-{{name}}': {{}}}}}}}}\n",
        "list.csv": "name\n",
    }
    coded = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
    document = opened(client, files=coded)
    [problems] = only(run(client, document, files["a.yaml"]), "problems")
    assert any("has no rows" in one["said"] for one in problems["lines"])
    refused = client.post("/open", json={"files": {"../a.yaml": coded["a.yaml"]}})
    assert refused.status_code == 400
    assert "is not a name of a file to upload" in refused.json()["lines"][0]["said"]


@pytest.mark.slow
def test_visits_do_not_see_each_other(address: str, client: Client, page: WhatIf) -> None:
    document = opened(client, name=SHORT)
    done = run(client, document, f"extends: {SHORT}\n")[-1]
    with browsing(address) as other, browsing(address) as nobody:
        other.get("/", params={"key": page.key})
        assert {*other.cookies.values()}.isdisjoint({*client.cookies.values()})
        assert other.get(f"/variants/{done['variant']}/report.html").status_code == 400
        assert other.post("/run", json={"document": document, "text": "", "tab": "1"}).status_code == 400
        assert other.post("/keep", json={"variant": done["variant"], "name": "mine"}).status_code == 400
        assert "No variants yet" in other.get("/variants").text
        assert nobody.get("/variants").status_code == 403


@for_each("headers", [{"Origin": "http://evil.example"}, {"Host": "evil.example"}])
def test_other_pages_get_nothing(client: Client, headers: dict[str, str]) -> None:
    assert client.post("/open", json={"name": SHORT}, headers=headers).status_code in {403, 421}


@for_each("key", ["", "wrong", "\u00e9"])
def test_who_has_not_the_whole_address_gets_nothing(address: str, page: WhatIf, key: str) -> None:
    with browsing(address) as stranger:
        for _ in range(3):
            answer = stranger.get("/", params={"key": key})
            assert answer.status_code == 403
            assert "the whole address" in answer.text
            assert "Set-Cookie" not in answer.headers
    assert len(page.guests) == 0  # whoever only asks displaces nobody


@for_each(
    "body",
    [
        "[]", "{", "null", "[" * 100_000, '{"document": 1}', '{"name": "../../etc/passwd"}', '{"name": "/etc/passwd"}',
        '{"files": ["a.yaml"]}', '{"described": 1}', '{"described": {"groups": []}}', '{"described": {"groups": [7]}}',
        '{"described": {"template": "virtualised", "fields": {}, "groups": [{"kind": "vm"}]}}',
    ],
    ids=lambda body: body[:40],
)  # fmt: skip
def test_strange_questions_are_refused(client: Client, body: str) -> None:
    json_body = {"Content-Type": "application/json"}
    for path in ("/open", "/run", "/check", "/complete", "/keep", "/drop"):
        assert client.post(path, content=body, headers=json_body).status_code == 400


@for_each(
    "path, asked",
    [
        ("/run", {"changes": [1]}), ("/run", {"changes": {"a": 1}}), ("/run", {"text": "\ud800"}),
        ("/run", {"changes": {"\ud800": ""}}),
        ("/complete", {}), ("/complete", {"line": "x", "column": 1}), ("/check", {"text": 1}),
    ],
)  # fmt: skip
def test_strange_questions_about_a_document_are_refused(client: Client, path: str, asked: dict[str, object]) -> None:
    body = json.dumps({"document": opened(client, name=SHORT), "tab": "1", "text": "", **asked})
    assert client.post(path, content=body, headers={"Content-Type": "application/json"}).status_code == 400


GUESTS = {"kind": "vm", "machines": "3", "data": "1.5 TB", "files": "", "change": "2 %", "growth": ""}


def described(client: Client, template: str = "two-sites", inventory: str = "", **fields: str) -> dict[str, Any]:
    """What becomes of a form with three virtual machines, or with an inventory."""
    machines = {"groups": [], "inventory": "list.csv"} if inventory else {"groups": [GUESTS]}
    files = {"list.csv": base64.b64encode(inventory.encode()).decode()} if inventory else {}
    form = {"template": template, "fields": fields, **machines}
    answer: dict[str, Any] = client.post("/open", json={"described": form, "files": files}).json()
    return answer


@pytest.mark.slow
def test_a_site_is_described_in_a_form(client: Client) -> None:
    changed = {"from": "23:00", "to": "05:00", "targets.archive.device": "object_store/backblaze-b2"}
    found = described(client, line="network/wan-100m", daily="9", **changed)
    for line in (
        "  vm-1-003: {size: 500 GB, change: {model: change/virtual-machine, daily: 2 %}, policy: nightly}",
        "    network: network/wan-100m", "    window: 23:00 to 05:00",
        "    retention: {daily: 9, weekly: 6, monthly: 4}",
        "    device: object_store/backblaze-b2",
    ):  # fmt: skip
        assert line in found["text"].splitlines(), line
    checked = client.post("/check", json={"document": found["document"], "tab": "1", "text": found["text"]}).json()
    assert checked["right"]
    by_program = described(client, "small-office", **{"policies.nightly.program": "program/veeam-12"})
    assert "    program: program/veeam-12" in by_program["text"].splitlines()


@pytest.mark.slow
def test_an_inventory_takes_the_place_of_machines(client: Client) -> None:
    found = described(client, inventory="name,size,colour\nweb01,100 GB,red\nsql01,800 GB,blue\n")
    assert [line.split(":")[0].strip() for line in found["text"].splitlines()[-2:]] == ["web01", "sql01"]
    assert "colour" in " ".join(found["notes"])
    assert "list.csv" in described(client, inventory="name,size\nweb01,much\n")["html"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"from": "23:00"}, "write both ends, or neither"), ({"from": "late", "to": "5"}, "policies.nightly"),
        ({"network": "/etc/passwd"}, "/etc/passwd"), ({"daily": "many"}, "many"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_form_is_said(client: Client, fields: dict[str, str], said: str) -> None:
    found = described(client, **fields)
    assert found["kind"] == "problems"
    assert said in found["html"]
    assert "root:" not in found["html"]


@pytest.mark.slow
def test_each_template_can_be_described(client: Client) -> None:
    page = client.get("/").text
    for name in ("small-office", "virtualised", "two-sites", "file-services", "database-farm"):
        assert f'value="{name}"' in page
        assert "vm-1-001" in described(client, name)["text"]


@pytest.mark.slow
def test_words_are_offered(client: Client) -> None:
    document = opened(client, name=SHORT)
    asked = {"document": document, "text": "jobs:\n  a: {method: im", "line": 2, "column": 18}
    assert "image" in [word["text"] for word in client.post("/complete", json=asked).json()["words"]]


@pytest.mark.slow
@for_each(
    "text, first",
    [
        ("devices:\n  tape0: nul\nhosts:\n  a: {owns: [disk, ta", "tape0"), ("title: A back", None),
        ("devices:\n  disk0: nul\nhosts:\n  a:\n    owns:\n      - di", "disk0"),
        ("targets:\n  pool:\n    device:\n      disk:\n        model: 2", "disk/"),
        ("targets:\n  pool: {dev", "device"),
    ],
)  # fmt: skip
def test_words_fit_lists_texts_and_models(client: Client, text: str, first: str | None) -> None:
    lines = text.split("\n")
    asked = {"document": opened(client, name=SHORT), "text": text, "line": len(lines), "column": len(lines[-1]) + 1}
    words = [word["text"] for word in client.post("/complete", json=asked).json()["words"]]
    assert words[:1] == [] if first is None else words[0].startswith(first)


@pytest.mark.slow
def test_what_is_doubtful_about_a_site_is_said_in_its_text_and_beside_its_plan(client: Client) -> None:
    first = "first: {size: 1 TB,"
    text = TEXT.lstrip().replace(first, f"{first} method: image, filesystem: filesystem/xfs,")
    document = opened(client, name=SHORT)
    [warned] = only(run(client, document, text, until="3 days"), "warnings")
    checked = client.post("/check", json={"document": document, "text": text}).json()
    assert checked["right"]
    for said in ([one["said"] for one in checked["lines"]], warned["warnings"]):
        assert "systems.first.filesystem: has no effect here; it is only used in file_level backups" in said[0]


@pytest.mark.slow
def test_a_site_fits_until_a_date(client: Client) -> None:
    document = opened(client, name=SHORT)
    messages = run(client, document, TEXT.lstrip(), until="3 days")
    answers = only(messages, "answer")
    assert {one["name"] for one in only(messages, "detail")} == {"system", "capacity", "nights", "protection"}
    assert [one["warnings"] for one in only(messages, "warnings")] == [[]]
    assert "windows" not in answers[0]["figures"]
    assert "windows" in answers[-1]["figures"]
    key = messages[-1]["variant"]
    assert messages[-1]["kind"] == "done"
    assert client.get(f"/variants/{key}/tables.xlsx").content.startswith(b"PK")
    assert client.get(f"/variants/{key}/report.html").text.startswith("<!DOCTYPE html>")


def test_a_form_that_keeps_nothing_is_refused(tmp_path: Path) -> None:
    kept = {"daily": "0", "weekly": "0", "monthly": "0"}
    form = {"template": "two-sites", "fields": kept, "groups": [GUESTS], "inventory": ""}
    with pytest.raises(InputError, match="nothing is kept"):
        site_of_form(form, tmp_path)
    text = site_of_form({**form, "fields": {"daily": "0", "weekly": "4"}}, tmp_path).text
    assert "weekly: 4" in text
