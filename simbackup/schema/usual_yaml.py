"""YAML without its rare forms, read by libyaml, which is many times as fast as a reader in Python.

Readers differ in rare characters, in what they say of errors, and in how deep they go. Whatever could make a difference
is left to the reader in Python, so that a file means the same with libyaml and without it.
"""

from __future__ import annotations

import re
from typing import Any

_RARE = re.compile("[\x00-\t\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Tabs, other characters of control, marks of the byte order, and line breaks of other kinds."""


TOO_MANY, WRITE_A_TABLE = "the file expands to too many values", "write large inventories as a table"
"""What to say of a text with more values than it may have."""


class TooManyError(Exception):
    """The text has more values than it may have."""


class _RareError(Exception):
    """The text has something that readers may take in different ways."""


def composed(text: str, greatest_depth: int, greatest_number: int) -> Any | None:
    """The root node of a YAML text, as a reader in Python composes it.

    None if the text is empty, wrong, nested in more than so many levels or otherwise unusual, or without libyaml.

    Raises
    ------
    TooManyError
        There are more nodes than the greatest number.
    """
    if _RARE.search(text) is not None:
        return None
    try:
        import yaml  # noqa: PLC0415 (paid only where a file is read)
        from yaml._yaml import CParser  # noqa: PLC0415
    except ImportError:
        return None
    parser: Any = CParser(text)
    try:
        parser.get_event()  # the stream begins
        begin = parser.get_event()
        if type(begin) is not yaml.DocumentStartEvent or begin.explicit:
            return None
        root = _node(yaml, parser, parser.get_event(), greatest_depth, [greatest_number])
        parser.get_event()  # the document ends
        return root if type(parser.get_event()) is yaml.StreamEndEvent else None
    except (yaml.YAMLError, _RareError):
        return None


def _node(yaml: Any, parser: Any, event: Any, levels: int, left: list[int]) -> Any:
    """The node that an event begins, in which there may be so many levels; its other events are taken from a parser.

    So many nodes are `left` to make, without those of collections that have not ended.
    """
    if event.anchor is not None or event.tag is not None or levels < 0:
        raise _RareError
    if type(event) is yaml.ScalarEvent:
        return yaml.ScalarNode("", event.value, event.start_mark, style=event.style)
    inside: list[Any] = []
    while not isinstance(begin := parser.get_event(), yaml.CollectionEndEvent):
        inside.append(_node(yaml, parser, begin, levels - 1, left))
        if len(inside) > left[0]:
            raise TooManyError
    left[0] -= len(inside)
    if type(event) is yaml.SequenceStartEvent:
        return yaml.SequenceNode("", inside, event.start_mark, flow_style=event.flow_style)
    pairs = list(zip(inside[::2], inside[1::2], strict=True))
    return yaml.MappingNode("", pairs, event.start_mark, flow_style=event.flow_style)
