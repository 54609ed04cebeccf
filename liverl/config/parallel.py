"""How a run is split over nodes and GPUs, by verl's own arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from liverl.config.schema import RunConfig
from liverl.config.verl_keys import VerlKeys

ACTOR, REF, ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.ref", "actor_rollout_ref.rollout"
SEQUENCE_KEY = "ulysses_sequence_parallel_size"


@dataclass(frozen=True)
class Parallel:
    """Nodes and GPUs of the trainer, of rollouts alone, and what one sequence and one replica are split over.

    `replica` is the GPUs of one replica: tensor, data and pipeline parallel size of the rollout server;
    `shares_trainer` says whether the trainer's GPUs serve replicas too.
    """

    trainer_nodes: int
    trainer_gpus_per_node: int
    rollout_nodes: int
    rollout_gpus_per_node: int
    tensor: int
    replica: int
    sequence: int
    shard: int
    shares_trainer: bool = True

    @classmethod
    def of(cls, config: RunConfig) -> Parallel:
        """The split that the composed command means (`liverl config show --verl`), section `verl` included.

        Nodes for rollouts alone exist in verl's separate mode only (trainer_separate_async.py), and only there
        `hybrid_engine: false` keeps replicas off the trainer's GPUs.
        """
        keys = VerlKeys.of(config)
        nodes = keys.whole("trainer.nnodes", config.infrastructure.nnodes)
        gpus = keys.whole("trainer.n_gpus_per_node", config.infrastructure.gpus_per_node)
        separate = keys.text("trainer.v1.trainer_mode", "sync") == "separate_async"
        tensor = keys.whole(f"{ROLLOUT}.tensor_model_parallel_size", config.engine.tensor_parallel)
        data = keys.whole(f"{ROLLOUT}.data_parallel_size", 1)
        pipeline = keys.whole(f"{ROLLOUT}.pipeline_model_parallel_size", 1)
        world = nodes * gpus
        wanted = keys.whole(f"{ACTOR}.fsdp_config.fsdp_size", -1)
        return cls(
            trainer_nodes=nodes,
            trainer_gpus_per_node=gpus,
            rollout_nodes=keys.whole(f"{ROLLOUT}.nnodes", 0) if separate else 0,
            rollout_gpus_per_node=keys.whole(f"{ROLLOUT}.n_gpus_per_node", gpus),
            tensor=max(1, tensor),
            replica=max(1, tensor) * max(1, data) * max(1, pipeline),
            sequence=sequence_parallel(keys, ACTOR),
            # verl/workers/engine/fsdp/utils.py: create_device_mesh
            shard=world if wanted < 1 or wanted >= world else wanted,
            shares_trainer=not separate or keys.truth("actor_rollout_ref.hybrid_engine", True),
        )

    @property
    def world(self) -> int:
        """Trainer processes."""
        return self.trainer_nodes * self.trainer_gpus_per_node

    @property
    def data(self) -> int:
        """Data-parallel size of the trainer: groups of GPUs that each train on sequences of their own."""
        return max(1, self.world // self.sequence)

    @property
    def rollout_gpus(self) -> int:
        """GPUs that serve replicas: those of the trainer where it shares them, and those for rollouts alone."""
        return self.shares_trainer * self.world + self.rollout_nodes * self.rollout_gpus_per_node

    @property
    def replicas(self) -> int:
        """Rollout servers."""
        return self.rollout_gpus // self.replica


def sequence_parallel(keys: VerlKeys, role: str) -> int:
    """GPUs that one sequence is split over in a role: the older key wins where it is above 1 (FSDPActorConfig)."""
    follows = sequence_parallel(keys, ACTOR) if role == REF else 1
    old = keys.whole(f"{role}.{SEQUENCE_KEY}", follows)
    if old > 1:
        return old
    veomni = keys.whole(f"{role}.veomni.ulysses_parallel_size", 1)
    return max(1, veomni, keys.whole(f"{role}.fsdp_config.{SEQUENCE_KEY}", 1))
