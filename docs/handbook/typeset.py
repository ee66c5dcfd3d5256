"""Formulas as LaTeX from the code that runs, so that what is printed is what is computed."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import cast

ATOM, POWER, UNARY, PRODUCT, SUM, RELATION, LOGIC, CHOICE = range(8)
"""How loosely a term binds; one that binds more loosely than its place allows stands in brackets."""
SIGNS = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: (r"\,", PRODUCT), ast.FloorDiv: ("/", PRODUCT),
    ast.Mod: (r"\bmod", PRODUCT),
}  # fmt: skip
RELATIONS = {
    ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne", ast.In: r"\in",
    ast.Is: "=", ast.IsNot: r"\ne",
}  # fmt: skip
CALLS: dict[str, str] = {
    "math.sqrt": r"\sqrt{%s}",
    "math.exp": r"e^{%s}",
    "math.expm1": r"\left(e^{%s} - 1\right)",
    "math.log": r"\ln\left(%s\right)",
    "math.log1p": r"\ln\left(1 + %s\right)",
    "math.log2": r"\log_2\left(%s\right)",
    "math.ceil": r"\left\lceil %s \right\rceil",
    "math.floor": r"\left\lfloor %s \right\rfloor",
    "int": r"\left\lfloor %s \right\rfloor",
    "abs": r"\left| %s \right|",
    "float": "%s",
    "math.fsum": r"\sum %s",
    "len": r"\left| %s \right|",
    "round": r"\mathrm{round}\left(%s\right)",
}
"""Functions of one argument that have a notation."""
NAMES = {"math.inf": r"\infty", "math.pi": r"\pi", "True": r"\text{true}", "False": r"\text{false}"}
LONGEST = 64
"""About as many letters fit on a line of the handbook."""
Term = tuple[str, int]
"""A piece of LaTeX, and how loosely it binds."""


class NotAFormula(Exception):  # noqa: N818 (it ends a search, and is no error)
    """A function that does more than a formula says: it loops, or makes something."""


def formula(function: FunctionType) -> str | None:
    """The body of a function as LaTeX, or nothing where it is more than a formula: it loops, or makes something."""
    try:
        lines = _lines(cast("ast.FunctionDef", ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]))
    except NotAFormula:
        return None
    return r"\begin{align*}" + r" \\ ".join(lines) + r"\end{align*}"


def _lines(tree: ast.FunctionDef) -> list[str]:
    """One line for each name that is given a value, and a last one for what is returned."""
    lines: list[str] = []
    cases: list[tuple[str, str]] = []
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Constant() | ast.Call()):  # the docstring, or a check of an argument
                continue
            case ast.If(body=[ast.Raise()], orelse=[]):
                continue
            case ast.If(test=test, body=[*before, ast.Return(value=ast.expr() as value)], orelse=[]):
                cases.append((shown(_inlined(before, value)), shown(test)))
            case ast.Assign(targets=[target], value=value):
                lines += _assigned(target, value)
            case ast.Return(value=ast.expr() as value):
                if cases:
                    return [*lines, f"{_name(tree.name)} &= {_choice([*cases, (shown(value), '')])}"]
                return [*lines, *_equation(_name(tree.name), value)]
            case _:
                raise NotAFormula
    raise NotAFormula


def _inlined(before: Sequence[ast.stmt], value: ast.expr) -> ast.expr:
    """What a branch returns, with the names that only it gives a value replaced by those values."""
    given: dict[str, ast.expr] = {}
    for statement in before:
        match statement:
            case ast.If(body=[ast.Raise()], orelse=[]):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=expression):
                given[name] = _Replaced(given).visit(expression)
            case _:
                raise NotAFormula
    return _Replaced(given).visit(value)


class _Replaced(ast.NodeTransformer):
    """An expression with some names replaced by what they stand for."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value of a name, or the name."""
        return self.given.get(node.id, node)


