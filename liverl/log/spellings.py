"""Names of metrics that follow a pattern, each with what verl 0.9.1 calls them; the first that matches counts.

PATTERNS     the patterns, behind every name that `liverl.log.aliases` has whole
BENCHMARKS   what test sets are called, as a part of a pattern
"""

from __future__ import annotations

import re

_OF_THE_ENGINE = (
    r"(?=.*(?:rollout|infer|vllm|sglang|sampl|engine|generat|mismatch))(?!.*(?:_|/)(?:max|min|std|p\d\d)$)"
)
_BOTH_SIDES = _OF_THE_ENGINE + r"(?=.*(?:train|actor|fsdp|megatron|local|learner|hf_|mismatch))"
# What AReaL's actor tells of its updates, below `grpo_actor/` and in newer versions below `ppo_actor/update/`.
_OF_AREALS_ACTOR = (
    ("entropy/avg", "actor/entropy"),
    ("grad_norm", "actor/grad_norm"),
    ("lr", "actor/lr"),
    ("actor_loss/avg", "actor/pg_loss"),
    ("approx_kl/avg", "actor/ppo_kl"),
    ("(?:actor_)?clip_ratio/avg", "actor/pg_clipfrac"),
    ("behave_(?:approx_)?kl/avg", "rollout_corr/kl"),
    ("version(?:_stats)?/sample_staleness(?:_theta)?_avg", "training/off_policy/trajectory_staleness/mean"),
)
# Sets of held-out tasks, by which an evaluation's score is called.
BENCHMARKS = (
    "aime|amc|gsm8k|math|mmlu|gpqa|ifeval|humaneval|mbpp|livecodebench|olympiad|minerva|swe[-_]?bench"
)
# Names with a part that differs from run to run: AReaL's `grpo_actor/...`, its averages.
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^(?:\w*_?actor|rollout)/task_reward/avg$"), "critic/score/mean"),
    (re.compile(r"^\w*_?actor/task_reward/(min|max)$"), r"critic/score/\1"),
    (re.compile(r"^\w*_?actor/final_reward/avg$"), "critic/rewards/mean"),
    (re.compile(r"^\w*_?actor/final_reward/(min|max)$"), r"critic/rewards/\1"),
    (re.compile(r"^\w*_?critic/update/(?:value_loss|critic_loss|loss)/avg$"), "critic/vf_loss"),
    (re.compile(r"^\w*_?critic/update/grad_norm$"), "critic/grad_norm"),
    (re.compile(r"^\w+_actor/advantages/avg$"), "critic/advantages/mean"),
    (re.compile(r"^\w+_actor/advantages/(min|max)$"), r"critic/advantages/\1"),
    *((re.compile(rf"^(?:\w+_actor/(?:update/)?|update/){name}$"), verl) for name, verl in _OF_AREALS_ACTOR),
    # The share of trials that failed for their environment's reasons, in whatever words.
    (
        re.compile(
            r"(?i)^(?:[\w.]+/)?(?:infra|infrastructure|env|environment|sandbox)[_/](?:failed|failures?|errors?)[_/]"
            r"(?:rate|ratio|frac(?:tion)?|share)(?:[_/]mean)?$"
        ),
        "trial/failed_share",
    ),
    # RAGEN's games, each by its name.
    (
        re.compile(
            r"(?i)^(?:train/\w+/success(?:_rate)?|(?!val|eval|test|episode|env|rollout|metric)\w+/success)$"
        ),
        "critic/score/mean",
    ),
    (
        re.compile(r"(?i)^(?:train/)?(?:\w+/)?(?:num_actions|actions_per_episode)(?:/mean)?$"),
        "tool_call_counts/mean",
    ),
    # The best of several tries of a validation.
    (
        re.compile(
            r"(?i)^(?:val|eval|valid|validation|test)(?:_|\b).*(?:best|pass)[@_]?(?:[2-9]|\d{2,3})(?:/mean)?$"
        ),
        "val/best",
    ),
    (re.compile(r"(?i)^(?:val|eval|valid|validation|test) .{0,40}\b(?:mean|avg|acc)@\d+$"), "val/score"),
    # Detection's, retrieval's and translation's measures of what was held out.
    (
        re.compile(
            r"(?i)^(?:val|eval|valid|validation|test|held[ _-]?out)[ _/]"
            r"(?:m?ap|miou|iou|f1|bleu|rouge[\w-]{0,4}|ndcg|mrr)(?:@[\d.]{1,4})?$"
        ),
        "val/score",
    ),
    # Of an equation that the numbers of a task have to make.
    (re.compile(r"^(?:train/)?(?:rewards?/)?equation_reward(?:_func)?(?:/mean)?$"), "reward/accuracy"),
    # ms-swift's outcome rewards.
    (re.compile(r"^(?:train/)?rewards/(?!Format)\w+ORM(?:/mean)?$"), "reward/accuracy"),
    # tunix', of all parts; torchforge's, by the name of a part.
    (re.compile(r"^global/train/rewards/sum$"), "critic/score/mean"),
    (
        re.compile(r"^reward/evaluate_response/avg_\w*(?:Math|Accuracy|Correct|Answer)\w*_reward$"),
        "reward/accuracy",
    ),
    (re.compile(r"^buffer/sample/avg_sampled_policy_age$"), "training/off_policy/trajectory_staleness/mean"),
    (re.compile(r"^(?:global/train/)?rewards/check_answer$"), "reward/accuracy"),
    # Tinker's environments.
    (re.compile(r"^env/all/(?:correct|solved)$"), "reward/accuracy"),
    (re.compile(r"^env/all/format$"), "reward/format"),
    # An environment's own word for what was right.
    (re.compile(r"^env/(?:result|answer|exact)_match(?:/mean)?$"), "reward/accuracy"),
    # What an agent calls, in somebody's own words, for each of its trials.
    (
        re.compile(
            r"(?i)^(?:python|code|tool|search|api|browser|bash|interpreter)[ _](?:calls?|uses?|runs?|queries)"
            r"[ _/](?:per[ _])?(?:rollout|sample|traj\w*|episode|answer|response|question|q|task)$"
        ),
        "tool_call_counts/mean",
    ),
    (re.compile(r"^metrics/total_tool_calls(?:/mean)?$"), "tool_call_counts/mean"),
    (re.compile(r"^(?:[\w.]+/)?obs_(?:tokens|len(?:gth)?)/mean$"), "env/observation_length"),
    # ROLL's.
    (re.compile(r"^tokens/prompt_length/mean$"), "prompt_length/mean"),
    # NeMo-RL's, by the estimator.
    (re.compile(r"(?i)^kl penalty ?\(k[123]\)$"), "actor/kl_loss"),
    # The functions of the notebooks that many begin with.
    (re.compile(r"(?i)^(?:rewards?[/_ ])?check_answer(?:/mean)?$"), "reward/accuracy"),
    (re.compile(r"(?i)^(?:rewards?[/_ ])?match_format_exactly(?:/mean)?$"), "reward/format"),
    # A validation of something that its author's own tongue has a word for.
    (
        re.compile(
            r"(?i)^(?:val|eval|test|验证集?|测试集?|评测|评估|평가|검증|테스트|検証|評価)[ _:/]{0,2}"
            r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,16}"
            r"(?:分|率|点|점수|수|률|율)?$(?<!损失)(?<!长度)(?<!时间)(?<!耗时)(?<!손실)(?<!길이)(?<!시간)(?<!損失)"
        ),
        "val/score",
    ),
    # A mean beside the name of the part of a reward.
    (re.compile(r"(?i)^(?:answer|accuracy|correctness)[ _](?:reward[ _])?(?:mean|avg)$"), "reward/accuracy"),
    (re.compile(r"(?i)^format[ _](?:reward[ _])?(?:mean|avg)$"), "reward/format"),
    (
        re.compile(
            r"(?i)^(?:[\w.]+/)?(?:valid[ _-]format|format[ _-](?:valid|ok))(?:[ _/-](?:rate|ratio|share|mean))?$"
        ),
        "reward/format",
    ),
    (
        re.compile(r"(?i)^(?:tools?|tool[ _]calls?|searches)/(?:q|question|query|task|episode)$"),
        "tool_call_counts/mean",
    ),
    # The answers that do not keep the format; the reader of its values makes those of them that do.
    (
        re.compile(
            r"(?i)^(?:[\w.]+/)?(?:format|parse|parsing)[_ -](?:fail(?:ed|ures?)?|errors?|violations?|invalid)"
            r"(?:[_ /-](?:rate|ratio|frac(?:tion)?|share|mean))?$"
        ),
        "reward/format",
    ),
    # How many of the words, or pairs of them, are different ones.
    (re.compile(r"(?i)^(?:[\w.]+/){0,2}distinct[-_ ]?(?:[2-4]|n|ngrams?)$"), "response/distinct"),
    # How often an agent calls its tools, in whatever words.
    (
        re.compile(
            r"(?i)^(?:[\w.]+/)?(?:avg_|mean_)?(?:num|n)_(?:search(?:es)?|tool_?calls?|tool_?uses?|queries)"
            r"(?:[/_](?:mean|avg))?$"
        ),
        "tool_call_counts/mean",
    ),
    # The same counted (`n_env_err`).
    (
        re.compile(
            r"(?i)^(?:[\w.]+/)?(?:n|num|count)_(?:infra|env|environment|sandbox)_(?:err(?:or)?s?|fail(?:ed|ures?)?)$"
            r"|^(?:[\w.]+/)?(?:infra|env|environment|sandbox)_(?:errors|failures|failed)$"
        ),
        "trial/failed_by_env",
    ),
    # slime's and miles' evaluations have the names of their data alone.
    (
        re.compile(
            r"(?i)^(?!.*(?:loss|len|token|kl|entropy|time|std|min|max|ratio|count|turn|clip))"
            rf"eval/(?:{BENCHMARKS})[\w.]{{0,12}}$"
        ),
        "val/score",
    ),
    (re.compile(rf"(?i)^(?:{BENCHMARKS})[\w.-]{{0,12}}[ _](?:avg|mean|acc)@\d+$"), "val/score"),
    # What a judge compares, in sets of tasks that are known by name.
    (
        re.compile(
            r"(?i)^(?:alpaca[ _-]?eval|arena[ _-]?hard|\w{0,3}mt[ _-]?bench|wild[ _-]?bench|live[ _-]?bench)\b.{0,24}$"
        ),
        "val/score",
    ),
    # SkyRL's by data set, prime-rl's by environment.
    (re.compile(r"^eval/(?!judge|proxy|rm/)[\w./-]+/(?:avg_score|ex|em|acc)$"), "val/score"),
    (re.compile(r"^eval_(?!judge|proxy|rm_)[a-z]\w{1,40}_(?:pass_?@?1|acc(?:uracy)?|em)$"), "val/score"),
    (re.compile(r"^eval/[\w.-]+/(?:avg|mean|pass)@\d+$"), "val/score"),
    # The functions of a verifiers environment.
    (
        re.compile(
            r"^metrics/(?!(?:num|n|not|frac_not)_)(?:\w+_)?(?:exact|correct|accuracy|solved|numeric)(?:_(?:answer|match|reward|func))*$"
        ),
        "reward/accuracy",
    ),
    # The memory of the first GPU: ms-swift's, verl's, and what W&B measures by itself.
    (
        re.compile(
            r"(?i)^memory ?\(gib\)$|^(?:train/|perf/)?(?:max_|peak_)?(?:gpu_)?memory_(?:allocated|reserved)(?:_gi?b)?$"
            r"|^(?:cuda|gpu)_(?:alloc|allocated|mem|memory)_gi?b$|^system[./]gpu\.0\.memoryAllocatedBytes$"
        ),
        "perf/gpu_memory",
    ),
    (re.compile(r"^system[./]gpu\.0\.memoryAllocated$"), "perf/gpu_memory_percent"),
    # NeMo-RL's environments have names of their own.
    (
        re.compile(
            r"(?i)^(?:train/)?(?:(?:rollouts?|env|agent|episode|trajectory|actor|metrics|\w+_(?:env|agent))/)?"
            r"(?:avg_|mean_)?(?:num_|n_)?tool_?(?:calls?|uses)(?:_counts?)?"
            r"(?:_per_(?:episode|answer|response|sample|trajectory|rollout))?(?:[_/](?:mean|avg))?$"
        ),
        "tool_call_counts/mean",
    ),
    # open-instruct's evaluations beside the training.
    (re.compile(r"^oe_eval/[^/]{1,80}/(?:exact_match|acc|pass_at_1|pass@1)\w*$"), "val/score"),
    # ms-swift's.
    (re.compile(r"^rollout_correction/(\w+)$"), r"rollout_corr/\1"),
    (re.compile(r"^(?:(?:\w+_actor|rollout)/)?no_eos_ratios/avg$"), "response_length/clip_ratio"),
    (re.compile(r"^(?:(?:\w+_actor|rollout)/)?seq_?len/(?:avg|mean)$"), "response_length/mean"),
    (re.compile(r"^\w+_actor/prompt_len/(?:avg|mean)$"), "prompt_length/mean"),
    (re.compile(r"^rollout/zero_std/.*ratio$"), "reward/zero_std_share"),
    # RAGEN's, one for each environment.
    (
        re.compile(r"^(?:train/)?[\w-]{1,40}/(?:action_is_valid|valid_action_ratio)$"),
        "env/valid_action_ratio",
    ),
    # A validation of some of its data: `eval/hidden_tests_pass_rate`.
    (
        re.compile(
            r"(?i)^(?:val|valid|validation|eval|evaluation|test|held[_-]?out)/(?!.*(?:std|train|best|max|min))"
            r"[a-z]\w{2,40}_(?:pass_rate|solve_rate|success_rate|accuracy|pass_?@?1)$"
        ),
        "val/score",
    ),
    # A validation by a known set of tasks, or of what was held out, in a small project's own words.
    (
        re.compile(
            r"(?i)^(?!.*(?:std|train|best|max|min|time|len|count))(?:eval[/_])?(?:held_?out|mbpp|humaneval|gsm8k|math_?500|mmlu"
            r"|livecodebench|aime_?\d{2,4}|amc_?\d{2})[_/](?:\w{1,20}[_/])?(?:pass|pass_?@?1|acc(?:uracy)?|score|reward|success)"
            r"(?:[_/](?:mean|avg|rate))?$"
        ),
        "val/score",
    ),
    # The mean of so many answers to a known set of tasks is nobody's training.
    (
        re.compile(
            r"(?i)^(?!train|rollout|reward)(?:[\w.]+/)?(?:aime|amc|math_?500|gsm8k|olympiad\w*|minerva\w*|gpqa\w*|humaneval|mbpp|livecodebench)"
            r"[\w.-]{0,12}/(?:acc/)?(?:avg|mean)@\d+$"
        ),
        "val/score",
    ),
    # A validation by the name of its data, and of what is counted.
    (
        re.compile(
            r"(?i)^(?!best|max|min|std|num|n_|target)(?!.*valid[ _-](?:answer|correct))(?:\w{1,16}[ _/.-])?"
            r"(?:val|valid|validation|eval|evaluation|dev|test|held[ _-]?out|ood)[ _/.-]"
            r"(?:set[ _/.-])?(?:acc(?:uracy)?|answer|correct|reward|score|pass@?1|em"
            r"|success(?:[ _]rate)?)(?:[ _/](?:mean|avg|rate))?$"
        ),
        "val/score",
    ),
    # How hard the tasks are that a curriculum gives.
    (
        re.compile(
            r"(?i)^(?:train/)?(?:\w+/)?(?:mean_|avg_)?(?:curriculum|difficulty)"
            r"(?:[/_](?:mean|avg))?(?:[/_](?:level|stage|phase|tier|difficulty))?(?:[/_](?:mean|avg))?$"
        ),
        "data/difficulty",
    ),
    # The share of right answers as somebody counted it beside the reward.
    (
        re.compile(
            r"(?i)^(?:train/|rollouts?/|reward_fn/)?(?:rollout_dump_acc|(?:acc(?:uracy)?|correct)_per_rollout|rollout_acc(?:uracy)?"
            r"|answer_acc(?:uracy)?|(?<=reward_fn/)acc(?:uracy)?|rollouts?_correct)(?:/mean|_mean)?$"
        ),
        "reward/right_answers",
    ),
    # The share of answers that reached their limit.
    (
        re.compile(
            r"(?i)^(?!.*(?:prompt|eval|val/|test))(?:[\w.]+/)?(?:(?:share|ratio|rate|frac(?:tion)?)[ _](?:of[ _])?"
            r"(?:trunc(?:ated|ation)?|cut[ _]off|overlong)(?:[ _]\w{1,12})?"
            r"|(?:\w{1,12}[ _])?(?:trunc(?:ated|ation)?|cut[ _]off|overlong)[ _/](?:share|ratio|rate|frac(?:tion)?))"
            r"(?:[ _/](?:mean|avg))?$"
        ),
        "response_length/clip_ratio",
    ),
    # The distance from the reference by its mean, whatever part of a program tells it.
    (
        re.compile(
            r"(?i)^(?!.*(?:rollout|infer|vllm|sglang|sampl|engine|generat|mismatch|teacher|distill|old|approx|max|min|std|coef))"
            r"(?:[\w.]+/)?(?:ref_)?kl(?:_?div(?:ergence)?)?(?:[/_](?:mean|avg))$"
        ),
        "actor/kl_loss",
    ),
    # ... or by the reference's own name.
    (
        re.compile(
            r"(?i)^(?!.*(?:rollout|infer|vllm|sglang|engine|mismatch|coef|beta|target|max|min|std|old))(?:[\w.]+/)?"
            r"(?:\w{1,16}_)?kl(?:_div\w*|_loss)?[_/](?:to_|from_|vs_|with_|wrt_)?ref(?:erence)?(?:_model|_policy)?"
            r"(?:[/_](?:mean|avg))?$"
        ),
        "actor/kl_loss",
    ),
    # What the trainer and the engine find of the same tokens, whatever either is called.
    (re.compile(rf"(?i)^{_BOTH_SIDES}[\w/.-]*k3[\w]*(?:/mean|_mean)?$"), "rollout_corr/k3_kl"),
    (re.compile(rf"(?i)^{_BOTH_SIDES}[\w/.-]*(?:_|/|\b)kl(?:_div\w*)?(?:/mean|_mean)?$"), "rollout_corr/kl"),
    (
        re.compile(
            rf"(?i)^{_OF_THE_ENGINE}[\w/.-]*log_?p(?:rob)?s?(?:_abs(?:olute)?)?_?(?:diff\w{{0,6}}|gap|delta|error)"
            r"(?:_abs)?(?:[/_](?:mean|avg))?$"
        ),
        "rollout_corr/logprob_abs_diff",
    ),
    (
        re.compile(rf"(?i)^{_OF_THE_ENGINE}[\w/.-]*pearson\w*(?:/mean)?$"),
        "training/rollout_actor_probs_pearson_corr",
    ),
    # The parts of a reward, as their functions are called: what an answer looks like, and whether it is right.
    (
        re.compile(
            r"^(?:train/)?reward(?:s|_components)?/(?!\w*penalty)\w*(?:format|xmlcount|tag_count)\w*(?:/mean)?$"
        ),
        "reward/format",
    ),
    (
        re.compile(
            r"(?i)^(?:train/)?reward(?:s|_components)?/\w*(?:accuracy|correctness|check_answer|answer_reward|\br_answer\b|\bacc\b|exact_match|\b(?:is_)?correct(?:_\w+)?\b"
            r"|\b(?:env|task|outcome|success|solved?|code|execution|tests?)_reward\b|\b(?:reward|r)_correct\b|\bcorrect_reward\b|\b(?:unit_)?tests?_pass(?:ed|_rate)?\b|\bunit_tests?\b)\w*"
            r"(?:/mean)?$"
        ),
        "reward/accuracy",
    ),
    (
        re.compile(
            r"(?i)^(?:train/)?(?:mean_|avg_)?(?:accuracy|correctness|correct(?:_answer)?)_rewards?(?:[/_](?:mean|avg))?$"
        ),
        "reward/accuracy",
    ),
    # verl-agent's, beside the score that counts invalid actions too.
    (re.compile(r"^episode/success_rate(?:/mean)?$"), "reward/accuracy"),
    # One episode a row, and whether it was solved; the share of such.
    (re.compile(r"^(?:is_)?(?:resolved|solved)$"), "reward/accuracy"),
    (
        re.compile(r"^train/(?:correct|correct_rate|frac_correct|correct_frac|solved|solved_rate)$"),
        "reward/accuracy",
    ),
    # What is rewarded, and what it stands for, in the words of those who look for the difference.
    (re.compile(r"^(?:\w+/)?proxy(?:_(?:rm|reward|score|model))?(?:/mean|_mean)?$"), "reward/proxy"),
    (
        re.compile(
            r"^(?:\w+/)?(?:(?:true|gold|strict|real|ground_truth)_(?:acc|accuracy|reward|score|correct|rm)|gold|outcome_correct)"
            r"(?:/mean|_mean)?$"
        ),
        "reward/true",
    ),
    (
        re.compile(
            r"(?i)^(?:test|eval|val|valid|validation|held_?out)[/_](?:[\w.-]{1,30}[/_])?(?:exact_match|em|success(?:_rate)?)$"
        ),
        "val/score",
    ),
    (re.compile(rf"(?i)^(?:val|eval|test)[_-](?:{BENCHMARKS})[\w.-]{{0,12}}$"), "val/score"),
    # What the references say of a summary.
    (re.compile(r"(?i)^(?:metrics/|train/)?rouge[-_]?(?:1|2|l|lsum)(?:/mean)?$"), "reward/true"),
    # A judge beside the rewarded model: how often it prefers the answers.
    (
        re.compile(
            r"(?i)^(?:train/)?(?:rewards?/\w*win_?rate\w*?(?:/mean)?|(?:judge/|gold_|judge_|llm_judge_|rm_)win_?rate\w*?)"
            r"(?<!std)(?<!min)(?<!max)$"
        ),
        "reward/true",
    ),
)
