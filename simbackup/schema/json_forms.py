"""JSON Schemas of the classes that read files: the forms of their keys, of quantities, and of words with origins."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel

from simbackup import units
from simbackup.schema.job import Names
from simbackup.schema.origin import NEEDS, Origin
from simbackup.schema.part import NAME
from simbackup.schema.quantity import EXAMPLES, LATEST, Quantity, Unit, Word
from simbackup.schema.reflection import (
    about,
    held_parts,
    mark_of,
    nested_part,
    optional,
    plain_keys,
    sheet_kind,
    text_of,
)

NUMBER = r"\+?[0-9.][0-9._]*(?:[eE][+-]?[0-9]+)?"
"""A number; whether it has two points is left to the reader."""


def name_pattern() -> str:
    """Regular expression of the names of hosts, devices, data and jobs.

    >>> name_pattern()
    '^[A-Za-z][A-Za-z0-9_-]*$'
    """
    return "^" + NAME.pattern.removesuffix(r"\Z") + "$"


def quantity_pattern(unit: str) -> str:
    """Regular expression of the texts that `units.parse` reads as a quantity of a unit; bounds are not checked.

    Parameters
    ----------
    unit
        The SI unit, a key of `units.DIMENSIONS`.

    >>> import re
    >>> [bool(re.search(quantity_pattern("B/s"), text)) for text in ("5 MB/s", "5 MB", "5")]
    [True, False, False]
    """
    dimension = units.DIMENSIONS[unit]
    names, over, under = ("|".join(sorted(filter(None, n))) for n in (dimension.names, dimension.over, dimension.under))
    named = [f"(?:{names})"] if names else []
    if under:
        maybe = "?" if "" in dimension.over else ""
        named.append(rf"(?:{over}){maybe}\s*/\s*(?:{under})")
    bare = "?" if "" in dimension.names else ""
    forms = [rf"{NUMBER}\s*(?:{'|'.join(named)}){bare}", r"\+?0[0.]*"]
    if unit == "s":
        forms.append(rf"(?:{NUMBER}\s*(?:{names})\s*)+")
    if unit == "1":
        forms.append(rf"{NUMBER}\s*:\s*{NUMBER}")
    return rf"^\s*(?:{'|'.join(forms)})\s*$"


Json = dict[str, Any]
PLACEHOLDER = r"\{[^{}]+\}"
"""What a fleet fills in."""
_ONE_OR_MORE = get_args(Names)[1]


@dataclass(slots=True)
class Forms:
    """The forms of classes in one file, and the definitions that they share."""

    datasheets: tuple[str, ...]
    """Names of datasheets, `kind/name`, that editors offer."""
    defs: Json = field(default_factory=dict[str, Any])
    on_sheets: set[str] = field(default_factory=set[str])
    """The names of classes of which datasheets may hold a part."""
    placeholders: bool = False
    """Whether the file may have fleets, in whose parts a placeholder may stand for any text or number."""

    def file(self, kind: str, text: str, body: Json) -> Json:
        """The schema of a kind of file, with its head and all definitions that it needs."""
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind.capitalize()}
        return {**head, **body, "description": text, "$defs": dict(sorted(self.defs.items()))}

    def named(self, part: Json, text: str) -> Json:
        """Parts by name."""
        return {"description": text, "type": "object", "additionalProperties": part}

    def part(self, part: type[BaseModel]) -> Json:
        """Reference to the form of a class; nothing in it is required, as the rest may be in another file."""
        if name_of(part) not in self.defs:
            self.defs[name_of(part)] = {}  # a place for a class that holds itself
            self.defs[name_of(part)] = self.form(part)
        return reference(name_of(part))

    def whole(self, part: type[BaseModel]) -> Json:
        """The form of a class, with what it requires."""
        needs = [name for name, info in part.model_fields.items() if info.is_required()]
        return {**self.form(part), "required": needs}

    def form(self, part: type[BaseModel]) -> Json:
        """The keys of a class."""
        plain = plain_keys(part)
        return {"description": about(part), **closed({name: self.key(part, name, plain[name]) for name in plain})}

    def key(self, part: type[BaseModel], name: str, plain: Json) -> Json:
        """What one key of a class may hold."""
        unit, nested = mark_of(part, name, Unit), nested_part(part, name)
        found: Json = {"description": self.text(part, name, unit)}
        kind = sheet_kind(part)
        if unit:
            found["anyOf"] = [form for one in unit.forms for form in (self.scalar(one), self.originated(one))]
            found["anyOf"] += [{"type": "string", "minLength": 1}] if unit.named else []
            found["examples"] = [EXAMPLES[unit.unit]]
            if isinstance(usual := part.model_fields[name].default, Quantity):
                found["default"] = usual.text
        elif mark_of(part, name, Word):
            found["anyOf"] = list(self.word(plain))
        elif nested:
            kind = sheet_kind(nested)
            found["anyOf"] = [*([self.sheet_name(kind)] if kind else []), self.part(nested)]
        elif name == "model" and kind:
            found["anyOf"] = [self.sheet_name(kind)]
        elif _ONE_OR_MORE in part.model_fields[name].metadata:
            found["anyOf"] = [plain["items"], {key: plain[key] for key in ("type", "items")}]
        elif set(plain) & {"enum", "const"} or plain.get("type") in ("string", "boolean"):
            found = {**{key: plain[key] for key in plain if key != "anyOf"}, **found}
            alone = {key: found.pop(key) for key in ("type", "enum", "const", "minLength", "pattern") if key in found}
            found["anyOf"] = [alone]
        else:
            return self.choices({**self.inside(part, plain, held_parts(part, name)), **found})
        if not unit and "anyOf" in found:
            found["anyOf"] = [*found["anyOf"], self.one_of_several()]
            found = self.choices(found)
        if optional(part, name) or "default" in found:
            found["anyOf"] = [*found["anyOf"], {"type": "null"}]
        return found

    def inside(self, owner: type[BaseModel], plain: Json, held: Iterable[type[BaseModel]]) -> Json:
        """A list or mapping whose parts are the forms of their classes; a datasheet may hold the rest of one."""
        text, on_sheet = json.dumps(plain), bool(sheet_kind(owner)) or name_of(owner) in self.on_sheets
        for part in held:
            if on_sheet:
                self.on_sheets.add(name_of(part))
            self.defs.setdefault(name_of(part), self.form(part) if on_sheet else self.whole(part))
            text = text.replace(json.dumps(reference(part.__name__)), json.dumps(reference(name_of(part))))
        return json.loads(text)

    def text(self, part: type[BaseModel], name: str, unit: Unit | None) -> str:
        """What a key means, with its unit."""
        text = text_of(part, name) or about(part)
        return f"{text} {self.resolved(self.scalar(unit))['description']}" if unit else text

    def sheet_name(self, *kinds: str) -> Json:
        """Name of a datasheet of some kinds."""
        offered = [name for name in self.datasheets if name.split("/", maxsplit=1)[0] in kinds]
        pattern = self.or_filled_in(f"^({'|'.join(kinds)})/.")
        return {"type": "string", "pattern": pattern, **({"examples": offered} if offered else {})}

    def scalar(self, unit: Unit) -> Json:
        """Reference to a quantity without its origin."""
        dimension = units.DIMENSIONS[unit.unit]
        name, text = (
            dimension.noun.replace(" ", "_"),
            f"{dimension.noun.capitalize()}, for example {EXAMPLES[unit.unit]}",
        )
        bounds: Json = {"exclusiveMinimum" if unit.positive else "minimum": unit.least}
        if unit.positive:
            least = units.show(unit.least, unit.unit) if unit.least else "0"
            name, text = f"{name}_above_{unit.least:g}", f"{text}; more than {least}"
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
            "pattern": self.or_filled_in(pattern), **bounds,
        }  # fmt: skip
        return reference(name)

    def originated(self, unit: Unit) -> Json:
        """Reference to a quantity with its origin."""
        scalar = self.scalar(unit)
        name = f"{scalar['$ref'].rsplit('/', maxsplit=1)[-1]}_with_origin"
        if name not in self.defs:
            self.part(Origin)
            self.defs["NeedsOfBasis"] = {
                "description": "The keys that a value on each basis must also have.",
                "allOf": [{"if": says("basis", basis), "then": {"required": list(n)}} for basis, n in NEEDS.items()],
            }
            inside = {"value": scalar, "range": {"items": scalar}, "plausible": {"items": scalar}}
            self.defs[name] = {
                "description": f"{units.DIMENSIONS[unit.unit].noun.capitalize()}, and where it comes from.",
                "type": "object",
                "required": ["value"],
                "allOf": [reference("Origin"), reference("NeedsOfBasis"), {"properties": inside}],
            }
        return reference(name)

    def word(self, plain: Json) -> tuple[Json, Json]:
        """A word, any or one of a list, and the same with its origin; whole numbers may be written without quotes."""
        if plain["type"] == "string" and not {"enum", "const"} & set(plain):
            any_word: Json = {"properties": {"value": {"type": "string"}}}
            return {"type": "string"}, {"type": "object", "required": ["value"], "allOf": [self.part(Origin), any_word]}
        words: list[Any] = list(plain.get("enum") or [plain["const"]] if plain["type"] == "string" else (True, False))
        words += [int(word) for word in words if str(word).isdigit()]
        inside = {"properties": {"value": {"enum": words}}}
        return {"enum": words}, {"type": "object", "required": ["value"], "allOf": [self.part(Origin), inside]}

    def one_of_several(self) -> Json:
        """Reference to a value that is one of several."""
        self.part(Origin)
        self.defs["Choice"] = {
            "description": "A value that is one of several, each as likely as the others.",
            "type": "object", "required": ["value", "alternatives", "why"], "allOf": [reference("Origin")],
        }  # fmt: skip
        return reference("Choice")

    def or_filled_in(self, pattern: str) -> str:
        """The pattern of a text, which may also be one that a fleet fills in."""
        return f"{pattern}|{PLACEHOLDER}" if self.placeholders else pattern

    def choices(self, found: Json) -> Json:
        """What a key may hold, of several forms, which may also be a text that a fleet fills in."""
        if not self.placeholders or "anyOf" not in found:
            return found
        self.defs["Placeholder"] = {
            "description": "In a fleet: a text with the name of a column in braces.",
            "type": "string", "pattern": PLACEHOLDER,
        }  # fmt: skip
        return {**found, "anyOf": [*found["anyOf"], reference("Placeholder")]}

    def resolved(self, ref: Json) -> Json:
        """The definition that a reference points to."""
        return self.defs[ref["$ref"].rsplit("/", maxsplit=1)[-1]]


def name_of(part: type[BaseModel]) -> str:
    """The name of the form of a class."""
    return part.__name__.removesuffix("Spec")


def reference(name: str) -> Json:
    """Reference to the shared definition of a name."""
    return {"$ref": f"#/$defs/{name}"}


def plain_text(text: str) -> Json:
    """A text that is not empty, with what it means."""
    return {"description": text, "type": "string", "minLength": 1}


def says(key: str, *words: str) -> Json:
    """Condition that a key holds one of some words."""
    return {"required": [key], "properties": {key: {"enum": list(words)}}}


def closed(properties: Json, *needs: str) -> Json:
    """A mapping of these keys and no others."""
    needed: Json = {"required": list(needs)} if needs else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}
