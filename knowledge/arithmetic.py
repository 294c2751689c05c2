"""Safe arithmetic: formula text as a manual writes it, evaluated without ever calling Python's own `eval`.

Allowed are decimal numbers, `+ - * / **`, parentheses, named variables and `sqrt(...)`. Everything else raises
FormulaError: the text comes from imported manuals and is not trusted. All numbers are floats, so a tower of
powers overflows at once instead of filling the memory.
"""

from __future__ import annotations

import ast
import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from knowledge.articles import KnowledgeError
from vision.units import find_unit, split_multiplier

MAX_TEXT = 240
MAX_NODES = 80
MAX_DEPTH = 24

# As written in manuals, longest first; the value is the variable's name in code.
VARIABLE_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "pointer_angle": (
        "pointer angle",
        "needle angle",
        "angle of the pointer",
        "pointer_angle",
        "angle",
        "指针角度",
        "表针角度",
        "角度",
        "θ",
    ),
    "digital_readout": ("digital readout", "displayed digits", "digital_readout", "readout", "显示读数", "显示值", "示数"),
    "scale_fraction": ("scale fraction", "scale_fraction", "刻度比例"),
}

_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: math.pow(a, b),
}
_SIGN_SPELLINGS = str.maketrans(
    {
        "×": "*",
        "✕": "*",
        "·": "*",
        "⋅": "*",
        "÷": "/",
        "−": "-",
        "–": "-",
        "—": "-",
        "^": "^",
        "【": "(",
        "】": ")",
        "[": "(",
        "]": ")",
    }
)
_PLAIN = re.compile(r"[A-Za-z0-9_+\-*/(). \t]*")


class FormulaError(KnowledgeError, ValueError):
    """A formula text that is not plain arithmetic, or that has no finite value at its inputs."""


@dataclass(frozen=True)
class Expression:
    """A checked formula: `source` in plain ASCII, the variables it needs, and the unit written behind it."""

    source: str
    variables: frozenset[str]
    unit: str | None
    tree: ast.expr

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Value at the given variables. Raises FormulaError where it is undefined there or one is missing."""
        missing = sorted(self.variables - set(values))
        if missing:
            raise FormulaError(f"formula {self.source!r} needs {', '.join(missing)}, which was not read")
        try:
            result = evaluate_node(self.tree, values)
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            raise FormulaError(f"formula {self.source!r} has no value at {dict(values)}: {error}") from error
        if not math.isfinite(result):
            raise FormulaError(f"formula {self.source!r} has no finite value at {dict(values)}")
        return result


def evaluate_node(node: ast.expr, values: Mapping[str, float]) -> float:
    """Value of a checked part of an expression. Raises Python's arithmetic errors where it has none."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return float(values[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluate_node(operand, values)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return evaluate_node(operand, values)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](evaluate_node(left, values), evaluate_node(right, values))
        case ast.Call(args=[operand]):
            return math.sqrt(evaluate_node(operand, values))
        case _:
            raise FormulaError(f"{type(node).__name__} is not arithmetic")


def _check(node: ast.expr, depth: int = 0) -> int:
    """Number of nodes under `node`. Raises FormulaError on anything outside the whitelist, or too large."""
    if depth > MAX_DEPTH:
        raise FormulaError(f"formula is nested deeper than {MAX_DEPTH}")
    children: list[ast.expr]
    match node:
        case ast.Constant(value=bool()):
            raise FormulaError("a formula holds numbers, not True or False")
        case ast.Name(id="sqrt"):
            raise FormulaError("sqrt needs its argument in parentheses")
        case ast.Constant(value=int() | float()) | ast.Name():
            children = []
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            children = [operand]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            children = [left, right]
        case ast.Call(func=ast.Name(id="sqrt"), args=[operand], keywords=[]) if not isinstance(operand, ast.Starred):
            children = [operand]
        case _:
            raise FormulaError(f"{type(node).__name__} is not allowed in a formula; allowed: + - * / ** ( ) sqrt and numbers")
    return 1 + sum(_check(child, depth + 1) for child in children)


