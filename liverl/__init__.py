"""Online reinforcement learning of coding agents: one engine, operated by an agent or a person."""

__version__ = "0.1.0"
