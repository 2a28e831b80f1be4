"""The verdict on a repository before it is fetched: its small files and the headers of its weights, by a few requests.

They are laid out as a folder of files with holes, sizes right and contents empty, so that the very same judge that
looks at folders on disk decides, and not a second one.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import bound_targets, checkpoint, choice, gguf_header, memory, side_by_side
from draftlens.library.hub import Hub, Listing, RemoteFile
from draftlens.library.memory import Need
from draftlens.library.roles import Role, Verdict
from draftlens.library.transfer import Stop

_READ = re.compile(
    r"(?:config|tokenizer_config|adapter_config|generation_config|model\.safetensors\.index)\.json|chat_template\.\w+"
)
_PREFIX = 64 << 10
_MOST = 4 << 20
_AT_ONCE = 4


@dataclass(frozen=True)
class Preflight:
    """A repository judged.

    Attributes:
        size: bytes a download would bring.
        need: the memory it would take, None where it cannot be told.
        ggufs: the GGUF files to choose from, where it holds such instead of a model folder.
    """

    listing: Listing
    verdict: Verdict
    size: int
    need: Need | None = None
    ggufs: tuple[RemoteFile, ...] = ()


def look(
    hub: Hub,
    repo: str,
    context: int = memory.DEFAULT_CONTEXT,
    revision: str = "main",
    judge: Callable[[Path], Verdict] = checkpoint.inspect,
) -> Preflight:
    """Judge a repository without fetching it.

    Raises:
        HubError: it is missing, gated, private, or the hub cannot be reached.
    """
    listing = hub.listing(repo, revision)
    try:
        wanted = choice.manifest_of(listing, revision=revision)
    except UserError as error:
        return _without_model(hub, listing, error)
    names = [part.name for part in wanted.files]
    if names and names[0].endswith(".gguf"):
        return _gguf(hub, listing)
    with tempfile.TemporaryDirectory(prefix="draftlens-") as place:
        folder = Path(place) / "snapshots" / repo.rpartition("/")[2]
        folder.mkdir(parents=True)
        for inside in {file.name.partition("/")[0] for file in listing.files if "/" in file.name}:
            (folder / inside).mkdir(exist_ok=True)
        files = {file.name: file for file in listing.files if "/" not in file.name}
        work = [functools.partial(_lay, hub, listing, file, folder) for file in files.values()]
        side_by_side.run(work, _AT_ONCE, Stop(), "preflight")
        verdict = _named(judge(folder), repo, folder)
        need = memory.need(folder, verdict, context)
    return Preflight(listing, verdict, wanted.size, need)


def _lay(hub: Hub, listing: Listing, file: RemoteFile, folder: Path) -> None:
    content = b""
    if _READ.fullmatch(file.name):
        content = hub.read(listing.repo, listing.commit, file.name, 0, min(file.size, _MOST) or None)
    elif file.name.endswith(".safetensors") and file.size:
        content = _header(hub, listing, file)
    with (folder / file.name).open("wb") as out:
        out.write(content)
        out.truncate(max(file.size, len(content)))


def _header(hub: Hub, listing: Listing, file: RemoteFile) -> bytes:
    content = hub.read(listing.repo, listing.commit, file.name, 0, min(file.size, _PREFIX))
    length = 8 + int.from_bytes(content[:8], "little")
    if len(content) < length <= min(file.size, _MOST):
        content += hub.read(listing.repo, listing.commit, file.name, len(content), length)
    return content


def _gguf(hub: Hub, listing: Listing) -> Preflight:
    files = tuple(choice.ggufs(listing.files))
    content = hub.read(listing.repo, listing.commit, files[0].name, 0, min(files[0].size, _PREFIX))
    with tempfile.TemporaryDirectory(prefix="draftlens-") as place:
        path = Path(place) / "first.gguf"
        path.write_bytes(content)
        try:
            header = gguf_header.read(path)
        except UserError as error:
            verdict = Verdict(Role.NOT_A_MODEL, f"It cannot be read as GGUF: {error.sentence}", error.next_step or "")
            return Preflight(listing, verdict, files[0].size, ggufs=files)
        verdict = checkpoint.inspect(path)
    return Preflight(listing, replace(verdict, architecture=header.architecture), files[0].size, ggufs=files)


def _without_model(hub: Hub, listing: Listing, error: UserError) -> Preflight:
    files = tuple(choice.ggufs(listing.files))
    if files:
        return _gguf(hub, listing)
    return Preflight(
        listing, Verdict(Role.NOT_A_MODEL, f"It holds no model: {error.sentence}", error.next_step or ""), 0
    )


def _named(verdict: Verdict, repo: str, folder: Path) -> Verdict:
    """The name that tells a drafter's target is the repository's."""
    if not verdict.role.bound_drafter or verdict.target is not None:
        return verdict
    return replace(verdict, target=bound_targets.target_of(repo, {}))
