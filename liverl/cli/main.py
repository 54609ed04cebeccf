"""The process's edge: arguments in, exit code out; what escapes is printed with its next action."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from liverl.cli import exits
from liverl.cli.arguments import parser
from liverl.errors import LiveRLError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = parser().parse_args(arguments)
    from liverl.cli import commands

    try:
        code = commands.run_command(given)
        sys.stdout.flush()
        return code
    except LiveRLError as error:
        _tell(error, as_json=given.json)
        return exits.of_error(error.code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return exits.INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has gone; Python would complain again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK


def _tell(error: LiveRLError, *, as_json: bool) -> None:
    if as_json:
        import json

        print(json.dumps({"ok": False, "error": error.as_dict()}, ensure_ascii=False))
    else:
        print(error, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
