"""Limits of YAML files, checked before anything is built: levels of brackets, and what aliases repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ruamel.yaml.scanner import Scanner, ScannerError

from simbackup.errors import Place, Problem
from simbackup.schema.usual_yaml import TOO_MANY

GREATEST_REPETITION = 20_000
"""Values that the aliases of a file may repeat."""
GREATEST_BRACKETS = 120
"""Brackets that may be open at once; the scanner takes time by the square of their number."""


GREATEST_TOKENS = 3_000_000
"""Values, keys and signs that a file may have."""


class TooDeepError(ScannerError):
    """Too many brackets are open."""


class TooLongError(ScannerError):
    """There are too many tokens."""


class ShallowScanner(Scanner):
    """A scanner of YAML that stops where too many brackets are open, and after too many tokens."""

    def fetch_more_tokens(self) -> Any:
        """Scan the next token."""
        parser = cast("Any", self)
        if parser.tokens_taken > GREATEST_TOKENS:
            raise TooLongError(None, None, TOO_MANY, parser.reader.get_mark())
        return super().fetch_more_tokens()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:  # noqa: N803 (as it is called)
        """Open a bracket."""
        parser = cast("Any", self)
        if len(parser.flow_context) >= GREATEST_BRACKETS:
            raise TooDeepError(None, None, "is nested too deeply", parser.reader.get_mark())
        super().fetch_flow_collection_start(TokenClass, to_push)  # pyright: ignore[reportUnknownMemberType]


def expansion_problems(root: Any, name: str) -> list[Problem]:
    """Report aliases below a composed node of the file `name` that repeat too much.

    Each node is looked at once, however often aliases name it. A node inside itself counts as nothing there.
    """
    sizes: dict[int, int] = {}
    written = 0
    stack: list[tuple[Any, Iterator[Any]]] = [(root, _children(root))]
    above = {id(root)}
    while stack:
        node, rest = stack[-1]
        child = next(rest, None)
        if child is None:
            stack.pop()
            above.remove(id(node))
            written += 1
            sizes[id(node)] = 1 + sum(sizes.get(id(each), 0) for each in _children(node))
            if sizes[id(node)] - written > GREATEST_REPETITION:
                return [_problem(node, name, TOO_MANY, "write out what is repeated")]
        elif id(child) not in sizes and id(child) not in above:
            stack.append((child, _children(child)))
            above.add(id(child))
    return []


def _children(node: Any) -> Iterator[Any]:
    """The children of a composed node: the items of a list, the keys and values of a mapping."""
    if node.id == "sequence":
        yield from node.value
    elif node.id == "mapping":
        for pair in cast("list[tuple[Any, Any]]", node.value):
            yield from pair


def _problem(node: Any, name: str, message: str, remedy: str) -> Problem:
    return Problem(Place(name, node.start_mark.line + 1, node.start_mark.column + 1), "", message, remedy)
