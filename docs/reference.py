"""Write docs/reference/ from the classes that read the files; python docs/reference.py."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from ruamel.yaml import YAML

from simbackup import shelf, units
from simbackup.foreign.histories.finished_job import COLUMNS, FinishedJob
from simbackup.foreign.histories.reports import MappingSpec, built_in
from simbackup.planning.goals import GoalsSpec, RestoreGoalSpec
from simbackup.planning.spec import SiteSpec, TargetSpec
from simbackup.protection.spec import LossesSpec, LossSpec
from simbackup.scenario import load, names
from simbackup.scenario.json_schema import TEXTS
from simbackup.scenario.spec import SECTIONS as TOP
from simbackup.schema import registry
from simbackup.schema.fleet import Fleet, SpreadStarts
from simbackup.schema.job import JobSpec
from simbackup.schema.measured import MeasuredRow
from simbackup.schema.origin import Origin
from simbackup.schema.part import Part
from simbackup.schema.quantity import EXAMPLES, LATEST, Quantity, Unit
from simbackup.schema.reflection import attribute_texts, held_parts, mark_of, nested_part, sheet_kind, text_of
from simbackup.schema.study import ChanceSpec, Fit, HistorySpec, StudySpec
from simbackup.schema.yaml_file import read

FOLDER = Path(__file__).parent / "reference"
FIRST = 8
"""Values of a datasheet that its page shows as an example."""
KINDS = frozenset({"kind", "method"})
"""Keys with the name of a kind."""
FOLDERS = ("devices", "jobs", "workloads")
"""Sections whose pages lie in a folder."""
SECTIONS = ("hosts", "links", "devices", "data", "workloads", "jobs")
SHAPES = {
    "bool": "`true` or `false`",
    "dict": "mapping",
    "tuple[typing.Any, typing.Any]": "two values, `[lowest, highest]`",
    "tuple": "name, or list of names",
    "datetime.date": "date, such as `2027-01-04`",
    "<class 'int'>": "whole number",
    "<class 'float'>": "number",
    "str": "text",
    "": "text or mapping",
}
"""What a key holds, by the first of these that its type has in it."""
NOUNS = {unit: one.noun for unit, one in units.DIMENSIONS.items()} | {"1": "share"}
WRITTEN = {
    "jobs.md": """\
extends: teaching/short-backups
jobs:
  save: {begin: "22:00", every: 1 d, until: 7 d, window: 8 h, retries: 2, retry_after: 10 min}
""",
    "chance.md": """\
extends: teaching/short-backups
chance:
  how_much: {of: data.log.size, distribution: lognorm, shapes: {s: 0.5}, by: factor, least: 0.1, most: 10}
""",
    "devices/cloud_disk.md": """\
extends: teaching/short-backups
devices:
  c: {model: cloud_disk/gp3, capacity: 500 GB}
""",
    "failures.md": """\
extends: teaching/short-backups
jobs:
  save: {retries: 1, retry_after: 1 s}
failures:
  outage: {device: c, after: save, delay: 10 ms, lasts: 2 s}
""",
    "history.md": """\
extends: teaching/short-backups
history:
  jobs:
    save: {where: {level: full}, set: {data.log.size: read_bytes}}
  fit:
    writes: {datasheet: ssd/sata-ssd-2015, parameter: write_rate, plausible: [100 MB/s, 550 MB/s], why: not stated}
""",
    "origin.md": """\
extends: teaching/short-backups
data:
  log:
    size: {value: 7 MiB, basis: assumed, range: [5 MiB, 20 MiB], why: "not measured yet; a quiet day"}
