"""Other names of the same metric: what other frameworks and versions call what verl 0.9.1 calls `actor/entropy`.

Names          which keys of a row are kept, and under which name
with_aliases   columns under their own names and under verl's
as_verl        verl's name of a key in whose name every slash was replaced
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np

from liverl.log.aliases import ALIASES
from liverl.log.beside import MAY_MEAN, as_meant
from liverl.log.series import Values
from liverl.log.shorthand import SHORT, plain
from liverl.log.spellings import BENCHMARKS, PATTERNS
from liverl.log.tongues import in_english
from liverl.log.words import MEANS, bare, is_percent, is_right, is_share, of_words

__all__ = ["Names", "as_verl", "is_metric", "told_names", "verl_names", "with_aliases"]
VALIDATION = "val/score"
ZERO_STD = "reward/zero_std_share"
_REWARDED, _PROXY, _CORRECT = "critic/score/mean", "reward/proxy", "reward/accuracy"
_TRUE = "reward/true"
# TRL's reward functions, each by its name.
_PART = re.compile(r"^(?:train/)?rewards/[\w.-]+/mean$")
# One of them (without a measure in older versions) that is paid neither for an answer's form, nor its size or manner.
_TASK_PART = re.compile(
    r"^(?:train/)?rewards/(?!chosen|rejected|margins|accuracies|(?:mean|std|min|max)$)(?!\w*(?i:"
    r"format|xml|json|tags?\b|_tag|think|style|struct|syntax|len(?:gth)?(?![a-z])|brev|concis|verbos|penalt|repet|cosine|"
    r"bonus|shap|step|tool|turn|time|cost|speed|effici|int_|digit|number|language|safe|toxic|diversity|fluen|entropy|"
    r"overlong|truncat|eos|quality|style|judge|dense|progress|partial|proxy))[\w.-]+(?<!_std)(?:/mean)?$"
)
# A reward of a user's own, by its name.
_OWN_REWARD = re.compile(
    r"^(?:train/)?(?!eval|val|test|format|num_|n_|total_num)[A-Za-z]\w{1,24}_reward(?:/mean)?$"
)
_OF_FORM_PART = re.compile(r"^(?:train/)?rewards/\w*(?i:format|xml)\w*(?:/mean)?$")
# How answers look, which is no score of theirs.
_OF_FORM = re.compile(r"[/_]format(?:$|[/_])")
# The share of the answers that ended by themselves: Tinker's, TRL's.
_CUT, _ENDED = "response_length/clip_ratio", ("env/all/format_eos", "val/contain_eos_token")
# Trials that failed for their environment's reasons, and how many there were, whatever they are called.
_FAILED, _BY_ENV = "trial/failed_share", "trial/failed_by_env"
_COMPLETED = ("trials/completed", "training/n_rollouts_w_trace")
_TRIALS = re.compile(
    r"(?i)^(?:[\w.]+/)?(?:(?:n|num|count)_(?:total_)?(?:traj(?:ectorie)?s?|trials?|rollouts?|episodes?|samples?)|trials/n)$"
)
# Harbor's, each by its name: how many trials ended in it.
_EXCEPTIONS, _ALL_FAILED = re.compile(r"^exception_stats/\w{2,60}$"), "trial/failed"
# trlX's, of a KL that is summed over an answer.
_KL_SUM, _KL_ROOT = "actor/kl_sequence", "policy/sqrt_kl"
# A word for what a run is for: rewards and scores are kept whatever else is wanted.
_REWARD = re.compile(r"(?:^|[/_.])(?:rewards?|scores?|val|val-core|acc|accuracy|success_rate)(?:$|[/_.@])")
_PREFIX = re.compile(r"^(?:(?:train|trainer|metrics|global|grpo|ppo|rloo|rl)/){1,2}(?=.)")
_FLAT_PREFIX = re.compile(r"^(?:(?:train|trainer|metrics|global)_(?=.)|(?:grpo|ppo|rloo)_(?!epoch))")
_WITH_MEASURE = re.compile(r"(.+)/(mean|avg)$")
# The prefixes of verl's keys that hold an underscore themselves, the longest first.
_UNDERSCORED = (
    "timing_s/agent_loop/slowest/", "timing_s/agent_loop/", "timing_s/", "timing_per_token_ms/", "perf/mfu/", "perf/",
    "actor/perf/", "actor/", "critic/score/", "critic/rewards/", "critic/advantages/", "critic/returns/",
    "critic/values/", "critic/", "response_length_non_aborted/", "response_length/", "prompt_length/",
    "response/", "num_turns/", "tool_call_counts/", "global_seqlen/", "training/off_policy/trajectory_spans/",
    "training/off_policy/trajectory_staleness_worst/", "training/off_policy/trajectory_staleness/",
    "training/off_policy/", "training/filter_groups/", "training/rollout_failure/", "training/num_turns/", "training/",
    "rollout_corr/", "rollout/moe/", "group_reward/", "dynamic_resource/", "fully_async/monitor/queue/",
    "fully_async/monitor/", "fully_async/processing_time/", "fully_async/partial/", "fully_async/count/",
    "fully_async/rollouter/", "fully_async/static/", "fully_async/trainer/", "fully_async/", "val-core/", "val-aux/",
    "trajectory_filter/reason/", "trajectory_filter/", "trial/",
)  # fmt: skip
_BY_UNDERSCORES = {prefix.replace("/", "_"): prefix for prefix in _UNDERSCORED}
_BY_UNDERSCORES |= {flat.replace("-", "_"): prefix for flat, prefix in _BY_UNDERSCORES.items()}
_LONGEST_FIRST = sorted(_BY_UNDERSCORES, key=len, reverse=True)
_LAST_PART = re.compile(r"_(mean|max|min|std)(@\d+)?$")
_SUCCEEDS = re.compile(r"success|(?:^|[/_])ok$")
_SHARES = frozenset((
    "response_length/clip_ratio", "reward/zero_std_share", "reward/format", "env/valid_action_ratio",
    "tools/failure_frequency",
))  # fmt: skip
_FAILS = re.compile(r"(?:format|fmt|parse|parsing)[_ -]?(?:fail|error|violation|invalid)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_AGENT_LOOP = re.compile(r"_(min|max|mean)$")

# How direct a name is that a pattern tells, and one that words alone tell: behind all that are known.
_OF_PATTERNS, _OF_WORDS = 1000, 10_000

# What the graders gave, and what is left of it behind the KL penalty, without verl's prefix.
_PAID = "critic/rewards/mean"
_SCORED_AND_PAID = (("score/mean", "rewards/mean"), ("score_mean", "rewards_mean"), ("score", "rewards"))
# A short name may be that of a step's time, or of all until then.
_TIME, _CLOCKS, _CLOCK_ROWS = "timing_s/step", ("time", "time/total"), 4

# What the share of groups without signal is computed from.
_COUNTED = frozenset((
    "groups_skipped", "groups_total", "skipped_groups", "n_groups", "batch/solve_none", "batch/solve_all",
    "batch/solve_partial", "env/all/by_group/frac_all_bad", "env/all/by_group/frac_all_good",
    "env/all/by_group/frac_mixed", "solve_none", "solve_all",
    "trials/n", *_ENDED, *_COMPLETED, _KL_ROOT,
))  # fmt: skip


class Names:
    """Which keys of a row are kept: those that are `wanted` by verl's name, rewards and scores; all with None.

    With `underscored` a key's slashes were replaced by underscores, as some exports do.
    """

    def __init__(self, wanted: Collection[str] | None = None, underscored: bool = False) -> None:
        self._wanted = None if wanted is None else frozenset(wanted)
        self._underscored = underscored
        self._known: dict[str, str | None] = {}

    def of(self, key: str) -> str | None:
        """The name under which a key is kept; None where it is not."""
        if key not in self._known:
            if len(self._known) > 20_000:  # no program has so many metrics: the keys are text
                self._known.clear()
            self._known[key] = self._name(key)
        return self._known[key]

    def _name(self, key: str) -> str | None:
        name = as_verl(key) if self._underscored and "/" not in key and "_" in key else key
        if name != key and not is_metric(name) and is_metric(key):
            name = key  # `response_length` is no part of `response/`
        if self._wanted is None or name in self._wanted or name in _COUNTED:
            return name
        if _TRIALS.match(name) or _EXCEPTIONS.match(name):
            return name
        if _REWARD.search(name.lower()) or any(each.match(name) for each in _VALIDATION):
            return name
        if in_english(name).lower() in MAY_MEAN or plain(name) in SHORT or is_right(name):
            return name
        if (said := _of_words(name)) is not None and said[0] in self._wanted:
            return name
        if any(each in self._wanted or each == _BY_ENV for each in verl_names(name)):
            return name
        return name if "/" not in name and as_verl(name) in self._wanted else None


def verl_names(name: str) -> tuple[str, ...]:
    """What verl calls a metric (one name), or what is computed from it; nothing where the name is not known."""
    found = _lookup(name)
    return () if found is None else (found[0],)


def is_metric(name: str) -> bool:
    """Whether a name is known to be a training metric."""
    return _lookup(name) is not None or name in ALIASES


def told_names(name: str) -> tuple[str, ...]:
    """As `verl_names`, also where only the words of a name say what it is."""
    return verl_names(name) or (() if (verl := of_words(name)) is None else (verl,))


def with_aliases(columns: Mapping[str, Values]) -> dict[str, Values]:
    """The columns with those that have another name in verl under that as well, and what is computed from them.

    Of several names of one metric the one that was measured at most steps counts, of those the first of `ALIASES`; a
    column that has verl's name already is kept.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    told = {name: _lookup(name) or _of_words(name) for name in columns}
    told |= {name: None for name, known in told.items() if known and _is_count(known[0], name, columns[name])}
    told |= {paid: (_PAID, 0) for scored, paid in _SCORED_AND_PAID if scored in columns and paid in columns}
    meant = as_meant(columns, {name: () if known is None else (known[0],) for name, known in told.items()})
    for name, known in told.items():
        if known is not None and known[0] not in columns and name not in meant.values():
            found.setdefault(known[0], []).append((known[1], name))
    result = dict(columns)
    for verl, others in found.items():
        sure = [each for each in others if each[0] < _OF_WORDS]
        name = _most_measured(sure or others, columns)
        values = _of_one(verl, name, _upright(verl, name, columns[name]))
        if verl == VALIDATION and len(alike := _of_one_kind(name, sure)) > 1:
            values = _mean([columns[each] for each in alike])
        is_other = verl == ZERO_STD and not (is_share(name) or _are_parts(values))
        if not is_other and not (verl == _TIME and name.lower() in _CLOCKS and _only_rises(values)):
            result[verl] = values
    for verl, name in meant.items():
        values = _of_one(verl, name, columns[name])
        if (
            verl not in _SHARES or not (values > 1).any()
        ):  # else they are counted, and of how many is not told
            result[verl] = values
    if not any("/" in name for name in columns):  # as some loggers replace it
        result = {as_verl(name): values for name, values in columns.items()} | result
    return result | _computed(result)


