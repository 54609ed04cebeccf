"""The newest steps that stand, from the end of metrics.jsonl as it grows."""

from __future__ import annotations

from liverl.log.rows import LastRows, Row, rows_up_to, whole
from liverl.operate.health import WINDOW
from liverl.record.layout import RunDir

# Two windows for the trend, and enough steps for their median with validations among them.
_KEPT = 64
_LAST_BYTES = 1 << 20


class StepsMade:
    """Rows of metrics.jsonl by step, each the one that stands."""

    def __init__(self, run: RunDir) -> None:
        self._path = run.metrics_jsonl
        self._last = LastRows(self._path, _KEPT, _LAST_BYTES)

    def read(self, attempt: int, step: int | None) -> list[Row]:
        """The newest rows up to an attempt's step, oldest first; without a step up to the attempt's last row.

        After a resume the rows of later steps are an earlier attempt's, until they are made again.
        """
        rows = _ordered(self._last.read())
        own = [
            found
            for row in rows
            if row.get("attempt") == attempt and (found := whole(row, "step")) is not None
        ]
        top = max([*own, *([] if step is None else [step])], default=None)
        if top is None:
            return rows
        standing = [row for row in rows if row["step"] <= top]
        if len(standing) < 2 * WINDOW and len(standing) < len(rows):
            standing = _ordered(rows_up_to(self._path, top, _LAST_BYTES // 2))
        return standing[-_KEPT:]


def _ordered(rows: list[Row]) -> list[Row]:
    by_step: dict[int, Row] = {}
    for row in rows:
        step = whole(row, "step")
        if step is not None:
            known = by_step.get(step)
            is_later = known is None or _attempt(row) >= _attempt(known)
            by_step[step] = row if is_later or known is None else known
    return [by_step[step] for step in sorted(by_step)]


def _attempt(row: Row) -> int:
    return whole(row, "attempt") or 0