""",
}
"""Examples of pages for which no scenario has a short one; each can be checked as it is."""
Pages = dict[str, str]


def pages() -> Pages:
    """The text of each page by its path below docs/reference/."""
    found: Pages = {}
    examples = _examples()
    rows, fits = _file("published/*/measured.yaml", "measurements"), _file("published/*/calibration.yaml", "constants")
    for name, kind in registry.device_kinds().items():
        found[f"devices/{name}.md"] = _page(name, kind.spec, examples.get(kind.spec), "devices")
    for name, section in registry.sections().items():
        found[f"{name}.md"] = _page(name, section, examples.get(section), name)
    for kind in {id(kind): kind for kind in registry.method_kinds().values()}.values():
        found[f"methods/{kind.names[0]}.md"] = _page(", ".join(kind.names), kind.spec, examples.get(kind.spec), "jobs")
    for name, kind in registry.workload_kinds().items():
        found[f"workloads/{name}.md"] = _page(name, kind.spec, examples.get(kind.spec), "workloads")
    beside = _beside_sheets()
    for name, sheet in registry.sheets().items():
        found[f"datasheets/{name}.md"] = _page(name, sheet, _sheet(name), "") + _beside(name, beside.get(name))
    found["jobs.md"] = _page("Every job", JobSpec, None, "") + _written("jobs.md")
    found["study.md"] = _page("Studies: NAME.study.yaml", StudySpec, _file("*/*.study.yaml"), "")
    found["fleets.md"] = "\n".join([_page("Fleets", Fleet, None, ""), *_nested("begin", SpreadStarts), *_fleet(), ""])
    found["site.md"] = _site()
    found["measured.md"] = _page("Measured rows: measured.yaml", MeasuredRow, rows, "")
    found["calibration.md"] = _page("Fitted constants: calibration.yaml", Fit, fits, "")
    found["chance.md"] = _page("Chance", ChanceSpec, None, "chance") + _written("chance.md")
    found["history.md"] = _history() + _written("history.md")
    found["origin.md"] = _page("Where a value comes from", Origin, None, "") + _written("origin.md")
    for page in ("failures.md", "devices/cloud_disk.md"):
        found[page] += _written(page)
    found["README.md"] = _contents(found)
    return found


def _page(title: str, part: type[BaseModel], example: tuple[str, str] | None, section: str) -> str:
    """The page of one class: what it is, its keys, and an example from a scenario."""
    keys, sheet = list(part.model_fields), sheet_kind(part)
    common = set(JobSpec.model_fields) if issubclass(part, JobSpec) and part is not JobSpec else set[str]()
    of_sheet = registry.sheets()[sheet].model_fields if sheet else {}
    supplied = [k for k in keys if k in of_sheet and of_sheet[k].is_required() == part.model_fields[k].is_required()]
    lines = [f"# {title}", "", _text(part.__doc__), ""]
    if section:
        lines += [f"Belongs under `{section}:`.", ""]
    lines += _table(part, [key for key in keys if key not in common and key not in supplied])
    if supplied:
        named, up = ", ".join(f"`{key}`" for key in supplied), "../" if section in FOLDERS else ""
        lines += ["", f"Keys of its [datasheet]({up}datasheets/{sheet}.md); values written here override it: {named}."]
    if common:
        named = ", ".join(f"`{key}`" for key in sorted(common))
        lines += ["", f"Keys of [every job](../jobs.md): {named}."]
    lines += _inside(part, [key for key in keys if key not in common], {part}, "../" if section in FOLDERS else "")
    if example is not None:
        origin, text = example
        lines += ["", "## Example", "", f"From `{origin}`:", "", "```yaml", text.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _beside_sheets() -> dict[str, type[BaseModel]]:
    """For each kind of datasheet the mapping inside a part that may name one."""
    kinds = (registry.device_kinds(), registry.method_kinds(), registry.workload_kinds())
    parts = [*registry.sections().values(), *(kind.spec for each in kinds for kind in each.values())]
    found: dict[str, type[BaseModel]] = {}
    for part in parts:
        for key in part.model_fields:
            inner = nested_part(part, key)
            kind = sheet_kind(inner) if inner is not None else None
            if inner is not None and kind is not None:
                found.setdefault(kind, inner)
    return found


def _beside(kind: str, part: type[BaseModel] | None) -> str:
    """The keys that a mapping in a scenario has beside those of a datasheet."""
    if part is None or not (keys := _further(part, kind)):
        return ""
    said = f"Further keys, for a mapping in a scenario with `model: {kind}/NAME`:"
    return "\n".join(["", "## In a scenario", "", said, "", *_table(part, keys)]) + "\n"


def _further(part: type[BaseModel], kind: str) -> list[str]:
    """The keys of a mapping that its kind of datasheet does not have."""
    return [key for key in part.model_fields if key not in {*registry.sheets()[kind].model_fields, "model", "kind"}]


def _site() -> str:
    """The page of site files, and of the goals beside them."""
    lines = [_page("Sites: site.yaml", SiteSpec, None, "").rstrip()]
    lines += ["", "For complete files, see `scenarios/planning/templates/`; for results, see [plan a site]"]
    lines[-1] += "(../how-to/plan-a-site.md)."
    lines += ["", "# Goals: goals.yaml", "", _text(GoalsSpec.__doc__), "", *_table(GoalsSpec, GoalsSpec.model_fields)]
    lines += ["", *_nested("restores", RestoreGoalSpec), "", "# Losses: losses.yaml", "", _text(LossesSpec.__doc__), ""]
    lines += [*_table(LossesSpec, LossesSpec.model_fields), "", *_nested("losses", LossSpec)]
    return "\n".join([*lines, ""])


def _history() -> str:
    """The page of histories: the block of a scenario, the columns of jobs.csv, and mappings of columns."""
    lines = [_page("Histories of jobs: history, jobs.csv", HistorySpec, None, "").rstrip(), ""]
    lines += ["## `jobs.csv`", ""]
    lines += [_text(FinishedJob.__doc__), "", "| column | meaning |", "|---|---|"]
    lines += [f"| `{column}` | {_text(attribute_texts(FinishedJob)[column])} |" for column in COLUMNS]
    lines += ["", "## Mappings of columns: NAME.yaml", "", _text(MappingSpec.__doc__), ""]
    lines += [*_table(MappingSpec, MappingSpec.model_fields), "", "These mappings come with simbackup:", ""]
    lines += [f"- `{name}`: {each.title}" for name, each in built_in().items()]
    return "\n".join([*lines, ""])


def _nested(key: str, part: type[BaseModel]) -> list[str]:
    """What stands inside a key."""
    return [f"## `{key}`", "", _text(part.__doc__), "", *_table(part, list(part.model_fields))]


def _inside(part: type[BaseModel], keys: Iterable[str], shown: set[type[BaseModel]], up: str) -> list[str]:
    """What stands inside some keys, and what that holds in its turn; each class once on a page."""
    lines: list[str] = []
    for key, inner in [(name, each) for name in keys for each in held_parts(part, name)]:
        kind = sheet_kind(inner)
        if inner in shown:
            continue
        shown.add(inner)
        if kind is None:
            lines += ["", *_nested(key, inner), *_inside(inner, inner.model_fields, shown, up)]
        elif further := _further(inner, kind):
            said = f"Keys besides those of its [datasheet]({up}datasheets/{kind}.md):"
            lines += ["", f"## `{key}`", "", _text(inner.__doc__), "", said, "", *_table(inner, further)]
    return lines


def _table(part: type[BaseModel], keys: Iterable[str]) -> list[str]:
    rows = [f"| `{key}` | {_type(part, key)} | {_default(part, key)} | {_meaning(part, key)} |" for key in keys]
    return ["| key | value | default | meaning |", "|---|---|---|---|", *rows] if rows else ["It has no keys."]


def _meaning(part: type[BaseModel], key: str) -> str:
    """What a key says; a key that may hold one word only says which kind or method it is."""
    said = _text(text_of(part, key))
    words = [word for word in get_args(part.model_fields[key].annotation) if isinstance(word, str)]
    if said or len(words) != 1:
        return said
    if key == "kind" and sheet_kind(part) is not None:
        return "The kind of device; a `model` implies it."
    return f"The {'kind of device' if key == 'kind' else 'method of the job'}." if key in KINDS else f"The {key}."


def _type(part: type[BaseModel], key: str) -> str:
    """What a key holds: its dimension with an example, its words, or what it names."""
    unit, inner = mark_of(part, key, Unit), nested_part(part, key)
    words = [word for each in _alternatives(part, key) for word in get_args(each) if isinstance(word, str)]
    if known := _quantity(unit) if unit is not None else _named(part, key):
        return known
    if words:
        return " or ".join(f"`{word}`" for word in words)
    if inner is not None:
        kind, up = sheet_kind(inner), "" if part in {*registry.sections().values(), SiteSpec, TargetSpec} else "../"
        named = f"[datasheet]({up}datasheets/{kind}.md) `{kind}/NAME`, or a mapping"
        if kind is None:
            return f"mapping, see `{key}` below"
        return f"{named}; see `{key}` below" if _further(inner, kind) else named
    if held_parts(part, key):
        return f"names, each with a mapping; see `{key}` below"
    annotation = str(part.model_fields[key].annotation)
    return next(shown for begin, shown in SHAPES.items() if begin in annotation)


def _named(part: type[BaseModel], key: str) -> str:
    """What a mapping holds by name, or by one of some words; empty if its type does not say it."""
    held = next((get_args(each) for each in _alternatives(part, key) if get_origin(each) is dict), None)
    if held is None:
        return ""
    words = " or ".join(f"`{word}`" for word in get_args(held[0]) if isinstance(word, str))
    unit = next((mark for mark in getattr(held[1], "__metadata__", ()) if isinstance(mark, Unit)), None)
    if unit is None and not words:
        return ""
    each = _quantity(unit) if unit is not None else next(to for by, to in SHAPES.items() if by in str(held[1]))
    return f"{words or 'names'}, each with a {each}"


def _quantity(unit: Unit) -> str:
    """The dimension of a quantity with an example, and its bounds."""
    bounds = [f"at least {units.show_short(unit.least, unit.unit)}"] if unit.least else []
    bounds += ["more than 0"] if unit.positive and not unit.least else []
    bounds += [f"at most {units.show_short(unit.most, unit.unit)}"] if unit.most not in {LATEST, math.inf} else []
    many = unit.unit == "1" and unit.most > 1.0
    shown = "number or ratio, such as `1.5`" if many else f"{NOUNS[unit.unit]}, such as `{EXAMPLES[unit.unit]}`"
    shown = f"{shown}; {', '.join(bounds)}" if bounds else shown
    more = [*(f"`{word}`" for word, _ in unit.words), *(["a name"] if unit.named else [])]
    return ", or ".join([shown, *more, *([_quantity(unit.other)] if unit.other else [])])


def _alternatives(part: type[BaseModel], key: str) -> Iterator[Any]:
    """The annotation of a key, and what it is made of."""
    front = [part.model_fields[key].annotation]
    while front:
        here = front.pop(0)
        yield here
        front += [each for each in get_args(here) if not isinstance(each, str)]


def _default(part: type[BaseModel], key: str) -> str:
    field = part.model_fields[key]
    if field.is_required():
        return "that of `model`" if key == "kind" and sheet_kind(part) is not None else "required"
    if isinstance(field.default, Quantity):
        return f"`{field.default.text}`"
    if not field.default or field.default is PydanticUndefined:
        return "`false`" if field.default is False else ""
    if isinstance(field.default, tuple):
        return ", ".join(f"`{each}`" for each in field.default)
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def _text(text: str | None) -> str:
    """A docstring as one paragraph for a cell."""
    return " ".join((text or "").split()).replace("|", "\\|")


def _examples() -> dict[type[Part], tuple[str, str]]:
    """For each class the shortest part of a scenario that states two of its keys, with the name of the scenario."""
    found: dict[type[Part], tuple[str, str]] = {}
    ranks: dict[type[Part], tuple[bool, int]] = {}
    for name in names():
        scenario = load(name)
        for section in SECTIONS:
            parts: Mapping[str, Part] = getattr(scenario.spec, section)
            written = scenario.source.mapping.get(section)
            for key, part in parts.items():
                node = written.mapping.get(key) if written is not None else None
                if node is None:
                    continue
                text = _yaml({section: {key: _plain(node.plain())}})
                rank = (len(node.mapping) < 2, len(text))  # noqa: PLR2004
                if rank < ranks.get(type(part), (True, sys.maxsize)):
                    found[type(part)], ranks[type(part)] = (name, text), rank
    return found


def _fleet() -> list[str]:
    """A fleet of a scenario."""
    name = "planning/midnight"
    file = Path(shelf.roots()[0]) / "scenarios" / f"{name}.yaml"
    text = _yaml({"fleets": read(file, name).plain()["fleets"]})
    return ["", "## Example", "", f"From `{name}`:", "", "```yaml", text.rstrip(), "```"]


def _written(page: str) -> str:
    """The example of a page for which no scenario has a short one."""
    return f"\n## Example\n\n```yaml\n{WRITTEN[page]}```\n"


def _sheet(kind: str) -> tuple[str, str]:
    """The first values of the first datasheet of a kind, without where they come from."""
    name = next(name for name in shelf.names() if name.startswith(f"{kind}/"))
    plain = shelf.load_datasheet(name).tree.plain()
    values = {key: _first(_plain(value)) for key, value in [*plain["parameters"].items()][:FIRST]}
    kept = {key: plain[key] for key in ("title", "kind") if key in plain}
    text = _yaml({**kept, "parameters": values}, flow=False)
    more = "Its first values" if len(plain["parameters"]) > FIRST else "Its values"
    return name, f"# {more}; in the file each also states where it comes from.\n{text}"


def _first(value: Any) -> Any:
    """A value as it is; of mappings inside mappings the first of each."""
    if not isinstance(value, dict):
        return value
    inner = next((key for key, each in value.items() if isinstance(each, dict)), None)
    return {key: _first(each) for key, each in value.items() if key == inner or not isinstance(each, dict)}


def _plain(value: Any) -> Any:
    """A part as a file may write it, without the origins of its values."""
    if not isinstance(value, dict):
        return value
    return value["value"] if "value" in value else {key: _plain(inner) for key, inner in value.items()}


def _file(path: str, *keep: str) -> tuple[str, str]:
    """The shortest file of a name among the scenarios; of mappings under some keys the first part only."""
    folder = Path(shelf.roots()[0]) / "scenarios"
    file = min(folder.glob(path), key=lambda path: (len(path.read_text(encoding="utf-8")), path))
    plain = read(file, file.name).plain()
    for key in keep:
        plain[key] = dict([*plain[key].items()][:1])
    return file.relative_to(folder).as_posix(), _yaml(plain, flow=False)


def _yaml(plain: Any, *, flow: bool | None = None) -> str:
    """YAML of plain data; innermost mappings and lists on one line unless stated otherwise."""
    written = io.StringIO()
    yaml = YAML()
    yaml.width, yaml.default_flow_style = 100, flow
    yaml.dump(plain, written)
    return written.getvalue()


def _contents(found: Pages) -> str:
    """The page that lists all others, each with its first sentence."""
    lines = [
        "# Reference",
        "",
        "All keys of all files, a table for each mapping. How to read a row:",
        "",
        "- *value* is what a key holds. A quantity is a text with its unit, such as `2 TB`, or a mapping that states",
        "  [where it comes from](origin.md). Where a name or a list of names may stand, write `lan` or `[lan, line]`.",
        "- *default* is what counts if you leave the key out: `required` keys have none, and where the cell is empty,",
        "  nothing does, or what the meaning says.",
        "- A part with `model:` has all keys of that [datasheet](#datasheets); what stands beside it overrides them.",
        "  Without `model:`, it needs the keys that such a datasheet requires.",
        "",
        "A scenario is a mapping of these keys:",
        "",
        "| key | meaning |",
        "|---|---|",
        *(f"| {_linked(name, found)} | {TEXTS.get(name) or _first_sentence(found[f'{name}.md'])} |" for name in TOP),
        "",
        "`simbackup schema` prints the same texts for [editors](../editors.md). `python docs/reference.py` writes",
        "these pages from the classes that read the files.",
        "",
    ]
    folders: dict[str, list[str]] = {}
    for path, text in found.items():
        folder, _, file = path.rpartition("/")
        shown = text.partition("\n")[0].removeprefix("# ") if folder == "methods" else file.removesuffix(".md")
        row = f"| [{shown}]({path}) | {_first_sentence(text)} |"
        folders.setdefault(folder, []).append(row)
    for folder, rows in sorted(folders.items()):
        lines += [f"## {folder.capitalize() or 'Scenarios and other files'}", "", "| page | about |", "|---|---|"]
        lines += [*sorted(rows), ""]
    return "\n".join(lines[:-1]) + "\n"


def _linked(name: str, found: Pages) -> str:
    """A key of a scenario, with a link to its page or to the list of its pages."""
    if f"{name}.md" in found:
        return f"[`{name}`]({name}.md)"
    return f"[`{name}`](#{name})" if name in FOLDERS else f"`{name}`"


def _first_sentence(page: str) -> str:
    r"""What a page begins with, below its title.

    >>> _first_sentence("# raid\n\nAn array. It has disks.\n")
    'An array.'
    """
    words = " ".join(page.split("\n\n")[1].split())
    return words.partition(". ")[0].removesuffix(".").removesuffix(":") + "."


def write() -> None:
    """Write all pages, and take away those that no class stands behind any more."""
    found = pages()
    for path in FOLDER.rglob("*.md"):
        if path.relative_to(FOLDER).as_posix() not in found:
            path.unlink()
    for name, text in found.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
