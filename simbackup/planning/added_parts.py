"""Policies and kinds of machines that an inventory names and a template does not have, as copies of its first ones."""

from __future__ import annotations

import re
from collections.abc import Iterable

ENTRY = re.compile(r"  (?! |#)\S.*\n(?:(?:   .*)?\n|    .*\n)*")
"""A part of a section with all its lines, in a template."""


def with_added(text: str, section: str, names: Iterable[str]) -> str:
    r"""The text of a site with parts added to a section, each a copy of its first one, marked as assumed.

    >>> print(with_added("policies:\n  nightly:\n    to: pool\nsystems:\n", "policies", ["gold"]), end="")
    policies:
      nightly:
        to: pool
      # assumed: the inventory names 'gold', which the template does not have; this is a copy of 'nightly'
      gold:
        to: pool
    systems:
    """
    before, head, rest = text.partition(f"{section}:\n")
    if not head:
        return text
    body = re.match(r"(?:(?: .*)?\n)*", rest)
    inside = body[0] if body is not None else ""
    first = ENTRY.search(inside)
    if first is None:
        return text
    own, _, lines = first[0].partition(":")
    made = (
        f"  # assumed: the inventory names '{name}', which the template does not have; this is a copy of "
        f"'{own.strip()}'\n  {name}:{lines.rstrip()}\n"
        for name in names
    )
    return f"{before}{head}{inside.rstrip()}\n{''.join(made)}{rest[len(inside) :]}"
