"""Tables in the marks of a page: HTML as notebooks show a training's metrics, LaTeX."""

from __future__ import annotations

import re

from liverl.log.formats import grids, sideways
from liverl.log.formats.rows import Rows
from liverl.log.names import Names

MOST_BYTES = 4 << 20
_BETWEEN = re.compile(r"</t[dh]>\s*<t[dh][^>]{0,200}>")
_ROW = re.compile(r"<tr[^>]{0,200}>\s*<t[dh][^>]{0,200}>(.{1,8000}?)</t[dh]>\s*</tr>", re.DOTALL)
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>")
_LATEX = re.compile(r"^(?P<row>[^&\n]{1,200}&[^\n]{1,4000}?)\\\\\s*(?:\\\w+\s*)?$", re.MULTILINE)


def marked_rows(content: bytes) -> Rows:
    """The rows of such a table; none of any other text."""
    rows = Rows(Names())
    is_page = b"<td" in content
    if len(content) > MOST_BYTES or not (is_page or b" & " in content):
        return rows
    text = content.decode("utf-8", "replace")
    lines = [_TAG.sub("", _BETWEEN.sub(" | ", each)) for each in _ROW.findall(text)] if is_page else []
    lines += [found.group("row").replace("&", "|").replace("\\", "") for found in _LATEX.finditer(text)]
    table: grids.Grid | sideways.Sideways | None = None
    for line in (f"| {' '.join(each.split())} |" for each in lines):
        if table is None:
            table = grids.begun_by(line) or sideways.begun_by(line)
        elif isinstance(table, sideways.Sideways):
            table.join(line)
        elif found := table.row(line):
            rows.add(found[1], found[0])
    if isinstance(table, sideways.Sideways):
        for step, row in table.rows:
            rows.add(row, step)
    return rows
