"""The process's edge: arguments in, exit code out; what escapes is printed with its next action."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from liverl.cli import exits
from liverl.cli.arguments import parser
from liverl.errors import LiveRLError

_OTHER_KIND = (
    "name another path: what is there is a file where a folder has to be, or a folder where a file has to be"
)
_CURES = {
    errno.ENOTDIR: _OTHER_KIND,
    errno.EEXIST: _OTHER_KIND,
    errno.EISDIR: _OTHER_KIND,
    errno.ENOSPC: "free space (df -h), then try again",
    errno.EDQUOT: "free space within your quota, then try again",
    errno.EACCES: "grant the right, then try again",
    errno.EPERM: "grant the right, then try again",
    errno.EROFS: "name a folder that can be written",
    errno.ENAMETOOLONG: "name a shorter path",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = parser().parse_args(arguments)
    from liverl.cli import commands

    try:
        code = commands.run_command(given)
        if sys.stdout is not None:  # None where the shell has closed it
            sys.stdout.flush()
        return code
    except LiveRLError as error:
        _tell(error, as_json=given.json)
        return exits.of_error(error.code)
    except BrokenPipeError:
        # The reader (`| head`) has gone; Python would complain again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK
    except OSError as error:  # a process edge: a disk or a right, and no traceback
        told = LiveRLError(
            "system.refused",
            "The system refused to read, write or start something.",
            evidence=str(error),
            next_action=_CURES.get(error.errno or 0, "free space or grant the right, then try again"),
        )
        _tell(told, as_json=given.json)
        return exits.of_error(told.code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return exits.INTERRUPTED


def _tell(error: LiveRLError, *, as_json: bool) -> None:
    if as_json:
        import json

        from liverl.operate.answer import error_as_json

        print(json.dumps(error_as_json(error), ensure_ascii=False))
    else:
        from liverl.cli.given import harmless

        print(harmless(str(error)), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
