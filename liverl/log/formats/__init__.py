"""What logs and files of metrics look like, in all the forms that training frameworks write.

detect      which kind of file it is, by what it holds
steps       the lines of a console log that tell a step (StepLines)
tables      files that are no console: read_table, Table
rows        rows of metrics as columns, rows of one step merged
"""

from __future__ import annotations

from liverl.log.formats.detect import detect, encoding_of

__all__ = ["detect", "encoding_of"]
