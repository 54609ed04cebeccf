"""Intervals of time: what they cover together, and how much of each is nobody else's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Span = tuple[float, float]


def merge(spans: Iterable[Span]) -> list[Span]:
    """The union as intervals that don't touch, by their start; empty and reversed ones are dropped."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(spans: Iterable[Span]) -> float:
    """The sum of the intervals' lengths, those that overlap counted each."""
    return sum(max(0.0, end - start) for start, end in spans)


def union_length(spans: Iterable[Span]) -> float:
    """How long at least one of the intervals lasts."""
    return length(merge(spans))


def exclusive(by_kind: Mapping[str, Sequence[Span]]) -> dict[str, float]:
    """Seconds by kind that add up to the union: an instant of several kinds goes to the first of them."""
    covered: list[Span] = []
    seconds = {}
    total = 0.0
    for kind, spans in by_kind.items():
        covered = merge([*covered, *spans])
        seconds[kind] = length(covered) - total
        total += seconds[kind]
    return seconds


def bounds(spans: Iterable[Span]) -> Span | None:
    """The first start and the last end; None when there is no interval."""
    merged = merge(spans)
    return (merged[0][0], max(end for _, end in merged)) if merged else None
