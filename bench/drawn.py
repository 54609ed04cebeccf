"""Runs that are drawn by formula: healthy ones, and each failure of learning as its metrics show it.

A curve has its metrics under short names of this file (`reward`, `kl`, ...); `DIALECTS` says what trainers call them.
Rewards are shares of what can be earned, until `SCALES` makes others of them.

Curve      the metrics of one run, a value a step
Failure    how one goes wrong, and the write-ups that tell it
FAILURES   all of them
picked     a few rows of a run, as people keep them
HEALTHY    runs that nothing is wrong with, whatever they look like
DIALECTS   the names of a trainer's metrics
SCALES     what becomes of a reward of 0 to 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Curve = dict[str, Values]
Draw = Callable[[int, np.random.Generator], Curve]

DIALECTS: Mapping[str, Mapping[str, str]] = {
    "verl": {
        "reward": "critic/score/mean", "most": "critic/score/max", "least": "critic/score/min", "kl": "actor/kl_loss",
        "entropy": "actor/entropy", "grad": "actor/grad_norm", "loss": "actor/pg_loss", "ratio": "actor/ppo_kl",
        "length": "response_length/mean", "longest": "response_length/max", "cut": "response_length/clip_ratio",
        "rate": "actor/lr", "seconds": "timing_s/step", "held_out": "val-core/gsm8k/acc/mean@1",
        "apart": "training/rollout_probs_diff_mean", "clipped": "actor/pg_clipfrac", "value_loss": "critic/vf_loss",
        "explained": "critic/vf_explained_var", "turns": "num_turns/mean",
    },
    "TRL": {
        "reward": "reward", "spread": "reward_std", "same": "frac_reward_zero_std", "kl": "kl", "entropy": "entropy",
        "grad": "grad_norm", "loss": "loss", "length": "completions/mean_length", "cut": "completions/clipped_ratio",
        "rate": "learning_rate", "seconds": "step_time", "apart": "sampling/sampling_logp_difference/mean",
    },
    "TRL, of two parts": {
        "reward": "reward", "spread": "reward_std", "kl": "kl", "grad": "grad_norm", "loss": "loss",
        "right": "rewards/accuracy_reward/mean", "form": "rewards/format_reward/mean",
    },
    "OpenRLHF": {
        "reward": "reward", "kl": "kl", "loss": "policy_loss", "length": "response_length", "rate": "actor_lr",
    },
    "plain": {
        "reward": "mean_reward", "kl": "kl", "entropy": "entropy", "grad": "grad_norm", "loss": "loss",
        "length": "avg_length", "held_out": "eval_accuracy",
    },
}  # fmt: skip
SCALES: Mapping[str, tuple[float, float]] = {
    "0 to 1": (1.0, 0.0),
    "below 0": (2.0, -1.5),
    "0 to 10": (10.0, 0.0),
}
_REWARDS = ("reward", "most", "least")


@dataclass(frozen=True)
class Failure:
    """How a run goes wrong: its curve, the write-ups of which one has to tell it, the metrics without which nobody
    could, how few rows from its start on are enough, and how few that somebody picked out of many."""

    draw: Draw
    told_by: frozenset[str]
    needs: tuple[str, ...] = ()
    fewest: int = 16
    fewest_picked: int = 5


def scaled(curve: Curve, scale: str) -> Curve:
    """The same run with rewards of another scale."""
    factor, offset = SCALES[scale]
    changed = {name: factor * curve[name] + offset for name in _REWARDS if name in curve}
    return {**curve, **changed, "spread": factor * curve["spread"]}


def picked(curve: Curve, rows: int) -> tuple[Curve, list[int]]:
    """So many rows of a run, regularly, and which they are; of the held out tasks each has the latest that was told."""
    at = np.unique(np.linspace(0, len(curve["reward"]) - 1, rows).round().astype(int))
    held_out = curve["held_out"]
    latest = np.maximum.accumulate(np.where(np.isnan(held_out), 0, np.arange(len(held_out))))
    return {name: values[at] for name, values in {**curve, "held_out": held_out[latest]}.items()}, at.tolist()


def healthy(steps: int, chance: np.random.Generator, begin: float = 0.3, end: float = 0.7) -> Curve:
    """A run that learns: fast at first, a little less sure with each step of what it does."""
    noise, passed = _noise(steps, chance), _passed(steps)
    reward = np.clip(begin + (end - begin) * (1 - np.exp(-4 * passed)) + 0.04 * noise(), 0, 1)
    validated = np.full(steps, np.nan)
    every = max(1, steps // 10)
    validated[::every] = np.clip(0.9 * reward[::every] + 0.01 * noise()[::every], 0, 1)
    return {
        "reward": reward, "most": np.ones(steps), "least": np.zeros(steps), "spread": 0.35 + 0.03 * noise(),
        "same": np.clip(0.2 + 0.08 * noise(), 0, 1), "right": 0.8 * reward, "form": np.clip(1.1 * reward, 0, 1),
        "held_out": validated, "kl": 0.001 + 0.02 * passed + 0.002 * abs(noise()),
        "entropy": 0.6 - 0.25 * passed + 0.02 * noise(), "grad": 0.4 + 0.08 * abs(noise()), "loss": 0.01 * noise(),
        "ratio": 0.0005 * abs(noise()), "clipped": abs(0.002 + 0.001 * noise()), "apart": 0.004 + 0.0006 * noise(),
        "length": 400 + 60 * passed + 20 * noise(), "longest": np.full(steps, 1024.0),
        "cut": np.clip(0.05 + 0.03 * noise(), 0, 1), "rate": np.full(steps, 1e-6), "seconds": 60 + 4 * abs(noise()),
        "value_loss": 0.05 * np.exp(-2 * passed) + 0.005 * abs(noise()),
        "explained": np.clip(0.1 + 0.6 * passed + 0.05 * noise(), -1, 1), "turns": 3.5 + 0.3 * noise(),
    }  # fmt: skip


def _noise(steps: int, chance: np.random.Generator) -> Callable[[], Values]:
    return lambda: chance.standard_normal(steps)


def _passed(steps: int) -> Values:
    """Which part of the run is over."""
    return np.arange(steps) / max(1, steps - 1)


def _from(steps: int, begin: float, lasts: float) -> Values:
    """0 until a part of the run is over, 1 when what begins there is complete, after `lasts` of the run."""
    return np.clip((np.arange(steps) - int(begin * steps)) / max(1.0, lasts * steps), 0, 1)


def _flat(steps: int, chance: np.random.Generator, level: float = 0.4) -> Curve:
    """A run that earns what it earned at first."""
    return healthy(steps, chance, level, level)


def _lost(curve: Curve, share: Values) -> Curve:
    """With a share of the rewards gone."""
    left = 1 - share
    reward = curve["reward"] * left
    return {**curve, "reward": reward, "right": 0.8 * reward, "held_out": curve["held_out"] * left}


def _drops(steps: int, chance: np.random.Generator) -> Curve:
    return _lost(healthy(steps, chance), 0.5 * _from(steps, 0.5, 3 / steps))


def _vanishes(steps: int, chance: np.random.Generator) -> Curve:
    return _lost(healthy(steps, chance), _from(steps, 0.6, 3 / steps))


def _loses_its_level(steps: int, chance: np.random.Generator) -> Curve:
    return _lost(_flat(steps, chance, 0.6), 0.5 * _from(steps, 0.5, 3 / steps))


def _declines(steps: int, chance: np.random.Generator) -> Curve:
    return _lost(healthy(steps, chance), 0.5 * _from(steps, 0.4, 0.6))


def _never_rises(steps: int, chance: np.random.Generator) -> Curve:
    return _flat(steps, chance, 0.2)


def _narrows(curve: Curve, share: Values) -> Curve:
    """Answers become alike."""
    return {
        **curve,
        "entropy": curve["entropy"] * (1 - 0.97 * share),
        "spread": curve["spread"] * (1 - 0.75 * share),
        "same": np.clip(curve["same"] + 0.65 * share, 0, 1),
        "grad": curve["grad"] * (1 - 0.7 * share),
    }


def _collapses(steps: int, chance: np.random.Generator) -> Curve:
    return _narrows(_flat(steps, chance), _from(steps, 0.3, 0.3))


def _collapses_and_loses(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.5, 0.3)
    return _lost(_narrows(healthy(steps, chance), share), 0.5 * share)


def _explodes_in_entropy(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.4, 0.3)
    curve = _lost(healthy(steps, chance), 0.7 * share)
    return {**curve, "entropy": curve["entropy"] * (1 + 6 * share)}


def _leaves_the_reference(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.4, 0.3)
    curve = _flat(steps, chance)
    return {**curve, "kl": curve["kl"] * (1 + 300 * share) + share}


def _explodes_in_gradients(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.5, 0.2)
    curve = _lost(healthy(steps, chance), 0.4 * share)
    return {**curve, "grad": curve["grad"] * (1 + 200 * share * np.exp(0.5 * chance.standard_normal(steps)))}


def _is_no_number(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    lost = _passed(steps) >= 0.6
    return {
        **_lost(curve, lost.astype(np.float64)),
        **{name: np.where(lost, np.inf, curve[name]) for name in ("grad", "loss", "kl")},
    }


def _all_alike(steps: int, chance: np.random.Generator, level: float) -> Curve:
    same = np.full(steps, level)
    return {
        **_flat(steps, chance), "reward": same, "most": same, "least": same, "spread": np.zeros(steps),
        "same": np.ones(steps), "grad": np.zeros(steps), "loss": np.zeros(steps), 
        "right": np.full(steps, float(level == 1)), "form": same,
    }  # fmt: skip


def _nothing(steps: int, chance: np.random.Generator) -> Curve:
    return _all_alike(steps, chance, 0.0)


def _all_the_same(steps: int, chance: np.random.Generator) -> Curve:
    return _all_alike(steps, chance, 0.5)


def _loses_its_signal(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.2, 0.3)
    curve = _flat(steps, chance)
    return {
        **curve, "same": np.clip(curve["same"] * (1 - share) + share, 0, 1), "spread": curve["spread"] * (1 - share),
        "grad": curve["grad"] * (1 - 0.97 * share),
    }  # fmt: skip


def _cut_off(steps: int, chance: np.random.Generator) -> Curve:
    cut = np.clip(0.98 + 0.01 * chance.standard_normal(steps), 0, 1)
    return {**_flat(steps, chance, 0.05), "cut": cut, "length": 1020 - 3 * abs(chance.standard_normal(steps))}


def _grows_into_the_limit(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.3, 0.3)
    curve = _lost(healthy(steps, chance), 0.8 * share)
    return {
        **curve,
        "cut": np.clip(0.05 + 0.93 * share, 0, 1),
        "length": np.minimum(curve["length"] * (1 - share) + 1020 * share, 1024),
    }


def _grows_for_nothing(steps: int, chance: np.random.Generator) -> Curve:
    curve = _flat(steps, chance)
    return {
        **curve, "length": curve["length"] * (1 + 5 * _from(steps, 0.3, 0.4)), "longest": np.full(steps, 8192.0),
    }  # fmt: skip


def _shrinks(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.4, 0.2)
    curve = _lost(healthy(steps, chance), 0.5 * share)
    return {**curve, "length": curve["length"] * (1 - 0.96 * share)}


def _slows(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    as_long = 400 + 20 * chance.standard_normal(steps)
    return {**curve, "seconds": curve["seconds"] * (1 + 2 * _passed(steps)), "length": as_long}


def _is_slow_from_then_on(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    as_long = 400 + 20 * chance.standard_normal(steps)
    return {**curve, "seconds": curve["seconds"] * (1 + 1.6 * _from(steps, 0.4, 0.1)), "length": as_long}


def _forgets_held_out_tasks(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    return {**curve, "held_out": curve["held_out"] * (1 - 0.6 * _from(steps, 0.3, 0.5))}


def _earns_the_form(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.2, 0.5)
    right = np.clip(0.45 * (1 - 0.8 * share) + 0.03 * chance.standard_normal(steps), 0, 1)
    return {**healthy(steps, chance, 0.4, 0.9), "right": right, "form": 0.3 + 0.65 * share}


def _samples_another_policy(steps: int, chance: np.random.Generator) -> Curve:
    curve = _flat(steps, chance)
    return {**curve, "apart": curve["apart"] * (1 + 60 * _from(steps, 0.3, 0.3))}


def _strays_from_its_samples(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.3, 0.3)
    curve = _lost(healthy(steps, chance), 0.4 * share)
    return {**curve, "clipped": curve["clipped"] + 0.5 * share, "ratio": curve["ratio"] + 0.15 * share}


def _has_no_rate(steps: int, chance: np.random.Generator) -> Curve:
    nothing = np.zeros(steps)
    return {**_flat(steps, chance), "rate": nothing, "kl": nothing, "ratio": nothing}


def _has_no_gradient(steps: int, chance: np.random.Generator) -> Curve:
    return {**_flat(steps, chance), "grad": np.zeros(steps), "kl": np.zeros(steps)}


def _values_nothing(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.4, 0.3)
    curve = _lost(healthy(steps, chance), 0.5 * share)
    explained = curve["explained"] * (1 - share) - 3 * share
    return {**curve, "value_loss": curve["value_loss"] * (1 + 400 * share), "explained": explained}


def _stops_to_call_tools(steps: int, chance: np.random.Generator) -> Curve:
    share = _from(steps, 0.4, 0.2)
    curve = _lost(healthy(steps, chance), 0.7 * share)
    return {**curve, "turns": curve["turns"] * (1 - share) + share}


def _is_nearer_than_none(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    return {**curve, "kl": curve["kl"] - 0.8 * _from(steps, 0.3, 0.3)}


def _by(*writeups: str) -> frozenset[str]:
    return frozenset(writeups)


_LOSS = _by("reward:declining", "policy:diverged", "reward:not-the-policy")
_ALIKE = _by("reward:all-wrong", "reward:constant", "reward:no-signal", "reward:all-right")
_NARROW = _by("policy:entropy-collapsed", "policy:mode-collapse")
_LONG = frozenset(
    ("policy:truncated-all", "policy:truncation-collapse", "policy:length-explosion", "policy:diverged")
)
FAILURES: Mapping[str, Failure] = {
    "half of the reward is gone within three steps": Failure(_drops, _LOSS),
    "all of it": Failure(_vanishes, _LOSS | {"policy:mode-collapse", "reward:all-wrong"}),
    "half of a level that never rose": Failure(_loses_its_level, _LOSS),
    "half of it, slowly": Failure(_declines, _LOSS, fewest=25, fewest_picked=12),
    "it never rises": Failure(_never_rises, _by("reward:never-rose"), fewest=150, fewest_picked=13),
    "nothing is ever earned": Failure(_nothing, _ALIKE),
    "all trials earn the same": Failure(_all_the_same, _ALIKE),
    "groups lose their spread": Failure(_loses_its_signal, _ALIKE | _NARROW, ("same",), 25),
    "entropy collapses, nothing gained": Failure(_collapses, _NARROW | _ALIKE, ("entropy",)),
    "entropy collapses, half lost": Failure(_collapses_and_loses, _NARROW | _LOSS, ("entropy",)),
    "entropy explodes": Failure(_explodes_in_entropy, _by("policy:entropy-exploded") | _LOSS, ("entropy",)),
    "KL blows up": Failure(_leaves_the_reference, _by("policy:kl-blowup"), ("kl",)),
    "KL falls below 0": Failure(_is_nearer_than_none, _by("policy:kl-negative"), ("kl",)),
    "gradients explode": Failure(_explodes_in_gradients, _by("policy:grad-explosion"), ("grad",)),
    "nan": Failure(_is_no_number, _by("policy:nan", "reward:not-finite")),
    "answers are cut from the start on": Failure(_cut_off, _LONG, ("cut",)),
    "answers grow into their limit": Failure(_grows_into_the_limit, _LONG | _LOSS, ("length",)),
    "answers grow sixfold for nothing": Failure(_grows_for_nothing, _LONG, ("length",)),
    "answers shrink to a word": Failure(_shrinks, _by("policy:length-collapse") | _LOSS, ("length",)),
    "steps take ever longer": Failure(_slows, _by("perf:throughput-rot"), ("seconds",)),
    "steps take long from then on": Failure(_is_slow_from_then_on, _by("perf:throughput-rot"), ("seconds",), 25),
    "held-out tasks are forgotten": Failure(_forgets_held_out_tasks, _by("reward:val-diverges"), ("held_out",)),
    "the form alone is learned": Failure(_earns_the_form, _by("reward:hacking"), ("form",), 25),
    "trainer and rollout differ": Failure(_samples_another_policy, _by("sync:mismatch", "sync:frozen"), ("apart",)),
    "off-policy": Failure(
        _strays_from_its_samples, _by("policy:off-policy-ratio", "policy:clip-saturated"), ("clipped",)),
    "the rate is 0": Failure(_has_no_rate, _by("policy:lr-zero"), ("rate", "grad")),
    "the gradient is 0": Failure(_has_no_gradient, _by("policy:no-gradient"), ("grad",)),
    "the critic unlearns": Failure(_values_nothing, _by("policy:critic-diverged"), ("value_loss",)),
    "tools are called no more": Failure(_stops_to_call_tools, _by("policy:no-tool-calls") | _LOSS, ("turns",)),
}  # fmt: skip


def _rewarded(reward: Callable[[Values, np.random.Generator], Values], **others: Draw) -> Draw:
    """A healthy run with another reward (of the part that is over), held out tasks as the reward."""

    def draw(steps: int, chance: np.random.Generator) -> Curve:
        curve = healthy(steps, chance)
        earned = reward(_passed(steps), chance)
        smoothed = np.convolve(np.pad(np.clip(earned, 0, 1), 4, mode="edge"), np.ones(9) / 9, "valid")
        held_out = np.where(np.isnan(curve["held_out"]), np.nan, smoothed)
        return {**curve, "reward": earned, "right": 0.8 * np.clip(earned, 0, 1), "held_out": held_out}

    return draw


def _rising(noise: float) -> Callable[[Values, np.random.Generator], Values]:
    return lambda passed, chance: np.clip(
        0.3 + 0.4 * passed + noise * chance.standard_normal(len(passed)), 0, 1
    )


def _of_trials(trials: int, begin: float, end: float) -> Draw:
    """Batches of so few trials, each right or wrong."""
    return _rewarded(lambda passed, chance: chance.binomial(trials, begin + (end - begin) * passed) / trials)


def _spiked(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    at = np.arange(steps) == int(0.6 * steps)
    return {
        **curve, "reward": np.where(at, 0.2, 1) * curve["reward"], "grad": np.where(at, 30, 1) * curve["grad"],
        "kl": np.where(at, 10, 1) * curve["kl"],
    }  # fmt: skip


def _recovered(steps: int, chance: np.random.Generator) -> Curve:
    passed = _passed(steps)
    return _lost(healthy(steps, chance), 0.6 * ((passed >= 0.4) & (passed < 0.5)).astype(np.float64))


def _solved(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance, 0.5, 1.0)
    done = 1 - np.exp(-6 * _passed(steps))
    return {
        **curve, "same": np.clip(0.2 + 0.78 * done, 0, 1), "spread": curve["spread"] * (1 - 0.95 * done),
        "grad": curve["grad"] * (1 - 0.95 * done), "entropy": curve["entropy"] * (1 - 0.93 * done),
    }  # fmt: skip


def _longer_for_more(steps: int, chance: np.random.Generator) -> Curve:
    curve, passed = healthy(steps, chance), _passed(steps)
    return {
        **curve,
        "length": curve["length"] * (1 + 1.2 * passed),
        "seconds": curve["seconds"] * (1 + 1.3 * passed),
    }


def _surer(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    return {**curve, "entropy": curve["entropy"] * np.linspace(1, 0.12, steps)}


def _further(steps: int, chance: np.random.Generator) -> Curve:
    curve = healthy(steps, chance)
    return {**curve, "kl": curve["kl"] * np.linspace(1, 25, steps)}


def _heavy_tailed(steps: int, chance: np.random.Generator) -> Curve:
    curve = _rewarded(
        lambda passed, tail: np.clip(0.3 + 0.4 * passed + 0.03 * tail.standard_t(2, len(passed)), 0, 1)
    )
    return {**curve(steps, chance), "grad": 0.4 * np.exp(0.8 * chance.standard_t(3, steps))}


def _busy_machine(steps: int, chance: np.random.Generator) -> Curve:
    slow = 1 + 2.0 * (chance.random(steps) < 0.1)
    return {**healthy(steps, chance), "seconds": 60 * np.exp(0.3 * chance.standard_normal(steps)) * slow}


HEALTHY: Mapping[str, Draw] = {
    "it learns": healthy,
    "late": _rewarded(lambda passed, chance: np.clip(
        0.02 + 0.33 / (1 + np.exp(-12 * (passed - 0.6))) + 0.015 * chance.standard_normal(len(passed)), 0, 1)),
    "noisy": _rewarded(_rising(0.12)),
    "eight trials a step": _of_trials(8, 0.3, 0.6),
    "four trials a step": _of_trials(4, 0.25, 0.55),
    "64 trials a step": _of_trials(64, 0.3, 0.6),
    "in waves": _rewarded(lambda passed, chance: np.clip(
        0.35 + 0.3 * passed + 0.08 * np.sin(8 * np.pi * passed) + 0.03 * chance.standard_normal(len(passed)), 0, 1)),
    "harder tasks three times": _rewarded(lambda passed, chance: np.clip(
        0.35 + 0.25 * ((3 * passed) % 1) + 0.05 * passed + 0.03 * chance.standard_normal(len(passed)), 0, 1)),
    "penalties now and then": _rewarded(lambda passed, chance: _rising(0.04)(passed, chance)
        - (chance.random(len(passed)) < 0.04) * chance.uniform(1, 5, len(passed))),
    "one step is lost": _spiked,
    "a tenth is lost and comes back": _recovered,
    "solved": _solved,
    "longer for more": _longer_for_more,
    "surer": _surer,
    "further from the reference": _further,
    "heavy tails": _heavy_tailed,
    "a busy machine": _busy_machine,
}  # fmt: skip
