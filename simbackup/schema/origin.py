"""Where a value comes from: its basis, its source and its range."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from simbackup.schema.wording import plain_message, unknown_key

Basis = Literal["datasheet", "measured", "derived", "fitted", "assumed", "document", "user"]
NEEDS: dict[str, tuple[str, ...]] = {
    "datasheet": ("source", "at"),
    "measured": ("source", "at"),
    "derived": ("rule",),
    "fitted": ("fitted_to", "uncertainty", "plausible"),
    "assumed": ("range", "why"),
}
"""The keys that a value on each basis must also have."""


class Origin(BaseModel):
    """Where a value comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    value: Any
    """The value with its unit, for example `5 MB/s`."""
    basis: Basis | None = None
    """The kind of evidence for the value."""
    source: str | None = None
    """The document that states it, a key of models/sources.yaml."""
    at: str | None = None
    """The place in that document."""
    why: str | None = None
    """Why an assumed value is reasonable."""
    rule: str | None = None
    """How a derived value follows from others."""
    range: tuple[Any, Any] | None = None
    """The lowest and the highest reasonable value."""
    alternatives: tuple[Any, ...] = ()
    """Other possibilities for an assumed value, such as another word or datasheet; each is as likely as the value."""
    shared: str | None = None
    """Name of an unknown that appears in several places; all of these values vary together."""
    plausible: tuple[Any, Any] | None = None
    """The physically plausible range of a fitted value."""
    fitted_to: tuple[str, ...] = ()
    """The measured rows that the value was fitted to."""
    seen: tuple[str, ...] = ()
    """The measured rows that the value was chosen or changed after seeing."""
    uncertainty: Any = None
    """Standard uncertainty of a fitted value, in its unit."""
    scatter: Annotated[float, Field(ge=0.0)] | None = None
    """By what share single runs differ from the fit, as a standard deviation: noise, and what the model leaves out."""
    narrowed: dict[str, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(default_factory=dict[str, float])
    """How much of their standard deviation the same fit leaves to other uncertain values, by their names."""
    correlations: dict[str, Annotated[float, Field(ge=-1.0, le=1.0)]] = Field(default_factory=dict[str, float])
    """Correlations of a fitted value with other uncertain values, by their names: the fit compensates for errors in
    these.
    """


def read_origin(raw: object) -> Origin:
    """The origin in a mapping; all that is wrong with it is one error for pydantic."""
    try:
        return Origin.model_validate(raw)
    except ValidationError as error:
        details = [(tuple(e["loc"]), *_origin_message(e)) for e in error.errors()]
        raise PydanticCustomError("given", "{message}", {"problems": details, "message": details[0][1]}) from None


def _origin_message(error: Any) -> tuple[str, str]:
    message, remedy = plain_message(error)
    return message, unknown_key(error, Origin.model_fields) if error["type"] == "extra_forbidden" else remedy
