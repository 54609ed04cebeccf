"""Are the GPUs of the run idle, and if not, whose processes are on them?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from liverl.preflight.cards import APPS, CARDS, PROGRAM, App, Card, parse_apps, parse_cards
from liverl.preflight.context import Context
from liverl.preflight.finding import Finding
from liverl.preflight.jobs import VISIBLE, Gpus, visible
from liverl.preflight.leftovers import run_of
from liverl.preflight.live import Seen, see
from liverl.preflight.occupants import Occupant
from liverl.preflight.owners import look_up
from liverl.preflight.programs import Said, ask_program, time_for

LIMIT_S = 5.0
_NAMED = 4


def check_gpus(context: Context) -> list[Finding]:
    """Whose processes hold the GPUs that this run may take; a run on CPUs takes none."""
    if context.config.engine.rollout != "vllm":
        return [Finding("gpu:none", "info", "The run generates and trains on the CPU")]
    try:
        cards, apps = _ask(time_for(context, LIMIT_S))
    except OSError as error:
        return [_unknown(f"{PROGRAM} can't be started", str(error), f"Put {PROGRAM} of the driver on PATH")]
    failed = refusal(cards, apps)
    if failed:
        return [failed]
    seen = see(context)
    listed = chosen(parse_cards(cards.out), visible(os.environ))
    found = [_occupant(app, seen) for app in parse_apps(apps.out)]
    return judge_gpus(context, listed, found)


def refusal(*answers: Said) -> Finding | None:
    """The finding where nvidia-smi hung or failed."""
    if any(said.status is None for said in answers):
        cure = f"{PROGRAM}   where it hangs by hand too the driver does: sudo dmesg | grep -i xid"
        return _unknown(f"{PROGRAM} did not answer in time", "", cure)
    failed = next((said for said in answers if not said.worked), None)
    if failed is None:
        return None
    cure = f"{PROGRAM}   has to list the GPUs before a run can use them"
    return Finding("gpu:driver", "fatal", "The GPUs' driver does not work", failed.last_words, cure)


def chosen(cards: Sequence[Card], gpus: Gpus) -> list[Card]:
    """The cards that CUDA_VISIBLE_DEVICES leaves; all where it is unset or names parts of cards."""
    if gpus is None or any(name.startswith("MIG-") for name in gpus):
        return list(cards)
    return [card for card in cards if card.index in gpus or any(card.uuid.startswith(name) for name in gpus)]


def judge_gpus(context: Context, cards: Sequence[Card], occupants: Sequence[Occupant]) -> list[Finding]:
    """The findings for the cards that the run may take and everything that is on the machine's cards."""
    share = context.config.engine.gpu_memory_utilization
    on = {card: [each for each in occupants if each.app.uuid == card.uuid] for card in cards}
    # vLLM refuses to start where less than its share is free; somebody has that memory, seen or not.
    full = [card for card, found in on.items() if not found and card.free_mib < share * card.total_mib]
    idle = [card for card, found in on.items() if not found and card not in full]
    findings = list(_by_owner(context, on, idle))
    if full:
        seen = "; ".join(f"GPU {card.index}: {card.memory}" for card in full)
        title = f"{_gpus(full)} held by processes that are not seen from here"
        findings.append(Finding("gpu:foreign", "error", title, seen, _elsewhere(context, idle)))
    if findings:
        return findings
    seen = "; ".join(f"GPU {card.index} {card.name}: {card.memory}" for card in cards[:_NAMED])
    return [Finding("gpu:idle", "info", f"{_gpus(cards)} idle", seen)]


def _by_owner(context: Context, on: dict[Card, list[Occupant]], idle: Sequence[Card]) -> Iterator[Finding]:
    pairs = [(card, each) for card, found in on.items() for each in found]
    foreign = [(card, each) for card, each in pairs if not each.run and not each.left_by]
    left = [(card, each) for card, each in pairs if each.left_by]
    mine = [(card, each) for card, each in pairs if each.run]
    if foreign:
        title = f"{_gpus([card for card, _ in foreign])} used by somebody else"
        yield Finding("gpu:foreign", "error", title, _told(foreign), _elsewhere(context, idle))
    if left:
        names = sorted({each.left_by for _, each in left})
        title = f"{_gpus([card for card, _ in left])} held by what a dead run left"
        yield Finding(
            "gpu:leftover", "error", title, _told(left), "; ".join(f"liverl clean {n}" for n in names)
        )
    if mine:
        names = sorted({each.run.called(context) for _, each in mine if each.run})
        title = f"{_gpus([card for card, _ in mine])} used by your run {', '.join(names)}"
        yield Finding("gpu:mine", "warn", title, _told(mine), "; ".join(f"liverl stop {n}" for n in names))


def _elsewhere(context: Context, idle: Sequence[Card]) -> str:
    wanted = context.config.infrastructure.gpus_per_node
    if len(idle) >= wanted:
        return f"export {VISIBLE}={','.join(card.index for card in idle)}   leaves the idle ones"
    key = f"infrastructure.gpus_per_node ({context.where('infrastructure.gpus_per_node')})"
    fewer = f", or set {key} to {len(idle)} and export {VISIBLE}={','.join(card.index for card in idle)}"
    return f"Ask whose they are to end them{fewer if idle else ''}"


def _told(pairs: Sequence[tuple[Card, Occupant]]) -> str:
    told = "; ".join(f"GPU {card.index}: {each.told}" for card, each in pairs[:_NAMED])
    return f"{told}; and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else told


def _gpus(cards: Sequence[Card]) -> str:
    names = list(dict.fromkeys(card.index for card in cards))
    return f"GPU{'s' * (len(names) != 1)} {', '.join(names) or '(none)'} {'is' if len(names) == 1 else 'are'}"


def _ask(limit_s: float) -> tuple[Said, Said]:
    with ThreadPoolExecutor(2) as both:
        cards = both.submit(ask_program, (PROGRAM, *CARDS), limit_s)
        apps = both.submit(ask_program, (PROGRAM, *APPS), limit_s)
        return cards.result(), apps.result()


def _occupant(app: App, seen: Seen) -> Occupant:
    owner = look_up(app.pid)
    run = seen.owner_of(app.pid) if owner else None
    return Occupant(app, owner, run, "" if run or not owner else run_of(app.pid))


def _unknown(title: str, evidence: str, cure: str) -> Finding:
    return Finding(
        "gpu:unknown", "skipped", f"{title}; whether the GPUs are idle is not known", evidence, cure
    )
