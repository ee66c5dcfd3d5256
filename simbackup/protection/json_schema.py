"""The JSON Schema (draft 2020-12) of lists of losses, made from the classes that read them."""

from __future__ import annotations

from collections.abc import Iterable

from simbackup.protection.spec import THINGS, LossesSpec, LossSpec
from simbackup.schema.json_forms import Forms, Json

KINDS = {"losses": "Losses that a site has to survive (losses.yaml)."}
"""The kinds of files about protection that have a schema."""


def losses_schema(datasheets: Iterable[str] = ()) -> Json:
    """The JSON Schema of a list of losses; `datasheets` are names that editors offer.

    >>> sorted(losses_schema()["properties"])
    ['data_hour', 'downtime_hour', 'losses', 'usual']
    """
    forms = Forms(tuple(datasheets))
    body, loss = forms.whole(LossesSpec), forms.form(LossSpec)
    word = {"enum": list(THINGS)}
    loss["properties"]["model"] = forms.sheet_name("loss")
    loss["properties"]["strikes"] = {
        "description": loss["properties"]["strikes"]["description"],
        "anyOf": [word, {"type": "array", "items": word, "minItems": 1}],
    }
    about = body["properties"]["losses"]["description"]
    body["properties"]["losses"] = forms.named({"anyOf": [loss, {"type": "null"}]}, about)
    return forms.file("losses", KINDS["losses"], body)
