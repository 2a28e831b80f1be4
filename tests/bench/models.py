"""The demo pair for the benches: loaded once, shared by both sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import Round
from draftlens.core.rules import RuleId
from draftlens.engine import chat_prompt
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.drafters.prompt_lookup import PromptLookup
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.load import LoadedModel, load
from draftlens.engine.rules import AcceptanceRule
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target
from draftlens.library import demo
from draftlens.library.folder import judge_folder

CHAT = "Explain in a few sentences why the sky is blue, then give three everyday examples of scattering."
PROSE = "Tell me about the history of bread, and how people in different countries bake it today."


@cache
def pair() -> tuple[LoadedModel, LoadedModel]:
    """Return target and draft model, fetched if they are not there."""
    folders = demo.ensure(lambda stage, fraction: None)
    return load(judge_folder(folders.target)), load(judge_folder(folders.drafter, as_draft=True))


def chat_ids(prompt: str) -> list[int]:
    """Return the ids of a one-turn chat."""
    return chat_prompt.render(pair()[0].tokenizer, [("user", prompt)])


def params(
    temperature: float,
    *,
    rule: RuleId = RuleId.SAMPLER_MATCH,
    k: int = 4,
    tokens: int = 64,
    seed: int = 1,
    closed_forms: bool = False,
) -> SessionParams:
    """Return session parameters for a bench."""
    return SessionParams(
        sampling=SamplingParams(temperature=temperature),
        rule=rule,
        k=k,
        max_tokens=tokens,
        seed=seed,
        closed_forms=closed_forms,
    )


def run(ids: list[int], asked: SessionParams, drafter: str = "none") -> list[Round]:
    """Run one reply on a fresh context and return its rounds."""
    return list(iterate(ids, asked, drafter))


def iterate(
    ids: list[int], asked: SessionParams, drafter: str = "none", rule: AcceptanceRule | None = None
) -> Iterator[Round]:
    """Yield the rounds of one reply on a fresh context; a rule that is given judges in place of the one asked for."""
    target, draft = pair()
    keys = Keys(asked.seed)
    chosen: Drafter | None = None
    if drafter == "draft-model":
        chosen = DraftModel(DraftContext(draft.model), Chain(asked.sampling, target.model.vocabulary), keys)
    elif drafter == "prompt-lookup":
        chosen = PromptLookup(asked.lookup)
    session = Session(Target(target.model), chosen, asked, keys, target.decode)
    session.rule = rule or session.rule
    return session.rounds(ids)


def tokens_of(rounds: list[Round]) -> list[int]:
    """Return the reply's ids."""
    return [e.token for r in rounds for e in r.emitted]


def speed(rounds: list[Round]) -> float:
    """Return tokens after the first per second of rounds after the first."""
    ms = sum(r.timings.total for r in rounds[1:])
    return 1000 * (len(tokens_of(rounds)) - 1) / ms
