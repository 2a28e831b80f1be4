"""The library's doors for the command line: plain values in and out, progress as a sentence and a fraction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError
from draftlens.library import (
    catalog,
    choice,
    content_hash,
    gguf_import,
    hub_cache,
    hub_token,
    lookup,
    preflight,
    repair,
    sizes,
    verified,
)
from draftlens.library.catalog import Catalog
from draftlens.library.download import Download
from draftlens.library.download_state import State
from draftlens.library.gguf_pack import Keep
from draftlens.library.hub import Hub
from draftlens.library.hub_errors import HubError
from draftlens.library.roles import Role

Report = Callable[[str, float | None], None]


def inspect(name: str, trial: verified.Trial) -> tuple[dict[str, Any], bool]:
    """The verdict on a path or repository as JSON values, and whether it is refused."""
    verdict = lookup.verdict_on(name, Hub(hub_token.find), lambda path: verified.judge(path, trial))
    return verdict.as_json(), not (verdict.role.standalone or verdict.role is Role.GGUF)


def check(name: str, report: Report, discard: bool = False) -> dict[str, Any]:
    """Hold the files of an installed model against the hub's hashes, and delete what is damaged if asked to.

    Raises:
        UserError: it is not in the hub cache, or cannot be read.
    """
    snapshot = repair.snapshot_of(lookup.local(name))
    if snapshot is None:
        step = (
            "Give the name of a model in the hub cache, as owner/name, or the path of its snapshot. Of any other, "
            "inspect without --check looks at headers, sizes and tokenizer; whether every byte is right cannot be told."
        )
        raise UserError(f"{name} is not in the hub cache, and only files from the hub have hashes to check.", step)
    repo = hub_cache.repo_of_snapshot(snapshot) or name
    try:
        found = content_hash.check(snapshot, lambda fraction: report(f"Checking {repo}", fraction))
    except OSError as error:
        raise UserError(f"{error.filename or snapshot} cannot be read: {error.strerror or error}.") from error
    if discard:
        content_hash.discard(snapshot, found.damaged)
    step = f"draftlens models download {repo} --check fetches only them again." if found.damaged else ""
    return {"sentence": found.sentence(repo), "files": found.files, "damaged": list(found.damaged), "next": step}


def installed(hub: Path | None = None, added: tuple[Path, ...] = ()) -> list[dict[str, Any]]:
    """Every model on this computer."""
    return [
        {
            "name": item.repo or item.name,
            "role": item.verdict.role.value,
            "ready": item.ready,
            "reason": item.verdict.reason,
            "size": sizes.in_words(item.disk),
            "bytes": item.disk,
            "path": str(item.path),
        }
        for item in Catalog().scan(catalog.default_places(hub, added))
    ]


class Fetching:
    """One download, started."""

    def __init__(self, item: Download, hub: Hub) -> None:
        self._item, self._hub = item, hub
        item.start()

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be said of it, as clauses."""
        return lookup.token_note(self._hub)

    @property
    def over(self) -> bool:
        return not self._item.state.active

    def state(self) -> tuple[str, float | None]:
        """A sentence and the fraction done."""
        seen = self._item.progress()
        word = {State.VERIFYING: "Verifying", State.DOWNLOADING: "Fetching"}.get(seen.state, "Waiting for")
        fraction = seen.done / seen.total if seen.total else None
        hindered = "" if seen.problem is None else f", trying again: {seen.problem.sentence.rstrip('.')}"
        return f"{word} {self._item.repo} ({sizes.in_words(seen.total)}){hindered}", fraction

    def stop(self) -> None:
        """End it; what arrived is kept."""
        self._item.pause()
        self._item.join(5)

    def result(self) -> Path:
        """The folder that was fetched.

        Raises:
            UserError: why there is none.
        """
        self._item.join()
        problem = self._item.progress().problem
        if problem is not None:
            raise problem
        return self._item.manifest.snapshot(self._item.cache)


def download(repo: str, gguf: str | None, anyway: bool, hub_folder: Path | None = None) -> Fetching:
    """Begin to fetch a repository once it is judged.

    Raises:
        UserError: it is refused, or cannot be asked for.
    """
    if not hub_cache.looks_like_repo(repo):
        raise UserError(f"{repo} is not the name of a repository.", "Write it as owner/name.")
    hub = Hub(hub_token.find)
    try:
        seen = preflight.look(hub, repo)
    except HubError as error:
        error.point_to(hub.page(repo))
        raise
    role = seen.verdict.role
    if not anyway and not role.standalone and role is not Role.GGUF:
        clause = seen.verdict.reason[0].lower() + seen.verdict.reason[1:]
        raise UserError(f"{repo} {role.phrase}: {clause}", "Nothing was fetched; --anyway fetches it all the same.")
    cache = hub_cache.root(hub_folder)
    cache.mkdir(parents=True, exist_ok=True)
    return Fetching(Download(choice.manifest_of(seen.listing, gguf), cache, hub), hub)


def import_gguf(file: Path, name: str | None, keep: str, report: Report) -> Path:
    """Turn a GGUF file into a folder of our own.

    Raises:
        UserError: it cannot be imported; nothing is left behind.
    """
    return gguf_import.import_file(file, name, Keep(keep), report)
