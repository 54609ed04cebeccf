"""Conditions of write-ups: expressions over metrics and facts, parsed once, evaluated over all steps at once.

`'actor/entropy' < 0.2 * early('actor/entropy')` compares a metric (a string, by verl's name) with its own start, step
by step; `alive and silence_s > 5 * step_s` speaks of facts (names). Allowed are numbers, metrics, facts, arithmetic,
comparisons, and/or/not and the functions of `liverl.diagnose.functions`; nothing else.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liverl.diagnose.functions import FUNCTIONS, cost, thinned, trend_at
from liverl.diagnose.picked import jumps
from liverl.log.series import Series, Values

Fact = float | int | bool | str
Truth = NDArray[np.bool_]
Memory = dict[str, Values | Truth]
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
# Of a longer series the dearest function is asked only in the rows that matter, where these are fewer than that share.
_LONG, _FEW = 1000, 0.25
# So many values of functions are kept for other conditions: 64 MB.
_MOST_KEPT = 8_000_000


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
    tree: ast.expr = field(compare=False)  # the text tells it
    needs: frozenset[str]
    valued: frozenset[str]
    habits: frozenset[str]

    @functools.cached_property
    def cost(self) -> float:
        """What it costs to be judged, in comparisons of one row: of several conditions the cheap are asked first."""
        return _cost(self.tree)

    def over(
        self,
        series: Series,
        facts: Mapping[str, Fact],
        memory: Memory | None = None,
        among: Truth | None = None,
    ) -> Truth:
        """Whether the condition holds, for each row; not known counts as not.

        `memory` keeps what functions gave, for other conditions over the same series and facts. `among` are the rows in
        which it is asked: what is said of others may be wrong. Raises `Unmeasured` where a metric or a fact is missing.
        """
        with np.errstate(all="ignore"):
            found = _Evaluation(series, facts, {} if memory is None else memory, among).truth(self.tree)
        return np.broadcast_to(found, (max(1, len(series)),))

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


@functools.lru_cache(maxsize=8192)
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


def _cost(node: ast.expr) -> float:
    match node:
        case ast.Constant() | ast.Name():
            return 0.0
        case ast.Call(func=ast.Name(id=name), args=[first, *others]):
            told = (each.value for each in others if isinstance(each, ast.Constant))
            return cost(name, [float(each) for each in told if isinstance(each, int | float)]) + _cost(first)
    return 1.0 + sum(map(_cost, _parts(node)))


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
    def __init__(
        self, series: Series, facts: Mapping[str, Fact], memory: Memory, among: Truth | None = None
    ) -> None:
        self._series = series
        # The rows that matter; None where they are so many that all are asked at once.
        self._among = among if among is not None and _are_few(among) else None
        self._facts = facts
        self._memory = memory

    def truth(self, node: ast.expr) -> Truth:
        """Where an expression is known to be true; only here it does not matter why it is not."""
        match node:
            case ast.BoolOp(op=operator, values=values):
                return self._joined(values, isinstance(operator, ast.And))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self.truth(operand)
            case ast.Compare() if not _is_text(node):
                return self._holds(node)
        value = np.asarray(self.value(node), np.float64)
        truth: Truth = np.logical_and(value != 0, ~np.isnan(value))
        return truth

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str(name)):
                return self._metric(name)
            case ast.Constant(value=number):
                return number
            case ast.Name(id=name):
                return self._fact(name)
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self.truth(node).astype(np.float64)
            case ast.UnaryOp(operand=operand):
                return np.negative(self.value(operand))
            case ast.BinOp(left=left, op=operator, right=right):
                return _ARITHMETIC[type(operator)](self.value(left), self.value(right))
            case ast.Compare():
                return self._compare(node)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._remembered(name, arguments, _text(node))
        raise ValueError(f"not allowed in a condition: {ast.unparse(node)}")

    def _remembered(self, name: str, arguments: list[ast.expr], text: str) -> Any:
        """What a function gave, kept until of a long series too much is: what was asked longest ago goes first."""
        memory = self._memory
        if (found := memory.pop(text, None)) is None:
            found = self._call(name, arguments)
            while len(memory) * len(self._series) > _MOST_KEPT:
                del memory[next(iter(memory))]
        memory[text] = found
        return found

    def _joined(self, values: list[ast.expr], is_and: bool) -> Truth:
        """What is not measured makes an `or` neither true nor false, as long as another part of it is measured."""
        parts, unmeasured = [], None
        for value in values:
            try:
                parts.append(self.truth(value))
            except Unmeasured as error:
                unmeasured = error
        if unmeasured is not None and (is_and or not parts):
            raise unmeasured
        joined: Truth = functools.reduce(np.logical_and if is_and else np.logical_or, parts)
        return joined

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

    def _holds(self, node: ast.Compare) -> Truth:
        """Where a comparison is known to hold: of all of them only `!=` would hold of what is unknown."""
        values = [self._side(part) for part in (node.left, *node.comparators)]
        held: Any = np.True_
        for operator, left, right in zip(node.ops, values, values[1:], strict=False):
            held = np.logical_and(held, _COMPARISONS[type(operator)](left, right))
            if isinstance(operator, ast.NotEq):
                held = np.logical_and(held, ~(np.isnan(left) | np.isnan(right)))
        truth: Truth = held
        return truth

    def _side(self, node: ast.expr) -> Any:
        """A side of a comparison; what costs most in the rows alone that matter, unknown in others."""
        match node:
            case ast.Call(func=ast.Name(id="trend"), args=[values, ast.Constant(value=int(window))]):
                if self._among is not None and _text(node) not in self._memory:
                    first = np.asarray(self.value(values), np.float64)
                    return trend_at(np.broadcast_to(first, self._among.shape), window, self._among)
        return self.value(node)

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


def _are_few(among: Truth) -> bool:
    return len(among) >= _LONG and bool(np.count_nonzero(among) < _FEW * len(among))
