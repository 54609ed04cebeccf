"""`config.yaml` becomes a typed, checked, explained `RunConfig`; hardware comes in as data.

schema     the sections: every key, its type, range, default and meaning
source     one YAML file as dotted keys with lines
load       profile, config.yaml and overrides become one configuration
verify     merged values become a RunConfig, or all reasons why not
rules      values that are impossible together
keys       the keys in words, and the nearest one to a misspelling
problems   what is wrong: file, line, key, value, reason, cure
resolved   resolved.yaml: every value and where it comes from
facts      what has to be known of the machine
parallel   how devices are shared out: sequence, tensor and data parallel
verl_keys  values of section verl, under whichever of their names
"""

from liverl.config.facts import Facts
from liverl.config.load import PROFILES, Resolved, load, resolve
from liverl.config.problems import ConfigProblems, Problem
from liverl.config.resolved import Setting, describe, read_origins, render_resolved
from liverl.config.schema import RunConfig
from liverl.config.source import Origin, parse_overrides

__all__ = [
    "PROFILES",
    "ConfigProblems",
    "Facts",
    "Origin",
    "Problem",
    "Resolved",
    "RunConfig",
    "Setting",
    "describe",
    "load",
    "parse_overrides",
    "read_origins",
    "render_resolved",
    "resolve",
]
