"""verl's schema without verl: unknown keys are all found, and the nearest real one is named."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hydra.errors import HydraException

from liverl.probe.schema import compose, keys, nearest

KNOWN = [
    "actor_rollout_ref.actor.entropy_coeff",
    "actor_rollout_ref.actor.optim.lr",
    "trainer.total_epochs",
    "trainer.save_freq",
]


def test_all_unknown_keys_are_told_at_once_and_the_rest_is_composed() -> None:
    composed = compose(
        [
            "trainer.save_freq=7",
            "actor_rollout_ref.actor.entropy_coef=0.1",
            "trainer.nope.deep=1",
            "actor_rollout_ref.rollout.agent.nonsense=2",
        ]
    )
    assert set(composed.unknown) == {
        "actor_rollout_ref.actor.entropy_coef",
        "trainer.nope.deep",
        "actor_rollout_ref.rollout.agent.nonsense",
    }
    assert composed.config.trainer.save_freq == 7


def test_keys_that_are_added_on_purpose_and_verls_own_groups_are_allowed() -> None:
    composed = compose(["+trainer.mine=1", "++trainer.ours=2", "~trainer.save_freq", "model_engine=megatron"])
    assert composed.unknown == ()
    assert (composed.config.trainer.mine, composed.config.trainer.ours) == (1, 2)


def test_what_else_hydra_refuses_stays_its_own_error() -> None:
    with pytest.raises(HydraException):
        compose(["trainer.save_freq=[1"])


def test_the_schemas_keys_are_dotted() -> None:
    known = keys(compose([]).config)
    assert {"trainer.save_freq", "actor_rollout_ref.actor.entropy_coeff"} <= set(known)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("actor_rollout_ref.actor.entropy_coef", "actor_rollout_ref.actor.entropy_coeff"),
        ("actor.entropy_coeff", "actor_rollout_ref.actor.entropy_coeff"),
        ("trainer.total_epoch", "trainer.total_epochs"),
        ("zzqq", ""),
    ],
)
def test_the_nearest_key_is_like_it_as_a_whole_and_by_its_last_part(key: str, meant: str) -> None:
    assert nearest(key, KNOWN) == meant


def test_composing_imports_neither_verl_nor_torch() -> None:
    program = (
        "import sys\nfrom liverl.probe.schema import compose\ncompose([])\n"
        "print(*[name for name in ('verl', 'torch', 'ray') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
