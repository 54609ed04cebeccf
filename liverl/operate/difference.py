"""Whether two validations differ by more than chance: the difference of their means with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """A validation: its trials' mean reward, their population standard deviation, and how many had a reward."""

    mean: float
    spread: float
    trials: int


@dataclass(frozen=True)
class Difference:
    """A mean minus another one, and the interval it lies in with the asked confidence."""

    value: float
    low: float
    high: float

    @property
    def claim(self) -> str:
        """`higher` or `lower` where the interval excludes 0, else `none`."""
        if self.low > 0:
            return "higher"
        return "lower" if self.high < 0 else "none"


def difference(one: Sample, base: Sample, comparisons: int = 1) -> Difference | None:
    """How far `one` is above `base`; None when their rewards can't lie in 0 to 1, or there is no trial.

    Newcombe's hybrid of two Wilson intervals (Statistics in Medicine 17, 1998, method 10), which holds for few trials
    and for means of 0 and 1. Rewards between 0 and 1 vary less than the binary ones it is made for, and trials of the
    same tasks less than independent ones, so the true confidence is at least the asked one. With several comparisons
    all intervals hold together (Bonferroni).
    """
    if not (_is_unit(one) and _is_unit(base)):
        return None
    z = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / comparisons / 2)
    one_low, one_high = _wilson(one, z)
    base_low, base_high = _wilson(base, z)
    value = one.mean - base.mean
    below = math.hypot(one.mean - one_low, base_high - base.mean)
    above = math.hypot(one_high - one.mean, base.mean - base_low)
    return Difference(value, value - below, value + above)


def _is_unit(sample: Sample) -> bool:
    """Whether rewards in 0 to 1 can have this mean and deviation: their variance is at most mean (1 - mean)."""
    if sample.trials < 1 or not 0 <= sample.mean <= 1:
        return False
    return sample.spread**2 <= sample.mean * (1 - sample.mean) + 1e-9  # 1e-9: rounding of the recorded values


def _wilson(sample: Sample, z: float) -> tuple[float, float]:
    """Wilson's score interval of a share (Journal of the American Statistical Association 22, 1927)."""
    count, share = sample.trials, sample.mean
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return max(0.0, centre - half), min(1.0, centre + half)
