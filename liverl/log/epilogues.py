"""What programs say as they come to their end.

SAID_DONE   words that are said in the middle of a run too (of one evaluation, one part of it): an end only where they
            stand among a log's last lines, behind its last step
"""

from __future__ import annotations

import re

_WHAT = (
    r"\b(?:[Ee]val(?:uation)?|[Tt]raining|[Tt]est(?:ing)?|[Ee]xperiment|[Bb]enchmark|RL|GRPO|PPO|[Ff]ine-?tuning)"
    r"(?: (?:run|loop|job|script|phase|process|training))? (?:(?:is|has|was)(?: been)? )?(?:successfully )?"
    r"(?:completed?|finished|done|over|ended|succeeded|concluded|exited normally)\b"
    r"(?! (?:for|of|in|at|on) (?:step|epoch|iter))"
)
_SENTENCES = (
    r"\b[Ff]inished (?:the )?(?:RL |GRPO |PPO |model )?(?:training|evaluation|fine-?tuning)\b",
    r"^\W*[Aa]ll (?:done|(?:tasks|jobs|experiments|stages) (?:are )?(?:done|complete[d]?|finished))\b",
    r"\bJob '\S+' succeeded",
    r"\b[Tt]otal (?:training|running|wall[- ]?clock) time\b",
    r"^(?:Job|Run|Training|Program|Script|Trainer)\b.{0,60}\bexit(?:ed)?(?: with)? (?:code|status)[ :=]+0\b",
    # torch, as the interpreter goes down of itself.
    r"destroy_process_group\(\) was not called before program exit",
)
# Alone in their line, behind no more than a mark or the name of who says it.
_WORDS = (
    r"={2,} ?(?:ALL )?(?:DONE|COMPLETED?|FINISHED)\b",
    r"^(?:[=*#\s-]{0,40}|\W{0,4}[\w ]{1,30}: |\W{0,4}\[[^\]]{1,40}\] )(?:[A-Z]{2,12} ){0,4}"
    r"(?:ALL)?(?:DONE|COMPLETED?|FINISHED)\b(?! \d)",
    r"^\W{0,8}(?:\[[^\]]{1,40}\] )?(?:[Dd]one|[Ff]inished)"
    r"(?:[.!]?$|[.!:]? (?:in|after|[Ww]all|[Tt]otal|[Tt]ook|[Ee]lapsed|[Rr]esults)\b)",
)
SAID_DONE = re.compile("|".join((_WHAT, *_SENTENCES, *_WORDS)))
