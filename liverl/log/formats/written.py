"""What a file of a few pages tells that is no log: notes, lists of values, pieces of other files."""

from __future__ import annotations

from liverl.log.formats import fragments
from liverl.log.formats.ends import end_rows
from liverl.log.formats.excerpt import excerpt_rows
from liverl.log.formats.fragments import fragment_rows
from liverl.log.formats.keyed import keyed_series
from liverl.log.formats.listed import listed_rows
from liverl.log.formats.marked import marked_rows
from liverl.log.formats.notes import noted_rows
from liverl.log.formats.repeated import repeated_rows
from liverl.log.formats.stated import stated_rows
from liverl.log.formats.turned import turned_rows
from liverl.log.series import Series

MOST_BYTES = fragments.MOST_BYTES


def written_series(content: bytes) -> Series:
    """The rows of the first of these forms that a text has; none of any other text."""
    found = keyed_series(content)
    for form in (
        stated_rows,
        turned_rows,
        marked_rows,
        fragment_rows,
        noted_rows,
        listed_rows,
        end_rows,
        repeated_rows,
        excerpt_rows,
    ):
        if len(found):
            break
        found = form(content).series()
    return found
