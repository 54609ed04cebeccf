"""The data plane's answers to preflight, each `python -m liverl.probe NAME --json`."""
