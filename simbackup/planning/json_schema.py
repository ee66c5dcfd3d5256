"""The JSON Schemas (draft 2020-12) of site files and of goals, made from the classes that read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from simbackup.planning.goals import GoalsSpec
from simbackup.planning.policy import LevelName, PolicySpec
from simbackup.planning.prices import PricesSheet
from simbackup.planning.spec import DatastoreSpec, SiteSpec, SystemSpec, TargetSpec
from simbackup.schema.json_forms import Forms, Json
from simbackup.schema.part import NAME
from simbackup.schema.quantity import Unit
from simbackup.schema.reflection import about, held_parts
from simbackup.schema.registry import sheets

KINDS = {
    "site": "A site over months: systems, policies, targets, prices (site.yaml).",
    "goals": "What a site has to reach (goals.yaml).",
}
"""The kinds of files of plans that have a schema."""
NAMING: dict[type[BaseModel], tuple[str, ...]] = {TargetSpec: ("device", "host"), DatastoreSpec: ("device", "link")}
"""Keys of parts of a scenario that may also name another part of the site."""
PART_NAME = NAME.pattern.replace(r"\Z", "$")
NAMES: Json = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
"""A name, or a list of names."""


def site_schema(kind: str, datasheets: Iterable[str] = ()) -> Json:
    """The JSON Schema of a site file, or of a file with goals.

    Parameters
    ----------
    kind
        One of `KINDS`.
    datasheets
        Names of datasheets, `kind/name`, that editors offer where one may be named.

    >>> sorted(site_schema("goals")["properties"])
    ['budget_month', 'fits', 'restore_points', 'restores', 'windows_missed']
    """
    forms = Forms(tuple(datasheets))
    body = _whole(forms, SiteSpec if kind == "site" else GoalsSpec)
    if kind == "site":
        prices = _whole(forms, PricesSheet)
        prices["properties"]["model"] = forms.sheet_name("prices")
        del prices["required"]
        body["properties"]["prices"]["anyOf"] = [forms.sheet_name("prices"), prices]
    return forms.file(kind, KINDS[kind], body)


def _whole(forms: Forms, part: type[BaseModel]) -> Json:
    """The form of a class with what it requires, and of the parts that it holds by name."""
    body = forms.whole(part)
    named = (key for key in part.model_fields if get_origin(part.model_fields[key].annotation) is dict)
    for key, inner in [(name, each) for name in named for each in held_parts(part, name)]:
        parts = forms.named(_whole(forms, inner), body["properties"][key].get("description") or about(inner))
        body["properties"][key] = {**parts, "propertyNames": {"pattern": PART_NAME}}
    if part is PolicySpec:
        schedule = body["properties"]["schedule"]
        schedule["properties"] = dict.fromkeys(get_args(LevelName), NAMES)
        body["properties"]["schedule"] = {**schedule, "additionalProperties": False}
    for key in (key for key, info in part.model_fields.items() if info.annotation is Any):  # a part of a scenario
        kinds = tuple(kind for kind in sheets() if kind.rpartition("_")[2] == key)
        names = forms.sheet_name(*kinds) if kinds else {"type": "string", "pattern": "/"}
        text = {"description": body["properties"][key]["description"]}
        others = [{"type": "string", "pattern": PART_NAME}] if key in NAMING.get(part, ()) else []
        body["properties"][key] = {**text, "anyOf": [names, *others, {"type": "object"}, {"type": "null"}]}
    if part in {SiteSpec, SystemSpec}:  # a share, or a size in a year
        body["properties"]["growth"]["anyOf"].append(forms.scalar(Unit("B/s")))
    return body