def _most_measured(others: list[tuple[int, str]], columns: Mapping[str, Values]) -> str:
    if len(others) == 1:
        return others[0][1]
    return min(others, key=lambda each: (int(np.count_nonzero(np.isnan(columns[each[1]]))), each))[1]


def _of_one_kind(name: str, others: list[tuple[int, str]]) -> list[str]:
    """The names that one pattern has told as it told this one: of several sets of data, say."""
    rank = next((each[0] for each in others if each[1] == name), 0)
    return [each[1] for each in others if each[0] == rank] if rank >= _OF_PATTERNS else [name]


def _only_rises(values: Values) -> bool:
    """Whether values are never lower than before, as of a clock that runs since the start."""
    known = values[np.isfinite(values)]
    return len(known) >= _CLOCK_ROWS and bool((np.diff(known) > 0).all())


def _are_parts(values: Values) -> bool:
    """Whether values are parts of one, and no counts."""
    return not (values > 1).any() and bool(((values > 0) & (values < 1)).any())


def _is_count(verl: str, name: str, values: Values) -> bool:
    """Whether answers that were cut are counted, and no share of them is told: there are more than all."""
    return verl == _CUT and bool((values > 1).any()) and not (is_share(name) or is_percent(name))


def _upright(verl: str, name: str, values: Values) -> Values:
    """The entropy of a loss that tells it with its sign turned (Stable-Baselines, CleanRL); all else as it is.

    One below 0 that is called an entropy was turned, or is that of a density, which compares with no other: it is left
    out.
    """
    if verl != "actor/entropy" or not (values < 0).any() or (values > 0).any():
        return values
    return -values if name.lower().endswith("entropy_loss") else np.full(len(values), np.nan)


