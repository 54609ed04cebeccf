"""The drills: what each breaks, how, and which finding its run has to be diagnosed with.

DRILLS   all of them, by name
HEALTHY  the same run with nothing wrong in it
named    the drill of a name
"""

from __future__ import annotations

import difflib

from liverl.errors import RunError
from liverl.operate.drill_form import Drill, Settings

_STILL: Settings = {"algorithm": {"learning_rate": 1e-9}}
"""Learns next to nothing, and so remains as it is for as long as the run goes on."""
_ENDLESS = 500
_NO_RETRY: Settings = {"trial": {"retries": 0}}

_ALL = (
    Drill(
        "learning-rate",
        "learning",
        "the policy is destroyed by its own updates",
        "a learning rate of 0.02, fifty times the profile's",
        ("policy:diverged", "policy:entropy-exploded", "policy:grad-explosion", "policy:kl-blowup"),
        110,
        steps=15,
        settings={"algorithm": {"learning_rate": 2e-2}},
    ),
    Drill(
        "nan",
        "learning",
        "every gradient is NaN, so that no update is made any more",
        "the training worker's gradients are multiplied by NaN from step 4 on",
        ("policy:nan",),
        90,
        steps=8,
        at=3,
    ),
    Drill(
        "frozen-weight-sync",
        "learning",
        "the replica goes on with old weights while the trainer learns",
        "from step 4 on each weight sync sends the weights of step 3 again",
        ("sync:frozen",),
        110,
        steps=18,
        at=3,
        settings={"algorithm": {"learning_rate": 1e-4}},
    ),
    Drill(
        "wrong-logprobs",
        "learning",
        "the replica answers log-probabilities that are not those of its tokens",
        "from step 5 on each one is three times what it should be",
        ("sync:mismatch",),
        110,
        steps=14,
        at=4,
        settings={"algorithm": {"learning_rate": 2e-5}},
    ),
    Drill(
        "all-wrong",
        "learning",
        "every trial of every group has reward 0, so that there is nothing to learn from",
        "the tasks want a colour that the policy never writes",
        ("reward:all-wrong",),
        110,
        steps=14,
        grading="purple",
    ),
    Drill(
        "all-right",
        "learning",
        "every trial of every group has reward 1, so that there is nothing to learn from",
        "the tasks take anything for an answer",
        ("reward:all-right",),
        110,
        steps=14,
        grading="anything",
    ),
    Drill(
        "truncation",
        "learning",
        "every trial ends at the length limit, before the agent has done anything",
        "rollout.max_response_length is 20, less than the policy says before its first command",
        ("policy:truncated-all",),
        110,
        steps=14,
        # Learning, it would soon come to the point within the limit.
        settings={
            **_STILL,
            "rollout": {"max_response_length": 20, "temperature": 0.6},
            "scaffold": {"max_tokens_per_turn": 20},
        },
        policy="thinker",
    ),
    Drill(
        "entropy-collapse",
        "learning",
        "the policy says the same again and again",
        "the entropy bonus has the wrong sign: actor.entropy_coeff is -5",
        ("policy:entropy-collapsed",),
        110,
        steps=15,
        # Four small updates a step: one large one destroys the policy instead.
        settings={"algorithm": {"learning_rate": 1e-4}, "training": {"mini_batch_size": 1}},
        verl={"actor_rollout_ref.actor.entropy_coeff": -5.0},
        grading="mixed",
    ),
    Drill(
        "verifier-fails",
        "plumbing",
        "no trial can be graded",
        "the tasks' test.sh calls a program that is not in their image",
        ("verifier:fails-always",),
        80,
        settings=_NO_RETRY,
        grading="broken",
    ),
    Drill(
        "gateway-down",
        "plumbing",
        "the model's endpoint is gone",
        "LiteLLM is killed, and again when it has been restarted",
        ("gateway:down",),
        80,
        steps=_ENDLESS,
        settings=_STILL,
        act="kill-door",
    ),
    Drill(
        "model-name",
        "plumbing",
        "the agent asks for a model that nobody serves",
        "LiteLLM's own configuration has the policy by another name than it is asked for",
        ("gateway:model-name",),
        80,
        settings=_NO_RETRY,
        around="other-name",
    ),
    Drill(
        "tool-parser",
        "plumbing",
        "no tool call is understood, so that the agent never acts",
        "rollout.tool_parser is qwen3_coder for a policy that calls tools as hermes does",
        ("gateway:tool-parser",),
        110,
        steps=10,
        settings={"rollout": {"tool_parser": "qwen3_coder"}},
    ),
    Drill(
        "sandbox-start",
        "plumbing",
        "no sandbox starts",
        "bubblewrap is not on the PATH of the run",
        ("sandbox:start-failed",),
        80,
        settings=_NO_RETRY,
        around="no-bubblewrap",
    ),
    Drill(
        "killed-worker",
        "crash",
        "the process dies that runs the trials",
        "SIGKILL to the agent-loop worker",
        ("ray:worker-died",),
        80,
        steps=_ENDLESS,
        settings=_STILL,
        act="kill",
        victim="ray::AgentLoopWorker",
    ),
    Drill(
        "killed-replica",
        "crash",
        "the process dies that generates",
        "SIGKILL to the replica",
        ("engine:replica-died",),
        80,
        steps=_ENDLESS,
        settings=_STILL,
        act="kill",
        victim="ray::CpuServer",
    ),
    Drill(
        "disk-full",
        "crash",
        "a checkpoint does not fit on its disk",
        "checkpoints go to a file system of 20 MB, one a step",
        ("disk:full",),
        80,
        steps=12,
        settings={"checkpoint": {"save_freq": 1, "keep": 100}},
        around="small-disk",
    ),
    Drill(
        "checkpoint-cut",
        "crash",
        "the checkpoint that the run is to go on from is half there",
        "the run is stopped, its newest weights file is cut in half, and it is resumed",
        ("checkpoint:partial",),
        130,
        steps=_ENDLESS,
        settings={**_STILL, "checkpoint": {"save_freq": 1, "keep": 2}},
        act="cut",
    ),
    Drill(
        "port-taken",
        "plumbing",
        "LiteLLM can't listen",
        "the drill itself listens on infrastructure.litellm_port",
        ("port:in-use",),
        60,
        around="taken-port",
    ),
    Drill(
        "host-memory",
        "crash",
        "the machine runs out of memory, and Ray ends the process that took it",
        "the training worker takes memory until Ray's memory monitor, set low for this run, ends it",
        ("memory:host",),
        90,
        steps=12,
        at=3,
        settings=_STILL,
        around="little-memory",
    ),
    Drill(
        "stall",
        "hang",
        "a step never ends, and nothing says why",
        "the training worker is suspended by SIGSTOP",
        ("run:stalled",),
        130,
        steps=_ENDLESS,
        settings=_STILL,
        act="freeze",
        victim="ray::WorkerDict",
    ),
)

HEALTHY = Drill(
    "healthy",
    "learning",
    "nothing",
    "a run of the same size with nothing wrong in it, which nothing may be found in",
    ("",),
    220,
    steps=60,
)

DRILLS: dict[str, Drill] = {each.name: each for each in _ALL}
"""All drills, by name."""


def named(name: str) -> Drill:
    """The drill of a name; raises `RunError` with the nearest names."""
    if name in DRILLS:
        return DRILLS[name]
    near = difflib.get_close_matches(name, DRILLS, n=3, cutoff=0.4)
    raise RunError(
        "drill.unknown",
        f"No drill is called {name[:60]}.",
        evidence=f"{len(DRILLS)} drills are known",
        next_action=f"did you mean {', '.join(near)}?" if near else "liverl drill   lists them",
    )