def _split_unit(text: str) -> tuple[str, str | None]:
    """Expression and the unit written behind it: `(a - 30) / 2.5 MPa` -> (`(a - 30) / 2.5`, `MPa`)."""
    for match in re.finditer(r"(?<=[\s0-9)），,°度])(?=[^\s0-9.)）])", text):
        written = re.sub(r"^\W*(?:单位|units?)\s*[为是:：=]?", "", text[match.start() :], flags=re.IGNORECASE)
        written = written.strip(" ,，;；:：.。()（）")
        factor, plain = split_multiplier(written)
        # `x1000 r/min` is a multiplied unit, `× 10 kWh` a multiplication.
        unit = None if re.match(r"[x×]\s", written) else find_unit(plain)
        if unit is not None:
            return text[: match.start()].rstrip(" ,，;；(（"), unit if factor == 1.0 else f"x{factor:g} {unit}"
    return text, None


def plain_formula(text: str) -> tuple[str, str | None]:
    """Formula text in ASCII with variables under their code names, and the unit written behind it or None."""
    if len(text) > MAX_TEXT:
        raise FormulaError(f"formula of {len(text)} characters is longer than {MAX_TEXT}")
    right_side = text.rsplit("=", 1)[-1].rsplit("＝", 1)[-1]
    right_side, unit = _split_unit(right_side.strip().strip("。;；"))
    # Superscripts first: compatibility folding would turn `x²` into `x2`.
    right_side = right_side.replace("²", "**2").replace("³", "**3").replace("√", "sqrt")
    plain = unicodedata.normalize("NFKC", right_side).translate(_SIGN_SPELLINGS).replace("^", "**")
    spellings = [(spelling, name) for name, written in VARIABLE_SPELLINGS.items() for spelling in written]
    for spelling, name in sorted(spellings, key=lambda pair: -len(pair[0])):
        edge = r"(?<![A-Za-z_]){}(?![A-Za-z_])" if spelling.isascii() else "{}"
        plain = re.sub(edge.format(re.escape(spelling)), name, plain, flags=re.IGNORECASE)
    plain = re.sub(r"(?<=[0-9])\s*(?:°|度|degrees?\b|deg\b)(?!\s*[CF])", "", plain)
    plain = re.sub(r"\bsqrt\s+([A-Za-z_0-9.]+)|\bsqrt(?=[0-9])([0-9.]+)", lambda m: f"sqrt({m.group(1) or m.group(2)})", plain)
    return re.sub(r"\s+", " ", plain).strip(), unit


def parse_formula(text: str) -> Expression:
    """The checked formula of a manual's text, e.g. `reading = (pointer angle − 30) ÷ 2.5 MPa`.

    Raises FormulaError naming what is not allowed: calls, attributes, unknown names, too long or too deep.
    """
    plain, unit = plain_formula(text)
    if not plain:
        raise FormulaError(f"formula {text!r} has nothing to compute")
    if not _PLAIN.fullmatch(plain):
        odd = sorted(set(re.sub(_PLAIN, "", plain)))
        raise FormulaError(f"formula {text!r} holds {''.join(odd)!r}, which is not arithmetic")
    if re.search(r"(?<![A-Za-z_])[0-9][0-9.]*(?![eE][+-]?[0-9])[A-Za-z_]", plain):
        raise FormulaError(f"formula {text!r} holds a number that runs into a name; write decimal numbers and `*`")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"formula {text!r} is not arithmetic: {error}") from error
    nodes = _check(tree)
    if nodes > MAX_NODES:
        raise FormulaError(f"formula {text!r} has {nodes} parts, more than {MAX_NODES}")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"sqrt"}
    unknown = sorted(names - set(VARIABLE_SPELLINGS))
    if unknown:
        raise FormulaError(f"formula {text!r} uses {', '.join(unknown)}; known variables: {', '.join(VARIABLE_SPELLINGS)}")
    return Expression(source=plain, variables=frozenset(names), unit=unit, tree=tree)