def _of_one(verl: str, name: str, values: Values) -> Values:
    """A share told in percent as part of one, and one of what succeeds as of what fails; all else as it is."""
    is_turned = verl == "tools/failure_frequency" and _SUCCEEDS.search(name.lower())
    if is_turned or (verl == "reward/format" and _FAILS.search(name.lower())):
        return 1 - values if not (values > 1).any() else np.full(len(values), np.nan)
    return values / 100 if verl in _SHARES and is_percent(name) and (values > 1).any() else values


def as_verl(key: str) -> str:
    """verl's name of a key in whose name every slash was replaced by an underscore, else the key itself."""
    for flat in _LONGEST_FIRST:
        if key.startswith(flat) and len(key) > len(flat):
            prefix, rest = _BY_UNDERSCORES[flat], key[len(flat) :]
            if prefix in ("val-core/", "val-aux/"):
                return prefix + _validated(rest)
            if prefix == "timing_s/agent_loop/":
                return prefix + _AGENT_LOOP.sub(r"/\1", rest)
            return prefix + rest
    return key


def _validated(rest: str) -> str:
    """A key of the validation: the data set and the variable may hold underscores, only the measure is sure."""
    measure = _LAST_PART.search(rest)
    tail = f"/{measure.group(0)[1:]}" if measure else ""
    stem = _LAST_PART.sub("", rest)
    if stem.endswith("num_turns"):
        return stem + tail
    data_set, _, variable = stem.rpartition("_")
    return f"{data_set}/{variable}{tail}" if data_set else f"{variable}{tail}"


