"""The files of a run directory: their types, one writer and one reader each.

layout      where each file is
clock       times as text
shapes      values of plain JSON as the types they should have
jsonl       files of one JSON object a line, read whole or as they grow
runfile     run.json: identity, attempts, processes, state
plan        attempt_N.json: what the supervisor starts and keeps
events      events.jsonl, and the drop box through which others add to it
stages      the stages of a boot: which one an attempt is in, and how long each may take
trials      trials.jsonl: one row a finished trial
trajectory  trajectory.json.gz: a trial's tokens, masks and logprobs
metrics     metrics.jsonl: verl's rows and the trials' aggregates, merged
asks        what the control plane asks of the supervisor
ledger      ledger.jsonl: one row an attempt that has ended
archive     archives/run_NNN: what an attempt was, and what became of it
masking     secrets in a text as ***; masking_places those that their place gives away
tail        the last lines of a log, and the ones that say why it ended
"""

from __future__ import annotations

from liverl.record.events import Event, append_event, post_event, read_events
from liverl.record.layout import RunDir
from liverl.record.runfile import Attempt, ProcessRef, RunRecord, read_run, write_run
from liverl.record.trajectory import Segment, read_trajectory, write_trajectory
from liverl.record.trials import TrialRow, append_trial, read_trials

__all__ = [
    "Attempt",
    "Event",
    "ProcessRef",
    "RunDir",
    "RunRecord",
    "Segment",
    "TrialRow",
    "append_event",
    "append_trial",
    "post_event",
    "read_events",
    "read_run",
    "read_trajectory",
    "read_trials",
    "write_run",
    "write_trajectory",
]
