"""The text of a file with values replaced; comments stay letter by letter."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from simbackup.errors import InputError, Place, Problem
from simbackup.schema.fleet import PLACEHOLDER
from simbackup.schema.yaml_file import parse, plain_scalar

WIDE = 4096
"""Letters of a line before it is broken: never."""


def edited(text: str, changes: Mapping[str, str | Mapping[str, str]], name: str) -> str:
    r"""The text of a file with the values at some addresses replaced, or added where it has none.

    Parameters
    ----------
    text
        YAML, as `simbackup check` accepts it.
    changes
        Values by address, as one would write them in a file. A text is one value, whatever its letters; a mapping
        replaces all that is there.
    name
        What messages show as its file.

    Raises
    ------
    InputError
        The text is not valid YAML, or an address leads through something that is not a mapping.

    >>> edited("title: A  # mine\ndevices: {sda: disk/x}\n", {"devices.sda.capacity": "2 TB"}, "a.yaml")
    'title: A  # mine\ndevices: {sda: {model: disk/x, capacity: 2 TB}}\n'
    """
    if not changes:
        return text
    parse(text, name)  # reports what is wrong in the words of `check`
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = WIDE
    try:
        tree: Any = yaml.load(text)  # pyright: ignore[reportUnknownMemberType]
    except YAMLError as error:
        raise InputError([Problem(Place(name), "", f"cannot be changed here ({error})", "edit its text")]) from None
    for address, value in changes.items():
        _put(tree, steps(address), _written(value), address)
    written = io.StringIO()
    yaml.dump(tree, written)  # pyright: ignore[reportUnknownMemberType]
    return written.getvalue()


def _written(value: str | Mapping[str, str]) -> object:
    """A value as the tree of a file has it."""
    if isinstance(value, str):
        return plain_scalar(value.strip())
    made: Any = CommentedMap({key: plain_scalar(text.strip()) for key, text in value.items()})
    made.fa.set_flow_style()
    return made


def steps(address: str) -> list[str]:
    """The steps of an address; a point inside the braces of a placeholder is none.

    >>> steps("fleets.servers.jobs.save-{host.name}.window")
    ['fleets', 'servers', 'jobs', 'save-{host.name}', 'window']
    """
    kept = PLACEHOLDER.sub(lambda found: found.group().replace(".", "\0"), address)
    return [step.replace("\0", ".") for step in kept.split(".")]


def _put(tree: object, path: list[str], value: object, address: str) -> None:
    """Replace a value, or add it; the name of a datasheet on the way becomes a mapping that names it."""
    here = _mapping(tree, address)
    for i, step in enumerate(path[:-1]):
        inner: object = here.get(step)
        if inner is None or (isinstance(inner, str) and "/" in inner):
            made: Any = CommentedMap() if inner is None else CommentedMap({"model": inner})
            if i:
                made.fa.set_flow_style()
            here[step] = inner = made
        here = _mapping(inner, address)
    here[path[-1]] = value


def _mapping(found: object, address: str) -> Any:
    if not isinstance(found, CommentedMap):
        message = "leads through something that is not a mapping"
        raise InputError([Problem(Place("changes"), address, message, "edit the text")])
    return cast("Any", found)
