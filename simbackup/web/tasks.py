"""What workers do for the page: check and complete a text, list scenarios, and run a scenario or a site."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.experiments.overview import scenario_list
from simbackup.planning.cautions import cautions
from simbackup.planning.described import MADE
from simbackup.planning.json_schema import site_schema
from simbackup.planning.restore import moment_of
from simbackup.planning.restore_points import points_at
from simbackup.planning.site import load_site
from simbackup.policies.calendar import end_of, moment_at
from simbackup.reporting.plan_tables import tables_of_points
from simbackup.run import warnings_of
from simbackup.scenario import load
from simbackup.scenario.json_schema import json_schema
from simbackup.schema.json_forms import Json
from simbackup.schema.upgrading import edited
from simbackup.schema.yaml_file import kind_of, parse, read
from simbackup.web import scenario_run, site_run
from simbackup.web.describing import datasheets, site_of_form
from simbackup.web.guests import rendered
from simbackup.web.opening import OwnFolder, of_library, store, uploaded
from simbackup.web.workers import Send, failed

Task = Mapping[str, Any]
QUESTION = "A site over months: does it fit, until when, and what does it cost?"
MOST_WORDS = 40
"""Words that are offered at once."""


def run(task: Task, send: Send) -> None:
    """Run a text with some changes, and report: the text, its picture and levers, then answers, or what is wrong.

    The task has `text`, `folder` (from which files are named), `changes` by address, `before` (figures of the variant
    before), `until` (for sites) and `out`, the folder for files to download.
    """
    text = _ended(task["text"])
    try:
        with _in_folder(task["folder"]):
            text = _moved(text, task["changes"])
            (site_run.run if is_site(text) else scenario_run.run)(task, text, send)
    except InputError as error:
        send(problems(text, error))
    except ResultError as error:
        send(failed(str(error)))


def opened(task: Task, send: Send) -> None:
    """Report the text of a document.

    It is the site of a form if the task has `described`, with `files` for its inventory; or one of `files`, which are
    stored in `folder`; or the file called `name` in that folder. Without one of that name, it is the scenario or site
    of that name that comes along.
    """
    folder = Path(task["folder"]) if task["folder"] else None
    try:
        if "described" in task:
            with _in_folder(task["folder"]):
                store(Path(task["folder"]), task["files"])
                found = site_of_form(task["described"], Path(task["folder"]))
        elif "files" in task:
            found = uploaded(Path(task["folder"]), task["files"])
        else:
            own = OwnFolder(folder)
            found = own.document(task["name"]) if task["name"] in own.names else of_library(task["name"])
    except InputError as error:
        send(problems("", error))
    else:
        send({**asdict(found), "kind": "document", "folder": str(found.folder)})


def check(task: Task, send: Send) -> None:
    """Report everything that is wrong with a text, in the words of `simbackup check`."""
    text = _ended(task["text"])
    try:
        with _in_folder(task["folder"]):
            warnings = _warnings(text)
    except InputError as error:
        send(problems(text, error))
    else:
        send(problems(text, InputError(warnings)))


def complete(task: Task, send: Send) -> None:
    """Report the words that may be meant at a place of a text: keys, or after a key what it may be."""
    lines, names = task["text"].split("\n"), shelf.names()
    here = lines[min(max(task["line"], 1), len(lines)) - 1][: max(task["column"] - 1, 0)]
    typed = re.split(r"""[\s:,{}\[\]"]""", here)[-1]
    place = place_of(lines[: max(task["line"], 1) - 1], here.removesuffix(typed))
    if place is None:
        send({"kind": "words", "words": [], "typed": typed, "value": None})
        return
    key, around = place
    site = re.search("^(?:targets|policies):", task["text"], re.MULTILINE) is not None
    schema = site_schema("site", names) if site else json_schema("scenario", names)
    known = vocabulary(schema, key)
    fitting = set[str]()
    if key not in {None, "model"}:
        known |= dict.fromkeys(re.findall(r"^  ([\w-]+):", task["text"], re.MULTILINE), "a name in this text")
    if key == "model":
        known |= {name: "" for name in names if name not in known}
        fitting = {around, *(word.partition("/")[0] for word in vocabulary(schema, around) if "/" in word)}
    matching = [word for word in known if typed.lower() in word.lower() and word != typed]
    matching.sort(key=lambda word: (word.partition("/")[0] not in fitting, not word.lower().startswith(typed.lower())))
    words = [{"text": word, "about": known[word]} for word in matching[:MOST_WORDS]]
    send({"kind": "words", "words": words, "typed": typed, "value": key})


