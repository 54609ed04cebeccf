"""The facts that a condition may name; docs/writeups.md says what each means."""

from __future__ import annotations

_OF_A_LOG = (
    "lines bytes steps first_step last_step steps_total attempts restarts tracebacks ended finished_said "
    "exception_above lost_steps first_step_wait_s step_s attempt_line garbled "
    "served_behind at_line at_stage at_said waits waits_for waits_s beats_s stopped_after_s jumpy risen steps_missing"
)
_OF_A_RUN = (
    "is_run alive state silence_s exit_status reason stage stage_s stage_limit_s disk_free_gb checkpoint_gb "
    "checkpoints_partial trials trials_failed blame_sandbox blame_gateway blame_engine blame_verifier blame_scaffold"
)
FACTS = frozenset((*_OF_A_LOG.split(), *_OF_A_RUN.split()))
