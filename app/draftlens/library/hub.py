"""The hub through its own client: search, what a repository holds, and a few bytes of a file. Nothing runs unasked."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from draftlens import __version__
from draftlens.library import supported, transfer
from draftlens.library.hub_errors import HubError, Trouble, from_status
from draftlens.library.hub_token import Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from huggingface_hub import HfApi, ModelInfo

T = TypeVar("T")
Kind = Literal["mlx", "gguf", "all"]
Sort = Literal["downloads", "trending_score", "likes", "last_modified"]

_DEFAULT_ENDPOINT = "https://huggingface.co"
_EXPAND = ("author", "config", "downloads", "gated", "gguf", "likes", "lastModified", "pipeline_tag", "safetensors",
           "tags")  # fmt: skip
_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U32": 4, "BF16": 2, "F16": 2, "I16": 2, "F8_E4M3": 1, "U8": 1}
_TIMEOUT = 15.0


@dataclass(frozen=True)
class Found:
    """A search result.

    Attributes:
        licence: None where the hub was not asked, empty where it does not say.
        size: bytes of its weights, None where the hub does not say.
        runs: whether mlx-lm here knows its architecture; None where the hub does not say which it is.
    """

    repo: str
    downloads: int = 0
    likes: int = 0
    gated: bool = False
    licence: str | None = None
    size: int | None = None
    architecture: str = ""
    runs: bool | None = None
    gguf: bool = False
    config: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        return self.repo.rpartition("/")[2]

    @property
    def owner(self) -> str:
        return self.repo.rpartition("/")[0]


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository; `blob` is its hash as in `manifest.Part`."""

    name: str
    size: int
    blob: str


@dataclass(frozen=True)
class Listing:
    """What a repository holds at one commit."""

    repo: str
    commit: str
    files: tuple[RemoteFile, ...]
    gated: bool = False