def place_of(above: Sequence[str], before: str) -> tuple[str | None, str] | None:
    """The key whose value a word after a part of a line is, None if it is a key, and the key around both.

    Nothing where a word can be neither, such as inside a text.

    >>> place_of([], "  a: {owns: [disk, "), place_of(["owns:", "- tape"], "- "), place_of(["disk:"], "  model: ")
    (('owns', 'a'), ('owns', ''), ('model', 'disk'))
    >>> place_of(["jobs:"], "  "), place_of([], "title: A ")
    ((None, 'jobs'), None)
    """
    while (closed := re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]", "x", before)) != before:
        before = closed
    indent = len(before) - len(before.lstrip(" "))
    inner = re.search(r"([\w-]+): *\{[^{]*$", before)
    value = re.search(r"""([\w-]+): *(?:\[(?:[^\[{]*,)? *)?["']?$""", before)
    if value is not None:
        return value[1], inner[1] if inner else _key_above(above, indent - 1)
    if re.search(r"""\{(?:[^\[{]*,)? *["']?$""", before):
        return None, inner[1] if inner else ""
    item = re.fullmatch(r""" *(- +)?["']?""", before)
    if item is None:
        return None
    if item[1]:
        return _key_above(above, indent) or None, _key_above(above, indent - 1)
    return None, _key_above(above, indent - 1)


def _key_above(lines: Sequence[str], indent: int) -> str:
    """The key of the nearest line above that is indented no more, items of a list left out; empty without one."""
    found = (re.match(r"( *)([\w-]+):", line) for line in reversed(lines))
    return next((key[2] for key in found if key is not None and len(key[1]) <= indent), "")


def vocabulary(schema: Json, key: str | None = None) -> dict[str, str]:
    """All keys of a JSON Schema with what they mean; or the words that keys of a name may be.

    >>> vocabulary({"properties": {"a": {"enum": ["b", "c"], "description": "A letter."}}})
    {'a': 'A letter.'}
    >>> vocabulary({"properties": {"a": {"enum": ["b", "c"], "description": "A letter."}}}, "a")
    {'b': 'A letter.', 'c': 'A letter.'}
    """
    found: dict[str, str] = {}

    def search(node: object) -> None:
        if isinstance(node, list):
            for inner in cast("list[object]", node):
                search(inner)
        elif isinstance(node, dict):
            for name, form in cast("Json", node).get("properties", {}).items():
                if key is None:
                    found.setdefault(name, form.get("description", ""))
                elif name == key:
                    found.update(_legal(schema, form) | found)
            search(list(cast("Json", node).values()))

    search(schema)
    return found


def _legal(schema: Json, form: Json) -> dict[str, str]:
    """The words that a form of a JSON Schema allows, or gives as examples, with what the form means."""
    words = *form.get("enum", ()), *form.get("examples", ()), *([form["const"]] if "const" in form else ())
    found = {str(word): str(form.get("description", "")) for word in words if word is not None}
    inside = [each for some in ("allOf", "anyOf", "oneOf") for each in form.get(some, ())]
    if "$ref" in form:
        inside.append(schema["$defs"][form["$ref"].rpartition("/")[2]])
    for each in inside:
        found = _legal(schema, each) | found
    return found


