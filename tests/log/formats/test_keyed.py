"""Notes that hold one metric a line."""

from __future__ import annotations

from liverl.log.formats.keyed import keyed_row, keyed_series


def test_a_note_of_metrics_is_one_row() -> None:
    note = b"steps: 80\ntraining/rollout_probs_diff_mean: 0.21\nactor/entropy = 0.44\nmodel: acme-20b\n"

    assert keyed_row(note) == (80, {"training/rollout_probs_diff_mean": 0.21, "actor/entropy": 0.44})


def test_a_share_in_per_cent_is_a_share() -> None:
    found = keyed_row(b"- completions/clipped_ratio: 97%\n- reward: -0.8\n")

    assert found == (1, {"completions/clipped_ratio": 0.97, "reward": -0.8})


def test_several_metrics_may_stand_on_a_line() -> None:
    found = keyed_row(b"loss: 0.5, grad_norm: 0.25, learning_rate: 0.0\n")

    assert found == (1, {"loss": 0.5, "grad_norm": 0.25, "learning_rate": 0.0})


def test_what_is_told_again_and_again_is_no_note() -> None:
    assert keyed_row(b"grad_norm: 0.5\nreward: 0.1\ngrad_norm: 0.6\nreward: 0.2\n") is None


def test_a_configuration_is_no_note() -> None:
    assert keyed_row(b"batch_size: 8\nmax_length: 512\nnum_layers: 12\nseed: 1\n") is None


def test_a_log_with_numbers_is_no_note() -> None:
    log = b"INFO starting the server\nINFO loading weights\nreward: 0.5\ngrad_norm: 0.1\nINFO done\nbye\n"

    assert keyed_row(log) is None


def test_a_text_without_metrics_has_no_row() -> None:
    assert len(keyed_series(b"hello\n")) == 0
