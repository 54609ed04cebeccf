"""`python -m liverl` is `liverl`."""

from __future__ import annotations

import sys

from liverl.cli.main import main

sys.exit(main())
