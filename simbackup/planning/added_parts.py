"""Adds systems and targets of an inventory to the YAML text of a template."""

from __future__ import annotations

import re
from collections.abc import Iterable

ENTRY = re.compile(r"  (?! |#)\S.*\n(?:(?:   .*)?\n|    .*\n)*")
"""A part of a section with all its lines, in a template."""


def _section(text: str, section: str) -> tuple[str, str, str, re.Match[str] | None]:
    """The text before the parts of a section, these, the text after them, and the first part."""
    before, head, rest = text.partition(f"\n{section}:\n")
    body = re.match(r"(?:(?: .*)?\n)*", rest) if head else None
    inside = body[0] if body is not None else ""
    return before + head, inside, rest[len(inside) :], ENTRY.search(inside)


def with_parts(text: str, section: str, names: Iterable[str]) -> str:
    r"""The text of a site in which the parts of a section are copies of its first one, with other names.

    >>> print(with_parts("\nhosts:\n  one: {slots: 2}\n  two: {slots: 3}\nsystems:\n", "hosts", ["a", "b"]), end="")
    <BLANKLINE>
    hosts:
      a: {slots: 2}
      b: {slots: 2}
    systems:
    """
    before, _, after, first = _section(text, section)
    if first is None:
        return text
    _, _, lines = first[0].partition(":")
    return f"{before}{''.join(f'  {name}:{lines.rstrip()}' + chr(10) for name in names)}{after}"


def without(text: str, section: str) -> str:
    r"""The text of a site without a section.

    >>> without("title: a\nhosts:\n  one: {slots: 2}\nsystems:\n", "hosts")
    'title: a\nsystems:\n'
    """
    before, _, after, first = _section(text, section)
    return text if first is None else before.removesuffix(f"{section}:\n") + after


def with_added(text: str, section: str, names: Iterable[str]) -> str:
    r"""The text of a site with parts added to a section, each a copy of its first one, marked as assumed.

    >>> print(with_added("\npolicies:\n  nightly:\n    to: pool\nsystems:\n", "policies", ["gold"]), end="")
    <BLANKLINE>
    policies:
      nightly:
        to: pool
      # assumed: the inventory names 'gold', which the template does not have; this is a copy of 'nightly'
      gold:
        to: pool
    systems:
    """
    before, inside, after, first = _section(text, section)
    if first is None:
        return text
    own, _, lines = first[0].partition(":")
    made = (
        f"  # assumed: the inventory names '{name}', which the template does not have; this is a copy of "
        f"'{own.strip()}'\n  {name}:{lines.rstrip()}\n"
        for name in names
    )
    return f"{before}{inside.rstrip()}\n{''.join(made)}{after}"