def points(task: Task, send: Send) -> None:
    """Report the restore points of the site of a text on the date `at`; a year after its start without one."""
    text = _ended(task["text"])
    try:
        with _in_folder(task["folder"]):
            site = load_site(text)
        now = moment_of(site, moment_at(site.start, task["at"]) if task["at"] else None)
        tables = [(table, None) for table in tables_of_points(points_at(site, now))]
    except InputError as error:
        send(problems(text, error))
    else:
        first, last = site.start, end_of(site.start, "99y")
        send({
            "kind": "points", "at": str(now.date()), "first": str(first), "last": str(last),
            "html": rendered("tables.html", tables=tables),
        })  # fmt: skip


def library(task: Task, send: Send) -> None:
    """Report the datasheets by kind, then the scenarios and sites that come along, with titles and questions."""
    del task
    send({"kind": "sheets", "kinds": datasheets()})
    sites = [_site(path, root / "scenarios") for root in shelf.roots() for path in _sites(root / "scenarios")]
    send({"kind": "library", "scenarios": scenario_list(), "sites": sites})


def nothing(task: Task, send: Send) -> None:
    """Do nothing: the first worker makes what all are copies of."""
    del task, send


def is_site(text: str) -> bool:
    """Whether a text is that of a site.

    Raises
    ------
    InputError
        It is not valid YAML.
    """
    return kind_of(parse(text, "text", twice=[]).mapping) == "site"  # a key that appears twice is one mistake of many


def _warnings(text: str) -> Sequence[Problem]:
    """What `check` warns of; a scenario without jobs may be there for others to extend.

    Raises
    ------
    InputError
        Everything that is wrong with the text.
    """
    if is_site(text):
        return cautions(load_site(text))
    scenario = load(text)
    return warnings_of(scenario) if scenario.spec.jobs else []


def _moved(text: str, changes: Mapping[str, str]) -> str:
    """The text with the values of levers that were moved.

    Raises
    ------
    InputError
        It cannot be changed: everything that is wrong with it.
    """
    try:
        return edited(text, changes, "text")
    except InputError:
        load_site(text) if is_site(text) else load(text)  # all that is wrong with it
        raise


def problems(text: str, error: InputError) -> dict[str, Any]:
    """The message of what is wrong with a text; a line is 0 where a problem has no place in it."""
    every = (*error.problems, *error.notes)
    return {
        "kind": "problems", "text": text, "right": not any(one.severity == "error" for one in every),
        "html": rendered("problems.html", problems=[_shown(one) for one in every]),
        "lines": [_shown(one) for one in every],
    }  # fmt: skip


def _shown(one: Problem) -> dict[str, Any]:
    here = one.place.file in {"text", "site"}
    where = f"line {one.place.line}" if here and one.place.line else "" if here else str(one.place)
    if one.place.file == MADE and one.place.line:  # the form has rows, and no lines
        where = f"row {one.place.line}:"
    said = str(Problem(one.place, one.address, one.message, one.remedy)).removeprefix(f"{one.place}: ")
    return {
        "line": one.place.line if here else 0, "column": one.place.column if here else 0, "where": where,
        "said": said, "severity": one.severity,
    }  # fmt: skip


def _sites(folder: Path) -> list[Path]:
    return sorted((folder / "planning").glob("*.site.yaml"))


def _site(path: Path, folder: Path) -> dict[str, str]:
    """The name, the title and the question of a site."""
    name = path.relative_to(folder).as_posix().removesuffix(".site.yaml")
    with suppress(InputError, KeyError):
        return {"name": name, "question": QUESTION, "title": str(read(path).mapping["title"].value)}
    return {"name": name, "question": QUESTION, "title": name}


def _ended(text: str) -> str:
    """The text with a line break at its end, so that it is never taken for the name of a file."""
    return text if text.endswith("\n") else f"{text}\n"


def _in_folder(folder: str) -> Any:
    """Stand in a folder, and see no files but those in it."""
    try:
        os.chdir(folder)
    except OSError as error:
        why = f"its folder cannot be used ({error.strerror})"
        raise InputError([Problem(Place("text"), "", why, "open it again")]) from None
    return shelf.confined(Path(folder))
