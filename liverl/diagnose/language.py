"""Conditions of write-ups: expressions over metrics and facts, parsed once, evaluated over all steps at once.

`'actor/entropy' < 0.2 * early('actor/entropy')` compares a metric (a string, by verl's name) with its own start, step
by step; `alive and silence_s > 5 * step_s` speaks of facts (names). Allowed are numbers, metrics, facts, arithmetic,
comparisons, and/or/not and the functions of `liverl.diagnose.functions`; nothing else.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liverl.diagnose.functions import FUNCTIONS, thinned
from liverl.diagnose.picked import jumps
from liverl.log.series import Series, Values

Fact = float | int | bool | str
Memory = dict[str, Values]
_ARITHMETIC: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_NO_STEPS = Series.empty()
# Functions that have an answer for a metric that nobody has measured: 0.
_COUNTING = ("rows", "measured", "missed")


class Unmeasured(LookupError):
    """A metric or a fact that a condition needs and that nobody has measured."""


@dataclass(frozen=True)
class Expression:
    """A parsed condition with the metrics and the facts it speaks of, in the order of the text.

    `needs` are the metrics without which it can't be judged: not those of one side of an `or` alone, nor those of
    which it asks only whether and how often they were measured. `valued` are those of whose values in the same row it
    speaks: not those of which it takes the latest, or the last of all, whichever row that is in. `habits` are those
    that are compared with what was usual before.
    """

    text: str
    metrics: tuple[str, ...]
    facts: tuple[str, ...]
    tree: ast.expr
    needs: frozenset[str]
    valued: frozenset[str]
    habits: frozenset[str]

    def over(self, series: Series, facts: Mapping[str, Fact], memory: Memory | None = None) -> Values:
        """1 where the condition holds, 0 where not, a value a row; not known counts as not.

        `memory` keeps what functions gave, for other conditions over the same series and facts. Raises `Unmeasured`
        where a metric or a fact is missing.
        """
        with np.errstate(all="ignore"):
            found = _Evaluation(series, facts, {} if memory is None else memory).value(self.tree)
        return _truth(np.broadcast_to(np.asarray(found, np.float64), (max(1, len(series)),)))

    def holds(self, facts: Mapping[str, Fact], memory: Memory | None = None) -> bool:
        """Whether a condition that speaks of facts alone holds; raises `Unmeasured` where one is missing.

        `memory` keeps the answer, for another condition of the same text over the same facts.
        """
        if memory is None:
            return bool(self.over(_NO_STEPS, facts)[0])
        kept = f"facts: {self.text}"
        if kept not in memory:
            memory[kept] = self.over(_NO_STEPS, facts)
        return bool(memory[kept][0])


def parse(text: str) -> Expression:
    """Parse a condition; raises `ValueError` with what is wrong and where."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"not an expression: {text!r} ({error.msg} at {error.offset})") from None
    metrics: dict[str, None] = {}
    facts: dict[str, None] = {}
    _check(tree, metrics, facts)
    return Expression(
        text.strip(), tuple(metrics), tuple(facts), tree, _needs(tree), _valued(tree), _habits(tree)
    )


def _needs(node: ast.expr) -> frozenset[str]:
    match node:
        case ast.Constant(value=str(name)):
            return frozenset((name,))
        case ast.Constant() | ast.Name():
            return frozenset()
        case ast.Call(func=ast.Name(id=name)) if name in _COUNTING:
            return frozenset()
        case ast.BoolOp(op=ast.Or(), values=values):
            return frozenset.intersection(*(_needs(value) for value in values))
    return frozenset().union(*(_needs(part) for part in _parts(node)))


def _valued(node: ast.expr) -> frozenset[str]:
    match node:
        case ast.Constant(value=str(name)):
            return frozenset((name,))
        case ast.Constant() | ast.Name():
            return frozenset()
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant()]) if name in _COUNTING:
            return frozenset()
        case ast.Call(func=ast.Name(id="latest" | "final")):
            return frozenset()
    return frozenset().union(*(_valued(part) for part in _parts(node)))


def _habits(node: ast.expr) -> frozenset[str]:
    match node:
        case ast.Constant() | ast.Name():
            return frozenset()
        case ast.Call(func=ast.Name(id="usual")):
            return _valued(node)
    return frozenset().union(*(_habits(part) for part in _parts(node)))


def _check(node: ast.expr, metrics: dict[str, None], facts: dict[str, None]) -> None:
    match node:
        case ast.Constant(value=str(name)):
            metrics[name] = None
        case ast.Constant(value=bool() | int() | float()):
            pass
        case ast.Name(id=name):
            facts[name] = None
        case _:
            for part in _parts(node):
                _check(part, metrics, facts)