@lru_cache(maxsize=8192)
def _lookup(name: str) -> tuple[str, int] | None:
    """verl's name and how direct the other one is."""
    if (known := _BY_NAME.get(name.lower())) is not None:
        return known
    if not name.isascii() and (english := in_english(name)) != name:
        return _lookup(english)
    short = _PREFIX.sub("", name.lower())
    if short != name.lower() and (known := _BY_NAME.get(short) or _OWN.get(short)) is not None:
        return known
    for rank, (pattern, verl) in enumerate(PATTERNS):
        if found := pattern.search(name):
            return found.expand(verl), _OF_PATTERNS + rank
    if measured := _WITH_MEASURE.match(short):
        return _BY_NAME.get(measured.group(1))
    if (plain := _plain(name)) != name.lower():
        return _lookup(plain)
    if "/" not in short:
        if "." in short and " " not in short:
            return _lookup(slashed := short.replace(".", "/")) or _OWN.get(slashed)
        if "_" in short:
            known = _OWN.get(as_verl(short)) or _FLAT.get(short) or _FLAT.get(_FLAT_PREFIX.sub("", short))
            if known is not None:
                return known
    return _of_what(name)


def _of_what(name: str) -> tuple[str, int] | None:
    """As `_lookup`: what a name says that it is a mean of (`avg_grad_norm`), behind every name that is known whole."""
    known = _lookup(plain) if (plain := bare(name)) != name else None
    return (known[0], 5000 + known[1]) if known is not None and known[0] in MEANS else None


def _of_words(name: str) -> tuple[str, int] | None:
    """As `_lookup`, behind every name that is known: what the words of a name say."""
    return None if (verl := of_words(name)) is None else (verl, _OF_WORDS)


def _plain(name: str) -> str:
    """A name of several words as programs write it: `Mean Length`, `gradNorm`."""
    if "/" not in name and (" " in name or _CAMEL.search(name)):
        name = _CAMEL.sub("_", name).replace(". ", "_").replace(" ", "_")
    return name.lower()


def _by_name() -> dict[str, tuple[str, int]]:
    known: dict[str, tuple[str, int]] = {}
    for verl, others in ALIASES.items():
        for rank, other in enumerate(others):
            known.setdefault(other.lower(), (verl, rank))
    return known


_BY_NAME = _by_name()
# Behind a prefix (`train/actor/grad_norm`) verl's own names are met too.
_OWN = {verl.lower(): (verl, 0) for verl in ALIASES}
# What stands under a name whose slash became an underscore, as exports and keyword arguments have it.
# `time_step` counts in other programs.
_FLAT = {
    name.replace("/", "_"): known
    for name, known in (*_OWN.items(), *_BY_NAME.items())
    if not name.startswith("time/")
}


def _of_task(columns: Mapping[str, Values]) -> dict[str, Values]:
    """The one part of the reward that is told beside that for the form, where nothing else says what is right."""
    named = [name for name in columns if _TASK_PART.match(name)]
    is_known = _CORRECT in columns or _TRUE in columns
    is_task = len(named) == 1 and not is_known and any(map(_OF_FORM_PART.match, columns))
    return {_CORRECT: columns[named[0]]} if is_task else {}


