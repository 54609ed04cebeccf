"""The rows of one log by the form in which they were told, and which of these forms is the run's own.

Sources   the rows of each form
"""

from __future__ import annotations

from liverl.log.formats.rows import Rows
from liverl.log.names import Names

# What a framework prints for each step; tables and pairs, which may be quoted.
_SURE, _LIKELY = ("verl", "box", "dict"), ("grid", "json", "below", "pairs", "listed")
_TABLES = ("grid", "below", "listed")
# What bars tell beside, and one row about all of a training.
_LEAST, _ALL = ("postfix", "epochs", "uncounted"), ("summary",)

# One line of pairs without a step is a note, and no row; an epoch's bar of a few steps says where a run stands.
_FEWEST = {"uncounted": 2, "epochs": 5}


class Sources:
    """Rows by their form. Of several forms in one log the surest that tells most steps counts."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._rows = {"verl": Rows(names, repeats_begin=True)}

    def of(self, form: str) -> Rows:
        """The rows of a form."""
        if form not in self._rows:
            self._rows[form] = Rows(self._names, repeats_begin=form == "box", are_tables=form in _TABLES)
        return self._rows[form]

    def best(self) -> Rows:
        """The rows of the form that counts; of none where nothing was told."""
        for forms in (_SURE, _LIKELY, _LEAST, _ALL):
            told = [
                self._rows[form] for form in forms if len(self._rows.get(form, ())) >= _FEWEST.get(form, 1)
            ]
            found = max(told, key=len, default=None)
            if found:
                return found
        return self._rows["verl"]
