"""Write docs/reference/ from the classes that read the files; python docs/reference.py."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from ruamel.yaml import YAML

from simbackup.scenario import load, names
from simbackup.schema import registry
from simbackup.schema.calibration import Fit
from simbackup.schema.fleet import Fleet, SpreadStarts
from simbackup.schema.job import JobSpec
from simbackup.schema.measured import MeasuredRow
from simbackup.schema.part import Part
from simbackup.schema.quantity import EXAMPLES, Origin, Unit, Word
from simbackup.schema.reflection import mark_of, nested_part, optional, sheet_kind
from simbackup.schema.study import Study

FOLDER = Path(__file__).parent / "reference"
UNITS = {"1": "share or ratio", "count": "count", "1/s": "frequency"}
PREFERRED = ("teaching/", "planning/", "published/")
Pages = dict[str, str]


def pages() -> Pages:
    """The text of each page by its path below docs/reference/."""
    found: Pages = {}
    examples = _examples()
    for name, kind in registry.device_kinds().items():
        found[f"devices/{name}.md"] = _page(name, kind.spec, examples.get(kind.spec), "devices")
    for name, section in registry.sections().items():
        found[f"{name}.md"] = _page(name, section, examples.get(section), name)
    for kind in {id(kind): kind for kind in registry.method_kinds().values()}.values():
        found[f"methods/{kind.names[0]}.md"] = _page(", ".join(kind.names), kind.spec, examples.get(kind.spec), "jobs")
    for name, kind in registry.workload_kinds().items():
        found[f"workloads/{name}.md"] = _page(name, kind.spec, examples.get(kind.spec), "workloads")
    for name, sheet in registry.sheets().items():
        found[f"datasheets/{name}.md"] = _page(name, sheet, None, "")
    found["jobs.md"] = _page("Every job", JobSpec, None, "")
    found["study.md"] = _page("Studies: NAME.study.yaml", Study, None, "")
    found["fleets.md"] = "\n".join([_page("Fleets", Fleet, None, ""), *_nested("spread starts", SpreadStarts)])
    found["measured.md"] = _page("Measured rows: measured.yaml", MeasuredRow, None, "")
    found["calibration.md"] = _page("Fitted constants: calibration.yaml", Fit, None, "")
    found["origin.md"] = _page("Where a value comes from", Origin, None, "")
    found["README.md"] = _contents(found)
    return found


def _page(title: str, part: type[BaseModel], example: tuple[str, str] | None, section: str) -> str:
    """The page of one class: what it is, its keys, and an example from a scenario."""
    keys = list(part.model_fields)
    common = set(JobSpec.model_fields) if issubclass(part, JobSpec) and part is not JobSpec else set[str]()
    lines = [f"# {title}", "", _text(part.__doc__), ""]
    if section:
        lines += [f"Stands under `{section}:`.", ""]
    lines += _table(part, [key for key in keys if key not in common])
    if common:
        lines += ["", "And what [every job](../jobs.md) may say: " + ", ".join(f"`{key}`" for key in sorted(common)) + "."]
    for key in keys:
        inner = nested_part(part, key)
        if inner is not None and sheet_kind(inner) is None:
            lines += ["", *_nested(key, inner)]
    if example is not None:
        scenario, text = example
        lines += ["", "## Example", "", f"From `{scenario}`:", "", "```yaml", text.rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _nested(key: str, part: type[BaseModel]) -> list[str]:
    """What stands inside a key."""
    return [f"## `{key}`", "", _text(part.__doc__), "", *_table(part, list(part.model_fields)), ""]


def _table(part: type[BaseModel], keys: Iterable[str]) -> list[str]:
    rows = [
        f"| `{key}` | {_type(part, key)} | {_default(part, key)} | {_text(part.model_fields[key].description)} |"
        for key in keys
    ]
    return ["| key | type | unless stated | meaning |", "|---|---|---|---|", *rows] if rows else ["It has no keys."]


def _type(part: type[BaseModel], key: str) -> str:
    """What a key holds: its unit with an example, its words, or what it names."""
    unit, inner = mark_of(part, key, Unit), nested_part(part, key)
    if unit is not None:
        bounds = [f"at least {unit.least:g}"] if unit.least else ["more than 0"] if unit.positive else []
        bounds += [f"at most {unit.most:g}"] if unit.most < float("inf") else []
        shown = f"{UNITS.get(unit.unit, unit.unit)}, such as `{EXAMPLES[unit.unit]}`"
        return f"{shown}; {', '.join(bounds)}" if bounds else shown
    words = [word for each in (*_alternatives(part, key),) for word in get_args(each) if isinstance(word, str)]
    if words:
        return " or ".join(f"`{word}`" for word in words)
    if inner is not None:
        kind = sheet_kind(inner)
        return f"[datasheet](../datasheets/{kind}.md) `{kind}/NAME`, or a mapping" if kind else f"mapping, see `{key}` below"
    annotation = str(part.model_fields[key].annotation)
    if "bool" in annotation or mark_of(part, key, Word) and "bool" in annotation:
        return "`true` or `false`"
    if "tuple" in annotation:
        return "name, or list of names"
    return "mapping" if "dict" in annotation else "text"


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
        return "required"
    if field.default in (None, (), "") or optional(part, key) and field.default is None:
        return ""
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def _text(text: str | None) -> str:
    """A docstring as one paragraph for a cell."""
    return " ".join((text or "").split()).replace("|", "\\|")


def _examples() -> dict[type[Part], tuple[str, str]]:
    """For each class the shortest part of a scenario that is of it, with the name of the scenario."""
    found: dict[type[Part], tuple[str, str]] = {}
    for name in (name for folder in PREFERRED for name in names() if name.startswith(folder)):
        scenario = load(name)
        for section in ("hosts", "links", "devices", "data", "workloads", "jobs"):
            parts: Mapping[str, Part] = getattr(scenario.spec, section)
            written = scenario.source.mapping.get(section)
            for key, part in parts.items():
                node = written.mapping.get(key) if written is not None else None
                if node is not None and type(part) not in found:
                    found[type(part)] = (name, _yaml({section: {key: node.plain()}}))
    return found


def _yaml(plain: Any) -> str:
    written = io.StringIO()
    yaml = YAML()
    yaml.width = 100
    yaml.dump(plain, written)
    return written.getvalue()


def _contents(found: Pages) -> str:
    """The page that lists all others."""
    lines = [
        "# Reference", "", "What files may say. Each page is written by `python docs/reference.py` from the classes that",
        "read the files; the same texts stand in `simbackup schema`.", "",
    ]  # fmt: skip
    folders: dict[str, list[str]] = {}
    for path in found:
        folder, _, file = path.rpartition("/")
        folders.setdefault(folder, []).append(f"[{file.removesuffix('.md')}]({path})")
    for folder, links in sorted(folders.items()):
        lines += [f"- **{folder or 'scenarios and other files'}**: {', '.join(sorted(links))}"]
    return "\n".join(lines) + "\n"


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