def _parts(node: ast.expr) -> Sequence[ast.expr]:
    """The parts of an expression that is allowed; raises `ValueError` for one that is not."""
    match node:
        case ast.BoolOp():
            return node.values
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return (operand,)
        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
            return (node.left, node.right)
        case ast.Compare(left=left) if _is_text(node):
            return (left,)
        case ast.Compare() if all(type(operator) in _COMPARISONS for operator in node.ops):
            return (node.left, *node.comparators)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS and arguments:
            return arguments
    raise ValueError(f"not allowed in a condition: {ast.unparse(node)}")


def _is_text(node: ast.Compare) -> bool:
    """Whether a fact is compared with a text: `ended == 'cut'`."""
    return (
        isinstance(node.left, ast.Name)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq | ast.NotEq)
        and isinstance(node.comparators[0], ast.Constant)
        and isinstance(node.comparators[0].value, str)
    )


@functools.lru_cache(maxsize=4096)
def _text(node: ast.expr) -> str:
    """An expression's text; write-ups share many (the same metric smoothed, the same start)."""
    return ast.unparse(node)


class _Evaluation:
    def __init__(self, series: Series, facts: Mapping[str, Fact], memory: Memory) -> None:
        self._series = series
        self._facts = facts
        self._memory = memory

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str(name)):
                return self._metric(name)
            case ast.Constant(value=number):
                return number
            case ast.Name(id=name):
                return self._fact(name)
            case ast.BoolOp(op=operator, values=values):
                return self._joined(values, isinstance(operator, ast.And))
            case ast.UnaryOp(op=operator, operand=operand):
                value = self.value(operand)
                negated = isinstance(operator, ast.USub)
                return np.negative(value) if negated else 1.0 - _truth(np.asarray(value, np.float64))
            case ast.BinOp(left=left, op=operator, right=right):
                return _ARITHMETIC[type(operator)](self.value(left), self.value(right))
            case ast.Compare():
                return self._compare(node)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                text = _text(node)
                if text not in self._memory:
                    self._memory[text] = self._call(name, arguments)
                return self._memory[text]
        raise ValueError(f"not allowed in a condition: {ast.unparse(node)}")

    def _joined(self, values: list[ast.expr], is_and: bool) -> Any:
        """What is not measured makes an `or` neither true nor false, as long as another part of it is measured."""
        parts, unmeasured = [], None
        for value in values:
            try:
                parts.append(_truth(np.asarray(self.value(value), np.float64)))
            except Unmeasured as error:
                unmeasured = error
        if unmeasured is not None and (is_and or not parts):
            raise unmeasured
        return functools.reduce(np.minimum if is_and else np.maximum, parts)

    def _metric(self, name: str) -> Values:
        if not self._series.has(name):
            raise Unmeasured(name)
        return self._series.columns[name]

    def _fact(self, name: str) -> Fact:
        if name not in self._facts:
            raise Unmeasured(name)
        return self._facts[name]

    def _call(self, name: str, arguments: list[ast.expr]) -> Any:
        match arguments:
            case [ast.Constant(value=str(metric))] if name in _COUNTING and not self._series.has(metric):
                return np.zeros(len(self._series))
        first, *others = (self.value(argument) for argument in arguments)
        if name not in ("max", "min"):
            first = np.broadcast_to(np.asarray(first, np.float64), (len(self._series),))
        steps = self._series.span_of(0, len(self._series) - 1) if len(self._series) else 0
        # Of rows that say nothing each for itself a window takes as many as of any others.
        if not (self._facts.get("jumpy") and jumps(np.asarray(first, np.float64))):
            others = list(thinned(name, others, len(self._series), steps))
        return FUNCTIONS[name](first, *others)

    def _compare(self, node: ast.Compare) -> Any:
        if _is_text(node):
            right = node.comparators[0]
            assert isinstance(right, ast.Constant)
            is_equal = self.value(node.left) == right.value
            return float(is_equal == isinstance(node.ops[0], ast.Eq))
        values = [self.value(part) for part in (node.left, *node.comparators)]
        held: Any = 1.0
        known: Any = 1.0
        for operator, left, right in zip(node.ops, values, values[1:], strict=False):
            held = np.multiply(held, _COMPARISONS[type(operator)](left, right))
            known = np.multiply(known, ~(np.isnan(left) | np.isnan(right)))
        return np.where(known, held, np.nan)


def _truth(values: Values) -> Values:
    """What is known to be true; unknown is not."""
    truth: Values = ((values != 0) & ~np.isnan(values)).astype(np.float64)
    return truth