class Hub:
    """Asks the hub. A token that a public repository refuses is left out and said (`token_refused`).

    Args:
        find_token: asked at each request, so that a token given meanwhile counts.
    """

    def __init__(self, find_token: Callable[[], Token | None] = lambda: None) -> None:
        self._find_token = find_token
        self.token_refused = False

    @property
    def endpoint(self) -> str:
        """Where the hub is: `HF_ENDPOINT`, or its own address."""
        return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or _DEFAULT_ENDPOINT

    def page(self, repo: str) -> str:
        """The address of a model's page."""
        return f"{self.endpoint}/{quote(repo)}"

    def search(self, text: str, kind: Kind = "mlx", sort: Sort = "downloads", limit: int = 40) -> list[Found]:
        """Find models.

        Raises:
            HubError: the hub cannot be reached or refuses.
        """

        from huggingface_hub import get_session

        def ask(api: HfApi) -> list[Found]:
            # The client tries half a minute where there is no network; one request tells at once.
            get_session().head(self.endpoint, timeout=_TIMEOUT)
            tags = None if kind == "all" else kind
            models = api.list_models(
                search=text.strip() or None,
                filter=tags,
                sort=sort,
                limit=limit,
                expand=list(_EXPAND),  # type: ignore[arg-type]
            )
            return [_found(info) for info in models]

        return self._asked(f"“{text.strip()}”" if text.strip() else "the list of models", ask)

    def listing(self, repo: str, revision: str = "main") -> Listing:
        """What a repository holds, with sizes and hashes.

        Raises:
            HubError: it is missing, gated, private, or the hub cannot be reached.
        """

        def ask(api: HfApi) -> Listing:
            info = api.model_info(repo, revision=revision, files_metadata=True, timeout=_TIMEOUT)
            files = []
            for sibling in info.siblings or ():
                large = sibling.lfs
                blob = large.sha256 if large is not None else sibling.blob_id
                if blob:
                    files.append(RemoteFile(sibling.rfilename, int(sibling.size or 0), blob))
            return Listing(repo, str(info.sha), tuple(files), bool(info.gated))

        return self._asked(repo, ask)

    def read(self, repo: str, commit: str, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Bytes [start, end) of a file, by a Range request; the whole file without an end.

        Raises:
            HubError: as for `listing`, or the file is gone.
        """
        what = f"{name} of {repo}"
        headers = {} if end is None else {"Range": f"bytes={start}-{end - 1}"}
        most = None if end is None else end - start
        return self.with_token(lambda auth: transfer.read(self.url(repo, commit, name), headers | auth, what, most))

    def url(self, repo: str, commit: str, name: str) -> str:
        """Where a file of one commit is fetched from."""
        return f"{self.endpoint}/{quote(repo)}/resolve/{quote(commit, safe='')}/{quote(name)}"

    def with_token(self, ask: Callable[[dict[str, str]], T]) -> T:
        """Ask with the token, and without it where it was the token that was refused."""
        token = self._find_token()
        if token is None:
            return ask({})
        try:
            return ask({"Authorization": f"Bearer {token.value}"})
        except HubError as error:
            if error.trouble is not Trouble.BAD_TOKEN:
                raise
            return self._without_token(lambda: ask({}), error)

    def _asked(self, what: str, ask: Callable[[HfApi], T]) -> T:
        def with_token(token: str | None) -> T:
            with _told(what, with_token=token is not None):
                return ask(_client(self.endpoint, token))

        token = self._find_token()
        if token is None:
            return with_token(None)
        try:
            return with_token(token.value)
        except HubError as error:
            if error.trouble not in (Trouble.BAD_TOKEN, Trouble.PRIVATE):
                raise
            return self._without_token(lambda: with_token(None), error)

    def _without_token(self, ask: Callable[[], T], error: HubError) -> T:
        """An expired token must not hide what is public; where both fail it is the token that is blamed."""
        try:
            answer = ask()
        except HubError:
            raise error from None
        self.token_refused = True
        return answer


@contextmanager
def _told(what: str, *, with_token: bool) -> Iterator[None]:
    """Turn what the client raises into a sentence."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    try:
        yield
    except OfflineModeIsEnabled as error:
        raise HubError(Trouble.OFFLINE, what) from error
    except HFValidationError as error:
        raise HubError(Trouble.MISSING, what) from error
    except HfHubHTTPError as error:
        response = error.response
        code = response.headers.get("X-Error-Code", "")
        raise from_status(
            response.status_code, code, what, with_token=with_token, wait=_seconds(response.headers.get("Retry-After"))
        ) from error
    except (httpx2.TransportError, OSError) as error:
        raise HubError(Trouble.OFFLINE, what) from error


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdigit() else None


def _client(endpoint: str, token: str | None) -> HfApi:
    """The hub's own client, without the requests it makes on its own account."""
    from huggingface_hub import HfApi, constants

    # Once a day it would fetch a list of agents, to tell the hub which of them it runs under.
    constants.HF_HUB_DISABLE_TELEMETRY = True
    return HfApi(endpoint=endpoint, token=token or False, library_name="draftlens", library_version=__version__)


def _found(info: ModelInfo) -> Found:
    config = info.config if isinstance(info.config, dict) else {}
    tags = info.tags or []
    gguf = info.gguf if isinstance(info.gguf, dict) else None
    model_type = config.get("model_type")
    architecture = str(gguf.get("architecture", "")) if gguf else str(model_type or "")
    size = None
    if info.safetensors is not None:
        size = sum(count * _BYTES.get(kind, 2) for kind, count in info.safetensors.parameters.items())
    return Found(
        repo=info.id,
        downloads=info.downloads or 0,
        likes=info.likes or 0,
        gated=bool(info.gated),
        licence=next((tag.removeprefix("license:") for tag in tags if tag.startswith("license:")), ""),
        size=size,
        architecture=architecture,
        runs=_runs(gguf is not None, architecture),
        gguf=gguf is not None or "gguf" in tags,
        config=config,
    )


def _runs(gguf: bool, architecture: str) -> bool | None:
    if not architecture:
        return None
    if gguf:
        # It brings numpy, which a download would otherwise carry for nothing.
        from draftlens.library import gguf_layout

        return architecture in gguf_layout.ARCHITECTURES
    return supported.architecture(architecture)
