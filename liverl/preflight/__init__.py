"""Will the run work? One file a question, each answering with findings; nothing is started or changed.

run        asks all questions at once, each with a time limit
finding    a question's answer: id, severity, title, evidence, cure
context    what every question is given
machine    the machine's facts
ask        asks the data plane, in a process of its own
questions  packages sandboxes scaffolds ports memory disk places trackers models tasks verls
"""

from liverl.preflight.finding import Finding, Severity, config_findings, worst_first
from liverl.preflight.machine import machine_facts
from liverl.preflight.run import QUESTIONS, run_checks
from liverl.preflight.summary import configuration_summary

__all__ = [
    "QUESTIONS",
    "Finding",
    "Severity",
    "config_findings",
    "configuration_summary",
    "machine_facts",
    "run_checks",
    "worst_first",
]
