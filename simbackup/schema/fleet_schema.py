"""The JSON Schema of a template: that of a part, where any value may be a placeholder."""

from __future__ import annotations

from typing import Any, cast

Json = dict[str, Any]
PLACEHOLDER: Json = {"type": "string", "pattern": r"\{[^{}]+\}|^fleets\.[^.]+\.[^.]+$"}
"""A text with a placeholder in it, or all parts of a fleet."""
_INSIDE = ("then", "else", "allOf", "anyOf", "items", "additionalProperties")
_SCALARS = frozenset({"string", "number", "integer", "boolean"})


def with_placeholders(part: Json, defs: Json) -> Json:
    """The schema of a part in which every text and number may be a placeholder.

    Parameters
    ----------
    part
        The schema of the part.
    defs
        The definitions that it refers to; their counterparts are added as `NAME_of_a_fleet`.
    """
    if "$ref" in part:
        name = str(part["$ref"]).rsplit("/", maxsplit=1)[-1]
        twin = f"{name}_of_a_fleet"
        if twin not in defs:
            defs[twin] = {}  # a place for a part that holds itself
            defs[twin] = with_placeholders(defs[name], defs)
        return {**part, "$ref": f"#/$defs/{twin}"}
    made = {key: _within(value, defs) if key in _INSIDE else value for key, value in part.items()}
    if "properties" in made:
        made["properties"] = {key: with_placeholders(value, defs) for key, value in made["properties"].items()}
        if {"begin", "after"} <= made["properties"].keys():
            begin = dict(made["properties"]["begin"])
            text = {"description": begin.pop("description", "")}
            made["properties"]["begin"] = {**text, "anyOf": [begin, {"$ref": "#/$defs/SpreadStarts"}]}
    kinds = made.get("type", [])
    scalar = "enum" in made or bool(_SCALARS & set([kinds] if isinstance(kinds, str) else kinds))
    if not scalar or ("pattern" not in made and "enum" not in made and made.get("type") == "string"):
        return made  # any text may hold a placeholder as it is
    about = {key: made.pop(key) for key in ("description", "examples") if key in made}
    return {**about, "anyOf": [made, PLACEHOLDER]}


def _within(value: Any, defs: Json) -> Any:
    if isinstance(value, list):
        return [_within(item, defs) for item in cast("list[Any]", value)]
    return with_placeholders(cast("Json", value), defs) if isinstance(value, dict) else value