def _computed(columns: Mapping[str, Values]) -> dict[str, Values]:
    found: dict[str, Values] = {}
    if VALIDATION not in columns and (score := _validation(columns)) is not None:
        found[VALIDATION] = score
    if ZERO_STD not in columns and (share := _zero_std(columns)) is not None:
        found[ZERO_STD] = share
    if _REWARDED not in columns and _PROXY in columns:
        found[_REWARDED] = columns[_PROXY]  # what is rewarded, whatever it stands for
    elif _REWARDED not in columns and (parts := [columns[name] for name in columns if _PART.match(name)]):
        found[_REWARDED] = np.sum(parts, axis=0)  # where a table was made of the parts alone
    elif _REWARDED not in columns and len(own := [name for name in columns if _OWN_REWARD.match(name)]) == 1:
        found[_REWARDED] = columns[own[0]]  # the only one, by a name of its own
    elif _REWARDED not in columns and _CORRECT in columns:
        found[_REWARDED] = columns[_CORRECT]  # right answers are all that is told of it
    elif _REWARDED not in columns and _TRUE in columns:
        found[_REWARDED] = columns[_TRUE]
    found |= _of_task(columns)
    if _ALL_FAILED not in columns and (
        stats := [columns[name] for name in columns if _EXCEPTIONS.match(name)]
    ):
        found[_ALL_FAILED] = np.nansum(stats, axis=0)
    if _FAILED not in columns and (share := _failed(columns)) is not None:
        found[_FAILED] = share
    if _KL_SUM not in columns and _KL_ROOT in columns:
        found[_KL_SUM] = columns[_KL_ROOT] ** 2
    ended = next((columns[name] for name in _ENDED if name in columns), None)
    if _CUT not in columns and ended is not None and not (ended > 1).any():
        found[_CUT] = 1 - ended
    return found


_VALIDATION = (
    re.compile(r"^val-core/.+/mean@\d+$"),
    re.compile(r"^val-core/.+"),
    re.compile(r"^val/test_score/"),
    re.compile(r"^val/(?!.*(?:num_turns|std|length)).*(?:score|reward|acc|mean@\d+|pass)"),
    re.compile(
        rf"(?i)^(?:val|test)/(?!.*(?:num_turns|std|len|time|loss|count))(?:{BENCHMARKS})[\w.@/-]{{0,24}}$"
    ),
)


def _validation(columns: Mapping[str, Values]) -> Values | None:
    """The mean of the validation scores that a step has, of all data sets."""
    for pattern in _VALIDATION:
        if chosen := [name for name in columns if pattern.match(name)]:
            # How answers look is no score of theirs, where one is told.
            scores = [name for name in chosen if not _OF_FORM.search(name)] or chosen
            return _mean([columns[name] for name in scores])
    return None


def _mean(columns: list[Values]) -> Values:
    total, count = np.zeros(len(columns[0])), np.zeros(len(columns[0]))
    for values in columns:
        known = ~np.isnan(values)
        total[known] += values[known]
        count += known
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
    return np.where((count > 0) & np.isnan(mean), np.inf, mean)


def _failed(columns: Mapping[str, Values]) -> Values | None:
    """The share of trials that failed for their environment's reasons, where a run counts them, or those completed."""
    trials = next((columns[name] for name in columns if _TRIALS.match(name)), None)
    if trials is None:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        if _BY_ENV in columns and not (columns[_BY_ENV] > trials).any():
            return columns[_BY_ENV] / trials
        completed = next((columns[name] for name in _COMPLETED if name in columns), None)
        return None if completed is None else 1 - completed / trials


def _zero_std(columns: Mapping[str, Values]) -> Values | None:
    """The share of groups whose rewards are all the same, where a run counts them."""

    def get(*names: str) -> list[Values] | None:
        return [columns[name] for name in names] if all(name in columns for name in names) else None

    with np.errstate(invalid="ignore", divide="ignore"):
        if found := get("groups_skipped", "groups_total"):
            return found[0] / found[1]
        if found := get("skipped_groups", "n_groups"):
            # Those that are trained on and those that are not, apart.
            return found[0] / (found[0] + found[1])
        if found := get("batch/solve_none", "batch/solve_all", "batch/solve_partial"):
            return (found[0] + found[1]) / (found[0] + found[1] + found[2])
        if found := get("env/all/by_group/frac_all_bad", "env/all/by_group/frac_all_good"):
            return found[0] + found[1]
        if found := get("env/all/by_group/frac_mixed"):
            return 1 - found[0]
        if found := get("solve_none", "solve_all"):
            return found[0] + found[1]
    return None
