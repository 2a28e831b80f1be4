"""A refusal in its parts: what it is and lacks, what follows, and what can be done instead."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.library import drafter_facts
from draftlens.library.roles import Role, Verdict

_TURNS = {"embed_tokens": "which turns tokens into vectors", "lm_head": "which turns vectors into tokens"}
_FOLLOWS = {
    Role.INCOMPLETE: "It is not offered for loading until it is whole.",
    Role.ADAPTER: "So it can’t be a chat model, and it can’t be a drafter.",
    Role.EMBEDDING: "So it can’t be a chat model, and it can’t be a drafter.",
    Role.UNSUPPORTED: "Nothing of it is loaded.",
}


@dataclass(frozen=True)
class Refusal:
    """The panel's text; `paragraphs` are whole sentences."""

    title: str
    paragraphs: tuple[str, ...]
    next: str


def refusal(verdict: Verdict) -> Refusal | None:
    """Why something is not loaded on its own, None if it is (or a GGUF file, which only needs importing)."""
    role = verdict.role
    if role.standalone or role is Role.GGUF:
        return None
    if role.bound_drafter:
        return Refusal("Can’t be loaded on its own", (_lacks(verdict), _follows(role)), verdict.next)
    follows = _FOLLOWS.get(role)
    title = {Role.INCOMPLETE: "Not complete", Role.NOT_A_MODEL: "Not a model"}.get(role, "Can’t be loaded")
    if role is Role.ADAPTER:
        title = "Can’t be loaded on its own"
    return Refusal(title, (verdict.reason, *((follows,) if follows else ())), verdict.next)


def _lacks(verdict: Verdict) -> str:
    target = f"its target, {verdict.target.name}," if verdict.target is not None else "its target"
    missing = drafter_facts.borrowed(verdict.facts)
    if not missing:
        return (
            f"This checkpoint is incomplete by design: a {verdict.role.value.removeprefix('bound drafter: ')} drafter "
            f"works on what {target} computes, and only together with it."
        )
    named = " and ".join(f"no {name} ({_TURNS[name]})" for name in missing)
    borrows = "both" if len(missing) > 1 else "it"
    return f"This checkpoint is incomplete by design. It has {named}. It borrows {borrows} from {target} when it binds."


def _follows(role: Role) -> str:
    greedy = " With its target it drafts greedily only." if role is Role.DSPARK else ""
    return (
        "So it can’t be a chat model, and it can’t be a standalone drafter: Draftlens loads a drafter as a complete "
        f"model.{greedy}"
    )
