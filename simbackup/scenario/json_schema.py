"""The JSON Schema (draft 2020-12) of each kind of file, made from the classes that read it.

Editors use it for completion and help. It describes the form of one file; only `simbackup check` sees other
files (names, datasheets) and sums (capacities, times).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from simbackup import units
from simbackup.scenario.spec import SECTIONS, Spec
from simbackup.schema.calibration import Fit
from simbackup.schema.capability import Device
from simbackup.schema.datasheet import KEYS
from simbackup.schema.fleet import PARTS, Fleet, SpreadStarts
from simbackup.schema.fleet_schema import with_placeholders
from simbackup.schema.job import JobSpec, Names
from simbackup.schema.measured import FORMS, MeasuredRow
from simbackup.schema.origin import NEEDS, Origin
from simbackup.schema.part import Modelled
from simbackup.schema.patterns import name_pattern, quantity_pattern
from simbackup.schema.quantity import EXAMPLES, LATEST, Frozen, Unit, Word
from simbackup.schema.reflection import (
    about,
    mark_of,
    nested_part,
    optional,
    plain_keys,
    required,
    sheet_kind,
    words_of,
)
from simbackup.schema.registry import device_kinds, method_kinds, sheets, workload_kinds
from simbackup.schema.study import StudySpec

Json = dict[str, Any]
Kind = Literal["scenario", "datasheet", "study", "measured", "calibration"]
KINDS: dict[Kind, str] = {
    "scenario": "A scenario: machines, devices, data, and what is done with them.",
    "datasheet": "A datasheet: what is known of one make-and-model, and from where.",
    "study": "A study: runs of scenarios with values varied (NAME.study.yaml).",
    "measured": "The measured rows of a document (measured.yaml).",
    "calibration": "The constants that are fitted to measured rows (calibration.yaml).",
}
"""The kinds of files that have a schema."""

TEXTS = {
    "title": "What the file is about, in one line.",
    "question": "The question that the scenario answers.",
    "extends": "The scenario file that this one extends; values given here win.",
    "kind": "The kind of part that the datasheet describes.",
    "description": "What the part is, in a sentence or two.",
    "parameters": "Its values, each with its basis.",
    "devices": "Disks, arrays, volumes, snapshots and tape libraries, by name.",
    "workloads": "Users and applications that go on working, by name.",
    "jobs": "What is done, by name.",
    "fleets": "Many similar parts, by name of the fleet: repeated for each row of a table, or a number of times.",
    "document": "The document that was read.",
    "measurements": "The measured rows, by id.",
    "constants": "The constants that are fitted, by name.",
}  # fmt: skip
"""Texts of the keys that no class holds."""

_ONE_OR_MORE = get_args(Names)[1]


def json_schema(kind: Kind, datasheets: Iterable[str] = ()) -> Json:
    """The JSON Schema of a kind of file.

    Parameters
    ----------
    kind
        One of `KINDS`.
    datasheets
        Names of datasheets, `kind/name`, that editors offer where one may be named.

    >>> sorted(json_schema("calibration")["properties"])
    ['constants']
    """
    build = _Builder(tuple(datasheets))
    bodies: dict[Kind, Callable[[], Json]] = {
        "scenario": build.scenario,
        "datasheet": build.datasheet,
        "study": lambda: build.whole(StudySpec),
        "measured": build.measured,
        "calibration": lambda: _closed({"constants": build.named(build.whole(Fit), TEXTS["constants"])}, "constants"),
    }
    body = bodies[kind]()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind.capitalize()}
    return {**head, **body, "description": KINDS[kind], "$defs": dict(sorted(build.defs.items()))}


@dataclass(slots=True)
class _Builder:
    """Makes the schemas of one file, and collects shared definitions."""

    datasheets: tuple[str, ...]
    defs: Json = field(default_factory=dict[str, Any])

    def scenario(self) -> Json:
        """A scenario; keys are only required in one that extends none, and so is complete."""
        properties = {name: _text(TEXTS[name]) for name in ("title", "question", "extends")}
        complete: Json = {}
        for section, part in _sections().items():
            if part is Device:
                here, whole = self.device()
            elif part is JobSpec:
                here, whole = self.job()
            elif section == "workloads":
                here, whole = self.workload()
            else:
                here, whole = self.part(part), required(part)
            parts = self.named(here, TEXTS.get(section) or f"By name: {about(part)}")
            properties[section] = {**parts, "type": ["object", "null"], "propertyNames": {"pattern": name_pattern()}}
            if whole:
                complete[section] = {"additionalProperties": whole}
        properties["fleets"] = self.fleets({name: properties[name] for name in PARTS})
        ordered = {name: properties[name] for name in SECTIONS}
        needs = {"required": ["title"], "properties": complete}
        return {**_closed(ordered), "if": {"required": ["extends"]}, "else": needs}

    def fleets(self, sections: Json) -> Json:
        """Fleets: a count or an inventory, and parts in whose keys and values placeholders may stand."""
        own = {name: self.key(Fleet, name, plain_keys(Fleet)[name]) for name in Fleet.model_fields if name not in PARTS}
        self.part(SpreadStarts)
        for name in PARTS:
            text = Fleet.model_fields[name].description or ""
            laid_out = with_placeholders(sections[name]["additionalProperties"], self.defs)
            own[name] = {**self.named(laid_out, text), "type": ["object", "null"]}
        self.defs["Fleet"] = {"description": about(Fleet), **_closed(own)}
        return self.named(_ref("Fleet"), TEXTS["fleets"]) | {"type": ["object", "null"]}

    def device(self) -> tuple[Json, Json]:
        """A device, and what a complete one requires."""
        model = {"description": Modelled.model_fields["model"].description}
        model |= self.sheet_name(*(kind for kind in device_kinds() if kind in sheets()))
        return self.choice(
            "Device",
            {"kind": _offered("kind", (kind.spec for kind in device_kinds().values())), "model": model},
            _device_cases(),
        )

    def job(self) -> tuple[Json, Json]:
        """A job, and what a complete one requires."""
        restore = {"description": method_kinds()["restore"].spec.model_fields["restore"].description, "type": "string"}
        keys = {"method": _offered("method", _methods()), "restore": restore}
        return self.choice("Job", keys, _job_cases())

    def workload(self) -> tuple[Json, Json]:
        """A workload, and what a complete one requires."""
        keys = {
            "data": plain_keys(workload_kinds()["users"].spec)["data"],
            "model": self.sheet_name("workload"),
            "via": {},
        }
        return self.choice("Workload", keys, _workload_cases())

    def choice(self, name: str, keys: Json, cases: list[tuple[Json, type[Frozen]]]) -> tuple[Json, Json]:
        """A part whose class one of two keys decides: its form, and what a complete one requires."""
        parts = {part: self.part(part) for _, part in cases}
        told = {"anyOf": [{"required": [key]} for key in keys]}
        self.defs[name] = {
            "description": f"A {name.lower()}, identified by `{'` or `'.join(keys)}`.",
            "type": "object",
            "properties": keys,
            "allOf": [
                *({"if": case, "then": parts[part]} for case, part in cases),
                {"if": {"not": told}, "then": {"anyOf": list(parts.values())}},
            ],
        }
        needs = [{"if": case, "then": required(part)} for case, part in cases if required(part)]
        return _ref(name), {**told, "allOf": needs}

    def datasheet(self) -> Json:
        """A datasheet: the parameters of its kind, each with its basis."""
        properties = {key: _text(TEXTS[key]) for key in KEYS}
        properties["kind"] = {"description": TEXTS["kind"], "enum": list(sheets())}
        properties["parameters"] = {"description": TEXTS["parameters"], "type": "object"}
        cases = [
            {"if": _says("kind", kind), "then": {"properties": {"parameters": self.parameters(part)}}}
            for kind, part in sheets().items()
        ]
        return {**_closed(properties, "title", "kind", "parameters"), "allOf": cases}

    def parameters(self, part: type[Frozen]) -> Json:
        """The parameters of a datasheet."""
        basis = {"required": ["basis"], "properties": {"basis": {"enum": list(NEEDS)}}}
        self.defs["BasisOfDatasheet"] = {"description": "A datasheet states the basis of each value.", **basis}
        plain, properties = plain_keys(part), dict[str, Any]()
        for name in part.model_fields:
            unit, word = mark_of(part, name, Unit), mark_of(part, name, Word)
            form = self.originated(unit) if unit else self.word(plain[name])[1] if word else {}
            text = {"description": self.text(part, name, unit)}
            properties[name] = {**text, "type": "object", "allOf": [form, _ref("BasisOfDatasheet")]}
        needs = [name for name, told in part.model_fields.items() if told.is_required()]
        self.defs[_name(part)] = {"description": about(part), **_closed(properties, *needs)}
        return _ref(_name(part))

    def measured(self) -> Json:
        """Measured rows, each with the address of its simulated value."""
        row = self.whole(MeasuredRow)
        pair = {"type": "array", "items": {"type": "string", "pattern": "#"}, "minItems": 2, "maxItems": 2}
        form = {"type": "object", "propertyNames": {"enum": list(FORMS)}, "additionalProperties": pair}
        address = {"type": "string", "pattern": "#."}
        row["properties"]["result"]["anyOf"] = [address, {**form, "minProperties": 1, "maxProperties": 1}]
        rows = self.named(row, TEXTS["measurements"]) | {"minProperties": 1}
        return _closed({"document": _text(TEXTS["document"]), "measurements": rows}, "document", "measurements")

    def named(self, part: Json, text: str) -> Json:
        """Parts by name."""
        return {"description": text, "type": "object", "additionalProperties": part}

    def part(self, part: type[BaseModel]) -> Json:
        """Reference to the form of a class; nothing in it is required, as the rest may be in another file."""
        if _name(part) not in self.defs:
            self.defs[_name(part)] = {}  # a place for a class that holds itself
            self.defs[_name(part)] = self.form(part)
        return _ref(_name(part))

    def whole(self, part: type[BaseModel]) -> Json:
        """The form of a class, with what it requires."""
        needs = [name for name, told in part.model_fields.items() if told.is_required()]
        return {**self.form(part), "required": needs}

    def form(self, part: type[BaseModel]) -> Json:
        """The keys of a class."""
        plain = plain_keys(part)
        return {"description": about(part), **_closed({name: self.key(part, name, plain[name]) for name in plain})}

    def key(self, part: type[BaseModel], name: str, plain: Json) -> Json:
        """What one key of a class may hold."""
        unit, nested = mark_of(part, name, Unit), nested_part(part, name)
        told: Json = {"description": self.text(part, name, unit)}
        kind = sheet_kind(part)
        if unit:
            told["anyOf"] = [self.scalar(unit), self.originated(unit)]
            told["examples"] = [EXAMPLES[unit.unit]]
        elif mark_of(part, name, Word):
            told["anyOf"] = list(self.word(plain))
        elif nested:
            kind = sheet_kind(nested)
            told["anyOf"] = [*([self.sheet_name(kind)] if kind else []), self.part(nested)]
        elif name == "model" and kind:
            told["anyOf"] = [self.sheet_name(kind)]
        elif _ONE_OR_MORE in part.model_fields[name].metadata:
            told["anyOf"] = [plain["items"], {key: plain[key] for key in ("type", "items")}]
        else:
            return {**plain, **told}
        if optional(part, name):
            told["anyOf"] = [*told["anyOf"], {"type": "null"}]
        return told

    def text(self, part: type[BaseModel], name: str, unit: Unit | None) -> str:
        """What a key means, with its unit."""
        text = part.model_fields[name].description or about(part)
        return f"{text} {self.resolved(self.scalar(unit))['description']}" if unit else text

    def sheet_name(self, *kinds: str) -> Json:
        """Name of a datasheet of some kinds."""
        offered = [name for name in self.datasheets if name.split("/", maxsplit=1)[0] in kinds]
        return {"type": "string", "pattern": f"^({'|'.join(kinds)})/.", **({"examples": offered} if offered else {})}

    def scalar(self, unit: Unit) -> Json:
        """Reference to a quantity without its origin."""
        dimension = units.DIMENSIONS[unit.unit]
        name, text = (
            dimension.noun.replace(" ", "_"),
            f"{dimension.noun.capitalize()}, for example {EXAMPLES[unit.unit]}",
        )
        bounds: Json = {"exclusiveMinimum" if unit.positive else "minimum": unit.least}
        if unit.positive:
            name, text = f"{name}_above_0", f"{text}; more than 0"
        elif unit.least:
            name, text = f"{name}_from_{unit.least:g}", f"{text}; at least {units.show(unit.least, unit.unit)}"
        if unit.most not in {LATEST, float("inf")}:  # a century bounds every time, and is not worth a word each
            name, text = f"{name}_to_{unit.most:g}", f"{text}; at most {units.show(unit.most, unit.unit)}"
            bounds["maximum"] = unit.most
        if "" not in dimension.names:
            bounds["maximum"] = 0  # the only number that needs no unit
        pattern = quantity_pattern(unit.unit)
        if unit.words:
            words = [word for word, _ in unit.words]
            name, text = f"{name}_or_{'_'.join(words)}", f"{text}; or {' or '.join(words)}"
            pattern = f"^(?:{'|'.join(words)})$|{pattern}"
        number = "integer" if unit.unit == "count" else "number"
        self.defs[name] = {
            "description": f"{text}.", "examples": [EXAMPLES[unit.unit]], "type": ["string", number],
            "pattern": pattern, **bounds,
        }  # fmt: skip
        return _ref(name)

    def originated(self, unit: Unit) -> Json:
        """Reference to a quantity with its origin."""
        scalar = self.scalar(unit)
        name = f"{scalar['$ref'].rsplit('/', maxsplit=1)[-1]}_with_origin"
        if name not in self.defs:
            self.part(Origin)
            self.defs["NeedsOfBasis"] = {
                "description": "The keys that a value on each basis must also have.",
                "allOf": [{"if": _says("basis", basis), "then": {"required": list(n)}} for basis, n in NEEDS.items()],
            }
            inside = {"value": scalar, "range": {"items": scalar}, "plausible": {"items": scalar}}
            self.defs[name] = {
                "description": f"{units.DIMENSIONS[unit.unit].noun.capitalize()}, and where it comes from.",
                "type": "object",
                "required": ["value"],
                "allOf": [_ref("Origin"), _ref("NeedsOfBasis"), {"properties": inside}],
            }
        return _ref(name)

    def word(self, plain: Json) -> tuple[Json, Json]:
        """A word, any or one of a list, and the same with its origin; whole numbers may be written without quotes."""
        if plain["type"] == "string" and not {"enum", "const"} & set(plain):
            any_word: Json = {"properties": {"value": {"type": "string"}}}
            return {"type": "string"}, {"type": "object", "required": ["value"], "allOf": [self.part(Origin), any_word]}
        words: list[Any] = list(plain.get("enum") or [plain["const"]] if plain["type"] == "string" else (True, False))
        words += [int(word) for word in words if str(word).isdigit()]
        inside = {"properties": {"value": {"enum": words}}}
        return {"enum": words}, {"type": "object", "required": ["value"], "allOf": [self.part(Origin), inside]}

    def resolved(self, ref: Json) -> Json:
        """The definition that a reference points to."""
        return self.defs[ref["$ref"].rsplit("/", maxsplit=1)[-1]]


def _name(part: type[BaseModel]) -> str:
    """The name of the form of a class."""
    return part.__name__.removesuffix("Spec")


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _text(text: str) -> Json:
    return {"description": text, "type": "string", "minLength": 1}


def _says(key: str, *words: str) -> Json:
    """Condition that a key holds one of some words."""
    return {"required": [key], "properties": {key: {"enum": list(words)}}}


def _closed(properties: Json, *needs: str) -> Json:
    """A mapping of these keys and no others."""
    needed: Json = {"required": list(needs)} if needs else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _offered(key: str, parts: Iterable[type[Frozen]]) -> Json:
    """The words that a key may hold in any of some classes, each with what it stands for."""
    words = {part: words_of(part, key) for part in parts}
    text = "\n".join(f"{', '.join(each)}: {about(part)}" for part, each in words.items())
    return {"description": text, "enum": [word for each in words.values() for word in each]}


def _sections() -> dict[str, type[Frozen]]:
    """The sections of a scenario that hold parts by name, with the class of those."""
    hints = get_type_hints(Spec)
    return {name: get_args(hints[name])[1] for name in SECTIONS if get_origin(hints.get(name)) is dict}


def _device_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a device is of each class: it names the kind, or a datasheet of it."""
    cases: list[tuple[Json, type[Frozen]]] = []
    for kind, part in ((name, each.spec) for name, each in device_kinds().items()):
        model = {"required": ["model"], "properties": {"model": {"type": "string", "pattern": f"^{kind}/"}}}
        cases.append(({"anyOf": [_says("kind", kind), model]} if kind in sheets() else _says("kind", kind), part))
    return cases


def _workload_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a workload is of each class: it works on data, or only crosses links."""
    on_data = {"anyOf": [{"required": ["data"]}, {"required": ["model"]}]}
    kinds = workload_kinds()
    return [(on_data, kinds["users"].spec), ({"required": ["via"], "not": on_data}, kinds["requests"].spec)]


def _methods() -> dict[type[JobSpec], None]:
    """The classes of jobs that name a method."""
    return {kind.spec: None for name, kind in method_kinds().items() if name != "restore"}


def _job_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a job is of each class: it names a method, or what it restores."""
    cases: list[tuple[Json, type[Frozen]]] = [(_says("method", *words_of(part, "method")), part) for part in _methods()]
    return [*cases, ({"required": ["restore"]}, method_kinds()["restore"].spec)]
