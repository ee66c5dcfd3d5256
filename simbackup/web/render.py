"""The pieces of the page as HTML; tables and pictures look as in a report."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from simbackup.text import for_terminal


@cache
def _environment() -> Any:
    jinja: Any = import_module("jinja2")  # an extra, and slow to import
    own, shared = jinja.PackageLoader("simbackup.web"), jinja.PackageLoader("simbackup.reporting")
    return jinja.Environment(
        loader=jinja.ChoiceLoader([own, shared]), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja.StrictUndefined, finalize=_seen,
    )  # fmt: skip


def _seen(value: object) -> object:
    """A value before escaping: markup stays, and invisible characters in text are shown."""
    return for_terminal(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def rendered(template: str, **values: Any) -> str:
    """The HTML of a template; every text in it is escaped."""
    return str(_environment().get_template(template).render(**values))