def _assigned(target: ast.expr, value: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        return [line for one, other in pairs for line in _equation(shown(one), other)]
    return _equation(shown(target), value)


def _equation(name: str, value: ast.expr) -> list[str]:
    """A name and its value; a long sum takes several lines, each but the first beginning with its sign."""
    lines = [f"{name} &="]
    for term in _summands(value):
        if _letters(lines[-1] + term) > LONGEST and not lines[-1].endswith("&="):
            lines.append("&")
        lines[-1] += f" {term}"
    return lines


def _letters(latex: str) -> int:
    """About how many letters wide a formula is."""
    return len(re.sub(r"\\[a-zA-Z]+|[{}&]|\\(?= )", "", latex))


def _summands(value: ast.expr) -> list[str]:
    """The terms of a sum, each but the first with its sign."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub)):
        return [shown(value)]
    sign, loosest = ("+", SUM) if isinstance(value.op, ast.Add) else ("-", PRODUCT)
    return [*_summands(value.left), f"{sign} {_within(value.right, loosest)}"]


def _choice(cases: Sequence[tuple[str, str]]) -> str:
    rows = [rf"{value} & \text{{{'if ' if test else 'otherwise'}}} {test}" for value, test in cases]
    return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"


def shown(node: ast.expr) -> str:
    """An expression as LaTeX.

    Raises
    ------
    NotAFormula
        It has something that formulas do not have.
    """
    return _term(node)[0]


def _within(node: ast.expr, loosest: int) -> str:
    """A term in a place that allows terms to bind so loosely, in brackets if it binds more loosely."""
    text, binding = _term(node)
    return text if binding <= loosest else rf"\left({text}\right)"


def _term(node: ast.expr) -> Term:
    for kind, write in WRITERS.items():
        if isinstance(node, kind):
            return write(node)
    raise NotAFormula


def _constant(node: ast.Constant) -> Term:
    if node.value is None or isinstance(node.value, str):
        return rf"\text{{{node.value or 'none'}}}", ATOM
    if isinstance(node.value, bool):
        return NAMES[str(node.value)], ATOM
    if not isinstance(node.value, (int, float)):
        raise NotAFormula
    mantissa, _, exponent = f"{node.value:g}".partition("e")
    return (mantissa, ATOM) if not exponent else (rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT)


def _name(name: str) -> str:
    """A name as readers of formulas expect it: letters slanted, words upright."""
    text = name.strip("_").replace("_", r"\ ")
    return text if len(text) == 1 else rf"\mathrm{{{text}}}"


def _dotted(node: ast.expr) -> str:
    return ast.unparse(node)


def _attribute(node: ast.Attribute) -> Term:
    """A field of a record without the record, which the arguments name."""
    if _dotted(node) in NAMES:
        return NAMES[_dotted(node)], ATOM
    return _name(node.attr), ATOM


def _operation(node: ast.BinOp) -> Term:
    match node.op:
        case ast.Div():
            return rf"\frac{{{shown(node.left)}}}{{{shown(node.right)}}}", PRODUCT
        case ast.Pow():
            return rf"{{{_within(node.left, ATOM)}}}^{{{shown(node.right)}}}", POWER
        case _ if type(node.op) in SIGNS:
            sign, binding = SIGNS[type(node.op)]
            tighter = binding - 1 if not isinstance(node.op, (ast.Add, ast.Mult)) else binding
            times = r"\cdot" if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant) else sign
            return f"{_within(node.left, binding)} {times} {_within(node.right, tighter)}", binding
        case _:
            raise NotAFormula


def _unary(node: ast.UnaryOp) -> Term:
    if isinstance(node.op, ast.Not):
        return rf"\text{{not }} {_within(node.operand, ATOM)}", LOGIC
    return f"{'-' if isinstance(node.op, ast.USub) else ''}{_within(node.operand, PRODUCT)}", UNARY


def _comparison(node: ast.Compare) -> Term:
    text = _within(node.left, SUM)
    for op, right in zip(node.ops, node.comparators, strict=True):
        if type(op) not in RELATIONS:
            raise NotAFormula
        text += f" {RELATIONS[type(op)]} {_within(right, SUM)}"
    return text, RELATION


def _logic(node: ast.BoolOp) -> Term:
    word = r" \text{ and } " if isinstance(node.op, ast.And) else r" \text{ or } "
    return word.join(_within(value, RELATION) for value in node.values), LOGIC


def _conditional(node: ast.IfExp) -> Term:
    cases, rest = [], node
    while isinstance(rest, ast.IfExp):
        cases.append((shown(rest.body), shown(rest.test)))
        rest = rest.orelse
    return _choice([*cases, (shown(rest), "")]), CHOICE


def _call(node: ast.Call) -> Term:
    name = _dotted(node.func)
    match name, node.args:
        case "sum" | "math.fsum", [ast.GeneratorExp() as each]:
            return _sum(each)
        case "max" | "min", _:
            return rf"\{name}\left({_arguments(node)}\right)", ATOM
        case "math.hypot", [one, other]:
            return rf"\sqrt{{{_within(one, ATOM)}^2 + {_within(other, ATOM)}^2}}", ATOM
        case _, [argument] if name in CALLS:
            loosest = SUM if name == "math.log1p" else CHOICE
            return CALLS[name] % _within(argument, loosest), POWER if name == "math.exp" else ATOM
    if isinstance(node.func, ast.Name | ast.Attribute):
        short = name.rpartition(".")[2]
        return rf"{_name(short)}\left({_arguments(node)}\right)", ATOM
    raise NotAFormula


def _arguments(node: ast.Call) -> str:
    given = [shown(argument) for argument in node.args]
    return r",\ ".join([*given, *(shown(keyword.value) for keyword in node.keywords)])


def _sum(each: ast.GeneratorExp) -> Term:
    if len(each.generators) != 1 or each.generators[0].ifs:
        raise NotAFormula
    over = each.generators[0]
    return rf"\sum_{{{shown(over.target)} \in {shown(over.iter)}}} {_within(each.elt, PRODUCT)}", SUM


def _tuple(node: ast.Tuple) -> Term:
    return rf"\left({', '.join(shown(item) for item in node.elts)}\right)", ATOM


def _item(node: ast.Subscript) -> Term:
    return rf"{{{_within(node.value, ATOM)}}}_{{{shown(node.slice)}}}", ATOM


WRITERS: dict[type[ast.expr], Callable[..., Term]] = {
    ast.Constant: _constant, ast.Name: lambda node: (_name(node.id), ATOM), ast.Attribute: _attribute,
    ast.BinOp: _operation, ast.UnaryOp: _unary, ast.Compare: _comparison, ast.BoolOp: _logic,
    ast.IfExp: _conditional, ast.Call: _call, ast.Tuple: _tuple, ast.Subscript: _item,
}  # fmt: skip
"""What writes each kind of expression; what has none is not a formula."""
