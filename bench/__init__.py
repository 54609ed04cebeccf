"""Measures what the main job must reach; each program writes one file of bench/results/, `bench.table` draws them.

controls   whether reading decides: fixed edits, and another task's observations
learning   what a run learns, for several seeds
default_run   how long the default run takes, and what it needs
seconds    where each second of a run's steps goes
setup      how long the environment takes to make in an empty folder
evaluate   the reward of one policy folder, at any temperature
table      bench/RESULTS.md from the files of bench/results/

Below them: `result` (a measurement's file), `machine`, `estimate` (means with their intervals), `spans` (intervals of
time), `memory` (of a tree of processes), `door` (a LiteLLM of one's own), `logprobs` (replica against model), `seed`
(one seed, from the making of its policy to what it learned).
"""
