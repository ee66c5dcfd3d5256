"""The JSON Schema (draft 2020-12) of each kind of file, made from the classes that read it.

Editors use it for completion and help. It describes the form of one file; only `simbackup check` sees other
files (names, datasheets) and sums (capacities, times).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from simbackup.policies.clock import WEEKDAYS
from simbackup.scenario.spec import SECTIONS, Spec
from simbackup.schema.capability import Device
from simbackup.schema.datasheet import KEYS
from simbackup.schema.fleet import PARTS, Fleet, SpreadStarts
from simbackup.schema.job import JobSpec
from simbackup.schema.json_forms import (
    Forms,
    Json,
    closed,
    name_of,
    name_pattern,
    plain_text,
    reference,
    says,
)
from simbackup.schema.measured import FORMS, MeasuredFile
from simbackup.schema.origin import NEEDS
from simbackup.schema.part import Modelled
from simbackup.schema.quantity import Frozen, Unit, Word
from simbackup.schema.reflection import (
    about,
    held_parts,
    holds_parts,
    mark_of,
    plain_keys,
    required,
    sheet_kind,
    text_of,
    words_of,
)
from simbackup.schema.registry import device_kinds, method_kinds, sheets, workload_kinds
from simbackup.schema.study import ChanceSpec, Constant, FitsSpec, HistoryJob, HistorySpec, StudySpec
from simbackup.schema.workload import WorkloadSpec

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
    "first_day": "The weekday on which the first day of the simulation falls, for deadlines on weekdays.",
    "kind": "The kind of part that the datasheet describes.",
    "description": "What the part is, in a sentence or two.",
    "parameters": "Its values, each with its basis.",
    "sources": "Works that only this datasheet cites, by key.",
    "devices": "Disks, arrays, volumes, snapshots and tape libraries, by name.",
    "workloads": "Users and applications that go on working, by name.",
    "jobs": "What is done, by name.",
    "failures": "Parts that fail while it runs, by any name.",
    "fleets": "Many similar parts, by name of the fleet: repeated for each row of a table, or a number of times.",
    "chance": "What chance decides, with each seed anew, by any name.",
    "history": "Which rows of a history of jobs are runs of which job, and what is fitted to them.",
}  # fmt: skip
"""Texts of the keys that no class holds."""


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
    build = _Files(tuple(datasheets), placeholders=kind == "scenario")
    bodies: dict[Kind, Callable[[], Json]] = {
        "scenario": build.scenario,
        "datasheet": build.datasheet,
        "study": lambda: build.whole(StudySpec),
        "measured": build.measured,
        "calibration": lambda: build.whole(FitsSpec),
    }
    return build.file(kind, KINDS[kind], bodies[kind]())


class _Files(Forms):
    """The schemas of files of each kind."""

    def scenario(self) -> Json:
        """A scenario; keys are only required in one that extends none, and so is complete."""
        properties = {name: plain_text(TEXTS[name]) for name in ("title", "question", "extends")}
        properties["first_day"] = {"enum": [*WEEKDAYS], "description": TEXTS["first_day"]}
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
            removable: Json = {"if": {"not": {"type": "null"}}, "then": here}  # null removes what is inherited
            parts = self.named(removable, TEXTS.get(section) or f"By name: {about(part)}")
            properties[section] = {**parts, "type": ["object", "null"], "propertyNames": {"pattern": name_pattern()}}
            if whole:
                complete[section] = {"additionalProperties": whole}
        properties["fleets"] = self.fleets({name: properties[name] for name in PARTS})
        inside: dict[str, Any] = {
            "jobs": self.named(self.whole(HistoryJob), text_of(HistorySpec, "jobs") or ""),
            "fit": self.named(self.whole(Constant), text_of(HistorySpec, "fit") or ""),
        }
        words = inside["jobs"]["additionalProperties"]["properties"]["where"]
        words["additionalProperties"]["type"] = ["string", "array"]  # one word, or several
        properties["history"] = {**closed(inside, *inside), "description": TEXTS["history"]}
        properties["chance"] = self.named(self.whole(ChanceSpec), TEXTS["chance"]) | {"type": ["object", "null"]}
        ordered = {name: properties[name] for name in SECTIONS}
        needs = {"required": ["title"], "properties": complete}
        return {**closed(ordered), "if": {"required": ["extends"]}, "else": needs}

    def fleets(self, sections: Json) -> Json:
        """Fleets: a count or an inventory, and parts in whose keys and values placeholders may stand."""
        own = {name: self.key(Fleet, name, plain_keys(Fleet)[name]) for name in Fleet.model_fields if name not in PARTS}
        for name in PARTS:
            parts = self.named(sections[name]["additionalProperties"], text_of(Fleet, name) or "")
            own[name] = {**parts, "type": ["object", "null"]}
        self.defs["Fleet"] = {"description": about(Fleet), **closed(own)}
        return self.named(reference("Fleet"), TEXTS["fleets"]) | {"type": ["object", "null"]}

    def key(self, part: type[BaseModel], name: str, plain: Json) -> Json:
        """What one key of a class may hold; a fleet may spread when its jobs begin."""
        found = super().key(part, name, plain)
        if name == "begin" and "after" in part.model_fields:
            found["anyOf"] = [*found["anyOf"], self.part(SpreadStarts)]
        return found

    def device(self) -> tuple[Json, Json]:
        """A device, and what a complete one requires."""
        model = {"description": text_of(Modelled, "model")}
        model |= self.sheet_name(*(kind for kind in device_kinds() if kind in sheets()))
        return self.choice(
            "Device",
            {"kind": self.offered("kind", (kind.spec for kind in device_kinds().values())), "model": model},
            _device_cases(),
        )

    def job(self) -> tuple[Json, Json]:
        """A job, and what a complete one requires."""
        restore = {"description": text_of(method_kinds()["restore"].spec, "restore"), "type": "string"}
        keys = {"method": self.offered("method", _methods()), "restore": restore}
        return self.choice("Job", keys, _job_cases())

    def workload(self) -> tuple[Json, Json]:
        """A workload, and what a complete one requires."""
        keys: Json = {"kind": self.offered("kind", _workloads())}
        for part in _workloads():
            for key in part.recognised_by:
                own = {"description": text_of(part, key)}
                keys.setdefault(key, own | (self.sheet_name(sheet_kind(part) or "") if key == "model" else {}))
        return self.choice("Workload", keys, _workload_cases())

    def offered(self, key: str, parts: Iterable[type[Frozen]]) -> Json:
        """The words that a key may hold in any of some classes, each with what it stands for."""
        words = {part: words_of(part, key) for part in parts}
        text = "\n".join(f"{', '.join(each)}: {about(part)}" for part, each in words.items())
        return self.choices({"description": text, "anyOf": [{"enum": [w for each in words.values() for w in each]}]})

    def choice(self, name: str, keys: Json, cases: list[tuple[Json, type[Frozen]]]) -> tuple[Json, Json]:
        """A part whose class one of two keys decides: its form, and what a complete one requires."""
        parts = {part: self.part(part) for _, part in cases}
        named = {"anyOf": [{"required": [key]} for key in keys]}
        self.defs[name] = {
            "description": f"A {name.lower()}, identified by `{'` or `'.join(keys)}`.",
            "type": "object",
            "properties": keys,
            "allOf": [
                *({"if": case, "then": parts[part]} for case, part in cases),
                {"if": {"not": named}, "then": {"anyOf": list(parts.values())}},
            ],
        }
        needs = [{"if": case, "then": required(part)} for case, part in cases if required(part)]
        return reference(name), {**named, "allOf": needs}

    def datasheet(self) -> Json:
        """A datasheet: the parameters of its kind, each with its basis."""
        properties = {key: plain_text(TEXTS[key]) for key in KEYS}
        work: Json = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
        properties["sources"] = self.named(work, TEXTS["sources"])
        properties["kind"] = {"description": TEXTS["kind"], "enum": list(sheets())}
        properties["parameters"] = {"description": TEXTS["parameters"], "type": "object"}
        cases = [
            {"if": says("kind", kind), "then": {"properties": {"parameters": self.parameters(part)}}}
            for kind, part in sheets().items()
        ]
        return {**closed(properties, "title", "kind", "parameters"), "allOf": cases}

    def parameters(self, part: type[Frozen]) -> Json:
        """The parameters of a datasheet."""
        basis = {"required": ["basis"], "properties": {"basis": {"enum": list(NEEDS)}}}
        self.defs["BasisOfDatasheet"] = {"description": "A datasheet states the basis of each value.", **basis}
        plain, properties = plain_keys(part), dict[str, Any]()
        for name in part.model_fields:
            if holds_parts(part, name):
                inside = self.inside(part, plain[name], held_parts(part, name))
                properties[name] = {**inside, "description": self.text(part, name, None)}
                continue
            unit, word = mark_of(part, name, Unit), mark_of(part, name, Word)
            form = self.originated(unit) if unit else self.word(plain[name])[1] if word else {}
            text = {"description": self.text(part, name, unit)}
            properties[name] = {**text, "type": "object", "allOf": [form, reference("BasisOfDatasheet")]}
        needs = [name for name, info in part.model_fields.items() if info.is_required()]
        self.defs[name_of(part)] = {"description": about(part), **closed(properties, *needs)}
        return reference(name_of(part))

    def measured(self) -> Json:
        """Measured rows, each with the address of its simulated value."""
        body = self.whole(MeasuredFile)
        pair = {"type": "array", "items": {"type": "string", "pattern": "#"}, "minItems": 2, "maxItems": 2}
        form = {"type": "object", "propertyNames": {"enum": list(FORMS)}, "additionalProperties": pair}
        address = {"type": "string", "pattern": "#."}
        self.defs["MeasuredRow"]["properties"]["result"]["anyOf"] = [
            address,
            {**form, "minProperties": 1, "maxProperties": 1},
        ]
        return body


def _sections() -> dict[str, type[Frozen]]:
    """The sections of a scenario that hold parts by name, with the class of those."""
    hints = get_type_hints(Spec)
    return {name: get_args(hints[name])[1] for name in SECTIONS if get_origin(hints.get(name)) is dict}


def _device_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a device is of each class: it names the kind, or a datasheet of it."""
    cases: list[tuple[Json, type[Frozen]]] = []
    for kind, part in ((name, each.spec) for name, each in device_kinds().items()):
        model = {"required": ["model"], "properties": {"model": {"type": "string", "pattern": f"^{kind}/"}}}
        cases.append(({"anyOf": [says("kind", kind), model]} if kind in sheets() else says("kind", kind), part))
    return cases


def _workloads() -> list[type[WorkloadSpec]]:
    """The classes of workloads; of several that could be meant, the first is."""
    return [kind.spec for kind in reversed([*workload_kinds().values()])]


def _workload_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a workload is of each class: it says its kind, or has one of its keys, and none of those before it."""
    cases: list[tuple[Json, type[Frozen]]] = []
    before: list[Json] = [{"required": ["kind"]}]
    for part in _workloads():
        own = [{"required": [key]} for key in part.recognised_by]
        unnamed = [{"anyOf": own, "not": {"anyOf": before}}] if own else []
        cases.append(({"anyOf": [says("kind", *words_of(part, "kind")), *unnamed]}, part))
        before = [*before, *own]
    return cases


def _methods() -> dict[type[JobSpec], None]:
    """The classes of jobs that name a method."""
    return {kind.spec: None for name, kind in method_kinds().items() if name != "restore"}


def _job_cases() -> list[tuple[Json, type[Frozen]]]:
    """When a job is of each class: it names a method, or what it restores."""
    cases: list[tuple[Json, type[Frozen]]] = [(says("method", *words_of(part, "method")), part) for part in _methods()]
    return [*cases, ({"required": ["restore"]}, method_kinds()["restore"].spec)]
