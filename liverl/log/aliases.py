"""verl 0.9.1's name of a metric, and what other frameworks and versions call it, the most direct name first."""

from __future__ import annotations

# TRL, Unsloth, OpenRLHF, SkyRL, Tinker, prime-rl, slime, AReaL, rLLM, older verl; lower case, without `train/`.
ALIASES: dict[str, tuple[str, ...]] = {
    "actor/entropy": (
        "actor/entropy_loss", "entropy", "policy/policy_entropy", "policy_entropy", "optim/entropy", "entropy/mean",
        "entropy_loss", "mean_entropy", "objective/entropy", "token_entropy",
        "policy/entropy_avg", "critic/entropy/mean", "approx_entropy", "ent", "ppo/policy/entropy",
    ),
    "actor/grad_norm": (
        "actor/grad_norm(before clip)", "grad_norm", "optim/grad_norm", "skyrl.ai/grad_norm", "policy/grad_norm",
        "policy/raw_grad_norm", "actor_grad_norm", "gradient_norm", "grad", "grad norm", "grad. norm", "gnorm",
        "actor/gradient_norm", "total_norm", "raw_grad_norm", "l2_norm", "total_grad_norm", "optim/total_grad_norm",
        "gradnorm", "gradient norm", "global_grad_norm", "grad_norm_before_clip", "grad_norm_pre_clip",
        "grad_norm_preclip", "pre_clip_grad_norm", "unclipped_grad_norm", "grad/norm", "gradients/norm", "grad_l2_norm",
        "gn",
    ),
    "actor/pg_loss": (
        "pg_loss", "policy_loss", "policy/policy_loss", "actor/policy_loss", "actor_loss", "actor/actor_loss",
        "act_loss", "loss/policy", "loss", "loss/mean", "loss:sum", "policy/final_loss", "training loss",
        "training_loss", "train_loss", "actor/loss", "rl_loss", "policy_gradient_loss", "rl_trainer/avg_grpo_loss",
        "loss/policy_avg", "losses/policy_loss", "pg",
    ),
    "actor/kl_loss": (
        "kl_loss", "kl", "actor/kl", "policy/policy_kl", "policy/kl", "kl_divergence", "mean_kl",
        "ref_kl", "kl/mean", "critic/kl", "objective/kl_avg", "kl_to_ref", "kl_ref", "kl_div", "kl_to_reference",
        "reference_kl", "kl_with_ref", "kl_vs_ref", "kl_from_ref", "kl/ref", "loss/kl", "loss/kl_loss", "kl_mean",
        "actor/kl_divergence", "policy_kl", "kl/policy_ref", "policy_ref_kl", "policy/kl_to_ref", "ref/kl", "kl_avg",
        "per-token kl", "per_token_kl", "token_kl", "kl_per_token",
        "rollout_info/kl_div_mean", "actor/reward_kl_penalty",
    ),
    # What the KL is multiplied with, of a controller that adapts it or not.
    "actor/kl_coef": (
        "actor/reward_kl_penalty_coeff", "objective/kl_coef", "kl_coef", "policy/kl_ctl", "kl_ctl_value",
        "kl_ctl/value", "critic/kl_coeff", "critic/kl_coef", "kl_coeff", "policy/kl_coef",
    ),
    # TRL's PPO and open-instruct sum it up over the tokens of an answer.
    "actor/kl_sequence": ("objective/kl", "rollout_info/rollout_kl", "kl(sum)", "kl_sum", "sum_kl", "kl/sum"),
    # The share of what was sampled that is other tokens when it is trained.
    "rollout/token_mismatch": ("token_mismatch", "token_mismatch_rate", "token mismatch", "batch/token_mismatch"),
    "actor/ppo_kl": (
        "ppo_kl", "actor/approx_kl", "approx_kl", "policy/approx_kl", "policy/approxkl_avg", "policy/approxkl",
        "old_approx_kl",
    ),
    "actor/pg_clipfrac": (
        "pg_clipfrac", "clip_ratio/region_mean", "clip_ratio", "policy/ppo_clip_ratio", "ppo_clip_ratio",
        "policy/clipfrac_avg", "policy/clipfrac", "clipfrac", "clip_frac", "clip_fraction", "policy/clip_fraction",
        "clip_ratio/high_mean",
    ),
    # The second clip of a dual one; what TRL calls low is the lower side of the first.
    "actor/pg_clipfrac_lower": ("pg_clipfrac_lower", "dual_clip_ratio"),
    "actor/ppo_ratio_mean": (
        "ppo_ratio_mean", "policy/ratio_mean", "importance_ratio", "ppo_ratio", "ratio_mean", "ratio", "actor/ratio",
        "val/ratio",
    ),
    "actor/lr": (
        "learning_rate", "lr", "optim/lr", "skyrl.ai/learning_rate", "policy/policy_lr", "actor_lr", "policy_lr",
        "actor/learning_rate", "lr-pg_0", "optim/learning_rate", "act_lr", "learning_rate_group_0",
    ),
    "critic/score/mean": (
        "critic/full-score/mean", "critic/sequence_score/mean", "reward/total", "env/all/reward/total", "reward",
        "mean_reward", "reward_mean", "avg_reward", "rewards/mean", "reward/mean", "task_reward", "raw_reward",
        "reward/avg_raw_reward", "reward/avg_reward", "loss/avg_raw_rewards", "rollout/raw_reward", "rollout/rewards",
        "rollout/reward", "objective/scores", "objective/rlhf_reward", "objective/verifiable_correct_rate",
        "avg_final_rewards", "scores", "rewards", "score", "env_reward",
        "episode/reward/mean", "episode_reward", "traj/reward_mean", "traj/reward/mean", "batch_reward", "mean reward",
        "train_reward",
        "critic/rewards/mean", "trial/reward/mean", "average_reward", "reward_avg", "reward/avg", "mean_score",
        "score/mean", "score_mean", "total_rewards_mean", "env/reward_mean", "ppo/mean_scores", "train/accuracy",
        "train/acc", "train_accuracy", "train_acc", "train/pass@1", "train/solve_rate", "train/success_rate",
        "average reward score", "exp_scores/mean", "rew", "rew_mean", "outcome_correct_mean", "reward/raw_mean",
        "actor/mean_episode_return", "mean_episode_return", "majority_voting_reward",
        "rollout/ep_rew_mean", "ep_rew_mean", "ep_rew", "ep_return", "ep_reward",
        "total_r_mean", "rollout/reward_mean", "rollout/mean_reward", "rollout/in_group_reward_mean",
        "rollout/in_group_mean",
        "actor/rewards", "actor/actor_reward",  # oat
        "success_rate", "t_succ", "succ",
        "rollout/success_rate", "env/success_rate", "train/success", "avg_success", "solved_rate",
        "accuracy_rate", "solve_rate", "pass_rate", "avg total reward", "reward/evaluate_response/avg_total_reward",
        "rm",
        "rollout_info/ep_rew", "rollout_info/ep_rew_mean", "rollout_info/ep_task_rew", "rollout_scores/mean",
    ),
    "critic/score/max": ("critic/full-score/max", "reward/max", "reward_max", "max_reward", "critic/rewards/max"),
    "critic/score/min": ("critic/full-score/min", "reward/min", "reward_min", "min_reward", "critic/rewards/min"),
    "critic/score/std": (
        "reward_std", "std_reward", "reward/std", "rewards/std", "critic/rewards/std", "reward_stddev",
        "trial/reward/std", "rollout/in_group_reward_std", "rollout/in_group_std", "in_group_reward_std",
        "in_group_std",
        "group std", "group_std", "total_r_std", "total_rewards_std", "ppo/std_scores", "reward_std_dev",
        "train/reward_std_dev",
    ),
    "critic/rewards/mean": ("final_reward", "loss/avg_final_rewards", "critic/full-reward/mean"),
    "critic/vf_loss": (
        "value_loss", "vf_loss", "v_loss", "critic_loss", "loss/value", "loss/value_avg", "value/loss", "critic/loss",
        "critic/critic_loss", "value_function_loss", "policy/critic_loss", "losses/value_loss", "critic/value_loss",
        "cri_loss", "loss/critic", "cri",
    ),
    "critic/vf_explained_var": (
        "explained_variance", "explained_var", "ev", "expl_variance", "expl_var", "vf_explained_var",
        "value/explained_var",
        "critic/explained_variance", "value/explained_variance", "losses/explained_variance", "val/var_explained",
    ),
    "critic/vf_clipfrac": ("vf_clipfrac", "value_clipfrac", "val/clipfrac_avg", "critic/clipfrac", "value_clip_frac"),
    "critic/grad_norm": ("critic_grad_norm", "value_grad_norm", "critic/gradient_norm"),
    "critic/lr": ("critic_lr", "value_lr", "critic/learning_rate"),
    "critic/advantages/mean": (
        "advantages/mean", "advantages/avg", "advantage", "adv_mean", "advantages_mean", "mean_advantage",
        "advantage_mean", "advantage/mean", "mean_advantages",
    ),
    "critic/advantages/std": (
        "advantages/std", "adv_std", "advantages_std", "advantage_std", "advantage/std", "std_advantage",
    ),
    "critic/advantages/max": ("advantages/max", "adv_max", "advantages_max"),
    "critic/advantages/min": ("advantages/min", "adv_min", "advantages_min"),
    "reward/zero_std_share": (
        "frac_reward_zero_std", "frac_zero_std", "zero_std", "zero_std_ratio", "zero_variance_ratio",
        "frac_groups_zero_std",
        "reward/frac_zero_std", "zero_advantage_ratio", "zero_var_ratio", "zero_advantage_frac",
        "all-same groups", "all_same_groups", "frac_all_same", "zero-adv group", "zero-adv groups", "zero_adv_groups",
    ),
    "response_length/mean": (
        "completions/mean_length", "completion_length", "response_length", "response_len/mean",
        "generate/avg_num_tokens", "mean_gen_tokens_per_sample", "actor/mean_response_tok_len",
        "actor/generated_length", "rollout/response_len/mean", "rollout/response_lengths", "response_lengths",
        "env/all/ac_tokens_per_turn", "generate/response_tokens_mean",
        "seq_len/mean", "seq. length", "seq_length", "completion_len", "glen", "mean_completion_length",
        "response_length_mean", "mean_length", "avg_length", "mean_response_length", "avg_response_length",
        "len_mean", "len/mean", "length_mean", "mean_completion_len", "response_length/avg",
        "avg_tokens", "resp_mean", "resp_len", "resp_length", "response_len", "mean_resp_len", "compl_len",
        "comp_len", "gen_len",
        "avg_len",
        "mean_len", "avg_completion_length", "val/sequence_lengths", "mean generation length", "len",
        "长度",
        "rollout_info/ep_len", "rollout_info/ep_lens", "gen_tok", "gen_toks", "gen_tokens",
    ),
    "rewards/margins": (
        "reward_margin", "reward_margins", "margin", "margins", "train/margin", "dpo/margin", "rewards/margin",
        "preference_margin", "avg_margin", "mean_margin", "reward diff", "reward_diff", "reward difference",
    ),
    "rewards/chosen": (
        "chosen_reward", "chosen_rewards", "reward_chosen", "rewards_chosen", "chosen reward", "rewards chosen mean",
        "rewards_chosen_mean",
    ),
    "rewards/rejected": (
        "rejected_reward", "rejected_rewards", "reward_rejected", "rewards_rejected", "reject_reward",
        "rewards rejected mean", "rewards_rejected_mean",
    ),
    "reward/hack_rate": (
        "hack_freq", "hack_rate", "hack_frac", "hack_share", "hacking_rate", "reward_hack_rate", "reward_hacking_rate",
        "cheat_rate",
    ),
    "response_length/max": (
        "completions/max_length", "response_len/max", "rollout/response_len/max", "len_max", "len/max", "length_max",
        "resp_len/max", "resp_max",
        "generate/max_num_tokens",
    ),
    "response_length/min": ("completions/min_length", "response_len/min", "rollout/response_len/min"),
    "response_length/clip_ratio": (
        "completions/clipped_ratio", "truncated_ratio", "rollout/truncated_ratio", "truncate_rate", "truncation_rate",
        "is_truncated/mean", "is_truncated", "no_eos_ratios", "truncated_fraction", "clipped_ratio",
        "truncated", "truncation_ratio", "frac_truncated", "generate/truncated_fraction",
        "response_clip_ratio", "truncation", "finish_length", "finish_reason/length", "hit_max_len",
        "generate/stop_reason_length_frac", "rollout/truncated", "截断比",
    ),
    "prompt_length/mean": ("prompt_len", "completions/mean_prompt_length", "prompt_length"),
    "num_turns/mean": (
        "env/all/turns_per_episode", "turns/mean", "environment/turns_mean", "mean_turns", "avg_turns",
        "episode/length/mean", "num_turns", "turns_per_episode",
        "turns_per_sample/mean", "trial/turns/mean", "training/num_turns/mean",
        "environment/avg_num_turns", "avg_num_turns",
    ),
    "num_turns/max": ("training/num_turns/max", "turns_per_sample/max"),
    "num_turns/min": ("training/num_turns/min",),
    "env/valid_action_ratio": (
        "env/ratio_of_valid_action", "episode/valid_action_ratio", "valid_action_ratio", "valid_action_rate",
        "env/valid_action_rate", "rollout/valid_action_ratio", "rollout/valid_action_rate",
    ),
    "tools/failure_frequency": (
        "tool_error_rate", "tool_failure_rate", "tool_error_frac", "tool_empty_frac", "tools/error_rate",
        "tool_errors/rate", "tool_call_error_rate", "tools/failure_rate",
        # Of a success the reader of its values makes the failures.
        "tool_success_rate", "tool_success", "tool_call_success_rate", "tools/success_rate", "tool_success_frac",
        "tool_ok", "call_ok", "tool_call_success", "code_exec_success_rate",
    ),
    # The share of trials that failed for their environment's reasons: rLLM's.
    "trial/failed_share": ("batch/env_timeout", "env_timeout_rate", "env_timeout_frac", "env_timeout_ratio",
                           "termination/timeout", "batch/timeout", "traj/timeout", "traj/timeout_mean",
                           "metrics/has_error", "has_error", "has_error/mean"),
    # The share of trials that used up their turns.
    "episode/turn_limit_share": ("termination/max_turns_exceeded", "batch/max_turns_exceeded",
                                 "traj/max_turns_exceeded", "max_turns_exceeded", "hit_max_turns",
                                 "max_turns_rate", "turn_limit_rate"),
    # How much of an environment's words come back to the policy.
    "env/observation_length": ("env/all/ob_tokens_per_turn", "mean_obs_chars", "state_tokens/total", "obs_len",
                               "obs_tokens", "observation_tokens/mean", "obs_tokens_per_turn",
                               "env/obs_tokens_per_search"),
    # How many of a batch's trials ended in an error, whatever it was.
    "trial/failed": (
        "generate/num_error_trajectories", "generate/num_failed_trajectories", "num_error_trajectories",
        "num_failed_trajectories", "error_trajectories",
        "failed_trajectories", "num_failed_rollouts", "failed_rollouts", "num_errored_rollouts", "errored_rollouts",
        "rollout_errors", "num_rollout_errors", "failed_trials", "num_failed_trials", "errored_trials",
        "n_errors", "num_errors", "n_failed", "n_errored",
        "failed_episodes",
    ),
    "tool_call_counts/mean": (
        "tools/call_frequency", "tool_call/mean", "tool_calls/mean", "num_tool_calls", "tool_calls_per_episode",
        "actor/num_tool_uses", "num_tool_uses", "env/number_of_valid_search", "environment/num_searches",
        "traj/tool_calls_mean", "tool_calls_mean", "search_count", "search count", "environment/tool_calls_per_traj",
        "tool_calls_per_traj",
        "tool_calls_per_trajectory",
    ),
    "timing_s/step": (
        "time/total", "step_time", "time/step", "time/step_s", "timing/step", "perf/step_time", "time", "iter_time_s",
        "iter_time", "perf/time_per_step", "time_per_step", "step_time_s", "seconds_per_step", "step_seconds",
        "iteration_time", "sec_per_step", "step_duration", "step_time_sec", "timing/train/total_step_time", "step (s)",
        "total (s)", "total(s)", "step(s)", "step time (s)",
    ),
    "timing_s/gen": (
        "time/sample_s", "timing/generate", "time/sampling", "time/generate", "generation_time", "timeperf/rollout",
        "perf/rollout_time", "timing/generate_sequences", "generate_time", "timing/train/generation", "wait (s)",
        "rollout (s)", "rollout(s)", "gen (s)", "generation (s)", "perf/train_wait_time",
    ),
    "timing_s/update_actor": (
        "time/train_s", "timing/policy_train", "time/train", "timeperf/train_step", "perf/actor_train_time",
        "train_time", "perf/train_time", "timing/train/policy_training", "train (s)", "training (s)", "training(s)",
        "update (s)",
    ),
    "timing_s/update_weights": (
        "time/update_weights",
        "time/sync_s", "timing/sync_weights", "timeperf/update_weights", "perf/update_weights_time",
        "time/save_checkpoint_and_get_sampling_client", "timing_s/param_sync",
        "timing_s/timing_s/param_sync",
    ),
    "timing_s/old_log_prob": ("timeperf/recompute_logp", "time/logprobs_s", "timing/fwd_logprobs_values_reward"),
    "timing_s/reward": ("time/score_s", "time/reward"),
    "perf/cpu_memory_used_gb": ("cpu_memory_used_gb", "cpu_mem_gb", "host_mem_gb", "host_memory_gb", "host_ram_gb"),
    "timing_s/testing": ("timeperf/eval", "time/eval", "timing/eval"),
    "timing_s/save_checkpoint": ("timeperf/save", "time/save_checkpoint", "timing/save_checkpoints"),
    "perf/throughput": (
        "tokens/s", "throughput", "throughput_tok_s", "tokens_per_second", "tokens_per_sec", "tok/s",
        "perf/tokens_per_gpu_per_sec", "tps",
    ),
    "perf/total_num_tokens": ("n_tokens", "total_tokens", "perf/total_tokens"),
    "rollout_corr/kl": (
        "optim/kl_sample_train_v1", "mismatch/kl", "mismatch/mismatch_kl", "policy/train_infer_kl", "mis_kl",
    ),
    "rollout_corr/k3_kl": (
        "mismatch_kl/mean", "mismatch_kl", "mismatch/k3_kl", "mismatch kl", "generation kl error", "gen_kl_error",
        "mismatch_k3_kl", "mismatch/mismatch_k3_kl", "policy/train_infer_k3_kl", "mis_k3_kl",
    ),
    # The mean distance of the two sides' log-probabilities, in nats a token.
    "rollout_corr/logprob_abs_diff": (
        "train_rollout_logprob_abs_diff", "sampling/sampling_logp_difference/mean", "sampling_logp_difference/mean",
        "policy/rollout_train_logprobs_abs_diff_mean", "rollout_train_logprobs_abs_diff_mean",
        "logprobs_diff_mean", "debug/vllm_vs_local_logprob_diff_mean", "vllm_vs_local_logprob_diff_mean",
        "logprob_abs_diff",
        "mismatch_logprob_abs_diff", "mismatch/mismatch_logprob_abs_diff", "policy/train_infer_logprob_abs_diff",
    ),
    # NeMo-RL's mean of the exponential of that distance: 1 where both sides agree.
    "rollout_corr/token_mult_prob_error": ("token_mult_prob_error", "multiplicative_prob_error"),
    # prime-rl: how many versions of the weights the oldest answer of a batch was made with.
    "fully_async/off_policy_level": ("max. off-policy level", "max off-policy level", "off_policy_level/max"),
    "training/off_policy/trajectory_staleness/mean": (
        "staleness", "staleness/mean", "staleness_mean", "mean_staleness", "avg_staleness", "staleness/avg",
        "average_staleness", "off_policy_steps", "async/staleness_mean", "rollout/staleness/avg",
        "rollout/staleness/mean", "update/version_stats/sample_staleness_avg", "version_stats/sample_staleness_avg",
        "rollout/version_lag/avg", "version_lag/avg", "version_lag/mean", "version_lag", "stats/lag_mean",
        "async/steps_off_policy_mean", "steps_off_policy_mean", "steps_off_policy/mean", "steps_off_policy",
    ),
    "rollout_corr/rollout_is_mean": (
        "sampling/importance_sampling_ratio/mean", "mismatch/rollout_is_mean", "sampling_importance_ratio",
    ),
    "rollout_corr/rollout_is_eff_sample_size": ("mismatch/rollout_is_eff_sample_size", "rollout_is_eff_sample_size"),
    "training/rollout_probs_diff_mean": (
        "rollout_probs_diff_mean", "policy/rollout_train_prob_diff_mean", "rollout_train_prob_diff_mean",
        "probs_diff", "prob_diff", "rollout_probs_diff",
    ),
    "training/rollout_probs_diff_max": ("rollout_probs_diff_max", "policy/rollout_train_prob_diff_max"),
    "training/rollout_probs_diff_std": ("rollout_probs_diff_std", "policy/rollout_train_prob_diff_std"),
    "training/rollout_actor_probs_pearson_corr": (
        "rollout_actor_probs_pearson_corr", "pearson", "pearson_corr", "probs_pearson",
    ),
    "training/epoch": ("epoch",),
    "perf/mfu/actor": ("mfu/actor", "perf/actor_train_mfu", "mfu"),
    "val/score": (
        "eval/all/avg_score", "test/env/all/reward/total", "test/env/all/correct", "eval/reward", "eval_reward",
        "val_reward", "val/reward", "eval_score", "eval_accuracy", "eval/accuracy", "val_acc", "val/acc", "eval_acc",
        "eval_combined", "eval/score", "trial/val/reward/mean", "test_score", "heldout", "held-out", "held_out",
        "holdout",
    ),
    "val/perplexity": (
        "val/fluency_metrics/perplexity", "fluency_metrics/perplexity", "eval_perplexity", "eval/perplexity",
        "eval_ppl", "eval/ppl",
        "val_perplexity", "val_ppl",
    ),
}  # fmt: skip
