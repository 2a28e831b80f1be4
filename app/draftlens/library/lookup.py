"""A model as a person names it: a path, or the name of a repository, on this computer or on the hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import checkpoint, contents, hub_cache, preflight
from draftlens.library.hub import Hub
from draftlens.library.hub_errors import HubError
from draftlens.library.roles import Role, Verdict


def local(name: str, cache: Path | None = None) -> Path:
    """The folder that a name stands for on this computer; a name that stands for nothing stays a path. No network."""
    path = Path(name)
    if not path.exists() and hub_cache.looks_like_repo(name):
        found = hub_cache.find(hub_cache.root(cache), name)
        if found is not None:
            return found
    return path


def verdict_on(name: str, hub: Hub, judge: Callable[[Path], Verdict] = checkpoint.inspect) -> Verdict:
    """What a path is, or a repository that is in the cache; any other repository is asked for on the hub."""
    path = local(name)
    if path.exists() or not hub_cache.looks_like_repo(name):
        seen = contents.held(path, checkpoint.inspect(path))
        return judge(path) if seen.role.standalone else seen
    try:
        verdict = preflight.look(hub, name, judge=judge).verdict
    except UserError as error:
        if isinstance(error, HubError):
            error.point_to(hub.page(name))
        reason = f"It is not on this computer. {error.sentence}"
        return Verdict(Role.NOT_A_MODEL, reason, error.next_step or "")
    return replace(verdict, warnings=(*verdict.warnings, *token_note(hub)))


def token_note(hub: Hub) -> tuple[str, ...]:
    """What is to be said of the token once a hub was asked, as a clause; nothing if there is nothing wrong with it."""
    return ("the hub does not accept the saved token, which was left out",) if hub.token_refused else ()
