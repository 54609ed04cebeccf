"""Posts a line to one address, as JSON that Slack, Discord and Mattermost understand.

The address is a secret: it is read from LIVERL_WEBHOOK alone, never from a file, and never told.
"""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import urlsplit

from liverl.record.layout import RunDir
from liverl.record.masking import mask
from liverl.run.locks import poster_of

VARIABLE = "LIVERL_WEBHOOK"
LIMIT_S = 5.0
_CHARS = 1500
_SILENT = f"the webhook gave no answer within {LIMIT_S:.0f} s"


class _Here(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a line goes where the address says and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """None: the redirect is the answer."""


_OPENER = urllib.request.build_opener(_Here)


def address() -> str:
    """The address to post to; "" where there is none."""
    return os.environ.get(VARIABLE, "").strip()


def posts_for(run: RunDir) -> bool:
    """Whether this process is the one that posts of a run: a launch's watcher and a person's would say all twice."""
    return bool(address()) and poster_of(run)


def post(line: str, url: str) -> str:
    """Post a line; returns "" or why it did not arrive, without the address. Takes at most about 5 s."""
    said: list[str] = []
    # In a thread: an answer that drips, or a name that is not resolved, must not hold who watches.
    thread = threading.Thread(target=lambda: said.append(_post(line, url)), daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    return said[0] if said else _SILENT


def _post(line: str, url: str) -> str:
    text = _quiet(mask(line))[:_CHARS]
    body = {"text": text, "content": text, "allowed_mentions": {"parse": []}}
    try:
        if urlsplit(url).scheme not in ("http", "https"):
            return f"{VARIABLE} is no http address"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        with _OPENER.open(request, timeout=LIMIT_S):
            return ""
    except urllib.error.HTTPError as error:
        error.close()
        return f"the webhook answered {error.code}"
    except TimeoutError:
        return _SILENT
    except (OSError, ValueError, HTTPException) as error:
        return f"the webhook could not be reached ({type(error).__name__})"


def _quiet(text: str) -> str:
    """The text so that it calls nobody: a log may hold `@everyone` or Slack's `<!channel>`."""
    return text.replace("@", "@\u200b").replace("<", "<\u200b")
