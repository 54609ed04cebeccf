"""What a log's label can mean."""

from __future__ import annotations

import pytest

from bench.labels import meant, words
from liverl.diagnose.catalogue import catalogue

WRITEUPS = catalogue()


def _ids(label: str) -> set[str]:
    return {each.id for each in meant(label, WRITEUPS)}


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("grad_explosion", "policy:grad-explosion"),
        ("gradient_norm_spike", "policy:grad-explosion"),
        ("policy:truncated-all", "policy:truncated-all"),
        ("length-runaway", "policy:length-explosion"),
        ("cuda_oom_logprob", "memory:cuda-update"),
        ("off_policy_ratio", "policy:off-policy-ratio"),
        ("response_truncation", "policy:truncated-all"),
        ("config_error", "config:zero3"),
        ("ray_worker_died", "ray:worker-died"),
    ],
)
def test_a_label_in_other_words_means_the_same_writeup(label: str, meaning: str) -> None:
    assert meaning in _ids(label)


@pytest.mark.parametrize("label", ["", "x", "probe", "weird thing nobody knows"])
def test_words_that_no_writeup_knows_mean_none(label: str) -> None:
    assert _ids(label) == set()


def test_a_label_does_not_mean_the_opposite_failure() -> None:
    assert "policy:length-explosion" not in _ids("length_collapse")
    assert "policy:entropy-collapsed" not in _ids("entropy_explosion")
    assert "memory:cuda-update" not in _ids("host_oom")


def test_empty_words_count_only_where_there_are_no_others() -> None:
    assert words("nccl_error") == words("nccl")
    assert words("error") == {"error"}
